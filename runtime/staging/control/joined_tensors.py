"""Tensors that a join makes: which tensors of the paths, or of the rounds, each of them may be."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from runtime.core.tensor import EagerTensor
from runtime.core.types import TensorType
from runtime.staging.aliasing import sharing
from runtime.staging.aliasing.aliases import held_by, parts_of
from runtime.staging.control.carried_objects import Held
from runtime.staging.control.specs import Leaf, Maybe, Optional, Spec, Tree
from runtime.staging.scopes import active
from runtime.staging.symbolic_tensor import SymbolicTensor


def note_tensors(
    specs: Sequence[Spec], made: Sequence[Any], paths: Sequence[Sequence[Any]]
) -> None:
    """Note which tensors those that a join has made may be, from the values of the paths.

    Two of them may be one, where a path leaves one tensor of its own by both names.
    """
    left: list[list[tuple[Any, Any]]] = [[] for _ in paths]
    for spec, value, *originals in zip(specs, made, *paths, strict=True):
        for item, *items in zip(
            *[tensors(spec, each) for each in (value, *originals)], strict=True
        ):
            if isinstance(item, SymbolicTensor):
                note_tensor(item, items)
                for own, original in zip(left, items, strict=True):
                    if isinstance(original, SymbolicTensor) and not sharing.home(original).open:
                        own.append((item, original))
    for own in left:
        _note_shared(own)


def _note_shared(left: Sequence[tuple[Any, Any]]) -> None:
    """Note which tensors of a join may be one, for what one path leaves in their places."""
    made: dict[int, list[tuple[Any, Any]]] = {}
    for item, original in left if len(left) > 1 else ():
        for each in sharing.all_relatives(original):
            if not sharing.home(each).open:
                others = made.setdefault(id(each), [])
                for other, known in others:
                    if not sharing.are_other_rows(original, known):
                        sharing.may_be(item, other)
                others.append((item, original))


def note_tensor(item: Any, originals: Sequence[Any]) -> None:
    """Note that a tensor may be one of these."""
    for original in originals:
        if isinstance(original, SymbolicTensor):
            for each in sharing.sources(original):
                sharing.may_be(item, each)
            for holder in sharing.holders_of(original):
                sharing.hold(item, holder)
        elif isinstance(original, EagerTensor):
            sharing.hold(item, sharing.from_outside(active()))
        elif isinstance(original, np.ndarray):
            sharing.hold(item, sharing.ARRAY)


def tensors(spec: Spec, value: Any) -> list[Any]:
    """The tensors of more than one element in a value for a Spec; None where it has none there."""
    while isinstance(spec, Optional | Maybe):
        spec, value = spec.inner, held_by(value)
    if isinstance(spec, Leaf):
        is_one = isinstance(spec.type, TensorType) and spec.type.shape != ()
        return [value] if is_one else []
    if not isinstance(spec, Tree) or spec.structure.kind is Held:
        return []
    parts = parts_of(value, len(spec.children))
    return [item for each in zip(spec.children, parts, strict=True) for item in tensors(*each)]
