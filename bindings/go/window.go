package guira

// #include <guira_window.h>
// #include "keys.h"
// #include <stdlib.h>
import "C"

import (
	"runtime"
	"unsafe"
)

// Window answers "was this key seen in the last T?". Expired keys are removed by themselves. It is for one goroutine at a
// time. A copy of the struct is the same window.
type Window struct{ held *heldWindow }

type heldWindow struct{ c *C.guira_window }

func (h *heldWindow) free() {
	C.guira_window_destroy(h.c)
	h.c = nil
}

// WindowConfig says how to make a window. The zero value of each field but Length is its default.
type WindowConfig struct {
	Length   uint64  // T, in the caller's unit of time; better 100 of them or more
	FPR      float64 // false-positive rate to keep; 0: 1e-5
	Slides   bool    // every time a key is seen starts T anew
	Capacity uint64  // number of keys expected within T
	Growth   float64 // as in Config
}

func ownWindow(c *C.guira_window, s C.guira_status) (*Window, error) {
	if err := failure(s); err != nil {
		return nil, err
	}
	w := &Window{&heldWindow{c}}
	runtime.SetFinalizer(w.held, (*heldWindow).free)
	return w, nil
}

func (w *Window) c() *C.guira_window {
	if w == nil || w.held == nil {
		return nil
	}
	return w.held.c
}

// NewWindow makes an empty window at time 0.
func NewWindow(c WindowConfig) (*Window, error) {
	var config C.guira_window_config
	config.size = C.sizeof_guira_window_config
	config.length = C.uint64_t(c.Length)
	config.fpr = C.double(c.FPR)
	config.slides = C.bool(c.Slides)
	config.capacity = C.uint64_t(c.Capacity)
	config.growth = C.double(c.Growth)
	var out *C.guira_window
	s := C.guira_window_create(&config, &out)
	return ownWindow(out, s)
}

// LoadWindow reads a window from a file, which need not be trusted.
func LoadWindow(path string) (*Window, error) {
	p, err := cPath(path)
	if err != nil {
		return nil, err
	}
	defer C.free(unsafe.Pointer(p))
	var out *C.guira_window
	s := C.guira_window_load(p, &out)
	return ownWindow(out, s)
}

// Close frees the window.
func (w *Window) Close() error {
	if w != nil && w.held != nil {
		w.held.free()
	}
	return nil
}

// Seen tells whether key was seen, and records it as seen. The time never goes back: ErrInvalid, and nothing has changed.
func (w *Window) Seen(key []byte, now uint64) (bool, error) {
	defer runtime.KeepAlive(w)
	var seen C.bool
	err := failure(C.go_window_seen(w.c(), start(key), C.size_t(len(key)), C.uint64_t(now), &seen))
	return bool(seen), err
}

// Contains is the lookup alone: it changes nothing, not even the time.
func (w *Window) Contains(key []byte, now uint64) (bool, error) {
	defer runtime.KeepAlive(w)
	var seen C.bool
	err := failure(C.go_window_contains(w.c(), start(key), C.size_t(len(key)), C.uint64_t(now), &seen))
	return bool(seen), err
}

// Tick sets the time and removes everything that is due, for times without traffic.
func (w *Window) Tick(now uint64) error {
	defer runtime.KeepAlive(w)
	return failure(C.guira_window_tick(w.c(), C.uint64_t(now)))
}

// Now is the time of the last call.
func (w *Window) Now() uint64 {
	defer runtime.KeepAlive(w)
	return uint64(C.guira_window_now(w.c()))
}

// Stats of the window; items are all entries that were not removed yet.
func (w *Window) Stats() (Stats, error) {
	defer runtime.KeepAlive(w)
	return statsOf(func(s *C.guira_stats) C.guira_status { return C.guira_window_stats_get(w.c(), s) })
}

// Save is as that of Filter.
func (w *Window) Save(path string) error {
	defer runtime.KeepAlive(w)
	p, err := cPath(path)
	if err != nil {
		return err
	}
	defer C.free(unsafe.Pointer(p))
	return failure(C.guira_window_save(w.c(), p))
}
