package live

import (
	"net"
	"net/http"
	"strings"
	"testing"
)

func TestOnlyThisMachine(t *testing.T) {
	s := serve(t, newRun(t, 1), quick)
	address := s.listener.Addr().(*net.TCPAddr)
	if !address.IP.Equal(net.IPv4(127, 0, 0, 1)) {
		t.Errorf("it listens on %v", address)
	}
	others, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	others = append(others, &net.IPNet{IP: net.IPv4(127, 0, 0, 2)}, &net.IPNet{IP: net.IPv6loopback})
	for _, other := range others {
		ip := other.(*net.IPNet).IP
		if ip.Equal(address.IP) || ip.IsLinkLocalUnicast() {
			continue
		}
		if c, err := net.DialTCP("tcp", nil, &net.TCPAddr{IP: ip, Port: address.Port}); err == nil {
			c.Close()
			t.Errorf("it can be reached at %v", ip)
		}
	}
}

func TestHosts(t *testing.T) {
	s := serve(t, newRun(t, 1), quick).enter()
	_, port, _ := net.SplitHostPort(s.listener.Addr().String())
	for host, want := range map[string]int{
		"127.0.0.1:" + port: 200, "localhost:" + port: 200, "127.0.0.1": 200,
		"localhost:1234":              200, // behind ssh -L on another port
		"evil.example:" + port:        403,
		"127.0.0.1.evil.example":      403,
		"localhost.evil.example:8080": 403,
		"LOCALHOST:" + port:           403,
		"localhost.:" + port:          403,
		"localhost:":                  403,
		"localhost:0":                 403,
		"localhost:+80":               403,
		"localhost:080":               403,
		"localhost:99999":             403,
		"127.1:" + port:               403,
		"0.0.0.0:" + port:             403,
		"[::1]:" + port:               403,
		"[::ffff:127.0.0.1]:" + port:  403,
	} {
		// With the cookie, so that nothing but the name is what is wrong.
		if a := s.get(browser(t), s.base+"/", "Host", host, "Cookie", s.key.cookie().String()); a.StatusCode != want {
			t.Errorf("Host %s gives %s, want %d", host, a.Status, want)
		}
	}
}

func TestTokenCountsOnce(t *testing.T) {
	s := serve(t, newRun(t, 1), quick)
	for _, path := range []string{"/", "/main", "/events", "/?token=", "/?token=wrong", "/nothing"} {
		if a := s.get(s.client, s.base+path); a.StatusCode != http.StatusForbidden || strings.Contains(a.text, "watched") {
			t.Errorf("without a token %s gives %s", path, a.Status)
		}
	}
	link := s.Link()
	if a := s.do(s.client, http.MethodHead, link); a.StatusCode != http.StatusForbidden {
		t.Errorf("who only looks at the link's head gets %s", a.Status)
	}
	a := s.get(s.client, link)
	if a.StatusCode != http.StatusSeeOther || a.Header.Get("Location") != "/" {
		t.Fatalf("the link gives %s to %q", a.Status, a.Header.Get("Location"))
	}
	cookies := a.Cookies()
	if len(cookies) != 1 || !cookies[0].HttpOnly || cookies[0].SameSite != http.SameSiteStrictMode || cookies[0].Path != "/" || cookies[0].Domain != "" || cookies[0].MaxAge != 0 {
		t.Fatalf("cookies: %v", a.Header["Set-Cookie"])
	}
	if token := strings.SplitAfter(link, "token=")[1]; strings.Contains(cookies[0].String()+a.text, token) {
		t.Error("the token lives on in the answer")
	}
	if a := s.get(s.client, s.base+"/"); a.StatusCode != http.StatusOK || !strings.Contains(a.text, "watched") {
		t.Errorf("with the cookie the page is %s", a.Status)
	}
	if a := s.get(browser(t), link); a.StatusCode != http.StatusForbidden {
		t.Errorf("the link counts twice: %s", a.Status)
	}
	if a := s.get(s.client, link); a.StatusCode != http.StatusSeeOther || len(a.Cookies()) != 0 {
		t.Errorf("who was let in and opens the old link again gets %s", a.Status)
	}
	first, second := s.Link(), s.Link()
	if a := s.get(browser(t), first); a.StatusCode != http.StatusForbidden {
		t.Errorf("a link that a newer one replaced gives %s", a.Status)
	}
	if a := s.get(browser(t), second); a.StatusCode != http.StatusSeeOther {
		t.Errorf("the newer link gives %s", a.Status)
	}
	again := serve(t, newRun(t, 1), quick)
	if a := again.get(again.client, again.base+"/", "Cookie", cookies[0].Name+"="+cookies[0].Value); a.StatusCode != http.StatusForbidden {
		t.Errorf("the cookie of another server gives %s", a.Status)
	}
}

func TestHeaders(t *testing.T) {
	r := newRun(t, 1)
	r.end() // so that the stream is one that can be read to its end by HEAD alone
	s := serve(t, r, quick).enter()
	for _, ask := range [][2]string{{"GET", "/"}, {"GET", "/main"}, {"HEAD", "/events"}, {"HEAD", "/"}, {"GET", "/nothing"}, {"POST", "/"}, {"GET", "/?token=wrong"}} {
		a := s.do(s.client, ask[0], s.base+ask[1], "Origin", s.base)
		for name, want := range map[string]string{"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "X-Frame-Options": "DENY", "Cross-Origin-Resource-Policy": "same-origin"} {
			if got := a.Header[name]; len(got) != 1 || got[0] != want {
				t.Errorf("%v: %s is %q", ask, name, got)
			}
		}
		if p := a.Header.Get("Content-Security-Policy"); !strings.HasPrefix(p, "default-src 'none'; ") || !strings.HasSuffix(p, "frame-ancestors 'none'") || strings.Contains(p, "unsafe") {
			t.Errorf("%v: the policy is %q", ask, p)
		}
		for name := range a.Header {
			if strings.HasPrefix(name, "Access-Control-") {
				t.Errorf("%v: there is a header %s", ask, name)
			}
		}
	}
	a := s.get(s.client, s.base+"/")
	policy, _, _ := strings.Cut(a.Header.Get("Content-Security-Policy"), "; frame-ancestors")
	if !strings.Contains(strings.ReplaceAll(a.text, "&#43;", "+"), `content="`+strings.ReplaceAll(policy, "'", "&#39;")+`"`) {
		t.Errorf("the page's own policy is not %s", policy)
	}
}

func TestOnlyReading(t *testing.T) {
	s := serve(t, newRun(t, 1), quick).enter()
	for _, method := range []string{"POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND"} {
		if a := s.do(s.client, method, s.base+"/"); a.StatusCode != http.StatusMethodNotAllowed || a.Header.Get("Allow") != "GET, HEAD" {
			t.Errorf("%s gives %s", method, a.Status)
		}
	}
	for _, header := range [][]string{{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"}, {"Origin", "http://evil.example"}} {
		if a := s.do(s.client, http.MethodPost, s.base+"/", header...); a.StatusCode != http.StatusForbidden {
			t.Errorf("a POST with %v gives %s", header, a.Status)
		}
	}
}

// What the page asks for in the background is not for pages of others, which share the cookie if
// they come from another port of this machine.
func TestPagesOfOthers(t *testing.T) {
	s := serve(t, newRun(t, 1), quick).enter()
	for site, want := range map[string]int{"same-origin": 200, "": 200, "same-site": 403, "cross-site": 403, "none": 403} {
		if a := s.get(s.client, s.base+"/main", "Sec-Fetch-Site", site); a.StatusCode != want {
			t.Errorf("Sec-Fetch-Site %q gives %s", site, a.Status)
		}
	}
	// Who follows the link elsewhere in the browser has no cookie with the first visit.
	a := s.get(browser(t), s.base+"/", "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate")
	if a.StatusCode != http.StatusForbidden || a.Header.Get("Refresh") != "0; url=/" {
		t.Errorf("it gets %s, Refresh %q", a.Status, a.Header.Get("Refresh"))
	}
	if a := s.get(browser(t), s.base+"/", "Sec-Fetch-Site", "same-origin", "Sec-Fetch-Mode", "navigate"); a.Header.Get("Refresh") != "" {
		t.Error("it would come again for ever")
	}
}
