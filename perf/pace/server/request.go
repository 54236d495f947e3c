package server

import (
	"bytes"
	"slices"
	"strconv"
)

// request is one HTTP request as far as it matters here.
type request struct {
	method, path string
	body         []byte
	size         int // bytes that it took of the input
}

// parse reads a request with a Content-Length from the beginning of b. whole is false while
// bytes are missing, valid is false for what this server does not understand.
func parse(b []byte) (r request, whole, valid bool) {
	end := bytes.Index(b, []byte("\r\n\r\n"))
	if end < 0 {
		return r, false, len(b) < 64<<10
	}
	line, headers, _ := bytes.Cut(b[:end], []byte("\r\n"))
	words := bytes.Split(line, []byte(" "))
	if len(words) != 3 || !bytes.HasPrefix(words[2], []byte("HTTP/1.1")) {
		return r, false, false
	}
	length := 0
	for header := range bytes.SplitSeq(headers, []byte("\r\n")) {
		name, value, _ := bytes.Cut(header, []byte(":"))
		switch {
		case bytes.EqualFold(name, []byte("Content-Length")):
			n, err := strconv.Atoi(string(bytes.TrimSpace(value)))
			if err != nil || n < 0 || n > 64<<20 {
				return r, false, false
			}
			length = n
		case bytes.EqualFold(name, []byte("Transfer-Encoding")):
			return r, false, false
		}
	}
	r.size = end + 4 + length
	if len(b) < r.size {
		return r, false, true
	}
	path, _, _ := bytes.Cut(words[1], []byte("?"))
	r.method, r.path, r.body = string(words[0]), string(path), b[end+4:r.size]
	return r, true, true
}

// asked is what a request for text wants.
type asked struct {
	tokens, prompt int
	stream, usage  bool
}

// ask reads what matters from the body by looking for it: to decode it all would cost more than
// to answer.
func ask(body []byte) asked {
	a := asked{tokens: 16, stream: isTrue(body, `"stream"`), usage: isTrue(body, `"include_usage"`)}
	for _, name := range []string{`"max_tokens"`, `"max_completion_tokens"`, `"max_new_tokens"`} {
		if value := after(body, name); len(value) > 0 {
			digits := value[:len(value)-len(bytes.TrimLeft(value, "0123456789"))]
			if n, err := strconv.Atoi(string(digits)); err == nil {
				a.tokens = max(n, 1)
			}
		}
	}
	for _, name := range []string{`"prompt"`, `"input_ids"`} {
		if value := after(body, name); len(value) > 0 && value[0] == '[' {
			ids, _, _ := bytes.Cut(value, []byte("]"))
			a.prompt = bytes.Count(ids, []byte(",")) + 1
		}
	}
	if a.prompt == 0 {
		a.prompt = len(body)/4 + 1 // text: nobody counts its tokens here
	}
	return a
}

// after gives what stands behind a name and its colon.
func after(body []byte, name string) []byte {
	i := bytes.Index(body, []byte(name))
	if i < 0 {
		return nil
	}
	return bytes.TrimLeft(body[i+len(name):], " :\n\t")
}

func isTrue(body []byte, name string) bool { return bytes.HasPrefix(after(body, name), []byte("true")) }

// sortedByArrival leaves requests as it is.
func sortedByArrival(requests []Request) []Request {
	return slices.SortedFunc(slices.Values(requests), func(a, b Request) int { return int(a.Arrived - b.Arrived) })
}
