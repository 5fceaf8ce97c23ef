"""Shared by the tests: seeds that can be replayed, and one list of what the types have in common."""

import os
import random

import guira

SEED = bytes(range(16))


def quick():
    return os.environ.get("GUIRA_QUICK", "0") not in ("", "0")


def rng_for(test):
    seed = int(os.environ.get("GUIRA_SEED") or random.SystemRandom().getrandbits(63))
    print(f"{test}: GUIRA_SEED={seed}", flush=True)
    return random.Random(seed)


FILTERS = [guira.Filter] + ([guira.SharedFilter] if guira.has_shared else [])
