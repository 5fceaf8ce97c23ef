#!/bin/sh
# Makes the page from the WebAssembly build and tests it in Chromium. Exits with 77 if there is neither.
# usage: test.sh <build directory> <python3>
set -eu
here=$(dirname "$0")
[ -e "$1/wasm/guira-simd.wasm" ] || { echo "skipped: there is no WebAssembly build: see the test wasm" && exit 77; }
"$2" "$here/build.py" "$1/wasm" "$1/site/index.html"
exec "$2" "$here/test.py" "$1/site/index.html"
