#!/bin/sh
# Runs a program with the port of a redis-server of its own on 127.0.0.1, which is stopped afterwards.
# usage: with_redis.sh PROGRAM
set -eu
directory=$(mktemp -d)
server=
stop() {
    [ -z "$server" ] || { kill "$server" 2>/dev/null && wait "$server" || true; }
    rm -rf "$directory"
}
trap stop EXIT

# A port that another program has makes the server end at once: try the next one. Linux gives those from 32768 on to connections,
# and tests/redis uses those below 32000.
port=$((32000 + $$ % 600))
while [ "$port" -lt 32768 ]; do
    redis-server --port "$port" --bind 127.0.0.1 --save '' --dir "$directory" >"$directory/log" 2>&1 &
    server=$!
    while kill -0 "$server" 2>/dev/null; do
        # Another server may answer at this port; ours has this directory.
        if [ "$(redis-cli -p "$port" CONFIG GET dir 2>/dev/null | tail -n 1)" = "$directory" ]; then
            "$1" "$port"
            exit
        fi
        sleep 0.1
    done
    wait "$server" || true
    server=
    port=$((port + 1))
done
echo "with_redis.sh: redis-server does not start: $(tail -n 1 "$directory/log")" >&2
exit 1
