"""The displays of tensors, variables, modules and staged functions in notebooks: short, whatever
the size, and from what is there already.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

MOST_ROWS = 50
"""Rows of a table of variables or traces."""

_ENDS = 4  # elements at each end of a dimension
_LONGEST = 60  # characters of an element
_MOST_TEXT = 20_000
_FULL_RANK = 4  # beyond it, NumPy's summaries grow large themselves


def short_repr(value: object, rank: int) -> str:
    """The `repr` of a tensor or variable, whatever its rank and however long its elements."""
    ends, most = (3, 1000) if rank <= _FULL_RANK else (1, 100)
    with np.printoptions(edgeitems=ends, threshold=most):
        text = repr(value)
    if len(text) <= _MOST_TEXT:
        return text
    return f"{text[: _MOST_TEXT // 2]} ... {text[-_MOST_TEXT // 2 :]}"


def tensor_html(raw: Any, head: str) -> str:
    """`head` and a table of the first and last rows and columns of an array; of one with more than
    two dimensions, its first matrix.
    """
    place = (0,) * max(raw.ndim - 2, 0)
    title = f"{head}, {_bytes_text(raw.nbytes)}" if raw.dtype.kind != "O" else head
    if raw.size == 0:
        return f"<code>{escape(title)}</code>"
    if place:
        title += f"; of [{', '.join(map(str, place))}]:"
    matrix = np.atleast_2d(raw[place] if place else raw)
    rows = [_cells(matrix[at]) if at is not None else _gaps(matrix) for at in _ends_of(matrix)]
    return _table(title, (), rows)


def variables_text(head: str, rows: Sequence[tuple[str, str, str, int]]) -> str:
    """`head` and a line for each variable: its path, type, remark and size in bytes."""
    shown = [(path, kind, _bytes_text(size), remark) for path, kind, remark, size in rows]
    widths = [max(map(len, column), default=0) for column in zip(*shown[:MOST_ROWS], strict=True)]
    lines = [
        "  "
        + "  ".join(part.ljust(width) for part, width in zip(row, widths, strict=True)).rstrip()
        for row in shown[:MOST_ROWS]
    ]
    return "\n".join([_counted(head, rows), *lines, *_more(rows)])


def variables_html(head: str, rows: Sequence[tuple[str, str, str, int]]) -> str:
    """As `variables_text`, as a table."""
    shown = [(path, kind, _bytes_text(size), remark) for path, kind, remark, size in rows]
    table = [*shown[:MOST_ROWS], *((text.strip(),) for text in _more(rows))]
    return _table(_counted(head, rows), ("variable", "type", "size", ""), table)


def traces_text(head: str, traces: Sequence[tuple[str, str]]) -> str:
    """`head` and two lines for each trace: its signature, and why it was made."""
    lines = [f"  {signature}\n    {reason}" for signature, reason in traces[:MOST_ROWS]]
    return "\n".join([head, *lines, *_more(traces)])


def traces_html(head: str, traces: Sequence[tuple[str, str]]) -> str:
    """As `traces_text`, as a table."""
    rows = [*traces[:MOST_ROWS], *((text.strip(),) for text in _more(traces))]
    return _table(head, ("trace", "why") if traces else (), rows)


def _ends_of(rows: Any) -> list[int | None]:
    size = len(rows)
    if size <= 2 * _ENDS:
        return list(range(size))
    return [*range(_ENDS), None, *range(size - _ENDS, size)]


def _cells(row: Any) -> list[str]:
    return ["..." if at is None else _element(row[at]) for at in _ends_of(row)]


def _gaps(matrix: Any) -> list[str]:
    return ["..."] * len(_ends_of(matrix[0]))


def _element(value: Any) -> str:
    if isinstance(value, float | np.floating):
        return f"{value:.5g}"
    if isinstance(value, bytes):
        text = value[: 4 * _LONGEST].decode("utf-8", "replace")
    else:
        text = str(value)
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "..."


def _counted(head: str, rows: Sequence[tuple[str, str, str, int]]) -> str:
    count = len(rows)
    return (
        f"{head}: {count} variable{'s' * (count != 1)}, {_bytes_text(sum(row[3] for row in rows))}"
    )


def _more(rows: Sequence[object]) -> list[str]:
    return [f"  ... and {len(rows) - MOST_ROWS} more"] if len(rows) > MOST_ROWS else []


def _bytes_text(size: int) -> str:
    amount, unit = float(size), "B"
    for larger in ("KiB", "MiB", "GiB", "TiB"):
        if amount < 1024:
            break
        amount, unit = amount / 1024, larger
    return f"{amount:.4g} {unit}"


def _table(title: str, header: Iterable[str], rows: Iterable[Sequence[str]]) -> str:
    names = "".join(f"<th>{escape(name)}</th>" for name in header)
    lines = ["".join(f"<td>{escape(cell)}</td>" for cell in row) for row in rows]
    body = "".join(f"<tr>{line}</tr>" for line in [*([names] if names else []), *lines])
    return f"<div><code>{escape(title)}</code><table>{body}</table></div>"


def escape(text: str) -> str:
    """Text as it stands in HTML; the module `html` takes long to import."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
