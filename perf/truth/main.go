// Command truth holds what benchmark clients say against what the server did. A server of known pace
// (perf/pace) keeps when it really wrote each token; the clients run against it one after another, and
// each one's mean and 99th percentile of TTFT, TPOT and E2E latency stand beside the server's own of the
// same requests.
//
//	go run ./perf/truth -check
//
// The first time it installs the Python clients under .venvs (PyPI, 8 GB, minutes).
package main

import (
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"servematrix/perf/clients"
	"servematrix/perf/pace/server"
	"servematrix/perf/program"
)

var (
	bin    = flag.String("bin", "", "servematrix binary; built unless given")
	dir    = flag.String("dir", ".venvs", "where the Python clients are, or are installed")
	names  = flag.String("clients", strings.Join([]string{clients.Embedded, clients.SGLang, clients.VLLM, clients.Benchy}, ","), "clients to run")
	levels = flag.String("concurrency", "10,100,1000", "concurrent streams, one table for each")
	rounds = flag.Int("rounds", 3, "how often each client runs at each level; what is shown is the median of the rounds")
	first  = flag.Duration("first", 200*time.Millisecond, "from a request's arrival to its first token")
	token  = flag.Duration("token", 20*time.Millisecond, "from a token to the next one")
	input  = flag.Int("input", 128, "tokens of a prompt")
	output = flag.Int("output", 64, "tokens of an answer")
	limit  = flag.Duration("limit", 5*time.Minute, "longest time for one run of a client")
	check  = flag.Bool("check", false, "end with 1 when the embedded client is wrong by more than 1 % and 0.2 ms")
)

func main() {
	server.Main()
	program.Judge(check, run)
}

func run(ctx context.Context, temp string) (ok bool, err error) {
	built, installed, err := clients.Prepare(ctx, *bin, *dir, temp, *names)
	if err != nil {
		return false, err
	}
	chosen, err := clients.Choose(clients.Set(built, installed), *names)
	if err != nil {
		return false, err
	}
	all, err := clients.Levels(*levels)
	if err != nil {
		return false, err
	}
	pace, err := server.Start(server.Options{First: *first, Token: *token, Keep: 1 << 20})
	if err != nil {
		return false, err
	}
	defer pace.Close()
	ok = true
	for _, streams := range all {
		good, err := one(ctx, pace, chosen, streams)
		if err != nil {
			return false, err
		}
		ok = ok && good
	}
	return ok, nil
}

// row is one client at one level.
type row struct {
	client clients.Client
	of     [6][]comparison // mean and p99 of TTFT, TPOT and E2E, an element for each round
	failed error           // of the last round that went wrong
}

// comparison is a value as the client said it and as the server did it, in milliseconds.
type comparison struct{ said, did float64 }

var columns = [...]string{"TTFT mean", "TTFT p99", "TPOT mean", "TPOT p99", "E2E mean", "E2E p99"}

// one makes the table of one level. Clients take turns, and in each round another one goes first.
func one(ctx context.Context, pace *server.Child, chosen []clients.Client, streams int) (bool, error) {
	// Some seconds' worth of requests: ten at a time are sent ten times each.
	w := clients.Workload{Requests: streams * min(10, max(3, 600/streams)), Concurrency: streams, Input: *input, Output: *output}
	rows := make([]row, len(chosen))
	for round := range *rounds {
		for i := range chosen {
			r := &rows[(i+round)%len(chosen)]
			r.client = chosen[(i+round)%len(chosen)]
			if err := ctx.Err(); err != nil {
				return false, err
			}
			if err := r.measure(ctx, pace, w); err != nil {
				r.failed = err
				fmt.Fprintf(os.Stderr, "truth: %d streams: %v\n", streams, err)
			}
		}
	}
	fmt.Printf("\n%d concurrent streams, %d requests of %d tokens in and %d out, first token after %v, one per %v; median of %d rounds, ms; load of the machine %s\n",
		streams, w.Requests, w.Input, w.Output, *first, *token, *rounds, program.Load())
	return print(rows), nil
}

// measure runs the client once and compares.
func (r *row) measure(ctx context.Context, pace *server.Child, w clients.Workload) error {
	if err := pace.Clear(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, *limit)
	defer cancel()
	said, _, err := r.client.Run(ctx, pace.URL, w)
	if err != nil {
		return err
	}
	truth, err := pace.Truth()
	if err != nil {
		return err
	}
	if said.Completed != w.Requests || len(truth.Requests) < w.Requests {
		return fmt.Errorf("%s: %d requests sent, %d completed as it says, %d answered", r.client.Name, w.Requests, said.Completed, len(truth.Requests))
	}
	// What a client sends before the measurement, such as a warm-up, has arrived before.
	measured := truth.Requests[len(truth.Requests)-w.Requests:]
	for i, c := range compare(said, measured) {
		r.of[i] = append(r.of[i], c)
	}
	return nil
}

func compare(said clients.Said, did []server.Request) [6]comparison {
	var ttft, tpot, e2e []float64
	for _, r := range did {
		ttft, tpot, e2e = append(ttft, millis(r.TTFT())), append(tpot, millis(r.TPOT())), append(e2e, millis(r.E2E()))
	}
	return [6]comparison{
		{said.TTFT.Mean, clients.Mean(ttft)}, {said.TTFT.P99, clients.P99(ttft)},
		{said.TPOT.Mean, clients.Mean(tpot)}, {said.TPOT.P99, clients.P99(tpot)},
		{said.E2E.Mean, clients.Mean(e2e)}, {said.E2E.P99, clients.P99(e2e)},
	}
}

// print prints a table, and says whether the embedded client is as exact as it has to be.
func print(rows []row) bool {
	ok := true
	t := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "\tclient\tsays ms\tserver did ms\terror ms\terror %\t\t")
	for i, name := range columns {
		for _, r := range rows {
			if len(r.of[i]) == 0 || math.IsNaN(r.of[i][0].said) {
				continue
			}
			c := middle(r.of[i])
			wrong, mark := c.said-c.did, ""
			if exact := math.Abs(wrong) <= 0.2 || math.Abs(wrong) <= 0.01*c.did; !exact {
				mark = "!"
				ok = ok && r.client.Name != clients.Embedded
			}
			fmt.Fprintf(t, "%s\t%s\t%.2f\t%.2f\t%+.2f\t%+.2f\t%s\t\n", name, r.client.Name, c.said, c.did, wrong, 100*wrong/c.did, mark)
			name = ""
		}
	}
	if err := t.Flush(); err != nil {
		return false
	}
	fmt.Println("! wrong by more than 1 % and 0.2 ms")
	for _, r := range rows {
		if r.failed != nil {
			fmt.Printf("%s: %d of %d rounds gave a result\n", r.client.Name, len(r.of[0]), *rounds)
			ok = ok && r.client.Name != clients.Embedded
		}
	}
	return ok
}

// middle is the round whose error is the median one, the larger of two in the middle.
func middle(rounds []comparison) comparison {
	best, size := rounds[0], func(c comparison) float64 { return math.Abs(c.said - c.did) }
	var errs []float64
	for _, c := range rounds {
		errs = append(errs, size(c))
	}
	wanted := clients.Median(errs)
	for _, c := range rounds {
		if math.Abs(size(c)-wanted) < math.Abs(size(best)-wanted) {
			best = c
		}
	}
	return best
}

func millis(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
