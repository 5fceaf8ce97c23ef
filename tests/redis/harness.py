"""Starts servers with guira.so for the tests in this directory.

Each server has its own directory and a free port of the loopback interface, and is stopped by its process id. A failing test
prints the log of its servers. Environment:

    GUIRA_SEED      seed of the random tests, which print theirs when they start
    GUIRA_QUICK     makes the tests shorter
    GUIRA_LONG      makes them longer: the sizes of docs/redis.md
    REDIS_SERVER    the server to test with: redis-server or valkey-server of any version
    GUIRA_PRELOAD   LD_PRELOAD of the servers: the run-time library of the sanitizer that the module is built with
"""
import contextlib
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

import redis

MODULE = os.environ["GUIRA_MODULE"]
SERVER = os.environ.get("REDIS_SERVER") or os.environ.get("GUIRA_SERVER", "redis-server")
QUICK = "GUIRA_QUICK" in os.environ
LONG = "GUIRA_LONG" in os.environ
PRELOAD = os.environ.get("GUIRA_PRELOAD", "")
SEED = int(os.environ.get("GUIRA_SEED", "0")) or random.SystemRandom().getrandbits(48)


def rng_for(test):
    print(f"{test.id()}: GUIRA_SEED={SEED}", flush=True)
    return random.Random(f"{SEED} {test.id()}")


held = []  # sockets


def hold(port):
    """Takes a port for the servers of this process until it ends, also while none is running. Returns whether it was free: tests
    run at the same time, and each second start some servers. The socket listens to nothing, and lets others bind the port that
    set SO_REUSEADDR. Servers do; this function does so only when it has the port."""
    s = socket.socket()
    try:
        s.bind(("127.0.0.1", port))
    except OSError:
        s.close()
        return False
    s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    held.append(s)
    return True


def free_port():
    """Below the ports that the system gives to connections: one of those could take it before the server does."""
    while True:
        port = random.SystemRandom().randrange(10000, 32000)
        if hold(port):
            return port


class Server:
    """A redis-server process. It gets a new port with each start, unless a port is given."""
    asan_options = "detect_leaks=0:allocator_may_return_null=1"

    def __init__(self, *options, arguments=(), port=None, module=MODULE, first=()):
        """first: options that come before the module; module=None: without the module."""
        self.dir = tempfile.mkdtemp(prefix="guira-redis-")
        self.options = [*options]
        self.load = [*first, *(["--loadmodule", module, *arguments] if module else [])]
        self.wanted_port = port
        try:
            self.start()
        except RuntimeError:
            self.remove()
            raise

    def start(self):
        """Another program may take a free port at the same moment; then another one is tried."""
        for _ in range(10):
            self.port = self.wanted_port or free_port()
            try:
                return self.start_at_port()
            except RuntimeError as error:
                if self.wanted_port or "Address already in use" not in str(error):
                    raise
        raise RuntimeError("no free port")

    def start_at_port(self):
        environment = dict(os.environ, ASAN_OPTIONS=self.asan_options)
        if PRELOAD:
            environment["LD_PRELOAD"] = PRELOAD
        command = [SERVER, "--port", str(self.port), "--bind", "127.0.0.1", "--dir", self.dir, "--save", "",
                   "--enable-debug-command", "yes", "--logfile", self.dir + "/log", "--repl-diskless-sync-delay", "0",
                   *self.load, *self.options]
        with open(self.dir + "/stderr", "ab") as err:
            self.process = subprocess.Popen(command, stdout=err, stderr=err, env=environment)
        self.client = redis.Redis(port=self.port, socket_timeout=120)
        self.wait_until_ready()

    def wait_until_ready(self):
        for _ in range(600):
            if self.process.poll() is not None:
                raise RuntimeError("the server exited:\n" + self.log())
            try:
                self.client.ping()
                return
            except redis.exceptions.RedisError:
                time.sleep(0.05)
        raise RuntimeError("the server does not reply:\n" + self.log())

    def restart(self):
        self.end()
        self.start()

    def log(self):
        text = ""
        for name in ("log", "stderr"):
            path = f"{self.dir}/{name}"
            if os.path.exists(path):
                with open(path, errors="replace") as f:
                    text += f.read()
        return text

    def end(self):
        """Shuts the server down. Returns whether it was still running."""
        self.client.close()
        alive = self.process.poll() is None
        if alive:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(60)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        return alive

    def remove(self):
        self.end()
        shutil.rmtree(self.dir, ignore_errors=True)

    def __call__(self, *words):
        return self.client.execute_command(*words)

    def reserve_exact(self, *keys):
        """Filters for tests that expect no false positive. One that CF.ADD creates has 16-bit slots: with n items it finds an absent
        one with n / 2^15. Of these, with up to a thousand items, less than one in 10^7 lookups is wrong."""
        for key in keys:
            self("CF.RESERVE", key, 1000, "ERROR", "1e-6")


def text(reply):
    """Converts bytes to text, also in nested lists."""
    if isinstance(reply, bytes):
        return reply.decode()
    if isinstance(reply, list):
        return [text(r) for r in reply]
    return reply


def pairs(reply):
    reply = text(reply)
    return dict(zip(reply[::2], reply[1::2]))


class RawConnection:
    """A connection that returns replies with their RESP types, which the client library would convert."""

    def __init__(self, server, protocol):
        self.socket = socket.create_connection(("127.0.0.1", server.port), 60)
        self.file = self.socket.makefile("rb")
        if protocol == 3:
            self("HELLO", "3")

    def close(self):
        self.file.close()
        self.socket.close()

    def __call__(self, *words):
        words = [w if isinstance(w, bytes) else str(w).encode() for w in words]
        self.socket.sendall(b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(w), w) for w in words))
        return self.read()

    def read(self):
        line = self.file.readline().rstrip(b"\r\n").decode()
        kind, rest = line[0], line[1:]
        if kind in "+-(":
            return kind + rest
        if kind == ":":
            return int(rest)
        if kind == "#":
            return rest == "t"
        if kind == ",":
            return float(rest)
        if kind == "_" or rest == "-1":
            return None
        if kind == "$":
            return self.file.read(int(rest) + 2)[:-2]
        if kind in "*~>":
            return [self.read() for _ in range(int(rest))]
        if kind == "%":
            return {self.read(): self.read() for _ in range(int(rest))}
        raise ValueError(line)


class ServerTest(unittest.TestCase):
    """Starts a server, self.server, with OPTIONS for each test."""
    OPTIONS = ()

    def setUp(self):
        self.servers = []
        self.server = self.new_server(*self.OPTIONS)

    def new_server(self, *options, **more):
        server = Server(*options, **more)
        self.servers.append(server)
        return server

    def tearDown(self):
        failed = not getattr(self._outcome, "success", True)
        for server in self.servers:
            alive = server.process.poll() is None
            if failed or not alive:
                print(server.log()[-8000:], file=sys.stderr)
            server.remove()
            if not alive:
                self.fail("the server exited")

    def wait_for(self, condition, seconds=60):
        end = time.monotonic() + seconds
        while not condition():
            self.assertLess(time.monotonic(), end, "timeout")
            time.sleep(0.02)

    def events_of(self, prefix, calls, n):
        """The keyspace events that start with prefix: at least n, if they come."""
        s = self.server
        s("CONFIG", "SET", "notify-keyspace-events", "KEAd")
        listener = s.client.pubsub()
        listener.psubscribe(f"__keyevent@0__:{prefix}*")
        listener.get_message(timeout=60)
        for words in calls:
            s(*words)
        heard = []
        while (message := listener.get_message(timeout=60 if len(heard) < n else 0.2)) is not None:
            heard.append(message["channel"].decode().split(":")[1])
        listener.close()
        return heard

    def assert_error(self, message, *words):
        """Compares the whole error text: the client library would remove ERR."""
        with contextlib.closing(RawConnection(self.server, 2)) as connection:
            self.assertEqual("-" + message, connection(*words))
