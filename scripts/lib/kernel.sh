# The Jupyter kernel, in the project's own Jupyter path: kernels that the user
# has elsewhere are not touched.

# shellcheck shell=bash
# Variables such as root and tools belong to the script that reads this.
# shellcheck disable=SC2154

# write_kernel DIR PATH-FOLDER…: the kernel's specification below a Jupyter
# path, with the folders first on its PATH. Prints whether it changed.
write_kernel() {
	"$python" - "$root" "$tools/bin/gonb" "$cellflags" "$@" <<-'PY'
		import json, os, sys

		root, gonb, goflags, base, *path = sys.argv[1:]
		spec = {
		    "argv": [
		        gonb, "--kernel", "{connection_file}",
		        "-raw_error=true",           # errors as plain text: the same in a notebook, a log and a file
		        "-go_work=" + root,          # cells import this module
		        "-extra_log=" + os.path.join(root, ".jupyter", "kernel.log"),
		    ],
		    "display_name": "Go (overlap)",
		    "language": "go",
		    "interrupt_mode": "message",
		    "env": {
		        # jupyter fills in ${PATH} when it starts the kernel.
		        "PATH": os.pathsep.join(path + ["${PATH}"]),
		        "GOFLAGS": goflags,
		        "GOTOOLCHAIN": "local",
		        "GOWORK": "",
		        "OVERLAP_ROOT": root,
		    },
		    "metadata": {"debugger": False},
		}
		text = json.dumps(spec, indent=1, ensure_ascii=False) + "\n"
		folder = os.path.join(base, "kernels", "overlap")
		file = os.path.join(folder, "kernel.json")
		try:
		    with open(file, encoding="utf-8") as f:
		        if f.read() == text:
		            sys.exit()
		except OSError:
		    pass
		os.makedirs(folder, exist_ok=True)
		with open(file + ".new", "w", encoding="utf-8") as f:
		    f.write(text)
		os.replace(file + ".new", file)
		print("changed")
	PY
}

# make_kernel: the kernel for people, with the language server, and the one for
# headless runs, without it.
make_kernel() {
	local changed
	: >"$root/.jupyter/kernel.log" || true
	changed=$(write_kernel "$root/.jupyter" "$tools/bin" "$tools/lsp" "$gobin") ||
		fail kernel "its specification cannot be written to $root/.jupyter" "make that folder writable"
	changed+=$(write_kernel "$root/.jupyter/headless" "$tools/bin" "$gobin") ||
		fail kernel "its specification cannot be written to $root/.jupyter/headless" "make that folder writable"
	if [ -n "$changed" ]; then say kernel "\"Go (overlap)\" written to .jupyter"; else say kernel "\"Go (overlap)\" is there"; fi
}
