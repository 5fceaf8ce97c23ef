#!/bin/sh
# Runs fuzzers, one after the other, each with its packed corpus and what earlier runs have found.
# usage: run.sh BUILD SECONDS NAME...        (from the top of the project)
#
# Inputs that reach something new are in BUILD/corpus-NAME, inputs that fail in BUILD/NAME-crash-*. A line for each fuzzer tells how
# many inputs it has run.
set -eu
build=$1
seconds=$2
shift 2

# Runs one fuzzer for so many seconds. Appends what it printed to BUILD/NAME.log.
fuzz() { # NAME SECONDS
    case $1 in
    load | change | sql) words=file ;;
    ops | plan) words=numbers ;;
    *) words=$1 ;;
    esac
    # The first is for the check at the end of the process, the second for the fuzzer's own after each input.
    # shellcheck disable=SC2086
    ASAN_OPTIONS="detect_leaks=$leaks${ASAN_OPTIONS:+:$ASAN_OPTIONS}" "$build/tests/fuzz/fuzz_$1" -detect_leaks=$leaks \
        -max_total_time="$2" $most -max_len=16384 -timeout=60 -rss_limit_mb=4096 -print_final_stats=1 \
        -dict="tests/fuzz/$words.dict" -artifact_prefix="$build/$1-" "$build/corpus-$1" >>"$build/$1.log" 2>&1
}

for name in "$@"; do
    python3 tests/fuzz/corpus.py unpack "tests/fuzz/corpus/$name.pack" "$build/corpus-$name"
    : >"$build/$name.log"
    leaks=1
    most=
    # A command of the tool that ends with an error does not free its memory, so this fuzzer starts anew after so many inputs.
    [ "$name" != cli ] || { leaks=0 && most=-runs=200000; }
    end=$(($(date +%s) + seconds))
    while [ "$(date +%s)" -lt "$end" ]; do
        fuzz "$name" $((end - $(date +%s))) || {
            tail -40 "$build/$name.log" >&2
            echo "run.sh: fuzz_$name failed; its input is $build/$name-*" >&2
            exit 1
        }
    done
    awk -v name="$name" '/^stat::number_of_executed_units/ { n += $2 } END { printf "%-8s %10d inputs\n", name, n }' "$build/$name.log"
done
