package guira

import "testing"

const benchItems = 1000000

func filled(b *testing.B) (*Filter, []string) {
	f, err := New(&Config{Capacity: benchItems})
	if err != nil {
		b.Fatal(err)
	}
	keys := make([]string, benchItems)
	for i := range keys {
		keys[i] = string(key(i))
	}
	f.InsertHashes(f.HashStrings(keys))
	b.Cleanup(func() { f.Close() })
	b.ResetTimer()
	return f, keys
}

func BenchmarkContains(b *testing.B) {
	f, keys := filled(b)
	for i := 0; i < b.N; i++ {
		f.ContainsString(keys[i%benchItems])
	}
}

func BenchmarkContainsHashes(b *testing.B) {
	f, keys := filled(b)
	hash := f.HashStrings(keys)
	b.ResetTimer()
	for i := 0; i < b.N; i += 1024 {
		at := i % (benchItems - 1024)
		f.ContainsHashes(hash[at : at+1024])
	}
}
