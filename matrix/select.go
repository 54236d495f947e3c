package matrix

import (
	"fmt"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"
	"gopkg.in/yaml.v3"
)

// Select compiles an expression that chooses cells, such as
//
//	tp == 8 and load in ["rand256x32", "rand128x16"]
//
// It knows the axes of server and client (bare or as server.NAME and client.NAME),
// server.name, client.name and cell, the cell's id. A value is a number or a truth value
// where it looks like one; compared with a quoted text it is a text. keep tells
// whether the cell at a place in p.Cells is chosen.
func Select(p *Plan, expr string) (keep func(cell int) bool, err error) {
	src := newSource("--only", []byte(expr), Options{})
	node := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: expr, Line: 1, Column: 1}
	servers, clients := selectColumns("server"), selectColumns("client")
	if len(p.Servers) > 0 {
		servers.addAxes(p.Servers[0].Axes)
	}
	if len(p.Clients) > 0 {
		clients.addAxes(p.Clients[0].Axes)
	}
	servers.add("cell", nil)
	nm := &names{src: src, own: servers, other: clients, asText: true, vars: nullValue}
	e := nm.compile(node, 0, expr)
	if err := src.problems.Err(); err != nil {
		return nil, fmt.Errorf("--only: %w", selectError(src.problems))
	}

	rowOf := map[string][]*value{}
	for _, s := range p.Servers {
		rowOf[s.ID] = selectRow(&s.Variant)
	}
	for _, c := range p.Clients {
		rowOf[c.ID] = selectRow(&c.Variant)
	}
	chosen := make([]bool, len(p.Cells))
	for i, c := range p.Cells {
		own := append(slices.Clone(rowOf[c.Server]), textValue(c.ID, nil))
		ok, failed := e.truth(rows{own, rowOf[c.Client]})
		if failed != nil {
			return nil, fmt.Errorf("--only: %s (cell %s)", failed.message, c.ID)
		}
		chosen[i] = ok
	}
	return func(cell int) bool { return cell >= 0 && cell < len(chosen) && chosen[cell] }, nil
}

// selectError words the first problem of an expression given on the command line.
func selectError(ps Problems) error {
	p := ps[0]
	if p.Suggestion != "" {
		return fmt.Errorf("column %d: %s: %s", p.Col, p.Message, p.Suggestion)
	}
	return fmt.Errorf("column %d: %s", p.Col, p.Message)
}

func selectColumns(side string) *columns {
	c := newColumns(side)
	c.add("name", nil)
	return c
}

func (c *columns) addAxes(axes Axes) {
	for _, a := range axes {
		c.add(a.Name, nil)
	}
}

func selectRow(v *Variant) []*value {
	row := []*value{textValue(v.Name, nil)}
	for _, a := range v.Axes {
		n := &yaml.Node{Kind: yaml.ScalarNode, Value: a.Value}
		row = append(row, &value{kind: scalar, text: escape(a.Value), typed: scalarType(n)})
	}
	return row
}

// textual marks the references that are compared with a quoted text: a plan
// keeps no types, so "8" must find the 8 of an axis as 8 does.
type textual struct{ chains map[ast.Node]*chain }

// Visit looks at one node.
func (t textual) Visit(node *ast.Node) {
	b, ok := (*node).(*ast.BinaryNode)
	if !ok || !strings.Contains(" == != in matches contains startsWith endsWith ", " "+b.Operator+" ") {
		return
	}
	for _, pair := range [][2]ast.Node{{b.Left, b.Right}, {b.Right, b.Left}} {
		if c := t.chains[pair[0]]; c != nil && isText(pair[1]) {
			c.asText = true
		}
	}
}

func isText(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.StringNode:
		return true
	case *ast.ArrayNode:
		return len(n.Nodes) > 0 && !slices.ContainsFunc(n.Nodes, func(x ast.Node) bool { return !isText(x) })
	}
	return false
}
