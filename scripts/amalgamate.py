#!/usr/bin/env python3
"""Writes the library as two files, guira.c and guira.h, for programs that compile it themselves.

guira.c has the headers of src/, each once, and then every source file. What is static in a file is global to guira.c, so
names that two files define get the file's name in front: grow_step becomes tidal_avx2_grow_step. Only whole identifiers
of the file that defines them are renamed, and members of structs are not. Macros are undefined at the end of their file.

The files of one instruction set (*_avx2.c) are compiled for it by a pragma, so no compiler options are needed. clang does
not define __AVX2__ and so on after its pragma. Therefore templates test macros of our own, which start with GUIRA__ON.

usage: amalgamate.py [--shared] DIRECTORY      (writes DIRECTORY/guira.c and DIRECTORY/guira.h)
       --shared: with guira_shared, the filter for several threads, which needs liburcu; -DGUIRA_NO_SHARED leaves it out
"""

import pathlib
import re
import sys

TOP = pathlib.Path(__file__).resolve().parent.parent
SRC = TOP / "src"

TOKEN = re.compile(
    r"""(?P<comment>/\*.*?\*/|//[^\n]*)
      | (?P<string>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')
      | (?P<define>^[ \t]*\#[ \t]*define[ \t]+\w+)
      | (?P<directive>^[ \t]*\#[ \t]*(?:include[^\n]*|\w+))
      | (?P<name>[A-Za-z_]\w*)
      | (?P<number>\.?\d(?:[eEpP][+-]|[\w.])*)
      | (?P<arrow>->)
      | (?P<space>\s+|\\\n)
      | (?P<other>.)""",
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)

# What the files of an instruction set may use. base/cpu.c asks the processor for all of it.
ISAS = {
    "sse41": ("sse4.1", ["__SSE4_1__"]),
    "avx2": ("avx2,bmi,bmi2,popcnt,lzcnt", ["__SSE4_1__", "__AVX__", "__AVX2__"]),
    "avx512": (
        "avx2,bmi,bmi2,popcnt,lzcnt,fma,avx512f,avx512bw,avx512cd,avx512dq,avx512vl",
        ["__SSE4_1__", "__AVX__", "__AVX2__", "__AVX512BW__", "__AVX512DQ__", "__AVX512VL__"],
    ),
    "neon": (None, []),
    "portable": (None, []),
}
ISA_MACROS = sorted({macro for _, macros in ISAS.values() for macro in macros})

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"][^\n]*\n', re.MULTILINE)
FEATURES = re.compile(r"^#define (_GNU_SOURCE|_POSIX_C_SOURCE \w+|XXH_INLINE_ALL|_LGPL_SOURCE)\b[^\n]*\n", re.MULTILINE)

# These are included only where there is something to include.
CONDITIONS = {
    "immintrin.h": "defined(__x86_64__)",
    "arm_neon.h": "defined(__aarch64__)",
    "wasm_simd128.h": "defined(__wasm_simd128__)",
    "sanitizer/tsan_interface.h": "defined(__SANITIZE_THREAD__)",
    "urcu/urcu-bp.h": "defined(GUIRA__SHARED)",
}

TOP_OF_C = """/* guira {version}: the whole library in one file{without}.
 *
 * HOW TO USE IT. Compile this file with your program, as C11 or C++17, with gcc or clang, on Linux:
 *
 *     cc -O2 -c guira.c && cc -O2 -o program program.c guira.o {libraries}
 *
 * guira.h has the contract of every function. It needs xxhash.h (Debian: libxxhash-dev){urcu}. No other
 * options are needed: code for AVX2, AVX-512 and so on is in here, and the processor decides at run time which is used.
 * -DGUIRA_PORTABLE leaves it out. Names that do not start with guira_ are static or hidden.
 *
 * DO NOT EDIT. scripts/amalgamate.py made this file from the sources of guira. MIT licence:
 *
{licence} */

#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif
#define XXH_INLINE_ALL
#if !defined(_LGPL_SOURCE) && !defined(__clang_analyzer__)
#define _LGPL_SOURCE
#endif

#define GUIRA__PRAGMA(text) _Pragma(#text)
#if defined(__clang__)
#define GUIRA__TARGET_BEGIN(set) \\
    GUIRA__PRAGMA(clang attribute push(__attribute__((target(set))), apply_to = function))
#define GUIRA__TARGET_END _Pragma("clang attribute pop")
#else
#define GUIRA__TARGET_BEGIN(set) _Pragma("GCC push_options") GUIRA__PRAGMA(GCC target(set))
#define GUIRA__TARGET_END _Pragma("GCC pop_options")
#endif

/* Fused multiply-adds round differently: without this, filters made on two machines could differ. */
#if defined(__clang__)
#pragma clang fp contract(off)
#elif defined(__FP_FAST_FMA)
#pragma GCC optimize("fp-contract=off")
#endif

#if !defined(GUIRA_PORTABLE)
#if defined(__x86_64__)
#define GUIRA__HAVE_SSE41 1
#define GUIRA__HAVE_AVX2 1
#define GUIRA__HAVE_AVX512 1
#elif defined(__aarch64__)
#define GUIRA__HAVE_NEON 1
#endif
#endif
#define GUIRA__HAVE_PORTABLE 1
#define GUIRA_VERSION_STRING "{version}"
{shared}
"""

AFTER_INCLUDES = """
#pragma GCC visibility push(hidden)
#include "guira.h"

/* Not every file uses all of a template. Fields that an initializer does not name are 0, in C++ as in C. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#if defined(__cplusplus)
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wc99-designator"
#endif
extern "C" {
#endif
"""

BOTTOM_OF_C = """
#if defined(__cplusplus)
}
#endif
#pragma GCC diagnostic pop
#pragma GCC visibility pop
"""


def tokens(text):
    return [(match.lastgroup, match.group()) for match in TOKEN.finditer(text)]


def sources(shared):
    """The files that src/CMakeLists.txt compiles, in its order, each with its instruction set or None."""
    text = (SRC / "CMakeLists.txt").read_text()
    lists = re.findall(r"(?:set\(GUIRA_SOURCES|list\(APPEND GUIRA_SOURCES)\s+(?!\$)([^)]*)\)", text)
    names = " ".join(lists).split()
    templates = " ".join(re.findall(r"(?:set\(GUIRA_ISA_SOURCES|list\(APPEND GUIRA_ISA_SOURCES)\s+([^)]*)\)", text)).split()
    units = [(name, None) for name in names] + [(f"{name}_{isa}.c", isa) for isa in ISAS for name in templates]
    return [unit for unit in units if shared or not unit[0].startswith("shared/")]


def expand(name, system, headers):
    """A file without its includes: templates are put in place, headers are added to the list, in order."""
    text = FEATURES.sub("", (SRC / name).read_text())

    def replace(match):
        quote, target = match.groups()
        if quote == "<":
            system.setdefault(target)
            return ""
        if target.endswith(".inc"):
            return expand(target, system, headers)
        add_header(target, system, headers)
        return ""

    return INCLUDE.sub(replace, text).strip("\n") + "\n"


def add_header(name, system, headers):
    if name not in headers and not (TOP / "include" / name).exists():
        text = expand(name, system, headers)
        headers[name] = text  # after those that it includes


# ------------------------------------------------------------------------------------------------------------- renaming


# The sources are formatted: what stands at file scope starts in the first column.
STATIC = re.compile(r"^(?:static|ALWAYS_INLINE)\b(?:[^;{=(\[]|__attribute__\(\([^)]*\)\))*?\b(\w+)\s*[(=\[;]", re.MULTILINE)
TYPEDEF = re.compile(r"^typedef\b[^;{]*?\b(\w+)\s*(?:\(|\[|;)", re.MULTILINE)
TAG = re.compile(r"^(?:struct|union|enum) (\w+) \{", re.MULTILINE)
ENUM = re.compile(r"^enum(?: \w+)? \{(.*?)\}", re.MULTILINE | re.DOTALL)
ENUMERATOR = re.compile(r"(?:^|,)\s*(\w+)")
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)


def file_scope_names(text):
    """Names of a source file that another one may define as well: static functions and variables, tags, enumerators,
    typedefs. Names with external linkage start with guira_ and are there once."""
    text = COMMENT.sub("", text)
    names = {name for pattern in (STATIC, TYPEDEF, TAG) for name in pattern.findall(text)}
    for body in ENUM.findall(text):
        names.update(ENUMERATOR.findall(body))
    return {name for name in names if not name.startswith("guira_")}


def rename(text, names, prefix):
    """Puts the prefix before these identifiers, except where they are members of structs."""
    stream, result, before = tokens(text), [], ""
    in_struct = depth = 0
    for i, (group, token) in enumerate(stream):
        if group not in ("comment", "space"):
            if token == "{":
                depth += 1
                if re.search(r"\b(struct|union)(\s+\w+)?\s*$", "".join(t for _, t in stream[max(0, i - 6):i])):
                    in_struct = in_struct or depth
            elif token == "}":
                if in_struct == depth:
                    in_struct = 0
                depth -= 1
        if group == "name" and token in names:
            after = next((t for g, t in stream[i + 1:i + 4] if g not in ("comment", "space")), "")
            member = before in (".", "->") or (in_struct and after in (";", ",", ":", "[", ")"))
            token = token if member else prefix + token
        elif group == "name" and token in ISA_MACROS:
            token = "GUIRA__ON" + token
        elif group == "define" and token.split()[-1] in names:
            token = re.sub(r"(\w+)$", prefix + r"\1", token)
        result.append(token)
        if group not in ("comment", "space"):
            before = token
    return "".join(result)


def macros(text):
    return sorted(set(re.findall(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", text, re.MULTILINE)))


# --------------------------------------------------------------------------------------------------------------- writing


def section(name, text):
    """A file, under its name."""
    if name.startswith("shared/"):
        text = f"#if defined(GUIRA__SHARED)\n{text}#endif\n"
    return f"\n/* {'=' * max(3, 110 - len(name))} src/{name} */\n\n{text}"


def unit_text(name, isa, text, names):
    prefix = pathlib.PurePath(name).stem + "_" if isa else name[:-2].replace("papers/", "").replace("/", "_") + "_"
    body = rename(text, names, prefix) + "".join(f"#undef {macro}\n" for macro in macros(text))
    if isa is None:
        return section(name, body)
    target, on = ISAS[isa]
    lines = [f"#if defined(GUIRA__HAVE_{isa.upper()})\n"]
    lines += [f"#define GUIRA__ON{macro} 1\n" for macro in on]
    lines += ["#define GUIRA__PORTABLE 1\n"] if isa == "portable" else []
    lines += [f'GUIRA__TARGET_BEGIN("{target}")\n'] if target else []
    lines += [body]
    lines += ["GUIRA__TARGET_END\n"] if target else []
    lines += [f"#undef GUIRA__ON{macro}\n" for macro in on]
    lines += ["#undef GUIRA__PORTABLE\n"] if isa == "portable" else []
    return section(name, "".join(lines) + "#endif\n")


def system_includes(system):
    lines = []
    for name in sorted(system):
        line = f"#include <{name}>\n"
        lines.append(f"#if {CONDITIONS[name]}\n{line}#endif\n" if name in CONDITIONS else line)
    return "".join(lines)


def public_header(name):
    return re.sub(r'#include "guira\.h"\n\n?', "", (TOP / "include" / name).read_text())


def header_text(shared):
    text = (TOP / "include" / "guira.h").read_text()
    names = ["guira_inline.h", "guira_window.h"] + (["guira_shared.h"] if shared else [])
    return text + "".join("\n" + public_header(name) for name in names)


def source_text(shared):
    system, headers, units = {}, {}, []
    for name, isa in sources(shared):
        units.append((name, isa, expand(name, system, headers)))
    scopes = {name: file_scope_names(text) for name, _, text in units}
    taken = {}
    for name, names in scopes.items():
        for word in names:
            taken.setdefault(word, []).append(name)
    for text in headers.values():
        for word in set(TOKEN_NAMES.findall(text)):
            taken.setdefault(word, []).append("a header")
    twice = {word for word, where in taken.items() if len(where) > 1}
    licence = "".join(" * " + line + "\n" if line else " *\n" for line in (TOP / "LICENSE").read_text().strip().split("\n"))
    parts = [TOP_OF_C.replace("{version}", (TOP / "VERSION").read_text().strip())
             .replace("{without}", "" if shared else " (without guira_shared)")
             .replace("{libraries}", "-lurcu-bp -lpthread -lm" if shared else "-lm")
             .replace("{urcu}", " and liburcu (liburcu-dev)" if shared else "")
             .replace("{licence}", licence)
             .replace("{shared}", "#if !defined(GUIRA_NO_SHARED)\n#define GUIRA__SHARED 1\n#endif\n" if shared else "")]
    parts += [system_includes(system), AFTER_INCLUDES]
    parts += [section(name, text) for name, text in headers.items()]
    parts += [unit_text(name, isa, text, scopes[name] & twice) for name, isa, text in units]
    return "".join(parts) + BOTTOM_OF_C


TOKEN_NAMES = re.compile(r"[A-Za-z_]\w*")


def main():
    arguments = sys.argv[1:]
    shared = "--shared" in arguments
    directories = [a for a in arguments if a != "--shared"]
    if len(directories) != 1:
        sys.exit("usage: amalgamate.py [--shared] DIRECTORY")
    out = pathlib.Path(directories[0])
    out.mkdir(parents=True, exist_ok=True)
    (out / "guira.h").write_text(header_text(shared))
    (out / "guira.c").write_text(source_text(shared))


if __name__ == "__main__":
    main()
