#!/bin/sh
# Puts the npm package together and compiles its addon. The headers of Node-API are those of the system, or npm's package
# node-api-headers. Without a compiler or headers the package uses WebAssembly, and build.mjs says so.
# usage: make.sh <directory of the WebAssembly build> <output directory>
set -eu
here=$(cd "$(dirname "$0")" && pwd)
top=$here/../..
wasm=$1
out=$2
mkdir -p "$out/src/node" "$out/src/js" "$out/src/include"
python3 "$top/scripts/amalgamate.py" "$out/src/include"
cp "$here/package.json" "$here/build.mjs" "$here/index.mjs" "$here/index.d.ts" "$top/LICENSE" "$out"
cp "$wasm/guira.mjs" "$wasm/core.mjs" "$wasm/guira.d.mts" "$wasm/guira-all.wasm" "$wasm/guira-all-simd.wasm" "$out"
cp "$here/addon.c" "$out/src/node"
cp "$here/../js/flat.h" "$out/src/js"
cp "$top/include/guira_window.h" "$out/src/include"
cd "$out"
if ! node build.mjs --find-headers && command -v npm >/dev/null; then
    npm install --ignore-scripts --no-audit --no-fund --loglevel=error >&2 || echo "guira: npm cannot install node-api-headers" >&2
fi
node build.mjs
