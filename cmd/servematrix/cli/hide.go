package cli

import (
	"errors"
	"fmt"

	"servematrix/journal"
	"servematrix/orchestrator"
)

// hideSecrets does for runs that were killed what nobody did at their end: it takes
// secrets out of what their last servers and clients have written. It knows the secrets
// that the sweep spells out, if the sweep is where it was, those of this environment, and
// what shows itself as one.
func (d *diagnosis) hideSecrets(env Env, runs []journal.Folder) {
	for _, f := range runs {
		snap, err := takeSnapshot(env, f)
		if err != nil || snap.live || !orchestrator.Abandoned(snap.state) {
			continue // ls names the problem of one that cannot be read
		}
		s := &session{env: env, folder: f, plan: snap.plan}
		unknown := s.recoverLiterals(snap.plan, snap.state.Session.SweepPath)
		hidden, err := orchestrator.HideAbandoned(f, snap.state, s.redactor())
		for _, path := range hidden {
			d.Hidden = append(d.Hidden, shown(env, path))
		}
		if err = errors.Join(unknown, err); err != nil {
			d.Problems = append(d.Problems, fmt.Sprintf("what %s left may hold secrets: %v", shown(env, string(f)), err))
		}
	}
}
