package matrix

// topKeys are the keys of a sweep.
var topKeys = []Key{
	{Name: "version", Kind: KindNumber, Needed: true, Example: "1", About: "Version of the sweep format: 1."},
	{Name: "name", Example: "attention-backends", About: "Part of the run folder's name: letters, digits, `.` `_` `-`, at most 64. From the file's name where it is not given."},
	{Name: "vars", Kind: KindValues, Example: "{model: /models/llama}", About: "Values for expressions, as `${{ vars.NAME }}`. They can refer to one another and to `env`."},
	{Name: "server", Kind: KindMapping, Needed: true, Keys: serverKeys, About: "The server: its command and the axes of its variants."},
	{Name: "client", Kind: KindMapping, Needed: true, Keys: clientKeys, About: "The benchmark client: its command and the axes of its workloads."},
	{Name: "pair", Kind: KindMapping, Keys: pairKeys, About: "Which server meets which client; without it all meet all."},
	{Name: "run", Kind: KindMapping, Keys: runKeys, About: "How the run goes."},
	{Name: "compare", Kind: KindMapping, Keys: compareKeys, About: "What comparisons are about."},
	{Name: "validity", Kind: KindChoice, Choices: []string{"normal", "strict"}, Default: "normal", About: "With `strict`, warnings make a sample invalid too."},
	{Name: "secrets", Kind: KindTexts, Example: "[MYKEY, MY_*]", About: "Further names of variables, or patterns of them, whose values are secret."},
	{Name: "profiles", Kind: KindTexts, Example: "[profiles.yaml]", About: "Files with engine and client profiles of one's own, relative to the sweep."},
	{Name: "hooks", Kind: KindMapping, Keys: hooksKeys, About: "Commands around the run."},
	{Name: "report", Kind: KindMapping, Keys: reportKeys, About: "How reports are written."},
}

var reportKeys = []Key{
	{Name: "lang", Kind: KindChoice, Choices: []string{"en", "zh"}, Default: "en", About: "Language of the text report."},
}

var pairKeys = []Key{
	{Name: "when", Kind: KindCondition, Needed: true, Example: "server.tp > 1 or client.conc == 1", About: "Pairs for which it holds are run."},
	{Name: "why", About: "The reason, for people."},
}

var compareKeys = []Key{
	{Name: "primary", Default: "output_throughput", Example: "p99_ttft_ms", About: "The metric that decides, by its name in results.jsonl: one of which more is better or worse, no count of requests or tokens."},
	{Name: "min_effect", Kind: KindShare, Default: "2%", About: "The smallest difference that matters, as `2%` or `0.02`."},
}

var runKeys = []Key{
	{Name: "blocks", Kind: KindNumber, Default: "1", Example: "5", About: "How often every cell is measured, each with server starts of its own. A comparison needs 3, better 5."},
	{Name: "order", Kind: KindChoice, Choices: []string{"grouped", "blocked"}, Default: "grouped", About: "`grouped`: all blocks of one server, then the next, in the order of the plan. `blocked`: all servers, then the next block, at random and balanced."},
	{Name: "seed", Kind: KindNumber, Example: "17", About: "A number from 1 on that decides the order of a blocked run. Where it is not given it is drawn when the run is made, and kept in its plan.json."},
	{Name: "retries", Kind: KindNumber, Default: "1", About: "Further tries of a failed or invalid sample; interruptions do not count."},
	{Name: "on_failure", Kind: KindChoice, Choices: []string{"continue", "stop"}, Default: "continue", About: "`stop`: end the run when a sample finally failed."},
	{Name: "on_start_failure", Kind: KindChoice, Choices: []string{"skip", "continue", "stop"}, Default: "skip", About: "`skip`: give a server up after two failed starts that would fail again (a bad flag, out of memory …). `continue`: try every cell. `stop`: end the run."},
	{Name: "on_foreign_process", Kind: KindChoice, Choices: []string{"warn", "stop"}, Default: "warn", About: "Processes of others on the devices that a server may use. `warn`: name each once and go on. `stop`: do not start (exit code 6)."},
	{Name: "cooldown", Kind: KindTime, Default: "0s", Example: "30s", About: "Pause between the end of one server and the next start; Ctrl-C and `stop` end it."},
	{Name: "max_cells", Kind: KindNumber, Default: "10000", About: "A larger matrix is refused."},
	{Name: "telemetry", Kind: KindMapping, Keys: telemetryKeys, About: "How often host, devices and engine are looked at while a client runs."},
	{Name: "log_limit", Kind: KindBytes, Default: "2GiB", Example: "512MiB", About: "What one log of a server or client may take on disk; of a larger one the middle is cut out. 0: any number of bytes."},
}

var telemetryKeys = []Key{
	{Name: "host", Kind: KindTime, Default: "2s", Example: "5s", About: "Processor time of the server's tree, the client's tree and the host, and the host's memory, from /proc."},
	{Name: "devices", Kind: KindTime, Default: "1m", Example: "10s", About: "Utilization, power, temperature, clock and memory of the server's devices, by their vendor's tool; the first look comes after 10 s at the latest. With `0s` nobody sees others on the devices, or slow devices, while a client runs."},
	{Name: "engine", Kind: KindTime, Default: "10s", Example: "30s", About: "Running and waiting requests and KV cache use, where the profile names these gauges and the server has the page (SGLang: `--enable-metrics`)."},
}

var hooksKeys = []Key{
	{Name: "before_run", Kind: KindMapping, Keys: hookKeys, About: "Once a session, before anything starts."},
	{Name: "before_launch", Kind: KindMapping, Keys: hookKeys, About: "Before each server start, after the cooldown."},
	{Name: "after_cell", Kind: KindMapping, Keys: hookKeys, About: "After each sample."},
	{Name: "after_run", Kind: KindMapping, Keys: hookKeys, About: "Once a session, last; also when the run was interrupted or ended by an error."},
	{Name: "on_failure", Kind: KindMapping, Keys: hookKeys, About: "After each sample that failed or is invalid, before `after_cell`."},
}

var hookKeys = []Key{
	{Name: "command", Kind: KindWords, Needed: true, Example: "./notify.sh", About: "The program and its words, without late values and without a leading `NAME=value`. It is looked for before anything starts."},
	{Name: "timeout", Kind: KindTime, Default: "10m", Example: "30s", About: "It is ended after this time."},
	{Name: "on_error", Kind: KindChoice, Choices: []string{"continue", "stop"}, Default: "continue", About: "`continue`: a warning. `stop`: failure class `hook_failed`; `before_launch` fails its cells, the others end the run with exit code 6."},
}
