#!/bin/sh
# usage: bench_test.sh GUIRA-BENCH
# The benchmark itself: every workload gives results, in the table and in the files; invalid options are named.
set -eu
bench=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

fail() {
    echo "bench_test: $*" >&2
    exit 1
}

# refuses TEXT OPTION...: exit status 2, and a message that contains TEXT.
refuses() {
    text=$1
    shift
    status=0
    "$bench" --quick "$@" >"$dir/out" 2>"$dir/err" || status=$?
    [ "$status" = 2 ] || fail "$*: status $status"
    grep -qF -- "$text" "$dir/err" || fail "$*: the message is $(cat "$dir/err")"
    [ ! -s "$dir/out" ] || fail "$*: it ran"
}

refuses "--only grwn: expected a list of fixed,grown" --only grwn
refuses "--sizes 7: expected different numbers" --sizes 7
refuses "--grown 16,16: expected different numbers" --grown 16,16
refuses "--zipf 0.05: expected different numbers from 0.1 to 4" --zipf 0.05
refuses "--zipf 1.1,1.10: expected different numbers" --zipf 1.1,1.10
refuses "--zipf 1.1x: expected" --zipf 1.1x
refuses "--draws 0: expected a number" --draws 0
refuses "--scale 4: expected a number from 5 to 10" --scale 4
refuses "--rounds 65: expected a number from 1 to 64" --rounds 65
refuses "--widths 16,27: expected slot widths" --widths 16,27
refuses "unknown filter tidal-11" --filters tidal-11
refuses "duplicate filter name tidal-16" --filters tidal-16 --widths 16
refuses "--reference: unknown filter taffy" --reference taffy
refuses "--peer none.so: " --peer none.so
refuses "unexpected argument 'x'" x

# has WORKLOAD FILTER METRIC: the CSV file has a line with a value.
has() {
    grep -Eq "^$1,[0-9]+,$2,$3,[^,]*,1,[0-9]" "$dir/csv" || fail "no $3 of $2 in $1"
}

"$bench" --quick --widths 10,20 --csv "$dir/csv" --json "$dir/json" >"$dir/out"
for filter in tidal-20 cuckoo-10 cuckoo-20; do
    has fixed $filter lookup_negative_batch
    has churn $filter churn
    has zipf-1.1 $filter refused
done
for metric in insert lookup_positive remove absent_to_present; do has grown tidal-20 $metric; done
has grow tidal-20 worst_cpu
has shrink tidal-20 worst_cpu
has scale tidal-20 bits_per_item
has interleaved cuckoo-10 insert
grep -Eq '^interleaved,[0-9]+,tidal-20,remove,[^,]*,64,[0-9]' "$dir/csv" || fail "interleaved: not 64 rounds"
awk -F, 'NR > 1 && $4 == "insert" && $12 + 0 <= 0 { exit 1 }' "$dir/csv" || fail "an insertion without processor time"
if command -v python3 >/dev/null; then python3 -m json.tool "$dir/json" >/dev/null || fail "not JSON"; fi

# Huge pages: refused with a reason where the system has none. A system short of free memory may give few, so how many
# there are is not tested.
if "$bench" --quick --huge-pages --only fixed --sizes 22 --filters two-loads,tidal-16 --csv "$dir/csv" >"$dir/out" 2>"$dir/err"
then
    grep -q '^pages  *huge, also for malloc' "$dir/out" || fail "--huge-pages did not take effect"
    has fixed two-loads huge_pages
else
    grep -q -- '--huge-pages: ' "$dir/err" || fail "--huge-pages failed without a reason"
fi
