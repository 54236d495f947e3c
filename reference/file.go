package reference

import "servematrix/matrix"

// File is one reference: numbers that somebody published, and what is known of their making.
type File struct {
	// Name is the value of the key reference.
	Name string
	// Source says where the numbers stand.
	Source Source
	// Conditions hold for all results; a result's own take precedence.
	Conditions []Condition
	Results    []Result
	// Notes are remarks that a reader of the numbers has to know.
	Notes []string
}

// Source is where numbers were published. Title is always given.
type Source struct {
	Title string `json:"title"`
	URL   string `json:"url,omitempty"`
	Date  string `json:"date,omitempty"`
	File  string `json:"file,omitempty"`
}

// Unstated is the value of a condition that the source does not tell. Naming it says that it
// matters and that nobody knows it.
const Unstated = "unstated"

// Condition is one condition with the source text of its value.
type Condition struct {
	Name, Value string
	At          matrix.Pos
}

// Result is what was published of one configuration.
type Result struct {
	Name       string
	Conditions []Condition
	// RatioTo names another result of the file: then the numbers are ratios of this
	// configuration to that one, which may have no numbers of its own. "" for plain numbers.
	RatioTo string
	Metrics []Number
	At      matrix.Pos
}

// Number is a published number of a metric, under the contract's name and in its unit.
type Number struct {
	Metric string
	Value  float64
	// Text is the number as it was published.
	Text string
}

// conditions gives all conditions of a result, the file's first.
func (f *File) conditions(r *Result) []Condition {
	var out []Condition
	for _, c := range f.Conditions {
		if _, own := find(r.Conditions, c.Name); !own {
			out = append(out, c)
		}
	}
	return append(out, r.Conditions...)
}

func find(list []Condition, name string) (Condition, bool) {
	for _, c := range list {
		if c.Name == name {
			return c, true
		}
	}
	return Condition{}, false
}

func (f *File) result(name string) *Result {
	for i := range f.Results {
		if f.Results[i].Name == name {
			return &f.Results[i]
		}
	}
	return nil
}
