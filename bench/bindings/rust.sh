#!/bin/sh
# Rust: guira beside fastbloom and qfilter, and the built-in HashSet, in one process.
set -eu

peers=build/bindings/rust-peers
[ -e build/release/src/libguira.so ] || make -s all >&2
top=$(pwd)
mkdir -p $peers/src
cp bench/bindings/rust_peers.rs $peers/src/main.rs
cd $peers
[ -e Cargo.toml ] || cargo init --quiet --vcs none --name peers >&2
cp "$top/bench/bindings/rust_peers.rs" src/main.rs
cargo add --quiet guira --path "$top/bindings/rust/guira" >&2
cargo add --quiet fastbloom qfilter >&2
export GUIRA_LIB_DIR="$top/build/release/src" LD_LIBRARY_PATH="$top/build/release/src"
cargo build --quiet --release >&2
exec target/release/peers "$@"
