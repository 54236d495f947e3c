#!/usr/bin/env bash
# Installs two benchmark clients from PyPI, beside the llama.cpp server of ../llama-cpp (run its install.sh first):
#   DIR/venv        llama-benchy and evalscope
#   DIR/tokenizer   the tokenizer of that server's model, in Hugging Face's form
#   DIR/home        a home folder with a text for llama-benchy, which would download a book
#
# Usage: install.sh [DIR]      DIR defaults to .venvs/other-clients under the repository root
# Needs Python >= 3.11 with venv (PYTHON names another), 1 GB of disk. Run again, it does only what is missing.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
dir=${1:-$here/../../.venvs/other-clients}
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
benchy=0.4.0 evalscope=1.14.1
newest=2026-11-21T00:00:00Z # an install of next year resolves to what was tried with these versions

if [ ! -e "$dir/venv/.benchy-$benchy-evalscope-$evalscope" ]; then
  rm -rf "$dir/venv"
  "${PYTHON:-python3}" -m venv "$dir/venv"
  "$dir/venv/bin/python" -m pip install -q uv
  "$dir/venv/bin/uv" pip install -q --python "$dir/venv/bin/python" --exclude-newer "$newest" "llama-benchy==$benchy" "evalscope[perf]==$evalscope"
  touch "$dir/venv/.benchy-$benchy-evalscope-$evalscope"
fi

if [ ! "$dir/tokenizer/tokenizer.json" -nt "$here/make_inputs.py" ]; then
  "$dir/venv/bin/python" "$here/make_inputs.py" "$dir"
fi

echo "ready: export SERVEMATRIX_OTHER_CLIENTS=$dir"
