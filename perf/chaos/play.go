package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// The names under which this program and servematrix lie in a scenario's folder.
const (
	clientName  = "client"
	programName = "servematrix"
	ledgerName  = "ledger" // every start of a client and of a hook, one line each
)

// play is the other side: a benchmark client, a hook or what a client leaves
// running. It says whether this process was started as one.
func play(role string) bool {
	switch role {
	case "as-client":
		os.Exit(playClient(os.Args[2], os.Args[3], os.Args[4], strings.Split(os.Args[5], "+")))
	case "as-hook":
		note(os.Args[2], "hook", os.Getenv("SERVEMATRIX_MOMENT"))
		time.Sleep(40 * time.Millisecond)
		os.Exit(0)
	case "as-child":
		time.Sleep(2 * time.Minute)
		os.Exit(0)
	}
	return false
}

// note appends one line to the ledger; O_APPEND keeps lines of several whole.
func note(ledger string, words ...string) {
	f, err := os.OpenFile(ledger, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	check(err)
	_, err = f.WriteString(strings.Join(words, " ") + "\n")
	check(err)
	check(f.Close())
}

// playClient measures: the ledger gets the attempt's folder and a number that
// nobody else has, the result holds the same number.
func playClient(ledger, dir, url string, does []string) int {
	id := time.Now().UnixNano()%1e12*1000 + int64(os.Getpid()%1000)
	note(ledger, "client", dir, strconv.FormatInt(id, 10))
	began := time.Now()
	asked, completed := 2, 0
	for _, word := range does {
		switch word {
		case "leaves-child":
			leaveChild()
		case "slow":
			time.Sleep(150 * time.Millisecond)
		case "floods":
			line := bytes.Repeat([]byte("progress "), 1000)
			for range 500 {
				fmt.Printf("%s\r", line)
			}
		case "hangs":
			time.Sleep(time.Hour)
		case "no-result":
			return 0
		case "crashes":
			crash(syscall.SIGSEGV)
		case "half":
			fmt.Print(`{"duration": 1.0, "completed": `)
			return 0
		}
	}
	for range asked {
		if request(url) {
			completed++
		}
	}
	seconds := time.Since(began).Seconds()
	out, err := json.Marshal(map[string]any{
		"duration": seconds, "completed": completed, "total_input_tokens": 8 * completed, "total_output_tokens": 4 * completed,
		"request_throughput": float64(completed) / seconds, "output_throughput": float64(4*completed) / seconds, "measurement_id": id,
	})
	check(err)
	fmt.Printf("%s\n", out)
	if completed < asked {
		fmt.Fprintln(os.Stderr, "requests failed")
		return 1
	}
	return 0
}

// request streams one completion and says whether all of it came.
func request(url string) bool {
	body := `{"model":"simulated","prompt":[1,2,3,4,5,6,7,8],"max_tokens":4,"ignore_eos":true,"stream":true,"stream_options":{"include_usage":true}}`
	resp, err := http.Post(url+"/v1/completions", "application/json", strings.NewReader(body))
	if err != nil {
		return false
	}
	defer resp.Body.Close()
	whole, counted := false, false
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		line := lines.Text()
		whole = whole || line == "data: [DONE]"
		counted = counted || strings.Contains(line, `"completion_tokens":4`)
		if strings.Contains(line, `"error"`) {
			return false
		}
	}
	return resp.StatusCode == http.StatusOK && whole && counted
}

// leaveChild starts what a careless client leaves: a process in a session of its
// own with nothing that tells of its origin.
func leaveChild() {
	me, err := os.Executable()
	check(err)
	cmd := &exec.Cmd{Path: me, Args: []string{"python3", "as-child"}, Env: []string{}, Dir: filepath.Dir(me), SysProcAttr: &syscall.SysProcAttr{Setsid: true}}
	check(cmd.Start())
}

// crash ends this process by a signal that the Go runtime would turn into an exit code.
func crash(sig syscall.Signal) {
	check(syscall.Exec("/bin/sh", []string{"sh", "-c", "ulimit -c 0; kill -" + strconv.Itoa(int(sig)) + " $$"}, os.Environ()))
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "chaos:", err)
		os.Exit(2)
	}
}
