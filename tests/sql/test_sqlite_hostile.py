"""The extension for SQLite gets mutated filters and forged handles: each is an error or a filter that works, and the process
survives. Then limits, interrupts, too little memory, and errors in the middle of aggregates, which must not leak.

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


def refused(db, query, *arguments):
    """The text of the error; None: there was none."""
    try:
        db.execute(query, arguments).fetchall()
        return None
    except (sqlite3.Error, MemoryError) as error:
        return str(error) or type(error).__name__


def test_forged_handles(seed):
    """What guira_open returns names a filter of this connection. Every other name is an error."""
    rng = random.Random(seed)
    first, second = connect(), connect()
    f = one(first, "SELECT guira(5)")
    handle = one(first, "SELECT guira_open(?)", f)
    assert one(first, "SELECT guira_has(?, 5)", handle) == 1
    assert "no longer open" in refused(second, "SELECT guira_has(?, 5)", handle)
    for _ in range(2000):
        forged = bytearray(handle)
        for _ in range(rng.randint(1, 3)):
            forged[rng.randrange(len(forged))] = rng.choice((0, 1, 255, rng.randrange(256)))
        forged = bytes(forged[:rng.choice((len(forged), len(forged), rng.randrange(len(forged))))])
        if forged == handle:
            continue
        for query in ("SELECT guira_has(?, 5)", "SELECT guira_info(?)", "SELECT guira_open(?)", "SELECT guira_add(?, 1)",
                      "SELECT * FROM guira_each_missing(?, '[1]')"):
            text = refused(first, query, forged)
            assert text and ("no longer open" in text or "not a guira filter" in text), f"{query}: {text}"


def test_filters_of_equal_size_are_not_confused():
    """Rows whose filters have the same size follow each other, so that SQLite may put them at the same address."""
    db = connect()
    db.execute("CREATE TABLE f AS WITH RECURSIVE t(x) AS (SELECT 0 UNION ALL SELECT x + 1 FROM t LIMIT 6000) "
               "SELECT x / 200 AS g, guira(x, 1e-6) AS filter FROM t GROUP BY x / 200")
    assert one(db, "SELECT count(DISTINCT length(filter)) FROM f") < 5
    assert one(db, "SELECT sum(guira_has(filter, 200 * g + 7)) FROM f") == 30
    # The seed is always the same, so that 30 * 29 absent values give no false positive in every run, as they did once.
    assert one(db, "SELECT sum(guira_has(a.filter, 200 * b.g + 7)) FROM f AS a, f AS b") == 30
    db.execute("UPDATE f SET filter = guira_add(filter, -1)")
    assert one(db, "SELECT sum(guira_has(filter, -1)) FROM f") == 30


def test_texts_of_another_encoding():
    db, wide = connect(), sqlite3.connect(":memory:")
    wide.execute("PRAGMA encoding = 'UTF-16'")
    wide.enable_load_extension(True)
    wide.load_extension(os.environ["GUIRA_SQLITE"].removesuffix(".so"))
    words = ["ana", "Zoë", "\u65e5\u672c", "\U0001f600", ""]
    f = one(wide, "SELECT guira(value) FROM json_each(json_array(?, ?, ?, ?, ?))", *words)
    assert all(one(db, "SELECT guira_has(?, ?)", f, word) == 1 for word in words)
    assert one(wide, "SELECT count(*) FROM guira_each_missing(?, json_array(?, ?, ?, ?, ?))", f, *words) == 0


def test_results_beyond_the_limit_of_a_connection():
    db = connect()
    f = one(db, "WITH RECURSIVE t(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM t LIMIT 3000) SELECT guira(x) FROM t")
    db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 5000)
    big = "WITH RECURSIVE t(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM t LIMIT 3000) SELECT guira(x) FROM t"
    for text in (refused(db, big), refused(db, "SELECT guira(1, 0.01, 100000)"), refused(db, "SELECT guira_info(?)", f)):
        assert text is not None and "too big" in text, text
    assert one(db, "SELECT guira_has(guira(1), 1)") == 1


def test_interrupts():
    """Aggregates and guira_each_missing are stopped at some row; the connection works afterwards."""
    db = connect()
    rows = "WITH RECURSIVE t(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM t LIMIT 20000)"
    f = one(db, f"{rows} SELECT guira(x) FROM t")
    for steps in (10, 1000, 30000):
        for query, arguments in ((f"{rows} SELECT guira(x) FROM t", ()),
                                 (f"{rows} SELECT guira_union(f) FROM (SELECT guira(x) AS f FROM t GROUP BY x)", ()),
                                 (f"{rows} SELECT sum(guira_has(?, x)) FROM t", (f,))):
            db.set_progress_handler(lambda: 1, steps)
            text = refused(db, query, *arguments)
            assert text == "interrupted", (steps, query, text)
            db.set_progress_handler(None, 0)
    assert one(db, "SELECT guira_has(?, 7)", f) == 1


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


def test_too_little_memory():
    """SQLite refuses more and more memory. (Its limit can be lowered, not raised, so this test comes last.)"""
    db = connect()
    rows = "WITH RECURSIVE t(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM t LIMIT 20000)"
    f = one(db, f"{rows} SELECT guira(x) FROM t")
    used = 1 << 20
    failures = 0
    while failures < 20 and used > 10000:
        refused(db, f"PRAGMA hard_heap_limit = {used}")
        for query, arguments in ((f"{rows} SELECT guira(x) FROM t", ()), ("SELECT guira_add(?, 'a')", (f,)),
                                 ("SELECT guira_union(?, ?)", (f, f)), ("SELECT guira_has(?, 5)", (f,)),
                                 ("SELECT guira_info(?)", (f,)), ("SELECT guira_has(guira_open(?), 5)", (f,)),
                                 ("SELECT * FROM guira_each_missing(?, '[1, 2, -3, -4]')", (f,))):
            try:
                text = refused(db, query, *arguments)
                assert text is None or "memory" in text.lower(), f"{query} with {used} bytes: {text}"
                failures += text is not None
            except SystemError as error:  # Python's module has no memory for the text of the error
                assert "memory" in str(error).lower() or "NULL" in str(error), error
        used -= used // 8
    print(f"{failures} questions had too little memory")
    assert failures >= 20, failures


if __name__ == "__main__":
    start = int(os.environ.get("GUIRA_SEED", random.SystemRandom().getrandbits(32)))
    print(f"GUIRA_SEED={start}", flush=True)
    test_mutants(start)
    test_forged_handles(start)
    test_filters_of_equal_size_are_not_confused()
    test_texts_of_another_encoding()
    test_results_beyond_the_limit_of_a_connection()
    test_interrupts()
    test_errors_in_aggregates_do_not_leak()
    test_too_little_memory()
