package draft

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// write writes one half, indented. What is offered stands there as comments: one line
// under axes and one under args, and both keys too where nothing else is under them.
func (s side) write(b *strings.Builder, about string) {
	if len(s.offers) > 0 || slices.ContainsFunc(s.axes, func(a axis) bool { return len(a.more) > 0 }) {
		b.WriteString("  # Worth sweeping: take the \"# \" away from a value, or from an axis here and its flag under args below\n" +
			"  # (and from axes: and args: themselves, where they have one). Not every version or device takes each value.\n")
	}
	switch {
	case len(s.axes) > 0:
		fmt.Fprintf(b, "  axes:   # %s\n", about)
	case len(s.offers) > 0:
		b.WriteString("  # axes:\n")
	}
	for _, a := range s.axes {
		a.write(b)
	}
	for _, a := range s.offers {
		fmt.Fprintf(b, "  #   %s: [%s] # %s\n", a.name, strings.Join(a.values, ", "), a.about)
	}
	if len(s.env) > 0 {
		b.WriteString("  env:\n")
		for _, e := range s.env {
			fmt.Fprintf(b, "    %s: %s\n", scalar(e.Name), scalar(e.Value))
		}
	}
	b.WriteString(shellWords(s.command))
	if len(s.offers) > 0 {
		b.WriteString("  # args:\n")
	}
	for _, a := range s.offers {
		fmt.Fprintf(b, "  #   %s: ${{ %s }}\n", strings.TrimPrefix(a.flag, "--"), a.name)
	}
}

func (a axis) write(b *strings.Builder) {
	line := fmt.Sprintf("    %s: [%s]\n", a.name, strings.Join(a.values, ", "))
	if len(line) <= width && !strings.Contains(line, "{") && a.more == nil {
		b.WriteString(line)
		return
	}
	about := ""
	if a.about != "" {
		about = " # " + a.about
	}
	fmt.Fprintf(b, "    %s:%s\n", a.name, about)
	for _, v := range a.values {
		fmt.Fprintf(b, "      - %s\n", v)
	}
	for _, v := range a.more {
		fmt.Fprintf(b, "    #   - %s\n", v)
	}
}

var asked = regexp.MustCompile(`\$\{\{ vars\.(\w+) \}\}`)

// writeVars writes the variables that the commands use and nothing among them sets.
func writeVars(b *strings.Builder, commands []Command) {
	var names []string
	lines := map[string]int{}
	for _, c := range commands {
		all := slices.Clone(c.Argv)
		for _, a := range c.Env {
			all = append(all, a.Value)
		}
		for _, m := range asked.FindAllStringSubmatch(strings.Join(all, "\n"), -1) {
			if lines[m[1]] == 0 {
				lines[m[1]] = c.Line
				names = append(names, m[1])
			}
		}
	}
	if len(names) == 0 {
		return
	}
	b.WriteString("# What the commands use and do not set: export it before, or put the value in its place here.\nvars:\n")
	for _, n := range names {
		what := "$" + n
		if number, ok := strings.CutPrefix(n, "ARG"); ok && len(number) == 1 {
			what = "$" + number + ", an argument of the script"
		}
		fmt.Fprintf(b, "  %s: ${{ env.%s }} # %s, line %d\n", n, n, what, lines[n])
	}
	b.WriteString("\n")
}
