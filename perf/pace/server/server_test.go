package server

import (
	"bufio"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// serve starts a server in this process and gives its URL.
func serve(t *testing.T, opt Options) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	stop, ended := make(chan struct{}), make(chan error)
	go func() { ended <- Serve(l.(*net.TCPListener), opt, stop) }()
	t.Cleanup(func() {
		close(stop)
		l.Close()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return "http://" + l.Addr().String()
}

// events posts a request and gives the data of the events that come.
func events(t *testing.T, url, body string) (data []string) {
	t.Helper()
	response, err := http.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		t.Error(err)
		return nil
	}
	defer response.Body.Close()
	lines := bufio.NewScanner(response.Body)
	for lines.Scan() {
		if event, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			data = append(data, event)
		}
	}
	if lines.Err() != nil {
		t.Error(lines.Err())
	}
	return data
}

func TestAnswersNeverComeEarlyAndTheTruthHasEachToken(t *testing.T) {
	opt := Options{First: 20 * time.Millisecond, Token: 2 * time.Millisecond, Keep: 100}
	url := serve(t, opt)
	const streams, tokens = 20, 5
	var wait sync.WaitGroup
	for range streams {
		wait.Go(func() {
			data := events(t, url+"/v1/completions", `{"prompt":[1,2,3],"max_tokens":5,"stream":true,"stream_options":{"include_usage":true}}`)
			if len(data) != tokens+2 || data[tokens+1] != "[DONE]" || !strings.Contains(data[tokens], `"prompt_tokens":3,"completion_tokens":5`) {
				t.Errorf("events: %q", data)
			}
		})
	}
	wait.Wait()
	truth := truthOf(t, url)
	if truth.Generations != streams || truth.Open != 0 || len(truth.Requests) != streams {
		t.Errorf("%d requests for text, %d open, %d kept; want %d, 0, %d", truth.Generations, truth.Open, len(truth.Requests), streams, streams)
	}
	for _, r := range truth.Requests {
		if len(r.Written) != tokens || r.Read < r.Arrived || r.TTFT() < opt.First {
			t.Fatalf("%+v: want %d tokens, the first one not before %v", r, tokens, opt.First)
		}
		if r.E2E() < opt.First+(tokens-1)*opt.Token {
			t.Errorf("E2E %v: the last token came early", r.E2E())
		}
	}
}

func truthOf(t *testing.T, url string) (truth Truth) {
	t.Helper()
	response, err := http.Get(url + "/truth")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if err := json.NewDecoder(response.Body).Decode(&truth); err != nil {
		t.Fatal(err)
	}
	return truth
}

func TestEndpoints(t *testing.T) {
	url := serve(t, Options{Keep: 10})
	for path, want := range map[string]string{
		"/v1/chat/completions": `"delta":{"content":" a"}`,
		"/generate":            `"completion_tokens":2`,
	} {
		data := events(t, url+path, `{"max_tokens": 2, "sampling_params":{"max_new_tokens": 2}, "stream": true}`)
		if len(data) != 3 || !strings.Contains(data[1], want) {
			t.Errorf("%s: %q", path, data)
		}
	}
	for path, want := range map[string]int{"/v1/models": 200, "/health": 200, "/get_server_info": 200, "/metrics": 404, "/tokenize": 404} {
		response, err := http.Get(url + path)
		if err != nil {
			t.Fatal(err)
		}
		if response.Body.Close(); response.StatusCode != want {
			t.Errorf("%s: %d, want %d", path, response.StatusCode, want)
		}
	}
	response, err := http.Post(url+"/v1/completions", "application/json", strings.NewReader(`{"prompt":"one two","max_tokens":3}`))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || !strings.Contains(string(text), `"text":" a a a"`) {
		t.Errorf("not streamed: %s (%v)", text, err)
	}
}

func TestRequestsComeInPieces(t *testing.T) {
	whole := "POST /v1/completions?x=1 HTTP/1.1\r\nHost: a\r\ncontent-LENGTH: 4\r\n\r\nbody"
	for n := range len(whole) {
		if _, all, valid := parse([]byte(whole[:n])); all || !valid {
			t.Fatalf("after %d bytes: whole %v, valid %v", n, all, valid)
		}
	}
	r, all, valid := parse([]byte(whole + "GET"))
	if !all || !valid || r.method != "POST" || r.path != "/v1/completions" || string(r.body) != "body" || r.size != len(whole) {
		t.Errorf("%+v, whole %v, valid %v", r, all, valid)
	}
	for _, bad := range []string{"hello\r\n\r\n", "GET / HTTP/2\r\n\r\n", "GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", "GET / HTTP/1.1\r\nContent-Length: x\r\n\r\n"} {
		if _, _, valid := parse([]byte(bad)); valid {
			t.Errorf("%q is taken", bad)
		}
	}
}

func TestStreamsWaitInTheOrderInWhichTheyAreDue(t *testing.T) {
	var q queue
	for i := range 1000 {
		q.pushInOrder(&conn{due: int64(i * 7919 % 1000)})
		if i%3 == 2 { // so that the ring turns
			q.pop()
		}
	}
	last := int64(-1)
	for c := q.head(); c != nil; c = q.head() {
		if q.pop(); c.due < last {
			t.Fatalf("%d after %d", c.due, last)
		}
		last = c.due
	}
}
