package bench

import (
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"servematrix/bench/dataset"
	"servematrix/bench/wire"
)

// chat is a server that answers each request with a number, and keeps what was asked.
type chat struct {
	mu    sync.Mutex
	asked []string
	fails int // which request fails, from 1
}

func (c *chat) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var body struct{ Messages []dataset.Message }
	_ = json.NewDecoder(r.Body).Decode(&body) // an undecodable body shows as an empty question
	var said []string
	for _, m := range body.Messages {
		said = append(said, m.Role[:1]+":"+m.Content)
	}
	c.mu.Lock()
	c.asked = append(c.asked, strings.Join(said, " "))
	n := len(c.asked)
	c.mu.Unlock()
	if n == c.fails {
		http.Error(w, "no", http.StatusInternalServerError)
		return
	}
	fmt.Fprintf(w, "data: {\"choices\":[{\"delta\":{\"content\":\"answer%d\"},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":1}}\n\n%s", n, done)
}

// questions are those that came so far.
func (c *chat) questions() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.asked)
}

// converse holds one conversation of three turns with a server.
func converse(t *testing.T, c *chat) (*conversations, []bool) {
	t.Helper()
	server := httptest.NewServer(c)
	t.Cleanup(server.Close)
	opt, err := options(func(o *Options) {
		o.Wire.Backend, o.Wire.BaseURL, o.Wire.Model, o.Wire.DisableIgnoreEOS = "openai-chat", server.URL, "m", true
		o.Load.RequestRate, o.OutputDetails = 10, true
	}).resolve()
	if err != nil {
		t.Fatal(err)
	}
	say := func(text string, next *dataset.Prompt) *dataset.Prompt {
		return &dataset.Prompt{Messages: []dataset.Message{{Role: "user", Content: text}}, Next: next}
	}
	first := say("a", say("b", say("c", nil)))
	var all iter.Seq[dataset.Prompt] = func(yield func(dataset.Prompt) bool) { yield(*first) }
	var ended []bool
	talk := &conversations{
		client: wire.New(opt.Wire), summary: newSummary(opt, &dataset.Set{Count: 3, Prompts: all}), began: time.Now(),
		hooks: hooks{sent: func() {}, ended: func(r *wire.Record) { ended = append(ended, r.Failed != nil) }},
	}
	talk.hold(t.Context(), *first, 0)
	talk.summary.end(time.Since(talk.began), effort{})
	return talk, ended
}

func TestTurnsFollowOneAnother(t *testing.T) {
	c := &chat{}
	talk, ended := converse(t, c)
	want := "[u:a u:a a:answer1 u:b u:a a:answer1 u:b a:answer2 u:c]"
	if got := fmt.Sprint(c.questions()); got != want || fmt.Sprint(ended) != "[false false false]" {
		t.Errorf("asked %s, want %s; failed %v", got, want, ended)
	}
	records := talk.summary.records
	for i := 1; i < len(records); i++ {
		if before := records[i-1].Start + records[i-1].E2E; records[i].Intended < before || records[i].Start < records[i].Intended {
			t.Errorf("turn %d is due at %v and sent at %v, after an answer at %v", i+1, records[i].Intended, records[i].Start, before)
		}
	}
}

func TestTurnsAfterAFailureAreNotAsked(t *testing.T) {
	c := &chat{fails: 2}
	talk, ended := converse(t, c)
	if asked := c.questions(); len(asked) != 2 || fmt.Sprint(ended) != "[false true true]" {
		t.Errorf("asked %q, failed %v", asked, ended)
	}
	errors := talk.summary.Errors
	if len(errors) != 2 || errors[0].Class != wire.HTTP5xx || errors[1].Class != wire.NotAsked || talk.summary.Metrics.Value("failed") != 2 {
		t.Errorf("%+v", errors)
	}
}
