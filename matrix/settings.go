package matrix

import (
	"fmt"
	"path"
	"regexp"
	"servematrix/spelling"
	"slices"
	"strconv"
	"strings"
	"time"

	"gopkg.in/yaml.v3"
)

// draft is a variant while its settings are put in; one of server and client is set.
type draft struct {
	*Variant
	server *Server
	client *Client
}

// setting is one key whose value goes into a variant.
type setting struct {
	key  string // dotted, as in Origins
	node *yaml.Node
	tree *tree
	set  setter
}

// setter puts a value in, or says why it cannot: what is wrong and what to write.
type setter func(d draft, v *value) (wrong, suggestion string)

// plainText reads a value as text; what the run alone knows has no place here.
func plainText(v *value) (text, wrong string) {
	switch {
	case v.kind != scalar:
		return "", "must be a single value, this is " + v.kind.String()
	case v.late:
		return "", "cannot use " + v.text + ": it " + whyLate(v)
	}
	return v.plain(), ""
}

func textSetter(put func(d draft, s string)) setter {
	return func(d draft, v *value) (string, string) {
		s, wrong := plainText(v)
		if wrong == "" {
			put(d, s)
		}
		return wrong, ""
	}
}

func choiceSetter(known []string, put func(d draft, s string)) setter {
	return func(d draft, v *value) (string, string) {
		s, wrong := plainText(v)
		switch {
		case wrong != "":
			return wrong, ""
		case !slices.Contains(known, s):
			return fmt.Sprintf("cannot be %q", s), spelling.DidYouMean(s, known)
		}
		put(d, s)
		return "", ""
	}
}

func durationSetter(put func(d draft, t Duration)) setter {
	return func(d draft, v *value) (string, string) {
		s, wrong := plainText(v)
		if wrong != "" {
			return wrong, ""
		}
		t, err := time.ParseDuration(s)
		switch {
		case err != nil && isNumber(s) && !strings.HasPrefix(s, "-"):
			return fmt.Sprintf("needs a unit: %s of what?", s), "write " + s + "s or " + s + "m"
		case err != nil:
			return fmt.Sprintf("must be a duration, not %q", s), "write such as 90s, 30m or 1h30m"
		case t < 0:
			return "cannot be negative", ""
		}
		put(d, Duration(t))
		return "", ""
	}
}

func isNumber(s string) bool {
	_, err := strconv.ParseFloat(s, 64)
	return err == nil
}

func intSetter(least int, put func(d draft, n int)) setter {
	return func(d draft, v *value) (string, string) {
		s, wrong := plainText(v)
		if wrong != "" {
			return wrong, ""
		}
		n, isInt := v.typed.(int)
		if !isInt || n < least {
			return fmt.Sprintf("must be a whole number from %d on, not %q", least, s), ""
		}
		put(d, n)
		return "", ""
	}
}

func boolSetter(put func(d draft, b bool)) setter {
	return func(d draft, v *value) (string, string) {
		b, isBool := v.typed.(bool)
		if v.kind != scalar || !isBool {
			return "must be true or false", ""
		}
		put(d, b)
		return "", ""
	}
}

// regexSetter reads a regular expression. off: null and false switch a profile's off.
func regexSetter(off bool, put func(d draft, s string)) setter {
	return orOff(off, func(d draft, v *value) (string, string) {
		s, wrong := plainText(v)
		if wrong != "" {
			return wrong, ""
		}
		if _, err := regexp.Compile(s); err != nil {
			return "is no regular expression of Go (RE2): " + strings.TrimPrefix(err.Error(), "error parsing regexp: "), `put a backslash before a character that is meant itself: \( \[ \.`
		}
		put(d, s)
		return "", ""
	}, put)
}

func pathSetter(off bool, put func(d draft, s string)) setter {
	return orOff(off, func(d draft, v *value) (string, string) {
		s, wrong := plainText(v)
		if wrong != "" {
			return wrong, ""
		}
		if !strings.HasPrefix(s, "/") {
			return fmt.Sprintf("must be a path on the server that begins with /, not %q", s), "write " + path.Join("/", s)
		}
		put(d, s)
		return "", ""
	}, put)
}

// orOff takes null and false for "not asked", whatever a profile says.
func orOff(off bool, set setter, put func(d draft, s string)) setter {
	return func(d draft, v *value) (string, string) {
		if on, isBool := v.typed.(bool); off && (v.kind == null || isBool && !on) {
			put(d, "")
			return "", ""
		}
		return set(d, v)
	}
}

var signals = []string{"TERM", "INT", "HUP", "QUIT", "KILL", "USR1", "USR2"}

func setSignal(d draft, v *value) (string, string) {
	s, wrong := plainText(v)
	if wrong != "" {
		return wrong, ""
	}
	name := strings.TrimPrefix(strings.ToUpper(s), "SIG")
	if !slices.Contains(signals, name) {
		return fmt.Sprintf("%q is no signal that ends a program", s), spelling.DidYouMean(name, signals)
	}
	d.server.Stop.Signal = name
	return "", ""
}

func setPort(d draft, v *value) (string, string) {
	if v.kind == scalar && v.late && v.text == "${{ late.port }}" {
		d.server.Port = v.text
		return "", ""
	}
	s, wrong := plainText(v)
	if wrong != "" {
		return wrong, "write a number, or ${{ late.port }} to have a free one chosen"
	}
	if n, isInt := v.typed.(int); !isInt || n < 1 || n > 65535 {
		return fmt.Sprintf("must be a number from 1 to 65535, not %q", s), "${{ late.port }} has a free one chosen"
	}
	d.server.Port = s
	return "", ""
}

// failureClasses are the classes of the contract.
var failureClasses = strings.Fields("bad_command bad_flag port_busy host_not_clean oom kv_memory host_oom shm device_busy graph model collective npu " +
	"start_failed ready_timeout silent server_died client_failed client_timeout client_silent no_result stop_dirty interrupted disk_full hook_failed")
