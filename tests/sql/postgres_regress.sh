#!/bin/sh
# Runs the regression tests of the extension for PostgreSQL (sql/postgres/sql) by pg_regress, in the server of with_server.sh.
# usage: with_server.sh FILES postgres_regress.sh SOURCE [TEST]...
#     SOURCE: the directory sql/postgres
set -eu
source=$1
shift
[ $# -gt 0 ] || set -- type keys aggregates lookup errors
pg_config=${PG_CONFIG:-/usr/lib/postgresql/15/bin/pg_config}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
"$(dirname "$("$pg_config" --pgxs)")/../test/regress/pg_regress" --use-existing --dbname=postgres --host="$PGHOST" \
    --bindir="$("$pg_config" --bindir)" --inputdir="$source" --outputdir="$out" "$@" || {
    cat "$out/regression.diffs"
    exit 1
}
