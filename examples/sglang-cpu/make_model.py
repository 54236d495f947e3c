"""Makes a small Qwen2 model with random weights, and a tokenizer for it, offline.

Usage: make_model.py FOLDER

The text that it writes is noise; the work of serving it is real. It has 7.7
million parameters: small enough to load in no time, and wide rather than deep,
so that what a prefix cache saves (the feed-forward layers of a long prompt) is
most of a CPU's work, and shows.
"""

import pathlib
import sys
import sysconfig

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast, Qwen2Config, Qwen2ForCausalLM
from transformers.utils import logging

VOCABULARY = 4096
CONTEXT = 4096  # tokens
END = "<|endoftext|>"
CHAT_TEMPLATE = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def tokenizer():
    """Byte-level BPE, trained on Python's own library, which every machine has."""
    bpe = Tokenizer(models.BPE())
    bpe.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bpe.decoder = decoders.ByteLevel()
    sources = sorted(pathlib.Path(sysconfig.get_paths()["stdlib"]).glob("*.py"))[:120]
    bpe.train_from_iterator(
        (source.read_text(errors="ignore") for source in sources),
        trainers.BpeTrainer(
            vocab_size=VOCABULARY,
            special_tokens=[END, "<|im_start|>", "<|im_end|>"],
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        ),
    )
    made = PreTrainedTokenizerFast(tokenizer_object=bpe, eos_token=END, pad_token=END, model_max_length=CONTEXT)
    made.chat_template = CHAT_TEMPLATE
    return made


def model(vocabulary):
    torch.manual_seed(0)
    return Qwen2ForCausalLM(
        Qwen2Config(
            vocab_size=vocabulary,
            hidden_size=256,
            intermediate_size=4096,
            num_hidden_layers=2,
            num_attention_heads=4,
            num_key_value_heads=2,
            max_position_embeddings=CONTEXT,
            tie_word_embeddings=True,
            bos_token_id=0,
            eos_token_id=0,
            pad_token_id=0,
        )
    ).to(torch.bfloat16)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    logging.disable_progress_bar()
    words = tokenizer()
    words.save_pretrained(sys.argv[1])
    weights = model(len(words))
    weights.save_pretrained(sys.argv[1])
    print(f"{sys.argv[1]}: {weights.num_parameters() / 1e6:.1f} million parameters, {len(words)} tokens")
