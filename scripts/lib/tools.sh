# The Go tools that go.mod pins, built into the project's own folder, and what
# makes a changed cell fast: a warm build cache and a quick linker.

# shellcheck shell=bash
# Variables such as root and tools belong to the script that reads this.
# shellcheck disable=SC2034,SC2154

# tools_made FOLDER: whether the folder has the tools of now.
tools_made() {
	local it tools=$1
	for it in bin/{gonb,goimports,staticcheck,benchstat} lsp/gopls; do [ -x "$tools/$it" ] || return 1; done
	fresh tools "$toolshash"
}

# have_tools: whether the tools and the modules are there; sets toolshash, and
# without to what is not.
have_tools() {
	local cache
	cache=$(go env GOMODCACHE)
	toolshash=$(fingerprint "$root"/go.{mod,sum} "$root"/scripts/gopls/go.{mod,sum} "$goversion")
	without="the modules are not in $cache"
	[ -d "$cache/cache/download/github.com/janpfeifer/gonb" ] && [ -d "$cache/cache/download/github.com/airbusgeo/godal" ] || return 1
	without="not built, or not those of now"
	tools_made "$tools"
}

# build_tools: downloads the modules and builds the tools, where go.mod, go.sum
# or Go have changed. The language server stands apart: only a kernel that a
# person types into needs it; beside a measurement it would be load.
build_tools() {
	local it paths list=() from=$SECONDS
	if have_tools; then
		say tools "built already"
		return
	fi
	say tools "downloading modules, building gonb, goimports, gopls, staticcheck, benchstat (minutes the first time)"
	quietly modules go -C "$root" mod download || all_modules ||
		fail tools "the modules are not in $(go env GOMODCACHE) and could not be downloaded" "go -C $(quoted "$root") mod download   (needs the network, once)"
	mkdir -p "$tools/bin" "$tools/lsp"
	# In a shared repository that another user has set up, its tools are there.
	if [ "$tools" != "$root/.tools" ] && tools_made "$root/.tools"; then
		for it in "$root"/.tools/bin/{gonb,goimports,staticcheck,benchstat}; do ln -sf -- "$it" "$tools/bin/"; done
		ln -sf -- "$root/.tools/lsp/gopls" "$tools/lsp/"
		stamp tools "$toolshash"
		say tools "those in $root/.tools"
		return
	fi
	paths=$(cd -- "$root" && go list tool) || fail tools "go.mod's tool lines cannot be read" "go -C $(quoted "$root") list tool"
	read -ra list <<<"$(printf "%s\n" "$paths" | grep -v /gopls$ | tr '\n' ' ')"
	# Links to another's tools would be written through.
	find "$tools/bin" "$tools/lsp" -type l -exec rm -f -- {} +
	GOBIN=$tools/bin quietly tools go -C "$root" install "${list[@]}" ||
		fail tools "they do not build" "go -C $(quoted "$root") install ${list[*]}"
	GOBIN=$tools/lsp quietly gopls go -C "$root/scripts/gopls" install tool ||
		fail tools "gopls does not build" "go -C $(quoted "$root/scripts/gopls") install tool"
	stamp tools "$toolshash"
	say tools "built ($(since "$from"))"
}

# cell_flags: sets cellflags to the GOFLAGS that cells are built with. Without
# debug information, and with gold where it works, a cell with GDAL links in
# half the time. Without GDAL nothing in a cell needs a C compiler.
cell_flags() {
	local try="$tools/log/link" hash
	cellflags="-buildvcs=false '-ldflags=-s -w'"
	if [ -n "$without_gdal" ]; then
		cellflags+=" -tags=netgo,osusergo"
		return
	fi
	command -v ld.gold >/dev/null || return 0
	hash=$(fingerprint "$(command -v ld.gold)" "$cc")
	if ! fresh gold "$hash"; then
		builds c "$cc" -fuse-ld=gold <<<'int main(void) { return 0; }' && "$tools/log/try" || return 0
		stamp gold "$hash"
	fi
	cellflags="-buildvcs=false '-ldflags=-s -w -extldflags=-fuse-ld=gold'"
}

# go_build ARGUMENTS…: go build in the repository as cells are built.
go_build() {
	CGO_ENABLED=1 GOFLAGS=$cellflags go -C "$root" build "$@"
}

# have_warm_cache: whether what cells import is compiled; sets warmhash.
have_warm_cache() {
	local cache
	cache=$(go env GOCACHE)
	warmhash=$(fingerprint "$root/go.mod" "$root/go.sum" "$root" "$goversion" "$cellflags" "$cache" "$gdalversion" "$cc $cxx")
	[ -d "$cache/00" ] && fresh warm "$warmhash"
}

# warm_cache: compiles once what cells import, so that the first cell is fast.
warm_cache() {
	local from=$SECONDS what but='^$' format='{{if ne .Name "main"}}{{.ImportPath}}{{range .Deps}} {{.}}{{end}}{{end}}'
	if have_warm_cache; then
		say cache "warm already"
		return
	fi
	say cache "compiling what cells import (a minute or two the first time)"
	[ -z "$without_gdal" ] || but=' runtime/cgo'
	read -ra what <<<"$(CGO_ENABLED=1 GOFLAGS=$cellflags go -C "$root" list -e -f "$format" ./... |
		grep -v "$but" | cut -d ' ' -f 1 | tr '\n' ' ')"
	# A package that does not compile is no reason to stop: somebody may be in
	# the middle of changing it, and the cell that imports it will say so.
	if quietly cache go_build "${what[@]}"; then
		stamp warm "$warmhash"
		say cache "warm ($(since "$from"))"
	else
		say cache "not warm: a package does not compile (go -C $(quoted "$root") build ./... says why)"
	fi
}
