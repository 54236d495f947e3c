package effective_test

import (
	"testing"

	"servematrix/effective"
)

func TestSets(t *testing.T) {
	c := &effective.Config{Names: map[string]string{"max_model_len": "max_seq_len", "q": "quantization"},
		Args: map[string]any{"max_seq_len": 1, "max_model_len": 1, "tp_size": 1, "dp_size": 1, "dp_rank": 0, "overlap": true}}
	for _, x := range []struct {
		flag, argument string
		want           bool
	}{
		{"--max-model-len", "max_seq_len", true}, {"--max_model_len", "max_model_len", true}, {"-q", "quantization", true},
		{"--tp", "tp_size", true}, {"--dp", "dp_size", false}, {"--dp", "dp_rank", false},
		{"--no-overlap", "overlap", true}, {"--Busy", "busy_s", true}, {"--busy-ms", "busy", true}, {"--busy", "busy_state", false}, {"--x", "y", false},
	} {
		if got := c.Sets(x.flag, x.argument); got != x.want {
			t.Errorf("%s sets %s: %v", x.flag, x.argument, got)
		}
	}
}
