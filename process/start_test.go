package process

import "errors"

func class(err error) string {
	var e *StartError
	if errors.As(err, &e) {
		return e.Class
	}
	return ""
}
