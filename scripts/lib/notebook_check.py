"""What is wrong with an executed cell. Jupyter itself calls much of it fine."""

import re


def constructors(folder):
    """The names of pkg/chart's functions that make a figure."""
    names = set()
    for file in folder.glob("*.go"):
        if not file.name.endswith("_test.go"):
            names |= set(re.findall(r"^func ([A-Z]\w*)\([^\n]*\) \*Figure\b", file.read_text("utf-8"), re.M))
    return names


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


def without_gdal(cell):
    """What a cell that needs GDAL was told where set-up found none, "" otherwise."""
    for out in cell.get("outputs", []):
        text = "\n".join(out.get("traceback", [])) if out.output_type == "error" else _text(out.get("text", ""))
        at = text.find("GDAL cannot be used here")
        if at >= 0:
            return text[at:].strip()
    return ""


def faults(cell, names):
    """Everything wrong with the cell's outputs, in words."""
    refused = without_gdal(cell)
    if refused:
        return [refused]
    found, pictures, said = [], 0, ""
    expected_error = "raises-exception" in cell.metadata.get("tags", [])
    own = _of_the_error(cell.outputs) if expected_error else {}
    for i, out in enumerate(cell.outputs):
        if out.output_type == "error" and not expected_error:
            found.append("error: " + _last("\n".join(out.traceback) or out.evalue or out.ename))
        elif out.output_type == "stream" and out.name == "stderr":
            said += own.get(i, _text(out.text))
        elif out.output_type in ("display_data", "execute_result"):
            pictures += "image/png" in out.data
            if not any(_text(v).strip() for v in out.data.values()):
                found.append("an empty display")
    if said.strip():
        found.insert(0, "on stderr: " + _last(said))
    code = re.sub(r"//[^\n]*", "", cell.source)
    calls = re.findall(r"\bchart\.(\w+)\(", code)
    figures = sum(c in names for c in calls)
    if pictures < figures:
        found.append(f"{figures} figure(s) made by its source, {pictures} shown")
    elif re.search(r"\bnotebook\.(Show|Text)\(", code) and not cell.outputs:
        found.append("showed nothing")
    return found


def _of_the_error(outputs):
    """What is left of the stderr that an error wrote itself, by its index in outputs.

    A program that ends with an error has said why right before, in outputs that
    nothing else stands between. Where it panicked, only what follows the word
    is the error's.
    """
    left = {}
    for at, out in enumerate(outputs):
        if out.output_type != "error":
            continue
        start = at
        while start > 0 and outputs[start - 1].output_type == "stream" and outputs[start - 1].name == "stderr":
            start -= 1
        text = "".join(_text(o.text) for o in outputs[start:at])
        panic = re.search(r"^(panic|fatal error): ", text, re.M)
        left.update(dict.fromkeys(range(start, at), ""))
        if panic and start < at:
            left[start] = text[: panic.start()]
    return left


def _text(value):
    return "".join(value) if isinstance(value, (list, tuple)) else str(value)


def _last(text, lines=12):
    """The end of a long message, without colours."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", text).strip().splitlines()
    return "\n".join((["…"] if len(text) > lines else []) + text[-lines:])
