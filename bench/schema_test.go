package bench

import (
	"testing"

	"servematrix/schema/schematest"
)

// The line of --output-file is the contract's metrics and what follows them in one object.
func TestSchema(t *testing.T) {
	s := schematest.Of(besides{}, "one line of bench --output-file")
	metrics := schematest.Metrics()
	for p := s.Properties.Oldest(); p != nil; p = p.Next() {
		metrics.Properties.Set(p.Key, p.Value)
	}
	s.Properties, s.PatternProperties = metrics.Properties, metrics.PatternProperties
	s.Required = append(metrics.Required, s.Required...)
	errors, _ := s.Properties.Get("errors")
	s.Properties.Set("errors", schematest.Nullable(errors))
	schematest.Current(t, "bench", s)
}
