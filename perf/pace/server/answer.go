package server

import (
	"fmt"
	"strconv"
	"strings"
)

// Model is the name of the model that the server claims to serve.
const Model = "tiny"

// kind is an endpoint for text.
type kind int

const (
	completions kind = iota
	chat
	native // SGLang's /generate
)

var kinds = map[string]kind{"/v1/completions": completions, "/v1/chat/completions": chat, "/generate": native}

// word is the text of each token. The whole text of an answer is as many of them.
const word = " a"

// What stands around the tokens, as vLLM 0.32 writes it.
const (
	streamHead = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\ntransfer-encoding: chunked\r\n\r\n"
	textHead   = `data: {"id":"cmpl-pace","object":"text_completion","created":1763769600,"model":"` + Model + `","choices":[{"index":0,"text":"`
	textTail   = `","logprobs":null,"finish_reason":%s,"stop_reason":null,"token_ids":null,"prompt_token_ids":null}],"usage":null}` + "\n\n"
	chatHead   = `data: {"id":"chatcmpl-pace","object":"chat.completion.chunk","created":1763769600,"model":"` + Model + `","choices":[{"index":0,"delta":{"content":"`
	chatTail   = `"},"logprobs":null,"finish_reason":%s,"token_ids":null}]}` + "\n\n"
	done       = "data: [DONE]\n\n"
	noMore     = "0\r\n\r\n"
)

// tokenChunk are the bytes of a token behind which others come, for each kind but native.
var tokenChunk = [...][]byte{
	completions: piece(textHead + word + fmt.Sprintf(textTail, "null")),
	chat:        piece(chatHead + word + fmt.Sprintf(chatTail, "null")),
}

// piece is one chunk of HTTP's chunked encoding.
func piece(text string) []byte {
	return []byte(strconv.FormatInt(int64(len(text)), 16) + "\r\n" + text + "\r\n")
}

// appendToken appends the chunk of token i, counted from 0. That of the last one ends the answer:
// its finish reason, usage if asked for, and [DONE] come in the same write, so that all clients,
// whichever of these they take for the end, measure the same E2E latency.
func (a asked) appendToken(b []byte, k kind, i int) []byte {
	last := i == a.tokens-1
	if !last && k != native {
		return append(b, tokenChunk[k]...)
	}
	var text string
	switch k {
	case native: // the whole text again in each event
		reason := "null"
		if last {
			reason = fmt.Sprintf(`{"type":"length","length":%d}`, a.tokens)
		}
		text = fmt.Sprintf(`data: {"text":%q,"meta_info":{"id":"pace","finish_reason":%s,"prompt_tokens":%d,"completion_tokens":%d}}`+"\n\n",
			strings.Repeat(word, i+1), reason, a.prompt, i+1)
	case chat:
		text = chatHead + word + fmt.Sprintf(chatTail, `"length"`)
	default:
		text = textHead + word + fmt.Sprintf(textTail, `"length"`)
	}
	b = append(b, piece(text)...)
	if !last {
		return b
	}
	if a.usage {
		b = append(b, piece(`data: {"id":"pace","created":1763769600,"model":"`+Model+`","choices":[],"usage":`+a.usageJSON()+"}\n\n")...)
	}
	return append(append(b, piece(done)...), noMore...)
}

func (a asked) usageJSON() string {
	return fmt.Sprintf(`{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d}`, a.prompt, a.tokens, a.prompt+a.tokens)
}

// whole is an answer in one piece.
func (a asked) whole(k kind) []byte {
	text := strings.Repeat(word, a.tokens)
	switch k {
	case native:
		return plain(200, fmt.Sprintf(`{"text":%q,"meta_info":{"id":"pace","finish_reason":{"type":"length","length":%d},"prompt_tokens":%d,"completion_tokens":%d}}`, text, a.tokens, a.prompt, a.tokens))
	case chat:
		return plain(200, fmt.Sprintf(`{"id":"chatcmpl-pace","object":"chat.completion","model":"`+Model+`","choices":[{"index":0,"message":{"role":"assistant","content":%q},"finish_reason":"length"}],"usage":%s}`, text, a.usageJSON()))
	}
	return plain(200, fmt.Sprintf(`{"id":"cmpl-pace","object":"text_completion","model":"`+Model+`","choices":[{"index":0,"text":%q,"finish_reason":"length"}],"usage":%s}`, text, a.usageJSON()))
}

// plain is an answer that needs no stream.
func plain(status int, body string) []byte {
	text := map[int]string{200: "OK", 404: "Not Found"}[status]
	return fmt.Appendf(nil, "HTTP/1.1 %d %s\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%s", status, text, len(body), body)
}

// small answers what clients ask besides text: which model, whether the server is well, that it empty
// its cache. All else it does not have, which clients stand.
func small(path string) []byte {
	switch path {
	case "/v1/models":
		return plain(200, `{"object":"list","data":[{"id":"`+Model+`","object":"model","owned_by":"pace","max_model_len":131072}]}`)
	case "/health", "/health_generate", "/flush_cache", "/reset_prefix_cache":
		return plain(200, `{"success":true}`)
	case "/get_server_info", "/server_info", "/get_model_info", "/version":
		return plain(200, `{"version":"pace","model_path":"`+Model+`"}`)
	}
	return plain(404, `{"detail":"Not Found"}`)
}
