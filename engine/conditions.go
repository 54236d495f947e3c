package engine

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"time"

	"servematrix/matrix"
	"servematrix/readiness"
)

// Conditions are the readiness conditions of a completed server that is
// reached at base (see ServerProfile.URL).
func Conditions(s *matrix.Server, base string) (readiness.Conditions, error) {
	c := readiness.Conditions{Timeout: time.Duration(s.Ready.Timeout), Silence: time.Duration(s.Ready.Silence)}
	var err error
	if s.Ready.Log != "" {
		if c.Log, err = regexp.Compile(s.Ready.Log); err != nil {
			return c, fmt.Errorf("ready.log: %w", err)
		}
	}
	if s.Ready.HTTP != "" {
		c.HTTP = strings.TrimSuffix(base, "/") + "/" + strings.TrimPrefix(s.Ready.HTTP, "/")
	}
	if s.Ready.TCP {
		u, err := url.Parse(base)
		if err != nil || u.Port() == "" {
			return c, fmt.Errorf("ready.tcp: %q names no port", base)
		}
		c.TCP = u.Host
	}
	c.Failures, err = Patterns(s)
	return c, err
}

// Patterns are the causes that the client's output can name, most telling first. Their class is client_failed.
func (p *ClientProfile) Patterns() (all []readiness.Pattern) {
	for _, cause := range p.Causes {
		all = append(all, readiness.Pattern{Class: "client_failed", Log: cause.Regexp})
	}
	return all
}

// Patterns are the failure patterns of a completed server, most important first.
func Patterns(s *matrix.Server) ([]readiness.Pattern, error) {
	var all []readiness.Pattern
	for _, f := range s.Failure {
		re, err := regexp.Compile(f.Log)
		if err != nil {
			return nil, fmt.Errorf("failure pattern of class %s: %w", f.Class, err)
		}
		all = append(all, readiness.Pattern{Class: f.Class, Log: re, Fatal: f.Fatal})
	}
	return all, nil
}
