"""Writes golden-layouts.txt: what each sample of a client with a layout holds, read here a
second time and apart from the profiles. Run it in this folder.

The lines are those of golden-json.txt; an extra's label is its path. All numbers outside of
per-request lists and of what was asked are in the table, each once or in the metrics.
"""
import csv, glob, json, math
from decimal import Decimal

S = Decimal(1000)  # seconds to milliseconds


def load(path):
    return json.load(open(path), parse_float=Decimal, parse_int=Decimal)


def numbers(node, path=()):
    """All numbers below a node, by path."""
    if isinstance(node, bool):
        return {}
    if isinstance(node, Decimal):
        return {path: node}
    out = {}
    items = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, value in items:
        out |= numbers(value, path + (str(key),))
    return out


def claim(rest, metrics, name, path, factor=1):
    """Moves one number from the rest to the metrics."""
    metrics[name] = rest.pop(tuple(path)) * factor


def spread(rest, metrics, latency, path, names, factor=1):
    for key, stat in names.items():
        if tuple(path) + (key,) in rest:
            claim(rest, metrics, stat + "_" + latency, tuple(path) + (key,), factor)


def number(text):
    """'53.2 ms' → 53.2, 'ms'."""
    value, _, unit = str(text).partition(" ")
    return Decimal(value), unit


def aiperf(path):
    doc = load(path)
    asked = doc["input_config"]["phases"][0]
    for key in ("input_config", "run_info"):
        del doc[key]
    for e in doc["error_summary"]:
        del e["error_details"]
    rest, m = numbers(doc), {}
    if "error_request_count" in doc:
        claim(rest, m, "failed", ("error_request_count", "avg"))
    else:
        m["failed"] = Decimal(0)
    m["num_prompts"] = asked["requests"]
    if "concurrency" in asked:
        m["max_concurrency"] = asked["concurrency"]
    if "rate" in asked:
        m["request_rate"] = asked["rate"]
    for name, key in {
        "duration_s": "benchmark_duration", "completed": "request_count", "concurrency": "effective_concurrency",
        "total_input_tokens": "total_isl", "total_output_tokens": "total_osl", "request_throughput": "request_throughput",
        "input_throughput": "input_token_throughput", "output_throughput": "output_token_throughput", "total_throughput": "total_token_throughput",
    }.items():
        claim(rest, m, name, (key, "avg"))
    stats = {"avg": "mean", "std": "std", "max": "max"} | {f"p{n}": f"p{n}" for n in (1, 5, 10, 25, 50, 75, 90, 95, 99)}
    for latency, key in {"ttft_ms": "time_to_first_token", "tpot_ms": "inter_token_latency", "itl_ms": "inter_chunk_latency", "e2e_latency_ms": "request_latency"}.items():
        spread(rest, m, latency, (key,), stats)
        m["median_" + latency] = m["p50_" + latency]
    return m, rest


def genai(path):
    doc = load(path)
    del doc["individual_request_metrics"]
    rest, m = numbers(doc), {}
    a = "aggregated_metrics"
    for name, key in {
        "duration_s": "run_duration", "completed": "num_completed_requests", "failed": "num_error_requests", "max_concurrency": "num_concurrency",
        "request_throughput": "requests_per_second", "input_throughput": "mean_input_throughput_tokens_per_s",
        "output_throughput": "mean_output_throughput_tokens_per_s", "total_throughput": "mean_total_tokens_throughput_tokens_per_s",
    }.items():
        claim(rest, m, name, (a, key))
    claim(rest, m, "total_input_tokens", (a, "stats", "num_input_tokens", "sum"))
    claim(rest, m, "total_output_tokens", (a, "stats", "num_output_tokens", "sum"))
    m["num_prompts"] = load(path.rsplit("/", 1)[0] + "/experiment_metadata.json")["max_requests_per_run"]
    stats = {"mean": "mean", "stddev": "std", "max": "max"} | {f"p{n}": f"p{n}" for n in (25, 50, 75, 90, 95, 99)}
    for latency, key in {"ttft_ms": "ttft", "tpot_ms": "tpot", "e2e_latency_ms": "e2e_latency"}.items():
        spread(rest, m, latency, (a, "stats", key), stats, S)
        m["median_" + latency] = m["p50_" + latency]
    return m, rest


def guidellm(path):
    doc = load(path)
    b = doc["benchmarks"][0]
    config = b.pop("config")
    del b["requests"]

    def hollow(node):  # statistics of nothing
        for key in list(node):
            if isinstance(node[key], dict):
                if node[key].get("count") == 0:
                    del node[key]
                else:
                    hollow(node[key])

    hollow(b)
    rest, m = numbers(b), {}
    claim(rest, m, "duration_s", ("duration",))
    claim(rest, m, "completed", ("metrics", "request_totals", "successful"))
    claim(rest, m, "failed", ("metrics", "request_totals", "errored"))
    m["num_prompts"] = config["constraints"]["max_requests"]["args"]["count"]
    m["max_concurrency"] = config["strategy"]["streams"]
    for name, key, stat in (
        ("concurrency", "request_concurrency", "mean"), ("total_input_tokens", "prompt_token_count", "total_sum"), ("total_output_tokens", "output_token_count", "total_sum"),
        ("request_throughput", "requests_per_second", "mean"), ("input_throughput", "prompt_tokens_per_second", "mean"),
        ("output_throughput", "output_tokens_per_second", "mean"), ("total_throughput", "tokens_per_second", "mean"),
    ):
        claim(rest, m, name, ("metrics", key, "successful", stat))
    percentiles = {"p001": "p0.1", "p01": "p1", "p05": "p5", "p10": "p10", "p25": "p25", "p50": "p50", "p75": "p75", "p90": "p90", "p95": "p95", "p99": "p99", "p999": "p99.9"}
    for latency, key, factor in (("ttft_ms", "time_to_first_token_ms", 1), ("tpot_ms", "inter_token_latency_ms", 1), ("e2e_latency_ms", "request_latency", S)):
        spread(rest, m, latency, ("metrics", key, "successful"), {"mean": "mean", "median": "median", "std_dev": "std", "max": "max"}, factor)
        spread(rest, m, latency, ("metrics", key, "successful", "percentiles"), percentiles, factor)
    return m, rest


def guidellm_csv(path):
    rows = list(csv.reader(open(path)))
    rest, m, asked = {}, {}, {}
    for a, b, c, text in zip(*rows):
        where = tuple(step for step in (a, b, c) if step)
        if a in ("Run Info", "Runtime Info") or where[-1].endswith("Constraints"):
            asked[where] = text
            continue
        try:
            rest |= numbers(json.loads(text, parse_float=Decimal, parse_int=Decimal), where)
        except json.JSONDecodeError:
            pass
    profile = json.loads(asked["Run Info", "Profile"])
    m["num_prompts"] = Decimal(json.loads(asked["Benchmark", "Constraints"])["max_requests"]["args"]["count"])
    if "streams" in profile:
        m["max_concurrency"] = Decimal(profile["streams"][0])
    if "rate" in profile:
        m["request_rate"] = Decimal(profile["rate"][0])
    claim(rest, m, "duration_s", ("Timings", "Duration", "Sec"))
    claim(rest, m, "completed", ("Request Counts", "Successful"))
    claim(rest, m, "failed", ("Request Counts", "Errored"))
    if m["completed"] == 0:
        return m, rest
    claim(rest, m, "concurrency", ("Server Throughput", "Successful Concurrency", "Mean"))
    claim(rest, m, "request_throughput", ("Server Throughput", "Successful Requests/Sec", "Mean"))
    for name, key in {"input_throughput": "Input", "output_throughput": "Output", "total_throughput": "Total"}.items():
        claim(rest, m, name, ("Token Throughput", f"Successful {key} Tokens/Sec", "Mean"))
    m["total_input_tokens"] = round(rest["Token Metrics", "Successful Input Tokens", "Mean"] * m["completed"])
    m["total_output_tokens"] = round(rest["Token Metrics", "Successful Output Tokens", "Mean"] * m["completed"])
    # The exporter writes the minimum, P0.1, 1, 5, 10, 25, 75, 90, 95, 99 and the maximum.
    order = {"1": "p0.1", "2": "p1", "3": "p5", "4": "p10", "5": "p25", "6": "p75", "7": "p90", "8": "p95", "9": "p99", "10": "max"}
    for latency, key, unit, factor in (("ttft_ms", "Time to First Token", "ms", 1), ("tpot_ms", "Inter Token Latency", "ms", 1), ("e2e_latency_ms", "Request Latency", "Sec", S)):
        spread(rest, m, latency, (key, "Successful " + unit), {"Mean": "mean", "Median": "median", "Std Dev": "std"}, factor)
        # A list stays whole for its minimum.
        for index, stat in order.items():
            m[stat + "_" + latency] = rest[key, "Successful " + unit, "Percentiles", index] * factor
    return m, rest


def evalscope(path):
    folder = path.rsplit("/", 1)[0]
    rest, m = numbers(load(path)), {}
    for row in load(folder + "/benchmark_percentile.json"):
        rest |= numbers(row, ("percentiles", row["Percentiles"]))
    rest |= numbers(load(folder + "/workload_throughput.json"), ("workload_throughput",))
    m["total_input_tokens"] = round(rest[("Avg Input Tokens",)] * rest[("Success Requests",)])
    m["total_output_tokens"] = round(rest[("Avg Output Tokens",)] * rest[("Success Requests",)])
    for name, key in {
        "duration_s": "Test Duration (s)", "completed": "Success Requests", "failed": "Failed Requests", "request_throughput": "Req Throughput (req/s)",
        "output_throughput": "Output Throughput (tok/s)", "total_throughput": "Total Throughput (tok/s)",
        "mean_ttft_ms": "Avg TTFT (ms)", "mean_tpot_ms": "Avg TPOT (ms)", "mean_itl_ms": "Avg ITL (ms)",
    }.items():
        claim(rest, m, name, (key,))
    claim(rest, m, "mean_e2e_latency_ms", ("Avg Latency (s)",), S)
    for name, key in {"max_concurrency": "Concurrency", "request_rate": "Request Rate (req/s)"}.items():
        if rest[(key,)] != -1:
            claim(rest, m, name, (key,))
    m["num_prompts"] = load(folder + "/benchmark_args.json")["number"]
    for latency, key, factor in (("ttft_ms", "TTFT (ms)", 1), ("tpot_ms", "TPOT (ms)", 1), ("itl_ms", "ITL (ms)", 1), ("e2e_latency_ms", "Latency (s)", S)):
        for row, stat in [("max", "max")] + [(f"{n}%", f"p{n}") for n in (1, 5, 10, 25, 50, 75, 90, 95, 99)]:
            claim(rest, m, stat + "_" + latency, ("percentiles", row, key), factor)
        m["median_" + latency] = m["p50_" + latency]
    return m, rest


def infperf(path):
    doc = load(path)
    stage = load(glob.glob(path.rsplit("/", 1)[0] + "/stage_0_*.json")[0])
    for label in doc["failures"]["by_label"].values():
        del label["messages"]
    rest, m = numbers(doc), {}
    stage["load_summary"].pop("schedule_delay")
    stage["load_summary"].pop("count")
    rest |= numbers(stage["load_summary"], ("stage", "load_summary"))
    if "concurrency" in stage["load_summary"]:
        claim(rest, m, "max_concurrency", ("stage", "load_summary", "concurrency"))
        # config.yaml has the number of requests of a stage with a concurrency
        m["num_prompts"] = rest["load_summary", "count"]
    else:
        claim(rest, m, "num_prompts", ("load_summary", "count"))
        m["request_rate"] = Decimal(20)  # config.yaml
    claim(rest, m, "duration_s", ("benchmark_time_seconds",))
    claim(rest, m, "completed", ("successes", "count"))
    claim(rest, m, "failed", ("failures", "count"))
    claim(rest, m, "total_input_tokens", ("successes", "prompt_tokens", "total"))
    claim(rest, m, "total_output_tokens", ("successes", "output_tokens", "total"))
    claim(rest, m, "request_throughput", ("successes", "throughput", "requests_per_sec"))
    claim(rest, m, "input_throughput", ("successes", "throughput", "input_tokens_per_sec"))
    m["output_throughput"] = float(m["total_output_tokens"]) / float(m["duration_s"])
    m["total_throughput"] = float(m["total_input_tokens"] + m["total_output_tokens"]) / float(m["duration_s"])
    stats = {"mean": "mean", "median": "median", "max": "max"} | {f"p{n}": f"p{n}" for n in ("0.1", "1", "5", "10", "25", "75", "90", "95", "99", "99.9")}
    for latency, key in {"ttft_ms": "time_to_first_token", "tpot_ms": "time_per_output_token", "itl_ms": "inter_token_latency", "e2e_latency_ms": "request_latency"}.items():
        spread(rest, m, latency, ("successes", "latency", key), stats, S)
    return m, rest


def benchy(path):
    doc = load(path)
    b = doc["benchmarks"][0]
    values = sorted(float(v) for v in b["e2e_ttft"]["values"])
    for v in b.values():
        if isinstance(v, dict):
            del v["values"]
    m = {"completed": len(values)}
    around = {k: v for k, v in doc.items() if k != "benchmarks"}
    rest = numbers(around) | numbers(b)
    claim(rest, m, "max_concurrency", ("concurrency",))
    claim(rest, m, "mean_ttft_ms", ("e2e_ttft", "mean"))
    claim(rest, m, "std_ttft_ms", ("e2e_ttft", "std"))
    for stat, q in (("median", 50), ("p90", 90), ("p95", 95), ("p99", 99)):  # numpy's linear interpolation
        place = q / 100 * (len(values) - 1)
        low = math.floor(place)
        part, step = place - low, values[low + 1] - values[low]
        m[stat + "_ttft_ms"] = values[low] + step * part if part < 0.5 else values[low + 1] - step * (1 - part)
    m["max_ttft_ms"] = values[-1]
    return m, rest


def aisbench(path):
    m, rest = {}, {}
    for key, stages in load(path).items():
        value, unit = number(stages["total"])
        rest[key, "total" + (f" ({unit})" if unit else "")] = value
    claim(rest, m, "duration_s", ("Benchmark Duration", "total (ms)"), Decimal("0.001"))
    for name, key in {
        "completed": "Success Requests", "failed": "Failed Requests", "num_prompts": "Total Requests", "concurrency": "Concurrency",
        "max_concurrency": "Max Concurrency", "total_input_tokens": "Total Input Tokens", "total_output_tokens": "Total Generated Tokens",
    }.items():
        claim(rest, m, name, (key, "total"))
    claim(rest, m, "request_throughput", ("Request Throughput", "total (req/s)"))
    for name, key in {"input_throughput": "Input", "output_throughput": "Output", "total_throughput": "Total"}.items():
        claim(rest, m, name, (f"{key} Token Throughput", "total (token/s)"))
    for row in csv.DictReader(open(path.replace(".json", ".csv"))):
        what, stage = row.pop("Performance Parameters"), row.pop("Stage")
        for key, text in row.items():
            value, unit = number(text)
            rest["statistics", what, stage, key + (f" ({unit})" if unit else "")] = value
    stats = {"Average": "mean", "Median": "median", "Max": "max", "P75": "p75", "P90": "p90", "P99": "p99"}
    for latency, key in {"ttft_ms": "TTFT", "tpot_ms": "TPOT", "itl_ms": "ITL", "e2e_latency_ms": "E2EL"}.items():
        spread(rest, m, latency, ("statistics", key, "total"), {k + " (ms)": v for k, v in stats.items()})
    return m, rest


SAMPLES = [
    ("aiperf/*/art/profile_export_aiperf.json", aiperf), ("genai-bench/*/exp/D*.json", genai), ("guidellm/*/guidellm.json", guidellm),
    ("guidellm/*/guidellm.csv", guidellm_csv), ("evalscope/*/tiny/*/benchmark_summary.json", evalscope),
    ("infperf/*/rep/summary_lifecycle_metrics.json", infperf), ("llama-benchy/*/llama-benchy.json", benchy),
    ("aisbench/*/*/performances/*/synthetic.json", aisbench),
]
with open("golden-layouts.txt", "w") as out:
    for pattern, read in SAMPLES:
        for path in sorted(glob.glob("clients/" + pattern)):
            metrics, rest = read(path)
            print(path, file=out)
            for name, value in sorted(metrics.items()):
                print(name, repr(float(value)), file=out)
            for where, value in sorted(rest.items()):
                print("extra", " > ".join(where), "=", repr(float(value)), file=out)
            print(file=out)
