package matrix

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"servematrix/metric"
	"servematrix/spelling"
)

// loadTop reads what a sweep says about the run as a whole, with the defaults
// of the contract for what it does not say.
func (sw *sweep) loadTop(m *mapping) {
	p := sw.plan
	p.Profiles = sw.texts(m, "profiles")
	p.Run = Run{Blocks: 1, Order: "grouped", Retries: 1, OnFailure: "continue", OnStartFailure: "skip", OnForeign: "warn", MaxCells: 10_000, LogLimit: 2 << 30, Telemetry: DefaultTelemetry()}
	p.Compare = Compare{Primary: "output_throughput", MinEffect: 0.02}
	p.Validity, p.Lang, p.Hooks = "normal", "en", Hooks{}
	sw.set(m, "validity", "", choiceSetter(keyOf(topKeys, "validity").Choices, func(_ draft, s string) { p.Validity = s }))
	if e := m.entry("report"); e != nil {
		if rm := sw.keyed(e.value, "report", namesOf(reportKeys)...); rm != nil {
			sw.set(rm, "lang", "report.", choiceSetter(keyOf(reportKeys, "lang").Choices, func(_ draft, s string) { p.Lang = s }))
		}
	}
	if e := m.entry("run"); e != nil {
		sw.loadRun(e.value)
	}
	if e := m.entry("compare"); e != nil {
		if cm := sw.keyed(e.value, "compare", namesOf(compareKeys)...); cm != nil {
			sw.set(cm, "primary", "compare.", sw.setPrimary)
			sw.set(cm, "min_effect", "compare.", sw.setMinEffect)
		}
	}
	if e := m.entry("hooks"); e != nil {
		sw.loadHooks(e.value)
	}
}

// set reads one setting that is the same for the whole run.
func (sw *sweep) set(m *mapping, key, prefix string, set setter) {
	e := m.entry(key)
	if e == nil {
		return
	}
	t := sw.consts.compileTree(e.value)
	if t == nil {
		return
	}
	if wrong, suggestion := set(draft{}, t.fixed); wrong != "" {
		sw.fail(e.value, "bad-value", suggestion, "%s%s %s", prefix, key, wrong)
	}
}

// maxMaxCells bounds max_cells: a plan of that many cells takes gigabytes.
const maxMaxCells = 10_000_000

// leastLogLimit leaves room for the head of a log and for the tail that a failure is explained with.
const leastLogLimit = 1 << 20

func (sw *sweep) loadRun(n *yaml.Node) {
	m := sw.keyed(n, "run", namesOf(runKeys)...)
	if m == nil {
		return
	}
	r := &sw.plan.Run
	sw.set(m, "blocks", "run.", intSetter(1, func(_ draft, n int) { r.Blocks = n }))
	sw.set(m, "order", "run.", choiceSetter(keyOf(runKeys, "order").Choices, func(_ draft, s string) { r.Order = s }))
	sw.set(m, "seed", "run.", intSetter(1, func(_ draft, n int) { r.Seed = n }))
	if r.Blocks > 1 && m.get("order") == nil {
		sw.unordered = m.get("blocks")
	}
	sw.set(m, "retries", "run.", intSetter(0, func(_ draft, n int) { r.Retries = n }))
	sw.set(m, "on_failure", "run.", choiceSetter(keyOf(runKeys, "on_failure").Choices, func(_ draft, s string) { r.OnFailure = s }))
	sw.set(m, "on_start_failure", "run.", choiceSetter(keyOf(runKeys, "on_start_failure").Choices, func(_ draft, s string) { r.OnStartFailure = s }))
	sw.set(m, "on_foreign_process", "run.", choiceSetter(keyOf(runKeys, "on_foreign_process").Choices, func(_ draft, s string) { r.OnForeign = s }))
	sw.set(m, "cooldown", "run.", durationSetter(func(_ draft, d Duration) { r.Cooldown = d }))
	sw.set(m, "max_cells", "run.", intSetter(1, func(_ draft, n int) { r.MaxCells = n }))
	sw.set(m, "log_limit", "run.", sizeSetter(leastLogLimit, func(_ draft, n Size) { r.LogLimit = n }))
	if e := m.entry("telemetry"); e != nil {
		sw.loadTelemetry(e.value)
	}
	if r.MaxCells > maxMaxCells {
		sw.fail(m.get("max_cells"), "bad-value", "", "max_cells can be %d at most", maxMaxCells)
		r.MaxCells = maxMaxCells
	}
}

// leastLook is the shortest time between two looks: each costs something.
const leastLook = time.Second

func (sw *sweep) loadTelemetry(n *yaml.Node) {
	m := sw.keyed(n, "run.telemetry", namesOf(telemetryKeys)...)
	if m == nil {
		return
	}
	t := sw.plan.Run.Telemetry
	for key, every := range map[string]*Duration{"host": &t.Host, "devices": &t.Devices, "engine": &t.Engine} {
		sw.set(m, key, "run.telemetry.", durationSetter(func(_ draft, d Duration) { *every = d }))
		if *every > 0 && *every < Duration(leastLook) {
			sw.fail(m.get(key), "bad-value", "", "run.telemetry.%s must be 0s (never) or at least %s", key, leastLook)
		}
	}
}

func (sw *sweep) setPrimary(_ draft, v *value) (string, string) {
	s, wrong := plainText(v)
	if wrong != "" {
		return wrong, ""
	}
	info, known := metric.Lookup(s)
	switch {
	case !known:
		return fmt.Sprintf("%q is no metric", s), spelling.DidYouMean(s, metric.Names())
	case info.Better == metric.Neutral:
		return fmt.Sprintf("cannot be %s: it describes the load, more of it is neither better nor worse", s), "take one that is, such as output_throughput or p99_ttft_ms"
	}
	sw.plan.Compare.Primary = s
	return "", ""
}

// setMinEffect reads a percentage, or a fraction.
func (sw *sweep) setMinEffect(_ draft, v *value) (string, string) {
	s, wrong := plainText(v)
	if wrong != "" {
		return wrong, ""
	}
	x, err := ParseShare(s)
	if err != nil {
		return err.Error(), "write such as 2% (or 0.02)"
	}
	sw.plan.Compare.MinEffect = x
	return "", ""
}

// ParseShare reads a share of less than the whole, as a percentage (2%) or a fraction (0.02).
func ParseShare(s string) (float64, error) {
	text, percent := strings.CutSuffix(strings.TrimSpace(s), "%")
	x, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if percent {
		x /= 100
	}
	switch {
	case err != nil || !(x >= 0):
		return 0, fmt.Errorf("must be a percentage, not %q", s)
	case x >= 1:
		return 0, fmt.Errorf("is %g%%, more than a whole", x*100)
	}
	return x, nil
}

// loadHooks reads the commands around the run, by moment.
func (sw *sweep) loadHooks(n *yaml.Node) {
	moments := namesOf(hooksKeys)
	m := sw.keyed(n, "hooks", moments...)
	if m == nil {
		return
	}
	for _, e := range m.entries {
		if !slices.Contains(moments, e.name) {
			continue
		}
		hm := sw.keyed(e.value, "the hook "+e.name, namesOf(hookKeys)...)
		if hm == nil {
			continue
		}
		h := Hook{OnError: "continue"}
		sw.set(hm, "timeout", "hooks."+e.name+".", durationSetter(func(_ draft, d Duration) { h.Timeout = d }))
		sw.set(hm, "on_error", "hooks."+e.name+".", choiceSetter(keyOf(hookKeys, "on_error").Choices, func(_ draft, s string) { h.OnError = s }))
		command := hm.get("command")
		if command == nil {
			sw.fail(e.value, "missing-key", "write {command: PROGRAM WORDS…}", "the hook %s has no command", e.name)
			continue
		}
		h.At = sw.pos(command)
		if h.Argv = sw.hookCommand(command); h.Argv != nil {
			sw.plan.Hooks[e.name] = h
		}
	}
}

func (sw *sweep) hookCommand(n *yaml.Node) []string {
	words, env := sw.consts.loadCommand(n, "the hook's command")
	if len(env) > 0 {
		sw.fail(n, "bad-value", "write env NAME=value PROGRAM …", "a hook has no environment of its own")
		return nil
	}
	var argv []string
	for i := range words {
		var failed *evalError
		if argv, failed = words[i].words(argv, rows{}); failed != nil {
			sw.reportEval(failed, rows{}, nil)
			return nil
		}
	}
	for _, w := range argv {
		segs, _ := segments(w) // what is resolved is well formed
		for _, seg := range segs {
			if seg.isExpr && !strings.HasPrefix(strings.TrimSpace(seg.text), "env.") {
				sw.fail(n, "late-value", "a hook is told about the run by its environment", "%s has no value in a hook", opener+seg.text+closer)
				return nil
			}
		}
	}
	if len(argv) > 0 {
		v := newVault(sw.source)
		v.literals = sw.literals()
		v.argv(argv, n)
	}
	return argv
}

// literals is the store of the secrets that the sweep spells out.
func (sw *sweep) literals() map[string]string {
	if sw.plan.Literals == nil {
		sw.plan.Literals = map[string]string{}
	}
	return sw.plan.Literals
}
