-- The type: text, binary, casts, storage.
CREATE EXTENSION guira;
CREATE TABLE f (name text PRIMARY KEY, filter guira);
INSERT INTO f SELECT 'numbers', guira_agg(x) FROM generate_series(1, 1000) AS x;
INSERT INTO f VALUES ('null', NULL);

-- text and back
SELECT left(filter::text, 14), length(filter::text) = 2 * length(filter::bytea) + 2 AS hex FROM f WHERE name = 'numbers';
SELECT filter::text::guira::text = filter::text AS same, filter::bytea::guira::text = filter::text AS same FROM f WHERE name = 'numbers';
SET bytea_output = escape;
SELECT left(filter::text, 14) FROM f WHERE name = 'numbers';
SELECT left(encode(filter::bytea, 'escape'), 5) FROM f WHERE name = 'numbers';
RESET bytea_output;

-- binary and back
SELECT guira_send(filter) = filter::bytea AS same FROM f WHERE name = 'numbers';
SELECT current_setting('data_directory') || '/guira_copy' AS file \gset
COPY f TO :'file' WITH (FORMAT binary);
CREATE TABLE g (LIKE f);
COPY g FROM :'file' WITH (FORMAT binary);
SELECT f.name, f.filter::text = g.filter::text AS same FROM f JOIN g USING (name) ORDER BY 1;
COPY f TO :'file';
TRUNCATE g;
COPY g FROM :'file';
SELECT f.name, f.filter::text = g.filter::text AS same FROM f JOIN g USING (name) ORDER BY 1;

-- what is no filter does not come in
SELECT 'text'::guira;
SELECT ''::guira;
SELECT '\x00'::guira;
SELECT '\xzz'::guira;
SELECT ''::bytea::guira;
SELECT decode(repeat('00', 1000), 'hex')::guira;
SELECT substring(filter::bytea FROM 1 FOR 300)::guira FROM f WHERE name = 'numbers';
SELECT (filter::bytea || '\x00')::guira FROM f WHERE name = 'numbers';
SELECT set_byte(filter::bytea, 1000, 255 - get_byte(filter::bytea, 1000))::guira FROM f WHERE name = 'numbers';
SELECT set_byte(filter::bytea, 100, 255 - get_byte(filter::bytea, 100))::guira FROM f WHERE name = 'numbers';
COPY g FROM :'file' WITH (FORMAT binary);
CREATE TABLE b (name text, filter bytea);
INSERT INTO b VALUES ('bytes', '\x0102');
COPY b TO :'file' WITH (FORMAT binary);
COPY g FROM :'file' WITH (FORMAT binary);

-- casts are explicit
INSERT INTO f SELECT 'bytes', '\x00'::bytea;
SELECT typstorage, typsend, typreceive FROM pg_type WHERE typname = 'guira';

SELECT kind, items, bytes, slot_bits, round(load::numeric, 3) AS load, round(fpr::numeric, 5) AS fpr, fpr_kept
    FROM f, guira_stats(filter) WHERE name = 'numbers';
SELECT * FROM guira_stats(NULL);

DROP TABLE f, g, b;
