package engine

import (
	"fmt"
	"strings"

	"gopkg.in/yaml.v3"

	"servematrix/metric"
)

// Layout says how the files that a client leaves are found and read: JSON or a
// table in CSV, completed by files beside it. Package result interprets it; the
// first layout of profiles/clients-other.yaml explains each key.
type Layout struct {
	File       string            `yaml:"file"`       // pattern below the folder that `result.file` names; without it that names the file itself
	Signature  []string          `yaml:"signature"`  // texts that all stand in the file's first bytes
	Table      *Table            `yaml:"table"`      // shape of a .csv file
	Each       Path              `yaml:"each"`       // list of which each element is one result
	With       map[string]Beside `yaml:"with"`       // files beside the main one, by the name under which paths reach them
	Metrics    map[string]Value  `yaml:"metrics"`    // by contract name
	Latencies  map[string]Spread `yaml:"latencies"`  // by contract name without its statistic, such as `ttft_ms`
	Stats      map[string]string `yaml:"stats"`      // the client's word for a statistic → mean, median, std, max or p0.1
	Percentile *Regexp           `yaml:"percentile"` // expression of the client's words for percentiles, the number in group 1
	UnitKey    string            `yaml:"unit_key"`   // key beside a number whose text is its unit
	Errors     Path              `yaml:"errors"`     // messages of requests that failed
	Skip       []Path            `yaml:"skip"`       // read over: lists with an entry a request
	Leave      []Path            `yaml:"leave"`      // what was asked, not measured; not kept in extra
	Empty      string            `yaml:"empty"`      // objects in which this key is 0 hold no numbers
	Missing    bool              `yaml:"missing"`    // the client does not count failures: requests that are missing failed
}

// Table is the shape of a CSV file.
type Table struct {
	Header int      `yaml:"header"` // rows that together name a column; 1 where it is not given
	Key    []string `yaml:"key"`    // columns that name a row; without one each row is a result
}

// Beside is a file beside the main one, JSON, YAML or CSV.
type Beside struct {
	File  string `yaml:"file"`  // pattern relative to the main file's folder
	Table *Table `yaml:"table"` // its shape, where it is a CSV file
	Key   string `yaml:"key"`   // makes a mapping of a list of objects, by what each has under this key
}

// Value says where a number stands or how it follows from others. Exactly one
// of Path, Count, Sum and Product is given.
type Value struct {
	Path    Path     `yaml:"path"`    // where the number stands
	Count   Path     `yaml:"count"`   // length of a list
	Sum     []Path   `yaml:"sum"`     // of all numbers at these paths
	Product []Path   `yaml:"product"` // rounded to a whole number
	Over    Path     `yaml:"over"`    // divides the number
	Unit    Unit     `yaml:"unit"`    // in the file; the metric's own where it is not given
	Absent  *float64 `yaml:"absent"`  // what it means that nothing stands there
	None    *float64 `yaml:"none"`    // a number that stands for "no limit" or "unknown"
	Or      *Value   `yaml:"or"`      // where the first says nothing
}

// Spread says where the statistics of one latency stand.
type Spread struct {
	Paths  []Path `yaml:"paths"`   // {stat} in them stands for each statistic's key
	Values Path   `yaml:"values"`  // list with one number a request, for statistics that are not there
	Unit   Unit   `yaml:"unit"`    // ms where it is not given
	UnitAt Path   `yaml:"unit_at"` // where the file says the unit itself
}

// Unit is a unit as clients spell it.
type Unit string

// UnmarshalText takes only units that can be converted.
func (u *Unit) UnmarshalText(b []byte) error {
	if _, ok := metric.Unit(string(b)); !ok {
		return fmt.Errorf("%q is no unit; known are %s", b, strings.Join(metric.UnitSpellings(), ", "))
	}
	*u = Unit(b)
	return nil
}

// Path leads to a place in a file, its steps separated by " > ": the key of an
// object, the number of an element, * for each, or [key=text] for the elements
// of a list that have that text under that key. {stat} is a step of a Spread.
type Path []string

// UnmarshalText takes a path apart.
func (p *Path) UnmarshalText(b []byte) error {
	*p = nil
	for _, step := range strings.Split(string(b), " > ") {
		step = strings.TrimSpace(step)
		if step == "" {
			return fmt.Errorf("%q: a step of the path is empty", b)
		}
		if strings.HasPrefix(step, "[") && (!strings.HasSuffix(step, "]") || !strings.Contains(step, "=")) {
			return fmt.Errorf("%q: write the step %s as [key=text]", b, step)
		}
		*p = append(*p, step)
	}
	return nil
}

// String writes the path as it stands in a profile.
func (p Path) String() string { return strings.Join(p, " > ") }

// UnmarshalYAML reads a value written as its path alone, or in full.
func (v *Value) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		return v.Path.UnmarshalText([]byte(n.Value))
	}
	type plain Value
	return n.Decode((*plain)(v))
}

// Clients gives all client profiles that have a layout, a user's own first.
func (c *Catalog) Clients() (with []*ClientProfile) {
	for _, p := range c.clients {
		if p.Layout != nil {
			with = append(with, p)
		}
	}
	return with
}
