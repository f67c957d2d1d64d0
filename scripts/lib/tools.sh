# The Go tools that go.mod pins, built into the project's own folder, and what
# makes a changed cell fast: a warm build cache and a quick linker.

# shellcheck shell=bash
# Variables such as root and tools belong to the script that reads this.
# shellcheck disable=SC2154

# build_tools: downloads the modules and builds the tools, where go.mod, go.sum
# or Go have changed. The language server stands apart: only a kernel that a
# person types into needs it; beside a measurement it would be load.
build_tools() {
	local hash it cache paths list=() from=$SECONDS missing=
	cache=$(cd -- "$root" && go env GOMODCACHE)
	hash=$(fingerprint "$root"/go.{mod,sum} "$root"/scripts/gopls/go.{mod,sum} "$goversion" "$tools" "$cache")
	for it in bin/{gonb,goimports,staticcheck,benchstat} lsp/gopls; do [ -x "$tools/$it" ] || missing=yes; done
	[ -d "$cache/cache/download/github.com/janpfeifer/gonb" ] || missing=yes
	if [ -z "$missing" ] && fresh tools "$hash"; then
		say tools "built already"
		return
	fi
	say tools "downloading modules, building gonb, goimports, gopls, staticcheck, benchstat (minutes the first time)"
	quietly modules go -C "$root" mod download ||
		fail tools "the modules could not be downloaded" "go -C '$root' mod download   (needs the network, once)"
	mkdir -p "$tools/bin" "$tools/lsp"
	paths=$(cd -- "$root" && go list tool) || fail tools "go.mod's tool lines cannot be read" "go -C '$root' list tool"
	read -ra list <<<"$(printf "%s\n" "$paths" | grep -v /gopls$ | tr '\n' ' ')"
	GOBIN=$tools/bin quietly tools go -C "$root" install "${list[@]}" ||
		fail tools "they do not build" "go -C '$root' install ${list[*]}"
	GOBIN=$tools/lsp quietly gopls go -C "$root/scripts/gopls" install tool ||
		fail tools "gopls does not build" "go -C '$root/scripts/gopls' install tool"
	stamp tools "$hash"
	say tools "built ($(since "$from"))"
}

# cell_flags: sets cellflags to the GOFLAGS that cells are built with. Without
# debug information, and with gold where it works, a cell with GDAL links in
# half the time.
cell_flags() {
	local try="$tools/log/link" hash
	cellflags="-buildvcs=false '-ldflags=-s -w'"
	command -v ld.gold >/dev/null || return 0
	hash=$(fingerprint "$(command -v ld.gold)" "${CC:-cc}")
	if ! fresh gold "$hash"; then
		mkdir -p "$tools/log"
		printf 'int main(void) { return 0; }\n' >"$try.c"
		"${CC:-cc}" -fuse-ld=gold -o "$try" "$try.c" >/dev/null 2>&1 && "$try" || return 0
		stamp gold "$hash"
	fi
	cellflags="-buildvcs=false '-ldflags=-s -w -extldflags=-fuse-ld=gold'"
}

# warm_cache: compiles once what cells import, so that the first cell is fast.
warm_cache() {
	local hash from=$SECONDS cache
	cache=$(cd -- "$root" && go env GOCACHE)
	hash=$(fingerprint "$root/go.mod" "$root/go.sum" "$goversion" "$cellflags" "$cache" "$(pkg-config --modversion gdal)" "${CC:-}${CXX:-}")
	if [ -d "$cache/00" ] && fresh warm "$hash"; then
		say cache "warm already"
		return
	fi
	say cache "compiling what cells import (a minute or two the first time)"
	# A package that does not compile is no reason to stop: somebody may be in
	# the middle of changing it, and the cell that imports it will say so.
	if GOFLAGS=$cellflags quietly cache go -C "$root" build ./...; then
		stamp warm "$hash"
		say cache "warm ($(since "$from"))"
	else
		say cache "not warm: a package does not compile (go -C '$root' build ./... says why)"
	fi
}
