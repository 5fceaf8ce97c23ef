#!/usr/bin/python3
"""guira.so beside another module with CF.* commands, and beside SET and GET, on the same machine in one run.

Each has a server of its own on the loopback, all at once; they take turns, round by round, and the order turns too. Requests
are made before the clock starts, and a connection has several chunks of them under way, so that the server is what is
measured. Two clocks: requests a second of the wall, and microseconds of processor time that the server's main thread says it
took for each, which stay what they are when others use the machine. Ratios are medians over the rounds of one round's ratio.

    speed     reserved: a key with room for twice the items; grown: CF.RESERVE k 1024 EXPANSION 2. In each of them all items
              are added, looked for (every second one a stranger) and deleted; one by one, pipelined, and in batches of 100
    growth    1024 to 4 million items: bits each (MEMORY USAGE), false positives; nine of ten deleted: bits for each that is
              left, beside those of a key that never had more
    slowest   the longest time the server took for one command (SLOWLOG), in its worst round and in its best; 0.10: none took
              longer. Time in which the machine did something else counts too: EXISTS, which touches two cache lines, shows
              how much that is
    whole     the same for commands whose work is the filter

usage: redis.py [--module guira.so] [--peer other.so] [--rounds 5] [--items 500000] [--grow 4000000] [--server redis-server]
"""
import argparse
import math
import os
import platform
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time

BATCH = 100
UNDER_WAY = 8  # chunks of BATCH requests
SLOW = 100  # microseconds from which on the server remembers a command

# ------------------------------------------------------------------------------------------------------------- the server


def encode(*words):
    words = [w if isinstance(w, bytes) else str(w).encode() for w in words]
    return b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(w), w) for w in words)


class Server:
    def __init__(self, name, binary, module):
        self.name, self.has_filters = name, module is not None
        self.dir = tempfile.mkdtemp(prefix="guira-bench-")
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            port = s.getsockname()[1]
        command = [binary, "--port", str(port), "--bind", "127.0.0.1", "--dir", self.dir, "--save", "", "--logfile",
                   self.dir + "/log", "--slowlog-log-slower-than", str(SLOW), "--slowlog-max-len", "100000"]
        self.process = subprocess.Popen(command + (["--loadmodule", module] if module else []))
        for _ in range(100):
            try:
                self.socket = socket.create_connection(("127.0.0.1", port))
                break
            except OSError:
                time.sleep(0.05)
        else:
            self.end()
            sys.exit(f"redis.py: {name}: no server, see {self.dir}/log")
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.file = self.socket.makefile("rb")
        self("PING")

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()

    def remove(self):
        self.end()
        shutil.rmtree(self.dir)

    def __call__(self, *words):
        self.socket.sendall(encode(*words))
        return self.read()

    def read(self):
        line = self.file.readline()
        kind, rest = line[:1], line[1:-2]
        if kind == b"-":
            sys.exit(f"redis.py: {self.name}: {rest.decode()}")
        if kind == b"*":
            return [self.read() for _ in range(int(rest))]
        if kind == b"$":
            return self.file.read(int(rest) + 2)[:-2] if int(rest) >= 0 else None
        return int(rest) if kind == b":" else rest.decode()

    def make(self, *reserve):
        """Nothing but a new filter; or nothing."""
        self("FLUSHALL")
        if self.has_filters:
            self(*reserve)

    def cpu(self):
        """Seconds, of the thread that runs the commands."""
        fields = dict(line.split(":") for line in self("INFO", "cpu").decode().split() if ":" in line)
        return float(fields["used_cpu_user_main_thread"]) + float(fields["used_cpu_sys_main_thread"])

    def run(self, chunks):
        """Sends chunks of requests, (bytes, length of the answer) each. Returns seconds, seconds of the server, positives."""
        yes = waiting = 0
        expected, cpu, start = [], self.cpu(), time.perf_counter()
        for request, length in chunks:
            self.socket.sendall(request)
            expected.append(length)
            waiting += 1
            if waiting == UNDER_WAY:
                yes += self.take(expected[-waiting])
                waiting -= 1
        yes += self.take(sum(expected[len(expected) - waiting:]))
        wall = time.perf_counter() - start
        return wall, self.cpu() - cpu, yes

    def take(self, length):
        answer = self.file.read(length)
        if answer[-2:] != b"\r\n" or b"-" in answer.replace(b"$-1", b""):
            sys.exit(f"redis.py: {self.name}: an answer that was not expected: {answer[:200]}")
        return answer.count(b":1\r\n")

    def slowest(self):
        """{command: microseconds} since the last call."""
        worst = {}
        for entry in self("SLOWLOG", "GET", "-1"):
            name = entry[3][0].decode().upper()
            worst[name] = max(worst.get(name, 0), entry[2])
        self("SLOWLOG", "RESET")
        return worst


# ------------------------------------------------------------------------------------------------------------ the requests
# What a filter's command is for SET and GET, and how long the answers are: (words before the item, after it, length).

FILTER = {"add": (["CF.ADD", "k"], [], 4), "exists": (["CF.EXISTS", "k"], [], 4), "del": (["CF.DEL", "k"], [], 4)}
PLAIN = {"add": (["SET"], ["1"], 5), "exists": (["GET"], [], 6), "del": (["DEL"], [], 4)}  # "$-1" and "$1 1", half each


def item(i):
    return b"%012d" % i


def singles(command, numbers):
    """One request for each number, in chunks. encode() has the number of words in front, which is another one here."""
    before, after, length = command
    words = len(before) + 1 + len(after)
    head = b"*%d\r\n" % words + encode(*before)[4:] + b"$12\r\n"
    tail = b"\r\n" + encode(*after)[4:]
    for start in range(0, len(numbers), BATCH):
        part = numbers[start:start + BATCH]
        yield b"".join([head + item(i) + tail for i in part]), length * len(part)


def batches(words, numbers):
    answer = len(b"*%d\r\n" % BATCH) + 4 * BATCH
    head = b"*%d\r\n" % (len(words) + BATCH) + encode(*words)[4:]
    for start in range(0, len(numbers), BATCH):
        yield head + b"".join([b"$12\r\n%b\r\n" % item(i) for i in numbers[start:start + BATCH]]), answer


def half_strangers(n):
    """Members are even numbers below 2n; these are n numbers below 2n."""
    return range(n // 2, n // 2 + n)


def members(n):
    return range(0, 2 * n, 2)


# --------------------------------------------------------------------------------------------------------------- the table


class Table:
    """Figures by line and server, one for each round."""

    def __init__(self):
        self.figures = {}

    def add(self, line, name, figure):
        self.figures.setdefault(line, {}).setdefault(name, []).append(figure)

    def ratio(self, line, name, other):
        ours, theirs = self.figures[line][name], self.figures[line].get(other)
        return f"{statistics.median(a / b for a, b in zip(ours, theirs)):8.2f}x" if theirs else f"{'':>9}"

    def print(self, title, names, formatted):
        print(f"\n{title:<30}" + "".join(f"{n:>14}" for n in names) + "".join(f"   /{n[:6]:<6}" for n in names[1:]))
        for line, by_name in self.figures.items():
            cells = "".join(f"{formatted(by_name[n]) if n in by_name else '':>14}" for n in names)
            print(f"{line:<30}" + cells + "".join(self.ratio(line, names[0], n) for n in names[1:]))


def medians(form):
    return lambda figures: format(statistics.median(figures), form)


# ------------------------------------------------------------------------------------------------------------ the workloads


GROWING = ["CF.RESERVE", "k", 1024, "EXPANSION", 2]


class Speed:
    def __init__(self, items):
        self.items, self.rate, self.cpu = items, Table(), Table()

    def note(self, line, server, measured):
        wall, cpu, _ = measured
        self.rate.add(line, server.name, self.items / wall / 1000)
        self.cpu.add(line, server.name, cpu / self.items * 1e6)

    def one_by_one(self, server, name, reserve):
        commands = FILTER if server.has_filters else PLAIN
        server.make(*reserve)
        for step, numbers in (("add", members), ("exists", half_strangers), ("del", members)):
            self.note(f"{name}: {step}", server, server.run(list(singles(commands[step], numbers(self.items)))))

    def by_hundreds(self, server, name, reserve):
        server.make(*reserve)
        for step, words, numbers in (("insert 100", ["CF.INSERT", "k", "ITEMS"], members),
                                     ("mexists 100", ["CF.MEXISTS", "k"], half_strangers)):
            self.note(f"{name}: {step}", server, server.run(list(batches(words, numbers(self.items)))))

    def no_key(self, server):
        """What the server itself takes for a batch: reading and answering it."""
        server("FLUSHALL")
        requests = list(batches(["CF.MEXISTS", "k"], members(self.items)))
        self.note("no key: mexists 100", server, server.run(requests))

    def round(self, servers):
        for server in servers:
            if server.has_filters:
                self.no_key(server)
        for name, reserve in (("reserved", ["CF.RESERVE", "k", 2 * self.items]), ("grown", GROWING)):
            for server in servers:
                self.one_by_one(server, name, reserve)
            for server in servers:
                if server.has_filters:
                    self.by_hundreds(server, name, reserve)

    def print(self, names):
        self.rate.print("thousand items a second", names, medians(".0f"))
        self.cpu.print("server's microseconds an item", names, medians(".3f"))


class Growth:
    def __init__(self, items):
        self.items, self.asked, self.sizes, self.wrong, self.slow = items, 0, Table(), {}, Table()

    def note_bits(self, line, server, items):
        self.sizes.add(line, server.name, 8 * server("MEMORY", "USAGE", "k") / items)

    def step(self, server, step, line, numbers):
        """Runs it one by one. Returns how many answers were 1."""
        command = (FILTER if server.has_filters else PLAIN)[step]
        server.slowest()
        yes = server.run(singles(command, numbers))[2]
        self.slow.add(line, server.name, server.slowest().get(command[0][0], SLOW) / 1000)
        return yes

    def one(self, server):
        n, keep = self.items, range(0, self.items, 10)
        server.make(*GROWING)
        self.step(server, "add", "add", range(n))
        if server.has_filters:
            self.note_bits("bits per item", server, n)
            there = server.run(batches(["CF.MEXISTS", "k"], range(n)))[2]
            if there != n:
                sys.exit(f"redis.py: {server.name} has lost {n - there} items")
        found = self.step(server, "exists", "exists", [i + i % 2 * n for i in range(n)])  # every second one is a stranger
        if server.has_filters:
            self.wrong[server.name] = self.wrong.get(server.name, 0) + found - n // 2
        self.step(server, "del", "del", [i for i in range(n) if i % 10 != 0])
        if server.has_filters:
            self.note_bits("bits per item, of 10 % left", server, len(keep))
            server.make(*GROWING)
            server.run(batches(["CF.INSERT", "k", "ITEMS"], keep))
            self.note_bits("bits per item, never more", server, len(keep))
        server("FLUSHALL")

    def round(self, servers):
        self.asked += self.items // 2
        for server in servers:
            self.one(server)

    def print(self, names):
        self.sizes.print(f"1024 to {self.items} items", names, medians(".2f"))
        for name, found in self.wrong.items():
            p = found / self.asked
            print(f"{'false positives, ' + name:<30}{p:14.4%} +- {math.sqrt(p * (1 - p) / self.asked):.4%}")
        self.slow.print("slowest, ms: worst (best round)", names, lambda f: f"{max(f):.2f} ({min(f):.2f})")


class Whole:
    """Commands whose work is the filter."""

    def __init__(self, items):
        self.items, self.slow = items, Table()

    def one(self, server):
        server.slowest()
        server.make("CF.RESERVE", "k", self.items)
        server.run(batches(["CF.INSERT", "k", "ITEMS"], range(self.items)))
        chunks, position = [], 0
        while True:
            position, chunk = server("CF.SCANDUMP", "k", position)
            if position == 0:
                break
            chunks.append((position, chunk))
        server("DEL", "k")
        for position, chunk in chunks:
            server("CF.LOADCHUNK", "k", position, chunk)
        server.run(singles(FILTER["del"], range(self.items // 2)))
        server("CF.COMPACT", "k")
        worst = server.slowest()
        for command in ("CF.RESERVE", "CF.SCANDUMP", "CF.LOADCHUNK", "CF.COMPACT"):
            self.slow.add(command, server.name, worst.get(command, SLOW) / 1000)

    def round(self, servers):
        for server in servers:
            if server.has_filters:
                self.one(server)

    def print(self, names):
        self.slow.print(f"{self.items} items, ms", names[:-1], lambda f: f"{max(f):.2f} ({min(f):.2f})")


# ----------------------------------------------------------------------------------------------------------------- the run


def options():
    here = os.path.dirname(os.path.abspath(__file__))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--module", default=here + "/../build/release/module/guira.so")
    parser.add_argument("--peer", help="another module, with CF.* commands")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--items", type=int, default=500_000)
    parser.add_argument("--grow", type=int, default=4_000_000)
    parser.add_argument("--server", default="redis-server")
    o = parser.parse_args()
    o.items, o.grow = o.items // BATCH * BATCH, o.grow // (10 * BATCH) * 10 * BATCH
    return o


def processor():
    with open("/proc/cpuinfo") as f:
        return next((line.split(":")[1].strip() for line in f if line.startswith("model name")), platform.machine())


def main():
    o = options()
    modules = [("guira", o.module)] + ([(os.path.basename(o.peer).split(".")[0], o.peer)] if o.peer else [])
    print(f"# {os.cpu_count()} cores, {processor()}; load before {os.getloadavg()[0]:.2f}; "
          f"{subprocess.run([o.server, '--version'], capture_output=True, text=True).stdout.strip()}")
    print(f"# {o.items} items, grown to {o.grow}; {o.rounds} rounds", flush=True)
    servers = []
    try:
        for name, module in modules + [("SET/GET", None)]:
            servers.append(Server(name, o.server, module and os.path.realpath(module)))
        for workload in (Speed(o.items), Growth(o.grow), Whole(o.grow)):
            for k in range(o.rounds):
                workload.round(servers[k % len(servers):] + servers[:k % len(servers)])
            workload.print([s.name for s in servers])
            sys.stdout.flush()
    finally:
        for server in servers:
            server.remove()


if __name__ == "__main__":
    main()
