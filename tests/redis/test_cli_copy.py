"""guira pull and push: keys become files, and files keys."""
import os
import shutil
import tempfile
import threading
import unittest

from cluster import Cluster
from harness import QUICK, ServerTest, pairs, rng_for
from cli_tool import CliMixin, CuttingProxy, Running, assert_lines_but_few, run
from redisbloom import CuckooFilter, dump

MANY = 100000 if QUICK else 600000   # lines: chunks have 1 MiB, so this is three of them
HEADER, RECORD = 40, 48              # bytes before each chunk, and before the file in a filter's stream


def lines_to(n, first=0):
    return [f"line {i}" for i in range(first, n)]


class CopyMixin(CliMixin):
    """Runs the tool in a directory of its own."""

    def make_directory(self):
        self.dir = tempfile.mkdtemp(prefix="guira-copy-")
        self.addCleanup(shutil.rmtree, self.dir)

    def path(self, name):
        return os.path.join(self.dir, name)

    def pull(self, key, name, *words):
        return self.run_cli("pull", *words, key, self.path(name))

    def push(self, name, key, *words):
        return self.run_cli("push", *words, self.path(name), key)

    def assert_done(self, done):
        self.assertEqual(0, done.status, done.err)

    def assert_fails(self, text, done):
        self.assertIn(text, done.err)
        self.assertEqual(2, done.status)

    def assert_contains(self, name, lines):
        self.assertEqual(0, run("test", "-q", "--all", self.path(name), lines=lines).status)

    def bytes_of(self, name):
        with open(self.path(name), "rb") as f:
            return f.read()


class CopyTest(CopyMixin, ServerTest):
    def setUp(self):
        self.servers = []
        self.server = self.new_server(arguments=("BF", "yes"))
        self.url = f"redis://127.0.0.1:{self.server.port}"
        self.make_directory()


class Filters(CopyTest):
    def test_a_filter_of_several_chunks_and_back(self):
        lines = lines_to(MANY)
        self.run_cli("add", "-q", "--fpr", "1e-6", "set", lines=lines)
        done = self.pull("set", "set.gf")
        self.assert_done(done)
        items = pairs(self.server("CF.STATS", "set"))["items"]
        self.assertIn(f"set.gf: {items} items; ", done.err)
        self.assertEqual(0, run("verify", self.path("set.gf")).status)
        self.assert_contains("set.gf", lines)
        self.assert_done(self.push("set.gf", "copy"))
        self.assertEqual(items, pairs(self.server("CF.STATS", "copy"))["items"])
        self.assertEqual(0, self.run_cli("test", "-q", "--all", "copy", lines=lines).status)
        self.assertEqual(-1, self.server("TTL", "copy"))
        self.assertEqual([b"copy", b"set"], sorted(self.server("KEYS", "*")))
        self.assert_done(self.pull("copy", "copy.gf"))
        self.assertEqual(self.bytes_of("set.gf"), self.bytes_of("copy.gf"))

    def test_joined_chunks_are_the_file(self):
        self.run_cli("add", "-q", "--fpr", "1e-6", "set", lines=lines_to(MANY))
        position, stream = 0, b""
        while True:
            position, chunk = self.server("CF.SCANDUMP", "set", position)
            if position == 0:
                break
            stream += chunk[HEADER:]
        self.assert_done(self.pull("set", "set.gf"))
        self.assertEqual(stream[RECORD:], self.bytes_of("set.gf"))

    def test_empty_fixed_and_bloom_filters(self):
        self.server("CF.RESERVE", "empty", 1000)
        self.server("CF.RESERVE", "fixed", 1000, "EXPANSION", 0)
        self.server("CF.RESERVE", "exact", 1000, "ERROR", 0.0001)
        self.server("BF.RESERVE", "bloom", 0.001, 1000)
        for key, add in (("fixed", "CF.ADD"), ("exact", "CF.ADD"), ("bloom", "BF.ADD")):
            for line in lines_to(500):
                self.server(add, key, line)
        for key, kind, n in (("empty", "tidal", 0), ("fixed", "cuckoo", 500), ("exact", "tidal", 500), ("bloom", "tidal", 500)):
            self.assert_done(self.pull(key, key + ".gf"))
            self.assertIn(f'"kind":"{kind}"', run("info", "--json", self.path(key + ".gf")).lines[0])
            self.assert_contains(key + ".gf", lines_to(n))
            self.assert_done(self.push(key + ".gf", key + "2"))
            self.assertEqual([1] * n, self.server("CF.MEXISTS", key + "2", *lines_to(n)) if n else [])
        self.assertEqual(0, pairs(self.server("CF.INFO", "fixed2"))["Expansion rate"])

    def test_bloom_filters_come_back(self):
        """With --as bf, and in place of a key for BF.*. What BF.INFO says but for the memory, and the bytes are the same."""
        s, lines = self.server, lines_to(500)
        s("BF.RESERVE", "grows", 0.001, 1000)
        s("BF.RESERVE", "fixed", 0.01, 600, "NONSCALING")
        for key in ("grows", "fixed"):
            s("BF.MADD", key, *lines)
            self.assert_done(self.pull(key, key + ".gf"))
            self.assert_done(self.push(key + ".gf", key + "2", "--as", "bf"))
            s("BF.RESERVE", key + "3", 0.1, 10)
            self.assert_done(self.push(key + ".gf", key + "3", "--force"))
            for other in (key + "2", key + "3"):
                self.assertEqual({**pairs(s("BF.INFO", key)), "Size": 0}, {**pairs(s("BF.INFO", other)), "Size": 0})
                self.assertEqual(s("DEBUG", "DIGEST-VALUE", key), s("DEBUG", "DIGEST-VALUE", other))
                self.assertEqual([1] * 500, s("BF.MEXISTS", other, *lines))
                self.assertEqual(1, s("BF.ADD", other, next(x for x in range(1000) if s("BF.EXISTS", other, x) == 0)))
            self.assert_done(self.push(key + ".gf", key + "3", "--force", "--as", "cf"))
            self.assertEqual([1] * 500, s("CF.MEXISTS", key + "3", *lines))
        self.assertEqual("non scaling filter is full", str(s("BF.MADD", "fixed2", *lines_to(1000))[-1]))

    def test_what_cannot_be_a_bloom_filter_is_refused(self):
        s = self.server
        s("CF.RESERVE", "cuckoo", 100, "EXPANSION", 0)
        s("CFW.RESERVE", "window", 1000)
        for key in ("cuckoo", "window"):
            self.assert_done(self.pull(key, key + ".gf"))
        self.assert_fails("only tidal filters can be keys for BF", self.push("cuckoo.gf", "b", "--as", "bf"))
        self.assert_fails("is a window, which can only be a key for CFW", self.push("window.gf", "b", "--as", "bf"))
        self.assertEqual(0, s("EXISTS", "b"))
        s("BF.ADD", "b", "a")
        self.assert_done(self.push("cuckoo.gf", "b", "--force"))  # no longer for BF.*
        self.assertEqual(0, s("CF.EXISTS", "b", "a"))
        s("CF.RESERVE", "tidal", 100)
        self.assert_done(self.pull("tidal", "tidal.gf"))
        self.url = f"redis://127.0.0.1:{self.new_server().port}"
        self.assert_fails("loadmodule guira.so BF yes", self.push("tidal.gf", "b", "--as", "bf"))

    def test_files_of_the_tool_become_keys(self):
        lines = lines_to(5000)
        run("build", "-q", "--count-copies", "--fpr", "1e-6", self.path("set.gf"), lines=lines + ["x"] * 1000)
        run("uniq", "--state", self.path("state.gf"), lines=lines)
        for name in ("set", "state"):
            self.assert_done(self.push(name + ".gf", name))
            self.assertEqual(0, self.run_cli("test", "-q", "--all", name, lines=lines).status)
        self.assertEqual(1000, self.server("CF.COUNT", "set", "x"))
        self.assertEqual(["new"], self.run_cli("uniq", "state", lines=["line 1", "new"]).lines)
        for _ in range(1000):
            self.server("CF.DEL", "set", "x")
        self.assert_done(self.pull("set", "less.gf"))
        self.assertEqual(["0\tx"], run("count", self.path("less.gf"), lines=["x"]).lines)

    def test_existing_files_and_keys_need_force(self):
        self.run_cli("add", "-q", "set", lines=["a"])
        with open(self.path("set.gf"), "w") as f:
            f.write("mine")
        self.assert_fails("set.gf: already exists; --force replaces it", self.pull("set", "set.gf"))
        self.assertEqual(b"mine", self.bytes_of("set.gf"))
        self.assert_done(self.pull("set", "set.gf", "--force"))
        self.assert_contains("set.gf", ["a"])
        self.server("SET", "text", "mine")
        self.assert_fails("text: already exists; --force replaces it", self.push("set.gf", "text"))
        self.assertEqual(b"mine", self.server("GET", "text"))
        self.assert_done(self.push("set.gf", "text", "--force"))
        self.assertEqual(1, self.server("CF.EXISTS", "text", "a"))

    def test_a_file_that_cannot_be_written(self):
        self.run_cli("add", "-q", "set", lines=["a"])
        self.assert_fails("no/set.gf: cannot be written", self.pull("set", "no/set.gf"))
        self.assert_fails("not a regular file", self.pull("set", ".", "--force"))
        self.assertEqual([], os.listdir(self.dir))

    def test_keys_that_are_no_filters(self):
        self.server("RPUSH", "list", "x")
        self.server("SET", "text", "x")
        self.assert_fails("nosuch: there is no such key", self.pull("nosuch", "x.gf"))
        self.assert_fails("list: is a list, not a guira filter or window", self.pull("list", "x.gf"))
        self.assert_fails("text: is a string", self.pull("text", "x.gf"))
        self.run_cli("add", "-q", "--items", 1000000, "set", lines=["a"])
        position, chunk = self.server("CF.SCANDUMP", "set", 0)
        self.server("CF.LOADCHUNK", "part", position, chunk)
        self.assert_fails("part: is being loaded", self.pull("part", "x.gf"))
        self.assertEqual([], os.listdir(self.dir))

    def test_files_that_cannot_be_keys(self):
        run("build", "-q", "--kind", "dynamic", self.path("dynamic.gf"), lines=["a"])
        run("build", "-q", "--max-load", "0.3", "--min-load", "0.1", self.path("sparse.gf"), lines=["a"])
        run("build", "-q", self.path("good.gf"), lines=lines_to(1000))
        with open(self.path("cut.gf"), "wb") as f:
            f.write(self.bytes_of("good.gf")[:-100])
        with open(self.path("text.gf"), "wb") as f:
            f.write(b"text\n" * 1000)
        damaged = bytearray(self.bytes_of("good.gf"))
        damaged[len(damaged) // 2] ^= 1
        with open(self.path("damaged.gf"), "wb") as f:
            f.write(damaged)
        for name, message in (("dynamic.gf", "only tidal and cuckoo filters"), ("sparse.gf", "the server refuses the file"),
                              ("cut.gf", "damaged"), ("damaged.gf", "damaged"), ("text.gf", "not a guira filter file"),
                              ("nosuch.gf", "no such file"), ("", "not a regular file")):
            self.assert_fails(message, self.push(name, "key"))
        self.assertEqual([], self.server("KEYS", "*"))

    def test_dumps_while_the_filter_changes_are_of_one_moment(self):
        """What was in the filter before the dump began is in the file, and the file is intact."""
        known = lines_to(MANY // 4)
        self.run_cli("add", "-q", "--fpr", "1e-6", "--items", MANY, "set", lines=known)
        stop = threading.Event()

        def change():
            for i in range(10**9):
                if stop.is_set():
                    return
                self.server("CF.INSERT", "set", "ITEMS", *(f"new {j}" for j in range(100 * i, 100 * i + 100)))

        writer = threading.Thread(target=change)
        writer.start()
        try:
            for i in range(3):
                self.assert_done(self.pull("set", f"{i}.gf"))
                self.assertEqual(0, run("verify", "-q", self.path(f"{i}.gf")).status)
                self.assert_contains(f"{i}.gf", known)
        finally:
            stop.set()
            writer.join()

    def test_the_documented_permissions_suffice(self):
        self.run_cli("add", "-q", "users", lines=lines_to(100000))
        self.server("CF.RESERVE", "users-empty", 10)
        self.server("CFW.RESERVE", "users-recent", 60000)
        self.server("ACL", "SETUSER", "r", "on", ">p", "~users*", "-@all", "+type", "+cf.scandump", "+dump")
        self.server("ACL", "SETUSER", "w", "on", ">p", "~users*", "-@all", "+type", "+cf.loadchunk", "+cfw._loadchunk", "+del",
                    "+expire", "+rename", "+renamenx")
        url = self.url
        for key in ("users", "users-empty", "users-recent"):
            self.url = url.replace("//", "//r:p@")
            self.assert_done(self.pull(key, key + ".gf"))
            self.assert_fails("NOPERM", self.push(key + ".gf", key + "2"))
            self.url = url.replace("//", "//w:p@")
            self.assert_done(self.push(key + ".gf", key + "2"))
            self.assert_fails("NOPERM", self.push(key + ".gf", "other"))
            self.assert_fails("NOPERM", self.pull(key, "x.gf"))


class Moved(CopyTest):
    """A filter that came with the server from RedisBloom keeps the type MBbloomCF."""

    def restore(self, key, lines):
        f = CuckooFilter(1024)
        for line in lines:
            f.add(line)
        self.server("DEBUG", "SET-SKIP-CHECKSUM-VALIDATION", 1)
        self.server("RESTORE", key, 0, dump(f))
        self.assertEqual(b"MBbloomCF", self.server("TYPE", key))

    def test_the_tool_uses_it_as_any_filter(self):
        s, old, new = self.server, lines_to(100), lines_to(300, 200)
        self.restore("moved", old)
        self.assert_done(self.run_cli("add", "moved", lines=new))
        done = self.run_cli("test", "moved", lines=old + new)
        self.assertEqual(old + new, done.lines)
        self.assert_fails("is a filter, not a window", self.run_cli("uniq", "--window", "1h", "moved", lines=["x"]))
        self.assert_fails("contains items of a RedisBloom filter", self.pull("moved", "f.gf"))
        self.assert_done(self.run_cli("remove", "moved", lines=old))
        self.assertEqual(0, pairs(s("CF.STATS", "moved"))["old_items"])
        self.assert_done(self.pull("moved", "f.gf"))
        self.assert_contains("f.gf", new)
        self.assert_done(self.push("f.gf", "moved", "--force"))
        self.assertEqual(b"guira-flt", s("TYPE", "moved"))

    def test_one_without_items_has_no_seed_yet(self):
        """The seed that stands in for it is in the public sources."""
        self.restore("moved", [])
        self.assert_fails("it gets its hash seed with the first item", self.pull("moved", "f.gf"))
        self.assertFalse(os.path.exists(self.path("f.gf")))
        self.server("CF.ADD", "moved", "x")
        self.assert_done(self.pull("moved", "f.gf"))

    def test_metrics_have_keys_of_every_type(self):
        s = self.server
        self.restore("moved", [])
        s("CF.INSERT", "moved", "ITEMS", "a", "b")
        s("BF.RESERVE", "bloom", 1e-6, 1000)  # so that none of the three is a false positive
        s("BF.MADD", "bloom", "a", "b", "c")
        s("BF.RESERVE", "fixed", 0.01, 100, "NONSCALING")
        self.assertEqual(("tidal", 3), tuple(pairs(s("CF.STATS", "bloom"))[field] for field in ("kind", "items")))
        lines = self.run_cli("metrics").lines
        for key, items in ("moved", 2), ("bloom", 3), ("fixed", 0):
            self.assertIn(f'guira_items{{name="{key}",kind="tidal",server="127.0.0.1:{s.port}"}} {items}', lines)
        self.assert_fails("is a filter for BF.* commands", self.run_cli("add", "bloom", lines=["x"]))


class Windows(CopyTest):
    def test_a_window_and_back(self):
        rng = rng_for(self)
        lines = [f"{rng.getrandbits(64):x}" for _ in range(30000)]  # several blocks of 64 KiB
        self.run_cli("uniq", "--window", "1h", "recent", lines=lines)
        self.assert_done(self.pull("recent", "recent.gf"))
        self.assertEqual(0, run("verify", self.path("recent.gf")).status)
        self.assert_contains("recent.gf", lines)
        self.assert_done(self.push("recent.gf", "again"))
        new = [f"new {i}" for i in range(20)]
        for done in (self.run_cli("uniq", "--window", "1h", "again", lines=lines + new),
                     run("uniq", "--window", "1h", "--state", self.path("recent.gf"), lines=lines + new)):
            self.assertEqual(0, done.status, done.err)
            assert_lines_but_few(self, new, done.lines, 2)  # rate 1e-5: more than 2 of 20 with a probability of 1e-12

    def test_a_window_that_compresses_well(self):
        """A reserved window is nearly all zeros, which the server compresses in its DUMP."""
        self.server("CFW.RESERVE", "recent", 3600000)
        for i in range(50):
            self.server("CFW.SEEN", "recent", i)
        self.assert_done(self.pull("recent", "recent.gf"))
        self.assert_contains("recent.gf", [str(i) for i in range(50)])
        self.server("CONFIG", "SET", "rdbcompression", "no")
        self.assert_done(self.pull("recent", "plain.gf"))
        self.assertEqual(self.bytes_of("recent.gf"), self.bytes_of("plain.gf"))

    def test_a_state_becomes_a_window(self):
        run("uniq", "--window", "10m", "--state", self.path("state.gf"), lines=["a", "b"])
        self.assert_done(self.push("state.gf", "recent"))
        self.assertEqual(["c"], self.run_cli("uniq", "--window", "10m", "recent", lines=["a", "c", "b"]).lines)
        self.assertIn("was created with --window", self.run_cli("uniq", "--window", "11m", "recent", lines=["a"]).err)


class LostConnections(CopyTest):
    def setUp(self):
        super().setUp()
        run("build", "-q", "--items", 1500000, self.path("set.gf"), lines=["a"])
        self.proxy = CuttingProxy(self.server.port)
        self.addCleanup(self.proxy.close)
        self.direct, self.url = self.url, f"redis://127.0.0.1:{self.proxy.port}"

    def test_push_starts_again(self):
        self.proxy.cut_when(lambda requests: requests.count(b"CF.LOADCHUNK") == 2)
        self.assert_done(self.push("set.gf", "set"))
        self.assertEqual((1, [b"set"]), (self.proxy.cuts, self.server("KEYS", "*")))
        self.assertEqual(1, self.server("CF.EXISTS", "set", "a"))

    def test_push_says_when_the_last_step_is_unknown(self):
        self.proxy.cut_when(lambda requests: b"RENAMENX" in requests)
        self.assert_fails("may or may not be there", self.push("set.gf", "set"))
        self.assertEqual(1, self.server("CF.EXISTS", "set", "a"))

    def test_pull_continues(self):
        self.assert_done(run("push", "--redis", self.direct, self.path("set.gf"), "set"))
        self.proxy.cut_when(lambda requests: requests.count(b"CF.SCANDUMP") == 2)
        self.assert_done(self.pull("set", "copy.gf"))
        self.assertEqual((1, self.bytes_of("set.gf")), (self.proxy.cuts, self.bytes_of("copy.gf")))

    def test_a_killed_push_leaves_a_key_that_expires(self):
        reached = threading.Event()
        release = threading.Event()

        def hold(requests):
            if requests.count(b"CF.LOADCHUNK") == 2:
                reached.set()
                release.wait(60)
            return False

        self.proxy.cut_when(hold)
        running = Running("push", "--redis", self.url, self.path("set.gf"), "set")
        self.addCleanup(running.stop)
        self.assertTrue(reached.wait(60))
        running.process.kill()
        running.end()
        release.set()
        keys = self.server("KEYS", "*")
        self.assertEqual((1, True), (len(keys), keys[0].startswith(b"set:guira-push-")))
        self.assertGreater(self.server("TTL", keys[0]), 0)


class InACluster(CopyMixin, unittest.TestCase):
    def test_through_any_node(self):
        self.make_directory()
        with Cluster(3, 0) as cluster:
            run("build", "-q", self.path("set.gf"), lines=lines_to(100000 if QUICK else 700000))
            for key in ("one", "two", "three", "tag{x}ged", "odd}{", "{}whole"):
                self.url = f"redis://127.0.0.1:{cluster.nodes[len(key) % 3].port}"
                self.assert_done(self.push("set.gf", key))
                self.assert_fails("already exists", self.push("set.gf", key))
                self.assert_done(self.push("set.gf", key, "--force"))
                self.url = f"redis://127.0.0.1:{cluster.nodes[(len(key) + 1) % 3].port}"
                self.assert_done(self.pull(key, "copy.gf", "--force"))
                self.assertEqual(self.bytes_of("set.gf"), self.bytes_of("copy.gf"))
            keys = sorted(k.decode() for node in cluster.nodes for k in node("KEYS", "*"))
            self.assertEqual(sorted(("one", "two", "three", "tag{x}ged", "odd}{", "{}whole")), keys)


if __name__ == "__main__":
    unittest.main()
