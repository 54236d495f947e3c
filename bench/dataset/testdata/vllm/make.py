"""Writes what vllm bench serve 0.32.0 chooses from the files beside it, and those files.

    ENV/bin/python make.py        # of an environment with vllm 0.32.0
"""
import json
import random

from transformers import PreTrainedTokenizerFast
from vllm.benchmarks.datasets.datasets import BurstGPTDataset, CustomDataset, ShareGPTDataset

words = "the a model serves many users with one question or two long answers".split()


def text(rng, name, n):
    return " ".join([name] + [rng.choice(words) for _ in range(n - 1)])


rng = random.Random(1)
talks = []
for i in range(40):
    lengths = rng.choice([(1, 8), (9, 1), (9, 12), (20, 30), (40, 7), (500, 600), (1100, 9), (30, 1500)])
    said = [{"from": "human", "value": text(rng, f"q{i}", lengths[0])}, {"from": "gpt", "value": text(rng, f"a{i}", lengths[1])}]
    talks.append({"id": str(i), "conversations": said[: rng.choice([0, 1, 2, 2, 2, 2, 2, 2])]})
    if i % 9 == 0:
        talks.append({"id": f"{i}?"})
json.dump(talks, open("sharegpt.json", "w"), indent=0)
with open("custom.jsonl", "w") as f:
    for i in range(12):
        f.write(json.dumps({"prompt": text(rng, f"q{i}", rng.randint(1, 20)), "output_tokens": rng.randint(1, 50)}) + "\n")
with open("burstgpt.csv", "w") as f:
    f.write("Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n")
    for i in range(40):
        a, b = rng.randint(1, 900), rng.choice([0, 5, 50, 500]) + i
        b = 0 if i % 7 == 0 else b
        f.write(f"{i * 3},{rng.choice(['GPT-4', 'GPT-4', 'ChatGPT'])},{a},{b},{a + b},Conversation log\n")

tokenizer = PreTrainedTokenizerFast(tokenizer_file="../../../tokenizer/testdata/fallback.json")
want = []
for set_, cls, path in [("sharegpt", ShareGPTDataset, "sharegpt.json"), ("custom", CustomDataset, "custom.jsonl"), ("burstgpt", BurstGPTDataset, "burstgpt.csv")]:
    for case in [
        {"num_prompts": 5, "seed": 0},
        {"num_prompts": 50, "seed": 0},
        {"num_prompts": 50, "seed": 7, "no_oversample": True},
        {"num_prompts": 8, "seed": 4294967295, "disable_shuffle": True},
        {"num_prompts": 60, "seed": 3, "output_len": 2},
        {"num_prompts": 6, "seed": 1 << 40},
    ]:
        if set_ == "burstgpt" and case["seed"] > 2**32 - 1:
            continue
        more = {"skip_chat_template": True, "output_len": case.get("output_len", -1)} if set_ == "custom" else {"output_len": case.get("output_len")}
        got = cls(dataset_path=path, random_seed=case["seed"], disable_shuffle=case.get("disable_shuffle", False)).sample(
            tokenizer=tokenizer, num_requests=case["num_prompts"], no_oversample=case.get("no_oversample", False), **more)
        prompts = [["" if set_ == "burstgpt" else r.prompt.split()[0], r.prompt_len, r.expected_output_len] for r in got]
        want.append({"dataset": set_, "file": path, **case, "prompts": prompts})
with open("want.json", "w") as f:
    f.write("[\n" + ",\n".join(json.dumps(w) for w in want) + "\n]\n")
