package result

import (
	"sync"

	"servematrix/metric"
	"servematrix/secret"
)

// keyMeaning is what a key of a client's JSON means. It takes regular expressions to find out, and a
// file has the same keys in every line, so it is kept.
type keyMeaning struct {
	name       string // the key itself
	written    []byte // as it stands in a file, with the colon
	label      string // under which Extra holds it
	metric     string // the contract's name; "" for a key that is no metric
	place      metric.Place
	inTable    bool   // the metric has that place
	secret     bool   // what it holds is a credential
	asked      bool   // it says what was asked, not what was measured
	perRequest bool   // an array with an entry for each request
	tells      keySet // of who wrote the object
}

// maxKeys bounds what is kept: a hostile file has ever new keys.
const maxKeys = 4096

var meanings struct {
	sync.RWMutex
	of map[string]*keyMeaning
}

// meaning tells what a JSON key means.
func meaning(key string) *keyMeaning {
	meanings.RLock()
	m := meanings.of[key]
	meanings.RUnlock()
	if m != nil {
		return m
	}
	m = &keyMeaning{
		name: key, written: []byte(`"` + key + `":`), label: labelOf(key), secret: secret.IsSecretName(key, nil),
		asked: configKeys[key], perRequest: perRequest[key], tells: telling[key],
	}
	m.metric, _ = jsonMetric(key)
	m.place, m.inTable = metric.PlaceOf(m.metric)
	meanings.Lock()
	defer meanings.Unlock()
	if meanings.of == nil {
		meanings.of = map[string]*keyMeaning{}
	}
	if len(meanings.of) < maxKeys {
		meanings.of[key] = m
	}
	return m
}
