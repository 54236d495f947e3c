#!/usr/bin/env bash
# Runs the examples with real engines (SGLang, vLLM, llama.cpp, transformers) and
# checks what came of them: the exit code, each sample, and that no process of a
# server is left. Then plays faults on llama.cpp, which starts in no time.
#
# Usage: .ci/real-engines.sh SERVEMATRIX [CACHE]
# SERVEMATRIX is the built binary. CACHE keeps what is installed, some 20 GB, for
# the next time: .venvs unless given. Needs Go; on Debian, what else the machine
# lacks is installed with apt-get. The first time, building llama.cpp takes six of
# some 18 minutes on two cores.
set -euo pipefail
cd "$(dirname "$0")/.."

[ $# -ge 1 ] && [ -x "$1" ] || { echo "usage: $0 SERVEMATRIX [CACHE], with the path of the built binary" >&2; exit 2; }
servematrix=$(realpath "$1")
cache=$(mkdir -p "${2:-.venvs}" && cd "${2:-.venvs}" && pwd)
runs=$(mktemp -d)
trap 'rm -rf "$runs"' EXIT

fail() { printf 'real engines: %s\n' "$*" >&2; exit 1; }

# fits PYTHON: can it make a venv that SGLang and vLLM install into? Both need libstdc++, vLLM libnuma too.
fits() {
  command -v "$1" > /dev/null && "$1" - 2> /dev/null <<'PY'
import ctypes, ensurepip, sys, venv
assert (3, 11) <= sys.version_info < (3, 14)
for library in "libstdc++.so.6", "libnuma.so.1":
    ctypes.CDLL(library)
PY
}

# builds: can it compile llama.cpp?
builds() { command -v make > /dev/null && echo 'int main() {}' | g++ -x c++ -o /dev/null - 2> /dev/null; }

find_python() {
  for python in ${PYTHON:-} python3 python3.11 python3.12 python3.13; do
    if fits "$python"; then
      PYTHON=$(command -v "$python")
      return
    fi
  done
  return 1
}

# leftovers prints the processes that run from the cache. An engine renames its
# processes and their environment goes with the name, so the libraries that a
# process has mapped count too.
leftovers() {
  local proc program
  for proc in /proc/[0-9]*; do
    program=
    read -r -d '' program 2> /dev/null < "$proc/cmdline" || true
    if [[ $program == "$cache"/* ]] || grep -qsF " $cache/" "$proc/maps"; then
      printf '%s %s\n' "${proc#/proc/}" "$(cat "$proc/comm" 2> /dev/null)"
    fi
  done
}

# sweep NAME SAMPLES: runs examples/NAME, which has that many cells.
sweep() {
  local name=$1 samples=$2 began=$SECONDS code=0 run before left
  printf '\n-- %s\n' "$name"
  before=$(leftovers)
  [ -z "$before" ] || fail "before $name, these run from $cache already: $before"

  # The limit is for a hang: the tool ends a run on SIGTERM and says so with its exit code.
  timeout --kill-after=120 12m "$servematrix" run "examples/$name/sweep.yaml" --out "$runs/$name" --progress plain > "$runs/$name.out" || code=$?
  left=$(leftovers)
  run=$(tail -n 1 "$runs/$name.out")
  [ -f "$run/report.txt" ] || fail "$name: exit code $code, and no report in the run folder '$run'"

  if ! check "$run/results.jsonl" "$samples" || [ "$code" != 0 ] || [ -n "$left" ]; then
    cat "$run/report.txt"
    fail "$name: exit code $code, processes left: ${left:-none}; the report stands above"
  fi
  tail -n 40 "$run/report.txt"
  printf -- '-- %s: %d samples in %d s, nothing left\n' "$name" "$samples" $((SECONDS - began))
}

# check RESULTS SAMPLES: is there one good sample of each cell, and does it hold what its client measured?
check() {
  "$PYTHON" - "$@" <<'PY'
import json, sys

path, expected = sys.argv[1], int(sys.argv[2])
with open(path) as lines:
    samples = [json.loads(line) for line in lines]
wrong = []
if len(samples) != expected:
    wrong.append(f"{len(samples)} samples, expected {expected}")
if len({sample["cell"] for sample in samples}) != expected:
    wrong.append("a cell has more than one sample, or none")
for sample in samples:
    name = f'{sample["server"]["name"]} × {sample["client"]["name"]}'
    if sample["status"] != "ok" or not sample["validity"]["ok"]:
        wrong.append(f'{name}: {sample["status"]}: {sample["failure"]} {sample["validity"]}')
        continue
    metrics = sample["metrics"]
    if metrics["completed"] != 24:
        wrong.append(f'{name}: {metrics["completed"]} requests completed, expected 24')
    for metric in "duration_s", "output_throughput", "total_input_tokens", "median_ttft_ms", "p99_tpot_ms", "mean_itl_ms", "median_e2e_latency_ms":
        if not (metrics.get(metric) or 0) > 0:
            wrong.append(f"{name}: {metric} is {metrics.get(metric)}")
    print(f'{name}: TTFT {metrics["median_ttft_ms"]:.1f} ms (median), {metrics["output_throughput"]:.1f} output tokens/s')
for line in wrong:
    print(f"{path}: {line}", file=sys.stderr)
sys.exit(1 if wrong else 0)
PY
}

if ! find_python || ! builds; then
  command -v apt-get > /dev/null || fail "Python 3.11 to 3.13 with venv, libstdc++, libnuma, g++ and make are needed, and there is no apt-get to install them"
  as_root=$([ "$(id -u)" = 0 ] || echo sudo)
  $as_root apt-get update -q
  $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends python3 python3-venv libstdc++6 libnuma1 g++ make
  find_python || fail "no Python 3.11 to 3.13 with venv, also after apt-get install: $(python3 --version 2>&1)"
fi
export PYTHON

began=$SECONDS
examples/sglang-cpu/install.sh "$cache/sglang"
examples/vllm-cpu/install.sh "$cache/vllm"
examples/transformers/install.sh "$cache/transformers"
examples/llama-cpp/install.sh "$cache/llama-cpp"
printf -- '-- installed in %d s\n' $((SECONDS - began))
export SERVEMATRIX_SGLANG=$cache/sglang SERVEMATRIX_VLLM=$cache/vllm SERVEMATRIX_TRANSFORMERS=$cache/transformers SERVEMATRIX_LLAMA_CPP=$cache/llama-cpp

sweep sglang-cpu 4
sweep vllm-cpu 8
sweep transformers 2
sweep llama-cpp 4

printf '\n-- faults on llama.cpp\n'
go build -o "$runs/realfaults" ./perf/realfaults
"$runs/realfaults" -bin "$servematrix" -engine llama.cpp -dir "$cache/llama-cpp"
