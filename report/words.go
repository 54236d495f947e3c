package report

import (
	"servematrix/page"
	"servematrix/result"
)

// words are the report's words in one language: the lines that the importer reads back are
// result's, the rest is ours alone. Words in format strings are arguments in the same order in
// every language.
type words struct {
	result.ReportLabels
	lang string

	// Lines of the sections.
	warmup, inPlaceOf, warning                string
	resumed, interrupted, cause, why, logs    string
	simulated, readyAfter                     string
	serverFailed, flushOK, flushFailed        string
	exitCode, exitUnknown, signal             string
	stopped, leaderExit, groupAsked           string
	killedAfter, survivedAfter, stepAfter     string
	goneAfter, portFree, portHeld, gateAfter  string
	comma                                     string
	processes, segments, sockets              quantity
	sessions                                  quantity
	survived, killed, ended                   string
	clientStopped, clientSignal, clientUnseen string
	hookEnded, cut, unreadable                string

	smoke string // what is above everything in a smoke run's reports

	// The end.
	results, simulatedNumbers, simulatedRow string
	server, client, block, attempt, state   string
	numbers, sometimes                      []string // heads in the order of the metrics
	requests, note, former, formerCount     string
	failures, warnings, files               string
	imported, moreFiles, source, eachSample string // of an import
	startUnknown                            string
	importedLegend                          []string
	legend                                  []string
	span, incomplete                        string
	repeated, repeatedOne, after            string

	// Of a run that crashed: that, where, and what is left.
	crashed, betweenServers, whileStarting, betweenClients, whileClient, whileStopping string
	ofCell, left, goOn, nothingLeft, endIt                                             string

	// The table of a run with several blocks.
	starts, between, lowHigh    string // heads
	howToRead, apart, eachStart string
	status                      map[string]string

	// A failure.
	helps, tryServer, tryClient string
	classes                     map[string]string // what each failure class means
}

// statusOf is a status in words; one that is not known stays as it is.
func (w words) statusOf(status string) string {
	if s, ok := w.status[status]; ok {
		return s
	}
	return visible(status)
}

// of gives the words of a text.
func (w words) of(t page.Text) string {
	if w.lang == "zh" {
		return t.ZH
	}
	return t.EN
}

func wordsOf(lang string) words {
	if lang == "zh" {
		return chinese
	}
	return english
}
