"""Makes the tokenizers beside it and what Hugging Face's tokenizers library encodes with them.

    pip install tokenizers==0.23.3 && python make.py
"""
import json

from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

CORPUS = ["The server answers the first token before the second; throughput is tokens over seconds, and latency is what a user waits for."] * 3 + [
    "A benchmark sends requests to the server and measures when the tokens of the answers arrive.",
    "café naïve 12345 67 don't we're  two   spaces\n\nand\tlines  \n",
    "服务器 每秒 令牌 日本語テスト",
]
TEXTS = ["", " ", "the server answers", " leading", "two  spaces  ", "don't WE'RE it's", "café naïve cafe\u0301", "日本語 服务器 한국어", "😀 ok", "a\n\n b\t\tc   \n  d",
         "1234567 12 3.14", "<|end|>text<|end|> more", "<s>x</s>", "\x00\x7f\x85", "\u00a0nbsp\u3000wide", "ﬁ ＡＢ", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "▁already", "x\r\ny"]
LLAMA3 = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"


def bytes_like():
    t = Tokenizer(models.BPE(ignore_merges=True))
    t.normalizer = normalizers.NFC()
    t.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(LLAMA3), "isolated"), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    t.decoder = decoders.ByteLevel()
    t.post_processor = processors.ByteLevel()
    t.train_from_iterator(CORPUS, trainers.BpeTrainer(vocab_size=420, special_tokens=["<|end|>"], initial_alphabet=pre_tokenizers.ByteLevel.alphabet()))
    return t


def gpt2_like():
    t = Tokenizer(models.BPE())
    t.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
    t.decoder = decoders.ByteLevel()
    t.train_from_iterator(CORPUS, trainers.BpeTrainer(vocab_size=380, initial_alphabet=pre_tokenizers.ByteLevel.alphabet()))
    return t


def with_specials(t):
    t.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", t.token_to_id("<s>"))])
    return t


def fallback_like():
    t = Tokenizer(models.BPE(byte_fallback=True, unk_token="<unk>", fuse_unk=True))
    t.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    t.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)])
    words = [w for line in CORPUS for w in line.split()]
    t.train_from_iterator(words, trainers.BpeTrainer(vocab_size=480, special_tokens=["<unk>", "<s>", "</s>"] + ["<0x%02X>" % b for b in range(256)]))
    j = json.loads(t.to_str())  # the bytes are plain tokens in real models, not added ones
    j["added_tokens"] = [a for a in j["added_tokens"] if not a["content"].startswith("<0x")]
    return with_specials(Tokenizer.from_str(json.dumps(j)))


def metaspace_like():
    t = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True))
    t.normalizer = normalizers.NFKC()
    t.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Metaspace(), pre_tokenizers.Digits(individual_digits=True)])
    t.decoder = decoders.Metaspace()
    t.train_from_iterator(CORPUS, trainers.BpeTrainer(vocab_size=260, special_tokens=["<unk>", "<s>"]))
    return with_specials(t)


for name, t in {"bytes": bytes_like(), "gpt2": gpt2_like(), "fallback": fallback_like(), "metaspace": metaspace_like()}.items():
    with open(name + ".json", "w") as f:
        f.write(t.to_str())
    ids = [t.encode(text, add_special_tokens=False).ids for text in TEXTS]
    with open(name + ".want.json", "w") as f:
        json.dump({"specials": t.num_special_tokens_to_add(False), "texts": [{"text": text, "ids": i, "decoded": t.decode(i)} for text, i in zip(TEXTS, ids)]}, f, ensure_ascii=True, indent=1)
