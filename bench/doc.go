// Package bench is the embedded benchmark client: a load generator for OpenAI-compatible
// servers and SGLang's native endpoint, with the flags and the text block of
// sglang.bench_serving and exact definitions of what it measures.
// It judges nothing and knows nothing of sweeps: whoever runs it reads its one JSON line.
// The command tree calls Run for `servematrix bench`; tests call Measure.
//
// One way for data to flow: dataset makes prompts, load says when each is sent, wire sends it and
// measures the answer, tally makes metrics of the answers; this package puts them together and
// tells the outcome as text and as JSON. arg reads the flags of all of them.
package bench
