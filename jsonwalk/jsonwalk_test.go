package jsonwalk

import (
	"encoding/json"
	"math"
	"reflect"
	"testing"
)

// anything takes an object of scalars and lists of strings.
type anything map[string]any

func (a anything) Walk(c *Cursor) {
	c.Object(func(key []byte) {
		if name := c.Known(key); name == "list" {
			a[name] = c.Texts()
		} else {
			a[name] = c.Scalar()
		}
	})
}

func TestRead(t *testing.T) {
	for text, want := range map[string]anything{
		` { "a" : 1 , "b" : -0.5e+3 } `:         {"a": int64(1), "b": -500.0},
		`{"s":"组","t":true,"f":false,"n":null}`: {"s": "组", "t": true, "f": false, "n": nil},
		`{"list":["a","b"]}`:                    {"list": []string{"a", "b"}},
		`{"list":[]}`:                           {"list": []string{}},
		`{"big":99999999999999999999}`:          {"big": 1e20},
		`{}`:                                    {},
	} {
		got := anything{}
		if !Read([]byte(text), got) || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}

// What JSON has not, or what is rare in it, is left to encoding/json.
func TestReadLeavesTheRest(t *testing.T) {
	for _, text := range []string{
		``, `[]`, `{`, `{"a"}`, `{"a":}`, `{"a":1,}`, `{"a":1}x`, "{\"a\":1}\x00", `{a:1}`, `{"a":nul}`, `{"a":tru}`, `{"a":{}}`, `{"list":[1]}`, `{"list":["a",]}`, `{"list":["a"`,
		`{"a":01}`, `{"a":1.}`, `{"a":.5}`, `{"a":-}`, `{"a":1e}`, `{"a":+1}`, `{"a":0x1}`, `{"a":1e999}`, `{"a":NaN}`,
		`{"a":"\n"}`, "{\"a\":\"\n\"}", "{\"a\":\"\xff\"}", `{"a":"b`,
	} {
		if got := (anything{}); Read([]byte(text), got) {
			t.Errorf("%q was taken for %v", text, got)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(`{"a":1,"b":"c","d":-1.5e3,"e":null,"list":["x"]}`)
	f.Fuzz(func(t *testing.T, text string) {
		got := anything{}
		if !Read([]byte(text), got) {
			return
		}
		var want map[string]any
		if err := json.Unmarshal([]byte(text), &want); err != nil {
			t.Fatalf("%q was taken, encoding/json says %v", text, err)
		}
		for name, value := range got {
			if n, ok := value.(int64); ok {
				value = float64(n)
			}
			if list, ok := value.([]string); ok {
				if len(list) != len(want[name].([]any)) {
					t.Fatalf("%q: %v, encoding/json says %v", text, got, want)
				}
			} else if f, ok := value.(float64); value != want[name] && !(ok && math.Abs(f) > 1<<53) {
				t.Fatalf("%q: %v, encoding/json says %v", text, got, want)
			}
		}
	})
}
