package result

import (
	"maps"

	"servematrix/engine"
)

// promised is what the two Python clients print in every version; import holds them to it. A
// run holds a client to its profile instead.
var promised = map[string][]string{
	ClientSGLang: {"total_input_tokens", "request_throughput", "input_throughput", "output_throughput", "mean_ttft_ms", "median_ttft_ms", "p99_ttft_ms"},
	ClientVLLM:   {"total_input_tokens", "request_throughput", "output_throughput", "total_throughput"},
}

// settle fills in what was measured and judges it: m may be nil, end says why the client's end
// was no good one. As in a run, a result with failed requests is invalid and not failed, whatever
// the client's exit code says: the reasons tell more.
func (s *Sample) settle(m *Measurement, end *Failure) {
	if m == nil {
		s.Status, s.Failure = StatusFailed, end
		if end == nil {
			s.Failure = &Failure{Class: "no_result", Phase: "client", Message: "the client's output holds no benchmark result"}
		}
		return
	}
	s.reveal(m.Config)
	var argv []string
	if s.Client != nil {
		argv = s.Client.Argv
	}
	exp := Expectation{NumPrompts: promptsAsked(argv), Promised: promised[m.Client], Generic: promised[m.Client] == nil || m.older}
	if m.profile != nil {
		exp = expects(m.profile, argv)
		m.Asked(exp.NumPrompts)
	}
	verdict := Judge(m, exp)
	s.at(m.at)
	s.Metrics, s.Extra, s.Validity = m.Metrics, m.Extra, &verdict
	s.Simulated = s.Simulated || m.Simulated
	switch {
	case end != nil && (verdict.OK || m.Metrics.Value("completed") <= 0):
		s.Status, s.Failure = StatusFailed, end
	case !verdict.OK:
		s.Status = StatusInvalid
	default:
		s.Status = StatusOK
	}
}

// at notes where the sample was read.
func (s *Sample) at(place Source) {
	if place.File != "" {
		s.Source = &place
	}
}

// reveal shares out what the output says of the configuration: SGLang's client asks the server
// for its arguments, what is left is the client's own.
func (s *Sample) reveal(config map[string]any) {
	own := config
	if info, ok := own["server_info"].(map[string]any); ok {
		own = maps.Clone(config)
		delete(own, "server_info")
		if s.Server == nil {
			s.Server = &Side{}
		}
		s.Server.Config = info
	}
	if len(own) == 0 {
		return
	}
	if s.Client == nil {
		s.Client = &Side{}
	}
	s.Client.Config = own
}

// expects is what a client's profile knows of a command; argv may be nil, then only what holds for any.
func expects(p *engine.ClientProfile, argv []string) Expectation {
	exp := Expectation{Promised: p.Promised(argv), Never: p.Promise.Never}
	if len(argv) > 0 {
		exp.NumPrompts, _ = p.NumPrompts(argv)
		exp.OutputTokens, _ = p.ExpectedOutputTokens(argv)
	}
	return exp
}
