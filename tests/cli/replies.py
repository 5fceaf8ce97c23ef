#!/usr/bin/env python3
"""guira pull and push with a server that replies what no server of guira's does.

usage: replies.py GUIRA"""
import os
import socket
import subprocess
import sys
import tempfile
import threading
import unittest

GUIRA = os.path.abspath(sys.argv.pop(1))
NO_CLUSTER = b"-ERR This instance has cluster support disabled\r\n"


class Server:
    """Replies to each command what the table says: bytes, or a list of which the last one is repeated."""

    def __init__(self, replies):
        self.replies = {"CLUSTER": NO_CLUSTER, "DEL": b":1\r\n", "TYPE": b"+none\r\n", "EXPIRE": b":1\r\n",
                        "CF.LOADCHUNK": b"+OK\r\n", "RENAMENX": b":1\r\n", "RENAME": b"+OK\r\n", **replies}
        self.commands = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"redis://127.0.0.1:{self.listener.getsockname()[1]}"
        self.thread = threading.Thread(target=self.serve)
        self.thread.start()

    def serve(self):
        try:
            while True:
                client, _ = self.listener.accept()
                with client, client.makefile("rb") as requests:
                    self.answer(client, requests)
        except OSError:
            pass

    def answer(self, client, requests):
        while head := requests.readline():
            words = []
            for _ in range(int(head[1:])):
                size = int(requests.readline()[1:])
                words.append(requests.read(size + 2)[:-2])
            self.commands.append(words[0].decode())
            reply = self.replies[words[0].decode()]
            if isinstance(reply, list):
                reply = reply.pop(0) if len(reply) > 1 else reply[0]
            if reply is None:
                return  # the connection is lost
            client.sendall(reply)

    def close(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.thread.join()


class Replies(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.TemporaryDirectory()
        self.addCleanup(self.dir.cleanup)
        self.file = os.path.join(self.dir.name, "set.gf")
        subprocess.run([GUIRA, "build", "-q", "--items", "1500000", self.file], input=b"a\n", check=True)

    def run_cli(self, *words, **replies):
        server = Server({name.replace("_", "."): reply for name, reply in replies.items()})
        self.addCleanup(server.close)
        done = subprocess.run([GUIRA, words[0], "--redis", server.url, *words[1:]], capture_output=True, timeout=60)
        self.server = server
        return done.returncode, done.stderr.decode()

    def assert_refused(self, text, result):
        self.assertEqual((2, text), (result[0], result[1].split(": ", 1)[1].rstrip("\n")))

    def test_push_to_a_server_that_replies_as_guira_does(self):
        status, text = self.run_cli("push", self.file, "key")
        self.assertEqual((0, 0), (status, text.count("starting again")))
        self.assertEqual("RENAMENX", self.server.commands[-1])

    def test_push_believes_only_the_replies_of_success(self):
        for command in ("CF_LOADCHUNK", "EXPIRE", "RENAMENX"):
            for reply in (b"+QUEUED\r\n", b"$-1\r\n", b"*0\r\n", b":7\r\n", b"$2\r\nOK\r\n"):
                result = self.run_cli("push", self.file, "key", **{command: reply})
                self.assert_refused("key: unexpected reply of the server", result)
                self.assertEqual("DEL", self.server.commands[-1])
        result = self.run_cli("push", "--force", self.file, "key", RENAME=b":1\r\n")
        self.assert_refused("key: unexpected reply of the server", result)

    def test_push_reports_each_attempt(self):
        status, text = self.run_cli("push", "-q", self.file, "key", CF_LOADCHUNK=[b"+OK\r\n", None, b"+OK\r\n"])
        self.assertEqual((0, "guira push: key: the connection was lost; starting again (attempt 2 of 5)\n"), (status, text))
        status, text = self.run_cli("push", self.file, "key", CF_LOADCHUNK=[None])
        self.assertEqual((2, 4, 1), (status, text.count("starting again"), text.count("the connection was lost 5 times")))

    def test_pull_reports_each_attempt(self):
        copy = os.path.join(self.dir.name, "copy.gf")
        status, text = self.run_cli("pull", "key", copy, TYPE=b"+guira-flt\r\n", CF_SCANDUMP=b"-Invalid position\r\n")
        self.assertEqual((2, 4, 1), (status, text.count("starting again"), text.count("try again")))
        self.assertFalse(os.path.exists(copy))

    def test_messages_have_no_control_characters(self):
        error = b"-ERR \x1b[2J\x1b]0;title\x07 \xc2\x9b31m caf\xc3\xa9\r\n"
        result = self.run_cli("push", self.file, "key", CF_LOADCHUNK=error)
        self.assert_refused("key: ERR ?[2J?]0;title? ??31m caf\u00e9", result)
        result = self.run_cli("push", self.file, "key", TYPE=error)
        self.assert_refused("key: ERR ?[2J?]0;title? ??31m caf\u00e9", result)


if __name__ == "__main__":
    unittest.main()
