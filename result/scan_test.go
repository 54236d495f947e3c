package result

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"
)

// line is a JSONL line of SGLang's with --output-details, known by its number of requests.
func line(n int) string {
	floats := strings.TrimSuffix(strings.Repeat("0.012345, ", 40), ", ")
	return fmt.Sprintf(`{"backend": "sglang", "request_rate": Infinity, "duration": 2.5, "completed": %d, "total_output_tokens": 64, `+
		`"itls": [[%s], [], [1e-05]], "generated_texts": ["a\n{\"b\" \u00e9", "]}\\"], "errors": ["", ""], "ttfts": [NaN, 0.5]}`, n, floats)
}

func completed(found []*Measurement) []float64 {
	var out []float64
	for _, m := range found {
		out = append(out, m.Metrics.Value("completed"))
	}
	return out
}

// A damaged line costs that line and nothing else, wherever it was cut, and is named.
func TestJSONDamagedLines(t *testing.T) {
	first, second, third := line(1), line(2), line(3)
	for cut := 1; cut < len(second); cut++ {
		text := first + "\n" + second[:cut] + "\n" + third + "\n"
		for name, r := range map[string]io.Reader{"file": strings.NewReader(text), "one byte": iotest.OneByteReader(strings.NewReader(text))} {
			found, err := ParseJSON(r)
			var bad *DamagedError
			if !errors.As(err, &bad) || bad.Offset != int64(len(first)+1) || !strings.Contains(err.Error(), "byte") {
				t.Fatalf("%s, cut at %d (…%s): %v", name, cut, second[max(0, cut-9):cut], err)
			}
			if got := completed(found); !slices.Equal(got, []float64{1, 3}) && (name == "file" || !slices.Equal(got, []float64{1})) {
				t.Fatalf("%s, cut at %d (…%s): results %v, %v", name, cut, second[max(0, cut-9):cut], got, err)
			}
		}
	}
}

// The same where the damaged value is far longer than the buffer, and the reader can go back.
func TestJSONDamageBeforeALongTail(t *testing.T) {
	long := `{"backend": "sglang", "duration": 1, "completed": 2, "ttfts": [` + strings.Repeat("0.5, ", scanBuffer) + "0.5]}"
	text := line(1) + "\n" + `{"backend": "x", "completed": ` + "\n" + long + "\n" + line(3) + "\n"
	found, err := ParseJSON(strings.NewReader(text))
	if got := completed(found); !slices.Equal(got, []float64{1, 2, 3}) || err == nil {
		t.Errorf("%v, %v", got, err)
	}
	// A pipe cannot be read twice: what was swallowed is lost, and that is said.
	found, err = ParseJSON(io.MultiReader(strings.NewReader(text)))
	if got := completed(found); !slices.Equal(got, []float64{1, 3}) || err == nil {
		t.Errorf("pipe: %v, %v", got, err)
	}
}

func TestJSONDamageWithoutLines(t *testing.T) {
	for text, want := range map[string][]float64{
		line(1) + line(2)[:strings.Index(line(2), "12345")] + line(3):                   {1, 3},
		"[" + line(1) + ",\n" + line(2)[:90] + ",\n" + line(3) + "\n]":                  {1, 3},
		line(1) + "\n" + line(2)[:90]:                                                   {1},
		line(1) + "\nlog line\n" + line(3):                                              {1, 3},
		line(1) + "\n}}]]\n" + line(3):                                                  {1, 3},
		line(1) + "\n{\"a\": \"\\x\"}\n" + line(3):                                      {1, 3},
		line(1) + "\n{\"a\": 1 2}\n" + line(3):                                          {1, 3},
		line(1) + "\n{\"a\": [1}\n" + line(3):                                           {1, 3},
		line(1) + "\n{\"ttfts\": [1}]\n" + line(3):                                      {1, 3},
		line(1) + "\n{\"itls\": [[1]]\n" + line(3):                                      {1, 3},
		line(1) + "\n{\"itls\": [" + strings.Repeat("[", maxNesting+1) + "\n" + line(3): {1, 3},
	} {
		found, err := ParseJSON(strings.NewReader(text))
		if got := completed(found); !slices.Equal(got, want) || err == nil {
			t.Errorf("%.60s…: %v, want %v; %v", text[len(line(1)):], got, want, err)
		}
	}
}

func TestJSONDamagesAreCounted(t *testing.T) {
	_, err := ParseJSON(strings.NewReader(strings.Repeat("{\"a\" 1}\n", maxDamages+7)))
	if err == nil || !strings.HasSuffix(err.Error(), "and 7 more") || !strings.Contains(err.Error(), "line 3, byte 21") {
		t.Errorf("err = %v", err)
	}
}

// An error of whoever takes the results ends the reading at once.
func TestEachResultEnds(t *testing.T) {
	stop, seen := errors.New("enough"), 0
	err := eachResult(strings.NewReader(line(1)+"\n"+line(2)), func(*Measurement) error { seen++; return stop })
	if !errors.Is(err, stop) || seen != 1 {
		t.Errorf("%d results, %v", seen, err)
	}
	broken := errors.New("disk")
	if err := eachResult(iotest.ErrReader(broken), nil); !errors.Is(err, broken) {
		t.Errorf("err = %v", err)
	}
	if err := eachResult(io.MultiReader(strings.NewReader(`{"a": [1, `), iotest.ErrReader(broken)), nil); !errors.Is(err, broken) {
		t.Errorf("err = %v", err)
	}
}

func nextWord(s *scanner) ([]byte, error) {
	if _, err := s.peek(); err != nil {
		return nil, err
	}
	word, _, err := s.word()
	return word, err
}

// Whatever encoding/json writes, passing over it and reading it both end where it ends.
func TestScannerAgreesWithTheLibrary(t *testing.T) {
	var value func(depth int) *rapid.Generator[any]
	value = func(depth int) *rapid.Generator[any] {
		scalars := []*rapid.Generator[any]{
			rapid.Just[any](nil), rapid.Bool().AsAny(), rapid.Int64Range(-1<<52, 1<<52).AsAny(), rapid.Float64Range(-1e300, 1e300).AsAny(), rapid.String().AsAny(),
		}
		if depth == 0 {
			return rapid.OneOf(scalars...)
		}
		return rapid.OneOf(append(scalars,
			rapid.SliceOfN(value(depth-1), 0, 4).AsAny(), rapid.MapOfN(rapid.String(), value(depth-1), 0, 4).AsAny())...)
	}
	rapid.Check(t, func(t *rapid.T) {
		v := value(3).Draw(t, "value")
		text, err := json.Marshal(v)
		if rapid.Bool().Draw(t, "indented") {
			text, err = json.MarshalIndent(v, "", "  ")
		}
		if err != nil {
			t.Skip()
		}
		s := newScanner(strings.NewReader(string(text) + " 17"))
		if err := s.skip(); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if rest, err := nextWord(s); err != nil || string(rest) != "17" {
			t.Fatalf("%s: then %q, %v", text, rest, err)
		}
		left := 1 << 20
		s = newScanner(strings.NewReader(string(text) + " 17"))
		if _, ok, err := s.nested(&left, 0); err != nil || !ok {
			t.Fatalf("%s: %v, %v", text, ok, err)
		}
		if rest, err := nextWord(s); err != nil || string(rest) != "17" {
			t.Fatalf("%s: then %q, %v", text, rest, err)
		}
	})
}

// A string beyond what is kept keeps its beginning, also when that is cut within an escape.
func TestScannerLongStrings(t *testing.T) {
	for pad := range 14 {
		text := strings.Repeat("x", maxKeep-pad) + `\ud83d\ude00` + strings.Repeat(`\n`, 40)
		s := newScanner(strings.NewReader(`"` + text + `" 17`))
		got, err := s.string()
		if err != nil || !strings.HasPrefix(got, strings.Repeat("x", maxKeep-pad-8)) {
			t.Fatalf("pad %d: %d bytes, %v", pad, len(got), err)
		}
		if rest, err := nextWord(s); err != nil || string(rest) != "17" {
			t.Fatalf("pad %d: then %q, %v", pad, rest, err)
		}
	}
}
