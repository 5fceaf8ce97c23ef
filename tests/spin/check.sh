#!/bin/sh
# Checks the model of lock-free lookups (lookup.pml) with spin, and that the model can fail: with each part of the protocol
# left out, spin must find a lookup that misses a member.
#
# usage: check.sh        GUIRA_LONG=1: more steps of the writer, and two readers (about 10 minutes and 4 GB)
set -eu
model=$(cd "$(dirname "$0")" && pwd)/lookup.pml
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# check EXPECTED OPTION...: EXPECTED errors with these options of spin
check() {
    expected=$1
    shift
    spin -a "$@" "$model" >/dev/null
    ${CC:-cc} -O1 -w -DSAFETY -DCOLLAPSE -o pan pan.c
    ./pan -m1000000 >out
    found=$(sed -n 's/.*errors: \([0-9]*\).*/\1/p' out)
    states=$(sed -n 's/^ *\([0-9.e+]*\) states, stored.*/\1/p' out)
    if grep -q 'max search depth too small' out || [ "$found" != "$expected" ]; then
        cat out
        echo "check.sh: with the options '$*' spin found $found errors instead of $expected" >&2
        exit 1
    fi
    echo "$*: $states states, $found errors"
    rm -f pan pan.* "$(basename "$model").trail" ./*.trail
}

check 0 -DSTEPS=2
check 0 -DSTEPS=3 -DNAMES
check 0 -DSTEPS=2 -DNAMES -DREADERS=2 -DONLY_RESIZES
check 1 -DSTEPS=2 -DNO_STEP_WITH_FLAGS
check 1 -DSTEPS=2 -DNO_BUMP_AT_EVICTION
check 1 -DSTEPS=2 -DNO_BUMP_AT_UNDO
check 1 -DSTEPS=3 -DNAMES -DNO_BUMP_AT_PUBLISHING
check 1 -DSTEPS=3 -DNAMES -DNO_FIRST_BUMP_OF_STASH
check 1 -DSTEPS=3 -DNAMES -DNO_SECOND_BUMP_OF_STASH
if [ "${GUIRA_LONG:-0}" != 0 ]; then
    check 0 -DSTEPS=3
    check 1 -DSTEPS=3 -DNO_FIRST_BUMP_OF_STASH
    check 1 -DSTEPS=3 -DNO_SECOND_BUMP_OF_STASH
    check 0 -DSTEPS=2 -DNAMES -DREADERS=2
    check 0 -DSTEPS=1 -DREADERS=2
fi
