"""Several threads on one object: batches release the GIL, and nothing is lost, changed under a reader, or freed."""

import threading
import unittest

import guira
import numpy as np
from support import FILTERS, SEED, quick

N = 20000 if quick() else 100000


def run(*functions):
    failures = []

    def guarded(function):
        try:
            function()
        except BaseException as e:
            failures.append(e)

    threads = [threading.Thread(target=guarded, args=(f,)) for f in functions]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    if failures:
        raise failures[0]


class Threads(unittest.TestCase):
    def test_batches_of_several_threads_lose_nothing(self):
        for make in FILTERS:
            f = make()
            parts = [np.arange(i * N, (i + 1) * N, dtype=np.uint64) for i in range(4)]
            run(*[lambda p=p: [f.update(p[i : i + 5000]) for i in range(0, N, 5000)] for p in parts])
            self.assertEqual(len(f), 4 * N)
            self.assertTrue(all(f.contains_many(p).all() for p in parts))
            f.validate()

    def test_members_are_found_while_others_come_and_go(self):
        for make in FILTERS:
            members = np.arange(N, dtype=np.uint64)
            others = np.arange(N, 3 * N, dtype=np.uint64)
            f = make(members)
            done = threading.Event()

            def change():
                try:
                    for _ in range(5):
                        f.update(others)
                        f.discard_many(others)
                    f.add(-1)
                    f.remove(-1)
                finally:
                    done.set()

            def look():
                while not done.is_set():
                    assert f.contains_many(members).all()
                    assert 5 in f and len(f) >= N

            run(change, look, look)
            self.assertEqual(len(f), N)

    def test_keys_are_hashed_while_the_filter_gets_small_and_large(self):
        # Only large filters keep a table for hashing, which long keys read for long. It must not be freed meanwhile:
        # MALLOC_PERTURB_, which CMakeLists.txt sets, overwrites what is freed, and the hash would be another one.
        members = [bytes([i]) * 100000 for i in range(20)]
        others = np.arange(6000, dtype=np.uint64)
        f = guira.Filter(members)
        done = threading.Event()

        def change():
            try:
                for _ in range(200):
                    f.update(others)
                    f.discard_many(others)
            finally:
                done.set()

        def until_done():
            while not done.is_set():
                yield from members

        def look():
            assert all(f.contains_many(until_done()))

        run(change, look)

    def test_unions_in_both_directions_do_not_deadlock(self):
        for make in FILTERS:
            a, b = make(range(5000), seed=SEED), make(range(5000, 10000), seed=SEED)

            def unite(x, y):
                for _ in range(20):
                    x |= y

            run(lambda: unite(a, b), lambda: unite(b, a))
            for f in (a, b):
                self.assertEqual(set(f.contains_many(range(10000))), {1})

    def test_close_waits_for_a_batch(self):
        for make in FILTERS:
            for _ in range(20):
                f = make(np.arange(1000, dtype=np.uint64))
                keys = np.arange(N, dtype=np.uint64)

                def look():
                    try:
                        while True:
                            f.contains_many(keys)
                    except ValueError:
                        pass

                run(look, look, f.close)

    def test_saving_beside_changes(self):
        for make in FILTERS:
            f = make(range(N))
            run(lambda: [f.update(range(N + i * 100, N + i * 100 + 100)) for i in range(50)],
                lambda: [make.from_bytes(f.to_bytes()).validate() for _ in range(10)],
                lambda: [f.copy() for _ in range(10)])
            self.assertEqual(len(f), N + 5000)

    def test_windows(self):
        w = guira.Window(10**6)
        keys = np.arange(N, dtype=np.uint64)
        run(*[lambda i=i: w.update(keys[i::4].copy(), 5) for i in range(4)], lambda: w.contains_many(keys, 10))
        self.assertTrue(w.contains_many(keys).all())


if __name__ == "__main__":
    unittest.main()
