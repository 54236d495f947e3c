package cli

import (
	"context"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"

	"servematrix/journal"
)

// follow prints until the run has ended, taking in the logs of what comes.
func (s *snapshot) follow(ctx context.Context, p *printer, what *newest, opt logsOptions) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	events := make(chan journal.Event)
	over := make(chan error, 1)
	seen := s.state.Current.Seq
	go func() {
		over <- s.folder.Follow(ctx, func(e journal.Event) bool {
			if e.Seq <= seen {
				return true
			}
			select {
			case events <- e:
				return true
			case <-ctx.Done():
				return false
			}
		}, s.folder.Live)
	}()
	changed := watchFiles(ctx, p)
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		if err := p.pump(); err != nil {
			cancel()
			<-over
			return err
		}
		select {
		case e := <-events:
			what.apply(e)
			wanted := map[string]bool{}
			for _, f := range what.files(s.folder, opt) {
				wanted[f[0]] = true
				if !p.open[f[0]] {
					p.lines = -1 // what starts now is shown from its begin
					p.add(f[0], f[1])
					changed.add(f[0])
				}
			}
			if err := p.keep(wanted); err != nil {
				cancel()
				<-over
				return err
			}
		case <-changed.c:
		case <-tick.C:
		case err := <-over:
			if ferr := p.finish(); ferr != nil {
				return ferr
			}
			return err
		}
	}
}

// changes tells when one of the followed files grows; where the system cannot tell, the ticker must do.
type changes struct {
	watcher *fsnotify.Watcher
	c       <-chan fsnotify.Event
}

func watchFiles(ctx context.Context, p *printer) *changes {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return &changes{}
	}
	context.AfterFunc(ctx, func() { w.Close() })
	c := &changes{w, w.Events}
	for _, t := range p.files {
		c.add(t.path)
	}
	return c
}

// add watches the file's folder: the file itself may be still to come.
func (c *changes) add(path string) {
	if c.watcher != nil {
		_ = c.watcher.Add(filepath.Dir(path)) // without it the ticker looks
	}
}
