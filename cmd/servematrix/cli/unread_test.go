package cli

import (
	"errors"
	"fmt"
	"testing"

	"github.com/hashicorp/go-multierror"
)

func TestUnreadIsALineEach(t *testing.T) {
	folder := multierror.Append(nil, errors.New("b.json: cut off"), errors.New("c.json: cut off"))
	all := multierror.Append(nil, fmt.Errorf("import: %w", folder), fmt.Errorf("import: %w", errors.New("a.json: cut off")))
	for _, c := range []struct {
		err  error
		want string
	}{
		{all, "b.json: cut off\nc.json: cut off\na.json: cut off"},
		{errors.New("import: d.json: cut off"), "d.json: cut off"},
		{errors.New("open /far/away/e.json: permission denied"), "open e.json: permission denied"},
		{multierror.Append(nil, errors.New("f: closed"), errors.New("f: closed")), "f: closed"},
	} {
		if got := unread(c.err, []string{"e.json"}, []string{"/far/away/e.json"}).Error(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
