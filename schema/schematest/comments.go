package schematest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"sync"
)

// about is what stands above or beside a field of a type of ours, as a schema says it: "Port is the
// port" becomes "the port".
func about(t reflect.Type, field string) string {
	pkg, ours := strings.CutPrefix(t.PkgPath(), "servematrix/")
	if !ours || field == "" {
		return ""
	}
	text := commentsIn(pkg)[t.Name()+"."+field]
	if rest, named := strings.CutPrefix(text, field+" "); named {
		text = strings.TrimPrefix(strings.TrimPrefix(rest, "is "), "are ")
	}
	return text
}

var read sync.Map // of commentsIn, by folder

// commentsIn gives the comments of all fields in a folder of the checkout, by Type.Field, each on one
// line.
func commentsIn(folder string) map[string]string {
	if known, ok := read.Load(folder); ok {
		return known.(map[string]string)
	}
	comments := map[string]string{}
	_, here, _, _ := runtime.Caller(0)
	files, _ := filepath.Glob(filepath.Join(filepath.Dir(here), "../..", folder, "*.go")) // the pattern is ours
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			continue // it would not compile either
		}
		ast.Inspect(file, func(n ast.Node) bool {
			typ, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			fields, ok := typ.Type.(*ast.StructType)
			if !ok {
				return false
			}
			for _, field := range fields.Fields.List {
				for _, name := range field.Names {
					comments[typ.Name.Name+"."+name.Name] = strings.Join(strings.Fields(field.Doc.Text()+" "+field.Comment.Text()), " ")
				}
			}
			return false
		})
	}
	read.Store(folder, comments)
	return comments
}
