"""`print` of staged values: at run time."""

from __future__ import annotations

import builtins
from typing import Any

from runtime.graph.nodes import PRINT
from runtime.graph.scopes import active
from runtime.graph.templates import filled, image, symbols_in


def _print(
    *args: Any, sep: Any = None, end: Any = None, file: Any = None, flush: bool = False
) -> None:
    """`print`: at run time, with the run's values for the symbols in the arguments."""
    templates = [image(item) for item in args]
    symbols = [symbol for template in templates for symbol in symbols_in(template)]

    def write(*values: Any) -> None:
        found = iter(values)
        texts = [filled(template, found) for template in templates]
        builtins.print(*texts, sep=sep, end=end, file=file, flush=flush)

    trace = active()
    trace.append(PRINT, [trace.value_of(item) for item in symbols], (), {"write": write})
