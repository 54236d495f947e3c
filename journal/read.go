package journal

import (
	"bufio"
	"bytes"
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
func (f Folder) Read(each func(Event) error) (End, error) {
	file, err := os.Open(f.Path(EventsFile))
	if err != nil {
		return End{}, fmt.Errorf("read the journal: %w", err)
	}
	defer file.Close()
	return f.read(file, each)
}

// Ahead calls each, in order, with what prepare made of every event. prepare is called for several
// stretches of the journal at a time: reading a large run is mostly what it does. An event's Data is
// its own only until each returns.
func Ahead[T any](f Folder, prepare func(Event) T, each func(T) error) (End, error) {
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
	return f.readBlocks(file, work, func(b *block, i int) error { return each(b.made.([]T)[i]) })
}

// Events gives the events of the journal as Read does; each is whole until the next is asked for.
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
		err = f.readAside(io.LimitReader(file, end.Offset), func(e Event) error {
			if !yield(e, nil) {
				return errEnough
			}
			return nil
		})
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
	text := bufio.NewReader(io.NewSectionReader(file, max(info.Size()-n, 0), n))
	if info.Size() > n { // begin behind the line that is cut
		if _, err := text.ReadString('\n'); err != nil {
			return nil, nil
		}
	}
	var events []Event
	_, err = f.read(text, func(e Event) error {
		events = append(events, e)
		return nil
	})
	return events, err
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

// read parses the text, and hands the events out in order.
func (f Folder) read(text io.Reader, each func(Event) error) (End, error) {
	return f.readBlocks(text, (*block).parse, func(b *block, i int) error { return each(b.events[i]) })
}

// readBlocks works on the text block by block, several at a time, and hands out each event of each block in order.
func (f Folder) readBlocks(text io.Reader, work func(*block), each func(*block, int) error) (End, error) {
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
	r := reading{folder: f, each: each}
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

// readAside does what read does with one block after the other: it takes its time
// and leaves the other processors to others.
func (f Folder) readAside(text io.Reader, each func(Event) error) error {
	r := reading{folder: f, each: func(b *block, i int) error { return each(b.events[i]) }}
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
	folder Folder
	each   func(*block, int) error
	end    End
	lines  int
	damage error // what was no event, as long as nothing but padding was seen behind it
}

func (r *reading) take(b *block) error {
	if b.err != nil {
		return fmt.Errorf("read the journal: %w", b.err)
	}
	if r.damage != nil {
		if !blank(b.text) {
			return r.damage
		}
		return nil
	}
	for i := range b.events {
		if err := r.each(b, i); err != nil {
			return err
		}
		r.end.Seq, r.end.Session = b.events[i].Seq, b.events[i].Session
	}
	r.end.Offset += int64(b.whole)
	r.lines += len(b.events)
	if b.bad != nil {
		r.damage = &DamageError{Path: r.folder.Path(EventsFile), Line: r.lines + 1, Err: b.bad}
		if !blank(b.behind) {
			return r.damage
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
	whole  int    // bytes of these
	bad    error  // why the line after these is no event
	behind []byte // what stands behind that line
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
	*b = block{memory: b.memory[:size], events: b.events[:0], made: b.made}
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
	for p := (parser{}); ; {
		line, rest, complete := bytes.Cut(b.text[b.whole:], []byte{'\n'})
		if !complete {
			return // nothing, or torn
		}
		e, err := p.event(line)
		if err != nil {
			b.bad, b.behind = err, rest
			return
		}
		b.events = append(b.events, e)
		b.whole += len(line) + 1
	}
}

// averageLine is about the length of an event.
const averageLine = 400

// blank tells whether text says nothing: it is what a file system fills a torn line up with.
func blank(text []byte) bool { return len(bytes.Trim(text, "\x00 \t\r\n")) == 0 }
