package device

import (
	"context"
	"slices"
	"strconv"
	"strings"
)

// rocmSMI asks rocm-smi, in one call. Its JSON has an object for each card and one
// for the system, in which the processes stand; all values are texts.
type rocmSMI struct{ program }

// Read asks once for everything.
func (r *rocmSMI) Read(ctx context.Context) (Snapshot, error) {
	out, err := r.call(ctx, "--showproductname", "--showuniqueid", "--showbus", "--showuse", "--showmeminfo", "vram",
		"--showpower", "--showtemp", "--showclocks",
		"--showdriverversion", "--showpids", "--json")
	if err != nil {
		return Snapshot{}, err
	}
	s, ok := parseROCm(out.text)
	switch {
	case len(s.Devices) > 0:
		return s, nil
	case ok && out.code == 0, strings.Contains(out.text+out.said, "No AMD GPUs"):
		return Snapshot{}, ErrNone
	}
	return Snapshot{}, r.failure(out)
}

// parseROCm reads the answer; false when it is none.
func parseROCm(text string) (Snapshot, bool) {
	s := Snapshot{Vendor: "AMD", Tool: "rocm-smi", Processes: []Process{}}
	var answer object
	if !jsonIn(text, &answer) {
		return s, false
	}
	cards := map[int]object{}
	for key := range answer {
		n, err := strconv.Atoi(strings.TrimPrefix(key, "card"))
		if card := answer.at(key); err == nil && n >= 0 && card != nil && strings.HasPrefix(key, "card") {
			cards[n] = card
		}
	}
	numbers := make([]int, 0, len(cards))
	for n := range cards {
		numbers = append(numbers, n)
	}
	slices.Sort(numbers)
	for position, n := range numbers { // old versions leave out the numbers of other vendors' cards
		c := cards[n]
		d := Device{Index: position, ID: c.text("Unique ID"), Bus: c.text("PCI Bus"),
			Name: c.text("Card Series", "Card series", "Card Model", "Card model")}
		used, total := c.bytes("VRAM Total Used Memory (B)", "B"), c.bytes("VRAM Total Memory (B)", "B")
		if used != nil && total != nil && *total > 0 {
			d.Memory = &Memory{*used, *total}
		}
		d.Utilization = c.percent("GPU use (%)")
		d.Power = c.gauge(watts, "Current Socket Graphics Package Power (W)", "Average Graphics Package Power (W)")
		d.Temperature = c.gauge(celsius, "Temperature (Sensor junction) (C)", "Temperature (Sensor edge) (C)")
		d.Clock = c.gauge(megahertz, "sclk clock speed:")
		s.Devices = append(s.Devices, d)
	}
	system := answer.at("system")
	s.Driver = system.text("Driver version")
	for key := range system {
		// "PID28389": "llama-server, 1, 2353860608, 11011, 0": name, number of GPUs, VRAM, SDMA, CU.
		// A name with spaces has become several words, and all is in lower case.
		number, isPID := strings.CutPrefix(key, "PID")
		pid, err := strconv.Atoi(number)
		words := strings.Split(system.text(key), ", ")
		if !isPID || err != nil || pid <= 0 || len(words) < 5 {
			continue
		}
		at := len(words) - 4
		p := Process{Device: AnyDevice, PID: pid, Name: strings.Join(words[:at], " ")}
		if p.Name == "unknown" {
			p.Name = ""
		}
		if len(s.Devices) == 1 {
			p.Device = 0
		}
		p.Used = object{"v": words[at+1]}.bytes("v", "B")
		s.Processes = append(s.Processes, p)
	}
	slices.SortFunc(s.Processes, func(a, b Process) int { return a.PID - b.PID })
	return s, true
}
