"""Values that somebody has tampered with are refused, or are as good as any; the server lives.

10,000 mutants of each sort, 2,000 with GUIRA_QUICK. Worth most with a module that is built with sanitizers.
"""
import struct
import unittest

import redis

from harness import QUICK, ServerTest, pairs, rng_for
from hostile import fix_sums, mutate

MUTANTS = 2000 if QUICK else 10000
BEFORE_VALUE = 10  # what says whose the value is: another type's is not ours to test
PER_TURN = 100     # mutants that go out before the first answer is read


class Hostile(ServerTest):
    def setUp(self):
        super().setUp()
        s = self.server
        s("CONFIG", "SET", "rdbcompression", "no")
        s("DEBUG", "SET-SKIP-CHECKSUM-VALIDATION", 1)
        s("CF.RESERVE", "fixed", 40, "EXPANSION", 0)
        s("CF.INSERT", "fixed", "ITEMS", *range(30))
        s("CF.INSERT", "elastic", "CAPACITY", 4, "ITEMS", *range(60))
        s("CF.RESERVE", "old", 4, "ERROR", 0.3)  # grown so far that it has elders
        s("CF.INSERT", "old", "ITEMS", *range(6000))
        self.assertGreater(pairs(s("CF.STATS", "old"))["elders"], 0)
        s("CFW.RESERVE", "window", 3600000)
        s("CFW.SEEN", "window", *range(40))
        s("CF.RESERVE", "large", 600000)
        position, chunk = s("CF.SCANDUMP", "large", 0)
        s("CF.LOADCHUNK", "half", position, chunk)

    def run_all(self, calls):
        """The answers, errors among them."""
        answers = []
        for start in range(0, len(calls), PER_TURN):
            with self.server.client.pipeline(transaction=False) as p:
                for words in calls[start:start + PER_TURN]:
                    p.execute_command(*words)
                answers += p.execute(raise_on_error=False)
        return answers

    def use(self, key):
        """Whatever was let in must be a value that works."""
        s = self.server
        kind = s("TYPE", key)
        if kind == b"guira-win":
            calls = [["CFW.SEEN", key, *range(100)], ["CFW.INFO", key], ["CFW._TICK", key, 2**62]]
        elif kind == b"guira-flt":
            calls = [["CF.DEBUG", key], ["CF.INSERT", key, "ITEMS", *range(200)], ["CF.MEXISTS", key, *range(200)],
                     ["CF.COUNT", key, 1], ["CF.INFO", key], ["CF.STATS", key], ["CF.MERGE", key, key],
                     ["CF.SCANDUMP", key, 0], *(["CF.DEL", key, i] for i in range(100)), ["CF.COMPACT", key],
                     ["CF.DEBUG", key]]
        else:
            self.assertEqual(b"guira-prt", kind)
            calls = [["CF.LOADCHUNK", key, 1, "x"]]
        calls += [["COPY", key, "copy", "REPLACE"], ["DEBUG", "DIGEST-VALUE", key], ["MEMORY", "USAGE", key], ["DUMP", key]]
        answers = self.run_all(calls)
        if kind == b"guira-flt":
            self.assertNotIsInstance(answers[0], Exception)
            self.assertNotIsInstance(answers[calls.index(["CF.COMPACT", key]) + 1], Exception)
            inserted, present = answers[1], answers[2]
            self.assertTrue(all(there for did, there in zip(inserted, present) if did == 1))
        dump = answers[-1]
        self.server("RESTORE", "again", 0, dump, "REPLACE")
        self.assertEqual(s("DEBUG", "DIGEST-VALUE", key), s("DEBUG", "DIGEST-VALUE", "again"))

    def try_mutants(self, rng, sources, make_call):
        """make_call(key, bytes) -> a command that brings the mutant in. Returns how many were refused, how many not."""
        refused = accepted = 0
        for start in range(0, MUTANTS, PER_TURN):
            keys = [f"m{i}" for i in range(PER_TURN)]
            calls = []
            for key in keys:
                original, first = rng.choice(sources)
                calls.append(make_call(key, mutate(rng, original, first)))
            for key, answer in zip(keys, self.run_all(calls)):
                if isinstance(answer, redis.exceptions.ResponseError):
                    refused += 1
                    continue
                accepted += 1
                self.use(key)
            self.server("DEL", *keys)
            self.server.client.ping()
        return refused, accepted

    def test_mutants_of_dumps(self):
        rng = rng_for(self)
        sources = [(self.server("DUMP", key), BEFORE_VALUE)
                   for key in ("fixed", "elastic", "old", "window", "fixed", "elastic", "window")]
        if not QUICK:
            sources.append((self.server("DUMP", "half"), BEFORE_VALUE))
        refused, accepted = self.try_mutants(rng, sources, lambda key, data: ["RESTORE", key, 0, data])
        print(f"RESTORE: {refused} refused, {accepted} were good")
        self.assertGreater(refused, MUTANTS // 2)

    def test_mutants_of_chunks(self):
        rng = rng_for(self)
        sources = [(self.server("CF.SCANDUMP", key, 0)[1], 8) for key in ("fixed", "elastic", "old")]

        def load(key, chunk):
            generation, total, offset = struct.unpack_from("<QQQ", chunk.ljust(32, b"\0"), 8)
            position = (generation & 0xfffff) << 32 | offset // max(1 << 20, total // 64 + 1) + 1
            return ["CF.LOADCHUNK", key, position, chunk]

        refused, accepted = self.try_mutants(rng, sources, load)
        print(f"CF.LOADCHUNK: {refused} refused, {accepted} were good")
        self.assertGreater(refused, MUTANTS // 2)

    def test_checksums_that_are_made_right_are_right(self):
        """Or half of the mutants would test the checksums alone."""
        for key in ("fixed", "elastic", "old", "window"):
            dump = bytearray(self.server("DUMP", key))
            same = bytearray(dump)
            fix_sums(same)
            self.assertEqual(dump, same)

    def test_filters_that_would_make_the_server_wait_are_refused(self):
        """Sound files of the library, but not such as the module makes."""
        for key, at, value in (("elastic", 56, 1e-6), ("elastic", 56, 0.999), ("fixed", 56, 0.01), ("elastic", 88, 60000),
                               ("window", 56, 1e-6)):
            dump = bytearray(self.server("DUMP", key))
            start = dump.find(b"GUIRA\r\n\x1a")
            struct.pack_into("<d" if isinstance(value, float) else "<Q", dump, start + at, value)
            fix_sums(dump)
            with self.subTest(key=key, at=at, value=value):
                self.assert_error("ERR Bad data format", "RESTORE", "x", 0, bytes(dump))


if __name__ == "__main__":
    unittest.main()
