#!/bin/sh
# Checks that promtool accepts our metrics, alert rules and dashboard, and that each alert fires when it should and only then.
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

# promtool must accept the metrics in file $1 without errors and without warnings.
must_accept() {
    [ -s "$1" ] || fail "no metrics were written"
    promtool check metrics <"$1" >"$tmp/output" 2>&1 || fail "promtool: $(cat "$tmp/output")"
    [ ! -s "$tmp/output" ] || fail "promtool: $(cat "$tmp/output")"
}

command -v promtool >/dev/null || fail "no promtool (Debian: apt-get install prometheus)"

LC_ALL=C "$print" >"$tmp/metrics"
must_accept "$tmp/metrics"
if printf 'guira_items{name="\377"} 1\n' | promtool check metrics >/dev/null 2>&1; then fail "promtool accepts invalid metrics"; fi

# The decimal separator must be a point even in a locale that uses a comma.
localedef -i de_DE -f UTF-8 "$tmp/de_DE.UTF-8" 2>/dev/null || true
[ "$(LOCPATH=$tmp LC_ALL=de_DE.UTF-8 locale decimal_point)" = , ] || fail "no German locale (Debian: apt-get install locales)"
LOCPATH=$tmp LC_ALL=de_DE.UTF-8 "$print" >"$tmp/metrics.de"
must_accept "$tmp/metrics.de"
grep -q '^guira_load_max_ratio.* 0\.95$' "$tmp/metrics.de" || fail "0.95 is missing in the German locale"

promtool check rules "$source/monitoring/guira.rules.yml" >"$tmp/output" 2>&1 || fail "rules: $(cat "$tmp/output")"
promtool test rules "$source/tests/guira.rules.test.yml" >"$tmp/output" 2>&1 || fail "alerts: $(cat "$tmp/output")"

# Every metric named in an alert must exist, or the alert could never fire.
sed 's/#.*//' "$source/monitoring/guira.rules.yml" | grep -o 'guira_[a-z_]*' | sort -u | while read -r metric; do
    grep -q "^$metric{" "$tmp/metrics" || fail "the alerts use $metric, which is not exported"
done
python3 "$source/tests/dashboard_test.py" "$source/monitoring/dashboard.json" "$tmp/metrics" "$source/cli/redis_metrics.c" ||
    fail "monitoring/dashboard.json"
echo "metrics_test: ok"
