package guira

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// seed prints the seed of a random test and takes it back from GUIRA_SEED.
func seed(t *testing.T) *rand.Rand {
	s := time.Now().UnixNano()
	if given, err := strconv.ParseInt(os.Getenv("GUIRA_SEED"), 0, 64); err == nil {
		s = given
	}
	t.Logf("GUIRA_SEED=%d", s)
	return rand.New(rand.NewSource(s))
}

func made(t *testing.T, c *Config) *Filter {
	t.Helper()
	f, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func madeShared(t *testing.T) *SharedFilter {
	t.Helper()
	g, err := NewShared(nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.Close() })
	return g
}

func key(i int) []byte { return []byte(fmt.Sprintf("key %d", i)) }

// Slots of 32 bits: of 10^5 lookups of absent keys with 2,000 members, a false positive has a probability of 10^-3 in all,
// and it only raises a count, which is compared from below.
func TestFilterAgreesWithAnExactMultiset(t *testing.T) {
	r, f, model := seed(t), made(t, &Config{SlotBits: 32}), map[int]uint64{}
	items := 0
	for step := 0; step < 100000; step++ {
		k := r.Intn(2000)
		switch r.Intn(3) {
		case 0:
			if err := f.Insert(key(k)); err != nil {
				t.Fatal(err)
			}
			model[k]++
			items++
		case 1:
			if model[k] == 0 {
				continue // removing what was not inserted is not allowed
			}
			if err := f.Remove(key(k)); err != nil {
				t.Fatal(err)
			}
			model[k]--
			items--
		case 2:
			if n := f.Count(key(k)); n < model[k] {
				t.Fatalf("key %d: %d copies, counted %d", k, model[k], n)
			}
			if model[k] > 0 && !f.Contains(key(k)) {
				t.Fatalf("key %d is missing", k)
			}
		}
	}
	if f.Len() != items {
		t.Fatalf("%d items, Len is %d", items, f.Len())
	}
	if err := f.Validate(); err != nil {
		t.Fatal(err)
	}
}

func TestStringsAreTheirBytes(t *testing.T) {
	f := made(t, nil)
	f.InsertString("ana")
	if !f.Contains([]byte("ana")) || f.Hash([]byte("ana")) != f.HashStrings([]string{"", "ana"})[1] {
		t.Fatal("a string and its bytes are two keys")
	}
	f.InsertString("")
	if !f.Contains(nil) || !f.ContainsString("") {
		t.Fatal("the empty key is missing")
	}
}

func TestHashStringsAreThoseOfTheirKeys(t *testing.T) {
	f := made(t, nil)
	long := strings.Repeat("cuckoo", 30000)
	for _, n := range []int{0, 1, 2047, 2048, 2049, 10000} {
		keys := make([]string, n)
		for i := range keys {
			keys[i] = long[i%7 : i%7+i*i%301] // some are empty
			if i%1999 == 1998 {
				keys[i] = long[i:]
			}
		}
		for i, h := range f.HashStrings(keys) {
			if h != f.Hash([]byte(keys[i])) {
				t.Fatalf("key %d of %d, of %d bytes, has another hash", i, n, len(keys[i]))
			}
		}
	}
}

func TestBatchesAreTheSameAsSingleCalls(t *testing.T) {
	f, r := made(t, &Config{SlotBits: 32}), seed(t)
	hash := make([]uint64, 10000)
	for i := range hash {
		hash[i] = r.Uint64()
	}
	if n, err := f.InsertHashes(hash[:5000]); n != 5000 || err != nil {
		t.Fatal(n, err)
	}
	for i, found := range f.ContainsHashes(hash) {
		if found != f.ContainsHash(hash[i]) || i < 5000 && !found {
			t.Fatal(i, found)
		}
	}
	if n, err := f.RemoveHashes(hash[:5000]); n != 5000 || err != nil || f.Len() != 0 {
		t.Fatal(n, err, f.Len())
	}
	if n, err := f.RemoveHashes(hash[:1]); n != 0 || !errors.Is(err, ErrNotFound) {
		t.Fatal(n, err)
	}
	if n, err := f.InsertHashes(nil); n != 0 || err != nil || len(f.ContainsHashes(nil)) != 0 {
		t.Fatal(n, err)
	}
}

func TestErrorsAreOfThisPackage(t *testing.T) {
	f := made(t, &Config{SlotBits: 32})
	f.InsertString("ana")
	for _, c := range []struct {
		got  error
		want Error
	}{
		{f.InsertUnique([]byte("ana")), ErrExists},
		{f.RemoveString("bob"), ErrNotFound},
		{f.Merge(made(t, nil)), ErrInvalid}, // another seed
		{f.Save("/no such directory/x"), ErrNoFile},
	} {
		if !errors.Is(c.got, c.want) {
			t.Errorf("%v instead of %v", c.got, c.want)
		}
	}
	for _, c := range []*Config{{FPR: 2}, {SlotBits: 7}, {Kind: 99}, {Kind: Cuckoo}, {MaxLoad: -1}} {
		if f, err := New(c); !errors.Is(err, ErrInvalid) || f != nil {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

func TestPathsWithANulAreRefused(t *testing.T) {
	f, g, before := made(t, nil), madeShared(t), filepath.Join(t.TempDir(), "set")
	w, err := NewWindow(WindowConfig{Length: 1000})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	path := before + "\x00.gf"
	_, load := Load(path)
	_, mapped := Map(path)
	_, shared := LoadShared(path)
	_, window := LoadWindow(path)
	for i, err := range []error{f.Save(path), g.Save(path), w.Save(path), load, mapped, shared, window} {
		if !errors.Is(err, ErrInvalid) {
			t.Errorf("call %d: %v", i, err)
		}
	}
	if _, err := os.Stat(before); err == nil {
		t.Error("a file was written under the first part of the name")
	}
}

func TestNumbersTooLargeForCAreRefused(t *testing.T) {
	if strconv.IntSize < 64 {
		t.Skip("no number is too large")
	}
	var large uint = 1 << 16
	large <<= 16 // the lower half is 0
	for _, c := range []*Config{{SlotBits: large + 16}, {Kind: Kind(large)}, {Kind: -1},
		{Kind: Cuckoo, Capacity: 100, BucketSlots: large + 4}} {
		if f, err := New(c); !errors.Is(err, ErrInvalid) || f != nil {
			t.Errorf("%+v: %v", c, err)
		}
	}
	for _, shards := range []uint{3, 512, large + 4} {
		if g, err := NewShared(nil, shards); !errors.Is(err, ErrInvalid) || g != nil {
			t.Errorf("%d shards: %v", shards, err)
		}
	}
}

func TestNilIsClosed(t *testing.T) {
	var (
		f *Filter
		g *SharedFilter
		w *Window
	)
	_, batch := f.InsertHashes([]uint64{1})
	_, shared := g.InsertHashes([]uint64{1})
	_, seen := w.Seen([]byte("ana"), 5)
	_, clone := f.Clone()
	for i, err := range []error{f.Insert(key(1)), g.Insert(key(1)), batch, shared, seen, clone, made(t, nil).Merge(f),
		made(t, nil).Union(nil), f.UnmarshalBinary(nil), f.Save("x"), g.Save("x"), w.Save("x"), w.Tick(5)} {
		if !errors.Is(err, ErrInvalid) {
			t.Errorf("call %d: %v", i, err)
		}
	}
	if f.Contains(key(1)) || g.Contains(key(1)) || f.Len()+g.Len() != 0 || f.HashStrings([]string{"ana"})[0] != 0 ||
		f.Close() != nil || g.Close() != nil || w.Close() != nil {
		t.Error("nil is not closed")
	}
}

// A batch reads its hashes while other goroutines change them: a misuse, but only the answers may be wrong. The race detector
// does not see what C reads.
func TestABatchWhoseHashesChangeDoesNoHarm(t *testing.T) {
	g, hashes := madeShared(t), make([]uint64, 4096)
	var wait sync.WaitGroup
	for part := 0; part < 2; part++ {
		part := part
		wait.Add(2)
		go func() {
			defer wait.Done()
			for i := 0; i < 20*len(hashes); i++ {
				hashes[2*(i%(len(hashes)/2))+part] += uint64(i) * 0x9e3779b97f4a7c15
			}
		}()
		go func() {
			defer wait.Done()
			for i := 0; i < 20; i++ {
				g.InsertHashes(hashes)
				g.ContainsHashes(hashes)
				g.RemoveHashes(hashes)
			}
		}()
	}
	wait.Wait()
	path := filepath.Join(t.TempDir(), "shared")
	if err := g.Save(path); err != nil {
		t.Fatal(err)
	}
	loaded, err := LoadShared(path) // checks every invariant
	if err != nil {
		t.Fatal(err)
	}
	loaded.Close()
}

func TestAClosedFilterIsHarmless(t *testing.T) {
	f, err := New(nil)
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	f.Close()
	if f.ContainsString("ana") || f.Len() != 0 || f.ContainsHashes([]uint64{1})[0] {
		t.Fatal("a closed filter contains something")
	}
	_, batch := f.InsertHashes([]uint64{1})
	_, saved := f.MarshalBinary()
	for _, err := range []error{f.InsertString("ana"), batch, saved, f.Clear(), f.Validate(), f.Save("x")} {
		if !errors.Is(err, ErrInvalid) {
			t.Fatal(err)
		}
	}
}

func TestFilesRoundTrip(t *testing.T) {
	f, path := made(t, nil), filepath.Join(t.TempDir(), "set.gf")
	for i := 0; i < 5000; i++ {
		f.Insert(key(i))
	}
	if err := f.Save(path); err != nil {
		t.Fatal(err)
	}
	data, err := f.MarshalBinary()
	file, _ := os.ReadFile(path)
	if err != nil || !bytes.Equal(data, file) {
		t.Fatal(err)
	}
	var read Filter
	if err := read.UnmarshalBinary(data); err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	loaded, err1 := Load(path)
	mapped, err2 := Map(path)
	viewed, err3 := View(data)
	if err1 != nil || err2 != nil || err3 != nil {
		t.Fatal(err1, err2, err3)
	}
	for _, g := range []*Filter{&read, loaded, mapped, viewed} {
		for i := 0; i < 5000; i++ {
			if !g.Contains(key(i)) {
				t.Fatal(i)
			}
		}
		g.Close()
	}
}

func TestDamagedBytesAreRefused(t *testing.T) {
	r, f := seed(t), made(t, nil)
	for i := 0; i < 300; i++ {
		f.Insert(key(i))
	}
	data, _ := f.MarshalBinary()
	for i := 0; i < 2000; i++ {
		bad := append([]byte(nil), data...)
		if i%2 == 0 {
			bad[r.Intn(len(bad))] ^= byte(1 + r.Intn(255))
		} else {
			bad = bad[:r.Intn(len(bad))]
		}
		if err := new(Filter).UnmarshalBinary(bad); err == nil {
			t.Fatal("damaged bytes were accepted")
		}
		if v, err := View(bad); err == nil { // only its beginning was checked
			v.ContainsString("ana")
			v.Validate()
			v.Close()
		}
	}
}

// Slots of 32 bits: with 16, "bob" is a false positive in one of 10^4 runs.
func TestMergeAndUnion(t *testing.T) {
	a := made(t, &Config{SlotBits: 32})
	b := made(t, &Config{SlotBits: 32, Seed: a.Seed()})
	a.InsertString("ana")
	b.InsertString("ana")
	b.InsertString("bob")
	if err := a.Union(b); err != nil || a.Len() != 2 {
		t.Fatal(err, a.Len())
	}
	if err := a.Merge(b); err != nil || a.Count([]byte("ana")) != 2 {
		t.Fatal(err)
	}
}

func TestGoroutinesShareAFilter(t *testing.T) {
	g, err := NewShared(nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	const writers, each = 4, 5000
	var all sync.WaitGroup
	for w := 0; w < writers; w++ {
		all.Add(1)
		go func(w int) {
			defer all.Done()
			for i := w * each; i < (w+1)*each; i++ {
				if err := g.Insert(key(i)); err != nil {
					t.Error(err)
				}
				if !g.Contains(key(i)) {
					t.Errorf("key %d is missing", i)
				}
			}
		}(w)
	}
	all.Wait()
	path := filepath.Join(t.TempDir(), "shared.gf")
	if err := g.Save(path); err != nil || g.Len() != writers*each {
		t.Fatal(err, g.Len())
	}
	h, err := LoadShared(path)
	if err != nil || !h.Contains(key(1)) || h.Len() != writers*each {
		t.Fatal(err)
	}
	h.Close()
	if _, err := Load(path); !errors.Is(err, ErrFormat) {
		t.Fatal(err)
	}
}

func TestExactlyOneGoroutineInsertsAKey(t *testing.T) {
	g, err := NewShared(&Config{SlotBits: 32}, 0) // 1,000 keys: a false positive has a probability below 10^-3
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	won := make([]int, 4)
	var all sync.WaitGroup
	for w := range won {
		all.Add(1)
		go func(w int) {
			defer all.Done()
			for i := 0; i < 1000; i++ {
				if g.InsertUnique(key(i)) == nil {
					won[w]++
				}
			}
		}(w)
	}
	all.Wait()
	if sum := won[0] + won[1] + won[2] + won[3]; sum != g.Len() || sum > 1000 {
		t.Fatal(sum, g.Len())
	}
}

func TestWindowsForget(t *testing.T) {
	w, err := NewWindow(WindowConfig{Length: 1000})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if seen, err := w.Seen([]byte("ana"), 10); seen || err != nil {
		t.Fatal(seen, err)
	}
	if seen, err := w.Contains([]byte("ana"), 1010); !seen || err != nil {
		t.Fatal(seen, err)
	}
	if _, err := w.Seen([]byte("ana"), 9); !errors.Is(err, ErrInvalid) {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "window.gf")
	if err := w.Save(path); err != nil {
		t.Fatal(err)
	}
	again, err := LoadWindow(path)
	if err != nil || again.Now() != 10 {
		t.Fatal(err)
	}
	again.Close()
	if err := w.Tick(3000); err != nil {
		t.Fatal(err)
	}
	if s, err := w.Stats(); err != nil || s.Items != 0 {
		t.Fatal(s, err)
	}
	if _, err := NewWindow(WindowConfig{}); !errors.Is(err, ErrInvalid) {
		t.Fatal(err)
	}
}

// The collector has run, and everything that it could free when this was called is freed.
func collect(t *testing.T) {
	t.Helper()
	freed := make(chan bool, 1)
	runtime.SetFinalizer(&struct{ bytes [64]byte }{}, func(any) { freed <- true })
	for i := 0; i < 1000; i++ {
		runtime.GC()
		select {
		case <-freed:
			return
		case <-time.After(10 * time.Millisecond):
		}
	}
	t.Fatal("the collector does not run")
}

func TestTheCollectorFreesFilters(t *testing.T) {
	freed := make(chan bool, 1)
	func() {
		f, err := New(nil)
		if err != nil {
			t.Fatal(err)
		}
		runtime.SetFinalizer(f.held, nil)
		runtime.SetFinalizer(f.held, func(h *heldFilter) {
			h.free()
			freed <- h.c == nil
		})
	}()
	collect(t)
	collect(t)
	if !<-freed {
		t.Fatal("not freed")
	}
}

// Copies of structs, whose originals are gone. Each has the key "ana".
func copies(t *testing.T) (Filter, SharedFilter, Window) {
	t.Helper()
	f, failedFilter := New(nil)
	g, failedShared := NewShared(nil, 1)
	w, failedWindow := NewWindow(WindowConfig{Length: 1000})
	if failedFilter != nil || failedShared != nil || failedWindow != nil {
		t.Fatal(failedFilter, failedShared, failedWindow)
	}
	_, err := w.Seen([]byte("ana"), 7)
	if f.InsertString("ana") != nil || g.Insert([]byte("ana")) != nil || err != nil {
		t.Fatal(err)
	}
	return *f, *g, *w
}

func TestACopyKeepsItsMemory(t *testing.T) {
	f, g, w := copies(t)
	collect(t)
	collect(t)
	for i := 0; i < 100; i++ { // so that freed memory would be used again
		New(nil)
	}
	seen, err := w.Contains([]byte("ana"), 8)
	if !f.ContainsString("ana") || !g.Contains([]byte("ana")) || !seen || err != nil || w.Now() != 7 {
		t.Fatal("a copy has lost its member", err)
	}
	again, shared, window := f, g, w
	f.Close()
	g.Close()
	w.Close()
	if again.Len() != 0 || shared.Len() != 0 || window.Tick(9) == nil {
		t.Fatal("a copy of a closed filter is open")
	}
	if again.Close() != nil || shared.Close() != nil || window.Close() != nil {
		t.Fatal("closing twice failed")
	}
}

func TestAZeroFilterIsClosed(t *testing.T) {
	var f Filter
	var g SharedFilter
	var w Window
	if !errors.Is(f.InsertString("x"), ErrInvalid) || !errors.Is(w.Tick(1), ErrInvalid) || f.Len()+g.Len() != 0 {
		t.Fatal("a filter that was never made takes a key")
	}
	if f.Close() != nil || g.Close() != nil || w.Close() != nil {
		t.Fatal("closing failed")
	}
}

func FuzzUnmarshal(f *testing.F) {
	g, err := New(nil)
	if err != nil {
		f.Fatal(err)
	}
	for i := 0; i < 20; i++ {
		g.Insert(key(i))
	}
	data, _ := g.MarshalBinary()
	f.Add(data)
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		var g Filter
		if g.UnmarshalBinary(data) != nil {
			return
		}
		defer g.Close()
		if err := g.InsertString("ana"); err == nil && !g.ContainsString("ana") {
			t.Fatal("a member is missing")
		}
	})
}
