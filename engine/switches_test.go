package engine_test

import (
	"slices"
	"testing"

	"servematrix/bench"
	"servematrix/matrix"
)

// A false of bench: is written where it says something: of each switch that is on by itself, and of
// no other. Package matrix, which knows nothing of the client, has these by name.
func TestFalseIsSaidOfWhatIsOn(t *testing.T) {
	for _, name := range bench.FlagNames() {
		has, known := bench.Own(name)
		if !known || !has.Switch {
			continue
		}
		off := "--" + name + "=false"
		on := has.Default == "true" || bench.Check([]string{"--dataset-name", "random", off}) != nil // ignore-eos has its false refused
		plan, problems := matrix.Parse("sweep.yaml", []byte("version: 1\nserver: {command: s, port: 1}\nclient: {bench: {"+name+": false}}\n"), matrix.Options{})
		if plan == nil {
			t.Fatal(problems)
		}
		if said := slices.Contains(plan.Clients[0].Argv, off); said != on {
			t.Errorf("%s: false is written: %v, it is on by itself: %v", name, said, on)
		}
	}
}
