package chart

import (
	"math"
	"strconv"
	"unicode/utf8"
)

// markup is SVG source. Only constants of this package become markup: a name or any other
// string from outside cannot, so it can never be placed in a picture without being escaped.
type markup string

// picture is an SVG text that grows.
type picture struct {
	b    []byte
	wide float64 // the width of the viewBox
	tall int     // where the height of it stands
}

// put appends m with each % replaced by the next argument: strings are escaped, numbers
// written with one decimal at most, markup taken as it is.
func (p *picture) put(m markup, args ...any) {
	for i := 0; i < len(m); i++ {
		if m[i] != '%' {
			p.b = append(p.b, m[i])
			continue
		}
		switch v := args[0].(type) {
		case markup:
			p.b = append(p.b, v...)
		case string:
			p.escaped(v)
		case int:
			p.b = strconv.AppendInt(p.b, int64(v), 10)
		case float64:
			p.number(v)
		case Mark:
			p.mark(v)
		default:
			panic("chart: a picture is made of markup, text, numbers and marks")
		}
		args = args[1:]
	}
}

// number appends a coordinate: a tenth of a unit is finer than anybody sees.
func (p *picture) number(v float64) {
	v = math.Round(v*10) / 10
	if math.IsNaN(v) || math.IsInf(v, 0) || v == 0 {
		v = 0 // no minus zero, and never a word in place of a number
	}
	p.b = strconv.AppendFloat(p.b, v, 'f', -1, 64)
}

// escaped appends text as the content of an element or of a quoted attribute. It is meant to
// be visible text already; what XML forbids even escaped becomes U+FFFD.
func (p *picture) escaped(s string) {
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			i++
			switch {
			case c == '&':
				p.b = append(p.b, "&amp;"...)
			case c == '<':
				p.b = append(p.b, "&lt;"...)
			case c == '>':
				p.b = append(p.b, "&gt;"...)
			case c == '"':
				p.b = append(p.b, "&#34;"...)
			case c == '\'':
				p.b = append(p.b, "&#39;"...)
			case c == '\n':
				p.b = append(p.b, "&#10;"...)
			case c < ' ' || c == 0x7f:
				p.b = append(p.b, "\uFFFD"...)
			default:
				p.b = append(p.b, c)
			}
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == 0xFFFE || r == 0xFFFF {
			r = utf8.RuneError
		}
		p.b = utf8.AppendRune(p.b, r)
		i += size
	}
}
