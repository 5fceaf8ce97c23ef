#!/bin/bash
# Ten million lines (a hundred thousand with GUIRA_QUICK): uniq prints each line once and in order, with little memory, and
# whatever the sizes of the reads are; and a filter file contains all of them.
# usage: big.sh GUIRA
. "$(dirname "$0")/common.sh"

n=$(quick 100000 10000000)
half=$((n / 2))

# Half of the lines are new, the other half repeats earlier lines.
stream() { awk -v n=$half 'BEGIN { for (i = 1; i <= n; i++) { print "line " i; print "line " int(i * 7 / 11) + 1 } }'; }
seq -f 'line %.0f' $half >expected

"$guira" uniq -c --max-memory $((half * 6 + 100000)) < <(stream) >out 2>err || fail "uniq: $(cat err)"
missing=$((half - $(wc -l <out)))
# --fpr is 1e-6 by default, so a few lines may be missing: at most one in a million on average, and 4 more than twice as many
# with a probability below 1e-6.
[ $missing -ge 0 ] && [ $missing -le $((n / 500000 + 5)) ] || fail "uniq: $missing lines are missing"
[ $missing -gt 0 ] || cmp out expected || fail "uniq: wrong order"
sort -c -k2,2n out || fail "uniq: not in order"
grep -q "^guira uniq: $n lines in" err || fail "uniq printed: $(cat err)"

# The same lines through a pipe that delivers 7 bytes at a time.
stream | head -20000 | dd bs=7 status=none | "$guira" uniq >slow
head -20000 < <(stream) | "$guira" uniq >fast
[ "$(diff fast slow | grep -c '^[<>]' || true)" -le 4 ] || fail "uniq: small reads give another output"

"$guira" build -q --count-copies --fpr 1e-6 set.gf <expected # lines are removed below: see docs/cli.md
"$guira" test -q --all set.gf <expected || fail "test: a line is missing"
[ "$("$guira" test -v -c set.gf <expected | head -1)" = "present $half" ] || fail "test: wrong count"
positives=$(sed 's/line/no/' expected | "$guira" test set.gf | wc -l)
[ "$positives" -le $((half / 100000 + 5)) ] || fail "test: $positives false positives"
head -$((half / 2)) expected | "$guira" remove -q set.gf
tail -n +$((half / 2 + 1)) expected | "$guira" test -q --all set.gf || fail "remove also removed another line"
"$guira" verify -q set.gf
"$guira" shrink -q set.gf # room for all lines was made when it was built
[ "$(stat -c %s set.gf)" -lt $((half / 2 * 5 + 10000)) ] || fail "the file did not shrink: $(stat -c %s set.gf)"
echo "big.sh: passed with $n lines"
