"""Call what makes a text, so that a staged value may be in it: f-strings, and `%` of what is a text
or bytes in the source. T-strings too: they keep the source of their fields, which have been
rewritten here.

    >>> from autograph.pipeline import show
    >>> print(show('texts', '''
    ... def f(x, n):
    ...     unit = "%d cm"
    ...     return f"{n} of {x!r:>8}" + "%d" % n, unit % n, TITLE % n, x % n
    ... '''))
    def f(x, n):
        unit = '%d cm'
        return (
            ag.text(ag.format(n), ' of ', ag.format(x, '>8', conversion='r')) + ag.mod('%d', n),
            ag.mod(unit, n),
            ag.mod(TITLE, n),
            x % n
        )

Each field is made a text before the next one is evaluated, as in Python. A text is a literal, a
name that one is assigned to or that is annotated as one, and may be a name of outside.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import gast

from autograph.analysis.sequences import SequenceNames, makes_text
from autograph.context import Context
from autograph.forms import Form
from autograph.quoting.builders import assign, call_ag, constant, name_load, tuple_of
from autograph.rewriting import Rule, Rules
from autograph.trees import walk


def rules(context: Context) -> Rules:
    """Returns the rule for each type of node."""
    names = SequenceNames(list(walk(context.tree)))
    may_be_text = partial(_may_be_text, names, context.form is Form.ASKING)
    rules: dict[type[gast.AST], Rule] = {
        gast.JoinedStr: _f_string,
        gast.BinOp: partial(_modulo, may_be_text),
        gast.AugAssign: partial(_modulo_in_place, may_be_text),
    }
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


def _modulo(may_be_text: Callable[[Any, Any], bool], node: gast.BinOp) -> gast.expr:
    if not isinstance(node.op, gast.Mod) or not may_be_text(node.left, node.right):
        return node
    return call_ag("mod", [node.left, node.right], node)


def _modulo_in_place(may_be_text: Callable[[Any, Any], bool], node: gast.AugAssign) -> gast.stmt:
    target = node.target
    if not isinstance(node.op, gast.Mod) or not isinstance(target, gast.Name):
        return node
    if not may_be_text(target, node.value):
        return node
    made = call_ag("imod", [name_load(target.id, target), node.value], node)
    return assign(target.id, made, node)


def _may_be_text(names: SequenceNames, asks: bool, node: Any, value: Any) -> bool:
    """Whether it may be a text of which a value is the argument. In the form that asks more, what
    is no number in the source may be.
    """
    if isinstance(node, gast.Constant):
        return isinstance(node.value, str | bytes)
    if isinstance(value, gast.Constant) and not isinstance(value.value, str | bytes):
        return False
    if isinstance(node, gast.Name) and (names.is_outside(node.id) or node.id in names.texts):
        return True
    return asks or makes_text(node)
