package bench

import (
	"strings"
	"testing"

	"servematrix/bench/pasted"
)

// FuzzReplace: whatever a line of another client says, it is refused with a reason, or becomes one
// of which the embedded client has every flag.
func FuzzReplace(f *testing.F) {
	for _, line := range []string{
		"", "--num-prompts 3 --seed=4", "--dataset-name sharegpt --dataset-path s.json --tokenizer t --output-len 3",
		"--dataset-name custom --dataset-path c --skip-chat-template --custom-output-len -1", "--dataset-name burstgpt --dataset-path b --no-oversample",
		"--dataset-name prefix_repetition --num-prompts 25", `--random-range-ratio {"input":0.1,"output":0.3}`, `--header A=1 B=2 --extra-body {"a":[1]} --disable-tqdm`,
		"--backend vllm-chat --dataset-name generated-shared-prefix --gsp-num-g 3 --port ${{n}}",
		"--temperature 0.5 --top-k 3 --logprobs 1 --backend openai-chat --endpoint /v1/chat/completions", "--metric-percentiles 50,99 --goodput ttft:5 tpot:6",
	} {
		f.Add(false, line)
		f.Add(true, line)
	}
	f.Fuzz(func(t *testing.T, vllm bool, line string) {
		program := pasted.Names()[0]
		if vllm {
			program = pasted.Names()[1]
		}
		c, err := Replace(program, strings.Fields(line))
		if err == nil {
			return
		}
		for _, ours := range []string{"unknown flag", "unknown shorthand", "flag needs an argument"} {
			if strings.Contains(err.Error(), ours) {
				t.Errorf("%s %s becomes %q: %v", program, line, c.Args, err)
			}
		}
		if strings.TrimSpace(err.Error()) == "" {
			t.Error("refused without a reason")
		}
	})
}
