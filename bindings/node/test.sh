#!/bin/sh
# Makes the npm package and tests it: with its addon, or as it is where there is no C compiler. Exits with 77 if something that
# it needs is missing.
# usage: test.sh <build directory> <vectors program> native|wasm
set -eu
here=$(dirname "$0")
skip() { echo "skipped: $1" && exit 77; }
for tool in node python3 cc; do
    command -v $tool >/dev/null || skip "$tool is missing (Debian: sh scripts/deps.sh node)"
done
[ -e "$1/wasm/guira-all-simd.wasm" ] || skip "there is no WebAssembly build: see the test wasm"
if [ "$3" = native ]; then
    out=$1/node-native
    # The portable code alone, not optimized, because the library takes a minute to compile.
    CFLAGS="-O0 -DGUIRA_PORTABLE -DGUIRA_SMALL -Wall -Wextra -Wshadow -Wconversion -Werror" sh "$here/make.sh" "$1/wasm" "$out"
    (cd "$out" && node build.mjs --find-headers) || skip "node_api.h is missing, and npm cannot fetch it"
else
    out=$1/node-wasm
    CC=no-compiler sh "$here/make.sh" "$1/wasm" "$out"
fi
mkdir -p "$out/vectors"
"$2" "$out/vectors"
GUIRA_NODE=$out GUIRA_VECTORS=$out/vectors GUIRA_EXPECTED=$3 exec node --expose-gc --test "$here/test.mjs"
