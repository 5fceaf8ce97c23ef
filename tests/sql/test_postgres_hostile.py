"""The extension for PostgreSQL gets mutated filters as bytea and in the binary format of COPY: each is an error or a filter that
works, and no backend crashes, not even where its address space is limited. Run by with_server.sh.

environment: GUIRA_SEED (to repeat a run), GUIRA_QUICK
"""
import os
import random
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "redis"))
import mutate  # noqa: E402

COUNT = 300 if os.environ.get("GUIRA_QUICK") == "1" else 4000

# Uses a mutant in every way. 22P03: not a filter, or corrupt. 22023: another seed. 0A000: not a tidal filter. 53200: no
# memory. Everything else is a bug.
USE = """
CREATE FUNCTION try(query text, mutant bytea, original bytea) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE query USING mutant, original;
    RETURN true;
EXCEPTION WHEN invalid_binary_representation OR invalid_parameter_value OR feature_not_supported OR out_of_memory THEN
    RETURN false;
END $$;
SELECT count(*), sum((try('SELECT $1::guira @> 5', mutant, original))::int),
    sum((try('SELECT guira_stats($1::guira)', mutant, original))::int),
    sum((try('SELECT guira_in(byteaout($1))', mutant, original))::int),
    sum((try('SELECT count(*) FILTER (WHERE f @> x) FROM generate_series(1, 100) AS x, (SELECT $1::guira AS f) AS s', mutant, original))::int),
    sum((try('SELECT guira_add($1::guira, 7)', mutant, original))::int),
    sum((try('SELECT guira_union($1::guira, $2::guira)', mutant, original))::int),
    sum((try('SELECT guira_union_agg(f) FROM (SELECT $2::guira AS f UNION ALL SELECT $1::guira) AS s', mutant, original))::int)
FROM mutants;
"""


def psql(commands, quiet=False):
    done = subprocess.run(["psql", "-XqAt", "-v", "ON_ERROR_STOP=1"], input=commands, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL if quiet else None, check=False)
    assert done.returncode == 0, "psql failed"
    return done.stdout.split()


def originals():
    """Filters with and without elders, of several sizes and rates."""
    return [bytes.fromhex(psql(f"SELECT encode(guira_agg(x, {rate})::bytea, 'hex') FROM generate_series(1, {items}) AS x")[0])
            for items, rate in ((0, "NULL"), (1, "NULL"), (10, 0.01), (300, "NULL"), (2000, "NULL"), (5000, 0.02), (500, 1e-6))]


def copied(directory, number, length, data):
    """A file in COPY's binary format with one value, which says that it has so many bytes."""
    path = os.path.join(directory, f"{number}.copy")
    with open(path, "wb") as file:
        file.write(b"PGCOPY\n\xff\r\n\0" + struct.pack(">iihi", 0, 0, 1, length) + data + struct.pack(">h", -1))
    return path


def binary_input(pairs):
    """How many of these are accepted from COPY: guira_recv reads them. Lengths may be wrong, too."""
    good = pairs[0][0]
    lengths = [(0, b""), (-2, good), (1, good), (len(good) - 1, good), (len(good) + 1, good), (2**31 - 1, good)]
    cases = [(len(mutant), mutant) for _, mutant in pairs] + lengths + [(len(good), good), (-1, b"")]
    with tempfile.TemporaryDirectory() as directory:
        commands = "CREATE TABLE received (f guira);\n\\set ON_ERROR_STOP off\n" + "".join(
            f"\\copy received FROM '{copied(directory, i, *case)}' (FORMAT binary)\n" for i, case in enumerate(cases))
        return int(psql(commands + "SELECT count(*) FROM received WHERE (f @> 5) IS NULL OR (guira_stats(f)).items >= 0", True)[-1])


# Aggregates as window functions ask for the result after every row; a query that is cancelled frees what it has.
OTHER_WAYS = """
SELECT count(*) FROM (SELECT guira_agg(x) OVER (ORDER BY x) AS f, x FROM generate_series(1, 300) AS x) AS s WHERE f @> x;
SELECT count(*) FROM (SELECT guira_union_agg(f) OVER (ORDER BY x ROWS 2 PRECEDING) AS f, x
    FROM (SELECT x, guira_agg(x) AS f FROM generate_series(1, 100) AS x GROUP BY x) AS s) AS t WHERE f @> x;
SELECT count(*) FROM (SELECT guira_agg(x) AS f, x % 7 AS g FROM generate_series(1, 70) AS x GROUP BY ROLLUP (x % 7)) AS s
    WHERE f @> coalesce(g, 7);
SELECT count(*) FROM (SELECT guira_agg(DISTINCT x % 5 ORDER BY x % 5) FILTER (WHERE x > 3) AS f FROM generate_series(1, 70) AS x)
    AS s WHERE f @> 4;
"""
CANCELLED = """
SET statement_timeout = 20;
\set ON_ERROR_STOP off
SELECT guira_agg(x) FROM generate_series(1, 1000000000) AS x;
\echo :SQLSTATE
SELECT guira_union_agg(f) FROM (SELECT guira_agg(x) AS f FROM generate_series(1, 10) AS x) AS s, generate_series(1, 100000000);
\echo :SQLSTATE
SELECT count(*) FROM (SELECT guira_agg(x) AS f FROM generate_series(1, 10) AS x) AS s, generate_series(1, 1000000000) AS y WHERE f @> y;
\echo :SQLSTATE
"""


def status_of(pid, field):
    with open(f"/proc/{pid}/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith(field))


def limited(kilobytes):
    """SQLSTATE of an aggregate in a backend that may have so many kilobytes more than it has; '00000': none."""
    with subprocess.Popen(["psql", "-XqAt"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                          stderr=subprocess.DEVNULL) as client:
        client.stdin.write("SELECT pg_backend_pid() FROM (SELECT guira_agg(1) AS f) AS loads_it WHERE f @> 1;\n")
        client.stdin.flush()
        pid = client.stdout.readline().strip()
        assert status_of(pid, "VmStk:") >= 512, "the stack may have to grow when there is no memory"
        limit = (status_of(pid, "VmSize:") + kilobytes) * 1024
        owner = os.stat(f"/proc/{pid}")  # root may not do it in every container
        subprocess.run(["prlimit", f"--pid={pid}", f"--as={limit}"], check=True, user=owner.st_uid, group=owner.st_gid)
        query = "SELECT guira_agg(x) IS NULL FROM generate_series(1, 300000) AS x;\n\\echo :SQLSTATE\n"
        return client.communicate(query)[0].split()[-1]


def main():
    seed = int(os.environ.get("GUIRA_SEED", random.SystemRandom().getrandbits(32)))
    print(f"GUIRA_SEED={seed}", flush=True)
    rng = random.Random(seed)
    psql("CREATE EXTENSION guira; CREATE TABLE mutants (original bytea, mutant bytea)")
    filters = originals()
    pairs = [(original, mutate.mutate(rng, original, 0)) for original in rng.choices(filters, k=COUNT)]
    psql("COPY mutants FROM stdin;\n" + "".join(f"\\\\x{a.hex()}\t\\\\x{b.hex()}\n" for a, b in pairs) + "\\.\n")
    total, *worked = map(int, psql(USE)[0].split("|"))
    print(f"{total} mutants, {worked[0]} of them are filters")
    assert total == COUNT and len(set(worked[:5])) == 1, worked  # the type accepts it always or never
    assert 0 < worked[0] < COUNT, worked
    some = pairs[:100]
    accepted = binary_input(some)
    texts = ", ".join(f"('\\x{mutant.hex()}'::bytea)" for _, mutant in some)
    expected = int(psql(f"SELECT count(*) FROM (VALUES {texts}) AS v (m) WHERE try('SELECT $1::guira @> 5', m, m)")[0])
    assert accepted == expected + 2, (accepted, expected)  # a filter and NULL
    counts = psql(OTHER_WAYS)  # of the groups of ROLLUP, the one of 0 has no 0
    assert counts == ["300", "100", "7", "1"], counts
    assert psql(CANCELLED, True) == ["57014"] * 3, "not cancelled"
    states = [limited(kilobytes) for kilobytes in (0, 1000, 3000, 5000, 6000, 7000, 1 << 20)]
    assert set(states[:-1]) <= {"53200", "00000"} and (states[0], states[-1]) == ("53200", "00000"), states


if __name__ == "__main__":
    main()
