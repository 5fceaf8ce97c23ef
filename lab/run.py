#!/usr/bin/env python3
"""Runs all experiments of the lab, draws the plots, and writes one page with all results.

    lab/run.py --bin build/release/lab --out lab/out [--quick] [--seed N] [--trace FILE] [--only NAME ...]

Everything is written to a temporary directory, which replaces the old report at the end: a run that fails leaves the old
report unchanged. Exit status: 0; 1 if one of our statements does not hold (the page says which); 2 for other errors (no
page is written).
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

import page

LAB = pathlib.Path(__file__).absolute().parent


class Failed(Exception):
    pass


def experiments():
    """The folders of all experiments by name, in the order of the page. A folder with a main.c is an experiment."""
    found = {main.parent.name: main.parent for main in (*LAB.glob("*/main.c"), *LAB.glob("errata/*/main.c"))}
    return dict(sorted(found.items(), key=lambda item: page.order_of(*item)))


def run(name, directory, options, commit):
    """Runs one experiment and prints its progress. Returns whether all its statements hold."""
    command = [options.bin / f"lab-{name}", "--out", directory, "--seed", str(options.seed)]
    command += ["--quick"] if options.quick else []
    command += ["--trace", options.trace] if options.trace else []
    environment = dict(os.environ, LAB_COMMIT=commit)
    try:
        child = subprocess.Popen([str(c) for c in command], stdout=subprocess.PIPE, text=True, env=environment)
    except OSError as error:
        raise Failed(f"{name}: {error}") from error
    for line in child.stdout:
        print("          " + line, end="", flush=True)
    status = child.wait()
    if status not in (0, 1):
        raise Failed(f"{name}: exited with status {status}")
    return status == 0


def plot(name, folder, directory):
    for script in sorted(folder.glob("*.gp")):
        output = directory / (script.stem + ".svg")
        command = ["gnuplot", "-e", f"set output '{output.name}'", LAB / "style.gp", script]
        done = subprocess.run(command, cwd=directory, capture_output=True, text=True)
        # gnuplot only warns if a plot is empty
        if done.returncode != 0 or not output.exists() or "<path" not in output.read_text(encoding="utf-8"):
            raise Failed(f"{name}: {script.name}: {done.stderr.strip() or 'the plot is empty'}")


def commit_of():
    command = ["git", "-C", str(LAB), "describe", "--always", "--dirty", "--abbrev=12", "--exclude", "*"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def replace_report(new, out):
    """Replaces the old report by the new one."""
    os.chmod(new, 0o755)
    old = out.with_name(out.name + ".old")
    shutil.rmtree(old, ignore_errors=True)
    if out.exists():
        out.rename(old)
    new.rename(out)
    shutil.rmtree(old, ignore_errors=True)


def run_all(folders, new, options):
    names = list(folders)
    commit, broken, start = commit_of(), [], time.monotonic()
    print(f"lab: {len(names)} experiments, seed {options.seed}, commit {commit}{', quick' if options.quick else ''}")
    for i, name in enumerate(names, 1):
        begin = time.monotonic()
        print(f"[{i:2}/{len(names)}] {name}", flush=True)
        directory = new / name
        directory.mkdir()
        if not run(name, directory, options, commit):
            broken.append(name)
        plot(name, folders[name], directory)
        print(f"          {time.monotonic() - begin:.1f} s", flush=True)
    page.write(new, folders, options, commit, LAB / "page.html")
    print(f"lab: {time.monotonic() - start:.0f} s")
    return broken


def options_of(argv):
    parser = argparse.ArgumentParser(description="Reproduces the papers' tables and figures and writes one page.")
    parser.add_argument("--bin", type=pathlib.Path, default=LAB.parent / "build/release/lab", help="directory of the programs")
    parser.add_argument("--out", type=pathlib.Path, default=LAB / "out", help="directory of the report")
    parser.add_argument("--quick", action="store_true", help="smaller sizes, fewer trials")
    parser.add_argument("--seed", type=int, default=2018)
    parser.add_argument("--trace", type=pathlib.Path, help="a flow trace of your own: start,end,key")
    parser.add_argument("--only", nargs="+", metavar="NAME", choices=sorted(experiments()), help="run only these experiments")
    options = parser.parse_args(argv)
    options.out = options.out.resolve()
    return options


def main(argv):
    options = options_of(argv)
    folders = {name: folder for name, folder in experiments().items() if options.only is None or name in options.only}
    if shutil.which("gnuplot") is None:
        print("lab: gnuplot is missing (Debian: apt-get install gnuplot-nox)", file=sys.stderr)
        return 2
    options.out.parent.mkdir(parents=True, exist_ok=True)
    new = pathlib.Path(tempfile.mkdtemp(prefix=".lab-", dir=options.out.parent))
    try:
        broken = run_all(folders, new, options)
        replace_report(new, options.out)
    except Failed as error:
        print(f"lab: {error}", file=sys.stderr)
        return 2
    finally:
        shutil.rmtree(new, ignore_errors=True)
    print(f"lab: {options.out / 'index.html'}")
    if broken:
        print(f"lab: statements that do not hold in: {', '.join(broken)}", file=sys.stderr)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
