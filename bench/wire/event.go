package wire

// event is what matters of one server-sent event, or of a whole answer.
type event struct {
	content    bool // it carries generated text
	choice     bool // it belongs to the answer, with text or without, as a chat's first one that tells the role
	finished   bool // it holds a finish reason
	failed     bool // it is an error that came with status 200
	hasUsage   bool
	prompt     int // tokens, from usage
	completion int
	text       []byte // the generated text without reasoning, as in a JSON string
}

// parseEvent reads the JSON of an event of any of the endpoints:
//
//	{"choices":[{"text":…,"finish_reason":…}],"usage":{"prompt_tokens":…,"completion_tokens":…}}
//	{"choices":[{"delta":{"content":…,"reasoning_content":…},…}],…}
//	{"text":…,"meta_info":{"prompt_tokens":…,"completion_tokens":…,"finish_reason":…}}
//
// It reports false for what is no JSON object.
func parseEvent(data []byte) (event, bool) {
	var e event
	c := &cursor{b: data}
	if c.peek() != '{' {
		return e, false
	}
	c.enter('{')
	for first := true; c.more('}', &first); {
		switch string(c.key()) {
		case "choices":
			e.choices(c)
		case "usage":
			e.usage(c)
		case "meta_info":
			e.usage(c)
		case "text":
			e.choice = true
			e.generated(c)
		case "error":
			e.failed = !c.null() || e.failed
		case "object": // older servers: {"object":"error","message":…}
			e.failed = string(c.text()) == "error" || e.failed
		default:
			c.skip()
		}
	}
	return e, !c.bad
}

func (e *event) choices(c *cursor) {
	if !c.enter('[') {
		return
	}
	for first := true; c.more(']', &first); {
		if !c.enter('{') {
			continue
		}
		e.choice = true
		for first := true; c.more('}', &first); {
			switch string(c.key()) {
			case "text":
				e.generated(c)
			case "delta", "message":
				e.delta(c)
			case "finish_reason":
				e.reason(c)
			default:
				c.skip()
			}
		}
	}
}

func (e *event) delta(c *cursor) {
	if !c.enter('{') {
		return
	}
	for first := true; c.more('}', &first); {
		switch string(c.key()) {
		case "content":
			e.generated(c)
		case "reasoning_content", "reasoning":
			e.content = len(c.text()) > 0 || e.content
		default:
			c.skip()
		}
	}
}

func (e *event) usage(c *cursor) {
	if !c.enter('{') {
		return
	}
	e.hasUsage = true
	for first := true; c.more('}', &first); {
		switch string(c.key()) {
		case "prompt_tokens":
			e.prompt = c.number()
		case "completion_tokens":
			e.completion = c.number()
		case "finish_reason":
			e.reason(c)
		default:
			c.skip()
		}
	}
}

// generated reads generated text, or null where there is none.
func (e *event) generated(c *cursor) {
	if text := c.text(); len(text) > 0 {
		e.text, e.content = text, true
	}
}

// reason reads a finish reason: null until the end, then a word, or SGLang's object whose type is that
// word. What a server gave up ends with status 200 and the word "abort" (both engines) or "error"
// (vLLM).
func (e *event) reason(c *cursor) {
	var word []byte
	switch c.peek() {
	case 'n':
		c.skip()
		return
	case '{':
		c.enter('{')
		for first := true; c.more('}', &first); {
			if string(c.key()) == "type" {
				word = c.text()
			} else {
				c.skip()
			}
		}
	default:
		word = c.text()
	}
	e.finished = true
	e.failed = e.failed || string(word) == "abort" || string(word) == "error"
}
