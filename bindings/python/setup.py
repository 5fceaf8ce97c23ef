"""Builds the extension from the amalgamation of the library.

In the source tree of guira the amalgamation is made first, into amalgamated/; a source distribution contains it. xxhash.h
is needed (Debian: libxxhash-dev). With liburcu (liburcu-dev) there is SharedFilter; without it, making one raises
NotImplementedError.
"""

import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile

from setuptools import Extension, setup

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parent.parent
AMALGAMATED = HERE / "amalgamated"


def amalgamate():
    script = TOP / "scripts" / "amalgamate.py"
    if not script.exists():  # a source distribution
        return
    subprocess.check_call([sys.executable, str(script), "--shared", str(AMALGAMATED)])
    for name in ("guira_shared.h", "guira_window.h"):
        shutil.copy(TOP / "include" / name, AMALGAMATED)
    for name in ("VERSION", "LICENSE"):
        shutil.copy(TOP / name, AMALGAMATED)


def compiles(text, *options):
    """Whether a program compiles and links, so that a missing header is found before a long build."""
    compiler = shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")
    with tempfile.TemporaryDirectory() as scratch:
        source = pathlib.Path(scratch, "try.c")
        source.write_text(text)
        command = [*compiler, *shlex.split(os.environ.get("CFLAGS", "")), str(source), "-o", f"{scratch}/try", *options]
        return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=HERE).returncode == 0


os.chdir(HERE)
amalgamate()
if not compiles("#include <xxhash.h>\nint main(void) { return 0; }\n"):
    sys.exit("guira: xxhash.h was not found. On Debian: apt-get install libxxhash-dev")
shared = compiles("#include <urcu/urcu-bp.h>\nint main(void) { urcu_bp_synchronize_rcu(); return 0; }\n", "-lurcu-bp")
if not shared:
    print("guira: building without SharedFilter: liburcu was not found (Debian: liburcu-dev)")

extension = Extension(
    "guira._guira",
    sources=["amalgamated/guira.c"] + [f"src/{name}.c" for name in ("module", "key", "batch", "object", "filter", "window")],
    include_dirs=["amalgamated"],
    define_macros=[("GUIRA_PYTHON_SHARED", "1" if shared else "0"), ("GUIRA_API", "")]
    + ([] if shared else [("GUIRA_NO_SHARED", "1")]),
    # As the library is compiled by make: with -O2, the default of many Pythons, a batch of lookups takes a fifth more time. The debug
    # information, which is another of their defaults, has seven times the size of the rest.
    extra_compile_args=["-std=gnu11", "-fvisibility=hidden", "-ffp-contract=off"]
    + ([] if "-O" in os.environ.get("CFLAGS", "") else ["-O3"])
    + ([] if "-g" in os.environ.get("CFLAGS", "") else ["-g0"]),
    libraries=["urcu-bp", "m"] if shared else ["m"],
    depends=["src/binding.h", "amalgamated/guira.c", "amalgamated/guira.h"],
    py_limited_api=True,
)

setup(
    version=(AMALGAMATED / "VERSION").read_text().strip(),
    ext_modules=[extension],
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
)
