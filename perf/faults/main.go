// Command faults holds the embedded client against a server that answers wrongly in each of the ways
// that perf/pace knows: is every request counted, under the right class, in bounded memory, and does
// the client end in time?
//
//	go run ./perf/faults -check
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"servematrix/perf/clients"
	"servematrix/perf/pace/server"
	"servematrix/perf/program"
)

var (
	bin      = flag.String("bin", "", "servematrix binary; built unless given")
	only     = flag.String("only", strings.Join(server.Faults(), ","), "faults to play")
	requests = flag.Int("n", 40, "requests of each run")
	streams  = flag.Int("concurrency", 8, "at a time")
	every    = flag.Int("every", 2, "of how many requests one is answered wrongly")
	timeout  = flag.Duration("timeout", 3*time.Second, "the client's --timeout for a request")
	check    = flag.Bool("check", false, "end with 1 when a request is not counted, or memory or time is too much")
)

// Limits of a run.
const (
	most  = 250 << 20        // of resident memory: eight events without end may hold 1 MiB each, and 64 MiB together
	grace = 10 * time.Second // beyond the requests' own timeouts
)

// classes are the classes under which a fault may be counted: which one depends on the moment at which a
// connection breaks. After the process has died further requests are refused.
var classes = map[string][]string{
	"die":     {"reset", "truncated", "refused"},
	"reset":   {"reset", "truncated"},
	"close":   {"truncated"},
	"stall":   {"timeout"},
	"silent":  {"timeout"},
	"trickle": {"timeout"},
	"garbage": {"other", "malformed"},
	"noise":   {"other", "malformed"},
	"huge":    {"other", "malformed", "too_long", "timeout"},
	"usage":   {"wrong_tokens"},
	"error":   {"http_5xx"},
}

func main() {
	server.Main()
	program.Judge(check, run)
}

func run(ctx context.Context, temp string) (bool, error) {
	built, _, err := clients.Prepare(ctx, *bin, temp, temp, clients.Embedded)
	if err != nil {
		return false, err
	}
	ok := true
	t := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "fault\texit\tcompleted\tfailed, by class\tpeak MB\tended after\twrong")
	for fault := range strings.SplitSeq(*only, ",") {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		o, err := play(ctx, built, temp, fault)
		if err != nil {
			return false, err
		}
		ok = ok && len(o.wrong) == 0
		fmt.Fprintf(t, "%s\t%d\t%d\t%s\t%.1f\t%.1f s\t%s\n", fault, o.code, o.completed, o.counted(), float64(o.used.Peak)/1e6, o.used.Wall.Seconds(), strings.Join(o.wrong, "; "))
	}
	fmt.Printf("%d requests, %d at a time, one in %d answered wrongly, --timeout %v; limits: all counted, %d MB, the timeouts of all and %v\n", *requests, *streams, *every, *timeout, most>>20, grace)
	return ok, t.Flush()
}

// outcome is what became of a run.
type outcome struct {
	code, completed int
	errors          []class
	used            clients.Used
	wrong           []string
}

// class is a class of failed requests in the client's result.
type class struct {
	Class string
	Count int
}

func (o outcome) counted() string {
	var all []string
	for _, e := range o.errors {
		all = append(all, fmt.Sprintf("%d %s", e.Count, e.Class))
	}
	return strings.Join(all, ", ")
}

func play(ctx context.Context, bin, temp, fault string) (outcome, error) {
	s, err := server.StartFault(server.Options{First: 20 * time.Millisecond, Token: time.Millisecond}, fault, *every)
	if err != nil {
		return outcome{}, err
	}
	defer s.Close()
	out := filepath.Join(temp, fault+".json")
	rounds := time.Duration((*requests + *streams - 1) / *streams)
	longest := rounds**timeout + grace
	// One that does not end is ended, and told of.
	ctx, cancel := context.WithTimeout(ctx, 2*longest)
	defer cancel()
	used, output, err := clients.Exec(ctx, temp, []string{
		bin, "bench", "--backend", "vllm", "--base-url", s.URL, "--model", "tiny", "--dataset-name", "random", "--num-prompts", strconv.Itoa(*requests), "--max-concurrency", strconv.Itoa(*streams),
		"--random-input-len", "128", "--random-output-len", "32", "--random-range-ratio", "1", "--warmup-requests", "0", "--timeout", timeout.String(), "--disable-tqdm", "--output-file", out,
	}, nil, nil)
	o := outcome{used: used}
	exit, failed := errors.AsType[*exec.ExitError](err)
	if err != nil && !failed {
		o.wrong = append(o.wrong, err.Error())
	} else if failed {
		o.code = exit.ExitCode()
	}
	o.read(out, output)
	o.judge(fault, longest)
	return o, nil
}

// read reads the client's result.
func (o *outcome) read(out string, output []byte) {
	data, err := os.ReadFile(out)
	if err != nil {
		o.wrong = append(o.wrong, "no result: "+string(bytes.TrimSpace(output[max(0, len(output)-200):])))
		return
	}
	var said struct {
		Completed, Failed int
		Errors            []class
	}
	if err := json.Unmarshal(data, &said); err != nil {
		o.wrong = append(o.wrong, err.Error())
	}
	o.completed, o.errors = said.Completed, said.Errors
}

func (o *outcome) judge(fault string, longest time.Duration) {
	sum := o.completed
	for _, e := range o.errors {
		sum += e.Count
		known := false
		for _, c := range classes[fault] {
			known = known || c == e.Class
		}
		if !known {
			o.wrong = append(o.wrong, "class "+e.Class)
		}
	}
	if sum != *requests {
		o.wrong = append(o.wrong, fmt.Sprintf("%d requests are not counted", *requests-sum))
	}
	if len(o.errors) == 0 {
		o.wrong = append(o.wrong, "no request failed")
	}
	if o.used.Peak > most {
		o.wrong = append(o.wrong, fmt.Sprintf("%d MB", o.used.Peak/1e6))
	}
	if o.used.Wall > longest {
		o.wrong = append(o.wrong, "too late")
	}
}
