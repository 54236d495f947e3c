package cli

import (
	"cmp"
	"errors"
	"io/fs"
	"strconv"
	"strings"

	"servematrix/compare"
	"servematrix/matrix"
	"servematrix/reference"
	"servematrix/report"
	"servematrix/result"
)

// compareReference holds one run against published numbers.
func compareReference(env Env, args []string, opt compareOptions) error {
	switch {
	case len(args) != 1:
		return usageError("--reference compares one run with published numbers; %d are given", len(args))
	case len(opt.baseline) > 0 || len(opt.failIf) > 0 || len(opt.metrics) > 0 || opt.primary != "" || opt.minEffect != "":
		return usageError("--reference goes with --format alone: one published number allows no verdict, and the reference names its metrics")
	}
	if err := oneFormat(opt.format, "text", "json", "md"); err != nil {
		return err
	}
	file, err := loadReference(env, opt.reference)
	if err != nil {
		return err
	}
	sources, err := compareSources(env, args)
	if err != nil {
		return err
	}
	src := sources[0]
	c := reference.Compare(file, reference.Run{Name: src.Name, Samples: src.Samples, Facts: deviceFacts(src)})
	switch opt.format {
	case "json":
		return report.ReferenceJSON(env.Stdout, c)
	case "md":
		return report.ReferenceMarkdown(env.Stdout, c)
	}
	return report.ReferenceText(env.Stdout, c)
}

// loadReference reads a reference, and names the file as the user did.
func loadReference(env Env, name string) (*reference.File, error) {
	file, err := reference.Load(env.path(name))
	var problems matrix.Problems
	switch {
	case err == nil:
		return file, nil
	case errors.As(err, &problems):
		for i := range problems {
			problems[i].File = name
		}
		return nil, &exitError{code: exitUsage, err: problems}
	case errors.Is(err, fs.ErrNotExist):
		return nil, usageError("there is no reference %s", name)
	}
	return nil, usageError("the reference cannot be read: %w", err)
}

// deviceFacts gives what host.json told of the devices: the name of the first and how many there are.
func deviceFacts(src compare.Source) func(*result.Sample) map[string]string {
	if src.Around == nil {
		return nil
	}
	return func(s *result.Sample) map[string]string {
		facts := src.Around(s)
		if facts == nil {
			return nil
		}
		out := map[string]string{}
		for _, f := range facts.List {
			if f.Kind == "devices" && f.Value != "" {
				names := strings.Split(f.Value, ", ")
				out["device"] = cmp.Or(out["device"], names[0])
				out["devices"] = cmp.Or(out["devices"], strconv.Itoa(len(names)))
			}
		}
		return out
	}
}
