#!/bin/bash
# Lines that are out of order in a window: what docs/cli.md promises. A line that is b behind the latest time counts as
# written at the latest time. So two copies of a key, the first one printed, whose times differ by d count as d + b2 - b1
# apart, and the second one is
#
#     dropped   if d + b2 - b1 is at most the window
#     printed   if it is more than 17/16 of the window and two steps of a thousandth
#
# and either of both in between. b is at most --max-skew; a line that is further behind is printed without a lookup.
# usage: skew.sh GUIRA
. "$(dirname "$0")/common.sh"

seed=${GUIRA_SEED:-$RANDOM}
echo "skew.sh: GUIRA_SEED=$seed"
lines=$(quick 20000 200000)

# time key number: time advances by about a second per line, and a line is up to 400 s late; the skew is 300 s.
awk -v seed="$seed" -v n="$lines" 'BEGIN {
    srand(seed)
    for (i = 1; i <= n; i++) {
        late = rand() < 0.3 ? int(rand() * 400) : 0
        printf "%d k%d %d\n", 1600000000 + i + int(rand() * 3) - late, int(rand() * 2000), i
    }
}' >in

for jobs in 1 3; do
    "$guira" uniq -w 10m --time-field 1 -k 2 --max-skew 5m -j $jobs in >out 2>err
    awk -v window=600 -v skew=300 '
        NR == FNR { printed[$3] = 1; next }
        { late = $1 < latest - skew }
        late { passed++; if (!printed[$3]) { print "line " $3 " is too late and was dropped"; bad++ } next }
        $1 > latest { latest = $1 }
        { age = latest - at[$2]; known = $2 in at }
        known && age <= window && printed[$3] { print "line " $3 ": printed after " age " s"; bad++ }
        (!known || age > window * 17 / 16 + 2 * window / 1000) && !printed[$3] { dropped += !wrong[$2]++; last = $3 }
        printed[$3] { at[$2] = latest }
        END {
            # A new line may be a false positive, once in 100,000: of 200,000 lines 2 on average. Two keys that match each
            # other do so again and again, 60 times each, so keys are counted, in pairs. More than 10 pairs, of which at
            # most one is expected, have a probability below 1e-8.
            if (dropped > 20) { print "new lines of " dropped " keys were dropped, for example line " last; bad++ }
            if (passed == 0) { print "no line was too late"; bad++ }
            print passed + 0 >"passed"
            exit bad > 0
        }' out in >findings || fail "$(head -3 findings)"
    grep -q "^guira uniq: $(cat passed) lines have a time more than 5m before" err || fail "wrong count: $(cat passed), $(cat err)"
done
echo "skew.sh: passed"
