"""Mutated values in RESTORE and CF.LOADCHUNK are refused or load as valid values; the server never crashes.

2,000 mutants of each kind, 1,000 with GUIRA_QUICK, 10,000 with GUIRA_LONG, or GUIRA_MUTANTS; of RDB files, each of which needs a
server, 100 times fewer. Most useful with a module that is built with sanitizers.
GUIRA_SEED replays a run: it also decides the hash seeds of the filters that are mutated, and the times of windows. If the
server fails, the commands that it got last are in hostile-payload.bin of GUIRA_PAYLOADS or the current directory, as the client
sent them, so that `redis-cli --pipe` replays them.
"""
import ctypes
import itertools
import os
import random
import signal
import struct
import threading
import unittest

import redis

from harness import LONG, PRELOAD, QUICK, SEED, Server, ServerTest, pairs, rng_for
from mutate import fix_checksums, mutate, with_checksum
from redisbloom import CuckooFilter, dump

MUTANTS = int(os.environ.get("GUIRA_MUTANTS", 10000 if LONG else 1000 if QUICK else 2000))
PAYLOADS = os.environ.get("GUIRA_PAYLOADS", ".")
TYPE_BYTES = 10  # the type at the start of a dump; not mutated, because other types are not ours to test
AT_ONCE = 100    # mutants that are loaded before the first of them is used
PIPELINE = 2000  # commands that are sent before the first reply is read
DELETE_HUNDRED = "for i = 0, 99 do redis.pcall('CF.DEL', KEYS[1], i) end"

# The server allocates what the length of a string says, up to 4 GB here, which takes the sanitizer 5 seconds each.
Server.asan_options += ":max_allocation_size_mb=256"


def window_file(length, now):
    """The file of an empty window at a time, by the library."""
    library = ctypes.CDLL(os.environ["GUIRA_LIBRARY"])
    config = ctypes.create_string_buffer(struct.pack("<QQ", 0, length), 256)
    window, parts = ctypes.c_void_p(), []
    sink = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)
    take = sink(lambda _, data, n: parts.append(ctypes.string_at(data, n)) or True)
    assert library.guira_window_create(config, ctypes.byref(window)) == 0
    assert library.guira_window_tick(window, ctypes.c_uint64(now)) == 0
    assert library.guira_window_save_to(window, take, None) == 0
    library.guira_window_destroy(window)
    return b"".join(parts)


def rdb_length(n):
    """A number of 2^14 to 2^32 - 1, or a smaller one written in the same way, as an RDB file has it."""
    return b"\x80" + struct.pack(">I", n)


class Hostile(ServerTest):
    def new_server(self, *options, **more):
        return super().new_server(*options, **{"arguments": ["BF", "yes"], **more})

    def setUp(self):
        super().setUp()
        s = self.server
        s("CONFIG", "SET", "rdbcompression", "no")
        s("DEBUG", "SET-SKIP-CHECKSUM-VALIDATION", 1)
        seed = random.Random(SEED).randbytes(16)
        s("CF._CREATE", "fixed", 40, 2, 20, 0, 0, seed)
        s("CF.INSERT", "fixed", "ITEMS", *range(30))
        s("CF._CREATE", "elastic", 4, 2, 20, 1, 0, seed)
        s("CF.INSERT", "elastic", "ITEMS", *range(60))
        s("CF._CREATE", "old", 4, 2, 20, 4, 0.3, seed)  # grown so far that it has elders
        s("CF.INSERT", "old", "ITEMS", *range(6000))
        self.assertGreater(pairs(s("CF.STATS", "old"))["elders"], 0)
        s("BF._CREATE", "bloom", 0.01, 10, 2, seed)
        s("BF.MADD", "bloom", *range(60))
        s("BF._CREATE", "nonscaling", 0.001, 40, 0, seed)
        s("BF.MADD", "nonscaling", *range(30))
        s("CFW._CREATE", "window", 3600000, 0, seed)
        s("CFW._SEEN", "window", 10**12, *range(40))
        s("CF._CREATE", "large", 600000, 2, 20, 1, 0, seed)
        s("CF.ADD", "large", "a")
        position, chunk = s("CF.SCANDUMP", "large", 0)
        s("CF.LOADCHUNK", "half", position, chunk)

    def run_all(self, calls):
        """Returns all replies, including errors."""
        self.sent += calls
        replies = []
        for start in range(0, len(calls), PIPELINE):
            with self.server.client.pipeline(transaction=False) as p:
                for words in calls[start:start + PIPELINE]:
                    p.execute_command(*words)
                replies += p.execute(raise_on_error=False)
        return replies

    def uses_of(self, key, kind):
        """Commands that use a value in every way; the last one is DUMP."""
        if kind == b"guira-win":
            calls = [["CFW.SEEN", key, *range(100)], ["CFW.INFO", key], ["CFW._TICK", key, 2**62]]
        elif kind in (b"guira-flt", b"MBbloomCF"):
            calls = [["CF.DEBUG", key], ["CF.INSERT", key, "ITEMS", *range(200)], ["CF.MEXISTS", key, *range(200)],
                     ["CF.COUNT", key, 1], ["CF.INFO", key], ["CF.STATS", key], ["CF.MERGE", key, key],
                     ["CF.SCANDUMP", key, 0], ["EVAL", DELETE_HUNDRED, 1, key], ["CF.COMPACT", key], ["CF.DEBUG", key]]
        elif kind == b"guira-blm":
            calls = [["BF.MADD", key, *range(200)], ["BF.MEXISTS", key, *range(200)], ["BF.CARD", key], ["BF.INFO", key],
                     ["CF.STATS", key], ["BF.SCANDUMP", key, 0], ["EVAL", DELETE_HUNDRED.replace("CF", "BF"), 1, key],
                     ["BF.COMPACT", key], ["BF.INSERT", key, "ITEMS", *range(100, 300)]]
        else:
            self.assertEqual(b"guira-prt", kind)
            calls = [["CF.LOADCHUNK", key, 1, "x"]]
        return calls + [["COPY", key, "copy", "REPLACE"], ["DEBUG", "DIGEST-VALUE", key], ["MEMORY", "USAGE", key], ["DUMP", key]]

    def check(self, calls, replies):
        if calls[0][0] == "BF.MADD":  # ends with an error when the filter is full
            self.assertTrue(all(is_present for added, is_present in zip(replies[0], replies[1])
                                if not isinstance(added, Exception)))
        if calls[0][0] != "CF.DEBUG":
            return
        self.assertNotIsInstance(replies[0], Exception)
        self.assertNotIsInstance(replies[calls.index(["CF.COMPACT", calls[0][1]]) + 1], Exception)
        inserted, present = replies[1], replies[2]
        self.assertTrue(all(is_present for added, is_present in zip(inserted, present) if added == 1))

    def use(self, kinds):
        """kinds: {key: type} of accepted values. Checks that they work with all commands, and that their dumps load again."""
        calls = [self.uses_of(key, kind) for key, kind in kinds.items()]
        replies = iter(self.run_all([words for group in calls for words in group]))
        again = []
        for key, group in zip(kinds, calls):
            of_group = list(itertools.islice(replies, len(group)))
            self.check(group, of_group)
            again += [["RESTORE", "again", 0, of_group[-1], "REPLACE"], ["DEBUG", "DIGEST-VALUE", key, "again"]]
        replies = self.run_all(again)
        self.assertEqual([b"OK"] * len(kinds), replies[::2])
        self.assertTrue(all(one == other for one, other in replies[1::2]))

    def save(self, calls):
        path = os.path.join(PAYLOADS, "hostile-payload.bin")
        with open(path, "wb") as f:
            for words in calls:
                words = [w if isinstance(w, bytes) else str(w).encode() for w in words]
                f.write(b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(w), w) for w in words))
        print(f"the last {len(calls)} commands are in {path}", flush=True)

    def try_mutants(self, rng, make_calls):
        """make_calls(key) returns the commands that load a mutant. Returns the numbers of refused and accepted ones."""
        accepted = 0
        for _ in range(0, MUTANTS, AT_ONCE):
            self.sent = []
            try:
                accepted += self.load({f"m{i}": make_calls(f"m{i}") for i in range(AT_ONCE)})
            except Exception:
                self.save(self.sent)
                raise
        return MUTANTS - accepted, accepted

    def load(self, mutants):
        """mutants: {key: the commands that load it}. Returns how many were accepted. A refused one leaves no key."""
        replies = iter(self.run_all([words for calls in mutants.values() for words in calls]))
        refused = [[isinstance(next(replies), redis.exceptions.ResponseError) for _ in calls] for calls in mutants.values()]
        kinds = dict(zip(mutants, self.run_all([["TYPE", key] for key in mutants])))
        for first_refused, kind in zip((r[0] for r in refused), kinds.values()):
            self.assertEqual(first_refused, kind == b"none")
        self.use({key: kind for key, kind in kinds.items() if kind != b"none"})
        self.server("DEL", *mutants)
        return sum(not any(r) for r in refused)

    def restore(self, rng, sources):
        def calls(key):
            return [["RESTORE", key, 0, mutate(rng, rng.choice(sources), TYPE_BYTES)]]
        return calls

    def test_mutants_of_dumps(self):
        rng = rng_for(self)
        sources = [self.server("DUMP", key) for key in ("fixed", "elastic", "old", "window", "fixed", "elastic", "window", "bloom",
                                                         "nonscaling")]
        if not QUICK:
            sources.append(self.server("DUMP", "half"))
        refused, accepted = self.try_mutants(rng, self.restore(rng, sources))
        print(f"RESTORE: {refused} refused, {accepted} accepted")
        self.assertGreater(refused, MUTANTS // 2)

    def test_mutants_of_chunks(self):
        rng = rng_for(self)
        sources = [("CF.LOADCHUNK", self.server("CF.SCANDUMP", key, 0)[1])
                   for key in ("fixed", "elastic", "fixed", "elastic", "old")]
        sources += [("BF.LOADCHUNK", self.server("BF.SCANDUMP", key, 0)[1]) for key in ("bloom", "nonscaling")]

        def calls(key):
            command, source = rng.choice(sources)
            chunk = mutate(rng, source, 8)
            if len(chunk) > 40 and rng.random() < 0.9:  # otherwise nearly all would be refused for their header
                chunk = with_checksum(chunk)
            generation, _, offset = struct.unpack_from("<QQQ", chunk.ljust(32, b"\0"), 8)
            position = (generation & 0xfffff) << 32 | offset // (1 << 20) + 1
            return [[command, key, position, chunk]]

        refused, accepted = self.try_mutants(rng, calls)
        print(f"CF.LOADCHUNK: {refused} refused, {accepted} accepted")
        self.assertGreater(refused, MUTANTS // 2)

    def start_with(self, s, dumps):
        """Starts the server with an RDB file of these values. Returns whether it started; otherwise it has to say why not."""
        entries = b"".join(b"\x07" + bytes([len(key)]) + key + dump[1:-10] for key, dump in dumps.items())
        with open(f"{s.dir}/dump.rdb", "wb") as f:
            f.write(b"REDIS0009\xfe\0" + entries + b"\xff" + bytes(8))
        for name in ("log", "stderr"):
            open(f"{s.dir}/{name}", "w").close()
        done = threading.Event()
        threading.Thread(target=self.end_checker, args=(s, s.process, done), daemon=True).start()
        try:
            s.start()
            return True
        except RuntimeError:
            # that of redis-check-rdb, which the server runs; of Redis 7.0 it may read for ever after the end of the file
            self.assertIn(s.process.returncode, (0, 1, -signal.SIGKILL))
            # not its warning: redis-check-rdb asks for as much memory as a length in the file says
            self.assertNotRegex(s.log(), "ERROR: .*Sanitizer|runtime error|BUG REPORT|crashed by signal")
            self.assertRegex(s.log(), "guira: |Internal error in RDB reading|loading DB")
            return False
        finally:
            done.set()

    def end_checker(self, s, before, done):
        """Ends a server that has refused the file, and not ended five to ten seconds later."""
        while not done.wait(5):
            if s.process is not before and "Internal error in RDB reading" in s.log() and not done.wait(5):
                s.process.kill()

    def test_mutants_of_rdb_files(self):
        """A server with such a file starts with valid values, or ends and says why."""
        rng = rng_for(self)
        dumps = {key: self.server("DUMP", key) for key in (b"fixed", b"elastic", b"old", b"window", b"bloom")}
        s = self.new_server()
        started = 0
        for _ in range(MUTANTS // 100):
            key = rng.choice(list(dumps))
            mutant = dumps[key][:TYPE_BYTES] + mutate(rng, dumps[key][:-10], TYPE_BYTES)[TYPE_BYTES:] + dumps[key][-10:]
            s.end()
            try:
                started += self.start_with(s, {**dumps, key: mutant})
            except Exception:
                self.save([["RESTORE", key, 0, mutant]])
                raise
        s.end()
        self.assertTrue(self.start_with(s, dumps))
        self.assertEqual(len(dumps), s("DBSIZE"))
        print(f"RDB files: {MUTANTS // 100 - started} refused, {started} accepted")

    def test_fix_checksums_leaves_valid_dumps_unchanged(self):
        """Otherwise all mutants would be refused for their checksums alone."""
        for key in ("fixed", "elastic", "old", "window", "bloom"):
            dump = bytearray(self.server("DUMP", key))
            same = bytearray(dump)
            fix_checksums(same)
            self.assertEqual(dump, same)

    def test_filters_with_options_that_block_the_server_are_refused(self):
        """Valid files of the library, but with options that the module never uses."""
        for key, at, value in (("elastic", 56, 1e-6), ("bloom", 56, 0.999), ("elastic", 56, 0.999), ("fixed", 56, 0.01), ("elastic", 88, 60000),
                               ("window", 56, 1e-6)):
            dump = bytearray(self.server("DUMP", key))
            start = dump.find(b"GUIRA\r\n\x1a")
            struct.pack_into("<d" if isinstance(value, float) else "<Q", dump, start + at, value)
            fix_checksums(dump)
            with self.subTest(key=key, at=at, value=value):
                self.assert_error("ERR Bad data format", "RESTORE", "x", 0, bytes(dump))

    def filters_of_redisbloom(self):
        for size, expansion in ((2, 1), (3, 2), (8, 0)):
            f = CuckooFilter(16, size, 20, expansion)
            for i in range(100 if expansion else 60):
                f.add(i)
            yield f

    def test_mutants_of_redisbloom_dumps(self):
        rng = rng_for(self)
        sources = [dump(f) for f in self.filters_of_redisbloom()]
        refused, accepted = self.try_mutants(rng, self.restore(rng, sources))
        print(f"RESTORE of RedisBloom's: {refused} refused, {accepted} accepted")
        self.assertGreater(min(refused, accepted), MUTANTS // 50)

    def test_mutants_of_redisbloom_chunks(self):
        """The header is mutated, or one of the chunks with slots, or a position."""
        rng = rng_for(self)
        sources = [list(f.chunks(rng.choice((50, 1 << 20)))) for f in self.filters_of_redisbloom()]

        def calls(key):
            chunks = list(rng.choice(sources))
            at = rng.choice((0, 0, rng.randrange(len(chunks))))
            position, chunk = chunks[at]
            if rng.random() < 0.1:
                position = rng.choice((0, 1, 2, position + 1, -1, 2**63 - 1))
            chunks[at] = position, mutate(rng, chunk, 0)[:len(chunk) if rng.random() < 0.8 else None]
            return [["CF.LOADCHUNK", key, *pair] for pair in chunks]

        refused, accepted = self.try_mutants(rng, calls)
        print(f"CF.LOADCHUNK of RedisBloom's: {refused} refused, {accepted} accepted")
        self.assertGreater(min(refused, accepted), MUTANTS // 50)

    WORDS = ("", "0", "1", "-1", "4", "100", "1024", 2**30, 2**30 + 1, 2**63 - 1, -2**63, 2**64 - 1, "1e309", "nan", "0.01",
             "1e-300",
             " 1", b"\0\xff\r\n", "x" * 5000, "CAPACITY", "ITEMS", "NOCREATE", "ERROR", "EXPANSION", "BUCKETSIZE",
             "MAXITERATIONS", "NONSCALING", "OWN", "ITEMS")

    def random_call(self, rng, names):
        key = rng.choice(("k0", "k1", "k2", "k3", "", b"\0\xff", "text"))
        words = [rng.choice(self.WORDS) if rng.random() < 0.5 else rng.randrange(2000) for _ in range(rng.randrange(8))]
        items = [rng.randrange(2000) for _ in range(rng.choice((1, 30, 400)))]
        what = rng.randrange(12)
        if what == 0:
            return [rng.choice(("CF.INSERT", "BF.INSERT")), key, "ITEMS", *items]
        if what == 1:
            return ["CFW.SEEN", key, *items]
        if what == 2:
            return [rng.choice(("DEL", "UNLINK", "DUMP", "TYPE")), key]
        if what == 3:
            return [rng.choice(("COPY", "RENAME")), key, rng.choice(("k0", "k1", "k2"))]
        if what == 4:
            return ["EVAL", "return redis.pcall(unpack(ARGV))", 0, rng.choice(names), key, *words]
        return [rng.choice(names), key, *words]

    def test_random_arguments_of_every_command(self):
        """The server replies to all of them, what it has is valid, and a replica has the same."""
        rng = rng_for(self)
        self.server = s = self.new_server("--maxmemory", "200mb", arguments=["BF", "yes"])
        replica = self.new_server("--replicaof", "127.0.0.1", str(s.port), arguments=["BF", "yes"])
        self.wait_for(lambda: replica.client.info("replication")["master_link_status"] == "up")
        names = sorted(name for name in s("COMMAND") if name.split(".")[0].lower() in ("cf", "bf", "cfw"))
        self.assertGreater(len(names), 35)
        s("SET", "text", "x")
        for _ in range(10 if QUICK else 30):
            self.sent = []
            try:
                self.assertEqual(200, len(self.run_all([self.random_call(rng, names) for _ in range(200)])))
            except Exception:
                self.save(self.sent)
                raise
            for key in s("KEYS", "*"):
                if s("TYPE", key) == b"guira-flt":
                    s("CF.DEBUG", key)
        self.wait_for(lambda: s("DEBUG", "DIGEST") == replica("DEBUG", "DIGEST"))

    @unittest.skipIf(PRELOAD, "the library cannot be loaded into Python with sanitizers")
    def test_a_window_with_a_time_that_replicas_cannot_get_is_refused(self):
        """CFW._SEEN carries the time as a signed number of 64 bits."""
        head, tail = self.server("DUMP", "window")[:TYPE_BYTES], self.server("DUMP", "window")[-10:]
        for now, accepted in ((2**63 - 1, True), (2**63, False), (2**64 - 1, False)):
            stream = struct.pack("<d", 0) + window_file(3600000, now)
            payload = b"\x02" + rdb_length(len(stream)) + b"\x05" + rdb_length(len(stream)) + stream + b"\0"
            with self.subTest(now=now):
                if accepted:
                    self.server("RESTORE", "late", 0, head + payload + tail)
                    self.assertEqual([0], self.server("CFW.SEEN", "late", "a"))
                else:
                    self.assert_error("ERR Bad data format", "RESTORE", "later", 0, head + payload + tail)


if __name__ == "__main__":
    unittest.main()
