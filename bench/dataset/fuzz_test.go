package dataset

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// FuzzFiles: whatever a file holds, it is refused by its name, or gives as many prompts and tokens
// as the set says.
func FuzzFiles(f *testing.F) {
	for name, content := range map[string]string{Mooncake: mooncakeTrace, BurstGPT: burstGPTTrace, ShareGPT: shareGPT, Custom: customLines, OpenAI: openAILines} {
		f.Add(name, []byte(content))
		f.Add(name, []byte("\ufeff"+strings.ReplaceAll(content, "\n", "\r\n")))
		f.Add(name, []byte(content[:len(content)/2]))
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, name string, content []byte) {
		path := filepath.Join(dir, "data")
		if err := os.WriteFile(path, content, 0o644); err != nil {
			t.Fatal(err)
		}
		asked := Options{
			Name: name, DatasetPath: path, NumPrompts: 50, SlowdownFactor: 1, ShareGPTOutputLen: 3, VocabSize: 10, BurstGPTModel: "GPT-4",
			MultiTurn: len(content)%3 == 0,
		}
		if len(content)%3 == 1 {
			asked.Rules, asked.Tokenizer = RulesVLLM, tokenizers+"fallback.json"
		}
		o, err := asked.Resolve()
		if err != nil || name == Random || name == RandomIDs || name == SharedPrefix {
			return
		}
		set, err := Open(o)
		if err != nil {
			if !strings.Contains(err.Error(), path) {
				t.Errorf("%v does not name the file", err)
			}
			return
		}
		defer set.Close()
		if set.Input > 1<<20 {
			return
		}
		n, in, out, last := 0, 0, 0, set.first().At
		for first := range set.Prompts {
			if first.At < last {
				t.Errorf("due at %v after %v", first.At, last)
			}
			last = first.At
			for p := &first; p != nil; p = p.Next {
				n, in, out = n+1, in+p.Input, out+p.Output
			}
		}
		if set.Err() != nil || n != set.Count || in != set.Input || out != set.Output {
			t.Errorf("the set says %d, %d, %d; there are %d, %d, %d; %v", set.Count, set.Input, set.Output, n, in, out, set.Err())
		}
	})
}
