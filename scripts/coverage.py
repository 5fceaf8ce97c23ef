#!/usr/bin/env python3
"""Prints how much of each folder the tests have run, by lines and branches, and which lines they have not.

usage: coverage.py BUILD [FOLDER...]        (after a build with --coverage and its tests; needs gcovr; folders: src)

Headers and templates (*.inc) are compiled several times; a branch counts as taken if any of them has taken it.
"""

import collections
import json
import subprocess
import sys


def records(build, folders):
    command = ["gcovr", "-r", ".", "--object-directory", build, "--json", "-", "--exclude-unreachable-branches",
               "--exclude-throw-branches", "--merge-mode-functions=merge-use-line-0", "--gcov-ignore-parse-errors"]
    for folder in folders:
        command += ["--filter", f"{folder}/"]
    done = subprocess.run(command + [build], stdout=subprocess.PIPE)
    if done.returncode != 0:
        sys.exit(done.returncode)
    return json.loads(done.stdout)["files"]


def count(file):
    lines = [line for line in file["lines"] if not line.get("gcovr/noncode")]
    branches = [b for line in lines for b in line.get("branches", [])]
    missed = [line["line_number"] for line in lines if line["count"] == 0]
    untaken = [line["line_number"] for line in lines for b in line.get("branches", []) if line["count"] and not b["count"]]
    return len(lines), len(missed), len(branches), sum(1 for b in branches if b["count"] == 0), missed, sorted(set(untaken))


def percent(missed, total):
    return "    -" if total == 0 else f"{100 * (total - missed) / total:5.1f}"


def main(words):
    if not words:
        sys.exit(__doc__)
    folders = collections.defaultdict(lambda: [0, 0, 0, 0])
    details = []
    for file in records(words[0], words[1:] or ["src"]):
        lines, missed, branches, untaken, where, half = count(file)
        for name in (file["file"].rsplit("/", 1)[0], "in all"):
            for i, n in enumerate((lines, missed, branches, untaken)):
                folders[name][i] += n
        if where:
            details.append(f"{file['file']}: not run: {' '.join(map(str, where))}")
        if half:
            details.append(f"{file['file']}: branches one way only: {' '.join(map(str, half))}")
    print("\n".join(details))
    print(f"\n{'folder':24} {'lines':>7} {'%':>6} {'branches':>9} {'%':>6}")
    for name in sorted(folders, key=lambda n: (n == "in all", n)):
        lines, missed, branches, untaken = folders[name]
        print(f"{name:24} {lines:7} {percent(missed, lines)}  {branches:9} {percent(untaken, branches)}")


if __name__ == "__main__":
    main(sys.argv[1:])
