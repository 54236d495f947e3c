package effective_test

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"

	"servematrix/effective"
	"servematrix/secret"
)

func TestDiff(t *testing.T) {
	sglang := profile(t, "sglang")
	a := of(t, sglang, "", "server_args=ServerArgs(port=1, random_seed=5, attention_backend='fa3', nested={'x': 1, 'y': [1]}, only_a=None, nccl_port=7)\n")
	b := of(t, sglang, "", "server_args=ServerArgs(port=2, random_seed=6, attention_backend='triton', nested={'x': 2, 'y': [1]}, nccl_port=None)\n")
	a.Version = "0.5.8"
	a.Host = effective.Host{Kernel: "6.1", Devices: []string{"H100 × 8"}}
	b.Host = effective.Host{Kernel: "6.2", Devices: []string{"H200 × 8"}}
	a.Env, b.Env = map[string]string{"NCCL_DEBUG": "INFO"}, map[string]string{"NCCL_DEBUG": "WARN"}
	got := effective.Diff(a, b)
	want := []effective.Difference{
		{What: "args.attention_backend", A: "fa3", B: "triton"}, {What: "args.nested.x", A: "1", B: "2"}, {What: "args.only_a", A: "None"},
		{What: "env.NCCL_DEBUG", A: "INFO", B: "WARN"}, {What: "host.devices", A: "H100 × 8", B: "H200 × 8"}, {What: "host.kernel", A: "6.1", B: "6.2"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	another := map[string]bool{}
	for _, d := range got {
		another[d.What] = d.AnotherServer()
	}
	if diff := cmp.Diff(map[string]bool{"args.attention_backend": true, "args.nested.x": true, "args.only_a": true, "env.NCCL_DEBUG": false, "host.devices": true, "host.kernel": false}, another); diff != "" {
		t.Error(diff)
	}
	quiet := of(t, sglang, "", "nothing is said\n")
	if d := effective.Diff(b, quiet); len(d) != 1 || d[0].What != "env.NCCL_DEBUG" {
		t.Errorf("what is not known is different: %v", d)
	}
	if a.Identity() == b.Identity() || len(effective.Diff(a, a)) != 0 {
		t.Error("two that differ are the same, or one differs from itself")
	}
	b.Version = "0.5.9"
	if d := effective.Diff(a, b); d[len(d)-1] != (effective.Difference{What: "version", A: "0.5.8", B: "0.5.9"}) {
		t.Errorf("%v", d)
	}
}

// An engine that names itself anew in each start is the same server.
func TestDiffOfUUIDs(t *testing.T) {
	const one, other = "6c040150-6696-42b3-9e5f-715927849fb6", "823fba11-9ea2-4f1f-902e-9825b65f3377"
	for _, c := range []struct {
		name, profile, line, a, b string
		want                      []effective.Difference
	}{
		{"vLLM's engine_id, by its name", "vllm", "non-default args: {'model': '/m', 'kv_transfer_config': KVTransferConfig(kv_connector='OffloadingConnector', engine_id='%s', kv_role='kv_both', kv_connector_extra_config={'block_size': 16})}\n", one, "anything", nil},
		{"of the encoder's cache", "vllm", "non-default args: {'ec_transfer_config': ECTransferConfig(ec_connector='C', engine_id='%s', ec_role='ec_both')}\n", one, "anything", nil},
		{"a name that no profile knows", "sglang", "server_args=ServerArgs(page_size=1, instance='%s')\n", one, other, nil},
		{"with a rank", "sglang", "server_args=ServerArgs(page_size=1, instance='%s')\n", one + "_dp0", other + "_dp0", nil},
		{"one that is none", "sglang", "server_args=ServerArgs(page_size=1, instance='%s')\n", one, "mine", []effective.Difference{{What: "args.instance", A: "(a UUID)", B: "mine"}}},
		{"inside a path", "sglang", "server_args=ServerArgs(page_size=1, instance='%s')\n", "/m/" + one, "/m/" + other, []effective.Difference{{What: "args.instance", A: "/m/" + one, B: "/m/" + other}}},
	} {
		a, b := of(t, profile(t, c.profile), "", fmt.Sprintf(c.line, c.a)), of(t, profile(t, c.profile), "", fmt.Sprintf(c.line, c.b))
		if len(a.Args) == 0 {
			t.Fatalf("%s: nothing was read", c.name)
		}
		if diff := cmp.Diff(c.want, effective.Diff(a, b)); diff != "" {
			t.Errorf("%s:\n%s", c.name, diff)
		}
		if same := a.Identity() == b.Identity(); same != (c.want == nil) {
			t.Errorf("%s: the same identity: %v", c.name, same)
		}
	}
}

func TestAsk(t *testing.T) {
	sglang := profile(t, "sglang")
	server := func(version string) *httptest.Server {
		mux := http.NewServeMux()
		mux.HandleFunc("/get_server_info", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(`{"version": "` + version + `", "tp_size": 2, "mem_fraction_static": 0.80, "api_key": "k", "max_total_num_tokens": 65536, "internal_states": [{"last_gen_throughput": 3.5}], "weight_version": "default"}`))
		})
		mux.HandleFunc("/model_info", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusInternalServerError) })
		return httptest.NewServer(mux)
	}
	ask := func(version string) *effective.Config {
		s := server(version)
		defer s.Close()
		c := of(t, sglang, "", "server_args=ServerArgs(tp_size=2, mem_fraction_static=0.8)\n")
		return c.Ask(t.Context(), http.DefaultClient, s.URL, &sglang.Effective, &secret.Redactor{}, nil)
	}
	c := ask("0.5.8")
	if diff := cmp.Diff([]string{"GET /model_info: status 500"}, c.Problems); diff != "" || c.Version != "0.5.8" {
		t.Errorf("version %q\n%s", c.Version, diff)
	}
	answer := c.Info["/get_server_info"]
	if answer["tp_size"] != nil || answer["mem_fraction_static"] != nil || answer["version"] != nil || answer["weight_version"] != "default" || answer["api_key"] != secret.Mask {
		t.Errorf("answer: %v", answer)
	}
	if diff := cmp.Diff([]effective.Difference{{What: "version", A: "0.5.8", B: "0.5.9"}}, effective.Diff(c, ask("0.5.9"))); diff != "" {
		t.Error(diff)
	}
	silent := of(t, sglang, "", "server_args=ServerArgs(tp_size=2, mem_fraction_static=0.8)\n")
	if d := effective.Diff(c, silent); len(d) != 0 {
		t.Errorf("one that was not asked differs: %v", d)
	}
}

func TestReadWithout(t *testing.T) {
	if _, err := effective.Read(t.TempDir()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("err = %v", err)
	}
}
