// Command realfaults plays faults on a real engine and looks from outside what
// becomes of them: is the cause named, and is everything gone?
//
//	go build -o /tmp/servematrix ./cmd/servematrix
//	examples/llama-cpp/install.sh
//	go run ./perf/realfaults -bin /tmp/servematrix -engine llama.cpp -dir .venvs/llama-cpp
//
// Each fault is one small sweep of its own. The verification shares no code with
// servematrix: it reads /proc, /dev/shm and the run folder by itself.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"servematrix/perf/program"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

var (
	bin    = flag.String("bin", "", "servematrix binary")
	name   = flag.String("engine", "llama.cpp", "llama.cpp, transformers, vllm or sglang")
	dir    = flag.String("dir", "", "where the engine's install.sh in examples put it")
	only   = flag.String("only", "", "faults to play, with commas; all that the engine can have unless given")
	limit  = flag.Duration("limit", 10*time.Minute, "longest time for one fault")
	keep   = flag.Bool("keep", false, "keep the run folders")
	script = flag.Bool("list", false, "name the faults and end")
)

func main() {
	flag.Parse()
	e, ok := engines[*name]
	if !ok || (*bin == "" || *dir == "") && !*script {
		fmt.Fprintln(os.Stderr, "realfaults: give -bin, -dir and one of the engines as -engine")
		flag.Usage()
		os.Exit(2)
	}
	if *dir != "" {
		abs, err := filepath.Abs(*dir)
		program.Check(err)
		e = e.at(abs)
	}
	var rows []outcome
	wrong := 0
	for _, f := range faults {
		if !f.fits(e) || *only != "" && !slices.Contains(strings.Split(*only, ","), f.name) {
			continue
		}
		if *script {
			fmt.Println(f.name)
			continue
		}
		o := play(e, f)
		rows = append(rows, o)
		if len(o.wrong) > 0 {
			wrong++
		}
		fmt.Fprintf(os.Stderr, "%s %s: %s in %.1f s %s\n", e.name, f.name, o.class, o.took, strings.Join(o.wrong, "; "))
	}
	if *script {
		return
	}
	table(os.Stdout, e.name, rows)
	fmt.Printf("%d faults on %s, %d with something wrong\n", len(rows), e.name, wrong)
	if wrong > 0 || len(rows) == 0 {
		os.Exit(1)
	}
}

// table prints what came of each fault.
func table(w io.Writer, engine string, rows []outcome) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "ENGINE\tFAULT\tCLASS\tCLEAN AFTER\tSTOP\tLEFT\tMESSAGE")
	for _, o := range rows {
		left := "nothing"
		if len(o.left) > 0 {
			left = strings.Join(o.left, ", ")
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%.1f s\t%s\t%s\t%s\n", engine, o.fault, o.class, o.clean, o.stop, left, short(o.message, 150))
		for _, what := range o.wrong {
			fmt.Fprintf(t, "\t\tWRONG: %s\n", what)
		}
	}
	program.Check(t.Flush())
}

func short(s string, n int) string {
	r := []rune(strings.ReplaceAll(s, "\n", " "))
	if len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return string(r)
}
