#!/bin/sh
# Node: guira beside bloom-filters and cuckoo-filter from npm, and the built-in Set, in one process. Before that, tsc from npm
# checks the types of the package.
set -eu

peers=build/bindings/node-peers
[ -e build/node/index.mjs ] || make -s node >&2
mkdir -p $peers
cp bench/bindings/node_peers.mjs bindings/node/types.ts $peers
cd $peers
[ -e package.json ] || echo '{"private": true}' >package.json
# cuckoo-filter does not name cbor-js, which it needs.
npm install --no-audit --no-fund --loglevel=error bloom-filters@3 cuckoo-filter@1 cbor-js typescript@5 @types/node@20 >&2
ln -sfn ../../../node node_modules/guira
node_modules/.bin/tsc --noEmit --strict --target es2022 --module nodenext --types node types.ts >&2
node --expose-gc node_peers.mjs "$@"
