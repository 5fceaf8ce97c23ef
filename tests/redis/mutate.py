"""Mutates serialized values, as RESTORE and CF.LOADCHUNK may get them from an attacker.

A serialized filter contains the library's file, which is protected by checksums (docs/format.md). An attacker can recompute
them, so half of the mutants get valid checksums: these reach the checks behind the checksums.
"""
import ctypes
import struct

from redisbloom import murmur

MAGIC = b"GUIRA\r\n\x1a"
NUMBERS = (0, 1, 2, 7, 255, 256, 499, 500, 501, 2**16, 2**30, 2**31, 2**32, 2**40, 2**62, 2**63, 2**64 - 1,
           struct.unpack("<Q", struct.pack("<d", 1e-9))[0], struct.unpack("<Q", struct.pack("<d", 0.93))[0],
           struct.unpack("<Q", struct.pack("<d", float("nan")))[0], struct.unpack("<Q", struct.pack("<d", -1))[0])

xxhash = ctypes.CDLL("libxxhash.so.0")
xxhash.XXH3_64bits.restype = ctypes.c_uint64
xxhash.XXH3_64bits.argtypes = (ctypes.c_char_p, ctypes.c_size_t)


def number_at(data, at):
    return struct.unpack_from("<Q", data, at)[0]


def set_checksum(data, start, end):
    """Stores the checksum of data[start:end - 8] in the last eight bytes before end."""
    part = bytes(data[start:end - 8])
    struct.pack_into("<Q", data, end - 8, xxhash.XXH3_64bits(part, len(part)))


def fix_checksums(data):
    """Recomputes all checksums that can be found. data: a bytearray that contains a file of the library."""
    start = data.find(MAGIC)
    if start < 0 or start + 256 > len(data):
        return
    set_checksum(data, start, start + 256)
    at = start + 256
    while at + 64 <= len(data):
        length = number_at(data, at + 8)
        end = at + 64 + (length + 8 + 63) // 64 * 64
        if end > len(data):
            return
        set_checksum(data, at, at + 64)
        set_checksum(data, at + 64, end)
        at = end


def with_checksum(chunk):
    """The chunk of CF.SCANDUMP with a checksum that fits its bytes."""
    checksum = murmur(chunk[:32] + struct.pack("<Q", murmur(chunk[40:])))
    return chunk[:32] + struct.pack("<Q", checksum) + chunk[40:]


def mutate(rng, data, first):
    """Returns a mutant of data; the first `first` bytes are unchanged."""
    data = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2, 5))):
        at = rng.randrange(first, len(data))
        what = rng.randrange(8)
        if what < 3:
            data[at] = rng.choice((0, 1, 0x7f, 0x80, 0xff, data[at] ^ 1 << rng.randrange(8), rng.randrange(256)))
        elif what < 6:  # replaces a number at one of the offsets where files have numbers
            file = data.find(MAGIC)
            area = 512 if rng.random() < 0.7 else len(data)
            at = max(first, file + rng.randrange(0, area, 8)) if file >= 0 else at
            if at + 8 <= len(data):
                struct.pack_into("<Q", data, at, rng.choice(NUMBERS + (rng.getrandbits(64), number_at(data, at) + 1
                                                                       & 2**64 - 1)))
        elif what == 6 and len(data) > first + 2:
            del data[at:at + rng.randrange(1, 64)]
        else:
            data[at:at] = bytes(rng.getrandbits(8) for _ in range(rng.randrange(1, 64)))
        if len(data) <= first:
            data += b"\0"
    if rng.random() < 0.5:
        fix_checksums(data)
    return bytes(data)
