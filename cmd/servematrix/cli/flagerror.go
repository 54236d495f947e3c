package cli

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/spf13/pflag"
)

// wanted says what a flag takes, by the kind of its value.
var wanted = map[string]string{
	"int": "a whole number", "int64": "a whole number", "uint64": "a whole number from 0 on", "float64": "a number",
	"bool": "true or false",
}

// flagError says of a value that cannot be read what is wanted instead, where the library quotes
// a parser of Go. Other errors stay: they have words of their own.
func flagError(err error) error {
	wrong, invalid := errors.AsType[*pflag.InvalidValueError](err)
	_, quoted := errors.AsType[*strconv.NumError](err)
	if !invalid || !quoted {
		return err
	}
	flag := wrong.GetFlag()
	want, known := wanted[flag.Value.Type()]
	if !known {
		return err
	}
	if errors.Is(err, strconv.ErrRange) {
		return fmt.Errorf("--%s %s: is out of range", flag.Name, wrong.GetValue())
	}
	return fmt.Errorf("--%s %s: want %s", flag.Name, wrong.GetValue(), want)
}
