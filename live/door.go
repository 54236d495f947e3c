package live

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// handler is everything that a request goes through, from the outside inwards.
func (s *Server) handler() http.Handler {
	pages := http.NewServeMux()
	pages.HandleFunc("/{$}", s.answering(s.page))
	pages.HandleFunc("/main", s.answering(s.main))
	pages.HandleFunc("/events", s.events)
	return s.bounded(ours(http.NewCrossOriginProtection().Handler(readOnly(s.known(pages)))))
}

// bounded gives each answer its headers and the time in which it must be taken.
func (s *Server) bounded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Cache-Control", "no-store")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Content-Security-Policy", "default-src 'none'; "+unframed)
		if !s.allow(w) {
			return
		}
		next.ServeHTTP(w, r)
	})
}

// unframed keeps pages of others from showing ours inside them.
const unframed = "frame-ancestors 'none'"

// allow gives the reader time to take what is written next; false: it cannot be bounded.
func (s *Server) allow(w http.ResponseWriter) bool {
	return http.NewResponseController(w).SetWriteDeadline(time.Now().Add(s.pace.patience)) == nil
}

func readOnly(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, "this page can only be read", http.StatusMethodNotAllowed)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// ours refuses requests that a browser sent to us under another name: somebody can let a name of
// his own point here (DNS rebinding). Behind ssh -L the port is another one than ours, and
// whoever points a name here cannot choose the name 127.0.0.1, so any port will do.
func ours(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !ourName(r.Host) {
			http.Error(w, "this page is at 127.0.0.1 and localhost only", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func ourName(host string) bool {
	name, port, found := strings.Cut(host, ":")
	if found {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 || strconv.FormatUint(n, 10) != port {
			return false
		}
	}
	return name == "127.0.0.1" || name == "localhost"
}

// known lets in who has the cookie, and changes a token for one.
func (s *Server) known(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		let, token := s.key.knows(r), r.URL.Query().Get("token")
		if token != "" && r.URL.Path == "/" && r.Method == http.MethodGet && (let || s.key.redeem(token)) {
			if !let {
				http.SetCookie(w, s.key.cookie())
			}
			http.Redirect(w, r, "/", http.StatusSeeOther) // the token leaves the address
			return
		}
		site := r.Header.Get("Sec-Fetch-Site")
		switch {
		case !let:
			s.refuse(w, r, site)
		case r.URL.Path != "/" && site != "" && site != "same-origin":
			http.Error(w, "only the page itself asks for this", http.StatusForbidden)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// refuse says how to get in. Who follows the link on a page of somebody else, such as a terminal
// in a browser, has the cookie, but it is not sent with a visit that began there: the browser is to
// come again by itself.
func (s *Server) refuse(w http.ResponseWriter, r *http.Request, site string) {
	if r.URL.Path == "/" && r.URL.RawQuery == "" && site == "cross-site" && r.Header.Get("Sec-Fetch-Mode") == "navigate" {
		w.Header().Set("Refresh", "0; url=/")
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(http.StatusForbidden)
	fmt.Fprintln(w, "Open this page by the link that servematrix printed. A link lets one browser in, once;\nservematrix live RUN prints a new one.")
}
