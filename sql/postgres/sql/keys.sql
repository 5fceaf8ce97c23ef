-- Which values are one key: @> finds the value on the right in the filter of that on the left.
CREATE FUNCTION one_key(a anyelement, b anyelement) RETURNS boolean LANGUAGE sql AS 'SELECT guira_agg(a, 1e-6) @> b';

-- integers, their texts, and numbers that are integers
SELECT guira_agg(1::int2) @> 1::int4, guira_agg(1::int4) @> 1::int8, guira_agg(1::int8) @> 1::int2, guira_agg(1) @> '1',
    guira_agg(1) @> 1::numeric, guira_agg(1) @> 1.00, guira_agg(1) @> 1::float8, guira_agg(1::float4) @> 1::float8,
    guira_agg(1) @> 1::oid, guira_agg('1'::text) @> 1;
SELECT guira_agg(x) @> x, guira_agg(x) @> x::text, guira_agg(x) @> x::numeric, guira_agg(x) @> x::float8
    FROM (VALUES (9223372036854775807), (-9223372036854775807 - 1), (0), (-1), (1234567890123456789)) AS v (x) GROUP BY x ORDER BY x;
SELECT guira_agg(1) @> 2, guira_agg(1) @> -1, guira_agg(1) @> 1.5, guira_agg(4294967296) @> 0, guira_agg(4294967297) @> 1;
-- other numbers
SELECT guira_agg(1.5) @> 1.50, guira_agg(1.5) @> '1.5', guira_agg(1.5::float8) @> 1.5::float4, guira_agg(1.5::float8) @> '1.5',
    guira_agg(0.1::float4) @> 0.1::float8, guira_agg('NaN'::float8) @> 'NaN'::float4, guira_agg('-0'::float8) @> 0::float8,
    guira_agg('inf'::float8) @> 'inf'::float8, guira_agg('inf'::float8) @> '-inf'::float8, guira_agg('\x000000000000f83f'::bytea) @> 1.5::float8;
-- texts and bytes
SELECT guira_agg('a'::text) @> 'a', guira_agg('a'::text) @> 'a'::varchar, guira_agg('a'::text) @> 'a'::char(5),
    guira_agg('a'::char(5)) @> 'a'::char(9), guira_agg('a'::text) @> 'a'::name, guira_agg('a'::text) @> '\x61'::bytea,
    guira_agg('a'::text) @> 'A', guira_agg('a'::text) @> 'a ', guira_agg(''::text) @> '', guira_agg('é'::text) @> '\xc3a9'::bytea;
-- long texts, which are compressed or stored elsewhere
CREATE TABLE long AS SELECT repeat(md5(x::text), 200) AS x FROM generate_series(1, 20) AS x
    UNION ALL SELECT string_agg(md5(x::text), '') FROM generate_series(1, 5000) AS x;
SELECT count(*) FROM long WHERE (SELECT guira_agg(x) FROM long) @> x;
SELECT count(*) FROM long WHERE (SELECT guira_agg(x) FROM long) @> (x || 'x');
-- domains are as their base type
CREATE DOMAIN positive AS int CHECK (VALUE > 0);
SELECT guira_agg(7::positive) @> 7, guira_agg(7) @> 7::positive;
-- enums by their label, booleans, uuids
CREATE TYPE mood AS ENUM ('sad', 'happy');
SELECT guira_agg('sad'::mood) @> 'sad', guira_agg('sad'::mood) @> 'happy'::mood, guira_agg(true) @> true, guira_agg(true) @> false,
    guira_agg('550E8400-e29b-41d4-a716-446655440000'::uuid) @> '550e8400-e29b-41d4-a716-446655440000';
-- times do not depend on settings
CREATE TABLE times AS SELECT guira_agg('2026-11-17 12:00:00+00'::timestamptz) AS tz, guira_agg('2026-11-17'::date) AS d,
    guira_agg('12:00'::time) AS t, guira_agg('1 day'::interval) AS i;
SET TimeZone = 'Asia/Tokyo';
SET DateStyle = 'German';
SET IntervalStyle = 'iso_8601';
SELECT tz @> '2026-11-17 21:00:00+09'::timestamptz, tz @> '2026-11-17 21:00:01+09'::timestamptz, d @> '17.11.2026'::date,
    d @> '18.11.2026'::date, t @> '12:00'::time, t @> '12:01'::time, i @> '24 hours'::interval, i @> '25 hours'::interval FROM times;
RESET TimeZone; RESET DateStyle; RESET IntervalStyle;
-- other types by their hash function
SELECT guira_agg('{1,2}'::int[]) @> '{1,2}'::int[], guira_agg('{1,2}'::int[]) @> '{2,1}'::int[],
    guira_agg('{1.0}'::numeric[]) @> '{1.00}'::numeric[], guira_agg('{"a": 1, "b": 2}'::jsonb) @> '{"b": 2, "a": 1}'::jsonb,
    guira_agg('10.0.0.1'::inet) @> '10.0.0.1'::inet, guira_agg('10.0.0.1'::inet) @> '10.0.0.2'::inet,
    guira_agg('[1,4)'::int4range) @> '[1,3]'::int4range;
CREATE TYPE pair AS (a int, b text);
SELECT guira_agg('(1,a)'::pair) @> '(1,a)'::pair, guira_agg('(1,a)'::pair) @> '(2,a)'::pair;
-- 64 bits count: PostgreSQL's own hash of these is the same
SELECT hashint8extended(1, 0) = hashint8extended(4294967296, 0) AS folded, guira_agg(1::int8) @> 4294967296;
-- none
SELECT guira_agg('{}'::json);
SELECT guira_agg(ROW(1, 'a'::text));
SELECT guira_agg('(1,2)'::point) @> '(1,2)'::point;
CREATE COLLATION ignore_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
SELECT guira_agg('a'::text COLLATE ignore_case);
SELECT guira_agg('a'::text) @> ('a'::text COLLATE ignore_case);
SELECT guira_agg(x) @> 'a' FROM (VALUES ('a' COLLATE ignore_case)) AS v (x);
SELECT guira_agg('{"a"}'::text[]) @> '{"a"}'::text[];
SELECT one_key(1, 1), one_key('a'::text, 'a'), one_key('a'::text, 'b');
SELECT guira_agg(1) @> NULL, guira_agg(1) @> NULL::int, NULL::guira @> 1;
DROP TABLE long, times;
DROP FUNCTION one_key;
DROP TYPE mood, pair;
DROP DOMAIN positive;
DROP COLLATION ignore_case;
