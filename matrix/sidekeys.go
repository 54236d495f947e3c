package matrix

import "slices"

// scopeKeys are the keys that server and client have in common.
var scopeKeys = []Key{
	{Name: "axes", Kind: KindAxes, Example: "{tp: [4, 8]}", About: "Name → list of values; all combinations are made, the last axis fastest. A value is a scalar, a list, or `{id: NAME, …fields}`."},
	{Name: "zip", Kind: KindZip, Example: "{tp: [2, 4], dp: [4, 2]}", About: "Axes that go side by side: equal lengths, nothing is repeated."},
	{Name: "derive", Kind: KindValues, Example: "{mem: '${{ tp == 8 ? 0.9 : 0.8 }}'}", About: "Name → value computed for each row."},
	{Name: "exclude", Kind: KindRules, Example: "[{backend: triton, tp: 4, why: known to be slow}]", About: "Rows that a rule matches are dropped."},
	{Name: "add", Kind: KindRows, Example: "[{backend: triton, tp: 16}]", About: "Further rows; each names every axis."},
	{Name: "patch", Kind: KindMappings, Keys: patchKeys, About: "Sets values in the rows that a rule matches."},
	{Name: "require", Kind: KindRequirements, Keys: requireKeys, Example: "[tp * dp <= 8]", About: "Conditions that every row must meet."},
	{Name: "command", Kind: KindWords, Example: "vllm serve /models/llama --tensor-parallel-size ${{ tp }}", About: "The command, split as a shell would, without a shell. A leading `NAME=value` is environment."},
	{Name: "shell", Example: "source env.sh && exec vllm serve /models/llama", About: "In place of `command`: a script for `bash -c`."},
	{Name: "args", Kind: KindValues, Example: "{tp: '${{ tp }}', trust-remote-code: true}", About: "Flag → value, added after the command. true: the bare flag; false or null: left out; a list: several values; a mapping: JSON."},
	{Name: "env", Kind: KindVariables, Example: "{CUDA_VISIBLE_DEVICES: '0,1'}", About: "Variables of the command's environment; null unsets one."},
	{Name: "unset", Kind: KindTexts, Example: "[http_proxy]", About: "Variables that are taken out of its environment."},
	{Name: "dir", Example: "/work", About: "Its working folder; the one where `run` was started, where it is not given."},
	{Name: "files", Kind: KindTexts, Example: "[prompts.json]", About: "Files whose content belongs to what is measured: a changed one runs again."},
	{Name: "profile", Example: "sglang", About: "The profile by its name, where the command does not tell."},
	{Name: "timeout", Kind: KindTime, Example: "2h", About: "How long it may take."},
}

var patchKeys = []Key{
	{Name: "match", Kind: KindValues, Example: "{backend: triton}", About: "Names and values that a row must have."},
	{Name: "when", Kind: KindCondition, Example: "tp == 4", About: "A condition beside match, or in place of it."},
	{Name: "set", Kind: KindValues, Needed: true, Example: "{mem: 0.85}", About: "What is set: derived values, new names, or fields of axis values."},
	{Name: "why", About: "The reason, for people."},
}

var requireKeys = []Key{
	{Name: "assert", Kind: KindCondition, Needed: true, Example: "tp * dp <= 8", About: "What must hold."},
	{Name: "when", Kind: KindCondition, Example: "tp == 8", About: "For which rows; for all, where it is not given."},
	{Name: "why", About: "The reason, for people."},
}

var serverKeys = append(slices.Clone(scopeKeys), []Key{
	{Name: "port", Kind: KindNumber, Example: "${{ late.port }}", About: "Where it listens; from the command's flag or the profile where it is not given. `${{ late.port }}` has a free one chosen."},
	{Name: "ready", Kind: KindMapping, Keys: readyKeys, About: "When it is up. The keys that are given replace the profile's."},
	{Name: "stop", Kind: KindMapping, Keys: stopKeys, About: "How it is told to end."},
	{Name: "failure", Kind: KindMappings, Keys: failureKeys, Example: "[{class: oom, log: out of memory}]", About: "Log lines that name why it failed."},
	{Name: "flush", Kind: KindOffOrMapping, Keys: flushKeys, Example: "{method: POST, path: /flush_cache}", About: "The request that empties its caches; false: none."},
	{Name: "isolation", Kind: KindChoice, Choices: []string{"cell", "launch"}, Default: "cell", About: "`cell`: a fresh start for each cell and block. `launch`: one start serves all clients of a block, caches flushed between them."},
}...)

var clientKeys = append(slices.Clone(scopeKeys), []Key{
	{Name: "silence", Kind: KindTime, Default: "10m", About: "It is ended when nothing gets on for so long; 0s: never."},
	{Name: "warmup", Kind: KindNumber, Default: "0", Example: "1", About: "Runs of the client before the one that counts."},
	{Name: "bench", Kind: KindValues, Example: "{num_prompts: 64, max_concurrency: '${{ conc }}'}", About: "In place of `command`: the flags of the embedded client."},
}...)

var readyKeys = []Key{
	{Name: "log", Kind: KindPattern, Example: "server is fired up", About: "A line of its log."},
	{Name: "http", Kind: KindPlace, Example: "/health", About: "A path that answers with 200."},
	{Name: "tcp", Kind: KindBool, About: "Its port accepts connections."},
	{Name: "timeout", Kind: KindTime, Default: "30m", About: "It must be up after this time, counted anew with each progress of the load."},
	{Name: "silence", Kind: KindTime, Default: "15m", About: "It is given up when it logs nothing for so long."},
}

var stopKeys = []Key{
	{Name: "signal", Kind: KindChoice, Choices: signals, Default: "TERM", About: "The first signal."},
	{Name: "grace", Kind: KindTime, Default: "60s", About: "How long it may take to end."},
}

var failureKeys = []Key{
	{Name: "class", Kind: KindChoice, Choices: failureClasses, Needed: true, About: "The class of the failure."},
	{Name: "log", Kind: KindPattern, Needed: true, Example: "out of memory", About: "A regular expression for a line of its log."},
	{Name: "fatal", Kind: KindBool, About: "The line alone ends the start, though the process lives."},
}

var flushKeys = []Key{
	{Name: "method", Kind: KindChoice, Choices: []string{"GET", "POST", "PUT", "DELETE"}, About: "The method."},
	{Name: "path", Kind: KindPlace, Needed: true, Example: "/flush_cache", About: "A path on the server."},
	{Name: "expect", Kind: KindPattern, About: "What the answer must hold."},
}
