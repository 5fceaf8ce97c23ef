-- guira_contains and @>: filters that are stored outside their row, inline, in memory, and that change from row to row.
CREATE TABLE t AS SELECT x FROM generate_series(1, 20000) AS x;
CREATE TABLE f (name text PRIMARY KEY, filter guira);
INSERT INTO f SELECT 'large', guira_agg(x, 1e-6) FROM t;
INSERT INTO f SELECT 'odd', guira_agg(x, 1e-6) FROM t WHERE x % 2 = 1;
INSERT INTO f SELECT 'small', guira_agg(x, 1e-6) FROM t WHERE x <= 10;
ANALYZE t, f;
SELECT name, pg_column_size(filter) > 2000 AS outside FROM f ORDER BY 1;

SELECT name, count(*) FROM t, f WHERE filter @> x GROUP BY 1 ORDER BY 1;
SELECT name, count(*) FROM t, f WHERE guira_contains(filter, x) GROUP BY 1 ORDER BY 1;
SELECT count(*) FROM t WHERE (SELECT filter FROM f WHERE name = 'large') @> x;
SELECT count(*) FROM t WHERE (SELECT filter FROM f WHERE name = 'small') @> x;
SELECT count(*) FROM t WHERE (SELECT guira_agg(x, 1e-6) FROM t AS u WHERE u.x > 15000) @> x;
-- another filter in every row, in both orders
SET enable_hashjoin = off; SET enable_material = off;
SELECT name, count(*) FROM (SELECT x FROM t LIMIT 50) AS t LEFT JOIN f ON filter @> x GROUP BY 1 ORDER BY 1;
SELECT x, array_agg(name ORDER BY name) FROM (SELECT * FROM t WHERE x IN (9, 10, 11, 12)) AS t, LATERAL (SELECT name FROM f WHERE filter @> x) AS g GROUP BY 1 ORDER BY 1;
RESET ALL;
-- the same place in memory, other filters
SELECT sum((guira_union(filter, filter) @> x)::int) FROM f, generate_series(1, 30) AS x WHERE name <> 'large';
SELECT count(*) FROM generate_series(1, 300) AS x, LATERAL (SELECT guira_agg(y) AS g FROM generate_series(x, x + 500) AS y) AS s WHERE g @> x AND g @> (x + 500);
-- compressed, and by way of a function
CREATE TABLE c (LIKE f);
ALTER TABLE c ALTER filter SET STORAGE extended;
INSERT INTO c SELECT 'compressed', guira_agg(x, 0.01, 100000) FROM t WHERE x <= 100;
SELECT pg_column_size(filter) < length(filter::bytea) AS compressed FROM c;
SELECT count(*) FROM t, c WHERE filter @> x AND x <= 100;
ALTER TABLE c ALTER filter SET STORAGE main;
UPDATE c SET filter = guira_add(filter, 0);
SELECT count(*) FROM t, c WHERE filter @> x AND x <= 100;
CREATE FUNCTION sum_found(f guira, g guira) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE n bigint := 0; h guira;
BEGIN
    FOR i IN 1..1000 LOOP
        h := CASE WHEN i % 2 = 0 THEN f ELSE g END;
        IF h @> i THEN n := n + 1; END IF;
    END LOOP;
    RETURN n;
END $$;
SELECT sum_found(a.filter, b.filter) FROM f AS a, f AS b WHERE a.name = 'large' AND b.name = 'small';
SELECT sum_found(a.filter, b.filter) FROM f AS a, f AS b WHERE a.name = 'odd' AND b.name = 'large';
-- an update is seen
BEGIN;
UPDATE f SET filter = guira_add(filter, 123456) WHERE name = 'large';
SELECT filter @> 123456, filter @> 123457 FROM f WHERE name = 'large';
ROLLBACK;
SELECT filter @> 123456 FROM f WHERE name = 'large';
-- prepared statements and constraints
PREPARE ask(guira, int) AS SELECT $1 @> $2;
SELECT filter::text AS f FROM f WHERE name = 'small' \gset
EXECUTE ask(:'f', 5);
EXECUTE ask(:'f', 11);
CREATE FUNCTION known_filter() RETURNS guira LANGUAGE sql IMMUTABLE AS $$ SELECT filter FROM f WHERE name = 'small' $$;
CREATE TABLE known (x int CHECK (known_filter() @> x));
INSERT INTO known VALUES (3);
INSERT INTO known VALUES (3000);

-- the planner looks up its sample: tenths of all rows
INSERT INTO f SELECT 'half', guira_agg(x, 1e-6) FROM t WHERE hashint4(x) % 2 = 0;
CREATE FUNCTION rows_planned(query text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE plan json;
BEGIN
    EXECUTE 'EXPLAIN (FORMAT json) ' || query INTO plan;
    RETURN plan -> 0 -> 'Plan' ->> 'Plan Rows';
END $$;
SELECT name, rows_planned(format('SELECT * FROM t WHERE %L::guira @> x', filter)) / 2000 AS tenths FROM f WHERE name <> 'odd' ORDER BY 1;
SELECT rows_planned('SELECT * FROM t WHERE (SELECT filter FROM f LIMIT 1) @> x') / 2000 AS tenths;
SELECT rows_planned('SELECT * FROM f WHERE filter @> 1') AS rows_of_filters;
DROP TABLE known, c, t, f;
DROP FUNCTION known_filter, sum_found, rows_planned;
