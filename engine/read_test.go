package engine

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReadByTheProfile(t *testing.T) {
	for _, c := range []struct{ line, loose, flags string }{
		{"SGLANG_ENABLE_FLASHINFER_GEMM=1 python3 -m sglang.launch_server --model-path /dev/shm/DeepSeek-V3-0324/ --tp 8 --trust-remote --attention-backend triton",
			"", "--model-path=/dev/shm/DeepSeek-V3-0324/ --tp=8 --trust-remote --attention-backend=triton"},
		{"python3 -m sglang.bench_serving --backend sglang-oai --dataset-name random --random-range-ratio 1 --num-prompts 256 --num-prompts 128 --max-concurrency=32",
			"", "--backend=sglang-oai --dataset-name=random --random-range-ratio=1 --num-prompts=128 --max-concurrency=32"},
		{"srun --unlisted-option 3 taskset -c 0-7 vllm serve m --quantization ascend --no-enable-prefix-caching --middleware a --middleware b",
			"serve m", "--quantization=ascend --no-enable-prefix-caching --middleware=a b"},
		{"guidellm run --output kind=csv,path=a --output kind=json,path=b --rate 1 --rate 2", "run", "--output=kind=csv,path=a kind=json,path=b --rate=2"},
		{"servematrix sim serve --style=vllm --fault oom --fault slow=2", "sim serve", "--style=vllm --fault=oom slow=2"},
		{"timeout 1h mybench --lora a --lora b", "", "--lora=b"},
	} {
		read := mustLoad(t).Read(strings.Fields(c.line))
		var flags []string
		for _, f := range read.Flags() {
			text := f.Name
			if f.Values != nil {
				text += "=" + strings.Join(f.Values, " ")
			}
			flags = append(flags, text)
		}
		if diff := cmp.Diff([]string{c.loose, c.flags}, []string{strings.Join(read.Loose(), " "), strings.Join(flags, " ")}); diff != "" {
			t.Errorf("%s:\n%s", c.line, diff)
		}
	}
}

func BenchmarkRead(b *testing.B) {
	c, argv := Embedded(), strings.Fields("taskset -c 0-7 python3 -m sglang.bench_serving --backend sglang-oai --dataset-name random --random-range-ratio 1 --num-prompts 256 --max-concurrency=32")
	for b.Loop() {
		c.Read(argv)
	}
}
