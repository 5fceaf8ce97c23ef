#!/usr/bin/env python3
"""Mutations: small faults put into the library one at a time, to see whether a test fails.

usage: mutate.py [--seed N] [--seconds S] [--most N] [--jobs N] [--only FILE[:LINE]] [FOLDER...]

Works on copies of the sources below build/mutate, never on the tree itself. A mutant is one change of one operator or constant
in a line of code. It is KILLED if it does not compile, if a test fails, or if a test takes too long, and SURVIVES if all tests
pass: then a test is missing, or the change makes no difference. The line of a survivor can be given to --only.

What was tried is kept in build/mutate/tried.json, and the next run continues with the others; a mutant of a line that has
changed since is new. Limits are of processor time, so that a busy machine kills no mutant.

The copy is compiled without vectors and with assertions of the tests only, so that a mutant takes seconds: code of instruction
sets is compared with the portable code by test_match.
"""

import argparse
import concurrent.futures
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
# The fastest first, since most mutants fail at once; each row is built when the one before it has passed.
TESTS = [row.split() for row in (
    "test_golden test_tidal test_small test_elders",
    "test_counts test_union test_merge test_cuckoo test_model test_multiset test_file test_view test_map test_corrupt_file "
    "test_crafted_file test_file_info test_save_atomic test_merge_widths test_window test_rate test_tidal_size test_api "
    "test_window_internals test_file_memory test_refusal test_match test_system test_map_rewrite",
    "test_interleaving",
)]
TEST_SECONDS = 120
COMPILE_SECONDS = 900

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


class Copy:
    """A copy of the sources with a build of its own."""

    def __init__(self, number):
        self.tree = TOP / "build" / "mutate" / f"copy{number}"
        self.build = self.tree / "build"
        self.tree.mkdir(parents=True, exist_ok=True)
        for name in "src include tests bench cmake scripts bindings cli module sql CMakeLists.txt VERSION".split():
            source, target = TOP / name, self.tree / name
            if source.is_dir():
                shutil.copytree(source, target, dirs_exist_ok=True)
            else:
                shutil.copy2(source, target)
        off = [f"-DGUIRA_{part}=OFF" for part in "CLI LAB MODULE SQL BENCH EXAMPLES ISA_ALL WERROR".split()]
        good = run(["cmake", "-S", ".", "-B", "build", "-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_C_FLAGS_DEBUG=-O1", *off], 300, self.tree)
        if not good:
            sys.exit(f"mutate.py: cmake fails: see {self.build}")
        killers = {}
        if not self.tests_pass(killers):
            sys.exit(f"mutate.py: without a mutant {' '.join(killers)} fails: see {self.build}")

    def compiles(self, tests):
        return run(["cmake", "--build", "build", "-j", "1", "--target", *tests], COMPILE_SECONDS, self.tree)

    def tests_pass(self, killers):
        """Notes in killers what failed."""
        for row in TESTS:
            if not self.compiles(row):
                killers["the compiler"] = killers.get("the compiler", 0) + 1
                return False
            for test in row:
                if not run([str(self.build / "tests" / test)], TEST_SECONDS, self.build, GUIRA_SEED="1"):
                    killers[test] = killers.get(test, 0) + 1
                    return False
        return True

    def survives(self, mutant, killers):
        path, number, line, changed = mutant
        file = self.tree / path
        lines = (TOP / path).read_text().split("\n")
        lines[number - 1] = changed
        file.write_text("\n".join(lines))
        try:
            return self.tests_pass(killers)
        finally:
            shutil.copy2(TOP / path, file)
            os.utime(file)


class Tried:
    """What became of mutants, in a file: {"path", "line", "changed", "survives"} for each."""

    def __init__(self):
        self.all = json.loads(TRIED.read_text()) if TRIED.exists() else []
        self.known = {(t["path"], t["line"], t["changed"]) for t in self.all}
        self.lock = threading.Lock()

    def has(self, mutant):
        return (mutant[0], mutant[2], mutant[3]) in self.known

    def add(self, mutant, survives):
        with self.lock:
            self.all.append({"path": mutant[0], "line": mutant[2], "changed": mutant[3], "survives": survives})
            new = TRIED.with_suffix(".new")
            new.write_text(json.dumps(self.all, indent=1))
            new.rename(TRIED)


def chosen(options, tried):
    folders = options.folders or FOLDERS
    files = [f for folder in folders for f in sorted((TOP / folder).glob("*")) if f.suffix in (".c", ".h", ".inc")]
    mutants = [m for f in files if not NOT_BUILT.search(f.name) for m in mutants_of(f)]
    if options.only:
        path, _, number = options.only.partition(":")
        mutants = [m for m in mutants if m[0] == path and (not number or m[1] == int(number))]
        return mutants
    random.Random(options.seed).shuffle(mutants)
    return [m for m in mutants[: options.most] if not tried.has(m)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=int, default=3600)
    parser.add_argument("--most", type=int, default=400)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--only")
    parser.add_argument("folders", nargs="*")
    options = parser.parse_args()
    tried = Tried()
    mutants, killers, results = chosen(options, tried), {}, {"killed": 0, "survived": 0}
    print(f"{len(mutants)} mutants, seed {options.seed}, {len(tried.all)} tried before", flush=True)
    copies = [Copy(i) for i in range(options.jobs)]
    end = time.time() + options.seconds

    def work(copy):
        while mutants and time.time() < end:
            mutant = mutants.pop()
            survives = copy.survives(mutant, killers)
            results["survived" if survives else "killed"] += 1
            tried.add(mutant, survives)
            if survives:
                print(f"SURVIVES {mutant[0]}:{mutant[1]}\n  - {mutant[2].strip()}\n  + {mutant[3].strip()}", flush=True)

    with concurrent.futures.ThreadPoolExecutor(len(copies)) as pool:
        list(pool.map(work, copies))
    before = sum(t["survives"] for t in tried.all)
    print(f"killed {results['killed']}, survived {results['survived']}, not tried {len(mutants)}; "
          f"of all that were ever tried, {before} of {len(tried.all)} survived")
    for test, n in sorted(killers.items(), key=lambda item: -item[1]):
        print(f"  {test:24} {n}")


if __name__ == "__main__":
    main()
