package main

import (
	"context"
	"fmt"
	"time"

	"servematrix/perf/clients"
	"servematrix/perf/pace/server"
)

// timeStarts measures how long each client takes from its start to the first bytes at the server, and
// to its first request for text, which a client that asks other things before sends later.
func timeStarts(ctx context.Context, chosen []clients.Client) (bool, error) {
	ok := true
	for _, c := range chosen {
		n := 3
		if c.Name == clients.Embedded {
			n = *starts
		}
		var bytes, text []float64
		for range n {
			w := clients.Workload{Requests: 1, Concurrency: 1, Input: input, Output: 1}
			took, truth, err := once(ctx, c, w, server.Options{Keep: 10})
			if err != nil {
				return false, err
			}
			bytes = append(bytes, millis(truth.FirstByte-took.Started))
			text = append(text, millis(truth.Requests[0].Arrived-took.Started))
		}
		fmt.Printf("%s: %.1f ms from its start to its first byte at the server, %.1f ms to its first request for text (median of %d)\n",
			c.Name, clients.Median(bytes), clients.Median(text), n)
		if c.Name == clients.Embedded {
			ok = clients.Median(text) <= millis(int64(toFirst))
		}
	}
	return ok, nil
}

func millis(ns int64) float64 { return float64(ns) / float64(time.Millisecond) }
