"""Features of the server that apply to keys of every type: permissions, client-side caches, transactions, scripts, databases,
expiry, defragmentation."""
import time
import unittest

import redis

from harness import RawConnection, ServerTest, pairs

NO_ROOM = "used memory > 'maxmemory'"


class Permissions(ServerTest):
    def connection(self, *rules):
        self.server("ACL", "SETUSER", "ana", "reset", "on", ">x", *rules)
        connection = RawConnection(self.server, 2)
        self.addCleanup(connection.close)
        self.assertEqual("+OK", connection("AUTH", "ana", "x"))
        return connection

    def categories(self, command):
        connection = RawConnection(self.server, 2)
        self.addCleanup(connection.close)
        return sorted(connection("COMMAND", "INFO", command)[0][6])

    def test_commands_have_categories(self):
        categories = {c: self.categories(c) for c in ("CF.EXISTS", "CFW.SEEN", "CF._CREATE")}
        if categories["CF.EXISTS"] == []:
            self.skipTest("this server has no ACL categories for commands of modules")
        self.assertEqual({"CF.EXISTS": ["+@cuckoo", "+@read"], "CFW.SEEN": ["+@cuckoo", "+@write"],
                          "CF._CREATE": ["+@admin", "+@dangerous", "+@write"]}, categories)

    def test_key_specifications_say_read_or_write(self):
        connection = RawConnection(self.server, 2)
        self.addCleanup(connection.close)
        read, write = ["+RO", "+access"], ["+RW", "+access", "+update"]
        for words, expected in ((["CF.EXISTS", "a", "x"], [[b"a", read]]), (["CF.SCANDUMP", "a", 0], [[b"a", read]]),
                                (["CFW.INFO", "a"], [[b"a", read]]), (["CF.ADD", "a", "x"], [[b"a", write]]),
                                (["CF.COMPACT", "a"], [[b"a", write]]), (["CFW.SEEN", "a", "x", "y"], [[b"a", write]]),
                                (["CF.MERGE", "a", "b", "c"], [[b"a", write], [b"b", read], [b"c", read]])):
            self.assertEqual(expected, connection("COMMAND", "GETKEYSANDFLAGS", *words))

    def test_read_only_users_can_look_up_items(self):
        s = self.server
        s("CF.ADD", "k", "a")
        s("CFW.RESERVE", "w", 1000)
        user = self.connection("+@all", "%R~*")
        for words in (["CF.EXISTS", "k", "a"], ["CF.MEXISTS", "k", "a"], ["CF.COUNT", "k", "a"], ["CF.INFO", "k"],
                      ["CF.STATS", "k"], ["CF.DEBUG", "k"], ["CF.SCANDUMP", "k", 0], ["CFW.INFO", "w"]):
            self.assertFalse(str(user(*words)).startswith("-"), words)
        for words in (["CF.ADD", "k", "b"], ["CF.DEL", "k", "a"], ["CF.COMPACT", "k"], ["CF.MERGE", "m", "k"],
                      ["CFW.SEEN", "w", "a"], ["CF.RESERVE", "new", 100]):
            self.assertRegex(user(*words), "^-NOPERM")

    def test_replication_commands_need_the_admin_category(self):
        if self.categories("CF._CREATE") == []:
            self.skipTest("this server has no ACL categories for commands of modules")
        user = self.connection("+@all", "-@admin", "~*")
        self.assertEqual(1, user("CF.ADD", "k", "a"))
        for words in (["CF._CREATE", "j", 100, 2, 20, 1, 0, b"x" * 16], ["CFW._CREATE", "w", 1000, 0, b"x" * 16],
                      ["CFW._SEEN", "w", 1, "a"], ["CFW._TICK", "w", 1], ["CFW._LOADCHUNK", "w", 1, "x"]):
            self.assertRegex(user(*words), "^-NOPERM")

    def test_an_invalid_seed_is_refused(self):
        """With a zero seed the library would draw a random one, and replicas would differ."""
        for seed in (b"", b"x" * 15, b"x" * 17, bytes(16)):
            self.assert_error("ERR no such filter can be", "CF._CREATE", "k", 100, 2, 20, 1, 0, seed)
            self.assert_error("ERR no such window can be", "CFW._CREATE", "k", 1000, 0, seed)


class Changes(ServerTest):
    def test_changes_invalidate_client_side_caches(self):
        s = self.server
        cache = RawConnection(s, 3)
        self.addCleanup(cache.close)
        cache("CLIENT", "TRACKING", "ON")
        s("CFW.RESERVE", "w", 3600000)
        for read, change in ((["CF.EXISTS", "k", "a"], ["CF.ADD", "k", "a"]), (["CF.COUNT", "k", "a"], ["CF.DEL", "k", "a"]),
                             (["CF.MEXISTS", "k", "a"], ["CF.INSERT", "k", "ITEMS", "b"]),
                             (["CF.INFO", "k"], ["CF.COMPACT", "k"]), (["CF.EXISTS", "m", "b"], ["CF.MERGE", "m", "k"]),
                             (["CFW.INFO", "w"], ["CFW.SEEN", "w", "a"])):
            cache(*read)
            s(*change)
            self.assertEqual([b"invalidate", [read[1].encode()]], cache.read())

    def test_watch_notices_a_changed_filter(self):
        s = self.server
        s.reserve_exact("k")
        s("CF.ADD", "k", "a")
        with s.client.pipeline() as p:
            p.watch("k")
            s("CF.ADD", "k", "b")
            p.multi()
            p.execute_command("CF.ADD", "k", "c")
            with self.assertRaises(redis.exceptions.WatchError):
                p.execute()
        self.assertEqual([1, 1, 0], s("CF.MEXISTS", "k", "a", "b", "c"))

    def test_scripts_and_transactions_are_replicated(self):
        s = self.server
        replica = self.new_server("--replicaof", "127.0.0.1", str(s.port))
        self.wait_for(lambda: replica.client.info("replication")["master_link_status"] == "up")
        s("CFW.RESERVE", "w", 3600000)
        s.reserve_exact("k")
        script = """
            local first = redis.call('CFW.SEEN', KEYS[1], 'a', 'b')
            for i = 1, tonumber(ARGV[1]) do redis.call('CF.ADD', KEYS[2], i) end
            redis.call('CF.DEL', KEYS[2], 1)
            return {first, redis.call('CFW.SEEN', KEYS[1], 'a', 'c'), redis.call('CF.COUNT', KEYS[2], 2)}"""
        self.assertEqual([[0, 0], [1, 0], 1], s("EVAL", script, 2, "w", "k", 3000))
        with s.client.pipeline(transaction=True) as p:
            for words in (["CFW.SEEN", "w", "x"], ["CF.INSERTNX", "k", "ITEMS", 2, "new", "new"], ["CF.ADD", "w", "a"],
                          ["CF.MERGE", "k", "k"], ["CF.COMPACT", "k"], ["CF.ADDNX", "other", "a"]):
                p.execute_command(*words)
            with self.assertRaisesRegex(redis.exceptions.ResponseError, "WRONGTYPE"):
                p.execute()
        self.assertEqual(1, s("CF.EXISTS", "other", "a"))
        self.wait_for(lambda: s.client.wait(1, 1000) == 1)
        self.wait_for(lambda: s("DEBUG", "DIGEST") == replica("DEBUG", "DIGEST"))

    def test_all_commands_of_a_transaction_have_the_same_time(self):
        """If the server provides that time (7.2). Otherwise the replica is at least identical to the master."""
        s = self.server
        replica = self.new_server("--replicaof", "127.0.0.1", str(s.port))
        self.wait_for(lambda: replica.client.info("replication")["master_link_status"] == "up")
        s("CFW.RESERVE", "w", 100)
        with s.client.pipeline(transaction=True) as p:
            for words in (["CFW.SEEN", "w", "a"], ["DEBUG", "SLEEP", 0.2], ["CFW.SEEN", "w", "a"]):
                p.execute_command(*words)
            first, _, second = p.execute()
        self.assertEqual([0], first)
        self.assertEqual([1] if self.version() >= (7, 2) else [0], second)
        self.wait_for(lambda: s("DEBUG", "DIGEST") == replica("DEBUG", "DIGEST"))

    def version(self):
        return tuple(int(n) for n in self.server.client.info("server")["redis_version"].split(".")[:2])

    def test_scripts_with_no_writes_cannot_change_filters(self):
        for words in (["CF.ADD", "k", "a"], ["CF.COMPACT", "k"], ["CFW.SEEN", "w", "a"]):
            script = "#!lua flags=no-writes\nreturn redis.call(unpack(ARGV))"
            with self.assertRaisesRegex(redis.exceptions.ResponseError, "Write commands are not allowed"):
                self.server("EVAL", script, 0, *words)

    def test_commands_that_add_are_refused_above_maxmemory(self):
        s = self.server
        s("CF.INSERT", "k", "ITEMS", *range(1000))
        s("CFW.RESERVE", "w", 3600000)
        chunk = s("CF.SCANDUMP", "k", 0)
        s("CONFIG", "SET", "maxmemory", 1000)
        for words in (["CF.ADD", "k", "a"], ["CF.ADDNX", "k", "a"], ["CF.INSERT", "k", "ITEMS", "a"],
                      ["CF.INSERTNX", "k", "ITEMS", "a"], ["CF.RESERVE", "j", 100], ["CF.MERGE", "k", "k"],
                      ["CF.LOADCHUNK", "j", *chunk], ["CFW.SEEN", "w", "a"], ["CFW.RESERVE", "v", 1000]):
            with self.assertRaisesRegex(redis.exceptions.ResponseError, NO_ROOM):
                s(*words)
        with self.assertRaisesRegex(redis.exceptions.ResponseError, NO_ROOM):
            s("EVAL", "return redis.call('CF.ADD', 'k', 'a')", 0)
        for i in range(900):
            self.assertEqual(1, s("CF.DEL", "k", i))
        self.assertEqual(b"OK", s("CF.COMPACT", "k"))
        self.assertEqual([1] * 100, s("CF.MEXISTS", "k", *range(900, 1000)))


class Keys(ServerTest):
    def test_an_expired_key_is_missing(self):
        s = self.server
        replica = self.new_server("--replicaof", "127.0.0.1", str(s.port))
        s("CF.INSERT", "k", "ITEMS", "a", "b")
        s("CFW.RESERVE", "w", 3600000)
        for key in ("k", "w"):
            s("PEXPIRE", key, 1)
        time.sleep(0.01)
        self.assertEqual([0, 0], [s("CF.EXISTS", "k", "a"), s("CF.COUNT", "k", "a")])
        self.assert_error("ERR not found", "CFW.SEEN", "w", "a")
        s("PEXPIRE", "k", 1)
        self.assertEqual(1, s("CF.ADD", "k", "b"))
        self.assertEqual([1, 1, -1], [s("CF.EXISTS", "k", "b"), pairs(s("CF.STATS", "k"))["items"], s("TTL", "k")])
        self.wait_for(lambda: s.client.wait(1, 1000) == 1)
        self.wait_for(lambda: s("DEBUG", "DIGEST") == replica("DEBUG", "DIGEST"))

    def test_changes_keep_the_expiry_of_the_key(self):
        s = self.server
        s("CF.INSERT", "k", "ITEMS", *range(1000))
        s("EXPIRE", "k", 1000)
        for words in (["CF.INSERT", "k", "ITEMS", *range(5000)], ["CF.DEL", "k", 1], ["CF.COMPACT", "k"],
                      ["CF.MERGE", "k", "k"]):
            s(*words)
            self.assertGreater(s("TTL", "k"), 0)

    def test_swapdb(self):
        s = self.server
        other = redis.Redis(port=s.port, db=1)
        self.addCleanup(other.close)
        for db in (s, other.execute_command):
            db("CF.RESERVE", "k", 1000, "ERROR", "1e-6")
        s("CF.ADD", "k", "a")
        s("CFW.RESERVE", "w", 300)
        s("CFW.SEEN", "w", *range(1000))
        other.execute_command("CF.ADD", "k", "b")
        s("SWAPDB", 0, 1)
        self.assertEqual([0, 1], s("CF.MEXISTS", "k", "a", "b"))
        self.assertEqual([1, 0], other.execute_command("CF.MEXISTS", "k", "a", "b"))
        time.sleep(0.1)  # the timer has ended now: it looked for the window in the other database
        other.execute_command("CFW.SEEN", "w", "x")
        self.wait_for(lambda: pairs(other.execute_command("CFW.INFO", "w"))["items"] == 0)
        other.execute_command("MOVE", "w", 0)
        self.assertEqual([0], s("CFW.SEEN", "w", "x"))

    def test_flushing_in_the_background_frees_everything(self):
        s = self.server
        s("CF.INSERT", "large", "CAPACITY", 1_000_000, "ITEMS", "a")
        s("CF.ADD", "small", "a")
        s("CFW.RESERVE", "w", 200)
        s("CFW.SEEN", "w", *range(1000))
        position, chunk = s("CF.SCANDUMP", "large", 0)
        s("CF.LOADCHUNK", "half", position, chunk)
        s("FLUSHALL", "ASYNC")
        self.wait_for(lambda: s.client.info("guira")["guira_memory_bytes"] == 0)
        info = s.client.info("guira")
        self.assertEqual([0, 0, 0], [info["guira_" + n] for n in ("filters", "windows", "loads_in_progress")])
        self.assertEqual([1], s("CF.INSERT", "large", "ITEMS", "a"))

    def test_debug_reload_changes_nothing(self):
        s = self.server
        s("CF.RESERVE", "old", 4, "ERROR", 0.3)
        s("CF.INSERT", "old", "ITEMS", *range(6000))
        s("CF.INSERT", "k", "ITEMS", *["same"] * 18, *range(500))
        s("CFW.RESERVE", "w", 3600000)
        s("CFW.SEEN", "w", *range(1000))
        digest = s("DEBUG", "DIGEST")
        s("DEBUG", "RELOAD")
        self.assertEqual(digest, s("DEBUG", "DIGEST"))

    def test_active_defragmentation(self):
        """Needs a server that is built with its own jemalloc."""
        s = self.server
        try:
            s("CONFIG", "SET", "activedefrag", "yes")
        except redis.exceptions.ResponseError as e:
            self.skipTest(str(e))
        s("CONFIG", "SET", "active-defrag-ignore-bytes", 1, "active-defrag-threshold-lower", 0,
          "active-defrag-cycle-min", 40, "active-defrag-cycle-max", 60)
        s("CONFIG", "SET", "activedefrag", "no")
        for i in range(20000):
            s("CF.RESERVE", f"k{i}", 4)
            s("CF.ADD", f"k{i}", i)
        for i in range(20000):
            if i % 10:
                s("DEL", f"k{i}")
        s("CFW.RESERVE", "w", 300)
        s("CFW.SEEN", "w", *range(100))
        digests = [s("DEBUG", "DIGEST-VALUE", f"k{i}") for i in range(0, 20000, 10)]
        s("CONFIG", "SET", "activedefrag", "yes")
        self.wait_for(lambda: s.client.info("stats")["active_defrag_key_hits"] > 0)
        self.wait_for(lambda: pairs(s("CFW.INFO", "w"))["items"] == 0)  # the timer finds a moved window
        self.assertEqual(digests, [s("DEBUG", "DIGEST-VALUE", f"k{i}") for i in range(0, 20000, 10)])
        s("FLUSHALL")
        self.wait_for(lambda: s.client.info("guira")["guira_memory_bytes"] == 0)


if __name__ == "__main__":
    unittest.main()
