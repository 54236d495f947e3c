package wire

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCheckFiles(t *testing.T) {
	most := openFiles() - spare
	for requests, fits := range map[int]bool{0: true, most: true, most + 1: false} {
		if err := (Options{}).CheckFiles(requests); (err == nil) != fits {
			t.Errorf("%d of %d: %v", requests, most, err)
		}
		if err := (Options{HTTP2: true}).CheckFiles(requests); err != nil {
			t.Errorf("HTTP/2: %v", err)
		}
	}
}

func TestCheckFilesReadsTheAuthorities(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty.pem")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{"/does/not/exist": "--ca-cert: open /does/not/exist", empty: "holds no certificate"} {
		if err := (Options{CACert: path}).CheckFiles(1); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
}

func TestResolve(t *testing.T) {
	for name, c := range map[string]struct {
		opt           Options
		base, problem string
	}{
		"SGLang's client":        {Options{Backend: "sglang", Host: "0.0.0.0"}, "http://0.0.0.0:30000", ""},
		"its other name":         {Options{Backend: "sglang-native", Host: "h"}, "http://h:30000", ""},
		"its port of vllm":       {Options{Backend: "vllm", Host: "h"}, "http://h:8000", ""},
		"its port of vllm-chat":  {Options{Backend: "vllm-chat", Host: "h"}, "http://h:30000", ""},
		"its port of lmdeploy":   {Options{Backend: "lmdeploy", Host: "h"}, "http://h:23333", ""},
		"vLLM's client":          {Options{Backend: "openai-chat", Host: "::1"}, "http://[::1]:8000", ""},
		"an address in brackets": {Options{Backend: "openai", Host: "[::1]", Port: 7}, "http://[::1]:7", ""},
		"a path":                 {Options{Backend: "openai", BaseURL: "https://h/a/"}, "https://h/a", ""},
		"a socket":               {Options{Backend: "openai", BaseURL: "unix:///run/s"}, "http://localhost", ""},
		"a socket without path":  {Options{Backend: "openai", BaseURL: "unix://run/s"}, "", "want unix:///PATH"},
		"two sockets":            {Options{Backend: "openai", BaseURL: "unix:///s", UnixSocket: "/t"}, "", "without --unix-socket"},
		"no URL":                 {Options{Backend: "openai", BaseURL: "h:80"}, "", "want http://HOST:PORT"},
		"no backend":             {Options{Backend: "x"}, "", "--backend x: want one of lmdeploy, "},
		"a backend of theirs":    {Options{Backend: "trt"}, "", "Triton endpoint is not spoken"},
		"another one of theirs":  {Options{Backend: "openai-embeddings-clip"}, "", "embeddings are not measured"},
		"a file of elsewhere":    {Options{Backend: "openai", Host: "h", Port: 7, CACert: "/does/not/exist"}, "http://h:7", ""},
		"both about EOS":         {Options{Backend: "openai", Host: "h", IgnoreEOS: true, DisableIgnoreEOS: true}, "", "contradict each other"},
	} {
		got, err := c.opt.Resolve()
		switch {
		case c.problem == "" && (err != nil || got.BaseURL != c.base):
			t.Errorf("%s: %q, %v", name, got.BaseURL, err)
		case c.problem != "" && (err == nil || !strings.Contains(err.Error(), c.problem)):
			t.Errorf("%s: %v, want %q", name, err, c.problem)
		}
	}
	socket, _ := Options{Backend: "openai", BaseURL: "unix:///run/s"}.Resolve()
	if socket.ShownURL() != "unix:///run/s" || socket.UnixSocket != "/run/s" {
		t.Errorf("a socket shows as %s", socket.ShownURL())
	}
}
