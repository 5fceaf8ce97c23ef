#!/bin/sh
# Python: guira beside rbloom, pybloom-live and pyprobables from PyPI, and the built-in set, in one process.
set -eu

peers=build/bindings/python-peers
python=${GUIRA_PYTHON:-/usr/bin/python3}
[ -x $peers/bin/python ] || "$python" -m venv --system-site-packages $peers >&2
$peers/bin/pip install --quiet rbloom pybloom-live pyprobables >&2
PYTHONPATH=build/release/python $peers/bin/python bench/bindings/python_peers.py "$@"
