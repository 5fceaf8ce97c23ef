#!/usr/bin/env python3
"""Prints how much of each folder the tests have run, by lines and branches, and which lines they have not.

usage: coverage.py BUILD [FOLDER...]        (after a build by the preset "coverage" and its tests; needs llvm-cov; folders: src)

A branch is one answer of one condition in the source: `a && b` has four. Headers and templates (*.inc) are compiled several times;
a line counts as run, and a branch as taken, if any of these copies has done it.
"""

import bisect
import collections
import glob
import json
import os
import pathlib
import re
import subprocess
import sys


def tool(name):
    """llvm-cov, or llvm-cov-14 where only that is installed."""
    for path in os.environ["PATH"].split(":"):
        for found in [os.path.join(path, name), *sorted(glob.glob(os.path.join(path, name + "-[0-9]*")))]:
            if os.access(found, os.X_OK):
                return found
    sys.exit(f"coverage.py: {name} was not found (Debian: llvm)")


def exported(build):
    """What llvm-cov says of all source files. The shared library has every file of the library once."""
    profile = os.path.join(build, "tests.profdata")
    raw = glob.glob(os.path.join(build, "profiles", "*.profraw"))
    subprocess.run([tool("llvm-profdata"), "merge", "-sparse", "-o", profile, *raw], check=True)
    command = [tool("llvm-cov"), "export", "-skip-functions", f"-instr-profile={profile}", os.path.join(build, "src", "libguira.so")]
    return json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)["data"][0]["files"]


def lines_of(segments):
    """{line: times run}. A segment is (line, column, count, has count, begins a region, is a gap)."""
    lines, starts, wrapped = {}, collections.defaultdict(list), None
    for segment in segments:
        starts[segment[0]].append(segment)
    for line in range(segments[0][0], segments[-1][0] + 1) if segments else []:
        entries = [s[2] for s in starts[line] if s[3] and s[4] and not s[5]]
        counts = ([wrapped[2]] if wrapped and wrapped[3] else []) + entries
        if counts:
            lines[line] = max(counts)
        wrapped = starts[line][-1] if starts[line] else wrapped
    return lines


def ran(segments, place):
    """How often what is at (line, column) was run."""
    at = bisect.bisect_right(segments, list(place), key=lambda s: s[:2]) - 1
    return segments[at][2]


def branches_of(file):
    """{(line, column): [times true, times false]}, added up over copies; a case of a switch has only the first. Conditions that the
    compiler knows are left out: they are run without an answer."""
    text = pathlib.Path(file["filename"]).read_text().split("\n")
    sums = collections.defaultdict(lambda: [0, 0])
    for branch in file["branches"]:  # (line, column, to line, to column, true, false, ...)
        sums[tuple(branch[:2])][0] += branch[4]
        sums[tuple(branch[:2])][1] += branch[5]
    known = [place for place, taken in sums.items() if taken == [0, 0] and ran(file["segments"], place) > 0]
    cases = [(line, column) for line, column in sums if re.match(r"(case|default)\b", text[line - 1][column - 1 :])]
    return {p: taken[:1] if p in cases else taken for p, taken in sums.items() if p in cases or p not in known}


def percent(missed, total):
    return "    -" if total == 0 else f"{100 * (total - missed) / total:5.1f}"


def one_way(branches):
    """"12:9 false": the condition in line 12, column 9, was never false."""
    return [f"{place[0]}:{place[1]} {answer}" for place, taken in sorted(branches.items())
            for answer, n in zip(("true", "false"), taken) if n == 0]


def main(words):
    if not words:
        sys.exit(__doc__)
    folders = collections.defaultdict(lambda: [0, 0, 0, 0])
    chosen = tuple(f"{folder}/" for folder in words[1:] or ["src"])
    for file in sorted(exported(words[0]), key=lambda f: f["filename"]):
        name = os.path.relpath(file["filename"])
        if not name.startswith(chosen):
            continue
        lines, branches = lines_of(file["segments"]), branches_of(file)
        missed, never = [str(line) for line, n in lines.items() if n == 0], one_way(branches)
        for folder in (name.rsplit("/", 1)[0], "in all"):
            for i, n in enumerate((len(lines), len(missed), sum(map(len, branches.values())), len(never))):
                folders[folder][i] += n
        if missed:
            print(f"{name}: lines not run: {' '.join(missed)}")
        if never:
            print(f"{name}: never {', '.join(never)}")
    print(f"\n{'folder':24} {'lines':>7} {'%':>6} {'branches':>9} {'%':>6}")
    for name in sorted(folders, key=lambda n: (n == "in all", n)):
        lines, missed, branches, never = folders[name]
        print(f"{name:24} {lines:7} {percent(missed, lines)}  {branches:9} {percent(never, branches)}")


if __name__ == "__main__":
    main(sys.argv[1:])
