"""Traffic on a cluster: threads that write to keys of their own and know what must be in them.

    Exact       one client each. Every answer is compared with a model while the traffic runs: for changes of the cluster in
                which nothing that was acknowledged may be lost
    Confirmed   for changes in which something may: knows which writes a replica has confirmed (WAIT), and which were only
                acknowledged

Keys are {tag}f, a filter, and {tag}w, a window, so that both are in the tag's slot. The models of filters know no false
positives: with slots of 32 bits there is one in 3 * 10^7 answers. Windows have one in 10^6, and a few are let pass.
"""
import collections
import threading
import time

import redis
from redis.crc import key_slot

HOUR = 3600000


class Worker(threading.Thread):
    """Makes steps until finish() is called or an answer is wrong."""

    def __init__(self, cluster, rng, tags):
        super().__init__(daemon=True)
        self.cluster, self.rng, self.client = cluster, rng, cluster.client()
        self.filters = [f"{{{t}}}f" for t in tags]
        self.windows = [f"{{{t}}}w" for t in tags]
        self.steps = 0
        self.failure = None
        self.over = threading.Event()
        for key in self.filters:
            self.ask("CF.RESERVE", key, 1000, "ERROR", 0.00001)
        for key in self.windows:
            self.ask("CFW.RESERVE", key, HOUR)

    def run(self):
        try:
            while not self.over.is_set():
                self.step()
                self.steps += 1
        except Exception as failure:
            self.failure = failure

    def finish(self):
        self.over.set()
        self.join()
        self.client = self.cluster.client()
        if self.failure is not None:
            raise self.failure

    def ask(self, *words):
        return self.client.execute_command(*words)

    def expect(self, answer, *words):
        got = self.ask(*words)
        if got != answer:
            where = [i for i, (g, a) in enumerate(zip(got, answer)) if g != a] if isinstance(got, list) else f"not {answer}"
            raise AssertionError(f"{str(words)[:200]}: {str(got)[:200]}, wrong: {str(where)[:200]}")


class Exact(Worker):
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
            self.look(rng.choice(self.windows), item)

    def look(self, key, item):
        first, second = self.ask("CFW.SEEN", key, item, item)
        self.false_positives += first == 1 and item not in self.seen[key]
        if second != 1 or (first != 1 and item in self.seen[key]) or self.false_positives > 3:
            raise AssertionError(f"{key}, {item}: {first}, {second}")
        self.seen[key].add(item)

    def check(self):
        """Every key against its model. Returns how many members and items that is."""
        for key, members in self.members.items():
            there = list(+members)
            if there:
                self.expect([1] * len(there), "CF.MEXISTS", key, *there)
            for item in there[:50]:
                self.expect(members[item], "CF.COUNT", key, item)
            inserted = dict(zip(*[iter(self.ask("CF.INFO", key))] * 2))[b"Number of items inserted"]
            if inserted != members.total():
                raise AssertionError(f"{key}: {inserted} items, not {members.total()}")
            self.ask("CF.DEBUG", key)  # an error if a bucket is wrong
        for key, items in self.seen.items():
            if items:
                self.expect([1] * len(items), "CFW.SEEN", key, *items)
        return sum(m.total() for m in self.members.values()) + sum(map(len, self.seen.values()))


class Confirmed(Worker):
    """Each item is written once. What happened to it: sure (a replica has it), acknowledged (with the era that its write
    began in), gone (deleted, and a replica knows). After an error nothing is known, and it is in none of them."""

    def __init__(self, cluster, rng, tags):
        super().__init__(cluster, rng, tags)
        keys = self.filters + self.windows
        self.sure = {key: [] for key in keys}
        self.acknowledged = {key: [] for key in keys}
        self.gone = {key: [] for key in self.filters}
        self.nodes = {}
        self.era = 0
        self.confirmations = 0

    def step(self):
        key = self.rng.choice(self.filters + self.windows)
        try:
            if self.rng.random() < 0.2 and key in self.gone and self.sure[key]:
                self.delete(key)
            else:
                self.write(key, f"item {self.steps}", wait=self.rng.random() < 0.6)
        except redis.exceptions.RedisError:
            self.nodes.clear()
            time.sleep(0.05)

    def write(self, key, item, wait):
        era = self.era
        if self.change(wait, "CF.ADD" if key in self.gone else "CFW.SEEN", key, item):
            self.sure[key].append(item)
        else:
            self.acknowledged[key].append((era, item))

    def delete(self, key):
        item = self.sure[key].pop(self.rng.randrange(len(self.sure[key])))
        if self.change(True, "CF.DEL", key, item):
            self.gone[key].append(item)

    def change(self, wait, *words):
        """Returns whether a replica has confirmed it. WAIT is for the writes of its own connection, so both go there at
        once. Nothing is tried twice, as RedisCluster would do."""
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
        return self.ask("CF.MEXISTS" if key in self.gone else "CFW.SEEN", key, *items)

    def lost(self, key):
        """What was acknowledged and is not there: its eras."""
        there = self.present(key, [item for _, item in self.acknowledged[key]])
        return [era for (era, _), is_there in zip(self.acknowledged[key], there) if not is_there]
