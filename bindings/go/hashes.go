package guira

// #include <guira.h>
// #include "keys.h"
//
// /* The hashes of n keys, which lie one after the other behind the first byte; length[i] is that of key i. */
// static void hash_all(const guira *f, const char *key, const size_t *length, size_t n, uint64_t *out) {
//     key++;
//     for (size_t i = 0; i < n; key += length[i++]) out[i] = guira_hash(f, key, length[i]);
// }
import "C"

import (
	"runtime"
	"unsafe"
)

// Hash of a key, for callers that use it several times, and for batches.
func (f *Filter) Hash(key []byte) uint64 {
	defer runtime.KeepAlive(f)
	return uint64(C.go_hash(f.c(), start(key), C.size_t(len(key))))
}

// Keys are copied by so many, or so many bytes, for each call into C: that stays in the processor's cache.
const hashKeys, hashBytes = 2048, 1 << 15

// HashStrings are the hashes of many keys, by one call into C for each 2,048 of them.
func (f *Filter) HashStrings(keys []string) []uint64 {
	defer runtime.KeepAlive(f)
	out := make([]uint64, len(keys))
	room := len(keys)
	if room > hashKeys {
		room = hashKeys
	}
	bytes, length := make([]byte, 1, 1+16*room), make([]C.size_t, 0, room)
	done := 0
	for i, key := range keys {
		bytes, length = append(bytes, key...), append(length, C.size_t(len(key)))
		if len(bytes) >= hashBytes || len(length) == hashKeys || i == len(keys)-1 {
			C.hash_all(f.c(), (*C.char)(unsafe.Pointer(&bytes[0])), &length[0], C.size_t(len(length)),
				(*C.uint64_t)(unsafe.Pointer(&out[done])))
			bytes, length, done = bytes[:1], length[:0], i+1
		}
	}
	return out
}

// InsertHash adds one copy of the key with this hash.
func (f *Filter) InsertHash(hash uint64) error {
	defer runtime.KeepAlive(f)
	return failure(C.guira_insert_hash(f.c(), C.uint64_t(hash)))
}

// ContainsHash is Contains for the key with this hash.
func (f *Filter) ContainsHash(hash uint64) bool {
	defer runtime.KeepAlive(f)
	return bool(C.guira_contains_hash(f.c(), C.uint64_t(hash)))
}

// RemoveHash takes away one copy of the key with this hash.
func (f *Filter) RemoveHash(hash uint64) error {
	defer runtime.KeepAlive(f)
	return failure(C.guira_remove_hash(f.c(), C.uint64_t(hash)))
}

// ContainsHashes looks up many hashes by one call into C, and returns an answer for each.
func (f *Filter) ContainsHashes(hash []uint64) []bool {
	defer runtime.KeepAlive(f)
	out := make([]bool, len(hash))
	if len(hash) > 0 {
		C.guira_contains_hash_many(f.c(), (*C.uint64_t)(unsafe.Pointer(&hash[0])), C.size_t(len(hash)),
			(*C.bool)(unsafe.Pointer(&out[0])))
	}
	return out
}

// InsertHashes adds many hashes by one call into C. It goes on after a failure, returns how many were inserted, and the first
// failure.
func (f *Filter) InsertHashes(hash []uint64) (int, error) {
	return f.change(hash, func(hash *C.uint64_t, n C.size_t, out *C.guira_status) C.size_t {
		return C.guira_insert_hash_many(f.c(), hash, n, out)
	})
}

// RemoveHashes takes away one copy of each, in the same way as InsertHashes adds them.
func (f *Filter) RemoveHashes(hash []uint64) (int, error) {
	return f.change(hash, func(hash *C.uint64_t, n C.size_t, out *C.guira_status) C.size_t {
		return C.guira_remove_hash_many(f.c(), hash, n, out)
	})
}

func (f *Filter) change(hash []uint64, many func(*C.uint64_t, C.size_t, *C.guira_status) C.size_t) (int, error) {
	defer runtime.KeepAlive(f)
	return changeMany(f.c() == nil, hash, many)
}

func changeMany(closed bool, hash []uint64,
	many func(*C.uint64_t, C.size_t, *C.guira_status) C.size_t) (int, error) {
	if closed {
		return 0, ErrInvalid
	}
	if len(hash) == 0 {
		return 0, nil
	}
	out := make([]C.guira_status, len(hash))
	done := many((*C.uint64_t)(unsafe.Pointer(&hash[0])), C.size_t(len(hash)), &out[0])
	for _, s := range out {
		if s != C.GUIRA_OK {
			return int(done), Error(s)
		}
	}
	return int(done), nil
}
