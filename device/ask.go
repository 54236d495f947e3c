package device

import (
	"context"
	"sync"
	"time"
)

// AnswerLimit is how long a tool may take to answer: a driver that hangs takes its
// tool with it. Without persistence mode nvidia-smi initialises every GPU first,
// which takes seconds.
const AnswerLimit = 20 * time.Second

// Answer is what a tool said when it was asked.
type Answer struct {
	Snapshot       // empty but for its Tool when Err is set
	Err      error // see Tool.Read
}

// Ask asks all the tools at once. Each has until ctx ends.
func Ask(ctx context.Context, tools []Tool) []Answer {
	answers := make([]Answer, len(tools))
	var all sync.WaitGroup
	for i, t := range tools {
		all.Go(func() {
			s, err := t.Read(ctx)
			if err != nil {
				s = Snapshot{Tool: t.Name()}
			}
			answers[i] = Answer{s, err}
		})
	}
	all.Wait()
	return answers
}
