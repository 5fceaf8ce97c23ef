package guira

// #include <guira_shared.h>
// #include "keys.h"
// #include <stdlib.h>
import "C"

import (
	"runtime"
	"unsafe"
)

// SharedFilter is a filter for any number of goroutines. Lookups take no lock and never block. Close it when no other
// goroutine uses it. A copy of the struct is the same filter.
type SharedFilter struct{ held *heldShared }

type heldShared struct{ c *C.guira_shared }

func (h *heldShared) free() {
	if h.c != nil {
		C.guira_shared_destroy(h.c)
	}
	h.c = nil
}

func ownShared(c *C.guira_shared, s C.guira_status) (*SharedFilter, error) {
	if err := failure(s); err != nil {
		return nil, err
	}
	g := &SharedFilter{&heldShared{c}}
	runtime.SetFinalizer(g.held, (*heldShared).free)
	return g, nil
}

func (g *SharedFilter) c() *C.guira_shared {
	if g == nil || g.held == nil {
		return nil
	}
	return g.held.c
}

// NewShared makes an empty filter. shards: a power of two up to 256, or 0 for the default; more shards let more goroutines
// write at once.
func NewShared(c *Config, shards uint) (*SharedFilter, error) {
	var out *C.guira_shared
	s := C.guira_shared_create(c.toC(), narrow(shards), &out)
	return ownShared(out, s)
}

// LoadShared reads a shared filter from a file, which need not be trusted.
func LoadShared(path string) (*SharedFilter, error) {
	p, err := cPath(path)
	if err != nil {
		return nil, err
	}
	defer C.free(unsafe.Pointer(p))
	var out *C.guira_shared
	s := C.guira_shared_load(p, &out)
	return ownShared(out, s)
}

// Close frees the filter. No other goroutine may use it any more.
func (g *SharedFilter) Close() error {
	if g != nil && g.held != nil {
		g.held.free()
	}
	return nil
}

// Insert adds one copy of key.
func (g *SharedFilter) Insert(key []byte) error {
	defer runtime.KeepAlive(g)
	return failure(C.go_shared_insert(g.c(), start(key), C.size_t(len(key))))
}

// InsertUnique adds key, or returns ErrExists. If several goroutines insert the same key at once, exactly one gets nil.
func (g *SharedFilter) InsertUnique(key []byte) error {
	defer runtime.KeepAlive(g)
	return failure(C.go_shared_insert_unique(g.c(), start(key), C.size_t(len(key))))
}

// Contains is as that of Filter.
func (g *SharedFilter) Contains(key []byte) bool {
	defer runtime.KeepAlive(g)
	return bool(C.go_shared_contains(g.c(), start(key), C.size_t(len(key))))
}

// Remove is as that of Filter.
func (g *SharedFilter) Remove(key []byte) error {
	defer runtime.KeepAlive(g)
	return failure(C.go_shared_remove(g.c(), start(key), C.size_t(len(key))))
}

// Count is as that of Filter.
func (g *SharedFilter) Count(key []byte) uint64 {
	defer runtime.KeepAlive(g)
	return uint64(C.go_shared_count(g.c(), start(key), C.size_t(len(key))))
}

// Hash of a key, for batches.
func (g *SharedFilter) Hash(key []byte) uint64 {
	defer runtime.KeepAlive(g)
	return uint64(C.go_shared_hash(g.c(), start(key), C.size_t(len(key))))
}

// ContainsHashes looks up many hashes by one call into C.
func (g *SharedFilter) ContainsHashes(hash []uint64) []bool {
	defer runtime.KeepAlive(g)
	out := make([]bool, len(hash))
	if len(hash) > 0 {
		C.guira_shared_contains_hash_many(g.c(), (*C.uint64_t)(unsafe.Pointer(&hash[0])), C.size_t(len(hash)),
			(*C.bool)(unsafe.Pointer(&out[0])))
	}
	return out
}

// InsertHashes is as that of Filter.
func (g *SharedFilter) InsertHashes(hash []uint64) (int, error) {
	defer runtime.KeepAlive(g)
	return changeMany(g.c() == nil, hash, func(hash *C.uint64_t, n C.size_t, out *C.guira_status) C.size_t {
		return C.guira_shared_insert_hash_many(g.c(), hash, n, out)
	})
}

// RemoveHashes is as that of Filter.
func (g *SharedFilter) RemoveHashes(hash []uint64) (int, error) {
	defer runtime.KeepAlive(g)
	return changeMany(g.c() == nil, hash, func(hash *C.uint64_t, n C.size_t, out *C.guira_status) C.size_t {
		return C.guira_shared_remove_hash_many(g.c(), hash, n, out)
	})
}

// Stats are sums and means over the shards.
func (g *SharedFilter) Stats() (Stats, error) {
	defer runtime.KeepAlive(g)
	return statsOf(func(s *C.guira_stats) C.guira_status { return C.guira_shared_stats_get(g.c(), s) })
}

// Len is the number of members, copies counted.
func (g *SharedFilter) Len() int {
	s, _ := g.Stats()
	return int(s.Items)
}

// Save is as that of Filter.
func (g *SharedFilter) Save(path string) error {
	defer runtime.KeepAlive(g)
	p, err := cPath(path)
	if err != nil {
		return err
	}
	defer C.free(unsafe.Pointer(p))
	return failure(C.guira_shared_save(g.c(), p))
}
