// Package arg holds the kinds of values that the embedded client's flags take: each refuses, on
// the command line, what makes no sense, so that no other part need look again.
package arg

import (
	"errors"
	"math"
	"strconv"
	"time"

	"github.com/spf13/pflag"
)

// Count adds a flag for a whole number from 1 on. Its default may be 0, which says that nothing
// was given.
func Count(fs *pflag.FlagSet, p *int, name string, value int, usage string) {
	*p = value
	fs.Var((*count)(p), name, usage)
}

// Number adds a flag for a whole number from 0 on.
func Number(fs *pflag.FlagSet, p *int, name string, value int, usage string) {
	*p = value
	fs.Var((*number)(p), name, usage)
}

// Span adds a flag for a time that is more than none, such as 90s.
func Span(fs *pflag.FlagSet, p *time.Duration, name string, value time.Duration, usage string) {
	*p = value
	fs.Var((*span)(p), name, usage)
}

// Rate adds a flag for a number per second; +Inf is none.
func Rate(fs *pflag.FlagSet, p *float64, name string, usage string) {
	*p = math.Inf(1)
	fs.Var((*rate)(p), name, usage)
}

// Positive adds a flag for a number more than 0, +Inf as well. Its default may be 0, which says that
// nothing was given.
func Positive(fs *pflag.FlagSet, p *float64, name string, value float64, usage string) {
	*p = value
	fs.Var((*positive)(p), name, usage)
}

type count int

func (c *count) String() string { return strconv.Itoa(int(*c)) }
func (c *count) Type() string   { return "int" }
func (c *count) Set(s string) error {
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 {
		return errors.New("want a whole number from 1 on")
	}
	*c = count(n)
	return nil
}

type number int

func (c *number) String() string { return strconv.Itoa(int(*c)) }
func (c *number) Type() string   { return "int" }
func (c *number) Set(s string) error {
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 {
		return errors.New("want a whole number from 0 on")
	}
	*c = number(n)
	return nil
}

type span time.Duration

func (s *span) String() string { return time.Duration(*s).String() }
func (s *span) Type() string   { return "duration" }
func (s *span) Set(text string) error {
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return errors.New("want a time such as 90s or 10m, more than 0")
	}
	*s = span(d)
	return nil
}

type rate float64

func (r *rate) String() string { return strconv.FormatFloat(float64(*r), 'g', -1, 64) }
func (r *rate) Type() string   { return "float" }
func (r *rate) Set(s string) error {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || !(f > 0) {
		return errors.New("want requests per second, more than 0, or inf")
	}
	*r = rate(f)
	return nil
}

type positive float64

func (p *positive) String() string { return strconv.FormatFloat(float64(*p), 'g', -1, 64) }
func (p *positive) Type() string   { return "float" }
func (p *positive) Set(s string) error {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || !(f > 0) {
		return errors.New("want a number more than 0")
	}
	*p = positive(f)
	return nil
}
