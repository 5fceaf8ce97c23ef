// Single operations and batches of guira and its peers, in one process; prints a Markdown table.
//
// Keys are distinct, of 16 bytes. Half of the lookups are of members. Every figure is the best of six passes (adding and
// removing: of three) in nanoseconds of processor time per key; the passes of all take turns. Every filter is made for the number of keys:
// bloom for a rate of 0.1 %; cuckoofilter has slots of 8 bits (3 %); guira has slots of 16 bits (0.05 %).
//
// usage: peers [KEYS]       (default: 1000000)
package main

import (
	"bufio"
	"fmt"
	"math/rand"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"

	"github.com/bits-and-blooms/bloom/v3"
	cuckoo "github.com/seiflotfy/cuckoofilter"
	"guira"
)

type peer struct {
	name        string
	make        func(n int)
	add, remove func(keys [][]byte)
	look        func(keys [][]byte) int
	has, put    float64
	take        float64
	missing     int
}

var (
	set    map[string]struct{}
	filter *guira.Filter
	shared *guira.SharedFilter
	cf     *cuckoo.Filter
	bf     *bloom.BloomFilter
)

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func newFilter(n int) {
	var err error
	filter, err = guira.New(&guira.Config{Capacity: uint64(n)})
	must(err)
}

func count(answers []bool) int {
	n := 0
	for _, yes := range answers {
		if yes {
			n++
		}
	}
	return n
}

var members, others, probes [][]byte

func textsOf(keys [][]byte) []string {
	out := make([]string, len(keys))
	for i, key := range keys {
		out[i] = string(key)
	}
	return out
}

func peers() []*peer {
	memberTexts, probeTexts := textsOf(members), textsOf(probes)
	of := func(keys [][]byte) []string {
		if &keys[0] == &members[0] {
			return memberTexts
		}
		return probeTexts
	}
	each := func(change func(key []byte)) func(keys [][]byte) {
		return func(keys [][]byte) {
			for _, key := range keys {
				change(key)
			}
		}
	}
	look := func(has func(key []byte) bool) func(keys [][]byte) int {
		return func(keys [][]byte) int {
			n := 0
			for _, key := range keys {
				if has(key) {
					n++
				}
			}
			return n
		}
	}
	return []*peer{
		{name: "map[string]struct{}", make: func(n int) { set = make(map[string]struct{}, n) },
			add:    each(func(key []byte) { set[string(key)] = struct{}{} }),
			look:   look(func(key []byte) bool { _, ok := set[string(key)]; return ok }),
			remove: each(func(key []byte) { delete(set, string(key)) })},
		{name: "guira.Filter, one by one", make: newFilter,
			add:    each(func(key []byte) { filter.Insert(key) }),
			look:   look(func(key []byte) bool { return filter.Contains(key) }),
			remove: each(func(key []byte) { filter.Remove(key) })},
		{name: "guira.Filter, one batch of strings", make: newFilter,
			add:    func(keys [][]byte) { filter.InsertHashes(filter.HashStrings(of(keys))) },
			look:   func(keys [][]byte) int { return count(filter.ContainsHashes(filter.HashStrings(of(keys)))) },
			remove: func(keys [][]byte) { filter.RemoveHashes(filter.HashStrings(of(keys))) }},
		{name: "guira.SharedFilter, one by one", make: func(n int) {
			var err error
			shared, err = guira.NewShared(&guira.Config{Capacity: uint64(n)}, 0)
			must(err)
		},
			add:    each(func(key []byte) { shared.Insert(key) }),
			look:   look(func(key []byte) bool { return shared.Contains(key) }),
			remove: each(func(key []byte) { shared.Remove(key) })},
		{name: "seiflotfy/cuckoofilter", make: func(n int) { cf = cuckoo.NewFilter(uint(n)) },
			add:    each(func(key []byte) { cf.Insert(key) }),
			look:   look(func(key []byte) bool { return cf.Lookup(key) }),
			remove: each(func(key []byte) { cf.Delete(key) })},
		{name: "bits-and-blooms/bloom", make: func(n int) { bf = bloom.NewWithEstimates(uint(n), 0.001) },
			add:  each(func(key []byte) { bf.Add(key) }),
			look: look(func(key []byte) bool { return bf.Test(key) })},
	}
}

// processorTime is that of the process in nanoseconds: other programs on the machine do not count.
func processorTime() int64 {
	var u syscall.Rusage
	must(syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return u.Utime.Nano() + u.Stime.Nano()
}

func nanoseconds(best *float64, n int, call func()) {
	start := processorTime()
	call()
	if t := float64(processorTime()-start) / float64(n); *best == 0 || t < *best {
		*best = t
	}
}

func measure(p *peer, n int) {
	p.make(n)
	runtime.GC()
	nanoseconds(&p.put, n, func() { p.add(members) })
	for i := 0; i < 2; i++ {
		nanoseconds(&p.has, n, func() { p.look(probes) })
	}
	p.missing = n - p.look(members)
	if p.remove != nil {
		nanoseconds(&p.take, n, func() { p.remove(members) })
	}
}

func processor() string {
	file, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return runtime.GOARCH
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if name, value, ok := strings.Cut(lines.Text(), ":"); ok && strings.HasPrefix(name, "model name") {
			return strings.TrimSpace(value)
		}
	}
	return runtime.GOARCH
}

func main() {
	n := 1000000
	if len(os.Args) > 1 {
		var err error
		n, err = strconv.Atoi(os.Args[1])
		must(err)
	}
	debug.SetGCPercent(-1) // no collection while the clock runs; measure() collects before
	random := rand.New(rand.NewSource(1))
	keys := make([][]byte, 2*n)
	for i := range keys {
		keys[i] = []byte(fmt.Sprintf("%016x", random.Uint64()))
	}
	members, others = keys[:n], keys[n:]
	probes = append(append([][]byte{}, members[:n/2]...), others[:n/2]...)
	random.Shuffle(n, func(i, j int) { probes[i], probes[j] = probes[j], probes[i] })
	for i, key := range probes {
		probes[i] = append([]byte{}, key...) // in memory in this order: a key was just read when it is looked up
	}
	list := peers()
	for round := 0; round < 3; round++ {
		for _, p := range list {
			measure(p, n)
		}
	}
	fmt.Printf("%s, %s, %s\n\n%d keys of 16 bytes, ns of processor time per key:\n\n", guira.Version(), runtime.Version(), processor(), n)
	fmt.Print("| | lookup | add | remove | members not found |\n|---|---|---|---|---|\n")
	for _, p := range list {
		take := "-"
		if p.remove != nil {
			take = fmt.Sprintf("%.0f", p.take)
		}
		fmt.Printf("| %s | %.0f | %.0f | %s | %d |\n", p.name, p.has, p.put, take, p.missing)
	}
}
