"""All CFW.* commands. Tests that wait for the server's clock allow items to expire late, but never early."""
import os
import threading
import time
import unittest

import redis

from harness import QUICK, ServerTest, pairs, rng_for

WRONG_TYPE = "WRONGTYPE Operation against a key holding the wrong kind of value"


class Windows(ServerTest):
    def items(self, key="w"):
        return pairs(self.server("CFW.INFO", key))["items"]

    def test_an_item_is_new_once(self):
        s = self.server
        self.assertEqual(b"OK", s("CFW.RESERVE", "w", 3600000))
        self.assertEqual([0, 0, 1], s("CFW.SEEN", "w", "a", "b", "a"))
        self.assertEqual([1, 0], s("CFW.SEEN", "w", "b", "c"))
        many = [f"i{n}" for n in range(1000)]
        seen = sum(s("CFW.SEEN", "w", *many))
        self.assertLessEqual(seen, 2)  # false positives: 8e-4 on average, more than 2 with a probability of 1e-10
        self.assertEqual([1] * 1000, s("CFW.SEEN", "w", *many))
        info = pairs(s("CFW.INFO", "w"))
        self.assertEqual((3600000, 1003 - seen, 0), (info["milliseconds"], info["items"], info["refused"]))

    def test_items_expire(self):
        s = self.server
        s("CFW.RESERVE", "w", 200)
        s("CFW.SEEN", "w", "a", "b")
        time.sleep(0.25)  # more than 17/16 of 200 ms
        self.assertEqual([0, 0, 1], s("CFW.SEEN", "w", "a", "b", "a"))

    def test_idle_windows_free_their_memory(self):
        s = self.server
        s("CFW.RESERVE", "w", 500)
        empty = s("MEMORY", "USAGE", "w")
        with s.client.pipeline() as both:  # in one transaction: between two calls the window may have passed
            both.execute_command("CFW.SEEN", "w", *range(20000))
            both.execute_command("MEMORY", "USAGE", "w")
            self.assertGreater(both.execute()[1], 20 * empty)
        self.wait_for(lambda: self.items() == 0)
        self.assertLess(s("MEMORY", "USAGE", "w"), 2 * empty)
        self.assertGreater(s.client.info("guira")["guira_window_ticks"], 0)
        self.assertEqual([0], s("CFW.SEEN", "w", 5))

    def test_idle_windows_free_their_memory_in_every_database(self):
        other = redis.Redis(port=self.server.port, db=3)
        self.addCleanup(other.close)
        other.execute_command("CFW.RESERVE", "w", 300)
        other.execute_command("CFW.SEEN", "w", *range(1000))
        self.wait_for(lambda: pairs(other.execute_command("CFW.INFO", "w"))["items"] == 0)

    def test_a_renamed_window_still_expires(self):
        s = self.server
        s("CFW.RESERVE", "w", 300)
        s("CFW.SEEN", "w", *range(1000))
        s("RENAME", "w", "v")
        s("CFW.RESERVE", "w", 300)
        s("CFW.SEEN", "w", "x")
        time.sleep(0.1)  # the first timer has ended now: it found another window at w
        s("CFW.SEEN", "v", "y")
        self.wait_for(lambda: self.items("v") == 0 and self.items("w") == 0)

    def test_reserve_rejects_invalid_arguments(self):
        self.server("CFW.RESERVE", "existing", 1000)
        for message, words in (
                ("ERR item exists", ["existing", 1000]),
                ("Couldn't parse milliseconds", ["w", "x"]),
                ("milliseconds: value must be in the range [100, 1000000000000000]", ["w", 99]),
                ("milliseconds: value must be in the range [100, 1000000000000000]", ["w", -1]),
                ("Couldn't parse ERROR", ["w", 1000, "ERROR", "x"]),
                ("ERROR: value must be in the range (0, 1)", ["w", 1000, "ERROR", 2]),
                ("ERROR: no window has a rate below 0.000005", ["w", 1000, "ERROR", 1e-9]),
                ("Unknown argument received", ["w", 1000, "RATE", 0.1]),
                ("ERR wrong number of arguments for 'CFW.RESERVE' command", ["w", 1000, "ERROR"]),
                ("ERR wrong number of arguments for 'CFW.RESERVE' command", ["w"])):
            with self.subTest(words=words):
                self.assert_error(message, "CFW.RESERVE", *words)
        self.assertEqual(0, self.server("EXISTS", "w"))
        self.assertEqual(b"OK", self.server("CFW.RESERVE", "w", 1000, "error", 0.0001))

    def test_keys_of_other_types_are_refused(self):
        self.server("SET", "s", "x")
        self.server("CF.ADD", "f", "x")
        for key in ("s", "f"):
            for words in (["CFW.RESERVE", key, 1000], ["CFW.SEEN", key, "a"], ["CFW.INFO", key]):
                self.assert_error(WRONG_TYPE, *words)
        self.assert_error("ERR not found", "CFW.SEEN", "none", "a")
        self.assert_error("ERR not found", "CFW.INFO", "none")
        self.assert_error("ERR wrong number of arguments for 'CFW.SEEN' command", "CFW.SEEN", "w")

    def test_time_does_not_go_backwards(self):
        s = self.server
        s("CFW.RESERVE", "w", 1000)
        future = int(time.time() * 1000) + 3600000
        self.assertEqual([0], s("CFW._SEEN", "w", future, "a"))  # as from a master whose clock is ahead
        self.assertEqual([1, 0], s("CFW.SEEN", "w", "a", "b"))
        self.assertEqual(future, pairs(s("CFW.INFO", "w"))["last_call"])
        self.assert_error("ERR time does not go backwards", "CFW._SEEN", "w", future - 1, "a")
        self.assert_error("ERR time does not go backwards", "CFW._TICK", "w", future - 1)
        self.assert_error("ERR time does not go backwards", "CFW._TICK", "w", "soon")

    def test_replicas_use_the_time_of_the_master(self):
        s = self.server
        replica = self.new_server("--replicaof", "127.0.0.1", str(s.port))
        rng = rng_for(self)
        for n, length in enumerate((300, 5000, 3600000)):
            s("CFW.RESERVE", f"w{n}", length, "ERROR", 0.001)
        for _ in range(100 if QUICK else 1000):
            s("CFW.SEEN", f"w{rng.randrange(3)}", *(rng.randrange(1000) for _ in range(rng.randrange(1, 200))))
        self.wait_for(lambda: s.client.wait(1, 1000) == 1)
        self.wait_for(lambda: s("DEBUG", "DIGEST") == replica("DEBUG", "DIGEST"))
        self.wait_for(lambda: self.items("w0") == 0)  # the timer expires them
        self.wait_for(lambda: s("DEBUG", "DIGEST") == replica("DEBUG", "DIGEST"))
        self.assertEqual(0, pairs(replica("CFW.INFO", "w0"))["items"])

    def reload_replica(self, replica, pause):
        """During the reload of about 2 seconds all items expire on the master. Returns the names of the commands that the replica
        refused. Between the keys that it loads the server reads what its master has sent."""
        s = self.server
        s("FLUSHALL")
        s("CFW.RESERVE", "w", 1000)
        for n in range(4):
            s("SET", f"s{n}", os.urandom(4096))
        s("CFW.SEEN", "w", *range(1000))
        self.wait_for(lambda: s.client.wait(1, 1000) == 1)
        before = replica.log().count("'-LOADING ")
        if pause:
            s("CLIENT", "PAUSE", 60000, "WRITE")
        reload = threading.Thread(target=replica, args=("DEBUG", "RELOAD"))
        reload.start()
        if not pause:
            time.sleep(0.5)
            s("SET", "missing", "x")
        reload.join()
        s("CLIENT", "UNPAUSE")
        refused = [line.split("'")[-2] for line in replica.log().splitlines() if "'-LOADING " in line][before:]
        self.wait_for(lambda: self.items() == 0)
        self.wait_for(lambda: s.client.wait(1, 1000) == 1)
        return refused

    def test_a_replica_that_reloads_misses_what_its_master_sends(self):
        """DEBUG RELOAD on a replica: the server refuses commands of the master as of any client, and goes on behind them. That was
        the one difference that a stress of master and replica has ever found: CFW._TICK of a timer was refused, and the replica
        kept items that had expired."""
        s = self.server
        replica = self.new_server("--replicaof", "127.0.0.1", str(s.port), "--loading-process-events-interval-bytes", "1024",
                                  "--key-load-delay", "400000")
        self.wait_for(lambda: replica.client.info("replication")["master_link_status"] == "up")
        s("CONFIG", "SET", "repl-ping-replica-period", 3600)  # the PING of every ten seconds would be refused too
        self.assertEqual([], self.reload_replica(replica, pause=True))  # no timer writes while writes are paused
        self.assertEqual(s("DEBUG", "DIGEST"), replica("DEBUG", "DIGEST"))
        for _ in range(5):  # on a slow machine items may expire before the reload, or it may begin after SET
            refused = self.reload_replica(replica, pause=False)
            if not refused:
                self.skipTest("this server's replicas do not refuse what they get while they load")
            if {"CFW._TICK", "SET"} <= {name.upper() for name in refused}:
                break
        self.assertIn("CFW._TICK", refused)
        self.assertIn("SET", [name.upper() for name in refused])  # so it is with every command
        self.assertIsNone(replica("GET", "missing"))
        self.assertGreater(pairs(replica("CFW.INFO", "w"))["items"], 0)
        replica("CONFIG", "SET", "key-load-delay", 0)
        replica("REPLICAOF", "NO", "ONE")
        replica("REPLICAOF", "127.0.0.1", s.port)
        self.wait_for(lambda: replica.client.info("replication")["master_link_status"] == "up")
        self.assertEqual(s("DEBUG", "DIGEST"), replica("DEBUG", "DIGEST"))

    def test_copy_dump_and_restore(self):
        s = self.server
        s("CFW.RESERVE", "w", 3600000)
        s("CFW.SEEN", "w", *range(1000))
        s("COPY", "w", "copy")
        s("RESTORE", "restored", 0, s("DUMP", "w"))
        for key in ("copy", "restored"):
            self.assertEqual(s("DEBUG", "DIGEST-VALUE", "w"), s("DEBUG", "DIGEST-VALUE", key))
            self.assertEqual([1] * 1000 + [0], s("CFW.SEEN", key, *range(1000), "new"))


if __name__ == "__main__":
    unittest.main()
