// Package process runs one supervised process tree: it starts a server or a
// client below a guard (a re-exec of this very binary), tells at once when its
// main process ends, and ends the tree so that nothing of it is left. It knows
// nothing of what it runs, of sweeps or of log contents. The orchestrator
// starts and stops through it; readiness asks it who owns a port; doctor and
// resume find and end leftovers with it. Linux only: it lives on /proc.
package process
