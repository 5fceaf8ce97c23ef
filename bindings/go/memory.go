package guira

// #include <guira.h>
// #include <stdlib.h>
// #include <string.h>
//
// /* A place for the bytes of a file: guira_write_fn of the functions below. */
// struct go_bytes { unsigned char *start; size_t n, room; };
//
// static bool go_bytes_add(void *to, const void *bytes, size_t n) {
//     struct go_bytes *b = to;
//     if (n > b->room - b->n) {
//         size_t room = 2 * b->room + n;
//         unsigned char *start = realloc(b->start, room);
//         if (start == NULL) return false;
//         b->start = start;
//         b->room = room;
//     }
//     memcpy(b->start + b->n, bytes, n);
//     b->n += n;
//     return true;
// }
//
// static guira_write_fn *go_bytes_writer(void) { return go_bytes_add; }
import "C"

import (
	"strings"
	"unsafe"
)

// The start of a key. C gets it for the time of one call only. A slice or string without bytes has none.
func start(key []byte) *C.char {
	if len(key) == 0 {
		return nil
	}
	return (*C.char)(unsafe.Pointer(&key[0]))
}

// The first word of a string is the pointer to its bytes (unsafe.StringData needs Go 1.20).
func stringStart(key string) *C.char { return *(**C.char)(unsafe.Pointer(&key)) }

// A path as C takes it, to be freed. C would take a path with a NUL for what stands before it.
func cPath(path string) (*C.char, error) {
	if strings.IndexByte(path, 0) >= 0 {
		return nil, ErrInvalid
	}
	return C.CString(path), nil
}

// What save writes, as a slice of Go.
func savedBytes(save func(write *C.guira_write_fn, to unsafe.Pointer) C.guira_status) ([]byte, error) {
	b := (*C.struct_go_bytes)(C.calloc(1, C.sizeof_struct_go_bytes))
	if b == nil {
		return nil, ErrNoMemory
	}
	defer C.free(unsafe.Pointer(b))
	err := failure(save(C.go_bytes_writer(), unsafe.Pointer(b)))
	defer C.free(unsafe.Pointer(b.start))
	if err != nil {
		return nil, err
	}
	out := make([]byte, int(b.n))
	if len(out) > 0 {
		C.memcpy(unsafe.Pointer(&out[0]), unsafe.Pointer(b.start), b.n)
	}
	return out, nil
}
