"""`print` of staged values: at run time."""

from __future__ import annotations

import builtins
from collections.abc import Iterable, Sequence
from typing import Any

from runtime.graph.nodes import PRINT
from runtime.graph.scopes import active
from runtime.graph.templates import filled, image, symbols_in, text_of


class Line:
    """The text of one `print`, for the values of a run."""

    __slots__ = ("options", "templates")

    def __init__(self, templates: Sequence[Any], options: dict[str, Any]) -> None:
        self.templates = templates
        self.options = options

    def __call__(self, *values: Any) -> None:
        found = iter(values)
        texts = [filled(template, found) for template in self.templates]
        builtins.print(*texts, **self.options)

    def text(self, names: Iterable[str]) -> str:
        """Its arguments, with these names for the values of a run."""
        found = iter(names)
        return ", ".join([text_of(template, found) for template in self.templates])


def _print(
    *args: Any, sep: Any = None, end: Any = None, file: Any = None, flush: bool = False
) -> None:
    """`print`: at run time, with the run's values for the symbols in the arguments."""
    templates = [image(item) for item in args]
    symbols = [symbol for template in templates for symbol in symbols_in(template)]
    write = Line(templates, {"sep": sep, "end": end, "file": file, "flush": flush})
    trace = active()
    trace.append(PRINT, [trace.value_of(item) for item in symbols], (), {"write": write})
