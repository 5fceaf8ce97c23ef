"""The extension for PostgreSQL gets mutated filters as bytea: each is an error or a filter that works, and no backend crashes,
not even where its address space is limited. Run by with_server.sh.

environment: GUIRA_SEED (to repeat a run), GUIRA_QUICK
"""
import os
import random
import subprocess
import sys

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


def psql(commands):
    done = subprocess.run(["psql", "-XqAt", "-v", "ON_ERROR_STOP=1"], input=commands, text=True, stdout=subprocess.PIPE,
                          check=False)
    assert done.returncode == 0, "psql failed"
    return done.stdout.split()


def originals():
    """Filters with and without elders, of several sizes and rates."""
    return [bytes.fromhex(psql(f"SELECT encode(guira_agg(x, {rate})::bytea, 'hex') FROM generate_series(1, {items}) AS x")[0])
            for items, rate in ((0, "NULL"), (1, "NULL"), (10, 0.01), (300, "NULL"), (2000, "NULL"), (5000, 0.02), (500, 1e-6))]


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
    states = [limited(kilobytes) for kilobytes in (0, 1000, 3000, 5000, 6000, 7000, 1 << 20)]
    assert set(states[:-1]) <= {"53200", "00000"} and (states[0], states[-1]) == ("53200", "00000"), states


if __name__ == "__main__":
    main()
