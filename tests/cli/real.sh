#!/bin/bash
# Real data of this machine (package lists, changelogs, file names, words, the history of this repository), compared line
# by line with awk, sort and uniq. The input is limited to 200,000 lines each.
#
# A filter may drop a new line (or find an absent one) by a false positive, once in a million. Of 500,000 lines that is 0.5
# on average, and more than 8 with a probability below 1e-7: so up to 8 differences are accepted, in one direction only.
# usage: real.sh GUIRA SOURCE_DIR
source=$(realpath "${2:-$(dirname "$0")/../..}")
. "$(dirname "$0")/common.sh"
limit=$(quick 30000 200000)

# expected_but EXPECTED ACTUAL WHAT: ACTUAL has the lines of EXPECTED in the same order; up to 8 may be missing.
expected_but() {
    diff "$1" "$2" >differences || true
    if grep -q '^>' differences; then fail "$3: unexpected line: $(grep -m1 '^>' differences)"; fi
    [ "$(grep -c '^<' differences || true)" -le 8 ] || fail "$3: missing line: $(grep -m1 '^<' differences)"
}

# data NAME COMMAND...: the first lines of a command that may fail or be missing here.
data() {
    local name=$1
    shift
    ("$@" 2>/dev/null || true) | head -"$limit" >"$name" || true
    if [ -s "$name" ]; then sets="$sets $name"; else rm "$name"; fi
}
sets=
data words cat /usr/share/dict/words
data status cat /var/lib/dpkg/status
data files sh -c 'cat /var/lib/dpkg/info/*.list'
data changelogs sh -c 'zcat /usr/share/doc/*/changelog.Debian.gz'
data history git -C "$source" log --numstat --format='%h%x09%an%x09%ad%x09%s' --date=iso
data sources sh -c "cat '$source'/src/*/*.c '$source'/docs/*.md"
[ -n "$sets" ] || fail "this machine has no data"

for set in $sets; do
    # Whole lines: the first occurrence, the second occurrence, and membership.
    awk '!seen[$0]++' "$set" >once
    "$guira" uniq "$set" >out && expected_but once out "$set: uniq"
    "$guira" uniq -j 2 <"$set" >out && expected_but once out "$set: uniq -j 2"
    awk 'seen[$0]++ == 1' "$set" | sort >twice
    "$guira" uniq -d "$set" | sort >out # a false positive adds a line here
    [ "$(comm -13 twice out | wc -l)" -le 8 ] && [ "$(comm -23 twice out | wc -l)" -le 8 ] || fail "$set: uniq -d"

    # Fields, without the lines that do not have them.
    awk 'NF >= 2 && !seen[$2]++' "$set" >once
    awk 'NF >= 2' "$set" | "$guira" uniq -k 2 >out && expected_but once out "$set: -k 2"
    awk 'NF >= 2' "$set" | "$guira" uniq -k 2 -j 3 >out && expected_but once out "$set: -k 2 -j 3"
    awk 'NF >= 3 && !seen[$1 SUBSEP $3]++' "$set" >once
    awk 'NF >= 3' "$set" | "$guira" uniq -k 1,3 >out && expected_but once out "$set: -k 1,3"
    awk -F: 'NF >= 2 && !seen[$2]++' "$set" >once
    awk -F: 'NF >= 2' "$set" | "$guira" uniq -t: -k2 >out && expected_but once out "$set: -t: -k2"
    awk '!seen[tolower($0)]++' "$set" >once
    "$guira" uniq -i "$set" >out && expected_but once out "$set: -i"

    # A set of the first half, looked up with the second half; and as many copies as sort counts.
    half=$(($(wc -l <"$set") / 2))
    head -$half "$set" >first
    tail -n +$((half + 1)) "$set" >second
    "$guira" build -qf --fpr 1e-6 first.gf first
    "$guira" test -q --all first.gf first || fail "$set: a line is missing"
    awk 'NR == FNR { known[$0]; next } !($0 in known)' first second >new
    "$guira" test -v first.gf second >out || true
    expected_but new out "$set: test -v"
    awk 'NR == FNR { known[$0]; next } $0 in known' first second >old
    "$guira" test first.gf second >out || true
    expected_but out old "$set: test" # here a false positive is one line more
    awk 'seen[$0]++ < 3' first >few
    sort few | uniq -c | sed 's/^ *\([0-9]*\) /\1\t/' >counted
    gzip -c few | "$guira" build -qf --count-copies --fpr 1e-6 copies.gf
    cut -f2- counted | "$guira" count copies.gf >out
    [ "$(diff counted out | grep -c '^<' || true)" -le 8 ] || fail "$set: count: $(diff counted out | head -4)"
done

# CSV with quotes, made from the words: compared with the plain fields.
cut -c1-60 "${sets##* }" | tr -d '\r' | awk '{ gsub(/"/, "\"\""); print NR ",\"" $0 "\",x" }' >quoted.csv
cut -c1-60 "${sets##* }" | tr -d '\r' | awk '!seen[$0]++ { print NR }' >once
"$guira" uniq --csv -k 2 quoted.csv | cut -d, -f1 >out && expected_but once out "--csv"
echo "real.sh: passed with$sets"
