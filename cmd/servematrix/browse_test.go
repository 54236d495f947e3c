package main

import (
	"bufio"
	"net/http"
	"net/http/cookiejar"
	"os"
	"regexp"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

var liveLink = regexp.MustCompile(`live: (http://127\.0\.0\.1:\d+)/\?token=(\S+)`)

// browse FILE TEXT… opens the last link of a live page that stands in a file, as a browser does: the page, then
// its stream until that is over. When the stream is open it leaves a file browsed. The page, as it is in the
// end, must hold the texts.
func browse(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: browse FILE TEXT…")
	}
	jar, err := cookiejar.New(nil)
	ts.Check(err)
	client := &http.Client{Jar: jar, Timeout: patience}
	var link []string
	if !eventually(func() bool {
		text, err := os.ReadFile(ts.MkAbs(args[0]))
		all := liveLink.FindAllStringSubmatch(string(text), -1)
		if err != nil || all == nil {
			return false
		}
		newest := all[len(all)-1]
		opened, err := client.Get(newest[0][len("live: "):])
		ts.Check(err)
		opened.Body.Close()
		if opened.StatusCode == http.StatusOK && opened.Request.URL.RawQuery == "" { // else a newer one is being printed
			link = newest
		}
		return link != nil
	}) {
		ts.Fatalf("%s never had a link that counts", args[0])
	}
	stream, err := client.Get(link[1] + "/events")
	ts.Check(err)
	defer stream.Body.Close()
	ts.Check(os.WriteFile(ts.MkAbs("browsed"), nil, 0o600))
	over := false
	for lines := bufio.NewScanner(stream.Body); !over && lines.Scan(); {
		over = lines.Text() == "event: over"
	}
	if !over {
		ts.Fatalf("the stream ended before the run")
	}
	main, err := client.Get(link[1] + "/main")
	ts.Check(err)
	defer main.Body.Close()
	var b strings.Builder
	if _, err := bufio.NewReader(main.Body).WriteTo(&b); err != nil {
		ts.Fatalf("the last page: %v", err)
	}
	for _, text := range args[1:] {
		if !strings.Contains(b.String(), text) {
			ts.Fatalf("the last page does not say %q", text)
		}
	}
	// Nothing that is kept has the token.
	ts.Setenv("TOKEN", link[2])
}
