package page

import "encoding/json"

// The data that the script works with, in columns, because a run can have 10,000 cells. It is
// JSON inside a script element: <, >, & and the line separators are escaped.

// columnsJSON is what stands in <script id="data">. A word that repeats is a number into a list.
type columnsJSON struct {
	Name    string          `json:"name"`
	Run     string          `json:"run"`
	Axes    []axisJSON      `json:"axes"`
	Metrics []metricJSON    `json:"metrics"`
	Primary int             `json:"primary"`
	Words   map[string]Text `json:"words"`
	Terms   []Text          `json:"terms"` // words of the charts
	Servers []string        `json:"servers"`
	Clients []string        `json:"clients"`
	Notes   []Text          `json:"notes"`
	ID      []string        `json:"id"`
	Server  []int           `json:"server"`
	Client  []int           `json:"client"`
	Status  []int           `json:"status"`
	Stati   []string        `json:"statuses"`
	Starts  []int           `json:"starts"`
	Blocks  []int           `json:"blocks"`
	Note    []int           `json:"note"`
	Values  [][]int         `json:"values"` // by axis, then by cell
	Means   []numberColumn  `json:"means"`  // by metric, then by cell
	Halves  []numberColumn  `json:"halves"` // half of each interval; empty where none has one
}

type axisJSON struct {
	Name   string   `json:"name"`
	Server bool     `json:"server"`
	Values []string `json:"values"`
}

type metricJSON struct {
	Name  string `json:"name"`
	Label Text   `json:"label"`
}

// numberColumn are numbers of which some can be unknown.
type numberColumn []float64

func (c numberColumn) MarshalJSON() ([]byte, error) {
	b := make([]byte, 0, 8*len(c)+2)
	b = append(b, '[')
	for i, v := range c {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendKept(b, v)
	}
	return append(b, ']'), nil
}

// scriptWords are those that the script writes.
var scriptWords = []string{"ok", "failed", "invalid", "skipped", "interrupted", "missing", "shown", "nocells", "status", "starts", "start", "ready", "client", "stop"}

func embedded(d *Data, terms []Text) ([]byte, error) {
	c := columnsJSON{Terms: append([]Text{}, terms...), Name: d.Name, Run: d.Run, Primary: d.Primary, Words: map[string]Text{}, Stati: statuses,
		Axes: []axisJSON{}, Metrics: []metricJSON{}, Values: make([][]int, len(d.Axes)), Means: make([]numberColumn, len(d.Metrics)), Halves: make([]numberColumn, len(d.Metrics))}
	for _, key := range scriptWords {
		c.Words[key] = words[key]
	}
	for _, a := range d.Axes {
		c.Axes = append(c.Axes, axisJSON{a.Name, a.Server, append([]string{}, a.Values...)})
	}
	for _, m := range d.Metrics {
		c.Metrics = append(c.Metrics, metricJSON{m.Name, m.Label})
	}
	servers, clients, notes := newList[string](), newList[string](), newList[Text]()
	for _, cell := range d.Cells {
		c.ID = append(c.ID, cell.ID)
		c.Server = append(c.Server, servers.of(cell.Server))
		c.Client = append(c.Client, clients.of(cell.Client))
		c.Note = append(c.Note, notes.of(cell.Note))
		c.Status = append(c.Status, statusAt(cell.Status))
		c.Starts = append(c.Starts, cell.Starts)
		c.Blocks = append(c.Blocks, cell.Blocks)
		for i := range d.Axes {
			c.Values[i] = append(c.Values[i], cell.Values[i])
		}
		for i := range d.Metrics {
			c.Means[i] = append(c.Means[i], cell.Numbers[i].Mean)
		}
	}
	for i := range d.Metrics {
		c.Halves[i] = halves(d.Cells, i)
	}
	c.Servers, c.Clients, c.Notes = servers.all, clients.all, notes.all
	return json.Marshal(c)
}

// halves gives half of each cell's interval of a metric; none where no cell has one.
func halves(cells []Cell, metric int) (out numberColumn) {
	for i, cell := range cells {
		e := cell.Numbers[metric]
		if !e.spread() {
			continue
		}
		for len(out) < len(cells) {
			out = append(out, nan)
		}
		out[i] = e.half()
	}
	return out
}

func statusAt(status string) int {
	for i, s := range statuses {
		if s == status {
			return i
		}
	}
	return -1
}

// list numbers things, each once.
type list[T comparable] struct {
	all []T
	at  map[T]int
}

func newList[T comparable]() *list[T] { return &list[T]{all: []T{}, at: map[T]int{}} }

func (l *list[T]) of(s T) int {
	i, ok := l.at[s]
	if !ok {
		i = len(l.all)
		l.all, l.at[s] = append(l.all, s), i
	}
	return i
}
