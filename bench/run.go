package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/signal"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"time"

	"servematrix/bench/dataset"
	"servematrix/bench/load"
	"servematrix/bench/wire"
)

// Exit codes of Run.
const (
	exitOK          = 0
	exitFailed      = 1 // the server cannot be reached, no request succeeded, or the dataset ended early
	exitUsage       = 2
	exitInterrupted = 130
)

// usageError is a mistake in the options.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// tooMany is of requests at once for which this process has not enough files.
type tooMany struct{ error }

// Run measures a server as opt says. It appends the JSON line to opt.OutputFile, then prints the text
// block to stdout; progress and errors go to stderr. Closed pipes there end nothing. The exit code is 0 when at least one
// request succeeded, 1 when none did, the server cannot be reached, the dataset cannot be read to
// its end or the result got nowhere, 2 for options that make no sense, and 130 when ctx ended before the load did. What was
// measured until the dataset or ctx ended is printed and written all the same, marked as partial. A search ends with 4 when no load met its SLO.
func Run(ctx context.Context, opt Options, stdout, stderr io.Writer) int {
	signal.Ignore(syscall.SIGPIPE)
	defer signal.Reset(syscall.SIGPIPE)
	return run(ctx, opt, stdout, &console{w: stderr})
}

func run(ctx context.Context, opt Options, stdout io.Writer, stderr *console) int {
	if opt.Find.Active() {
		return runSearch(ctx, opt, stdout, stderr)
	}
	s, err := shown(ctx, opt, stdout, stderr, func(*wire.Record) {})
	if err != nil {
		fmt.Fprintf(stderr, "servematrix bench: %v\n", told(ctx, err))
		return exitCode(ctx, err)
	}
	if err := errors.Join(s.unwritten, s.deliver(stdout, stderr)); err != nil {
		fmt.Fprintf(stderr, "servematrix bench: %v\n", err)
		return exitFailed
	}
	for _, e := range s.Errors {
		fmt.Fprintf(stderr, "servematrix bench: %d requests failed (%s), first: %s\n", e.Count, e.Class, strings.Join(e.Examples, " · "))
	}
	if n := s.tally.Retries(); n > 0 {
		fmt.Fprintf(stderr, "servematrix bench: requests were sent anew %d times, because the server had closed the connection kept for them or, with HTTP/2, refused so many streams; their latencies hold the lost time\n", n)
	}
	for _, reason := range s.Bottleneck {
		fmt.Fprintf(stderr, "servematrix bench: the client may have been the limit: %s\n", reason)
	}
	if few := s.few(); few != "" {
		fmt.Fprintf(stderr, "servematrix bench: %s\n", few)
	}
	switch {
	case s.Partial:
		fmt.Fprintf(stderr, "servematrix bench: %s; the numbers are of the requests that had ended\n", s.Reason)
		if s.Reason != interrupted {
			return exitFailed
		}
		return exitInterrupted
	case s.Metrics.Value("completed") == 0:
		return exitFailed
	}
	return exitOK
}

// told is what to say of a measurement which failed.
func told(ctx context.Context, err error) error {
	if exitCode(ctx, err) == exitInterrupted {
		return errors.New(interrupted)
	}
	return err
}

// exitCode is that of a measurement which failed.
func exitCode(ctx context.Context, err error) int {
	var usage usageError
	switch {
	case errors.As(err, &usage):
		return exitUsage
	case ctx.Err() != nil:
		return exitInterrupted
	}
	return exitFailed
}

// shown measures, and says on stdout of what and on stderr how far it is.
func shown(ctx context.Context, opt Options, stdout io.Writer, stderr *console, ended func(*wire.Record)) (*Summary, error) {
	var bar *progress
	defer func() { bar.finish() }()
	note := func(text string) { fmt.Fprintln(stderr, "servematrix bench:", text) }
	return measure(ctx, opt, hooks{
		note: note,
		ready: func(o Options, set *dataset.Set) {
			o.tellUnread(stderr)
			o.announce(stdout)
			fmt.Fprintf(stdout, "#Input tokens: %s\n#Output tokens: %s\n", known(set.Input), known(set.Output))
			for _, text := range set.Notes {
				note(text)
			}
			if o.WarmupRequests > 0 {
				fmt.Fprintf(stdout, "Starting warmup with %d sequences...\n", o.WarmupRequests)
			}
		},
		begin: func(o Options, set *dataset.Set) {
			if !o.DisableTQDM {
				bar = newProgress(stderr, set.Count)
			}
		},
		sent: func() { bar.sent() },
		ended: func(r *wire.Record) {
			ended(r)
			bar.ended(r.Failed != nil)
		},
	})
}

// announce says who measures whom.
func (o Options) announce(w io.Writer) {
	fmt.Fprintf(w, "servematrix bench %s: %s %s\n", version(), o.Wire.Backend, o.Wire.ShownURL())
}

// Measure sends the load and gives what it measured, without printing anything. An error means
// that nothing could be measured; requests that failed are no error but counted. When ctx ends
// during the load, or the dataset cannot be read to its end, the summary is of what had ended, and
// marked as partial.
func Measure(ctx context.Context, opt Options) (*Summary, error) {
	return measure(ctx, opt, hooks{
		ready: func(Options, *dataset.Set) {}, note: func(string) {}, begin: func(Options, *dataset.Set) {}, sent: func() {}, ended: func(*wire.Record) {},
	})
}

// hooks tell of the steps of a measurement.
type hooks struct {
	ready func(Options, *dataset.Set)
	note  func(string) // what people might not expect
	begin func(Options, *dataset.Set)
	sent  func()
	ended func(*wire.Record)
}

func measure(ctx context.Context, opt Options, h hooks) (*Summary, error) {
	opt, err := opt.resolve()
	if err != nil {
		return nil, usageError{err}
	}
	set, err := openSet(ctx, func() (*dataset.Set, error) { return dataset.Open(opt.Dataset) })
	if err != nil {
		return nil, err
	}
	defer set.Close()
	opt.Dataset.Tokenizer = set.Tokenizer
	conversations := min(set.Count, opt.Dataset.NumPrompts) // of which one turn goes at a time
	if err := opt.Wire.CheckFiles(max(opt.Load.AtOnce(set, conversations), opt.warmupsAtOnce())); err != nil {
		return nil, usageError{tooMany{err}}
	}
	if err := errors.Join(writable("--output-file", opt.OutputFile), writable("--output-requests", opt.OutputRequests)); err != nil {
		return nil, err
	}
	return send(ctx, opt, set, h)
}

// openSet opens the dataset. Reading it takes its time: an interrupt does not wait for that.
func openSet(ctx context.Context, open func() (*dataset.Set, error)) (*dataset.Set, error) {
	type opened struct {
		set *dataset.Set
		err error
	}
	result := make(chan opened, 1)
	go func() {
		set, err := open()
		result <- opened{set, err}
	}()
	select {
	case r := <-result:
		if r.err != nil {
			return nil, usageError{r.err}
		}
		return r.set, nil
	case <-ctx.Done():
		return nil, ctx.Err() // its files go with the process
	}
}

// send prepares the server, sends the load and sums it up.
func send(ctx context.Context, opt Options, set *dataset.Set, h hooks) (_ *Summary, err error) {
	client := wire.New(opt.Wire)
	defer client.Close()
	if opt.Wire.Model, err = client.AskModel(ctx); err != nil {
		return nil, err
	}
	h.ready(opt, set)
	if err := opt.warmUp(ctx, client, set, h.note); err != nil {
		return nil, err
	}
	if opt.FlushCache {
		if err := client.Flush(ctx); err != nil {
			return nil, err
		}
	}
	prepared, stop := load.Prepare(ctx, set)
	defer stop()
	requests, err := openRequests(opt.OutputRequests, opt.Load.Scheduled(set), !opt.Wire.DisableStream)
	if err != nil {
		return nil, err
	}
	h.begin(opt, set)
	c := &conversations{client: client, summary: newSummary(opt, set), requests: requests, hooks: h, began: time.Now()}
	worked := watch(client.Reading)
	opt.Load.Run(ctx, c.began, prepared, func(p dataset.Prompt, due time.Duration) { c.hold(ctx, p, due) })
	stop() // what the set says of its end is known then
	s := c.summary
	s.end(time.Since(c.began), worked())
	if length, ok := client.AcceptLength(ctx); ok {
		s.Metrics.Set("accept_length", length)
	}
	s.Simulated = client.Simulated()
	s.cut(ctx, set)
	s.unwritten = requests.close()
	return s, nil
}

// known is a number of tokens; of some texts only the server can tell it.
func known(tokens int) string {
	if tokens == 0 {
		return "unknown until the server has counted them"
	}
	return strconv.Itoa(tokens)
}

// version is that of the module this binary was built from.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
