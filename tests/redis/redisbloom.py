"""Writes cuckoo filters as RedisBloom stores them: as values in RDB files, and as chunks of CF.SCANDUMP.

The layout is in docs/redis.md. This is a small cuckoo filter with the same hash function and the same positions.
"""
import struct

MASK = 2**64 - 1
NAMES = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
ENCODING = 4  # the newest of RedisBloom's versions of the type


def murmur(data):
    """MurmurHash64A with seed 0."""
    m = 0xc6a4a7935bd1e995
    h = len(data) * m & MASK
    whole = len(data) // 8 * 8
    for at in range(0, whole, 8):
        k = int.from_bytes(data[at:at + 8], "little") * m & MASK
        h = (h ^ (k ^ k >> 47) * m & MASK) * m & MASK
    if whole < len(data):
        h = (h ^ int.from_bytes(data[whole:], "little")) * m & MASK
    h = (h ^ h >> 47) * m & MASK
    return h ^ h >> 47


class CuckooFilter:
    def __init__(self, buckets, bucket_size=2, max_iterations=20, expansion=1):
        self.buckets, self.bucket_size, self.max_iterations, self.expansion = buckets, bucket_size, max_iterations, expansion
        self.filters = [bytearray(buckets * bucket_size)]
        self.items = self.deleted = 0

    def candidates(self, slots, item):
        h = murmur(str(item).encode())
        fingerprint = h % 255 + 1
        n = len(slots) // self.bucket_size
        return fingerprint, [x % n * self.bucket_size for x in (h, h ^ fingerprint * 0x5bd1e995)]

    def put(self, slots, starts, fingerprint):
        for start in starts:
            for at in range(start, start + self.bucket_size):
                if slots[at] == 0:
                    slots[at] = fingerprint
                    return True
        return False

    def add(self, item):
        """Adds the item, with one more sub-filter if no place is free."""
        for slots in reversed(self.filters):
            fingerprint, starts = self.candidates(slots, item)
            if self.put(slots, starts, fingerprint) or self.evict(slots, starts[0], fingerprint):
                self.items += 1
                return
        self.filters.append(bytearray(len(self.filters[-1]) * max(self.expansion, 1)))
        self.add(item)

    def evict(self, slots, start, fingerprint):
        before = bytes(slots)
        n = len(slots) // self.bucket_size
        for _ in range(self.max_iterations):
            slots[start], fingerprint = fingerprint, slots[start]
            start = (start // self.bucket_size ^ fingerprint * 0x5bd1e995) % n * self.bucket_size
            if self.put(slots, [start], fingerprint):
                return True
        slots[:] = before
        return False

    def value(self):
        """The value in an RDB file, after the type: numbers and strings, each with a code in front."""
        numbers = [len(self.filters), self.buckets, self.items, self.deleted, self.bucket_size, self.max_iterations,
                   self.expansion]
        out = b"".join(b"\x02" + rdb_length(n) for n in numbers)
        for slots in self.filters:
            out += b"\x02" + rdb_length(len(slots) // self.bucket_size) + b"\x05" + rdb_length(len(slots)) + bytes(slots)
        return out + b"\0"

    def chunks(self, size=1 << 20):
        """The replies of CF.SCANDUMP: pairs of a position and a chunk."""
        yield 1, struct.pack("<QQQQHHH", self.items, self.buckets, self.deleted, len(self.filters), self.bucket_size,
                             self.max_iterations, self.expansion)
        position = 1
        for slots in self.filters:
            for at in range(0, len(slots), size):
                chunk = bytes(slots[at:at + size])
                position += len(chunk)
                yield position, chunk


def rdb_length(n):
    if n < 64:
        return bytes([n])
    if n < 1 << 32:
        return b"\x80" + struct.pack(">I", n)
    return b"\x81" + struct.pack(">Q", n)


def type_id(name="MBbloomCF", encoding=ENCODING):
    n = 0
    for letter in name:
        n = n << 6 | NAMES.index(letter)
    return b"\x81" + struct.pack(">Q", n << 10 | encoding)


def dump(filter, encoding=ENCODING):
    """The payload of RESTORE, without its checksum: the server must be told not to check it."""
    return b"\x07" + type_id(encoding=encoding) + filter.value() + struct.pack("<H", 9) + bytes(8)


def rdb_file(filters):
    """An RDB file with a key for each filter of a dict. A checksum of 0 is not checked."""
    out = b"REDIS0009\xfe\0"
    for key, filter in filters.items():
        out += b"\x07" + rdb_length(len(key)) + key.encode() + type_id() + filter.value()
    return out + b"\xff" + bytes(8)


def aof_file(filters):
    """An AOF as RedisBloom rewrites it."""
    out = b""
    for key, filter in filters.items():
        for position, chunk in filter.chunks():
            words = (b"CF.LOADCHUNK", key.encode(), str(position).encode(), chunk)
            out += b"*4\r\n" + b"".join(b"$%d\r\n%s\r\n" % (len(w), w) for w in words)
    return out
