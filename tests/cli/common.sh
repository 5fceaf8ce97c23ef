# Common part of the scripts in this directory: sets $guira, changes to an empty directory, and defines helper functions.
# Source it with the path of the tool as $1.
set -eu
guira=$(realpath "$1")
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM
cd "$tmp"
export LC_ALL=C

fail() {
    echo "$(basename "$0"): $*" >&2
    exit 1
}

# quick N FULL: prints N with GUIRA_QUICK, else FULL.
quick() { if [ -n "${GUIRA_QUICK-}" ]; then echo "$1"; else echo "$2"; fi; }

# Waits until the command succeeds, at most a minute.
wait_until() {
    local n=0
    until "$@"; do
        n=$((n + 1))
        [ $n -lt 600 ] || fail "timeout: $*"
        sleep 0.1
    done
}
