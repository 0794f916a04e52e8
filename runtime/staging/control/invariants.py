"""Shape invariants: the shapes that the variables of a loop are declared to keep."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from autograph.users_words import with_article
from runtime.core.shapes import Shape, TensorShape, TensorSpec, as_shape, join_shapes
from runtime.core.tensor import Tensor
from runtime.core.types import TensorType
from runtime.graph.ir import covers
from runtime.graph.structures import Structure, structure_of
from runtime.staging.control import joins
from runtime.staging.control.specs import Leaf, Spec, Tree, types_of
from runtime.staging.refusals import refuse, refuse_dtypes
from runtime.staging.symbolic_number import SymbolicNumber


def declared_spec(value: Any, declared: Any, name: str) -> Spec:
    """The Spec of the loop variable `name` that starts with `value`, and whose shapes are
    `declared` in its structure, each by a TensorShape, a TensorSpec or what gives a shape.

    What is no tensor keeps its own. Raises StagingError for a shape or structure that does not fit,
    TypeError for a TensorSpec of another dtype and for what is no shape.
    """
    found = structure_of(value)
    if found is not None and not found[0].handler.is_replaced:
        return _declared_tree(found, declared, name)
    if isinstance(value, Tensor):
        return Leaf(TensorType(value.dtype, _fitting_shape(value, declared, name)))
    if isinstance(value, SymbolicNumber) and _shape_of(declared, name) not in ((), None):
        raise _misfit(name, (), _shape_of(declared, name))
    return joins.abstract_entry(value)


def _declared_tree(found: tuple[Structure, Sequence[Any]], declared: Any, name: str) -> Spec:
    structure, children = found
    shapes = structure_of(declared)
    if shapes is None or shapes[0] != structure:
        raise refuse(
            f"shape_invariants has {declared!r} for {name!r}, which is "
            f"{with_article(str(structure))}",
            "give a shape for each tensor in it, in the same structure",
            name,
        )
    triples = enumerate(zip(children, shapes[1], strict=True))
    specs = [
        declared_spec(child, shape, name + structure.path(at)) for at, (child, shape) in triples
    ]
    return Tree(structure, tuple(specs))


def _fitting_shape(value: Tensor, declared: Any, name: str) -> Shape:
    shape = _shape_of(declared, name)
    if isinstance(declared, TensorSpec) and declared.dtype is not value.dtype:
        raise refuse_dtypes(
            f"shape_invariants has {declared} for {name!r}, whose dtype is {value.dtype.name}",
            "give the shape alone, or a TensorSpec of this dtype",
            name,
        )
    if not covers(TensorType(value.dtype, shape), TensorType(value.dtype, value.static_shape)):
        raise _misfit(name, value.static_shape, shape)
    return shape


def _shape_of(declared: Any, name: str) -> Shape:
    try:
        return as_shape(declared.shape if isinstance(declared, TensorSpec) else declared)
    except (TypeError, ValueError):
        raise TypeError(
            f"shape_invariants has {declared!r} for {name!r}, which is no shape: write one as "
            "TensorShape([None, 3])"
        ) from None


def _misfit(name: str, shape: Shape, declared: Shape) -> Exception:
    return refuse(
        f"{name!r} has shape {TensorShape(shape)} before the loop, which does not fit its shape "
        f"invariant {TensorShape(declared)}",
        f"declare a shape that covers both, as {TensorShape(join_shapes(shape, declared))!r}",
        name,
    )


def check_kept(left: Spec, declared: Spec, name: str) -> None:
    """Check that a round leaves tensors of the declared shapes; what else there is may change.

    Raises StagingError for one of another shape.
    """
    if isinstance(declared, Tree) and isinstance(left, Tree):
        pairs = enumerate(zip(left.children, declared.children, strict=False))
        for at, (child, inner) in pairs:
            check_kept(child, inner, name + declared.structure.path(at))
        return
    if left == declared or not isinstance(declared, Leaf):
        return
    if isinstance(declared.type, TensorType):
        raise _broken(name, declared.type, left)


def _broken(name: str, declared: TensorType, left: Spec) -> Exception:
    hint = "declare a wider shape"
    if isinstance(left, Leaf) and isinstance(left.type, TensorType):
        hint += f", as {TensorShape(left.type.shape)!r}"
    shown = ", ".join(map(str, types_of(left)))
    return refuse(
        f"{name!r} has the shape invariant {declared}, but is {shown} after a round", hint, name
    )
