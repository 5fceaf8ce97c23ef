"""Moving over from RedisBloom: its RDB files, AOF files and chunks load, answer, take deletions and new items, and no member
is ever lost. With REDISBLOOM_SO=path, a real RedisBloom writes them too."""
import itertools
import os
import struct
import unittest
from collections import Counter

from harness import QUICK, ServerTest, pairs, rng_for
from redisbloom import CuckooFilter, aof_file, dump, rdb_file

REDISBLOOM = os.environ.get("REDISBLOOM_SO")


def first(items, n):
    return list(itertools.islice(items, n))


def filled(items, buckets=1024, **options):
    f = CuckooFilter(buckets, **options)
    for item in items:
        f.add(item)
    return f


class Moving(ServerTest):
    def server_with(self, name, content, *options):
        """A server that starts with a file."""
        s = self.new_server(*options)
        s.end()
        path = os.path.join(s.dir, name)
        if name.endswith(".aof"):
            os.makedirs(os.path.join(s.dir, "appendonlydir"), exist_ok=True)
            path = os.path.join(s.dir, "appendonlydir", "appendonly.aof.1.base.aof")
            with open(os.path.join(s.dir, "appendonlydir", "appendonly.aof.manifest"), "w") as f:
                f.write("file appendonly.aof.1.base.aof seq 1 type b\n")
        with open(path, "wb") as f:
            f.write(content)
        s.start()
        return s

    def check(self, s, key, members):
        items = list(members)
        for start in range(0, len(items), 1000):
            batch = items[start:start + 1000]
            self.assertEqual([1] * len(batch), s("CF.MEXISTS", key, *batch))

    def test_replica_and_aof_of_a_server_without_a_seed_get_the_same_bytes(self):
        """CF.LOADCHUNK and RESTORE are replicated as they are, so the part of ours gets its seed with the first item."""
        s = self.new_server("--appendonly", "yes")
        replica = self.new_server("--replicaof", "127.0.0.1", str(s.port))
        self.wait_for(lambda: replica.client.info("replication")["master_link_status"] == "up")
        for server in (s, replica):
            server("DEBUG", "SET-SKIP-CHECKSUM-VALIDATION", 1)
            server("CONFIG", "SET", "rdbcompression", "no")
        f = filled(range(100))

        def digests():
            s("WAIT", 1, 10000)
            s("DEBUG", "LOADAOF")
            self.assertEqual(s("DEBUG", "DIGEST"), replica("DEBUG", "DIGEST"))

        for chunk in f.chunks():
            s("CF.LOADCHUNK", "chunks", *chunk)
        s("RESTORE", "restored", 0, dump(f))
        digests()
        for key, words in (("chunks", ["CF.INSERT", "chunks", "ITEMS", *range(50, 300)]), ("restored", ["CF.ADDNX", "restored", "x"])):
            self.assertIn(b"guira: no seed.", s("DUMP", key))
            s("COPY", key, "copy", "REPLACE")
            s(*words)
            self.assertNotIn(b"guira: no seed.", s("DUMP", key))
            digests()
            self.check(s, key, range(100))
        self.check(s, "chunks", range(300))
        self.assert_error("ERR not found", "CF._SEED", "chunks", b"x" * 16)
        s("CF.ADD", "new", 1)
        seeds = {s("DUMP", key).split(b"GUIRA\r\n\x1a")[1][64:80] for key in ("new", "chunks", "restored")}
        self.assertEqual(1, len(seeds))
        digests()

    def use_up(self, s, key, old, rng):
        """Adds and deletes at random, with an exact model, until the old part is empty."""
        model = Counter(old)
        steps = 0
        fresh = 0
        s("EXPIRE", key, 10000)
        while pairs(s("CF.STATS", key))["old_items"] > 0:
            with s.client.pipeline(transaction=False) as p:
                for _ in range(500):
                    if rng.random() < 0.3:
                        item = f"new{fresh}" if rng.random() < 0.7 or not model else rng.choice(first(model, 50))
                        fresh += 1
                        p.execute_command("CF.ADD", key, item)
                        model[item] += 1
                    elif model:
                        item = next(iter(model)) if rng.random() < 0.9 else rng.choice(first(model, 20))
                        p.execute_command("CF.DEL", key, item)
                        model[item] -= 1
                        if model[item] == 0:
                            del model[item]
                self.assertEqual({1}, set(p.execute()))
            steps += 1
            if steps % 5 == 0:
                self.check(s, key, model)
            self.assertLess(steps, 1000)
        self.check(s, key, model)
        self.assertGreater(s("TTL", key), 0)
        self.assertEqual(sum(model.values()), pairs(s("CF.INFO", key))["Number of items inserted"])
        for item, n in model.items():
            self.assertGreaterEqual(s("CF.COUNT", key, item), n)
        s("CF.DEBUG", key)

    def test_rdb_file(self):
        rng = rng_for(self)
        n = 1000 if QUICK else 5000
        sets = {"one": (filled(range(n // 2), 1 << 10), range(n // 2)),
                "many": (filled(range(n), 64, expansion=1), range(n)),
                "growing": (filled(range(n), 64, expansion=2), range(n)),
                "wide": (filled(range(n), 256, bucket_size=8, expansion=4), range(n)),
                "twice": (filled([*range(n)] * 2, 2048), [*range(n)] * 2),
                "empty": (CuckooFilter(64), [])}
        s = self.server_with("dump.rdb", rdb_file({key: f for key, (f, _) in sets.items()}))
        for key, (f, items) in sets.items():
            with self.subTest(key=key):
                self.check(s, key, items)
                info = pairs(s("CF.INFO", key))
                self.assertEqual((f.bucket_size, f.expansion, len(items)),
                                 (info["Bucket size"], info["Expansion rate"], info["Number of items inserted"]))
                self.use_up(s, key, items, rng)

    def test_a_moved_filter_survives_restarts_and_replication(self):
        items = range(2000)
        s = self.server_with("dump.rdb", rdb_file({"k": filled(items, 256, expansion=2)}))
        replica = self.new_server("--replicaof", "127.0.0.1", str(s.port))
        self.wait_for(lambda: replica.client.info("replication")["master_link_status"] == "up")
        s("CF.INSERT", "k", "ITEMS", *items, *(f"n{i}" for i in range(3000)))
        for i in range(500):
            s("CF.DEL", "k", i)
        self.wait_for(lambda: s("DEBUG", "DIGEST") == replica("DEBUG", "DIGEST"))
        digest = s("DEBUG", "DIGEST-VALUE", "k")
        s("DEBUG", "RELOAD")
        self.assertEqual(digest, s("DEBUG", "DIGEST-VALUE", "k"))
        s("COPY", "k", "copy")
        s("RESTORE", "restored", 0, s("DUMP", "k"))
        position, chunk = s("CF.SCANDUMP", "k", 0)
        s("CF.LOADCHUNK", "chunks", position, chunk)
        for key in ("copy", "restored", "chunks"):
            self.assertEqual(digest, s("DEBUG", "DIGEST-VALUE", key))
        s("CONFIG", "SET", "aof-use-rdb-preamble", "no", "appendonly", "yes")
        self.wait_for(lambda: s.client.info("persistence")["aof_rewrite_in_progress"] == 0)
        s("DEBUG", "LOADAOF")
        self.assertEqual(digest, s("DEBUG", "DIGEST-VALUE", "k"))
        self.check(s, "k", [*items, *(f"n{i}" for i in range(3000))])

    def test_a_moved_filter_is_not_merged(self):
        s = self.server
        for position, chunk in filled(range(100)).chunks():
            s("CF.LOADCHUNK", "k", position, chunk)
        s("CF.ADD", "own", "a")
        for words in (["own", "k"], ["k", "own"], ["new", "k"]):
            self.assert_error("ERR a filter with items from RedisBloom cannot be merged", "CF.MERGE", *words)

    def test_aof_file(self):
        items = range(3000)
        s = self.server_with("x.aof", aof_file({"k": filled(items, 512, expansion=2)}), "--appendonly", "yes")
        self.check(s, "k", items)
        self.use_up(s, "k", items, rng_for(self))

    def test_chunks(self):
        items = range(3000)
        s = self.server
        f = filled(items, 512, expansion=2)
        chunks = list(f.chunks(size=700))
        for i, (position, chunk) in enumerate(chunks):
            self.assertEqual(b"OK", s("CF.LOADCHUNK", "k", position, chunk))
            if i == 3:
                self.assert_error("ERR not loaded yet: chunks are missing", "CF.EXISTS", "k", 1)
                self.assert_error("Couldn't load chunk!", "CF.LOADCHUNK", "k", position, chunk)
                s("DEBUG", "RELOAD")
        self.check(s, "k", items)
        self.assert_error("ERR item exists", "CF.LOADCHUNK", "k", *chunks[0])
        self.assert_error("Invalid header", "CF.LOADCHUNK", "k", *chunks[1])

    def test_a_partial_dump_is_kept_in_an_aof(self):
        items = range(3000)
        s = self.new_server("--appendonly", "yes", "--aof-use-rdb-preamble", "no")
        chunks = list(filled(items, 512, expansion=2).chunks(size=700))
        for position, chunk in chunks[:4]:
            s("CF.LOADCHUNK", "k", position, chunk)
        s("BGREWRITEAOF")
        self.wait_for(lambda: s.client.info("persistence")["aof_rewrite_in_progress"] == 0)
        s.restart()
        for position, chunk in chunks[4:]:
            s("CF.LOADCHUNK", "k", position, chunk)
        self.check(s, "k", items)

    def test_a_fixed_filter_stays_fixed(self):
        f = filled(range(100), 64, expansion=0)
        s = self.server_with("dump.rdb", rdb_file({"k": f}))
        replies = s("CF.INSERT", "k", "ITEMS", *(f"n{i}" for i in range(1000)))
        self.assertIn(-1, replies)
        self.check(s, "k", range(100))
        self.check(s, "k", [f"n{i}" for i in range(1000) if replies[i] == 1])

    def test_invalid_values_are_refused(self):
        s = self.server
        s("DEBUG", "SET-SKIP-CHECKSUM-VALIDATION", 1)
        good = filled(range(50), 64)
        s("RESTORE", "good", 0, dump(good))
        self.check(s, "good", range(50))
        for field, value in (("buckets", 63), ("bucket_size", 0), ("bucket_size", 3), ("bucket_size", 256),
                             ("max_iterations", 0), ("max_iterations", 65536), ("expansion", 32769)):
            f = filled(range(50), 64)
            slots = f.filters[0]
            setattr(f, field, value)
            if field == "buckets":
                f.filters[0] = slots[:-2]
            with self.subTest(field=field, value=value):
                if field == "bucket_size" and value == 0:
                    continue
                self.assert_error("ERR Bad data format", "RESTORE", "bad", 0, dump(f))
        self.assert_error("ERR Bad data format", "RESTORE", "bad", 0, dump(good, encoding=5))
        f = filled(range(50), 64)
        f.filters = []
        self.assert_error("ERR Bad data format", "RESTORE", "bad", 0, dump(f))
        for header in ((1, 63, 0, 1, 2, 20, 1), (1, 0, 0, 1, 2, 20, 1), (1, 64, 0, 0, 2, 20, 1), (1, 64, 0, 256, 2, 20, 1),
                       (1, 64, 0, 1, 0, 20, 1), (1, 2**63, 0, 1, 2, 20, 1), (1, 2**40, 0, 2, 255, 20, 32768)):
            with self.subTest(header=header):
                self.assert_error("Invalid header", "CF.LOADCHUNK", "bad", 1, struct.pack("<QQQQHHH", *header))
        self.assertEqual(0, s("EXISTS", "bad"))

    @unittest.skipUnless(REDISBLOOM, "REDISBLOOM_SO is not set")
    def test_a_real_redisbloom(self):
        rng = rng_for(self)
        old = self.new_server("--save", "3600 1", module=REDISBLOOM)
        sets = {}
        for key, options in (("default", []), ("grows", ["EXPANSION", 2]), ("wide", ["BUCKETSIZE", 6, "EXPANSION", 4])):
            items = [f"{key}{i}" for i in range(20000 if key != "default" else 8000)]
            old("CF.RESERVE", key, 1024, *options)
            replies = old("CF.INSERT", key, "ITEMS", *items)
            for item in items[:500]:
                old("CF.DEL", key, item)
            sets[key] = [item for item, reply in zip(items, replies) if reply == 1][500:]
        chunks = []
        position, chunk = old("CF.SCANDUMP", "grows", 0)
        while position != 0:
            chunks.append((position, chunk))
            position, chunk = old("CF.SCANDUMP", "grows", position)
        replica = self.new_server("--replicaof", "127.0.0.1", str(old.port))
        self.wait_for(lambda: replica.client.info("replication")["master_link_status"] == "up")
        old("CF.ADD", "grows", "late")
        old("CF.ADD", "made by add", "x")
        self.wait_for(lambda: replica("CF.EXISTS", "made by add", "x") == 1)
        self.assertEqual(1, replica("CF.EXISTS", "grows", "late"))
        replica("REPLICAOF", "NO", "ONE")
        moved = self.new_server()
        for position, chunk in chunks:
            moved("CF.LOADCHUNK", "grows", position, chunk)
        self.check(moved, "grows", sets["grows"])
        for key, members in sets.items():
            self.check(replica, key, members)
        sets["grows"].append("late")
        old("SAVE")
        with open(os.path.join(old.dir, "dump.rdb"), "rb") as f:
            s = self.server_with("dump.rdb", f.read())
        for server in (s, replica):
            for key, members in sets.items():
                self.check(server, key, members)
                self.use_up(server, key, members, rng)


if __name__ == "__main__":
    unittest.main()
