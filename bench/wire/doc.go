// Package wire sends one request to a serving engine and measures its answer: the bodies of the
// OpenAI endpoints and of SGLang's /generate, the connections, the stream of events, and why a
// request failed. It knows nothing of when requests are sent nor what becomes of the numbers.
package wire
