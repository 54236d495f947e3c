package draft

import (
	"path"
	"strings"
)

func (c *Command) set(name, value string) {
	for i := range c.Env {
		if c.Env[i].Name == name {
			c.Env[i].Value = value
			return
		}
	}
	c.Env = append(c.Env, Assign{name, value})
}

// unwrap takes off what starts a program in the background or with an
// environment: a supervisor does both itself. Other wrappers stay: what they set, the
// cores or the memory of a server, is part of what is measured.
func (c *Command) unwrap(argv []string) []string {
	for len(argv) > 1 {
		switch path.Base(argv[0]) {
		case "nohup", "setsid", "time":
			c.Left = append(c.Left, argv[0])
			argv = argv[1:]
		case "exec", "command":
			argv = argv[1:]
		case "env":
			rest := argv[1:]
			for len(rest) > 0 {
				name, value, ok := cutAssign(rest[0])
				if !ok {
					break
				}
				c.set(name, text(value))
				rest = rest[1:]
			}
			if len(rest) == 0 || strings.HasPrefix(rest[0], "-") {
				return argv // env with options, or env alone
			}
			argv = rest
		default:
			return argv
		}
	}
	return argv
}

// cutAssign takes NAME=value apart.
func cutAssign(word string) (name, value string, ok bool) {
	for i, r := range word {
		switch {
		case r == '=' && i > 0:
			return word[:i], word[i+1:], true
		case r == '_' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || i > 0 && '0' <= r && r <= '9':
		default:
			return "", "", false
		}
	}
	return "", "", false
}
