package matrix

import "slices"

// scopeKeys are the keys that server and client have in common.
var scopeKeys = []Key{
	{Name: "axes", Kind: KindAxes, Example: "{tp: [4, 8]}", About: "Name → list of values. All combinations are made, the last axis fastest. A value is a scalar, a list, or `{id: NAME, …fields}`."},
	{Name: "zip", Kind: KindZip, Example: "{tp: [2, 4], dp: [4, 2]}", About: "Axes that go side by side: equal lengths, nothing is repeated."},
	{Name: "derive", Kind: KindValues, Example: "{mem: '${{ tp == 8 ? 0.9 : 0.8 }}'}", About: "Name → value computed for each row; may refer to axes and to other derived values."},
	{Name: "exclude", Kind: KindRules, Example: "[{backend: triton, tp: 4, why: known to be slow}]", About: "Rules; a row of the product that one matches is dropped, and `plan` lists it."},
	{Name: "add", Kind: KindRows, Example: "[{backend: triton, tp: 16}]", About: "Further rows; each names every axis. `exclude` does not touch them."},
	{Name: "patch", Kind: KindMappings, Keys: patchKeys, About: "Rules that set values in the rows that they match."},
	{Name: "require", Kind: KindRequirements, Keys: requireKeys, Example: "[tp * dp <= 8]", About: "Conditions that every row must meet; otherwise the sweep is refused."},
	{Name: "command", Kind: KindWords, Example: "vllm serve /models/llama --tensor-parallel-size ${{ tp }}", About: "A list of words, or one text that is split as a shell would, without a shell: `$VAR`, `~`, `*`, `$(…)` and pipes are errors. A leading `NAME=value` is environment."},
	{Name: "shell", Example: "source env.sh && exec vllm serve /models/llama", About: "In place of `command`: a script for `bash -c`; values put in are quoted. Flags go into the script, not under `args`."},
	{Name: "args", Kind: KindValues, Example: "{tp: '${{ tp }}', trust-remote-code: true}", About: "Flag → value, added after the command. A flag without dashes gets two. true: the bare flag; false or null: left out; a list: several values; a mapping: JSON."},
	{Name: "env", Kind: KindVariables, Example: "{CUDA_VISIBLE_DEVICES: '0,1'}", About: "Variables of its environment; null takes one out."},
	{Name: "unset", Kind: KindTexts, Example: "[http_proxy]", About: "Variables to take out of the inherited environment."},
	{Name: "dir", Example: "/work", About: "Its working folder; where it is not given, the one where `run` was started."},
	{Name: "files", Kind: KindTexts, Example: "[prompts.json]", About: "Files whose content belongs to the identity (configs, datasets; no model weights), relative to the sweep file."},
	{Name: "profile", Example: "sglang", About: "The profile by its name, where the command is not recognised. For a client, `embedded`: the embedded client puts the same load on the server in place of `sglang.bench_serving` or `vllm bench serve`; `plan` shows both commands."},
	{Name: "timeout", Kind: KindTime, Example: "2h", About: "Limit of the whole process. Where it is not given: 2h for clients, none for servers."},
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
	{Name: "port", Kind: KindNumber, Example: "${{ late.port }}", About: "Where it listens: a number, or `${{ late.port }}` for a free one. Where it is not given: the flag in the command, else the profile's."},
	{Name: "ready", Kind: KindMapping, Keys: readyKeys, About: "When it is up; all that are asked must hold. The keys that are given replace the profile's, the others stay."},
	{Name: "stop", Kind: KindMapping, Keys: stopKeys, About: "How it is told to end."},
	{Name: "failure", Kind: KindMappings, Keys: failureKeys, Example: "[{class: oom, log: out of memory}]", About: "What a log line means, before the profile's patterns."},
	{Name: "flush", Kind: KindOffOrMapping, Keys: flushKeys, Example: "{method: POST, path: /flush_cache}", About: "The request that empties its caches; false: none. Where it is not given: the profile's."},
	{Name: "isolation", Kind: KindChoice, Choices: []string{"cell", "launch"}, Default: "cell", About: "`cell`: a fresh start for each cell and block. `launch`: one start serves all clients of a block, caches flushed between them; where no flush works, the next cell gets a fresh start."},
}...)

var clientKeys = append(slices.Clone(scopeKeys), []Key{
	{Name: "silence", Kind: KindTime, Default: "10m", About: "It is ended when nothing gets on for so long; 0s: never."},
	{Name: "warmup", Kind: KindNumber, Default: "0", Example: "1", About: "Runs of the client before the one that counts, on the same start. Their numbers are thrown away, and behind each the caches are flushed."},
	{Name: "bench", Kind: KindValues, Example: "{dataset_name: random, num_prompts: 64, max_concurrency: '${{ conc }}'}", About: "In place of `command`: the flags of the embedded client (`servematrix bench`). `_` counts as `-`, and `--base-url` and `--backend` are added: the server's address, and its engine's backend. Paths count from the sweep file, and what the file of `dataset_path` holds belongs to the identity. A flag or value that it does not take is refused with the sweep."},
}...)

var readyKeys = []Key{
	{Name: "log", Kind: KindPattern, Example: "server is fired up", About: "A line of its log; false: none."},
	{Name: "http", Kind: KindPlace, Example: "/health", About: "A path that answers 2xx; false: none."},
	{Name: "tcp", Kind: KindBool, About: "Its port accepts connections."},
	{Name: "timeout", Kind: KindTime, Default: "30m", About: "From start to ready. A start that shows progress (weights that load, graphs that are captured) counts anew with each step that was not seen before."},
	{Name: "silence", Kind: KindTime, Default: "15m", About: "The longest time without output."},
}

var stopKeys = []Key{
	{Name: "signal", Kind: KindChoice, Choices: signals, Default: "TERM", About: "The first signal."},
	{Name: "grace", Kind: KindTime, Default: "60s", About: "Then it is killed. A server that is not ready yet gets at most its profile's `stop.starting`, 5s."},
}

var failureKeys = []Key{
	{Name: "class", Kind: KindChoice, Choices: failureClasses, Needed: true, About: "The class of the failure."},
	{Name: "log", Kind: KindPattern, Needed: true, Example: "out of memory", About: "A regular expression for a line of its log."},
	{Name: "fatal", Kind: KindBool, About: "Seen before ready: do not wait for the exit."},
}

var flushKeys = []Key{
	{Name: "method", Kind: KindChoice, Choices: []string{"GET", "POST", "PUT", "DELETE"}, About: "The method; POST where it is not given."},
	{Name: "path", Kind: KindPlace, Needed: true, Example: "/flush_cache", About: "A path on the server."},
	{Name: "expect", Kind: KindPattern, About: "What the answer must hold."},
}
