"""The order of sets, which is Python's own affair: who asks for it, and loops that need none."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence
from typing import Any

import numpy as np

from autograph.backend import AnyOrder
from runtime import ops
from runtime.core.types import TensorType
from runtime.graph import lists, numbers
from runtime.graph.ir import Node, Region, Value, format_location, walk
from runtime.graph.nodes import CHECK_DEFINED, CONSTANT, TO_TENSOR
from runtime.staging.control import joins, loops
from runtime.staging.control.deferred_exceptions import failures_of
from runtime.staging.control.specs import Leaf, Spec, Tree, types_of
from runtime.staging.frames import user_location
from runtime.staging.lists import keys, staged_items
from runtime.staging.lists.growing import size_of
from runtime.staging.lists.growing_list import GrowingList
from runtime.staging.refusals import refuse
from runtime.staging.scopes import active, outermost

_ASKED, _LOST = object(), object()
"""In the memo of a call: where the order of a set was asked for, and where one did more than grow.
"""


def ask_order() -> None:
    """Note that an iteration asks for the order of a set; StagingError where it is lost."""
    memo = outermost().memo
    if _LOST in memo:
        raise refuse_order("iteration", f", for a set loses items or is joined ({memo[_LOST]})")
    memo.setdefault(_ASKED, format_location(user_location()))


def note_order_lost() -> None:
    """A set is changed so that its order does not follow from that of its items."""
    memo = outermost().memo
    memo.setdefault(_LOST, format_location(user_location()))
    if _ASKED in memo:
        raise refuse(
            "a set loses items, or is made of another one, so that the order of sets is Python's "
            f"own affair, but an iteration of staged values asks for their order ({memo[_ASKED]})",
            "ask for them there in an order: sorted(items)",
        )


def refuse_order(what: str, why: str = "") -> Exception:
    """The refusal of what asks for the order of a set."""
    return refuse(
        f"{what} of a set of staged values asks for their order, which is Python's own affair{why}",
        "ask for them in an order: sorted(items)",
    )


def is_of_numbers(element: Any) -> bool:
    """True for items that are numbers, or tuples of such: Python's order follows from theirs."""
    return _is_number(element) or _is_tuple_of_numbers(element)


def _is_number(element: Any) -> bool:
    if not isinstance(element, Leaf):
        return False
    type = staged_items.column_type(element.type)
    return isinstance(type, TensorType) and type.shape == () and keys.is_real(type.dtype)


def _is_tuple_of_numbers(element: Any) -> bool:
    if not isinstance(element, Tree) or element.structure.kind is not tuple:
        return False
    types = {staged_items.column_type(type) for type in types_of(element)}
    return len(types) == 1 and all(map(_is_number, element.children))


def in_any_order(items: Any, run: Callable[[Any], Any], taker: AnyOrder) -> Any:
    """The loop over the items in the order of insertion; StagingError where another order might
    give something else, or raise it.
    """
    scope, memo = active().scope, active().memo
    count, first = len(scope.nodes), scope.inner
    given = items.unordered()
    result = run(given)
    sites = [(*scope.site, at) for at in range(first + 1, scope.inner + 1)]
    known = [
        each for key, each in memo.items() if type(each) is loops.KnownState and key[0] in sites
    ]
    changed = [place.object for each in known for place, _ in each.places]
    nodes = list(walk(Region((), tuple(scope.nodes[count:]), ())))
    own = () if given.staged is None else [column.graph_value for column in given.staged.columns]
    fails = {kind for node in nodes for kind in _failures(node, own, nodes)}
    acts = {node.primitive for node in nodes if node.primitive.effect} - {CHECK_DEFINED}
    if (
        acts
        or len(fails) > (0 if taker.stops else 1)
        or any(item is not taker.fills for item in changed)
        or any("callee" in node.params for node in nodes)
        or has_floats(taker.fills)
        or _is_float(result)
    ):
        raise refuse_order("iteration")
    return result


_SURE = frozenset((
    *(TO_TENSOR, numbers.ITEMS["int"], numbers.ITEMS["float"], ops.range_p),
    *(lists.SET, lists.STACK, lists.NEW, CHECK_DEFINED),
))  # fmt: skip
"""The ops that fail for no item of a set: items are scalar, fit their dtype, have their places."""


def _failures(node: Node, own: Container[Value], nodes: Sequence[Node]) -> Iterable[type]:
    """The classes of what a node may raise, in a loop over a set with its `own` columns."""
    primitive = node.primitive
    if not primitive.fallible or primitive in _SURE:
        return ()
    if primitive is lists.GET and node.inputs[0] in own:
        return ()
    kinds = failures_of(primitive, node.inputs, node.params)
    divides = all(issubclass(kind, ZeroDivisionError) for kind in kinds)
    return () if divides and _is_nonzero(node.inputs[-1], nodes) else kinds


def _is_nonzero(divisor: Value, nodes: Sequence[Node]) -> bool:
    """Whether a value is a constant other than 0."""
    made = next((node for node in nodes if divisor in node.outputs), None)
    if made is not None and made.primitive is ops.cast_p:
        return _is_nonzero(made.inputs[0], nodes)
    known = active().constants.get(divisor)
    if made is not None and made.primitive is CONSTANT:
        known = made.params["value"]
    return known is not None and bool(np.all(known))


def has_floats(items: Any) -> bool:
    """True where items are, or may be, floats: the result of a sum depends on their order."""
    known = not isinstance(items, GrowingList) or size_of(items) in (0, 1, 2)
    return not known and _holds_floats(items._covering().element)


def _is_float(result: Any) -> bool:
    return _holds_floats(joins.abstract(result, staged=True))


def _holds_floats(spec: Spec) -> bool:
    types = map(staged_items.column_type, types_of(spec))
    return any(type.dtype.is_floating for type in types)
