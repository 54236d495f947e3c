package matrix

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestDifferencesSayWhyAnIdChanged(t *testing.T) {
	base := func() *Variant {
		return &Variant{ID: "a-000000000001", Argv: strings.Fields("python3 -m sglang.launch_server --attention-backend flashinfer --tp 8 --disable-radix"),
			Env: map[string]string{"A": "1"}, Files: []File{{"chat.jinja", "aa"}}, Parts: map[string]string{"seed": "x"}}
	}
	for name, c := range map[string]struct {
		change func(v *Variant)
		want   []string
	}{
		"value of a flag": {func(v *Variant) { v.Argv[4] = "triton" }, []string{"argv: --attention-backend flashinfer → triton"}},
		"two flags":       {func(v *Variant) { v.Argv[4], v.Argv[6] = "triton", "4" }, []string{"argv: --attention-backend flashinfer → triton", "argv: --tp 8 → 4"}},
		"flag gone":       {func(v *Variant) { v.Argv = v.Argv[:7] }, []string{"argv: − --disable-radix"}},
		"flag added":      {func(v *Variant) { v.Argv = append(v.Argv, "--x", "1") }, []string{"argv: + --x 1"}},
		"program":         {func(v *Variant) { v.Argv[0] = "python3.12" }, []string{"argv: python3 → python3.12"}},
		"variable":        {func(v *Variant) { v.Env["A"] = "2" }, []string{"env A: 1 → 2"}},
		"variable added":  {func(v *Variant) { v.Env["B"] = "" }, []string{`env B: + ""`}},
		"variable unset":  {func(v *Variant) { delete(v.Env, "A"); v.Unset = []string{"A"} }, []string{"env A: 1 → (unset)"}},
		"file's contents": {func(v *Variant) { v.Files[0].SHA256 = "bb" }, []string{"file chat.jinja has other contents"}},
		"file added":      {func(v *Variant) { v.Files = append(v.Files, File{"b", "bb"}) }, []string{"file b is new"}},
		"file gone":       {func(v *Variant) { v.Files = nil }, []string{"file chat.jinja is no longer listed"}},
		"seed policy":     {func(v *Variant) { v.Parts["seed"] = "y" }, []string{"seed policy"}},
		"script": {func(v *Variant) { v.Shell = true; v.Argv = []string{"bash", "-c", "b"} },
			[]string{"argv: python3 -m sglang.launch_server --attention-backend flashinfer --tp 8 --disable-radix → bash -c b"}},
	} {
		is := base()
		c.change(is)
		is.ID = "a-000000000002"
		var got []string
		for _, d := range Differences(base(), is) {
			got = append(got, d.String())
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	if d := Differences(base(), base()); d != nil {
		t.Errorf("the same variant differs: %v", d)
	}
}

// What is taken out and put in makes the one command of the other.
func TestHunksMakeOneOfTheOther(t *testing.T) {
	words := rapid.SliceOfN(rapid.SampledFrom([]string{"-a", "-b", "1", "2", "x"}), 0, 9)
	rapid.Check(t, func(t *rapid.T) {
		was, is := words.Draw(t, "was"), words.Draw(t, "is")
		out, in := 0, 0
		for _, h := range hunks(was, is) {
			if len(h.was)+len(h.is) == 0 {
				t.Fatal("an empty hunk")
			}
			out, in = out+len(h.was), in+len(h.is)
		}
		if common := longestCommon(was, is)[0][0]; in-out != len(is)-len(was) || out < len(was)-common {
			t.Fatalf("%v → %v: %d out, %d in, %d in common", was, is, out, in, common)
		}
	})
}
