package find

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"servematrix/bench/arg"
)

// What can be searched for.
const (
	MaxRate        = "max-rate"        // requests per second, in an open loop
	MaxConcurrency = "max-concurrency" // requests at one time, in a closed loop
)

// Options describe a search. AddFlags fills in the defaults.
type Options struct {
	// Goal is MaxRate or MaxConcurrency. "" searches for nothing.
	Goal string
	// SLO is what has to hold, as ParseSLO reads it.
	SLO string
	// From and To are the smallest and the largest level that are tried: requests per second, or
	// requests at one time.
	From, To float64
	// Precision is by what share the next level above the found one is larger at most: 0.05 is 5 %.
	Precision float64
	// Probe is how long one probe sends. MinRequests is how many requests it sends at least.
	Probe       time.Duration
	MinRequests int
	// Requests is how many requests each probe sends, whatever Probe and MinRequests say. 0 leaves it to these.
	Requests int
}

// AddFlags adds the flags of a search to fs, bound to o.
func AddFlags(fs *pflag.FlagSet, o *Options) {
	fs.StringVar(&o.Goal, "find", "", "search for the largest load that meets --slo: max-rate (requests per second) or max-concurrency")
	fs.StringVar(&o.SLO, "slo", "", "what --find has to meet, such as 'p99_ttft_ms<500,mean_tpot_ms<50'")
	o.From, o.To, o.Precision = 1, 1024, 0.05
	fs.Var((*level)(&o.From), "find-from", "smallest load that --find tries; it doubles from there")
	fs.Var((*level)(&o.To), "find-to", "largest load that --find tries")
	fs.Var((*share)(&o.Precision), "find-precision", "how close --find comes to the largest load")
	arg.Span(fs, &o.Probe, "find-probe", 30*time.Second, "how long one measurement of --find sends; the last two take twice as long")
	arg.Count(fs, &o.MinRequests, "find-min-requests", 100, "requests of one measurement of --find at least")
}

// Active tells whether anything is searched for.
func (o Options) Active() bool { return o.Goal != "" }

// Check tells what makes no sense. The errors are usage errors.
func (o Options) Check() error {
	if !o.Active() {
		if o.SLO != "" {
			return errors.New("--slo is what a search has to meet: give --find max-rate or --find max-concurrency too")
		}
		return nil
	}
	if o.Goal != MaxRate && o.Goal != MaxConcurrency {
		return fmt.Errorf("--find %s: want %s or %s", o.Goal, MaxRate, MaxConcurrency)
	}
	if o.SLO == "" {
		return fmt.Errorf("--find %s needs --slo, such as --slo 'p99_ttft_ms<500'", o.Goal)
	}
	if _, err := ParseSLO(o.SLO); err != nil {
		return fmt.Errorf("--slo %s", err)
	}
	if o.To < o.From {
		return fmt.Errorf("--find-to %s is less than --find-from %s", number(o.To), number(o.From))
	}
	if o.whole() && (o.From != math.Trunc(o.From) || o.To != math.Trunc(o.To)) {
		return fmt.Errorf("--find %s: --find-from and --find-to want whole numbers of requests", o.Goal)
	}
	return nil
}

// whole tells whether only whole numbers are levels.
func (o Options) whole() bool { return o.Goal == MaxConcurrency }

// Unit is what a level counts.
func (o Options) Unit() string {
	if o.whole() {
		return "requests at one time"
	}
	return "req/s"
}

// Quantity is a level in words: "12.5 req/s", "1 request at one time".
func (o Options) Quantity(level float64) string {
	if o.whole() && level == 1 {
		return "1 request at one time"
	}
	return number(level) + " " + o.Unit()
}

// level is a flag for a load.
type level float64

func (l *level) String() string { return number(float64(*l)) }
func (l *level) Type() string   { return "float" }
func (l *level) Set(s string) error {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || !(f > 0) || math.IsInf(f, 0) {
		return errors.New("want a number of more than 0")
	}
	*l = level(f)
	return nil
}

// Bounds of the precision: below, levels that are four digits long are no longer apart.
const finest, coarsest = 0.005, 1

// share is a flag for a share, written as 5% or 0.05.
type share float64

func (p *share) String() string { return number(float64(*p)*100) + "%" }
func (p *share) Type() string   { return "percent" }
func (p *share) Set(s string) error {
	text, percent := strings.CutSuffix(s, "%")
	f, err := strconv.ParseFloat(text, 64)
	if percent {
		f /= 100
	}
	if err != nil || !(f >= finest && f <= coarsest) {
		return errors.New("want a share from 0.5% to 100%")
	}
	*p = share(f)
	return nil
}

// number writes a number as short as it can be.
func number(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
