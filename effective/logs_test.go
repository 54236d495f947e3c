package effective_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"servematrix/effective"
	"servematrix/engine"
	"servematrix/secret"
)

func profile(t testing.TB, name string) *engine.ServerProfile {
	t.Helper()
	catalog, err := engine.Load()
	if err != nil {
		t.Fatal(err)
	}
	return catalog.Server(name)
}

// of reads the configuration out of a text; command is the server's.
func of(t testing.TB, p *engine.ServerProfile, command, text string) *effective.Config {
	t.Helper()
	path := filepath.Join(t.TempDir(), "server.err")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return effective.Logs(p, p.Asked(strings.Fields(command)), []effective.Log{{Path: path, Size: int64(len(text))}})
}

func sample(t testing.TB, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// want holds some arguments against what was found.
func want(t *testing.T, c *effective.Config, args map[string]any) {
	t.Helper()
	got := map[string]any{}
	for name := range args {
		if v, ok := c.Args[name]; ok {
			got[name] = v
		}
	}
	if diff := cmp.Diff(args, got); diff != "" {
		t.Error(diff)
	}
}

func TestRealSGLang(t *testing.T) {
	c := of(t, profile(t, "sglang"), "python3 -m sglang.launch_server --model-path /opt/sglang/tiny --attention-backend flashinfer --tp 1 --cuda-graph-max-bs 24 --chunked-prefill 2048 --mem-fraction-static 0.80 --max-total-tokens 70000", sample(t, "sglang-0.5.9.stderr"))
	if len(c.Args) < 300 || len(c.Problems) != 0 {
		t.Fatalf("%d arguments, problems %q", len(c.Args), c.Problems)
	}
	want(t, c, map[string]any{"attention_backend": "torch_native", "disable_cuda_graph": true, "mem_fraction_static": 0.8, "quantization": nil, "cuda_graph_bs": []any{int64(1), int64(2), int64(4), int64(8), int64(12), int64(16), int64(24)}})
	if n := c.Devices(); n != 0 {
		t.Errorf("%d devices of a server on the CPU", n)
	}
	if c.Args["device"] = "cuda"; c.Devices() != 1 {
		t.Errorf("%d devices", c.Devices())
	}
	changed := []effective.Change{
		{Flag: "attention_backend", Asked: "flashinfer", Is: "torch_native"},
		{Flag: "max_total_tokens", Asked: "70000", Is: "65536"},
		{Flag: "disable_cuda_graph", Is: "true", Said: "Cuda graph is disabled because of using torch native attention backend", At: "server.err:7"},
		{Said: "Using KV cache dtype: torch.bfloat16", At: "server.err:46"},
	}
	if diff := cmp.Diff(changed, c.Changed); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"server.err:9"}, c.From); diff != "" {
		t.Error(diff)
	}
}

func TestRealVLLM(t *testing.T) {
	c := of(t, profile(t, "vllm"), "vllm serve /models/tiny --host 127.0.0.1 --port 8391 --dtype bfloat16 --max-model-len 4k --enforce-eager --served-model-name tiny --no-enable-chunked-prefill", sample(t, "vllm-0.32.0.stdout"))
	if c.Version != "0.32.0" || len(c.Problems) != 0 {
		t.Errorf("version %q, problems %q", c.Version, c.Problems)
	}
	want(t, c, map[string]any{"dtype": "torch.bfloat16", "max_seq_len": int64(4096), "max_model_len": int64(4096), "enforce_eager": true, "served_model_name": "tiny", "kv_cache_dtype": "auto"})
	if n := c.Devices(); n != 0 {
		t.Errorf("%d devices of a server on the CPU", n)
	}
	if c.Args["device_config"] = "cuda"; c.Devices() != 1 {
		t.Errorf("%d devices", c.Devices())
	}
	nested, _ := c.Args["compilation_config"].(map[string]any)
	if nested["cudagraph_mode"] != "<CUDAGraphMode.NONE: 0>" || nested["backend"] != "inductor" {
		t.Errorf("compilation_config: %v", nested)
	}
	outputs, _ := c.Args["structured_outputs_config"].(map[string]any)
	if outputs["backend"] != "auto" {
		t.Errorf("structured_outputs_config: %v", outputs)
	}
	asked := slices.DeleteFunc(slices.Clone(c.Changed), func(ch effective.Change) bool { return ch.Asked == "" })
	wanted := []effective.Change{
		{Flag: "enable_chunked_prefill", Asked: "false", Is: "true"},
	}
	if diff := cmp.Diff(wanted, asked); diff != "" {
		t.Error(diff)
	}
	if !slices.ContainsFunc(c.Changed, func(ch effective.Change) bool {
		return ch.Said == "Model Runner V2 requires Triton; using the V1 model runner instead."
	}) {
		t.Errorf("the model runner's fallback is missing: %+v", c.Changed)
	}
}

func TestRealLlama(t *testing.T) {
	c := of(t, profile(t, "llama.cpp"), "llama-server -m /opt/eng/tiny.gguf --port 8395", sample(t, "llama.cpp.stderr"))
	want(t, c, map[string]any{"n_slots": int64(2), "n_ctx_slot": int64(2048), "kv_unified": "false"})
}

func TestOtherVersions(t *testing.T) {
	c := of(t, profile(t, "sglang"), "python3 -m sglang.launch_server --model-path /dev/shm/DeepSeek-V3-0324 --tp 8 --disable-radix --attention-backend fa3 --random-seed 1", sglang04)
	want(t, c, map[string]any{"attention_backend": "fa3", "tp_size": int64(8), "cuda_graph_bs": nil})
	if len(c.Changed) != 0 || slices.Contains(c.Varies, "random_seed") || !slices.Contains(c.Varies, "port") {
		t.Errorf("changed %+v, varies %q", c.Changed, c.Varies)
	}
	c = of(t, profile(t, "sglang"), "python3 -m sglang.launch_server --model-path qwen/qwen2.5-0.5b-instruct", sglang055)
	want(t, c, map[string]any{"attention_backend": "flashinfer"})
	if len(c.Changed) != 2 || c.Changed[0].Is != "flashinfer" || c.Changed[1].Flag != "disable_cuda_graph" || c.Changed[1].At != "server.err:2" {
		t.Errorf("changed %+v", c.Changed)
	}
	c = of(t, profile(t, "vllm"), "vllm serve /m --quantization awq --dtype half --api-key sk-verysecret", vllm064)
	want(t, c, map[string]any{"tensor_parallel_size": int64(2), "dtype": "torch.float16", "load_format": "LoadFormat.AUTO", "dispatch_function": "<function serve>",
		"compilation_config": map[string]any{"splitting_ops": []any{"vllm.unified_attention"}, "use_inductor": true, "capture_sizes": []any{256.0, 248.0}}})
	if diff := cmp.Diff([]effective.Change{{Flag: "quantization", Asked: "awq", Is: "awq_marlin"}}, c.Changed); diff != "" || c.Version != "0.6.4.post1" {
		t.Errorf("version %q\n%s", c.Version, diff)
	}
	c.Hide(&secret.Redactor{}, nil)
	if data, err := c.Encode(); err != nil || strings.Contains(string(data), "verysecret") {
		t.Errorf("%v\n%s", err, data)
	}
	c = of(t, profile(t, "vllm"), "vllm serve /m --dtype half -tp 2 --lora-modules risky=r", vllm011)
	if sh := of(t, profile(t, "sglang"), "python3 -m sglang.launch_server --tp $N --attention-backend ${{ late.dir }}", sglang04); len(sh.Changed) != 0 {
		t.Errorf("a value that nobody knows here is held against what it is: %+v", sh.Changed)
	}
	if len(c.Changed) != 1 || c.Changed[0].Flag != "attention_backend" || c.Changed[0].Said != "Using Flash Attention backend on V1 engine." || c.Version != "0.11.0" {
		t.Errorf("version %q, changed %+v", c.Version, c.Changed)
	}
}

// Only what was there when the server was ready counts, and a hole in a log is passed over.
func TestUpToReadyAndPastHoles(t *testing.T) {
	p := profile(t, "sglang")
	path := filepath.Join(t.TempDir(), "server.err")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	first := "server_args=ServerArgs(a=1, tp_size=2)\n"
	if _, err := f.WriteString(first); err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt([]byte("\nserver_args=ServerArgs(tp_size=3, b=4)\n"), 1<<20); err != nil {
		t.Fatal(err)
	}
	if c := effective.Logs(p, nil, []effective.Log{{Path: path, Size: int64(len(first))}}); c.Args["tp_size"] != int64(2) || c.Args["b"] != nil {
		t.Errorf("up to ready: %v", c.Args)
	}
	if c := effective.Logs(p, nil, []effective.Log{{Path: path, Size: 2 << 20}}); c.Args["tp_size"] != int64(3) || c.Args["b"] != int64(4) {
		t.Errorf("past the hole: %v", c.Args)
	}
	if c := effective.Logs(p, nil, []effective.Log{{Path: path + ".not", Size: 1}}); len(c.Problems) != 1 {
		t.Errorf("a log that is not there: %+v", c)
	}
}

// FuzzLogs holds: nothing panics, what was found can be written, and reads back as the same server.
func FuzzLogs(f *testing.F) {
	for _, text := range []string{sglang04, sglang055, vllm064, vllm011} {
		f.Add(text)
	}
	sglang, vllm := profile(f, "sglang"), profile(f, "vllm")
	f.Fuzz(func(t *testing.T, text string) {
		for _, p := range []*engine.ServerProfile{sglang, vllm} {
			c := of(t, p, "x --tp 8 --dtype half --port 1", text)
			data, err := c.Encode()
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, effective.File), data, 0o600); err != nil {
				t.Fatal(err)
			}
			back, err := effective.Read(dir)
			if err != nil {
				t.Fatal(err)
			}
			if d := effective.Diff(c, back); len(d) > 0 || c.Identity() != back.Identity() {
				t.Fatalf("not the same: %v", d)
			}
		}
	})
}
