#!/usr/bin/env python3
"""Makes the page: one file with everything in it, so that it works from a disk, without a server and without a network.

usage: build.py WASM_DIRECTORY OUTPUT.html
"""

import base64
import gzip
import pathlib
import re
import sys


def module(path):
    """The text of a module without its imports and exports: all of them become one script."""
    text = re.sub(r"^import .*?;\n", "", path.read_text(), flags=re.MULTILINE)
    return re.sub(r"^export ", "", text, flags=re.MULTILINE)


def embedded(wasm):
    """A function that takes one of the two builds with all kinds, each compressed and in base64."""
    builds = {name: base64.b64encode(gzip.compress((wasm / f"{name}.wasm").read_bytes(), 9, mtime=0)).decode()
              for name in ("guira-all", "guira-all-simd")}
    return f"""
const BUILDS = {{plain: '{builds["guira-all"]}', simd: '{builds["guira-all-simd"]}'}};
async function embedded() {{
  const packed = Uint8Array.from(atob(hasSimd() ? BUILDS.simd : BUILDS.plain), (c) => c.charCodeAt(0));
  const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
  return instantiate(await new Response(unpacked).arrayBuffer());
}}
"""


def main():
    wasm, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    here = pathlib.Path(__file__).parent
    script = module(wasm / "core.mjs") + module(wasm / "guira.mjs") + embedded(wasm) + (here / "page.mjs").read_text()
    page = (here / "index.html").read_text()
    page = page.replace("@STYLE@", (here / "style.css").read_text()).replace("@SCRIPT@", script)
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(page)


if __name__ == "__main__":
    main()
