"""Memory and processor time of the module beside RedisBloom: growth, Bloom filters, many small keys.

    python3 bench/redis_keys.py build/release/module/guira.so redisbloom.so

    growth   CF.RESERVE 1024 with EXPANSION 2 and 4, then 4 million items by CF.INSERT of 100. Blocks of 20,000 items go to every
             server in turn, so that what else the machine does meets all of them alike
    bloom    BF.RESERVE 1024 at 1 %, 0.1 %, 0.01 %, then 4 million items by BF.MADD of 1,000; false positives of 200,000 others
    users    100,000 keys with 100 items each (CF.INSERT of 100, created by it)
    set      1 million SET key 1 NX EX 3600, for comparison

Processor time is that of the server's main thread (INFO cpu), so other programs on the machine disturb it less than elapsed time.
Memory is the difference of used_memory, in growth MEMORY USAGE of the key. With --rounds, the modules take turns. Prints CSV: a line for each module and round,
then the medians of the ratios guira / RedisBloom of the rounds.
"""
import argparse
import functools
import socket
import statistics
import subprocess
import sys
import time

sys.path.pop(0)  # redis.py of this directory is not the client
import redis  # noqa: E402

MANY = 4_000_000
BLOCK = 20_000


class Server:
    def __init__(self, server, load):
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            port = s.getsockname()[1]
        self.process = subprocess.Popen([server, "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--logfile", "/dev/null",
                                         "--loadmodule", *load])
        self.client = redis.Redis(port=port, socket_timeout=600)
        while self.process.poll() is None:
            try:
                self.client.ping()
                return
            except redis.exceptions.RedisError:
                time.sleep(0.1)
        raise RuntimeError(f"the server does not start with {load}")

    def end(self):
        self.process.terminate()
        self.process.wait()

    def cpu(self):
        info = self.client.info("cpu")
        return info["used_cpu_user_main_thread"] + info["used_cpu_sys_main_thread"]

    def used(self):
        return self.client.info("memory")["used_memory"]

    def batches(self, words, first, last, size):
        replies = []
        with self.client.pipeline(transaction=False) as p:
            for start in range(first, last, size):
                p.execute_command(*words, *range(start, start + size))
                if len(p) == 50:
                    replies += p.execute()
            return replies + p.execute()


def measured(server, run):
    cpu, used = server.cpu(), server.used()
    run()
    return server.cpu() - cpu, server.used() - used


def bloom(s):
    for rate in (0.01, 0.001, 0.0001):
        s.client.execute_command("BF.RESERVE", "b", rate, 1024)
        cpu, used = measured(s, lambda: s.batches(["BF.MADD", "b"], 0, MANY, 1000))
        false = sum(map(sum, s.batches(["BF.MEXISTS", "b"], MANY, MANY + 200_000, 1000)))
        yield f"bloom at {rate}", MANY, cpu, used, false / 200_000
        s.client.delete("b")


def users(s):
    def run():
        with s.client.pipeline(transaction=False) as p:
            for i in range(100_000):
                p.execute_command("CF.INSERT", f"user:{i}", "ITEMS", *range(i, i + 100))
                if len(p) == 500:
                    p.execute()
            p.execute()
    cpu, used = measured(s, run)
    yield "100,000 keys of 100", 10_000_000, cpu, used, None


def sets(s):
    def run():
        with s.client.pipeline(transaction=False) as p:
            for i in range(1_000_000):
                p.set(f"item:{i}", 1, nx=True, ex=3600)
                if len(p) == 1000:
                    p.execute()
            p.execute()
    cpu, used = measured(s, run)
    yield "SET NX EX", 1_000_000, cpu, used, None


PARTS = {"bloom": bloom, "users": users, "set": sets}


def print_line(what, name, items, cpu, used, rate):
    print(f"{what},{name},{items},{1e6 * cpu / items:.3f},{8 * used / items:.2f},{'' if rate is None else rate}", flush=True)


def measure(part, server, modules):
    """Returns the time per item by what was measured and module."""
    times = {}
    for name, load in modules:
        s = Server(server, load)
        try:
            for what, items, cpu, used, rate in part(s):
                times[what, name] = cpu / items
                print_line(what, name, items, cpu, used, rate)
        finally:
            s.end()
    return times


def measure_growth(server, modules):
    """As measure()."""
    runs, cpu, times = [], {}, {}
    try:
        for name, load, expansion in ((*module, expansion) for module in modules for expansion in (2, 4)):
            runs.append((name, expansion, Server(server, load)))
        for name, expansion, s in runs:
            s.client.execute_command("CF.RESERVE", "k", 1024, "EXPANSION", expansion)
            cpu[name, expansion] = 0
        for start in range(0, MANY, BLOCK):
            first = start // BLOCK % len(runs)
            for name, expansion, s in runs[first:] + runs[:first]:
                before = s.cpu()
                s.batches(["CF.INSERT", "k", "ITEMS"], start, start + BLOCK, 100)
                cpu[name, expansion] += s.cpu() - before
        for name, expansion, s in runs:
            what = f"growth 1024 to 4M with EXPANSION {expansion}"
            times[what, name] = cpu[name, expansion] / MANY
            print_line(what, name, MANY, cpu[name, expansion], s.client.memory_usage("k"), None)
    finally:
        for *_, s in runs:
            s.end()
    return times


def print_ratios(rounds):
    for what in dict.fromkeys(what for what, _ in rounds[0]):
        ratios = [r[what, "guira"] / r[what, "RedisBloom"] for r in rounds]
        print(f"{what},ratio,,{statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("guira")
    parser.add_argument("redisbloom", nargs="?")
    parser.add_argument("--server", default="redis-server", help="RedisBloom of 2026 needs Redis 8")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--parts", nargs="+", default=["growth", *PARTS], choices=["growth", *PARTS])
    arguments = parser.parse_args()
    modules = [("guira", [arguments.guira, "BF", "yes"])]
    if arguments.redisbloom:
        modules.append(("RedisBloom", [arguments.redisbloom]))
    print("what,module,items,microseconds_per_item,bits_per_item,false_positives")
    for part in arguments.parts:
        run = measure_growth if part == "growth" else functools.partial(measure, PARTS[part])
        rounds = [run(arguments.server, modules[::1 if k % 2 == 0 else -1]) for k in range(arguments.rounds)]
        if arguments.redisbloom:
            print_ratios(rounds)


if __name__ == "__main__":
    sys.exit(main())
