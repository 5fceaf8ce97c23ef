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
# All with the same options: Go compiles its standard library anew for each set of them.
race=-race
go build -race . 2>/dev/null || { race= && echo "this Go has no race detector: tests run without it"; }
go vet $race ./...
go test $race -count=1 -v -fuzz FuzzUnmarshal -fuzztime 2000x .
