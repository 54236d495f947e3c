package main

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"servematrix/journal"
	"servematrix/perf/program"
)

// cost is what a live page took while it was watched.
type cost struct {
	cpu, wall time.Duration
	reads     int64 // system calls that read
	bytes     int64 // that they read
	newer     int64 // pages that each browser fetched after the first
	messages  int64
	sent      int64 // bytes to each browser, as they came over the wire
}

// watch serves a folder for a while, looked at by browsers; grow is called every cell.
func watch(folder journal.Folder, length time.Duration, browsers int, grow func()) cost {
	cmd := exec.Command(*bin, "live", string(folder))
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // it lowers the priority of its group
	stderr, err := cmd.StderrPipe()
	program.Check(err)
	began := time.Now()
	program.Check(cmd.Start())
	lines := bufio.NewScanner(stderr)
	lines.Scan()
	link := strings.TrimPrefix(lines.Text(), "live: ")
	lines.Scan() // it serves

	var c cost
	var all sync.WaitGroup
	if browsers > 0 {
		jar, err := cookiejar.New(nil)
		program.Check(err)
		for range browsers {
			b := browser{client: &http.Client{Jar: jar, Transport: &http.Transport{DisableCompression: true}}, cost: &c}
			b.base, _, _ = strings.Cut(link, "/?")
			program.Check(b.page(link))
			all.Go(b.follow)
			link = b.base + "/" // the cookie is there
		}
	}
	for end := began.Add(length); time.Now().Before(end); {
		time.Sleep(min(*cell, time.Until(end)))
		if grow != nil {
			grow()
		}
	}
	c.reads, c.bytes = read(cmd.Process.Pid)
	c.wall = time.Since(began)
	program.Check(cmd.Process.Signal(os.Interrupt))
	_, err = io.Copy(io.Discard, stderr)
	program.Check(err)
	program.Check(cmd.Wait())
	all.Wait()
	c.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	for _, n := range []*int64{&c.newer, &c.messages, &c.sent} {
		*n /= int64(max(browsers, 1))
	}
	return c
}

// read gives how often and how much a process has read so far, of files and sockets.
func read(pid int) (calls, bytes int64) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/io", pid))
	program.Check(err)
	for line := range strings.Lines(string(text)) {
		fmt.Sscanf(line, "syscr: %d", &calls)
		fmt.Sscanf(line, "rchar: %d", &bytes)
	}
	return calls, bytes
}

// browser is one that looks.
type browser struct {
	client *http.Client
	base   string
	*cost
}

func (b *browser) ask(url string) (*http.Response, error) {
	req, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept-Encoding", "gzip")
	res, err := b.client.Do(req)
	if err == nil && res.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", url, res.Status)
	}
	return res, err
}

// page fetches one.
func (b *browser) page(url string) error {
	res, err := b.ask(url)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	n, err := io.Copy(io.Discard, res.Body)
	atomic.AddInt64(&b.sent, n)
	return err
}

// follow reads the stream until the server ends.
func (b *browser) follow() {
	res, err := b.ask(b.base + "/events")
	program.Check(err)
	defer res.Body.Close()
	for lines := bufio.NewScanner(res.Body); lines.Scan(); {
		atomic.AddInt64(&b.sent, int64(len(lines.Text())+1))
		event, is := strings.CutPrefix(lines.Text(), "event: ")
		if !is {
			continue
		}
		atomic.AddInt64(&b.messages, 1)
		if event != "newer" {
			continue
		}
		if b.page(b.base+"/main") != nil {
			return // the server has ended
		}
		atomic.AddInt64(&b.newer, 1)
	}
}
