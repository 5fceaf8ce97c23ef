#!/bin/sh
# Tests the Go package with the library of a build directory: gofmt, go vet, tests and examples with the race detector, and
# 2,000 inputs of the fuzzer.
#
# usage: test.sh BUILD_DIRECTORY
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
mkdir -p "$build/go"
cat >"$build/go/guira.pc" <<END
Name: guira
Description: the library in a build directory
Version: 0
Libs: -L$build/src -lguira -Wl,-rpath,$build/src
Cflags: -I$here/../../include
END
export PKG_CONFIG_PATH="$build/go" GOTOOLCHAIN=local GOPROXY=off
[ -n "${HOME:-}" ] || export GOCACHE="$work/cache"
cd "$here"
test -z "$(gofmt -l .)" || { echo "gofmt would change:" && gofmt -l . && exit 1; }
go vet ./...
if go test -race -c -o "$work/race" . 2>/dev/null; then
    "$work/race" -test.v
else
    echo "this Go has no race detector: tests run without it"
    go test -count=1 .
fi
go test -count=1 -run '^$' -fuzz FuzzUnmarshal -fuzztime 2000x .
