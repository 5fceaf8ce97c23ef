-- guira_agg and guira_union_agg, alone and by workers.
CREATE TABLE t AS SELECT x::bigint FROM generate_series(1, 100000) AS x;
ANALYZE t;

-- NULL and duplicates do not count; of nothing there is an empty filter
SELECT (guira_stats(guira_agg(x))).items FROM (VALUES (1), (NULL), (2), (NULL), (2)) AS v (x);
SELECT (guira_stats(guira_agg(x))).items FROM (VALUES (NULL::int)) AS v (x);
SELECT (guira_stats(guira_agg(x))).items FROM t WHERE false;
SELECT (guira_stats(guira_union_agg(NULL))).items, (guira_stats(guira_union_agg(guira_agg))).items FROM (SELECT guira_agg(x) FROM t WHERE false) AS s;
SELECT count(*) FROM t WHERE NOT (SELECT guira_agg(x) FROM t WHERE false) @> x;

-- every member is found; the rate is kept (2 % for 1 %: with a fixed seed this is the same in every run)
SELECT count(*) FROM t WHERE (SELECT guira_agg(x) FROM t) @> x;
SELECT count(*) < 2000 AS kept FROM t WHERE (SELECT guira_agg(x) FROM t) @> (x + 100000);
SELECT count(*) FROM t WHERE (SELECT guira_agg(x, 1e-6) FROM t) @> (x + 100000);
SELECT fpr_kept, slot_bits FROM (SELECT guira_agg(x, 0.001) AS f FROM t) AS s, guira_stats(f);
SELECT fpr_kept, slot_bits, items FROM (SELECT guira_agg(x, 0.001, 1000000) AS f FROM t WHERE x <= 10) AS s, guira_stats(f);
SELECT items FROM (SELECT guira_agg(x, NULL, NULL) AS f FROM t WHERE x <= 10) AS s, guira_stats(f);

-- groups, windows, filters, distinct
SELECT x % 3 AS g, guira_agg(x) @> 3::bigint AS three, guira_agg(x) @> 4::bigint AS four FROM t WHERE x <= 1000 GROUP BY 1 ORDER BY 1;
SELECT x, (guira_stats(guira_agg(x) OVER (ORDER BY x))).items FROM t WHERE x <= 4;
SELECT (guira_stats(guira_agg(x) FILTER (WHERE x <= 10))).items, (guira_stats(guira_agg(DISTINCT x / 10000))).items FROM t;
SELECT g, (guira_stats(guira_agg(x))).items FROM (SELECT x % 2 AS g, x FROM t WHERE x <= 10) AS s GROUP BY ROLLUP (g) ORDER BY 1;

-- workers: the plan is parallel, and the filter contains the same
SET min_parallel_table_scan_size = 0; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET max_parallel_workers_per_gather = 2;
EXPLAIN (COSTS OFF) SELECT guira_agg(x) FROM t;
CREATE TABLE f AS SELECT guira_agg(x) AS filter FROM t;
SELECT count(*) FROM t, f WHERE filter @> x;
SELECT items > 99000 AND items <= 100000 AS all_items FROM f, guira_stats(filter);
-- the leader has the slots that were asked for, and the rate is kept
SELECT slot_bits, fpr < 0.005 AS low FROM f, guira_stats(filter);
SELECT fpr_kept, slot_bits, fpr < 0.001 AS kept FROM (SELECT guira_agg(x, 0.001) AS f FROM t) AS s, guira_stats(f);
SELECT fpr_kept, slot_bits, fpr < 0.2 AS kept FROM (SELECT guira_agg(x, 0.2) AS f FROM t) AS s, guira_stats(f);
EXPLAIN (COSTS OFF) SELECT count(*) FROM t WHERE (SELECT filter FROM f) @> x;
SELECT count(*) FROM t WHERE (SELECT filter FROM f) @> x;
-- some workers have no rows, or only NULL
SELECT guira_agg(x, 0.001) @> 5::bigint, (guira_stats(guira_agg(x, 0.001))).items FROM t WHERE x <= 10;
SELECT (guira_stats(guira_agg(NULLIF(x, x)))).items FROM t;
SELECT (guira_stats(guira_agg(x))).items FROM t WHERE x < 0;
-- a seed reaches the workers
SET guira.seed = 'secret';
CREATE TABLE s AS SELECT guira_agg(x) AS filter FROM t;
SELECT count(*) FROM t, s WHERE filter @> x;
RESET guira.seed;
SELECT guira_union(f.filter, s.filter) FROM f, s;
SELECT guira_union_agg(filter) FROM (SELECT * FROM f UNION ALL SELECT * FROM s) AS u;
RESET ALL;

-- unions
SELECT (guira_stats(guira_union_agg(p))).items > 98000 AS all_items, bool_and(u @> 99999::bigint) AS found
    FROM (SELECT guira_agg(x) AS p FROM t GROUP BY x % 7) AS s, (SELECT filter AS u FROM f) AS f;
SELECT count(*) FROM t WHERE (SELECT guira_union_agg(p) FROM (SELECT guira_agg(x) AS p FROM t GROUP BY x % 7) AS s) @> x;
SELECT guira_union(guira_agg(1), guira_agg(2)) @> 2, (guira_stats(guira_union(guira_agg(1), guira_agg(1)))).items;
SELECT guira_union(guira_agg(1, 0.001), guira_agg(2)) @> 2, guira_union(guira_agg(2), guira_agg(1, 0.001)) @> 1;
SELECT guira_union(guira_agg(1, 0.001), (SELECT guira_agg(x) FROM t WHERE false)) @> 1, guira_union((SELECT guira_agg(x) FROM t WHERE false), guira_agg(1, 0.001)) @> 1;
SELECT guira_union(guira_agg(1), NULL) IS NULL AS none;

-- adding
SELECT guira_add(guira_agg(1), 2) @> 2, guira_add(guira_agg(1), 'ana') @> 'ana', guira_add(guira_agg(1), 'ana') @> 'bob',
    (guira_stats(guira_add(guira_agg(1), 1))).items, guira_add(guira_agg(1), NULL::int) IS NULL AS none;

-- arguments
SELECT guira_agg(1, 0);
SELECT guira_agg(1, 1);
SELECT guira_agg(1, 'NaN');
SELECT guira_agg(1, -1);
SELECT guira_agg(1, 1e-300);
SELECT guira_agg(1, 0.01, -1);
SELECT guira_agg(1, 0.01, 9223372036854775807);
SELECT guira_agg('a');
SELECT guira_agg_step(NULL, 1);
SET guira.other = 1;
DROP TABLE t, f, s;
