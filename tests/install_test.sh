#!/bin/sh
# Is what we install enough to build a program, by pkg-config and by CMake, static and shared?
# usage: install_test.sh <source dir> <build dir>      (environment: CC, CMAKE, EXTRA_CFLAGS)
set -eu

source=$1
build=$2
: "${CC:=cc}" "${CMAKE:=cmake}" "${EXTRA_CFLAGS:=}"
unset MAKEFLAGS MFLAGS MAKELEVEL CFLAGS LDFLAGS LD_LIBRARY_PATH DESTDIR

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM

fail() {
    echo "install_test: $*" >&2
    exit 1
}

needs_shared() {
    readelf -d "$1" | grep -q 'NEEDED.*\[libguira\.so'
}

# Installed under a staging directory, and used from there: nothing may depend on the final place.
DESTDIR=$tmp/stage "$CMAKE" --install "$build" --prefix /opt/guira >"$tmp/log" || fail "install: $(cat "$tmp/log")"
root=$tmp/stage/opt/guira
[ -f "$root/include/guira.h" ] || fail "no header"
[ -f "$root/share/guira/guira.rules.yml" ] || fail "no alert rules"
[ -f "$root/share/guira/dashboard.json" ] || fail "no dashboard"
libdir=$(dirname "$(find "$root" -name libguira.a)")
version=$(cat "$source/VERSION")

# The tool: it runs from where it is, with its manual and completions.
if [ -f "$root/bin/guira" ]; then
    [ "$("$root/bin/guira" --version)" = "guira $version" ] || fail "guira --version says something else"
    [ "$(printf 'a\nb\na\n' | "$root/bin/guira" uniq | tr '\n' ' ')" = "a b " ] || fail "guira uniq does something else"
    for file in man/man1/guira.1 man/man3/guira.3 bash-completion/completions/guira zsh/site-functions/_guira; do
        [ -s "$root/share/$file" ] || fail "no share/$file"
    done
fi

# The module: servers load none that is not executable, and may have no library but the C library's.
if [ -f "$build/module/guira.so" ]; then
    [ -x "$libdir/guira/guira.so" ] || fail "no executable $libdir/guira/guira.so"
    others=$(readelf -d "$libdir/guira/guira.so" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' | grep -Ev '^(lib[cm]|libasan|libubsan|ld-.*)\.so' || true)
    [ -z "$others" ] || fail "guira.so needs $others"
fi

# The shared library: its name, and that it exports the public functions and nothing else.
so=$libdir/libguira.so.$version
[ -f "$so" ] || fail "no $so"
readelf -d "$so" | grep -q 'SONAME.*\[libguira\.so\.'"${version%%.*}"'\]' || fail "wrong SONAME"
sed -n 's/^GUIRA_API .*[ *]\(guira_[a-z0-9_]*\)(.*/\1/p' "$root"/include/guira*.h | sort >"$tmp/declared"
nm -D --defined-only "$so" | awk '{ print $3 }' | sort >"$tmp/exported"
[ -s "$tmp/declared" ] || fail "no function found in the header"
diff "$tmp/declared" "$tmp/exported" || fail "declared (<) and exported (>) differ"

# C++: each header by itself, and functions whose names are not those of C++.
CXX=${CXX:-g++}
if command -v "$CXX" >/dev/null; then
    for header in "$root"/include/guira*.h; do
        name=$(basename "$header")
        printf '#include <%s>\n#include <%s>\n' "$name" "$name" >"$tmp/header.cc"
        "$CXX" -std=c++17 -Wall -Wextra -Werror -fsyntax-only -I"$root/include" "$tmp/header.cc" || fail "$name is not C++17"
    done
    cat >"$tmp/all.cc" <<EOF
#include <guira.h>
$([ ! -f "$root/include/guira_shared.h" ] || echo '#include <guira_shared.h>')
#include <guira_inline.h>
#include <guira_window.h>
int main() {
    guira_inline_table table = GUIRA_INLINE_TABLE_INIT;
    guira_stats stats = GUIRA_STATS_INIT;
    guira_file file = GUIRA_FILE_INIT;
    guira_window_config window = GUIRA_WINDOW_CONFIG_INIT;
    guira_config config;
    guira *f = nullptr;
    guira_config_init(&config);
    if (guira_create(&config, &f) != GUIRA_OK) return 1;
    bool done = guira_stats_get(f, &stats) == GUIRA_OK && guira_inline_table_get(f, &table) == GUIRA_OK &&
                !guira_inline_contains_hash(&table, 1) && file.size > 0 && window.size > 0;
    guira_destroy(f);
    return done ? 0 : 1;
}
EOF
    # The initializers set the first field alone, which -Wextra has something to say about in C++.
    "$CXX" -std=c++17 -Wall -Wextra -Wno-missing-field-initializers -Werror -I"$root/include" -c "$tmp/all.cc" \
        -o "$tmp/all.o" || fail "the initializers are not C++17"
    nm "$tmp/all.o" | grep -q ' U guira_create$' || fail "guira_create has a C++ name"
else
    echo "install_test: no C++ compiler, so the headers were not tried"
fi

# pkg-config.
export PKG_CONFIG_PATH="$libdir/pkgconfig"
[ "$(pkg-config --modversion guira)" = "$version" ] || fail "guira.pc has another version"
cp "$source/examples/hello.c" "$tmp/hello.c"
mkdir "$tmp/static"
cp "$libdir/libguira.a" "$tmp/static"
# shellcheck disable=SC2046,SC2086
$CC -std=c11 $EXTRA_CFLAGS "$tmp/hello.c" -o "$tmp/pc_shared" $(pkg-config --cflags --libs guira)
# The linker takes the first libguira it meets: here the one directory that has only the static one.
# shellcheck disable=SC2046,SC2086
$CC -std=c11 $EXTRA_CFLAGS "$tmp/hello.c" -o "$tmp/pc_static" -L"$tmp/static" \
    $(pkg-config --static --cflags --libs guira)
needs_shared "$tmp/pc_shared" || fail "pc_shared is not linked with the shared library"
if needs_shared "$tmp/pc_static"; then fail "pc_static is linked with the shared library"; fi
LD_LIBRARY_PATH=$libdir "$tmp/pc_shared"
"$tmp/pc_static"

# CMake.
cat >"$tmp/CMakeLists.txt" <<EOF
cmake_minimum_required(VERSION 3.25)
project(consumer LANGUAGES C)
find_package(guira ${version%.*} REQUIRED)
add_executable(cmake_shared hello.c)
target_link_libraries(cmake_shared PRIVATE guira::guira)
add_executable(cmake_static hello.c)
target_link_libraries(cmake_static PRIVATE guira::guira_static)
EOF
{
    "$CMAKE" -S "$tmp" -B "$tmp/out" -G "Unix Makefiles" -DCMAKE_C_COMPILER="$CC" -DCMAKE_C_FLAGS="$EXTRA_CFLAGS" \
        -DCMAKE_PREFIX_PATH="$root" && "$CMAKE" --build "$tmp/out"
} >"$tmp/log" 2>&1 || fail "consumer: $(cat "$tmp/log")"
needs_shared "$tmp/out/cmake_shared" || fail "cmake_shared is not linked with the shared library"
if needs_shared "$tmp/out/cmake_static"; then fail "cmake_static is linked with the shared library"; fi
"$tmp/out/cmake_shared"
"$tmp/out/cmake_static"
echo "install_test: all well"
