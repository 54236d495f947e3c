package orchestrator

import (
	"encoding/json"
	"slices"
	"testing"

	"servematrix/journal"
)

// TestOpenTrees: after a crash everything is looked at whose end the journal does
// not know, also the tree of a client whose sample has ended.
func TestOpenTrees(t *testing.T) {
	type step struct {
		event journal.Event
		data  any
	}
	launched := step{journal.Event{Type: journal.LaunchStarted, Launch: "0001-s"}, journal.Launch{Logs: []string{"launches/0001-s/server.out"}}}
	runs := step{journal.Event{Type: journal.LaunchRunning, Launch: "0001-s"}, journal.Running{PID: 7}}
	sample := func(folder string) step {
		return step{journal.Event{Type: journal.SampleStarted, Launch: "0001-s", Cell: "c", Block: 1, Attempt: 2}, journal.Sample{Folder: folder}}
	}
	client := step{journal.Event{Type: journal.ClientStarted, Launch: "0001-s", Cell: "c", Block: 1, Attempt: 2}, journal.Running{PID: 8}}
	sampled := step{journal.Event{Type: journal.SampleEnded, Launch: "0001-s", Cell: "c", Block: 1, Attempt: 2}, journal.Ended{Status: StatusOK, Final: true}}
	gone := step{journal.Event{Type: journal.LaunchEnded, Launch: "0001-s"}, journal.Gone{}}
	unseen := step{gone.event, journal.Gone{Held: []journal.Held{{What: journal.HeldTree, Name: "7", By: "nobody can look"}}}}
	tests := []struct {
		name  string
		steps []step
		want  []string
	}{
		{"nothing yet", nil, nil},
		{"server starts", []step{launched}, []string{"/r/launches/0001-s"}},
		{"client runs", []step{launched, runs, sample("cells/c/b1-a2"), client}, []string{"/r/cells/c/b1-a2", "/r/launches/0001-s"}},
		{"warm-up runs", []step{launched, runs, sample("cells/c/b1-a2/warmup1"), client}, []string{"/r/cells/c/b1-a2/warmup1", "/r/launches/0001-s"}},
		{"sample ended", []step{launched, runs, sample("cells/c/b1-a2"), client, sampled}, []string{"/r/cells/c/b1-a2", "/r/launches/0001-s"}},
		{"launch ended", []step{launched, runs, sample("cells/c/b1-a2"), client, sampled, gone}, nil},
		{"launch ended unseen", []step{launched, runs, sample("cells/c/b1-a2"), client, sampled, unseen}, []string{"/r/cells/c/b1-a2", "/r/launches/0001-s"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			state := NewState()
			for _, s := range tt.steps {
				raw, err := json.Marshal(s.data)
				if err != nil {
					t.Fatal(err)
				}
				s.event.Data = raw
				if err := state.Apply(s.event); err != nil {
					t.Fatal(err)
				}
			}
			var got []string
			for _, tree := range openTrees("/r", state) {
				got = append(got, tree.dir)
			}
			slices.Sort(got)
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}
