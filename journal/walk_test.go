package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"servematrix/jsonwalk"
)

// The data of the events that come by the thousand is read without encoding/json, and the same.
func TestDecodeIsQuickWithOurs(t *testing.T) {
	quick(t, &Launch{Server: "s-1", Name: "a/b 组", Number: 2, Argv: []string{"serve", "--tp", "8"}, Env: map[string]string{"A": "1"}, Unset: []string{"B"},
		Dir: "/d", Port: 30000, URL: "http://127.0.0.1:30000", Logs: []string{"out", "err"}, Devices: "0,1", LatePort: 30000, Simulated: true})
	quick(t, &Running{PID: 1, SID: 2, Start: 1 << 63, Boot: "b"})
	quick(t, &Ready{Line: "ready", File: "err", LineNo: 4, By: []string{"log"}, Seconds: 1e-7})
	quick(t, &Sample{Folder: "cells/c/b1-a1", Client: "c", Name: "n", Warmup: true, Argv: []string{}, Env: map[string]string{}})
	quick(t, &Exited{Code: -1, Signal: "SIGTERM", Why: "timeout", Seconds: 2.5})
	quick(t, &Ended{Status: "invalid", Reasons: []string{"partial"}, SHA256: "ab", Final: true}, "Failure")
	quick(t, &Stopping{Why: "its clients are done"})
	quick(t, &Gone{Code: -1, Signal: "SIGKILL", Orderly: true, Killed: true, Steps: json.RawMessage(`[{"a":"]"},2]`), Survivors: 1, PortFree: true, Seconds: 2, Gate: 0.5, Note: "n"}, "Retried", "Held", "Removed", "Devices")
}

// quick reads v back; the fields that are named are rare, and left to encoding/json.
func quick[T any](t *testing.T, v *T, rare ...string) {
	t.Helper()
	for i := range reflect.TypeFor[T]().NumField() {
		if name := reflect.TypeFor[T]().Field(i).Name; reflect.ValueOf(v).Elem().Field(i).IsZero() != slices.Contains(rare, name) {
			t.Errorf("%T: %s is not tried, or not rare", v, name)
		}
	}
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var walked T
	if !jsonwalk.Read(text, any(&walked).(jsonwalk.Walker)) {
		t.Errorf("%s is left to encoding/json", text)
	}
	if !reflect.DeepEqual(walked, *v) {
		t.Errorf("read %+v, want %+v", walked, *v)
	}
}

// What is not as expected encoding/json reads, from the begin.
func TestDecodeReadsWhatEncodingJSONReads(t *testing.T) {
	for _, text := range []string{
		`{}`, `null`, `[]`, ``, `{"status":"ok","reasons":["a","b\n"],"final":true}`, `{"STATUS":"ok"}`, `{"status":null,"final":null}`, `{"status":"ok","new":[1,{"a":"}"}],"final":true}`,
		`{"status":"ok"} x`, `{"status":1}`, `{"failure":{"class":"oom"},"status":"failed"}`, `{"reasons":["a"],"reasons":null}`, "{\"status\":\"\xff\"}", `{"status":"ok",}`,
	} {
		var want Ended
		wantErr := json.Unmarshal([]byte(text), &want)
		got, err := Decode[Ended](Event{Data: json.RawMessage(text)})
		if (err == nil) != (wantErr == nil) || err == nil && !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %+v, %v; encoding/json says %+v, %v", text, got, err, want, wantErr)
		}
	}
}

// Each event comes in order with what was made of it, and what ends the reading ends it.
func TestAhead(t *testing.T) {
	folder := Folder(t.TempDir())
	const events = 10_000
	var text bytes.Buffer
	for i := range events { // several blocks of them
		fmt.Fprintf(&text, `{"seq":%d,"time":"2026-01-02T03:04:05Z","mono":1,"session":1,"type":"warning","data":{"message":"%s"}}`+"\n", i+1, strings.Repeat("x", i%700))
	}
	if err := os.WriteFile(folder.Path(EventsFile), text.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	n := int64(0)
	end, err := Ahead(folder, func(e Event) int64 { return e.Seq }, func(seq int64) error {
		if n++; seq != n {
			t.Fatalf("event %d came as number %d", seq, n)
		}
		return nil
	}, refuse)
	if err != nil || end.Seq != events || end.Offset != int64(text.Len()) {
		t.Errorf("%+v, %v", end, err)
	}
	n = 0
	if _, err = Ahead(folder, func(Event) int { return 0 }, func(int) error { n++; return errEnough }, refuse); !errors.Is(err, errEnough) || n != 1 {
		t.Errorf("%d events, %v", n, err)
	}
}
