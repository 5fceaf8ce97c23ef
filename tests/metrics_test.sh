#!/bin/sh
# Does promtool take our metrics and our alerts, and does each alert come when it should and only then?
# usage: metrics_test.sh <source dir> <metrics_print>
set -eu

source=$1
print=$2

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM

fail() {
    echo "metrics_test: $*" >&2
    exit 1
}

# promtool says what it does not like and ends with an error; what it says without one counts as well.
takes() {
    [ -s "$1" ] || fail "nothing was written"
    promtool check metrics <"$1" >"$tmp/said" 2>&1 || fail "promtool: $(cat "$tmp/said")"
    [ ! -s "$tmp/said" ] || fail "promtool: $(cat "$tmp/said")"
}

command -v promtool >/dev/null || fail "no promtool (Debian: apt-get install prometheus)"

LC_ALL=C "$print" >"$tmp/metrics"
takes "$tmp/metrics"
if printf 'guira_items{name="\377"} 1\n' | promtool check metrics >/dev/null 2>&1; then fail "promtool takes anything"; fi

# Where people write 0,95 the metrics must not.
localedef -i de_DE -f UTF-8 "$tmp/de_DE.UTF-8" 2>/dev/null || true
[ "$(LOCPATH=$tmp LC_ALL=de_DE.UTF-8 locale decimal_point)" = , ] || fail "no German locale (Debian: apt-get install locales)"
LOCPATH=$tmp LC_ALL=de_DE.UTF-8 "$print" >"$tmp/metrics.de"
takes "$tmp/metrics.de"
grep -q '^guira_load_max_ratio.* 0\.95$' "$tmp/metrics.de" || fail "no 0.95 in German"

promtool check rules "$source/monitoring/guira.rules.yml" >"$tmp/said" 2>&1 || fail "rules: $(cat "$tmp/said")"
promtool test rules "$source/tests/guira.rules.test.yml" >"$tmp/said" 2>&1 || fail "alerts: $(cat "$tmp/said")"

# An alert that asks for a metric we do not have would never come.
sed 's/#.*//' "$source/monitoring/guira.rules.yml" | grep -o 'guira_[a-z_]*' | sort -u | while read -r metric; do
    grep -q "^$metric{" "$tmp/metrics" || fail "there is no $metric"
done
echo "metrics_test: all well"
