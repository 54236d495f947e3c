package dataset

import (
	"encoding/json"
	"slices"
	"time"
)

// Prompt is one request to send: token ids, a text or the messages of a chat.
type Prompt struct {
	// IDs are the prompt as token ids. nil is a prompt that is Text or Messages.
	IDs []int32
	// Text is the prompt as text.
	Text string
	// Messages are the prompt as a chat, the oldest first.
	Messages []Message
	// Input is the prompt's length in tokens, as known beforehand; 0 is not known.
	Input int
	// Output is the length of the answer in tokens that is asked for; 0 lets the model end it.
	Output int
	// At is when a Set that is Timed has it due, since the beginning.
	At time.Duration
	// Next is the conversation's next turn: what the user says once this one's answer is there.
	// What was said before is put before it by Follow. Both are Messages.
	Next *Prompt
	// Body holds fields that the request's body has besides; they come before those of all requests.
	Body map[string]json.RawMessage
}

// Message is one message of a chat, as in OpenAI's API.
type Message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// Turns is how many requests p and those that follow it are.
func (p *Prompt) Turns() (n int) {
	for ; p != nil; p = p.Next {
		n++
	}
	return n
}

// Follow gives the request of the turn after p, which must have a Next: all of p, the answer it
// got, and what the user says then.
func (p Prompt) Follow(answer string) Prompt {
	next := *p.Next
	said := append(slices.Clone(p.Messages), Message{"assistant", answer})
	next.Messages = append(said, next.Messages...)
	return next
}
