package cli

import (
	"testing"

	"github.com/invopop/jsonschema"

	"servematrix/effective"
	"servematrix/matrix"
	"servematrix/schema/schematest"
)

// The schemas of what commands print and of the files that hold the same types; what is run for
// real is held against them by the script schema.txtar.
func TestSchema(t *testing.T) {
	plan := schematest.Of(struct {
		matrix.Plan
		Into *ahead `json:"into,omitempty"`
	}{}, "plan.json, and plan --format json, where into is the key of plan --into")
	for name, s := range map[string]*jsonschema.Schema{
		"plan":      plan,
		"host":      schematest.Of(hostReport{}, "host.json"),
		"effective": schematest.Of(effective.Config{}, "effective.json of a server start"),
		"problems":  schematest.Of(matrix.Problems{}, "validate --format json"),
		"status":    schematest.Of(standing{}, "status --format json"),
		"ls":        schematest.Of([]listed{}, "ls --format json"),
		"doctor":    schematest.Of(diagnosis{}, "doctor --format json"),
		"version":   schematest.Of(buildInfo{}, "version --format json"),
	} {
		t.Run(name, func(t *testing.T) { schematest.Current(t, name, s) })
	}
}
