"""Memory follows the number of items, is included in the server's statistics, and respects maxmemory."""
import resource
import unittest

import redis

from harness import PRELOAD, QUICK, ServerTest, pairs

MANY = 150_000 if QUICK else 4_000_000
BATCH = 1000


class Memory(ServerTest):
    def each_batch(self, command, first, last):
        with self.server.client.pipeline(transaction=False) as p:
            for start in range(first, last, BATCH):
                p.execute_command(*command, *range(start, min(start + BATCH, last)))
                if start // BATCH % 20 == 19 or start + BATCH >= last:
                    yield from p.execute()

    def insert(self, key, first, last):
        for reply in self.each_batch(["CF.INSERT", key, "ITEMS"], first, last):
            self.assertNotIn(-1, reply)

    def present(self, key, first, last):
        return sum(sum(reply) for reply in self.each_batch(["CF.MEXISTS", key], first, last))

    def delete(self, key, items):
        for start in range(0, len(items), BATCH):
            with self.server.client.pipeline(transaction=False) as p:
                for i in items[start:start + BATCH]:
                    p.execute_command("CF.DEL", key, i)
                self.assertNotIn(0, p.execute())

    def used(self):
        return self.server.client.info("memory")["used_memory"]

    def test_a_filter_grows_and_shrinks_with_its_items(self):
        s = self.server
        s("CF.RESERVE", "k", 1024, "EXPANSION", 2)
        self.insert("k", 0, MANY)
        bits = 8 * s("MEMORY", "USAGE", "k") / MANY
        self.assertLess(bits, 18)
        allocated = s.client.info("guira")["guira_memory_bytes"]  # as counted by the server's allocator
        self.assertAlmostEqual(1, s("MEMORY", "USAGE", "k") / allocated, delta=0.03)
        self.assertEqual(MANY, self.present("k", 0, MANY))
        rate = self.present("k", MANY, 2 * MANY) / MANY
        self.assertLess(rate, 0.005)
        stats = pairs(s("CF.STATS", "k"))
        print(f"{MANY} items: {bits:.2f} bits each, {rate:.3%} false positives, {stats['false_positive_rate']} expected")
        self.delete("k", [i for i in range(MANY) if i % 10 != 0])
        left = range(0, MANY, 10)
        self.assertTrue(all(s("CF.MEXISTS", "k", *left[i:i + BATCH]) == [1] * len(left[i:i + BATCH])
                            for i in range(0, len(left), BATCH)))
        bits = 8 * (s("MEMORY", "USAGE", "k") - 4096) / len(left)  # about 4 KiB do not depend on the number of items
        print(f"{len(left)} of them left: {bits:.2f} bits each")
        self.assertLess(bits, 1.1 * 16 / 0.95)

    def test_the_default_filter_grows_too(self):
        self.insert("k", 0, 100_000)
        self.assertEqual(100_000, self.present("k", 0, 100_000))
        self.assertLess(self.present("k", 100_000, 200_000), 500)

    def test_the_requested_rate_holds_after_growth(self):
        for rate in (0.05, 0.001):
            key = f"k{rate}"
            self.server("CF.RESERVE", key, 1024, "ERROR", rate)
            self.insert(key, 0, 100_000)
            self.assertLess(self.present(key, 100_000, 300_000) / 200_000, rate)

    def test_maxmemory_is_respected(self):
        s = self.server
        s("CF.ADD", "k", "a")
        s("CFW.RESERVE", "w", 3600000)
        s("CONFIG", "SET", "maxmemory", self.used() + 3_000_000)
        refused = None
        for start in range(0, 10_000_000, BATCH):
            try:
                s("CF.INSERT", "k", "ITEMS", *range(start, start + BATCH))
            except redis.exceptions.ResponseError as e:
                refused = e
                break
        self.assertRegex(str(refused), "command not allowed when used memory > 'maxmemory'")
        self.assertLess(s("MEMORY", "USAGE", "k"), 3_200_000)
        s("CONFIG", "SET", "maxmemory", 1_000_000)
        for words in (["CF.ADD", "k", "b"], ["CF.RESERVE", "j", 100], ["CFW.SEEN", "w", "a"], ["CF.MERGE", "j", "k"]):
            with self.assertRaisesRegex(redis.exceptions.ResponseError, "used memory > 'maxmemory'"):
                s(*words)
        self.assertEqual(1, s("CF.EXISTS", "k", 5))
        self.assertEqual(1, s("CF.DEL", "k", 5))  # deletions free memory, so they are allowed

    @unittest.skipIf(PRELOAD, "a sanitizer needs an unlimited address space")
    def test_reserve_without_enough_memory_is_an_error(self):
        with open(f"/proc/{self.server.process.pid}/statm") as f:
            size = int(f.read().split()[0]) * resource.getpagesize()
        resource.prlimit(self.server.process.pid, resource.RLIMIT_AS, (size + 2**28, size + 2**28))
        for options in ([], ["EXPANSION", 0]):
            self.assert_error("ERR Insufficient memory to create filter", "CF.RESERVE", "k", 1 << 30, *options)
        self.assertEqual(0, self.server("EXISTS", "k"))
        self.assertEqual(0, self.server.client.info("guira")["guira_memory_bytes"])

    def test_unlink_frees_in_the_background(self):
        s = self.server
        s("CF.RESERVE", "k", 1_000_000)
        s("CFW.RESERVE", "w", 3600000)
        for _ in self.each_batch(["CFW.SEEN", "w"], 0, 100_000):
            pass
        before = s.client.info("memory")["lazyfreed_objects"]
        used = self.used()
        s("UNLINK", "k", "w")
        self.wait_for(lambda: s.client.info("memory")["lazyfreed_objects"] == before + 2)
        self.wait_for(lambda: self.used() < used - 2_000_000)
        self.wait_for(lambda: s.client.info("guira")["guira_filters"] == 0)


if __name__ == "__main__":
    unittest.main()
