"""The extension for SQLite gets mutated filters: each is an error or a filter that works, and the process survives. Then
errors in the middle of aggregates, which must not leak.

environment: GUIRA_SQLITE (the extension), GUIRA_SEED (to repeat a run), GUIRA_QUICK
"""
import os
import random
import resource
import sqlite3
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "redis"))
import mutate  # noqa: E402

QUICK = os.environ.get("GUIRA_QUICK") == "1"
KNOWN = {"guira: these bytes are not a guira filter", "guira: the filter is corrupt",
         "guira: a union needs the same seed, and 12-bit slots in both filters or in none", "guira: a union needs tidal filters",
         "guira: this filter cannot do that", "guira: no filter can have so low a rate or so many items"}


def connect():
    db = sqlite3.connect(":memory:")
    db.enable_load_extension(True)
    db.load_extension(os.environ["GUIRA_SQLITE"].removesuffix(".so"))
    return db


def one(db, query, *arguments):
    return db.execute(query, arguments).fetchone()[0]


def originals(db):
    """Filters with and without elders, of several sizes and rates."""
    for items, rate in ((0, None), (1, None), (10, 0.01), (300, None), (3000, None), (20000, 0.02), (500, 1e-6)):
        yield one(db, "WITH RECURSIVE t(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM t LIMIT ?) SELECT guira(x, ?) "
                      "FROM t WHERE ? > 0", max(items, 1), rate, items)


def use(db, original, mutant):
    """Whether the mutant is a filter. An error must be one of ours."""
    good = None
    for query, arguments in (
            ("SELECT guira_info(?)", (mutant,)),
            ("SELECT guira_has(?, 5)", (mutant,)),
            ("SELECT count(*) FROM guira_each_missing(?, '[1, 2, 3, \"a\"]')", (mutant,)),
            ("SELECT guira_add(?, 'new')", (mutant,)),
            ("SELECT guira_union(?, ?)", (original, mutant)),
            ("SELECT guira_union(?, ?)", (mutant, original)),
            ("SELECT guira_union(f) FROM (SELECT ? AS f UNION ALL SELECT ?)", (original, mutant))):
        try:
            one(db, query, *arguments)
            good = True if good is None else good
        except (sqlite3.OperationalError, MemoryError) as error:
            text = str(error).replace("guira_each_missing: ", "guira: ")
            assert isinstance(error, MemoryError) or text in KNOWN, f"{query}: {error}"
            good = False if good is None else good
    return good


def test_mutants(seed):
    rng = random.Random(seed)
    db = connect()
    filters = list(originals(db))
    good = 0
    count = 300 if QUICK else 3000
    for _ in range(count):
        original = rng.choice(filters)
        mutant = mutate.mutate(rng, original, 0)
        good += use(db, original, mutant) and mutant != original
    print(f"{count} mutants, {good} of them are filters")
    assert one(db, "SELECT guira_has(?, 5)", filters[3]) == 1


def resident_kib():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * resource.getpagesize() // 1024


def test_errors_in_aggregates_do_not_leak():
    """Each round leaves a filter of about 100 KB in its middle: 300 of them would be 30 MB."""
    db = connect()
    db.execute("CREATE TABLE t AS WITH RECURSIVE t(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM t LIMIT 50000) SELECT x FROM t")

    def rounds(n):
        for _ in range(n):
            try:
                one(db, "SELECT guira(CASE WHEN x = 50000 THEN abs(-9223372036854775808) ELSE x END) FROM t")
                raise AssertionError("no error")
            except sqlite3.Error as error:
                assert "overflow" in str(error), error

    rounds(20)
    before = resident_kib()
    rounds(30 if QUICK else 300)
    grown = resident_kib() - before
    print(f"memory has grown by {grown} KiB")
    assert QUICK or grown < 8192, grown


if __name__ == "__main__":
    start = int(os.environ.get("GUIRA_SEED", random.SystemRandom().getrandbits(32)))
    print(f"GUIRA_SEED={start}", flush=True)
    test_mutants(start)
    test_errors_in_aggregates_do_not_leak()
