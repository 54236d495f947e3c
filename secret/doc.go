// Package secret knows what must not be seen and hides it.
//
// Names decide: a variable or flag whose name looks like a credential, or that
// the sweep lists under secrets, has a secret value. Everything that servematrix
// writes (plan, events, reports, copied excerpts) goes through a Redactor first.
// It knows nothing of sweeps or runs; matrix, orchestrator and report call it.
package secret
