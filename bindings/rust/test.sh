#!/bin/sh
# Tests the crates with the library of a build directory: tests, and the examples of the documentation, of which some must not
# compile.
#
# usage: test.sh BUILD_DIRECTORY
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
export GUIRA_LIB_DIR="$build/src" LD_LIBRARY_PATH="$build/src${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
export CARGO_TARGET_DIR="$build/rust" CARGO_NET_OFFLINE=true
cd "$here"
cargo test --quiet --workspace
cargo run --quiet -p guira --example hello
