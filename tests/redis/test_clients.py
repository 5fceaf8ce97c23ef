"""Other clients than redis-py. node-redis is installed by npm ci, from node/package-lock.json, into a place of its own."""
import os
import shutil
import subprocess
import tempfile
import unittest

from harness import ServerTest

NODE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "node")


@unittest.skipUnless(shutil.which("node") and shutil.which("npm"), "there is no node, or no npm")
class Node(ServerTest):
    def setUp(self):
        super().setUp()
        self.dir = tempfile.mkdtemp(prefix="guira-node-")
        self.addCleanup(shutil.rmtree, self.dir)
        for name in ("package.json", "package-lock.json", "client.js"):
            shutil.copy(os.path.join(NODE, name), self.dir)
        done = subprocess.run(["npm", "ci", "--no-audit", "--no-fund", "--prefer-offline"], cwd=self.dir, text=True,
                              capture_output=True)
        if done.returncode != 0:
            self.skipTest("npm ci: " + done.stderr)

    def test_the_client_understands_the_answers(self):
        for protocol in (2, 3):
            with self.subTest(protocol=protocol):
                done = subprocess.run(["node", "client.js", str(self.server.port), str(protocol)], cwd=self.dir, text=True,
                                      capture_output=True)
                self.assertEqual(0, done.returncode, done.stderr)


if __name__ == "__main__":
    unittest.main()
