#!/bin/bash
# Compares the guira tool with the usual tools, on the same lines in one run: time, memory and false positives.
#
#     uniq    remove duplicates        guira uniq, also with two jobs    mawk, gawk '!seen[$0]++'    sort -u, also in parallel
#     test    print known lines        guira test    grep -Fxf    bloom check (a Bloom filter, by DCSO)
#     build   a filter of all keys     guira build   bloom insert, at the same false-positive rate
#
# Tools that are not installed are left out: on Debian, mawk, gawk and golang-github-dcso-bloom-cli.
# uniq: lines of about 60 bytes (the memory of awk and sort depends on the length, that of guira does not). Half of the lines
# are new, a quarter repeat a recent line, a quarter repeat any earlier line. test: as many lines as keys, half of them keys.
# Times are the best of the interleaved rounds: wall-clock time, and processor time, which other work on the machine hardly
# changes; memory is the maximum resident size. sort and grep run in
# the C locale, which is fastest. The outputs are compared, and guira's false positives are counted and printed.
#
# usage: cli.sh [--guira FILE] [--lines 50M] [--keys 10M] [--rounds 1] [--dir DIR]
set -euo pipefail

guira=$(dirname "$0")/../build/release/cli/guira
lines=50M keys=10M rounds=1 dir=
while [ $# -gt 0 ]; do
    case $1 in
    --guira) guira=$2 ;;
    --lines) lines=$2 ;;
    --keys) keys=$2 ;;
    --rounds) rounds=$2 ;;
    --dir) dir=$2 ;;
    *) sed -n '2,/^set/s/^# \{0,1\}//p' "$0" && exit 2 ;;
    esac
    shift 2
done
guira=$(realpath "$guira")
number() { echo "$1" | sed 's/k$/000/; s/M$/000000/'; }
lines=$(number "$lines") keys=$(number "$keys")
export LC_ALL=C

tmp=$(mktemp -d ${dir:+-p "$dir"})
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"

# ------------------------------------------------------------------------------------------------------------- the input

# n lines: half are new, a quarter repeat one of the last 1000 new lines, a quarter repeat any earlier line.
awk -v n="$lines" 'BEGIN {
    srand(1)
    for (i = 0; i < n; i++) {
        r = rand()
        if (new == 0 || r < 0.5) x = new++
        else if (r < 0.75) x = new - 1 - int(rand() * (new < 1000 ? new : 1000))
        else x = int(rand() * new)
        printf "event %08x-%08x user-%d POST /cart/%d/items\n", (x * 40503) % 4294967296, (x * 69069 + 1) % 4294967296,
            x % 1000003, x
    }
}' >lines
awk -v n="$keys" 'BEGIN { for (i = 0; i < n; i++) printf "key-%d-%08x\n", i, (i * 40503) % 4294967296 }' >keys
awk -v n="$keys" 'BEGIN {
    srand(2)
    for (i = 0; i < n; i++) { x = int(rand() * 2 * n); printf "key-%d-%08x\n", x, (x * 40503) % 4294967296 }
}' >queries

# -------------------------------------------------------------------------------------------------------------- measuring

# run NAME OUTPUT COMMAND...: appends "seconds kilobytes processor-seconds" to NAME.times, one line per round.
run() {
    local name=$1 output=$2
    shift 2
    /usr/bin/time -q -f '%e %M %U %S' -o time "$@" >"$output" || true # grep and guira test exit with 1 if lines are absent
    awk '{ print $1, $2, $3 + $4 }' time >>"$name.times"
}

best_time() { sort -n "$1.times" | head -1 | cut -d' ' -f1; }
best_cpu() { sort -k3,3n "$1.times" | head -1 | cut -d' ' -f3; }
most_memory() { sort -k2,2n "$1.times" | tail -1 | cut -d' ' -f2; }

report() { # NAME REFERENCE
    [ -e "$1.times" ] || return 0
    awk -v name="$1" -v s="$(best_time "$1")" -v cpu="$(best_cpu "$1")" -v cpu0="$(best_cpu "$2")" -v kb="$(most_memory "$1")" -v kb0="$(most_memory "$2")" \
        'BEGIN { printf "%-22s %9.2f s %9.2f s %10.1f MiB %9.2fx %9.3fx\n", name, s, cpu, kb / 1024, cpu / (cpu0 ? cpu0 : 0.01), kb / kb0 }'
}

have() { command -v "$1" >/dev/null; }
rate=0.001 # of the filters of keys

for _ in $(seq "$rounds"); do
    run "guira uniq" unique.guira "$guira" uniq lines
    run "guira uniq -j 2" unique.jobs "$guira" uniq -j 2 lines
    for awk in mawk gawk; do
        if have $awk; then run "$awk" unique.awk $awk '!seen[$0]++' lines; fi
    done
    run "sort -u" unique.sort sort --parallel=1 -u lines
    run "sort -u --parallel=2" unique.sort sort --parallel=2 -u lines
    run "guira build" /dev/null "$guira" build --force -q --fpr $rate known.gf keys
    run "guira test" known.guira "$guira" test known.gf queries
    run "grep -Fxf" known.grep grep -Fxf keys queries
    if have bloom; then
        rm -f known.bloom
        bloom create -p $rate -n "$keys" known.bloom
        run "bloom insert" /dev/null sh -c 'bloom insert known.bloom <keys'
        run "bloom check" known.bloomed sh -c 'bloom check known.bloom <queries'
    fi
done

# --------------------------------------------------------------------------------------------------------------- results

new=$(wc -l <unique.awk)
dropped=$((new - $(wc -l <unique.guira)))
cmp -s unique.jobs unique.guira || [ "$(diff unique.awk unique.jobs | grep -c '^>' || true)" = 0 ] ||
    { echo "cli.sh: guira uniq -j 2 printed a duplicate" >&2; exit 1; }
[ "$(wc -l <unique.sort)" = "$new" ] || { echo "cli.sh: awk and sort disagree" >&2; exit 1; }
# guira must print the same lines as awk in the same order, except for false positives, which it drops.
[ "$(diff unique.awk unique.guira | grep -c '^>' || true)" = 0 ] || { echo "cli.sh: guira uniq printed a duplicate" >&2; exit 1; }
known=$(wc -l <known.grep)
false_positives=$(($(wc -l <known.guira) - known))
[ "$(diff known.grep known.guira | grep -c '^<' || true)" = 0 ] || { echo "cli.sh: guira test has a false negative" >&2; exit 1; }

echo "# $(uname -m), $(nproc) cores, $(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -1); $("$guira" --version); $(awk -W version 2>&1 | head -1)"
echo "# $lines lines, $new distinct; $keys keys; best of $rounds rounds"
printf '%-22s %11s %11s %14s %10s %10s\n' "" time processor "max memory" "processor/" "memory /"
printf '%-22s %11s %11s %14s %10s %10s\n' "" "" "time" "" "guira's" "guira's"
for name in "guira uniq" "guira uniq -j 2" mawk gawk "sort -u" "sort -u --parallel=2"; do report "$name" "guira uniq"; done
for name in "guira test" "grep -Fxf" "bloom check"; do report "$name" "guira test"; done
for name in "guira build" "bloom insert"; do report "$name" "guira build"; done
echo "# false positives: uniq dropped $dropped of $new new lines; test printed $false_positives of $((keys - known)) absent lines"
