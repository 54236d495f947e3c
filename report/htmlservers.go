package report

import (
	"fmt"

	"servematrix/page"
)

// differences fills in what the servers really ran with, where they differ.
func (p *paging) differences(d *page.Data) {
	all := p.variants()
	known, spreads := p.across(all)
	w := wordsOfServers["en"]
	for i, s := range spreads {
		if i == differentMost {
			d.Servers.Notes = append(d.Servers.Notes, bilingual(func(w serverWords) string { return fmt.Sprintf(w.more, len(spreads)-i) }))
			break
		}
		row := page.Difference{What: visible(s.What)}
		values, names := holders(s.Values, known)
		for n, v := range values {
			if n == variantsMost {
				row.Values = append(row.Values, page.Holder{Value: fmt.Sprintf(w.more, len(values)-n)})
				break
			}
			row.Values = append(row.Values, page.Holder{Value: setting(v), Servers: nameList(names[v], w)})
		}
		d.Servers.Rows = append(d.Servers.Rows, row)
	}
	if len(known) > 1 && len(spreads) == 0 {
		d.Servers.Notes = append(d.Servers.Notes, page.Text{EN: "The variants differ in no argument, version or variable that is known.", ZH: "各变体在已知的参数、版本和环境变量上没有差异。"})
	}
	zh := askedLines(all, wordsOfServers["zh"])
	for i, line := range askedLines(all, w) {
		d.Servers.Notes = append(d.Servers.Notes, page.Text{EN: line, ZH: zh[i]})
	}
	for _, r := range all {
		if r.changedLine(p.folder, w) != "" {
			d.Servers.Notes = append(d.Servers.Notes, bilingual(func(w serverWords) string { return r.changedLine(p.folder, w) }))
		}
	}
}

// devices says of how many accelerators servers told that they run on them, by name; one whose
// starts differ is left out, and so are all where there are too many to ask.
func (p *paging) devices() map[string]int {
	out := map[string]int{}
	all := p.variants()
	if len(all) > comparedMost {
		return out
	}
	for _, r := range all {
		if c := r.load(p.folder); c != nil && r.others == 0 {
			out[r.name] = c.Devices()
		}
	}
	return out
}

func bilingual(say func(serverWords) string) page.Text {
	return page.Text{EN: say(wordsOfServers["en"]), ZH: say(wordsOfServers["zh"])}
}
