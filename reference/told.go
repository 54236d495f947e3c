package reference

import (
	"slices"
	"strconv"
	"strings"

	"servematrix/command"
	"servematrix/result"
)

func versionOf(s *sides) string {
	if s.around.Server == nil {
		return ""
	}
	return s.around.Server.Version
}

func deviceOf(s *sides) string {
	if len(s.around.Devices) == 0 {
		return ""
	}
	return s.around.Devices[0]
}

func devicesOf(s *sides) string {
	if n := len(s.around.Devices); n > 0 {
		return strconv.Itoa(n)
	}
	return ""
}

// running gives an argument in force at the server: as it really ran, or as it told its client.
func (s *sides) running(name string) (string, bool) {
	if s.around.Server != nil {
		if v, ok := config(&result.Side{Config: s.around.Server.Args}, []string{name}); ok {
			return v, true
		}
	}
	return config(s.server, []string{name})
}

func mentions(side *result.Side, text string) bool {
	return side != nil && slices.ContainsFunc(side.Argv, func(word string) bool { return strings.Contains(word, text) })
}

func engineOf(s *sides) string {
	switch {
	case s.sample.Simulated:
		return "servematrix sim (simulated)"
	case mentions(s.server, "sglang"):
		return "sglang"
	case mentions(s.server, "vllm"):
		return "vllm"
	case len(s.serving.Words) > 0:
		return s.serving.Program()
	}
	if backend, _ := config(s.client, []string{"backend"}); strings.HasPrefix(backend, "sglang") {
		return "sglang"
	}
	return ""
}

func clientOf(s *sides) string {
	switch {
	case mentions(s.client, "sglang.bench_serving"):
		return "sglang.bench_serving"
	case mentions(s.client, "benchmark_serving"):
		return "benchmark_serving.py"
	case benchOfVLLM(s.measuring):
		return "vllm bench serve"
	}
	return s.measuring.Program()
}

// benchOfVLLM tells "vllm bench serve"; --backend vllm is a word of other clients too.
func benchOfVLLM(c command.Reading) bool {
	return len(c.Words) > 1 && c.Words[1] == "bench" && (c.Program() == "vllm" || strings.HasPrefix(c.Program(), "vllm.entrypoints.cli"))
}

// servedModel finds the model that stands in a command without a flag: vllm serve MODEL.
func servedModel(s *sides) string {
	_, words := s.serving.Args().Flags()
	if len(words) > 1 && words[0] == "serve" {
		return words[1]
	}
	return ""
}

// prefixCache is on or off where a flag or the server says so; its default differs by version.
func prefixCache(s *sides) string {
	said := ""
	for _, word := range s.serving.Args() {
		switch {
		case strings.HasPrefix(word, "--disable-radix"), word == "--no-enable-prefix-caching":
			said = "off"
		case word == "--enable-prefix-caching":
			said = "on" // the last one counts
		}
	}
	if said != "" {
		return said
	}
	if off, known := s.running("disable_radix_cache"); known {
		return onOff(off != "true")
	}
	if on, known := s.running("enable_prefix_caching"); known {
		return onOff(on == "true")
	}
	return ""
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

func cudaGraph(s *sides) string {
	if s.serving.Args().Has("--disable-cuda-graph|--enforce-eager") {
		return "off"
	}
	for _, name := range []string{"disable_cuda_graph", "enforce_eager"} {
		if off, known := s.running(name); known {
			return onOff(off != "true")
		}
	}
	return ""
}

func ignoreEOS(s *sides) string {
	if s.measuring.Args().Has("--ignore-eos") {
		return "true"
	}
	if s.measuring.Args().Has("--disable-ignore-eos") {
		return "false"
	}
	if v, ok := config(s.client, []string{"ignore_eos"}); ok {
		return v
	}
	if v, ok := config(s.client, []string{"disable_ignore_eos"}); ok {
		return strconv.FormatBool(v == "false")
	}
	return ""
}

func cacheOf(s *sides) string {
	if s.measuring.Args().Has("--flush-cache") {
		return "flushed"
	}
	return ""
}
