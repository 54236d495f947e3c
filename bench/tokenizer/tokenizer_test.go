package tokenizer

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var kinds = []string{"bytes", "gpt2", "fallback", "metaspace"}

func open(t testing.TB, name string) *Tokenizer {
	t.Helper()
	tok, err := Open(filepath.Join("testdata", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	return tok
}

// What Hugging Face's tokenizers library makes of the same texts with the same tokenizers:
// testdata/make.py.
func TestAsTheLibraryDoes(t *testing.T) {
	for _, name := range kinds {
		tok := open(t, name)
		text, err := os.ReadFile(filepath.Join("testdata", name+".want.json"))
		if err != nil {
			t.Fatal(err)
		}
		var want struct {
			Specials int
			Texts    []struct {
				Text, Decoded string
				IDs           []int32
			}
		}
		if err := json.Unmarshal(text, &want); err != nil {
			t.Fatal(err)
		}
		if len(want.Texts) == 0 || tok.Specials() != want.Specials {
			t.Errorf("%s: %d specials, want %d", name, tok.Specials(), want.Specials)
		}
		for _, w := range want.Texts {
			if got := tok.Encode(w.Text); !slices.Equal(got, w.IDs) {
				t.Errorf("%s: %q is %v, want %v", name, w.Text, got, w.IDs)
			}
			if got := tok.Decode(w.IDs); got != w.Decoded {
				t.Errorf("%s: %v is %q, want %q", name, w.IDs, got, w.Decoded)
			}
		}
	}
}

// A text of words has as many tokens as were drawn, in whatever order they come.
func TestWordsKeepTheirNumber(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, name := range kinds {
		tok := open(t, name)
		words := tok.Words()
		if len(words) < 10 {
			t.Fatalf("%s: %d words", name, len(words))
		}
		ids := make([]int32, 5000)
		for i := range ids {
			ids[i] = words[rng.IntN(len(words))]
		}
		if got := tok.Encode(tok.Decode(ids)); !slices.Equal(got, ids) {
			t.Errorf("%s: %d tokens become %d", name, len(ids), len(got))
		}
	}
}

func TestUnknownTokenizersAreRefused(t *testing.T) {
	vocab := `"vocab": {"a": 0, "b": 1, "ab": 2}, "merges": ["a b"]`
	for text, says := range map[string]string{
		`hello`: "is no tokenizer.json",
		`{}`:    "no vocabulary",
		`{"model": {"type": "Unigram", "vocab": [["a", 0.5]]}}`:                                                    "is no tokenizer.json",
		`{"model": {"type": "WordPiece", "vocab": {"a": 0}}}`:                                                      "its model is WordPiece; only BPE is known",
		`{"model": {"type": "BPE", "dropout": 0.1, ` + vocab + `}}`:                                                "drops merges",
		`{"model": {"type": "BPE", "end_of_word_suffix": "</w>", ` + vocab + `}}`:                                  "parts of words",
		`{"model": {"type": "BPE", "vocab": {"a": 0}, "merges": ["a b"]}}`:                                         "merge 0",
		`{"model": {"type": "BPE", "vocab": {"a": 0}, "merges": ["ab"]}}`:                                          "want two symbols",
		`{"model": {"type": "BPE", "vocab": {"a": -1}}}`:                                                           "the id of \"a\", -1",
		`{"normalizer": {"type": "Lowercase"}, "model": {"type": "BPE", ` + vocab + `}}`:                           "its normalizer Lowercase is not known",
		`{"pre_tokenizer": {"type": "BertPreTokenizer"}, "model": {"type": "BPE", ` + vocab + `}}`:                 "its pre-tokenizer BertPreTokenizer is not known",
		`{"pre_tokenizer": {"type": "Split", "pattern": {"Regex": "("}}, "model": {"type": "BPE", ` + vocab + `}}`: "is not understood",
		`{"post_processor": {"type": "BertProcessing"}, "model": {"type": "BPE", ` + vocab + `}}`:                  "its post-processor BertProcessing is not known",
	} {
		if _, err := Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %s", text, err, says)
		}
	}
	if _, err := Open(filepath.Join(t.TempDir(), "none.json")); err == nil || !strings.Contains(err.Error(), "none.json") {
		t.Errorf("%v", err)
	}
}

// Whatever the text, tokens over bytes lose nothing of it.
func FuzzEncode(f *testing.F) {
	tok := open(f, "gpt2")
	for _, text := range []string{"", "the server", " don't\n\n\t", "日本語 😀", "\xff\xfe"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if text = strings.ToValidUTF8(text, "?"); text == "" || strings.HasPrefix(text, " ") {
			return
		}
		if got := tok.Decode(tok.Encode(text)); got != " "+text { // it adds a space before the text
			t.Errorf("%q becomes %q", text, got)
		}
	})
}
