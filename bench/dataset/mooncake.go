package dataset

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"time"
)

// mooncakeRow is a line of a trace in Mooncake's layout: times in milliseconds, lengths in tokens,
// a hash for each 512 tokens of the prompt.
// Source: FAST25-release/README.md in github.com/kvcache-ai/Mooncake.
type mooncakeRow struct {
	Timestamp    *float64 `json:"timestamp"`
	InputLength  *int     `json:"input_length"`
	OutputLength *int     `json:"output_length"`
	HashIDs      hashes   `json:"hash_ids"`
}

func mooncakeRows(_ Options, r io.Reader, yield func(row) error) error {
	return lines(bufio.NewReaderSize(r, 1<<16), func(rec record) error {
		row, err := mooncakeLine(rec.raw)
		if err != nil {
			return atLine{rec.line, err}
		}
		row.line = rec.line
		return yield(row)
	})
}

func mooncakeLine(text []byte) (r row, err error) {
	var line mooncakeRow
	if err := decode(text, &line); err != nil {
		return r, err
	}
	switch {
	case line.Timestamp == nil:
		return r, missing("timestamp", text)
	case line.InputLength == nil:
		return r, missing("input_length", text)
	case line.OutputLength == nil:
		return r, missing("output_length", text)
	case !(*line.Timestamp >= 0 && *line.Timestamp < maxMillis):
		return r, fmt.Errorf("timestamp %v: want milliseconds from 0 on", *line.Timestamp)
	case *line.InputLength < 1 || *line.InputLength > maxTokens:
		return r, fmt.Errorf("input_length %d: want tokens from 1 to %d", *line.InputLength, maxTokens)
	case *line.OutputLength < 1 || *line.OutputLength > maxTokens:
		return r, fmt.Errorf("output_length %d: want tokens from 1 to %d", *line.OutputLength, maxTokens)
	}
	r = row{at: time.Duration(*line.Timestamp * float64(time.Millisecond)), input: *line.InputLength, output: *line.OutputLength}
	if want := (r.input + blockTokens - 1) / blockTokens; line.HashIDs != nil && len(line.HashIDs) != want {
		return r, fmt.Errorf("%d hash_ids for an input_length of %d: want %d, one for each %d tokens", len(line.HashIDs), r.input, want, blockTokens)
	}
	r.blocks = line.HashIDs
	return r, nil
}

// hashes are the blocks of a prompt: numbers or texts, of which a row may have hundreds, told apart
// by the FNV-1a hash of how they are written.
type hashes []uint64

func (h *hashes) UnmarshalJSON(list []byte) error {
	*h = nil
	if bytes.Equal(list, []byte("null")) {
		return nil
	}
	*h = make(hashes, 0, bytes.Count(list, []byte(","))+1)
	if !bytes.HasPrefix(list, []byte("[")) || bytes.ContainsAny(list[1:], `{[\`) {
		return fmt.Errorf("hash_ids: want a list of numbers or texts, got %.40s", list)
	}
	const offset, prime = 14695981039346656037, 1099511628211
	sum, inString := uint64(offset), false
	for _, b := range list[1:] {
		switch {
		case !inString && (b == ',' || b == ']'):
			if sum != offset { // no empty list
				*h = append(*h, sum)
			}
			sum = offset
			continue
		case !inString && (b == ' ' || b == '\t'):
			continue
		case b == '"':
			inString = !inString
		}
		sum = (sum ^ uint64(b)) * prime
	}
	return nil
}

// maxMillis bounds a trace's times: a year.
const maxMillis = 365 * 24 * 3600 * 1000
