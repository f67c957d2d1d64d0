# Folders for blog posts.

# shellcheck shell=bash
# Variables such as root and tools belong to the script that reads this.
# shellcheck disable=SC2154

# export_posts ARGUMENTS…: what the command overlap-export takes. It needs Go
# alone, neither GDAL nor Jupyter.
export_posts() {
	find_places
	find_out
	find_go
	quietly export go -C "$root" build -o "$tools/bin/overlap-export" ./pkg/cmd/overlap-export ||
		fail export "overlap-export does not build" "go -C $(quoted "$root") build ./pkg/cmd/overlap-export"
	# Where the user stands, so that paths are as given; the binary finds the
	# repository by OVERLAP_ROOT.
	OVERLAP_ROOT=$root OVERLAP_OUT=$out "$tools/bin/overlap-export" "$@"
}
