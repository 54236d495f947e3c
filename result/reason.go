package result

import "slices"

// Validity reasons of the contract. The last three come from whoever watches server and host.
const (
	RequestsFailed         = "requests_failed"
	WrongRequestCount      = "wrong_request_count"
	NoTokens               = "no_tokens"
	TokenMismatch          = "token_mismatch"
	NoMetrics              = "no_metrics"
	NonFinite              = "non_finite"
	TextJSONDiffer         = "text_json_differ"
	ClientStarved          = "client_starved"
	LatencyInconsistent    = "latency_inconsistent"
	ThroughputInconsistent = "throughput_inconsistent"
	LowerBound             = "lower_bound"
	Partial                = "partial"
	ServerChanged          = "server_changed"
	ForeignProcess         = "foreign_process"
	Throttled              = "throttled"
)

// Severities of a Reason. An error makes the sample invalid; a warning only in a strict sweep.
const (
	SeverityError   = "error"
	SeverityWarning = "warning"
)

// Reason is one finding against a measurement.
type Reason struct {
	// Reason is one of the contract's validity reasons.
	Reason string `json:"reason"`
	// Severity is SeverityError or SeverityWarning.
	Severity string `json:"severity"`
	// Detail says in words and numbers what was found.
	Detail string `json:"detail"`
}

// Validity is the verdict on a measurement.
type Validity struct {
	// OK is true when the measurement counts.
	OK bool `json:"ok"`
	// Reasons are all findings, errors first; never nil in what Judge returns.
	Reasons []Reason `json:"reasons"`
}

// Add gives the verdict with further findings. Findings already there are not repeated, so that
// what Read returned may be added although Judge took it in. strict as in Expectation.
func (v Validity) Add(strict bool, more ...Reason) Validity {
	reasons := append(make([]Reason, 0, len(v.Reasons)+len(more)), v.Reasons...)
	for _, r := range more {
		if !slices.Contains(reasons, r) {
			reasons = append(reasons, r)
		}
	}
	slices.SortStableFunc(reasons, func(a, b Reason) int { return rank(a) - rank(b) })
	ok := !slices.ContainsFunc(reasons, func(r Reason) bool { return strict || r.Severity == SeverityError })
	return Validity{OK: ok, Reasons: reasons}
}

func rank(r Reason) int {
	if r.Severity == SeverityError {
		return 0
	}
	return 1
}

// Has tells whether a reason is among the findings.
func (v Validity) Has(reason string) bool {
	return slices.ContainsFunc(v.Reasons, func(r Reason) bool { return r.Reason == reason })
}
