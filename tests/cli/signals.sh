#!/bin/bash
# SIGINT and SIGTERM: the lines that were read are printed, the state is saved, and the shell sees the signal. Output and
# checkpoints do not wait while the input pauses.
# usage: signals.sh GUIRA
. "$(dirname "$0")/common.sh"

mkfifo pipe
seq 100 >numbers # so few that one is dropped as a false positive in less than one of 10^6 runs

for signal in INT TERM INT; do
    jobs=$((${jobs-0} + 1)) # 1, 2, 3: without and with threads
    rm -f seen.gf out
    # Background commands of a script ignore SIGINT; env restores the default.
    env --default-signal=INT,TERM "$guira" uniq -j $jobs --state seen.gf --checkpoint 1h -c <pipe >out 2>err &
    uniq=$!
    exec 3>pipe
    cat numbers >&3
    printf 'half a line' >&3
    # The output is written although the input is still open: it does not stay in a buffer while there is nothing to read.
    wait_until cmp -s numbers out
    kill -$signal $uniq
    status=0
    wait $uniq || status=$?
    exec 3>&-
    [ $((status - 128)) = "$(kill -l $signal)" ] || fail "$signal: status $status"
    cmp -s numbers out || fail "$signal: wrong output"
    grep -q '100 lines in' err || fail "$signal: no totals: $(cat err)"
    [ -z "$("$guira" uniq --state seen.gf <numbers)" ] || fail "$signal: the state was not saved"
    [ "$(echo 'half a line' | "$guira" uniq --state seen.gf)" = 'half a line' ] || fail "$signal: an incomplete line was added"
done

# A checkpoint is also written while the input pauses.
has_one() { "$guira" info seen.gf 2>/dev/null | grep -q 'items *1$'; }
for jobs in 1 2; do
    rm -f seen.gf
    "$guira" uniq -j $jobs --state seen.gf --checkpoint 100ms <pipe >out &
    uniq=$!
    exec 3>pipe
    echo one >&3
    wait_until has_one
    exec 3>&-
    wait $uniq
done

# add: SIGINT leaves the file unchanged.
"$guira" build -q --fpr 1e-6 set.gf <numbers
env --default-signal=INT "$guira" add -q set.gf <pipe &
add=$!
exec 3>pipe
echo more >&3
is_guira() { [ "$(cat "/proc/$add/comm")" = guira ]; } # no longer env, before which SIGINT is ignored
wait_until is_guira
sleep 0.3
kill -INT $add
status=0
wait $add || status=$?
exec 3>&-
[ $status = 130 ] || fail "add: status $status"
[ "$("$guira" test -c set.gf <numbers | tr '\n' ' ')" = 'present 100 absent 0 ' ] || fail "add: the file has changed"
[ "$(ls -A | grep -c guira-)" = 0 ] || fail "temporary files left: $(ls -A)"
echo "signals.sh: passed"
