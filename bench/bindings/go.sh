#!/bin/sh
# Go: guira beside seiflotfy/cuckoofilter and bits-and-blooms/bloom, and the built-in map, in one process.
set -eu

peers=build/bindings/go-peers
[ -e build/release/src/libguira.so ] || make -s all >&2
top=$(pwd)
mkdir -p $peers
cp bench/bindings/go_peers.go $peers/main.go
cd $peers
cat >guira.pc <<END
Name: guira
Description: the library of build/release
Version: 0
Libs: -L$top/build/release/src -lguira -Wl,-rpath,$top/build/release/src
Cflags: -I$top/include
END
export PKG_CONFIG_PATH="$PWD"
[ -e go.mod ] || go mod init peers 2>/dev/null
go mod edit -require guira@v0.0.0 -replace guira="$top/bindings/go"
go get github.com/seiflotfy/cuckoofilter github.com/bits-and-blooms/bloom/v3 >&2
go build -o peers .
exec ./peers "$@"
