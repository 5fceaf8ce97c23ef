#!/bin/sh
# A join between two large tables, pruned by a filter, beside a hash semi-join and an index of contrib/bloom, by EXPLAIN ANALYZE:
# rows that reach the join, temporary files, time. The tables are made here, in a server that is started and stopped.
#
#     sales    ROWS rows with the keys 1 to ROWS, about 120 bytes each
#     returns  ROWS / 3 rows, whose keys are drawn from 1 to 20 ROWS: one in twenty belongs to a row of sales
#
# usage: postgres.sh [--rows N] [--runs N] [--work-mem SIZE] [FILES]        (3000000, 3, 4MB, build/release/sql/postgres)
set -eu
top=$(dirname "$0")/..
rows=3000000 runs=3 work_mem=4MB
while [ $# -gt 1 ]; do
    case $1 in
    --rows) rows=$2 ;;
    --runs) runs=$2 ;;
    --work-mem) work_mem=$2 ;;
    *) echo "postgres.sh: unknown option '$1'" >&2 && exit 2 ;;
    esac
    shift 2
done
if [ -z "${PGHOST-}" ]; then
    PG_OPTIONS="-c shared_buffers=1GB -c max_wal_size=8GB" exec "$top/sql/postgres/with_server.sh" \
        "${1:-$top/build/release/sql/postgres}" "$0" --rows "$rows" --runs "$runs" --work-mem "$work_mem"
fi

psql -Xqv ON_ERROR_STOP=1 <<END
CREATE EXTENSION guira;
CREATE EXTENSION bloom;
SET seed = 0.5;
CREATE TABLE sales AS SELECT x AS id, (random() * 1000)::int AS amount, repeat(md5(x::text), 3) AS note FROM generate_series(1, $rows) AS x;
CREATE TABLE returns AS SELECT (random() * 20 * $rows)::int + 1 AS sale, x AS id FROM generate_series(1, $rows / 3) AS x;
CREATE TABLE filters AS SELECT guira_agg(sale) AS sales FROM returns;
VACUUM ANALYZE;
END

# Prints the plan's figures as one line: the best of the runs.
explain() { # NAME QUERY
    for _ in $(seq "$runs"); do
        psql -XqAt -c "SET work_mem = '$work_mem'; SET max_parallel_workers_per_gather = 0; SET jit = off;" \
            -c "EXPLAIN (ANALYZE, BUFFERS, FORMAT json) $2" | python3 -c '
import json, sys
def walk(node):
    yield node
    for child in node.get("Plans", ()):
        yield from walk(child)
top = json.load(sys.stdin)[0]
nodes = list(walk(top["Plan"]))
join = [n for n in nodes if "Join" in n["Node Type"]]
into = max((c["Actual Rows"] * c["Actual Loops"] for n in join for c in n["Plans"] if c.get("Relation Name") == "sales"), default=0)
ms, method = top["Execution Time"], ", ".join(n["Node Type"] for n in join)
temp = top["Plan"].get("Temp Written Blocks", 0) * 8 / 1024
print(f"{ms:9.0f} ms | {into:9} rows of sales reach the join | {temp:6.1f} MiB of temporary files | {method}")'
    done | sort -n | head -1 | sed "s/^/$(printf '%-34s' "$1")/"
}

psql -XqAt -c "SELECT version()" -c "SELECT 'filter of returns: ' || items || ' keys, ' || bytes || ' bytes, predicted rate ' || fpr FROM filters, guira_stats(sales)" \
    -c "SELECT 'sales: ' || pg_size_pretty(pg_table_size('sales')) || ', returns: ' || pg_size_pretty(pg_table_size('returns'))"
echo "$rows sales, work_mem $work_mem, best of $runs runs, no parallel workers"
explain "hash join" "SELECT count(*), sum(amount), max(note) FROM sales JOIN returns ON sale = sales.id"
explain "with a stored filter" "SELECT count(*), sum(amount), max(note) FROM sales JOIN returns ON sale = sales.id WHERE (SELECT sales FROM filters) @> sales.id"
explain "with a filter made in the query" "SELECT count(*), sum(amount), max(note) FROM sales JOIN returns ON sale = sales.id WHERE (SELECT guira_agg(sale) FROM returns) @> sales.id"
explain "hash semi-join" "SELECT count(*), sum(amount), max(note) FROM sales WHERE id IN (SELECT sale FROM returns)"
explain "semi-join with a stored filter" "SELECT count(*), sum(amount), max(note) FROM sales WHERE id IN (SELECT sale FROM returns) AND (SELECT sales FROM filters) @> sales.id"
explain "the filter alone, no join" "SELECT count(*), sum(amount), max(note) FROM sales WHERE (SELECT sales FROM filters) @> sales.id"

# An index of contrib/bloom answers one key at a time, by reading all of the index.
psql -XqAt <<END
SET max_parallel_workers_per_gather = 0; SET jit = off; SET enable_hashjoin = off; SET enable_mergejoin = off;
CREATE INDEX by_bloom ON sales USING bloom (id) WITH (length = 80, col1 = 4);
SELECT 'contrib/bloom: index of ' || pg_size_pretty(pg_relation_size('by_bloom'));
SET enable_seqscan = off;
EXPLAIN (ANALYZE, COSTS OFF, BUFFERS) SELECT count(*) FROM sales WHERE id = 12345;
EXPLAIN (ANALYZE, COSTS OFF, BUFFERS) SELECT count(*) FROM sales JOIN (SELECT sale FROM returns LIMIT 100) AS r ON sale = sales.id;
END
