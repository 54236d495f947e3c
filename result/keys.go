package result

import (
	"sync"

	"servematrix/secret"
)

// keyMeaning is what a JSON key means. It takes regular expressions to find out, and a file has the
// same keys in every line, so it is kept.
type keyMeaning struct {
	metric string // the contract's name; "" for a key that is no metric
	secret bool   // what it holds is a credential
}

// maxKeys bounds what is kept: a hostile file has ever new keys.
const maxKeys = 4096

var meanings struct {
	sync.RWMutex
	of map[string]keyMeaning
}

// meaning tells what a JSON key means.
func meaning(key string) keyMeaning {
	meanings.RLock()
	m, known := meanings.of[key]
	meanings.RUnlock()
	if known {
		return m
	}
	m.metric, _ = jsonMetric(key)
	m.secret = secret.IsSecretName(key, nil)
	meanings.Lock()
	defer meanings.Unlock()
	if meanings.of == nil {
		meanings.of = map[string]keyMeaning{}
	}
	if len(meanings.of) < maxKeys {
		meanings.of[key] = m
	}
	return m
}
