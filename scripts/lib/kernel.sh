# The Jupyter kernel, in the project's own Jupyter path: kernels that the user
# has elsewhere are not touched.

# shellcheck shell=bash
# Variables such as root and tools belong to the script that reads this.
# shellcheck disable=SC2154

# write_kernel DIR PATH-FOLDER…: the kernel's specification below a Jupyter
# path, with the folders first on its PATH. Prints whether it changed; without
# write set it only compares.
write_kernel() {
	"$python" - "$root" "$tools" "$jupyter" "$cellflags" "${write:-}" "${without_gdal:+$silent}" "${ours[*]}" "$@" <<-'PY'
		import json, os, sys

		root, tools, jupyter, goflags, write, without_gdal, ours, base, *path = sys.argv[1:]
		spec = {
		    "argv": [
		        os.path.join(tools, "bin", "gonb"), "--kernel", "{connection_file}",
		        "-raw_error=true",           # errors as plain text: the same in a notebook, a log and a file
		        "-go_work=" + root,          # cells import this module
		        "-extra_log=" + os.path.join(jupyter, "kernel.log"),
		    ],
		    "display_name": "Go (overlap)",
		    "language": "go",
		    # To all processes of the kernel: a message would reach neither the
		    # compiler nor what a cell has started.
		    "interrupt_mode": "signal",
		    "env": {
		        # jupyter fills in ${PATH} when it starts the kernel.
		        "PATH": os.pathsep.join(path + ["${PATH}"]),
		        "GOFLAGS": goflags,
		        "GOTOOLCHAIN": "local",
		        "GOWORK": "auto",
		        "GO111MODULE": "on",
		        "GOROOT": os.path.dirname(path[-1]),
		        "CGO_ENABLED": "1",
		        "OVERLAP_ROOT": root,
		        **{name: os.environ[name] for name in ours.split()},
		    },
		    "metadata": {"debugger": False},
		}
		if without_gdal:
		    # Go asks it about a package that needs GDAL: it says what to do.
		    for name in without_gdal.split():
		        spec["env"][name] = '"' + os.path.join(tools, "without-gdal") + '"'
		text = json.dumps(spec, indent=1, ensure_ascii=False) + "\n"
		folder = os.path.join(base, "kernels", "overlap")
		file = os.path.join(folder, "kernel.json")
		try:
		    with open(file, encoding="utf-8") as f:
		        if f.read() == text:
		            sys.exit()
		except (OSError, ValueError):
		    pass
		print("changed")
		if not write:
		    sys.exit()
		os.makedirs(folder, exist_ok=True)
		with open(file + ".new", "w", encoding="utf-8") as f:
		    f.write(text)
		os.replace(file + ".new", file)
	PY
}

# kernels_changed: the kernel for people, with the language server, and the one
# for headless runs, without it. Prints whether one changed.
kernels_changed() {
	write_kernel "$jupyter" "$tools/bin" "$tools/lsp" "$gobin" && write_kernel "$jupyter/headless" "$tools/bin" "$gobin"
}

# make_kernel: writes the kernels, and tries a cell in a new one.
make_kernel() {
	local changed write=yes from=$SECONDS
	{ : >"$jupyter/kernel.log"; } 2>/dev/null || true
	if [ -n "$without_gdal" ]; then
		printf '#!/bin/sh\ncat >&2 <<'\''TEXT'\''\nGDAL cannot be used here, and only cells that read rasters need it.\n%s, and restart the kernel.\nTEXT\nexit 1\n' "${without_gdal^}" >"$tools/without-gdal"
		chmod +x "$tools/without-gdal"
	fi
	changed=$(kernels_changed) || fail kernel "its specification cannot be written to $jupyter" "make that folder writable"
	export JUPYTER_PATH=$jupyter${JUPYTER_PATH:+:$JUPYTER_PATH}
	export OVERLAP_ROOT=$root
	if [ -z "$changed" ]; then
		say kernel "\"Go (overlap)\" is there"
		return
	fi
	try_kernel || fail kernel "a cell does not run in it; what it said stands above, its log is $jupyter/kernel.log" \
		"$(quoted "$root/scripts/lab") setup   (once what it says is mended)"
	say kernel "\"Go (overlap)\" written to $jupyter, a cell runs in it ($(since "$from"))"
}

# try_kernel: runs one cell in a kernel, as Jupyter would.
try_kernel() {
	(own_jupyter && JUPYTER_PATH=$jupyter/headless:${JUPYTER_PATH:-} quietly kernel "$python" -B "$root/scripts/lib/kernel_try.py")
}
