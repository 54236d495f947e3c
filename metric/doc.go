// Package metric is the one table of metric names: what each is called in results, in what
// unit, how people read it, and whether more of it is good.
//
// It measures nothing and parses nothing. Package result fills Values from what a client
// printed; stats, report and the command tree ask Lookup how to read and to judge them.
package metric
