"""All BF.* commands: replies in RESP2 and RESP3, the exact text of errors, the rate that is kept, files and replicas."""
import math
import unittest

from harness import QUICK, RawConnection, Server, ServerTest, pairs, text

WRONG_TYPE = "WRONGTYPE Operation against a key holding the wrong kind of value"


class BloomTest(ServerTest):
    def new_server(self, *options, arguments=(), **more):
        return super().new_server(*options, arguments=["BF", "yes", *arguments], **more)


class Commands(BloomTest):
    def test_the_commands_exist_only_if_asked_for(self):
        for arguments in ([], ["BF", "no"]):
            server = Server(arguments=arguments)
            self.addCleanup(server.remove)
            with self.assertRaisesRegex(Exception, "unknown command"):
                server("BF.ADD", "k", "a")

    def test_an_item_is_added_once(self):
        s = self.server
        s("BF.RESERVE", "k", 1e-6, 1000)  # no false positives here, but in one of 10^8 runs
        self.assertEqual([1, 0], [s("BF.ADD", "k", "a"), s("BF.ADD", "k", "a")])
        self.assertEqual([0, 1, 0], s("BF.MADD", "k", "a", "b", "b"))
        self.assertEqual([1, 1, 0], s("BF.MEXISTS", "k", "a", "b", "c"))
        self.assertEqual([1, 0, 2, 1], [s("BF.EXISTS", "k", "a"), s("BF.EXISTS", "k", "c"), s("BF.CARD", "k"),
                                        s("BF.COUNT", "k", "a")])
        self.assertEqual([1, 0, 0, 1], [s("BF.DEL", "k", "a"), s("BF.DEL", "k", "a"), s("BF.EXISTS", "k", "a"),
                                        s("BF.CARD", "k")])

    def test_insert_takes_every_option(self):
        s = self.server
        self.assertEqual([1, 0], s("BF.INSERT", "k", "CAPACITY", 5000, "ERROR", 0.001, "EXPANSION", 4, "ITEMS", "a", "a"))
        info = pairs(s("BF.INFO", "k"))
        self.assertEqual((1, 1, 4), (info["Number of filters"], info["Number of items inserted"], info["Expansion rate"]))
        self.assertEqual(5000, info["Capacity"])
        self.assertEqual([1], s("BF.INSERT", "k", "NOCREATE", "ITEMS", "b"))
        s("BF.MADD", "k", *range(6000))
        self.assertGreaterEqual(pairs(s("BF.INFO", "k"))["Capacity"], 5900)  # what fits now; a few are false positives
        self.assertEqual([1], s("BF.INSERT", "fixed", "NONSCALING", "capacity", 10, "items", "a"))
        self.assertIsNone(pairs(s("BF.INFO", "fixed"))["Expansion rate"])

    def test_missing_keys(self):
        s = self.server
        self.assertEqual([0, [0, 0], 0, 0], [s("BF.EXISTS", "k", "a"), s("BF.MEXISTS", "k", "a", "b"), s("BF.CARD", "k"),
                                             s("BF.COUNT", "k", "a")])
        self.assert_error("ERR not found", "BF.INFO", "k")
        self.assert_error("ERR not found", "BF.SCANDUMP", "k", 0)
        self.assert_error("ERR not found", "BF.INSERT", "k", "NOCREATE", "ITEMS", "a")
        self.assert_error("Not found", "BF.DEL", "k", "a")

    def test_reserve_rejects_invalid_arguments(self):
        self.server("BF.RESERVE", "existing", 0.01, 100)
        for message, words in (
                ("ERR item exists", ["existing", 0.01, 100]),
                ("ERR bad error rate", ["k", "x", 100]),
                ("ERR bad error rate", ["k", "nan", 100]),
                ("ERR error rate must be in the range (0.000000, 1.000000)", ["k", 0, 100]),
                ("ERR error rate must be in the range (0.000000, 1.000000)", ["k", 1, 100]),
                ("ERR error rate must be in the range (0.000000, 1.000000)", ["k", -1, 100]),
                ("ERR no filter has an error rate below 0.0000002", ["k", 1e-9, 100]),
                ("ERR bad capacity", ["k", 0.01, "x"]),
                ("ERR bad capacity", ["k", 0.01, 0]),
                ("ERR bad capacity", ["k", 0.01, -1]),
                ("ERR bad capacity", ["k", 0.01, 2**30 + 1]),
                ("ERR no expansion", ["k", 0.01, 100, "EXPANSION"]),
                ("ERR bad expansion", ["k", 0.01, 100, "EXPANSION", "x"]),
                ("ERR bad expansion", ["k", 0.01, 100, "EXPANSION", -1]),
                ("Nonscaling filters cannot expand", ["k", 0.01, 100, "NONSCALING", "EXPANSION", 2]),
                ("Nonscaling filters cannot expand", ["k", 0.01, 100, "EXPANSION", 2, "NONSCALING"]),
                ("Unknown argument received", ["k", 0.01, 100, "SCALING"])):
            with self.subTest(words=words):
                self.assert_error(message, "BF.RESERVE", *words)
        self.assertEqual(0, self.server("EXISTS", "k"))

    def test_insert_rejects_invalid_arguments(self):
        for message, words in (
                ("Bad error rate", ["k", "ERROR", "x", "ITEMS", "a"]), ("Bad error rate", ["k", "ERROR", 1, "ITEMS", "a"]),
                ("Bad capacity", ["k", "CAPACITY", "x", "ITEMS", "a"]), ("Bad capacity", ["k", "CAPACITY", 0, "ITEMS", "a"]),
                ("Bad expansion", ["k", "EXPANSION", "x", "ITEMS", "a"]),
                ("Unknown argument received", ["k", "SCALING", "x", "ITEMS", "a"])):
            with self.subTest(words=words):
                self.assert_error(message, "BF.INSERT", *words)
        for name, words in (("BF.RESERVE", ["k", 0.01]), ("BF.ADD", ["k"]), ("BF.MADD", ["k"]), ("BF.EXISTS", ["k"]),
                            ("BF.MEXISTS", ["k"]), ("BF.CARD", ["k", "a"]), ("BF.INFO", ["k", "SIZE", "x"]),
                            ("BF.INSERT", ["k", "ITEMS"]), ("BF.INSERT", ["k", "NOCREATE", "ITEMS"]),
                            ("BF.INSERT", ["k", "NOCREATE", "CAPACITY"]), ("BF.DEL", ["k"]), ("BF._CREATE", ["k"])):
            with self.subTest(name=name, words=words):
                self.assert_error(f"ERR wrong number of arguments for '{name}' command", name, *words)
        self.assertEqual(0, self.server("EXISTS", "k"))

    def test_info_has_five_fields_or_one(self):
        s = self.server
        s("BF.RESERVE", "k", 0.01, 1000)
        s("BF.MADD", "k", "a", "b")
        info = text(s("BF.INFO", "k"))
        self.assertEqual(["Capacity", "Size", "Number of filters", "Number of items inserted", "Expansion rate"], info[::2])
        for field, value in zip(("CAPACITY", "size", "FILTERS", "ITEMS", "EXPANSION"), info[1::2]):
            self.assertEqual([value], s("BF.INFO", "k", field))
        self.assert_error("Invalid information value", "BF.INFO", "k", "NAME")

    def test_resp3_has_booleans_and_maps(self):
        c = RawConnection(self.server, 3)
        self.addCleanup(c.close)
        c("BF.RESERVE", "k", 1e-6, 1000)
        replies = [c("BF.ADD", "k", "a"), c("BF.MADD", "k", "a", "b"), c("BF.INSERT", "k", "ITEMS", "c"),
                   c("BF.EXISTS", "k", "a"), c("BF.MEXISTS", "k", "a", "z"), c("BF.CARD", "k")]
        self.assertEqual(repr([True, [False, True], [True], True, [True, False], 3]), repr(replies))
        self.assertEqual(5, len(c("BF.INFO", "k")))
        self.assertEqual({"+Number of items inserted": 3}, c("BF.INFO", "k", "ITEMS"))

    def test_a_filter_that_does_not_scale_becomes_full(self):
        s = self.server
        s("BF.RESERVE", "k", 0.001, 100, "NONSCALING")
        replies = RawConnection(s, 2)
        self.addCleanup(replies.close)
        added = 0
        for start in range(0, 1000, 7):
            reply = replies("BF.MADD", "k", *range(start, start + 7))
            if reply[-1] == "-ERR non scaling filter is full":
                break
            added += sum(reply)
        added += sum(reply[:-1])
        self.assertEqual(100, added)
        self.assertEqual(100, s("BF.CARD", "k"))
        new = next(f"new{i}" for i in range(1000) if s("BF.EXISTS", "k", f"new{i}") == 0)  # no false positive
        self.assert_error("ERR non scaling filter is full", "BF.ADD", "k", new)
        self.assertEqual([0], s("BF.MADD", "k", 0))  # present
        s("BF.DEL", "k", 0)
        self.assertEqual(1, s("BF.ADD", "k", new))

    def test_keyspace_events(self):
        self.server("BF.ADD", "other", "a")
        chunk = self.server("BF.SCANDUMP", "other", 0)
        calls = (["BF.RESERVE", "k", "1e-6", 100], ["BF.ADD", "k", "a"], ["BF.ADD", "k", "a"], ["BF.MADD", "k", "a", "b"],
                 ["BF.INSERT", "k", "ITEMS", "c"], ["BF.EXISTS", "k", "a"], ["BF.DEL", "k", "a"], ["BF.COMPACT", "k"],
                 ["BF.LOADCHUNK", "l", *chunk])
        expected = ["bf.reserve", "bf.add", "bf.insert", "bf.insert", "bf.del", "bf.compact", "bf.loadchunk"]
        self.assertEqual(expected, self.events_of("bf", calls, len(expected)))

    def test_types_are_not_mixed(self):
        s = self.server
        s("BF.ADD", "b", "a")
        s("CF.ADD", "c", "a")
        for words in (["BF.ADD", "c", "x"], ["BF.INFO", "c"], ["BF.DEL", "c", "a"], ["BF.SCANDUMP", "c", 0],
                      ["CF.ADD", "b", "x"], ["CF.EXISTS", "b", "a"], ["CF.MERGE", "c", "b"], ["CF.COMPACT", "b"]):
            with self.subTest(words=words):
                self.assert_error(WRONG_TYPE, *words)

    def test_the_client_understands_the_replies(self):
        bf = self.server.client.bf()
        self.assertTrue(bf.create("k", 0.01, 1000))
        self.assertEqual([1, 0], [bf.add("k", "a"), bf.add("k", "a")])
        self.assertEqual([0, 1], bf.madd("k", "a", "b"))
        self.assertEqual([1, 0], bf.mexists("k", "a", "z"))
        self.assertEqual(2, bf.info("k").insertedNum)


class Rates(BloomTest):
    def test_the_requested_rate_is_kept_while_the_filter_grows(self):
        """The number of false positives in n lookups is binomial: with p at the bound, above n p + 8 sqrt(n p) once in 10^9
        runs (n p is 20 or more)."""
        s = self.server
        lookups = 20000 if QUICK else 100000
        for rate in (0.01, 0.001):
            key = f"k{rate}"
            s("BF.RESERVE", key, rate, 100)
            added = 0
            for goal in (1000, 20000, 50000 if QUICK else 200000):
                for start in range(added, goal, 1000):
                    s("BF.MADD", key, *range(start, start + 1000))
                added = goal
                for start in range(0, goal, goal // 10):
                    self.assertEqual([1] * 100, s("BF.MEXISTS", key, *range(start, start + 100)))
                wrong = sum(sum(s("BF.MEXISTS", key, *(f"x{i}" for i in range(start, start + 1000))))
                            for start in range(0, lookups, 1000))
                print(f"{rate}: {goal} items, {wrong} false positives in {lookups}, "
                      f"{8 * s('MEMORY', 'USAGE', key) / goal:.1f} bits per item", flush=True)
                self.assertLessEqual(wrong, lookups * rate + 8 * math.sqrt(lookups * rate))


class Compaction(BloomTest):
    def test_compact_frees_reserved_memory(self):
        """A filter of BF.* does not shrink below its capacity on its own: its rate is kept for growth from there."""
        s = self.server
        replica = self.new_server("--replicaof", "127.0.0.1", str(s.port))
        self.wait_for(lambda: replica.client.info("replication")["master_link_status"] == "up")
        s("BF.RESERVE", "k", 0.001, 100000)
        new = [i for i, reply in enumerate(s("BF.MADD", "k", *range(50000))) if reply == 1]
        for i in new[1000:]:
            s("BF.DEL", "k", i)
        self.assertGreater(s("MEMORY", "USAGE", "k"), 100000)
        self.assertEqual(b"OK", s("BF.COMPACT", "k"))
        self.assertLess(s("MEMORY", "USAGE", "k"), 5000)
        self.assertEqual([1] * 1000, s("BF.MEXISTS", "k", *new[:1000]))
        self.wait_for(lambda: s("DEBUG", "DIGEST") == replica("DEBUG", "DIGEST"))

    def test_filters_of_fixed_size_and_other_keys(self):
        s = self.server
        s("BF.RESERVE", "fixed", 0.01, 100, "NONSCALING")
        before = s("MEMORY", "USAGE", "fixed")
        self.assertEqual(b"OK", s("BF.COMPACT", "fixed"))
        self.assertEqual((before, 100), (s("MEMORY", "USAGE", "fixed"), pairs(s("BF.INFO", "fixed"))["Capacity"]))
        self.assertEqual("non scaling filter is full", str(s("BF.MADD", "fixed", *range(1000))[-1]))
        self.assertEqual(100, s("BF.CARD", "fixed"))
        s("CF.ADD", "f", "a")
        self.assert_error("ERR not found", "BF.COMPACT", "none")
        self.assert_error(WRONG_TYPE, "BF.COMPACT", "f")
        self.assert_error(WRONG_TYPE, "CF.COMPACT", "fixed")
        self.assert_error("ERR wrong number of arguments for 'BF.COMPACT' command", "BF.COMPACT")


class Persistence(BloomTest):
    def fill(self, s):
        """Only items that were new are deleted, and only they must be found later: one for which BF.ADD replied 0 although it
        was never added has no entry of its own, and is gone with the item it was mistaken for."""
        new = [i for i, reply in enumerate(s("BF.INSERT", "grown", "CAPACITY", 10, "ITEMS", *range(3000))) if reply == 1]
        s("BF.RESERVE", "fixed", 0.001, 100, "NONSCALING")
        s("BF.MADD", "fixed", *range(50))
        self.members = new[500:]
        for i in new[:500]:
            self.assertEqual(1, s("BF.DEL", "grown", i))

    def check(self, s):
        self.assertEqual([1] * len(self.members), s("BF.MEXISTS", "grown", *self.members))
        self.assertEqual([1] * 50, s("BF.MEXISTS", "fixed", *range(50)))
        self.assertIsNone(pairs(s("BF.INFO", "fixed"))["Expansion rate"])

    def test_files(self):
        for preamble in ("yes", "no"):
            s = self.new_server("--appendonly", "yes", "--aof-use-rdb-preamble", preamble)
            self.fill(s)
            digest = s("DEBUG", "DIGEST")
            s("DEBUG", "LOADAOF")
            self.assertEqual(digest, s("DEBUG", "DIGEST"))
            s("BGREWRITEAOF")
            self.wait_for(lambda: s.client.info("persistence")["aof_rewrite_in_progress"] == 0)
            s.restart()
            self.assertEqual(digest, s("DEBUG", "DIGEST"))
            self.check(s)

    def test_replicas_are_identical(self):
        replica = self.new_server("--replicaof", "127.0.0.1", str(self.server.port),
                                  arguments=["bf-error-rate", "0.2", "bf-initial-size", "7", "cf-bucket-size", "8",
                                             "cf-max-iterations", "99"])
        self.wait_for(lambda: replica.client.info("replication")["master_link_status"] == "up")
        self.fill(self.server)
        self.server("BF.ADD", "default", "a")
        self.wait_for(lambda: self.server("DEBUG", "DIGEST") == replica("DEBUG", "DIGEST"))
        self.check(replica)

    def test_dumps_and_copies(self):
        s = self.server
        self.fill(s)
        s("RESTORE", "restored", 0, s("DUMP", "grown"))
        s("COPY", "grown", "copied")
        position, chunk = s("BF.SCANDUMP", "grown", 0)
        self.assertEqual(b"OK", s("BF.LOADCHUNK", "loaded", position, chunk))
        self.assertEqual([0, None], s("BF.SCANDUMP", "grown", position))
        for key in ("restored", "copied", "loaded"):
            self.assertEqual(s("DEBUG", "DIGEST-VALUE", "grown"), s("DEBUG", "DIGEST-VALUE", key))
        self.assert_error("ERR item exists", "BF.LOADCHUNK", "grown", position, chunk)
        position, chunk = s("BF.SCANDUMP", "fixed", 0)
        self.assert_error("Couldn't create filter!", "CF.LOADCHUNK", "other", position, chunk)  # not a cuckoo filter


if __name__ == "__main__":
    unittest.main()
