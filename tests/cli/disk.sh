#!/bin/bash
# No space left: the command says so and ends with 2, and the file that was there is as it was.
# With a small file system where one can be mounted (root in a namespace of its own); else with a limit on the size of files.
# usage: disk.sh GUIRA
. "$(dirname "$0")/common.sh"

# What is done in the full place; the first argument runs commands there.
try() {
    local in_place=$1
    seq 1000 | $in_place "$guira" build -q --fpr 1e-6 place/set.gf
    cp place/set.gf before.gf
    status=0
    seq 1000 2000000 | $in_place "$guira" add -q place/set.gf 2>err || status=$?
    [ $status = 2 ] || fail "add ended with $status"
    grep -q 'place/set.gf: cannot be written: .*unchanged' err || fail "add said: $(cat err)"
    cmp -s place/set.gf before.gf || fail "the old file has changed"

    status=0
    seq 2000000 | $in_place "$guira" build -q place/new.gf 2>err || status=$?
    [ $status = 2 ] && [ ! -e place/new.gf ] || fail "build ended with $status and left $(ls place)"

    status=0
    rm -f status
    { seq 2000000 | $in_place "$guira" uniq --state place/state.gf 2>err || echo $? >status; } | cat >out
    [ ! -e status ] || status=$(cat status)
    [ $status = 2 ] && grep -q 'state.gf: cannot be written' err || fail "uniq ended with $status, said: $(cat err)"
    [ "$(wc -l <out)" -ge 1999990 ] || fail "uniq: what was read was not passed on"
    "$guira" verify -q place/state.gf || fail "uniq: the old state is damaged"
    [ "$(ls -A place | tr '\n' ' ')" = 'set.gf state.gf ' ] || fail "left behind: $(ls -A place)"

    status=0
    seq 2000000 | $in_place bash -c 'exec "$1" uniq >place/out' - "$guira" 2>err || status=$?
    [ $status = 2 ] && grep -q 'stdout: ' err || fail "full stdout: ended with $status, said: $(cat err)"
    rm place/*
}

mkdir place
if mount -t tmpfs -o size=2m tmpfs place 2>/dev/null; then
    trap 'umount "$tmp/place"; rm -rf "$tmp"' EXIT
    try env
    echo "disk.sh: all well on a full disk"
    umount place
    trap 'rm -rf "$tmp"' EXIT
fi

# SIGXFSZ would end the process; ignored, write fails with EFBIG.
limited() { (trap '' XFSZ; ulimit -f 2048; exec "$@"); }
try limited
echo "disk.sh: all well with limited files"
