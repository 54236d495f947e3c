package journal

import (
	"context"
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
