"""guira uniq, add, remove, test and metrics with --redis, on one server."""
import collections
import re
import shutil
import signal
import socket
import subprocess
import threading
import unittest

import redis

from harness import QUICK, Server, ServerTest, free_port, pairs, rng_for
from tool import Cutter, Here, Running, run, slot

MANY = 20000 if QUICK else 200000


class CliTest(Here, ServerTest):
    def setUp(self):
        super().setUp()
        self.url = f"redis://127.0.0.1:{self.server.port}"

    def assert_trouble(self, text, done):
        self.assertIn(text, done.err)
        self.assertEqual(2, done.status)


class Uniq(CliTest):
    def test_lines_come_as_from_uniq_without_a_server(self):
        rng = rng_for(self)
        lines = [f"line {rng.randrange(MANY)}" for _ in range(MANY)]
        done = self.run_here("uniq", "seen", lines=lines)
        self.assertEqual(run("uniq", lines=lines).raw, done.raw)
        self.assertEqual((0, ""), (done.status, done.err))
        self.assertEqual(len(set(lines)), pairs(self.server("CF.STATS", "seen"))["items"])

    def test_a_second_run_prints_only_what_is_new(self):
        self.run_here("uniq", "seen", lines=["a", "b"])
        done = self.run_here("uniq", "-c", "seen", lines=["b", "c", "a", "c"])
        self.assertEqual(["c"], done.lines)
        self.assertIn("4 lines in, 1 out, 3 held back", done.err)

    def test_fields_and_nuls(self):
        done = self.run_here("uniq", "-t,", "-k2", "seen", lines=["1,x", "2,x", "3,y"])
        self.assertEqual(["1,x", "3,y"], done.lines)
        self.assertEqual([1, 1, 0], self.server("CF.MEXISTS", "seen", "x", "y", "1,x"))
        done = self.run_here("uniq", "-z", "zeros", lines=[b"a\nb\0", b"\0", b"a\nb\0", b"\0", b"end"])
        self.assertEqual(b"a\nb\0\0end\0", done.raw)

    def test_two_processes_print_each_line_once_together(self):
        rng = rng_for(self)
        lines = [f"line {i}" for i in range(MANY)]
        first, second = self.start_here("uniq", "seen"), self.start_here("uniq", "seen")
        for start in range(0, MANY, 1000):
            for running in (first, second):  # the same lines in another order, at about the same time
                running.send(rng.sample(lines[start:start + 1000], 1000))
        outs = [running.end() for running in (first, second)]
        self.assertEqual([0, 0], [o.status for o in outs])
        self.assertEqual(collections.Counter(lines), collections.Counter(outs[0].lines + outs[1].lines))

    def test_a_line_is_printed_before_the_next_one_comes(self):
        running = self.start_here("uniq", "seen")
        for i in range(5):
            running.send([f"line {i}"])
            self.wait_for(lambda: len(running.lines()) == i + 1)
        self.assertEqual(0, running.end().status)

    def test_a_signal_ends_it_after_what_was_read(self):
        running = self.start_here("uniq", "-c", "seen")
        running.send(["a", "b"])
        self.wait_for(lambda: len(running.lines()) == 2)
        done = running.end(signal.SIGTERM)
        self.assertEqual(-signal.SIGTERM, done.status)
        self.assertIn("2 lines in", done.err)

    def test_a_window_forgets(self):
        words = ("uniq", "--window", "1s", "recent")
        self.assertEqual(["a", "b"], self.run_here(*words, lines=["a", "b", "a"]).lines)
        self.wait_for(lambda: self.run_here(*words, lines=["a"]).lines == ["a"])
        self.assert_trouble("was made with --window 1000ms", self.run_here("uniq", "--window", "2s", "recent"))
        self.assert_trouble("is a window", self.run_here("uniq", "recent"))

    def test_what_it_is_made_with(self):
        self.run_here("uniq", "--items", "50k", "--fpr", "1%", "mine", lines=["a"])
        self.run_here("uniq", "plain", lines=["a"])
        mine, plain = (pairs(self.server("CF.STATS", key)) for key in ("mine", "plain"))
        self.assertEqual((50000, 0.01), (mine["capacity"], float(mine["wanted_false_positive_rate"])))
        self.assertEqual(1e-6, float(plain["wanted_false_positive_rate"]))

    def test_a_rate_that_is_too_high_is_told(self):
        self.server("CF.INSERT", "coarse", "ITEMS", *range(20000))
        done = self.run_here("uniq", "coarse", lines=["a"])
        self.assertRegex(done.err, "coarse: takes 0[.].*% of new lines for old ones")
        self.assertEqual("", self.run_here("uniq", "--fpr", "1%", "coarse", lines=["a"]).err)

    def test_a_rate_that_will_be_too_high_is_told_of_an_empty_filter(self):
        self.server("CF.RESERVE", "default", 1000)
        self.server("CF.RESERVE", "wanted", 1000, "ERROR", "0.01")
        self.assertIn("default: takes 0.05% of new lines", self.run_here("uniq", "default", lines=["a"]).err)
        self.assertIn("wanted: takes 1% of new lines", self.run_here("uniq", "wanted", lines=["a"]).err)
        for _ in range(2):  # one that it makes itself is right, to the last digit
            self.assertEqual("", self.run_here("uniq", "--fpr", "2/3000", "own", lines=["a"]).err)

    def test_a_pause_that_is_too_long_for_the_server_leaves_no_doubt(self):
        running = self.start_here("uniq", "seen")
        running.send(["a"])
        self.wait_for(lambda: running.lines() == ["a"])
        self.server("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
        self.wait_for(lambda: self.server("INFO", "clients")["connected_clients"] == 1)
        running.send(["a", "b"])
        done = running.end()
        self.assertEqual((0, ["a", "b"], ""), (done.status, done.lines, done.err))

    def test_a_key_that_goes_is_made_again(self):
        running = self.start_here("uniq", "seen")
        running.send(["a"])
        self.wait_for(lambda: running.lines() == ["a"])
        self.server("DEL", "seen")
        running.send(["a", "b"])
        done = running.end()
        self.assertEqual(["a", "a", "b"], done.lines)
        self.assertIn("was gone 1 times and was made again", done.err)
        self.assertEqual(0, done.status)


class Full(CliTest):
    def test_a_full_filter_stops_uniq_and_what_it_knows_was_printed(self):
        self.server("CF.RESERVE", "seen", "100", "EXPANSION", "0")
        lines = [f"line {i}" for i in range(1000)]
        done = self.run_here("uniq", "seen", lines=lines)
        self.assert_trouble("no room for more on the server", done)
        known = [line for line, there in zip(lines, self.server("CF.MEXISTS", "seen", *lines)) if there]
        self.assertGreaterEqual(len(done.lines), 100)
        self.assertLessEqual(set(done.lines), set(known))
        passed = self.run_here("uniq", "--on-full", "pass", "seen", lines=lines)
        self.assertEqual([line for line in lines if line not in known], passed.lines)
        self.assertEqual(0, passed.status)

    def test_a_server_without_memory_still_holds_back_what_it_knows(self):
        self.run_here("uniq", "seen", lines=["a", "b"])
        self.run_here("uniq", "--window", "1h", "recent", lines=["a", "b"])
        self.server("CONFIG", "SET", "maxmemory", "1")
        self.assert_trouble("line 2: no room", self.run_here("uniq", "seen", lines=["a", "c"]))
        self.assertEqual(["c"], self.run_here("uniq", "--on-full", "pass", "seen", lines=["a", "b", "c"]).lines)
        # a window cannot be asked without being told
        done = self.run_here("uniq", "--on-full", "pass", "--window", "1h", "recent", lines=["a", "c"])
        self.assertEqual(["a", "c"], done.lines)
        self.assert_trouble("OOM", self.run_here("add", "seen", lines=["c"]))


class Change(CliTest):
    def test_copies_are_counted_and_removed_one_by_one(self):
        done = self.run_here("add", "users", lines=["ana", "bob", "ana"])
        self.assertEqual((0, "guira add: users: 3 lines added\n"), (done.status, done.err))
        self.assertEqual([2, 1], [self.server("CF.COUNT", "users", item) for item in ("ana", "bob")])
        done = self.run_here("remove", "users", lines=["ana", "ana", "eve"])
        self.assertEqual(1, done.status)
        self.assertIn("2 lines removed", done.err)
        self.assertIn("1 lines were not there", done.err)
        self.assertEqual([0, 1], self.server("CF.MEXISTS", "users", "ana", "bob"))

    def test_unique_adds_once(self):
        done = self.run_here("add", "--unique", "users", lines=["ana", "bob", "ana"])
        self.assertIn("2 lines added", done.err)
        self.assertIn("1 lines were there already", done.err)
        self.assertEqual(1, self.server("CF.COUNT", "users", "ana"))

    def test_too_many_copies_are_refused(self):
        self.assert_trouble("too many copies", self.run_here("add", "users", lines=["ana"] * 100))

    def test_many_in_and_out(self):
        lines = [f"user {i}" for i in range(MANY)]
        self.assertEqual(0, self.run_here("add", "--items", MANY, "--fpr", "1e-6", "users", lines=lines).status)
        self.assertEqual(0, self.run_here("test", "-q", "users", lines=lines).status)
        self.assertEqual(0, self.run_here("remove", "users", lines=lines[::2]).status)
        there = self.run_here("test", "users", lines=lines)
        self.assertEqual((1, lines[1::2]), (there.status, there.lines))
        self.assertEqual(lines[::2], self.run_here("test", "-v", "users", lines=lines).lines)
        self.assertEqual(f"present {MANY // 2}\nabsent {MANY // 2}\n".encode(),
                         self.run_here("test", "-c", "users", lines=lines).raw)

    def test_a_no_ends_test_before_its_input(self):
        self.run_here("add", "users", lines=["ana"])
        running = self.start_here("test", "-q", "users")
        running.send(["ana", "eve"])
        self.assertEqual(1, running.process.wait(60))


class Troubles(CliTest):
    def test_keys_that_are_not_there_or_something_else(self):
        self.server("SET", "text", "x")
        self.server("RPUSH", "list", "x")
        for command in ("test", "remove"):
            self.assert_trouble("absent: there is no such key", self.run_here(command, "absent", lines=["a"]))
        for command in ("uniq", "add", "test", "remove"):
            self.assert_trouble("text: is a string, no filter", self.run_here(command, "text", lines=["a"]))
            self.assert_trouble("list: is a list, no filter", self.run_here(command, "list", lines=["a"]))
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
                self.assert_trouble("does not have the guira module", done)
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

    def test_nobody_there(self):
        self.assert_trouble("Connection refused", run("uniq", "--redis", f"127.0.0.1:{free_port()}", "seen"))

    def test_users_passwords_and_databases(self):
        at = f"127.0.0.1:{self.server.port}"
        self.server("ACL", "SETUSER", "eve", "on", ">p@ss/word", "~*", "+@all")
        self.assertEqual(["a"], run("uniq", "--redis", f"redis://eve:p%40ss%2Fword@{at}/3", "seen", lines=["a"]).lines)
        self.assertEqual(0, self.server("EXISTS", "seen"))
        self.assert_trouble("WRONGPASS", run("uniq", "--redis", f"redis://eve:wrong@{at}", "seen"))
        self.server("CONFIG", "SET", "requirepass", "secret")
        for place in (at, f"{at}/3"):
            self.assert_trouble("set REDISCLI_AUTH", run("uniq", "--redis", f"redis://{place}", "seen"))
        self.assertEqual(["a"], run("uniq", "--redis", f"redis://:secret@{at}", "seen", lines=["a"]).lines)
        self.assertEqual([], run("uniq", "--redis", f"redis://{at}", "seen", lines=["a"],
                                 env={"REDISCLI_AUTH": "secret"}).lines)

    def test_one_who_may_not_ask_for_slots(self):
        self.server("ACL", "SETUSER", "ana", "on", ">word", "~*", "-@all", "+type", "+cf.insertnx", "+cf.reserve")
        done = run("uniq", "--redis", f"redis://ana:word@127.0.0.1:{self.server.port}", "seen", lines=["a", "a"])
        self.assertEqual((["a"], 0), (done.lines, done.status))


class Shards(CliTest):
    def test_the_number_must_be_the_same(self):
        self.assertEqual(["a"], self.run_here("uniq", "--shards", 4, "seen", lines=["a"]).lines)
        self.assertEqual([], self.run_here("uniq", "--shards", 4, "seen", lines=["a"]).lines)
        for words in ((5,), (1,)):
            self.assert_trouble("says 'guira: 4 shards'", self.run_here("uniq", "--shards", *words, "seen", lines=["a"]))
        self.assert_trouble("say --shards N", self.run_here("uniq", "seen", lines=["a"]))
        self.assert_trouble("no such filter with --shards", self.run_here("test", "--shards", 4, "other", lines=["a"]))
        self.run_here("uniq", "plain", lines=["a"])
        self.assert_trouble("leave out --shards", self.run_here("uniq", "--shards", 4, "plain", lines=["a"]))
        self.server("SET", "text", "x")
        self.assert_trouble("text: says 'x' and not 'guira: 4 shards'",
                            self.run_here("uniq", "--shards", 4, "text", lines=["a"]))
        self.assert_trouble("has no {", self.run_here("uniq", "--shards", 4, "a{b}", lines=["a"]))

    def test_where_items_go_stays_for_ever(self):
        """By the published values of XXH64: ef46db37..., d24ec4f1..., 44bc2cf5... for these."""
        self.run_here("add", "--shards", 1024, "set", lines=["", "a", "abc"])
        keys = [k.decode() for k in self.server("KEYS", "set{*") if pairs(self.server("CF.STATS", k))["items"] == 1]
        wanted = sorted((int(h, 16) * 1024) >> 32 for h in ("ef46db37", "d24ec4f1", "44bc2cf5"))
        self.assertEqual(wanted, sorted(slot(re.search(r"{(\d+)}:1024$", k)[1]) // 16 for k in keys))

    def test_all_commands_find_the_same_keys(self):
        lines = [f"line {i}" for i in range(5000)]
        self.assertEqual(0, self.run_here("add", "--shards", 8, "--items", 5000, "--fpr", "1e-6", "set", lines=lines).status)
        keys = self.server("KEYS", "set{*")
        items = [pairs(self.server("CF.STATS", k))["items"] for k in keys]
        self.assertEqual((8, 5000), (len(keys), sum(items)))
        self.assertGreater(min(items), 450)
        self.assertEqual(lines, self.run_here("test", "--shards", 8, "set", lines=lines).lines)
        self.assertEqual(0, self.run_here("remove", "--shards", 8, "set", lines=lines).status)
        self.assertEqual(lines, self.run_here("test", "-v", "--shards", 8, "set", lines=lines).lines)


class Losses(CliTest):
    """Connections that break when the server has done its work and the answer is not there yet."""

    def setUp(self):
        super().setUp()
        self.cutter = Cutter(self.server.port)
        self.addCleanup(self.cutter.close)
        self.url = f"redis://127.0.0.1:{self.cutter.port}"

    def cut_at(self, word):
        self.cutter.cut_when(lambda requests: word in requests)

    def test_uniq_passes_on_what_it_does_not_know(self):
        self.run_here("uniq", "seen", lines=["old"])
        self.cut_at(b"CF.INSERTNX")
        done = self.run_here("uniq", "seen", lines=["new", "old", "new"])
        self.assertEqual(1, self.cutter.cuts)
        self.assertEqual((0, ["new", "old"]), (done.status, done.lines))  # new is not lost, old is not known to be old
        self.assertIn("2 lines were in flight", done.err)
        self.assertEqual([], self.run_here("uniq", "seen", lines=["new", "old"]).lines)

    def test_add_adds_again(self):
        self.cut_at(b"CF.INSERT")
        done = self.run_here("add", "users", lines=["ana"])
        self.assertEqual((1, 0), (self.cutter.cuts, done.status))
        self.assertIn("1 lines were in flight", done.err)
        self.assertEqual(2, self.server("CF.COUNT", "users", "ana"))

    def test_remove_does_not_remove_again(self):
        self.run_here("add", "users", lines=["ana", "ana"])
        self.cut_at(b"CF.DEL")
        done = self.run_here("remove", "users", lines=["ana"])
        self.assertEqual((1, 1), (self.cutter.cuts, done.status))
        self.assertIn("1 lines were in flight when a connection was lost: they were removed or not", done.err)
        self.assertEqual(1, self.server("CF.COUNT", "users", "ana"))

    def test_test_asks_again(self):
        self.run_here("add", "users", lines=["ana"])
        self.cut_at(b"CF.MEXISTS")
        done = self.run_here("test", "users", lines=["ana", "eve"])
        self.assertEqual((1, 1, ["ana"], ""), (self.cutter.cuts, done.status, done.lines, done.err))


class Away(CliTest):
    """Servers of their own, because these end."""

    def setUp(self):
        super().setUp()
        self.other = Server(port=free_port())
        self.addCleanup(self.other.remove)
        self.url = f"redis://127.0.0.1:{self.other.port}"

    def kill(self):
        self.other.process.kill()
        self.other.process.wait()

    def test_one_that_does_not_come_back(self):
        running = self.start_here("uniq", "--redis-timeout", "1s", "seen")
        running.send(["a"])
        self.wait_for(lambda: running.lines() == ["a"])
        self.kill()
        running.send(["b"])
        done = running.end()
        self.assert_trouble("Connection refused", done)
        self.assertIn("go on from line 2", done.err)
        self.assertEqual(["a"], done.lines)

    def test_one_that_does_not_come_back_and_a_signal(self):
        running = self.start_here("uniq", "--redis-timeout", "1h", "seen")
        running.send(["a"])
        self.wait_for(lambda: running.lines() == ["a"])
        self.kill()
        running.send(["b"])
        self.assert_trouble("go on from line 2", running.end(signal.SIGTERM))

    def test_one_that_comes_back_without_its_data(self):
        running = self.start_here("uniq", "seen")
        running.send(["a"])
        self.wait_for(lambda: running.lines() == ["a"])
        self.kill()
        running.send(["b"])
        self.other.start()
        self.wait_for(lambda: running.lines() == ["a", "b"])
        done = running.end()
        self.assertEqual(0, done.status)
        self.assertIn("was made again", done.err)

    def test_one_that_loads_its_data_is_waited_for(self):
        self.run_here("uniq", "seen", lines=["a"])
        self.other("MSET", *(word for i in range(1000) for word in (f"key {i}", "x" * 100)))
        self.other("CONFIG", "SET", "key-load-delay", 2000, "loading-process-events-interval-bytes", 1024)
        reloading = threading.Thread(target=self.other, args=("DEBUG", "RELOAD"))
        reloading.start()
        self.wait_for(self.is_loading)
        done = self.run_here("uniq", "seen", lines=["a", "b"])
        reloading.join()
        self.assertEqual((0, ["b"], ""), (done.status, done.lines, done.err))

    def is_loading(self):
        try:
            self.other("GET", "key 0")
        except redis.exceptions.BusyLoadingError:
            return True
        return False

    def test_one_that_hangs_for_good(self):
        """The line was with it, so it may be remembered: it is passed on."""
        running = self.start_here("uniq", "--redis-timeout", "1s", "seen")
        running.send(["a"])
        self.wait_for(lambda: running.lines() == ["a"])
        self.other.process.send_signal(signal.SIGSTOP)
        self.addCleanup(self.other.process.send_signal, signal.SIGCONT)
        running.send(["b"])
        done = running.end()
        self.assert_trouble("no answer", done)
        self.assertIn("0 were not decided and 1 passed on without an answer: go on from line 2", done.err)
        self.assertEqual(["a", "b"], done.lines)

    def test_one_that_hangs_is_waited_for(self):
        running = self.start_here("uniq", "--redis-timeout", "60s", "seen")
        running.send(["a"])
        self.wait_for(lambda: running.lines() == ["a"])
        self.other.process.send_signal(signal.SIGSTOP)
        running.send(["a", "b"])
        self.other.process.send_signal(signal.SIGCONT)
        done = running.end()
        self.assertEqual((0, ["a", "b"], ""), (done.status, done.lines, done.err))


class Metrics(CliTest):
    NAMES = [b"plain", b'a"b\\c', "schlüssel".encode(), b"bad\xff\xc0\x80", b"line\nend", b"\\xff", b"\xff", b"", b"nul\0"]

    def test_promtool_takes_them(self):
        self.assertIsNotNone(shutil.which("promtool"), "promtool is missing (Debian: prometheus)")
        for name in self.NAMES:
            self.server("CF.INSERT", name, "ITEMS", "a", "b")
        self.server("CFW.RESERVE", "recent", "1000", "ERROR", "0.001")
        self.server("CF.RESERVE", "fixed", "100", "EXPANSION", "0")
        self.server("SET", "text", "x")
        done = self.run_here("metrics")
        self.assertEqual((0, ""), (done.status, done.err))
        checked = subprocess.run(["promtool", "check", "metrics"], input=done.raw, capture_output=True)
        self.assertEqual((0, b"", b""), (checked.returncode, checked.stdout, checked.stderr))
        items = [line for line in done.lines if line.startswith("guira_items{")]
        self.assertEqual(len(self.NAMES) + 2, len(set(items)))
        self.assertIn(f'guira_items{{name="plain",kind="tidal",server="127.0.0.1:{self.server.port}"}} 2', items)
        self.assertEqual(["cuckoo", "window"], sorted(re.search('kind="(.*?)"', i)[1] for i in items if i.endswith(" 0")))
        self.assertIn(f'guira_server_filters{{server="127.0.0.1:{self.server.port}"}} {len(self.NAMES) + 1}', done.lines)

    def test_values_are_those_of_the_server(self):
        self.server("CF.RESERVE", "set", "1000", "ERROR", "0.01")
        self.server("CF.INSERT", "set", "ITEMS", *range(5000))
        stats, said = pairs(self.server("CF.STATS", "set")), {}
        for line in self.run_here("metrics").lines:
            if 'name="set"' in line:
                said[line.split("{")[0]] = float(line.split()[-1])
        for metric, field in (("items", "items"), ("slots", "slots"), ("memory_bytes", "bytes"), ("load_ratio", "load"),
                              ("false_positive_ratio", "false_positive_rate"), ("kicks_total", "kicks"),
                              ("false_positive_target_ratio", "wanted_false_positive_rate"),
                              ("grows_total", "buckets_added"), ("evictions_total", "evictions")):
            self.assertEqual(float(stats[field]), said["guira_" + metric], metric)

    def test_a_server_without_filters(self):
        done = self.run_here("metrics")
        self.assertEqual(0, done.status)
        self.assertFalse([line for line in done.lines if "guira_items{" in line])


if __name__ == "__main__":
    unittest.main(verbosity=2)
