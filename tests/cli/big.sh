#!/bin/bash
# Ten million lines (a hundred thousand under GUIRA_QUICK): each one once and in order, whatever the sizes of the pieces
# they come in, in the memory that was promised; and a filter file of them, which knows them all.
# usage: big.sh GUIRA
. "$(dirname "$0")/common.sh"

n=$(quick 100000 10000000)
half=$((n / 2))

# Half of the lines are new, each comes again at once or later.
stream() { awk -v n=$half 'BEGIN { for (i = 1; i <= n; i++) { print "line " i; print "line " int(i * 7 / 11) + 1 } }'; }
seq -f 'line %.0f' $half >expected

"$guira" uniq -c --max-memory $((half * 6 + 100000)) < <(stream) >out 2>err || fail "uniq: $(cat err)"
missing=$((half - $(wc -l <out)))
# One in a million may be taken for another: none here, or a few.
[ $missing -ge 0 ] && [ $missing -le $((n / 500000 + 1)) ] || fail "uniq: $missing lines are missing"
[ $missing -gt 0 ] || cmp out expected || fail "uniq: another order"
sort -c -k2,2n out || fail "uniq: not in order"
grep -q "^guira uniq: $n lines in" err || fail "uniq said: $(cat err)"

# The same through a pipe that gives a few bytes at a time.
stream | head -20000 | dd bs=7 status=none | "$guira" uniq >slow
head -20000 < <(stream) | "$guira" uniq | cmp - slow || fail "uniq: small pieces give another output"

"$guira" build -q --fpr 1e-6 set.gf <expected
"$guira" test -q set.gf <expected || fail "test: a line is missing"
[ "$("$guira" test -v -c set.gf <expected | head -1)" = "present $half" ] || fail "test: another count"
wrong=$(sed 's/line/no/' expected | "$guira" test set.gf | wc -l)
[ "$wrong" -le $((half / 100000 + 1)) ] || fail "test: $wrong wrong answers"
head -$((half / 2)) expected | "$guira" remove -q set.gf
tail -n +$((half / 2 + 1)) expected | "$guira" test -q set.gf || fail "remove took another line away"
"$guira" verify -q set.gf
[ "$(stat -c %s set.gf)" -lt $((half / 2 * 5 + 10000)) ] || fail "the file did not shrink: $(stat -c %s set.gf)"
echo "big.sh: all well with $n lines"
