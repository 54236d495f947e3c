#!/usr/bin/env bash
# Installs a real SGLang for a machine without a GPU, from PyPI alone:
#   DIR/venv   SGLang: the server and its benchmark client
#   DIR/tiny   a small Qwen2 with random weights and its tokenizer, made here (see make_model.py)
#
# Usage: install.sh [DIR]      DIR defaults to .venvs/sglang under the repository root
# Needs Python >= 3.11 with venv (PYTHON names another), 8 GB of disk; one to three minutes.
# Run again, it does only what is missing.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
dir=${1:-$here/../../.venvs/sglang}
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
version=0.5.9

if [ ! -e "$dir/venv/.sglang-$version" ]; then
  rm -rf "$dir/venv"
  "${PYTHON:-python3}" -m venv "$dir/venv"
  "$dir/venv/bin/python" -m pip install -q uv

  # These hold GPU kernels: the wheels need libcuda.so.1, or nothing imports them on a CPU.
  for gpu_only in sgl-kernel flashinfer-python flashinfer-cubin nvidia-cutlass-dsl quack-kernels; do
    echo "$gpu_only ; sys_platform == 'never'"
  done > "$dir/venv/without-gpu.txt"
  # The date makes an install of next year resolve to what was tried with this version.
  "$dir/venv/bin/uv" pip install -q --python "$dir/venv/bin/python" --exclude-newer 2026-11-21T00:00:00Z \
    --overrides "$dir/venv/without-gpu.txt" "sglang==$version"

  site=$("$dir/venv/bin/python" -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])')
  cp "$here/sgl_kernel.py" "$site/"
  touch "$dir/venv/.sglang-$version"
fi

if [ ! "$dir/tiny/.done" -nt "$here/make_model.py" ]; then
  rm -rf "$dir/tiny"
  "$dir/venv/bin/python" "$here/make_model.py" "$dir/tiny"
  touch "$dir/tiny/.done"
fi

echo "ready: export SERVEMATRIX_SGLANG=$dir"
