package dataset

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// file writes a file of the dataset called name and gives options that read it.
func file(t *testing.T, name, content string, change func(*Options)) Options {
	t.Helper()
	path := filepath.Join(t.TempDir(), "data")
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return options(t, func(o *Options) {
		o.Name = name
		o.DatasetPath = path
		if change != nil {
			change(o)
		}
	})
}

func packed(t *testing.T, content string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write([]byte(content))
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

const (
	mooncakeTrace = `{"timestamp": 27482, "input_length": 1100, "output_length": 52, "hash_ids": [46, 47, 2353]}
{"timestamp": 30535, "input_length": 1300, "output_length": 26, "hash_ids": [46, 47, 2366]}

{"timestamp": 30535.5, "input_length": 600, "output_length": 1, "hash_ids": [7, 8], "type": "chat"}
{"timestamp": 40000, "input_length": 5, "output_length": 2}
`
	burstGPTTrace = `Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type
5,ChatGPT,472,18,490,Conversation log
118,GPT-4,417,276,693,Conversation log
130,GPT-4,0,0,0,Conversation log
233.5,GPT-4,586,293,879,API log
`
	shareGPT = `[
 {"id": "a", "conversations": [{"from": "human", "value": "first question"}, {"from": "gpt", "value": "one"}, {"from": "human", "value": "and then?"}, {"from": "gpt", "value": "two more words"}]},
 {"id": "b", "conversations": [{"from": "human", "value": "alone"}]},
 {"id": "c", "conversations": [{"from": "human", "value": "日本語 \"quoted\"\n"}, {"from": "gpt", "value": "three"}]}
]`
	customLines = `{"conversations": [{"role": "user", "content": "hello"}, {"role": "assistant", "content": "hi"}]}
{"prompt": "What is the capital of India?", "output_tokens": 10}
`
	openAILines = `{"messages": [{"role": "system", "content": "be brief"}, {"role": "user", "content": "hello"}], "max_tokens": 7, "temperature": 0.5, "model": "x"}
{"messages": [{"role": "user", "content": "again"}], "top_p": 0.9}
`
)

func TestMooncake(t *testing.T) {
	o := file(t, Mooncake, mooncakeTrace, func(o *Options) { o.SlowdownFactor = 2 })
	list := prompts(t, o)
	var at []time.Duration
	for _, p := range list {
		at = append(at, p.At)
		if p.Input != len(p.IDs) {
			t.Errorf("%d ids for %d tokens", len(p.IDs), p.Input)
		}
	}
	if want := []time.Duration{0, 2 * 3053 * time.Millisecond, 2 * 3053500 * time.Microsecond, 2 * 12518 * time.Millisecond}; !slices.Equal(at, want) {
		t.Errorf("due at %v, want %v", at, want)
	}
	a, b, c := list[0], list[1], list[2]
	if !slices.Equal(a.IDs[:1024], b.IDs[:1024]) {
		t.Error("equal hashes have other tokens")
	}
	if slices.Equal(a.IDs[:512], a.IDs[512:1024]) || slices.Equal(a.IDs[1024:1034], b.IDs[1024:1034]) || slices.Equal(a.IDs[:512], c.IDs[:512]) {
		t.Error("other hashes have equal tokens")
	}
	if a.Input != 1100 || a.Output != 52 || list[3].Input != 5 {
		t.Errorf("%d in, %d out; %d", a.Input, a.Output, list[3].Input)
	}
	o.NumPrompts = 2
	if len(prompts(t, o)) != 2 {
		t.Error("--num-prompts does not cut")
	}
}

// Hashes are told apart by how they are written, not by where they stand.
func TestHashes(t *testing.T) {
	var a, b hashes
	if err := json.Unmarshal([]byte(`[1, 12,"a,b" ,2,1]`), &a); err != nil || len(a) != 5 || a[0] != a[4] || a[0] == a[1] || a[1] == a[3] {
		t.Errorf("%v, %v", a, err)
	}
	if err := json.Unmarshal([]byte(`["a,b",1]`), &b); err != nil || len(b) != 2 || b[0] != a[2] || b[1] != a[0] {
		t.Errorf("%v, %v", b, err)
	}
	if err := json.Unmarshal([]byte(`[]`), &b); err != nil || b == nil || len(b) != 0 {
		t.Errorf("%v, %v", b, err)
	}
}

func TestBurstGPT(t *testing.T) {
	type request struct {
		in, out int
		at      time.Duration
	}
	for model, want := range map[string][]request{
		"GPT-4": {{417, 276, 0}, {586, 293, 115500 * time.Millisecond}},
		"all":   {{472, 18, 0}, {417, 276, 113 * time.Second}, {586, 293, 228500 * time.Millisecond}},
	} {
		var got []request
		for _, p := range prompts(t, file(t, BurstGPT, burstGPTTrace, func(o *Options) { o.BurstGPTModel = model })) {
			got = append(got, request{len(p.IDs), p.Output, p.At})
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", model, got, want)
		}
	}
}

func TestTraceAtARate(t *testing.T) {
	for untimed, want := range map[bool]bool{true: false, false: true} {
		set, err := Open(file(t, Mooncake, mooncakeTrace, func(o *Options) { o.UseTraceTimestamps = !untimed }))
		if err != nil || set.Timed != want {
			t.Errorf("timed: %v, %v", set.Timed, err)
		}
	}
}

func TestConversations(t *testing.T) {
	fixed := func(o *Options) { o.ShareGPTOutputLen = 9 }
	texts := func(list []Prompt) (all []string) {
		for _, p := range list {
			if p.Output != 9 || p.Input != 0 {
				t.Errorf("%+v", p)
			}
			all = append(all, p.Text)
		}
		slices.Sort(all)
		return all
	}
	want := []string{"first question", "日本語 \"quoted\"\n"}
	if got := texts(prompts(t, file(t, ShareGPT, shareGPT, fixed))); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	want = []string{"What is the capital of India?", "hello"}
	if got := texts(prompts(t, file(t, Custom, customLines, fixed))); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	suffixed := file(t, Custom, `{"prompt": "Say it. Assistant:", "output_tokens": 3}`, func(o *Options) { o.PromptSuffix = "Now. " })
	if got := prompts(t, suffixed)[0]; got.Text != "Say it. Now. Assistant:" || got.Output != 3 {
		t.Errorf("%+v", got)
	}
}

func TestOpenAI(t *testing.T) {
	list := prompts(t, file(t, OpenAI, openAILines, nil))
	if len(list) != 2 || list[0].Output != 7 || list[1].Output != 256 || len(list[0].Messages) != 2 || list[0].Messages[1] != (Message{"user", "hello"}) {
		t.Fatalf("%+v", list)
	}
	body, err := json.Marshal(list[0].Body)
	if err != nil || string(body) != `{"temperature":0.5}` {
		t.Errorf("%s, %v", body, err)
	}
}

func TestMultiTurn(t *testing.T) {
	o := file(t, ShareGPT, shareGPT, func(o *Options) { o.ShareGPTOutputLen, o.MultiTurn, o.DisableShuffle = 9, true, true })
	set, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	defer set.Close()
	list := slices.Collect(set.Prompts)
	if set.Count != 3 || len(list) != 2 || list[0].Turns() != 2 {
		t.Fatalf("%d requests, %+v", set.Count, list)
	}
	next := list[0].Follow("one!")
	if want := []Message{{"user", "first question"}, {"assistant", "one!"}, {"user", "and then?"}}; !slices.Equal(next.Messages, want) {
		t.Errorf("%+v", next.Messages)
	}
}

// A file is the same dataset whoever wrote it and however it is packed.
func TestWritings(t *testing.T) {
	for name, content := range map[string]string{Mooncake: mooncakeTrace, BurstGPT: burstGPTTrace, ShareGPT: shareGPT, Custom: customLines, OpenAI: openAILines} {
		fixed := func(o *Options) { o.ShareGPTOutputLen = 9 }
		want := prompts(t, file(t, name, content, fixed))
		windows := "\ufeff" + strings.ReplaceAll(content, "\n", "\r\n")
		for writing, text := range map[string]string{
			"windows": windows, "gzip": packed(t, content), "both": packed(t, windows), "no last newline": strings.TrimSuffix(content, "\n"),
		} {
			if got := prompts(t, file(t, name, text, fixed)); fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%s as %s: %.300v, want %.300v", name, writing, got, want)
			}
		}
	}
}

// Warm-up prompts leave nothing of the measured ones in a prefix cache.
func TestWarmupIsNotMeasured(t *testing.T) {
	for name, content := range map[string]string{Mooncake: mooncakeTrace, BurstGPT: burstGPTTrace, ShareGPT: shareGPT, Custom: customLines, OpenAI: openAILines, Random: "", SharedPrefix: ""} {
		set, err := Open(file(t, name, content, func(o *Options) { o.ShareGPTOutputLen, o.NumPrompts = 90, 20 }))
		if err != nil {
			t.Fatal(err)
		}
		defer set.Close()
		first := set.first()
		start := func(p Prompt) string {
			text := fmt.Sprint(p.IDs[:min(5, len(p.IDs))])
			if p.IDs == nil {
				text = p.Text
				for _, m := range p.Messages {
					text += m.Content
				}
				text = text[:min(len(text), 10)]
			}
			return text
		}
		measured := map[string]bool{}
		for p := range set.Prompts {
			measured[start(p)] = true
		}
		warm := slices.Collect(set.Warmup(3))
		if len(warm) != 3 || (warm[0].IDs == nil) != (first.IDs == nil) {
			t.Errorf("%s: %+v beside %+v", name, warm, first)
		}
		for _, p := range warm {
			if measured[start(p)] || p.Output < 1 || p.Output > 32 || p.Next != nil || p.Input != first.Input {
				t.Errorf("%s: %+v", name, p)
			}
		}
	}
}

func TestBadFiles(t *testing.T) {
	good := `{"timestamp": 5, "input_length": 4, "output_length": 5}` + "\n"
	for _, c := range []struct{ name, content, says string }{
		{Mooncake, "", "data: no row to send"},
		{Mooncake, "\n \n", "data: no row to send"},
		{Mooncake, good + `{"timestamp": 1, "input_length": 4, "output_length": 5}`, "data:2: its timestamp, 1ms, lies before that of the row before, 5ms"},
		{Mooncake, good + "\nhello", "data:3: not JSON"},
		{Mooncake, good + `{"timestamp": 6, "input_length": 4`, "data:2: not JSON"},
		{Mooncake, `[1]`, "data:1: want a JSON object, got array"},
		{Mooncake, `7`, "data:1: want a JSON object, got number"},
		{Mooncake, `null`, "data:1: want a JSON object, got null"},
		{Mooncake, `{"timestamp": 1, "input_length": 4}`, "data:1: no output_length; there is input_length, timestamp"},
		{Mooncake, `{"timestamp": 1, "output_length": 4}`, "data:1: no input_length"},
		{Mooncake, `{"input_length": 1, "output_length": 4}`, "data:1: no timestamp"},
		{Mooncake, `{"timestamp": 1, "input_length": -4, "output_length": 1}`, "data:1: input_length -4: want tokens from 1"},
		{Mooncake, `{"timestamp": 1, "input_length": 4, "output_length": -1}`, "data:1: output_length -1: want tokens from 1"},
		{Mooncake, `{"timestamp": 1, "input_length": "4", "output_length": 1}`, "data:1: input_length: cannot be string"},
		{Mooncake, `{"timestamp": -1, "input_length": 4, "output_length": 1}`, "data:1: timestamp -1"},
		{Mooncake, `{"timestamp": 1e300, "input_length": 4, "output_length": 1}`, "data:1: timestamp 1e+300"},
		{Mooncake, `{"timestamp": 1, "input_length": 4000, "output_length": 1, "hash_ids": [1, 2]}`, "data:1: 2 hash_ids for an input_length of 4000: want 8"},
		{Mooncake, `{"timestamp": 1, "input_length": 4, "output_length": 1, "hash_ids": [[1]]}`, "data:1: hash_ids: want a list"},
		{Mooncake, `{"timestamp": 1, "input_length": 4, "output_length": 1, "hash_ids": 7}`, "data:1: hash_ids: want a list"},
		{Mooncake, `{"timestamp": 1, "input_length": 99999999999, "output_length": 1}`, "data:1: input_length 99999999999"},
		{BurstGPT, "", "data: is empty"},
		{BurstGPT, "a,b\n1,2", `data:1: no column "Timestamp"`},
		{BurstGPT, "Timestamp,Model,Request tokens,Response tokens\n", "data: no row to send"},
		{BurstGPT, "Timestamp,Model,Request tokens,Response tokens\n1,GPT-4,2", "data:2: wrong number of fields"},
		{BurstGPT, "Timestamp,Model,Request tokens,Response tokens\n1,GPT-4,-2,3", `data:2: column Request tokens: "-2"`},
		{BurstGPT, "Timestamp,Model,Request tokens,Response tokens\n1,GPT-4,2,many", `data:2: column Response tokens: "many"`},
		{BurstGPT, "Timestamp,Model,Request tokens,Response tokens\nsoon,GPT-4,2,3", `data:2: column Timestamp: "soon"`},
		{BurstGPT, "Timestamp,Model,Request tokens,Response tokens\n2,GPT-4,2,3\n1,GPT-4,2,3", "data:3: its timestamp, 1s, lies before"},
		{BurstGPT, "Timestamp,Model,Request tokens,Response tokens\n2,\"GPT-4,2,3\n", "data:2: "},
		{ShareGPT, "", "data: is empty"},
		{ShareGPT, "[]", "data: is empty"},
		{ShareGPT, "[{}", "data:1: not JSON: it ends within the array"},
		{ShareGPT, "[\n{},\n{},,]", "data:3: not JSON: ',' where an element is wanted"},
		{ShareGPT, "[{},\n]", "data:2: not JSON: ']' where an element is wanted"},
		{ShareGPT, "[]\n[]", "data:2: not JSON: '[' behind the array"},
		{ShareGPT, "[\n{\"id\": x}\n]", "data:2: not JSON: invalid character 'x'"},
		{ShareGPT, "[\n{\"id\": 1]\n]", "data:2: not JSON: invalid character ']'"},
		{ShareGPT, "[\n\n{\"id\": 1}]", "data:3: no conversations; there is id"},
		{ShareGPT, `[{"conversations": 5}]`, "data:1: conversations: cannot be number"},
		{ShareGPT, `[{"conversations": []}]`, "data: none of its 1 conversations can be sent"},
		{Custom, `{"text": "x"}`, "data:1: no conversations and no prompt; there is text"},
		{Custom, `{"prompt": "x", "output_tokens": -1}`, "data:1: output_tokens -1"},
		{Custom, `{"prompt": ["x"]}`, "data:1: prompt: cannot be array"},
		{Custom, "hello", "data:1: not JSON"},
		{OpenAI, `{"messages": [{"role": "user", "content": "x"}, {"role": "assistant", "tool_calls": []}]}`, "data:1: message 2 has tool_calls: only role and content can be sent"},
		{OpenAI, `{"prompt": "x"}`, "data:1: no messages; there is prompt"},
		{OpenAI, `{"messages": [{"role": "user", "content": "x"}], "max_tokens": 0}`, "data:1: max_tokens 0"},
		{OpenAI, `{"messages": [{"role": "user", "content": [{"type": "image_url"}]}]}`, "data:1: messages.content: cannot be array"},
		{OpenAI, "\x1f\x8b123", "cannot unpack"},
	} {
		_, err := Open(file(t, c.name, c.content, func(o *Options) { o.ShareGPTOutputLen = 4 }))
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s %q:\n got %v\nwant %s", c.name, c.content, err, c.says)
		}
	}
	for path, says := range map[string]string{filepath.Join(t.TempDir(), "none"): "no such file", t.TempDir(): "is a folder"} {
		if _, err := Open(options(t, func(o *Options) { o.Name, o.DatasetPath = Mooncake, path })); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestLengthOfAnswersMustBeKnown(t *testing.T) {
	for _, o := range []Options{file(t, ShareGPT, shareGPT, nil), file(t, Custom, strings.SplitAfter(customLines, "\n")[0], nil)} {
		if _, err := Open(o); err == nil || !strings.Contains(err.Error(), "--sharegpt-output-len") {
			t.Errorf("%v", err)
		}
	}
	if _, err := Open(file(t, Custom, `{"prompt": "x"}`, nil)); err == nil || !strings.Contains(err.Error(), "data:1: no output_tokens; there is prompt: give it, or --sharegpt-output-len for all") {
		t.Errorf("%v", err)
	}
}

func TestAFileThatHoldsLess(t *testing.T) {
	set, err := Open(file(t, Mooncake, mooncakeTrace, func(o *Options) { o.NumPrompts = 10 }))
	if err != nil || len(set.Notes) != 1 || !strings.Contains(set.Notes[0], "holds 4 prompts to send, not the 10 that") {
		t.Errorf("%v, %v", set.Notes, err)
	}
}

// What changes below a set ends the walk with a reason, not with prompts of another file.
func TestAFileThatChanges(t *testing.T) {
	for name, content := range map[string]string{Mooncake: mooncakeTrace, Custom: customLines} {
		o := file(t, name, content, func(o *Options) { o.ShareGPTOutputLen = 4 })
		set, err := Open(o)
		if err != nil {
			t.Fatal(err)
		}
		defer set.Close()
		if err := os.Truncate(o.DatasetPath, 10); err != nil {
			t.Fatal(err)
		}
		if n := len(slices.Collect(set.Prompts)); n != 0 || set.Err() == nil || !strings.Contains(set.Err().Error(), o.DatasetPath) {
			t.Errorf("%s: %d prompts, %v", name, n, set.Err())
		}
	}
}
