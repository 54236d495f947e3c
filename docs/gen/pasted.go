package main

import (
	"fmt"
	"strings"

	"servematrix/bench"
	"servematrix/bench/pasted"
)

// pastedFlags draws what becomes of each flag of another benchmark client, by its name, in the
// embedded one.
func pastedFlags(args []string) (string, error) {
	program := strings.Join(args, " ")
	p := pasted.Lookup(program)
	if p == nil {
		return "", fmt.Errorf("no client %q is known", program)
	}
	var rows [][]string
	for _, f := range p.Flags {
		fate := p.Fate(f, bench.Own)
		here, note := string(fate), f.Note
		switch {
		case f.To != "" && f.To != f.Name && fate == pasted.Same:
			here = code(f.To)
		case fate == pasted.Same:
			here = "the same"
		case fate == pasted.Read:
			here = "translated"
		}
		if len(f.Only) > 0 && fate == pasted.Refused {
			note = strings.TrimPrefix(note+"; ", "; ") + "left out unless the data set is " + strings.Join(f.Only, ", ")
		}
		rows = append(rows, []string{code(f.Name), code(f.Default), here, note})
	}
	return fmt.Sprintf("Of version %s.\n\n", p.Version) + table([]string{"flag", "default there", "here", ""}, rows), nil
}
