package report

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"servematrix/compare"
	"servematrix/stats"
)

// annotationsMost is how many annotations of a kind are worth printing: GitHub shows ten of each
// kind a step.
const annotationsMost = 10

// CompareGitHub prints a comparison as annotations of a GitHub workflow: an error for each cell
// that a gate refuses, a warning for each that is worse without one, and a warning for each arm
// whose comparison is not clean.
func CompareGitHub(w io.Writer, r *compare.Result, gates compare.Outcome) error {
	var b bytes.Buffer
	refused := map[*compare.Pair]bool{}
	for i, f := range gates.Failed {
		refused[f.Pair] = true
		if i < annotationsMost {
			annotate(&b, "error", f.Pair.Cell+" fails "+f.Gate.Text, f.Pair.Arm+" against "+r.Arms[0]+": "+f.Why)
		}
	}
	if n := len(gates.Failed); n > annotationsMost {
		annotate(&b, "error", "and more", fmt.Sprintf("%d more cells fail; the summary has them", n-annotationsMost))
	}
	worse := 0
	for i := range r.Pairs {
		p := &r.Pairs[i]
		m, ok := p.Of(r.Primary)
		if !ok || m.Verdict != stats.Worse || refused[p] {
			continue
		}
		if worse++; worse <= annotationsMost {
			annotate(&b, "warning", p.Cell+" is worse", fmt.Sprintf("%s against %s: %s %s", p.Arm, r.Arms[0], m.Metric, m.Delta()))
		}
	}
	if worse > annotationsMost {
		annotate(&b, "warning", "and more", fmt.Sprintf("%d more cells are worse; the summary has them", worse-annotationsMost))
	}
	for _, c := range r.Clean {
		if !c.Yes {
			annotate(&b, "warning", "not a clean A/B", c.Arm+" against "+r.Arms[0]+": "+strings.Join(c.Why, "; "))
		}
	}
	if gates.Weak > 0 {
		annotate(&b, "warning", "no verdict possible", fmt.Sprintf("cells with fewer than two starts per arm, of which no gate can say worse: %d", gates.Weak))
	}
	for _, line := range (comparison{Result: r}).warnings() {
		annotate(&b, "warning", "not a measurement", line)
	}
	_, err := w.Write(b.Bytes())
	return err
}

// In a workflow command % and line ends are written as %XX; in a property : and , too
// (actions/toolkit, packages/core/src/command.ts).
var (
	annotationText  = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	annotationTitle = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

func annotate(b *bytes.Buffer, level, title, message string) {
	fmt.Fprintf(b, "::%s title=%s::%s\n", level, annotationTitle.Replace(visible(title)), annotationText.Replace(visible(message)))
}
