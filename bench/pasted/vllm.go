package pasted

import (
	"cmp"
	"fmt"
	"strconv"
)

// vllmDataset says which prompts there are.
func (l *line) vllmDataset() ([]string, error) {
	switch l.value("--dataset-name") {
	case "prefix_repetition":
		return l.vllmPrefixes()
	case "sharegpt", "custom", "burstgpt":
		return l.vllmFile()
	case "random":
		return l.vllmLengths()
	}
	return nil, nil
}

// vllmFile has prompts of a file chosen as vLLM's client does.
func (l *line) vllmFile() ([]string, error) {
	set, args := l.value("--dataset-name"), []string{"--dataset-rules", "vllm"}
	if n, err := strconv.Atoi(l.value("--num-prompts")); err == nil && n < 1 {
		return nil, &Refusal{Flag: "--num-prompts " + l.value("--num-prompts"), Instead: "write how many prompts to send"}
	}
	if l.has("--skip-tokenizer-init") && set != "custom" {
		return nil, &Refusal{Flag: "--skip-tokenizer-init", Why: "vLLM's client makes no prompts of " + set + " without a tokenizer"}
	}
	switch set {
	case "sharegpt":
		if l.has("--served-model-name") && l.has("--model") && !l.has("--tokenizer") {
			args = append(args, "--tokenizer", l.value("--model"))
		}
		return append(args, l.vllmAnswers(l.value("--sharegpt-output-len"))...), nil
	case "custom":
		return l.vllmCustom(args)
	}
	l.notes = append(l.notes, "prompts of burstgpt are random tokens of exactly each row's length; vLLM's client sends consecutive tokens as text, which a server may count otherwise")
	return args, nil
}

// vllmCustom translates the data set that people make for themselves.
func (l *line) vllmCustom(args []string) ([]string, error) {
	out := l.value("--custom-output-len")
	switch n, err := strconv.Atoi(cmp.Or(l.value("--output-len"), out)); {
	case l.has("--skip-tokenizer-init"):
		return append(args, "--sharegpt-output-len", "1"), nil // so it is there, of prompts as they stand
	case !l.has("--skip-chat-template"):
		return nil, &Refusal{"--dataset-name custom without --skip-chat-template", "the model's chat template is not applied to prompts here",
			"add --skip-chat-template, and --backend openai-chat --endpoint /v1/chat/completions to have the server apply it"}
	case err == nil && n == -1:
		return args, nil
	case err == nil && n < 1:
		return nil, fmt.Errorf("--custom-output-len %d: want a whole number from 1 on, or -1 for the lengths of the file", n)
	}
	return append(args, l.vllmAnswers(out)...), nil
}

// vllmAnswers is the length of all answers; "" is that of the file's own.
func (l *line) vllmAnswers(length string) []string {
	if length = cmp.Or(l.value("--output-len"), length); length == "" {
		return nil
	}
	return []string{"--sharegpt-output-len", length}
}

// vllmPrefixes gives each prefix its share of the prompts.
func (l *line) vllmPrefixes() ([]string, error) {
	prompts, err1 := strconv.Atoi(l.value("--num-prompts"))
	prefixes, err2 := strconv.Atoi(l.value("--prefix-repetition-num-prefixes"))
	if err1 != nil || err2 != nil || prefixes < 1 || prompts < prefixes {
		return nil, fmt.Errorf("--num-prompts %s: want a whole number, no less than --prefix-repetition-num-prefixes %s", l.value("--num-prompts"), l.value("--prefix-repetition-num-prefixes"))
	}
	out := l.value("--prefix-repetition-output-len")
	if l.has("--output-len") {
		out = l.value("--output-len")
	}
	return []string{"--gsp-prompts-per-group", strconv.Itoa(prompts / prefixes), "--gsp-output-len", out}, nil
}

// vllmRamp leaves out the ends of a ramp that is none, of which vLLM's client takes no notice.
func (l *line) vllmRamp() {
	for _, end := range []string{"--ramp-up-start-rps", "--ramp-up-end-rps"} {
		if l.has(end) && !l.has("--ramp-up-strategy") {
			l.notes = append(l.notes, noted(end+" "+l.value(end), "it means something beside --ramp-up-strategy alone"))
			delete(l.given, end)
		}
	}
}
