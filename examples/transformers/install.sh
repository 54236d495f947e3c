#!/usr/bin/env bash
# Installs the server of Hugging Face's transformers for a machine without a GPU, from PyPI alone:
#   DIR/venv   transformers with PyTorch: `transformers serve`
#   DIR/tiny   a small Qwen2 with random weights and its tokenizer, made here (see ../sglang-cpu/make_model.py)
#
# Usage: install.sh [DIR]      DIR defaults to .venvs/transformers under the repository root
# Needs Python >= 3.11 with venv (PYTHON names another), 5 GB of disk; one to two minutes.
# Run again, it does only what is missing.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
dir=${1:-$here/../../.venvs/transformers}
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
version=5.23.0 torch=2.13.0
newest=2026-11-21T00:00:00Z # an install of next year resolves to what was tried with these versions

if [ ! -e "$dir/venv/.transformers-$version" ]; then
  rm -rf "$dir/venv"
  "${PYTHON:-python3}" -m venv "$dir/venv"
  "$dir/venv/bin/python" -m pip install -q uv
  "$dir/venv/bin/uv" pip install -q --python "$dir/venv/bin/python" --exclude-newer "$newest" "transformers[serving]==$version" "torch==$torch"
  touch "$dir/venv/.transformers-$version"
fi

if [ ! "$dir/tiny/.done" -nt "$here/../sglang-cpu/make_model.py" ]; then
  rm -rf "$dir/tiny"
  "$dir/venv/bin/python" "$here/../sglang-cpu/make_model.py" "$dir/tiny"
  touch "$dir/tiny/.done"
fi

echo "ready: export SERVEMATRIX_TRANSFORMERS=$dir"
