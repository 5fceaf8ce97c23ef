-- Errors in the middle of aggregates and lookups do not leak: the system counts the memory of the backend.
CREATE FUNCTION resident_kib() RETURNS bigint LANGUAGE sql AS
    $$ SELECT substring(pg_read_file('/proc/self/status') FROM 'RssAnon:\s+(\d+)')::bigint $$;
CREATE TABLE t AS SELECT x FROM generate_series(1, 2000) AS x;
CREATE TABLE f AS SELECT guira_agg(x, 0.01, 200000) AS filter FROM t;
CREATE PROCEDURE fail_often(query text, n int) LANGUAGE plpgsql AS $$
BEGIN
    FOR i IN 1..n LOOP
        BEGIN
            EXECUTE query;
            RAISE EXCEPTION 'no error: %', query;
        EXCEPTION WHEN division_by_zero OR invalid_parameter_value THEN NULL;
        END;
    END LOOP;
END $$;
SET max_parallel_workers_per_gather = 0;
SET guira.seed = 'another';
CREATE TABLE g AS SELECT guira_agg(x, 0.01, 200000) AS filter FROM t;
RESET guira.seed;
-- Each failure leaves a filter of more than 400 KB behind if it is not freed, 100 of them 40 MB.
CREATE FUNCTION grown(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE before bigint;
BEGIN
    CALL fail_often(query, 10);
    before := resident_kib();
    CALL fail_often(query, 100);
    RETURN CASE WHEN resident_kib() - before < 8000 THEN 'freed' ELSE 'leaked ' || resident_kib() - before || ' KiB' END;
END $$;
SELECT grown('SELECT guira_agg(1 / (2000 - x), 0.01, 200000) FROM t');
SELECT grown('SELECT guira_agg(x % 10, 0.01, 200000), guira_agg(1 / (2000 - x), 0.01, 200000) FROM t');
SELECT grown('SELECT sum(1 / (2000 - x)) FROM t, f WHERE filter @> x');
SELECT grown('SELECT guira_union(f.filter, g.filter) FROM f, g');
SELECT grown('SELECT guira_union_agg(u) FROM (SELECT filter AS u FROM f UNION ALL SELECT filter FROM g) AS s');
DROP TABLE t, f, g;
DROP FUNCTION grown, resident_kib;
DROP PROCEDURE fail_often;
DROP EXTENSION guira;
