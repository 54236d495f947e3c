package result

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"servematrix/engine"
)

// readTable reads CSV. The header's rows together name a column, each a step of its path; a row
// is a mapping of its columns, under its key where the table has one, else an element of a list.
func readTable(r io.Reader, table *engine.Table) (any, error) {
	if table == nil {
		table = &engine.Table{}
	}
	in := csv.NewReader(bomless(r))
	in.FieldsPerRecord = -1
	rows, err := in.ReadAll()
	if err != nil {
		return nil, err
	}
	header := max(table.Header, 1)
	if len(rows) < header {
		return nil, &TruncatedError{}
	}
	keyed, all := map[string]any{}, &list{}
	for _, row := range rows[header:] {
		node := map[string]any{}
		var key []string
		for column, text := range row {
			var steps []string
			for _, names := range rows[:header] {
				if column < len(names) && names[column] != "" {
					steps = append(steps, names[column])
				}
			}
			if len(table.Key) > 0 && len(steps) == 1 && slices.Contains(table.Key, steps[0]) {
				key = append(key, text)
			} else if len(steps) > 0 && text != "" {
				put(node, steps, cell(text))
			}
		}
		if len(key) > 0 {
			put(keyed, key, node)
		}
		all.items = append(all.items, node)
	}
	if len(table.Key) > 0 {
		return keyed, nil
	}
	return all, nil
}

// atMost reads to the end of a file that has no more bytes than are left. A longer one is an error:
// the rows at its end may be the summary.
type atMost struct {
	r    io.Reader
	left int64
}

func (a *atMost) Read(p []byte) (int, error) {
	if int64(len(p)) > a.left+1 {
		p = p[:a.left+1]
	}
	n, err := a.r.Read(p)
	if a.left -= int64(n); a.left < 0 {
		return n, fmt.Errorf("it is larger than %d MiB, and no more is read of a CSV or YAML file", maxFile>>20)
	}
	return n, err
}

// bomless drops a byte order mark.
func bomless(r io.Reader) io.Reader {
	in := bufio.NewReader(r)
	if head, _ := in.Peek(3); string(head) == "\ufeff" {
		_, _ = in.Discard(3)
	}
	return in
}

// put sets what stands at the end of the steps, and makes the mappings on the way.
func put(node map[string]any, steps []string, value any) {
	for _, step := range steps[:len(steps)-1] {
		inner, ok := node[step].(map[string]any)
		if !ok {
			inner = map[string]any{}
			node[step] = inner
		}
		node = inner
	}
	node[steps[len(steps)-1]] = value
}

// cell reads a text that stands alone: a number, JSON, or itself.
func cell(text string) any {
	if _, _, ok := parseNumber(text); ok {
		return json.Number(text)
	}
	if strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[") {
		if node, err := readJSONTree(strings.NewReader(text), &engine.Layout{}); err == nil {
			return node
		}
	}
	return redactor.String(text)
}
