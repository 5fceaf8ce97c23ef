"""The tool guira with --redis on a cluster: shards, resharding and failover."""
import collections
import re
import signal
import threading
import time
import unittest

from cluster import SHORT_TIMEOUT, Cluster, poll
from harness import LONG, pairs, rng_for
from cli_tool import CliMixin, assert_lines_but_few, assert_once_but_few, have_come, slot

MANY = 100000 if LONG else 20000
SHARDS = 8


def unread_bytes(port):
    """Bytes that a server has received and not read, of the connection to this port with the most of them."""
    with open("/proc/net/tcp") as f:
        rows = [line.split() for line in f.readlines()[1:]]
    return max((int(r[4].split(":")[1], 16) for r in rows if int(r[1].split(":")[1], 16) == port and r[3] == "01"), default=0)


class ClusterTest(CliMixin, unittest.TestCase):
    REPLICAS = 0

    def setUp(self):
        self.cluster = Cluster(3, self.REPLICAS)
        self.addCleanup(self.cluster.stop)
        self.url = f"redis://127.0.0.1:{self.cluster.nodes[0].port}"

    def keys(self, pattern):
        """{key: the master that holds it}."""
        return {key.decode(): node for node in self.cluster.nodes if node.client.info("replication")["role"] == "master"
                for key in node("KEYS", pattern)}


class Slots(ClusterTest):
    def test_shards_are_spread_evenly(self):
        for n in (3, 8, 100):
            self.assertEqual(0, self.run_cli("add", "--shards", n, f"set{n}", lines=["a"]).status)
            keys = self.keys(f"set{n}{{*")
            slots = {key: self.cluster.nodes[0]("CLUSTER", "KEYSLOT", key) for key in keys}
            self.assertEqual(list(range(n)), sorted(s * n // 16384 for s in slots.values()))
            for key, number in slots.items():  # the tag is the smallest number in this part of the slots
                tag = int(key[key.index("{") + 1:key.index("}")])
                part = number * n // 16384
                self.assertFalse([t for t in range(tag) if slot(str(t)) * n // 16384 == part])
            count = collections.Counter(node.port for node in keys.values())
            self.assertLessEqual(max(count.values()) - min(count.values()), 1)

    def test_uniq_prints_the_same_as_without_a_cluster(self):
        rng = rng_for(self)
        lines = [f"line {rng.randrange(MANY)}" for _ in range(MANY)]
        wanted = list(dict.fromkeys(lines))
        for words in (("--shards", SHARDS, "seen"), ("plain",), ("--window", "1h", "--shards", SHARDS, "recent")):
            done = self.run_cli("uniq", *words, lines=lines)
            # the rate of a window is 1e-5: 0.6 of 63,000 lines on average, more than 20 with a probability below 1e-20
            assert_lines_but_few(self, wanted, done.lines, 20 if "--window" in words else 6)
            self.assertEqual((0, ""), (done.status, done.err))

    def test_resharding_while_two_processes_run(self):
        """Each line is printed exactly once: at any time a key is on exactly one server."""
        rng = rng_for(self)
        lines = [f"line {i}" for i in range(MANY)]
        outs = [self.start_cli("uniq", "--shards", SHARDS, "seen"), self.start_cli("uniq", "--shards", SHARDS, "seen")]
        resharding = threading.Thread(target=self.move_slots)
        resharding.start()
        at = 0
        while at < MANY or resharding.is_alive():
            piece = lines[at:at + 500] or lines[:500]
            for running in outs:
                running.send(rng.sample(piece, len(piece)))
            at += 500
            time.sleep(0.01 if at < MANY else 0.05)
        resharding.join()
        done = [running.end() for running in outs]
        self.assertEqual([(0, "")] * 2, [(d.status, d.err) for d in done])
        assert_once_but_few(self, lines, done[0].lines + done[1].lines)
        self.assertEqual(0, self.run_cli("test", "-q", "--all", "--shards", SHARDS, "seen", lines=lines).status)
        self.assertTrue([n for n in self.cluster.nodes if "errorstat_MOVED" in n.client.info("errorstats")])

    def move_slots(self):
        a, b, c = (self.cluster.master_of(s) for s in (0, 8000, 16383))
        for source, target in ((a, b), (c, a)):  # moves the first slots of each, which contain shards
            self.cluster.reshard(1500, source, target)

    def test_ask_redirections_are_followed(self):
        """The slot still belongs to the source, but the key is already on the target: the source replies with ASK."""
        self.run_cli("add", "--fpr", "1e-6", "set", lines=["a"])
        number = self.cluster.nodes[0]("CLUSTER", "KEYSLOT", "set")
        source = self.cluster.master_of(number)
        target = next(n for n in self.cluster.nodes if n is not source)
        target("CLUSTER", "SETSLOT", number, "IMPORTING", source.id)
        source("CLUSTER", "SETSLOT", number, "MIGRATING", target.id)
        source("MIGRATE", "127.0.0.1", target.port, "set", 0, 10000)
        self.assertEqual([], source("KEYS", "set"))
        self.assertEqual(0, self.run_cli("add", "set", lines=["b", "c"]).status)
        self.assertEqual(0, self.run_cli("remove", "set", lines=["b"]).status)
        self.assertEqual(["c"], self.run_cli("test", "set", lines=["b", "c"]).lines)
        self.assertEqual(["d"], self.run_cli("uniq", "set", lines=["a", "d"]).lines)
        for node in (target, source):
            node("CLUSTER", "SETSLOT", number, "NODE", target.id)
        self.assertEqual(["a", "c", "d"], self.run_cli("test", "set", lines=["a", "b", "c", "d"]).lines)

    def test_metrics_of_all_masters(self):
        self.run_cli("add", "--shards", SHARDS, "set", lines=[f"line {i}" for i in range(1000)])
        done = self.run_cli("metrics")
        items = [line for line in done.lines if line.startswith("guira_items{")]
        self.assertEqual((0, SHARDS), (done.status, len(items)))
        # A line that is a false positive is not added. At 125 items the rate is below 10^-3, and 12 of 1,000 lines or more are
        # such lines once in 10^9 runs.
        self.assertTrue(988 < sum(int(i.split()[-1]) for i in items) <= 1000, items)
        self.assertEqual(3, len([line for line in done.lines if line.startswith("guira_server_filters{")]))

    def test_a_dead_master_without_a_replica(self):
        running = self.start_cli("uniq", "--redis-timeout", "10s", "--shards", SHARDS, "seen")
        running.send(f"before {i}" for i in range(1000))
        poll(lambda: have_come(running, 1000), "lines")
        self.cluster.kill(self.cluster.master_of(16383))
        running.send(f"after {i}" for i in range(1000))
        done = running.end()
        self.assertEqual(2, done.status)
        self.assertIn("continue from line 1001", done.err)
        # The lines of the other shards were recorded, so they had to be printed.
        self.assertLess(1000, len(done.lines))
        self.assertLess(len(done.lines), 2000)


class Failover(ClusterTest):
    REPLICAS = 1

    def wait_until_replicated(self):
        """Waits until the replicas have all writes."""
        poll(lambda: all(n.client.info("replication").get("master_repl_offset", 0) ==
                         n.client.info("replication").get("slave_repl_offset",
                                                          n.client.info("replication")["master_repl_offset"])
                         for n in self.cluster.alive()), "replication")
        for node in {self.cluster.master_of(s) for s in (0, 8000, 16383)}:
            self.assertEqual(1, node("WAIT", 1, 10000))

    def kill_master(self):
        dead = self.cluster.master_of(16383)
        self.cluster.kill(dead)
        return dead

    def assert_failover_reported(self, dead, done):
        self.assertIn(f"failover: 127.0.0.1:{dead.port} was lost", done.err)
        self.assertEqual(0, done.status)

    def test_uniq_continues_after_a_failover(self):
        """All writes were replicated before the master died, so each line is printed once."""
        lines = [f"line {i}" for i in range(MANY)]
        running = self.start_cli("uniq", "--shards", SHARDS, "seen")
        running.send(lines[:MANY // 2])
        poll(lambda: have_come(running, MANY // 2), "lines")
        self.wait_until_replicated()
        dead = self.kill_master()
        running.send(lines)
        done = running.end()
        self.assert_failover_reported(dead, done)
        assert_lines_but_few(self, lines, done.lines)

    def test_uniq_prints_lines_that_were_in_flight(self):
        """The master is suspended, receives lines, and dies before it has read them."""
        lines = [f"line {i}" for i in range(10000)]
        running = self.start_cli("uniq", "--redis-timeout", "10m", "--shards", SHARDS, "seen")
        running.send(lines[:5000])
        poll(lambda: have_come(running, 5000), "lines")
        self.wait_until_replicated()
        dead = self.cluster.master_of(16383)
        self.cluster.set_node_timeout(SHORT_TIMEOUT)
        dead.process.send_signal(signal.SIGSTOP)
        running.send(lines)
        poll(lambda: unread_bytes(dead.port) > 10000, "lines to be in flight")
        dead.process.kill()
        dead.process.wait()
        done = running.end()
        self.assert_failover_reported(dead, done)
        self.assertGreater(int(re.search(r"(\d+) lines? in flight", done.err)[1]), 0)
        # Lines of the second half are printed once, in order. Lines of the first half that got no reply are printed again.
        assert_lines_but_few(self, lines, list(dict.fromkeys(done.lines)))

    def test_uniq_continues_after_a_failover_under_traffic(self):
        """No line is lost. A line may be printed twice if it was in flight, or not yet replicated."""
        lines = [f"line {i}" for i in range(MANY)]
        running = self.start_cli("uniq", "--shards", SHARDS, "seen")
        running.send(lines[:1000])
        poll(lambda: len(running.lines()) == 1000, "lines")
        killing = threading.Timer(0.2, self.kill_master)
        killing.start()
        dead = self.cluster.master_of(16383)
        for start in range(0, MANY, 500):
            running.send(lines[start:start + 500])
            time.sleep(0.02)
        killing.join()
        running.send(lines)
        done = running.end()
        self.assert_failover_reported(dead, done)
        assert_once_but_few(self, lines, list(set(done.lines)))

    def test_add_continues_after_a_failover(self):
        lines = [f"line {i}" for i in range(MANY)]
        running = self.start_cli("add", "--count-copies", "--fpr", "1e-6", "--shards", SHARDS, "set")
        running.send(lines[:MANY // 2])
        poll(lambda: sum(pairs(node("CF.STATS", key))["items"] for key, node in self.keys("set{*").items()) == MANY // 2,
             "lines")
        self.wait_until_replicated()
        dead = self.kill_master()
        running.send(lines[MANY // 2:])
        done = running.end()
        self.assert_failover_reported(dead, done)
        self.assertIn(f"{MANY} lines added", done.err)
        self.cluster.wait_ok()
        self.url = f"redis://127.0.0.1:{self.cluster.alive()[0].port}"
        self.assertEqual(0, self.run_cli("test", "-q", "--all", "--shards", SHARDS, "set", lines=lines).status)

    def test_add_and_remove_during_a_failover(self):
        """The exit status of remove is 1 if a line was not found, or if its removal is uncertain."""
        lines = [f"line {i}" for i in range(MANY)]
        self.run_cli("add", "--fpr", "1e-6", "--shards", SHARDS, "set", lines=lines)
        self.wait_until_replicated()
        adding = self.start_cli("add", "--count-copies", "--shards", SHARDS, "set")
        removing = self.start_cli("remove", "--shards", SHARDS, "set")
        killing = threading.Timer(0.2, self.kill_master)
        killing.start()
        for start in range(0, MANY, 500):
            adding.send(f"more {i}" for i in range(start, start + 500))
            removing.send(lines[start:start + 500])
            time.sleep(0.02)
        killing.join()
        added, removed = adding.end(), removing.end()
        self.assertEqual(0, added.status)
        self.assertIn(f"{MANY} lines added", added.err)
        self.assertIn("failover", added.err + removed.err)
        self.assertEqual(1 if "in flight" in removed.err or "not in the filter" in removed.err else 0, removed.status)


if __name__ == "__main__":
    unittest.main(verbosity=2)
