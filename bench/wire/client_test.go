package wire

import (
	"net/http"
	"testing"
)

func TestLoopbackUsesNoProxy(t *testing.T) {
	t.Setenv("HTTP_PROXY", "http://192.0.2.1:3128")
	for _, target := range []string{"http://127.0.0.1:30000/", "http://localhost:1/", "http://[::1]:2/", "http://0.0.0.0:3/"} {
		r, err := http.NewRequest("GET", target, nil)
		if err != nil {
			t.Fatal(err)
		}
		if p, err := proxy(r); p != nil || err != nil {
			t.Errorf("%s goes through %v (%v)", target, p, err)
		}
	}
}
