"""Measures how long a changed cell takes to answer.

It runs each notebook once in its quick form, so that the results are there
which later cells load. Then it changes every cell that loads a result, by a
comment, some times in turn, and measures from sending it to the kernel's being
ready again: that is building, linking, drawing and showing, and no experiment.
"""

import argparse
import os
import pathlib
import statistics
import sys
import tempfile
import time

import nbformat
from jupyter_client.manager import start_new_kernel

from cells import label


def answer(client, source, timeout=600):
    """Executes source; returns the seconds it took, or fails."""
    began = time.monotonic()
    reply = client.execute_interactive(source, timeout=timeout, output_hook=lambda message: None)
    took = time.monotonic() - began
    if reply["content"]["status"] != "ok":
        sys.exit(f"latency: a cell failed: {label(source)}; run the notebook by itself: scripts/lab run")
    return took


def measure(file, repeats):
    nb = nbformat.read(file, as_version=4)
    cells = [c.source for c in nb.cells if c.cell_type == "code" and c.source.strip()]
    with tempfile.TemporaryDirectory(prefix="overlap-latency-", ignore_cleanup_errors=True) as tmp:
        env = {**os.environ, "OVERLAP_QUICK": "1", "OVERLAP_HEADLESS": "1", "OVERLAP_OUT": tmp + "/out", "TMPDIR": tmp}
        manager, client = start_new_kernel(kernel_name="overlap", cwd=str(file.parent), env=env, stderr=open(os.devnull, "w"))
        try:
            for source in cells:
                answer(client, source)
            loading = [s for s in cells if ".Load()" in s and "%%" in s] or [s for s in cells if "%%" in s]
            times = {s: [] for s in loading}
            for n in range(repeats):
                for source in loading:
                    times[source].append(answer(client, f"{source}\n// change {n}\n"))
        finally:
            client.stop_channels()
            manager.shutdown_kernel(now=True)
    return times


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("notebooks", nargs="+", type=pathlib.Path)
    args = parser.parse_args()
    for file in args.notebooks:
        times = measure(file, args.repeats)
        every = [t for ts in times.values() for t in ts]
        print(f"{file.stem}: a changed cell answers in {statistics.median(every):.2f} s"
              f" (median of {len(every)}: {len(times)} cells, {args.repeats} times each; {min(every):.2f} to {max(every):.2f} s)")
        for source, ts in times.items():
            last = next(line for line in reversed(source.splitlines()) if line.strip(" \t)}"))
            print(f"  {statistics.median(ts):5.2f} s  {last.strip()[:90]}")


if __name__ == "__main__":
    main()
