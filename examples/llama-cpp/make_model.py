"""Makes a small Qwen2 model with random weights, and its tokenizer, as one GGUF file, offline.

Usage: make_model.py FILE

It is as large as the one of ../sglang-cpu (7.9 million parameters), but needs
no PyTorch: the text that it writes is noise in any case.
"""

import json
import pathlib
import sys
import sysconfig

import gguf
import numpy
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

VOCABULARY, CONTEXT = 4096, 4096  # tokens
WIDTH, INNER, LAYERS, HEADS, KV_HEADS = 256, 4096, 2, 4, 2
SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
CHAT_TEMPLATE = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def tokenizer(out):
    """Byte-level BPE, trained on Python's own library, which every machine has."""
    bpe = Tokenizer(models.BPE())
    bpe.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    sources = sorted(pathlib.Path(sysconfig.get_paths()["stdlib"]).glob("*.py"))[:120]
    bpe.train_from_iterator(
        (source.read_text(errors="ignore") for source in sources),
        trainers.BpeTrainer(
            vocab_size=VOCABULARY,
            special_tokens=SPECIAL,
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        ),
    )
    made = json.loads(bpe.to_str())["model"]
    words = sorted(made["vocab"], key=made["vocab"].get)
    out.add_tokenizer_model("gpt2")
    out.add_tokenizer_pre("qwen2")
    out.add_token_list(words)
    out.add_token_types([gguf.TokenType.CONTROL if word in SPECIAL else gguf.TokenType.NORMAL for word in words])
    out.add_token_merges([merge if isinstance(merge, str) else " ".join(merge) for merge in made["merges"]])
    out.add_eos_token_id(0)
    out.add_pad_token_id(0)
    out.add_bos_token_id(0)
    out.add_add_bos_token(False)
    out.add_chat_template(CHAT_TEMPLATE)
    return len(words)


def weights(out, vocabulary):
    dice = numpy.random.default_rng(0)
    count = 0

    def random(name, *shape):
        nonlocal count
        tensor = (dice.standard_normal(shape) * 0.02).astype(numpy.float32)
        count += tensor.size
        out.add_tensor(name, tensor)

    def same(name, value, size):
        out.add_tensor(name, numpy.full(size, value, dtype=numpy.float32))

    kv = WIDTH // HEADS * KV_HEADS
    random("token_embd.weight", vocabulary, WIDTH)
    same("output_norm.weight", 1, WIDTH)
    for layer in range(LAYERS):
        block = f"blk.{layer}."
        for name, rows in ("attn_q", WIDTH), ("attn_k", kv), ("attn_v", kv):
            random(f"{block}{name}.weight", rows, WIDTH)
            same(f"{block}{name}.bias", 0, rows)
        random(f"{block}attn_output.weight", WIDTH, WIDTH)
        random(f"{block}ffn_gate.weight", INNER, WIDTH)
        random(f"{block}ffn_up.weight", INNER, WIDTH)
        random(f"{block}ffn_down.weight", WIDTH, INNER)
        same(f"{block}attn_norm.weight", 1, WIDTH)
        same(f"{block}ffn_norm.weight", 1, WIDTH)
    return count


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    model = gguf.GGUFWriter(sys.argv[1], "qwen2")
    model.add_name("small random qwen2")
    model.add_context_length(CONTEXT)
    model.add_embedding_length(WIDTH)
    model.add_block_count(LAYERS)
    model.add_feed_forward_length(INNER)
    model.add_head_count(HEADS)
    model.add_head_count_kv(KV_HEADS)
    model.add_layer_norm_rms_eps(1e-6)
    model.add_rope_freq_base(10000.0)
    model.add_file_type(gguf.LlamaFileType.ALL_F32)
    size = weights(model, tokenizer(model))
    model.write_header_to_file()
    model.write_kv_data_to_file()
    model.write_tensors_to_file()
    model.close()
    print(f"{sys.argv[1]}: {size / 1e6:.1f} million parameters, {VOCABULARY} tokens")
