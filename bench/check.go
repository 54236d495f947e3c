package bench

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"servematrix/bench/pasted"
	"servematrix/bench/wire"
	"servematrix/command"
)

// later matches a value that only a run knows, as plans write it: ${{ server.url }}.
var later = regexp.MustCompile(`\$\{\{\s*([^}]*?)\s*\}\}`)

// standIns are values of the kinds that a run puts in the place of what only it knows.
var standIns = map[string]string{"server.url": "http://127.0.0.1:1", "server.port": "1", "late.port": "1", "late.seed": "1", "late.dir": "dir", "late.devices": "0"}

// Check tells what is wrong with the arguments of `bench`, before anything is started: an unknown
// flag, a value that it does not take. The values can hold ${{ … }}, which a run fills in; what
// these will be, such as a variable of the environment, is not judged. Names are to be whole: other
// parts of servematrix read them too.
func Check(args []string) error {
	_, err := parse(args)
	return err
}

// CheckFiles tells which file that the arguments of `bench` name is not there, for a client in the
// folder dir whose environment getenv knows: its tokenizer, or the certificates that it trusts. The
// arguments are to be right (Check); files that only a run knows are not judged.
func CheckFiles(args []string, dir string, getenv func(string) string) error {
	opt, err := parse(args)
	if err != nil {
		return err
	}
	known := func(flag string) bool {
		value, _ := command.Args(args).Value(flag)
		return !later.MatchString(value)
	}
	if known("--tokenizer") {
		err = opt.Dataset.CheckTokenizer(dir, getenv)
	}
	if err == nil && known("--ca-cert") {
		if ca := &opt.Wire.CACert; *ca != "" && !filepath.IsAbs(*ca) {
			*ca = filepath.Join(dir, *ca)
		}
		err = opt.Wire.CheckCA()
	}
	return err
}

func parse(args []string) (Options, error) {
	var opt Options
	fs := pflag.NewFlagSet("bench", pflag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.Usage = func() {}
	AddFlags(fs, &opt)
	open := false
	filled := make([]string, len(args))
	for i, word := range args {
		filled[i] = later.ReplaceAllStringFunc(word, func(expression string) string {
			value, known := standIns[later.FindStringSubmatch(expression)[1]]
			open = open || !known
			return value
		})
	}
	words := pasted.Spell(fs, filled, pasted.Exact)
	err := fs.Parse(words)
	if _, unknown := errors.AsType[*pflag.NotExistError](err); open && !unknown {
		return opt, nil // the value that is missing could be what is wrong
	}
	switch {
	case errors.Is(err, pflag.ErrHelp):
		return opt, errors.New("--help measures nothing")
	case err != nil:
		return opt, err
	}
	if fs.NArg() > 0 {
		return opt, fmt.Errorf("%q belongs to no flag%s", fs.Arg(0), oneText(words, fs.Args()))
	}
	return opt.resolve()
}

// oneText says of the first of loose words, where it stands behind a flag whose value is a list in
// one text, how that is written.
func oneText(words, loose []string) string {
	for _, flag := range []string{"--slo", "--percentiles"} {
		at := slices.Index(words, flag)
		if at < 0 || at+2 >= len(words) || words[at+2] != loose[0] {
			continue
		}
		list := words[at+1:]
		if end := slices.IndexFunc(list, command.IsFlag); end > 0 {
			list = list[:end]
		}
		return fmt.Sprintf(": %s takes one text, %q", flag, strings.Join(list, ","))
	}
	return ""
}

// CheckBackend tells what is wrong with a value of --backend.
func CheckBackend(name string) error { return wire.CheckBackend(name) }

// FlagNames are the names of bench's flags, without dashes.
func FlagNames() (names []string) {
	fs := pflag.NewFlagSet("bench", pflag.ContinueOnError)
	AddFlags(fs, &Options{})
	fs.VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	return names
}

// UnknownFlag gives the name of the flag that an error of Check says does not exist.
func UnknownFlag(err error) (name string, ok bool) {
	e, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok {
		return "", false
	}
	return e.GetSpecifiedName(), true
}
