#!/usr/bin/env python3
"""The corpus of a fuzzer as one file, so that thousands of inputs do not make thousands of files.

usage: corpus.py pack DIRECTORY FILE       the files of the directory, sorted by their contents
       corpus.py unpack FILE DIRECTORY     one file per input, named by its SHA-1, as libFuzzer names them
       corpus.py list FILE                 how many inputs there are, and their bytes

    file   [ length: 4 bytes, little-endian ][ input ] [ length ][ input ] ...
"""

import hashlib
import pathlib
import struct
import sys


def inputs_of(packed):
    data, at = pathlib.Path(packed).read_bytes(), 0
    while at < len(data):
        (length,) = struct.unpack_from("<I", data, at)
        if at + 4 + length > len(data):
            sys.exit(f"corpus.py: {packed} ends within an input")
        yield data[at + 4 : at + 4 + length]
        at += 4 + length


def pack(directory, packed):
    inputs = sorted({p.read_bytes() for p in pathlib.Path(directory).iterdir() if p.is_file()}, key=lambda b: (len(b), b))
    pathlib.Path(packed).write_bytes(b"".join(struct.pack("<I", len(i)) + i for i in inputs))
    print(f"{packed}: {len(inputs)} inputs")


def unpack(packed, directory):
    to = pathlib.Path(directory)
    to.mkdir(parents=True, exist_ok=True)
    for data in inputs_of(packed):
        (to / hashlib.sha1(data).hexdigest()).write_bytes(data)


def show(packed):
    sizes = [len(data) for data in inputs_of(packed)]
    print(f"{packed}: {len(sizes)} inputs, {sum(sizes)} bytes")


def main(words):
    commands = {"pack": (pack, 2), "unpack": (unpack, 2), "list": (show, 1)}
    if not words or words[0] not in commands or len(words) - 1 != commands[words[0]][1]:
        sys.exit(__doc__)
    commands[words[0]][0](*words[1:])


if __name__ == "__main__":
    main(sys.argv[1:])
