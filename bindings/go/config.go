package guira

// #include <guira.h>
// #include <string.h>
import "C"

import (
	"math"
	"unsafe"
)

// Kind of a filter.
type Kind int

// Tidal is the one to use; the others are a filter of fixed size and those of the papers.
const (
	Tidal      Kind = C.GUIRA_TIDAL
	Cuckoo     Kind = C.GUIRA_CUCKOO
	Dynamic    Kind = C.GUIRA_DYNAMIC
	Elastic    Kind = C.GUIRA_ELASTIC
	Consistent Kind = C.GUIRA_CONSISTENT
)

// Config says how to make a filter. The zero value of each field is its default; guira.h has the details.
type Config struct {
	Kind        Kind
	Capacity    uint64   // items to make room for at once
	FPR         float64  // false-positive rate to keep, in (0,1)
	Growth      float64  // the most items ever, divided by Capacity; 1: never beyond it; 0: up to 10^10 items
	SlotBits    uint     // bits per slot; 0: from FPR, or 16
	MaxLoad     float64  // grow above it
	MinLoad     float64  // shrink below it; negative: never
	Seed        [16]byte // of the hash function; all zero: drawn from the system
	MaxKicks    uint     // most entries moved to make room for one
	BucketSlots uint     // Cuckoo and the kinds of the papers
	Buckets     uint64   // Cuckoo and the kinds of the papers
}

// A number too large for C stays too large, instead of becoming another one.
func narrow(n uint) C.uint {
	if n > math.MaxUint32 {
		return math.MaxUint32
	}
	return C.uint(n)
}

func (c *Config) toC() *C.guira_config {
	if c == nil {
		return nil
	}
	var out C.guira_config
	C.guira_config_init(&out)
	out.kind = C.guira_kind(narrow(uint(c.Kind)))
	out.capacity = C.uint64_t(c.Capacity)
	out.fpr = C.double(c.FPR)
	out.growth = C.double(c.Growth)
	out.slot_bits = narrow(c.SlotBits)
	out.max_load = C.double(c.MaxLoad)
	out.min_load = C.double(c.MinLoad)
	out.max_kicks = narrow(c.MaxKicks)
	out.bucket_slots = narrow(c.BucketSlots)
	out.buckets = C.uint64_t(c.Buckets)
	C.memcpy(unsafe.Pointer(&out.seed[0]), unsafe.Pointer(&c.Seed[0]), 16)
	return &out
}

// Stats of a filter.
type Stats struct {
	Items   uint64  // members, copies counted
	Bytes   uint64  // memory that the filter holds
	Slots   uint64  // in all buckets
	Buckets uint64  //
	Stash   uint64  // members in the stash, outside the table
	Elders  uint64  // members outside the table that can be split no further or are surplus copies
	Load    float64 // items / slots
	FPR     float64 // false-positive rate to expect right now
	FPRKept float64 // false-positive rate that is kept; 0: none was asked for
}

func statsOf(get func(*C.guira_stats) C.guira_status) (Stats, error) {
	var s C.guira_stats
	s.size = C.sizeof_guira_stats
	if err := failure(get(&s)); err != nil {
		return Stats{}, err
	}
	return Stats{
		Items: uint64(s.items), Bytes: uint64(s.bytes), Slots: uint64(s.slots), Buckets: uint64(s.buckets),
		Stash: uint64(s.stash), Elders: uint64(s.elders),
		Load: float64(s.load), FPR: float64(s.fpr), FPRKept: float64(s.fpr_kept),
	}, nil
}
