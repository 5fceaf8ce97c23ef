"""The tool guira with --redis on one server: uniq, add, remove, test and metrics."""
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import unittest

import redis

from harness import QUICK, Server, ServerTest, free_port, pairs, rng_for
from cli_tool import CuttingProxy, CliMixin, Running, assert_lines_but_few, assert_once_but_few, run, slot

MANY = 20000 if QUICK else 200000


class CliTest(CliMixin, ServerTest):
    def setUp(self):
        super().setUp()
        self.url = f"redis://127.0.0.1:{self.server.port}"

    def assert_fails(self, text, done):
        self.assertIn(text, done.err)
        self.assertEqual(2, done.status)


class Uniq(CliTest):
    def test_output_is_the_same_as_without_a_server(self):
        rng = rng_for(self)
        lines = [f"line {rng.randrange(MANY)}" for _ in range(MANY)]
        done = self.run_cli("uniq", "seen", lines=lines)
        assert_lines_but_few(self, list(dict.fromkeys(lines)), done.lines)
        self.assertEqual((0, ""), (done.status, done.err))
        self.assertEqual(len(done.lines), pairs(self.server("CF.STATS", "seen"))["items"])

    def test_a_second_run_prints_only_what_is_new(self):
        self.run_cli("uniq", "seen", lines=["a", "b"])
        done = self.run_cli("uniq", "-c", "seen", lines=["b", "c", "a", "c"])
        self.assertEqual(["c"], done.lines)
        self.assertIn("4 lines in, 1 out, 3 dropped", done.err)

    def test_fields_and_nuls(self):
        done = self.run_cli("uniq", "-t,", "-k2", "seen", lines=["1,x", "2,x", "3,y"])
        self.assertEqual(["1,x", "3,y"], done.lines)
        self.assertEqual([1, 1, 0], self.server("CF.MEXISTS", "seen", "x", "y", "1,x"))
        done = self.run_cli("uniq", "-z", "zeros", lines=[b"a\nb\0", b"\0", b"a\nb\0", b"\0", b"end"])
        self.assertEqual(b"a\nb\0\0end\0", done.raw)

    def test_two_processes_print_each_line_once_together(self):
        rng = rng_for(self)
        lines = [f"line {i}" for i in range(MANY)]
        first, second = self.start_cli("uniq", "seen"), self.start_cli("uniq", "seen")
        for start in range(0, MANY, 1000):
            for running in (first, second):  # the same lines in different order, at about the same time
                running.send(rng.sample(lines[start:start + 1000], 1000))
        outs = [running.end() for running in (first, second)]
        self.assertEqual([0, 0], [o.status for o in outs])
        assert_once_but_few(self, lines, outs[0].lines + outs[1].lines)

    def test_a_line_is_printed_before_the_next_one_arrives(self):
        running = self.start_cli("uniq", "seen")
        for i in range(5):
            running.send([f"line {i}"])
            self.wait_for(lambda: len(running.lines()) == i + 1)
        self.assertEqual(0, running.end().status)

    def test_a_signal_ends_it_after_the_lines_read_so_far(self):
        running = self.start_cli("uniq", "-c", "seen")
        running.send(["a", "b"])
        self.wait_for(lambda: len(running.lines()) == 2)
        done = running.end(signal.SIGTERM)
        self.assertEqual(-signal.SIGTERM, done.status)
        self.assertIn("2 lines in", done.err)

    def test_items_in_a_window_expire(self):
        words = ("uniq", "--window", "1s", "recent")
        self.assertEqual(["a", "b"], self.run_cli(*words, lines=["a", "b", "a"]).lines)
        self.wait_for(lambda: self.run_cli(*words, lines=["a"]).lines == ["a"])
        self.assert_fails("was created with --window 1000ms", self.run_cli("uniq", "--window", "2s", "recent"))
        self.assert_fails("is a window", self.run_cli("uniq", "recent"))

    def test_filters_are_created_with_the_given_options(self):
        self.run_cli("uniq", "--items", "50k", "--fpr", "1%", "mine", lines=["a"])
        self.run_cli("uniq", "plain", lines=["a"])
        mine, plain = (pairs(self.server("CF.STATS", key)) for key in ("mine", "plain"))
        self.assertEqual((50000, 0.01), (mine["capacity"], float(mine["requested_false_positive_rate"])))
        self.assertEqual(1e-6, float(plain["requested_false_positive_rate"]))

    def test_a_high_false_positive_rate_is_reported(self):
        self.server("CF.INSERT", "coarse", "ITEMS", *range(20000))
        done = self.run_cli("uniq", "coarse", lines=["a"])
        self.assertRegex(done.err, "coarse: exists with a false-positive rate of 0[.].*%")
        self.assertEqual("", self.run_cli("uniq", "--fpr", "1%", "coarse", lines=["a"]).err)

    def test_a_high_future_rate_of_an_empty_filter_is_reported(self):
        self.server("CF.RESERVE", "default", 1000)
        self.server("CF.RESERVE", "wanted", 1000, "ERROR", "0.01")
        self.assertIn("default: exists with a false-positive rate of 0.05%", self.run_cli("uniq", "default", lines=["a"]).err)
        self.assertIn("wanted: exists with a false-positive rate of 1%", self.run_cli("uniq", "wanted", lines=["a"]).err)
        for _ in range(2):  # a filter created by the tool has exactly the requested rate
            self.assertEqual("", self.run_cli("uniq", "--fpr", "2/3000", "own", lines=["a"]).err)

    def test_reconnects_after_the_server_closed_an_idle_connection(self):
        running = self.start_cli("uniq", "seen")
        running.send(["a"])
        self.wait_for(lambda: running.lines() == ["a"])
        self.server("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
        self.wait_for(lambda: self.server("INFO", "clients")["connected_clients"] == 1)
        running.send(["a", "b"])
        done = running.end()
        self.assertEqual((0, ["a", "b"], ""), (done.status, done.lines, done.err))

    def test_a_deleted_key_is_created_again(self):
        running = self.start_cli("uniq", "seen")
        running.send(["a"])
        self.wait_for(lambda: running.lines() == ["a"])
        self.server("DEL", "seen")
        running.send(["a", "b"])
        done = running.end()
        self.assertEqual(["a", "a", "b"], done.lines)
        self.assertIn("disappeared 1 time and was created again", done.err)
        self.assertEqual(0, done.status)


class OutOfRoom(CliTest):
    def test_a_full_filter_stops_uniq_unless_on_full_is_pass(self):
        self.server("CF.RESERVE", "seen", "100", "EXPANSION", "0")
        lines = [f"line {i}" for i in range(1000)]
        done = self.run_cli("uniq", "seen", lines=lines)
        self.assert_fails("no room for more on the server", done)
        known = [line for line, present in zip(lines, self.server("CF.MEXISTS", "seen", *lines)) if present]
        self.assertGreaterEqual(len(done.lines), 100)
        self.assertLessEqual(set(done.lines), set(known))
        passed = self.run_cli("uniq", "--on-full", "pass", "seen", lines=lines)
        self.assertEqual([line for line in lines if line not in known], passed.lines)
        self.assertEqual(0, passed.status)

    def test_a_server_without_memory_still_drops_known_lines(self):
        self.run_cli("uniq", "seen", lines=["a", "b"])
        self.run_cli("uniq", "--window", "1h", "recent", lines=["a", "b"])
        self.server("CONFIG", "SET", "maxmemory", "1")
        self.assert_fails("line 2 of the input: no room", self.run_cli("uniq", "seen", lines=["a", "c"]))
        self.assertEqual(["c"], self.run_cli("uniq", "--on-full", "pass", "seen", lines=["a", "b", "c"]).lines)
        # CFW.SEEN looks up and records in one command, so it is refused even for known lines
        done = self.run_cli("uniq", "--on-full", "pass", "--window", "1h", "recent", lines=["a", "c"])
        self.assertEqual(["a", "c"], done.lines)
        self.assert_fails("OOM", self.run_cli("add", "--count-copies", "seen", lines=["c"]))
        self.assert_fails("the server has no memory", self.run_cli("add", "seen", lines=["c"]))


class AddAndRemove(CliTest):
    def test_copies_are_counted_and_removed_one_by_one(self):
        done = self.run_cli("add", "--count-copies", "users", lines=["ana", "bob", "ana"])
        self.assertEqual((0, "guira add: users: 3 lines added\n"), (done.status, done.err))
        self.assertEqual([2, 1], [self.server("CF.COUNT", "users", item) for item in ("ana", "bob")])
        done = self.run_cli("remove", "users", lines=["ana", "ana", "eve"])
        self.assertEqual(1, done.status)
        self.assertIn("2 lines removed", done.err)
        self.assertIn("1 line was not in the filter", done.err)
        self.assertEqual([0, 1], self.server("CF.MEXISTS", "users", "ana", "bob"))

    def test_a_line_is_added_once(self):
        done = self.run_cli("add", "users", lines=["ana", "bob", "ana"])
        self.assertIn("2 lines added", done.err)
        self.assertIn("1 line was already in the filter", done.err)
        self.assertEqual(1, self.server("CF.COUNT", "users", "ana"))

    def test_any_number_of_copies_is_counted(self):
        self.assertEqual(0, self.run_cli("add", "--count-copies", "users", lines=["ana"] * 1000).status)
        self.assertEqual(1000, self.server("CF.COUNT", "users", "ana"))

    def test_add_test_and_remove_many_lines(self):
        lines = [f"user {i}" for i in range(MANY)]
        # Each line is added, also one that is taken for a duplicate: else its removal could remove another.
        self.assertEqual(0, self.run_cli("add", "--count-copies", "--items", MANY, "--fpr", "1e-6", "users",
                                         lines=lines).status)
        self.assertEqual(0, self.run_cli("test", "-q", "--all", "users", lines=lines).status)
        self.assertEqual(0, self.run_cli("remove", "users", lines=lines[::2]).status)
        present = self.run_cli("test", "users", lines=lines)
        absent = self.run_cli("test", "-v", "users", lines=lines)
        self.assertEqual((0, 0), (present.status, absent.status))
        self.assertEqual(set(), set(lines[1::2]) - set(present.lines))
        assert_lines_but_few(self, lines[::2], absent.lines)  # those that are not there are false positives
        self.assertEqual(f"present {MANY - len(absent.lines)}\nabsent {len(absent.lines)}\n".encode(),
                         self.run_cli("test", "-c", "users", lines=lines).raw)

    def test_the_exit_status_of_test_is_that_of_grep(self):
        self.run_cli("add", "users", lines=["ana"])
        for words, lines, status in ((["-q"], ["eve", "ana"], 0), (["-q"], ["eve"], 1), (["-q", "-v"], ["ana"], 1),
                                     (["--all"], ["ana", "eve"], 1), (["--all"], ["ana"], 0),
                                     (["--all", "-v"], ["eve"], 0)):
            self.assertEqual(status, self.run_cli("test", *words, "users", lines=lines).status, (words, lines))

    def test_a_quiet_test_ends_when_the_status_is_known(self):
        self.run_cli("add", "users", lines=["ana"])
        for words, status in ((["-q"], 0), (["-q", "--all"], 1), (["-q", "-v"], 0)):
            running = self.start_cli("test", *words, "users")
            running.send(["ana", "eve"])
            self.assertEqual(status, running.process.wait(60))

    def test_keys_of_several_parts_and_files(self):
        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/pairs"
            with open(path, "w") as f:
                f.write("ab,c\na,bc\nab,c\nx\n")
            done = self.run_cli("uniq", "-t,", "-k1,2", "pairs", path)
            self.assertEqual(["ab,c", "a,bc", "x"], done.lines)
            self.assertEqual([1, 0], self.server("CF.MEXISTS", "pairs", "ab\nc\n", "abc"))


class Errors(CliTest):
    def test_missing_keys_and_keys_of_other_types(self):
        self.server("SET", "text", "x")
        self.server("RPUSH", "list", "x")
        for command in ("test", "remove"):
            self.assert_fails("absent: there is no such key", self.run_cli(command, "absent", lines=["a"]))
        for command in ("uniq", "add", "test", "remove"):
            self.assert_fails("text: is a string, not a filter", self.run_cli(command, "text", lines=["a"]))
            self.assert_fails("list: is a list, not a guira filter", self.run_cli(command, "list", lines=["a"]))
        self.assertEqual([b"list", b"text"], sorted(self.server("KEYS", "*")))

    def test_a_server_without_the_module(self):
        port = free_port()
        other = subprocess.Popen(["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", ""],
                                 stdout=subprocess.DEVNULL)
        try:
            self.wait_for(lambda: "Connection refused" not in run("metrics", "--redis", f"redis://127.0.0.1:{port}").err)
            for words in (("uniq", "seen"), ("add", "seen"), ("test", "seen"), ("remove", "seen"),
                          ("uniq", "--window", "1m", "seen"), ("uniq", "--shards", 4, "seen"), ("metrics",)):
                done = run(words[0], "--redis", f"redis://127.0.0.1:{port}", *words[1:], lines=["a"])
                self.assert_fails("does not have the guira module", done)
                self.assertEqual(b"", done.raw)
            self.assertEqual(0, redis.Redis(port=port).dbsize())
        finally:
            other.terminate()
            other.wait()

    def test_a_signal_does_not_wait_for_a_server_that_never_answers(self):
        with socket.create_server(("127.0.0.1", 0)) as listener:
            running = Running("uniq", "--redis", f"redis://127.0.0.1:{listener.getsockname()[1]}", "seen")
            self.addCleanup(running.stop)
            with listener.accept()[0] as link:
                self.assertIn(b"CLUSTER", link.recv(100))
                done = running.end(signal.SIGTERM)
        self.assertEqual((-signal.SIGTERM, ""), (done.status, done.err))

    def test_connection_refused(self):
        self.assert_fails("Connection refused", run("uniq", "--redis", f"127.0.0.1:{free_port()}", "seen"))

    def test_users_passwords_and_databases(self):
        at = f"127.0.0.1:{self.server.port}"
        self.server("ACL", "SETUSER", "eve", "on", ">p@ss/word", "~*", "+@all")
        self.assertEqual(["a"], run("uniq", "--redis", f"redis://eve:p%40ss%2Fword@{at}/3", "seen", lines=["a"]).lines)
        self.assertEqual(0, self.server("EXISTS", "seen"))
        self.assert_fails("WRONGPASS", run("uniq", "--redis", f"redis://eve:wrong@{at}", "seen"))
        self.server("CONFIG", "SET", "requirepass", "secret")
        for place in (at, f"{at}/3"):
            self.assert_fails("set REDISCLI_AUTH", run("uniq", "--redis", f"redis://{place}", "seen"))
        self.assertEqual(["a"], run("uniq", "--redis", f"redis://:secret@{at}", "seen", lines=["a"]).lines)
        self.assertEqual([], run("uniq", "--redis", f"redis://{at}", "seen", lines=["a"],
                                 env={"REDISCLI_AUTH": "secret"}).lines)

    def test_a_user_without_permission_for_cluster_commands(self):
        self.server("ACL", "SETUSER", "ana", "on", ">word", "~*", "-@all", "+type", "+cf.insertnx", "+cf.reserve")
        done = run("uniq", "--redis", f"redis://ana:word@127.0.0.1:{self.server.port}", "seen", lines=["a", "a"])
        self.assertEqual((["a"], 0), (done.lines, done.status))


class Shards(CliTest):
    def test_the_number_of_shards_must_match(self):
        self.assertEqual(["a"], self.run_cli("uniq", "--shards", 4, "seen", lines=["a"]).lines)
        self.assertEqual([], self.run_cli("uniq", "--shards", 4, "seen", lines=["a"]).lines)
        for words in ((5,), (1,)):
            self.assert_fails("contains 'guira: 4 shards'", self.run_cli("uniq", "--shards", *words, "seen", lines=["a"]))
        self.assert_fails("use --shards N", self.run_cli("uniq", "seen", lines=["a"]))
        self.assert_fails("no such filter with --shards", self.run_cli("test", "--shards", 4, "other", lines=["a"]))
        self.run_cli("uniq", "plain", lines=["a"])
        self.assert_fails("leave out --shards", self.run_cli("uniq", "--shards", 4, "plain", lines=["a"]))
        self.server("SET", "text", "x")
        self.assert_fails("text: contains 'x', not 'guira: 4 shards'",
                            self.run_cli("uniq", "--shards", 4, "text", lines=["a"]))
        self.assert_fails("must not contain {", self.run_cli("uniq", "--shards", 4, "a{b}", lines=["a"]))

    def test_the_shard_of_an_item_never_changes(self):
        """The shard follows from XXH64, whose published values for these items are ef46db37..., d24ec4f1..., 44bc2cf5..."""
        self.run_cli("add", "--shards", 1024, "set", lines=["", "a", "abc"])
        keys = [k.decode() for k in self.server("KEYS", "set{*") if pairs(self.server("CF.STATS", k))["items"] == 1]
        wanted = sorted((int(h, 16) * 1024) >> 32 for h in ("ef46db37", "d24ec4f1", "44bc2cf5"))
        self.assertEqual(wanted, sorted(slot(re.search(r"{(\d+)}:1024$", k)[1]) // 16 for k in keys))

    def test_all_commands_use_the_same_keys(self):
        lines = [f"line {i}" for i in range(5000)]
        self.assertEqual(0, self.run_cli("add", "--count-copies", "--shards", 8, "--items", 5000, "--fpr", "1e-6", "set",
                                         lines=lines).status)
        keys = self.server("KEYS", "set{*")
        items = [pairs(self.server("CF.STATS", k))["items"] for k in keys]
        self.assertEqual((8, 5000), (len(keys), sum(items)))
        self.assertGreater(min(items), 450)
        self.assertEqual(lines, self.run_cli("test", "--shards", 8, "set", lines=lines).lines)
        self.assertEqual(0, self.run_cli("remove", "--shards", 8, "set", lines=lines).status)
        self.assertEqual(lines, self.run_cli("test", "-v", "--shards", 8, "set", lines=lines).lines)


class LostConnections(CliTest):
    """Connections that are lost after the server executed a command and before its reply arrived."""

    def setUp(self):
        super().setUp()
        self.proxy = CuttingProxy(self.server.port)
        self.addCleanup(self.proxy.close)
        self.url = f"redis://127.0.0.1:{self.proxy.port}"

    def cut_after(self, command):
        self.proxy.cut_when(lambda requests: command in requests)

    def test_uniq_prints_lines_whose_reply_was_lost(self):
        self.run_cli("uniq", "seen", lines=["old"])
        self.cut_after(b"CF.INSERTNX")
        done = self.run_cli("uniq", "seen", lines=["new", "old", "new"])
        self.assertEqual(1, self.proxy.cuts)
        self.assertEqual((0, ["new", "old"]), (done.status, done.lines))  # without a reply it is unknown which lines are new: both are printed
        self.assertIn("2 lines in flight", done.err)
        self.assertEqual([], self.run_cli("uniq", "seen", lines=["new", "old"]).lines)

    def test_add_retries(self):
        self.cut_after(b"CF.INSERT")
        done = self.run_cli("add", "--count-copies", "users", lines=["ana"])
        self.assertEqual((1, 0), (self.proxy.cuts, done.status))
        self.assertIn("1 line in flight", done.err)
        self.assertEqual(2, self.server("CF.COUNT", "users", "ana"))

    def test_add_retries_without_copies(self):
        self.cut_after(b"CF.INSERTNX")
        done = self.run_cli("add", "users", lines=["ana"])
        self.assertEqual((1, 0), (self.proxy.cuts, done.status))
        self.assertIn("1 line in flight when a connection was lost: sent again, and added once", done.err)
        self.assertEqual(1, self.server("CF.COUNT", "users", "ana"))

    def test_remove_does_not_retry(self):
        self.run_cli("add", "--count-copies", "users", lines=["ana", "ana"])
        self.cut_after(b"CF.DEL")
        done = self.run_cli("remove", "users", lines=["ana"])
        self.assertEqual((1, 1), (self.proxy.cuts, done.status))
        self.assertIn("1 line in flight when a connection was lost: possibly removed, possibly not", done.err)
        self.assertEqual(1, self.server("CF.COUNT", "users", "ana"))

    def test_test_retries(self):
        self.run_cli("add", "users", lines=["ana"])
        self.cut_after(b"CF.MEXISTS")
        done = self.run_cli("test", "users", lines=["ana", "eve"])
        self.assertEqual((1, 0, ["ana"], ""), (self.proxy.cuts, done.status, done.lines, done.err))


class ServerFailures(CliTest):
    """Servers that are killed, restarted or suspended. They are not self.server, which must survive the test."""

    def setUp(self):
        super().setUp()
        self.other = Server(port=free_port())
        self.addCleanup(self.other.remove)
        self.url = f"redis://127.0.0.1:{self.other.port}"

    def kill(self):
        self.other.process.kill()
        self.other.process.wait()

    def test_a_server_that_stays_down(self):
        running = self.start_cli("uniq", "--redis-timeout", "5s", "seen")
        running.send(["a"])
        self.wait_for(lambda: running.lines() == ["a"])
        self.kill()
        running.send(["b"])
        done = running.end()
        self.assert_fails("Connection refused", done)
        self.assertIn("continue from line 2", done.err)
        self.assertEqual(["a"], done.lines)

    def test_a_signal_while_the_server_is_down(self):
        running = self.start_cli("uniq", "--redis-timeout", "1h", "seen")
        running.send(["a"])
        self.wait_for(lambda: running.lines() == ["a"])
        self.kill()
        running.send(["b"])
        self.assert_fails("continue from line 2", running.end(signal.SIGTERM))

    def test_a_server_that_restarts_without_its_data(self):
        running = self.start_cli("uniq", "seen")
        running.send(["a"])
        self.wait_for(lambda: running.lines() == ["a"])
        self.kill()
        running.send(["b"])
        self.other.start()
        self.wait_for(lambda: running.lines() == ["a", "b"])
        done = running.end()
        self.assertEqual(0, done.status)
        self.assertIn("was created again", done.err)

    def test_waits_for_a_server_that_loads_its_data(self):
        self.run_cli("uniq", "seen", lines=["a"])
        self.other("MSET", *(word for i in range(1000) for word in (f"key {i}", "x" * 100)))
        self.other("CONFIG", "SET", "key-load-delay", 2000, "loading-process-events-interval-bytes", 1024)
        reloading = threading.Thread(target=self.other, args=("DEBUG", "RELOAD"))
        reloading.start()
        self.wait_for(self.is_loading)
        done = self.run_cli("uniq", "seen", lines=["a", "b"])
        reloading.join()
        self.assertEqual((0, ["b"], ""), (done.status, done.lines, done.err))

    def is_loading(self):
        try:
            self.other("GET", "key 0")
        except redis.exceptions.BusyLoadingError:
            return True
        return False

    def test_a_server_that_hangs_longer_than_the_timeout(self):
        """The server may have recorded the line before it hung, so the line is printed."""
        running = self.start_cli("uniq", "--redis-timeout", "5s", "seen")
        running.send(["a"])
        self.wait_for(lambda: running.lines() == ["a"])
        self.other.process.send_signal(signal.SIGSTOP)
        self.addCleanup(self.other.process.send_signal, signal.SIGCONT)
        running.send(["b"])
        done = running.end()
        self.assert_fails("no answer", done)
        self.assertIn("0 were not processed and 1 were printed without a reply; continue from line 2", done.err)
        self.assertEqual(["a", "b"], done.lines)

    def test_waits_for_a_server_that_hangs_for_a_short_time(self):
        running = self.start_cli("uniq", "--redis-timeout", "60s", "seen")
        running.send(["a"])
        self.wait_for(lambda: running.lines() == ["a"])
        self.other.process.send_signal(signal.SIGSTOP)
        running.send(["a", "b"])
        self.other.process.send_signal(signal.SIGCONT)
        done = running.end()
        self.assertEqual((0, ["a", "b"], ""), (done.status, done.lines, done.err))


class Metrics(CliTest):
    NAMES = [b"plain", b'a"b\\c', "schlüssel".encode(), b"bad\xff\xc0\x80", b"line\nend", b"\\xff", b"\xff", b"", b"nul\0"]

    def test_promtool_accepts_the_metrics(self):
        self.assertIsNotNone(shutil.which("promtool"), "promtool is missing (Debian: prometheus)")
        for name in self.NAMES:
            self.server("CF.INSERT", name, "ITEMS", "a", "b")
        self.server("CFW.RESERVE", "recent", "1000", "ERROR", "0.001")
        self.server("CF.RESERVE", "fixed", "100", "EXPANSION", "0")
        self.server("SET", "text", "x")
        done = self.run_cli("metrics")
        self.assertEqual((0, ""), (done.status, done.err))
        checked = subprocess.run(["promtool", "check", "metrics"], input=done.raw, capture_output=True)
        self.assertEqual((0, b"", b""), (checked.returncode, checked.stdout, checked.stderr))
        items = [line for line in done.lines if line.startswith("guira_items{")]
        self.assertEqual(len(self.NAMES) + 2, len(set(items)))
        self.assertIn(f'guira_items{{name="plain",kind="tidal",server="127.0.0.1:{self.server.port}"}} 2', items)
        self.assertEqual(["cuckoo", "window"], sorted(re.search('kind="(.*?)"', i)[1] for i in items if i.endswith(" 0")))
        self.assertIn(f'guira_server_filters{{server="127.0.0.1:{self.server.port}"}} {len(self.NAMES) + 1}', done.lines)

    def test_metrics_equal_the_statistics_of_the_server(self):
        self.server("CF.RESERVE", "set", "1000", "ERROR", "0.01")
        self.server("CF.INSERT", "set", "ITEMS", *range(5000))
        stats, metrics = pairs(self.server("CF.STATS", "set")), {}
        for line in self.run_cli("metrics").lines:
            if 'name="set"' in line:
                metrics[line.split("{")[0]] = float(line.split()[-1])
        for metric, field in (("items", "items"), ("slots", "slots"), ("memory_bytes", "bytes"), ("load_ratio", "load"),
                              ("false_positive_ratio", "false_positive_rate"), ("kicks_total", "kicks"),
                              ("false_positive_target_ratio", "requested_false_positive_rate"),
                              ("grows_total", "buckets_added"), ("evictions_total", "evictions")):
            self.assertEqual(float(stats[field]), metrics["guira_" + metric], metric)

    def test_a_server_without_filters(self):
        done = self.run_cli("metrics")
        self.assertEqual(0, done.status)
        self.assertFalse([line for line in done.lines if "guira_items{" in line])


if __name__ == "__main__":
    unittest.main(verbosity=2)
