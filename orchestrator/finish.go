package orchestrator

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"servematrix/engine"
	"servematrix/journal"
	"servematrix/matrix"
	"servematrix/result"
)

// measured reads what the client left and judges it.
func (l *launch) measured(a *attempt, failure *journal.Failure) *result.Sample {
	s := l.unmeasured(a, failure)
	if a.proc == nil || failure != nil && failure.Class != "client_failed" {
		return s // what a client prints that was cut short is no measurement
	}
	m, reasons, err := result.Read(result.Inputs{Stdout: a.out(), Stderr: filepath.Join(a.dir, journal.ClientErr), Result: a.fresh(), Profile: a.profile, First: a.profile.Name == engine.Generic})
	switch {
	case err != nil && failure == nil:
		return l.unmeasured(a, cmp.Or(l.diedBeside(), l.noResult(a, err)))
	case err != nil:
		return s
	}
	prompts, _ := a.profile.NumPrompts(a.command.argv)
	tokens, _ := a.profile.ExpectedOutputTokens(a.command.argv)
	m.Asked(prompts)
	v := result.Judge(m, result.Expectation{
		NumPrompts: prompts, OutputTokens: tokens, Promised: a.profile.Promised(a.command.argv), Never: a.profile.Promise.Never, Generic: a.profile.Name == engine.Generic, Strict: l.Plan.Validity == "strict",
	}, slices.Concat(reasons, l.serverChanged(), a.load.starved(lasted(m)), a.beside.reasons(), a.several())...)
	s.Metrics, s.Extra, s.Validity = m.Metrics, m.Extra, &v
	s.Simulated = m.Simulated || l.profile.Simulated
	if failure == nil {
		s.Status = StatusOK
		if !v.OK {
			if died := l.diedBeside(); died != nil { // some clients exit 0 whatever they met
				return l.unmeasured(a, died)
			}
			s.Status = StatusInvalid
		}
	} else if failure.Class == "client_failed" && !v.OK && m.Metrics.Value("completed") > 0 {
		// It measured something and says with its exit that not all went well: the reasons tell what.
		s.Status, s.Failure = StatusInvalid, nil
	}
	return s
}

// lasted is how long the benchmark itself took, as the client says; 0 when it does not.
func lasted(m *result.Measurement) time.Duration {
	seconds, _ := m.Metrics.Get("duration_s")
	return time.Duration(min(seconds, 1e9) * float64(time.Second))
}

// unmeasured is the sample of an attempt without a result.
func (l *launch) unmeasured(a *attempt, failure *journal.Failure) *result.Sample {
	s := &result.Sample{
		Run: filepath.Base(string(l.Folder)), Cell: a.unit.Cell, Block: a.unit.Block, Attempt: a.number, Status: StatusFailed, Failure: failure,
		Server:    l.side(&l.server.Variant, l.command),
		Client:    l.side(&a.client.Variant, a.command),
		Times:     map[string]result.PhaseTime{},
		Simulated: l.profile.Simulated,
	}
	for _, times := range []map[string]time.Time{l.times, a.times} {
		for phase, at := range times {
			s.Times[phase] = result.PhaseTime{Start: at.UTC().Round(0), Since: at.Sub(l.began).Seconds()}
		}
	}
	return s
}

func (l *launch) side(v *matrix.Variant, c command) *result.Side {
	return &result.Side{Name: v.Name, ID: v.ID, Axes: v.Axes, Argv: l.Redactor.Strings(c.argv), Env: l.hidden(c.env),
		Replaced: l.Redactor.Strings(v.Replaced), LeftOut: l.Redactor.Strings(v.LeftOut)}
}

// finish makes a sample final: on disk first, then in the journal.
func (l *launch) finish(a *attempt, s *result.Sample) error {
	l.blameDisk(s)
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false) // "<redacted>" stays readable
	enc.SetIndent("", "  ")
	if err := enc.Encode(s); err != nil {
		return fmt.Errorf("write the sample: %w", err)
	}
	data := out.Bytes()
	if err := journal.WriteFile(filepath.Join(a.dir, journal.SampleFile), data); err != nil {
		return diskError(fmt.Errorf("write the sample: %w", err))
	}
	digest := sha256.Sum256(data)
	ended := journal.Ended{Status: s.Status, SHA256: hex.EncodeToString(digest[:]), Failure: s.Failure, Final: l.final(a, s)}
	if s.Validity != nil {
		for _, reason := range s.Validity.Reasons {
			ended.Reasons = append(ended.Reasons, reason.Reason)
		}
	}
	if s.Status == StatusOK {
		l.measuredNow()
	}
	return l.emit(l.sampleEvent(a, journal.SampleEnded), ended, true)
}

// final tells whether no further attempt follows by itself.
func (l *launch) final(a *attempt, s *result.Sample) bool {
	if s.Status == StatusOK {
		return true
	}
	f := s.Failure
	if f != nil && notItsFault(f.Class) {
		return false
	}
	if l.hopeless(l.server) != nil {
		return true // no start follows that could measure it
	}
	tried := l.state.Of(a.unit).Tried + 1
	if f != nil && !retryable(f.Class) {
		return true
	}
	return tried > l.Plan.Run.Retries
}
