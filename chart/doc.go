// Package chart draws statistical graphics as SVG: intervals around a baseline, a Pareto
// frontier, heat maps, curves, timelines and telemetry bands, from plain structs.
//
// It knows nothing of runs, pages and files, and speaks no language: every word comes in by
// the structs. What it returns is safe to place in HTML or to write to a file, whatever the
// names in it are. Package report makes the structs; package page puts the pictures into the
// report, and its script hides marks (class off) instead of drawing again.
package chart
