// Command cost measures what benchmark clients cost the machine that they measure on, all against one
// server of known pace (perf/pace), in turn: requests and tokens per second of processor time, the
// time from the start to the first request, memory per stream.
//
//	go run ./perf/cost -check
//	go run ./perf/cost -million -check     # only this: does memory grow over 1,000,000 requests?
//
// Processor time is what the kernel counted for the client's process (wait4), less that of a run with
// one request, which is the cost of starting: so neither imports nor other work on the machine make it
// wrong much. The first time it installs the Python clients under .venvs (PyPI, 8 GB, minutes).
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"servematrix/perf/clients"
	"servematrix/perf/pace/server"
	"servematrix/perf/program"
)

var (
	bin     = flag.String("bin", "", "servematrix binary; built unless given")
	dir     = flag.String("dir", ".venvs", "where the Python clients are, or are installed")
	names   = flag.String("clients", strings.Join([]string{clients.Embedded, clients.SGLang, clients.VLLM}, ","), "clients to run")
	levels  = flag.String("concurrency", "8,64,512,2000", "concurrent streams")
	rounds  = flag.Int("rounds", 3, "how often each client runs at each level; what is shown is the median")
	starts  = flag.Int("starts", 10, "starts of the embedded client that are timed; of each other one three")
	length  = flag.Duration("for", 10*time.Second, "how long a run takes a client that keeps up")
	rate    = flag.Int("rate", 40000, "tokens a second that the server offers to all streams together, as far as 1 ms per token allows")
	million = flag.Bool("million", false, "only send 1,000,000 requests with the embedded client, and look at its memory")
	limit   = flag.Duration("limit", 20*time.Minute, "longest time for one run of a client")
	check   = flag.Bool("check", false, "end with 1 when a limit of docs/performance.md is passed")
)

// Limits of the embedded client.
const (
	timesSGLang   = 10 // tokens per CPU second, as a multiple of sglang.bench_serving's
	toFirst       = 30 * time.Millisecond
	perStream     = 40 << 10 // bytes
	input, output = 128, 64  // tokens of prompt and answer
)

func main() {
	server.Main()
	program.Judge(check, run)
}

func run(ctx context.Context, temp string) (bool, error) {
	if *million {
		*names = clients.Embedded
	}
	built, installed, err := clients.Prepare(ctx, *bin, *dir, temp, *names)
	if err != nil {
		return false, err
	}
	chosen, err := clients.Choose(clients.Set(built, installed), *names)
	if err != nil {
		return false, err
	}
	if *million {
		return sendMillion(ctx, chosen[0], temp)
	}
	ready, err := timeStarts(ctx, chosen)
	if err != nil {
		return false, err
	}
	cheap, err := measureLoads(ctx, chosen)
	return ready && cheap, err
}

// used is what a client took in all its runs at one level.
type used struct {
	cpu, peak, server []float64 // seconds, bytes, seconds of the server's process
	failed            error
}

// measureLoads runs all clients at all levels, in turn, and prints what they cost.
func measureLoads(ctx context.Context, chosen []clients.Client) (bool, error) {
	bare, err := measure(ctx, chosen, clients.Workload{Requests: 1, Concurrency: 1, Input: input, Output: output}, time.Millisecond)
	if err != nil {
		return false, err
	}
	streams, err := clients.Levels(*levels)
	if err != nil {
		return false, err
	}
	ok, peaks := true, map[string][]float64{}
	t := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "streams\trequests\tclient\tCPU s\tof it starting\trequests per CPU s\ttokens per CPU s\ttimes sglang's\tserver's CPU s\tpeak MB\t")
	for _, n := range streams {
		token := max(time.Millisecond, time.Duration(n)*time.Second/time.Duration(*rate))
		w := clients.Workload{Requests: n * max(2, int(*length/(output*token))), Concurrency: n, Input: input, Output: output}
		of, err := measure(ctx, chosen, w, token)
		if err != nil {
			return false, err
		}
		rates := map[string]float64{}
		for _, c := range chosen {
			rates[c.Name] = float64(w.Requests) / (clients.Median(of[c.Name].cpu) - clients.Median(bare[c.Name].cpu))
		}
		for _, c := range chosen {
			u := of[c.Name]
			if u.failed != nil {
				fmt.Fprintf(t, "%d\t%d\t%s\tfailed\t\t\t\t\t\t\t\n", n, w.Requests, c.Name)
				ok = ok && c.Name != clients.Embedded
				continue
			}
			times := rates[c.Name] / rates[clients.SGLang]
			peaks[c.Name] = append(peaks[c.Name], clients.Median(u.peak))
			fmt.Fprintf(t, "%d\t%d\t%s\t%.2f\t%.2f\t%.0f\t%.0f\t%.1f\t%.2f\t%.1f\t\n", n, w.Requests, c.Name, clients.Median(u.cpu), clients.Median(bare[c.Name].cpu),
				rates[c.Name], output*rates[c.Name], times, clients.Median(u.server), clients.Median(u.peak)/1e6)
			if c.Name == clients.Embedded && !(times >= timesSGLang) && strings.Contains(*names, clients.SGLang) {
				ok = false
			}
		}
	}
	fmt.Printf("%d tokens in, %d out; median of %d rounds; load of the machine %s; the embedded client's limit: %d times sglang's\n", input, output, *rounds, program.Load(), timesSGLang)
	if err := t.Flush(); err != nil {
		return false, err
	}
	return memory(chosen, streams, peaks) && ok, nil
}

// memory prints what a stream takes: the peak with the most streams less that with the fewest.
func memory(chosen []clients.Client, streams []int, peaks map[string][]float64) bool {
	ok := true
	for _, c := range chosen {
		p := peaks[c.Name]
		if len(p) != len(streams) || len(p) < 2 {
			continue
		}
		few, most := streams[0], streams[len(streams)-1]
		each := (p[len(p)-1] - p[0]) / float64(most-few)
		fmt.Printf("%s: %.1f KB of memory per stream, peak of %d streams less that of %d (limit of the embedded one %d KB)\n", c.Name, each/1024, most, few, perStream>>10)
		ok = ok && (c.Name != clients.Embedded || each <= perStream)
	}
	return ok
}

// measure runs each client rounds times, in turn, each time with a server of its own.
func measure(ctx context.Context, chosen []clients.Client, w clients.Workload, token time.Duration) (map[string]*used, error) {
	of := map[string]*used{}
	for _, c := range chosen {
		of[c.Name] = &used{}
	}
	for round := range *rounds {
		for i := range chosen {
			c := chosen[(i+round)%len(chosen)]
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			u := of[c.Name]
			took, truth, err := once(ctx, c, w, server.Options{First: 10 * token, Token: token})
			if err != nil {
				u.failed = err
				fmt.Fprintf(os.Stderr, "cost: %d streams: %v\n", w.Concurrency, err)
				continue
			}
			u.cpu, u.peak, u.server = append(u.cpu, took.CPU.Seconds()), append(u.peak, float64(took.Peak)), append(u.server, truth.CPU)
		}
	}
	return of, nil
}

// once runs a client against a server of its own.
func once(ctx context.Context, c clients.Client, w clients.Workload, pace server.Options) (took clients.Used, truth server.Truth, err error) {
	s, err := server.Start(pace)
	if err != nil {
		return took, truth, err
	}
	defer s.Close()
	ctx, cancel := context.WithTimeout(ctx, *limit)
	defer cancel()
	said, took, err := c.Run(ctx, s.URL, w)
	if err != nil {
		return took, truth, err
	}
	if said.Completed != w.Requests {
		return took, truth, fmt.Errorf("%s: %d of %d requests completed", c.Name, said.Completed, w.Requests)
	}
	truth, err = s.Truth()
	return took, truth, err
}
