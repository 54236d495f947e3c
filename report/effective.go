package report

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"servematrix/effective"
	"servematrix/journal"
)

// Bounds of the section on what servers really ran with.
const (
	comparedMost   = 200 // variants whose files are read
	differentMost  = 100 // things in which they differ
	variantsMost   = 8   // names in one line
	settingMost    = 200 // bytes of one value
	effectiveShare = 8_000
)

// serverWords are the words of that section.
type serverWords struct {
	head, what, differ, more, asked, others, changed string
}

var wordsOfServers = map[string]serverWords{
	"en": {
		head: "SERVERS", what: "What the servers really ran with (launches/LAUNCH/effective.json): only that in which the variants differ.",
		differ: "in no argument, version or variable that is known", more: "… and %d more",
		asked: "%s asked for %s = %s and runs with %s%s", others: "%d of %d variants are compared",
		changed: "%s: %d of %d starts differ from %s; %s in %s",
	},
	"zh": {
		head: "服务器", what: "服务器实际使用的配置（launches/LAUNCH/effective.json）：只列出各变体之间的差异。",
		differ: "已知的参数、版本和环境变量均无差异", more: "…… 另有 %d 项",
		asked: "%s 要求 %s = %s，实际为 %s%s", others: "比较了 %d / %d 个变体",
		changed: "%s：%d / %d 次启动与 %s 不同；%s：%s",
	},
}

// ranAs is what the starts of one variant told of themselves.
type ranAs struct {
	name   string
	starts int
	others int              // that differ from the first
	other  string           // the first of these
	first  string           // launch
	id     string           // its identity
	asked  []journal.Choice // what it set otherwise than asked
	config *effective.Config
	read   bool
}

// configured takes in what a start really ran with. The first of a variant stands for it.
func (t *tally) configured(e happening) error {
	return with(e, func(d journal.Configured) {
		l := t.launches[e.Launch]
		if l == nil {
			return
		}
		l.version = d.Version
		if t.ran == nil {
			t.ran = map[string]*ranAs{}
		}
		r := t.ran[l.name]
		if r == nil {
			r = &ranAs{name: l.name, first: e.Launch, id: d.Identity}
			for _, c := range d.Changed {
				if c.Asked != "" {
					r.asked = append(r.asked, c)
				}
			}
			t.ran[l.name] = r
		}
		r.starts++
		if d.Identity != r.id {
			if r.others++; r.others == 1 {
				r.other = e.Launch
			}
		}
	})
}

// variants gives those of which something is known, in the plan's order, then former ones by name.
func (t *tally) variants() (out []*ranAs) {
	place := map[string]int{}
	for i, s := range t.plan.Servers {
		place[s.Name] = i
	}
	for _, r := range t.ran {
		out = append(out, r)
	}
	slices.SortFunc(out, func(a, b *ranAs) int {
		x, known := place[a.name]
		y, also := place[b.name]
		if known != also {
			return map[bool]int{true: -1, false: 1}[known]
		}
		if known && x != y {
			return x - y
		}
		return strings.Compare(a.name, b.name)
	})
	return out
}

// load reads what the first start of a variant ran with; a file that is gone explains nothing.
func (r *ranAs) load(folder journal.Folder) *effective.Config {
	if !r.read {
		r.read = true
		if c, err := effective.Read(folder.LaunchDir(r.first)); err == nil {
			r.config = c
		}
	}
	return r.config
}

// across says in what those variants differ of which it is known what they ran with.
func (t *tally) across(all []*ranAs) (known []*ranAs, spreads []effective.Spread) {
	var configs []*effective.Config
	for _, r := range all[:min(len(all), comparedMost)] {
		if c := r.load(t.folder); c != nil {
			known, configs = append(known, r), append(configs, c)
		}
	}
	if len(known) > 1 {
		spreads = effective.Across(configs)
	}
	return known, spreads
}

// serverLines is the section, line by line; a line that begins with a blank belongs to the one
// above it. There is none where nothing is to be said.
func (t *tally) serverLines(w serverWords) (lines []string) {
	all := t.variants()
	known, spreads := t.across(all)
	if len(known) > 1 {
		if len(spreads) == 0 {
			lines = append(lines, w.differ)
		}
		for i, s := range spreads {
			if i == differentMost {
				lines = append(lines, fmt.Sprintf(w.more, len(spreads)-i))
				break
			}
			lines = append(lines, visible(s.What))
			lines = append(lines, byValue(s.Values, known, w)...)
		}
		if len(known) < len(all) {
			lines = append(lines, fmt.Sprintf(w.others, len(known), len(all)))
		}
	}
	lines = append(lines, askedLines(all, w)...)
	for _, r := range all {
		if line := r.changedLine(t.folder, w); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

// changedLine says it in a sentence, "" where nothing does.
func (r *ranAs) changedLine(folder journal.Folder, w serverWords) string {
	in := r.changes(folder, w)
	if in == "" {
		return ""
	}
	return fmt.Sprintf(w.changed, visible(r.name), r.others, r.starts, visible(r.first), visible(r.other), in)
}

// changes says in what a later start of the variant differs from the first.
func (r *ranAs) changes(folder journal.Folder, w serverWords) string {
	if r.others == 0 || r.load(folder) == nil {
		return ""
	}
	other, err := effective.Read(folder.LaunchDir(r.other))
	if err != nil {
		return ""
	}
	var in []string
	for _, d := range effective.Diff(r.config, other) {
		in = append(in, clip(d.String(), settingMost))
	}
	return nameList(in, w)
}

// byValue gives one line a value with the variants that have it.
func byValue(values []string, of []*ranAs, w serverWords) (lines []string) {
	order, names := holders(values, of)
	for i, v := range order {
		if i == variantsMost {
			return append(lines, " "+fmt.Sprintf(w.more, len(order)-i))
		}
		lines = append(lines, fmt.Sprintf(" %s: %s", setting(v), nameList(names[v], w)))
	}
	return lines
}

// holders gives the values, each once, and who has it.
func holders(values []string, of []*ranAs) (order []string, names map[string][]string) {
	names = map[string][]string{}
	for i, v := range values {
		if names[v] == nil {
			order = append(order, v)
		}
		names[v] = append(names[v], of[i].name)
	}
	return order, names
}

func setting(value string) string {
	if value == "" {
		return unknown
	}
	return visible(clip(value, settingMost))
}

func nameList(names []string, w serverWords) string {
	more := ""
	if n := len(names) - variantsMost; n > 0 {
		names, more = names[:variantsMost], " "+fmt.Sprintf(w.more, n)
	}
	shown := make([]string, len(names))
	for i, n := range names {
		shown[i] = visible(n)
	}
	return strings.Join(shown, ", ") + more
}

// askedLines says which flags the engines set otherwise than asked, once for all variants alike.
func askedLines(all []*ranAs, w serverWords) (lines []string) {
	var order []journal.Choice
	names := map[journal.Choice][]string{}
	for _, r := range all {
		for _, c := range r.asked {
			c.At = "" // each start has its own log
			if names[c] == nil {
				order = append(order, c)
			}
			names[c] = append(names[c], r.name)
		}
	}
	for i, c := range order {
		if i == differentMost {
			return append(lines, fmt.Sprintf(w.more, len(order)-i))
		}
		lines = append(lines, w.askedLine(nameList(names[c], w), c))
	}
	return lines
}

func (w serverWords) askedLine(who string, c journal.Choice) string {
	said := ""
	if c.Said != "" {
		said = ": " + visible(clip(c.Said, settingMost))
	}
	return fmt.Sprintf(w.asked, who, visible(c.Flag), visible(clip(c.Asked, settingMost)), visible(clip(c.Is, settingMost)), said)
}

// serverSection writes it into the text report.
func (d *drawer) serverSection() {
	w := wordsOfServers[d.words.lang]
	lines := d.serverLines(w)
	if len(lines) == 0 {
		return
	}
	d.printf("\n[%s] %s\n", w.head, w.what)
	for _, line := range lines {
		if strings.HasPrefix(line, " ") {
			d.detail("%s", line[1:])
		} else {
			d.printf("%s\n", line)
		}
	}
}

// markdownServers writes it into the short report.
func (t *tally) markdownServers(b *bytes.Buffer) {
	w := wordsOfServers["en"]
	lines := t.serverLines(w)
	if len(lines) == 0 {
		return
	}
	fmt.Fprintf(b, "### Servers\n\n%s\n\n", w.what)
	n := part(b, effectiveShare, len(lines), func(i int) string {
		if line, inner := strings.CutPrefix(lines[i], " "); inner {
			return "  - " + escape(line) + "\n"
		}
		return "- " + escape(lines[i]) + "\n"
	})
	if n < len(lines) {
		fmt.Fprintf(b, "- "+w.more+"\n", len(lines)-n)
	}
	b.WriteByte('\n')
}

// serverConfigured says in the text report which flags a start set otherwise than asked.
func (d *drawer) serverConfigured(name string, v journal.Configured) {
	w := wordsOfServers[d.words.lang]
	for _, c := range v.Changed {
		if c.Asked == "" {
			continue
		}
		line := w.askedLine(name, c)
		if c.At != "" {
			line += " (" + visible(c.At) + ")"
		}
		d.detail("%s", line)
	}
}
