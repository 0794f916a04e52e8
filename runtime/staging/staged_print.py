"""`print` of staged values: at run time."""

from __future__ import annotations

from typing import Any

from autograph.backend import backend_within
from autograph.operators.texts import shown_by_user
from runtime.graph.templates import PRINT
from runtime.staging.images import Images, as_data
from runtime.staging.scopes import active


def print_staged(*args: Any, **kwargs: Any) -> Any:
    """`print` of what may hold what only the run knows; NotImplemented where nothing does."""
    given = (*args, *kwargs.values())
    images = Images()
    images.of(given)
    is_known = not images.symbols and backend_within(given) is None
    return NotImplemented if is_known else _print(*args, **kwargs)


def _print(
    *args: Any, sep: Any = None, end: Any = None, file: Any = None, flush: bool = False
) -> None:
    """`print`: at run time, with the run's values for the symbols in the arguments."""
    images = Images()
    arguments = images.of(tuple([shown_by_user(print, arg) for arg in args]))
    given = {"sep": sep, "end": end, "file": file, "flush": flush}
    params = {"arguments": arguments, "options": {key: as_data(x) for key, x in given.items()}}
    trace = active()
    if file is None:
        trace.check_stream("stdout")
    else:
        trace.printed.append(file)
    trace.append(PRINT, [trace.value_of(item) for item in images.symbols], (), params)
