package load

import (
	"math"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aclements/go-moremath/stats"
)

func TestArrivalsArePoisson(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const rate, n = 50.0, 20000
		a := arrivals{rate: rate, rng: rand.New(rand.NewPCG(1, 2))}
		began := time.Now()
		var gaps []float64
		last := time.Duration(0)
		for i := range n {
			if !a.wait(t.Context(), began) {
				t.Fatal("no arrival")
			}
			at := time.Since(began)
			if i == 0 && at != 0 {
				t.Errorf("the first request waits %v", at)
			}
			if i > 0 {
				gaps = append(gaps, (at - last).Seconds())
			}
			last = at
		}
		mean, std := stats.Mean(gaps), stats.StdDev(gaps)
		// Exponential: the standard deviation equals the mean. Their errors are about 1/√n = 0.7 %.
		if math.Abs(mean*rate-1) > 0.03 || math.Abs(std*rate-1) > 0.03 {
			t.Errorf("gaps have mean %v and sd %v, want %v", mean, std, 1/rate)
		}
	})
}
