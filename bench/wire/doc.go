// Package wire sends one request to a serving engine and measures its answer: the bodies of the
// OpenAI endpoints and of SGLang's /generate, the connections, the stream of events, and why a
// request failed. Streams over plain HTTP/1.1 go by pipes (docs/adr/0043), all else by net/http. It knows nothing of when requests are sent nor what becomes of the numbers.
package wire
