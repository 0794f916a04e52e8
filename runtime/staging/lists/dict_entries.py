"""The entries of dicts that may become lists of the graph: what is known of their keys, and the
Specs of their pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, cast

from autograph.users_words import with_article
from runtime.core.dataclasses import dataclass
from runtime.graph.structures import Structure, structure_of
from runtime.staging.control import joins
from runtime.staging.control.references import want
from runtime.staging.control.sameness import same
from runtime.staging.control.specs import Mismatch, Same, Spec, Tree, types_of
from runtime.staging.lists import keys as keys_
from runtime.staging.lists import staged_items
from runtime.staging.lists.growing import Around, Kind
from runtime.staging.refusals import refuse


@dataclass(frozen=True, slots=True, eq=False)
class Entries:
    """All of a dict but its values: the keys that Python knows, or the Kind of its pairs in the
    graph; and what makes a value that is missing. One that is `shared`, an item of a list of the
    graph, is read and not changed.
    """

    known: tuple[Any, ...] | None
    kind: Kind | None = None
    factory: Callable[[], Any] | None = None
    shared: bool = False

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Entries) and self.shared == other.shared and self.has_keys_of(other)
        )

    def has_keys_of(self, other: Entries) -> bool:
        """Whether a dict with the others has the same keys, of one class."""
        if self.factory is not other.factory:
            return False
        if self.known is None or other.known is None:
            return self.kind == other.kind
        return same(self.known, other.known)

    def __hash__(self) -> int:
        return hash((self.known, self.kind, self.factory))


def pair_spec(key: Spec, value: Spec) -> Tree:
    return Tree(_PAIR, (key, value))


_PAIR: Structure = cast(Any, structure_of((0, 0)))[0]
NO_PAIRS = pair_spec(staged_items.NOTHING, staged_items.NOTHING)
"""The Spec of the pairs of a dict of the graph in which there are none yet."""


def specs_of(keys: Entries, values: Iterable[Spec]) -> list[Spec]:
    """The Specs of the pairs, whose values have these."""
    if keys.known is None:
        element = cast(Kind, keys.kind).element
        return [] if element == NO_PAIRS else [element]
    pairs = zip(keys.known, values, strict=True)
    return [pair_spec(keys_.spec_of(key), value) for key, value in pairs]


def covering(specs: list[Any]) -> Spec:
    """The Spec of pairs, some of which have these. Raises Mismatch."""
    key, value = specs[0].children
    for spec in specs[1:]:
        key = keys_.covering(key, spec.children[0])
        try:
            value = _join_values(value, spec.children[1])
        except Mismatch as mismatch:
            mismatch.path = "[...]" + mismatch.path
            raise
    value = staged_items.staged(value)
    if staged_items.is_row(value):
        return pair_spec(staged_items.staged(key), value)
    _check_value(value)
    return staged_items.covering([pair_spec(key, value)])


def _join_values(a: Spec, b: Spec) -> Spec:
    """The Spec that covers two values: of several kinds are those that have nothing in them."""
    return joins.of_kinds(a, b) if _is_flat(a) and _is_flat(b) else joins.join(a, b)


def _is_flat(spec: Spec) -> bool:
    if isinstance(spec, Same):
        spec = joins.abstract(spec.value, staged=True)
    return staged_items.is_flat(spec)


def _check_value(spec: Spec) -> None:
    if isinstance(spec, Tree):
        if not spec.structure.handler.is_tuple:
            want(spec.structure.kind)
            raise Mismatch(
                f"a value is {with_article(str(spec.structure))}, which could be changed in place",
                "put lists of numbers, tuples, numbers and tensors under the keys; or pairs into a "
                "set or list: found.add((key, item))",
            )
        for child in spec.children:
            _check_value(child)


def entries_of(structure: Structure) -> Entries:
    keys = structure.keys
    return keys if isinstance(keys, Entries) else Entries(tuple(keys))


def names(keys: Entries | Around) -> list[Any]:
    if isinstance(keys, Around):
        return ["place"]
    if keys.known is not None:
        return list(keys.known)
    count = len(list(types_of(cast(Kind, keys.kind).element)))
    return [f"entries_{at}" for at in range(count)]


def describe(keys: Entries | Around) -> str:
    if isinstance(keys, Around):
        return "dict of several"
    if keys.known is None:
        element = cast(Kind, keys.kind).element
        return f"dict of {', '.join(map(str, types_of(element)))}"
    return f"the keys {', '.join(map(repr, keys.known))}" if keys.known else "no keys"


def misfit(mismatch: Mismatch) -> Exception:
    return refuse(
        f"the entries of a dict of which only the run knows the keys do not fit together: "
        f"{mismatch}",
        mismatch.hint,
    )


def refuse_unknown_keys(what: str) -> Exception:
    return refuse(
        f"{what} needs a dict of which Python knows the keys; which are in this one only the run "
        "knows",
        "use items, get, setdefault, pop, in, len, keys, values, `for` and `|` (for {**d, ...})",
    )


def changed_while_iterated(walked: str, held: str) -> Exception:
    """The error for a loop over `walked`, a dict, set or deque, of which a round changes what is
    `held` there.
    """
    return refuse(
        f"a round of a loop over {walked} changes its {held}, or has only the run know them",
        f"loop over a list of them: for {held[:-1]} in list(...)",
    )
