package matrix

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the expected problems of testdata/bad anew")

// testOptions give a small environment and know one file.
var testOptions = Options{
	Getenv: func(name string) (string, bool) {
		v, ok := map[string]string{"HOME": "/home/u", "MODEL": "m", "HF_TOKEN": "hf_abc", "X": "x"}[name]
		return v, ok
	},
	Digest: func(path string) (string, error) {
		if path == "data/prompts.json" {
			return strings.Repeat("ab", 32), nil
		}
		return "", errors.New("open " + path + ": no such file or directory")
	},
}

// TestBadSweeps compares what is said about each testdata/bad/*.bad.yaml with the
// text file beside it.
func TestBadSweeps(t *testing.T) {
	files, err := filepath.Glob("testdata/bad/*.bad.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no bad sweeps", err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".bad.yaml")
		t.Run(name, func(t *testing.T) {
			src, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			short := name + ".yaml"
			p, problems := Parse(short, src, testOptions)
			if p != nil || !problems.HasErrors() || problems.Err() == nil {
				t.Error("a bad sweep has a plan")
			}
			var got bytes.Buffer
			if err := problems.WriteText(&got, map[string][]byte{short: src}); err != nil {
				t.Fatal(err)
			}
			golden := filepath.Join("testdata/bad", name+".txt")
			if *update {
				if err := os.WriteFile(golden, got.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got.Bytes(), want) {
				t.Errorf("got\n%s\nwant\n%s", got.Bytes(), want)
			}
		})
	}
}

// fuzzSeeds are the sweeps of all tests.
func fuzzSeeds(tb testing.TB) (seeds [][]byte) {
	files, err := filepath.Glob("testdata/bad/*.bad.yaml")
	if err != nil {
		tb.Fatal(err)
	}
	for _, file := range append(files, "testdata/deepseek-v3.yaml") {
		src, err := os.ReadFile(file)
		if err != nil {
			tb.Fatal(err)
		}
		seeds = append(seeds, src)
	}
	return append(seeds, []byte(everything), []byte(identitySweep), []byte(secretSweep))
}
