package result

import (
	"fmt"
	"slices"

	"servematrix/engine"
	"servematrix/metric"
)

// spread takes the statistics of one latency.
func (t *taker) spread(latency string, s engine.Spread) {
	unit := string(s.Unit)
	if spots := follow(t.tree, s.UnitAt); len(s.UnitAt) > 0 && len(spots) == 1 {
		unit, _ = spots[0].value.(string)
	}
	for _, p := range s.Paths {
		at := slices.Index(p, "{stat}")
		if at < 0 {
			continue
		}
		for _, above := range follow(t.tree, p[:at]) {
			for _, stat := range above.step("*") {
				key := stat.key
				if _, ok := above.value.(*list); ok {
					key = fmt.Sprint(stat.index)
				}
				name, ok := t.stat(key, latency)
				spots := follow(stat.value, p[at+1:])
				if len(p[at+1:]) == 0 {
					spots = []spot{stat}
				}
				if !ok || len(spots) != 1 {
					continue
				}
				if f, ok := number(spots[0].value, t.unitOf(spots[0], unit), "ms"); ok {
					t.m.Metrics.Set(name, f)
					t.used = append(t.used, spots[0])
				}
			}
		}
	}
	if len(s.Values) > 0 {
		t.compute(latency, s.Values, unit)
	}
}

// stat gives the contract's name for a statistic by the client's key for it.
func (t *taker) stat(key, latency string) (string, bool) {
	if stat, ok := t.layout.Stats[key]; ok {
		return statName(stat, latency)
	}
	if re := t.layout.Percentile.Expression(); re != nil {
		if m := re.FindStringSubmatch(key); len(m) == 2 {
			return metric.Percentile(m[1], latency)
		}
	}
	return "", false
}

// compute adds the statistics that the file does not give, from one number a request.
func (t *taker) compute(latency string, p engine.Path, unit string) {
	var values []float64
	for _, s := range follow(t.tree, append(slices.Clone(p), "*")) {
		if f, ok := number(s.value, unit, "ms"); ok && finite(f) {
			values = append(values, f)
		}
	}
	if len(values) == 0 {
		return
	}
	slices.Sort(values)
	for stat, f := range map[string]float64{
		"median": quantile(values, 0.5), "p90": quantile(values, 0.9), "p95": quantile(values, 0.95), "p99": quantile(values, 0.99), "max": values[len(values)-1],
	} {
		if _, has := t.m.Metrics.Known(stat + "_" + latency); !has {
			t.m.Metrics.Set(stat+"_"+latency, f)
		}
	}
}

// quantile interpolates linearly between sorted values, as numpy does by default.
func quantile(sorted []float64, q float64) float64 {
	place := q * float64(len(sorted)-1)
	low := int(place)
	if low+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	part, step := place-float64(low), sorted[low+1]-sorted[low]
	if part >= 0.5 {
		return sorted[low+1] - step*(1-part)
	}
	return sorted[low] + step*part
}
