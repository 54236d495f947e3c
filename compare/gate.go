package compare

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/parser"

	"servematrix/metric"
	"servematrix/spelling"
	"servematrix/stats"
)

// Gate is a condition that fails a comparison, such as worse(output_throughput, 3%). It is asked
// for each pair.
//
// Predicates, of a metric and, where it has one, a margin as a share of the baseline:
//
//   - worse(M), worse(M, 3%): the verdict is worse, and the ratio is worse by more than the margin;
//   - better(M), better(M, 3%): the same the other way;
//   - not_equivalent(M), not_equivalent(M, 3%): the interval does not lie within ±margin (without
//     one: ± the comparison's smallest effect); so it holds also where too little was measured;
//   - inconclusive(M): there is no verdict.
//
// They can be joined with and, or, not and parentheses.
type Gate struct {
	// Text is the condition as it was written.
	Text string
	// Metrics are those that it asks for, in the order in which they stand.
	Metrics []string
	root    ast.Node
}

var predicates = []string{"worse", "better", "not_equivalent", "inconclusive"}

// percent is a share as people write it: 3% or 0.5 %.
var percent = regexp.MustCompile(`(\d+(?:\.\d+)?)\s*%(\s*[,)])`)

// ParseGate reads a condition strictly: what it does not know is an error.
func ParseGate(text string) (*Gate, error) {
	g := &Gate{Text: text}
	fail := func(format string, args ...any) (*Gate, error) {
		return nil, usage("such as --fail-if 'worse(output_throughput, 3%)'; there are "+strings.Join(predicates, ", ")+", joined by and, or, not",
			"--fail-if %q: %s", text, fmt.Sprintf(format, args...))
	}
	tree, err := parser.Parse(percent.ReplaceAllString(text, "$1/100$2"))
	if err != nil {
		first, _, _ := strings.Cut(err.Error(), "\n")
		return fail("%s", first)
	}
	g.root = tree.Node
	if err := g.check(g.root); err != nil {
		return fail("%v", err)
	}
	return g, nil
}

func (g *Gate) check(n ast.Node) error {
	switch n := n.(type) {
	case *ast.BinaryNode:
		if !slices.Contains([]string{"and", "or", "&&", "||"}, n.Operator) {
			return fmt.Errorf("%q is not known here", n.Operator)
		}
		if err := g.check(n.Left); err != nil {
			return err
		}
		return g.check(n.Right)
	case *ast.UnaryNode:
		if n.Operator != "not" && n.Operator != "!" {
			return fmt.Errorf("%q is not known here", n.Operator)
		}
		return g.check(n.Node)
	case *ast.CallNode:
		name, args, err := call(n)
		if err != nil {
			return err
		}
		most := 2
		if name == "inconclusive" {
			most = 1
		}
		if len(args) < 1 || len(args) > most {
			return fmt.Errorf("%s takes a metric%s, not %d arguments", name, map[bool]string{true: " and a margin"}[most == 2], len(args))
		}
		m, ok := metricOf(args[0])
		if !ok {
			return fmt.Errorf("%s wants the name of a metric; one with a dot stands in quotes: \"p99.9_ttft_ms\"", name)
		}
		if err := CheckMetric(m); err != nil {
			return err
		}
		if len(args) == 2 {
			if _, ok := marginOf(args[1]); !ok {
				return fmt.Errorf("the margin of %s is a share from 0%% to below 100%%, such as 3%% or 0.03", name)
			}
		}
		if !slices.Contains(g.Metrics, m) {
			g.Metrics = append(g.Metrics, m)
		}
		return nil
	}
	return fmt.Errorf("%q is no condition", n.String())
}

func call(n *ast.CallNode) (name string, args []ast.Node, err error) {
	callee, ok := n.Callee.(*ast.IdentifierNode)
	if !ok || !slices.Contains(predicates, callee.Value) {
		return "", nil, fmt.Errorf("there is no predicate %q, %s", n.Callee.String(), spelling.DidYouMean(n.Callee.String(), predicates))
	}
	return callee.Value, n.Arguments, nil
}

func metricOf(n ast.Node) (string, bool) {
	switch n := n.(type) {
	case *ast.IdentifierNode:
		return n.Value, true
	case *ast.StringNode:
		return n.Value, true
	}
	return "", false
}

// marginOf reads 0.03, or 3/100, which 3% became.
func marginOf(n ast.Node) (float64, bool) {
	if b, ok := n.(*ast.BinaryNode); ok && b.Operator == "/" {
		x, ok1 := numberOf(b.Left)
		y, ok2 := numberOf(b.Right)
		return x / y, ok1 && ok2 && y == 100 && x < 100
	}
	v, ok := numberOf(n)
	return v, ok && v < 1
}

func numberOf(n ast.Node) (float64, bool) {
	switch n := n.(type) {
	case *ast.IntegerNode:
		return float64(n.Value), true
	case *ast.FloatNode:
		return n.Value, true
	}
	return 0, false
}

// Holds tells whether the condition holds for a pair. Where the pair lacks a metric that is asked
// for it cannot be judged, and missing names that metric.
func (g *Gate) Holds(r *Result, p *Pair) (holds bool, missing string) {
	for _, name := range g.Metrics {
		if _, ok := p.Of(name); !ok {
			return false, name
		}
	}
	return g.eval(g.root, r, p), ""
}

func (g *Gate) eval(n ast.Node, r *Result, p *Pair) bool {
	switch n := n.(type) {
	case *ast.BinaryNode:
		if n.Operator == "and" || n.Operator == "&&" {
			return g.eval(n.Left, r, p) && g.eval(n.Right, r, p)
		}
		return g.eval(n.Left, r, p) || g.eval(n.Right, r, p)
	case *ast.UnaryNode:
		return !g.eval(n.Node, r, p)
	}
	name, args, _ := call(n.(*ast.CallNode))
	of, _ := metricOf(args[0])
	c, _ := p.Of(of)
	margin, given := 0.0, len(args) == 2
	if given {
		margin, _ = marginOf(args[1])
	}
	switch name {
	case "worse":
		return c.Verdict == stats.Worse && c.gain() < -margin
	case "better":
		return c.Verdict == stats.Better && c.gain() > margin
	case "not_equivalent":
		if !given {
			margin = r.MinEffect
		}
		return !(c.Ratio.Low >= 1/(1+margin) && c.Ratio.High <= 1+margin) // NaN too
	}
	return c.Verdict == stats.Inconclusive
}

// gain is how much better the arm is, as a share of the baseline: above zero is good.
func (c Comparison) gain() float64 {
	if info, _ := metric.Lookup(c.Metric); info.Better == metric.Lower {
		return 1 - c.Ratio.Ratio
	}
	return c.Ratio.Ratio - 1
}

// Outcome is what became of the gates.
type Outcome struct {
	// Failed are the pairs for which a condition holds or cannot be judged.
	Failed []Failed
	// Weak counts the pairs with fewer than two starts in an arm, for which no condition that
	// needs a verdict can hold.
	Weak int
}

// Failed is a pair that a gate refuses.
type Failed struct {
	Gate *Gate
	Pair *Pair
	// Why says it: the number, or what is missing.
	Why string
}

// Check asks the gates for each pair. A pair that cannot be judged because an arm has no valid
// value fails, and so does a cell of the baseline that an arm lacks: a server that no longer
// starts, or was never started, must not pass.
func (r *Result) Check(gates []*Gate) Outcome {
	var out Outcome
	for i := range r.Pairs {
		p := &r.Pairs[i]
		weak := false
		for _, g := range gates {
			holds, missing := g.Holds(r, p)
			switch {
			case missing != "":
				out.Failed = append(out.Failed, Failed{g, p, "cannot be judged: an arm has no valid " + missing})
			case holds:
				out.Failed = append(out.Failed, Failed{g, p, g.why(p)})
			}
			for _, name := range g.Metrics {
				if c, ok := p.Of(name); ok && c.Ratio.N < 2 {
					weak = true
				}
			}
		}
		if weak {
			out.Weak++
		}
	}
	for i := range r.Missing {
		for _, g := range gates {
			out.Failed = append(out.Failed, Failed{g, &r.Missing[i], "cannot be judged: the baseline's cell has no counterpart in this arm"})
		}
	}
	return out
}

// why says the numbers that a condition held for.
func (g *Gate) why(p *Pair) string {
	var parts []string
	for _, name := range g.Metrics {
		c, _ := p.Of(name)
		parts = append(parts, fmt.Sprintf("%s %s, %s", name, c.Delta(), c.Verdict))
	}
	return strings.Join(parts, "; ")
}

// Delta writes the difference in percent of the baseline: "+5.2 % [+4.1, +6.3]".
func (c Comparison) Delta() string {
	if math.IsNaN(c.Ratio.Ratio) {
		return "no ratio"
	}
	text := metric.Percent(c.Ratio.Ratio) + " %"
	if !math.IsNaN(c.Ratio.Low) {
		text += " [" + metric.Percent(c.Ratio.Low) + ", " + metric.Percent(c.Ratio.High) + "]"
	}
	return text
}
