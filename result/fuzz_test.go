package result

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func seed(f *testing.F, patterns ...string) {
	f.Helper()
	for _, pattern := range patterns {
		files, _ := filepath.Glob(filepath.Join("testdata", pattern))
		if len(files) == 0 {
			f.Fatalf("no seeds in %s", pattern)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			if len(data) < 20<<10 {
				f.Add(data)
			}
		}
	}
}

// sound holds every measurement against what the rest of the program relies on.
func sound(t *testing.T, m *Measurement) {
	t.Helper()
	if m.Metrics.Len() == 0 || m.Parser != ParserVersion || m.Source == "" {
		t.Fatalf("not a measurement: %+v", m)
	}
	verdict := Judge(m, Expectation{NumPrompts: 4, OutputTokens: 64, Promised: []string{"mean_ttft_ms"}})
	for _, r := range verdict.Reasons {
		if r.Reason == "" || r.Detail == "" || (r.Severity != SeverityError && r.Severity != SeverityWarning) {
			t.Fatalf("an empty reason: %+v", r)
		}
	}
	s := Sample{Status: StatusOK, Metrics: m.Metrics, Extra: m.Extra, Validity: &verdict}
	data, err := json.Marshal(s)
	if err != nil {
		t.Fatalf("the sample cannot be written: %v", err)
	}
	var back Sample
	if err := json.Unmarshal(data, &back); err != nil {
		t.Fatalf("the sample cannot be read: %v\n%s", err, data)
	}
	again, err := json.Marshal(back)
	if err != nil || string(again) != string(data) {
		t.Fatalf("the bytes are not stable: %v\n%s\n%s", err, data, again)
	}
	if _, err := json.Marshal(m.Config); err != nil {
		t.Fatalf("the configuration cannot be written: %v", err)
	}
}

func FuzzParseText(f *testing.F) {
	seed(f, "*.txt", "clients/*/conc/stdout", "failed/*.stdout")
	for _, text := range []string{rustBlock, offlineRows, "[1,0]<stdout>:" + strings.ReplaceAll(offlineRows, "\n", "\n[1,0]<stdout>:"), block("Total generated tokens: 1,234", "Mean TTFT (ms): 1.234,5"), rustBlock + line(400)} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		found, err := ParseText(strings.NewReader(string(data)))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range found {
			sound(t, m)
		}
		var p reportParser
		lines := newLineReader(strings.NewReader(string(data)))
		for {
			line, ended, err := lines.next()
			if err != nil {
				break
			}
			p.line(line, ended)
		}
		for _, s := range p.end() {
			if s.Status == "" || s.Server == nil || s.Client == nil || (s.Failure == nil && s.Validity == nil) {
				t.Fatalf("half a sample: %+v", s)
			}
		}
	})
}

func FuzzParseJSON(f *testing.F) {
	seed(f, "clients/*/*/*.json*", "failed/*.json*")
	for _, text := range []string{small + small, "[" + small + "]", `{"duration": Infinity, "completed": -Infinity, "x": NaN}`, small + `{"a`, `{"server_info": {"a": [1]}}`, line(1) + "\n" + line(2)[:300] + "\n" + line(3), `{"a": "\ud83d\u00zz"}`, "[{}\n{]"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		found, err := ParseJSON(strings.NewReader(string(data)))
		var cut *TruncatedError
		if errors.As(err, &cut) && (cut.Offset < 0 || cut.Whole < 0) {
			t.Fatalf("%+v", cut)
		}
		for _, m := range found {
			sound(t, m)
		}
		if json.Valid(data) && err != nil {
			t.Fatalf("valid JSON was refused: %v", err)
		}
	})
}
