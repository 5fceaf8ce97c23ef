#!/bin/sh
# Installs what is missing to build and test guira, on Debian 12. Silent when nothing is.
# usage: deps.sh [build] [test] [lab] [redis] [deb]        (no argument: all but deb)
set -eu

build_packages="gcc libc6-dev make cmake pkg-config libxxhash-dev liburcu-dev libhiredis-dev scdoc"
test_packages="libcmocka-dev clang clang-format clang-tidy cppcheck libclang-rt-14-dev binutils prometheus locales zsh time"
lab_packages="python3 gnuplot-nox"
redis_packages="redis-server python3 python3-redis libxxhash0" # for the tests of the module
deb_packages="dpkg-dev debhelper lintian fakeroot redis-server"
build_tools="cc make cmake pkg-config"
lab_tools="python3 gnuplot"
deb_tools="dpkg-buildpackage dh lintian redis-server"
test_tools="readelf nm promtool localedef" # the linters are needed by "make lint" and "make fmt" only
redis_tools="redis-server python3 node npm"

packages=
tools=
[ $# -gt 0 ] || set -- build test lab redis
for group in "$@"; do
    case $group in
    build) packages="$packages $build_packages" tools="$tools $build_tools" ;;
    test) packages="$packages $test_packages" tools="$tools $test_tools" ;;
    lab) packages="$packages $lab_packages" tools="$tools $lab_tools" ;;
    redis)
        packages="$packages $redis_packages" tools="$tools $redis_tools"
        # The commands count, not Debian's packages of them: other packages of node have npm in them, and conflict.
        command -v node >/dev/null || packages="$packages nodejs"
        command -v npm >/dev/null || packages="$packages npm"
        ;;
    deb) packages="$packages $deb_packages" tools="$tools $deb_tools" ;;
    *) echo "deps.sh: unknown group '$group' (build, test, lab, redis, deb)" >&2 && exit 1 ;;
    esac
done

# Not Debian: say what is needed if a tool is missing. CMake names missing headers and libraries.
if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    absent=
    for t in $tools; do
        command -v "$t" >/dev/null || absent="$absent $t"
    done
    [ -n "$absent" ] || exit 0
    echo "deps.sh: no apt-get here, and these tools are missing:$absent" >&2
    echo "deps.sh: please install what your system calls (Debian names):$packages" >&2
    exit 1
fi

missing=
for p in $packages; do
    case $(dpkg-query -W -f '${db:Status-Status}' "$p" 2>/dev/null || true) in
    installed*) ;;
    *) missing="$missing $p" ;;
    esac
done
[ -n "$missing" ] || exit 0

as_root=
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
        echo "deps.sh: packages are missing; as root, run:" >&2
        echo "    apt-get update && apt-get install -y --no-install-recommends$missing" >&2
        exit 1
    fi
    as_root=sudo
fi

echo "deps.sh: installing$missing"
apt() { # says nothing unless it fails
    said=$($as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0 "$@" 2>&1) ||
        { echo "$said" >&2 && exit 1; }
}
apt update

# Of these we want the programs and not the services, neither now nor after the next start of the machine. Whether
# services start when they are installed is for this file to say; containers often have one that says no already.
policy=/usr/sbin/policy-rc.d
for service in prometheus redis-server; do
    case "$missing " in
    *" $service "*) ;;
    *) continue ;;
    esac
    if [ ! -e $policy ]; then
        trap '$as_root rm -f $policy' EXIT
        trap 'exit 1' HUP INT TERM
        printf '#!/bin/sh\nexit 101\n' | $as_root tee $policy >/dev/null
        $as_root chmod 755 $policy
    fi
    apt install -y --no-install-recommends "$service"
    $as_root update-rc.d "$service" disable
done
# shellcheck disable=SC2086
apt install -y --no-install-recommends $missing
