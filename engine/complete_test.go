package engine

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"servematrix/matrix"
)

var at = matrix.Pos{File: "sweep.yaml", Line: 7, Col: 3}

func server(command string) *matrix.Server {
	s := &matrix.Server{Isolation: "cell"}
	s.ID, s.Argv, s.At = "s", strings.Fields(command), at
	return s
}

func client(command string) *matrix.Client {
	c := &matrix.Client{}
	c.ID, c.Argv, c.At = "c", strings.Fields(command), at
	return c
}

func plan(s *matrix.Server, c *matrix.Client) *matrix.Plan {
	p := &matrix.Plan{}
	if s != nil {
		p.Servers = append(p.Servers, s)
	}
	if c != nil {
		p.Clients = append(p.Clients, c)
	}
	if s != nil && c != nil {
		p.Cells = append(p.Cells, matrix.Cell{ID: "sc", Server: s.ID, Client: c.ID})
	}
	return p
}

func TestCompleteServer(t *testing.T) {
	c := mustLoad(t)
	s := server("python3 -m sglang.launch_server --model-path m --port 30500")
	if ps := c.Complete(plan(s, nil)); len(ps) > 0 {
		t.Fatal(ps)
	}
	sglang := c.Server("sglang")
	want := *server("python3 -m sglang.launch_server --model-path m --port 30500")
	want.Profile, want.Port = "sglang", "30500"
	want.Ready = matrix.Ready{Log: sglang.Ready.Log.String(), HTTP: "/health", Timeout: matrix.Duration(30 * time.Minute), Silence: matrix.Duration(15 * time.Minute)}
	want.Stop = matrix.Stop{Signal: "TERM", Grace: matrix.Duration(time.Minute)}
	want.Flush = &matrix.Flush{Method: "POST", Path: "/flush_cache"}
	want.Failure = s.Failure
	want.Origins = map[string]string{}
	for _, key := range []string{"profile", "ready.log", "ready.http", "ready.timeout", "ready.silence", "stop.signal", "stop.grace", "failure", "flush"} {
		want.Origins[key] = "profile sglang"
	}
	want.Origins["port"] = "sweep.yaml:7"
	if diff := cmp.Diff(&want, s); diff != "" {
		t.Error(diff)
	}
	if len(s.Failure) != len(sglang.Failure) || s.Failure[0].Class != "oom" {
		t.Errorf("%d patterns, the first %+v", len(s.Failure), s.Failure[0])
	}
}

func TestWhatTheSweepGivesStays(t *testing.T) {
	c := mustLoad(t)
	s := server("vllm serve m")
	s.Port = "9000"
	s.Ready = matrix.Ready{HTTP: "/ping", Timeout: matrix.Duration(time.Minute)}
	s.Stop.Grace = 1
	s.Failure = []matrix.FailurePattern{{Class: "graph", Log: "mine"}}
	s.Flush = &matrix.Flush{Method: "GET", Path: "/f"}
	s.Argv = append(s.Argv, "--port", "9000")
	s.Origins = map[string]string{"port": "sweep.yaml:3", "ready.http": "sweep.yaml:4", "ready.log": "sweep.yaml:4", "failure": "sweep.yaml:5"}
	if ps := c.Complete(plan(s, nil)); len(ps) > 0 {
		t.Fatal(ps)
	}
	// ready.log was given, as nothing: the line is not waited for.
	if s.Port != "9000" || s.Ready.HTTP != "/ping" || s.Ready.Log != "" || s.Ready.Timeout != matrix.Duration(time.Minute) || s.Stop.Grace != 1 || s.Flush.Path != "/f" {
		t.Errorf("got %+v", s)
	}
	if s.Failure[0].Log != "mine" || len(s.Failure) != len(c.Server("vllm").Failure)+1 {
		t.Error("own patterns must come first, the profile's stay")
	}
	if diff := cmp.Diff("sweep.yaml:5, profile vllm", s.Origins["failure"]); diff != "" {
		t.Error(diff)
	}
	if s.Stop.Signal != "TERM" || s.Origins["stop.signal"] != "profile vllm" {
		t.Errorf("stop %+v from %q", s.Stop, s.Origins["stop.signal"])
	}
}

func TestServerPorts(t *testing.T) {
	c := mustLoad(t)
	for _, tc := range []struct{ command, key, want, origin, problem string }{
		{"vllm serve m", "", "8000", "profile vllm", ""},
		{"python -m sglang.launch_server", "", "30000", "profile sglang", ""},
		{"servematrix sim serve --style vllm", "", "8000", "profile sim-vllm", ""},
		{"vllm serve m --port=81", "", "81", "sweep.yaml:7", ""},
		{"vllm serve m --port ${{late.port}}", "", "${{late.port}}", "sweep.yaml:7", ""},
		{"vllm serve m --port ${{late.port}}", "8100", "8100", "", ""},
		{"vllm serve m --port 81", "82", "82", "", "warning: port is 82, but the command says --port 81"},
		{"vllm serve m", "82", "82", "", "warning: port is 82, but without --port the server listens on 8000"},
		{"vllm serve m --port $PORT", "", "$PORT", "sweep.yaml:7", "--port $PORT: cannot tell the port"},
		{"vllm serve m --port 99999", "", "99999", "sweep.yaml:7", "cannot tell the port"},
		{"my-server", "", "", "", "nothing tells when this server is ready"},
		{"my-server", "5000", "5000", "", ""},
		{"my-server --port 5000", "", "5000", "sweep.yaml:7", ""},
	} {
		s := server(tc.command)
		s.Port = tc.key
		ps := c.Complete(plan(s, nil))
		if s.Port != tc.want || s.Origins["port"] != tc.origin {
			t.Errorf("%s: port %q from %q", tc.command, s.Port, s.Origins["port"])
		}
		if tc.problem == "" && len(ps) > 0 || tc.problem != "" && (len(ps) != 1 || !strings.Contains(ps[0].String(), tc.problem)) {
			t.Errorf("%s: %v", tc.command, ps)
		}
	}
}

func TestReadyOfUnknownServers(t *testing.T) {
	c := mustLoad(t)
	for _, tc := range []struct {
		ready   matrix.Ready
		port    string
		tcp     bool
		problem string
	}{
		{matrix.Ready{}, "5000", true, ""},
		{matrix.Ready{Log: "up"}, "5000", false, ""},
		{matrix.Ready{Log: "up"}, "", false, ""},
		{matrix.Ready{HTTP: "/"}, "5000", false, ""},
		{matrix.Ready{HTTP: "/"}, "", false, "asks for the server's port"},
		{matrix.Ready{TCP: true}, "", true, "asks for the server's port"},
		{matrix.Ready{}, "", false, "profile: llama.cpp | sglang | transformers serve | vllm"},
		{matrix.Ready{Log: "("}, "", false, "ready.log: error parsing regexp"},
	} {
		s := server("my-server")
		s.Ready, s.Port = tc.ready, tc.port
		ps := c.Complete(plan(s, nil))
		if s.Ready.TCP != tc.tcp {
			t.Errorf("%+v port %q: tcp %v", tc.ready, tc.port, s.Ready.TCP)
		}
		if tc.problem == "" && len(ps) > 0 || tc.problem != "" && !strings.Contains(ps.Error(), tc.problem) {
			t.Errorf("%+v port %q: %v", tc.ready, tc.port, ps)
		}
		if s.Profile != "generic" || s.Origins["profile"] != "default" || s.Origins["ready.timeout"] != "default" {
			t.Errorf("profile %q, origins %v", s.Profile, s.Origins)
		}
	}
}

func TestQuietServersAreNotWaitedForByLine(t *testing.T) {
	c := mustLoad(t)
	for command, line := range map[string]bool{
		"python -m sglang.launch_server --log-level warning": false,
		"python -m sglang.launch_server --log-level info":    true,
		"python -m sglang.launch_server --node-rank 1":       false,
		"python -m sglang.launch_server --node-rank 0":       true,
		"vllm serve m --uvicorn-log-level=error":             false,
	} {
		s := server(command)
		c.Complete(plan(s, nil))
		if (s.Ready.Log != "") != line || s.Ready.HTTP != "/health" {
			t.Errorf("%s: ready %+v", command, s.Ready)
		}
	}
}

func TestUnknownProfile(t *testing.T) {
	s := server("x")
	s.Profile, s.Port = "sglnag", "1"
	ps := mustLoad(t).Complete(plan(s, nil))
	if len(ps) != 1 || ps[0].Severity != matrix.Error || ps[0].Suggestion != `did you mean "sglang"?` || ps[0].Pos != at {
		t.Errorf("got %+v", ps)
	}
}

func TestFlushThatNeedsAnEnvironment(t *testing.T) {
	c := mustLoad(t)
	for name, tc := range map[string]struct {
		change func(*matrix.Server)
		warns  bool
	}{
		"cell":         {func(s *matrix.Server) { s.Isolation = "cell" }, false},
		"not set":      {func(*matrix.Server) {}, true},
		"in env":       {func(s *matrix.Server) { s.Env = map[string]string{"VLLM_SERVER_DEV_MODE": "1"} }, false},
		"in argv":      {func(s *matrix.Server) { s.Argv = append([]string{"env", "VLLM_SERVER_DEV_MODE=1"}, s.Argv...) }, false},
		"own flush":    {func(s *matrix.Server) { s.Flush = &matrix.Flush{Path: "/x"} }, false},
		"other server": {func(s *matrix.Server) { s.Argv = strings.Fields("python -m sglang.launch_server") }, false},
		"simulated":    {func(s *matrix.Server) { s.Argv = strings.Fields("servematrix sim serve --style vllm") }, false},
	} {
		s := server("vllm serve m")
		s.Isolation = "launch"
		tc.change(s)
		ps := c.Complete(plan(s, nil))
		if (len(ps) > 0) != tc.warns || ps.HasErrors() {
			t.Errorf("%s: %v", name, ps)
		}
		if tc.warns && ps[0].Suggestion != `env: {VLLM_SERVER_DEV_MODE: "1"}` {
			t.Errorf("suggests %q", ps[0].Suggestion)
		}
	}
}

func TestCompleteClient(t *testing.T) {
	c := mustLoad(t)
	for _, tc := range []struct {
		command string
		profile string
		added   []string
	}{
		{"python -m sglang.bench_serving --port 30000", "sglang.bench_serving", []string{"--output-file", "${{ late.dir }}/result.jsonl"}},
		{"python -m sglang.bench_serving --output-file mine.jsonl", "sglang.bench_serving", nil},
		{"vllm bench serve", "vllm bench serve", []string{"--save-result", "--result-dir", "${{ late.dir }}", "--result-filename", "result.json"}},
		{"vllm bench serve --save-result --result_dir=out", "vllm bench serve", []string{"--result-filename", "result.json"}},
		{"servematrix bench --dataset-name random", "servematrix bench", []string{"--output-file", "${{ late.dir }}/result.jsonl"}},
		{"my-bench", "generic", nil},
	} {
		cl := client(tc.command)
		if ps := c.Complete(plan(nil, cl)); len(ps) > 0 {
			t.Errorf("%s: %v", tc.command, ps)
		}
		if diff := cmp.Diff(tc.added, cl.Added.Argv); diff != "" || cl.Profile != tc.profile {
			t.Errorf("%s: profile %s %s", tc.command, cl.Profile, diff)
		}
		if cl.Timeout != matrix.Duration(2*time.Hour) || cl.Silence != matrix.Duration(10*time.Minute) {
			t.Errorf("%s: limits %v, %v", tc.command, cl.Timeout, cl.Silence)
		}
	}
	cl := client("my-bench")
	cl.Origins = map[string]string{"silence": "sweep.yaml:9"} // given as 0: never
	c.Complete(plan(nil, cl))
	if cl.Silence != 0 || cl.Origins["timeout"] != "default" {
		t.Errorf("silence %v, origins %v", cl.Silence, cl.Origins)
	}
}

func TestShellClients(t *testing.T) {
	c := mustLoad(t)
	cl := client("")
	cl.Shell, cl.Argv = true, []string{"bash", "-c", "python -m sglang.bench_serving --port ${{ server.port }}"}
	ps := c.Complete(plan(nil, cl))
	if len(ps) != 1 || ps.HasErrors() || !strings.Contains(ps[0].Suggestion, "--output-file ${{ late.dir }}/result.jsonl") || cl.Added.Argv != nil {
		t.Errorf("%v, added %v", ps, cl.Added.Argv)
	}
	cl.Argv[2] += " --output-file r.jsonl"
	if ps := c.Complete(plan(nil, cl)); len(ps) > 0 {
		t.Error(ps)
	}
}

func TestClientsThatGoElsewhere(t *testing.T) {
	c := mustLoad(t)
	for _, tc := range []struct{ server, client, want, fix string }{
		{"python -m sglang.launch_server", "python -m sglang.bench_serving --backend sglang-oai", "", ""},
		{"python -m sglang.launch_server", "python -m sglang.bench_serving --backend vllm", "goes to port 8000, but its server listens on port 30000", "--port ${{ server.port }}"},
		{"python -m sglang.launch_server", "vllm bench serve", "goes to port 8000, but its server listens on port 30000", "--port ${{ server.port }}"},
		{"vllm serve m --port 81", "vllm bench serve --base-url http://127.0.0.1:80", "goes to port 80, but its server listens on port 81", "--base-url ${{ server.url }}"},
		{"vllm serve m --port 80", "vllm bench serve --base-url http://127.0.0.1", "", ""},
		{"vllm serve m --port ${{late.port}}", "vllm bench serve", "listens on a port that is chosen at run time", "--port ${{ server.port }}"},
		{"vllm serve m --port ${{late.port}}", "vllm bench serve --port ${{server.port}}", "", ""},
		{"vllm serve m --port 81", "vllm bench serve --base-url ${{server.url}}", "", ""},
		{"vllm serve m --port 81", "my-bench", "", ""},
		{"servematrix sim serve", "servematrix bench --backend sglang-oai --dataset-name random", "", ""},
		{"servematrix sim serve --style vllm", "servematrix bench --dataset-name random", "", ""},
		{"servematrix sim serve", "servematrix bench --dataset-name random --backend openai", "", ""},
		{"servematrix sim serve", "servematrix bench --dataset-name random --backend openai --host localhost", "goes to port 8000", "--port ${{ server.port }}"},
	} {
		ps := c.Complete(plan(server(tc.server), client(tc.client)))
		switch {
		case tc.want == "" && len(ps) > 0:
			t.Errorf("%s | %s: %v", tc.server, tc.client, ps)
		case tc.want != "" && (len(ps) != 1 || ps.HasErrors() || !strings.Contains(ps[0].Message, tc.want) || ps[0].Suggestion != tc.fix):
			t.Errorf("%s | %s: %+v", tc.server, tc.client, ps)
		}
	}
}

func TestOneCommandLineIsOneProblem(t *testing.T) {
	p := &matrix.Plan{}
	for i := range 50 {
		s, c := server("my-server"), client("vllm bench serve --port 1")
		s.ID, c.ID = fmt.Sprint("s", i), fmt.Sprint("c", i)
		p.Servers, p.Clients = append(p.Servers, s), append(p.Clients, c)
		p.Cells = append(p.Cells, matrix.Cell{Server: s.ID, Client: c.ID})
	}
	if ps := mustLoad(t).Complete(p); len(ps) != 1 {
		t.Errorf("%d problems", len(ps))
	}
}

// BenchmarkComplete is the largest plan that issue 3 names: 1,000 × 1,000.
func BenchmarkComplete(b *testing.B) {
	c, err := Load()
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		b.StopTimer()
		p := &matrix.Plan{}
		for i := range 1000 {
			s := server(fmt.Sprintf("python -m sglang.launch_server --tp %d --port %d", i, 30000+i))
			cl := client(fmt.Sprintf("python -m sglang.bench_serving --num-prompts %d --port 30000", i)) // fits the first server only
			s.ID, cl.ID = fmt.Sprint("s", i), fmt.Sprint("c", i)
			p.Servers, p.Clients = append(p.Servers, s), append(p.Clients, cl)
		}
		for _, s := range p.Servers {
			for _, cl := range p.Clients {
				p.Cells = append(p.Cells, matrix.Cell{Server: s.ID, Client: cl.ID})
			}
		}
		b.StartTimer()
		c.Complete(p)
	}
}
