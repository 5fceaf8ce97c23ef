"""A master and a replica under random commands, reloads and rewrites: do both keep the same bytes?

    GUIRA_MODULE=build/release/module/guira.so python3 tests/redis/stress.py --seconds 3600 --out DIRECTORY

Rounds of random commands on filters, Bloom filters and windows are followed by a comparison of DEBUG DIGEST. In between, the
master or the replica reloads itself (DEBUG RELOAD), replays its AOF (DEBUG LOADAOF), rewrites it, or synchronizes again, in full or
after a lost connection. In some rounds the master has no memory left (maxmemory) and refuses or evicts. The replica has other
settings than the master. The seed
is printed (GUIRA_SEED takes it back; the times of windows and timers are the clock's, so a replay is not exact). On a
mismatch the log of the commands, the differing keys as DUMPs and the servers' logs are kept in DIRECTORY, and the exit status
is 1.

Two digests can be compared only if nothing was replicated in between. The timers of windows replicate CFW._TICK at any
moment, so a comparison counts only if the replication offset was the same before and after both digests.

A replica that runs DEBUG RELOAD refuses what its master sends meanwhile, with "-LOADING" in its log, and never asks for it
again: the server does so with SET as well, without any module. So the master's writes are paused until the replica is back.
No key expires here, because a master that loads a file drops expired keys without telling its replicas.
"""
import argparse
import os
import random
import shutil
import sys
import time

import redis

from harness import SEED, Server
from redisbloom import CuckooFilter

OTHER_SETTINGS = ("cf-bucket-size", "8", "cf-initial-size", "5000", "cf-max-iterations", "99", "cf-expansion-factor", "4",
                  "bf-error-rate", "0.2", "bf-initial-size", "7", "bf-expansion-factor", "0")
FILTERS, BLOOMS, WINDOWS = ([f"{kind}{i}" for i in range(4)] for kind in "fbw")


class Stress:
    def __init__(self, out):
        self.rng = random.Random(SEED)
        self.out = out
        os.makedirs(out, exist_ok=True)
        self.log = open(f"{out}/commands.log", "w")
        options = ("--appendonly", "yes", "--appendfsync", "no", "--auto-aof-rewrite-percentage", "0",
                   "--loading-process-events-interval-bytes", "1024")  # commands that come while a server loads
        self.master = Server(*options, arguments=("BF", "yes"))
        self.replica = Server(*options, "--replicaof", "127.0.0.1", str(self.master.port),
                              arguments=("BF", "yes", *OTHER_SETTINGS))
        self.commands = self.comparisons = self.reloads = 0

    def end(self):
        self.master.remove()
        self.replica.remove()
        self.log.close()

    def call(self, server, *words):
        """Errors are expected (a key that does not exist, a merge of different filters) and logged."""
        self.commands += 1
        try:
            reply = server(*words)
        except redis.exceptions.ResponseError as e:
            reply = e
        name = "master" if server is self.master else "replica"
        print(f"{time.time():.3f} {name} {words!r} -> {str(reply)[:80]}", file=self.log)
        return reply

    def send(self, calls, transaction):
        """All to the master before the first reply is read."""
        with self.master.client.pipeline(transaction=transaction) as p:
            for words in calls:
                p.execute_command(*words)
            try:
                replies = p.execute(raise_on_error=False)
            except redis.exceptions.ResponseError as e:
                replies = e  # of a transaction that was not executed, for lack of memory
        self.commands += len(calls)
        print(f"{time.time():.3f} master {'MULTI' if transaction else 'pipeline'} {calls!r} -> {str(replies)[:80]}", file=self.log)

    # ------------------------------------------------------------------------------------------------------- commands

    def items(self):
        start, n = self.rng.randrange(20000), self.rng.choice((1, 1, 3, 20, 200, 2000))
        return [f"i{i}" for i in range(start, start + n)]

    def on_filter(self):
        rng, key = self.rng, self.rng.choice(FILTERS)
        what = rng.randrange(14)
        if what < 4:
            return [["CF.INSERT", key, "ITEMS", *self.items()]]
        if what < 8:
            return [["CF.DEL", key, i] for i in self.items()[:300]]
        return [rng.choice((
            ["CF.ADDNX", key, self.items()[0]],
            ["CF.INSERTNX", key, "CAPACITY", rng.choice((10, 500, 30000)), "ITEMS", *self.items()],
            ["CF.INSERT", key, "ITEMS", *["same"] * 300],
            ["CF.RESERVE", key, rng.choice((4, 100, 5000)), "EXPANSION", rng.choice((0, 1, 4))],
            ["CF.RESERVE", key, rng.choice((10, 1000)), "ERROR", rng.choice((0.3, 0.01, 0.0001))],
            ["CF.MERGE", key, rng.choice(FILTERS)], ["CF.UNION", key, rng.choice(FILTERS)], ["CF.COMPACT", key],
            ["COPY", key, rng.choice(FILTERS), "REPLACE"], ["UNLINK", key], ["CF.SCANDUMP", key, 0],
            ["PEXPIRE", key, 10**8]))]

    def on_moved_filter(self):
        """Loads a filter of RedisBloom."""
        f, key = CuckooFilter(self.rng.choice((8, 64)), 2, 20, self.rng.randrange(1, 3)), self.rng.choice(FILTERS)
        for item in self.items()[:200]:
            f.add(item)
        return [["UNLINK", key], *(["CF.LOADCHUNK", key, position, chunk] for position, chunk in f.chunks())]

    def on_bloom(self):
        rng, key = self.rng, self.rng.choice(BLOOMS)
        return [rng.choice((["BF.MADD", key, *self.items()], ["BF.ADD", key, self.items()[0]],
                            ["BF.DEL", key, self.items()[0]],
                            ["BF.RESERVE", key, rng.choice((0.1, 0.001)), rng.choice((1, 100, 5000)),
                             *rng.choice(([], ["NONSCALING"], ["EXPANSION", 4]))],
                            ["BF.INSERT", key, "CAPACITY", 50, "ITEMS", *self.items()], ["BF.COMPACT", key], ["UNLINK", key]))]

    def on_window(self):
        rng, key = self.rng, self.rng.choice(WINDOWS)
        what = rng.randrange(12)
        if what < 9:
            return [["CFW.SEEN", key, *self.items()]]
        return [rng.choice((["CFW.RESERVE", key, rng.choice((100, 300, 1000, 5000, 60000)),
                             *rng.choice(([], ["ERROR", 0.001]))],
                            ["RENAME", key, rng.choice(WINDOWS)], ["COPY", key, rng.choice(WINDOWS), "REPLACE"],
                            ["UNLINK", key], ["MOVE", key, 1], ["SWAPDB", 0, 1]))]

    def limit_memory(self):
        used = self.master.client.info("memory")["used_memory"]
        policy = self.rng.choice(("noeviction", "noeviction", "allkeys-random", "allkeys-lru"))
        self.call(self.master, "CONFIG", "SET", "maxmemory", used + self.rng.choice((-1, 1, 2)) * 50000, "maxmemory-policy", policy)

    def round(self):
        if self.rng.random() < 0.2:
            self.limit_memory()
        self.run_commands()
        self.call(self.master, "CONFIG", "SET", "maxmemory", 0)

    def run_commands(self):
        for _ in range(self.rng.randrange(5, 60)):
            kinds = (self.on_filter, self.on_bloom, self.on_window, self.on_window)
            calls = (self.on_moved_filter if self.rng.random() < 0.02 else self.rng.choice(kinds))()
            self.send(calls, transaction=self.rng.random() < 0.1)
            if self.rng.random() < 0.05:
                time.sleep(self.rng.random() * 0.4)  # lets windows expire, and their timers run

    def upheaval(self):
        what, server = self.rng.randrange(8), self.rng.choice((self.master, self.replica))
        if what == 7:
            self.call(self.master, "CLIENT", "KILL", "TYPE", "replica")
        elif what == 6:
            self.call(self.replica, "REPLICAOF", "NO", "ONE")
            self.call(self.replica, "REPLICAOF", "127.0.0.1", self.master.port)
        elif what > 3:
            self.wait_for_rewrite(server)
            self.call(server, "BGREWRITEAOF")
        elif what > 1 and server is self.master:
            self.wait_for_rewrite(server)
            self.call(server, "DEBUG", "LOADAOF")
        elif server is self.master:
            self.call(server, "DEBUG", "RELOAD")
        else:
            self.reload_replica()
        self.reloads += what < 4

    def reload_replica(self):
        self.call(self.master, "CLIENT", "PAUSE", 100000, "WRITE")
        self.wait_until(lambda: self.offsets()[0] == self.offsets()[1])
        self.call(self.replica, "DEBUG", "RELOAD")
        self.call(self.master, "CLIENT", "UNPAUSE")

    def wait_for_rewrite(self, server):
        def is_done():
            info = server.client.info("persistence")
            return not info["aof_rewrite_in_progress"] and not info["aof_rewrite_scheduled"]
        self.wait_until(is_done)

    def wait_until(self, condition):
        """Returns the first answer that is true."""
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            answer = condition()
            if answer:
                return answer
            time.sleep(0.01)
        raise RuntimeError("the servers do not get there")

    # ----------------------------------------------------------------------------------------------------- comparison

    def offsets(self):
        master, replica = self.master.client.info("replication"), self.replica.client.info("replication")
        return master["master_repl_offset"], replica.get("slave_repl_offset"), replica.get("master_link_status")

    def digests(self):
        """Of both; None: something was replicated meanwhile, or the replica is not there yet."""
        before = self.offsets()
        digests = [s("DEBUG", "DIGEST") for s in (self.master, self.replica)]
        master, replica, link = self.offsets()
        return digests if before == (master, replica, link) and master == replica and link == "up" else None

    def compare(self):
        master, replica = self.wait_until(self.digests)
        self.comparisons += 1
        return master == replica

    def archive(self):
        for key in sorted(self.master.client.keys("*")):
            values = [s("DEBUG", "DIGEST-VALUE", key) for s in (self.master, self.replica)]
            if values[0] == values[1]:
                continue
            print(f"{key.decode()} differs", flush=True)
            for name, server in (("master", self.master), ("replica", self.replica)):
                with open(f"{self.out}/{key.decode()}.{name}.dump", "wb") as f:
                    f.write(server("DUMP", key) or b"")
        for name, server in (("master", self.master), ("replica", self.replica)):
            shutil.copytree(server.dir, f"{self.out}/{name}", dirs_exist_ok=True)
        self.log.flush()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--out", default="stress-out", help="directory for the log of commands and what is found")
    arguments = parser.parse_args()
    print(f"GUIRA_SEED={SEED}", flush=True)
    stress = Stress(arguments.out)
    try:
        end = time.monotonic() + arguments.seconds
        while time.monotonic() < end:
            stress.round()
            if stress.rng.random() < 0.3:
                stress.upheaval()
            if not stress.compare():
                stress.archive()
                print(f"MISMATCH after {stress.commands} commands: see {arguments.out}", flush=True)
                return 1
        print(f"{stress.commands} commands, {stress.reloads} reloads, {stress.comparisons} comparisons: no mismatch")
        return 0
    finally:
        stress.end()


if __name__ == "__main__":
    sys.exit(main())
