"""Makes what llama-benchy and evalscope need offline: a tokenizer and a text.

Usage: make_inputs.py DIR

The tokenizer is trained as in ../llama-cpp/make_model.py, on Python's own library, so
that it counts nearly as that server does; the text is made of the same library.
"""

import hashlib
import pathlib
import sys
import sysconfig

from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast

VOCABULARY = 4096
SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
CHAT_TEMPLATE = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
# llama-benchy looks for the text of its default address under this address's MD5.
BOOK = "https://www.gutenberg.org/files/1661/1661-0.txt"

out = pathlib.Path(sys.argv[1])
texts = [path.read_text(errors="ignore") for path in sorted(pathlib.Path(sysconfig.get_paths()["stdlib"]).glob("*.py"))[:120]]

bpe = Tokenizer(models.BPE())
bpe.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
bpe.decoder = decoders.ByteLevel()
bpe.train_from_iterator(
    texts,
    trainers.BpeTrainer(vocab_size=VOCABULARY, special_tokens=SPECIAL, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False),
)
PreTrainedTokenizerFast(tokenizer_object=bpe, eos_token=SPECIAL[0], pad_token=SPECIAL[0], chat_template=CHAT_TEMPLATE).save_pretrained(out / "tokenizer")

cache = out / "home/.cache/llama-benchy"
cache.mkdir(parents=True, exist_ok=True)
(cache / (hashlib.md5(BOOK.encode()).hexdigest() + ".txt")).write_text("\n".join(texts)[:400_000])
