"""Reads rasters with rasterio in one way, for overlap-peers.

    peers.py WAY WORKERS FILE...

It says {"ready": true} on standard output when all is imported. A line "read"
on standard input has it read the files and say what that took, a line "answer"
what the pixels were, for which it may read once more. Neither imports nor the
answer are in the figures.
"""

import json
import resource
import sys
import time


def say(**what):
    print(json.dumps(what), flush=True)


try:
    import asyncio
    import gc
    import threading
    from concurrent.futures import ThreadPoolExecutor

    import numpy
    import rasterio
    from rasterio.windows import Window
except ImportError as e:
    say(missing=f"{e}; on Debian: apt-get install python3-rasterio")
    sys.exit()

way, workers, files = sys.argv[1], int(sys.argv[2]), sys.argv[3:]


def read(path):
    with rasterio.open(path) as src:
        return src.read(1)


def sequential():
    return [read(path) for path in files]


def published():
    """As in the published experiment: all files at once, on the loop's own pool."""

    async def main():
        loop = asyncio.get_running_loop()
        return await asyncio.gather(*[loop.run_in_executor(None, read, path) for path in files])

    return asyncio.run(main())


def threads():
    """GDAL's own threads, one file after another."""
    arrays = []
    for path in files:
        with rasterio.open(path, NUM_THREADS="ALL_CPUS") as src:
            arrays.append(src.read(1))
    return arrays


def pooled(work):
    """Runs work(src, file, window) for all windows in a pool of threads, each
    with a handle of its own for each file, as rasterio's documentation advises.
    A window is a row of blocks."""
    local, opened, lock = threading.local(), [], threading.Lock()

    def one(file, window):
        handles = local.__dict__.setdefault("handles", {})
        if file not in handles:
            handles[file] = rasterio.open(files[file])
            with lock:
                opened.append(handles[file])
        work(handles[file], file, window)

    tasks = []
    for file, path in enumerate(files):
        with rasterio.open(path) as src:
            step = src.block_shapes[0][0]
            tasks += [(file, Window(0, y, src.width, min(step, src.height - y))) for y in range(0, src.height, step)]
    with ThreadPoolExecutor(workers) as pool:
        for done in [pool.submit(one, *task) for task in tasks]:
            done.result()
    for src in opened:
        src.close()


def windows():
    """Assembles whole arrays from windows."""
    arrays = []
    for path in files:
        with rasterio.open(path) as src:
            arrays.append(numpy.empty((src.height, src.width), src.dtypes[0]))

    def work(src, file, window):
        src.read(1, window=window, out=arrays[file][window.row_off : window.row_off + window.height])

    pooled(work)
    return arrays


def stream(fold=None):
    """Reads each window into a buffer that its thread uses again, and keeps none."""
    local = threading.local()

    def work(src, file, window):
        buffer = getattr(local, "buffer", None)
        if buffer is None or buffer.shape[1] != window.width or buffer.shape[0] < window.height:
            buffer = local.buffer = numpy.empty((window.height, window.width), src.dtypes[0])
        part = buffer[: window.height]
        src.read(1, window=window, out=part)
        if fold:
            fold(part)

    pooled(work)


class Fold:
    """The number of pixels, the least, the greatest and the sum."""

    def __init__(self):
        self.count, self.min, self.max, self.sum, self.lock = 0, float("inf"), float("-inf"), 0.0, threading.Lock()

    def __call__(self, pixels):
        low, high, total = float(pixels.min()), float(pixels.max()), float(pixels.sum(dtype=numpy.float64))
        with self.lock:
            self.count += pixels.size
            self.min, self.max, self.sum = min(self.min, low), max(self.max, high), self.sum + total

    def answer(self):
        return {"count": self.count, "min": self.min, "max": self.max, "sum": self.sum}


def streamed_fold():
    """Streams, with each window folded in its thread while the clock runs."""
    fold = Fold()
    stream(fold)
    return fold


def status(field):
    with open("/proc/self/status") as f:
        return next(int(line.split()[1]) * 1024 for line in f if line.startswith(field))


def machine():
    """What all processes of the machine used and what was stolen from it, in ns (proc_stat(5))."""
    try:
        with open("/proc/stat") as f:
            user, nice, system, _idle, _iowait, irq, softirq, steal = map(int, f.readline().split()[1:9])
    except (OSError, ValueError):
        return None
    return (user + nice + system + irq + softirq) * 10_000_000, steal * 10_000_000


def measured(run):
    """Runs it; returns what it gave and what it took."""
    gc.collect()
    missing = ["quota throttling", "run delay"]
    try:
        with open("/proc/self/clear_refs", "w") as f:
            f.write("5")  # the peak starts again
    except OSError:
        missing.append("peak memory")
    host = machine()
    before, start = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter_ns()
    kept = run()
    wall, after = time.perf_counter_ns() - start, resource.getrusage(resource.RUSAGE_SELF)
    busy, stolen = (after - before for before, after in zip(host, machine())) if host else (0, 0)
    if not host:
        missing.append("host load")
    try:
        peak = status("VmHWM:")
    except (OSError, StopIteration):
        peak = 0
        missing.append("peak memory")
    return kept, {
        "wall_ns": wall,
        "user_ns": round((after.ru_utime - before.ru_utime) * 1e9),
        "system_ns": round((after.ru_stime - before.ru_stime) * 1e9),
        "voluntary_switches": after.ru_nvcsw - before.ru_nvcsw,
        "involuntary_switches": after.ru_nivcsw - before.ru_nivcsw,
        "minor_faults": after.ru_minflt - before.ru_minflt,
        "major_faults": after.ru_majflt - before.ru_majflt,
        "peak_memory_bytes": peak,
        "steal_ns": stolen,
        "host_busy_ns": busy,
        "missing": sorted(set(missing)),
    }


ways = {
    "sequential": sequential,
    "asyncio": published,
    "threads": threads,
    "windows": windows,
    "stream": stream,
    "stream-fold": streamed_fold,
}


def main():
    run, kept = ways[way], None
    say(ready=True, versions={"rasterio": rasterio.__version__, "numpy": numpy.__version__, "Python": sys.version.split()[0]})
    for line in sys.stdin:
        if line == "read\n":
            kept, usage = measured(run)
            say(usage=usage)
        elif line == "answer\n":
            if not isinstance(kept, Fold):
                fold = Fold()
                if kept is None:
                    stream(fold)
                for pixels in kept or []:
                    fold(pixels)
                kept = fold
            say(answer=kept.answer())
            kept = None


try:
    main()
except Exception as e:  # whatever it is, overlap-peers is to say it
    say(error=f"{type(e).__name__}: {e}")
