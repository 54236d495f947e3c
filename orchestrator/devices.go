package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"servematrix/device"
	"servematrix/process"
)

// Variables for the tests only.
var (
	// deviceWait is how long a device's tool may take to answer.
	deviceWait = device.AnswerLimit
	// deviceFresh is how old a reading may be that is taken for the state of now:
	// what was read when one server was gone serves as the level of the next.
	deviceFresh = 5 * time.Second
)

// deviceChances is how often in a row a tool may fail to answer before it is asked no more.
const deviceChances = 2

// Devices are the accelerators of this host as one session sees them. Their tools are
// looked up once; on a host without any, nothing is ever started.
type Devices struct {
	first   chan struct{}   // closed when the first reading is there
	answers []device.Answer // of the first reading
	cancel  context.CancelFunc

	tools   []device.Tool  // that are asked; those that fail are dropped
	failed  map[string]int // tool → how often in a row
	latest  reading
	levels  map[deviceKey]uint64      // bytes in use while nothing of ours runs
	news    []string                  // warnings that nobody has journalled yet
	foreign map[process.Identity]bool // processes of others that have been named
}

// reading is the state of all devices at one moment.
type reading struct {
	at        time.Time // when it was asked for
	snapshots []device.Snapshot
}

// deviceKey names a device of the host.
type deviceKey struct {
	vendor string
	index  int
}

// LookAtDevices looks up the tools on the PATH of an environment and begins a first
// reading beside whatever happens now.
func LookAtDevices(environ []string) *Devices {
	ctx, cancel := context.WithCancel(context.Background())
	d := &Devices{first: make(chan struct{}), cancel: cancel, tools: device.Find(environ),
		failed: map[string]int{}, levels: map[deviceKey]uint64{}, foreign: map[process.Identity]bool{}}
	if len(d.tools) == 0 {
		close(d.first)
		return d
	}
	go func() {
		defer close(d.first)
		d.begin(ctx)
	}()
	return d
}

// begin takes the first reading. A tool that does not answer it is never asked again:
// one that sees no device has nothing to say, and without a level nothing can be judged.
func (d *Devices) begin(ctx context.Context) {
	at := time.Now()
	d.answers = ask(ctx, d.tools)
	d.latest = reading{at: at}
	var work []device.Tool
	for i, a := range d.answers {
		switch {
		case a.Err == nil:
			work = append(work, d.tools[i])
			d.latest.snapshots = append(d.latest.snapshots, a.Snapshot)
		case !errors.Is(a.Err, device.ErrNone) && ctx.Err() == nil:
			d.news = append(d.news, fmt.Sprintf("devices are not watched: %v", a.Err))
		}
	}
	d.tools = work
}

// Answers waits for the first reading and gives what each tool of the host said.
func (d *Devices) Answers() []device.Answer {
	<-d.first
	return d.answers
}

// close ends a first reading that nobody has waited for.
func (d *Devices) close() {
	d.cancel()
	<-d.first
}

// none tells whether there is nothing to ask; it waits for the first reading.
func (d *Devices) none() bool {
	<-d.first
	return len(d.tools) == 0
}

// now gives a reading that is fresh enough.
func (d *Devices) now(ctx context.Context) reading {
	if !d.none() && time.Since(d.latest.at) > deviceFresh {
		d.read(ctx)
	}
	return d.latest
}

// read asks all tools again. One that fails now has no snapshot in the reading; after
// deviceChances in a row it is dropped. What happened is in the news.
func (d *Devices) read(ctx context.Context) reading {
	<-d.first
	at := time.Now()
	answers := ask(ctx, d.tools)
	d.latest = reading{at: at}
	if ctx.Err() != nil {
		return d.latest // nobody wants to know any more
	}
	var work []device.Tool
	for i, a := range answers {
		tool := d.tools[i]
		if a.Err == nil {
			work = append(work, tool)
			d.failed[tool.Name()] = 0
			d.latest.snapshots = append(d.latest.snapshots, a.Snapshot)
			continue
		}
		d.failed[tool.Name()]++
		if d.failed[tool.Name()] < deviceChances {
			work = append(work, tool)
			d.news = append(d.news, fmt.Sprintf("device memory could not be checked: %v", a.Err))
			continue
		}
		d.news = append(d.news, fmt.Sprintf("device memory is not checked any more in this run: %v", a.Err))
	}
	d.tools = work
	return d.latest
}

func ask(ctx context.Context, tools []device.Tool) []device.Answer {
	ctx, cancel := context.WithTimeout(ctx, deviceWait)
	defer cancel()
	return device.Ask(ctx, tools)
}

// settle takes a reading, made while nothing of ours runs, for the level of its devices.
// What lies within the tolerance above the old level changes nothing, or each launch
// could leave a little and the level would creep up with it.
func (d *Devices) settle(r reading) {
	for _, s := range r.snapshots {
		for _, dev := range s.Devices {
			if dev.Memory == nil {
				continue
			}
			key := deviceKey{s.Vendor, dev.Index}
			level, known := d.levels[key]
			if used := dev.Memory.Used; !known || used < level || used > level+tolerance(dev.Memory.Total) {
				d.levels[key] = used
			}
		}
	}
}

// tolerance is how much more of a device's memory may be in use after a server than
// before it: 256 MiB, or a hundredth of a larger device's. A driver keeps some after the
// first use, and an error of one context is none that a benchmark would notice.
func tolerance(total uint64) uint64 { return max(256<<20, total/100) }

// visible narrows a reading to what an environment lets a program see.
func (r reading) visible(environ []string) reading {
	r.snapshots = slices.Clone(r.snapshots)
	for i, s := range r.snapshots {
		r.snapshots[i] = s.Visible(environ)
	}
	return r
}

// tellNews journals what the tools' failures mean.
func (r *runner) tellNews() {
	news := r.Devices.news
	r.Devices.news = nil
	for _, n := range news {
		r.warn(n)
	}
}
