# The data that notebooks read.

# shellcheck shell=bash
# Variables such as root and tools belong to the script that reads this.
# shellcheck disable=SC2154

# make_data [--full]: makes what is missing; what is there stays.
make_data() {
	local line
	if [ -n "$without_gdal" ]; then
		say data "no rasters are made: GDAL is missing"
		return
	fi
	if [ ! -d "$root/pkg/cmd/overlap-data" ]; then
		say data "nothing makes any yet"
		return
	fi
	mkdir -p "$tools/bin"
	quietly data go_build -o "$tools/bin/overlap-data" ./pkg/cmd/overlap-data ||
		fail data "overlap-data does not build" "go -C $(quoted "$root") build ./pkg/cmd/overlap-data"
	# It tells on stderr what it makes, and nothing of what is there.
	line=$(cd -- "$root" && OVERLAP_DATA=${OVERLAP_DATA:-$work/data} "$tools/bin/overlap-data" "$@") || fail data "it was not made" "$(quoted "$root/scripts/lab") data"
	say data "$line"
}
