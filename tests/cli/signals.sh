#!/bin/bash
# SIGINT and SIGTERM: what was read is passed on, the state is saved, and the shell sees the signal. A pause in the input
# holds nothing up.
# usage: signals.sh GUIRA
. "$(dirname "$0")/common.sh"

mkfifo pipe
seq 1000 >numbers

for signal in INT TERM; do
    rm -f seen.gf out
    # An asynchronous command of a script ignores SIGINT from the start; env takes that back.
    env --default-signal=INT,TERM "$guira" uniq --state seen.gf --checkpoint 1h -c <pipe >out 2>err &
    uniq=$!
    exec 3>pipe
    cat numbers >&3
    printf 'half a line' >&3
    # Written although the input goes on: nothing waits in a buffer while there is nothing to read.
    wait_until cmp -s numbers out
    kill -$signal $uniq
    status=0
    wait $uniq || status=$?
    exec 3>&-
    [ $((status - 128)) = "$(kill -l $signal)" ] || fail "$signal: ended with $status"
    cmp -s numbers out || fail "$signal: another output"
    grep -q '1000 lines in' err || fail "$signal: no totals: $(cat err)"
    [ -z "$("$guira" uniq --state seen.gf <numbers)" ] || fail "$signal: the state was not saved"
    [ "$(echo 'half a line' | "$guira" uniq --state seen.gf)" = 'half a line' ] || fail "$signal: half a line was taken for one"
done

# A checkpoint comes also when the input pauses.
rm -f seen.gf
"$guira" uniq --state seen.gf --checkpoint 100ms <pipe >out &
uniq=$!
exec 3>pipe
echo one >&3
has_one() { "$guira" info seen.gf 2>/dev/null | grep -q 'items *1$'; }
wait_until has_one
exec 3>&-
wait $uniq

# add: Ctrl-C leaves the file as it was.
"$guira" build -q --fpr 1e-6 set.gf <numbers
env --default-signal=INT "$guira" add -q set.gf <pipe &
add=$!
exec 3>pipe
echo more >&3
sleep 0.3
kill -INT $add
status=0
wait $add || status=$?
exec 3>&-
[ $status = 130 ] || fail "add: ended with $status"
[ "$("$guira" test -c set.gf <numbers | tr '\n' ' ')" = 'present 1000 absent 0 ' ] || fail "add: the file has changed"
[ "$(ls -A | grep -c guira-)" = 0 ] || fail "something was left behind: $(ls -A)"
echo "signals.sh: all well"
