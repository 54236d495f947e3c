package live

import (
	"crypto/rand"
	"crypto/subtle"
	"net/http"
	"sync"
)

// key lets browsers in: a token that counts once is changed for a cookie that counts as long as
// the server lives. Neither is written anywhere.
type key struct {
	name    string // of the cookie: cookies know no ports, and several servers can be open
	session string

	mu    sync.Mutex
	token string // "" when it was used
}

// NewToken draws a token.
func NewToken() string { return rand.Text() }

func newKey() key { return key{name: "servematrix-" + rand.Text()[:8], session: NewToken()} }

func (k *key) admit(token string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.token = token
}

// redeem takes the token, once.
func (k *key) redeem(token string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.token == "" || !same(token, k.token) {
		return false
	}
	k.token = ""
	return true
}

// cookie is for a browser whose token was taken.
func (k *key) cookie() *http.Cookie {
	return &http.Cookie{Name: k.name, Value: k.session, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode}
}

// knows tells whether a request comes from a browser that was let in.
func (k *key) knows(r *http.Request) bool {
	for _, c := range r.CookiesNamed(k.name) {
		if same(c.Value, k.session) {
			return true
		}
	}
	return false
}

func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }
