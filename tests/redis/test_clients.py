"""Other clients than redis-py. node-redis is installed by npm ci, from node/package-lock.json, into a place of its own."""
import os
import shutil
import subprocess
import tempfile
import unittest

from cluster import Cluster
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
        done = subprocess.run(["npm", "ci", "--no-audit", "--no-fund", "--prefer-offline"], cwd=cls.dir, text=True,
                              capture_output=True)
        if done.returncode != 0:
            raise AssertionError("npm ci: " + done.stderr)

    def check(self, script, port):
        for protocol in (2, 3):
            with self.subTest(protocol=protocol):
                done = subprocess.run(["node", script, str(port), str(protocol)], cwd=self.dir, text=True,
                                      capture_output=True)
                self.assertEqual(0, done.returncode, done.stderr)

    def test_the_client_understands_the_answers(self):
        self.check("client.js", self.server.port)

    def test_the_client_finds_its_way_in_a_cluster(self):
        with Cluster() as cluster:
            self.check("cluster.js", cluster.nodes[0].port)


if __name__ == "__main__":
    unittest.main()
