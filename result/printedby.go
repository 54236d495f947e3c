package result

// client tells by its labels who printed the block.
func (b *textBlock) client() string {
	if b.offline {
		return ClientOffline
	}
	if b.marks["backend"] && b.marks["failed requests"] {
		return ClientServematrix // SGLang's layout with the row that it lacks
	}
	for _, mark := range []string{"backend", "traffic request rate", "total generated tokens (retokenized)",
		"max reqeuest concurrency", "max request concurrency", "mean e2e latency", "input token throughput"} {
		if b.marks[mark] {
			return ClientSGLang
		}
	}
	for _, mark := range []string{"failed requests", "maximum request concurrency", "request rate configured",
		"mean e2el", "request goodput", "section Inter-token Latency"} {
		if b.marks[mark] {
			return ClientVLLM
		}
	}
	return ""
}
