// Package jsonwalk walks over JSON that servematrix itself wrote: events, samples, metrics. A large
// run has a million of such texts, and encoding/json takes several times as long for them.
//
// It is no parser for what others wrote: a Cursor fails at the first thing that it does not expect,
// right or wrong, and encoding/json has the last word on that text. result, journal and
// report call it.
package jsonwalk
