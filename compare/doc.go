// Package compare sets the samples of two or more arms against one another: which cells belong
// together, what is known of each start, how the arms differ in what was measured, and in what
// else they differ ("Is this a clean A/B?").
//
// It reads no files and draws nothing. The command tree gives it samples of run folders or of
// imported results; package stats does the mathematics; package report draws the Result.
package compare
