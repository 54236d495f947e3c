package bench

import (
	"io"
	"sync"
	"time"
)

// console writes for people, of whom nothing else may depend: where nobody reads (a terminal that is
// stopped, a full pipe) the measurement goes on, and ends. Each Write is written out when it returns,
// or has waited for that as long as patience says; then what is written is kept, and nobody waits,
// until somebody reads again. Safe for several goroutines.
type console struct {
	w io.Writer

	mu      sync.Mutex
	text    []byte        // not yet being written
	written chan struct{} // closed when all is written; nil: nothing is being written
	stuck   bool          // somebody has waited in vain
}

const patience = time.Second

// Write never fails: nobody need look.
func (c *console) Write(p []byte) (int, error) {
	c.mu.Lock()
	c.text = append(c.text, p...)
	if c.written == nil {
		c.written = make(chan struct{})
		go c.drain()
	}
	written, stuck := c.written, c.stuck
	c.mu.Unlock()
	if stuck {
		return len(p), nil
	}
	select {
	case <-written:
	case <-time.After(patience):
		c.mu.Lock()
		defer c.mu.Unlock()
		c.stuck = c.written != nil
	}
	return len(p), nil
}

// drain writes until nothing is left.
func (c *console) drain() {
	for {
		c.mu.Lock()
		text := c.text
		c.text = nil
		if len(text) == 0 {
			close(c.written)
			c.written, c.stuck = nil, false
			c.mu.Unlock()
			return
		}
		c.mu.Unlock()
		_, _ = c.w.Write(text) // nobody need look
	}
}

// busy tells whether earlier text still waits for its reader.
func (c *console) busy() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.written != nil
}
