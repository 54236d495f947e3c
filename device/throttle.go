package device

import (
	"context"
	"strconv"
	"strings"
)

// Throttler is a Tool that can tell why devices run slower than they could.
type Throttler interface {
	// Throttled gives the reasons of this moment by Device.Index; a device that runs as it
	// should, be it at its power limit, has none. The error is ErrNone when this version of the tool cannot tell.
	Throttled(ctx context.Context) (map[int][]string, error)
}

// reasonFields are the names of the bit mask of reasons: that of newer drivers, and that of those
// before about 535.
var reasonFields = []string{"clocks_event_reasons.active", "clocks_throttle_reasons.active"}

// reasonBits are the reasons that slow a device down and should not be there; idleness, and clocks
// that somebody set, are none, nor is sw_power_cap (0x04): that the power limit rules the clocks is
// how a healthy data-centre device runs under load, in prefill above all. The bits are NVML's
// (nvmlClocksEventReasons in nvml.h), the names nvidia-smi's.
var reasonBits = []struct {
	bit  uint64
	name string
}{
	{0x08, "hw_slowdown"}, {0x20, "sw_thermal_slowdown"}, {0x40, "hw_thermal_slowdown"}, {0x80, "hw_power_brake_slowdown"},
}

// Throttled asks for the mask alone: older versions refuse a query with a field they do not know.
func (n *nvidia) Throttled(ctx context.Context) (map[int][]string, error) {
	for n.reasons < len(reasonFields) {
		out, err := n.call(ctx, "--query-gpu=index,"+reasonFields[n.reasons], "--format=csv,noheader,nounits")
		if err != nil {
			return nil, err
		}
		if out.code == 0 || out.code == infoROMCorrupted {
			return parseThrottled(out.text), nil
		}
		if !strings.Contains(out.text+out.said, "not a valid field") {
			return nil, n.failure(out)
		}
		n.reasons++
	}
	return nil, ErrNone
}

// parseThrottled reads lines such as "0, 0x0000000000000004".
func parseThrottled(text string) map[int][]string {
	found := map[int][]string{}
	for line := range strings.Lines(text) {
		f := fields(line, 2)
		if f == nil {
			continue
		}
		index, err1 := strconv.Atoi(f[0])
		digits, hex := strings.CutPrefix(f[1], "0x")
		mask, err2 := strconv.ParseUint(digits, 16, 64)
		if err1 != nil || err2 != nil || !hex || index < 0 {
			continue // such as [N/A]
		}
		for _, r := range reasonBits {
			if mask&r.bit != 0 {
				found[index] = append(found[index], r.name)
			}
		}
	}
	return found
}
