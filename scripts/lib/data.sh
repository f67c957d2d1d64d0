# The data that notebooks read.

# make_data [--full]: makes what is missing; what is there stays.
make_data() {
	if [ ! -d "$root/pkg/cmd/overlap-data" ]; then
		say data "nothing makes any yet"
		return
	fi
	mkdir -p "$tools/bin"
	GOFLAGS=$cellflags quietly data go -C "$root" build -o "$tools/bin/overlap-data" ./pkg/cmd/overlap-data ||
		fail data "overlap-data does not build" "go -C '$root' build ./pkg/cmd/overlap-data"
	say data "making the rasters that are not there yet"
	(cd -- "$root" && "$tools/bin/overlap-data" "$@") ||
		fail data "it was not made" "'$root/scripts/lab' data"
}
