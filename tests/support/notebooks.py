"""Notebooks run on a kernel, and what each of their cells shows."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent.parent
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")


@dataclass
class Shown:
    """What a cell shows: text that was printed, the texts of displayed objects by their kind, and
    the traceback of its error.
    """

    printed: str = ""
    displayed: dict[str, str] = field(default_factory=dict)
    error: str = ""


def run_cells(cells: Sequence[str], folder: Path) -> list[Shown]:
    """What the cells of a notebook show; it goes on behind an error."""
    import nbformat
    from nbclient import NotebookClient

    made = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    resources = {"metadata": {"path": str(folder)}}
    client = NotebookClient(made, timeout=120, allow_errors=True, resources=resources)
    paths = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    client.execute(env={**os.environ, "PYTHONPATH": paths, "PYTHONWARNINGS": "ignore"})
    return [_shown(cell.outputs) for cell in made.cells]


def cells_of(text: str) -> list[str]:
    """The cells of a script that marks them with `# %%`."""
    return [cell.strip("\n") for cell in re.split(r"(?m)^# %%.*\n", text) if cell.strip()]


def _shown(outputs: Sequence[Any]) -> Shown:
    found = Shown()
    for output in outputs:
        if output.output_type == "stream":
            found.printed += _COLOURS.sub("", output.text)
        elif output.output_type == "error":
            found.error += _COLOURS.sub("", "\n".join(output.traceback))
        else:
            found.displayed |= output.data
    return found
