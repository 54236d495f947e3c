package wire

import (
	"encoding/json"
	"testing"
	"time"

	"servematrix/bench/dataset"
)

// TestLengthsAreCheckedUnlessTheBodyDecides, for all requests or in a row of a dataset.
func TestLengthsAreCheckedUnlessTheBodyDecides(t *testing.T) {
	base := serves(t, twoMore+ending) // two tokens
	for body, class := range map[string]string{
		`{}`:                          WrongTokens,
		`{"temperature":null}`:        WrongTokens, // as each pasted line of vLLM's client has it
		`{"ignore_eos":true}`:         WrongTokens,
		`{"ignore_eos":false}`:        "",
		`{"max_tokens":2}`:            "",
		`{"max_completion_tokens":2}`: "",
		`{"sampling_params":{"max_new_tokens":2}}`: "",
		`{"min_tokens":1}`:                         "",
		`{"n":2}`:                                  "",
		`{"stop":["."]}`:                           "",
	} {
		c := client(t, base, func(o *Options) { o.ExtraRequestBody = body })
		if r := c.Send(t.Context(), dataset.Prompt{Text: "q", Output: 3}, time.Now()); classOf(r) != class {
			t.Errorf("%s for all requests: %+v", body, r.Failed)
		}
		row := dataset.Prompt{Text: "q", Output: 3}
		if err := json.Unmarshal([]byte(body), &row.Body); err != nil {
			t.Fatal(err)
		}
		if r := client(t, base, nil).Send(t.Context(), row, time.Now()); classOf(r) != class {
			t.Errorf("%s in a row: %+v", body, r.Failed)
		}
	}
}
