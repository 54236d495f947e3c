package orchestrator

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"servematrix/effective"
	"servematrix/journal"
)

// What a launch.configured event repeats of effective.json.
const (
	choicesMost = 20
	choiceMost  = 300 // bytes of one text
)

// configuration finds out, beside the run, what a server really runs with: from its
// log when it is ready, and by questions when the last client is done and before the
// stop begins, so that no measurement is disturbed and no client waits.
type configuration struct {
	launch       *launch
	config       *effective.Config // of the log, once read is closed
	whole        *effective.Config // with the answers, once asked is closed
	versionInLog bool              // so that the samples were judged by it
	read         chan struct{}     // closed: the log has been read
	asked        chan struct{}     // closed: the questions are answered, and the file is on its way; nil: not asked
	cancel       context.CancelFunc
	done         chan error // of the file, once it is written
}

// readConfiguration begins with the logs as they are now.
func (l *launch) readConfiguration() *configuration {
	c := &configuration{launch: l, read: make(chan struct{}), done: make(chan error, 1)}
	var logs []effective.Log
	for _, path := range l.logs {
		if info, err := os.Stat(path); err == nil {
			logs = append(logs, effective.Log{Path: path, Size: info.Size()})
		}
	}
	go func() {
		defer close(c.read)
		c.config = effective.Logs(l.profile, l.profile.Asked(slices.Concat(l.server.Argv, l.server.Added.Argv)), logs)
		c.versionInLog = c.config.Version != ""
		c.config.Host = l.host()
		c.config.Env = l.listenedTo()
		c.config.Hide(l.Redactor, l.Plan.Secrets)
	}()
	return c
}

// listenedTo gives the variables that the engine listens to, less those that only the run knows.
func (l *launch) listenedTo() map[string]string {
	out := map[string]string{}
	for _, kv := range l.environ(l.command) {
		name, value, _ := strings.Cut(kv, "=")
		listed := slices.ContainsFunc(l.profile.Effective.Env, func(pattern string) bool {
			ok, err := path.Match(pattern, name)
			return err == nil && ok
		})
		if listed && !strings.Contains(l.server.Env[name], "${{ late.") {
			out[name] = value
		}
	}
	return out
}

// ask puts the questions to a server whose last client is done.
func (c *configuration) ask(ctx context.Context) {
	l := c.launch
	if c.asked != nil || l.late.url == "" || !l.sound() || len(l.profile.Effective.Info) == 0 {
		return
	}
	ctx, c.cancel = context.WithCancel(ctx)
	c.asked = make(chan struct{})
	go func() {
		defer close(c.asked)
		<-c.read
		c.whole = c.config.Ask(ctx, direct, l.late.url, &l.profile.Effective, l.Redactor, l.Plan.Secrets)
	}()
}

// answered returns when nothing is asked of the server any more, and begins to write the file.
func (c *configuration) answered(ctx context.Context) {
	if c == nil {
		return
	}
	if c.asked != nil {
		if ctx.Err() != nil {
			c.cancel()
		}
		<-c.asked
		c.cancel()
	}
	go func() {
		<-c.read
		if c.whole == nil {
			c.whole = c.config
		}
		c.done <- c.write()
	}()
}

func (c *configuration) write() error {
	data, err := c.whole.Encode()
	if err != nil {
		return err
	}
	return journal.WriteFile(filepath.Join(c.launch.dir, effective.File), data)
}

// tell journals what was found, once the file is there. A file that cannot be written ends nothing.
func (c *configuration) tell() error {
	if c == nil {
		return nil
	}
	l := c.launch
	if err := <-c.done; err != nil {
		l.warn("what the server really ran with could not be written: " + err.Error())
		return nil
	}
	l.toldLate()
	data, err := c.whole.Encode()
	if err != nil {
		return err
	}
	digest := sha256.Sum256(data)
	e := journal.Configured{
		File: l.Folder.Rel(filepath.Join(l.dir, effective.File)), SHA256: hex.EncodeToString(digest[:]),
		Identity: c.whole.Identity(), Version: c.whole.Version, Args: len(c.whole.Args),
	}
	for _, ch := range c.whole.Changed {
		if len(e.Changed) == choicesMost {
			break
		}
		ch.Asked, ch.Is, ch.Said = shortText(ch.Asked), shortText(ch.Is), shortText(ch.Said)
		e.Changed = append(e.Changed, journal.Choice(ch))
	}
	return l.emit(l.event(journal.LaunchConfigured), e, false)
}

func shortText(s string) string {
	if len(s) <= choiceMost {
		return s
	}
	return strings.ToValidUTF8(s[:choiceMost], "") + "…"
}
