# For the scripts in this directory: $guira, a directory of their own, and how to fail. Source it with GUIRA as $1.
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

# quick N FULL: N under GUIRA_QUICK, else FULL.
quick() { if [ -n "${GUIRA_QUICK-}" ]; then echo "$1"; else echo "$2"; fi; }

# Waits until the command is true, a minute at most.
wait_until() {
    local n=0
    until "$@"; do
        n=$((n + 1))
        [ $n -lt 600 ] || fail "waited in vain: $*"
        sleep 0.1
    done
}
