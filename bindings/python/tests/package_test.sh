#!/bin/sh
# The source distribution has everything that the wheel is built from, the wheel is for every Python from 3.11 on, and pip
# installs it. usage: package_test.sh SOURCE_DIR PYTHON
set -eu

top=$1
python=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# A copy, because building leaves files beside setup.py.
mkdir -p "$scratch/top/bindings" "$scratch/top/scripts"
cp -r "$top/src" "$top/include" "$top/VERSION" "$top/LICENSE" "$scratch/top"
cp "$top/scripts/amalgamate.py" "$scratch/top/scripts"
cp -r "$top/bindings/python" "$scratch/top/bindings"
cd "$scratch/top/bindings/python"
rm -rf amalgamated build dist ./*.egg-info

# The portable code alone, not optimized, because the library takes a minute to compile.
CFLAGS="-O0 -DGUIRA_PORTABLE -DGUIRA_SMALL" "$python" -m build --no-isolation --outdir "$scratch/dist" >"$scratch/log" 2>&1 ||
    { cat "$scratch/log" && exit 1; }
ls "$scratch/dist"
ls "$scratch"/dist/guira-*-cp311-abi3-*.whl "$scratch"/dist/guira-*.tar.gz >/dev/null

"$python" -m venv --without-pip --system-site-packages "$scratch/venv"
"$scratch/venv/bin/python" -m pip install --quiet --no-index --no-deps "$scratch"/dist/guira-*.whl
cd "$scratch"
PYTHONPATH='' "$scratch/venv/bin/python" -c '
import guira, pathlib
assert "venv" in guira.__file__, guira.__file__
assert pathlib.Path(guira.__file__).with_name("py.typed").exists()
f = guira.Filter(range(1000))
assert set(f.contains_many(range(1000))) == {1}
print(guira.__version__, f, "SharedFilter" if guira.has_shared else "no SharedFilter")'
