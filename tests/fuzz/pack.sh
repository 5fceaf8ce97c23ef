#!/bin/sh
# Keeps, of all inputs that fuzzing has collected, those that reach something new, in tests/fuzz/corpus.
# usage: pack.sh BUILD NAME...        (from the top of the project, after run.sh)
set -eu
build=$1
shift
for name in "$@"; do
    rm -rf "$build/smaller-$name"
    mkdir "$build/smaller-$name"
    "$build/tests/fuzz/fuzz_$name" -merge=1 -max_len=16384 "$build/smaller-$name" "$build/corpus-$name" >"$build/$name.merge.log" 2>&1
    python3 tests/fuzz/corpus.py pack "$build/smaller-$name" tests/fuzz/corpus/$name.pack
done
