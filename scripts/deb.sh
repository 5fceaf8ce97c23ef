#!/bin/sh
# Builds the Debian packages libguira0, libguira-dev, guira, guira-redis, python3-guira, sqlite3-guira and postgresql-15-guira
# into build/deb, and tests them: lintian must report nothing, and with the packaged files (unpacked here, not installed) the
# examples must build and run, the command-line tool must run, and Python, the sqlite3 shell and servers of Redis and PostgreSQL
# must load their extensions.
# usage: deb.sh
set -eu
cd "$(dirname "$0")/.."

fail() {
    echo "deb.sh: $*" >&2
    exit 1
}

version=$(cat VERSION)
[ "$(dpkg-parsechangelog -S Version)" = "$version" ] || fail "debian/changelog and VERSION disagree"

# Build in a copy, so that no files are written to the source tree.
out=$PWD/build/deb
rm -rf "$out"
mkdir -p "$out/guira-$version"
tar -c --exclude=./build --exclude=./.git . | tar -x -C "$out/guira-$version"
(cd "$out/guira-$version" && dpkg-buildpackage -b -us -uc -j"$(nproc)") >"$out/log" 2>&1 || { tail -50 "$out/log" >&2; exit 1; }
rm -rf "$out/guira-$version"

cd "$out"
lintian --fail-on error,warning --suppress-tags initial-upload-closes-no-bugs guira_"$version"_*.changes

# Test the packaged files without installing them.
for package in libguira0 libguira-dev guira guira-redis python3-guira sqlite3-guira postgresql-15-guira; do
    dpkg-deb -x "$package"_*.deb root
done
libdir=$(dirname "$(find root -name libguira.a)")
export LD_LIBRARY_PATH="$PWD/$libdir" PKG_CONFIG_PATH="$PWD/$libdir/pkgconfig"
[ "$(printf 'a\nb\na\n' | root/usr/bin/guira uniq | tr '\n' ' ')" = "a b " ] || fail "guira uniq fails"
for page in man1/guira.1.gz man3/guira.3.gz; do gzip -t "root/usr/share/man/$page"; done
for example in root/usr/share/doc/libguira-dev/examples/*; do
    case $example in
    *.gz) gzip -d "$example" && example=${example%.gz} ;;
    esac
    # shellcheck disable=SC2046
    cc "$example" -o example $(pkg-config --cflags --libs guira hiredis sqlite3) -lm
    case $example in
    *_redis.c) ../../examples/with_redis.sh ./example ;;
    *) ./example ;;
    esac >/dev/null || fail "$example fails"
done

PYTHONPATH=root/usr/lib/python3/dist-packages /usr/bin/python3 -B -c '
import guira, importlib.metadata
assert guira.__file__.startswith("'"$PWD"'/root/"), guira.__file__
assert guira.has_shared and importlib.metadata.version("guira") == guira.__version__
f = guira.Filter(["ana"])
assert "ana" in f and "bob" not in f' || fail "the package for Python fails"

[ "$(sqlite3 -cmd ".load $libdir/sqlite3/guira" :memory: "SELECT guira_has(guira(7), 7)")" = 1 ] || fail "the extension for SQLite fails"
mkdir extension
cp root/usr/lib/postgresql/15/lib/guira.so root/usr/share/postgresql/15/extension/guira* extension
[ "$(../../sql/postgres/with_server.sh extension psql -XqAt -c 'CREATE EXTENSION guira' -c 'SELECT guira_agg(7) @> 7')" = t ] ||
    fail "the extension for PostgreSQL fails"

# Test the module in a server started here, and the tool with it. If the port is taken, the server exits at once and the
# next port is tried.
server=
trap '[ -z "$server" ] || kill "$server"' EXIT
trap 'exit 1' HUP INT TERM

query() { redis-cli -p "$port" "$@" | tr -d '\r'; }

uniq_by_redis() { root/usr/bin/guira uniq --redis "redis://127.0.0.1:$port" seen | tr '\n' ' '; }

is_up() { # true when the server that answers is the one started here
    for _ in $(seq 100); do
        kill -0 "$server" 2>/dev/null || return 1
        ! query INFO server 2>/dev/null | grep -qx "process_id:$server" || return 0
        sleep 0.1
    done
    return 1
}

port=$((20000 + $$ % 10000))
for _ in $(seq 10); do
    redis-server --bind 127.0.0.1 --port "$port" --save '' --loadmodule "$PWD/$libdir/guira/guira.so" >redis.log &
    server=$!
    ! is_up || break
    kill "$server" 2>/dev/null || true
    server=
    port=$((port + 1))
done
[ -n "$server" ] || fail "guira.so: $(tail -3 redis.log)"
[ "$(query CF.ADD visitors ana) $(query CF.EXISTS visitors ana) $(query CF.EXISTS visitors bob)" = "1 1 0" ] || fail "CF.ADD fails"
[ "$(printf 'a\nb\na\n' | uniq_by_redis)$(printf 'b\nc\n' | uniq_by_redis)" = "a b c " ] || fail "guira uniq --redis fails"
query SHUTDOWN NOSAVE
wait "$server" || fail "redis-server failed at shutdown: $(tail -3 redis.log)"
server=
rm -rf root example extension redis.log
ls -l -- *.deb
