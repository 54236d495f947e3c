package report

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"servematrix/matrix"
)

func TestReplacedClients(t *testing.T) {
	client := func(name string, notes int) *matrix.Client {
		c := &matrix.Client{}
		c.Name, c.Replaced = name, []string{"vllm", "bench", "serve", "--label", "a`b\x1b[2J"}
		for i := range notes {
			c.LeftOut = append(c.LeftOut, fmt.Sprintf("--flag-%d is left out: it <does> nothing", i))
		}
		return c
	}
	plan := &matrix.Plan{Clients: []*matrix.Client{{}, client("c*1", 1), client("c2", replacedMost+2)}}
	for i := range replacedMost {
		plan.Clients = append(plan.Clients, client(fmt.Sprint("more", i), 0))
	}
	var b bytes.Buffer
	(&tally{plan: plan}).markdownReplaced(&b)
	for _, want := range []string{
		"### Clients\n", "- c\\*1: ``", "  - --flag-0 is left out: it &lt;does&gt; nothing\n", "  - … and 2 more\n", "- … and 2 more, in report.txt\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
	if strings.Contains(b.String(), "\x1b") {
		t.Errorf("%q", b.String())
	}
	b.Reset()
	(&tally{plan: &matrix.Plan{Clients: []*matrix.Client{{}}}}).markdownReplaced(&b)
	if b.Len() > 0 {
		t.Errorf("nothing was replaced: %s", b.String())
	}
}
