package engine_test

import (
	"testing"
	"time"

	"servematrix/engine"
	"servematrix/matrix"
)

// TestDefaultsOfKeys completes a sweep that says nothing, of a server and a client that nobody
// knows, and wants the defaults that the sweep's keys tell of.
func TestDefaultsOfKeys(t *testing.T) {
	plan, problems := matrix.Parse("sweep.yaml", []byte("version: 1\nserver: {command: s, port: 1}\nclient: {command: c}\n"), matrix.Options{})
	if plan == nil {
		t.Fatal(problems)
	}
	catalog, err := engine.Load()
	if err != nil {
		t.Fatal(err)
	}
	catalog.Complete(plan)
	server, client := plan.Servers[0], plan.Clients[0]
	told := map[string]string{}
	for _, top := range matrix.SweepKeys() {
		for _, k := range top.Keys {
			told[top.Name+"."+k.Name] = k.Default
			for _, below := range k.Keys {
				told[top.Name+"."+k.Name+"."+below.Name] = below.Default
			}
		}
	}
	for key, is := range map[string]matrix.Duration{
		"server.ready.timeout": server.Ready.Timeout, "server.ready.silence": server.Ready.Silence, "server.stop.grace": server.Stop.Grace, "client.silence": client.Silence,
	} {
		if want, err := time.ParseDuration(told[key]); err != nil || time.Duration(is) != want {
			t.Errorf("%s is %v, its key says %q", key, is, told[key])
		}
	}
	if told["server.stop.signal"] != server.Stop.Signal {
		t.Errorf("stop.signal is %s, its key says %s", server.Stop.Signal, told["server.stop.signal"])
	}
}
