package compare

import (
	"fmt"
	"strconv"
	"strings"
)

// loads are the flags, keys of a configuration and metrics that say how much a client asks for at a
// time. Those of the first requestLoads are about requests, the others about their lengths.
var loads = []load{
	{"prompts", "num_prompts", []string{"num_prompts", "num_prompt"}},
	{"concurrency", "max_concurrency", []string{"max_concurrency"}},
	{"rate", "request_rate", []string{"request_rate"}},
	{"input", "", []string{"random_input_len", "random_input", "input_len"}},
	{"output", "", []string{"random_output_len", "random_output", "output_len"}},
}

const requestLoads = 3

// load is one of them: a word for people, a metric, and the names in commands and configurations.
type load struct {
	word, metric string
	names        []string
}

// loadOf is a cell's load as its client's command tells it, else its configuration, else its
// result: "prompts 256, concurrency 32". No limit ("inf", None) is the same as none given.
func loadOf(c *cell, of []load) (string, bool) {
	taken := takeApart(c.client)
	var parts []string
	for _, l := range of {
		if value := l.of(c, taken); value != "" && value != "inf" && value != "None" {
			parts = append(parts, l.word+" "+value)
		}
	}
	return strings.Join(parts, ", "), len(parts) > 0
}

func (l load) of(c *cell, taken command) string {
	for _, name := range l.names {
		if v, ok := taken.flags["--"+strings.ReplaceAll(name, "_", "-")]; ok {
			return v
		}
	}
	for _, name := range l.names {
		if v, ok := c.client.Config[name]; ok && v != nil {
			return fmt.Sprint(v)
		}
	}
	for _, s := range c.samples {
		if v, ok := s.Metrics.Get(l.metric); ok {
			return strconv.FormatFloat(v, 'f', -1, 64)
		}
	}
	return ""
}
