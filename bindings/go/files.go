package guira

// #include <guira.h>
// #include "keys.h"
// #include <stdlib.h>
// #include <string.h>
import "C"

import (
	"runtime"
	"unsafe"
)

// Save writes the filter to a file: after a crash at any time there is the old file or the new one, complete. A file contains
// the seed: keep it as secret as the keys.
func (f *Filter) Save(path string) error {
	defer runtime.KeepAlive(f)
	p, err := cPath(path)
	if err != nil {
		return err
	}
	defer C.free(unsafe.Pointer(p))
	return failure(C.guira_save(f.c(), p))
}

// Load reads a filter from a file, which need not be trusted.
func Load(path string) (*Filter, error) {
	p, err := cPath(path)
	if err != nil {
		return nil, err
	}
	defer C.free(unsafe.Pointer(p))
	var out *C.guira
	s := C.guira_load(p, &out)
	return own(out, s)
}

// Map is a read-only filter that answers from a file without reading it.
func Map(path string) (*Filter, error) {
	p, err := cPath(path)
	if err != nil {
		return nil, err
	}
	defer C.free(unsafe.Pointer(p))
	var out *C.guira
	s := C.guira_map(p, &out)
	return own(out, s)
}

// MarshalBinary returns what Save would write.
func (f *Filter) MarshalBinary() ([]byte, error) {
	defer runtime.KeepAlive(f)
	return savedBytes(func(write *C.guira_write_fn, to unsafe.Pointer) C.guira_status {
		return C.guira_save_to(f.c(), write, to)
	})
}

// UnmarshalBinary replaces the filter by the one in these bytes, which need not be trusted. On failure nothing has changed.
func (f *Filter) UnmarshalBinary(data []byte) error {
	if f == nil {
		return ErrInvalid
	}
	var out *C.guira
	if err := failure(C.go_load_from(start(data), C.size_t(len(data)), &out)); err != nil {
		return err
	}
	if f.held == nil {
		made, _ := own(out, C.GUIRA_OK)
		*f = *made
		return nil
	}
	f.held.free()
	f.held.c = out
	return nil
}

// View is a read-only filter on the bytes of a file. They are copied once and not decoded, so this is faster than
// UnmarshalBinary. Only their beginning is checked: corrupt bytes do no harm, but may give false negatives and false positives; Validate reads all.
func View(data []byte) (*Filter, error) {
	const alignment = 64 // what guira_view needs in order not to copy once more
	room := (C.size_t(len(data)) + alignment) / alignment * alignment
	bytes := C.aligned_alloc(alignment, room)
	if bytes == nil {
		return nil, ErrNoMemory
	}
	if len(data) > 0 {
		C.memcpy(bytes, unsafe.Pointer(&data[0]), C.size_t(len(data)))
	}
	var out *C.guira
	s := C.guira_view(bytes, C.size_t(len(data)), &out)
	f, err := own(out, s)
	if err != nil {
		C.free(bytes)
		return nil, err
	}
	f.held.bytes = bytes
	return f, nil
}
