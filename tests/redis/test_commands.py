"""All CF.* commands: options, replies in RESP2 and RESP3, and the exact text of errors."""
import unittest

from harness import RawConnection, Server, ServerTest, pairs, text

WRONG_TYPE = "WRONGTYPE Operation against a key holding the wrong kind of value"


class Commands(ServerTest):
    def test_reserve_accepts_every_option(self):
        s = self.server
        self.assertEqual(b"OK", s("CF.RESERVE", "k", 1000, "BUCKETSIZE", 4, "MAXITERATIONS", 30, "expansion", 2))
        info = pairs(s("CF.INFO", "k"))
        self.assertEqual((4, 30, 2), (info["Bucket size"], info["Max iterations"], info["Expansion rate"]))
        self.assertEqual(b"OK", s("CF.RESERVE", "e", 1000, "ERROR", 0.001))
        self.assertEqual("0.001", pairs(s("CF.STATS", "e"))["requested_false_positive_rate"][:5])

    def test_reserve_rejects_invalid_arguments(self):
        self.server("CF.RESERVE", "existing", 100)
        for message, words in (
                ("ERR item exists", ["existing", 100]),
                ("Bad capacity", ["k", "many"]),
                ("Bad capacity", ["k", 2**63]),
                ("Bad capacity", ["k", "100 "]),
                ("Capacity must be in the range [2 * BUCKETSIZE, 1073741824]", ["k", 2**63 - 1]),
                ("Capacity must be in the range [2 * BUCKETSIZE, 1073741824]", ["k", 3]),
                ("Capacity must be in the range [2 * BUCKETSIZE, 1073741824]", ["k", -5]),
                ("Capacity must be in the range [2 * BUCKETSIZE, 1073741824]", ["k", 1073741825]),
                ("Capacity must be in the range [2 * BUCKETSIZE, 1073741824]", ["k", 19, "BUCKETSIZE", 10]),
                ("Couldn't parse BUCKETSIZE", ["k", 100, "BUCKETSIZE", "x"]),
                ("Couldn't parse MAXITERATIONS", ["k", 100, "MAXITERATIONS", ""]),
                ("Couldn't parse EXPANSION", ["k", 100, "EXPANSION", "1.5"]),
                ("Couldn't parse ERROR", ["k", 100, "ERROR", "x"]),
                ("Couldn't parse ERROR", ["k", 100, "ERROR", "nan"]),
                ("ERROR: value must be in the range (0, 1)", ["k", 100, "ERROR", 0]),
                ("ERROR: value must be in the range (0, 1)", ["k", 100, "ERROR", 1]),
                ("ERROR: value must be in the range (0, 1)", ["k", 100, "ERROR", "inf"]),
                ("ERROR: value must be in the range (0, 1)", ["k", 100, "ERROR", -1]),
                ("ERROR: no filter has a rate below 0.0000002", ["k", 100, "ERROR", "1.9e-7"]),
                ("ERROR: no filter has a rate below 0.0000002", ["k", 100, "ERROR", "5e-324"]),
                ("BUCKETSIZE: value must be in the range [1, 255]", ["k", 100, "BUCKETSIZE", 256]),
                ("BUCKETSIZE: value must be in the range [1, 255]", ["k", 100, "BUCKETSIZE", 0]),
                ("MAXITERATIONS: value must be in the range [1, 65535]", ["k", 100, "MAXITERATIONS", 0]),
                ("MAXITERATIONS: value must be in the range [1, 65535]", ["k", 100, "MAXITERATIONS", 65536]),
                ("EXPANSION: value must be in the range [0, 32768]", ["k", 100, "EXPANSION", 32769]),
                ("EXPANSION: value must be in the range [0, 32768]", ["k", 100, "EXPANSION", -1]),
                ("Unknown argument received", ["k", 100, 10, "EXPANSION"]),
                ("Unknown argument received", ["k", 100, "EXPANSION"]),
                ("Unknown argument received", ["k", 100, "EXPANSION", 1, "EXPANSION", 2]),
                ("Unknown argument received", ["k", 100, "BUCKET", 2])):
            with self.subTest(words=words):
                self.assert_error(message, "CF.RESERVE", *words)
        self.assertEqual(0, self.server("EXISTS", "k"))

    def test_duplicates_are_counted(self):
        s = self.server
        self.assertEqual([1, 1, 0], [s("CF.ADD", "k", "a"), s("CF.ADD", "k", "a"), s("CF.ADDNX", "k", "a")])
        self.assertEqual(2, s("CF.COUNT", "k", "a"))
        self.assertEqual([1, 1, 0], [s("CF.DEL", "k", "a") for _ in range(3)])
        self.assertEqual([0, 0], [s("CF.COUNT", "k", "a"), s("CF.EXISTS", "k", "a")])

    def test_items_are_arbitrary_bytes(self):
        s = self.server
        s.reserve_exact("k")
        for item in (b"", b"\0", b"\0\0", b"x" * 100000, bytes(range(256))):
            self.assertEqual([0, 1, 1], [s("CF.EXISTS", "k", item), s("CF.ADD", "k", item), s("CF.EXISTS", "k", item)])

    def test_insert_adds_many_items(self):
        s = self.server
        s.reserve_exact("k")
        self.assertEqual([1, 1, 1], s("CF.INSERT", "k", "ITEMS", "a", "b", "a"))
        self.assertEqual([0, 1, 0], s("CF.INSERTNX", "k", "NOCREATE", "ITEMS", "a", "c", "c"))
        self.assertEqual([1], s("CF.INSERT", "new", "capacity", 5000, "items", "ITEMS"))
        self.assertEqual("5000", str(pairs(s("CF.STATS", "new"))["capacity"]))
        self.assertEqual([1], s("CF.INSERT", "exact", "ERROR", 0.0001, "ITEMS", "a"))
        self.assertEqual(0.0001, float(pairs(s("CF.STATS", "exact"))["requested_false_positive_rate"]))
        self.assertEqual([1, 1, 1, 0], s("CF.MEXISTS", "k", "a", "b", "c", "d"))
        many = [f"i{n}" for n in range(1000)]
        self.assertEqual([1] * 1000, s("CF.INSERT", "many", "ITEMS", *many))
        self.assertEqual([1] * 1000, s("CF.MEXISTS", "many", *many))
        self.assertEqual([0] * 1000, s("CF.INSERTNX", "many", "ITEMS", *many))

    def test_insert_rejects_invalid_arguments(self):
        for message, words in (
                ("ERR not found", ["k", "NOCREATE", "ITEMS", "a"]),
                ("Bad capacity", ["k", "CAPACITY", "x", "ITEMS", "a"]),
                ("Capacity must be in the range [cf-bucket-size * 2, 1073741824]", ["k", "CAPACITY", 1, "ITEMS", "a"]),
                ("Unknown argument received", ["k", "NOCREAT", "ITEMS", "a"]),
                ("Couldn't parse ERROR", ["k", "ERROR", "x", "ITEMS", "a"]),
                ("ERROR: value must be in the range (0, 1)", ["k", "ERROR", "1", "ITEMS", "a"]),
                ("ERROR: no filter has a rate below 0.0000002", ["k", "ERROR", "1e-9", "ITEMS", "a"]),
                ("Unknown argument received", ["k", "a", "b"])):
            for command in ("CF.INSERT", "CF.INSERTNX"):
                with self.subTest(command=command, words=words):
                    self.assert_error(message, command, *words)
        self.assertEqual(0, self.server("EXISTS", "k"))

    def test_wrong_numbers_of_arguments(self):
        for name, words in (("CF.RESERVE", ["k"]), ("CF.ADD", ["k"]), ("CF.ADD", ["k", "a", "b"]), ("CF.ADDNX", ["k"]),
                            ("CF.INSERT", ["k", "ITEMS"]), ("CF.INSERT", ["k", "NOCREATE", "ITEMS"]),
                            ("CF.INSERT", ["k", "NOCREATE", "CAPACITY"]), ("CF.DEL", ["k"]), ("CF.EXISTS", ["k"]),
                            ("CF.EXISTS", ["k", "a", "b"]), ("CF.MEXISTS", ["k"]), ("CF.COUNT", ["k"]), ("CF.INFO", []),
                            ("CF.STATS", ["k", "x"]), ("CF.DEBUG", []), ("CF.COMPACT", ["k", "x"]),
                            ("CF.SCANDUMP", ["k"]), ("CF.LOADCHUNK", ["k", 1]), ("CF.MERGE", ["k"]),
                            ("CF._CREATE", ["k"])):
            with self.subTest(name=name, words=words):
                self.assert_error(f"ERR wrong number of arguments for '{name}' command", name, *words)

    def test_commands_on_a_missing_key(self):
        s = self.server
        self.assertEqual([0, 0, [0, 0]], [s("CF.EXISTS", "k", "a"), s("CF.COUNT", "k", "a"), s("CF.MEXISTS", "k", "a", "b")])
        self.assert_error("Not found", "CF.DEL", "k", "a")
        self.assert_error("Cuckoo filter was not found", "CF.COMPACT", "k")
        for command in ("CF.INFO", "CF.STATS", "CF.DEBUG"):
            self.assert_error("ERR not found", command, "k")
        self.assert_error("ERR not found", "CF.SCANDUMP", "k", 0)
        self.assert_error("ERR not found", "CF.MERGE", "k", "j")

    def test_keys_of_other_types_are_refused(self):
        self.server("SET", "s", "x")
        self.server("CFW.RESERVE", "w", 1000)
        for key in ("s", "w"):
            for words in (["CF.RESERVE", key, 100], ["CF.ADD", key, "a"], ["CF.ADDNX", key, "a"], ["CF.DEL", key, "a"],
                          ["CF.INSERT", key, "ITEMS", "a"], ["CF.INSERTNX", key, "ITEMS", "a"], ["CF.EXISTS", key, "a"],
                          ["CF.MEXISTS", key, "a"], ["CF.COUNT", key, "a"], ["CF.INFO", key], ["CF.STATS", key],
                          ["CF.DEBUG", key], ["CF.COMPACT", key], ["CF.SCANDUMP", key, 0], ["CF.MERGE", key, key]):
                with self.subTest(words=words):
                    self.assert_error(WRONG_TYPE, *words)

    def test_info_has_eight_fields_in_order(self):
        self.server("CF.RESERVE", "k", 1000)
        self.server("CF.INSERT", "k", "ITEMS", "a", "b", "c")
        self.server("CF.DEL", "k", "a")
        info = text(self.server("CF.INFO", "k"))
        self.assertEqual(["Size", "Number of buckets", "Number of filters", "Number of items inserted",
                          "Number of items deleted", "Bucket size", "Expansion rate", "Max iterations"], info[::2])
        self.assertEqual([1, 2, 1, 2, 1, 20], info[5::2])
        self.assertTrue(0 <= self.server("MEMORY", "USAGE", "k") - info[1] < 100)  # the difference is the key itself

    def test_stats_reflect_the_items(self):
        self.server("CF.INSERT", "k", "ITEMS", *range(5000))
        stats = pairs(self.server("CF.STATS", "k"))
        self.assertEqual(("tidal", 5000, 0), (stats["kind"], stats["items"], stats["refused"]))
        self.assertGreater(stats["buckets_added"], 0)
        self.assertTrue(0.85 < float(stats["load"]) < 0.95 and 0 < float(stats["false_positive_rate"]) < 0.005)
        for i in range(5000):
            self.server("CF.DEL", "k", i)
        self.assertGreater(pairs(self.server("CF.STATS", "k"))["buckets_removed"], 0)

    def test_debug_replies_with_one_line(self):
        self.server("CF.RESERVE", "k", 16, "EXPANSION", 0)
        self.assertEqual("bktsize:2 buckets:3 items:0 deletes:0 filters:1 max_iterations:20 expansion:0",
                         text(self.server("CF.DEBUG", "k")))

    def test_a_filter_of_fixed_size_becomes_full(self):
        s = self.server
        s("CF.RESERVE", "k", 1000, "EXPANSION", 0)
        self.assertEqual([1] * 1000, s("CF.INSERT", "k", "ITEMS", *range(1000)))  # the reserved capacity fits, and no more
        bytes_before = pairs(s("CF.INFO", "k"))["Size"]
        self.assertEqual([-1] * 1000, s("CF.INSERT", "k", "ITEMS", *range(1000, 2000)))
        self.assert_error("Filter is full", "CF.ADD", "k", "one more")
        self.assertIn(-1, s("CF.INSERTNX", "k", "ITEMS", "one more", "two", "three"))  # one may be a false positive, not all
        self.assertEqual([1] * 1000, s("CF.MEXISTS", "k", *range(1000)))
        s("CF.RESERVE", "small", 4, "EXPANSION", 0)
        self.assertEqual([1] * 4 + [-1], s("CF.INSERT", "small", "ITEMS", *range(5)))
        self.assertEqual([1, 1], [s("CF.DEL", "small", 0), s("CF.ADD", "small", 5)])
        self.assertEqual(bytes_before, pairs(s("CF.INFO", "k"))["Size"])
        self.assertEqual(b"OK", s("CF.COMPACT", "k"))

    def test_many_copies_of_an_item_do_not_affect_other_items(self):
        s = self.server
        s("CF.RESERVE", "k", 1024, "EXPANSION", 2)
        before = s("MEMORY", "USAGE", "k")
        self.assertEqual([1] * 2000, s("CF.INSERT", "k", "ITEMS", *["same"] * 2000))
        self.assertEqual(2000, s("CF.COUNT", "k", "same"))
        self.assertEqual([1] * 500, s("CF.INSERT", "k", "ITEMS", *range(500)))
        self.assertLess(s("MEMORY", "USAGE", "k"), before + 8192)

    def test_too_many_copies_of_an_item_in_a_fixed_filter_are_refused(self):
        s = self.server
        s("CF.RESERVE", "k", 1024, "EXPANSION", 0)
        replies = s("CF.INSERT", "k", "ITEMS", *["same"] * 200)
        self.assertIn(-1, replies)
        self.assert_error("ERR too many copies of this item", "CF.ADD", "k", "same")
        self.assertEqual(replies.count(1), s("CF.COUNT", "k", "same"))
        self.assertEqual([1] * 500, s("CF.INSERT", "k", "ITEMS", *range(500)))

    def test_compact_frees_reserved_memory(self):
        s = self.server
        s("CF.RESERVE", "k", 100000)
        s("CF.INSERT", "k", "ITEMS", *range(100))
        before = s("MEMORY", "USAGE", "k")
        s("CF.DEL", "k", 0)
        self.assertEqual(b"OK", s("CF.COMPACT", "k"))
        self.assertLess(s("MEMORY", "USAGE", "k"), before / 20)
        self.assertEqual(0, pairs(s("CF.INFO", "k"))["Number of items deleted"])
        self.assertEqual([1] * 99, s("CF.MEXISTS", "k", *range(1, 100)))

    def test_merge_adds_the_sources(self):
        s = self.server
        s.reserve_exact("a", "b")
        s("CF.INSERT", "a", "ITEMS", *range(0, 1000))
        s("CF.INSERT", "b", "ITEMS", *range(500, 1500))
        self.assertEqual(b"OK", s("CF.MERGE", "c", "a", "b"))
        self.assertEqual([1] * 1500, s("CF.MEXISTS", "c", *range(1500)))
        self.assertEqual(2, s("CF.COUNT", "c", 700))
        s("EXPIRE", "a", 1000)
        self.assertEqual(b"OK", s("CF.MERGE", "a", "b", "a"))
        self.assertEqual(3000, pairs(s("CF.STATS", "a"))["items"])
        self.assertGreater(s("TTL", "a"), 0)
        s("CF.DEBUG", "a")

    def test_union_adds_what_is_missing(self):
        s = self.server
        s("CF.INSERT", "a", "ITEMS", *range(0, 1000))
        s("COPY", "a", "b")
        for _ in range(5):
            self.assertEqual(b"OK", s("CF.UNION", "a", "b"))
        self.assertEqual(1000, pairs(s("CF.STATS", "a"))["items"])
        s("CF.INSERT", "c", "ITEMS", *range(900, 1500))
        self.assertEqual(b"OK", s("CF.UNION", "new", "a", "c"))
        self.assertEqual([1] * 1500, s("CF.MEXISTS", "new", *range(1500)))
        self.assertLessEqual(pairs(s("CF.STATS", "new"))["items"], 1600)
        self.assert_error("ERR not found", "CF.UNION", "a", "none")

    def test_merge_is_all_or_nothing(self):
        s = self.server
        s("CF.INSERT", "a", "ITEMS", 1)
        s("CF.INSERT", "b", "ITEMS", 2)
        s("CF.RESERVE", "fixed", 100, "EXPANSION", 0)
        s("CF.RESERVE", "larger", 1000, "EXPANSION", 0)
        s("CF.RESERVE", "narrow", 100, "ERROR", 0.2)
        digest = s("DEBUG", "DIGEST-VALUE", "a")
        self.assert_error("ERR not found", "CF.MERGE", "a", "b", "none")
        self.assert_error("ERR filters of different seed or fixed size, or of 12-bit and wider slots, cannot be merged", "CF.MERGE", "a", "b", "narrow")
        self.assert_error("ERR filters of different seed or fixed size, or of 12-bit and wider slots, cannot be merged", "CF.MERGE", "fixed", "larger")
        self.assertEqual(digest, s("DEBUG", "DIGEST-VALUE", "a"))
        self.assert_error("ERR not found", "CF.MERGE", "new", "none")
        self.assertEqual(0, s("EXISTS", "new"))

    def test_copies_are_counted_up_to_a_limit(self):
        """A filter that is merged with itself doubles its copies. Those outside the table are at most 2^56."""
        s = self.server
        s.reserve_exact("k")
        s("CF.INSERT", "k", "ITEMS", "a", "b", "c")
        count = 1
        while count < 2**54:
            s("CF.MERGE", "k", "k")
            count *= 2
        digest = s("DEBUG", "DIGEST")
        self.assert_error("ERR too many copies for one filter", "CF.MERGE", "k", "k")
        self.assertEqual(digest, s("DEBUG", "DIGEST"))
        self.assertEqual([count, 1, 3 * count], [s("CF.COUNT", "k", "a"), s("CF.ADD", "k", "d"),
                                                 pairs(s("CF.INFO", "k"))["Number of items inserted"] - 1])
        s("RESTORE", "again", 0, s("DUMP", "k"))
        self.assertEqual(count - 1, s("CF.DEL", "again", "b") and s("CF.COUNT", "again", "b"))
        s("CF.COMPACT", "again")
        s("CF.DEBUG", "again")

    def test_filters_of_different_error_can_be_merged(self):
        s = self.server
        for name, error in (("a", 0.01), ("b", 0.001), ("c", 0.00001)):
            s("CF.RESERVE", name, 1000, "ERROR", error)
        s("CF.INSERT", "a", "ITEMS", *range(500))
        s("CF.INSERT", "b", "ITEMS", *range(500, 1000))
        s("CF.INSERT", "c", "ITEMS", *range(1000, 1500), *[7] * 50)
        self.assertEqual(b"OK", s("CF.MERGE", "a", "b", "c"))
        self.assertEqual([1] * 1500, s("CF.MEXISTS", "a", *range(1500)))
        self.assertLessEqual(51, s("CF.COUNT", "a", 7))
        self.assertEqual(1550, pairs(s("CF.STATS", "a"))["items"])
        self.assertEqual(b"OK", s("CF.UNION", "b", "c"))
        self.assertEqual([1] * 1000, s("CF.MEXISTS", "b", *range(500, 1500)))

    def test_commands_are_documented(self):
        connection = RawConnection(self.server, 2)
        self.addCleanup(connection.close)
        docs = pairs(connection("COMMAND", "DOCS", "CF.ADD")[1])
        self.assertIn("Adds an item", docs["summary"])
        self.assertEqual(["key", "item"], [pairs(a)["name"] for a in docs["arguments"]])
        arguments = [pairs(a) for a in pairs(connection("COMMAND", "DOCS", "CF.INSERT")[1])["arguments"]]
        self.assertEqual([("key", "key", None, None), ("capacity", "integer", "CAPACITY", ["+optional"]),
                          ("rate", "double", "ERROR", ["+optional"]), ("NOCREATE", "pure-token", "NOCREATE", ["+optional"]),
                          ("item", "string", "ITEMS", ["+multiple"])],
                         [(a["name"], a["type"], a.get("token"), a.get("flags")) for a in arguments])
        for command in connection("COMMAND", "LIST", "FILTERBY", "MODULE", "guira"):
            self.assertIn("arguments", pairs(connection("COMMAND", "DOCS", command)[1]), command)
        flags = {c: set(connection("COMMAND", "INFO", c)[0][2]) for c in ("CF.COMPACT", "CF.EXISTS", "CF.ADD")}
        self.assertIn("+write", flags["CF.COMPACT"])
        self.assertIn("+readonly", flags["CF.EXISTS"])
        self.assertTrue({"+write", "+denyoom"} <= flags["CF.ADD"])
        self.assertEqual([b"a", b"b", b"c"], connection("COMMAND", "GETKEYS", "CF.MERGE", "a", "b", "c"))

    def test_info_shows_the_counters(self):
        s = self.server
        s.reserve_exact("k")
        s("CF.INSERT", "k", "ITEMS", "a", "b")
        s("CF.ADDNX", "k", "a")
        s("CF.DEL", "k", "a")
        s("CF.DEL", "k", "absent")
        s("CF.MEXISTS", "k", "b", "c")
        s("CFW.RESERVE", "w", 1000)
        s("CFW.SEEN", "w", "x", "x")
        info = s.client.info("guira")
        self.assertEqual([1, 1, 2, 1, 1, 1, 2, 1, 2, 1],
                         [info["guira_" + n] for n in ("filters", "windows", "items_added", "items_present", "items_deleted",
                                                       "items_not_deleted", "items_looked_up", "items_found",
                                                       "window_sightings", "window_repeats")])
        self.assertGreater(info["guira_memory_bytes"], 300)
        s("FLUSHALL", "SYNC")
        self.wait_for(lambda: s.client.info("guira")["guira_memory_bytes"] == 0)  # 16 bytes remain until the window's timer ends
        info = s.client.info("guira")
        self.assertEqual([0, 0], [info["guira_filters"], info["guira_windows"]])

    def test_keyspace_events(self):
        self.server("CF.ADD", "other", "a")
        chunk = self.server("CF.SCANDUMP", "other", 0)
        calls = (["CF.RESERVE", "k", 100, "ERROR", "1e-6"], ["CF.ADD", "k", "a"], ["CF.ADDNX", "k", "a"],
                 ["CF.INSERT", "k", "ITEMS", "b"], ["CF.DEL", "k", "a"], ["CF.DEL", "k", "absent"], ["CF.COMPACT", "k"], ["CF.MERGE", "m", "k"],
                 ["CF.UNION", "m", "k"], ["CF.LOADCHUNK", "l", *chunk], ["CF.EXISTS", "k", "a"], ["CF.STATS", "k"],
                 ["CFW.RESERVE", "w", 1000], ["CFW.SEEN", "w", "a"])
        expected = ["cf.reserve", "cf.add", "cf.insert", "cf.del", "cf.compact", "cf.merge", "cf.union", "cf.loadchunk",
                    "cfw.reserve", "cfw.seen"]
        self.assertEqual(expected, self.events_of("cf", calls, len(expected)))


class Protocols(ServerTest):
    CALLS = (["CF.ADD", "k", "a"], ["CF.ADDNX", "k", "a"], ["CF.INSERT", "k", "ITEMS", "b"],
             ["CF.INSERTNX", "k", "ITEMS", "b", "c"], ["CF.EXISTS", "k", "a"], ["CF.MEXISTS", "k", "a", "z"],
             ["CF.COUNT", "k", "a"], ["CF.DEL", "k", "a"], ["CF.DEL", "k", "a"], ["CF.RESERVE", "new", 100],
             ["CFW.RESERVE", "w", 1000], ["CFW.SEEN", "w", "a", "a"])

    def collect_replies(self, protocol):
        connection = RawConnection(self.server, protocol)
        self.addCleanup(connection.close)
        self.server.reserve_exact("k")
        return connection, [connection(*words) for words in self.CALLS]

    def test_resp2_has_integers(self):
        connection, replies = self.collect_replies(2)
        self.assertEqual([1, 0, [1], [0, 1], 1, [1, 0], 1, 1, 0, "+OK", "+OK", [0, 1]], replies)
        self.assertFalse(any(isinstance(a, bool) for a in replies))
        self.assertEqual(16, len(connection("CF.INFO", "k")))
        self.assertEqual(36, len(connection("CF.STATS", "k")))
        self.assertEqual(18, len(connection("CFW.INFO", "w")))

    def test_resp3_has_booleans_and_maps(self):
        connection, replies = self.collect_replies(3)
        expected = [True, False, [True], [0, 1], True, [True, False], 1, True, False, "+OK", "+OK", [0, 1]]
        self.assertEqual(repr(expected), repr(replies))
        info = connection("CF.INFO", "k")
        self.assertEqual(("+Size", 8), (next(iter(info)), len(info)))
        self.assertIsInstance(connection("CF.STATS", "k")["+load"], float)
        self.assertEqual(1000, connection("CFW.INFO", "w")["+milliseconds"])
        self.assertEqual([0, None], connection("CF.SCANDUMP", "k", connection("CF.SCANDUMP", "k", 0)[0]))

    def test_refused_items_in_resp3(self):
        connection = RawConnection(self.server, 3)
        self.addCleanup(connection.close)
        connection("CF.RESERVE", "k", 8, "EXPANSION", 0, "BUCKETSIZE", 1)
        connection("CF.INSERT", "k", "ITEMS", *range(100))
        self.assertEqual(repr([False]), repr(connection("CF.INSERT", "k", "ITEMS", "x")))
        self.assertIn("-1", map(repr, connection("CF.INSERTNX", "k", "ITEMS", "x", "y", "z")))  # one may be a false positive
        self.assertEqual("-Filter is full", connection("CF.ADD", "k", "x"))


class PythonClient(ServerTest):
    """The commands as methods of redis-py."""

    def test_the_client_understands_the_replies(self):
        cf = self.server.client.cf()
        self.assertTrue(cf.create("k", 100000))  # so that three items have no false positive in 10^6 runs
        self.assertTrue(cf.add("k", "a"))
        self.assertFalse(cf.addnx("k", "a"))
        self.assertEqual([1, 1], cf.insert("k", ["b", "c"]))
        self.assertEqual([0, 1], cf.insertnx("k", ["b", "d"]))
        self.assertTrue(cf.exists("k", "a"))
        self.assertEqual(1, cf.count("k", "a"))
        self.assertTrue(cf.delete("k", "a"))
        info = cf.info("k")
        self.assertEqual((3, 1, 2, 1, 20), (info.insertedNum, info.deletedNum, info.bucketSize, info.expansionRate,
                                            info.maxIteration))
        chunks = []
        position, chunk = cf.scandump("k", 0)
        while position != 0:
            chunks.append((position, chunk))
            position, chunk = cf.scandump("k", position)
        for position, chunk in chunks:
            cf.loadchunk("copy", position, chunk)
        self.assertEqual([1, 1, 1], [cf.exists("copy", item) for item in "bcd"])


class Settings(ServerTest):
    def test_settings_apply_to_keys_created_by_add(self):
        s = self.server
        self.assertEqual({"guira.cf-bucket-size": "2", "guira.cf-initial-size": "1024", "guira.cf-max-iterations": "20",
                          "guira.cf-expansion-factor": "1", "guira.cf-max-expansions": "32",
                          "guira.bf-initial-size": "100", "guira.bf-expansion-factor": "2", "guira.bf-error-rate": "0.01"},
                         pairs(s("CONFIG", "GET", "guira.*")))
        s("CONFIG", "SET", "guira.cf-bucket-size", 4, "guira.cf-expansion-factor", 0, "guira.cf-initial-size", 64)
        s("CF.ADD", "k", "a")
        info = pairs(s("CF.INFO", "k"))
        self.assertEqual((4, 0), (info["Bucket size"], info["Expansion rate"]))
        self.assert_error("ERR CONFIG SET failed (possibly related to argument 'guira.cf-bucket-size') - argument must be "
                          "between 1 and 255 inclusive", "CONFIG", "SET", "guira.cf-bucket-size", 256)

    def test_arguments_of_loadmodule(self):
        s = self.new_server(arguments=["cf-bucket-size", "8", "CF-INITIAL-SIZE", "5000"])
        s("CF.ADD", "k", "a")
        self.assertEqual(8, pairs(s("CF.INFO", "k"))["Bucket size"])
        self.assertEqual(5000, pairs(s("CF.STATS", "k"))["capacity"])

    def test_invalid_arguments_of_loadmodule(self):
        for arguments in (["cf-bucket-size"], ["cf-bucket-size", "0"], ["cf-bucket-size", "x"], ["cf-buckets", "1"]):
            with self.subTest(arguments=arguments), self.assertRaisesRegex(RuntimeError, "guira: "):
                server = Server(arguments=arguments)
                server.remove()


if __name__ == "__main__":
    unittest.main()
