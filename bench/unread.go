package bench

import (
	"fmt"
	"io"
	"math"

	"servematrix/bench/dataset"
)

// tellUnread says which flags mean nothing here: pasted ones, and those that mean nothing beside the
// others.
func (o Options) tellUnread(w io.Writer) {
	notes, _ := o.Pasted.Check(o.Dataset.Name) // resolve has checked that none is refused
	if rate := o.givenRate(); rate != "" && o.traced() {
		notes = append(notes, rate+" is not read: the times of the trace count; with --use-trace-timestamps=false the rate does")
	}
	for _, note := range notes {
		fmt.Fprintf(w, "servematrix bench: %s\n", note)
	}
}

// givenRate is the flag that says at which rate requests are to be sent; "" is none.
func (o Options) givenRate() string {
	switch l := o.Load; {
	case l.RampUpStrategy != "":
		return "--ramp-up-strategy " + l.RampUpStrategy
	case !math.IsInf(l.RequestRate, 1):
		return fmt.Sprintf("--request-rate %v", l.RequestRate)
	}
	return ""
}

// traced tells, of resolved options, whether requests go at the times of a trace.
func (o Options) traced() bool {
	return (o.Dataset.Name == dataset.Mooncake || o.Dataset.Name == dataset.BurstGPT) && o.Dataset.UseTraceTimestamps
}
