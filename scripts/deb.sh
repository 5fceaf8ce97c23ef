#!/bin/sh
# Builds the Debian packages libguira0, libguira-dev and guira into build/deb, and tries them: lintian finds no error, and
# what they install (unpacked here, not on the system) builds and runs the examples and runs the tool.
# usage: deb.sh
set -eu
cd "$(dirname "$0")/.."

version=$(cat VERSION)
[ "$(dpkg-parsechangelog -S Version)" = "$version" ] || { echo "deb.sh: debian/changelog has another version" >&2; exit 1; }

# From a copy, so that the tree stays clean.
out=$PWD/build/deb
rm -rf "$out"
mkdir -p "$out/guira-$version"
tar -c --exclude=./build --exclude=./.git . | tar -x -C "$out/guira-$version"
(cd "$out/guira-$version" && dpkg-buildpackage -b -us -uc -j"$(nproc)") >"$out/log" 2>&1 || { tail -50 "$out/log" >&2; exit 1; }
rm -rf "$out/guira-$version"

cd "$out"
lintian --fail-on error --suppress-tags initial-upload-closes-no-bugs guira_"$version"_*.changes

# The installed files, as far as they can be used without being installed.
for deb in libguira0_* libguira-dev_* guira_*.deb; do
    case $deb in *.deb) dpkg-deb -x "$deb" root ;; esac
done
libdir=$(dirname "$(find root -name libguira.a)")
export LD_LIBRARY_PATH="$PWD/$libdir" PKG_CONFIG_PATH="$PWD/$libdir/pkgconfig"
[ "$(printf 'a\nb\na\n' | root/usr/bin/guira uniq | tr '\n' ' ')" = "a b " ] || { echo "deb.sh: guira uniq fails" >&2; exit 1; }
for page in man1/guira.1.gz man3/guira.3.gz; do gzip -t "root/usr/share/man/$page"; done
for example in root/usr/share/doc/libguira-dev/examples/*; do
    case $example in
    *.gz) gzip -d "$example" && example=${example%.gz} ;;
    esac
    # shellcheck disable=SC2046
    cc "$example" -o example $(pkg-config --cflags --libs guira)
    ./example >/dev/null || { echo "deb.sh: $example fails" >&2; exit 1; }
done
rm -rf root example
ls -l -- *.deb
