package matrix

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// identitySchema is hashed into every id; a change of what is hashed needs a new one.
const identitySchema = `"schema":1`

// identify computes the identity of a variant (its full SHA-256) and puts its
// parts and its short form into the variant. It is the hash of canonical JSON of
//
//	{"argv": […], "env": {NAME: value or null for unset}, "files": [sha256 …], "schema": 1, "seed": …}
//
// with run-time placeholders as they stand and without variables with secret
// names; seed, only for clients, is "late" where servematrix chooses the seed and
// "given" where the command does. Names, labels, order, port and time limits are no part of it.
func (id *identifier) identify(d *draft, side string) [32]byte {
	id.writeArgv(d.Argv)
	id.writeEnv(d)
	id.files.Reset()
	id.files.WriteByte('[')
	for i, f := range d.Files {
		if i > 0 {
			id.files.WriteByte(',')
		}
		appendQuoted(&id.files, f.SHA256)
	}
	id.files.WriteByte(']')

	id.all.Reset()
	id.all.WriteString(`{"argv":`)
	id.all.Write(id.argv.Bytes())
	id.all.WriteString(`,"env":`)
	id.all.Write(id.env.Bytes())
	id.all.WriteString(`,"files":`)
	id.all.Write(id.files.Bytes())
	id.all.WriteString("," + identitySchema)
	d.Parts = map[string]string{"argv": part12(id.argv.Bytes()), "env": id.part(id.env.Bytes()), "files": id.part(id.files.Bytes())}
	if side == "client" {
		seed := `"given"`
		if bytes.Contains(id.argv.Bytes(), []byte("late.seed")) || bytes.Contains(id.env.Bytes(), []byte("late.seed")) {
			seed = `"late"`
		}
		id.all.WriteString(`,"seed":` + seed)
		d.Parts["seed"] = id.part([]byte(seed))
	}
	id.all.WriteByte('}')
	sum := sha256.Sum256(id.all.Bytes())
	d.ID = slug(d.Name, maxSlug) + "-" + hex.EncodeToString(sum[:6])
	return sum
}

func part12(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:6])
}

// part is part12 for components that most variants have in common.
func (id *identifier) part(b []byte) string {
	if known, ok := id.parts[string(b)]; ok {
		return known
	}
	sum := part12(b)
	if len(id.parts) < 10_000 {
		id.parts[string(b)] = sum
	}
	return sum
}

// secretPlaceholder is hashed without its name: the name can end with a number
// that depends on what else the sweep spells out.
var secretPlaceholder = regexp.MustCompile(`secret\.[A-Za-z0-9_]+`)

func (id *identifier) writeArgv(argv []string) {
	id.argv.Reset()
	id.argv.WriteByte('[')
	for i, w := range argv {
		if i > 0 {
			id.argv.WriteByte(',')
		}
		if strings.Contains(w, opener) && strings.Contains(w, "secret.") {
			w = secretPlaceholder.ReplaceAllString(w, "secret")
		}
		appendQuoted(&id.argv, w)
	}
	id.argv.WriteByte(']')
}

func (id *identifier) writeEnv(d *draft) {
	id.env.Reset()
	id.env.WriteByte('{')
	names := slices.Collect(maps.Keys(d.Env))
	names = append(names, d.Unset...)
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		value, set := d.Env[name]
		if set && id.src.isSecret(name) {
			continue
		}
		if id.env.Len() > 1 {
			id.env.WriteByte(',')
		}
		appendQuoted(&id.env, name)
		id.env.WriteByte(':')
		if set {
			appendQuoted(&id.env, value)
		} else {
			id.env.WriteString("null")
		}
	}
	id.env.WriteByte('}')
}

// appendQuoted writes a JSON string: directly where nothing needs an escape.
func appendQuoted(b *bytes.Buffer, s string) {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			_ = jsonText(b, s) // writing a string into a buffer cannot fail
			return
		}
	}
	b.WriteByte('"')
	b.WriteString(s)
	b.WriteByte('"')
}

// maxSlug is the length of the readable part of an id.
const maxSlug = 40

// slug writes a name with lower-case letters, digits, dots and dashes, for use in file names.
func slug(name string, limit int) string {
	var b strings.Builder
	dash := false
	for _, c := range strings.ToLower(name) {
		if c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '.' && b.Len() > 0 {
			if dash && b.Len() > 0 {
				b.WriteByte('-')
			}
			dash = false
			b.WriteRune(c)
			if b.Len() >= limit {
				break
			}
		} else {
			dash = true
		}
	}
	out := strings.TrimRight(b.String()[:min(b.Len(), limit)], "-.")
	if out == "" {
		return "x"
	}
	return out
}

// Hex is the part of an id that stands for what is run: the same in every run of
// the same command, whatever it is called.
func Hex(id string) string { return id[strings.LastIndexByte(id, '-')+1:] }

// CellID is the id of the cell of two variants, from their ids: a slug of both and
// 12 hex digits of the SHA-256 over both hex parts.
func CellID(server, client string) string {
	return cellID(slugOf(server), Hex(server), slugOf(client), Hex(client))
}

func slugOf(id string) string { return id[:max(strings.LastIndexByte(id, '-'), 0)] }

func cellID(serverSlug, serverHex, clientSlug, clientHex string) string {
	var in [64]byte
	sum := sha256.Sum256(append(append(append(in[:0], serverHex...), '/'), clientHex...))
	// Each half gets what the other does not need, so that both can be told.
	const room = maxSlug - 1
	s, c := len(serverSlug), len(clientSlug)
	if s+c > room {
		s = min(s, max(room/2, room-c))
		c = min(c, room-s)
	}
	var out [maxSlug + 13]byte
	id := append(out[:0], strings.TrimRight(serverSlug[:s], "-.")...)
	id = append(id, '-')
	id = append(id, strings.TrimRight(clientSlug[:c], "-.")...)
	id = append(id, '-')
	id = hex.AppendEncode(id, sum[:6])
	return string(id)
}
