"""Traffic on a cluster: threads that write to their own keys and know what these must contain.

    ExactTraffic       compares every reply with a model while the traffic runs: for tests in which no acknowledged write may
                       be lost
    ConfirmedTraffic   for tests in which writes may be lost: records which writes a replica has confirmed (WAIT), and which
                       were only acknowledged

The keys are {tag}f, a filter, and {tag}w, a window, so that both are in the tag's slot. The models of filters ignore false
positives: with slots of 32 bits and room for ten times the items they occur in one of 10^9 replies, of which a test has some
thousand. Windows have one in 10^6, so a few are allowed.
"""
import collections
import threading
import time

import redis
from redis.crc import key_slot

HOUR = 3600000


class Worker(threading.Thread):
    """Runs step() until finish() is called or a reply is wrong."""

    def __init__(self, cluster, rng, tags):
        super().__init__(daemon=True)
        self.cluster, self.rng, self.client = cluster, rng, cluster.client()
        self.filters = [f"{{{t}}}f" for t in tags]
        self.windows = [f"{{{t}}}w" for t in tags]
        self.steps = 0
        self.failure = None
        self.stopping = threading.Event()
        for key in self.filters:
            self.call("CF.RESERVE", key, 10000, "ERROR", 0.000001)
        for key in self.windows:
            self.call("CFW.RESERVE", key, HOUR)

    def run(self):
        try:
            while not self.stopping.is_set():
                self.step()
                self.steps += 1
        except Exception as failure:
            self.failure = failure

    def finish(self):
        self.stopping.set()
        self.join()
        self.client = self.cluster.client()
        if self.failure is not None:
            raise self.failure

    def call(self, *words):
        return self.client.execute_command(*words)

    def expect(self, expected, *words):
        got = self.call(*words)
        if got != expected:
            where = ([i for i, (g, e) in enumerate(zip(got, expected)) if g != e] if isinstance(got, list)
                     else f"expected {expected}")
            raise AssertionError(f"{str(words)[:200]}: {str(got)[:200]}, wrong: {str(where)[:200]}")


class ExactTraffic(Worker):
    def __init__(self, cluster, rng, tags):
        super().__init__(cluster, rng, tags)
        self.members = {key: collections.Counter() for key in self.filters}
        self.seen = {key: set() for key in self.windows}
        self.false_positives = 0  # of windows

    def step(self):
        key = self.rng.choice(self.filters)
        rng, members, item = self.rng, self.members[key], self.rng.randrange(3000)
        kind = rng.randrange(5)
        if kind == 0 and members[item] < 5:
            self.expect(1, "CF.ADD", key, item)
            members[item] += 1
        elif kind == 1:
            items = [rng.randrange(10000, 1 << 40) for _ in range(rng.randrange(1, 30))]
            self.expect([1] * len(items), "CF.INSERT", key, "ITEMS", *items)
            members.update(items)
        elif kind == 2 and +members:
            item = rng.choice(list(+members))
            self.expect(1, "CF.DEL", key, item)
            members[item] -= 1
        elif kind == 3:
            self.expect(int(members[item] > 0), "CF.EXISTS", key, item)
        else:
            self.check_window(rng.choice(self.windows), item)

    def check_window(self, key, item):
        first, second = self.call("CFW.SEEN", key, item, item)
        self.false_positives += first == 1 and item not in self.seen[key]
        if second != 1 or (first != 1 and item in self.seen[key]) or self.false_positives > 3:
            raise AssertionError(f"{key}, {item}: {first}, {second}")
        self.seen[key].add(item)

    def check(self):
        """Compares every key with its model. Returns the number of items checked."""
        for key, members in self.members.items():
            present = list(+members)
            if present:
                self.expect([1] * len(present), "CF.MEXISTS", key, *present)
            for item in present[:50]:
                self.expect(members[item], "CF.COUNT", key, item)
            inserted = dict(zip(*[iter(self.call("CF.INFO", key))] * 2))[b"Number of items inserted"]
            if inserted != members.total():
                raise AssertionError(f"{key}: {inserted} items, not {members.total()}")
            self.call("CF.DEBUG", key)  # replies with an error if a bucket is corrupt
        for key, items in self.seen.items():
            if items:
                self.expect([1] * len(items), "CFW.SEEN", key, *items)
        return sum(m.total() for m in self.members.values()) + sum(map(len, self.seen.values()))


class ConfirmedTraffic(Worker):
    """Writes each item once. Records per key which items are confirmed (a replica has them), acknowledged only (with the
    period in which the write began: 0 before the failover, 1 after it), or deleted (confirmed by a replica). After an error
    the state of an item is unknown, and it is in none of these lists."""

    def __init__(self, cluster, rng, tags):
        super().__init__(cluster, rng, tags)
        keys = self.filters + self.windows
        self.confirmed = {key: [] for key in keys}
        self.acknowledged = {key: [] for key in keys}
        self.deleted = {key: [] for key in self.filters}
        self.nodes = {}
        self.period = 0
        self.confirmations = 0

    def step(self):
        key = self.rng.choice(self.filters + self.windows)
        try:
            if self.rng.random() < 0.2 and key in self.deleted and self.confirmed[key]:
                self.delete(key)
            else:
                self.write(key, f"item {self.steps}", wait=self.rng.random() < 0.6)
        except redis.exceptions.RedisError:
            self.nodes.clear()
            time.sleep(0.05)

    def write(self, key, item, wait):
        period = self.period
        if self.change(wait, "CF.ADD" if key in self.deleted else "CFW.SEEN", key, item):
            self.confirmed[key].append(item)
        else:
            self.acknowledged[key].append((period, item))

    def delete(self, key):
        item = self.confirmed[key].pop(self.rng.randrange(len(self.confirmed[key])))
        if self.change(True, "CF.DEL", key, item):
            self.deleted[key].append(item)

    def change(self, wait, *words):
        """Returns whether a replica has confirmed the write. WAIT covers the writes of its own connection, so both commands
        are sent in one pipeline. Unlike RedisCluster this never retries."""
        key = words[1]
        if key not in self.nodes:
            self.nodes[key] = redis.Redis(port=self.cluster.master_of(key_slot(key.encode())).port, socket_timeout=120)
        with self.nodes[key].pipeline(transaction=False) as p:
            p.execute_command(*words)
            p.execute_command("WAIT", int(wait), 100)
            replicas = p.execute()[1]
        self.confirmations += wait and replicas > 0
        return wait and replicas > 0

    def present(self, key, items):
        if not items:
            return []
        return self.call("CF.MEXISTS" if key in self.deleted else "CFW.SEEN", key, *items)

    def lost(self, key):
        """The periods of the acknowledged items that are missing."""
        present = self.present(key, [item for _, item in self.acknowledged[key]])
        return [period for (period, _), is_present in zip(self.acknowledged[key], present) if not is_present]
