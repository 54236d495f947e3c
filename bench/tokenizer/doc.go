// Package tokenizer counts and writes tokens as a model's tokenizer does, from the tokenizer.json
// that Hugging Face's tokenizers library keeps beside a model. It knows byte-pair encoding in its
// two kinds, over bytes (GPT, Llama 3, Qwen, DeepSeek) and with bytes as a last resort (Llama 2,
// Mistral, Gemma), and refuses what it does not know: a wrong count is worse than none.
// It knows nothing of prompts; package dataset calls it.
package tokenizer
