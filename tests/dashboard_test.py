#!/usr/bin/env python3
"""Checks monitoring/dashboard.json: every query is valid, asks for metrics that are exported, and every metric has a panel.

usage: dashboard_test.py DASHBOARD METRICS SERVER_METRICS_SOURCE
METRICS: what metrics_print prints. SERVER_METRICS_SOURCE: cli/redis_metrics.c, which has the table of guira_server_*.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

NAME = re.compile(r"\bguira_[a-z_]+")


def queries(dashboard):
    for panel in dashboard["panels"]:
        for target in panel.get("targets", []):
            yield panel["title"], target["expr"]


def check_syntax(dashboard):
    """As recording rules, so that promtool reads them; $job and so on stand in strings."""
    rules = [{"record": f"query:{i}", "expr": expr} for i, (_, expr) in enumerate(queries(dashboard))]
    with tempfile.NamedTemporaryFile("w", suffix=".yml") as file:
        json.dump({"groups": [{"name": "dashboard", "rules": rules}]}, file)
        file.flush()
        done = subprocess.run(["promtool", "check", "rules", file.name], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def check_layout(dashboard):
    """No two panels lie on the same place, and each has its own number."""
    taken = set()
    for panel in dashboard["panels"]:
        at = panel["gridPos"]
        cells = {(x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])}
        assert not cells & taken and at["x"] + at["w"] <= 24, f"{panel['title']}: overlaps another panel"
        taken |= cells
    numbers = [panel["id"] for panel in dashboard["panels"]]
    assert len(set(numbers)) == len(numbers), "two panels have the same id"


def main():
    dashboard = json.loads(pathlib.Path(sys.argv[1]).read_text())
    exported = set(re.findall(r"^(guira_[a-z_]+)\{", pathlib.Path(sys.argv[2]).read_text(), re.MULTILINE))
    exported |= set(re.findall(r'"(guira_server_[a-z_]+)"', pathlib.Path(sys.argv[3]).read_text()))
    asked = {name for _, expr in queries(dashboard) for name in NAME.findall(expr)}
    assert asked <= exported, f"the dashboard asks for metrics that are not exported: {sorted(asked - exported)}"
    assert exported <= asked, f"the dashboard does not show these metrics: {sorted(exported - asked)}"
    check_syntax(dashboard)
    check_layout(dashboard)


if __name__ == "__main__":
    main()
