"""Nothing leaks: references to keys, objects and memory are the same after a thousand repetitions."""

import gc
import resource
import sys
import tempfile
import unittest

import guira
import numpy as np
from support import FILTERS, SEED


REPEAT = 200


def fails(call, *arguments):
    try:
        call(*arguments)
    except Exception:
        return
    raise AssertionError("no exception")


def everything(make, path):
    """Each method once, and each way to fail."""
    f = make(["ana", b"eva", 7], seed=SEED)
    g = make(range(100), seed=SEED)
    a = np.arange(100, dtype=np.uint64)
    f.add("bob"), f.add(2**63), f.add_unique("x"), f.discard("no"), f.remove("bob"), f.count("ana"), "ana" in f
    f.update(a), f.update(["k"]), f.contains_many(a), f.contains_many(["ana", 5]), f.discard_many(a)
    f.merge(g), f | g, f.reserve(500), f.shrink_to_fit(), f.copy(), f.stats(), f.validate(), repr(f), len(f), f.fpr
    f |= g
    f.save(path), make.load(path), make.from_bytes(f.to_bytes()), f.__reduce__(), f.__deepcopy__({})
    for call, argument in ((f.add, 1.5), (f.add, 2**65), (f.remove, "absent"), (f.update, [1, None]), (f.update, "x"),
                           (f.update, np.zeros((2, 2), np.uint64)), (f.contains_many, 5), (f.merge, f), (f.merge, 3),
                           (f.reserve, -1), (f.save, "/nowhere/x"), (make.load, path + "x"), (make.from_bytes, b"bad"),
                           (make, 5), (f.contains_many, [2**64])):
        fails(call, argument)
    fails(lambda: make(capacity=-1))
    fails(lambda: make(seed=b"x"))
    fails(lambda: f | 5)
    with f:
        pass
    fails(lambda: 1 in f)
    f.close()


def window(path):
    w = guira.Window(100)
    w.add("ana"), w.seen("ana", 5), w.seen_many([1, 2], 6), w.update(np.arange(9, dtype=np.uint64), 7), w.tick(8)
    w.contains("ana"), w.contains_many([1]), "ana" in w, w.copy(), w.stats(), repr(w), w.now
    w.save(path), guira.Window.load(path), guira.Window.from_bytes(w.to_bytes())
    fails(w.seen, "ana", 1), fails(w.seen_many, [1], 1), fails(w.seen, 1.5), fails(w.seen), fails(guira.Window, 0)
    w.close()


class Leaks(unittest.TestCase):
    def check(self, call):
        for _ in range(30):
            call()
        gc.collect()
        blocks, memory = sys.getallocatedblocks(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        for _ in range(REPEAT):
            call()
        gc.collect()
        # A leak of one object in each repetition is 200 blocks, of four kilobytes 800 KB.
        self.assertLess(sys.getallocatedblocks() - blocks, 100)
        self.assertLess(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory, 700)

    def test_filters(self):
        with tempfile.TemporaryDirectory() as directory:
            for make in FILTERS:
                with self.subTest(make.__name__):
                    self.check(lambda: everything(make, directory + "/f"))

    def test_windows(self):
        with tempfile.TemporaryDirectory() as directory:
            self.check(lambda: window(directory + "/w"))

    def test_references_to_keys_and_types(self):
        key, number, data = "a key of its own" * 2, 10**15, bytearray(b"abc")
        before = [sys.getrefcount(x) for x in (key, number, data, guira.Filter)]
        f = guira.Filter()
        for _ in range(100):
            f.add(key), f.add(number), f.add(data), f.update([key, number, data]), f.contains_many([key, number, data])
            key in f, f.count(key), f.discard(key)
            guira.Filter([key])
        del f
        self.assertEqual([sys.getrefcount(x) for x in (key, number, data, guira.Filter)], before)
        data.extend(b"x")  # BufferError if a view were still open


if __name__ == "__main__":
    unittest.main()
