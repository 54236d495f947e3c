#!/usr/bin/env bash
# Builds the archives of a release into a new folder: for each system the program, its
# completions and manual pages, README, LICENSE, and SHA256SUMS over all. The same commit and
# the same Go give the same bytes. Needs Go, git and GNU tar; publishes nothing.
#   release/build.sh FOLDER [SYSTEM/ARCHITECTURE…]
set -euo pipefail
[ $# -ge 1 ] || { echo "usage: release/build.sh FOLDER [SYSTEM/ARCHITECTURE…]" >&2; exit 2; }
mkdir "$1"
out=$(cd "$1" && pwd)
shift
[ $# -gt 0 ] || set -- linux/amd64 linux/arm64 darwin/amd64 darwin/arm64
cd "$(dirname "$0")/.."
umask 022
export CGO_ENABLED=0 LC_ALL=C TZ=UTC

# Without a checkout (an unpacked source archive) there is no version to tell.
version=$(git describe --tags --always --dirty 2>/dev/null || echo devel)
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2>/dev/null || echo 0)
export SOURCE_DATE_EPOCH

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
build() {
    GOOS=$1 GOARCH=$2 go build -trimpath -buildvcs=false -o "$3" \
        -ldflags="-s -w -X servematrix/cmd/servematrix/cli.released=$version" ./cmd/servematrix
}

native=$(go env GOHOSTOS)/$(go env GOHOSTARCH)
build "${native%/*}" "${native#*/}" "$work/native"
mkdir -p "$work/common/completions" "$work/common/man/man1"
for shell in bash zsh fish; do
    "$work/native" completion $shell >"$work/common/completions/servematrix.$shell"
done
go run -trimpath ./release/manpages "$work/common/man/man1"
cp README.md CHANGELOG.md "$work/common/"
[ ! -e LICENSE ] || cp LICENSE "$work/common/"

for system in "$@"; do
    name=servematrix-$version-${system/\//-}
    cp -r "$work/common" "$work/$name"
    if [ "$system" = "$native" ]; then
        cp "$work/native" "$work/$name/servematrix"
    else
        build "${system%/*}" "${system#*/}" "$work/$name/servematrix"
    fi
    tar -C "$work" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX --format=ustar -cf - "$name" |
        gzip -n -9 >"$out/$name.tar.gz"
    echo "$name.tar.gz"
done
cd "$out"
sha256sum -- *.tar.gz >SHA256SUMS
