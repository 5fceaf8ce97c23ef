"""guira plan --nodes: its numbers are those of a real cluster of three masters with a replica each.

Run with GUIRA_REPORT=1 it prints what docs/capacity.md has.
"""
import json
import os
import time
import unittest

from cluster import Cluster, poll
from harness import PRELOAD, QUICK
from cli_tool import run

ITEMS = 200000 if QUICK else 1000000
REPORT = "GUIRA_REPORT" in os.environ


def plan(items, *words):
    return json.loads(run("plan", "--json", "--items", items, *words).lines[0])


def traffic(node):
    info = node.client.info("stats")
    return info["total_net_input_bytes"], info["total_net_output_bytes"]


class Capacity(unittest.TestCase):
    def setUp(self):
        self.cluster = Cluster(3, 1)
        self.addCleanup(self.cluster.stop)
        self.url = f"redis://127.0.0.1:{self.cluster.nodes[0].port}"
        self.lines = [f"{i:020}" for i in range(ITEMS)]

    def report(self, what, planned, measured):
        if REPORT:
            print(f"{what:40} {planned:14.0f} {measured:14.0f} {measured / planned:7.3f}", flush=True)

    def assert_near(self, what, planned, measured, tolerance):
        self.report(what, planned, measured)
        self.assertLess(abs(measured / planned - 1), tolerance, f"{what}: planned {planned}, measured {measured}")

    def masters(self):
        return [n for n in self.cluster.alive() if n.client.info("replication")["role"] == "master"]

    def replicas(self):
        return [n for n in self.cluster.alive() if n.client.info("replication")["role"] == "slave"]

    def cli(self, command, *words, lines=()):
        done = run(command, "--redis", self.url, *words, lines=lines)
        self.assertEqual(0, done.status, done.err)
        return done

    def test_memory_network_and_a_lost_server(self):
        wanted = plan(ITEMS, "--nodes", 6, "--replicas", 1)
        self.assertEqual((3, 12), (wanted["masters"], wanted["shards"]))
        before = {n.port: n.client.info("memory")["used_memory"] for n in self.cluster.nodes}
        shards = ("--shards", wanted["shards"], "set")
        self.cli("add", "-q", "--count-copies", "--items", ITEMS, "--fpr", "0.1%", *shards, lines=self.lines)
        self.check_memory(wanted, before)
        self.check_network(wanted, shards)
        self.check_failover(wanted, shards)

    def check_memory(self, wanted, before):
        """MEMORY USAGE of the keys, and used_memory of each server, which also has buffers of replication and of clients."""
        for n in self.masters():
            keys = n("KEYS", "set{*")
            used = sum(n("MEMORY", "USAGE", k) for k in keys)
            self.assertEqual(wanted["shards"] // 3, len(keys))
            if not PRELOAD:  # another allocator
                self.assert_near("bytes of a server: keys", wanted["server_bytes"], used, 0.08)
        for n in self.replicas():
            poll(lambda: n.client.info("replication")["master_link_status"] == "up", "the replica")
        if REPORT:
            for n in self.cluster.nodes:
                self.report("bytes of a server: used_memory", wanted["server_bytes"],
                            n.client.info("memory")["used_memory"] - before[n.port])

    def check_network(self, wanted, shards):
        """The servers count the bytes that they receive and send; with replication and INFO a little more than questions."""
        for n in self.masters():
            n("WAIT", 1, 60000)  # until the replica has all that was added: what it is sent counts too
        at = {n.port: traffic(n) for n in self.masters()}
        self.cli("test", *shards, lines=self.lines)
        moved = [[b - a for a, b in zip(at[n.port], traffic(n))] for n in self.masters()]
        # blocks of 8192 lines over 12 shards: about 680 in each command
        self.assert_near("bytes to the servers per question", wanted["bytes_to_server"], sum(m[0] for m in moved) / ITEMS, 0.02)
        self.assert_near("bytes back per question", wanted["bytes_back"], sum(m[1] for m in moved) / ITEMS, 0.05)

    def check_failover(self, wanted, shards):
        """No item is lost with a master, and its new replica gets as many bytes as planned."""
        for n in self.masters():
            n("WAIT", 1, 60000)
        dead = self.cluster.master_of(0)
        self.cluster.kill(dead)
        start = time.monotonic()
        self.url = f"redis://127.0.0.1:{self.masters()[0].port}"
        # on a busy machine a failover took 24 s, of the 30 for which the tool tries by default
        done = self.cli("test", "-q", "--all", "--redis-timeout", "300s", *shards, lines=self.lines)
        self.assertEqual("", done.err)
        if REPORT:
            print(f"seconds until all questions were answered again: {time.monotonic() - start:.1f}, node timeout 2 s", flush=True)
        self.cluster.wait_ok()
        heir = self.cluster.master_of(0)
        sent = traffic(heir)[1]
        dead.start()
        poll(lambda: dead.client.info("replication").get("master_link_status") == "up", "the new replica")
        self.assert_near("bytes to a new replica", wanted["sync_bytes"], traffic(heir)[1] - sent, 0.1)
        self.assertEqual(wanted["shards"] // 3, len(dead("KEYS", "set{*")))


if __name__ == "__main__":
    unittest.main()
