#!/bin/sh
# The amalgamation compiles without a warning, by each compiler there is, as C and as C++; it exports guira_* only; and the
# first example compiles with it. usage: compiles_test.sh SOURCE_DIR AMALGAMATION_DIR
set -eu

top=$1
made=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

for compiler in gcc clang g++ clang++; do
    if ! command -v $compiler >/dev/null; then
        echo "no $compiler: not tried"
        continue
    fi
    case $compiler in
    *++) language="-x c++ -std=c++17" ;;
    *) language="-std=c11" ;;
    esac
    for option in -UGUIRA_PORTABLE -DGUIRA_PORTABLE; do
        # shellcheck disable=SC2086
        $compiler $language -O1 -Wall -Wextra -Werror -fsyntax-only $option "$made/guira.c"
    done
    echo "$compiler $language: no warnings"
done

# That functions can be inlined into those for other instruction sets is found out only when code is made. clang takes half the
# time of gcc for it.
compiler=cc
command -v clang >/dev/null && compiler=clang
$compiler -std=c11 -O0 -c -o "$scratch/all.o" "$made/guira.c"
echo "$compiler: code for all instruction sets"

cc -O0 -DGUIRA_PORTABLE -DGUIRA_SMALL -fPIC -shared -o "$scratch/guira.so" "$made/guira.c" -lm
others=$(nm -D --defined-only "$scratch/guira.so" | awk '$3 !~ /^guira_[a-z]/ {print $3}')
[ -z "$others" ] || { echo "exports: $others" >&2 && exit 1; }

cc -I"$made" -o "$scratch/hello" "$top/examples/hello.c" "$scratch/guira.so" -lm
(cd "$scratch" && LD_LIBRARY_PATH=. ./hello)
