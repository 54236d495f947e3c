package matrix

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/mattn/go-runewidth"

	"servematrix/secret"
)

// WriteText writes the problems for a terminal or a log: each with its line of
// the source, what is meant underlined, and the suggestion. src holds the sources
// by the name they were parsed under; without it the lines are left out.
func (ps Problems) WriteText(w io.Writer, src map[string][]byte) error {
	var b bytes.Buffer
	shown, more := ps.capped()
	lines := map[string][]string{}
	for name, text := range src {
		lines[name] = splitLines(text)
	}
	for _, p := range shown {
		fmt.Fprintln(&b, p)
		// A line that is shown for its secret would show the secret.
		if of := lines[p.File]; p.Line >= 1 && p.Line <= len(of) && p.Rule != "secret-literal" {
			writeExcerpt(&b, hideSecrets(of[p.Line-1]), p.Col, p.Len)
		}
		if p.Suggestion != "" {
			fmt.Fprintf(&b, "    = %s\n", p.Suggestion)
		}
		for _, also := range p.Also {
			fmt.Fprintf(&b, "    see also %s\n", also)
		}
	}
	if more > 0 {
		fmt.Fprintf(&b, "… and %d more\n", more)
	}
	_, err := w.Write(b.Bytes())
	return err
}

// excerptWidth is the number of characters of a long line that are shown.
const excerptWidth = 140

// writeExcerpt writes a line and, under it, a caret and tildes below its
// characters from col on. Tabs are repeated in the second line so that both lines
// are indented alike whatever the width of a tab; a wide (East Asian) character
// takes two places.
func writeExcerpt(b *bytes.Buffer, line string, col, length int) {
	runes := []rune(line)
	start := min(max(col-1, 0), len(runes))
	length = max(length, 1)
	first, last := 0, len(runes)
	if len(runes) > excerptWidth {
		first = max(0, min(start-excerptWidth/3, len(runes)-excerptWidth))
		last = first + excerptWidth
	}
	head, tail := "    ", ""
	if first > 0 {
		head += "…"
	}
	if last < len(runes) {
		tail = "…"
	}
	fmt.Fprintf(b, "%s%s%s\n", head, string(runes[first:last]), tail)

	b.WriteString(strings.Repeat(" ", runewidth.StringWidth(head)))
	for _, r := range runes[first:start] {
		if r == '\t' {
			b.WriteByte('\t')
		} else {
			b.WriteString(strings.Repeat(" ", runewidth.RuneWidth(r)))
		}
	}
	end := min(start+length, last)
	width := 1
	if end > start {
		width = max(1, runewidth.StringWidth(strings.ReplaceAll(string(runes[start:end]), "\t", " ")))
	}
	fmt.Fprintf(b, "^%s\n", strings.Repeat("~", width-1))
}

// assigned finds NAME: value, NAME=value and --flag value in a line of a sweep.
var assigned = []*regexp.Regexp{
	regexp.MustCompile(`(--?[A-Za-z][A-Za-z0-9_-]*)(?:=|\s+|["']?,\s*)["']?([^\s"',}\]]+)`),
	regexp.MustCompile(`([A-Za-z_][A-Za-z0-9_-]*)["']?(?:=|:\s+)["']?([^\s"',}\]]+)`),
}

// hideSecrets puts stars over the secrets in a line, one for each character, so
// that everything else keeps its place.
func hideSecrets(line string) string {
	for _, re := range assigned {
		for pos := 0; ; {
			m := re.FindStringSubmatchIndex(line[pos:])
			if m == nil {
				break
			}
			name, value := line[pos+m[2]:pos+m[3]], line[pos+m[4]:pos+m[5]]
			from := pos + m[4]
			pos += m[3] // what follows a name can be a name itself: command: TOKEN=…
			isSecret := secret.IsSecretFlag("--"+strings.TrimLeft(name, "-")) || secret.IsSecretName(strings.ReplaceAll(name, "-", "_"), nil)
			if !isSecret || strings.HasPrefix(value, "$") || strings.HasPrefix(value, "-") || isHarmless(value) {
				continue
			}
			// As many bytes as before, so that nothing moves.
			line = line[:from] + stars(value) + line[from+len(value):]
		}
	}
	for _, s := range secret.Shown(line) {
		if value := line[s[0]:s[1]]; !strings.Contains(value, "\x00") && !strings.Contains(value, "*") && !strings.Contains(value, opener) && !isHarmless(value) {
			line = line[:s[0]] + stars(value) + line[s[1]:]
		}
	}
	return strings.ReplaceAll(line, "\x00", "")
}

// stars covers a text: a star for each character, and zero bytes up to its length.
func stars(s string) string {
	n := utf8.RuneCountInString(s)
	return strings.Repeat("*", n) + strings.Repeat("\x00", len(s)-n)
}

// WriteJSON writes all problems as one JSON array.
func (ps Problems) WriteJSON(w io.Writer) error {
	if ps == nil {
		ps = Problems{}
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(ps)
}

// githubData and githubProperty escape as GitHub's workflow commands ask: a
// property ends at a comma or colon, the message at the end of the line.
var (
	githubData     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	githubProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// WriteGitHub writes each problem as an annotation for GitHub Actions.
func (ps Problems) WriteGitHub(w io.Writer) error {
	var b bytes.Buffer
	for _, p := range ps {
		message := p.Message
		if p.Suggestion != "" {
			message += ": " + p.Suggestion
		}
		fmt.Fprintf(&b, "::%s file=%s,line=%d,col=%d,title=%s::%s\n", p.Severity,
			githubProperty.Replace(p.File), p.Line, p.Col, githubProperty.Replace(p.Rule), githubData.Replace(message))
	}
	_, err := w.Write(b.Bytes())
	return err
}

// lineEnds are the line ends of YAML 1.1, which the parser counts.
var lineEnds = regexp.MustCompile("\r\n|[\r\n\u0085\u2028\u2029]")

// splitLines cuts a text into lines without their ends, as YAML counts them.
func splitLines(text []byte) []string {
	lines := lineEnds.Split(strings.TrimPrefix(string(text), "\ufeff"), -1)
	for i, l := range lines {
		lines[i] = strings.ToValidUTF8(l, "\ufffd")
	}
	return lines
}
