package cli

import (
	"errors"
	"slices"
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
	c := reference.Compare(file, reference.Run{Name: src.Name, Samples: src.Samples, Cells: src.Cells, Around: referenceAround(src)})
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
	}
	return nil, noSource("reference", name, err)
}

// referenceAround gives what a run knows around a sample: its devices, and what the server ran with.
func referenceAround(src compare.Source) func(*result.Sample) reference.Around {
	if src.Around == nil {
		return nil
	}
	return func(s *result.Sample) (out reference.Around) {
		facts := src.Around(s)
		if facts == nil {
			return out
		}
		if out.Server = facts.Server; out.Server != nil && len(out.Server.Host.Devices) > 0 {
			for _, d := range out.Server.Host.Devices { // "NVIDIA H200 × 8": what the server could see
				name, number, _ := strings.Cut(d, " × ")
				n, _ := strconv.Atoi(number)
				out.Devices = append(out.Devices, slices.Repeat([]string{name}, max(1, n))...)
			}
			return out
		}
		for _, f := range slices.Concat(facts.List, facts.Host) {
			if f.Kind == "devices" && f.Value != "" {
				out.Devices = strings.Split(f.Value, ", ")
			}
		}
		return out
	}
}
