#!/usr/bin/python3
"""Compares guira.so with another module that has CF.* commands, and with SET and GET, on the same machine in one run.

Each candidate has its own server on the loopback interface. All servers run at the same time; in each round they are measured
one after the other, and every round starts with another one. Requests are prepared before the clock starts, and several
batches of them are in flight on a connection, so that the server is measured and not this program. Two clocks are used: items
per second of elapsed time, and the processor time per item that the server reports for its main thread. The second hardly
depends on other programs on the machine. A ratio is computed in each round; the table shows the median.

    speed     "reserved": a key with room for twice the items; "grown": CF.RESERVE k 1024 EXPANSION 2. All items are added,
              looked up (together with as many absent ones) and deleted: one per command, pipelined, and in batches of 100
    growth    from 1024 to 4 million items: bits per item (MEMORY USAGE) and false positives; then 90 % are deleted: bits per
              remaining item, compared with a key that never had more items
    slowest   the longest execution time of one command (SLOWLOG) in the worst and in the best round; 0.10: no command took
              longer. This includes time in which the machine did other work: EXISTS, which touches two cache lines, shows how
              much that is
    whole     the same for commands that process the whole filter

usage: redis.py [--module guira.so] [--peer other.so] [--rounds 5] [--items 500000] [--grow 4000000] [--server redis-server]
                [--only speed growth whole]
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
IN_FLIGHT = 8  # batches that are sent before the first reply is read
SLOW = 100  # microseconds: the server logs commands that take longer

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
            sys.exit(f"redis.py: {name}: the server did not start, see {self.dir}/log")
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

    def reset(self, *reserve):
        """Deletes all keys; creates a filter if the server has the module."""
        self("FLUSHALL")
        if self.has_filters:
            self(*reserve)

    def cpu(self):
        """Processor time, in seconds, of the thread that runs the commands."""
        fields = dict(line.split(":") for line in self("INFO", "cpu").decode().split() if ":" in line)
        return float(fields["used_cpu_user_main_thread"]) + float(fields["used_cpu_sys_main_thread"])

    def run(self, batches):
        """Sends batches of requests, each a pair (bytes, length of the reply).

        Returns elapsed seconds, processor seconds of the server, and how many replies were 1."""
        ones = waiting = 0
        expected, cpu, start = [], self.cpu(), time.perf_counter()
        for request, length in batches:
            self.socket.sendall(request)
            expected.append(length)
            waiting += 1
            if waiting == IN_FLIGHT:
                ones += self.read_replies(expected[-waiting])
                waiting -= 1
        ones += self.read_replies(sum(expected[len(expected) - waiting:]))
        elapsed = time.perf_counter() - start
        return elapsed, self.cpu() - cpu, ones

    def read_replies(self, length):
        reply = self.file.read(length)
        if reply[-2:] != b"\r\n" or b"-" in reply.replace(b"$-1", b""):
            sys.exit(f"redis.py: {self.name}: unexpected reply: {reply[:200]}")
        return reply.count(b":1\r\n")

    def slowest(self):
        """The longest execution times since the last call: {command: microseconds}."""
        worst = {}
        for entry in self("SLOWLOG", "GET", "-1"):
            name = entry[3][0].decode().upper()
            worst[name] = max(worst.get(name, 0), entry[2])
        self("SLOWLOG", "RESET")
        return worst


# ------------------------------------------------------------------------------------------------------------ the requests
# The commands of a filter, and those of plain keys that correspond to them: (words before the item, words after it, length of
# the reply).

FILTER = {"add": (["CF.ADD", "k"], [], 4), "exists": (["CF.EXISTS", "k"], [], 4), "del": (["CF.DEL", "k"], [], 4)}
PLAIN = {"add": (["SET"], ["1"], 5), "exists": (["GET"], [], 6), "del": (["DEL"], [], 4)}  # "$-1" and "$1 1", half each


def item(i):
    return b"%012d" % i


def singles(command, numbers):
    """One request per number, in batches. encode() starts with the number of words, which is wrong here and cut off."""
    before, after, length = command
    words = len(before) + 1 + len(after)
    head = b"*%d\r\n" % words + encode(*before)[4:] + b"$12\r\n"
    tail = b"\r\n" + encode(*after)[4:]
    for start in range(0, len(numbers), BATCH):
        part = numbers[start:start + BATCH]
        yield b"".join([head + item(i) + tail for i in part]), length * len(part)


def batches(words, numbers):
    """One request per BATCH numbers."""
    reply_length = len(b"*%d\r\n" % BATCH) + 4 * BATCH
    head = b"*%d\r\n" % (len(words) + BATCH) + encode(*words)[4:]
    for start in range(0, len(numbers), BATCH):
        yield head + b"".join([b"$12\r\n%b\r\n" % item(i) for i in numbers[start:start + BATCH]]), reply_length


def half_absent(n):
    """n numbers of which every second one is a member: members are the even numbers below 2n."""
    return range(n // 2, n // 2 + n)


def members(n):
    return range(0, 2 * n, 2)


# --------------------------------------------------------------------------------------------------------------- the table


class Table:
    """Measurements by line and server, one per round."""

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
        elapsed, cpu, _ = measured
        self.rate.add(line, server.name, self.items / elapsed / 1000)
        self.cpu.add(line, server.name, cpu / self.items * 1e6)

    def one_by_one(self, server, name, reserve):
        commands = FILTER if server.has_filters else PLAIN
        server.reset(*reserve)
        for step, numbers in (("add", members), ("exists", half_absent), ("del", members)):
            self.note(f"{name}: {step}", server, server.run(list(singles(commands[step], numbers(self.items)))))

    def by_hundreds(self, server, name, reserve):
        server.reset(*reserve)
        for step, words, numbers in (("insert 100", ["CF.INSERT", "k", "ITEMS"], members),
                                     ("mexists 100", ["CF.MEXISTS", "k"], half_absent)):
            self.note(f"{name}: {step}", server, server.run(list(batches(words, numbers(self.items)))))

    def no_key(self, server):
        """The time that the server itself needs to read a batch and reply to it."""
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
        self.rate.print("thousand items per second", names, medians(".0f"))
        self.cpu.print("server microseconds per item", names, medians(".3f"))


class Growth:
    def __init__(self, items):
        self.items, self.absent_lookups, self.sizes, self.false_positives, self.slow = items, 0, Table(), {}, Table()

    def note_bits(self, line, server, items):
        self.sizes.add(line, server.name, 8 * server("MEMORY", "USAGE", "k") / items)

    def step(self, server, step, line, numbers):
        """Runs one command per number. Returns how many replies were 1."""
        command = (FILTER if server.has_filters else PLAIN)[step]
        server.slowest()
        ones = server.run(singles(command, numbers))[2]
        self.slow.add(line, server.name, server.slowest().get(command[0][0], SLOW) / 1000)
        return ones

    def one(self, server):
        n, keep = self.items, range(0, self.items, 10)
        server.reset(*GROWING)
        self.step(server, "add", "add", range(n))
        if server.has_filters:
            self.note_bits("bits per item", server, n)
            present = server.run(batches(["CF.MEXISTS", "k"], range(n)))[2]
            if present != n:
                sys.exit(f"redis.py: {server.name} has lost {n - present} items")
        found = self.step(server, "exists", "exists", [i + i % 2 * n for i in range(n)])  # every second one is absent
        if server.has_filters:
            self.false_positives[server.name] = self.false_positives.get(server.name, 0) + found - n // 2
        self.step(server, "del", "del", [i for i in range(n) if i % 10 != 0])
        if server.has_filters:
            self.note_bits("bits per item, 90 % deleted", server, len(keep))
            server.reset(*GROWING)
            server.run(batches(["CF.INSERT", "k", "ITEMS"], keep))
            self.note_bits("bits per item, new key", server, len(keep))
        server("FLUSHALL")

    def round(self, servers):
        self.absent_lookups += self.items // 2
        for server in servers:
            self.one(server)

    def print(self, names):
        self.sizes.print(f"1024 to {self.items} items", names, medians(".2f"))
        for name, found in self.false_positives.items():
            p = found / self.absent_lookups
            print(f"{'false positives, ' + name:<30}{p:14.4%} +- {math.sqrt(p * (1 - p) / self.absent_lookups):.4%}")
        self.slow.print("slowest, ms: worst (best round)", names, lambda f: f"{max(f):.2f} ({min(f):.2f})")


class Whole:
    """Commands that process the whole filter."""

    def __init__(self, items):
        self.items, self.slow = items, Table()

    def one(self, server):
        server.slowest()
        server.reset("CF.RESERVE", "k", self.items)
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
        commands = ["CF.RESERVE", "CF.SCANDUMP", "CF.LOADCHUNK", "CF.COMPACT"]
        if server.name == "guira":
            server("COPY", "k", "j")
            server("CF.MERGE", "j", "k")
            commands += ["COPY", "CF.MERGE"]
        server("CF.COMPACT", "k")
        server("DEL", "j")
        worst = server.slowest()
        for command in commands:
            self.slow.add(command, server.name, worst.get(command, SLOW) / 1000)

    def round(self, servers):
        for server in servers:
            if server.has_filters:
                self.one(server)

    def print(self, names):
        self.slow.print(f"{self.items} items, ms", names[:-1], lambda f: f"{max(f):.2f} ({min(f):.2f})")


# ----------------------------------------------------------------------------------------------------------------- the run


WORKLOADS = {"speed": lambda o: Speed(o.items), "growth": lambda o: Growth(o.grow), "whole": lambda o: Whole(o.grow)}


def options():
    here = os.path.dirname(os.path.abspath(__file__))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--module", default=here + "/../build/release/module/guira.so")
    parser.add_argument("--peer", help="another module that has CF.* commands")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--items", type=int, default=500_000)
    parser.add_argument("--grow", type=int, default=4_000_000)
    parser.add_argument("--server", default="redis-server")
    parser.add_argument("--only", nargs="+", choices=list(WORKLOADS), default=list(WORKLOADS))
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
        for workload in (WORKLOADS[name](o) for name in o.only):
            for k in range(o.rounds):
                workload.round(servers[k % len(servers):] + servers[:k % len(servers)])
            workload.print([s.name for s in servers])
            sys.stdout.flush()
    finally:
        for server in servers:
            server.remove()


if __name__ == "__main__":
    main()
