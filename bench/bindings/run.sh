#!/bin/sh
# Runs the comparison of each language that can be had here, and writes its table to build/bindings/LANGUAGE.md. Peers come
# from their registries, into build/bindings; nothing of this is needed by "make test". One part per language: a script
# bench/bindings/LANGUAGE.sh, which prints the table.
set -eu

cd "$(dirname "$0")/../.."
mkdir -p build/bindings
for part in ${PARTS:-bench/bindings/*.sh}; do
    language=$(basename "$part" .sh)
    [ "$language" != run ] || continue
    if sh "$part" >"build/bindings/$language.part"; then
        mv "build/bindings/$language.part" "build/bindings/$language.md"
        cat "build/bindings/$language.md"
    else
        echo "bench-bindings: $language was skipped: see the messages above" >&2
    fi
done
echo "build/bindings has the tables. docs/bindings.md shows them."
