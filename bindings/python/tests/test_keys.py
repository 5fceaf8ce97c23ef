"""Keys: how str, bytes and int become byte strings, one by one and in batches."""

import array
import unittest

import guira
import numpy as np
from support import FILTERS


class Keys(unittest.TestCase):
    def test_str_is_its_utf8(self):
        for key in ("", "ana", "ñandú", "鸟", "\0", "a" * 10000):
            self.assertIn(key.encode(), guira.Filter([key]))

    def test_int_is_eight_bytes_little_endian(self):
        for n in (0, 1, -1, 255, 2**31, 2**63 - 1, -(2**63), 2**63, 2**64 - 1):
            self.assertIn((n % 2**64).to_bytes(8, "little"), guira.Filter([n]))
        self.assertIn(2**64 - 1, guira.Filter([-1]))
        self.assertIn(1, guira.Filter([True]))

    def test_buffers_are_their_bytes(self):
        for key in (bytearray(b"ana"), memoryview(b"ana"), array.array("B", b"ana"), np.frombuffer(b"ana", np.uint8)):
            self.assertIn("ana", guira.Filter([key]))
        for key in (np.uint64(7), np.int32(7), np.uint8(7)):
            self.assertIn(7, guira.Filter([key]))

    def test_wrong_keys_are_errors(self):
        for make in FILTERS:
            f = make()
            for key in (1.5, None, object(), (1,), [1], np.float64(1), np.float32(1)):
                for call in (f.add, f.remove, f.discard, f.count, f.add_unique, f.__contains__):
                    with self.assertRaisesRegex(TypeError, "a key must be str, bytes or int"):
                        call(key)
                with self.assertRaises(TypeError):
                    f.update(["ana", key])
            for key in (2**64, -(2**63) - 1, 10**100):
                with self.assertRaises(OverflowError):
                    f.add(key)
            with self.assertRaises(UnicodeEncodeError):
                f.add("\ud800")
            with self.assertRaises(BufferError):
                f.add(memoryview(b"abcdef")[::2])
            self.assertEqual(len(f), 0)

    def test_a_batch_is_the_same_as_its_keys_one_by_one(self):
        numbers = list(range(0, 3000, 3)) + [2**64 - 1, 2**63]
        for make in FILTERS:
            f = make(np.array(numbers, np.uint64))
            self.assertEqual(len(f), len(numbers))
            self.assertTrue(all(n in f for n in numbers))
            probes = np.arange(5000, dtype=np.uint64)
            answers = f.contains_many(probes)
            self.assertEqual(answers.dtype, np.bool_)
            self.assertEqual(answers.tolist(), [int(p) in f for p in probes])
            self.assertEqual(f.contains_many(range(5000)), bytes(answers))
            self.assertEqual(f.contains_many(iter(range(5000))), bytes(answers))
            self.assertEqual(f.contains_many(array.array("Q", range(5000))), bytes(answers))
            self.assertEqual(f.contains_many(probes.astype(np.int64)).tolist(), answers.tolist())
            self.assertEqual(f.contains_many(probes.astype(np.int32)).tolist(), answers.tolist())
            self.assertEqual(f.contains_many(probes[::2]).tolist(), answers[::2].tolist())
            self.assertEqual(f.contains_many(probes.astype(">u8")).tolist(), answers.tolist())
            self.assertEqual(f.discard_many(np.array(numbers, np.uint64)), len(numbers))
            self.assertEqual(len(f), 0)

    def test_signed_arrays(self):
        f = guira.Filter(np.array([-1, -2, 3], np.int64))
        self.assertTrue(-1 in f and -2 in f and 3 in f)

    def test_empty_batches(self):
        for make in FILTERS:
            f = make([])
            self.assertEqual(f.contains_many([]), b"")
            self.assertEqual(f.contains_many(np.array([], np.uint64)).shape, (0,))
            self.assertEqual(f.discard_many([]), 0)

    def test_answers_can_be_changed(self):
        a = guira.Filter([1]).contains_many(np.array([1, 2], np.uint64))
        a[1] = True
        self.assertEqual(a.tolist(), [True, True])

    def test_a_single_key_instead_of_many_is_an_error(self):
        f = guira.Filter()
        for keys in ("ana", b"ana", bytearray(b"ana")):
            for call in (f.update, f.contains_many, f.discard_many):
                with self.assertRaisesRegex(TypeError, "single key"):
                    call(keys)
        for keys in (5, None, 1.5, np.zeros((2, 2), np.uint64)):
            with self.assertRaises(TypeError):
                f.contains_many(keys)
        with self.assertRaises(TypeError):
            f.update(np.zeros(3))
        self.assertEqual(len(f), 0)

    def test_an_iterator_that_fails_changes_nothing(self):
        def keys():
            yield 1
            raise RuntimeError("stop")

        f = guira.Filter()
        with self.assertRaisesRegex(RuntimeError, "stop"):
            f.update(keys())
        self.assertEqual(len(f), 0)

    def test_an_iterator_that_closes_or_changes_the_filter(self):
        def keys(f, what):
            yield 1
            what(f)
            yield 2

        f = guira.Filter()
        with self.assertRaisesRegex(ValueError, "closed"):
            f.update(keys(f, guira.Filter.close))
        f = guira.Filter()
        f.update(keys(f, lambda g: g.update(range(100))))
        self.assertEqual(len(f), 102)

    def test_a_length_that_lies(self):
        class Liar:
            def __init__(self, n):
                self.n = n

            def __len__(self):
                return self.n

            def __iter__(self):
                return iter(range(5000))

        for n in (0, 3, 10**9, 2**62):
            self.assertEqual(len(guira.Filter(Liar(n))), 5000)


if __name__ == "__main__":
    unittest.main()
