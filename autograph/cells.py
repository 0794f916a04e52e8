"""Places in the cells of a notebook, as IPython names them, with the line that it does not point
into.
"""

from __future__ import annotations

import linecache
import re
import sys
from typing import Any

_OLD_NAME = re.compile(r"<ipython-input-(\d+)-")


def format_place(filename: str | None, lineno: int | None, col: int | None) -> str:
    """`file:line:col`, as far as it is known; `Cell In[7]` for the file of a cell."""
    known = ((filename and cell_of(filename)) or filename, lineno, col)
    return ":".join(str(part) for part in known if part is not None)


def pointer_to(filename: str | None, lineno: int | None, col: int | None) -> str:
    """The line of a cell and a caret below it, after a line break; nothing for other files."""
    if filename is None or lineno is None or col is None or cell_of(filename) is None:
        return ""
    line = linecache.getline(filename, lineno).rstrip()
    if not line:
        return ""
    text = line.lstrip()
    before = line[len(line) - len(text) : col - 1]
    indent = re.sub(r"[^\t]", " ", before)
    return f"\n    {text}\n    {indent}^"


def cell_of(filename: str) -> str | None:
    """Returns IPython's name for the cell that it keeps under this file name, or None."""
    shell = running_shell()
    if shell is None:
        return None
    named = getattr(shell.compile, "format_code_name", None)
    found = None if named is None else named(filename)
    if found is not None:
        return " ".join(found)
    old = _OLD_NAME.match(filename)
    return f"Cell In[{old[1]}]" if old else None


def running_shell() -> Any:
    """The shell of IPython that runs in this process, or None."""
    package = sys.modules.get("IPython")
    return None if package is None else package.get_ipython()
