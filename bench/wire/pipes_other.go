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

func (*pipes) exchange(context.Context, func(), *answer, dataset.Prompt, bool) error { return nil }

func (*pipes) reading() time.Duration { return 0 }

func (*pipes) close() {}
