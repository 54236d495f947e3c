package draft

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
	"mvdan.cc/sh/v3/syntax"

	"servematrix/command"
	"servematrix/engine"
)

// Input is what a sweep is to be made from.
type Input struct {
	Name    string    // of the sweep
	Path    string    // of the file, for the comments
	Servers []Command // none: the simulated server stands in
	Clients []Command // none: the embedded client stands in
	Pairs   [][2]int  // which server each client followed, by their places in Servers and Clients; none: not known
	Notes   []string  // what a reader of the file must know
	// What is worth sweeping, offered where a half has one command.
	ServerWorth, ClientWorth []engine.Worth
}

// Sweep writes the sweep.
func Sweep(in Input) []byte {
	var b strings.Builder
	b.WriteString(modeline)
	fmt.Fprintf(&b, `# A sweep for servematrix: every server variant below runs under every workload.
#   servematrix validate %[1]s    finds every mistake
#   servematrix plan %[1]s        shows what would run, and starts nothing
#   servematrix run %[1]s         runs it; servematrix resume goes on after an interruption
`, in.Path)
	for _, n := range in.Notes {
		fmt.Fprintf(&b, "# NOTE %s\n", n)
	}
	fmt.Fprintf(&b, "version: 1\nname: %s\n\n", scalar(in.Name))
	writeVars(&b, slices.Concat(in.Servers, in.Clients))
	server, client := in.halves()
	if len(in.Servers) == 0 {
		b.WriteString("# The embedded simulated server stands in for yours. Put your own command in its place, such as\n" +
			"#   command: python3 -m sglang.launch_server --model-path /models/llama --tp 8 ${{ radix.flags }}\n" +
			"#   command: vllm serve /models/llama --tensor-parallel-size 8\n")
	}
	b.WriteString("server:\n")
	server.write(&b, "one dimension each; the variants are their product")
	b.WriteString("\n")
	if len(in.Clients) == 0 {
		b.WriteString("# The embedded client measures any OpenAI-compatible server; sglang.bench_serving and vllm bench serve work as well.\n")
	}
	b.WriteString("client:\n")
	client.write(&b, "the loads")
	if p := pairsOf(in); p.chosen() {
		if when, ok := p.when(server, client); ok {
			fmt.Fprintf(&b, "\npair: # the script runs these %d of %d\n  when: %s\n", len(p.ran), p.servers*p.clients, scalar(when))
		}
	}
	b.WriteString(`
run:
  blocks: 1      # rounds over everything; 3 and more are what a comparison needs
  order: blocked # every round starts each server, so that no drift of the host favours one
  # retries: 1   # for what is worth retrying
`)
	return []byte(b.String())
}

// halves makes the server and the client half.
func (in Input) halves() (server, client side) {
	server, client = side{axes: simAxes, command: simServer}, side{axes: benchAxes, command: benchClient}
	if len(in.Servers) > 0 {
		server = build(in.Servers, "variant", nil, in.ServerWorth)
	}
	var names []string
	for _, a := range slices.Concat(server.axes, server.offers) {
		names = append(names, a.name)
	}
	if len(in.Clients) > 0 {
		client = build(in.Clients, "load", names, in.ClientWorth)
	}
	return server, client
}

// What stands in for a missing half. The lengths are small, so that a first run takes seconds.
var (
	simAxes = []axis{{name: "radix", values: []string{
		mapping("id", "radix-on", "flags", "[]"),
		mapping("id", "radix-off", "flags", "[--disable-radix-cache]"),
	}}}
	simServer   = []string{"servematrix", "sim", "serve", "--style", "sglang", "${{ radix.flags }}"}
	benchAxes   = []axis{{name: "load", values: []string{mapping("id", "c4", "prompts", "40", "conc", "4"), mapping("id", "c16", "prompts", "80", "conc", "16")}}}
	benchClient = []string{"servematrix", "bench", "--base-url", "${{ server.url }}", "--dataset-name", "random", "--random-input-len", "256", "--random-output-len", "32",
		"--random-range-ratio", "1", "--num-prompts", "${{ load.prompts }}", "--max-concurrency", "${{ load.conc }}"}
)

// width is where lines of a command are broken.
const width = 110

// shellWords writes a command as shell words over several lines, a flag with its
// values never parted; as a list where a word could not stand in a line.
func shellWords(words []string) string {
	for _, w := range words {
		if strings.ContainsFunc(w, func(r rune) bool { return r < ' ' || r == 0x7f }) {
			return "  command: " + sequence(words) + "\n"
		}
	}
	var lines []string
	line := ""
	for i := 0; i < len(words); {
		unit := word(words[i])
		i++
		for i < len(words) && !command.IsFlag(words[i]) && command.IsFlag(words[i-1]) {
			unit += " " + word(words[i])
			i++
		}
		switch {
		case line == "":
			line = unit
		case len(line)+1+len(unit) > width:
			lines = append(lines, line)
			line = unit
		default:
			line += " " + unit
		}
	}
	lines = append(lines, line)
	return "  command: >-\n    " + strings.Join(lines, "\n    ") + "\n"
}

// reference matches ${{ … }}, and $${{ so as not to take it for the begin of one.
var reference = regexp.MustCompile(`\$\$\{\{|\$\{\{.*?\}\}`)

// word quotes a word where the shell's rules of words ask for it; references stay as they are.
func word(w string) string {
	var refs []string
	plain := reference.ReplaceAllStringFunc(w, func(r string) string {
		if strings.HasPrefix(r, "$$") {
			return r
		}
		refs = append(refs, r)
		return fmt.Sprintf("SMXREF%dX", len(refs)-1)
	})
	if safe.MatchString(plain) {
		return w
	}
	q, err := syntax.Quote(plain, syntax.LangBash)
	if err != nil {
		return w // a NUL, which no command line can hold
	}
	for i, r := range refs {
		q = strings.Replace(q, fmt.Sprintf("SMXREF%dX", i), r, 1)
	}
	return q
}

// safe are words that mean themselves to every shell.
var safe = regexp.MustCompile(`^[A-Za-z0-9_@%+=:,./-]+$`)

var number = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?$`)

// scalar writes a text as YAML; numbers stay bare, for their source text is kept.
func scalar(s string) string {
	if number.MatchString(s) {
		return s
	}
	n := yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s}
	if strings.ContainsAny(s, "{}[],&*#?|<>=!%@`:\"'\n\t") || strings.Contains(s, "- ") {
		n.Style = yaml.DoubleQuotedStyle
	}
	out, err := yaml.Marshal(&n)
	if err != nil {
		return fmt.Sprintf("%q", s)
	}
	return strings.TrimSuffix(string(out), "\n")
}

func sequence(words []string) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = scalar(w)
	}
	return "[" + strings.Join(out, ", ") + "]"
}

// mapping writes a flow mapping from keys and the YAML of their values.
func mapping(pairs ...string) string {
	var out []string
	for i := 0; i < len(pairs); i += 2 {
		out = append(out, pairs[i]+": "+pairs[i+1])
	}
	return "{" + strings.Join(out, ", ") + "}"
}
