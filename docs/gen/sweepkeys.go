package main

import (
	"fmt"
	"slices"
	"strings"

	"servematrix/matrix"
)

// forms say what a key's value looks like.
var forms = map[matrix.Kind]string{
	matrix.KindText: "text", matrix.KindBool: "true or false", matrix.KindNumber: "whole number", matrix.KindShare: "share",
	matrix.KindTime: "duration", matrix.KindBytes: "size", matrix.KindPattern: "regular expression", matrix.KindPlace: "path on the server",
	matrix.KindCondition: "condition", matrix.KindTexts: "list of texts", matrix.KindWords: "text or list of words",
	matrix.KindValues: "name → value", matrix.KindVariables: "name → value or null", matrix.KindAxes: "name → list of values",
	matrix.KindZip: "groups of axes", matrix.KindRules: "list of rules", matrix.KindRows: "list of rows",
	matrix.KindRequirements: "list of conditions", matrix.KindMapping: "mapping", matrix.KindMappings: "list of mappings",
	matrix.KindOffOrMapping: "mapping, or false",
}

// functions lists what expressions can call.
func functions([]string) (string, error) {
	return "`" + strings.Join(matrix.Functions(), "` `") + "`\n", nil
}

// sweepKeys draws the keys below a place of the sweep: "" for the top, "run", "server.ready";
// "both" for what server and client have in common, "server-only" for the rest of one.
func sweepKeys(args []string) (string, error) {
	keys, err := keysAt(strings.Join(args, ""))
	if err != nil {
		return "", err
	}
	rows := make([][]string, len(keys))
	for i, k := range keys {
		form := forms[k.Kind]
		if k.Choices != nil {
			form = "`" + strings.Join(k.Choices, "` `") + "`"
			if len(k.Choices) > 10 {
				form = "one of its names"
			}
		}
		if form == "" {
			return "", fmt.Errorf("no word for the form of %s", k.Name)
		}
		other := code(k.Default)
		if k.Needed {
			other = "required"
		}
		rows[i] = []string{code(k.Name), form, other, k.About, code(k.Example)}
	}
	return table([]string{"key", "value", "default", "meaning", "example"}, rows), nil
}

func keysAt(place string) ([]matrix.Key, error) {
	top := matrix.SweepKeys()
	below := func(keys []matrix.Key, name string) ([]matrix.Key, error) {
		i := slices.IndexFunc(keys, func(k matrix.Key) bool { return k.Name == name })
		if i < 0 || keys[i].Keys == nil {
			return nil, fmt.Errorf("the sweep has no keys below %q", name)
		}
		return keys[i].Keys, nil
	}
	server, err := below(top, "server")
	if err != nil {
		return nil, err
	}
	client, err := below(top, "client")
	if err != nil {
		return nil, err
	}
	in := func(keys []matrix.Key) func(matrix.Key) bool {
		return func(k matrix.Key) bool {
			return slices.ContainsFunc(keys, func(o matrix.Key) bool { return o.Name == k.Name })
		}
	}
	not := func(has func(matrix.Key) bool) func(matrix.Key) bool {
		return func(k matrix.Key) bool { return !has(k) }
	}
	switch place {
	case "":
		return top, nil
	case "both":
		return slices.DeleteFunc(slices.Clone(server), not(in(client))), nil
	case "server-only":
		return slices.DeleteFunc(slices.Clone(server), in(client)), nil
	case "client-only":
		return slices.DeleteFunc(slices.Clone(client), in(server)), nil
	}
	keys := top
	for _, name := range strings.Split(place, ".") {
		if keys, err = below(keys, name); err != nil {
			return nil, err
		}
	}
	return keys, nil
}
