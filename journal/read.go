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
		_, err = f.read(io.LimitReader(file, end.Offset), func(e Event) error {
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

// read parses the text block by block, several at a time, and hands the events out in order.
func (f Folder) read(text io.Reader, each func(Event) error) (end End, err error) {
	stop := make(chan struct{})
	blocks := make(chan *block, runtime.GOMAXPROCS(0))
	free := make(chan *block, cap(blocks)+2) // as many as can be on their way
	go cut(text, blocks, free, stop)
	defer func() {
		close(stop)
		for range blocks { // the reader is done with the file after this
		}
	}()
	var damage error
	for b := range blocks {
		<-b.parsed
		if b.err != nil {
			return end, fmt.Errorf("read the journal: %w", b.err)
		}
		if damage != nil {
			if !blank(b.text) {
				return end, damage
			}
			continue
		}
		for _, e := range b.events {
			if err := each(e); err != nil {
				return end, err
			}
			end.Seq, end.Session = e.Seq, e.Session
		}
		end.Offset += int64(b.whole)
		if b.bad != nil {
			damage = fmt.Errorf("%s:%d: not an event: %w", f.Path(EventsFile), b.line+len(b.events), b.bad)
			if !blank(b.behind) {
				return end, damage
			}
		}
		select {
		case free <- b:
		default:
		}
	}
	return end, nil
}

// blockSize is how much of a journal is parsed at once.
const blockSize = 1 << 20

// block is a stretch of whole lines; the last one of a file can end without a
// newline. It is used again when its events have been looked at.
type block struct {
	memory []byte
	text   []byte
	line   int // number of its first line
	err    error
	parsed chan struct{}

	events []Event
	whole  int    // bytes of these
	bad    error  // why the line after these is no event
	behind []byte // what stands behind that line
}

// cut parts text into blocks and lets each be parsed beside the next.
func cut(text io.Reader, blocks chan<- *block, free <-chan *block, stop <-chan struct{}) {
	defer close(blocks)
	line := 1
	var carry []byte // the begin of a line whose end was not read yet
	for more := true; more; {
		b := &block{}
		select {
		case b = <-free:
		default:
		}
		b.reset(len(carry)+blockSize, line)
		copy(b.memory, carry)
		n, err := io.ReadFull(text, b.memory[len(carry):])
		b.text, carry = b.memory[:len(carry)+n], carry[:0]
		if more = err == nil; !more && err != io.EOF && err != io.ErrUnexpectedEOF {
			b.err = err
		}
		if more {
			whole := bytes.LastIndexByte(b.text, '\n') + 1
			carry = append(carry, b.text[whole:]...)
			b.text = b.text[:whole]
		}
		line += bytes.Count(b.text, []byte{'\n'})
		select {
		case blocks <- b:
			go b.parse()
		case <-stop:
			return
		}
	}
}

func (b *block) reset(size, line int) {
	if cap(b.memory) < size {
		b.memory = make([]byte, size+size/4)
	}
	b.memory = b.memory[:size]
	*b = block{memory: b.memory, line: line, parsed: make(chan struct{}), events: b.events[:0]}
}

func (b *block) parse() {
	defer close(b.parsed)
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
