"""Runs one cell in the lab's kernel, and fails with what it said if it does not run."""

import sys

from jupyter_client.manager import start_new_kernel

CELL = """%noautoget
import "fmt"

%%
fmt.Println("a cell", "ran")
"""


def main():
    said = []

    def keep(message):
        content = message["content"]
        said.append(content.get("text") or "\n".join(content.get("traceback", [])))

    manager, client = start_new_kernel(kernel_name="overlap", startup_timeout=120)
    try:
        reply = client.execute_interactive(CELL, timeout=300, output_hook=keep)
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
    if reply["content"]["status"] != "ok" or "a cell ran" not in "".join(said):
        sys.exit("".join(said) or "the cell showed nothing")


if __name__ == "__main__":
    main()
