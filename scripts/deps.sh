#!/bin/sh
# Installs the Debian 12 packages that are missing to build and test guira. Prints nothing when all are installed.
# usage: deps.sh [build] [test] [amalgamation] [python] [lab] [redis] [wasm] [node] [site] [go] [rust] [portable] [sqlite] [postgres] [sql] [deb]        (no argument: build, test, lab, redis and sql)
#
# Before it installs, it prints one line with the packages. With NO_INSTALL=1 in the environment it installs nothing: it
# prints one line with the missing packages and the command that installs them, and exits with status 1, or with 0 if the
# build can do without them.
set -eu

build_packages="gcc libc6-dev make cmake pkg-config libxxhash-dev liburcu-dev libhiredis-dev libssl-dev libjson-c-dev zlib1g-dev libzstd-dev scdoc"
test_packages="libcmocka-dev libsqlite3-dev g++ python3 clang clang-format clang-tidy cppcheck libclang-rt-14-dev llvm binutils prometheus locales zsh time zstd spin"
amalgamation_packages="python3 gcc libc6-dev libxxhash-dev"
python_packages="python3-dev python3-hypothesis python3-numpy python3-build python3-setuptools python3-wheel python3-pip python3-venv"
lab_packages="python3 gnuplot-nox"
redis_packages="redis-server openssl python3 python3-redis libxxhash0" # for the tests of the module
wasm_packages="make clang-14 lld-14 wasi-libc libclang-rt-14-dev-wasm32 binaryen libxxhash-dev"
node_packages="python3 gcc libc6-dev libxxhash-dev" # the headers of Node come with node, npm or node-api-headers
site_packages="python3 python3-selenium chromium chromium-driver" # for the test of the page
portable_packages="qemu-user gcc-s390x-linux-gnu libc6-dev-s390x-cross gcc-i686-linux-gnu libc6-dev-i386-cross gcc-arm-linux-gnueabihf libc6-dev-armhf-cross gcc-aarch64-linux-gnu libc6-dev-arm64-cross"
sqlite_packages="libsqlite3-dev sqlite3"
postgres_packages="postgresql-15 postgresql-server-dev-15"
sql_packages="$sqlite_packages $postgres_packages python3 libxxhash0" # for both and their tests
deb_packages="$sqlite_packages $postgres_packages dpkg-dev debhelper dh-python python3-dev python3-setuptools lintian fakeroot redis-server"
amalgamation_tools="python3 cc"
build_tools="cc make cmake pkg-config"
lab_tools="python3 gnuplot"
deb_tools="dpkg-buildpackage dh lintian redis-server"
test_tools="readelf nm promtool localedef" # the linters are needed by "make lint" and "make fmt" only
sql_tools=python3 # CMake says what is not built or tested
redis_tools="redis-server python3 node npm"
site_tools="python3 chromium chromedriver"
node_tools="python3 cc node npm"
wasm_tools="make clang-14 wasm-ld-14 wasm-opt node"

packages=
tools=
[ $# -gt 0 ] || set -- build test lab redis sql
for group in "$@"; do
    case $group in
    build) packages="$packages $build_packages" tools="$tools $build_tools" ;;
    test) packages="$packages $test_packages" tools="$tools $test_tools" ;;
    amalgamation) packages="$packages $amalgamation_packages" tools="$tools $amalgamation_tools" ;;
    python) packages="$packages $python_packages" tools="$tools python3" ;;
    lab) packages="$packages $lab_packages" tools="$tools $lab_tools" ;;
    redis | wasm | node)
        case $group in
        redis) packages="$packages $redis_packages" tools="$tools $redis_tools" ;;
        wasm) packages="$packages $wasm_packages" tools="$tools $wasm_tools" ;;
        node) packages="$packages $node_packages" tools="$tools $node_tools" ;;
        esac
        # Any node and npm will do: packages of node from other sources contain npm and conflict with Debian's.
        command -v node >/dev/null || packages="$packages nodejs"
        command -v npm >/dev/null || packages="$packages npm"
        ;;
    portable) packages="$packages $portable_packages" tools="$tools qemu-s390x" ;;
    sqlite) packages="$packages $sqlite_packages" ;;
    postgres) packages="$packages $postgres_packages" ;;
    sql) packages="$packages $sql_packages" tools="$tools $sql_tools" ;;
    site) packages="$packages $site_packages" tools="$tools $site_tools" ;;
    go) # any Go from 1.19 on
        command -v go >/dev/null || packages="$packages golang-go"
        packages="$packages gcc libc6-dev pkg-config" tools="$tools go cc pkg-config"
        ;;
    rust) # any Rust from 1.63 on
        command -v cargo >/dev/null || packages="$packages cargo"
        packages="$packages gcc libc6-dev" tools="$tools cargo cc"
        ;;
    deb) packages="$packages $deb_packages" tools="$tools $deb_tools" ;;
    *) echo "deps.sh: unknown group '$group' (build, test, amalgamation, python, lab, redis, wasm, node, site, go, rust, portable, sqlite, postgres, sql, deb)" >&2 && exit 1 ;;
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
# keys and compressed input, the manual pages, the extensions for databases and their tests.
optional="liburcu-dev libhiredis-dev libssl-dev libjson-c-dev zlib1g-dev libzstd-dev scdoc sqlite3 postgresql-15 postgresql-server-dev-15"
required=
for p in $missing; do
    case " $optional $python_packages " in
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
# Prints the output of apt-get only if it fails, three times in a row: mirrors have bad minutes. Waits up to five minutes for
# another package manager to end.
apt() {
    for pause in 10 30 0; do
        output=$($as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=300 "$@" 2>&1) && return
        sleep $pause
    done
    echo "$output" >&2 && exit 1
}
# A mirror that is being updated may lack a list for minutes: whether the packages can be had is seen when they are installed.
(apt update) || echo "guira: apt-get update failed; going on with the lists that are here" >&2

# Other versions of Debian have other versions of PostgreSQL.
for p in postgresql-15 postgresql-server-dev-15; do
    case "$missing " in
    *" $p "*) ;;
    *) continue ;;
    esac
    apt-cache show "$p" >/dev/null 2>&1 || {
        echo "guira: there is no package $p here: the extension for PostgreSQL is neither built nor tested" >&2
        missing=$(printf '%s ' "$missing" | sed "s/ $p / /")
    }
done

# The tests have servers of their own, so no cluster is made. Clusters of other versions that are here go on starting.
install_postgres() {
    conf=/etc/postgresql-common/createcluster.conf
    had_common=$(dpkg-query -W -f '${db:Status-Status}' postgresql-common 2>/dev/null || true)
    [ "$had_common" = installed ] || {
        apt install -y --no-install-recommends postgresql-common
        $as_root update-rc.d postgresql disable
    }
    $as_root cp "$conf" "$conf.guira"
    $as_root sed -i 's/^#* *create_main_cluster.*/create_main_cluster = false/' "$conf"
    apt install -y --no-install-recommends postgresql-15
    $as_root mv "$conf.guira" "$conf"
}

# We need the programs of these packages, not their services: the services must not start, neither now nor at the next
# boot. Debian asks policy-rc.d whether a newly installed service may start (101: no). Containers often have this file.
policy=/usr/sbin/policy-rc.d
for service in prometheus redis-server postgresql-15; do
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
    if [ "$service" = postgresql-15 ]; then
        install_postgres
        continue
    fi
    apt install -y --no-install-recommends "$service"
    $as_root update-rc.d "$service" disable
done
# shellcheck disable=SC2086
apt install -y --no-install-recommends $missing
