#!/bin/bash
# guira, the tool, beside what people use now, on the same lines, in one run.
#
#     uniq    each line once       guira uniq    awk '!seen[$0]++'    sort -u
#     test    which are known      guira test    grep -Fxf
#
# uniq: lines of some 60 bytes (what awk and sort need depends on that, what guira needs does not); half of them are new,
# the others come again, long after they came first or soon. test: as many lines as there are keys, half of which are keys.
# Times are of the wall clock, the best of the rounds, which are interleaved; memory is the most that was resident. sort and
# grep run in the C locale, which is the fastest for them. guira's answers are compared with the others': it may be wrong at
# its rate, and how often it was is printed.
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

# ------------------------------------------------------------------------------------------------------------- the lines

# n lines, half of them new; of the others half are one of the last 1000 and half any that was.
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
}' >questions

# -------------------------------------------------------------------------------------------------------------- measuring

# run NAME OUTPUT COMMAND...: writes "seconds kilobytes" to NAME.times, one line a round.
run() {
    local name=$1 output=$2
    shift 2
    /usr/bin/time -q -f '%e %M' -o time "$@" >"$output" || true # grep and test say 1 for "some are absent"
    cat time >>"$name.times"
}

best() { sort -n "$1.times" | head -1 | cut -d' ' -f1; }
most() { sort -k2,2n "$1.times" | tail -1 | cut -d' ' -f2; }

report() { # NAME, and the one to compare with
    awk -v name="$1" -v s="$(best "$1")" -v kb="$(most "$1")" -v s0="$(best "$2")" -v kb0="$(most "$2")" \
        'BEGIN { if (s == 0) s = 0.01; printf "%-20s %9.2f s %10.1f MiB %9.2fx %9.3fx\n", name, s, kb / 1024, s / (s0 ? s0 : 0.01), kb / kb0 }'
}

for _ in $(seq "$rounds"); do
    run "guira uniq" unique.guira "$guira" uniq <lines
    run "awk" unique.awk awk '!seen[$0]++' lines
    run "sort -u" unique.sort sort -u lines
    run "guira build" /dev/null "$guira" build --force -q known.gf <keys
    run "guira test" known.guira "$guira" test known.gf <questions
    run "grep -Fxf" known.grep grep -Fxf keys questions
done

# --------------------------------------------------------------------------------------------------------------- results

new=$(wc -l <unique.awk)
lost=$((new - $(wc -l <unique.guira)))
[ "$(wc -l <unique.sort)" = "$new" ] || { echo "cli.sh: awk and sort do not agree" >&2; exit 1; }
# Whatever guira passed on is what awk did, in the same order, but for those it took for others.
[ "$(diff unique.awk unique.guira | grep -c '^>' || true)" = 0 ] || { echo "cli.sh: guira uniq passed on a line twice" >&2; exit 1; }
true_yes=$(wc -l <known.grep)
wrong_yes=$(($(wc -l <known.guira) - true_yes))
[ "$(diff known.grep known.guira | grep -c '^<' || true)" = 0 ] || { echo "cli.sh: guira test lost a line" >&2; exit 1; }

echo "# $(uname -m), $(nproc) cores, $(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -1); $("$guira" --version); $(awk -W version 2>&1 | head -1)"
echo "# $lines lines, $new different; $keys keys; best of $rounds"
printf '%-20s %11s %14s %10s %10s\n' "" time "most memory" "time to" "memory to"
printf '%-20s %11s %14s %10s %10s\n' "" "" "" "guira's" "guira's"
for name in "guira uniq" awk "sort -u"; do report "$name" "guira uniq"; done
for name in "guira test" "grep -Fxf"; do report "$name" "guira test"; done
report "guira build" "guira test"
echo "# uniq held back $lost new lines of $new; test said a wrong yes to $wrong_yes of $((keys - true_yes)) absent lines"
