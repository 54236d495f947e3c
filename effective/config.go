package effective

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"servematrix/secret"
)

// File is the name of a Config in the folder of its launch.
const File = "effective.json"

// Config is what one start of a server really ran with, as far as it told. Its JSON is
// effective.json, documented in docs/reference/results.md.
type Config struct {
	// Engine is the name of the engine profile.
	Engine string `json:"engine"`
	// Version is the engine's, "" when nobody told.
	Version string `json:"version,omitempty"`
	// Args are the arguments in force, by the engine's own names. What is no Python literal,
	// such as torch.bfloat16, is text.
	Args map[string]any `json:"args,omitempty"`
	// Changed are the choices that the engine made by itself.
	Changed []Change `json:"changed,omitempty"`
	// Info is what it answered, by path, less what Args say already.
	Info map[string]map[string]any `json:"info,omitempty"`
	// Env are the variables of its environment that its engine listens to, redacted.
	Env map[string]string `json:"env,omitempty"`
	// Host is where it ran.
	Host Host `json:"host"`
	// Varies are the names of arguments and keys that say nothing about sameness.
	Varies []string `json:"varies,omitempty"`
	// Names are the arguments that flags set under another name: by flag, less its hyphens and with
	// underscores within.
	Names map[string]string `json:"names,omitempty"`
	// From are the places that Args were read from, such as "server.err:9".
	From []string `json:"from,omitempty"`
	// Problems say what could not be had.
	Problems []string `json:"problems,omitempty"`
}

// Change is a choice that an engine made by itself: a flag that it sets otherwise than asked, or
// that nobody gave.
type Change struct {
	// Flag is the argument; "" where the line names none.
	Flag string `json:"flag,omitempty"`
	// Asked is the value in the command, "" when it has none; Is the one in force, "" when nobody told.
	Asked string `json:"asked,omitempty"`
	Is    string `json:"is,omitempty"`
	// Said is what the engine printed about it, At where, such as "server.err:7".
	Said string `json:"said,omitempty"`
	At   string `json:"at,omitempty"`
}

// Host is the machine under a server.
type Host struct {
	Name   string `json:"name,omitempty"`
	Kernel string `json:"kernel,omitempty"`
	CPU    string `json:"cpu,omitempty"` // with the number of logical cores that may be used: "AMD EPYC 9654 × 96"
	// Devices are the accelerators that the server could see, as "NVIDIA H200 × 8".
	Devices []string `json:"devices,omitempty"`
	// Drivers are their drivers, as "NVIDIA 570.86.15".
	Drivers []string `json:"drivers,omitempty"`
}

// Read gives the Config that was written into the folder of a launch. The error is os.ErrNotExist
// for a launch that has none: it never was ready, or is older than these files.
func Read(launchDir string) (*Config, error) {
	data, err := os.ReadFile(filepath.Join(launchDir, File))
	if err != nil {
		return nil, err
	}
	c := &Config{}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber() // 17179869184 stays what it is
	if err := d.Decode(c); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(launchDir, File), err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: something stands behind the object", filepath.Join(launchDir, File))
	}
	return c, nil
}

// Encode gives the Config as it is to be written.
func (c *Config) Encode() ([]byte, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false) // "<redacted>" stays readable
	e.SetIndent("", "  ")
	if err := e.Encode(c); err != nil {
		return nil, fmt.Errorf("the server's configuration: %w", err)
	}
	return out.Bytes(), nil
}

// Hide takes the secrets out of what Logs gave; extra are further secret names.
func (c *Config) Hide(r *secret.Redactor, extra []string) {
	r.Value(c.Args, extra)
	for i, ch := range c.Changed {
		ch.Said, ch.Asked, ch.Is = r.String(ch.Said), r.String(ch.Asked), r.String(ch.Is)
		c.Changed[i] = ch
	}
	for name, value := range c.Env {
		c.Env[name] = r.String(value)
		if secret.IsSecretName(name, extra) {
			c.Env[name] = secret.Mask
		}
	}
	for i, p := range c.Problems {
		c.Problems[i] = r.String(p)
	}
}

// Identity is the same for two starts that Diff finds no difference between: 12 hex digits of a
// SHA-256.
func (c *Config) Identity() string {
	flat := c.flat()
	names := make([]string, 0, len(flat))
	for name := range flat {
		names = append(names, name)
	}
	slices.Sort(names)
	sum := sha256.New()
	for _, name := range names {
		fmt.Fprintf(sum, "%s\x00%s\x00", name, flat[name])
	}
	return hex.EncodeToString(sum.Sum(nil))[:12]
}
