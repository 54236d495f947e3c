package secret

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
	"sync"
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

// known are the forms in which engines and clients print credentials by
// themselves: SGLang's ServerArgs(api_key='…') and server_info JSON, HTTP
// Authorization headers, Hugging Face tokens.
var known = []struct {
	hint string // a text without it is not searched: the expression is slow, most text has none
	form *regexp.Regexp
}{
	{"api_key", regexp.MustCompile(`(\b(?:admin_)?api_key["']?\s*[=:]\s*["'])([^"']+)(["'])`)},
	{"uthorization", regexp.MustCompile(`([Aa]uthorization["']?\s*[=:]\s*["']?[Bb]earer\s+)([^\s"']+)()`)},
	{"hf_", regexp.MustCompile(`()(\bhf_[A-Za-z0-9]{20,})()`)},
	{"api-key", regexp.MustCompile(`(--(?:admin-)?api-key[= ])([^\s'"]+)()`)},
}

// Redactor hides secret values in text. The zero value hides only the known
// forms. It is safe for concurrent use.
type Redactor struct {
	mu     sync.RWMutex
	values []string // longest first, so that a value inside another is hidden with it
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
		if v == value {
			return
		}
	}
	r.values = append(r.values, value)
	sort.Slice(r.values, func(i, j int) bool { return len(r.values[i]) > len(r.values[j]) })
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
	r.mu.RLock()
	for _, v := range r.values {
		s = strings.ReplaceAll(s, v, Mask)
	}
	r.mu.RUnlock()
	for _, k := range known {
		if strings.Contains(s, k.hint) {
			s = k.form.ReplaceAllString(s, "${1}"+Mask+"${3}")
		}
	}
	return s
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

// window is how much of a file is searched at a time, and overlap how much of
// it is searched again with the next part, so that no secret is cut in two.
const (
	window  = 1 << 20
	overlap = 16 << 10
)

// File hides the secrets in a file that somebody else wrote (a client's output).
// The file is replaced, synced and atomically, only when there is something to hide.
func (r *Redactor) File(path string) (changed bool, err error) {
	in, err := os.Open(path)
	if err != nil {
		return false, fmt.Errorf("redact: %w", err)
	}
	defer in.Close()
	if found, err := r.find(in); err != nil || !found {
		return false, err
	}
	if _, err := in.Seek(0, io.SeekStart); err != nil {
		return false, fmt.Errorf("redact %s: %w", path, err)
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), ".redact-*")
	if err != nil {
		return false, fmt.Errorf("redact %s: %w", path, err)
	}
	defer os.Remove(tmp.Name())
	err = r.copy(tmp, in)
	if err == nil {
		err = tmp.Sync()
	}
	if cerr := tmp.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		return false, fmt.Errorf("redact %s: %w", path, err)
	}
	return true, nil
}

// find reads until the first window with a secret in it.
func (r *Redactor) find(in *os.File) (bool, error) {
	found := false
	err := windows(in, func(b []byte, _ bool) int {
		s := string(b)
		if r.String(s) != s {
			found = true
			return -1
		}
		return keep(b)
	})
	return found, err
}

func (r *Redactor) copy(w io.Writer, in *os.File) error {
	var werr error
	err := windows(in, func(b []byte, last bool) int {
		n := len(b)
		if !last {
			n = cut(b)
		}
		if _, werr = io.WriteString(w, r.String(string(b[:n]))); werr != nil {
			return -1
		}
		return len(b) - n
	})
	if werr != nil {
		return werr
	}
	return err
}

// keep is the number of bytes at the end of b that are looked at again.
func keep(b []byte) int { return min(len(b), overlap) }

// cut finds where b can be parted near its end without parting a secret: after
// a line, else after a word.
func cut(b []byte) int {
	n := len(b) - keep(b)
	for _, ends := range []string{"\n\r", " \t,;"} {
		if i := bytes.LastIndexAny(b, ends); i >= n {
			return i + 1
		}
	}
	return n
}

// windows calls f with parts of the input; f tells how many bytes at the end of
// the part come again, or -1 to stop.
func windows(in *os.File, f func(b []byte, last bool) int) error {
	size := window
	if info, err := in.Stat(); err == nil && info.Size() < window {
		size = int(info.Size()) + 1 // most files are small, and the end of one shall show at once
	}
	buf := make([]byte, 0, size+overlap)
	for {
		n, err := io.ReadFull(in, buf[len(buf):len(buf)+size])
		buf = buf[:len(buf)+n]
		last := err == io.EOF || err == io.ErrUnexpectedEOF
		if err != nil && !last {
			return err
		}
		again := f(buf, last)
		if last || again < 0 {
			return nil
		}
		buf = append(buf[:0], buf[len(buf)-again:]...)
	}
}
