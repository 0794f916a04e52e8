"""An example as a notebook: `python -m examples.notebook convnet` writes `convnet.ipynb`.

The docstring is the text above, each definition a cell; the last cells run it and show its picture.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
PICTURE = """\
from IPython.display import Image

from examples.common import OUTPUT

Image(str(OUTPUT / "{}.png"))"""


def cells(name: str) -> tuple[str, list[str]]:
    """The docstring of an example, and its code in cells: two empty lines are between definitions,
    and the last of those parts calls `main`.
    """
    head, *definitions, _ = (HERE / f"{name}.py").read_text("utf-8").split("\n\n\n")
    _, text, imports = head.split('"""', 2)
    return text.strip(), [imports.strip(), *definitions, "main()", PICTURE.format(name)]


def notebook(name: str) -> Any:
    """An example as a notebook without outputs."""
    import nbformat

    make: Any = nbformat.v4
    text, code = cells(name)
    shown = [make.new_markdown_cell(text), *map(make.new_code_cell, code)]
    return make.new_notebook(cells=shown)


def main() -> None:
    """Write the notebooks of the examples that are named."""
    import nbformat

    write: Any = nbformat.write
    for name in sys.argv[1:] or sys.exit("usage: python -m examples.notebook NAME ..."):
        write(notebook(name), f"{name}.ipynb")
        print(f"{name}.ipynb")


if __name__ == "__main__":
    main()
