"""Executes a notebook headless and writes it as a notebook and as HTML.

It tells on standard output what runs, and on file descriptor 3, at the end, as JSON, what was run
and what came of it (type ran in pkg/cmd/overlap/notebooks.go, which judges it).
"""

import argparse
import asyncio
import contextlib
import json
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

from cells import label, progress
from pages import clean, write_html, write_notebook


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
        self.late = -1  # the index of the cell that ran too long
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
                    if at == 1 < len(self.cells) and "GDAL cannot be used here" in json.dumps(self.nb.cells[i].outputs):
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


def execute(file, args):
    """Executes one notebook; returns what is to be reported."""
    try:
        nb = nbformat.read(file, as_version=4)
    except Exception as e:  # nbformat, json and the file system each have their own
        return {"problems": [f"{file.name}: cannot be read as a notebook: {str(e)[:200]}; mend it or restore it from git"]}
    for cell in nb.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    runner, problems, unsaved = Runner(nb, file.stem, args.timeout), [], []
    with tempfile.TemporaryDirectory(prefix="overlap-kernel-", ignore_cleanup_errors=True) as tmp:
        try:
            asyncio.run(runner.run(file.parent, {**os.environ, "TMPDIR": tmp, "OVERLAP_HEADLESS": "1"}))
        except (CellControlSignal, DeadKernelError, RuntimeError, TimeoutError) as e:
            at = runner.reached or "none"
            problems.append(f"{file.name}, cell {at}: the kernel did not answer: {type(e).__name__}: {str(e).strip()[:300]}"
                            f" (its log: {args.log})")
    clean(nb)
    try:
        write_notebook(nb, args.out / file.name)
        write_html(nb, args.out / (file.stem + ".html"), file.stem)
    except OSError as e:
        unsaved.append(f"{file.name}: {e}")
    return {
        "labels": [label(nb.cells[i].source)[:80] for i in runner.cells], "cells": runner.cells, "reached": runner.reached,
        "late": runner.late, "limit": args.timeout, "refused": runner.refused, "stopped": runner.stopped > 0,
        "problems": problems, "unsaved": unsaved, "notebook": nb,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=pathlib.Path, required=True, help="where the executed notebook goes")
    parser.add_argument("--log", required=True, help="where the kernel keeps its log")
    parser.add_argument("--timeout", type=int, default=int(os.environ.get("OVERLAP_CELL_TIMEOUT", 600)), help="seconds a cell may take")
    parser.add_argument("notebook", type=pathlib.Path)
    args = parser.parse_args()
    with open(3, "w", encoding="utf-8") as report:
        json.dump(execute(args.notebook, args), report)


if __name__ == "__main__":
    main()
