//go:build !linux

package wire

import (
	"context"
	"time"

	"servematrix/bench/dataset"
)

// pipes are for Linux; elsewhere net/http does all.
type pipes struct{}

func newPipes(*Client) *pipes { return nil }

func (*pipes) send(context.Context, func(), *answer, dataset.Prompt, time.Time) {}

func (*pipes) close() {}
