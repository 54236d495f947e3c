package effective

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"

	"servematrix/engine"
	"servematrix/secret"
)

const (
	askLimit = time.Second // one question
	bodyMost = 1 << 20     // bytes of an answer
)

// Ask asks a server that is reached at base for what its profile knows to ask, one path after the
// other, and gives what Logs found with the answers, in which r hides the secrets; extra are
// further secret names. It is a question to a server that nobody measures: a scheduler has to
// answer it between its batches. It returns when ctx ends.
func (c *Config) Ask(ctx context.Context, client *http.Client, base string, what *engine.Effective, r *secret.Redactor, extra []string) *Config {
	asked := *c
	asked.Info, asked.Problems = map[string]map[string]any{}, slices.Clone(c.Problems)
	asked.ask(ctx, client, base, what)
	asked.Version = r.String(asked.Version)
	for _, answer := range asked.Info {
		r.Value(answer, extra)
	}
	for i, p := range asked.Problems {
		asked.Problems[i] = r.String(p)
	}
	return &asked
}

func (c *Config) ask(ctx context.Context, client *http.Client, base string, what *engine.Effective) {
	for _, paths := range what.Info {
		for i, path := range paths {
			answer, status, err := get(ctx, client, base+path)
			if err == nil {
				c.take(path, answer, what.VersionKeys)
				break
			}
			if status != http.StatusNotFound || i == len(paths)-1 {
				c.Problems = append(c.Problems, fmt.Sprintf("GET %s: %v", path, err))
				break
			}
		}
	}
}

func get(ctx context.Context, client *http.Client, url string) (answer map[string]any, status int, err error) {
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, 0, err
	}
	res, err := client.Do(req)
	if err != nil {
		return nil, 0, err
	}
	defer res.Body.Close()
	if res.StatusCode/100 != 2 {
		return nil, res.StatusCode, fmt.Errorf("status %d", res.StatusCode)
	}
	d := json.NewDecoder(io.LimitReader(res.Body, bodyMost))
	d.UseNumber()
	if err := d.Decode(&answer); err != nil {
		return nil, res.StatusCode, fmt.Errorf("no JSON object: %w", err)
	}
	return answer, res.StatusCode, nil
}

// take keeps an answer, less what the arguments say already.
func (c *Config) take(path string, answer map[string]any, versions []string) {
	for _, key := range versions {
		if v, ok := answer[key].(string); ok && v != "" {
			if c.Version == "" {
				c.Version = clip(v)
			}
			if c.Version == v {
				delete(answer, key)
			}
		}
	}
	for key, v := range answer {
		answer[key] = plain(v)
		if is, ok := c.Args[key]; ok && written(is) == written(answer[key]) {
			delete(answer, key)
		}
	}
	c.Info[path] = answer
}

// plain bounds the texts in an answer, such as a chat template, and gives numbers the types that
// they have in Args.
func plain(value any) any {
	switch v := value.(type) {
	case string:
		return clip(v)
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		if f, err := v.Float64(); err == nil {
			return f
		}
		return v.String()
	case []any:
		for i := range v {
			v[i] = plain(v[i])
		}
	case map[string]any:
		for key, inner := range v {
			v[key] = plain(inner)
		}
	}
	return value
}
