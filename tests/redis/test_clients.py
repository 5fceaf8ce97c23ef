"""Other clients than redis-py: redis-cli, and node-redis, which npm ci installs in a temporary directory."""
import os
import re
import shutil
import subprocess
import tempfile
import unittest

from cluster import CLI, Cluster
from harness import ServerTest

NODE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "node")


class Node(ServerTest):
    @classmethod
    def setUpClass(cls):
        for tool in ("node", "npm"):
            if shutil.which(tool) is None:
                raise AssertionError(f"{tool} is missing. On Debian: sh scripts/deps.sh redis")
        cls.dir = tempfile.mkdtemp(prefix="guira-node-")
        cls.addClassCleanup(shutil.rmtree, cls.dir)
        for name in os.listdir(NODE):
            if os.path.isfile(os.path.join(NODE, name)):
                shutil.copy(os.path.join(NODE, name), cls.dir)
        cls.install()

    @classmethod
    def install(cls):
        """From the registry, which may be out of reach for a moment, or for good: only then is the test skipped."""
        for _ in range(3):
            done = subprocess.run(["npm", "ci", "--no-audit", "--no-fund", "--prefer-offline"], cwd=cls.dir, text=True,
                                  capture_output=True)
            if done.returncode == 0:
                return
        if re.search("network|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ECONN|E429|E5[0-9][0-9]", done.stderr):
            raise unittest.SkipTest("npm cannot reach its registry: " + done.stderr)
        raise AssertionError("npm ci: " + done.stderr)

    def check(self, script, port):
        for protocol in (2, 3):
            with self.subTest(protocol=protocol):
                done = subprocess.run(["node", script, str(port), str(protocol)], cwd=self.dir, text=True,
                                      capture_output=True)
                self.assertEqual(0, done.returncode, done.stderr)

    def test_the_client_understands_the_replies(self):
        self.check("client.js", self.server.port)

    def test_the_client_works_in_a_cluster(self):
        with Cluster() as cluster:
            self.check("cluster.js", cluster.nodes[0].port)


class Shell(ServerTest):
    """redis-cli does not know the module's commands and prints each reply as it is."""

    def call(self, protocol, *words):
        done = subprocess.run([CLI, "-p", str(self.server.port), f"-{protocol}", "--no-raw", *words], text=True,
                              capture_output=True, timeout=60)
        self.assertEqual(("", 0), (done.stderr, done.returncode))
        return done.stdout.splitlines()

    def test_printed_replies(self):
        self.server.reserve_exact("visitors")
        self.assertEqual(["(integer) 1"], self.call(2, "CF.ADD", "visitors", "ana"))
        self.assertEqual(["(integer) 1"], self.call(2, "CF.EXISTS", "visitors", "ana"))
        self.assertEqual(["(integer) 0"], self.call(2, "CF.EXISTS", "visitors", "bob"))
        self.assertEqual(["(true)"], self.call(3, "CF.EXISTS", "visitors", "ana"))
        self.assertEqual(["1) (true)", "2) (false)"], self.call(3, "CF.MEXISTS", "visitors", "ana", "bob"))
        self.assertEqual(["(integer) 1"], self.call(3, "CF.COUNT", "visitors", "ana"))
        self.assertEqual("1# Size => (integer)", self.call(3, "CF.INFO", "visitors")[0].rsplit(" ", 1)[0])
        self.assertEqual(["(error) ERR item exists"], self.call(2, "CF.RESERVE", "visitors", "1000"))
        self.assertEqual(["OK"], self.call(2, "CFW.RESERVE", "events", "600000"))
        self.assertEqual(["1) (integer) 0", "2) (integer) 0", "3) (integer) 1"],
                         self.call(2, "CFW.SEEN", "events", "e17", "e18", "e17"))
        self.assertEqual(["(true)"], self.call(3, "CF.DEL", "visitors", "ana"))
        self.assertEqual(["(integer) 0"], self.call(2, "CF.DEL", "visitors", "ana"))


if __name__ == "__main__":
    unittest.main()
