"""`print` of staged values: at run time."""

from __future__ import annotations

import sys
from typing import Any

from runtime.graph.templates import PRINT
from runtime.staging.images import Images, as_data
from runtime.staging.refusals import refuse
from runtime.staging.scopes import active


def check_stream(trace: Any, name: str) -> None:
    """StagingError where a trace has replaced `sys.stdout` or `sys.stderr`."""
    if getattr(sys, name) is not trace.streams[name]:
        raise refuse(
            f"a staged value is printed to another sys.{name} than that of the caller: the graph "
            "prints when it runs, to the caller's",
            f"redirect sys.{name} around the call of the function, or name the file: "
            "print(x, file=...)",
        )


def _print(
    *args: Any, sep: Any = None, end: Any = None, file: Any = None, flush: bool = False
) -> None:
    """`print`: at run time, with the run's values for the symbols in the arguments."""
    images = Images()
    arguments = images.of(args)
    given = {"sep": sep, "end": end, "file": file, "flush": flush}
    params = {"arguments": arguments, "options": {key: as_data(x) for key, x in given.items()}}
    trace = active()
    if file is None:
        check_stream(trace, "stdout")
    trace.append(PRINT, [trace.value_of(item) for item in images.symbols], (), params)
