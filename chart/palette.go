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
}
