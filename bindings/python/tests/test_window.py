"""Window: what was seen, and when it is forgotten."""

import copy
import pickle
import unittest

import guira
import numpy as np
from support import rng_for


class Windows(unittest.TestCase):
    def test_seen_within_the_length(self):
        w = guira.Window(600)
        self.assertFalse(w.seen("ana", 1000))
        self.assertTrue(w.seen("ana", 1600))
        self.assertFalse(w.seen("ana", 1640))
        self.assertEqual(w.now, 1640)

    def test_a_sliding_window_starts_anew(self):
        w = guira.Window(600, slides=True)
        self.assertEqual([w.seen("ana", t) for t in (0, 500, 1000, 1500, 2200)], [False, True, True, True, False])

    def test_like_a_set(self):
        w = guira.Window(100)
        w.add("ana")
        w.update(["eva", "bob"], 10)
        self.assertTrue("ana" in w and "bob" in w and "x" not in w)
        self.assertEqual(len(w), 3)
        self.assertRegex(repr(w), r"^<guira.Window: 3 items, \d+ bytes, fpr .*>$")
        w.clear()
        self.assertEqual((len(w), w.now), (0, 10))

    def test_contains_changes_nothing(self):
        w = guira.Window(100)
        self.assertFalse(w.contains("ana", 50))
        self.assertEqual((w.now, len(w)), (0, 0))
        w.add("ana", 60)
        self.assertTrue(w.contains("ana", 150))
        self.assertFalse(w.contains("ana", 500))

    def test_batches_are_the_same_as_single_keys(self):
        rng = rng_for("window")
        one, many = guira.Window(1000, seed=bytes(16)[1:] + b"1"), guira.Window(1000, seed=bytes(16)[1:] + b"1")
        now = 0
        for _ in range(100):
            keys = np.array([rng.randrange(300) for _ in range(rng.randrange(50))], np.uint64)
            now += rng.randrange(100)
            self.assertEqual(many.contains_many(keys, now).tolist(), [one.contains(int(k), now) for k in keys])
            self.assertEqual(many.seen_many(keys, now).tolist(), [one.seen(int(k), now) for k in keys])
        self.assertEqual(one.to_bytes(), many.to_bytes())

    def test_time_never_runs_backwards(self):
        w = guira.Window(100)
        w.add("ana", 50)
        for call in (w.seen, w.add, w.contains):
            with self.assertRaisesRegex(ValueError, "before the time of the last call, 50"):
                call("ana", 49)
        for call in (w.seen_many, w.contains_many, w.update):
            with self.assertRaises(ValueError):
                call(["ana"], 49)
        with self.assertRaises(ValueError):
            w.tick(49)
        for now in (-1, 2**64):
            with self.assertRaises(ValueError):
                w.seen("ana", now)
        with self.assertRaises(TypeError):
            w.seen("ana", 50.5)
        with self.assertRaises(TypeError):
            w.seen()
        with self.assertRaises(TypeError):
            w.seen("ana", 50, 51)

    def test_tick_frees_what_has_expired(self):
        w = guira.Window(100)
        w.update(range(10000), 10)
        room = w.nbytes
        w.tick(1000)
        self.assertEqual(len(w), 0)
        self.assertLess(w.nbytes, room)

    def test_copies_keep_keys_and_time(self):
        w = guira.Window(100)
        w.update(range(1000), 10)
        for v in (w.copy(), copy.copy(w), copy.deepcopy(w), pickle.loads(pickle.dumps(w))):
            self.assertEqual((v.now, len(v)), (10, len(w)))
            self.assertEqual(set(v.contains_many(range(1000))), {1})
            v.validate()

    def test_wrong_arguments(self):
        for arguments in ({"length": 0}, {"length": -1}, {"length": 1, "fpr": 2}, {"length": 1, "growth": 0.5},
                          {"length": 1, "fpr": 1e-12}, {"length": 1, "seed": b""}):
            with self.assertRaises(ValueError, msg=str(arguments)):
                guira.Window(**arguments)
        for arguments in ({}, {"length": 1.5}, {"length": "x"}):
            with self.assertRaises(TypeError):
                guira.Window(**arguments)


if __name__ == "__main__":
    unittest.main()
