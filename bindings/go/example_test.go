package guira_test

import (
	"fmt"
	"os"
	"path/filepath"

	"guira"
)

func Example() {
	f, err := guira.New(&guira.Config{FPR: 1e-6})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer f.Close()
	f.InsertString("ana")
	fmt.Println(f.ContainsString("ana"), f.ContainsString("bob"))
	f.RemoveString("ana")
	fmt.Println(f.ContainsString("ana"))
	// Output:
	// true false
	// false
}

func ExampleFilter_Save() {
	f, _ := guira.New(&guira.Config{Capacity: 1000, FPR: 0.001})
	defer f.Close()
	f.InsertString("ana")
	dir, _ := os.MkdirTemp("", "guira")
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "set.gf")
	if err := f.Save(path); err != nil {
		fmt.Println(err)
		return
	}
	m, err := guira.Map(path) // answers from the file without reading it in
	if err != nil {
		fmt.Println(err)
		return
	}
	defer m.Close()
	fmt.Println(m.ContainsString("ana"), m.InsertString("bob"))
	// Output: true guira: not possible with this kind of filter
}

func ExampleFilter_ContainsHashes() {
	f, _ := guira.New(&guira.Config{FPR: 1e-6})
	defer f.Close()
	f.InsertHashes(f.HashStrings([]string{"ana", "eva"}))
	fmt.Println(f.ContainsHashes(f.HashStrings([]string{"ana", "bob", "eva"})))
	// Output: [true false true]
}

func ExampleWindow() {
	w, _ := guira.NewWindow(guira.WindowConfig{Length: 600}) // ten minutes, in seconds
	defer w.Close()
	for _, now := range []uint64{1000, 1600, 1640} {
		seen, _ := w.Seen([]byte("ana"), now)
		fmt.Println(seen)
	}
	// Output:
	// false
	// true
	// false
}
