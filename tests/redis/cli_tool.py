"""Runs the command-line tool guira on servers, for test_cli.py and test_cli_cluster.py."""
import collections
import os
import signal
import socket
import subprocess
import threading
import time

GUIRA = os.environ["GUIRA_CLI"]


def to_bytes(lines):
    return b"".join(line if isinstance(line, bytes) else line.encode() + b"\n" for line in lines)


def slot(tag):
    """The cluster slot of a key with this hash tag."""
    crc = 0
    for byte in tag.encode():
        crc ^= byte << 8
        for _ in range(8):
            crc = (crc << 1 ^ (0x1021 if crc & 0x8000 else 0)) & 0xffff
    return crc % 16384


class Result:
    """Exit status, output and error output of a process."""

    def __init__(self, status, out, err):
        self.status = status
        self.raw = out
        self.lines = out.decode(errors="surrogateescape").splitlines()
        self.err = err.decode()


def run(command, *words, lines=(), env=None):
    done = subprocess.run([GUIRA, command, *map(str, words)], input=to_bytes(lines), capture_output=True, timeout=600,
                          env=dict(os.environ, **(env or {})))
    return Result(done.returncode, done.stdout, done.stderr)


class Running:
    """A running guira process that reads from a pipe. Threads collect its output."""

    def __init__(self, command, *words):
        self.process = subprocess.Popen([GUIRA, command, *map(str, words)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE)
        self.out, self.err = bytearray(), bytearray()
        self.ended = False
        self.readers = [threading.Thread(target=self.collect, args=pair)
                        for pair in ((self.process.stdout, self.out), (self.process.stderr, self.err))]
        for reader in self.readers:
            reader.start()

    @staticmethod
    def collect(stream, to):
        while piece := stream.read1(1 << 16):
            to.extend(piece)

    def send(self, lines):
        self.process.stdin.write(to_bytes(lines))
        self.process.stdin.flush()

    def lines(self):
        return bytes(self.out).decode().splitlines()

    def end(self, number=None):
        """Closes its input, after sending a signal if one is given, and waits for the end."""
        if number is not None:
            self.process.send_signal(number)
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass  # the process has ended; its status shows why
        status = self.process.wait(600)
        self.ended = True
        for reader in self.readers:
            reader.join()
        self.process.stdout.close()
        self.process.stderr.close()
        return Result(status, bytes(self.out), bytes(self.err))

    def stop(self):
        """Cleanup: kills the process unless end() was called."""
        if not self.ended:
            self.end(signal.SIGKILL)


class CuttingProxy:
    """A proxy that can close a connection after the server got a request and before the client gets the reply.

        client --requests--> CuttingProxy --requests--> server
               <--replies---              <--replies---
                            ^ closed here, once, at the first reply for which condition(requests so far) is true
    """

    def __init__(self, port):
        self.server = ("127.0.0.1", port)
        self.condition = None
        self.cuts = 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.thread = threading.Thread(target=self.accept, daemon=True)
        self.thread.start()

    def cut_when(self, condition):
        self.condition = condition

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        requests = bytearray()
        with client, socket.create_connection(self.server) as server:
            replies = threading.Thread(target=self.forward, args=(server, client, True, requests), daemon=True)
            replies.start()
            self.forward(client, server, False, requests)
            replies.join()

    def forward(self, source, target, is_reply, requests):
        try:
            while piece := source.recv(1 << 16):
                if not is_reply:
                    requests += piece
                elif self.condition and self.condition(bytes(requests)):
                    self.condition = None
                    self.cuts += 1
                    break
                target.sendall(piece)
        except OSError:
            pass
        for end in (source, target):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def close(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.thread.join()


def assert_lines_but_few(test, wanted, lines, most=6):
    """The lines are those wanted, except for at most `most` that are missing because of false positives. At a rate of 1e-6,
    200,000 lines have 0.2 on average, and more than 6 with a probability of 2e-9."""
    rest = iter(wanted)
    test.assertTrue(all(line in rest for line in lines), "other lines, or another order")
    test.assertLessEqual(len(wanted) - len(lines), most)


def assert_once_but_few(test, wanted, lines, most=6):
    """The same in any order: each line at most once."""
    test.assertEqual(collections.Counter(), collections.Counter(lines) - collections.Counter(wanted))
    test.assertLessEqual(len(wanted) - len(lines), most)


def have_come(running, wanted, most=6):
    """So many lines were printed; or a few less, and no more come: false positives."""
    n = len(running.lines())
    if n == wanted or n < wanted - most:
        return n == wanted
    time.sleep(2)
    return len(running.lines()) == n


class CliMixin:
    """For test classes: runs the tool on the server or cluster at self.url."""

    def run_cli(self, command, *words, **more):
        return run(command, "--redis", self.url, *words, **more)

    def start_cli(self, command, *words):
        running = Running(command, "--redis", self.url, *words)
        self.addCleanup(running.stop)
        return running
