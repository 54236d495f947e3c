package dataset

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
)

// burstGPTColumns are those that a trace in BurstGPT's layout must have: times in seconds, lengths
// in tokens. Others are passed over. Source: github.com/HPMLL/BurstGPT.
var burstGPTColumns = []string{"Timestamp", "Model", "Request tokens", "Response tokens"}

// burstGPTRows gives the rows of one model, as vllm bench serve does, without requests that failed:
// they have no response tokens.
func burstGPTRows(o Options, r io.Reader, yield func(row) error) error {
	reader := csv.NewReader(r)
	reader.ReuseRecord = true
	header, err := reader.Read()
	if errors.Is(err, io.EOF) {
		return errors.New("is empty")
	}
	if err != nil {
		return err
	}
	var at [4]int
	for i, name := range burstGPTColumns {
		if at[i] = slices.IndexFunc(header, func(h string) bool { return strings.TrimSpace(h) == name }); at[i] < 0 {
			return atLine{1, fmt.Errorf("no column %q; there are %q", name, header)}
		}
	}
	for {
		fields, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err // it names the line
		}
		line, _ := reader.FieldPos(0)
		if model := strings.TrimSpace(fields[at[1]]); o.BurstGPTModel != "all" && model != o.BurstGPTModel {
			continue
		}
		row := row{line: line}
		seconds, err := strconv.ParseFloat(strings.TrimSpace(fields[at[0]]), 64)
		if err != nil || !(seconds >= 0 && seconds < maxMillis/1000) {
			return atLine{line, fmt.Errorf("column Timestamp: %q: want seconds from 0 on", fields[at[0]])}
		}
		row.at = time.Duration(seconds * float64(time.Second))
		if row.input, err = tokenCount(fields[at[2]]); err != nil {
			return atLine{line, fmt.Errorf("column Request tokens: %w", err)}
		}
		if row.output, err = tokenCount(fields[at[3]]); err != nil {
			return atLine{line, fmt.Errorf("column Response tokens: %w", err)}
		}
		switch {
		case row.output == 0 || row.input == 0 && o.Rules != RulesVLLM:
			continue
		case row.input == 0:
			return atLine{line, errors.New("column Request tokens: 0: vllm bench serve sends an empty prompt then, which servers refuse")}
		}
		if err := yield(row); err != nil {
			return err
		}
	}
}

// tokenCount reads a number of tokens; some writers give it a decimal point.
func tokenCount(field string) (int, error) {
	n, err := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(field), ".0"))
	if err != nil || n < 0 || n > maxTokens {
		return 0, fmt.Errorf("%q: want a whole number from 0 to %d", field, maxTokens)
	}
	return n, nil
}
