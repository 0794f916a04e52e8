"""Call what makes a text, so that a staged value may be in it: f-strings, and `%` of a literal.
T-strings too: they keep the source of their fields, which have been rewritten here.

    >>> from autograph.pipeline import show
    >>> print(show('texts', '''
    ... def f(x, n):
    ...     return f"{n} of {x!r:>8}" + "%d" % n
    ... '''))
    def f(x, n):
        return ag.text(ag.format(n), ' of ', ag.format(x, '>8', conversion='r')) + ag.mod('%d', n)

Each field is made a text before the next one is evaluated, as in Python.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gast

from autograph.context import Context
from autograph.forms import Form
from autograph.quoting.builders import call_ag, constant, tuple_of
from autograph.rewriting import Rules


def rules(context: Context) -> Rules:
    """Returns the rule for each type of node."""
    asks = context.form is Form.ASKING
    rules = {gast.JoinedStr: _f_string, gast.BinOp: lambda node: _modulo(node, asks)}
    t_strings = getattr(gast, "TemplateStr", None)  # only newer ones know them
    return rules if t_strings is None else rules | {t_strings: _t_string}


def _f_string(node: gast.JoinedStr) -> gast.expr:
    if all(isinstance(part, gast.Constant) for part in node.values):
        return node
    # Python 3.12 has an empty text behind the last field of a format.
    values = [part for part in node.values if getattr(part, "value", None) != ""]
    parts = [_field(part) if isinstance(part, gast.FormattedValue) else part for part in values]
    return parts[0] if len(parts) == 1 else call_ag("text", parts, node)


def _field(node: Any) -> gast.expr:
    spec = node.format_spec
    args = [node.value] if spec is None else [node.value, _spec(spec)]
    options: Mapping[str, gast.expr] = (
        {} if node.conversion == -1 else {"conversion": constant(chr(node.conversion), node.value)}
    )
    return call_ag("format", args, node.value, options)


def _spec(node: Any) -> gast.expr:
    if not isinstance(node, gast.JoinedStr):
        return node  # an f-string with fields of its own, which is a call by now
    return constant("".join([part.value for part in node.values]), node)


def _t_string(node: Any) -> gast.expr:
    parts = [part if isinstance(part, gast.Constant) else _part(part) for part in node.values]
    return call_ag("template", parts, node)


def _part(node: Any) -> gast.expr:
    at, spec = node.value, node.format_spec
    parts = [at, constant(node.str, at)]
    if spec is not None or node.conversion != -1:
        parts.append(constant(None if node.conversion == -1 else chr(node.conversion), at))
    return tuple_of([*parts, *([] if spec is None else [_spec(spec)])], at)


def _modulo(node: gast.BinOp, asks: bool) -> gast.expr:
    if not isinstance(node.op, gast.Mod):
        return node
    # In the form that asks more, what is no number in the source may be a text.
    if not _is_text(node.left) and (not asks or isinstance(node.left, gast.Constant)):
        return node
    return call_ag("mod", [node.left, node.right], node)


def _is_text(node: Any) -> bool:
    return isinstance(node, gast.Constant) and isinstance(node.value, str)
