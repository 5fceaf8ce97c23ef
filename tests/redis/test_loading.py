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


if __name__ == "__main__":
    unittest.main()
