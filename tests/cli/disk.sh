#!/bin/bash
# A full disk: the command prints an error and exits with status 2, and the existing file is unchanged. Tested with a small
# file system if one can be mounted (as root), and with a limit on the size of files.
# usage: disk.sh GUIRA
. "$(dirname "$0")/common.sh"

# Runs all checks in the directory "place"; $1 is a command that runs another command with the limit.
try() {
    local with_limit=$1
    seq 1000 | $with_limit "$guira" build -q --fpr 1e-6 place/set.gf
    cp place/set.gf before.gf
    status=0
    seq 1000 2000000 | $with_limit "$guira" add -q place/set.gf 2>err || status=$?
    [ $status = 2 ] || fail "add: status $status"
    grep -q 'place/set.gf: cannot be written: .*unchanged' err || fail "add printed: $(cat err)"
    cmp -s place/set.gf before.gf || fail "the old file has changed"

    status=0
    seq 2000000 | $with_limit "$guira" build -q place/new.gf 2>err || status=$?
    [ $status = 2 ] && [ ! -e place/new.gf ] || fail "build: status $status, files left: $(ls place)"

    status=0
    rm -f status
    { seq 2000000 | $with_limit "$guira" uniq --state place/state.gf 2>err || echo $? >status; } | cat >out
    [ ! -e status ] || status=$(cat status)
    [ $status = 2 ] && grep -q 'state.gf: cannot be written' err || fail "uniq: status $status, printed: $(cat err)"
    [ "$(wc -l <out)" -ge 1999990 ] || fail "uniq: lines that were read were not printed"
    "$guira" verify -q place/state.gf || fail "uniq: the old state is damaged"
    [ "$(ls -A place | tr '\n' ' ')" = 'set.gf state.gf ' ] || fail "files left: $(ls -A place)"

    status=0
    seq 2000000 | $with_limit bash -c 'exec "$1" uniq >place/out' - "$guira" 2>err || status=$?
    [ $status = 2 ] && grep -q 'stdout: ' err || fail "full stdout: status $status, printed: $(cat err)"
    rm place/*
}

# A directory that nothing can be written to: the commands end before they print or change anything. Root can write
# everywhere, so it gives that capability away.
restricted() { if [ "$(id -u)" = 0 ]; then setpriv --bounding-set=-dac_override "$@"; else "$@"; fi; }
if ! restricted true 2>/dev/null; then restricted() { false; }; fi
mkdir fixed
seq 3 | "$guira" uniq --state fixed/state.gf >/dev/null
seq 3 | "$guira" uniq --window 1m --state fixed/window.gf >/dev/null
chmod 555 fixed
if restricted sh -c '! touch fixed/x 2>/dev/null'; then
    for command in 'uniq --state fixed/state.gf' 'uniq --window 1m --state fixed/window.gf' 'add fixed/state.gf' \
        'remove fixed/state.gf' 'shrink fixed/state.gf' 'uniq --state fixed/new.gf' 'build fixed/new.gf'; do
        status=0
        seq 5 | restricted "$guira" $command >out 2>err || status=$?
        [ $status = 2 ] && [ ! -s out ] && grep -q 'fixed/.*cannot be written' err ||
            fail "$command: status $status, printed $(cat err out)"
    done
    echo "disk.sh: passed in a read-only directory"
fi
chmod 755 fixed

mkdir place
if mount -t tmpfs -o size=2m tmpfs place 2>/dev/null; then
    trap 'umount "$tmp/place"; rm -rf "$tmp"' EXIT
    try env
    echo "disk.sh: passed on a full disk"
    umount place
    trap 'rm -rf "$tmp"' EXIT
fi

# SIGXFSZ would end the process; if it is ignored, write fails with EFBIG.
limited() { (trap '' XFSZ; ulimit -f 2048; exec "$@"); }
try limited
echo "disk.sh: passed with limited files"
