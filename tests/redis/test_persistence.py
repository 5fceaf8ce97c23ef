"""Restarts, replicas, copies and dumps preserve values. Values are compared by DEBUG DIGEST, which covers every byte."""
import collections
import struct
import unittest

import redis

from harness import QUICK, ServerTest, pairs, rng_for
from mutate import with_checksum
from redisbloom import CuckooFilter

ALTERED = "Couldn't load chunk! Its bytes were altered"
WRONG_TYPE = "WRONGTYPE Operation against a key holding the wrong kind of value"


def play(rng, server, steps):
    """Runs random commands on keys of every type. Errors are expected and ignored."""
    for _ in range(steps):
        key = f"k{rng.randrange(6)}"
        items = [rng.randrange(3000) for _ in range(rng.choice((1, 1, 5, 300)))]
        words = rng.choice((
            ["CF.RESERVE", key, rng.randrange(4, 3000), "EXPANSION", rng.choice((0, 1, 4)), "BUCKETSIZE", 2],
            ["CF.RESERVE", key, rng.randrange(4, 3000), "ERROR", rng.choice((0.1, 0.001))],
            ["CF.ADD", key, items[0]], ["CF.ADDNX", key, items[0]], ["CF.INSERT", key, "ITEMS", *items],
            ["CF.INSERTNX", key, "ITEMS", *items], ["CF.INSERT", key, "ITEMS", *["same"] * 60],
            ["CF.DEL", key, items[0]], ["CF.DEL", key, "same"], ["CF.COMPACT", key], ["CF.MERGE", key, "k0"],
            ["CFW.RESERVE", "w", 3600000], ["CFW.SEEN", "w", *items], ["COPY", key, "k5", "REPLACE"]))
        if rng.random() < 0.02:
            words = ["DEL", key]
        if words[0] == "CF.DEL":  # deleting an absent item could damage the filter
            words = words if server("CF.EXISTS", *words[1:]) else ["PING"]
        try:
            server(*words)
        except redis.exceptions.ResponseError:
            pass


def fill(server):
    server("CF.RESERVE", "fixed", 2000, "EXPANSION", 0, "BUCKETSIZE", 4)
    server("CF.INSERT", "fixed", "ITEMS", *range(1500))
    server("CF.INSERT", "elastic", "ITEMS", *range(20000))
    for i in range(5000):
        server("CF.DEL", "elastic", i)
    server("CF.RESERVE", "sharp", 1000, "ERROR", 0.00001)
    server("CF.INSERT", "sharp", "ITEMS", *range(100))
    server("CFW.RESERVE", "window", 3600000)
    server("CFW.SEEN", "window", *range(200))  # so few that another item is a false positive in one of 10^6 runs
    server("CF.RESERVE", "expiring", 100)
    server("EXPIRE", "expiring", 100000)


class Restarts(ServerTest):
    def check_after(self, digest):
        s = self.server
        self.assertEqual(digest, s("DEBUG", "DIGEST"))
        self.assertEqual([1] * 15000, s("CF.MEXISTS", "elastic", *range(5000, 20000)))
        self.assertEqual([1] * 1500, s("CF.MEXISTS", "fixed", *range(1500)))
        self.assertEqual([1] * 200 + [0], s("CFW.SEEN", "window", *range(200), "new"))
        self.assertEqual(5000, pairs(s("CF.INFO", "elastic"))["Number of items deleted"])
        self.assertGreater(s("TTL", "expiring"), 0)
        s("CF.ADD", "new", "x")
        s("CF.MERGE", "elastic", "new")  # filters from before and after the restart have the same seed
        s("CF.DEBUG", "elastic")

    def test_rdb(self):
        fill(self.server)
        digest = self.server("DEBUG", "DIGEST")
        self.server("SAVE")
        self.server.restart()
        self.check_after(digest)

    def test_aof_of_commands(self):
        self.server("CONFIG", "SET", "appendonly", "yes")
        self.wait_for(lambda: self.server.client.info("persistence")["aof_rewrite_in_progress"] == 0)
        fill(self.server)
        digest = self.server("DEBUG", "DIGEST")
        self.server.options += ["--appendonly", "yes"]
        self.server.restart()
        self.check_after(digest)

    def rewritten(self, preamble):
        s = self.server
        s("CONFIG", "SET", "aof-use-rdb-preamble", preamble)
        fill(s)
        s("CF.RESERVE", "large", 2000000)  # more than one chunk
        s("CF.INSERT", "large", "ITEMS", *range(10))
        chunk = s("CF.SCANDUMP", "large", 0)
        s("CF.LOADCHUNK", "half", *chunk)
        digest = s("DEBUG", "DIGEST")
        s("CONFIG", "SET", "appendonly", "yes")
        self.wait_for(lambda: s.client.info("persistence")["aof_rewrite_in_progress"] == 0)
        s.options += ["--appendonly", "yes"]
        s.restart()
        self.assertEqual([1] * 10, s("CF.MEXISTS", "large", *range(10)))
        self.assert_error("ERR not loaded yet: chunks are missing", "CF.EXISTS", "half", "a")
        self.check_after(digest)

    def test_aof_rewrite_to_commands(self):
        self.rewritten("no")

    def test_aof_rewrite_to_rdb(self):
        self.rewritten("yes")


class Replicas(ServerTest):
    def replica(self):
        return self.new_server("--replicaof", "127.0.0.1", str(self.server.port), arguments=["cf-bucket-size", "8"])

    def assert_same(self, replica):
        self.wait_for(lambda: replica.client.info("replication")["master_link_status"] == "up")
        self.wait_for(lambda: self.server.client.wait(1, 1000) == 1)
        self.assertEqual(self.server("DEBUG", "DIGEST"), replica("DEBUG", "DIGEST"))

    def test_random_sequences_leave_replicas_identical(self):
        rng = rng_for(self)
        replica = self.replica()
        self.wait_for(lambda: replica.client.info("replication")["master_link_status"] == "up")
        for _ in range(3 if QUICK else 20):
            play(rng, self.server, 300)
            self.assert_same(replica)

    def test_a_replica_added_later(self):
        rng = rng_for(self)
        play(rng, self.server, 500)
        replica = self.replica()
        self.assert_same(replica)
        play(rng, self.server, 500)
        self.assert_same(replica)

    def test_a_key_created_by_add_uses_the_settings_of_the_master(self):
        replica = self.replica()
        self.wait_for(lambda: replica.client.info("replication")["master_link_status"] == "up")
        self.server("CONFIG", "SET", "guira.cf-expansion-factor", 0)
        self.server("CF.ADD", "k", "a")
        self.server("CF.INSERT", "j", "CAPACITY", 500, "ITEMS", "a", "b")
        self.assert_same(replica)
        self.assertEqual(self.server("CF.INFO", "k"), replica("CF.INFO", "k"))

    def test_a_promoted_replica_keeps_the_seed(self):
        replica = self.replica()
        self.server("CF.ADD", "a", "x")
        self.assert_same(replica)
        replica("REPLICAOF", "NO", "ONE")
        replica("CF.ADD", "b", "y")
        self.assertEqual(b"OK", replica("CF.MERGE", "a", "b"))

    def test_a_restored_filter_does_not_change_the_seed(self):
        other = self.new_server()
        other("CF.ADD", "k", "x")
        replica = self.replica()
        self.wait_for(lambda: replica.client.info("replication")["master_link_status"] == "up")
        self.server("CF.ADD", "a", "x")
        self.server("RESTORE", "foreign", 0, other("DUMP", "k"))
        self.server("CF.LOADCHUNK", "chunks", *other("CF.SCANDUMP", "k", 0))
        self.assert_same(replica)
        replica("REPLICAOF", "NO", "ONE")
        for server in (self.server, replica):
            server("CF.ADD", "b", "y")
            self.assertEqual(b"OK", server("CF.MERGE", "a", "b"))
            with self.assertRaisesRegex(redis.exceptions.ResponseError, "different seed"):
                server("CF.MERGE", "a", "foreign")

    def test_a_replica_refuses_writes(self):
        replica = self.replica()
        self.server("CF.ADD", "k", "x")
        self.server("CFW.RESERVE", "w", 3600000)
        self.assert_same(replica)
        for words in (["CF.COMPACT", "k"], ["CF.DEL", "k", "x"], ["CF.ADD", "k", "y"], ["CF.ADDNX", "k", "x"],
                      ["CF.INSERT", "k", "ITEMS", "y"], ["CF.INSERTNX", "k", "ITEMS", "x"], ["CF.MERGE", "k", "k"],
                      ["CF.RESERVE", "new", 100], ["CF.LOADCHUNK", "new", *replica("CF.SCANDUMP", "k", 0)],
                      ["CFW.RESERVE", "new", 1000], ["CFW.SEEN", "w", "x"], ["CFW._TICK", "w", 2**62]):
            with self.assertRaises(redis.exceptions.ReadOnlyError):
                replica(*words)

    def test_scripts_and_transactions(self):
        replica = self.replica()
        self.wait_for(lambda: replica.client.info("replication")["master_link_status"] == "up")
        script = "redis.call('CF.ADD', KEYS[1], 'a'); return redis.call('CF.INSERT', KEYS[1], 'ITEMS', 'b', 'c')"
        self.assertEqual([1, 1], self.server("EVAL", script, 1, "k"))
        with self.server.client.pipeline(transaction=True) as p:
            p.execute_command("CF.ADD", "j", "a")
            p.execute_command("CF.DEL", "j", "a")
            self.assertEqual([1, 1], p.execute())
        self.assert_same(replica)


class Copies(ServerTest):
    def test_copy_dump_and_restore(self):
        s = self.server
        fill(s)
        for key in ("fixed", "elastic", "sharp", "window"):
            s("COPY", key, "copy", "REPLACE")
            s("RESTORE", "restored", 0, s("DUMP", key), "REPLACE")
            for other in ("copy", "restored"):
                self.assertEqual(s("DEBUG", "DIGEST-VALUE", key), s("DEBUG", "DIGEST-VALUE", other))
        s.reserve_exact("r")
        s("CF.ADD", "r", "a")
        s("COPY", "r", "r2")
        s("CF.ADD", "r2", "b")
        self.assertEqual([1, 0], s("CF.MEXISTS", "r", "a", "b"))

    def test_values_without_a_mark_of_the_seed_load(self):
        s = self.server
        s("DEBUG", "SET-SKIP-CHECKSUM-VALIDATION", 1)
        fill(s)
        for key in ("fixed", "elastic", "sharp"):
            payload = s("DUMP", key)
            version = struct.unpack(">Q", payload[2:10])[0] - 1  # the last ten bits of the type: 2 became 1
            self.assertEqual(b"\2", payload[-13:-12])  # an integer, the mark; 0, RDB version, checksum
            s("RESTORE", "restored", 0, payload[:2] + struct.pack(">Q", version) + payload[10:-13] + payload[-11:], "REPLACE")
            self.assertEqual(s("DEBUG", "DIGEST-VALUE", key), s("DEBUG", "DIGEST-VALUE", "restored"))

    def dump(self, key):
        chunks = []
        position, chunk = self.server("CF.SCANDUMP", key, 0)
        while position != 0:
            chunks.append((position, chunk))
            position, chunk = self.server("CF.SCANDUMP", key, position)
        self.assertIsNone(chunk)
        return chunks

    def test_scandump_and_loadchunk(self):
        s = self.server
        fill(s)
        s("CF.RESERVE", "large", 2000000)
        s("CF.INSERT", "large", "ITEMS", *range(1000))
        for key in ("fixed", "elastic", "sharp", "large"):
            chunks = self.dump(key)
            for position, chunk in chunks:
                self.assertEqual(b"OK", s("CF.LOADCHUNK", "loaded", position, chunk))
            self.assertEqual(s("DEBUG", "DIGEST-VALUE", key), s("DEBUG", "DIGEST-VALUE", "loaded"))
            s("DEL", "loaded")
        self.assertGreater(len(chunks), 2)
        self.assertTrue(all(0 < position < 2**53 for position, _ in chunks))

    def test_chunks_can_be_read_repeatedly_and_in_any_order(self):
        s = self.server
        rng = rng_for(self)
        s("CF.RESERVE", "k", 2000000)
        s("CF.INSERT", "k", "ITEMS", *range(1000))
        chunks = self.dump("k")
        before = [0] + [position for position, _ in chunks]
        for _ in range(30):
            i = rng.randrange(len(chunks))
            self.assertEqual([*chunks[i]], s("CF.SCANDUMP", "k", before[i]))
        s("CF.ADD", "k", "x")
        s("CF.DEL", "k", "x")  # the same items again, but a new generation
        again = self.dump("k")
        for position, chunk in again:
            s("CF.LOADCHUNK", "copy", position, chunk)
        self.assertEqual(s("DEBUG", "DIGEST-VALUE", "k"), s("DEBUG", "DIGEST-VALUE", "copy"))

    def test_a_dump_goes_on_while_the_filter_changes(self):
        s = self.server
        rng = rng_for(self)
        s("CF.RESERVE", "k", 2000000)
        s("CF.INSERT", "k", "ITEMS", *range(1000))
        digest = s("DEBUG", "DIGEST-VALUE", "k")
        changes = (["CF.ADD", "k", "a"], ["CF.DEL", "k", 1], ["CF.COMPACT", "k"], ["CF.INSERT", "k", "ITEMS", *range(5000)],
                   ["CF.MERGE", "k", "k"], ["CF.ADDNX", "k", "b"])
        position, chunk = s("CF.SCANDUMP", "k", 0)
        chunks = []
        while position != 0:
            chunks.append((position, chunk))
            s(*rng.choice(changes))
            if rng.random() < 0.3 and len(chunks) > 1:  # a chunk that was read before
                self.assertEqual([*chunks[-1]], s("CF.SCANDUMP", "k", chunks[-2][0]))
            position, chunk = s("CF.SCANDUMP", "k", position)
        for position, chunk in chunks:
            s("CF.LOADCHUNK", "loaded", position, chunk)
        self.assertEqual(digest, s("DEBUG", "DIGEST-VALUE", "loaded"))
        self.assertNotEqual(digest, s("DEBUG", "DIGEST-VALUE", "k"))

    def test_the_memory_of_a_dump_is_freed_at_its_end(self):
        s = self.server
        s("CF.INSERT", "k", "CAPACITY", 2000000, "ITEMS", *range(1000))
        before = s("MEMORY", "USAGE", "k")
        position = s("CF.SCANDUMP", "k", 0)[0]
        s("CF.ADD", "k", "a")
        self.assertGreater(s("MEMORY", "USAGE", "k"), 1.9 * before)
        while position != 0:
            position = s("CF.SCANDUMP", "k", position)[0]
        self.assertAlmostEqual(before, s("MEMORY", "USAGE", "k"), delta=32)  # the number of the dump is kept

    def test_an_empty_filter_has_no_chunks(self):
        s = self.server
        s("CF.RESERVE", "k", 2000000)
        self.assertEqual([0, None], s("CF.SCANDUMP", "k", 0))

    def test_chunks_of_different_dumps_are_not_combined(self):
        s = self.server
        s("CF.INSERT", "k", "CAPACITY", 2000000, "ITEMS", "a")
        position, first = s("CF.SCANDUMP", "k", 0)
        s("CF.ADD", "k", "b")
        new_position, _ = s("CF.SCANDUMP", "k", 0)
        self.assert_error("Invalid position: the filter has changed, start again from 0", "CF.SCANDUMP", "k", position)
        second_position, second = s("CF.SCANDUMP", "k", new_position)
        s("CF.LOADCHUNK", "loaded", position, first)
        self.assert_error("Couldn't load chunk!", "CF.LOADCHUNK", "loaded", second_position, second)

    def refusals(self, command, position, chunks):
        """How often each error was replied. All chunks must be refused, and the key must not be created."""
        with self.server.client.pipeline(transaction=False) as p:
            for chunk in chunks:
                p.execute_command(command, "altered", position, chunk)
            replies = p.execute(raise_on_error=False)
        self.assertTrue(all(isinstance(r, redis.exceptions.ResponseError) for r in replies))
        self.assertEqual(0, self.server("EXISTS", "altered"))
        return collections.Counter(str(r) for r in replies)

    def test_a_chunk_with_any_bit_altered_is_refused(self):
        """Header, options, counters, the items that came from RedisBloom, and the library's file."""
        s = self.server
        s("CF.RESERVE", "k", 100, "EXPANSION", 4)
        s("CF.INSERT", "k", "ITEMS", *range(30))
        s("CF.DEL", "k", 1)
        old = CuckooFilter(16)
        for i in range(20):
            old.add(i)
        for chunk in old.chunks():
            s("CF.LOADCHUNK", "moved", *chunk)
        for key in ("k", "moved"):
            position, chunk = s("CF.SCANDUMP", key, 0)
            flipped = (chunk[:i // 8] + bytes([chunk[i // 8] ^ 1 << i % 8]) + chunk[i // 8 + 1:] for i in range(8 * len(chunk)))
            errors = self.refusals("CF.LOADCHUNK", position, flipped)
            self.assertEqual({"Invalid header", ALTERED}, set(errors))
            self.assertLess(errors["Invalid header"], 8 * 32)  # magic, total and offset

    def test_invalid_positions_and_chunks_are_refused(self):
        s = self.server
        s("CF.ADD", "k", "a")
        position, chunk = s("CF.SCANDUMP", "k", 0)
        for invalid in ("x", -1, position + 1, 1 << 62):
            with self.subTest(position=invalid), self.assertRaisesRegex(redis.exceptions.ResponseError, "^Invalid position"):
                s("CF.SCANDUMP", "k", invalid)
        for invalid in ("x", -1, 0, 1, position + 1, position + (1 << 32)):
            with self.subTest(position=invalid):
                self.assert_error("Invalid position", "CF.LOADCHUNK", "new", invalid, chunk)
        for invalid in (b"", b"x", chunk[:32], chunk[:-1], chunk + b"x", b"X" + chunk[1:]):
            self.assert_error("Invalid header", "CF.LOADCHUNK", "new", position, invalid)
        self.assert_error(ALTERED, "CF.LOADCHUNK", "new", position, chunk[:-1] + bytes([chunk[-1] ^ 1]))
        self.assertEqual(0, s("EXISTS", "new"))
        self.assert_error("ERR item exists", "CF.LOADCHUNK", "k", position, chunk)
        s("SET", "s", "x")
        self.assert_error(WRONG_TYPE, "CF.LOADCHUNK", "s", position, chunk)

    def test_chunks_must_be_loaded_in_order(self):
        s = self.server
        s("CF.INSERT", "k", "CAPACITY", 2000000, "ITEMS", "a")
        chunks = self.dump("k")
        self.assert_error("ERR not found", "CF.LOADCHUNK", "new", *chunks[1])
        s("CF.LOADCHUNK", "new", *chunks[0])
        self.assert_error("Couldn't load chunk!", "CF.LOADCHUNK", "new", *chunks[2])
        self.assert_error("ERR not loaded yet: chunks are missing", "CF.ADD", "new", "a")
        s("COPY", "new", "copy")
        s("RESTORE", "restored", 0, s("DUMP", "new"))
        s("CF.LOADCHUNK", "new", *chunks[0])  # starts again
        last, chunk = chunks[-1]
        for key in ("new", "copy", "restored"):
            for c in chunks[1:-1]:
                s("CF.LOADCHUNK", key, *c)
            bad = chunk[:-1] + bytes([chunk[-1] ^ 1])
            self.assert_error(ALTERED, "CF.LOADCHUNK", key, last, bad)
            self.assert_error("Couldn't create filter!", "CF.LOADCHUNK", key, last, with_checksum(bad))
            s("CF.LOADCHUNK", key, last, chunk)
            self.assertEqual(s("DEBUG", "DIGEST-VALUE", "k"), s("DEBUG", "DIGEST-VALUE", key))


if __name__ == "__main__":
    unittest.main()
