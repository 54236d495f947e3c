package matrix

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// randomSide draws axes and a zip group and writes them as YAML; it gives the
// sizes of its groups in order and the names of all axes.
func randomSide(t *rapid.T, prefix string) (yaml string, sizes []int, names []string) {
	var b strings.Builder
	values := func(n int) string {
		out := make([]string, n)
		for i := range out {
			out[i] = fmt.Sprintf("v%d", i)
		}
		return "[" + strings.Join(out, ", ") + "]"
	}
	n := rapid.IntRange(0, 4).Draw(t, prefix+" axes")
	if n > 0 {
		b.WriteString("  axes:\n")
	}
	for i := range n {
		size := rapid.IntRange(1, 4).Draw(t, "size")
		name := fmt.Sprintf("%s%d", prefix, i)
		fmt.Fprintf(&b, "    %s: %s\n", name, values(size))
		sizes, names = append(sizes, size), append(names, name)
	}
	if rapid.Bool().Draw(t, "zip") {
		size := rapid.IntRange(1, 4).Draw(t, "zip size")
		fmt.Fprintf(&b, "  zip: {%sx: %s, %sy: %s}\n", prefix, values(size), prefix, values(size))
		sizes, names = append(sizes, size), append(names, prefix+"x", prefix+"y")
	}
	b.WriteString("  command: run")
	for _, name := range names {
		fmt.Fprintf(&b, " ${{ %s }}", name)
	}
	b.WriteByte('\n')
	return b.String(), sizes, names
}

func product(sizes []int) int {
	n := 1
	for _, s := range sizes {
		n *= s
	}
	return n
}

// TestExpansionProperties: the number of cells is the product of the groups, the
// last axis turns fastest, every id is its own, and the same sweep gives the same plan.
func TestExpansionProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		server, serverSizes, _ := randomSide(t, "s")
		client, clientSizes, _ := randomSide(t, "c")
		blocks := rapid.IntRange(1, 3).Draw(t, "blocks")
		sweep := fmt.Appendf(nil, "version: 1\nrun: {blocks: %d, max_cells: 1000000}\nserver:\n%sclient:\n%s", blocks, server, client)
		p, problems := Parse("sweep.yaml", sweep, Options{})
		if p == nil {
			t.Fatalf("%s\n%v", sweep, problems)
		}
		if len(p.Servers) != product(serverSizes) || len(p.Clients) != product(clientSizes) || len(p.Cells) != len(p.Servers)*len(p.Clients) {
			t.Fatalf("%d × %d = %d cells", len(p.Servers), len(p.Clients), len(p.Cells))
		}
		if p.Launches != len(p.Cells)*blocks {
			t.Fatalf("%d launches", p.Launches)
		}
		ids := map[string]bool{}
		for i, c := range p.Cells {
			if c.Server != p.Servers[i/len(p.Clients)].ID || c.Client != p.Clients[i%len(p.Clients)].ID {
				t.Fatalf("cell %d is out of order", i)
			}
			if ids[c.ID] {
				t.Fatalf("%s is there twice", c.ID)
			}
			ids[c.ID] = true
		}
		for i, s := range p.Servers { // the digits of i in the mixed base of the sizes
			want := make([]string, 0, len(s.Axes))
			rest := i
			for k := len(serverSizes) - 1; k >= 0; k-- {
				want = append([]string{fmt.Sprintf("v%d", rest%serverSizes[k])}, want...)
				rest /= serverSizes[k]
			}
			if n := len(s.Axes) - len(want); n > 0 { // the second axis of the zip group
				want = append(want, want[len(want)-1])
			}
			if got := strings.Join(s.Argv[1:], " "); got != strings.Join(want, " ") {
				t.Fatalf("row %d is %s, want %s", i, got, want)
			}
		}
		var first, second bytes.Buffer
		again, _ := Parse("sweep.yaml", sweep, Options{})
		if p.WriteJSON(&first) != nil || again.WriteJSON(&second) != nil || first.String() != second.String() {
			t.Fatal("two plans of one sweep differ")
		}
	})
}

// TestTextsArriveUnchanged: whatever stands in a value comes out of Fill as it was.
func TestTextsArriveUnchanged(t *testing.T) {
	texts := rapid.OneOf(rapid.String(), rapid.StringMatching(`[${} a]{0,12}`))
	rapid.Check(t, func(t *rapid.T) {
		a, b := texts.Draw(t, "a"), texts.Draw(t, "b")
		env := func(name string) (string, bool) {
			v, ok := map[string]string{"A": a, "B": b}[name]
			return v, ok
		}
		p, problems := Parse("s.yaml", []byte(`version: 1
server: {command: [run, "x${{ env.A }}${{ env.B }}y", "${{ env.A + env.B }}"], args: {json: {k: "${{ env.A }}"}}, env: {V: "${{ env.B }}"}}
client: {command: bench}
`), Options{Getenv: env})
		if strings.ContainsRune(a+b, 0) {
			if p != nil {
				t.Fatal("a zero byte is taken")
			}
			return
		}
		if p == nil {
			t.Fatal(problems)
		}
		s := p.Servers[0]
		for i, want := range map[int]string{1: "x" + a + b + "y", 2: a + b} {
			if got, err := Fill(s.Argv[i], nil); err != nil || got != want {
				t.Fatalf("%q: %q, %v", want, got, err)
			}
		}
		if got, err := Fill(s.Env["V"], nil); err != nil || got != b {
			t.Fatalf("%q: %q, %v", b, got, err)
		}
	})
}

// TestTenMillionCells: a matrix that is far too large is refused at once.
func TestTenMillionCells(t *testing.T) {
	axis := func(prefix string, n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "    %s%d: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]\n", prefix, i)
		}
		return b.String()
	}
	for _, n := range []int{7, 30} {
		sweep := "version: 1\nserver:\n  axes:\n" + axis("a", n) + "  exclude: [{a0: 1}]\n  command: run\nclient: {command: bench}\npair: {when: a0 == 2}\n"
		var problems Problems
		allocated := testing.AllocsPerRun(1, func() { _, problems = Parse("s.yaml", []byte(sweep), Options{}) })
		if len(problems) != 1 || problems[0].Rule != "too-many-cells" {
			t.Error(problems)
		}
		if allocated > 100_000 {
			t.Errorf("%v allocations", allocated)
		}
	}
	_, problems := Parse("s.yaml", []byte("version: 1\nserver:\n  axes: {n: \"${{ 1..10001 }}\"}\n  command: run ${{ n }}\nclient: {command: bench}\n"), Options{})
	if len(problems) != 1 || problems[0].Rule != "too-many-cells" {
		t.Error(problems)
	}
}

// FuzzParse: no text makes the loader panic or hang, a plan comes only without
// errors, and every problem has a place inside the text.
func FuzzParse(f *testing.F) {
	for _, seed := range fuzzSeeds(f) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		began := time.Now()
		p, problems := Parse("s.yaml", src, testOptions)
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("took %v", took)
		}
		if (p == nil) != problems.HasErrors() {
			t.Errorf("plan %v, problems %v", p, problems)
		}
		lines := splitLines(src)
		for _, problem := range problems {
			if problem.Line < 1 || problem.Line > len(lines)+1 || problem.Col < 1 || problem.Rule == "" || problem.Message == "" {
				t.Errorf("a problem without a place: %+v", problem)
			}
		}
		var b bytes.Buffer
		if err := problems.WriteText(&b, map[string][]byte{"s.yaml": src}); err != nil {
			t.Error(err)
		}
		if p == nil {
			return
		}
		b.Reset()
		if err := p.WriteJSON(&b); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadPlan(&b); err != nil {
			t.Error(err)
		}
		for _, s := range p.Servers {
			for _, w := range s.Argv {
				if _, err := Fill(w, func(string) (string, bool) { return "v", true }); err != nil {
					t.Errorf("%q: %v", w, err)
				}
			}
		}
	})
}
