"""Single operations and batches of guira and its peers, in one process; prints a Markdown table.

Keys are distinct str of 16 characters. Half of the lookups are of members. Every figure is the best of several passes, each
over all keys in a random order (adding and removing: of three filters), in processor time, per key and without the cost of an
empty loop. Peers have a fixed size: they are made for the number of keys at a rate of 1 %. guira's filter has 16-bit slots (0.05 %
to 1 %), and is measured growing from nothing and, as the peers, made for the number of keys.

usage: python_peers.py [KEYS ...]       (default: 1000000 10000000)
"""

import gc
import math
import platform
import random
import sys
import time

import guira
import numpy as np


def best(passes, call, n):
    times = []
    for _ in range(passes):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return min(times) / n * 1e9


def look_up(container, keys):
    for key in keys:
        key in container


def empty(keys):
    for key in keys:
        pass


def fill(add, keys):
    for key in keys:
        add(key)


def peers(n):
    import probables
    import pybloom_live
    import rbloom

    return [
        ("set", set, lambda c: c.add, None),
        ("guira.Filter, grows", guira.Filter, lambda c: c.add, lambda c: c.discard),
        ("guira.Filter, capacity", lambda: guira.Filter(capacity=n), lambda c: c.add, lambda c: c.discard),
        ("guira.SharedFilter, capacity", lambda: guira.SharedFilter(capacity=n), lambda c: c.add, lambda c: c.discard),
        ("rbloom", lambda: rbloom.Bloom(n, 0.01), lambda c: c.add, None),
        ("pybloom-live", lambda: pybloom_live.BloomFilter(n, 0.01), lambda c: c.add, None),
        ("pyprobables, Bloom", lambda: probables.BloomFilter(n, 0.01), lambda c: c.add, None),
        ("pyprobables, cuckoo", lambda: probables.CuckooFilter(capacity=n // 4 + n // 8, max_swaps=500), lambda c: c.add,
         lambda c: c.remove),
    ]


def keys_of(n):
    rng = random.Random(1)
    keys = [f"{rng.getrandbits(64):016x}" for _ in range(2 * n)]
    return keys[:n], keys[n:]


def singles(n):
    members, others = keys_of(n)
    probes = members[: n // 2] + others[: n // 2]
    random.Random(2).shuffle(probes)
    some = probes[: 10**6]
    loop, loop_adding = best(3, lambda: empty(some), len(some)), best(3, lambda: empty(members), n)
    print(f"\nSingle operations, {n} keys of type str, ns:\n")
    print("| | `in` | add | remove | bytes per key |")
    print("|---|---|---|---|---|")
    for name, make, adder, remover in peers(n):
        slow = name.startswith("py")
        if slow and n > 10**6:
            continue
        count = 10**5 if slow else n  # the slow ones get a tenth of the keys
        gc.collect()
        added = math.inf
        for _ in range(1 if slow else 3):
            container = make()
            added = min(added, best(1, lambda: fill(adder(container), members[:count]), count) - loop_adding)
        sample = some[: 10**5] if slow else some
        found = best(1 if slow else 5, lambda: look_up(container, sample), len(sample)) - loop
        held = {"set": sys.getsizeof(container)}.get(name) or getattr(container, "nbytes", None)
        held = f"{held / n:.1f}" if held else "-"
        removed = f"{best(1, lambda: fill(remover(container), members[:count]), count) - loop_adding:.0f}" if remover else "-"
        print(f"| {name} | {found:.0f} | {added:.0f} | {removed} | {held} |", flush=True)
        del container


def bloom(n):
    import rbloom

    return rbloom.Bloom(n, 0.01)


BATCHES = [
    ("guira.Filter, new", lambda n: guira.Filter()),
    ("guira.Filter, capacity", lambda n: guira.Filter(capacity=n)),
    ("guira.SharedFilter, capacity", lambda n: guira.SharedFilter(capacity=n)),
    ("rbloom", bloom),
]


def batches(n):
    rng = np.random.default_rng(1)
    members = rng.integers(0, 2**63, n, dtype=np.uint64)
    probes = np.concatenate([members[: n // 2], rng.integers(2**63, 2**64 - 1, n // 2, dtype=np.uint64)])
    rng.shuffle(probes)
    print(f"\nBatches of {n} keys from a NumPy array of uint64, ns per key:\n")
    print("| | contains_many | update | discard_many |")
    print("|---|---|---|---|")
    for name, make in BATCHES:
        added = math.inf
        for _ in range(3):
            f = make(n)
            added = min(added, best(1, lambda: f.update(members), n))
            found = best(5, lambda: f.contains_many(probes), n) if hasattr(f, "contains_many") else None
            removed = best(1, lambda: f.discard_many(members), n) if hasattr(f, "discard_many") else None
        cells = ["-" if x is None else f"{x:.1f}" for x in (found, added, removed)]
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


def main():
    sizes = [int(x) for x in sys.argv[1:]] or [10**6, 10**7]
    processor = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "?")
    print(f"guira {guira.__version__}, Python {platform.python_version()}, {processor}")
    for n in sizes:
        singles(n)
    batches(10**6)


if __name__ == "__main__":
    main()
