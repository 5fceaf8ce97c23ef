"""How the module is loaded: names of commands with a prefix, beside a module with the same names, settings of RedisBloom."""
import os
import unittest

from harness import MODULE, Server, ServerTest, pairs

OTHER = os.environ["GUIRA_OTHER_MODULE"]  # has a command CF.ADD


class Prefix(ServerTest):
    def prefixed(self, *options, **more):
        return self.new_server(*options, arguments=["PREFIX", "guira"], **more)

    def test_commands_have_the_prefix_and_no_other_name(self):
        s = self.prefixed()
        s("guira.RESERVE", "k", 1000, "ERROR", "1e-6")
        self.assertEqual([1, 1], s("guira.INSERT", "k", "ITEMS", "a", "b"))
        self.assertEqual([1, 0], s("GUIRA.MEXISTS", "k", "a", "z"))
        s("guiraW.RESERVE", "w", 3600000)
        self.assertEqual([0, 1], s("guiraW.SEEN", "w", "a", "a"))
        for name in ("CF.ADD", "CFW.SEEN"):
            with self.assertRaisesRegex(Exception, "unknown command"):
                s(name, "k", "a")

    def test_replicas_and_files_use_the_prefix(self):
        master = self.prefixed("--appendonly", "yes", "--aof-use-rdb-preamble", "no")
        replica = self.prefixed("--replicaof", "127.0.0.1", str(master.port))
        self.wait_for(lambda: replica.client.info("replication")["master_link_status"] == "up")
        master("guira.INSERT", "k", "ITEMS", *range(3000))
        master("guira.DEL", "k", 7)
        master("guiraW.RESERVE", "w", 3600000)
        master("guiraW.SEEN", "w", *range(100))
        self.wait_for(lambda: master("DEBUG", "DIGEST") == replica("DEBUG", "DIGEST"))
        digest = master("DEBUG", "DIGEST")
        master("BGREWRITEAOF")
        self.wait_for(lambda: master.client.info("persistence")["aof_rewrite_in_progress"] == 0)
        master.restart()
        self.assertEqual(digest, master("DEBUG", "DIGEST"))

    def test_the_module_loads_beside_one_with_the_same_names(self):
        s = self.prefixed("--loadmodule", OTHER)
        self.assertEqual([b"other", 1], [s("CF.ADD", "k", "a"), s("guira.ADD", "k", "a")])

    def test_a_name_that_is_taken_is_told_with_the_remedy(self):
        for argument in ([], ["cf-initial-size", "100"]):
            with self.assertRaisesRegex(RuntimeError, "the command CF.ADD exists already.*PREFIX guira"):
                Server(first=["--loadmodule", OTHER], arguments=argument).remove()
        s = self.new_server("--loadmodule", OTHER, "--enable-module-command", "yes", module=None)
        with self.assertRaisesRegex(Exception, "Error loading the extension"):
            s("MODULE", "LOAD", MODULE)
        self.assertEqual(b"other", s("CF.ADD", "k", "a"))
        s("MODULE", "LOAD", MODULE, "PREFIX", "x")
        self.assertEqual(1, s("x.ADD", "k", "a"))

    def test_invalid_prefixes_are_refused(self):
        for prefix in ("", "a b", "a.b", "x" * 33):
            with self.subTest(prefix=prefix), self.assertRaisesRegex(RuntimeError, "PREFIX must have"):
                Server(arguments=["PREFIX", prefix]).remove()

    def test_a_second_prefix_is_refused(self):
        for second in ("b", "longer"):
            with self.subTest(second=second), self.assertRaisesRegex(RuntimeError, "guira: PREFIX is given twice"):
                Server(arguments=["PREFIX", "guira", "PREFIX", second]).remove()

    def test_loading_twice_is_refused_and_told(self):
        s = self.new_server("--enable-module-command", "yes", arguments=["PREFIX", "x"])
        s("x.ADD", "k", "a")
        for arguments in ([], ["PREFIX", "y"]):
            with self.assertRaisesRegex(Exception, "Error loading the extension"):
                s("MODULE", "LOAD", MODULE, *arguments)
        self.assertEqual(2, s.log().count("guira: loaded already. To change its arguments, restart the server"))
        self.assertEqual([1, 1], [s("x.ADD", "k", "b"), s("x.EXISTS", "k", "a")])


class Settings(ServerTest):
    def test_names_of_redisbloom_are_understood(self):
        s = self.new_server(arguments=["CF_INITIAL_SIZE", "5000", "cf_bucket_size", "4", "CF_MAX_EXPANSIONS", "7",
                                       "INITIAL_SIZE", "200", "ERROR_RATE", "0.001", "BF_EXPANSION_FACTOR", "4"])
        settings = pairs(s("CONFIG", "GET", "guira.*"))
        self.assertEqual(["5000", "4", "7", "200", "0.001", "4"],
                         [settings["guira." + name] for name in ("cf-initial-size", "cf-bucket-size", "cf-max-expansions",
                                                                "bf-initial-size", "bf-error-rate",
                                                                "bf-expansion-factor")])

    def test_settings_without_the_module_name_in_front(self):
        """As RedisBloom has them in Redis 8. Other servers refuse such a line in redis.conf."""
        version = self.server.client.info("server")
        if "valkey_version" in version or int(version["redis_version"].split(".")[0]) < 8:
            self.skipTest("the server has no settings without a module's name in front")
        s = self.new_server("--cf-initial-size", "4096", "--bf-error-rate", "0.02", "--guira.cf-bucket-size", "4")
        for prefix in ("", "guira."):
            for name, value in ("cf-initial-size", "4096"), ("bf-error-rate", "0.02"), ("cf-bucket-size", "4"):
                self.assertEqual({prefix + name: value}, pairs(s("CONFIG", "GET", prefix + name)))
        s("CONFIG", "SET", "cf-initial-size", "99")
        self.assertEqual({"guira.cf-initial-size": "99"}, pairs(s("CONFIG", "GET", "guira.cf-initial-size")))
        beside = self.new_server(arguments=["PREFIX", "x"])
        self.assertEqual({}, pairs(beside("CONFIG", "GET", "cf-initial-size")))

    def test_the_error_rate_is_checked(self):
        s = self.server
        s("CONFIG", "SET", "guira.bf-error-rate", "0.002")
        self.assertEqual({"guira.bf-error-rate": "0.002"}, pairs(s("CONFIG", "GET", "guira.bf-error-rate")))
        for rate in ("0", "1", "x", "nan", "1e-9"):
            self.assert_error("ERR CONFIG SET failed (possibly related to argument 'guira.bf-error-rate') - must be in the "
                              "range [0.0000002, 1)", "CONFIG", "SET", "guira.bf-error-rate", rate)
        self.assertEqual({"guira.bf-error-rate": "0.002"}, pairs(s("CONFIG", "GET", "guira.bf-error-rate")))
        for arguments in (["bf-error-rate", "2"], ["BF", "maybe"]):
            with self.subTest(arguments=arguments), self.assertRaisesRegex(RuntimeError, "guira: "):
                Server(arguments=arguments).remove()


class Seeds(ServerTest):
    def test_values_from_outside_do_not_set_the_seed_of_a_new_server(self):
        """A client that chooses the seed of all filters can construct items that collide."""
        source = self.new_server()
        source("CF.ADD", "k", "x")
        dump, chunk = source("DUMP", "k"), source("CF.SCANDUMP", "k", 0)
        for load in (["RESTORE", "foreign", 0, dump], ["CF.LOADCHUNK", "foreign", *chunk],
                     ["CF._CREATE", "foreign", 1024, 2, 20, 1, 0, b"0123456789abcdef"]):
            fresh = self.new_server()
            fresh(*load)
            fresh("CF.ADD", "own", "y")
            with self.assertRaisesRegex(Exception, "different seed"):
                fresh("CF.MERGE", "own", "foreign")

    FILES = [[], ["--appendonly", "yes"], ["--appendonly", "yes", "--aof-use-rdb-preamble", "no"]]

    def setUp(self):
        super().setUp()
        self.source = self.new_server(arguments=["BF", "yes"])
        self.brought = []  # the commands that bring filters of another server
        for family in ("CF", "BF"):
            self.source(family + ".ADD", family, "x")
            self.brought += [["RESTORE", family + " restored", 0, self.source("DUMP", family)],
                             [family + ".LOADCHUNK", family + " chunks", *self.source(family + ".SCANDUMP", family, 0)]]

    def seed_of(self, server, key):
        chunk = server(key[:2] + ".SCANDUMP", key, 0)[1]
        return chunk.split(b"GUIRA\r\n\x1a")[1][64:80]

    def seed_now(self, server):
        """The seed of a filter that is created now."""
        server("CF.ADD", "CF now", "z")
        return self.seed_of(server, "CF now")

    def test_a_restart_keeps_the_servers_seed_and_those_of_filters_from_outside(self):
        for options in self.FILES:
            for own_first in (True, False):
                with self.subTest(options=options, own_first=own_first):
                    self.check_restart(options, own_first)

    def check_restart(self, options, own_first):
        s = self.new_server(*options, arguments=["BF", "yes"])
        commands = [["CF.ADD", "CF own", "y"], ["BF.ADD", "BF own", "y"], *self.brought]
        for words in commands if own_first else reversed(commands):
            s(*words)
        seeds = {key.decode(): self.seed_of(s, key.decode()) for key in s("KEYS", "*")}
        self.assertEqual((6, 2), (len(seeds), len(set(seeds.values()))))
        self.save(s, options)
        s.restart()
        self.assertEqual(seeds, {key: self.seed_of(s, key) for key in seeds})
        self.assertEqual(seeds["CF own"], self.seed_now(s))

    def save(self, s, options):
        if not options:
            s("SAVE")
            return
        s("BGREWRITEAOF")
        self.wait_for(lambda: s.client.info("persistence")["aof_rewrite_in_progress"] == 0
                      and s.client.info("persistence")["aof_rewrite_scheduled"] == 0)

    def test_a_server_with_nothing_but_filters_from_outside_draws_its_own_seed_after_a_restart(self):
        for options in self.FILES:
            with self.subTest(options=options):
                s = self.new_server(*options, arguments=["BF", "yes"])
                for words in self.brought:
                    s(*words)
                self.save(s, options)
                s.restart()
                self.assertNotEqual(self.seed_of(s, "CF chunks"), self.seed_now(s))

    def test_an_aof_that_was_not_rewritten(self):
        """CF.LOADCHUNK sets no seed. RESTORE in an AOF looks like a part of a file, and sets none if the server has one."""
        s = self.new_server("--appendonly", "yes", arguments=["BF", "yes"])
        restore, chunk = self.brought[:2]
        s(*chunk)
        s.restart()
        own = self.seed_now(s)
        self.assertNotEqual(self.seed_of(s, "CF chunks"), own)
        s(*restore)
        s.restart()
        s("DEL", "CF now")
        self.assertEqual(own, self.seed_now(s))

    def test_clients_cannot_say_that_a_chunk_has_the_servers_seed(self):
        self.assert_error("ERR wrong number of arguments for 'CF.LOADCHUNK' command", *self.brought[1], "OWN")
        self.assertEqual([], self.server("KEYS", "*"))

    def test_a_replica_takes_the_masters_seed_and_no_other(self):
        master = self.new_server(arguments=["BF", "yes"])
        for words in [["CF.ADD", "CF own", "y"], *self.brought]:
            master(*words)
        replica = self.new_server("--replicaof", "127.0.0.1", str(master.port), arguments=["BF", "yes"])
        self.wait_for(lambda: replica.client.info("replication")["master_link_status"] == "up")
        self.wait_for(lambda: master("DEBUG", "DIGEST") == replica("DEBUG", "DIGEST"))
        replica("REPLICAOF", "NO", "ONE")
        self.assertEqual(self.seed_of(master, "CF own"), self.seed_now(replica))


if __name__ == "__main__":
    unittest.main()
