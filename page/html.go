package page

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"html/template"
	"io"
	"io/fs"
	"strings"

	"servematrix/chart"
)

//go:embed template script style
var files embed.FS

// Options say how a page is used.
type Options struct {
	// Connect lets the page talk to the server that it came from, and nothing else.
	Connect bool
	// Script runs behind the page's own, for a server that sends newer data.
	Script string
}

// HTML writes the whole page.
func HTML(w io.Writer, d *Data, o Options) error {
	v, err := newView(d)
	if err != nil {
		return err
	}
	v.Style, v.Script = template.CSS(style), template.JS(script+o.Script)
	v.Policy = policy(string(v.Script), o.Connect)
	return write(w, "page", v)
}

// Main writes what stands inside <main>: the newer data of a page that is open.
func Main(w io.Writer, d *Data) error {
	v, err := newView(d)
	if err != nil {
		return err
	}
	return write(w, "main", v)
}

func either(t Text, lang string) string {
	if lang == "zh" {
		return t.ZH
	}
	return t.EN
}

func write(w io.Writer, name string, v *view) error {
	var b bytes.Buffer
	if err := templates.ExecuteTemplate(&b, name, v); err != nil {
		return err
	}
	_, err := w.Write(b.Bytes())
	return err
}

var templates = template.Must(template.New("").Funcs(template.FuncMap{
	"w": say, "both": both, "label": label, "few": few, "over": over, "rest": func(all, shown int) int { return all - shown }, "cellsOf": cellsOf,
	"word":   func(key, lang string) string { return either(words[key], lang) },
	"either": either,
}).ParseFS(files, "template/*.html"))

var (
	style  = chart.CSS + "\n" + join("style")
	script = "\"use strict\";(() => {\n" + join("script") + "})();\n"
)

// join gives the files of a folder one behind the other, in the order of their names.
func join(folder string) string {
	var b strings.Builder
	err := fs.WalkDir(files, folder, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := files.ReadFile(path)
		b.Write(text)
		return err
	})
	if err != nil {
		panic(err) // the files are part of the program
	}
	return b.String()
}

// policy lets the page's own script and stylesheet run, and nothing be fetched.
func policy(script string, connect bool) string {
	p := "default-src 'none'; script-src 'sha256-" + digest(script) + "'; style-src 'sha256-" + digest(style) +
		"'; img-src data:; base-uri 'none'; form-action 'none'"
	if connect {
		p += "; connect-src 'self'"
	}
	return p
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return base64.StdEncoding.EncodeToString(sum[:])
}
