"""What a cell is called while it runs. What is wrong with one that was run is said by pkg/cmd/overlap."""

import re


def label(source):
    """The first line of a cell that tells which one it is: no import, no magic word."""
    code = re.sub(r"^import (\([^)]*\)|\S+)", "", source, flags=re.M)
    lines = [l.strip() for l in code.splitlines() if l.strip() and not l.startswith("%")]
    return (lines or source.strip().splitlines() or [""])[0]


def progress(cell):
    """What the cell's progress bar says, "" where none is shown."""
    for out in reversed(cell.get("outputs", [])):
        data = out.get("data", {})
        if "<progress" in _text(data.get("text/html", "")):
            return _text(data.get("text/plain", "")).split("\n")[0]
    return ""


def _text(value):
    return "".join(value) if isinstance(value, (list, tuple)) else str(value)
