package journal

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"os"
	"runtime"
)

// End is a place in the journal: behind its last whole event.
type End struct {
	Offset  int64 // bytes of whole events
	Seq     int64 // of the last event, 0 before the first
	Session int   // of the last event, 0 before the first
}

// Read calls each with every event, in order, and gives the place where they
// end. A torn last line, the mark of a crash, is passed over, and so are the
// zeroes with which a file system fills it up; damage anywhere else is an error. An
// event's Data is its own only until each returns: who keeps it keeps a Clone.
func (f Folder) Read(each func(Event) error) (End, error) { return f.Salvage(each, refuse) }

// Salvage reads as Read does, and goes on behind damage: damaged is called with each line that is no
// event, where it stands among the events. Its error ends the reading.
func (f Folder) Salvage(each func(Event) error, damaged func(*DamageError) error) (End, error) {
	file, err := os.Open(f.Path(EventsFile))
	if err != nil {
		return End{}, fmt.Errorf("read the journal: %w", err)
	}
	defer file.Close()
	return f.readBlocks(file, (*block).parse, func(b *block, i int) error { return each(b.events[i]) }, damaged)
}

// refuse lets damage end a reading.
func refuse(d *DamageError) error { return d }

// Ahead calls each, in order, with what prepare made of every event, and damaged as Salvage does. prepare is
// called for several stretches of the journal at a time: reading a large run is mostly what it does. An event's
// Data is its own only until each returns.
func Ahead[T any](f Folder, prepare func(Event) T, each func(T) error, damaged func(*DamageError) error) (End, error) {
	file, err := os.Open(f.Path(EventsFile))
	if err != nil {
		return End{}, fmt.Errorf("read the journal: %w", err)
	}
	defer file.Close()
	work := func(b *block) {
		b.parse()
		made, _ := b.made.([]T) // the memory of the block before
		made = made[:0]
		for _, e := range b.events {
			made = append(made, prepare(e))
		}
		b.made = made
	}
	return f.readBlocks(file, work, func(b *block, i int) error { return each(b.made.([]T)[i]) }, damaged)
}

// Events gives the events of the journal; each is whole until the next is asked for. A damaged line is
// given as a *DamageError, and who goes on gets what stands behind it.
func (f Folder) Events() iter.Seq2[Event, error] { return f.Past(End{Offset: math.MaxInt64}) }

// Past gives the events before end, as Events does.
func (f Folder) Past(end End) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		file, err := os.Open(f.Path(EventsFile))
		if err != nil {
			yield(Event{}, fmt.Errorf("read the journal: %w", err))
			return
		}
		defer file.Close()
		give := func(e Event, err error) error {
			if !yield(e, err) {
				return errEnough
			}
			return nil
		}
		err = f.readAside(io.LimitReader(file, end.Offset), func(e Event) error { return give(e, nil) }, func(d *DamageError) error { return give(Event{}, d) })
		if err != nil && !errors.Is(err, errEnough) {
			yield(Event{}, err)
		}
	}
}

var errEnough = errors.New("enough was read")

// Recent gives the events in the last n bytes of the journal, for who wants to
// know how a run ended and not all that was before.
func (f Folder) Recent(n int64) ([]Event, error) {
	file, err := os.Open(f.Path(EventsFile))
	if err != nil {
		return nil, fmt.Errorf("read the journal: %w", err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, fmt.Errorf("read the journal: %w", err)
	}
	begin := max(info.Size()-n, 0)
	text := bufio.NewReader(io.NewSectionReader(file, begin, n))
	if begin > 0 { // behind the line that is cut
		cut, err := text.ReadString('\n')
		if err != nil {
			return nil, nil
		}
		begin += int64(len(cut))
	}
	var events []Event
	_, err = f.readBlocks(text, (*block).parse, func(b *block, i int) error {
		events = append(events, b.events[i])
		return nil
	}, func(d *DamageError) error {
		before, err := countLines(io.NewSectionReader(file, 0, begin))
		d.Line += before
		return cmp.Or(err, error(d))
	})
	return events, err
}

// countLines counts the ends of lines.
func countLines(text io.Reader) (n int, err error) {
	for part := make([]byte, 64<<10); err == nil; {
		var read int
		read, err = text.Read(part)
		n += bytes.Count(part[:read], []byte{'\n'})
	}
	if err == io.EOF {
		err = nil
	}
	return n, err
}

// Replay reads all events at once. Who does not need them side by side uses Read.
func (f Folder) Replay() ([]Event, error) {
	var events []Event
	_, err := f.Read(func(e Event) error {
		events = append(events, e.Clone())
		return nil
	})
	return events, err
}

// readBlocks works on the text block by block, several at a time, and hands out each event of each block in order.
func (f Folder) readBlocks(text io.Reader, work func(*block), each func(*block, int) error, damaged func(*DamageError) error) (End, error) {
	stop := make(chan struct{})
	blocks := make(chan *block, runtime.GOMAXPROCS(0))
	free := make(chan *block, cap(blocks)+2) // as many as can be on their way
	go func() {
		defer close(blocks)
		for c := (cutter{text: text}); !c.over; {
			b := &block{}
			select {
			case b = <-free:
			default:
			}
			c.next(b)
			b.parsed = make(chan struct{})
			select {
			case blocks <- b:
				go func() {
					defer close(b.parsed)
					work(b)
				}()
			case <-stop:
				return
			}
		}
	}()
	defer func() {
		close(stop)
		for b := range blocks { // the files are let go of after this
			<-b.parsed
		}
	}()
	r := reading{folder: f, each: each, damaged: damaged}
	for b := range blocks {
		<-b.parsed
		if err := r.take(b); err != nil {
			return r.end, err
		}
		select {
		case free <- b:
		default:
		}
	}
	return r.end, nil
}

// readAside does what readBlocks does with one block after the other: it takes its time
// and leaves the other processors to others.
func (f Folder) readAside(text io.Reader, each func(Event) error, damaged func(*DamageError) error) error {
	r := reading{folder: f, each: func(b *block, i int) error { return each(b.events[i]) }, damaged: damaged}
	b := &block{}
	for c := (cutter{text: text}); !c.over; {
		c.next(b)
		b.parse()
		if err := r.take(b); err != nil {
			return err
		}
	}
	return nil
}

// reading is how far the events were handed out.
type reading struct {
	folder  Folder
	each    func(*block, int) error
	damaged func(*DamageError) error
	end     End
	bytes   int64        // of the blocks before
	lines   int          // in them
	torn    *DamageError // what was no event, as long as nothing but padding was seen behind it
	holed   bool         // there was damage
}

func (r *reading) take(b *block) error {
	if b.err != nil {
		return fmt.Errorf("read the journal: %w", b.err)
	}
	events := 0
	for _, bad := range b.bad {
		if err := r.hand(b, events, bad.behind); err != nil {
			return err
		}
		events = bad.behind
		if err := r.stumble(bad); err != nil {
			return err
		}
	}
	if err := r.hand(b, events, len(b.events)); err != nil {
		return err
	}
	if len(b.events) > 0 {
		r.end.Offset = r.bytes + int64(b.whole)
	}
	r.lines += b.lines
	r.bytes += int64(len(b.text))
	if r.torn != nil && !blank(b.rest) {
		return r.tell(nil)
	}
	return nil
}

// hand hands events of a block out. What was no event before them is damage.
func (r *reading) hand(b *block, from, to int) error {
	if from < to {
		if err := r.tell(nil); err != nil {
			return err
		}
	}
	for i := from; i < to; i++ {
		if err := r.each(b, i); err != nil {
			return err
		}
		r.end.Seq, r.end.Session = b.events[i].Seq, b.events[i].Session
	}
	return nil
}

// stumble takes in a line that is no event: one alone at the end is the mark of a crash.
func (r *reading) stumble(at bad) error {
	d := &DamageError{Path: r.folder.Path(EventsFile), Line: r.lines + at.line, Err: at.err}
	switch {
	case r.torn == nil && !r.holed:
		r.torn = d
		return nil
	case at.blank:
		return nil
	}
	return r.tell(d)
}

// tell tells what is damage after all, and a further line that is.
func (r *reading) tell(further *DamageError) error {
	before := r.torn
	r.torn = nil
	for _, d := range []*DamageError{before, further} {
		if d == nil {
			continue
		}
		r.holed = true
		if err := r.damaged(d); err != nil {
			return err
		}
	}
	return nil
}

// blockSize is how much of a journal is parsed at once.
const blockSize = 1 << 20

// block is a stretch of whole lines; the last one of a file can end without a
// newline. It is used again when its events have been looked at.
type block struct {
	memory []byte
	text   []byte
	err    error
	parsed chan struct{}

	events []Event
	made   any    // of these, by who reads ahead
	whole  int    // bytes up to the end of the last of these
	lines  int    // that end
	bad    []bad  // those that are no events
	rest   []byte // of a line without its end
}

// bad is a line that is no event.
type bad struct {
	line   int // in its block, from 1
	behind int // events of the block before it
	err    error
	blank  bool
}

// cutter cuts a text into blocks.
type cutter struct {
	text  io.Reader
	carry []byte // the begin of a line whose end was not read yet
	over  bool
}

// next makes b the next block.
func (c *cutter) next(b *block) {
	size := len(c.carry) + blockSize
	if cap(b.memory) < size {
		b.memory = make([]byte, size+size/4)
	}
	*b = block{memory: b.memory[:size], events: b.events[:0], made: b.made, bad: b.bad[:0]}
	copy(b.memory, c.carry)
	n, err := io.ReadFull(c.text, b.memory[len(c.carry):])
	b.text, c.carry = b.memory[:len(c.carry)+n], c.carry[:0]
	if err == nil {
		whole := bytes.LastIndexByte(b.text, '\n') + 1
		c.carry = append(c.carry, b.text[whole:]...)
		b.text = b.text[:whole]
		return
	}
	c.over = true
	if err != io.EOF && err != io.ErrUnexpectedEOF {
		b.err = err
	}
}

func (b *block) parse() {
	if b.events == nil {
		b.events = make([]Event, 0, len(b.text)/averageLine)
	}
	p := parser{}
	for b.rest = b.text; ; {
		line, rest, complete := bytes.Cut(b.rest, []byte{'\n'})
		if !complete {
			return // nothing, or torn
		}
		b.rest = rest
		b.lines++
		e, err := p.event(line)
		if err != nil {
			b.bad = append(b.bad, bad{b.lines, len(b.events), err, blank(line)})
			continue
		}
		b.events = append(b.events, e)
		b.whole = len(b.text) - len(rest)
	}
}

// averageLine is about the length of an event.
const averageLine = 400

// blank tells whether text says nothing: it is what a file system fills a torn line up with.
func blank(text []byte) bool { return len(bytes.Trim(text, "\x00 \t\r\n")) == 0 }
