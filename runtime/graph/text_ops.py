"""Texts that graphs make of the values of a run, and numbers of such texts."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import count
from typing import Any

import numpy as np

from runtime import dtypes
from runtime.core.convert import encoded
from runtime.core.forms import Form, is_bool, is_float, is_integer, is_string
from runtime.core.primitive import structural
from runtime.core.types import NumberType, TensorType, Type
from runtime.graph.data import Record
from runtime.graph.templates import Slot, Written, filling, text_of


def _prepared(*, template: Any, type: Type) -> Callable[..., Any]:
    fill = filling(template)

    def text(*values: Any) -> Any:
        made = fill(iter(values))
        if isinstance(made, str):
            return np.array(encoded(made), object)
        if isinstance(made, list | tuple):
            return np.array([encoded(each) for each in made], object)
        return made

    return text


def _text(*values: Any, template: Any, type: Type) -> Any:
    return _prepared(template=template, type=type)(*values)


# As expressions of Python

_OPERATORS = {
    "str.__add__": "+", "str.__mul__": "*", "mod": "%", "eq": "==", "ne": "!=", "lt": "<",
    "le": "<=", "gt": ">", "ge": ">=",
}  # fmt: skip
_OPERATIONS = frozenset((*_OPERATORS, "contains"))
BUILTINS = ("ascii", "bin", "bool", "chr", "float", "format", "hex", "int", "len", "oct", "ord",
            "repr", "str")  # fmt: skip
"""The functions of templates that Python has under their own names."""

_LONGEST = 400
"""Characters of an expression that stands in a program."""


def _form(inputs: Sequence[Type], output: Type, params: Mapping[str, Any]) -> Form | None:
    """The expression that makes the text, or the number, of texts and numbers, if it is one of
    Python's.
    """
    if not inputs or not (is_string(output) or isinstance(output, NumberType)):
        return None
    try:
        text = _expression(params["template"], count())
    except _Unwritten:
        return None
    return Form(text, "") if len(text) <= _LONGEST else None


class _Unwritten(Exception):
    """Raised for a template that only its function fills."""


def _expression(template: Any, places: Iterator[int]) -> str:
    """The expression of a template; the values of the run are its operands, by their places."""
    if isinstance(template, Written):
        return _call(template, places)
    if isinstance(template, Slot):
        return _number(template.type, next(places))
    if type(template) is tuple:
        parts = [_expression(each, places) for each in template]
        return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"
    if template is None or type(template) in (str, int, bool):
        return repr(template).replace("{", "{{").replace("}", "}}")
    raise _Unwritten


def _number(type: Type, place: int) -> str:
    if isinstance(type, NumberType) or is_integer(type):
        return f"{{{place}}}"
    if is_bool(type) or is_float(type):
        return f"{'bool' if is_bool(type) else 'float'}({{{place}}})"
    raise _Unwritten


def _call(template: Written, places: Iterator[int]) -> str:
    name, children = template.function, template.children
    if name == "spelled" and isinstance(children[0], Slot) and is_string(children[0].type):
        return f"{{{next(places)}}}"
    if name == "texts":
        return f"texts_of({{{next(places)}}})"
    if name == "chosen":
        return _chosen(children, places)
    parts = [_expression(child, places) for child in children]
    if name in _OPERATORS:
        return f" {_OPERATORS[name]} ".join(map(_operand, children, parts))
    if name == "contains":
        return " in ".join(map(_operand, reversed(children), reversed(parts)))
    if name == "item":
        return f"{_operand(children[0], parts[0])}[{parts[1]}]"
    if name == "sliced" and len(parts) > 2:
        used = parts[1:3] if parts[3:] == ["None"] else parts[1:]
        bounds = ":".join(["" if part == "None" else part for part in used])
        return f"{_operand(children[0], parts[0])}[{bounds}]"
    if name in BUILTINS:
        return template.text(parts)
    if name.startswith("str."):
        return f"{_operand(children[0], parts[0])}.{template.text(parts[1:])}"
    raise _Unwritten


def _chosen(children: Sequence[Any], places: Iterator[int]) -> str:
    place, *texts = children
    at = _expression(place, places)
    if all(isinstance(text, str) for text in texts):
        letters = "".join(texts)
        known = letters if all(len(text) == 1 for text in texts) else tuple(texts)
        return f"{_expression(known, places)}[{at}]"
    return f"{_expression(tuple(texts), places)}[{at}]"


def _operand(template: Any, text: str) -> str:
    """The expression as an operand of an operator, or of a call of its method."""
    is_operation = isinstance(template, Written) and template.function in _OPERATIONS
    return f"({text})" if is_operation else text


def _shown(params: Mapping[str, Any], inputs: Sequence[str]) -> str:
    """The text of a node, in what shows a graph."""
    template = params["template"]
    try:
        return _expression(template, count()).format(*inputs)
    except _Unwritten:
        return text_of(template, iter(inputs))


_FAILURES = (ValueError, TypeError, IndexError, OverflowError)


def _failures(*values: Type, template: Any, type: Type) -> tuple[builtins.type[Exception], ...]:
    """The classes of what making a text may raise: Python knows the fields of its own templates."""
    return (*_FAILURES, KeyError, AttributeError) if _has_unknown_fields(template) else _FAILURES


def _has_unknown_fields(template: Any) -> bool:
    has_fields = isinstance(template, Written) and template.function in ("str.format", "mod")
    if has_fields and not isinstance(template.children[0], str):
        return True
    parts = template.parts() if isinstance(template, Record) else template
    return isinstance(parts, tuple) and any(map(_has_unknown_fields, parts))


TEXT = structural(
    "py.text", _text, lambda *_, template, type: type, op_type="PyText", fallible=True,
    python=True, raises=_failures, prepared=_prepared, scalar=_form, text=_shown,
)  # fmt: skip
"""A text that a template makes of the values of the run, as a tensor; or a number of one, or the
vector of its parts.
"""

TEXT_RANKS = structural(
    "py.text_ranks", lambda texts: np.unique(texts, return_inverse=True)[1].reshape(texts.shape),
    lambda texts: TensorType(dtypes.int64, texts.shape), op_type="PyTextRanks",
    python=True,
)  # fmt: skip
"""The places that texts have in their order, which is that of their bytes in UTF-8; equal ones have
the same."""
