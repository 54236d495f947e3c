// Package matrix turns a sweep file into a plan: load, validate, expand, identify.
//
// It is pure: it reads the sweep file only, starts nothing and knows no engine.
// What it needs from outside (environment, file digests) is handed to it.
// The command tree calls it; engine completes what it returns.
package matrix
