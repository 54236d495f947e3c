package matrix

import "github.com/expr-lang/expr/ast"

// chain is a reference in a syntax tree: an identifier and the fixed parts after it.
type chain struct {
	path     []step
	from, to int // characters of the expression
	optional bool
	asText   bool
	slot     string // name under which the value is handed to the program
}

// collector finds the longest references of a tree. They are resolved by us and
// not by expr-lang, so that an unknown name is found before anything is evaluated,
// a bare axis name can be an id while its fields are reachable, and source text survives.
type collector struct {
	chains map[ast.Node]*chain
	order  []ast.Node
	locals map[string]bool // declared with let
	calls  []ast.Node      // calls of something that is no builtin
}

// Visit is called for a node after its children.
func (c *collector) Visit(node *ast.Node) {
	switch n := (*node).(type) {
	case *ast.IdentifierNode:
		c.keep(n, &chain{path: []step{{name: n.Value}}, from: n.Location().From, to: n.Location().To})
	case *ast.MemberNode:
		base := c.chains[n.Node]
		if base == nil {
			return
		}
		var s step
		switch p := n.Property.(type) {
		case *ast.StringNode:
			s = step{name: p.Value}
		case *ast.IntegerNode:
			s = step{index: p.Value, isIndex: true}
		default:
			return
		}
		to := max(n.Location().To, n.Property.Location().To)
		if n.Location().To != n.Property.Location().To {
			to++ // a[0] and a["x"] end with their bracket
		}
		delete(c.chains, n.Node)
		c.keep(n, &chain{path: append(base.path[:len(base.path):len(base.path)], s), from: base.from, to: to, optional: base.optional || n.Optional})
	case *ast.CallNode:
		delete(c.chains, n.Callee)
		c.calls = append(c.calls, n)
	case *ast.VariableDeclaratorNode:
		c.locals[n.Name] = true
	}
}

func (c *collector) keep(n ast.Node, ch *chain) {
	c.chains[n] = ch
	c.order = append(c.order, n)
}

// replacer puts the slots of the values in the place of the references.
type replacer struct{ chains map[ast.Node]*chain }

// Visit replaces one node.
func (r replacer) Visit(node *ast.Node) {
	if c := r.chains[*node]; c != nil {
		slot := &ast.IdentifierNode{Value: c.slot}
		ast.Patch(node, slot)
	}
}
