package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"servematrix/engine"
	"servematrix/matrix"
)

// profileKeys draws the keys of a kind of profile, server or client, of a client's "layout", of a
// "value" in that, or of a "condition".
func profileKeys(args []string) (string, error) {
	s, err := readSchema("profile")
	if err != nil {
		return "", err
	}
	k := &keyed{root: s, known: shape}
	kind := args[0]
	switch kind {
	case "server", "client":
		for _, one := range s.AnyOf {
			if slices.Contains(one.Required, kind) {
				one.Required = nil // all others may be absent
				k.object(one, "")
			}
		}
	case "layout":
		layout, _ := s.AnyOf[1].Properties.Get("layout")
		_, inner, _ := (&keyed{root: s, known: func(ref string, keys []string) string {
			if slices.Contains(keys, "signature") {
				return ""
			}
			return shape(ref, keys)
		}}).form(layout)
		k.object(inner, "")
	case "value":
		k.object(s.Definitions["value"], "")
	case "condition":
		tokens, _ := s.AnyOf[1].Properties.Get("tokens")
		when, _ := tokens.AnyOf[0].Properties.Get("when")
		k.object(when.AnyOf[0].Items, "")
	}
	if len(k.rows) == 0 {
		return "", fmt.Errorf("no keys of a %q", kind)
	}
	if k.bare != nil {
		return "", fmt.Errorf("nothing says what these are: %s", strings.Join(k.bare, " "))
	}
	return table([]string{"key", "value", "is"}, k.rows), nil
}

// shape names small mappings that stand in many places.
func shape(ref string, keys []string) string {
	switch {
	case strings.HasSuffix(ref, "/value"):
		return "[value](#values)"
	case slices.Contains(keys, "signature"):
		return "[layout](#layout-how-a-clients-file-is-read)"
	}
	switch strings.Join(keys, " ") {
	case "flag values not default":
		return "[condition](#conditions)"
	case "flag default", "flag default by", "en zh source", "header key", "flag metrics", "command when":
		return "`{" + strings.Join(keys, ", ") + "}`"
	}
	return ""
}

// shippedProfiles draws what this binary recognises: servers or clients.
func shippedProfiles(args []string) (string, error) {
	catalog, err := engine.Load()
	if err != nil {
		return "", err
	}
	var rows [][]string
	if args[0] == "servers" {
		for _, name := range catalog.ServerNames() {
			p := catalog.Server(name)
			ready := ""
			switch {
			case p.Ready.Log != nil:
				ready = code(p.Ready.Log.String())
			case p.Ready.TCP && p.Ready.HTTP == "":
				ready = "none; its port accepts"
			}
			flush := "none"
			if p.Flush != nil {
				flush = code(p.Flush.Method + " " + p.Flush.Path)
				for _, name := range slices.Sorted(maps.Keys(p.Flush.Env)) {
					flush += " with " + code(name+"="+p.Flush.Env[name])
				}
			}
			stop := p.Stop.Signal + ", " + grace(p.Stop.Grace)
			rows = append(rows, []string{code(name), recognised(name, p.Match), code(p.Port.Default), ready, code(p.Ready.HTTP), stop, flush})
		}
		return table([]string{"profile", "recognises", "port", "ready line", "health path", "stop", "flush"}, rows), nil
	}
	for _, name := range catalog.ClientNames() {
		p := catalog.Client(name)
		target := code(p.Target.URL)
		if target == "" {
			target = code(p.Target.Host.Flag) + " " + code(p.Target.Port.Flag)
		}
		var adds []string
		for _, add := range p.Result.Add {
			adds = append(adds, code(strings.Join(add, " ")))
		}
		read := "its layout"
		if p.Layout == nil {
			read = "a parser"
		}
		rows = append(rows, []string{code(name), recognised(name, p.Match), target, strings.Join(adds, " "), code(p.Requests.Flag), read})
	}
	return table([]string{"profile", "recognises", "sends to", "added to write a result", "requests asked for", "read by"}, rows), nil
}

func recognised(name string, matches []engine.Match) string {
	switch {
	case name == engine.Generic:
		return "any command that no other profile recognises"
	case len(matches) == 0:
		return "no command; others extend it, or `import` reads by it"
	}
	var out []string
	for _, m := range matches {
		text := code(m.Command)
		for _, c := range m.When {
			text += " with " + code(strings.TrimSpace(c.Flag+" "+strings.Join(c.Values, " or ")))
		}
		if !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	return strings.Join(out, ", ")
}

// grace is a time as people write it: 60s, not 1m0s.
func grace(d matrix.Duration) string {
	return fmt.Sprintf("%vs", time.Duration(d).Seconds())
}
