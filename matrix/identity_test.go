package matrix

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"testing"
)

const identitySweep = `version: 1
server:
  axes:
    backend: [{id: fi, flag: flashinfer}, {id: tr, flag: triton}]
    tp: [4, 8]
  env: {A: 1, HF_TOKEN: "${{ env.HF_TOKEN }}"}
  unset: [B]
  files: [data/prompts.json]
  port: 30000
  command: run --attention ${{ backend.flag }} --tp ${{ tp }}
client: {axes: {conc: [1]}, timeout: 1h, command: "bench ${{ conc }}"}
`

func hexes(p *Plan) (out []string) {
	for _, c := range p.Cells {
		out = append(out, Hex(c.ID))
	}
	slices.Sort(out)
	return out
}

// TestIdentity changes one thing at a time and sees whether cells become others.
func TestIdentity(t *testing.T) {
	base, problems := plan(t, identitySweep)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	replaced := func(old, new string) string {
		if !strings.Contains(identitySweep, old) {
			t.Fatalf("no %q", old)
		}
		return strings.Replace(identitySweep, old, new, 1)
	}
	for _, tt := range []struct {
		name, sweep string
		part        string // the component of the servers that changes; "" for the same cells
	}{
		{"comments", "# a comment\n" + identitySweep, ""},
		{"order of values", replaced("[4, 8]", "[8, 4]"), ""},
		{"order of axes", strings.Replace(replaced("    tp: [4, 8]\n", ""), "  axes:\n    b", "  axes:\n    tp: [4, 8]\n    b", 1), ""},
		{"labels", replaced("id: fi", "id: flash"), ""},
		{"axis name", strings.ReplaceAll(identitySweep, "backend", "attention"), ""},
		{"sweep name", "name: other\n" + identitySweep, ""},
		{"port", replaced("30000", "${{ late.port }}"), ""},
		{"timeouts", replaced("timeout: 1h", "timeout: 2h, silence: 5m, warmup: 3"), ""},
		{"ready, stop, isolation", replaced("  port:", "  ready: {log: x}\n  stop: {grace: 1s}\n  isolation: launch\n  profile: sglang\n  port:"), ""},
		{"blocks", "run: {blocks: 5}\n" + identitySweep, ""},
		{"value of a secret", replaced("HF_TOKEN: \"${{ env.HF_TOKEN }}\"", "HF_TOKEN: hf_literal"), ""},
		{"no secret", replaced(", HF_TOKEN: \"${{ env.HF_TOKEN }}\"", ""), ""},
		{"command as a list", replaced("run --attention ${{ backend.flag }} --tp ${{ tp }}", "[run, --attention, \"${{ backend.flag }}\", --tp, \"${{ tp }}\"]"), ""},
		{"args for words", replaced(" --tp ${{ tp }}", "\n  args: {tp: \"${{ tp }}\"}"), ""},
		{"env before the command", strings.Replace(replaced("{A: 1, ", "{"), "command: run", "command: A=1 run", 1), ""},
		{"null for unset", strings.Replace(replaced("unset: [B]", "dir: x"), "{A: 1,", "{A: 1, B: null,", 1), ""},
		{"argv", replaced("--tp ${{ tp }}", "--tp=${{ tp }}"), "argv"},
		{"env", replaced("A: 1", "A: 2"), "env"},
		{"unset", replaced("[B]", "[B, C]"), "env"},
		{"files", replaced("  files: [data/prompts.json]\n", ""), "files"},
	} {
		p, problems := Parse("sweep.yaml", []byte(tt.sweep), testOptions)
		if p == nil {
			t.Fatalf("%s: %v", tt.name, problems)
		}
		same := slices.Equal(hexes(p), hexes(base))
		if same != (tt.part == "") {
			t.Errorf("%s: same cells: %v", tt.name, same)
		}
		for part, sum := range p.Servers[0].Parts {
			if same && len(p.Servers) == len(base.Servers) && tt.name != "order of values" && sum != base.Servers[0].Parts[part] {
				t.Errorf("%s: part %s changed", tt.name, part)
			}
			if tt.part != "" && (sum != base.Servers[0].Parts[part]) != (part == tt.part) {
				t.Errorf("%s: part %s is %s", tt.name, part, sum)
			}
		}
	}
}

// TestIdentityIsDocumented computes an id by hand from its description, so that
// no change of the code moves ids without notice.
func TestIdentityIsDocumented(t *testing.T) {
	p := load(t, "testdata/deepseek-v3.yaml", Options{})
	canonical := `{"argv":["python3","-m","sglang.launch_server","--model-path","/dev/shm/DeepSeek-V3-0324/","--tp","8","--trust-remote","--attention-backend","triton"],` +
		`"env":{"SGLANG_ENABLE_FLASHINFER_GEMM":"1"},"files":[],"schema":1}`
	sum := sha256.Sum256([]byte(canonical))
	if want := "triton-" + hex.EncodeToString(sum[:6]); p.Servers[1].ID != want {
		t.Errorf("got %s, want %s", p.Servers[1].ID, want)
	}
	cell := sha256.Sum256([]byte(Hex(p.Servers[1].ID) + "/" + Hex(p.Clients[0].ID)))
	if want := "triton-rand256x32-" + hex.EncodeToString(cell[:6]); p.Cells[2].ID != want {
		t.Errorf("got %s, want %s", p.Cells[2].ID, want)
	}
	if got := CellID(p.Servers[1].ID, p.Clients[0].ID); got != p.Cells[2].ID {
		t.Errorf("CellID gives %s, the plan %s", got, p.Cells[2].ID)
	}
}

// TestSeedPolicy: who chooses the seed is part of a workload's identity.
func TestSeedPolicy(t *testing.T) {
	ids := map[string]bool{}
	for _, command := range []string{"bench", "bench --seed 1", "bench --seed ${{ late.seed }}"} {
		p, _ := plan(t, "version: 1\nserver: {command: run}\nclient:\n  command: "+command+"\n")
		c := p.Clients[0]
		ids[c.Parts["seed"]] = true
		if p.Servers[0].Parts["seed"] != "" || c.Parts["seed"] == "" {
			t.Error(c.Parts, p.Servers[0].Parts)
		}
	}
	if len(ids) != 2 {
		t.Errorf("%d seed policies, want 2", len(ids))
	}
}

func TestSlug(t *testing.T) {
	for in, want := range map[string]string{
		"flashinfer/tp8": "flashinfer-tp8", "A B__C": "a-b-c", "0.90": "0.90", "../x": "x", "中文": "x", "": "x", "a.": "a", "--x--": "x",
		strings.Repeat("ab/", 30): strings.Repeat("ab-", 13) + "a",
	} {
		if got := slug(in, maxSlug); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	long := CellID(strings.Repeat("s", 40)+"-0123456789ab", strings.Repeat("c", 40)+"-ba9876543210")
	if len(long) > maxSlug+13 || !strings.Contains(long, "s-c") {
		t.Error(long)
	}
	if short := CellID("x-0123456789ab", strings.Repeat("c", 40)+"-ba9876543210"); !strings.HasPrefix(short, "x-"+strings.Repeat("c", 38)+"-") {
		t.Error(short)
	}
}
