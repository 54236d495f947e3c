package compare

import (
	"fmt"
	"strconv"
	"strings"

	"servematrix/command"
)

// loads are the flags, keys of a configuration and metrics that say how much a client asks for at a
// time. Those of the first requestLoads are about requests, the others about what is in them.
var loads = []load{
	{"prompts", "num_prompts", []string{"num_prompts", "num_prompt"}},
	{"concurrency", "max_concurrency", []string{"max_concurrency"}},
	{"rate", "request_rate", []string{"request_rate"}},
	{"input", "", []string{"random_input_len", "random_input", "input_len"}},
	{"output", "", []string{"random_output_len", "random_output", "output_len"}},
	{"dataset", "", []string{"dataset_name", "dataset"}},
}

const requestLoads = 3

// load is one of them: a word for people, a metric, and the names in commands and configurations.
type load struct {
	word, metric string
	names        []string
}

// loadOf is a cell's load as its client's command tells it, else its configuration, else its
// result: "prompts 256, concurrency 32". No limit ("inf", None) is the same as none given. A
// dataset alone is no load.
func (cs commands) loadOf(c *cell, of []load) (string, bool) {
	var parts []string
	known := false
	for i, value := range cs.loadValues(c)[:len(of)] {
		if value != "" {
			parts = append(parts, of[i].word+" "+value)
			known = known || of[i].word != "dataset"
		}
	}
	return strings.Join(parts, ", "), known
}

// loadValues gives a cell's value of each of loads, "" where nothing tells it.
func (cs commands) loadValues(c *cell) []string {
	taken := cs.of(c.client)
	values := make([]string, len(loads))
	for i, l := range loads {
		if v := l.of(c, taken); v != "inf" && v != "None" {
			values[i] = v
		}
	}
	return values
}

// sameLoad tells whether no two cells are known to differ in their load.
func (cs commands) sameLoad(cells ...[]keyed) bool {
	common := make([]string, len(loads))
	for _, list := range cells {
		for _, c := range list {
			for i, v := range cs.loadValues(c.cell) {
				switch {
				case v == "":
				case common[i] == "":
					common[i] = v
				case !sameText(common[i], v):
					return false
				}
			}
		}
	}
	return true
}

func (l load) of(c *cell, taken *invocation) string {
	for _, name := range l.names {
		if v, ok := taken.flags[command.Plain("--"+name)]; ok {
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
