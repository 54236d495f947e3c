package main

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"slices"
	"strings"
)

// fact is one row of a table: what one client does.
type fact struct{ name, value string }

// column is a client and its facts.
type column struct {
	name  string
	facts []fact
}

// facts draws together what a client sent. Its warm-up is what came before the longest pause of
// the first ten requests, where that is a pause; it is told apart.
func (t *tap) facts() []fact {
	t.mu.Lock()
	defer t.mu.Unlock()
	all := t.requests
	if len(all) == 0 {
		return nil
	}
	warm := t.warmups()
	measured := all[warm:]
	var others []string
	for _, name := range slices.Sorted(maps.Keys(t.others)) {
		others = append(others, fmt.Sprintf("%s × %d", name, t.others[name]))
	}
	most := 0
	for _, r := range measured {
		most = max(most, r.flights)
	}
	f := []fact{
		{"start to first request", fmt.Sprintf("%.2f s", all[0].at.Sub(t.started).Seconds())},
		{"other requests", strings.Join(others, ", ")},
		{"path", measured[0].path},
		{"warm-up requests", fmt.Sprint(warm)},
		{"requests", fmt.Sprint(len(measured))},
		{"most at once", fmt.Sprint(most)},
		{"connections", fmt.Sprint(len(t.connections))},
		{"prompts", prompts(measured)},
		{"different prompts", fmt.Sprint(different(measured))},
		{"tokens asked for", outputs(measured)},
		{"hash of texts, of them and tokens asked for", sequence(measured)},
	}
	f = append(f, bodies(measured)...)
	f = append(f, fact{"headers", headers(measured)})
	return append(f, gaps(measured)...)
}

// warmups is how many requests came before a pause of a second, or for a client that makes none,
// before the first that another one followed while it was under way; 0 where all came at once.
func (t *tap) warmups() int {
	if !slices.ContainsFunc(t.requests, func(r request) bool { return r.flights > 1 }) {
		return 0 // all came one after another, and a pause is a long answer
	}
	for i := 1; i < min(10, len(t.requests)); i++ {
		if t.requests[i].at.Sub(t.requests[i-1].at).Seconds() > 0.9 {
			return i
		}
	}
	for i := 0; i+1 < min(10, len(t.requests)); i++ {
		if t.requests[i+1].flights > 1 {
			return i
		}
	}
	return 0
}

// prompts tells kind and lengths of the prompts: token ids, or text with its characters.
func prompts(all []request) string {
	kinds := map[string][]int{}
	for _, r := range all {
		kind, n := promptOf(r)
		kinds[kind] = append(kinds[kind], n)
	}
	var out []string
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		n := kinds[kind]
		out = append(out, fmt.Sprintf("%s, %s", kind, between(n)))
	}
	return strings.Join(out, "; ")
}

func promptOf(r request) (kind string, n int) {
	p := r.body["prompt"]
	if ids, ok := r.body["input_ids"]; ok {
		p = ids
	}
	if text, ok := r.body["text"]; ok {
		p = text
	}
	if messages, ok := r.body["messages"].([]any); ok && len(messages) == 1 {
		content := messages[0].(map[string]any)["content"]
		if text, ok := content.(string); ok {
			return "one message, characters", len([]rune(text))
		}
		parts := content.([]any)
		return "one message of parts, characters", len([]rune(parts[0].(map[string]any)["text"].(string)))
	}
	switch p := p.(type) {
	case string:
		return "text, characters", len([]rune(p))
	case []any:
		return "token ids", len(p)
	}
	return "unknown", 0
}

// sequence tells whether two clients send the same texts in the same order, and ask for the same
// numbers of tokens.
func sequence(all []request) string {
	texts, both := fnv.New32a(), fnv.New32a()
	for _, r := range all {
		text, _ := json.Marshal([]any{r.body["prompt"], r.body["input_ids"], r.body["text"]})
		if messages, ok := r.body["messages"].([]any); ok {
			content := messages[0].(map[string]any)["content"]
			if parts, ok := content.([]any); ok {
				content = parts[0].(map[string]any)["text"]
			}
			text, _ = json.Marshal(content)
		}
		texts.Write(text)
		fmt.Fprintf(both, "%s %d", text, asked(r.body))
	}
	return fmt.Sprintf("%08x, %08x", texts.Sum32(), both.Sum32())
}

func different(all []request) int {
	seen := map[string]bool{}
	for _, r := range all {
		text, _ := json.Marshal([]any{r.body["prompt"], r.body["input_ids"], r.body["text"], r.body["messages"]})
		seen[string(text)] = true
	}
	return len(seen)
}

func outputs(all []request) string {
	var n []int
	for _, r := range all {
		n = append(n, asked(r.body))
	}
	return between(n)
}

// between tells the least, the most and the mean of numbers.
func between(n []int) string {
	sum := 0
	for _, x := range n {
		sum += x
	}
	if slices.Min(n) == slices.Max(n) {
		return fmt.Sprint(n[0])
	}
	return fmt.Sprintf("%d to %d, mean %.1f", slices.Min(n), slices.Max(n), float64(sum)/float64(len(n)))
}

// bodies tells every other field of the requests and its values.
func bodies(all []request) []fact {
	values := map[string]map[string]bool{}
	for _, r := range all {
		for name, v := range flat(r.body) {
			switch name {
			case "prompt", "messages", "input_ids", "text", "max_tokens", "max_completion_tokens", "sampling_params.max_new_tokens":
				continue
			}
			text, _ := json.Marshal(v)
			if values[name] == nil {
				values[name] = map[string]bool{}
			}
			values[name][string(text)] = true
		}
	}
	var out []fact
	for _, name := range slices.Sorted(maps.Keys(values)) {
		out = append(out, fact{"`" + name + "`", strings.Join(slices.Sorted(maps.Keys(values[name])), ", ")})
	}
	return out
}

func flat(body map[string]any) map[string]any {
	out := map[string]any{}
	for name, v := range body {
		if inner, ok := v.(map[string]any); ok {
			for k, x := range inner {
				out[name+"."+k] = x
			}
			continue
		}
		out[name] = v
	}
	return out
}

// headers names those that are not the HTTP library's own.
func headers(all []request) string {
	names := map[string]bool{}
	for _, r := range all {
		for name := range r.header {
			switch name {
			case "Accept", "Accept-Encoding", "Content-Length", "User-Agent", "Connection":
			default:
				names[name] = true
			}
		}
	}
	return strings.Join(slices.Sorted(maps.Keys(names)), ", ")
}

// gaps tells of the time between requests: their mean, how they scatter (1 for a Poisson process),
// and when the last came.
func gaps(all []request) []fact {
	var g []float64
	sum := 0.0
	for i := 1; i < len(all); i++ {
		d := all[i].at.Sub(all[i-1].at).Seconds() * 1000
		g, sum = append(g, d), sum+d
	}
	mean := sum / float64(len(g))
	square := 0.0
	for _, d := range g {
		square += (d - mean) * (d - mean)
	}
	scatter := math.Sqrt(square/float64(len(g)-1)) / mean
	return []fact{{"mean gap", fmt.Sprintf("%.1f ms", mean)}, {"scatter of gaps (sd ÷ mean)", fmt.Sprintf("%.2f", scatter)},
		{"first to last", fmt.Sprintf("%.2f s", sum/1000)}}
}

// table draws the columns side by side; a row that one of them lacks stays empty there.
func table(columns []column) {
	var rows []string
	for _, c := range columns {
		for _, f := range c.facts {
			if !slices.Contains(rows, f.name) {
				rows = append(rows, f.name)
			}
		}
	}
	head, rule := "|", "|---|"
	for _, c := range columns {
		head += " | " + c.name
		rule += "---|"
	}
	fmt.Println(head + " |\n" + rule)
	for _, row := range rows {
		line := "| " + row
		for _, c := range columns {
			value := ""
			for _, f := range c.facts {
				if f.name == row {
					value = f.value
				}
			}
			line += " | " + strings.ReplaceAll(value, "|", `\|`)
		}
		fmt.Println(line + " |")
	}
	fmt.Println()
}
