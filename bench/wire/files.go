package wire

import "fmt"

// spare are the files that are open besides connections: results, a dataset, what the runtime needs.
const spare = 32

// CheckFiles tells whether the files that options name can be read, and whether this process may
// open enough connections for so many requests at once; HTTP/2 shares them. It is asked where the
// requests are sent from.
func (o Options) CheckFiles(requests int) error {
	if err := o.CheckCA(); err != nil {
		return err
	}
	if most := openFiles() - spare; requests > most && !o.HTTP2 {
		return fmt.Errorf("%d requests at once need a connection each, and this process may open %d: raise the hard limit (ulimit -Hn), give a smaller --max-concurrency or --http2", requests, max(0, most))
	}
	return nil
}

// CheckCA tells whether the certificates that options name can be read.
func (o Options) CheckCA() error {
	if o.CACert == "" {
		return nil
	}
	_, err := readCA(o.CACert)
	return err
}
