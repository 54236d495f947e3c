#!/usr/bin/env bash
# Looks at pages in headless Chromium: every test that opens one, with none skipped. Keeps
# their screenshots in the folder FOLDER, a new temporary one unless given, and says where.
#
# Usage: .ci/browser.sh [FOLDER]
# On Debian, a Chromium that is missing is installed with apt-get.
set -euo pipefail
cd "$(dirname "$0")/.."

found() { command -v chromium || command -v chromium-browser || command -v google-chrome || command -v chrome; }
if ! found > /dev/null; then
  command -v apt-get > /dev/null || { echo "browser: no Chromium, and no apt-get to install it" >&2; exit 1; }
  as_root=$([ "$(id -u)" = 0 ] || echo sudo)
  $as_root apt-get update -q
  $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends chromium fonts-dejavu-core fonts-noto-cjk
fi

shots=${1:-$(mktemp -d)}
shots=$(mkdir -p "$shots" && cd "$shots" && pwd)
packages=$(grep -rl --include='*_test.go' chromedp . | xargs -n 1 dirname | sort -u)
SERVEMATRIX_BROWSER=required SERVEMATRIX_SCREENSHOTS=$shots go test -count=1 $packages
echo "screenshots: $shots"
