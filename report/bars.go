package report

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"

	"servematrix/oneline"
)

// The progress bars of tqdm: with a total, as vLLM shapes it, without a total, and vLLM's
// waiting bar.
var bars = []*regexp.Regexp{
	regexp.MustCompile(`^(.*?)\s*(\d{1,3})%\|[^|]*\|\s*[^\s/]+/(\S+) \[[^\]]*\]`),
	regexp.MustCompile(`^(.*?)\s*(\d{1,3})% Completed \| [^\s/]+/(\S+) \[[^\]]*\]`),
	regexp.MustCompile(`^(.*?)(?:^|\s|:)(\d+)(?:\.\d+)?[kMGT]?(it|req|s|B) \[\d+:[\d:]+,[^\]]*\]`),
	regexp.MustCompile(`^(.*?)\s*\|[^|]*\|()() \d+:[\d:]+ elapsed, \S+ remaining`),
}

// state is one state of a progress bar.
type state struct {
	bar  string // what tells the bar from others: its description and total
	done int    // how far it has come
	rest string // text that was printed behind the bar on the same line
}

func barState(line string) (state, bool) {
	if !strings.ContainsAny(line, "|[") {
		return state{}, false
	}
	line = oneline.Bare(line)
	for i, form := range bars {
		m := form.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		done, _ := strconv.Atoi(m[2]) // "" for the bar that does not count
		return state{
			bar:  strconv.Itoa(i) + "\x00" + strings.TrimSpace(m[1]) + "\x00" + m[3],
			done: done,
			rest: strings.TrimSpace(line[len(m[0]):]),
		}, true
	}
	return state{}, false
}

// piece is what stands between two line ends, which are \n or \r.
type piece struct {
	text      []byte
	overwrote bool // began after a \r: an empty piece is no empty line
}

func pieces(text []byte) []piece {
	var out []piece
	overwrote := false
	for len(text) > 0 {
		end := bytes.IndexAny(text, "\n\r")
		if end < 0 {
			return append(out, piece{text, overwrote})
		}
		if text[end] == '\r' && end+1 < len(text) && text[end+1] == '\n' { // a DOS line end
			out = append(out, piece{text[:end], overwrote})
			overwrote = false
			text = text[end+2:]
			continue
		}
		// An empty piece before a \r is only the cursor going back.
		if end > 0 || text[end] == '\n' {
			out = append(out, piece{text[:end], overwrote})
		}
		overwrote = text[end] == '\r'
		text = text[end+1:]
	}
	return out
}

// collapse gives text with each progress bar in its last state only, wherever the states
// stand: rewritten in place with \r, or a line each. A bar that starts again from a lower
// count is a new bar. All other lines stay, in their order.
func collapse(text []byte) []byte {
	all := pieces(text)
	drop := make([]bool, len(all))
	type last struct{ at, done int }
	seen := map[string]last{}
	for i, p := range all {
		s, ok := barState(string(p.text))
		if !ok {
			shown := strings.TrimSpace(oneline.Bare(string(p.text)))
			drop[i] = shown == "" && (p.overwrote || len(p.text) > 0) // only the cursor moved
			continue
		}
		if before, known := seen[s.bar]; known && before.at >= 0 && s.done >= before.done {
			drop[before.at] = true
		}
		at := i
		if s.rest != "" {
			at = -1 // what somebody wrote behind the bar must not go with it
		}
		seen[s.bar] = last{at, s.done}
	}
	var b bytes.Buffer
	for i, p := range all {
		if drop[i] {
			continue
		}
		b.Write(p.text)
		b.WriteByte('\n')
	}
	return b.Bytes()
}
