#!/bin/sh
# Installs the Debian 12 packages that are missing to build and test guira. Prints nothing when all are installed.
# usage: deps.sh [build] [test] [lab] [redis] [deb]        (no argument: all groups except deb)
#
# Before it installs, it prints one line with the packages. With NO_INSTALL=1 in the environment it installs nothing: it
# prints one line with the missing packages and the command that installs them, and exits with status 1, or with 0 if the
# build can do without them.
set -eu

build_packages="gcc libc6-dev make cmake pkg-config libxxhash-dev liburcu-dev libhiredis-dev libjson-c-dev zlib1g-dev libzstd-dev scdoc"
test_packages="libcmocka-dev libsqlite3-dev clang clang-format clang-tidy cppcheck libclang-rt-14-dev binutils prometheus locales zsh time zstd"
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
        # Any node and npm will do: packages of node from other sources contain npm and conflict with Debian's.
        command -v node >/dev/null || packages="$packages nodejs"
        command -v npm >/dev/null || packages="$packages npm"
        ;;
    deb) packages="$packages $deb_packages" tools="$tools $deb_tools" ;;
    *) echo "deps.sh: unknown group '$group' (build, test, lab, redis, deb)" >&2 && exit 1 ;;
    esac
done

# On systems without apt-get, name the missing tools. CMake names missing headers and libraries.
if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    absent=
    for t in $tools; do
        command -v "$t" >/dev/null || absent="$absent $t"
    done
    [ -n "$absent" ] || exit 0
    echo "deps.sh: missing tools:$absent; there is no apt-get here" >&2
    echo "deps.sh: please install your system's equivalent of these Debian packages:$packages" >&2
    exit 1
fi

missing=
for p in $packages; do
    case $(dpkg-query -W -f '${db:Status-Status}' "$p" 2>/dev/null || true) in
    installed*) ;;
    *)
        case "$missing " in
        *" $p "*) ;; # two groups name the same package
        *) missing="$missing $p" ;;
        esac
        ;;
    esac
done
[ -n "$missing" ] || exit 0

# Without these the build leaves something out, and says so: guira_shared, the tool's Redis commands, JSON
# keys and compressed input, the manual pages.
required=
for p in $missing; do
    case " liburcu-dev libhiredis-dev libjson-c-dev zlib1g-dev libzstd-dev scdoc " in
    *" $p "*) ;;
    *) required="$required $p" ;;
    esac
done

give_up() { # REASON
    if [ -z "$required" ]; then
        echo "guira: building without what needs these packages:$missing ($1)" >&2
        exit 0
    fi
    echo "guira: missing packages:$missing ($1); as root, run: apt-get update && apt-get install -y --no-install-recommends$missing" >&2
    exit 1
}

[ "${NO_INSTALL:-0}" = 0 ] || give_up "NO_INSTALL is set"
as_root=
if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || give_up "not root, and there is no sudo"
    as_root=sudo
fi

echo "guira: installing with apt-get:$missing (set NO_INSTALL=1 to forbid this)"
apt() { # prints the output of apt-get only if it fails
    output=$($as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0 "$@" 2>&1) ||
        { echo "$output" >&2 && exit 1; }
}
apt update

# We need the programs of these packages, not their services: the services must not start, neither now nor at the next
# boot. Debian asks policy-rc.d whether a newly installed service may start (101: no). Containers often have this file.
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
