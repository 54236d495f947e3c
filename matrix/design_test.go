package matrix

import (
	"os"
	"strings"
	"testing"
)

// load parses a sweep of testdata that must have no problems at all.
func load(t *testing.T, path string, opt Options) *Plan {
	t.Helper()
	p, problems := Load(path, opt)
	if len(problems) > 0 || p == nil {
		t.Fatalf("%s has problems:\n%v", path, problems)
	}
	return p
}

// TestSampleCommands plans the sweep of the design and compares with the commands
// that the published report of DeepSeek-V3 shows for it, cell by cell.
func TestSampleCommands(t *testing.T) {
	p := load(t, "testdata/deepseek-v3.yaml", Options{})
	servers, clients := map[string]*Server{}, map[string]*Client{}
	for _, s := range p.Servers {
		servers[s.ID] = s
	}
	for _, c := range p.Clients {
		clients[c.ID] = c
	}
	var got []string
	for _, c := range p.Cells {
		s := servers[c.Server]
		command := strings.Join(s.Argv, " ")
		for _, name := range []string{"SGLANG_ENABLE_FLASHINFER_GEMM"} {
			command = name + "=" + s.Env[name] + " " + command
		}
		got = append(got, "[SERVER] 启动 "+s.Name+": "+command, "COMMAND: "+strings.Join(clients[c.Client].Argv, " "))
	}
	want, err := os.ReadFile("testdata/deepseek-v3.commands.txt")
	if err != nil {
		t.Fatal(err)
	}
	if g, w := strings.Join(got, "\n")+"\n", string(want); g != w {
		t.Errorf("got\n%s\nwant\n%s", g, w)
	}
	if p.Launches != 4 || p.Name != "deepseek-v3-attention" || len(p.Dropped) != 0 {
		t.Errorf("launches %d, name %q, dropped %v", p.Launches, p.Name, p.Dropped)
	}
}
