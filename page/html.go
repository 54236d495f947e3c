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
	"sync"

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
	// Style stands behind the page's own.
	Style string
	// Halt is asked again and again while the page is drawn: an error of it ends the drawing and is
	// what that gives.
	Halt func() error
}

// halted asks Halt before it writes.
type halted struct {
	io.Writer
	halt func() error
}

func (h halted) Write(b []byte) (int, error) {
	if err := h.halt(); err != nil {
		return 0, err
	}
	return h.Writer.Write(b)
}

// Drawing is a page whose tables and charts are drawn.
type Drawing struct {
	Lang, Name, Run string
	Main            template.HTML // what stands inside <main>: the newer data of a page that is open
}

// Draw draws the page of d.
func Draw(d *Data) (*Drawing, error) { return draw(d, Options{}) }

func draw(d *Data, o Options) (*Drawing, error) {
	if o.Halt == nil {
		o.Halt = never
	}
	v, err := viewUntil(d, o.Halt)
	if err != nil {
		return nil, err
	}
	var main bytes.Buffer
	if err := templates().ExecuteTemplate(halted{&main, o.Halt}, "main", v); err != nil {
		return nil, err
	}
	return &Drawing{Lang: v.Lang, Name: v.Name, Run: v.Run, Main: template.HTML(main.String())}, nil
}

// HTML writes the whole page.
func (g *Drawing) HTML(w io.Writer, o Options) error {
	var b bytes.Buffer
	err := templates().ExecuteTemplate(&b, "page", struct {
		*Drawing
		Policy string
		Style  template.CSS
		Script template.JS
	}{g, Policy(o), template.CSS(style + o.Style), template.JS(script + o.Script)})
	if err != nil {
		return err
	}
	_, err = w.Write(b.Bytes())
	return err
}

// HTML draws the page of d and writes it.
func HTML(w io.Writer, d *Data, o Options) error {
	g, err := draw(d, o)
	if err != nil {
		return err
	}
	return g.HTML(w, o)
}

func either(t Text, lang string) string {
	if lang == "zh" {
		return t.ZH
	}
	return t.EN
}

// templates are read when a page is drawn first: few commands draw one.
var templates = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{
		"w": say, "both": both, "label": label, "few": few, "over": over, "rest": func(all, shown int) int { return all - shown }, "cellsOf": cellsOf, "inPhase": inPhase,
		"word":   func(key, lang string) string { return either(words[key], lang) },
		"either": either,
	}).ParseFS(files, "template/*.html"))
})

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

// Policy is the Content-Security-Policy of a page: its own script and stylesheet run, and nothing
// is fetched but, with Connect, what its own server has.
func Policy(o Options) string {
	p := "default-src 'none'; script-src 'sha256-" + digest(script+o.Script) + "'; style-src 'sha256-" + digest(style+o.Style) +
		"'; img-src data:; base-uri 'none'; form-action 'none'"
	if o.Connect {
		p += "; connect-src 'self'"
	}
	return p
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return base64.StdEncoding.EncodeToString(sum[:])
}
