package result

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// reportParser reads a combined report line by line: for each combination a banner, the
// server's start and ready line, the client's command and, between a block of # and the client's
// exit, its output verbatim. Lines before the first banner count as plain client output, so
// that any client's text can be read with it.
type reportParser struct {
	samples []Sample
	plain   textParser
	servers map[string]string // commands by server name, also from starts before a banner
	section *reportSection
	at      Source // of the line that line takes next
}

// reportSection is one combination under way.
type reportSection struct {
	at             Source // of the banner
	server, client string
	block, attempt int
	simulated      bool
	ready          bool
	command        string // the client's
	hashes         int    // rules of # seen: two enclose the header of the output
	output         textParser
	where          place
	exit           *int
	ended          string // how the client ended, where it did not by itself
	status         string
	failure        *Failure
	invalid        []string
}

type place int

const (
	inSection place = iota
	inOutput
	inStderr
	afterClient
)

var (
	hashRule    = regexp.MustCompile(`^#{40,}$`)
	failureLine = regexp.MustCompile(`^([a-z_]+) \(([a-z]+)\): (.*)$`)
	bannerMore  = regexp.MustCompile(`\s\s+(?:(BLOCK|ATTEMPT)=(\d+)|(SIMULATED))$`)
)

func (p *reportParser) line(line string, ended bool) {
	text := strings.TrimSpace(line)
	if s := bannerOf(text); s != nil {
		p.finish()
		p.plain.finish()
		p.section = s
		s.at = p.at
		return
	}
	s := p.section
	if s == nil {
		if !p.serverLine(text) {
			p.plain.at = p.at.Line
			p.plain.line(line, ended)
		}
		return
	}
	if s.where == inOutput || s.where == inStderr {
		switch {
		case s.clientLine(text):
		case text == "[STDERR]":
			s.where = inStderr
		case s.where == inOutput:
			s.output.line(line, ended)
		}
		return
	}
	switch {
	case hashRule.MatchString(text):
		if s.hashes++; s.hashes == 2 {
			s.where = inOutput
		}
	case p.serverLine(text), s.clientLine(text), s.verdictLine(text):
	case s.hashes == 1 && strings.HasPrefix(text, "COMMAND: "):
		s.command = strings.TrimPrefix(text, "COMMAND: ")
	}
}

// end gives the samples of all sections.
func (p *reportParser) end() []Sample {
	p.finish()
	return p.samples
}

// bannerOf reads "[组合] SERVER=x  CLIENT=y", with what our own reports append to it.
func bannerOf(text string) *reportSection {
	for _, banner := range banners {
		rest, ok := strings.CutPrefix(text, banner+" SERVER=")
		if !ok {
			continue
		}
		s := &reportSection{}
		for {
			m := bannerMore.FindStringSubmatchIndex(rest)
			if m == nil {
				break
			}
			if m[6] >= 0 {
				s.simulated = true
			} else if n, err := strconv.Atoi(rest[m[4]:m[5]]); err == nil && rest[m[2]:m[3]] == "BLOCK" {
				s.block = n
			} else if err == nil {
				s.attempt = n
			}
			rest = rest[:m[0]]
		}
		server, client, ok := strings.Cut(rest, " CLIENT=")
		if !ok {
			return nil
		}
		s.server, s.client = strings.TrimSpace(server), strings.TrimSpace(client)
		return s
	}
	return nil
}

// serverLine reads a "[SERVER]" line, or reports that the line is none.
func (p *reportParser) serverLine(text string) bool {
	rest, ok := strings.CutPrefix(text, "[SERVER] ")
	if !ok {
		return false
	}
	for _, l := range readLabels {
		if started, ok := strings.CutPrefix(rest, l.Start+" "); ok {
			if name, command, ok := strings.Cut(started, ": "); ok {
				if p.servers == nil {
					p.servers = map[string]string{}
				}
				p.servers[name] = command
				return true
			}
		}
		if p.section != nil && strings.HasPrefix(rest, p.section.server+" "+l.Ready) {
			p.section.ready = true
			return true
		}
	}
	return true
}

// clientLine reads a "[CLIENT]" line about the section's client, or reports that it is none.
func (s *reportSection) clientLine(text string) bool {
	rest, ok := strings.CutPrefix(text, "[CLIENT] ")
	if !ok {
		return false
	}
	for _, l := range readLabels {
		if command, ok := strings.CutPrefix(rest, l.Run+" "+s.client+": "); ok && s.where == inSection {
			s.command, s.ready = command, true
			return true
		}
	}
	rest, ok = strings.CutPrefix(rest, s.client+" ")
	if !ok || s.where == inSection {
		return s.where == inSection // a warm-up's lines say nothing about the sample
	}
	s.where = afterClient
	for _, l := range readLabels {
		if code, ok := strings.CutPrefix(rest, l.Exited); ok {
			if n, err := strconv.Atoi(strings.TrimSpace(code)); err == nil {
				s.exit = &n
				return true
			}
		}
	}
	s.ended = rest
	return true
}

// verdictLine reads what our own reports say about the sample below its output.
func (s *reportSection) verdictLine(text string) bool {
	for _, l := range readLabels {
		for label, status := range map[string]string{l.Failed: StatusFailed, l.Skipped: StatusSkipped} {
			rest, ok := strings.CutPrefix(text, "["+label+"] ")
			if !ok {
				continue
			}
			if m := failureLine.FindStringSubmatch(rest); m != nil {
				s.status, s.failure = status, &Failure{Class: m[1], Phase: m[2], Message: m[3]}
				return true
			}
		}
		if rest, ok := strings.CutPrefix(text, "["+l.Invalid+"] "); ok {
			s.invalid = strings.Split(rest, ", ")
			return true
		}
	}
	return false
}

func (p *reportParser) finish() {
	s := p.section
	p.section = nil
	if s == nil {
		return
	}
	sample := Sample{
		Block: s.block, Attempt: s.attempt,
		Server: &Side{Name: s.server}, Client: &Side{Name: s.client},
		Simulated: s.simulated,
	}
	sample.Server.Argv, sample.Server.Env = splitCommand(p.servers[s.server])
	sample.Client.Argv, sample.Client.Env = splitCommand(s.command)
	var m *Measurement
	if found := s.output.end(); len(found) > 0 {
		m = found[len(found)-1]
	}
	sample.settle(m, s.endOf(m))
	sample.at(s.at)
	if sample.Validity != nil && s.failure == nil {
		for _, reason := range s.invalid {
			if !sample.Validity.Has(reason) {
				*sample.Validity = sample.Validity.Add(false, Reason{reason, SeverityError, "the report says so"})
				sample.Status = StatusInvalid
			}
		}
	}
	if s.status != "" {
		sample.Status, sample.Failure = s.status, s.failure
	}
	p.samples = append(p.samples, sample)
}

// endOf says why the section's client has no good end, or gives nil.
func (s *reportSection) endOf(m *Measurement) *Failure {
	switch {
	case s.exit != nil && *s.exit != 0:
		return &Failure{Class: "client_failed", Phase: "client", Message: fmt.Sprintf("the client ended with exit code %d", *s.exit)}
	case s.ended != "":
		return &Failure{Class: "client_failed", Phase: "client", Message: "the client " + s.ended}
	case m == nil && !s.ready:
		return &Failure{Class: "start_failed", Phase: "start", Message: "the report shows no ready server"}
	}
	return nil
}
