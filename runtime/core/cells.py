"""IPython's shell and the cells of a notebook, named in the same way as where a conversion is
refused.

autograph, which knows them, is asked where there are cells: graphs run without it.
"""

from __future__ import annotations

import sys
from typing import Any


def format_place(filename: str | None, lineno: int | None, col: int | None) -> str:
    """`file:line:col`, as far as it is known; `Cell In[7]` for the file of a cell."""
    if "IPython" not in sys.modules:
        return ":".join(str(part) for part in (filename, lineno, col) if part is not None)
    from autograph import cells

    return cells.format_place(filename, lineno, col)


def pointer_to(filename: str | None, lineno: int | None, col: int | None) -> str:
    """The line of a cell and a caret below it, after a line break; nothing for other files."""
    if "IPython" not in sys.modules:
        return ""
    from autograph import cells

    return cells.pointer_to(filename, lineno, col)


def running_shell() -> Any:
    """The shell of IPython that runs in this process, or None."""
    from autograph import cells

    return cells.running_shell()
