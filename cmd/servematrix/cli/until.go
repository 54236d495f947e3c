package cli

import (
	"cmp"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"servematrix/journal"
	"servematrix/matrix"
	"servematrix/orchestrator"
)

// usualMost is how many blocks a run that goes on by itself has at most, unless it is told.
const usualMost = 20

// untilOptions are the flags of a run that goes on by itself, block after block.
type untilOptions struct {
	until  string
	budget time.Duration
	most   int
}

func addUntilFlags(f *pflag.FlagSet, opt *untilOptions) {
	f.StringVar(&opt.until, "until", "", "go on with blocks until every cell is known so well: precision=2% (half the 95% interval of compare.primary)")
	f.DurationVar(&opt.budget, "budget", 0, "with --until: begin no block that would not end within this time, such as 6h")
	f.IntVar(&opt.most, "max-blocks", 0, "with --until: blocks at most (default 20)")
}

// given tells whether a flag says anything new.
func (o untilOptions) given() bool { return o != untilOptions{} }

// settle says how long the run goes on by itself, nil: not at all. before is what its last session
// intended, of which only what is given anew is replaced; spent is how long that session took, and
// blocks are those that the run shall have at the least.
func (o untilOptions) settle(before *journal.Until, spent float64, blocks int) (*journal.Until, error) {
	if o.budget < 0 || o.most < 0 {
		return nil, usageError("--budget and --max-blocks must be more than 0")
	}
	var u journal.Until
	if before != nil {
		u = *before
		u.Spent += spent
	}
	switch {
	case o.until == "none":
		if o.budget > 0 || o.most > 0 {
			return nil, usageError("--until none ends what --budget and --max-blocks are for: leave them out")
		}
		return nil, nil
	case o.until != "":
		text, ok := strings.CutPrefix(o.until, "precision=")
		precision, err := matrix.ParseShare(text)
		if !ok || err != nil || precision == 0 {
			return nil, usageError("--until %q: write such as --until precision=2%%, or none", o.until)
		}
		u.Precision, u.Most = precision, cmp.Or(u.Most, usualMost)
	case before == nil:
		if o.given() {
			return nil, usageError("--budget and --max-blocks go with --until")
		}
		return nil, nil
	}
	if o.budget > 0 {
		u.Budget, u.Spent = o.budget.Seconds(), 0
	}
	u.Least = max(u.Least, blocks, orchestrator.LeastLook)
	u.Most = cmp.Or(o.most, max(u.Most, u.Least))
	if u.Most < u.Least && before == nil {
		return nil, usageError("--max-blocks %d: precision is looked at after %d blocks, so that many must be allowed", u.Most, u.Least)
	}
	return &u, nil
}

// cellsOf gives the cells of some units.
func cellsOf(units []orchestrator.Unit) map[string]bool {
	cells := map[string]bool{}
	for _, u := range units {
		cells[u.Cell] = true
	}
	return cells
}
