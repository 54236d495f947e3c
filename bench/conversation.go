package bench

import (
	"context"
	"time"

	"servematrix/bench/dataset"
	"servematrix/bench/wire"
)

// conversations sends prompts, and what follows each in its conversation.
type conversations struct {
	client   *wire.Client
	summary  *Summary
	requests *requestFile
	hooks    hooks
	began    time.Time
}

// hold sends a prompt that is due at a point in time since the beginning, and each turn after it as
// soon as the answer before is there: that is when it is due. A turn that cannot be asked because
// the one before it failed has failed, too.
func (c *conversations) hold(ctx context.Context, p dataset.Prompt, due time.Duration) {
	for {
		c.hooks.sent()
		r := c.client.Send(ctx, p, c.began)
		if ctx.Err() != nil && r.Failed != nil {
			return // cut short by us, which says nothing about the server
		}
		r.Intended = due
		answer, failed := r.Answer, r.Failed != nil
		c.count(r)
		switch {
		case p.Next == nil:
			return
		case failed:
			c.giveUp(p.Next)
			return
		}
		p, due = p.Follow(answer), time.Since(c.began)
	}
}

// giveUp counts the turns that were never asked.
func (c *conversations) giveUp(p *dataset.Prompt) {
	for ; p != nil; p = p.Next {
		c.hooks.sent()
		now := time.Since(c.began)
		c.count(&wire.Record{Intended: now, Start: now, Input: p.Input, Failed: &wire.Failure{Class: wire.NotAsked, Message: "an earlier turn of its conversation failed"}})
	}
}

// count takes in a request that has ended, and keeps it or gives it back.
func (c *conversations) count(r *wire.Record) {
	c.summary.Options.Tally.Define(r)
	c.requests.add(r)
	c.hooks.ended(r)
	c.summary.add(r)
}
