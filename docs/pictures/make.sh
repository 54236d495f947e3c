#!/usr/bin/env bash
# Makes the pictures of the README: docs/pictures/make.sh
# Needs Go, tmux and chromium. Runs a sweep on the simulated server, three minutes long.
set -euo pipefail
cd "$(dirname "$0")/../.."
here=$PWD/docs/pictures
work=$(mktemp -d)
tmux="tmux -L pictures-$$ -f /dev/null"
trap '$tmux kill-server 2>/dev/null || true; rm -rf "$work"' EXIT
go build -o "$work/servematrix" ./cmd/servematrix
cp "$here/sweep.yaml" "$work/"
cd "$work"
export PATH=$work:$PATH

# The terminal, in the midst of the run.
TZ=UTC LANG=C.UTF-8 $tmux new-session -d -x 112 -y 27 "servematrix run sweep.yaml --color always; touch done"
until [ "$(cat runs/*/results.jsonl 2>/dev/null | wc -l)" -ge 17 ]; do sleep 1; done
until $tmux capture-pane -p > plain; grep -q FAIL plain && grep -q 'client [1-9]' plain; do sleep 0.2; done
$tmux capture-pane -e -p | sed "s#$work#/home/me/bench#" > screen
(cd "$here/../.." && go run ./docs/pictures/terminal -title 'servematrix run sweep.yaml   (simulated server)') < screen > "$here/terminal.svg"

# The page, when it is whole.
until [ -e done ]; do sleep 1; done
sed "s#$work#/home/me/bench#g" runs/*/report.html > report.html
for theme in light dark; do
    scheme=$([ $theme = dark ] && echo 0 || echo 1)
    chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --blink-settings=preferredColorScheme=$scheme \
        --user-data-dir="$work/profile" --window-size=1280,1560 --virtual-time-budget=3000 \
        --screenshot="$here/report-$theme.png" "file://$work/report.html" 2>/dev/null
done
ls -l "$here"
