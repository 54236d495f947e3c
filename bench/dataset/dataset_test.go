package dataset

import (
	"fmt"
	"slices"
	"testing"

	"github.com/spf13/pflag"
)

// options are the defaults but for random prompts, and what change does.
func options(t *testing.T, change func(*Options)) Options {
	t.Helper()
	o := Options{Seed: 1}
	AddFlags(pflag.NewFlagSet("bench", pflag.ContinueOnError), &o)
	o.Name = Random
	change(&o)
	o, err := o.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// prompts are those of the set that o asks for.
func prompts(t *testing.T, o Options) []Prompt {
	t.Helper()
	set, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	defer set.Close()
	list := slices.Collect(set.Prompts)
	if err := set.Err(); err != nil {
		t.Error(err)
	}
	n, in, out := 0, 0, 0
	for _, first := range list {
		for p := &first; p != nil; p = p.Next {
			n, in, out = n+1, in+p.Input, out+p.Output
		}
	}
	if n != set.Count || in != set.Input || out != set.Output {
		t.Errorf("the set says %d prompts, %d and %d tokens; there are %d, %d and %d", set.Count, set.Input, set.Output, n, in, out)
	}
	return list
}

func TestRandomPrompts(t *testing.T) {
	o := options(t, func(o *Options) {
		o.NumPrompts = 500
		o.RandomInputLen = 100
		o.RandomOutputLen = 10
		o.RandomRangeRatio = 0.5
		o.VocabSize = 7
	})
	list := prompts(t, o)
	shortest, longest := 1000, 0
	for _, p := range list {
		shortest, longest = min(shortest, len(p.IDs)), max(longest, len(p.IDs))
		if p.Output < 5 || p.Output > 10 || slices.Max(p.IDs) > 6 || slices.Min(p.IDs) < 0 {
			t.Fatalf("%+v", p)
		}
	}
	if len(list) != 500 || shortest != 50 || longest != 100 {
		t.Errorf("%d prompts of %d to %d tokens", len(list), shortest, longest)
	}
	o.RandomRangeRatio = 1
	for _, p := range prompts(t, o) {
		if len(p.IDs) != 100 || p.Output != 10 {
			t.Fatalf("not exact: %d, %d", len(p.IDs), p.Output)
		}
	}
	if !slices.EqualFunc(prompts(t, o), prompts(t, o), func(a, b Prompt) bool { return slices.Equal(a.IDs, b.IDs) }) {
		t.Error("the same seed gives other prompts")
	}
	other := o
	other.Seed = 2
	if slices.Equal(prompts(t, o)[0].IDs, prompts(t, other)[0].IDs) {
		t.Error("another seed gives the same prompt")
	}
}

func TestSharedPrefix(t *testing.T) {
	o := options(t, func(o *Options) {
		o.Name = SharedPrefix
		o.GSPNumGroups = 5
		o.GSPPromptsPerGroup = 7
		o.GSPSystemPromptLen = 40
		o.GSPQuestionLen = 10
		o.GSPOutputLen = 3
	})
	groups := map[string]int{}
	whole := map[string]bool{}
	for _, p := range prompts(t, o) {
		if len(p.IDs) != 50 || p.Output != 3 {
			t.Fatalf("%d in, %d out", len(p.IDs), p.Output)
		}
		groups[fmt.Sprint(p.IDs[:40])]++
		whole[fmt.Sprint(p.IDs)] = true
	}
	if len(groups) != 5 || len(whole) != 35 {
		t.Errorf("%d system prompts, %d different prompts", len(groups), len(whole))
	}
	for _, n := range groups {
		if n != 7 {
			t.Errorf("a group of %d", n)
		}
	}
	for asked, note := range map[int]bool{0: false, 9: true, 35: false, 1000: true} {
		with := options(t, func(given *Options) { *given = o; given.NumPrompts = asked })
		set, err := Open(with)
		if err != nil || set.Count != 35 || (len(set.Notes) > 0) != note {
			t.Errorf("--num-prompts %d: %v, %+v", asked, err, set)
		}
	}
	if n := len(prompts(t, options(t, func(given *Options) { *given = o; given.GSPMost = 9 }))); n != 9 {
		t.Errorf("a search that wants 9 gets %d", n)
	}
}

func TestSharedPrefixShapes(t *testing.T) {
	o := options(t, func(o *Options) {
		o.Name = SharedPrefix
		o.GSPNumGroups, o.GSPPromptsPerGroup, o.GSPNumTurns = 3, 4, 3
		o.GSPSystemPromptLen, o.GSPQuestionLen, o.GSPOutputLen = 40, 10, 8
		o.GSPRangeRatio, o.GSPOrdered = 0.5, true
	})
	var systems []string
	for i, p := range prompts(t, o) {
		if p.Turns() != 3 || p.IDs != nil || p.Output < 4 || p.Output > 8 || p.Input < 25 || p.Input > 50 || p.Next.Input <= p.Input+p.Output {
			t.Fatalf("%+v", p)
		}
		system := p.Messages[0].Content[:20*5]
		if i%4 == 0 {
			systems = append(systems, system)
		} else if system != systems[i/4] {
			t.Errorf("prompt %d has not its group's system prompt", i)
		}
	}
	if slices.Sort(systems); len(slices.Compact(systems)) != 3 {
		t.Errorf("%d system prompts", len(systems))
	}
	o.GSPNumTurns = 1
	lengths := map[int]bool{}
	for _, p := range prompts(t, o) {
		lengths[len(p.IDs)] = true
	}
	if len(lengths) < 3 {
		t.Errorf("lengths %v", lengths)
	}
}

func TestFollow(t *testing.T) {
	chat := Prompt{Messages: []Message{{"system", "s"}, {"user", "a"}}, Next: &Prompt{Messages: []Message{{"user", "b"}}, Output: 3}}
	next := chat.Follow("x")
	if want := []Message{{"system", "s"}, {"user", "a"}, {"assistant", "x"}, {"user", "b"}}; !slices.Equal(next.Messages, want) || next.Output != 3 || next.Next != nil {
		t.Errorf("%+v", next)
	}
	if again := chat.Follow("y"); again.Messages[2].Content != "y" || next.Messages[2].Content != "x" || len(chat.Messages) != 2 {
		t.Error("a second answer to the same prompt changes the first one's turn")
	}
	three := Prompt{Next: &Prompt{Next: &Prompt{}}}
	if three.Turns() != 3 || next.Turns() != 1 {
		t.Errorf("%d and %d turns", three.Turns(), next.Turns())
	}
}
