package report

import (
	"fmt"
	"math"
	"strings"

	"servematrix/metric"
)

// remarks are sentences below the tables.
func (c comparison) remarks() []string {
	var out []string
	if c.Chosen != "" {
		out = append(out, "No baseline was given: "+c.Chosen+".")
	}
	if n := len(c.Alone); n > 0 {
		out = append(out, fmt.Sprintf("Without a counterpart, and left out: %s.", listed(c.Alone, 10)))
	}
	unpaired := 0
	for _, p := range c.Pairs {
		if m, ok := p.Of(c.Primary); ok && !p.Paired && m.Ratio.N > 1 {
			unpaired++
		}
	}
	if unpaired > 0 {
		out = append(out, fmt.Sprintf("%d of %d cells were compared without pairing by blocks (Welch): their starts were not mixed in time.", unpaired, len(c.Pairs)))
	}
	if against := c.against(); len(against) > 0 {
		out = append(out, fmt.Sprintf("The means and Δ %% point in opposite directions in %s: the means are arithmetic over starts, Δ %% is geometric, and a lone start far from the others moves them differently.", listed(against, 10)))
	}
	out = append(out, c.Notes...)
	return append(out, fmt.Sprintf("Verdicts go by %s, a smallest effect of %s %% and p values adjusted over the cells (Holm); other metrics are exploratory.",
		c.Primary, percentOf(c.MinEffect)))
}

// against names the cells and shown metrics of which the means rise where Δ falls, or fall where
// it rises, by more than what is rounded away.
func (c comparison) against() []string {
	var out []string
	for _, p := range c.Pairs {
		for _, name := range c.shown {
			m, ok := p.Of(name)
			if !ok || math.IsNaN(m.Ratio.Ratio) || metric.Percent(m.Ratio.Ratio) == "0.0" {
				continue
			}
			if rise := m.Arm.Mean - m.Baseline.Mean; rise*(m.Ratio.Ratio-1) < 0 && significant(m.Arm.Mean) != significant(m.Baseline.Mean) {
				text := p.Cell + " (" + english.head(name) + ")"
				if len(c.Arms) > 2 {
					text = p.Arm + " " + text
				}
				out = append(out, text)
			}
		}
	}
	return out
}

func listed(names []string, most int) string {
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// warnings are what has to be seen before any number.
func (c comparison) warnings() []string {
	var out []string
	if c.Smoke {
		out = append(out, "SMOKE RUN: these are rehearsals with a few requests; nothing here is a measurement.")
	}
	if c.Simulated {
		out = append(out, "SIMULATED: these are numbers of the embedded simulated server. They say nothing about any engine or device.")
	}
	return out
}
