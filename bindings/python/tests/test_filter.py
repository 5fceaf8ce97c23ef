"""Filter and SharedFilter behave like a multiset: single keys, batches, union, copies, figures."""

import copy
import pickle
import unittest

import guira
from support import FILTERS, SEED


class Filters(unittest.TestCase):
    def each(self, **arguments):
        for make in FILTERS:
            with self.subTest(make.__name__):
                yield make(**arguments)

    def test_added_keys_are_contained_until_they_are_removed(self):
        for f in self.each():
            f.add("ana")
            self.assertIn("ana", f)
            self.assertEqual(len(f), 1)
            f.remove("ana")
            self.assertNotIn("ana", f)
            self.assertEqual(len(f), 0)

    def test_copies_are_counted(self):
        for f in self.each():
            for i in range(100):
                f.add("ana")
            self.assertEqual((len(f), f.count("ana")), (100, 100))
            f.discard("ana")
            self.assertEqual(f.count("ana"), 99)

    def test_the_first_batch_makes_room_once_and_the_filter_shrinks_afterwards(self):
        f = guira.Filter(list(range(20000)))
        full = f.stats()
        self.assertEqual((full["items"], full["grows"]), (20000, 0))
        self.assertLess(full["bytes"], 20000 * 4)
        self.assertEqual(f.discard_many(range(20000)), 20000)
        self.assertLess(f.nbytes, full["bytes"] / 4)

    def test_a_first_batch_of_copies_holds_no_room_for_them(self):
        f = guira.Filter(["ana"] * 50000)
        self.assertEqual((len(f), f.count("ana")), (50000, 50000))
        self.assertLess(f.nbytes, 20000)

    def test_a_first_batch_that_fails_leaves_an_empty_small_filter(self):
        f = guira.Filter()
        before = f.nbytes
        with self.assertRaises(TypeError):
            f.update([1.5] * 50000)
        self.assertEqual((len(f), f.nbytes), (0, before))

    def test_a_first_batch_leaves_what_was_reserved(self):
        f = guira.Filter()
        f.reserve(100000)
        before = f.nbytes
        f.update(list(range(5000)))
        self.assertEqual(f.nbytes, before)

    def test_remove_of_an_absent_key_is_a_key_error(self):
        for f in self.each():
            with self.assertRaises(KeyError) as caught:
                f.remove("ana")
            self.assertEqual(caught.exception.args, ("ana",))
            f.discard("ana")

    def test_add_unique_says_whether_it_added(self):
        for f in self.each():
            self.assertIs(f.add_unique("ana"), True)
            self.assertIs(f.add_unique("ana"), False)
            self.assertEqual(len(f), 1)

    def test_keys_of_the_constructor_are_added(self):
        for make in FILTERS:
            f = make(["ana", b"eva", 7])
            self.assertTrue("ana" in f and "eva" in f and 7 in f)

    def test_union_has_the_members_of_both_once(self):
        for make in FILTERS:
            a, b = make(range(1000), seed=SEED), make(range(500, 1500), seed=SEED)
            both = a | b
            self.assertEqual(set(both.contains_many(range(1500))), {1})
            self.assertLessEqual(len(both), 2000)  # exact only for filters that were filled alike
            self.assertEqual(len(a | a.copy()), 1000)
            self.assertEqual(len(a), 1000)
            same = a
            a |= b
            self.assertIs(a, same)
            self.assertEqual(len(a), len(both))
            a |= a
            self.assertEqual(len(a), len(both))

    def test_merge_adds_the_copies(self):
        for make in FILTERS:
            a, b = make(range(1000), seed=SEED), make(range(500, 1500), seed=SEED)
            a.merge(b)
            self.assertEqual(len(a), 2000)
            self.assertGreaterEqual(a.count(700), 2)

    def test_filters_with_other_seeds_are_not_combined(self):
        for make in FILTERS:
            a, b = make([1]), make([2])
            with self.assertRaisesRegex(ValueError, "made alike"):
                a |= b
            with self.assertRaisesRegex(ValueError, "made alike"):
                a.merge(b)
            with self.assertRaises(TypeError):
                a |= {2}
            with self.assertRaises(TypeError):
                a | [2]
            with self.assertRaises(TypeError):
                a.merge([2])
            with self.assertRaises(ValueError):
                a.merge(a)
            self.assertEqual(len(a), 1)

    def test_copy_deepcopy_and_pickle_are_independent_filters(self):
        for make in FILTERS:
            f = make(range(1000))
            for g in (f.copy(), copy.copy(f), copy.deepcopy(f), pickle.loads(pickle.dumps(f))):
                self.assertIsInstance(g, make)
                self.assertEqual(set(g.contains_many(range(1000))), {1})
                g.clear()
                self.assertEqual((len(f), len(g)), (1000, 0))

    def test_repr_tells_items_bytes_and_rate(self):
        for f in self.each():
            f.update(range(1000))
            self.assertRegex(repr(f), r"^<guira\.(Shared)?Filter: 1000 items, \d+ bytes, fpr 0\.\d+>$")
            self.assertEqual(f.stats()["items"], 1000)
            self.assertEqual(f.stats()["bytes"], f.nbytes)
            self.assertEqual(f.stats()["fpr"], f.fpr)

    def test_the_rate_is_kept(self):
        f = guira.Filter(range(20000), fpr=0.001)
        hits = sum(f.contains_many(range(10**6, 10**6 + 10**6)))
        self.assertLessEqual(f.fpr, 0.001)
        self.assertLess(hits, 1000 + 6 * 32)  # binomial: sigma is 32; six of them are passed once in 10^9

    def test_reserve_shrink_to_fit_and_validate(self):
        for f in self.each():
            f.reserve(10**5)
            room = f.nbytes
            self.assertGreater(room, 10**5)
            f.shrink_to_fit()
            self.assertLess(f.nbytes, room)
            f.validate()

    def test_config_makes_a_filter_that_can_be_merged(self):
        for kind in ("tidal", "cuckoo"):
            f = guira.Filter(range(100), kind=kind, capacity=1000, fpr=0.01)
            g = guira.Filter(**f.config())
            g.merge(f)
            self.assertEqual(len(g), 100)

    def test_a_full_fixed_filter_raises(self):
        f = guira.Filter(kind="cuckoo", capacity=100)
        with self.assertRaises(guira.FullError):
            f.update(range(10000))
        n = len(f)
        with self.assertRaises(guira.FullError):
            for i in range(10000):
                f.add(i)
        self.assertGreaterEqual(len(f), n)
        f.validate()

    def test_every_kind_can_be_made(self):
        for kind in ("tidal", "cuckoo", "dynamic", "elastic", "consistent"):
            f = guira.Filter(range(50), kind=kind, capacity=100)
            self.assertEqual(set(f.contains_many(range(50))), {1})
        with self.assertRaises(guira.UnsupportedError):
            guira.Filter(kind="elastic", seed=SEED).merge(guira.Filter(kind="elastic", seed=SEED))

    def test_ints_too_large_for_the_machine_are_errors(self):
        for name in ("slot_bits", "bucket_slots"):
            with self.assertRaises(OverflowError, msg=name):
                guira.Filter(**{name: 2**32 + 16})
        for make in FILTERS:
            with self.assertRaises(OverflowError):
                make(slot_bits=2**40)

    def test_wrong_arguments_are_errors(self):
        for arguments in ({"kind": "x"}, {"fpr": 2}, {"fpr": -1}, {"capacity": -1}, {"capacity": 2**64}, {"seed": b"x"},
                          {"growth": 0.5}, {"slot_bits": 99}, {"kind": "cuckoo"}, {"capacity": 2**63},
                          {"max_load": float("nan")}):
            with self.assertRaises(ValueError, msg=str(arguments)):
                guira.Filter(**arguments)
        for arguments in ({"kind": 1}, {"fpr": "x"}, {"capacity": 1.5}, {"seed": 5}, {"nothing": 1}):
            with self.assertRaises(TypeError, msg=str(arguments)):
                guira.Filter(**arguments)
        if guira.has_shared:
            with self.assertRaises(ValueError):
                guira.SharedFilter(shards=3)
        with self.assertRaises(TypeError):
            guira.Filter([1], [2])
        with self.assertRaises(TypeError):
            guira.Filter(5)
        for f in self.each():
            for method, argument in ((f.reserve, -1), (f.reserve, 2**70)):
                with self.assertRaises(ValueError):
                    method(argument)
            for method in (f.add, f.remove, f.count, f.update, f.reserve, f.merge, f.save):
                with self.assertRaises(TypeError):
                    method()
            with self.assertRaises(TypeError):
                f.reserve("x")
            with self.assertRaises(TypeError):
                iter(f)

    def test_a_closed_filter_is_an_error(self):
        for make in FILTERS:
            with make([1]) as f:
                self.assertFalse(f.closed)
            self.assertTrue(f.closed)
            f.close()
            self.assertIn("closed", repr(f))
            for call in (lambda: 1 in f, lambda: len(f), lambda: f.add(1), lambda: f.update([1]), f.copy, f.to_bytes,
                         lambda: f.contains_many([1]), lambda: f.save("/nowhere/x"), lambda: make() | f, f.clear,
                         lambda: f | make(), lambda: f.count(1), f.stats, lambda: pickle.dumps(f), f.__enter__):
                with self.assertRaises(ValueError):
                    call()

    def test_types_are_final(self):
        for base in FILTERS + [guira.Window]:
            with self.assertRaises(TypeError):
                type("Sub", (base,), {})
            with self.assertRaises(TypeError):
                base.add = None

    def test_plan(self):
        rows = guira.plan(10**6, 0.01)
        self.assertEqual([r["kind"] for r in rows][0], "tidal")
        for arguments in ((0, 0.01), (1, 2), (1, 0.01, 0.5), (-1, 0.1)):
            with self.assertRaises(ValueError):
                guira.plan(*arguments)


if __name__ == "__main__":
    unittest.main()
