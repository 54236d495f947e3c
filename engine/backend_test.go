package engine

import (
	"cmp"
	"fmt"
	"strings"
	"testing"

	"servematrix/matrix"
)

// Which backend the embedded client takes is told by what it runs beside: the plan has it, and so
// has the identity.
func TestBackends(t *testing.T) {
	for _, tc := range []struct{ servers, client, want string }{
		{"python -m sglang.launch_server", "servematrix bench --dataset-name random", "servematrix bench --backend sglang --dataset-name random"},
		{"servematrix sim serve --style vllm", "servematrix bench --dataset-name random", "servematrix bench --backend vllm --dataset-name random"},
		{"llama-server", "servematrix bench --dataset-name random", "servematrix bench --backend openai --dataset-name random"},
		{"vllm serve m|vllm serve n", "servematrix bench --dataset-name random", "servematrix bench --backend vllm --dataset-name random"},
		{"vllm serve m|sglang serve", "servematrix bench --dataset-name random", "servematrix bench --backend openai --dataset-name random"},
		{"vllm serve m", "servematrix bench --backend=sglang-oai --dataset-name random", "servematrix bench --backend=sglang-oai --dataset-name random"},
		{"vllm serve m", "taskset -c 0 servematrix bench --dataset-name random", "taskset -c 0 servematrix bench --backend vllm --dataset-name random"},
		{"vllm serve m", "bash -c 'servematrix bench --dataset-name random'", "bash -c 'servematrix bench --dataset-name random'"},
		{"vllm serve m", "python -m sglang.bench_serving --dataset-name random", "python -m sglang.bench_serving --dataset-name random"},
	} {
		c := client(tc.client)
		if strings.HasPrefix(tc.client, "bash") {
			c.Argv = []string{"bash", "-c", "servematrix bench --dataset-name random"}
			tc.want = strings.Join(c.Argv, " ")
		}
		c.ID, c.Name = "default-000000000000", "default"
		p := &matrix.Plan{Clients: []*matrix.Client{c}}
		for i, command := range strings.Split(tc.servers, "|") {
			s := server(command)
			s.ID = fmt.Sprint("s", i)
			p.Servers = append(p.Servers, s)
			p.Cells = append(p.Cells, matrix.Cell{ID: matrix.CellID(s.ID, c.ID), Server: s.ID, Client: c.ID})
		}
		before := strings.Join(c.Argv, " ")
		if strings.Contains(tc.want, own) && !strings.HasPrefix(tc.want, "bash") {
			tc.want += " --base-url ${{ server.url }}"
		}
		if problems := mustLoad(t).Complete(p); problems.HasErrors() {
			t.Errorf("%s: %v", tc.client, problems)
		}
		if got := strings.Join(c.Argv, " "); got != tc.want {
			t.Errorf("%s beside %s: %s, want %s", tc.client, tc.servers, got, tc.want)
		}
		if changed := c.ID != "default-000000000000"; changed != (before != tc.want) || p.Cells[0].ID != matrix.CellID(p.Cells[0].Server, c.ID) {
			t.Errorf("%s: id %s, cell %+v", tc.client, c.ID, p.Cells[0])
		}
	}
}

// A client that names no address goes to the server of its cell, not where it goes by default, and
// the plan says so. An address of the sweep wins, however it is given.
func TestAddresses(t *testing.T) {
	const own, pasted = "servematrix bench --backend vllm --dataset-name random", "python3 -m sglang.bench_serving --backend vllm --dataset-name random --num-prompts 8"
	for _, tc := range []struct{ server, profile, client, want string }{
		{"vllm serve m --port ${{late.port}}", "", own, own + " --base-url ${{ server.url }}"},
		{"vllm serve m --port 8000", "", "taskset -c 0 " + own, "taskset -c 0 " + own + " --base-url ${{ server.url }}"},
		{"vllm serve m --port 8000", Generic, own, own + " --base-url ${{ server.url }}"},
		{"vllm serve m --port ${{late.port}}", Replace, "taskset -c 0-1 " + pasted, "taskset -c 0-1 servematrix bench --base-url ${{ server.url }} --backend vllm --dataset-name random --num-prompts 8"},
		{"vllm serve m --port ${{late.port}}", "", "servematrix bench " + pasted, "servematrix bench --base-url ${{ server.url }} --backend vllm --dataset-name random --num-prompts 8"},
		{"vllm serve m", "", own + " --base-url=http://h:8000", ""},
		{"vllm serve m", "", own + " --host h", ""},
		{"vllm serve m", "", own + " --port 8000", ""},
		{"vllm serve m", "", own + " --unix-socket s", ""},
		{"vllm serve m", "", own + " --base_u http://h:8000", own + " --base-url http://h:8000"},
		{"vllm serve m", Replace, pasted + " --hos h", "servematrix bench --base-url http://h:8000 --backend vllm --dataset-name random --num-prompts 8"},
		{"vllm serve m", Replace, pasted + " --port=8000", "servematrix bench --base-url http://127.0.0.1:8000 --backend vllm --dataset-name random --num-prompts 8"},
		{"vllm serve m", Replace, pasted + " --unix-socket s", "servematrix bench --base-url http://127.0.0.1:8000 --backend vllm --dataset-name random --num-prompts 8 --unix-socket s"},
		{"my-server", "", own, ""}, // nobody knows its port
		{"vllm serve m", "", pasted, ""},
	} {
		c := client(tc.client)
		c.ID, c.Name, c.Profile = "default-000000000000", "default", tc.profile
		p := plan(server(tc.server), c)
		p.Servers[0].Ready.Log = "ready"
		if problems := mustLoad(t).Complete(p); len(problems) > 0 {
			t.Errorf("%s: %v", tc.client, problems)
		}
		want := cmp.Or(tc.want, tc.client)
		if got := strings.Join(c.Argv, " "); got != want {
			t.Errorf("%s\nbecame %s\nwant   %s", tc.client, got, want)
		}
		told := c.Origins["base-url"] == "the command names no address"
		if told != strings.Contains(want, "server.url") || (c.ID != "default-000000000000") != (want != tc.client) || p.Cells[0].Client != c.ID {
			t.Errorf("%s: origins %v, id %s", tc.client, c.Origins, c.ID)
		}
	}
}

// A load that is told its backend and one that is left to find the same are one, and so are one
// with whole and one with shortened flags. What made them so is said.
func TestABackendThatIsGivenIsTheSame(t *testing.T) {
	const whole = "servematrix bench --backend vllm --dataset-name random"
	for other, says := range map[string]string{
		"servematrix bench --dataset-name random":             "a and b are the same load once --backend is filled in",
		"servematrix bench --backend vllm --dataset-n random": "a and b are the same load once their flags are written out",
	} {
		p := plan(server("vllm serve m --port 8000"), nil)
		for i, command := range []string{other, whole} {
			c := client(command)
			c.Name, c.ID = []string{"a", "b"}[i], []string{"a-1", "b-2"}[i]
			p.Clients = append(p.Clients, c)
			p.Cells = append(p.Cells, matrix.Cell{Server: p.Servers[0].ID, Client: c.ID})
		}
		p.Reidentify(p.Clients)
		if problems := mustLoad(t).Complete(p); len(problems) != 1 || problems[0].Rule != "duplicate-cell" || problems[0].Message != says {
			t.Errorf("%s: %v", other, problems)
		}
	}
}

// What is known of the embedded client's command holds under any profile: its flags are whole and
// checked, and its backend is filled in.
func TestOwnCommandUnderAnyProfile(t *testing.T) {
	for _, profile := range []string{"", Generic, own, "mine"} {
		for line, want := range map[string]string{
			"servematrix bench --port 8000 --num-promts 8 --dataset-name random": "",
			"servematrix bench --port 8000 --num-prompt 8 --dataset-name random": "servematrix bench --backend vllm --port 8000 --num-prompts 8 --dataset-name random",
		} {
			c := client(line)
			c.ID, c.Profile = "default-0", profile
			problems := mustLoad(t, "client: mine\nextends: generic\nmatch: [servematrix bench]\n").Complete(plan(server("vllm serve m"), c))
			switch {
			case want == "" && (len(problems) != 1 || problems[0].Rule != "client-flag" || problems[0].Suggestion != `did you mean "--num-prompts"?`):
				t.Errorf("profile %q: %s: %+v", profile, line, problems)
			case want != "" && (len(problems) > 0 || strings.Join(c.Argv, " ") != want):
				t.Errorf("profile %q: %s became %q: %v", profile, line, c.Argv, problems)
			}
		}
	}
}

func TestABackendOfAProfileIsOne(t *testing.T) {
	c := mustLoad(t, "server: mine\nmatch: [mine]\nport: {default: 30000}\nbackend: vlm\n")
	s, cl := server("mine"), client("servematrix bench --dataset-name random")
	cl.ID = "default-0"
	problems := c.Complete(plan(s, cl))
	if len(problems) == 0 || !strings.Contains(problems[0].Message, "profile mine: --backend vlm: want one of") {
		t.Error(problems)
	}
}
