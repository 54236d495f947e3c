package result

// keySet holds those keys of an object that tell who wrote it, a bit for each.
type keySet uint64

// telling gives the bit of each such key.
var telling = func() map[string]keySet {
	bits := map[string]keySet{}
	add := func(keys ...string) {
		for _, key := range keys {
			if _, known := bits[key]; !known && key != "" {
				bits[key] = 1 << len(bits)
			}
		}
	}
	add("total_output_tokens_retokenized", "random_range_ratio", "total_throughput", "total_token_throughput", "endpoint_type", "burstiness")
	for _, form := range jsonForms {
		add(form.keys...)
		add(form.absent)
	}
	return bits
}()

// has tells whether the object has all of these keys; each has to be a telling one.
func (o *object) has(keys ...string) bool {
	for _, key := range keys {
		if o.keys&telling[key] == 0 {
			return false
		}
	}
	return true
}
