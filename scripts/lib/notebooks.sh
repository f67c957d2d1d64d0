# Finding the notebooks, executing them, and opening Jupyter on them.

# shellcheck shell=bash
# Variables such as root and tools belong to the script that reads this.
# shellcheck disable=SC2154

# find_notebooks [NAME…]: sets notebooks to the files of these names, or all.
# A name may carry .ipynb or a path.
find_notebooks() {
	local name file
	notebooks=()
	if [ $# -eq 0 ]; then
		for file in "$work"/notebooks/*.ipynb; do [ -f "$file" ] && notebooks+=("$file"); done
		return 0
	fi
	for name in "$@"; do
		for file in "$name" "$work/notebooks/$name" "$work/notebooks/$name.ipynb"; do
			if [ -f "$file" ]; then
				notebooks+=("$(cd -- "$(dirname -- "$file")" && pwd -P)/$(basename -- "$file")")
				continue 2
			fi
		done
		printf 'lab: there is no notebook %s; there are:\n' "$name" >&2
		for file in "$work"/notebooks/*.ipynb; do [ -f "$file" ] && printf '  %s\n' "$(basename -- "$file" .ipynb)" >&2; done
		exit 2
	done
}

# execute OUT OPTIONS…: runs the notebooks headless, with everything they make
# below OUT. Fails where a cell did.
execute() {
	local out=$1
	shift
	# Jupyter's own files, too, stay out of the home folder, and its settings out
	# of the run.
	(own_jupyter && JUPYTER_PATH=$jupyter/headless:$JUPYTER_PATH OVERLAP_OUT=$out OVERLAP_DATA=${OVERLAP_DATA:-$work/data} \
		exec "$python" -B "$root/scripts/lib/execute.py" --root "$root" --log "$jupyter/kernel.log" --out "$out" "$@" "${notebooks[@]}")
}

# run_notebooks [--update] [NAME…]
run_notebooks() {
	local update=() out status=0 from=$SECONDS
	if [ "${1:-}" = --update ]; then
		update=(--update)
		shift
	fi
	find_places
	find_out
	find_notebooks "$@"
	setup
	make_data
	if [ ${#notebooks[@]} -eq 0 ]; then
		say run "there are no notebooks yet in notebooks/"
		return
	fi
	execute "$out" "${update[@]}" || status=$?
	say run "$(since "$from") in all. Look at:"
	printf '          %s\n' "$out/*.html       the notebooks, to read"
	[ ! -d "$out/figures" ] || printf '          %s\n' "$out/figures/     every figure as PNG, SVG and PDF"
	[ ! -d "$out/results" ] || printf '          %s\n' "$out/results/     the measurements as CSV, JSON and for benchstat"
	return "$status"
}

# measure_latency [NAME…]: how long a changed cell takes to answer.
measure_latency() {
	find_places
	find_notebooks "$@"
	setup
	make_data
	(own_jupyter && JUPYTER_PATH=$jupyter/headless:$JUPYTER_PATH OVERLAP_DATA=${OVERLAP_DATA:-$work/data} \
		exec "$python" -B "$root/scripts/lib/latency.py" "${notebooks[@]}")
}

# open_jupyter: JupyterLab where the user has it, else Notebook.
open_jupyter() {
	local command=("$python" -m notebook) args=()
	if command -v jupyter-lab >/dev/null && jupyter-lab --version >/dev/null 2>&1; then
		command=(jupyter-lab)
	elif ! has_module notebook; then
		fail jupyter "neither JupyterLab nor Notebook starts" "apt-get install jupyter-notebook"
	fi
	[ "$(id -u)" -ne 0 ] || args+=(--allow-root)
	if ! has_display; then
		args+=(--no-browser)
		say jupyter "no browser here: open the address that Jupyter prints below"
	fi
	find_out
	tell_places
	if ! writable "${JUPYTER_CONFIG_DIR:-$HOME/.jupyter}" "${JUPYTER_DATA_DIR:-$HOME/.local/share/jupyter}"; then
		say jupyter "its settings cannot be written to $HOME: they go to $jupyter/own"
		own_jupyter
	fi
	say jupyter "starting; Ctrl-C twice ends it"
	mkdir -p "$work/notebooks"
	cd -- "$work/notebooks" || fail jupyter "cannot enter $work/notebooks" "make that folder readable"
	exec "${command[@]}" "${args[@]}"
}

# has_display: whether a browser could open.
has_display() {
	[ "$(uname -s)" = Darwin ] && return 0
	[ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ] || return 1
	command -v xdg-open >/dev/null || command -v x-www-browser >/dev/null || command -v firefox >/dev/null || [ -n "${BROWSER:-}" ]
}
