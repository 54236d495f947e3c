package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// row is what this program reads of a line of results.jsonl.
type row struct {
	Cell    string `json:"cell"`
	Block   int    `json:"block"`
	Attempt int    `json:"attempt"`
	Status  string `json:"status"`
	Server  struct {
		Name string `json:"name"`
	} `json:"server"`
	Client struct {
		Name string `json:"name"`
	} `json:"client"`
	Extra struct {
		ID int64 `json:"measurement_id"`
	} `json:"extra"`
}

// final checks a run that says that it is over.
func (s *scenario) final(code int) error {
	for _, look := range []func() error{
		s.nothingLeft, s.segmentsGone, func() error { return s.samples(code) }, s.redrawn, func() error { return s.nothingMore(code) }, s.nothingLeft,
	} {
		if err := look(); err != nil {
			return err
		}
	}
	return nil
}

// nothingLeft looks for processes, ports, locks and cgroups.
func (s *scenario) nothingLeft() error {
	var all []error
	for _, p := range s.touching() {
		all = append(all, fmt.Errorf("a process is left: %v", p))
	}
	if s.port > 0 {
		all = append(all, portFree("127.0.0.1", s.port), portFree("0.0.0.0", s.port))
	}
	err := filepath.WalkDir(s.dir, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case strings.HasSuffix(path, ".lock"):
			return unlocked(path)
		case entry.Name() == "guard.json":
			return noCgroup(path)
		}
		return nil
	})
	return errors.Join(append(all, err)...)
}

// portFree fails when the port cannot be bound. Nothing is started meanwhile: what
// is about to be executed would hold the socket.
func portFree(host string, port int) error {
	children.Lock()
	defer children.Unlock()
	l, err := net.Listen("tcp4", net.JoinHostPort(host, strconv.Itoa(port)))
	if err != nil {
		return fmt.Errorf("the port is not free: %w", err)
	}
	return l.Close()
}

// unlocked fails when somebody holds the file's lock.
func unlocked(path string) error {
	children.Lock()
	defer children.Unlock()
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		return fmt.Errorf("the lock %s is held: %w", path, err)
	}
	return nil
}

// noCgroup fails when the leaf that a guard wrote down is still there.
func noCgroup(status string) error {
	raw, err := os.ReadFile(status)
	if err != nil {
		return err
	}
	var guard struct {
		Cgroup string `json:"cgroup"`
	}
	if json.Unmarshal(raw, &guard) != nil || guard.Cgroup == "" {
		return nil // torn by the power cut that was played, or none could be made
	}
	if _, err := os.Stat(guard.Cgroup); err == nil {
		return fmt.Errorf("the cgroup %s is left", guard.Cgroup)
	}
	return nil
}

// samples checks that results.jsonl holds the plan, each unit once, and that no
// unit was measured again after it was valid.
func (s *scenario) samples(code int) error {
	planned, err := s.planned()
	if err != nil {
		return err
	}
	raw, err := os.ReadFile(filepath.Join(s.folder, "results.jsonl"))
	if err != nil {
		return err
	}
	ids, last := map[unit][]int64{}, map[unit]row{}
	attempts := map[string]bool{}
	for line := range strings.Lines(string(raw)) {
		var r row
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			return fmt.Errorf("results.jsonl: %w: %q", err, line)
		}
		u := unit{r.Cell, r.Block}
		if key := fmt.Sprint(u, r.Attempt, r.Status == "skipped"); attempts[key] {
			return fmt.Errorf("%v attempt %d stands in results.jsonl twice", u, r.Attempt)
		} else {
			attempts[key] = true
		}
		if _, ok := planned[u]; !ok {
			return fmt.Errorf("%v is not in the plan", u)
		}
		if r.Status == "ok" {
			ids[u] = append(ids[u], r.Extra.ID)
		}
		last[u] = r
	}
	starts := map[unit]int64{} // the last client's measurement id
	for _, words := range s.ledger("client") {
		u, err := unitOf(words[0])
		if err != nil {
			return err
		}
		starts[u], _ = strconv.ParseInt(words[1], 10, 64)
	}
	good := 0
	for u, want := range planned {
		switch {
		case last[u].Status == "":
			return fmt.Errorf("%v is lost: it is not in results.jsonl", u)
		case len(ids[u]) > 1:
			return fmt.Errorf("%v was measured %d times", u, len(ids[u]))
		case len(ids[u]) == 1 && last[u].Status != "ok":
			return fmt.Errorf("%v was measured again after it was valid: %+v", u, last[u])
		case len(ids[u]) == 1 && starts[u] != ids[u][0]:
			return fmt.Errorf("%v: its client was started again after measurement %d: %d", u, ids[u][0], starts[u])
		case want == measures && last[u].Status != "ok":
			return fmt.Errorf("%v should have been measured: %+v", u, last[u])
		case want == fails && last[u].Status == "ok":
			return fmt.Errorf("%v should have failed: %+v", u, last[u])
		}
		good += len(ids[u])
	}
	for u, id := range s.ok {
		if len(ids[u]) != 1 || ids[u][0] != id {
			return fmt.Errorf("%v: the valid sample %d is lost; there is %v", u, id, ids[u])
		}
	}
	if all := good == len(planned); all != (code == 0) {
		return fmt.Errorf("exit code %d, though %d of %d were measured", code, good, len(planned))
	}
	return nil
}

// planned gives each unit of plan.json with what it should come to.
func (s *scenario) planned() (map[unit]expectation, error) {
	raw, err := os.ReadFile(filepath.Join(s.folder, "plan.json"))
	if err != nil {
		return nil, err
	}
	type side struct{ ID, Name string }
	var plan struct {
		Servers, Clients []side
		Cells            []struct{ ID, Server, Client string }
	}
	if err := json.Unmarshal(raw, &plan); err != nil {
		return nil, err
	}
	find := func(sides []side, id string, variants []variant) (variant, error) {
		for _, x := range sides {
			for _, v := range variants {
				if x.ID == id && x.Name == v.id {
					return v, nil
				}
			}
		}
		return variant{}, fmt.Errorf("plan.json has no variant %s of the sweep's", id)
	}
	out := map[unit]expectation{}
	for _, c := range plan.Cells {
		server, err := find(plan.Servers, c.Server, s.servers)
		if err != nil {
			return nil, err
		}
		client, err := find(plan.Clients, c.Client, s.clients)
		if err != nil {
			return nil, err
		}
		for b := 1; b <= s.blocks; b++ {
			out[unit{c.ID, b}] = expected(server, client)
		}
	}
	if want := len(s.servers) * len(s.clients) * s.blocks; len(out) != want {
		return nil, fmt.Errorf("plan.json has %d units, not %d", len(out), want)
	}
	return out, nil
}

// unitOf reads an attempt's folder: …/cells/CELL/bBLOCK-aATTEMPT.
func unitOf(dir string) (u unit, err error) {
	u.cell = filepath.Base(filepath.Dir(dir))
	_, err = fmt.Sscanf(filepath.Base(dir), "b%d-", &u.block)
	return u, err
}

// redrawn checks that what was written while the run went on is what is drawn
// from the folder afterwards.
func (s *scenario) redrawn() error {
	for file, format := range map[string]string{"results.jsonl": "jsonl", "report.txt": "text"} {
		code, out, err := s.tool("report", s.folder, "--format", format)
		if err != nil || code != 0 {
			return fmt.Errorf("report --format %s: exit code %d, %v: %s", format, code, err, out)
		}
		have, err := os.ReadFile(filepath.Join(s.folder, file))
		if err != nil {
			return err
		}
		if !bytes.Equal(have, []byte(out)) {
			return fmt.Errorf("%s is not what report draws", file)
		}
	}
	return nil
}

// nothingMore checks that one more resume measures nothing.
func (s *scenario) nothingMore(code int) error {
	before := len(s.ledger("client"))
	again, out, err := s.tool("resume", s.folder, "--progress", "none")
	if err != nil || again != code {
		return fmt.Errorf("one more resume: exit code %d after %d, %v: %s", again, code, err, out)
	}
	if n := len(s.ledger("client")); n != before {
		return fmt.Errorf("one more resume started %d clients", n-before)
	}
	return nil
}

func copyFile(to, from string) error {
	raw, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, raw, 0o700)
}
