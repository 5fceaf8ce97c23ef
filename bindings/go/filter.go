package guira

// #cgo pkg-config: guira
// #include <guira.h>
// #include "keys.h"
// #include <stdlib.h>
// #include <string.h>
import "C"

import (
	"runtime"
	"unsafe"
)

// Filter is a filter for one goroutine at a time; several may read it while none changes it.
// A copy of the struct is the same filter.
type Filter struct{ held *heldFilter }

// What C has for a filter. The collector frees it when no Filter, and no copy of one, names it.
type heldFilter struct {
	c     *C.guira
	bytes unsafe.Pointer // of a view
}

func (h *heldFilter) free() {
	C.guira_destroy(h.c)
	C.free(h.bytes)
	*h = heldFilter{}
}

func own(c *C.guira, s C.guira_status) (*Filter, error) {
	if err := failure(s); err != nil {
		return nil, err
	}
	f := &Filter{&heldFilter{c: c}}
	runtime.SetFinalizer(f.held, (*heldFilter).free)
	return f, nil
}

// nil: it was closed, or never made.
func (f *Filter) c() *C.guira {
	if f == nil || f.held == nil {
		return nil
	}
	return f.held.c
}

// New makes an empty filter; nil is the default configuration.
func New(c *Config) (*Filter, error) {
	var out *C.guira
	s := C.guira_create(c.toC(), &out)
	return own(out, s)
}

// Close frees the filter. It may be called more than once, and always returns nil.
func (f *Filter) Close() error {
	if f != nil && f.held != nil {
		f.held.free()
	}
	return nil
}

// Insert adds one copy of key.
func (f *Filter) Insert(key []byte) error {
	defer runtime.KeepAlive(f)
	return failure(C.go_insert(f.c(), start(key), C.size_t(len(key))))
}

// InsertString adds one copy of key, the same as its bytes.
func (f *Filter) InsertString(key string) error {
	defer runtime.KeepAlive(f)
	return failure(C.go_insert(f.c(), stringStart(key), C.size_t(len(key))))
}

// InsertUnique adds key, or returns ErrExists if the filter contains it already.
func (f *Filter) InsertUnique(key []byte) error {
	defer runtime.KeepAlive(f)
	return failure(C.go_insert_unique(f.c(), start(key), C.size_t(len(key))))
}

// Contains is false if key is not a member, and true if it is one, or for a false positive.
func (f *Filter) Contains(key []byte) bool {
	defer runtime.KeepAlive(f)
	return bool(C.go_contains(f.c(), start(key), C.size_t(len(key))))
}

// ContainsString is Contains for the bytes of a string.
func (f *Filter) ContainsString(key string) bool {
	defer runtime.KeepAlive(f)
	return bool(C.go_contains(f.c(), stringStart(key), C.size_t(len(key))))
}

// Remove takes away one copy of key, which must have been inserted. ErrNotFound: it was not.
func (f *Filter) Remove(key []byte) error {
	defer runtime.KeepAlive(f)
	return failure(C.go_remove(f.c(), start(key), C.size_t(len(key))))
}

// RemoveString is Remove for the bytes of a string.
func (f *Filter) RemoveString(key string) error {
	defer runtime.KeepAlive(f)
	return failure(C.go_remove(f.c(), stringStart(key), C.size_t(len(key))))
}

// Count is how many copies of key the filter holds; false positives can make it too many, never too few.
func (f *Filter) Count(key []byte) uint64 {
	defer runtime.KeepAlive(f)
	return uint64(C.go_count(f.c(), start(key), C.size_t(len(key))))
}

// Reserve makes room for so many items in all.
func (f *Filter) Reserve(items uint64) error {
	defer runtime.KeepAlive(f)
	return failure(C.guira_reserve(f.c(), C.uint64_t(items)))
}

// ShrinkToFit frees room that is not needed.
func (f *Filter) ShrinkToFit() error {
	defer runtime.KeepAlive(f)
	return failure(C.guira_shrink_to_fit(f.c()))
}

// Clear removes everything.
func (f *Filter) Clear() error {
	defer runtime.KeepAlive(f)
	return failure(C.guira_clear(f.c()))
}

// Clone is a second filter with the same bytes.
func (f *Filter) Clone() (*Filter, error) {
	defer runtime.KeepAlive(f)
	var out *C.guira
	s := C.guira_clone(f.c(), &out)
	return own(out, s)
}

// Merge inserts a copy of every member of from, all or nothing. Both must have the same seed.
func (f *Filter) Merge(from *Filter) error {
	defer runtime.KeepAlive(f)
	defer runtime.KeepAlive(from)
	return failure(C.guira_merge(f.c(), from.c()))
}

// Union is Merge without the members that the filter has already.
func (f *Filter) Union(from *Filter) error {
	defer runtime.KeepAlive(f)
	defer runtime.KeepAlive(from)
	return failure(C.guira_union(f.c(), from.c()))
}

// Stats of the filter.
func (f *Filter) Stats() (Stats, error) {
	defer runtime.KeepAlive(f)
	return statsOf(func(s *C.guira_stats) C.guira_status { return C.guira_stats_get(f.c(), s) })
}

// Len is the number of members, copies counted.
func (f *Filter) Len() int {
	s, _ := f.Stats()
	return int(s.Items)
}

// Seed of the hash function: filters that are to be merged need the same one.
func (f *Filter) Seed() (seed [16]byte) {
	defer runtime.KeepAlive(f)
	var c C.guira_config
	C.guira_config_init(&c)
	C.guira_config_get(f.c(), &c)
	C.memcpy(unsafe.Pointer(&seed[0]), unsafe.Pointer(&c.seed[0]), 16)
	return seed
}

// Validate reads the whole filter and checks every invariant.
func (f *Filter) Validate() error {
	defer runtime.KeepAlive(f)
	return failure(C.guira_validate(f.c(), nil))
}
