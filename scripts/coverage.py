#!/usr/bin/env python3
"""Prints how much of each folder the tests have run, by lines and branches, and which lines they have not.

usage: coverage.py BUILD [FOLDER...]        (after a build with --coverage and its tests; needs gcov; folders: src)

Headers and templates (*.inc) are compiled several times, also within one file. A line counts as run, and a branch as taken, if any
of these copies has done it. Branches of a line are told apart by their order; if a copy has fewer of them, because the
compiler knew some answers, they are the first ones. A function that is inlined several times into another one has its branches
counted for each copy there: src/slots, src/tidal and src/shared have many such branches, in copies for layouts that never
take them.
"""

import collections
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys


def measured(data):
    """What gcov says of one object: its files."""
    done = subprocess.run(["gcov", "--json-format", "--branch-probabilities", "--stdout", str(data)], stdout=subprocess.PIPE, check=True)
    for line in done.stdout.splitlines():
        yield from json.loads(line)["files"]


def sums_of(data):
    """{file: {line: (times run, [times taken])}} of one object, added up over copies of a function."""
    sums = collections.defaultdict(dict)
    for file in measured(data):
        for line in file["lines"]:
            add(sums[file["file"]], line["line_number"], line["count"], [b["count"] for b in line["branches"] if not b["throw"]])
    return dict(sums)


def add(lines, number, count, branches):
    old_count, old = lines.get(number, (0, []))
    longer, shorter = sorted((old, branches), key=len, reverse=True)
    lines[number] = (old_count + count, [n + (shorter[i] if i < len(shorter) else 0) for i, n in enumerate(longer)])


def records(build, folders):
    """{file below one of the folders: {line: (times run, [times taken])}}"""
    top, total = pathlib.Path.cwd(), collections.defaultdict(dict)
    with concurrent.futures.ProcessPoolExecutor(os.cpu_count()) as pool:
        for sums in pool.map(sums_of, sorted(pathlib.Path(build).resolve().rglob("*.gcda"))):
            for name, lines in sums.items():
                path = os.path.relpath(os.path.join(build, name), top)
                if path.startswith(tuple(f"{folder}/" for folder in folders)):
                    for number, (count, branches) in lines.items():
                        add(total[path], number, count, branches)
    return total


def count(lines):
    missed = [number for number, (n, _) in sorted(lines.items()) if n == 0]
    untaken = [number for number, (n, branches) in sorted(lines.items()) if n > 0 and 0 in branches]
    branches = [n for _, taken in lines.values() for n in taken]
    return len(lines), len(missed), len(branches), branches.count(0), missed, untaken


def percent(missed, total):
    return "    -" if total == 0 else f"{100 * (total - missed) / total:5.1f}"


def main(words):
    if not words:
        sys.exit(__doc__)
    folders = collections.defaultdict(lambda: [0, 0, 0, 0])
    details = []
    for name, found in sorted(records(words[0], words[1:] or ["src"]).items()):
        lines, missed, branches, untaken, where, half = count(found)
        for folder in (name.rsplit("/", 1)[0], "in all"):
            for i, n in enumerate((lines, missed, branches, untaken)):
                folders[folder][i] += n
        if where:
            details.append(f"{name}: not run: {' '.join(map(str, where))}")
        if half:
            details.append(f"{name}: branches one way only: {' '.join(map(str, half))}")
    print("\n".join(details))
    print(f"\n{'folder':24} {'lines':>7} {'%':>6} {'branches':>9} {'%':>6}")
    for name in sorted(folders, key=lambda n: (n == "in all", n)):
        lines, missed, branches, untaken = folders[name]
        print(f"{name:24} {lines:7} {percent(missed, lines)}  {branches:9} {percent(untaken, branches)}")


if __name__ == "__main__":
    main(sys.argv[1:])
