package journal

import (
	"bytes"
	"context"
	"io"
	"os"
	"time"

	"github.com/fsnotify/fsnotify"
)

// backstop is how often a follower looks without being told: change
// notifications do not reach a folder that another machine writes over NFS.
const backstop = 2 * time.Second

// Follow calls each with every event, past and coming, until ctx ends or each
// returns false. idle, if given, is called when all that is there was seen; false ends it too.
func (f Folder) Follow(ctx context.Context, each func(Event) bool, idle func() bool) error {
	var changed <-chan fsnotify.Event
	if watcher, err := fsnotify.NewWatcher(); err == nil {
		defer watcher.Close()
		if watcher.Add(f.Path(EventsFile)) == nil {
			changed = watcher.Events
		}
	}
	tick := time.NewTicker(backstop)
	defer tick.Stop()
	var offset int64
	for {
		events, next, err := f.tail(offset)
		if err != nil {
			return err
		}
		offset = next
		for _, e := range events {
			if !each(e) {
				return nil
			}
		}
		if idle != nil && !idle() {
			return nil
		}
		select {
		case <-ctx.Done():
			return nil
		case <-changed:
		case <-tick.C:
		}
	}
}

// tail reads the whole lines that were added since offset.
func (f Folder) tail(offset int64) (events []Event, next int64, err error) {
	file, err := os.Open(f.Path(EventsFile))
	if err != nil {
		return nil, offset, err
	}
	defer file.Close()
	if _, err := file.Seek(offset, io.SeekStart); err != nil {
		return nil, offset, err
	}
	data, err := io.ReadAll(file)
	if err != nil {
		return nil, offset, err
	}
	for p := (parser{}); ; {
		line, rest, complete := bytes.Cut(data, []byte{'\n'})
		if !complete {
			return events, offset, nil
		}
		e, err := p.event(line)
		if err != nil {
			return events, offset, nil // being written
		}
		events = append(events, e)
		offset += int64(len(line)) + 1
		data = rest
	}
}
