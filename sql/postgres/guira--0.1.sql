-- Filters as a type of PostgreSQL: docs/sql.md.
\echo Use "CREATE EXTENSION guira" to load this file. \quit

-- ---------------------------------------------------------------------------------------------------------- the type

CREATE TYPE guira;

CREATE FUNCTION guira_in(cstring) RETURNS guira AS 'MODULE_PATHNAME', 'pg_guira_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION guira_out(guira) RETURNS cstring AS 'MODULE_PATHNAME', 'pg_guira_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION guira_recv(internal) RETURNS guira AS 'MODULE_PATHNAME', 'pg_guira_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION guira_send(guira) RETURNS bytea AS 'MODULE_PATHNAME', 'pg_guira_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

-- A filter does not compress, and a value that is stored as it is can be fetched in pieces.
CREATE TYPE guira (
    INPUT = guira_in,
    OUTPUT = guira_out,
    RECEIVE = guira_recv,
    SEND = guira_send,
    STORAGE = external
);

CREATE FUNCTION guira(bytea) RETURNS guira AS 'MODULE_PATHNAME', 'pg_guira_from_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE CAST (bytea AS guira) WITH FUNCTION guira(bytea);
CREATE CAST (guira AS bytea) WITHOUT FUNCTION;

-- ------------------------------------------------------------------------------------------------------------ lookups

CREATE FUNCTION guira_contains(filter guira, value anyelement) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pg_guira_contains' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2;
CREATE FUNCTION guira_contains(filter guira, value text) RETURNS boolean -- for literals, which have no type of their own
    AS 'MODULE_PATHNAME', 'pg_guira_contains' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2;

CREATE FUNCTION guira_sel(internal, oid, internal, integer) RETURNS float8
    AS 'MODULE_PATHNAME', 'pg_guira_sel' LANGUAGE C STABLE STRICT PARALLEL SAFE;

CREATE OPERATOR @> (LEFTARG = guira, RIGHTARG = anyelement, FUNCTION = guira_contains, RESTRICT = guira_sel);
CREATE OPERATOR @> (LEFTARG = guira, RIGHTARG = text, FUNCTION = guira_contains, RESTRICT = guira_sel);

-- ----------------------------------------------------------------------------------------------------------- functions

CREATE FUNCTION guira_union(guira, guira) RETURNS guira
    AS 'MODULE_PATHNAME', 'pg_guira_union' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
CREATE FUNCTION guira_add(filter guira, value anyelement) RETURNS guira
    AS 'MODULE_PATHNAME', 'pg_guira_add' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
CREATE FUNCTION guira_add(filter guira, value text) RETURNS guira
    AS 'MODULE_PATHNAME', 'pg_guira_add' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
CREATE FUNCTION guira_stats(filter guira, OUT kind text, OUT items bigint, OUT bytes bigint, OUT slot_bits integer,
        OUT load float8, OUT fpr float8, OUT fpr_kept float8)
    AS 'MODULE_PATHNAME', 'pg_guira_stats' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

-- ---------------------------------------------------------------------------------------------------------- aggregates
-- The state is a filter in memory. Workers send theirs as bytes, and the leader unites them.

CREATE FUNCTION guira_agg_step(internal, anyelement) RETURNS internal
    AS 'MODULE_PATHNAME', 'pg_guira_agg_step' LANGUAGE C STABLE PARALLEL SAFE;
CREATE FUNCTION guira_agg_step(internal, anyelement, rate float8) RETURNS internal
    AS 'MODULE_PATHNAME', 'pg_guira_agg_step' LANGUAGE C STABLE PARALLEL SAFE;
CREATE FUNCTION guira_agg_step(internal, anyelement, rate float8, items bigint) RETURNS internal
    AS 'MODULE_PATHNAME', 'pg_guira_agg_step' LANGUAGE C STABLE PARALLEL SAFE;
CREATE FUNCTION guira_union_step(internal, guira) RETURNS internal
    AS 'MODULE_PATHNAME', 'pg_guira_union_step' LANGUAGE C STABLE PARALLEL SAFE;
CREATE FUNCTION guira_agg_combine(internal, internal) RETURNS internal
    AS 'MODULE_PATHNAME', 'pg_guira_agg_combine' LANGUAGE C STABLE PARALLEL SAFE;
CREATE FUNCTION guira_agg_serialize(internal) RETURNS bytea
    AS 'MODULE_PATHNAME', 'pg_guira_agg_serialize' LANGUAGE C STABLE STRICT PARALLEL SAFE;
CREATE FUNCTION guira_agg_deserialize(bytea, internal) RETURNS internal
    AS 'MODULE_PATHNAME', 'pg_guira_agg_deserialize' LANGUAGE C STABLE STRICT PARALLEL SAFE;
CREATE FUNCTION guira_agg_final(internal) RETURNS guira
    AS 'MODULE_PATHNAME', 'pg_guira_agg_final' LANGUAGE C STABLE PARALLEL SAFE;

CREATE AGGREGATE guira_agg(anyelement) (
    SFUNC = guira_agg_step, STYPE = internal, FINALFUNC = guira_agg_final, COMBINEFUNC = guira_agg_combine,
    SERIALFUNC = guira_agg_serialize, DESERIALFUNC = guira_agg_deserialize, PARALLEL = SAFE);
CREATE AGGREGATE guira_agg(anyelement, rate float8) (
    SFUNC = guira_agg_step, STYPE = internal, FINALFUNC = guira_agg_final, COMBINEFUNC = guira_agg_combine,
    SERIALFUNC = guira_agg_serialize, DESERIALFUNC = guira_agg_deserialize, PARALLEL = SAFE);
CREATE AGGREGATE guira_agg(anyelement, rate float8, items bigint) (
    SFUNC = guira_agg_step, STYPE = internal, FINALFUNC = guira_agg_final, COMBINEFUNC = guira_agg_combine,
    SERIALFUNC = guira_agg_serialize, DESERIALFUNC = guira_agg_deserialize, PARALLEL = SAFE);
CREATE AGGREGATE guira_union_agg(guira) (
    SFUNC = guira_union_step, STYPE = internal, FINALFUNC = guira_agg_final, COMBINEFUNC = guira_agg_combine,
    SERIALFUNC = guira_agg_serialize, DESERIALFUNC = guira_agg_deserialize, PARALLEL = SAFE);
