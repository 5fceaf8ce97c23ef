#!/usr/bin/env python3
"""Runs targets of the Makefile one after the other and prints at the end how long each took, and how much processor time, which
does not depend on what else the machine does.

usage: stages.py TARGET...        (from the top of the project; stops at the first target that fails)

A target that ran ctest gets a line for each part of its tests too: tests named python_x, redis_x and so on are a part of
that name, all others are "library". Parts run side by side, so their times add up to more than that of their target.
"""

import collections
import glob
import os
import re
import resource
import subprocess
import sys
import time

PARTS = "bench cli example fuzz go lab node portable postgres python redis replay rust site sql sqlite wasm".split()


def part_of(test):
    part = test.split("_")[0]
    return part if part in PARTS else "library"


def times_since(start):
    """The sums of the times in ctest's logs that were written since start: {part: (tests, seconds)}."""
    sums = collections.defaultdict(lambda: [0, 0.0])
    for log in glob.glob("build/*/Testing/Temporary/LastTest.log"):
        if os.path.getmtime(log) < start:
            continue
        with open(log, errors="replace") as text:
            name = None
            for line in text:
                if found := re.match(r"\d+/\d+ Test: (\S+)$", line):
                    name = found.group(1)
                elif name and (found := re.match(r"Test time = +([0-9.]+) sec", line)):
                    sums[part_of(name)][0] += 1
                    sums[part_of(name)][1] += float(found.group(1))
                    name = None
    return sums


def processor_time():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run(target):
    start, before = time.time(), processor_time()
    status = subprocess.run([os.environ.get("MAKE", "make"), target]).returncode
    rows = [(target, time.time() - start, processor_time() - before)]
    for part, (tests, seconds) in sorted(times_since(start).items(), key=lambda item: -item[1][1]):
        rows.append((f"  {part} ({tests} test{'s' if tests != 1 else ''})", seconds, None))
    return status, rows


def main(targets):
    table, status = [], 0
    for target in targets:
        status, rows = run(target)
        table += rows
        if status != 0:
            break
    print("\nTime of each part (tests run side by side):")
    stages = [row for row in table if not row[0].startswith(" ")]
    table.append(("in all", sum(row[1] for row in stages), sum(row[2] for row in stages)))
    for name, seconds, processor in table:
        print(f"  {name:32} {seconds:7.1f} s" + (f", {processor:7.1f} s of processor time" if processor is not None else ""))
    if status != 0:
        print(f"stages.py: {target} failed", file=sys.stderr)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]) if len(sys.argv) > 1 else __doc__)
