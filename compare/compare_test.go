package compare

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"servematrix/effective"
	"servematrix/matrix"
	"servematrix/metric"
	"servematrix/result"
	"servematrix/stats"
)

// axes reads "backend=fa3 tp=8".
func axes(text string) matrix.Axes {
	out := matrix.Axes{}
	for _, word := range strings.Fields(text) {
		name, value, _ := strings.Cut(word, "=")
		out = append(out, matrix.Axis{Name: name, Value: value})
	}
	return out
}

// sample is a valid sample of a planned cell in a block.
func sample(server, client string, block int, throughput float64) *result.Sample {
	name := func(text string) string {
		var values []string
		for _, a := range axes(text) {
			values = append(values, a.Value)
		}
		return strings.Join(values, "/")
	}
	return &result.Sample{
		Cell: server + "|" + client, Block: block, Attempt: 1, Status: result.StatusOK,
		Server:  &result.Side{Name: name(server), ID: server, Axes: axes(server), Argv: append([]string{"serve"}, flagsOf(server)...), Env: map[string]string{}},
		Client:  &result.Side{Name: name(client), ID: client, Axes: axes(client), Argv: append([]string{"bench"}, flagsOf(client)...), Env: map[string]string{}},
		Metrics: metric.Of(map[string]float64{"output_throughput": throughput, "mean_ttft_ms": 1000 / throughput}),
	}
}

// flagsOf makes a flag of each axis.
func flagsOf(text string) []string {
	var out []string
	for _, a := range axes(text) {
		out = append(out, "--"+a.Name, a.Value)
	}
	return out
}

// blocks are samples of two arms, block by block.
func blocks(base, arm []float64) []*result.Sample {
	var out []*result.Sample
	for i := range base {
		out = append(out, sample("radix=on", "load=a", i+1, base[i]), sample("radix=off", "load=a", i+1, arm[i]))
	}
	return out
}

func mustCompare(t *testing.T, o Options, sources ...Source) *Result {
	t.Helper()
	r, err := Compare(sources, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestHalt(t *testing.T) {
	tired := errors.New("tired")
	sources := []Source{{Samples: blocks([]float64{100}, []float64{110})}}
	if r, err := Compare(sources, Options{Baseline: []string{"radix=on"}, Halt: func() error { return tired }}); err != tired || r != nil {
		t.Errorf("halted, it gives %v and %v", r, err)
	}
}

func near(got, want float64) bool { return math.Abs(got-want) <= 1e-6*math.Abs(want) }

// Worked by hand: the logs of 110/100, 112/100, 111/100 are 0.0953102, 0.1133287, 0.1043600; their
// mean is 0.1043330, their standard deviation 0.0090093, t(2) at 95 % is 4.3026527, so that half
// the interval is 0.0223805.
func TestPairedByHand(t *testing.T) {
	r := mustCompare(t, Options{Baseline: []string{"radix=on"}}, Source{Samples: blocks([]float64{100, 100, 100}, []float64{110, 112, 111})})
	if len(r.Pairs) != 1 || !r.Pairs[0].Paired {
		t.Fatalf("%+v", r.Pairs)
	}
	c, _ := r.Pairs[0].Of("output_throughput")
	if c.Exploratory || c.Verdict != stats.Better || c.Ratio.N != 3 || c.Ratio.Test != stats.PairedT {
		t.Errorf("%+v", c)
	}
	for _, v := range []struct {
		name      string
		got, want float64
	}{
		{"ratio", c.Ratio.Ratio, math.Exp(0.1043330)}, {"low", c.Ratio.Low, math.Exp(0.1043330 - 0.0223805)},
		{"high", c.Ratio.High, math.Exp(0.1043330 + 0.0223805)}, {"baseline", c.Baseline.Mean, 100}, {"arm", c.Arm.Mean, 111},
	} {
		if !near(v.got, v.want) && math.Abs(v.got-v.want) > 1e-5 {
			t.Errorf("%s is %v, want %v", v.name, v.got, v.want)
		}
	}
	ttft, _ := r.Pairs[0].Of("mean_ttft_ms")
	if !ttft.Exploratory || ttft.Verdict != stats.Better || !near(ttft.Ratio.Ratio, 1/c.Ratio.Ratio) {
		t.Errorf("TTFT: %+v", ttft)
	}
	if !r.Clean[0].Yes || r.Clean[0].Why[0] != "1 flag differs (--radix)" {
		t.Errorf("%+v", r.Clean)
	}
}

// Two starts of 90 and 110 against 180 and 220, all of one arm first: Welch, and a ratio of 2.
func TestArmsOneAfterTheOtherAreNotPaired(t *testing.T) {
	var s []*result.Sample
	for _, arm := range []struct {
		axis   string
		values []float64
	}{{"radix=on", []float64{90, 110}}, {"radix=off", []float64{180, 220}}} {
		for i, v := range arm.values {
			s = append(s, sample(arm.axis, "load=a", i+1, v))
		}
	}
	r := mustCompare(t, Options{}, Source{Samples: s})
	c, _ := r.Pairs[0].Of("output_throughput")
	if r.Pairs[0].Paired || c.Ratio.Test != stats.WelchT || !near(c.Ratio.Ratio, 2) {
		t.Errorf("%+v", r.Pairs[0])
	}
	if r.Clean[0].Yes || !strings.Contains(r.Clean[0].Why[0], "all starts of the baseline came before those of radix=off") {
		t.Errorf("%q", r.Clean[0].Why)
	}
	if r.Chosen == "" || r.Arms[0] != "radix=on" {
		t.Errorf("chosen %q, arms %q", r.Chosen, r.Arms)
	}
}

// The last valid attempt counts; blocks without one are counted and named and never averaged.
func TestAttempts(t *testing.T) {
	s := blocks([]float64{100, 100, 100, 100}, []float64{100, 100, 100, 100})
	again := sample("radix=off", "load=a", 1, 120)
	again.Attempt = 2
	worseLater := sample("radix=off", "load=a", 2, 1)
	worseLater.Attempt, worseLater.Status = 2, result.StatusInvalid
	s[5].Status = result.StatusInvalid // radix=off in block 3
	s[5].Validity = &result.Validity{Reasons: []result.Reason{{Reason: "requests_failed", Severity: result.SeverityError}}}
	s[7].Status, s[7].Metrics = result.StatusFailed, nil
	s[7].Failure = &result.Failure{Class: "oom"}
	r := mustCompare(t, Options{Baseline: []string{"radix=on"}}, Source{Samples: append(s, again, worseLater)})
	p := r.Pairs[0]
	if diff := cmp.Diff(Lost{Invalid: 1, Failed: 1, Why: []string{"requests_failed", "oom"}}, p.ArmLost); diff != "" {
		t.Error(diff)
	}
	c, _ := p.Of("output_throughput")
	if c.Ratio.N != 2 || !near(c.Arm.Mean, 110) || !near(c.Baseline.Mean, 100) {
		t.Errorf("%+v", c)
	}
	if got := strings.Join(r.Clean[0].Why, "; "); !strings.Contains(got, "in 1 cell starts were left out because they failed or are invalid") {
		t.Errorf("%q", got)
	}
	if !slices.ContainsFunc(r.Differences, func(d Difference) bool { return d.Kind == KindStarts && *d.Baseline == "4" && *d.Value == "2" }) {
		t.Errorf("%+v", r.Differences)
	}
}

// More than two values: each against the baseline, and one Holm over all.
func TestSeveralArmsShareOneHolm(t *testing.T) {
	var s []*result.Sample
	for block, v := range []float64{100, 101, 99} {
		for i, backend := range []string{"a", "b", "c"} {
			for _, load := range []string{"x", "y"} {
				s = append(s, sample("backend="+backend, "load="+load, block+1, v*(1+float64(i)/10+float64(block)/50)))
			}
		}
	}
	r := mustCompare(t, Options{Baseline: []string{"backend=a"}}, Source{Samples: s})
	if diff := cmp.Diff([]string{"backend=a", "backend=b", "backend=c"}, r.Arms); diff != "" {
		t.Error(diff)
	}
	var raw, got []float64
	for _, p := range r.Pairs {
		c, _ := p.Of("output_throughput")
		raw, got = append(raw, c.Ratio.P), append(got, c.P)
	}
	if len(got) != 4 {
		t.Fatalf("%d pairs, want 4", len(got))
	}
	if diff := cmp.Diff(stats.Holm(raw), got); diff != "" {
		t.Error(diff)
	}
	ttft, _ := r.Pairs[0].Of("mean_ttft_ms")
	if ttft.P != ttft.Ratio.P {
		t.Error("an exploratory p value was adjusted")
	}
}

func TestCellsArePairedOnAllOtherAxes(t *testing.T) {
	var s []*result.Sample
	for _, server := range []string{"radix=on tp=4", "radix=on tp=8", "radix=off tp=4", "radix=off tp=8"} {
		for _, load := range []string{"load=a dataset=sharegpt", "load=b dataset=sharegpt"} {
			if server != "radix=off tp=8" || load != "load=b dataset=sharegpt" {
				s = append(s, sample(server, load, 1, 100))
			}
		}
	}
	r := mustCompare(t, Options{Baseline: []string{"radix=on"}}, Source{Samples: s})
	var names []string
	for _, p := range r.Pairs {
		names = append(names, p.Cell)
	}
	if diff := cmp.Diff([]string{"4/a", "4/b", "8/a"}, names); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"8/b"}, r.Alone); diff != "" {
		t.Error(diff)
	}
	if r.PairedOn != "tp, load, dataset" {
		t.Errorf("paired on %q", r.PairedOn)
	}
	both := mustCompare(t, Options{Baseline: []string{"radix=on,tp=8"}}, Source{Samples: s})
	if diff := cmp.Diff([]string{"radix=on,tp=8", "radix=on,tp=4", "radix=off,tp=4", "radix=off,tp=8"}, both.Arms); diff != "" {
		t.Error(diff)
	}
	if why := both.Clean[1].Why; !strings.Contains(strings.Join(why, ";"), "2 things are compared at once") {
		t.Errorf("%q", why)
	}
}

func TestBaselinesThatDoNotFit(t *testing.T) {
	cells := []*result.Sample{sample("backend=fa3 tp=8", "load=a", 1, 1), sample("backend=triton tp=4", "load=a", 1, 1)}
	lone := []*result.Sample{sample("backend=fa3", "load=a", 1, 1)}
	clash := []*result.Sample{sample("x=1", "x=1", 1, 1), sample("x=2", "x=1", 1, 1)}
	for _, c := range []struct {
		baseline, message, hint string
		samples                 []*result.Sample
	}{
		{"backnd=fa3", `there is no axis "backnd"`, `did you mean "backend"?`, cells},
		{"backend=fa2", `backend is never "fa2"`, `did you mean "fa3"?`, cells},
		{"server.load=a", `the server has no axis "load"`, "backend (fa3, triton)", cells},
		{"backend", "want AXIS=VALUE", "backend=triton", cells},
		{"backend=fa3,backend=triton", "names backend twice", "", cells},
		{"backend=fa3", "no cell of backend=fa3 has a counterpart", "--baseline backend=fa3,tp=8", cells},
		{"flag:nix=1", "no command has the flag --nix", "", cells},
		{"", "say which value is the baseline", "backend (fa3, triton); tp (8, 4)", cells},
		{"", "say which value is the baseline", "there is one server", lone},
		{"backend=fa3", "nothing to compare backend=fa3 with", "there is one server", lone},
		{"x=1", "write server.x or client.x", "", clash},
	} {
		var o Options
		if c.baseline != "" {
			o.Baseline = []string{c.baseline}
		}
		_, err := Compare([]Source{{Samples: c.samples}}, o)
		var wrong *UsageError
		if !errors.As(err, &wrong) {
			t.Errorf("%s: %v", c.baseline, err)
			continue
		}
		if !strings.Contains(wrong.Message, c.message) || !strings.Contains(wrong.Hint, c.hint) {
			t.Errorf("%s: %s (%s)", c.baseline, wrong.Message, wrong.Hint)
		}
	}
	if _, err := Compare([]Source{{Samples: cells}}, Options{Baseline: []string{"tp=8.0,backend=fa3"}}); err != nil {
		t.Errorf("8.0 is 8: %v", err)
	}
	empty := []*result.Sample{sample(`model=""`, "load=a", 1, 1), sample("model=x", "load=a", 1, 1)}
	for _, baseline := range []string{"model=", `model=""`} {
		if _, err := Compare([]Source{{Samples: empty}}, Options{Baseline: []string{baseline}}); err != nil {
			t.Errorf("%s: %v", baseline, err)
		}
	}
	if _, err := Compare([]Source{{}}, Options{}); err == nil {
		t.Error("no samples at all were compared")
	}
}

// imported is a sample of a client alone, as import makes it.
func imported(name string, argv []string, values *metric.Values) *result.Sample {
	return &result.Sample{Status: result.StatusOK, Client: &result.Side{Name: name, Argv: argv}, Metrics: values}
}

func TestImportedFilesArePairedByLoad(t *testing.T) {
	load := func(v, prompts, conc float64) *metric.Values {
		return metric.Of(map[string]float64{"output_throughput": v, "num_prompts": prompts, "max_concurrency": conc})
	}
	before := Source{Name: "before", Samples: []*result.Sample{imported("x", nil, load(100, 256, 32)), imported("y", nil, load(50, 128, 16))}}
	after := Source{Name: "after", Samples: []*result.Sample{imported("p", nil, load(55, 128, 16)), imported("q", nil, load(120, 256, 32)), imported("r", nil, load(1, 1, 1))}}
	r := mustCompare(t, Options{}, before, after)
	got := map[string]float64{}
	for _, p := range r.Pairs {
		c, _ := p.Of("output_throughput")
		got[p.Cell] = math.Round(c.Ratio.Ratio*100) / 100
	}
	want := map[string]float64{"prompts 256, concurrency 32": 1.2, "prompts 128, concurrency 16": 1.1}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"prompts 1, concurrency 1"}, r.Alone); diff != "" {
		t.Error(diff)
	}
	if why := strings.Join(r.Clean[0].Why, "; "); !strings.Contains(why, "different runs") || !strings.Contains(why, "one start per arm allows no verdict") {
		t.Errorf("%q", why)
	}
}

// A configuration that one output reveals and the other does not keeps no cells apart; what both
// reveal is compared.
func TestConfigurationsThatOutputsReveal(t *testing.T) {
	with := func(config map[string]any, values *metric.Values) Source {
		s := imported("x", nil, values)
		s.Client.Name, s.Client.Config = fmt.Sprint(config["date"]), config
		return Source{Name: s.Client.Name, Samples: []*result.Sample{s}}
	}
	a := with(map[string]any{"num_prompts": int64(256), "random_input_len": int64(1000), "seed": int64(1), "date": "monday"}, metric.Of(map[string]float64{"output_throughput": 1}))
	b := with(map[string]any{"num_prompts": int64(256), "random_input_len": int64(1000), "seed": int64(2), "date": "tuesday"}, metric.Of(map[string]float64{"output_throughput": 2}))
	c := with(map[string]any{"date": "friday"}, metric.Of(map[string]float64{"output_throughput": 3, "num_prompts": 256}))
	r := mustCompare(t, Options{}, a, b)
	var got []string
	for _, d := range r.Differences {
		got = append(got, fmt.Sprint(d.What(), *d.Baseline, *d.Value, d.Harmless))
	}
	if diff := cmp.Diff([]string{"client configuration datemondaytuesdaytrue", "client configuration seed12false"}, got); diff != "" {
		t.Error(diff)
	}
	if r.Pairs[0].Cell != "prompts 256, input 1000" {
		t.Errorf("cell %q", r.Pairs[0].Cell)
	}
	if r := mustCompare(t, Options{}, a, c); len(r.Pairs) != 1 {
		t.Errorf("%+v", r.Pairs)
	}
}

// Several samples of which nobody knows the start are one start.
func TestSamplesOfUnknownStartsAreOneStart(t *testing.T) {
	one := func(v float64) *result.Sample {
		return imported("x", []string{"bench", "--num-prompts", "4"}, metric.Of(map[string]float64{"output_throughput": v}))
	}
	r := mustCompare(t, Options{}, Source{Name: "a", Samples: []*result.Sample{one(90), one(110)}}, Source{Name: "b", Samples: []*result.Sample{one(100)}})
	c, _ := r.Pairs[0].Of("output_throughput")
	if c.Baseline.N != 1 || c.Baseline.Mean != 100 || c.Verdict != stats.Inconclusive {
		t.Errorf("%+v", c)
	}
}

// Variants that only their commands tell apart meet the one that differs least.
func TestVariantsWithoutAxesMeetTheNearest(t *testing.T) {
	var s []*result.Sample
	for _, argv := range [][]string{
		{"serve", "--attention", "fa3", "--tp", "4"}, {"serve", "--attention", "fa3", "--tp", "8"},
		{"serve", "--tp", "8", "--attention=triton"}, {"serve", "--attention", "triton", "--tp", "4"},
	} {
		x := imported("c", []string{"bench"}, metric.Of(map[string]float64{"output_throughput": float64(len(s) + 1)}))
		x.Server = &result.Side{Name: strings.Join(argv, "_"), Argv: argv}
		s = append(s, x)
	}
	r := mustCompare(t, Options{Baseline: []string{"attention=fa3"}}, Source{Samples: s})
	if len(r.Pairs) != 2 || len(r.Notes) != 1 {
		t.Fatalf("%+v", r)
	}
	for i, want := range []float64{3.0 / 2, 4} {
		if c, _ := r.Pairs[i].Of("output_throughput"); !near(c.Ratio.Ratio, want) {
			t.Errorf("pair %d: ratio %v, want %v", i, c.Ratio.Ratio, want)
		}
	}
	if !r.Differences[0].Compared || len(r.Differences) != 1 {
		t.Errorf("%+v", r.Differences)
	}
}

// What is known around a start of one arm and is otherwise around one of the other is a difference.
func TestFactsAroundTheStarts(t *testing.T) {
	server := func(args map[string]any, driver string) *effective.Config {
		return &effective.Config{Engine: "sglang", Version: "0.5.9", Args: args, Info: map[string]map[string]any{"/info": {"radix_s": fmt.Sprint(args["radix"], "!"), "radix_state": fmt.Sprint(args["radix"])}}, Host: effective.Host{Drivers: []string{driver}}}
	}
	on := &Facts{Server: server(map[string]any{"radix": "on", "page_size": 1}, "535")}
	off := &Facts{Server: server(map[string]any{"radix": "off", "page_size": 64}, "535")}
	later := &Facts{Server: server(map[string]any{"radix": "off", "page_size": 64}, "550"), List: []Fact{{"servematrix", "version", "2"}}}
	around := func(x *result.Sample) *Facts {
		switch {
		case x.Server.ID == "radix=on":
			return on
		case x.Block == 2:
			return later
		}
		return off
	}
	r := mustCompare(t, Options{}, Source{Samples: blocks([]float64{100, 100}, []float64{100, 100}), Around: around})
	got := map[string]string{}
	for _, d := range r.Differences {
		got[d.What()] = textOf(d.Baseline) + textOf(d.Value)
	}
	// That the argument radix and the answer radix_s differ is what the flag says; radix_state only looks like it.
	want := map[string]string{"effective /info.radix_state": "=on=off", "flag --radix": "=on=off", "effective page_size": "=1=64", "host drivers": "=535=550", "servematrix version": "=2"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if why := r.Clean[0].Why; !strings.Contains(why[0], "effective page_size, servematrix version, host drivers differ too") {
		t.Errorf("%q", why)
	}
}

// Without the servers' own word the host file speaks.
func TestFactsOfTheHost(t *testing.T) {
	list := func(kernel string) *Facts {
		return &Facts{Host: []Fact{{"host", "kernel", kernel}, {"host", "CPU", "x"}}}
	}
	a, b := list("6.1"), list("6.8")
	r := mustCompare(t, Options{}, Source{Name: "a", Samples: blocks([]float64{1}, []float64{1}), Around: func(*result.Sample) *Facts { return a }},
		Source{Name: "b", Samples: blocks([]float64{1}, []float64{1}), Around: func(*result.Sample) *Facts { return b }})
	if len(r.Differences) != 1 || r.Differences[0].What() != "host kernel" || r.Differences[0].Pairs != 2 {
		t.Errorf("%+v", r.Differences)
	}
}

// Exchanging baseline and arm inverts every ratio and verdict and changes nothing else.
func TestExchangingTheArms(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 6).Draw(t, "blocks")
		value := rapid.Float64Range(1, 1000)
		base, arm := make([]float64, n), make([]float64, n)
		for i := range base {
			base[i], arm[i] = value.Draw(t, "baseline"), value.Draw(t, "arm")
		}
		s := blocks(base, arm)
		one, err1 := Compare([]Source{{Samples: s}}, Options{Baseline: []string{"radix=on"}})
		two, err2 := Compare([]Source{{Samples: s}}, Options{Baseline: []string{"radix=off"}})
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		a, _ := one.Pairs[0].Of("output_throughput")
		b, _ := two.Pairs[0].Of("output_throughput")
		if !near(a.Ratio.Ratio, 1/b.Ratio.Ratio) {
			t.Errorf("%v and %v", a.Ratio.Ratio, b.Ratio.Ratio)
		}
		opposite := map[stats.Verdict]stats.Verdict{stats.Better: stats.Worse, stats.Worse: stats.Better}
		if want, ok := opposite[a.Verdict]; ok && b.Verdict != want || !ok && b.Verdict != a.Verdict {
			t.Errorf("%s and %s", a.Verdict, b.Verdict)
		}
	})
}

func ExampleGate() {
	g, err := ParseGate("worse(output_throughput, 3%) or inconclusive(p99_ttft_ms)")
	fmt.Println(g.Metrics, err)
	_, err = ParseGate("worse(outputthroughput)")
	fmt.Println(err)
	// Output:
	// [output_throughput p99_ttft_ms] <nil>
	// --fail-if "worse(outputthroughput)": there is no metric "outputthroughput"
}
