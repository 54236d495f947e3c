package result

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Expectation is what whoever ran the client asked of it.
type Expectation struct {
	// NumPrompts is how many requests were asked for; 0 when nobody knows. Then the client's
	// own word counts: the num_prompts of its JSON or of its arguments.
	NumPrompts int
	// OutputTokens is how many tokens all requests together had to generate; 0 when unknown.
	OutputTokens int
	// Promised are the metrics that the client's profile promises; a missing one is no_metrics.
	Promised []string
	// Generic is for a client without a profile: only completed requests, a duration and
	// generated tokens are required.
	Generic bool
	// Never are metrics that this client, unlike all others, does not tell.
	Never []string
	// Strict makes warnings invalidate too.
	Strict bool
}

// required is what any client has to tell before a sample counts.
var required = []string{"completed", "duration_s", "total_output_tokens"}

// tokenTolerance is the share of the expected tokens that may be missing or too many before a
// sample is refused: tokenizers disagree by a few, a server that stops early by many.
const tokenTolerance = 0.01

// Judge decides whether a measurement counts. Exit code 0 is no sign of it: both clients have
// been seen to exit 0 after requests failed. The findings of reading (m.Findings) are taken in;
// more are findings of the caller's own, and those that are there already are not repeated.
func Judge(m *Measurement, exp Expectation, more ...Reason) Validity {
	j := judge{m: m, exp: exp}
	j.requests()
	j.tokens()
	j.present()
	j.finite()
	if m.Partial {
		j.error(Partial, "the client's output ends in the middle of its result")
	}
	j.search()
	j.throughput()
	j.latencies()
	return Validity{}.Add(exp.Strict, slices.Concat(j.found, m.Findings, more)...)
}

type judge struct {
	m     *Measurement
	exp   Expectation
	found []Reason
}

func (j *judge) error(reason, format string, args ...any) {
	j.found = append(j.found, Reason{reason, SeverityError, fmt.Sprintf(format, args...)})
}

func (j *judge) warn(reason, format string, args ...any) {
	j.found = append(j.found, Reason{reason, SeverityWarning, fmt.Sprintf(format, args...)})
}

// asked gives the number of requests asked for: as the caller knows it, else as the client says.
func (j *judge) asked() (float64, bool) {
	if j.exp.NumPrompts > 0 {
		return float64(j.exp.NumPrompts), true
	}
	n, ok := j.m.Metrics.Get("num_prompts")
	return n, ok && n > 0
}

// requests compares the requests served with those asked for. SGLang's client counts no
// failures, so a failed request shows only as one that is missing.
func (j *judge) requests() {
	completed, known := j.m.Metrics.Get("completed")
	failed, _ := j.m.Metrics.Get("failed")
	if failed > 0 {
		j.error(RequestsFailed, "%s of %s requests failed%s", count(failed), count(completed+failed), j.why())
	}
	asked, ok := j.asked()
	if !known || !ok {
		return
	}
	switch {
	case completed+failed < asked:
		j.error(WrongRequestCount, "%s of %s requests were served", count(completed), count(asked))
	case completed+failed > asked:
		j.warn(WrongRequestCount, "%s requests were sent, %s were asked for", count(completed+failed), count(asked))
	}
}

// why quotes the first error message's last line, where the client kept one.
func (j *judge) why() string {
	messages, _ := j.m.Extra["error messages"].([]any)
	if len(messages) == 0 {
		return ""
	}
	first, _ := messages[0].(string)
	lines := strings.Split(strings.TrimSpace(first), "\n")
	return ": " + strings.TrimSpace(lines[len(lines)-1])
}

func (j *judge) tokens() {
	total, known := j.m.Metrics.Get("total_output_tokens")
	if known && total <= 0 {
		j.error(NoTokens, "no token was generated")
		return
	}
	completed, ok := j.m.Metrics.Get("completed")
	if ok && completed <= 0 {
		j.error(NoTokens, "no request was completed")
		return
	}
	asked, askedKnown := j.asked()
	if !known || !ok || (askedKnown && completed != asked) {
		return // the missing requests explain missing tokens
	}
	if want := float64(j.exp.OutputTokens); want > 0 {
		switch off := math.Abs(total-want) / want; {
		case off > tokenTolerance:
			j.error(TokenMismatch, "%s tokens were generated, %s were asked for", count(total), count(want))
		case off > 0:
			j.warn(TokenMismatch, "%s tokens were generated, %s were asked for", count(total), count(want))
		}
	} else if want, ok := expectedOutput(j.m); ok && total != want {
		j.warn(TokenMismatch, "%s tokens were generated, the client's arguments ask for %s", count(total), count(want))
	}
}

func (j *judge) present() {
	var missing []string
	need := func(names []string) {
		for _, name := range names {
			if _, ok := j.m.Metrics.Known(name); !ok && !slices.Contains(missing, name) && !slices.Contains(j.exp.Never, name) {
				missing = append(missing, name)
			}
		}
	}
	need(required)
	if !j.exp.Generic {
		need(j.exp.Promised)
	}
	if len(missing) > 0 {
		j.error(NoMetrics, "the result does not say: %s", strings.Join(missing, ", "))
	}
	if d, ok := j.m.Metrics.Get("duration_s"); ok && d <= 0 {
		j.error(NoMetrics, "the benchmark lasted %g s", d)
	}
}

// fit tells whether a metric is a number. A request rate of infinity is what was asked for.
func fit(name string, f float64) bool {
	return finite(f) || math.IsInf(f, 1) && (name == "request_rate" || name == "max_concurrency")
}

// finite names the metrics that are no number.
func (j *judge) finite() {
	for name, f := range j.m.Metrics.All() {
		if fit(name, f) {
			continue
		}
		if slices.Contains(required, name) || slices.Contains(j.exp.Promised, name) || strings.HasSuffix(name, "_throughput") {
			j.error(NonFinite, "%s is %s", name, spell(f))
		} else {
			j.warn(NonFinite, "%s is %s", name, spell(f))
		}
	}
}

// count prints a number of things.
func count(f float64) string { return fmt.Sprintf("%.0f", f) }
