package secret

// Value hides the secrets in what was parsed from JSON or from a Python literal: whole values
// under secret names, extra as in IsSecretName, and what String finds in any text. Slices and
// maps are changed in place; nil stays nil, so that "not set" can be told from a secret.
func (r *Redactor) Value(value any, extra []string) any {
	switch v := value.(type) {
	case string:
		return r.String(v)
	case []any:
		for i := range v {
			v[i] = r.Value(v[i], extra)
		}
	case map[string]any:
		for name, inner := range v {
			if inner != nil && IsSecretName(name, extra) {
				v[name] = Mask
			} else {
				v[name] = r.Value(inner, extra)
			}
		}
	}
	return value
}
