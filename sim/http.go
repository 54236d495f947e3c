package sim

import (
	"encoding/json"
	"net"
	"net/http"
	"strings"
)

// SimulatedHeader is on every answer, with the value "true", so that no client can take a
// simulated server for a real one.
const SimulatedHeader = "X-Servematrix-Simulated"

type route struct {
	path, methods string
	style         string // "" for both
	handle        func(*server, http.ResponseWriter, *http.Request)
}

// routes are what the server answers. Paths that an engine does not have are 404 in its style.
var routes []route

func init() { // not in the declaration: the log prints the routes, which would be a cycle
	routes = []route{
		{"/v1/completions", "POST", "", (*server).completions},
		{"/v1/chat/completions", "POST", "", (*server).chat},
		{"/v1/models", "GET", "", (*server).models},
		{"/generate", "POST", SGLang, (*server).generate},
		{"/health", "GET", "", (*server).health},
		{"/health_generate", "GET", SGLang, (*server).healthGenerate},
		{"/metrics", "GET", "", (*server).metrics},
		{"/flush_cache", "GET, POST", SGLang, (*server).flushCache},
		{"/reset_prefix_cache", "POST", VLLM, (*server).resetPrefixCache},
		{"/server_info", "GET", "", (*server).serverInfo},
		{"/get_server_info", "GET", SGLang, (*server).serverInfo},
		{"/model_info", "GET", SGLang, (*server).modelInfo},
		{"/get_model_info", "GET", SGLang, (*server).modelInfo},
		{"/version", "GET", VLLM, (*server).version},
	}
}

// handler is the whole HTTP side: routes, the label, the access log.
func (s *server) handler() http.Handler {
	mux := http.NewServeMux()
	for _, r := range routes {
		if r.style != "" && r.style != s.opt.Style {
			continue
		}
		for method := range strings.SplitSeq(r.methods, ", ") {
			mux.HandleFunc(method+" "+r.path, func(w http.ResponseWriter, q *http.Request) { r.handle(s, w, q) })
		}
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		s.json(w, http.StatusNotFound, map[string]any{"detail": "Not Found"})
	})
	return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		w.Header().Set(SimulatedHeader, "true")
		mux.ServeHTTP(&accessLogged{ResponseWriter: w, server: s, request: q}, q)
	})
}

// accessLogged writes the access log's line when the status is known, as uvicorn does.
type accessLogged struct {
	http.ResponseWriter
	server  *server
	request *http.Request
	logged  bool
}

func (w *accessLogged) WriteHeader(status int) {
	if !w.logged {
		w.logged = true
		w.server.log.access("%s - \"%s %s HTTP/1.1\" %d %s", w.request.RemoteAddr, w.request.Method, w.request.URL.RequestURI(), status, http.StatusText(status))
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *accessLogged) Write(b []byte) (int, error) {
	if !w.logged {
		w.WriteHeader(http.StatusOK)
	}
	return w.ResponseWriter.Write(b)
}

// Unwrap lets http.ResponseController reach the connection.
func (w *accessLogged) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// json answers with body, labelled.
func (s *server) json(w http.ResponseWriter, status int, body map[string]any) {
	body["simulated"] = true
	data, err := json.Marshal(body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(data) // the client may have gone
}

// failRequest answers with an error in the shape of the engine.
func (s *server) failRequest(w http.ResponseWriter, status int, kind, message string) {
	detail := map[string]any{"message": message, "type": kind, "param": nil, "code": status}
	if s.opt.Style == VLLM {
		s.json(w, status, map[string]any{"error": detail})
		return
	}
	detail["object"] = "error"
	s.json(w, status, detail)
}

// resetConnection ends the connection by a TCP reset.
func resetConnection(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler) // the next best: the connection just closes
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}

// countRequest numbers a generation request, from 1, and plays the faults that come with it.
func (s *server) countRequest() int64 {
	number := s.requests.Add(1)
	n := int(number)
	if s.faults.has("die-after") {
		if limit, end, err := parseCountEnding(s.faults["die-after"]); err == nil && n == limit {
			s.crash(end)
		}
	}
	if n == s.faults.count("stall") {
		s.engine.stall()
	}
	if n == s.faults.count("worker-dies") {
		s.killWorker()
	}
	return number
}

// crash ends the process at once, without any of what a stop does.
func (s *server) crash(end ending) {
	if end.signal != 0 && !s.opt.InProcess {
		dieBy(end.signal)
	}
	s.cutOff()
	s.end(end)
}

// each tells whether fault name, which concerns each N-th request, concerns the n-th.
func (s *server) each(name string, n int64) bool {
	every := s.faults.count(name)
	return every > 0 && n%int64(every) == 0
}
