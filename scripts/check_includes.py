#!/usr/bin/env python3
"""Fails when an include points the wrong way.

The folders of src/ are layers. MAY_INCLUDE says which other folders the files of a folder may include; nothing else is
allowed. Users of the library (the tool, the module, the benchmark, the lab, ...) include the public headers and their
own files.

usage: check_includes.py [DIRECTORY]      (the top of the source tree; default: the parent of this script)
"""

import pathlib
import re
import sys

BELOW_KINDS = {"base", "slots", "format", "filter"}

MAY_INCLUDE = {
    "base": set(),
    "slots": {"base"},
    "format": {"base"},
    "filter": {"base", "slots", "format"},
    "tidal": BELOW_KINDS,
    "cuckoo": BELOW_KINDS,
    "papers": BELOW_KINDS,
    "papers/dcf": BELOW_KINDS | {"papers"},
    "papers/ecf": BELOW_KINDS | {"papers"},
    "papers/ccf": BELOW_KINDS | {"papers"},
    "kinds": BELOW_KINDS | {"tidal", "cuckoo", "papers", "papers/dcf", "papers/ecf", "papers/ccf"},
    "io": {"base", "format", "filter", "kinds"},
    "window": BELOW_KINDS | {"tidal", "kinds", "io"},
    "shared": BELOW_KINDS | {"tidal", "kinds", "io"},
    "metrics": {"base", "filter", "io", "window"},
    "plan": {"filter", "kinds"},
}

# Headers that only some folders may use: public ones by name, the system's by their beginning.
ONLY_IN = {
    "guira_shared.h": {"shared", "metrics"},
    "guira_window.h": {"window", "metrics"},
    "urcu": {"shared"},
    "pthread.h": {"shared"},
    "fcntl.h": {"io", "shared"},
    "sys/stat.h": {"io", "shared"},
}

PUBLIC = {"guira.h", "guira_inline.h", "guira_shared.h", "guira_window.h"}
USERS = ["cli", "module", "examples", "bench", "lab", "bindings", "sql"]  # a missing folder has no files

INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]', re.MULTILINE)


def includes(path):
    """(quote, name, line number) of each include."""
    text = path.read_text()
    for match in INCLUDE.finditer(text):
        yield match.group(1), match.group(2), text.count("\n", 0, match.start()) + 1


def check_library(top):
    for path in sorted((top / "src").rglob("*.[chi]*")):
        if path.suffix not in {".c", ".h", ".inc"}:
            continue
        folder = str(path.parent.relative_to(top / "src"))
        if folder not in MAY_INCLUDE:
            yield path, 1, f"the folder src/{folder} is not in {pathlib.Path(__file__).name}"
            continue
        for quote, name, line in includes(path):
            target = name.rpartition("/")[0]
            if quote == '"' and target and target != folder and target not in MAY_INCLUDE[folder]:
                yield path, line, f"src/{folder} must not include {name}"
            if quote == '"' and not target and name not in PUBLIC:
                yield path, line, f"{name}: includes inside src/ name the folder"
            for header, folders in ONLY_IN.items():
                if name.startswith(header) and folder not in folders:
                    yield path, line, f"only {', '.join(sorted(folders))} may include {name}"
        if path.suffix == ".h" and not re.search(r"^#ifndef (\w+)\n#define \1$", path.read_text(), re.MULTILINE):
            yield path, 1, "a header without an include guard; templates are *.inc files"


def is_own(name, path, folder):
    """Whether the header exists in the folder, seen from the file or from the top of the folder."""
    return any(header.is_file() and header.is_relative_to(folder)
               for header in ((start / name).resolve() for start in (path.parent, folder)))


def check_users(top):
    for user in USERS:
        for path in sorted((top / user).rglob("*.[ch]")):
            for quote, name, line in includes(path):
                if quote == '"' and name not in PUBLIC and not is_own(name, path, top / user):
                    yield path, line, f"{user}/ may include the public headers and its own, not {name}"


def check_tests(top):
    for path in sorted((top / "tests").rglob("*.[chi]*")):
        for quote, name, line in includes(path) if path.suffix in {".c", ".h", ".inc"} else []:
            if name.endswith(".c"):
                yield path, line, f"{name}: tests include headers and templates, not source files"


def main():
    top = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent).resolve()
    found = [*check_library(top), *check_users(top), *check_tests(top)]
    for path, line, message in found:
        print(f"{path.relative_to(top)}:{line}: {message}", file=sys.stderr)
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
