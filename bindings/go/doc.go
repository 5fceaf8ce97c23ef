// Package guira has cuckoo filters that delete, count copies, grow and shrink. A filter answers "is this key in the set?"
// in a few bytes per key, with no false negatives and a known rate of false positives.
//
//	f, err := guira.New(nil)
//	if err != nil {
//		return err
//	}
//	defer f.Close()
//	f.InsertString("ana")
//	f.ContainsString("ana") // true, always
//	f.ContainsString("bob") // false, except for false positives
//
// Filter is for one goroutine at a time (several may read it while none changes it), SharedFilter for any number of them,
// Window answers "was this key seen in the last ten minutes?".
//
// The package uses libguira through cgo; pkg-config must find it. A call into C takes some 40 ns, so use batches
// (ContainsHashes and so on) where you have many keys: a batch is one call.
//
// Remove only keys that were inserted. A filter cannot tell a member from a false positive: removing a key that was never
// inserted may remove the entry of another key.
//
// Close frees the memory of a filter at once; a filter that is not closed is freed by the garbage collector. A closed filter
// contains nothing, and calls that would change it return ErrInvalid.
package guira
