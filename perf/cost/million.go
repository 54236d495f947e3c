package main

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"servematrix/perf/clients"
	"servematrix/perf/pace/server"
	"servematrix/perf/program"
)

// growth is how much more resident memory is no growth: what the collector of garbage leaves.
const growth = 1.1

// sendMillion sends 1,000,000 tiny requests and looks at the client's memory on the way.
func sendMillion(ctx context.Context, c clients.Client, temp string) (bool, error) {
	s, err := server.Start(server.Options{First: 200 * time.Microsecond})
	if err != nil {
		return false, err
	}
	defer s.Close()
	ctx, cancel := context.WithTimeout(ctx, *limit)
	defer cancel()
	w := clients.Workload{Requests: 1_000_000, Concurrency: 64, Input: 16, Output: 4}
	args, env := c.Command(s.URL, w, filepath.Join(temp, "million.json"))
	type look struct {
		at       time.Duration
		resident int64
	}
	var looks []look
	took, output, err := clients.Exec(ctx, temp, args, env, func(at time.Duration, resident int64) { looks = append(looks, look{at, resident}) })
	if err != nil {
		return false, fmt.Errorf("%w: %s", err, output)
	}
	truth, err := s.Truth()
	if err != nil {
		return false, err
	}
	fmt.Printf("%d requests in %v, %.1f s of processor time (the server's %.1f s), load of the machine %s; resident memory:\n", truth.Generations, took.Wall.Round(time.Second), took.CPU.Seconds(), truth.CPU, program.Load())
	// Resident memory goes up and down with each collection: the most within a tenth of the run tells.
	var most [10]int64
	for _, l := range looks {
		tenth := min(9, int(10*l.at/took.Wall))
		most[tenth] = max(most[tenth], l.resident)
	}
	for i, m := range most {
		fmt.Printf("%3d %% of the time: at most %.1f MB\n", 10*(i+1), float64(m)/1e6)
	}
	ok := float64(most[9]) <= growth*float64(most[1]) && truth.Generations >= w.Requests
	fmt.Printf("from the second tenth to the last: %.2f times (limit %.2f)\n", float64(most[9])/float64(most[1]), growth)
	return ok, nil
}
