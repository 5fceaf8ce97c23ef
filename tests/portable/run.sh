#!/bin/sh
# Builds the library and its unit tests for other processors and runs them under qemu-user: big-endian (s390x), 32 bits
# (i686, armhf) and NEON (aarch64). On x86-64 also: the tests of build/release on processors without AVX2 (nehalem: SSE4.1)
# and without AVX-512 (haswell), which must choose other code and give the same answers. If qemu-x86_64 has the fault that
# gather.c looks for, haswell runs the same sources, compiled once more without the vector register that it forgets.
# usage: run.sh [--quick] [ARCH...]        (from the top of the project; needs what "deps.sh portable" installs)
#
# --quick: only the tests of what differs between processors: byte order and word size in files (test_golden compares with
# the bytes in tests/golden), and the matching of every width. For 32 bits and on old x86-64 test_golden alone.
#
# cmocka for these processors is Debian's package, unpacked below build/portable: nothing of another architecture is
# installed on this machine. The filters for several threads are not built. What cannot be had here is skipped, and said.
set -eu

quick_tests="test_golden test_match test_file_info test_structs test_inline test_cuckoo test_merge_widths"
more_tests="test_api test_tidal test_small test_elders test_merge test_merge_fixed test_dynamic test_elastic test_elastic_steps
    test_geometry test_ring test_consistent test_consistent_list test_consistent_model test_consistent_policies test_plan
    test_file test_corrupt_file test_crafted_file test_map test_view test_window test_window_internals test_metrics test_refusal"
archs="s390x i686 armhf aarch64 nehalem haswell"
quick=
level=-O3
small=OFF
if [ "${1:-}" = --quick ]; then
    shift
    archs="s390x i686 aarch64 nehalem haswell"
    quick=1
    level=-O1 # a quarter of the time to compile, and without inlining a sixth of that
    small=ON
fi
[ $# -eq 0 ] || archs=$*
out=$PWD/build/portable
tests_only="-DGUIRA_CLI=OFF -DGUIRA_LAB=OFF -DGUIRA_MODULE=OFF -DGUIRA_SQL=OFF -DGUIRA_BENCH=OFF -DGUIRA_EXAMPLES=OFF"

tests_of() { # ARCH
    case $quick:$1 in
    :*) echo "$quick_tests $more_tests" ;;
    1:s390x | 1:aarch64) echo "$quick_tests" ;;
    *) echo test_golden ;;
    esac
}

# Sets triple, debian (Debian's name of the architecture), processor (CMake's), qemu.
describe() { # ARCH
    case $1 in
    s390x) triple=s390x-linux-gnu debian=s390x processor=s390x qemu=qemu-s390x ;;
    i686) triple=i686-linux-gnu debian=i386 processor=i686 qemu=qemu-i386 ;;
    armhf) triple=arm-linux-gnueabihf debian=armhf processor=armv7l qemu=qemu-arm ;;
    aarch64) triple=aarch64-linux-gnu debian=arm64 processor=aarch64 qemu=qemu-aarch64 ;;
    *) echo "run.sh: unknown architecture '$1' (s390x, i686, armhf, aarch64, nehalem, haswell)" >&2 && exit 2 ;;
    esac
}

# apt-get with lists of its own, for another architecture.
foreign_apt() {
    apt-get -qq -o APT::Architecture="$debian" -o APT::Architectures="$debian" -o Dir::State="$out/apt" -o APT::Sandbox::User=root \
        -o Dir::State::status=/dev/null -o Dir::Cache="$out/apt" "$@"
}

# Debian's libraries for the tests, unpacked into $sysroot.
unpack_libraries() {
    sysroot=$out/$1/sysroot
    [ ! -e "$sysroot/complete" ] || return 0
    mkdir -p "$sysroot" "$out/apt/lists/partial" "$out/apt/archives/partial"
    # A mirror that is being updated may lack one list of several: what counts is whether the packages can be had.
    foreign_apt update >/dev/null 2>"$out/$1/apt.log" || true
    (cd "$sysroot" && foreign_apt download libcmocka-dev libcmocka0 >/dev/null) || return 1
    for package in "$sysroot"/*.deb; do dpkg-deb -x "$package" "$sysroot"; done
    mkdir -p "$sysroot/xxhash" && cp /usr/include/xxhash.h /usr/include/xxh3.h "$sysroot/xxhash"
    : >"$sysroot/complete"
}

# What runs the programs. An x86-64 system runs those for i686 itself, if its kernel is built for that. (In qemu-i386 7.2 a child of
# fork() may hang.)
choose_emulator() { # ARCH
    emulator="$qemu;-L;/usr/$triple"
    loader=/usr/$triple/lib/ld-linux.so.2
    if [ "$1" = i686 ] && [ -x $loader ] && $loader --version >/dev/null 2>&1; then
        emulator="$loader;--library-path;/usr/$triple/lib:$lib"
    fi
}

configure() { # ARCH
    lib=$(dirname "$(find "$sysroot/usr/lib" -name libcmocka.so)")
    choose_emulator "$1"
    # shellcheck disable=SC2086
    cmake -S . -B "$out/$1/build" --log-level=WARNING -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR="$processor" \
        -DCMAKE_C_COMPILER="$triple-gcc" -DCMAKE_BUILD_TYPE=Release "-DCMAKE_C_FLAGS_RELEASE=$level -DNDEBUG" -DGUIRA_WERROR=ON -DGUIRA_SMALL=$small \
        "-DCMAKE_CROSSCOMPILING_EMULATOR=$emulator" \
        -DCMAKE_FIND_ROOT_PATH="$sysroot" -DCMAKE_FIND_ROOT_PATH_MODE_INCLUDE=NEVER -DCMAKE_FIND_ROOT_PATH_MODE_LIBRARY=NEVER \
        -DXXHASH_INCLUDE_DIR="$sysroot/xxhash" -DCMOCKA_INCLUDE_DIR="$sysroot/usr/include" -DCMOCKA_LIBRARY="$lib/libcmocka.so" \
        $tests_only -DGUIRA_SHARED=OFF
}

# Whether the emulator forgets the index of a gather in ymm4. Any other end of the program (no AVX2, say) is not this fault.
forgets_ymm4() { # MODEL
    cc -O2 -mavx2 -o "$out/gather" tests/portable/gather.c || exit 1
    status=0
    qemu-x86_64 -cpu "$1" "$out/gather" >/dev/null 2>&1 || status=$?
    [ $status -eq 1 ]
}

# The programs of build/release, on an emulated processor.
run_old_x86() { # ARCH
    build=build/release
    case $1 in
    nehalem) model=Nehalem ;;
    haswell) model=Haswell ;;
    esac
    if [ "$(uname -m)" != x86_64 ] || ! command -v qemu-x86_64 >/dev/null; then
        echo "run.sh: $1 is skipped: no x86-64 here, or no qemu-x86_64"
        return
    fi
    if [ "$1" = haswell ] && forgets_ymm4 "$model"; then
        if ! command -v gcc >/dev/null; then
            echo "run.sh: haswell is skipped: this qemu-x86_64 forgets the index of a gather in ymm4, and only gcc can do without it"
            return
        fi
        echo "run.sh: haswell: this qemu-x86_64 forgets the index of a gather in ymm4: compiling without that register"
        build=$out/haswell/build
        # shellcheck disable=SC2086
        cmake -S . -B "$build" --log-level=WARNING -DCMAKE_C_COMPILER=gcc -DCMAKE_BUILD_TYPE=Release \
            "-DCMAKE_C_FLAGS_RELEASE=$level -DNDEBUG -ffixed-xmm4" -DGUIRA_WERROR=ON -DGUIRA_SMALL=$small $tests_only
    fi
    # shellcheck disable=SC2086
    cmake --build "$build" -j "${JOBS:-2}" --target $tests >/dev/null
    for test in $tests; do
        echo "run.sh: $1: $test"
        GUIRA_QUICK=1 qemu-x86_64 -cpu "$model" "$build/tests/$test" >"$out/$1.log" 2>&1 || { cat "$out/$1.log" && exit 1; }
    done
}

mkdir -p "$out"
for arch in $archs; do
    tests=$(tests_of "$arch")
    case $arch in
    nehalem | haswell)
        run_old_x86 "$arch"
        continue
        ;;
    esac
    describe "$arch"
    if ! command -v "$triple-gcc" >/dev/null || ! command -v "$qemu" >/dev/null || ! unpack_libraries "$arch"; then
        echo "run.sh: $arch is skipped: no $triple-gcc, no $qemu, or no package libcmocka-dev:$debian here"
        continue
    fi
    configure "$arch"
    echo "run.sh: $arch: building"
    # shellcheck disable=SC2086
    cmake --build "$out/$arch/build" -j "${JOBS:-2}" --target $tests >"$out/$arch/build.log" 2>&1 || { cat "$out/$arch/build.log" && exit 1; }
    names=$(printf '%s|' $tests)
    GUIRA_QUICK=1 ctest --test-dir "$out/$arch/build" -j "${JOBS:-2}" -R "^(${names%|})\$" --output-on-failure --no-tests=error
done
