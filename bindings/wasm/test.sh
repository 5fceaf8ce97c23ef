#!/bin/sh
# Builds guira.wasm and tests it in Node. Exits with 77 if a tool is missing.
# usage: test.sh <output directory> <vectors program>
set -eu
here=$(dirname "$0")
for tool in clang-14 wasm-ld-14 wasm-opt node; do
    command -v $tool >/dev/null || { echo "skipped: $tool is missing (Debian: sh scripts/deps.sh wasm)" && exit 77; }
done
[ -e /usr/include/wasm32-wasi ] || { echo "skipped: wasi-libc is missing (Debian: sh scripts/deps.sh wasm)" && exit 77; }
"${MAKE:-make}" -s -f "$here/Makefile" OUT="$1"
mkdir -p "$1/vectors"
"$2" "$1/vectors"
GUIRA_WASM=$1 GUIRA_VECTORS=$1/vectors exec node --test "$here/test.mjs"
