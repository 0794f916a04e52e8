"""Sums of products named by subscripts."""

from __future__ import annotations

from typing import Any

import runtime.ops as ops
from runtime.core.primitive import (
    Order,
    Primitive,
    bind,
    row,
    sample,
    wrong_dtype,
    wrong_shape,
    wrong_value,
)
from runtime.core.shapes import Shape, broadcast_dim, is_known
from runtime.core.tensor import Tensor
from runtime.ops import batching
from runtime.ops.contraction import contract
from runtime.ops.define import sum_to_shape_of
from runtime.ops.joining import same_dtypes


def _parts(equation: str) -> tuple[list[str], str]:
    inputs, _, output = equation.partition("->")
    return inputs.split(","), output


def _sizes(inputs: list[str], shapes: tuple[Shape, ...]) -> dict[str, int | None]:
    sizes: dict[str, int | None] = {}
    for labels, shape in zip(inputs, shapes, strict=True):
        if shape is None:
            continue
        if len(labels) != len(shape):
            raise wrong_value(f"subscripts {labels!r} do not fit an operand of shape {shape}")
        for label, dim in zip(labels, shape, strict=True):
            try:
                sizes[label] = broadcast_dim(sizes.get(label, 1), dim)
            except ValueError:
                raise wrong_value(
                    f"dimension {label!r} has sizes {sizes[label]} and {dim}"
                ) from None
    return sizes


def _shape(*shapes: Shape, equation: str) -> Shape:
    inputs, output = _parts(equation)
    sizes = _sizes(inputs, shapes)
    return tuple(sizes.get(label) for label in output)


def _gradient(op: Any, g: Any) -> Any:
    inputs, output = _parts(op.params["equation"])
    return [
        _for_operand(op.inputs, inputs, output, g, k) if needed else None
        for k, needed in enumerate(op.needed)
    ]


def _for_operand(tensors: Any, inputs: list[str], output: str, g: Any, k: int) -> Any:
    """The gradient for operand k: g times the others; what only k has is filled by a vector of
    ones.
    """
    others = [i for i in range(len(inputs)) if i != k]
    labels = [output, *[inputs[i] for i in others]]
    operands = [g, *[ops.conj(tensors[i]) for i in others]]
    dims = None
    for place, label in enumerate(inputs[k]):
        if not any(label in other for other in labels):
            dims = ops.shape(tensors[k]) if dims is None else dims
            labels.append(label)
            operands.append(ops.ones([dims[place]], g.dtype))
    result = bind(einsum_p, *operands, equation=",".join(labels) + "->" + inputs[k])
    given = tensors[k].static_shape
    if not is_known(given) or result.static_shape != given:
        # Other operands may have a single element along an axis of this one.
        result = result * ops.ones_like(tensors[k])
    return sum_to_shape_of(result, tensors[k])


einsum_p: Primitive = row(
    "einsum", contract, signature="N*->N", shape=_shape, op_type="Einsum", gradient=_gradient,
    samples=(
        sample("2,3", "3,4", equation="ij,jk->ik"), sample("2,3", equation="ij->ji"),
        sample("2,3", equation="ij->"), sample("2,3,4", "2,4,5", equation="bij,bjk->bik"),
        sample("2", "3", "3,2", equation="a,b,bc->ac"), sample("2,3", "2,3", equation="ij,ij->j"),
        sample("2,3,4", "5,3,4", equation="kij,lij->lk"), sample("2,3", "4", equation="ij,k->ik"),
        sample("2,4,3", "2,3,4,2", equation="bij,bjil->lb"), sample("2", "2", equation="i,i->"),
        sample("2,3", "3,2", "2,4", "4,2", equation="ab,bc,cd,de->ea"),
    ), order=Order.C, batching=batching.einsum, instruction="labelled_product",
)  # fmt: skip

_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def einsum(equation: str, *inputs: Any, **kwargs: Any) -> Tensor:
    """The sum of products that the subscripts describe: "ij,jk->ik" is a product of matrices.

    Without "->" the output has each label that occurs once, in alphabetical order. "..." stands for
    any leading dimensions, broadcast together. ValueError for subscripts that do not fit the
    operands.

    >>> rt.einsum("ij->ji", [[1, 2]]).numpy().tolist()
    [[1], [2]]
    """
    if not isinstance(equation, str):
        raise wrong_dtype(f"the equation must be a string, not {equation!r}")
    if unknown := kwargs.keys() - {"name", "optimize", "greedy"}:
        raise TypeError(f"einsum() got an unexpected keyword argument {min(unknown)!r}")
    tensors = same_dtypes(inputs)
    labels, output = _explicit(equation.replace(" ", ""), tensors)
    for i, subscripts in enumerate(labels):
        if len(set(subscripts)) < len(subscripts):
            tensors[i], labels[i] = _diagonal(tensors[i], subscripts)
    return bind(einsum_p, *tensors, equation=",".join(labels) + "->" + output)  # type: ignore[no-any-return]


def _explicit(equation: str, tensors: list[Tensor]) -> tuple[list[str], str]:
    """Subscripts of inputs and output with the ellipsis and the implicit output written out."""
    left, arrow, output = equation.partition("->")
    inputs = left.split(",")
    if len(inputs) != len(tensors):
        raise wrong_value(f"equation {equation!r} has {len(inputs)} inputs, got {len(tensors)}")
    if not set(equation) <= set(_LETTERS + ".,->"):
        raise wrong_value(f"equation {equation!r} may only have letters, '...', ',' and '->'")
    free = [letter for letter in _LETTERS if letter not in equation]
    extra = [_ellipsis_rank(s, t) for s, t in zip(inputs, tensors, strict=True)]
    longest = max(extra, default=0)
    spare = "".join(free[:longest])
    made = [
        s.replace("...", spare[longest - n :] if n else "")
        for s, n in zip(inputs, extra, strict=True)
    ]
    if not arrow:
        once = "".join(made)
        named = sorted(
            label for label in set(once) if once.count(label) == 1 and label not in spare
        )
        return made, spare + "".join(named)
    output = output.replace("...", spare)
    missing = set(output) - set("".join(made))
    if missing or len(set(output)) < len(output):
        raise wrong_value(f"equation {equation!r}: bad output subscripts {output!r}")
    return made, output


def _ellipsis_rank(subscripts: str, tensor: Tensor) -> int:
    if "..." not in subscripts:
        return 0
    if tensor.ndim is None:
        raise wrong_shape("an ellipsis in einsum needs operands of known rank", tensor)
    count = tensor.ndim - (len(subscripts) - 3)
    if count < 0:
        raise wrong_value(
            f"subscripts {subscripts!r} do not fit an operand of shape {tensor.shape}"
        )
    return count


def _diagonal(x: Tensor, subscripts: str) -> tuple[Tensor, str]:
    """The operand with each repeated label once: the diagonal of those axes, at the end."""
    for label in subscripts:
        while subscripts.count(label) > 1:
            first, second = subscripts.index(label), subscripts.rindex(label)
            rest = [i for i in range(len(subscripts)) if i not in (first, second)]
            x = ops.diag_part(ops.transpose(x, [*rest, first, second]))
            subscripts = "".join(subscripts[i] for i in rest) + label
    return x, subscripts
