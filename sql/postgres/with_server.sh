#!/bin/sh
# Runs a command beside a PostgreSQL server of its own, which has the extension, and stops the server afterwards. Nothing is
# installed: the server runs from a copy of its programs in a temporary directory, together with the files of the extension
# (PostgreSQL finds its files relative to its programs). It is reached through a socket in that directory only.
#
# usage: with_server.sh FILES COMMAND [ARGUMENT]...
#     FILES: a directory with guira.so, guira.control and guira--*.sql
#
# The command finds the server by PGHOST and PGUSER, its log by GUIRA_PG_LOG, and a client in PATH. The exit status is that of the
# command, or 1 if the server has crashed meanwhile. PG_CONFIG chooses the version, PG_OPTIONS has options of the server.
set -eu

files=$(realpath "$1")
shift
pg_config=${PG_CONFIG:-/usr/lib/postgresql/15/bin/pg_config}
bin=$($pg_config --bindir)
share=$($pg_config --sharedir)
lib=$($pg_config --pkglibdir)

dir=$(mktemp -d)
server=
stop() {
    if [ -n "$server" ] && kill -INT "$server" 2>/dev/null; then
        (sleep 60 && kill -KILL "$server") >/dev/null 2>&1 & # only if it does not stop by itself
        patience=$!
        wait "$server" || true
        kill "$patience" 2>/dev/null || true
    fi
    rm -rf "$dir"
}
trap stop EXIT
trap 'exit 1' HUP INT TERM

# PostgreSQL refuses to run as root.
as_user=
if [ "$(id -u)" = 0 ]; then
    user=$(id -u postgres 2>/dev/null || id -u nobody)
    as_user="setpriv --reuid=$user --regid=$(id -g "$user") --clear-groups"
fi

for part in "$share" "$lib"; do
    mkdir -p "$dir/root$(dirname "$part")"
    cp -rs "$part" "$dir/root$part"
done
mkdir -p "$dir/root$bin"
cp "$bin/postgres" "$bin/initdb" "$dir/root$bin"
rm -f "$dir/root$lib/guira.so" "$dir/root$share"/extension/guira[-.]* # an installed one
cp "$files/guira.so" "$dir/root$lib"
cp "$files/guira.control" "$files"/guira--*.sql "$dir/root$share/extension"
[ -z "$as_user" ] || chown -R "$user" "$dir"
chmod 755 "$dir"

cd "$dir" # initdb wants a directory that its user can enter
# shellcheck disable=SC2086
$as_user "$dir/root$bin/initdb" -D "$dir/data" -U postgres -A trust -E UTF8 --locale=C.UTF-8 --no-sync >"$dir/log" 2>&1 ||
    { cat "$dir/log" >&2 && exit 1; }
# shellcheck disable=SC2086
$as_user "$dir/root$bin/postgres" -D "$dir/data" -c listen_addresses= \
    -c unix_socket_directories="$dir" -c fsync=off -c log_min_messages=warning ${PG_OPTIONS-} >"$dir/log" 2>&1 &
server=$!
cd - >/dev/null

export PGHOST="$dir" PGUSER=postgres PGDATABASE=postgres PATH="$bin:$PATH" GUIRA_PG_LOG="$dir/log"
unset PGPORT PGOPTIONS PGSERVICE
tries=0
until psql -Xqtc 'SELECT 1' >/dev/null 2>&1; do
    tries=$((tries + 1))
    if [ $tries -gt 600 ] || ! kill -0 "$server" 2>/dev/null; then
        cat "$dir/log" >&2
        echo "with_server.sh: the server does not start" >&2
        exit 1
    fi
    sleep 0.1
done

status=0
"$@" || status=$?
if grep -E 'PANIC|terminated by signal' "$dir/log" >&2; then
    echo "with_server.sh: the server has crashed" >&2
    status=1
fi
exit $status
