// Command pace is a server of known pace, to hold benchmark clients against: the first token of each
// answer comes a set time after the request, each further one a set time after the one before.
//
//	go run ./perf/pace -port 8000
//
// It speaks OpenAI's completions and chat and SGLang's /generate, on loopback only. What it really did,
// request by request, /truth tells as JSON, and -truth FILE keeps at the end; /truth/clear forgets it.
// With -fault it answers wrongly instead.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"servematrix/perf/pace/server"
)

var (
	port  = flag.Int("port", 8000, "port of 127.0.0.1; 0 takes a free one")
	first = flag.Duration("first", 200*time.Millisecond, "from a request's arrival to its first token")
	token = flag.Duration("token", 20*time.Millisecond, "from a token to the next one")
	keep  = flag.Int("keep", 100000, "of how many requests, the last ones, the truth is kept")
	truth = flag.String("truth", "", "file for the truth at the end")
	fault = flag.String("fault", "", "answer wrongly: "+strings.Join(server.Faults(), ", "))
	every = flag.Int("every", 1, "of how many requests one is answered wrongly")
)

func main() {
	flag.Parse()
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "pace:", err)
		os.Exit(1)
	}
}

func run() error {
	l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", *port))
	if err != nil {
		return err
	}
	url := "http://" + l.Addr().String()
	fmt.Printf("%s: %v to the first token, %v per token\n", url, *first, *token)
	end := make(chan os.Signal, 1)
	signal.Notify(end, os.Interrupt, syscall.SIGTERM)
	stop := make(chan struct{})
	served := make(chan error)
	go func() {
		opt := server.Options{First: *first, Token: *token, Keep: *keep}
		if *fault != "" {
			served <- server.ServeFaults(l, opt, *fault, *every)
			return
		}
		served <- server.Serve(l.(*net.TCPListener), opt, stop)
	}()
	select {
	case err := <-served:
		return err
	case <-end:
	}
	var saved error
	if *truth != "" && *fault == "" {
		saved = save(url)
	}
	close(stop)
	l.Close()
	return errors.Join(saved, <-served)
}

// save writes the truth to the file that -truth names.
func save(url string) error {
	response, err := http.Get(url + "/truth")
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	return os.WriteFile(*truth, text, 0o644)
}
