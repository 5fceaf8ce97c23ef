#!/usr/bin/env python3
"""Mutations: small faults put into the library one at a time, to see whether a test fails.

usage: mutate.py [--seed N] [--seconds S] [--most N] [--jobs N] [--cheap] [--tests NAME,NAME] [--suffix .c] [--only FILE[:LINE]] [FOLDER...]

Works on copies of the sources below build/mutate, never on the tree itself. A mutant is one change of one operator or constant
in a line of code. It is KILLED if it does not compile, if a test fails, or if a test takes too long, and SURVIVES if all tests
pass: then a test is missing, or the change makes no difference. What compiles to the same bytes is not counted as either. The line of a survivor can be given to --only.

What was tried is kept in build/mutate/tried.json, and the next run continues with the others; a mutant of a line that has
changed since is new. Limits are of processor time, so that a busy machine kills no mutant. With --cheap only tests of at most two
seconds are run, with --tests only those: what passes them is UNDECIDED, and a run without this option tries it again.

A mutant takes seconds, because the copy is compiled without vectors and the large templates without optimisation, by clang and
ninja if they are there, and because those tests run first that have found most mutants in the least time, each linked when its
turn comes. Code of instruction sets is compared with the portable code by test_match.
"""

import argparse
import collections
import concurrent.futures
import hashlib
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import threading
import time

TOP = pathlib.Path(__file__).resolve().parents[2]
TRIED = TOP / "build" / "mutate" / "tried.json"
FOLDERS = ["src/slots", "src/tidal", "src/io"]
# Other compilers and instruction sets than the copy is built with.
NOT_BUILT = re.compile(r"x86|neon|wasm|avx|sse41|_small\.c$|pair\.c$|unpack\.c$")
# Each in its quick form. Those of files are for src/io and what other folders do for files.
TESTS = """test_golden test_counts test_union test_tidal test_elders test_merge test_window_internals test_merge_widths test_match
    test_cuckoo test_small test_api test_shared test_inline test_multiset test_window test_rate test_tidal_size test_model
    test_refusal test_shared_threads test_interleaving""".split()
FILE_TESTS = """test_golden test_window_internals test_corrupt_file test_crafted_file test_file_info test_map_rewrite test_system
    test_file test_map test_view test_file_memory test_save_atomic test_tidal test_elders test_counts""".split()
OF_FILES = re.compile(r"src/io/|/file\.c$|/check\.c$")
FIRST_SECONDS = 60
COMPILE_SECONDS = 900
CHEAP_SECONDS = 2
UNDECIDED, SAME = "not yet known", "none: the same code"

# (what, how): each place where `what` matches is a mutant with `how` in its place.
CHANGES = [
    (r"(?<![<>=!+\-*/&|^%])<(?![<=])", "<="), (r"<=(?!=)", "<"), (r"(?<![->])>(?![>=])", ">="), (r"(?<!>)>=", ">"),
    (r"==", "!="), (r"!=", "=="), (r"&&", "||"), (r"\|\|", "&&"),
    (r"(?<![+\w(]) \+ (?!\+)", " - "), (r"(?<=\w) \+ (?=\w)", " - "), (r"(?<=[\w)]) - (?=[\w(])", " + "),
    (r"\+\+", "--"), (r"(?<!-)--", "++"), (r"\+=", "-="), (r"(?<!-)-=", "+="), (r"<<(?!=)", ">>"), (r">>(?!=)", "<<"),
    (r"\btrue\b", "false"), (r"\bfalse\b", "true"), (r"(?<=return )!", ""), (r"(?<=\()!(?=\w)", ""),
    (r"(?<![\w.])0(?![\w.x])", "1"), (r"(?<![\w.])1(?![\w.])", "2"), (r"(?<![\w.])([2-9])(?![\w.])", r"\g<1>1"),
    (r"\bSPLIT\b", "UNSPLIT"), (r"\bUNSPLIT\b", "SPLIT"), (r"(?<=[\w)]) \| (?=[\w(])", " & "), (r"(?<=[\w)]) & (?=[\w(])", " | "),
]


def code_lines(path):
    """(number, line) of the lines that are code: no comments, includes, macros or declarations of types."""
    in_comment = False
    for number, line in enumerate(path.read_text().split("\n"), 1):
        text = line.strip()
        begins = text.startswith("/*")
        if in_comment or begins:
            in_comment = "*/" not in text
            continue
        if not text or text.startswith(("#", "//", "*", "struct ", "enum ", "typedef ", "static const ", "extern ")):
            continue
        yield number, line


def mutants_of(path):
    for number, line in code_lines(path):
        code = line.split("/*")[0]
        for what, how in CHANGES:
            for found in re.finditer(what, code):
                changed = code[: found.start()] + found.expand(how) + code[found.end() :] + line[len(code) :]
                yield str(path.relative_to(TOP)), number, line, changed


def run(command, seconds, cwd, **environment):
    """Each process of the command may use so many seconds; one that waits forever is ended much later."""
    try:
        done = subprocess.run(["prlimit", f"--cpu={seconds}", *command], cwd=cwd, timeout=20 * seconds,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              env={**os.environ, "GUIRA_QUICK": "1", **environment})
        return done.returncode == 0
    except subprocess.TimeoutExpired:
        return False


class Order:
    """The tests, sorted by how many mutants each has found in a second of its time."""

    def __init__(self, tried, cheap, only):
        self.cheap, self.only = cheap, only
        self.all = list(dict.fromkeys(TESTS + FILE_TESTS))
        self.killed = {test: 0 for test in self.all}
        self.seconds, self.limit = {}, {test: FIRST_SECONDS for test in self.all}
        for t in tried.all:
            if t.get("killer") in self.killed:
                self.killed[t["killer"]] += 1

    def tests(self, path):
        tests = self.only or (FILE_TESTS if OF_FILES.search(path) else TESTS)
        return sorted((t for t in tests if not self.cheap or self.seconds[t] <= CHEAP_SECONDS), key=lambda test: -(self.killed[test] + 0.5) / self.seconds[test])

    def took(self, test, seconds):
        """Without a mutant. One that makes a test much slower is killed."""
        self.seconds[test], self.limit[test] = seconds, int(5 + 5 * seconds)


class Copy:
    """A copy of the sources with a build of its own."""

    def __init__(self, number, order):
        self.tree = TOP / "build" / "mutate" / f"copy{number}"
        self.build = self.tree / "build"
        self.order = order
        self.tree.mkdir(parents=True, exist_ok=True)
        for name in "src include tests bench cmake scripts bindings cli module sql CMakeLists.txt VERSION".split():
            for source in [TOP / name] if (TOP / name).is_file() else (TOP / name).rglob("*"):
                self.bring(source)
        self.configure()
        if not self.compiles("guira_static"):
            sys.exit(f"mutate.py: the library does not compile: see {self.build}")
        self.library = self.library_digest()
        self.measure()

    def bring(self, source):
        """A file that an interrupted run has left changed is newer then than what was made of it."""
        target = self.tree / source.relative_to(TOP)
        if source.is_file() and not (target.exists() and target.read_bytes() == source.read_bytes()):
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(source.read_bytes())
            shutil.copymode(source, target)

    def configure(self):
        with open(self.tree / "src" / "CMakeLists.txt", "a") as file:
            file.write("set_property(SOURCE tidal/tidal_portable.c cuckoo/cuckoo_portable.c shared/lookup_portable.c"
                       " APPEND PROPERTY COMPILE_OPTIONS -O0)\n")
        options = [f"-DGUIRA_{part}=OFF" for part in "CLI LAB MODULE SQL BENCH EXAMPLES ISA_ALL WERROR".split()]
        options += ["-DCMAKE_C_COMPILER=clang"] if shutil.which("clang") else []
        options += ["-G", "Ninja"] if shutil.which("ninja") else []
        if not run(["cmake", "-S", ".", "-B", "build", "-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_C_FLAGS_DEBUG=-O1", *options], 300, self.tree):
            sys.exit(f"mutate.py: cmake fails: see {self.build}")

    def measure(self):
        """Without a mutant all tests pass. How long they took is kept until a source changes."""
        times = self.tree / "times.json"
        newest = max(file.stat().st_mtime for part in ("src", "include", "tests") for file in (TOP / part).rglob("*.[chi]*"))
        if times.exists() and times.stat().st_mtime > newest:
            for test, seconds in json.loads(times.read_text()).items():
                self.order.took(test, seconds)
            return
        for test in self.order.all:
            if not self.compiles(test):
                sys.exit(f"mutate.py: {test} does not compile: see {self.build}")
            before = children_seconds()
            if not self.test_passes(test):
                sys.exit(f"mutate.py: without a mutant {test} fails: see {self.build}")
            self.order.took(test, children_seconds() - before)
        times.write_text(json.dumps(self.order.seconds))

    def compiles(self, target):
        return run(["cmake", "--build", "build", "-j", "1", "--target", target], COMPILE_SECONDS, self.tree)

    def test_passes(self, test):
        return run([str(self.build / "tests" / test)], self.order.limit[test], self.build, GUIRA_SEED="1")

    def library_digest(self):
        return hashlib.sha256((self.build / "src" / "libguira.a").read_bytes()).digest()

    def killer(self, path):
        """What finds the mutant: a test or the compiler; None if nothing does."""
        if not self.compiles("guira_static"):
            return "the compiler"
        if self.library_digest() == self.library:
            return SAME
        for test in self.order.tests(path):
            if not self.compiles(test):
                return "the compiler"
            if not self.test_passes(test):
                return test
        return UNDECIDED if self.order.cheap or self.order.only else None

    def killer_of(self, mutant):
        path, number, line, changed = mutant
        file = self.tree / path  # not the tree's own, which may be changed meanwhile
        before = file.read_text()
        lines = before.split("\n")
        assert lines[number - 1] == line
        lines[number - 1] = changed
        file.write_text("\n".join(lines))
        try:
            return self.killer(path)
        finally:
            file.write_text(before)


def children_seconds():
    times = os.times()
    return times.children_user + times.children_system


class Tried:
    """What became of mutants, in a file: {"path", "line", "changed", "killer"} for each; killer None: it survives."""

    def __init__(self):
        self.all = json.loads(TRIED.read_text()) if TRIED.exists() else []
        self.known = {(t["path"], t["line"], t["changed"]): t["killer"] for t in self.all}
        self.lock = threading.Lock()

    def has(self, mutant, cheap):
        key = (mutant[0], mutant[2], mutant[3])
        return key in self.known and (cheap or self.known[key] != UNDECIDED)

    def add(self, mutant, killer):
        with self.lock:
            self.all = [t for t in self.all if (t["path"], t["line"], t["changed"]) != (mutant[0], mutant[2], mutant[3])]
            self.all.append({"path": mutant[0], "line": mutant[2], "changed": mutant[3], "killer": killer})
            new = TRIED.with_suffix(".new")
            new.write_text(json.dumps(self.all, indent=1))
            new.rename(TRIED)


def chosen(options, tried):
    folders = options.folders or FOLDERS
    files = [f for folder in folders for f in sorted((TOP / folder).glob("*")) if f.suffix in options.suffix]
    mutants = [m for f in files if not NOT_BUILT.search(f.name) for m in mutants_of(f)]
    if options.only:
        path, _, number = options.only.partition(":")
        return [m for m in mutants if m[0] == path and (not number or m[1] == int(number)) and not tried.has(m, options.cheap)]
    random.Random(options.seed).shuffle(mutants)
    return [m for m in mutants[: options.most] if not tried.has(m, options.cheap)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=int, default=3600)
    parser.add_argument("--most", type=int, default=400)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--cheap", action="store_true")
    parser.add_argument("--tests", type=lambda names: names.split(","))
    parser.add_argument("--suffix", action="append", help="of files to change; .c compiles fastest (default: .c .h .inc)")
    parser.add_argument("--only")
    parser.add_argument("folders", nargs="*")
    options = parser.parse_args()
    options.suffix = options.suffix or [".c", ".h", ".inc"]
    tried = Tried()
    order, mutants, start = Order(tried, options.cheap, options.tests), chosen(options, tried), len(tried.all)
    print(f"{len(mutants)} mutants, seed {options.seed}, {start} tried before", flush=True)
    copies = [Copy(i, order) for i in range(options.jobs)]
    end = time.time() + options.seconds

    def work(copy):
        while mutants and time.time() < end:
            mutant = mutants.pop(0)
            killer = copy.killer_of(mutant)
            tried.add(mutant, killer)
            if killer in (None, UNDECIDED):
                print(f"{'SURVIVES' if killer is None else 'UNDECIDED'} {mutant[0]}:{mutant[1]}\n  - {mutant[2].strip()}\n  + {mutant[3].strip()}", flush=True)
            elif killer in order.killed:
                order.killed[killer] += 1

    with concurrent.futures.ThreadPoolExecutor(len(copies)) as pool:
        list(pool.map(work, copies))
    report(tried, len(mutants))


def report(tried, left):
    killers = collections.Counter(t["killer"] or "SURVIVED" for t in tried.all)
    print(f"{len(tried.all)} were tried in all runs, {left} are left; killed by:")
    for test, n in killers.most_common():
        print(f"  {test:24} {n}")


if __name__ == "__main__":
    main()
