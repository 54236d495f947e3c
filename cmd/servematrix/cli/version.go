package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// buildInfo says which servematrix this is.
type buildInfo struct {
	Version  string `json:"version"`            // of the module; "(devel)" when built from a checkout without tags
	Revision string `json:"revision,omitempty"` // commit
	Time     string `json:"time,omitempty"`     // of the commit
	Modified bool   `json:"modified,omitempty"` // the checkout had changes
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func newVersion(env Env) *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Say which servematrix this is",
		Long: `Prints the module's version, the commit it was built from and the Go version.

Exit codes: 0 printed · 2 usage`,
		Example: "  servematrix version --format json",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if err := oneFormat(format, "text", "json"); err != nil {
				return err
			}
			return writeVersion(env.Stdout, build(), format)
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "text or json")
	return cmd
}

func writeVersion(w io.Writer, b buildInfo, format string) error {
	if format == "json" {
		return writeJSON(w, b)
	}
	_, err := fmt.Fprintf(w, "servematrix %s, %s, %s\n", b, b.Go, b.Platform)
	return err
}

// String is the version with the commit, where it is not in the version already.
func (b buildInfo) String() string {
	s := b.Version
	if b.Revision != "" && b.Version == "(devel)" {
		s += " " + b.Revision[:min(12, len(b.Revision))]
	}
	if b.Modified {
		s += " with changes"
	}
	return s
}

// released is the version of a release, from git; release/build.sh sets it.
var released string

func build() buildInfo {
	b := buildInfo{Version: "(devel)", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	b.Version = cmp.Or(released, info.Main.Version, b.Version)
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Revision = s.Value
		case "vcs.time":
			b.Time = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	return b
}

// versionString is the version as events and reports name it.
func versionString() string { return build().String() }

// oneFormat makes a --format that there is not a usage error that names those that there are.
func oneFormat(format string, known ...string) error {
	list := ""
	for i, k := range known {
		switch {
		case format == k:
			return nil
		case i == len(known)-1 && i > 0:
			list += " or "
		case i > 0:
			list += ", "
		}
		list += k
	}
	return usageError("--format %s: want %s", format, list)
}

// writeJSON writes v as indented JSON for people and scripts alike.
func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
