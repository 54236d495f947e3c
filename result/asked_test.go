package result

import (
	"strings"
	"testing"
)

// TestAskedOfSharedPrefixes: bench_serving prints num_prompts=1000 although this dataset has its own number of requests.
func TestAskedOfSharedPrefixes(t *testing.T) {
	ms, err := ParseText(strings.NewReader(`Namespace(dataset_name='generated-shared-prefix', num_prompts=1000, gsp_num_groups=4, gsp_prompts_per_group=6)
============ Serving Benchmark Result ============
Successful requests:                     24
Benchmark duration (s):                  1.00
Total generated tokens:                  96
==================================================
`))
	if err != nil || len(ms) != 1 {
		t.Fatalf("%d results, err %v", len(ms), err)
	}
	if n := ms[0].Metrics.Value("num_prompts"); n != 24 {
		t.Errorf("num_prompts %v, want 24", n)
	}
	if v := Judge(ms[0], Expectation{Generic: true}); !v.OK {
		t.Errorf("%+v", v)
	}
}
