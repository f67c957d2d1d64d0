"""Loads every result as somebody else's program would: its CSV in pandas.

A CSV must have one row for each trial of the JSON beside it.
"""

import json
import pathlib
import sys

import pandas


def fault(file):
    """What is wrong with one CSV, "" for nothing."""
    try:
        rows = pandas.read_csv(file)
    except Exception as e:  # the parser's, pandas' and the file system's own
        return f"pandas cannot load it: {type(e).__name__}: {e}"
    beside = file.with_suffix(".json")
    try:
        trials = json.loads(beside.read_text("utf-8"))["trials"]
    except (OSError, ValueError, KeyError) as e:
        return f"{beside.name} beside it has no trials that can be read: {type(e).__name__}: {e}"
    if len(rows) != len(trials):
        return f"{len(rows)} rows, and {len(trials)} trials in {beside.name}"
    return ""


def main():
    files = sorted(pathlib.Path(sys.argv[1]).glob("*.csv"))
    faults = {file: text for file in files if (text := fault(file))}
    for file, text in faults.items():
        print(f"{file}: {text}", file=sys.stderr)
    if not files:
        print(f"{sys.argv[1]}: there is no CSV", file=sys.stderr)
    print(f"pandas loaded {len(files) - len(faults)} of {len(files)} results")
    sys.exit(bool(faults) or not files)


if __name__ == "__main__":
    main()
