package pasted

import (
	"encoding/json"
	"fmt"
	"math"
	"net"
	"strconv"
	"strings"
)

// special translates the flags that are to be read together.
func (l *line) special() ([]string, error) {
	if l.program.Name == "vllm bench serve" {
		return l.vllm()
	}
	return append(l.address(l.sglangPort()), l.model()...), nil
}

// sglangPort is where sglang.bench_serving 0.5.9 goes by default; lmdeploy has its own.
func (l *line) sglangPort() string {
	if l.has("--port") {
		return l.value("--port")
	}
	switch l.value("--backend") {
	case "vllm":
		return "8000"
	case "lmdeploy":
		return "23333"
	}
	return "30000"
}

// address is where requests go.
func (l *line) address(port string) []string {
	if l.has("--base-url") {
		return []string{"--base-url", l.value("--base-url")}
	}
	host := l.value("--host")
	if host == "0.0.0.0" {
		host = "127.0.0.1"
	}
	return []string{"--base-url", "http://" + net.JoinHostPort(strings.Trim(host, "[]"), port)}
}

// model is the name that requests carry.
func (l *line) model() []string {
	switch {
	case l.has("--served-model-name"):
		return []string{"--model", l.value("--served-model-name")}
	case l.has("--model"):
		return []string{"--model", l.value("--model")}
	}
	return nil
}

// vllm translates what only vLLM's client says so.
func (l *line) vllm() ([]string, error) {
	backend, chat := "openai", false
	switch b := l.value("--backend"); b {
	case "openai", "vllm":
	case "openai-chat":
		backend, chat = b, true
	default:
		return nil, &Refusal{"--backend " + b, "openai, vllm and openai-chat have one", "choose one of them"}
	}
	want := map[bool]string{false: "/v1/completions", true: "/v1/chat/completions"}[chat]
	if e := l.value("--endpoint"); strings.Trim(e, "/") != strings.Trim(want, "/") {
		return nil, &Refusal{"--endpoint " + e, "requests of the backend " + backend + " go to " + want, "write --endpoint " + want}
	}
	args := append(l.address(l.value("--port")), "--backend", backend)
	args = append(args, l.model()...)
	lengths, err := l.vllmDataset()
	if err != nil {
		return nil, err
	}
	args = append(args, lengths...)
	l.vllmRamp()
	if l.value("--dataset-name") != "random" && !l.has("--ignore-eos") {
		args = append(args, "--disable-ignore-eos")
	}
	if _, has := l.own("definitions"); has {
		args = append(args, "--definitions", "vllm")
	}
	extra, err := l.vllmBody(chat)
	return append(args, extra...), err
}

// vllmLengths turns lengths around a middle, from ⌊n·(1−r)⌋ to ⌈n·(1+r)⌉, into lengths up to a
// longest, from ⌊m·q⌋ to m.
func (l *line) vllmLengths() ([]string, error) {
	in, out := l.value("--random-input-len"), l.value("--random-output-len")
	if l.has("--input-len") {
		in = l.value("--input-len")
	}
	if l.has("--output-len") {
		out = l.value("--output-len")
	}
	ratio := l.value("--random-range-ratio")
	if sameText(ratio, "0") {
		return []string{"--random-input-len", in, "--random-output-len", out, "--random-range-ratio", "1"}, nil
	}
	inRatio, outRatio, err := rangeRatios(ratio)
	if err != nil {
		return nil, err
	}
	inLow, inHigh, err := around("--random-input-len", in, inRatio)
	if err != nil {
		return nil, err
	}
	outLow, outHigh, err := around("--random-output-len", out, outRatio)
	if err != nil {
		return nil, err
	}
	q := commonRatio(inLow, inHigh, outLow, outHigh)
	if math.IsNaN(q) {
		return nil, &Refusal{Flag: "--random-range-ratio " + ratio, Why: fmt.Sprintf("no one ratio makes prompts of %d to %d and answers of %d to %d tokens", inLow, inHigh, outLow, outHigh)}
	}
	return []string{"--random-input-len", strconv.Itoa(inHigh), "--random-output-len", strconv.Itoa(outHigh),
		"--random-range-ratio", strconv.FormatFloat(q, 'g', -1, 64)}, nil
}

// rangeRatios reads one number, or a JSON object with one for input and one for output.
func rangeRatios(text string) (in, out float64, err error) {
	if r, err := strconv.ParseFloat(text, 64); err == nil {
		in, out = r, r
	} else {
		var both struct{ Input, Output *float64 }
		if json.Unmarshal([]byte(text), &both) != nil || both.Input == nil || both.Output == nil {
			return 0, 0, fmt.Errorf("--random-range-ratio %s: want a number from 0 to below 1", text)
		}
		in, out = *both.Input, *both.Output
	}
	if !(in >= 0 && in < 1 && out >= 0 && out < 1) {
		return 0, 0, fmt.Errorf("--random-range-ratio %s: want a number from 0 to below 1", text)
	}
	return in, out, nil
}

// around is the shortest and the longest length that vLLM draws.
func around(flag, middle string, ratio float64) (low, high int, err error) {
	n, err := strconv.Atoi(middle)
	if err != nil || n < 1 || n > math.MaxInt32 {
		return 0, 0, fmt.Errorf("%s %s: a length that varies has to be a whole number from 1 to %d here", flag, middle, math.MaxInt32)
	}
	return max(1, int(math.Floor(float64(n)*(1-ratio)))), max(1, int(math.Ceil(float64(n)*(1+ratio)))), nil
}

// commonRatio is a q with max(1, ⌊high·q⌋) = low for both pairs; NaN where there is none.
func commonRatio(low1, high1, low2, high2 int) float64 {
	shortest := func(high int, q float64) int { return max(1, int(math.Floor(float64(high)*q))) }
	for _, q := range []float64{
		max(float64(low1)/float64(high1), float64(low2)/float64(high2)),
		(float64(low1) + 0.5) / float64(high1), (float64(low2) + 0.5) / float64(high2),
	} {
		if q <= 1 && shortest(high1, q) == low1 && shortest(high2, q) == low2 {
			return q
		}
	}
	return math.NaN()
}

// vllmBody gathers what requests carry beside what the embedded client writes itself.
func (l *line) vllmBody(chat bool) ([]string, error) {
	// Left to the server, as vLLM's client does; the embedded client says 0 by itself.
	body := map[string]json.RawMessage{"temperature": json.RawMessage("null")}
	if !chat {
		body["repetition_penalty"] = json.RawMessage("1") // else the model's generation_config.json may say another one
	}
	for _, name := range []string{"temperature", "top_p", "top_k", "min_p", "frequency_penalty", "presence_penalty", "repetition_penalty", "logprobs"} {
		flag := "--" + strings.ReplaceAll(name, "_", "-")
		if !l.has(flag) {
			continue
		}
		value := l.value(flag)
		if chat && name == "logprobs" {
			return nil, &Refusal{Flag: flag, Why: "chat requests ask for them in another way; say it in --extra-body"}
		}
		if _, err := strconv.ParseFloat(value, 64); err != nil || !json.Valid([]byte(value)) {
			return nil, fmt.Errorf("%s %s: want a number", flag, value)
		}
		body[name] = json.RawMessage(value)
	}
	if l.has("--extra-body") {
		more := map[string]json.RawMessage{}
		if err := json.Unmarshal([]byte(l.value("--extra-body")), &more); err != nil {
			return nil, fmt.Errorf("--extra-body %s: want a JSON object", l.value("--extra-body"))
		}
		for name, value := range more {
			body[name] = value
		}
	}
	text, err := json.Marshal(body)
	return []string{"--extra-request-body", string(text)}, err
}

// isLate tells whether a text holds a value that only a run knows.
func isLate(s string) bool { return strings.Contains(s, "${{") }

// sameText compares texts, or numbers where both are some: 1.0 is 1.
func sameText(a, b string) bool {
	if a == b {
		return true
	}
	x, err1 := strconv.ParseFloat(a, 64)
	y, err2 := strconv.ParseFloat(b, 64)
	return err1 == nil && err2 == nil && (x == y || math.IsInf(x, 1) && math.IsInf(y, 1))
}
