package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"servematrix/secret"
)

func TestLinesSideBySide(t *testing.T) {
	begin := time.Unix(1000, 0)
	type part struct {
		name, text string
		after      time.Duration
	}
	const server, client = "launches/0001/server.err", "cells/c/b1-a1/client.err"
	for name, c := range map[string]struct {
		color bool
		parts []part
		want  string
	}{
		"two logs": {false, []part{{server, "one\ntwo\n", 0}, {client, "begin\n", 0}, {server, "three\n", 0}},
			"==> launches/0001 <==\nserver.err | one\nserver.err | two\n==> cells/c/b1-a1 <==\nclient.err | begin\nserver.err | three\n"},
		"coloured": {true, []part{{server, "\x1b[32mINFO\x1b[0m: up\n", 0}, {"cells/c/b1-a1/client.out", "x\n", 0}},
			"==> launches/0001 <==\n\x1b[36mserver.err | \x1b[0mINFO: up\n==> cells/c/b1-a1 <==\n\x1b[33mclient.out | \x1b[0mx\n"},
		"what a terminal would obey": {false, []part{{server, "\x1b[?1049h\x1b[2J\x1b]0;title\x07a\tb\x00\u009bc\u202e\n", 0}},
			"==> launches/0001 <==\nserver.err | a\tbc\u202e\n"},
		"a bar": {false, []part{{client, " 0%\r", 0}, {client, " 1%\r 2%\r", time.Second}, {client, " 7%\r", 5 * time.Second}, {client, " 8%\r", 6 * time.Second}, {client, "100%\ndone\n", 7 * time.Second}},
			"==> cells/c/b1-a1 <==\nclient.err |  0%\nclient.err |  7%\nclient.err | 100%\nclient.err | done\n"},
		"a bar's last state": {false, []part{{client, "1%\r", 0}, {client, "2%\r", 0}, {client, "\n", 0}}, "==> cells/c/b1-a1 <==\nclient.err | 1%\nclient.err | 2%\n"},
		"carriage returns":   {false, []part{{client, "one\r\nold\rnew\r\n", 0}}, "==> cells/c/b1-a1 <==\nclient.err | one\nclient.err | new\n"},
	} {
		t.Run(name, func(t *testing.T) {
			s := &sideBySide{color: c.color, folder: map[string]bool{}}
			files := map[string]*tailed{}
			got := ""
			for _, p := range c.parts {
				if files[p.name] == nil {
					files[p.name] = &tailed{name: p.name}
				}
				got += s.lines(files[p.name], p.text, begin.Add(p.after))
			}
			if got != c.want {
				t.Errorf("%q\nwant %q", got, c.want)
			}
		})
	}
}

// What is not wanted any more is printed to its end, a line without an end too, and left.
func TestLogsThatAreOverAreLeft(t *testing.T) {
	dir := t.TempDir()
	one, two := filepath.Join(dir, "client.out"), filepath.Join(dir, "server.out")
	for path, text := range map[string]string{one: "first\nlast, with SECRET", two: "up\n"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var out strings.Builder
	hide := &secret.Redactor{}
	hide.Add("SECRET")
	p := newPrinter(&out, hide, -1)
	p.beside = &sideBySide{folder: map[string]bool{".": true}}
	p.add(one, "client.out")
	p.add(two, "server.out")
	if err := p.keep(map[string]bool{two: true}); err != nil {
		t.Fatal(err)
	}
	if want := "client.out | first\nclient.out | last, with <redacted>\n"; out.String() != want || len(p.files) != 1 {
		t.Errorf("%d logs are followed, %q printed, want %q", len(p.files), out.String(), want)
	}
}
