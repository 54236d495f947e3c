package secret

import (
	"encoding/json"
	"strings"
	"sync"

	"servematrix/logfile"
)

// Mask stands where a secret stood.
const Mask = "<redacted>"

// Lengths in bytes under which a value is too common a word to be searched for
// in free text ("1", "none"). A value that a sweep spells out as a secret is
// meant; one of the environment may have got its name by chance.
const (
	shortestMeant = 3
	shortestFound = 6
)

// Redactor hides secret values in text. The zero value hides only the known
// forms. It is safe for concurrent use.
type Redactor struct {
	mu     sync.Mutex
	values [][]byte
	finder *logfile.Finder // of hints, then values; nil: not made yet
}

// Add makes value a secret from now on, also as it stands inside a JSON string.
func (r *Redactor) Add(value string) {
	if len(value) < shortestMeant {
		return
	}
	r.add(value)
	if quoted, err := json.Marshal(value); err == nil {
		r.add(string(quoted[1 : len(quoted)-1]))
	}
}

func (r *Redactor) add(value string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, v := range r.values {
		if string(v) == value {
			return
		}
	}
	r.values, r.finder = append(r.values, []byte(value)), nil
}

// AddEnviron makes the values of all variables with secret names secrets;
// environ is in the form of os.Environ, extra as in IsSecretName.
func (r *Redactor) AddEnviron(environ, extra []string) {
	for _, kv := range environ {
		if name, value, ok := strings.Cut(kv, "="); ok && IsSecretName(name, extra) && len(value) >= shortestFound {
			r.Add(value)
		}
	}
}

// String hides every secret in s.
func (r *Redactor) String(s string) string {
	b := []byte(s)
	spans := r.spans(b)
	if len(spans) == 0 {
		return s
	}
	var out strings.Builder
	at := 0
	for _, x := range spans {
		out.WriteString(s[at:x.from])
		out.WriteString(Mask)
		at = x.to
	}
	out.WriteString(s[at:])
	return out.String()
}

// spans finds what is to be hidden in b, in order, without overlaps.
func (r *Redactor) spans(b []byte) (found []span) {
	finder, values := r.find()
	finder.Each(b, func(at, no int) bool {
		if no >= len(hints) {
			found = append(found, span{at, at + len(values[no-len(hints)])})
		} else if x, ok := hints[no].find(b, at); ok {
			found = append(found, x)
		}
		return true
	})
	return merged(found)
}

func (r *Redactor) find() (*logfile.Finder, [][]byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case len(r.values) == 0:
		return ofHints(), nil
	case r.finder == nil:
		r.finder = logfile.NewFinder(append(hintWords(), r.values...))
	}
	return r.finder, r.values
}

// ofHints finds the hints alone; many Redactors know nothing else.
var ofHints = sync.OnceValue(func() *logfile.Finder { return logfile.NewFinder(hintWords()) })

func hintWords() [][]byte {
	words := make([][]byte, len(hints))
	for i, h := range hints {
		words[i] = []byte(h.text)
	}
	return words
}

// Strings hides every secret in each of list and returns a new slice; the word
// after a secret flag is hidden whole.
func (r *Redactor) Strings(list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = r.String(s)
		if i > 0 && IsSecretFlag(list[i-1]) && !strings.Contains(list[i-1], "=") && !strings.HasPrefix(s, "${{") {
			out[i] = Mask
		}
	}
	return out
}
