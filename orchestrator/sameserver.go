package orchestrator

import (
	"fmt"
	"strings"

	"servematrix/effective"
	"servematrix/result"
)

// differencesMost is how many differences a finding spells out.
const differencesMost = 8

// measuredAs is what the samples of a variant were measured on.
type measuredAs struct {
	launch string
	config *effective.Config
}

// first gives the first start of the variant that gave a valid sample, as far as
// anybody knows what it ran with. Of former sessions the run folder tells.
func (r *runner) first(server string) *measuredAs {
	m, known := r.measured[server]
	if known {
		return m
	}
	for _, l := range r.state.Launches {
		if l.Launch.Server != server || !l.Measured {
			continue
		}
		if c, err := effective.Read(r.Folder.LaunchDir(l.ID)); err == nil {
			m = &measuredAs{l.ID, c}
			break
		}
	}
	r.measured[server] = m
	return m
}

// measuredNow notes that this start gave a valid sample.
func (l *launch) measuredNow() {
	if l.config == nil || l.first(l.server.ID) != nil {
		return
	}
	<-l.config.read
	l.runner.measured[l.server.ID] = &measuredAs{l.id, l.config.config}
}

// serverChanged tells in what this start is another server than the one that the
// samples of its variant were measured on. What makes another server is an error:
// numbers of two servers must not be averaged. What may be without effect, such as
// another kernel, is a warning.
func (l *launch) serverChanged() (reasons []result.Reason) {
	if l.config == nil {
		return nil
	}
	<-l.config.read
	first := l.first(l.server.ID)
	if first == nil || first.launch == l.id {
		return nil
	}
	var another, other []string
	for _, d := range effective.Diff(first.config, l.config.config) {
		if d.AnotherServer() {
			another = append(another, d.String())
		} else {
			other = append(other, d.String())
		}
	}
	if len(another) > 0 {
		reasons = append(reasons, result.Reason{Reason: result.ServerChanged, Severity: result.SeverityError,
			Detail: fmt.Sprintf("this start is another server than %s: %s; measure it in a run of its own", first.launch, listed(another))})
	}
	if len(other) > 0 {
		reasons = append(reasons, result.Reason{Reason: result.ServerChanged, Severity: result.SeverityWarning,
			Detail: fmt.Sprintf("not everything is as it was for %s: %s", first.launch, listed(other))})
	}
	return reasons
}

// toldLate warns of what makes another server and was only learnt by asking, when the
// samples were final.
func (l *launch) toldLate() {
	first := l.first(l.server.ID)
	if first == nil {
		return
	}
	if first.launch == l.id {
		first.config = l.config.whole
		return
	}
	var late []string
	for _, d := range effective.Diff(first.config, l.config.whole) {
		if strings.HasPrefix(d.What, "/") || d.What == "version" && !l.config.versionInLog {
			late = append(late, d.String())
		}
	}
	if len(late) > 0 {
		l.warn(fmt.Sprintf("%s: launch %s is another server than %s, as it said when its samples were final: %s; they must not be averaged", l.server.Name, l.id, first.launch, listed(late)))
	}
}

func listed(all []string) string {
	more := ""
	if n := len(all) - differencesMost; n > 0 {
		all, more = all[:differencesMost], fmt.Sprintf(", and %d more", n)
	}
	for i, s := range all {
		all[i] = shortText(s)
	}
	return strings.Join(all, ", ") + more
}
