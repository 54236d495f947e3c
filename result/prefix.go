package result

import (
	"regexp"
	"strings"
)

// header is the first line of a result block, wherever in a line it stands: a progress bar that
// ended without a newline may be before it, or what mpirun, docker compose, kubectl or srun write
// before each line.
var header = regexp.MustCompile(`(?i)={3,} [^=]*benchmark result[^=]* ={3,}\s*$`)

// headerAt gives the place where a block's header begins, or -1.
func headerAt(line string) int {
	if !strings.HasSuffix(strings.TrimRight(line, " \t"), "===") {
		return -1
	}
	at := header.FindStringIndex(line)
	if at == nil || len(line)-at[0] > maxLabel {
		return -1
	}
	return at[0]
}

// shape is a prefix with its digits made equal, so that times and process ids compare.
func shape(prefix string) string {
	return strings.Map(func(c rune) rune {
		if c >= '0' && c <= '9' {
			return '0'
		}
		return c
	}, prefix)
}

// bare takes the prefix of the block's header off another of its lines, if that has it too.
func (b *textBlock) bare(line string) string {
	n := len(b.prefix)
	if n == 0 || len(line) < n || strings.TrimSpace(b.prefix) == "" || shape(line[:n]) != b.prefix {
		return line
	}
	return line[n:]
}

// clientFlags are arguments that only a benchmark client has: a server that shares the terminal
// prints its own Namespace(...).
var clientFlags = regexp.MustCompile(`[( ](?:num_prompts|request_rate|dataset_name|dataset_path|dataset|random_input_len)=`)

// clientArguments gives the Namespace(...) of a client in a line, or "".
func clientArguments(text string) string {
	at := strings.Index(text, "Namespace(")
	if at < 0 || !clientFlags.MatchString(text[at:]) {
		return ""
	}
	if at > 0 && strings.IndexByte("= :|>])\t", text[at-1]) < 0 {
		return ""
	}
	return text[at:]
}
