"""IPython's shell and the cells of a notebook, named in the same way as where a conversion is
refused.

autograph, which knows them, is imported when they are asked for: graphs run without it.
"""

from __future__ import annotations

from typing import Any


def format_place(filename: str | None, lineno: int | None, col: int | None) -> str:
    """`file:line:col`, as far as it is known; `Cell In[7]` for the file of a cell."""
    from autograph import cells

    return cells.format_place(filename, lineno, col)


def pointer_to(filename: str | None, lineno: int | None, col: int | None) -> str:
    """The line of a cell and a caret below it, after a line break; nothing for other files."""
    from autograph import cells

    return cells.pointer_to(filename, lineno, col)


def running_shell() -> Any:
    """The shell of IPython that runs in this process, or None."""
    from autograph import cells

    return cells.running_shell()
