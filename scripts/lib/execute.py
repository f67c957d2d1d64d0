"""Executes notebooks headless, checks them, and writes them as HTML.

For each notebook it leaves OUT/<name>.ipynb and OUT/<name>.html, also where a
cell failed: what was measured until then is not lost. It fails where a cell
failed, wrote to stderr, showed nothing although it says it does, or shows
fewer figures than its source makes.
"""

import argparse
import asyncio
import contextlib
import os
import pathlib
import shutil
import signal
import sys
import tempfile
import time

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellControlSignal, DeadKernelError

from notebook_check import constructors, faults, label, progress, without_gdal
from notebook_write import clean, traces, write_html, write_notebook


def say(text):
    print(text, flush=True)


class Status:
    """The line that tells what runs: rewritten on a terminal, seldom in a log."""

    def __init__(self, name, total):
        self.name, self.total, self.tty = name, total, sys.stdout.isatty()
        self.since = self.told = 0.0

    def start(self, at, cell):
        self.at, self.cell, self.since, self.told = at, cell, time.monotonic(), 0.0
        self.show()

    def show(self):
        took = time.monotonic() - self.since
        # What the cell itself says about its progress, or else its first line.
        what = progress(self.cell) or label(self.cell.source)
        text = f"          cell {self.at} of {self.total}, {took:3.0f} s: {what[:90]}"
        if self.tty:
            print("\r\033[K" + text[: shutil.get_terminal_size().columns - 1], end="", flush=True)
        elif took - self.told >= 20:
            self.told = took
            say(text)

    def clear(self):
        if self.tty:
            print("\r\033[K", end="", flush=True)


class Runner:
    """Runs one notebook. The kernel and its cells never outlive it."""

    def __init__(self, nb, name, timeout):
        self.nb, self.timeout = nb, timeout
        self.cells = [i for i, c in enumerate(nb.cells) if c.cell_type == "code" and c.source.strip()]
        self.status = Status(name, len(self.cells))
        self.stopped = 0  # signals to stop that came
        self.late = None  # the index of the cell that ran too long
        self.reached = 0  # cells begun
        self.refused = False  # whether nothing of it runs without GDAL

    async def run(self, cwd, env):
        # The cell's own limit is kept here, so that a cell that runs too long
        # is interrupted and still shows what it has.
        client = NotebookClient(self.nb, kernel_name="overlap", timeout=self.timeout + 60, allow_errors=True,
                                startup_timeout=120, record_timing=False, store_widget_state=False)
        self.client, group = client, None
        loop = asyncio.get_running_loop()
        try:
            async with client.async_setup_kernel(cwd=str(cwd), env=env, stderr=open(os.devnull, "w")):
                group = getattr(client.km.provisioner, "pgid", None)
                for s in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                    loop.add_signal_handler(s, self.stop)
                for at, i in enumerate(self.cells, 1):
                    if self.stopped:
                        break
                    self.reached = at
                    await self.cell(i, at)
                    if at == 1 < len(self.cells) and without_gdal(self.nb.cells[i]):
                        self.refused = True
                        break
        finally:
            # A cell's process may outlive its kernel: end the whole group.
            if group:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(group, signal.SIGKILL)
            self.status.clear()

    async def cell(self, i, at):
        cell = self.nb.cells[i]
        self.status.start(at, cell)
        limit = asyncio.get_running_loop().call_later(self.timeout, self.expire, i)
        ticker = asyncio.ensure_future(self.tick())
        try:
            await self.client.async_execute_cell(cell, i)
        finally:
            limit.cancel()
            ticker.cancel()

    async def tick(self):
        while True:
            await asyncio.sleep(1)
            self.status.show()

    def interrupt(self):
        asyncio.ensure_future(self.client.km.interrupt_kernel())

    def expire(self, i):
        self.late = i
        self.interrupt()

    def stop(self):
        """The first signal interrupts the cell, which shows what it has; the next ends all."""
        self.stopped += 1
        if self.stopped == 1:
            self.status.clear()
            say("          stopping: the cell may show what it has (once more ends it at once)")
            self.interrupt()
        else:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.client.km.provisioner.pgid, signal.SIGKILL)
        if self.stopped > 2:
            os._exit(130)


def execute(file, args, names):
    """Executes one notebook; returns what is wrong with it, and whether to stop."""
    try:
        nb = nbformat.read(file, as_version=4)
    except Exception as e:  # nbformat, json and the file system each have their own
        return [f"{file.name}: cannot be read as a notebook: {str(e)[:200]}; mend it or restore it from git"], False
    for cell in nb.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    runner, problems = Runner(nb, file.stem, args.timeout), []
    with tempfile.TemporaryDirectory(prefix="overlap-kernel-", ignore_cleanup_errors=True) as tmp:
        try:
            asyncio.run(runner.run(file.parent, {**os.environ, "TMPDIR": tmp, "OVERLAP_HEADLESS": "1"}))
        except (CellControlSignal, DeadKernelError, RuntimeError, TimeoutError) as e:
            at = runner.reached or "none"
            problems.append(f"{file.name}, cell {at}: the kernel did not answer: {type(e).__name__}: {str(e).strip()[:300]}"
                            f" (its log: {args.log})")
    for at, i in enumerate(runner.cells[: runner.reached], 1):
        if runner.stopped and at == runner.reached:
            break  # what it says then is that it was stopped
        found = faults(nb.cells[i], names)
        if runner.late == i:
            found = [f"took longer than {args.timeout} s and was interrupted (--timeout sets the limit)"] + found
        problems += [f"{file.name}, cell {at} ({label(nb.cells[i].source)[:80]}): {f}" for f in found]
    if runner.refused:
        problems.append(f"{file.name}: the other cells were not run, as the first has what they need")
    if runner.stopped:
        problems.append(f"{file.name}: stopped on request in cell {runner.reached} of {len(runner.cells)}; what was measured until then is kept in results as *-partial")

    clean(nb)
    try:
        write_notebook(nb, args.out / file.name)
        write_html(nb, args.out / (file.stem + ".html"), file.stem)
        if args.update and not problems:
            problems += [f"{file.name}: {t}; not kept in notebooks/" for t in traces(nb, args.root)]
            if not problems:
                write_notebook(nb, file)
    except OSError as e:
        problems.append(f"{file.name}: {e}")
    return problems, runner.stopped > 0


def main():
    parser = argparse.ArgumentParser(description="Executes notebooks headless, checks them, and writes them as HTML.")
    parser.add_argument("--root", type=pathlib.Path, required=True, help="the repository")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="where the executed notebooks go")
    parser.add_argument("--log", default=".jupyter/kernel.log", help="where the kernel keeps its log")
    parser.add_argument("--timeout", type=int, default=int(os.environ.get("OVERLAP_CELL_TIMEOUT", 600)), help="seconds a cell may take")
    parser.add_argument("--update", action="store_true", help="keep the outputs in the notebooks themselves")
    parser.add_argument("notebooks", nargs="+", type=pathlib.Path)
    args = parser.parse_args()

    names, failed, stopped = constructors(args.root / "pkg" / "chart"), [], False
    for n, file in enumerate(args.notebooks, 1):
        say(f"notebook  {n} of {len(args.notebooks)}: {file.stem}")
        began = time.monotonic()
        problems, stopped = execute(file, args, names)
        took = time.monotonic() - began
        if problems:
            failed.append(file.stem)
            say(f"notebook  {file.stem}: {'stopped' if stopped else 'FAILED'} after {took:.0f} s")
            for p in problems:
                print("          " + p.replace("\n", "\n            "), file=sys.stderr, flush=True)
        else:
            say(f"notebook  {file.stem}: done in {took:.0f} s")
        if stopped:
            break
    say(f"notebooks: {n - len(failed)} passed, {len(failed) - stopped} failed" + (f", 1 stopped, {len(args.notebooks) - n} not run" if stopped else ""))
    if failed and not stopped:
        say(f"run       FAILED: {', '.join(failed)}; what is wrong stands above. What they made until then is there all the same.")
    sys.exit(130 if stopped else 1 if failed else 0)


if __name__ == "__main__":
    main()
