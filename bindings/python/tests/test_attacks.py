"""Misuse on purpose: objects whose code closes the filter, endless iterators, buffers that change, forged modules, interrupts.
Each is an exception or a right answer, and the process survives."""

import array
import ctypes
import gc
import itertools
import pickle
import signal
import sys
import threading
import types
import unittest

import guira
import numpy as np
from support import FILTERS, rng_for


class Closer:
    """An integer whose code does something to the filter."""

    def __init__(self, what):
        self.what = what

    def __index__(self):
        self.what()
        return 7


class Attacks(unittest.TestCase):
    def test_a_key_that_closes_the_filter(self):
        for make in FILTERS:
            for name in ("add", "add_unique", "discard", "remove", "count", "__contains__"):
                f = make([7])
                with self.assertRaisesRegex(ValueError, "closed"):
                    getattr(f, name)(Closer(f.close))
            for name in ("update", "contains_many", "discard_many"):
                f = make([7])
                with self.assertRaisesRegex(ValueError, "closed"):
                    getattr(f, name)([7, Closer(f.close), 7])
            f = make()
            with self.assertRaisesRegex(ValueError, "closed"):
                f.reserve(Closer(f.close))
        for name in ("seen", "contains"):
            w = guira.Window(100)
            with self.assertRaisesRegex(ValueError, "closed"):
                getattr(w, name)(Closer(w.close), 5)
            w = guira.Window(100)
            with self.assertRaisesRegex(ValueError, "closed"):
                getattr(w, name)(7, Closer(w.close))

    def test_a_key_that_changes_the_filter(self):
        for make in FILTERS:
            f = make()
            f.add(Closer(lambda: f.update(range(10000))))
            self.assertEqual((len(f), f.count(7) >= 2), (10001, True))
            f.update([Closer(f.clear), 8])
            self.assertEqual(len(f), 2)

    def test_a_list_that_changes_while_it_is_read(self):
        keys = [1, 2, 3]
        keys[1] = Closer(keys.clear)
        f = guira.Filter(keys)
        self.assertEqual(len(f), 2)
        keys = [1, 2, 3]
        keys[0] = Closer(lambda: keys.extend(range(100)))
        f = guira.Filter()
        f.update(keys)
        self.assertEqual(len(f), 103)

    def test_endless_iterators_can_be_interrupted(self):
        class Stop(Exception):
            pass

        def stop(number, frame):
            raise Stop

        before = signal.signal(signal.SIGALRM, stop)
        try:
            for make in FILTERS:
                f = make()
                for call in (f.update, f.contains_many, f.discard_many):
                    with self.assertRaises(Stop):
                        signal.setitimer(signal.ITIMER_REAL, 0.05)
                        call(itertools.repeat("ana"))
                self.assertEqual(len(f), 0)
                with self.assertRaises(Stop):
                    signal.setitimer(signal.ITIMER_REAL, 0.05)
                    make(itertools.count())
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)

    def test_buffers_that_change_during_a_batch(self):
        keys = np.arange(50000, dtype=np.uint64)
        for make in FILTERS:
            f = make()
            done = threading.Event()

            def change():
                while not done.wait(0.0005):
                    keys[:] += np.uint64(len(keys))

            t = threading.Thread(target=change)
            t.start()
            for _ in range(5):
                f.update(keys)
                self.assertEqual(len(f.contains_many(keys)), len(keys))
            done.set()
            t.join()
            self.assertEqual(len(f), 5 * len(keys))
            f.validate()

    def test_a_buffer_cannot_be_resized_while_its_bytes_are_a_key(self):
        # A writer makes the lookup wait, without the GIL, while it holds the buffer.
        f = guira.Filter(np.arange(100000, dtype=np.uint64))
        key = bytearray(b"k" * 100)
        done = threading.Event()

        def write():
            while not done.is_set():
                f.update(np.arange(20000, dtype=np.uint64))
                f.discard_many(np.arange(20000, dtype=np.uint64))

        def resize():
            while not done.wait(0.0001):
                try:
                    key.extend(b"k" * 1000)
                    del key[100:]
                except BufferError:
                    pass

        threads = [threading.Thread(target=write), threading.Thread(target=resize)]
        for t in threads:
            t.start()
        for _ in range(20):
            f.add(key)
        done.set()
        for t in threads:
            t.join()
        f.validate()
        self.assertGreaterEqual(len(f), 100020)

    def test_arrays_that_are_no_arrays_of_keys(self):
        f = guira.Filter([1])
        for keys in (np.array([b"a", b"b"]), np.array(["a"]), np.array([1, "x"], object)):
            f.update(keys)
        self.assertTrue("x" in f and 1 in f)
        for keys in (np.zeros(2, complex), np.zeros(2, [("a", "u8")]),
                     np.zeros((0, 3), np.uint64), np.array(5), np.zeros((2, 2, 2), np.uint8), array.array("d", [1.5]),
                     (ctypes.c_double * 3)(), 7, None, object()):
            for call in (f.update, f.contains_many, f.discard_many):
                with self.assertRaises(TypeError, msg=repr(keys)):
                    call(keys)
        f.update((ctypes.c_uint64 * 3)(5, 6, 2**64 - 1))
        self.assertTrue(5 in f and 2**64 - 1 in f)

    def test_a_module_that_is_not_numpy(self):
        real = sys.modules["numpy"]
        try:
            for fake in (types.ModuleType("numpy"), None, 5, types.SimpleNamespace(ndarray=5, frombuffer=5),
                         types.SimpleNamespace(ndarray=list, frombuffer=lambda *a: 1 / 0)):
                sys.modules["numpy"] = fake
                try:
                    self.assertEqual(guira.Filter([1], slot_bits=32).contains_many([1, 2]), b"\1\0")
                except (AttributeError, TypeError, ZeroDivisionError):
                    pass
        finally:
            sys.modules["numpy"] = real

    def test_paths_times_and_lengths_whose_code_closes(self):
        class Path:
            def __init__(self, what):
                self.what = what

            def __fspath__(self):
                self.what()
                return "/dev/null/none"

        class Long(list):
            def __len__(self):
                self.what()
                return 5

        for make in FILTERS + [lambda keys=None: guira.Window(100)]:
            f = make()
            with self.assertRaisesRegex(ValueError, "closed"):
                f.save(Path(f.close))
            f = make()
            keys = Long([1, 2])
            keys.what = f.close
            with self.assertRaisesRegex(ValueError, "closed"):
                f.contains_many(keys)
        for name in ("seen_many", "contains_many", "update"):
            for keys, now in ((lambda w: [1, Closer(w.close), 2], lambda w: 5), (lambda w: [1], lambda w: Closer(w.close)),
                              (lambda w: np.arange(5), lambda w: Closer(w.close))):
                w = guira.Window(100)
                with self.assertRaisesRegex(ValueError, "closed"):
                    getattr(w, name)(keys(w), now(w))
        w = guira.Window(100)
        with self.assertRaisesRegex(ValueError, "closed"):
            w.tick(Closer(w.close))

    def test_lengths_that_are_lies(self):
        class Liar:
            def __init__(self, length):
                self.length = length

            def __len__(self):
                return self.length() if callable(self.length) else self.length

            def __iter__(self):
                return iter(range(3000))

        for make in FILTERS:
            for length in (0, 1, 2**62, -1, "x", lambda: 1 / 0):
                f = make()
                f.update(Liar(length))
                self.assertEqual((len(f), f.contains_many(Liar(length))), (3000, b"\1" * 3000))

    def test_a_signal_handler_that_closes(self):
        # It runs while the main thread goes through an iterable, and waits for batches.
        before = signal.getsignal(signal.SIGALRM)
        try:
            for make in FILTERS:
                for keys in (range(10**9), itertools.repeat(5)):
                    f = make()
                    signal.signal(signal.SIGALRM, lambda number, frame: f.close())
                    signal.setitimer(signal.ITIMER_REAL, 0.02)
                    with self.assertRaisesRegex(ValueError, "closed"):
                        f.update(keys)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)

    def test_calling_special_methods_by_hand(self):
        for make in FILTERS:
            f = make([1, 2])
            for call in (lambda: f.__init__([5]), lambda: type(f).__new__(object), lambda: f.__setstate__(b"x"),
                         lambda: f.__reduce_ex__(4)[0](*f.__reduce_ex__(4)[1]), lambda: type(f).__or__(f, 5),
                         lambda: f.__deepcopy__(5), lambda: f.__exit__(), lambda: f.__exit__(1, 2, 3)):
                try:
                    call()
                except (TypeError, AttributeError):
                    pass
            if not f.closed:
                self.assertTrue(1 in f and len(f) >= 2)
                f.validate()
            g = make([1])
            g |= g
            with self.assertRaises(ValueError):
                g.merge(g)
            self.assertTrue(1 in g)
            g.validate()

    def test_forged_pickles(self):
        rng = rng_for("pickles")
        for make in FILTERS + [lambda keys: guira.Window(100)]:
            f = make([1, 2, 3])
            whole, n = pickle.dumps(f), len(f.to_bytes())
            start = whole.find(b"GUIRA")
            for _ in range(300):
                data = bytearray(whole)
                for _ in range(rng.randint(1, 3)):
                    data[rng.randrange(start, start + n)] = rng.randrange(256)  # not the program of the pickle
                if data == whole:
                    continue
                with self.assertRaises(guira.FormatError):  # no byte of a file is without a meaning or a checksum
                    pickle.loads(bytes(data))
        for bad in (None, 5, "text", b"", b"\0" * 5000, [1]):
            for make in FILTERS + [guira.Window]:
                with self.assertRaises((TypeError, guira.FormatError)):
                    make.from_bytes(bad)

    def test_objects_that_were_never_made(self):
        for make in FILTERS + [guira.Window]:
            with self.assertRaises(TypeError):
                object.__new__(make)
            f = make(100) if make is guira.Window else make()
            with self.assertRaises((TypeError, AttributeError)):
                f.f = 5
            with self.assertRaises(TypeError):
                f.__class__ = guira.Window if make is not guira.Window else guira.Filter
            with self.assertRaises(TypeError):
                make.__contains__(5, 5)
            f.close()
            del f
        gc.collect()

    def test_sizes_beyond_any_machine(self):
        for make in FILTERS:
            f = make([1])
            for items in (2**40, 2**48, 2**63, 2**64 - 1):
                with self.assertRaises((MemoryError, ValueError)):
                    f.reserve(items)
                with self.assertRaises((MemoryError, ValueError)):
                    make(capacity=items, growth=1)
            self.assertEqual((len(f), 1 in f), (1, True))
            f.validate()


if __name__ == "__main__":
    unittest.main()
