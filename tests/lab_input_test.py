"""Tests what the lab reads: the folders of its experiments, and a trace given by the user. Invalid: a message that names the
line, status 2, the old report unchanged. Valid: a new report.

usage: lab_input_test.py COMMAND...        lab/run.py and its options, without --out
"""
import pathlib
import re
import subprocess
import sys
import tempfile

INVALID = {
    "missing column": ("0,1,a\n0,1\n", ":2: expected three columns"),
    "not sorted by start": ("4,9,a\n3,9,b\n", ":2: not sorted by start"),
    "end before start": ("4,3,a\n", ":1: the flow ends"),
    "empty": ("start,end,key\n", "the trace is empty"),
}


def run(command, out, trace, only=("ccf-fig3", "ccf-fig4")):
    arguments = command + ["--quick", "--only", *only, "--out", str(out), "--trace", str(trace)]
    return subprocess.run(arguments, capture_output=True, text=True)


def check(condition, message, done):
    if not condition:
        sys.exit(f"{message}\nstdout:\n{done.stdout}\nstderr:\n{done.stderr}")


def test_invalid_traces_leave_the_report_unchanged(command, directory):
    out = directory / "report"
    out.mkdir()
    (out / "index.html").write_text("the old report")
    for name, (content, message) in INVALID.items():
        trace = directory / "trace.csv"
        trace.write_text(content)
        done = run(command, out, trace)
        check(done.returncode == 2, f"{name}: status {done.returncode}", done)
        check("trace.csv" in done.stderr and message in done.stderr, f"{name}: unexpected message", done)
        check((out / "index.html").read_text() == "the old report", f"{name}: the report was changed", done)
        left = sorted(p.name for p in directory.iterdir())
        check(left == ["report", "trace.csv"], f"{name}: temporary files remain: {left}", done)
        print(f"ok: {name}: {done.stderr.splitlines()[0]}")
    done = run(command, out, directory / "nowhere.csv")
    check(done.returncode == 2 and "nowhere.csv" in done.stderr, "a missing file was not reported", done)
    print("ok: missing file")


def test_a_valid_trace_makes_a_report(command, directory):
    trace = directory / "good.csv"
    lines = [f"{i / 10},{i / 10 + 20},flow {i}" for i in range(2000)]
    trace.write_text("start,end,key\n" + "\n".join(lines) + "\n")
    out = directory / "own"
    done = run(command, out, trace)
    check(done.returncode == 0, f"status {done.returncode}", done)
    page = (out / "index.html").read_text()
    check("good.csv" in page and "2000 flows" in page and "<svg" in page, "the page does not mention the trace", done)
    head = (out / "ccf-fig4" / "data.csv").read_text()
    for word in ("# commit:", "# cpu:", "# compiler:", "# seed:"):
        check(word in head, f"data.csv has no {word}", done)
    print("ok: valid trace")


def test_any_valid_trace_makes_a_report(command, directory):
    """One flow; flows that start and end at the same time; a hot key; many more flows than there are at once."""
    traces = {
        "one flow": ["0,1,a"],
        "no duration": [f"5,5,{i}" for i in range(300)],
        "one key": [f"{i / 10},{i / 10 + 20},same" for i in range(1000)],
        "many short flows": [f"{i / 10},{i / 10 + 0.5},{i % 700}" for i in range(10000)],
    }
    for name, lines in traces.items():
        trace = directory / "any.csv"
        trace.write_text("\n".join(lines))
        done = run(command, directory / "own", trace, ("summary", "comparison", "ccf-fig4", "ccf-fig5"))
        check(done.returncode == 0, f"{name}: status {done.returncode}", done)
        print(f"ok: {name}")


def test_every_experiment_has_a_text_whose_links_lead_somewhere(command, _):
    lab = next(pathlib.Path(part) for part in command if part.endswith("run.py")).parent
    folders = [main.parent for main in (*lab.glob("*/main.c"), *lab.glob("errata/*/main.c"))]
    names = {folder.name for folder in folders}
    assert len(names) == len(folders), "two experiments have the same name"
    for folder in folders:
        text = (folder / "text.txt").read_text()
        for field in ("document", "title", "where", "claim", "ours"):
            assert re.search(f"^{field}: .", text, re.MULTILINE), f"{folder.name}: no {field} in text.txt"
        for link in re.findall(r"\[([a-z0-9]+(?:-[a-z0-9]+)+)\]", text):
            assert link in names, f"{folder.name}: there is no experiment {link}"
    print(f"ok: {len(names)} experiments")


def main():
    test_every_experiment_has_a_text_whose_links_lead_somewhere(sys.argv[1:], None)
    for test in (test_invalid_traces_leave_the_report_unchanged, test_a_valid_trace_makes_a_report,
                 test_any_valid_trace_makes_a_report):
        with tempfile.TemporaryDirectory() as directory:
            test(sys.argv[1:], pathlib.Path(directory))


main()
