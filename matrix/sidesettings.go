package matrix

import (
	"fmt"

	"gopkg.in/yaml.v3"
)

// loader collects the settings of one side.
type settingLoader struct {
	nm       *names
	settings []*setting
	failures int // number of failure patterns
	flush    bool
	flushOff bool
	ok       bool
}

// one adds a setting when the mapping has the key.
func (l *settingLoader) one(m *mapping, key, prefix string, set setter) {
	e := m.entry(key)
	if e == nil {
		return
	}
	l.add(prefix+key, e.value, set)
}

func (l *settingLoader) add(key string, n *yaml.Node, set setter) {
	nm := *l.nm
	nm.late = key == "port"
	t := nm.compileTree(n)
	if t == nil {
		l.ok = false
		return
	}
	l.settings = append(l.settings, &setting{key, n, t, set})
}

// loadSettings reads everything of a side that is no axis, rule or part of the command.
func (sd *side) loadSettings(m *mapping) *settingLoader {
	l := &settingLoader{nm: sd.nm, ok: true}
	l.one(m, "timeout", "", durationSetter(func(d draft, t Duration) { d.Timeout = t }))
	l.one(m, "profile", "", textSetter(func(d draft, s string) { d.Profile = s }))
	l.one(m, "dir", "", textSetter(func(d draft, s string) { d.Dir = s }))
	if sd.name == "client" {
		l.one(m, "silence", "", durationSetter(func(d draft, t Duration) { d.client.Silence = t }))
		l.one(m, "warmup", "", intSetter(0, func(d draft, n int) { d.client.Warmup = n }))
		return l
	}
	l.one(m, "port", "", setPort)
	l.one(m, "isolation", "", choiceSetter(keyOf(serverKeys, "isolation").Choices, func(d draft, s string) { d.server.Isolation = s }))
	if e := m.entry("ready"); e != nil {
		l.ready(e.value)
	}
	if e := m.entry("stop"); e != nil {
		if sm := l.nm.src.keyed(e.value, "stop", namesOf(stopKeys)...); sm != nil {
			l.one(sm, "signal", "stop.", setSignal)
			l.one(sm, "grace", "stop.", durationSetter(func(d draft, t Duration) { d.server.Stop.Grace = t }))
		}
	}
	if e := m.entry("failure"); e != nil {
		l.failure(e.value)
	}
	if e := m.entry("flush"); e != nil {
		l.loadFlush(e.value)
	}
	return l
}

func (l *settingLoader) ready(n *yaml.Node) {
	m := l.nm.src.keyed(n, "ready", namesOf(readyKeys)...)
	if m == nil {
		return
	}
	l.one(m, "log", "ready.", regexSetter(true, func(d draft, s string) { d.server.Ready.Log = s }))
	l.one(m, "http", "ready.", pathSetter(true, func(d draft, s string) { d.server.Ready.HTTP = s }))
	l.one(m, "tcp", "ready.", boolSetter(func(d draft, b bool) { d.server.Ready.TCP = b }))
	l.one(m, "timeout", "ready.", durationSetter(func(d draft, t Duration) { d.server.Ready.Timeout = t }))
	l.one(m, "silence", "ready.", durationSetter(func(d draft, t Duration) { d.server.Ready.Silence = t }))
}

func (l *settingLoader) failure(n *yaml.Node) {
	items, ok := l.nm.src.items(n, "failure")
	if !ok {
		return
	}
	l.failures = len(items)
	for i, item := range items {
		m := l.nm.src.keyed(item, "a failure pattern", namesOf(failureKeys)...)
		if m == nil {
			continue
		}
		for _, key := range []string{"class", "log"} {
			if m.entry(key) == nil {
				l.nm.src.fail(item, "missing-key", "write {class: oom, log: 'out of memory'}", "a failure pattern needs %s", key)
			}
		}
		prefix := fmt.Sprintf("failure.%d.", i)
		l.one(m, "class", prefix, choiceSetter(failureClasses, func(d draft, s string) { d.server.Failure[i].Class = s }))
		l.one(m, "log", prefix, regexSetter(false, func(d draft, s string) { d.server.Failure[i].Log = s }))
		l.one(m, "fatal", prefix, boolSetter(func(d draft, b bool) { d.server.Failure[i].Fatal = b }))
	}
}

// loadFlush reads {method, path, expect}; null and false say that caches are not flushed.
func (l *settingLoader) loadFlush(n *yaml.Node) {
	if n.ShortTag() == "!!null" || n.ShortTag() == "!!bool" && n.Value == "false" {
		l.flushOff = true
		return
	}
	m := l.nm.src.keyed(n, "flush", namesOf(flushKeys)...)
	if m == nil {
		return
	}
	if m.entry("path") == nil {
		l.nm.src.fail(n, "missing-key", "write {method: POST, path: /flush_cache}", "flush needs path")
		return
	}
	l.flush = true
	l.one(m, "method", "flush.", choiceSetter(keyOf(flushKeys, "method").Choices, func(d draft, s string) { d.server.Flush.Method = s }))
	l.one(m, "path", "flush.", pathSetter(false, func(d draft, s string) { d.server.Flush.Path = s }))
	l.one(m, "expect", "flush.", regexSetter(false, func(d draft, s string) { d.server.Flush.Expect = s }))
}
