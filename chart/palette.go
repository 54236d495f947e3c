package chart

// colour is a custom property and its value in the light and the dark theme.
type colour struct {
	name   string
	themes [2]string
}

// palette holds the colours of all charts. s0 to s7 are those of Okabe and Ito ("Color
// Universal Design", 2008), which people with any colour vision tell apart: blue and
// vermillion first, black last and in dark light grey.
var palette = []colour{
	{"paper", [2]string{"#ffffff", "#14171a"}},
	{"ink", [2]string{"#1b1f23", "#e6e8ea"}},
	{"muted", [2]string{"#5b636b", "#9aa4ad"}},
	{"grid", [2]string{"#e8ebee", "#272c31"}},
	{"axis", [2]string{"#aab2b9", "#565e66"}},
	{"good", [2]string{"#0072b2", "#56b4e9"}},
	{"bad", [2]string{"#d55e00", "#f0813a"}},
	{"s0", [2]string{"#0072b2", "#4aa3df"}},
	{"s1", [2]string{"#e69f00", "#e69f00"}},
	{"s2", [2]string{"#009e73", "#2fbf93"}},
	{"s3", [2]string{"#cc79a7", "#d98fb8"}},
	{"s4", [2]string{"#56b4e9", "#8fd0f5"}},
	{"s5", [2]string{"#d55e00", "#f0813a"}},
	{"s6", [2]string{"#d6c61a", "#f0e442"}},
	{"s7", [2]string{"#444b52", "#c5cbd1"}},
	// p0 to p5 are phases: broad areas, so quieter than the series.
	{"p0", [2]string{"#a9b2ba", "#6b747c"}},
	{"p1", [2]string{"#efc25e", "#c0902a"}},
	{"p2", [2]string{"#2f87c1", "#3f93cf"}},
	{"p3", [2]string{"#d7a0c2", "#9c6488"}},
	{"p4", [2]string{"#58b99b", "#338f73"}},
	{"p5", [2]string{"#6c757d", "#a3adb6"}},
	// q0 to q8 is the sequential ramp, d0 to d8 the diverging one, both even in OKLab; on-q0
	// is the text that reads best on q0.
	{"q0", [2]string{"#e9f2f9", "#1c2b3a"}},
	{"on-q0", [2]string{"#15181b", "#ffffff"}},
	{"q1", [2]string{"#c7e0f1", "#1f3b56"}},
	{"on-q1", [2]string{"#15181b", "#ffffff"}},
	{"q2", [2]string{"#a6cde9", "#204b73"}},
	{"on-q2", [2]string{"#15181b", "#ffffff"}},
	{"q3", [2]string{"#84b9df", "#245e90"}},
	{"on-q3", [2]string{"#15181b", "#ffffff"}},
	{"q4", [2]string{"#61a0d1", "#3477ad"}},
	{"on-q4", [2]string{"#15181b", "#ffffff"}},
	{"q5", [2]string{"#3d87c4", "#4491ca"}},
	{"on-q5", [2]string{"#15181b", "#15181b"}},
	{"q6", [2]string{"#256daa", "#6faede"}},
	{"on-q6", [2]string{"#ffffff", "#15181b"}},
	{"q7", [2]string{"#18538c", "#a1cced"}},
	{"on-q7", [2]string{"#ffffff", "#15181b"}},
	{"q8", [2]string{"#0b3a6f", "#d3eafb"}},
	{"on-q8", [2]string{"#ffffff", "#15181b"}},
	{"d0", [2]string{"#a34a00", "#ff9a4d"}},
	{"on-d0", [2]string{"#ffffff", "#15181b"}},
	{"d1", [2]string{"#c6773c", "#d07937"}},
	{"on-d1", [2]string{"#15181b", "#15181b"}},
	{"d2", [2]string{"#e8a468", "#a25a22"}},
	{"on-d2", [2]string{"#15181b", "#ffffff"}},
	{"d3", [2]string{"#efccae", "#654633"}},
	{"on-d3", [2]string{"#15181b", "#ffffff"}},
	{"d4", [2]string{"#f3f3f1", "#2b3035"}},
	{"on-d4", [2]string{"#15181b", "#ffffff"}},
	{"d5", [2]string{"#bbd5e8", "#2e4d6a"}},
	{"on-d5", [2]string{"#15181b", "#ffffff"}},
	{"d6", [2]string{"#82b6de", "#2a6ba3"}},
	{"on-d6", [2]string{"#15181b", "#ffffff"}},
	{"d7", [2]string{"#4b85ba", "#5396d0"}},
	{"on-d7", [2]string{"#15181b", "#15181b"}},
	{"d8", [2]string{"#0a5596", "#7cc4ff"}},
	{"on-d8", [2]string{"#ffffff", "#15181b"}},
}
