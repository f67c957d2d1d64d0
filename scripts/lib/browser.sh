# Chromium, for the tests of notebooks in a page.

# shellcheck shell=bash
# Variables such as root and tools belong to the script that reads this.
# shellcheck disable=SC2034,SC2154

# find_browser: sets browser to a Chromium that starts.
find_browser() {
	local it
	for it in "${OVERLAP_BROWSER:-}" chromium chromium-browser google-chrome google-chrome-stable \
		"/Applications/Chromium.app/Contents/MacOS/Chromium" "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"; do
		[ -n "$it" ] || continue
		browser=$(command -v "$it" || true)
		if [ -n "$browser" ] && "$browser" --version >/dev/null 2>&1; then return 0; fi
	done
	browser=
	return 1
}

# get_browser: sets browser, and on Debian installs one where there is none.
# Where none can be had it says why, and leaves browser empty.
get_browser() {
	local as=() from=$SECONDS by_hand="apt-get update && apt-get install -y --no-install-recommends chromium"
	if find_browser; then
		say browser "$("$browser" --version 2>/dev/null), ready"
		return 0
	fi
	if ! has_apt; then
		say browser "there is no Chromium here; install it or Google Chrome (OVERLAP_BROWSER says where it is)"
		return 0
	fi
	if [ "$(id -u)" -ne 0 ]; then
		if ! command -v sudo >/dev/null || { [ ! -t 0 ] && ! sudo -n true 2>/dev/null; }; then
			say browser "there is no Chromium here; run as root: $by_hand"
			return 0
		fi
		as=(sudo)
		say browser "needs root for: apt-get install chromium"
		if ! sudo -v; then
			say browser "sudo was refused; run as root: $by_hand"
			return 0
		fi
	fi
	as+=(env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300)
	say browser "installing chromium (a minute or two)"
	if quietly browser "${as[@]}" update && quietly browser "${as[@]}" install -y --no-install-recommends chromium && find_browser; then
		say browser "installed ($(since "$from"))"
	else
		say browser "Chromium could not be installed; by hand: $by_hand"
	fi
}

# pages_tested: the tests that drive Jupyter in a browser.
pages_tested() {
	if [ -z "$browser" ]; then
		say test "there is no Chromium here; what is missing stands above"
		return 77
	fi
	if ! has_module notebook; then
		say test "there is no Jupyter Notebook here (Debian's package jupyter-notebook)"
		return 77
	fi
	go vet -tags browser ./pkg/notebook/browser || return 1
	OVERLAP_BROWSER=$browser OVERLAP_JUPYTER=$jupyter go test -tags browser -count 1 -timeout 6m ./pkg/notebook/browser
}
