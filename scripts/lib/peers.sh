# What the comparison with other readers needs beyond the lab itself.

# shellcheck shell=bash
# Variables such as root and tools belong to the script that reads this.
# shellcheck disable=SC2154

# install_peers: brings the other readers where that can be done without a
# question. What is missing is no failure: its rows say so.
install_peers() {
	local names=() as=()
	/usr/bin/python3 -c 'import rasterio' 2>/dev/null || names+=(python3-rasterio)
	command -v gdal_translate >/dev/null || names+=(gdal-bin)
	[ ${#names[@]} -gt 0 ] || return 0
	if ! has_apt; then
		say peers "missing: ${names[*]} (Debian's names); their rows will say so"
		return
	fi
	if [ "$(id -u)" -ne 0 ]; then
		if ! command -v sudo >/dev/null || ! sudo -n true 2>/dev/null; then
			say peers "missing: apt-get install ${names[*]} (as root); their rows will say so"
			return
		fi
		as=(sudo)
	fi
	as+=(env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300)
	say peers "installing ${names[*]}"
	if quietly peers "${as[@]}" update && quietly peers "${as[@]}" install -y --no-install-recommends "${names[@]}"; then
		say peers "installed"
	else
		say peers "not installed: ${names[*]}; their rows will say so"
	fi
}
