"""The kernel for sums of products of arrays whose axes have labels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from runtime.core.workspace import Workspace, opened
from runtime.ops.define import copied

Step = tuple[tuple[int, ...], str]
"""The places of operands, among those that are left, and the labels of what they give."""


def contract(*operands: Any, equation: str, out: Any = None, work: Workspace | None = None) -> Any:
    """Returns the result of `np.einsum`. Where a sum is a product of matrices, it is
    computed as one.
    """
    work = opened(work)
    left = equation.partition("->")[0]
    given = list(zip(left.split(","), operands, strict=True))
    for places, labels in _steps(equation, tuple([x.shape for x in operands])):
        taken = [given.pop(place) for place in sorted(places, reverse=True)]
        made = work.array(_dims(labels, taken), operands[0].dtype) if given else out
        given.append((labels, _combined(taken[::-1], labels, made, work)))
    return given[0][1]


def _dims(labels: str, taken: Sequence[tuple[str, Any]]) -> list[int]:
    """The sizes of the axes with these labels, where one gives way to any other."""
    sizes = dict.fromkeys(labels, 1)
    for inputs, x in taken:
        sizes |= {label: dim for label, dim in zip(inputs, x.shape, strict=True) if dim != 1}
    return [sizes[label] for label in labels]


@lru_cache(maxsize=256)
def _steps(equation: str, shapes: tuple[tuple[int, ...], ...]) -> Sequence[Step]:
    """In which order operands are multiplied, as `np.einsum_path` finds it."""
    left, _, output = equation.partition("->")
    labels = left.split(",")
    if len(labels) < 3:
        return [(tuple(range(len(labels))), output)]
    arrays = [np.broadcast_to(np.float32(0), shape) for shape in shapes]
    steps: list[Step] = []
    for places in np.einsum_path(equation, *arrays, optimize="greedy")[0][1:]:
        taken = "".join([labels.pop(place) for place in sorted(places, reverse=True)][::-1])
        needed = {*output, *"".join(labels)} if labels else output
        labels.append("".join(dict.fromkeys(label for label in taken if label in needed)))
        steps.append((tuple(places), labels[-1] if len(labels) > 1 else output))
    return steps


def _combined(taken: Sequence[tuple[str, Any]], output: str, out: Any, work: Workspace) -> Any:
    if len(taken) == 2:
        (a, x), (b, y) = taken
        groups = _groups(a, b, output)
        if groups is not None and _agree(a, x.shape, b, y.shape):
            return _product(taken, groups, output, out, work)
    equation = ",".join([labels for labels, _ in taken]) + "->" + output
    if len(taken) == 1 and len(taken[0][0]) == len(output):
        # It is a view; written to an array it would be added to zeros.
        return copied(np.einsum(equation, taken[0][1]), out)
    return np.einsum(equation, *[x for _, x in taken], out=out, order="C")


@lru_cache(maxsize=256)
def _groups(a: str, b: str, output: str) -> tuple[str, str, str, str] | None:
    """The labels of the batch, the rows, the sum and the columns of a product of matrices; None
    where it is none.
    """
    both = [label for label in a if label in b]
    batch = "".join([label for label in both if label in output])
    inner = "".join([label for label in both if label not in output])
    rows, columns = ("".join([x for x in one if x not in both]) for one in (a, b))
    if not inner or not (rows or columns) or not {*rows, *columns} <= {*output}:
        return None
    return batch, rows, inner, columns


def _agree(a: str, first: Sequence[int], b: str, second: Sequence[int]) -> bool:
    sizes = dict(zip(a, first, strict=True))
    return all(sizes.get(label, dim) == dim for label, dim in zip(b, second, strict=True))


def _product(
    taken: Sequence[tuple[str, Any]], groups: tuple[str, str, str, str], output: str, out: Any,
    work: Workspace,
) -> Any:  # fmt: skip
    batch, rows, inner, columns = groups
    (a, x), (b, y) = taken
    left = _merged(x, a, batch, (rows, inner), work)
    right = _merged(y, b, batch, (inner, columns), work)
    labels = batch + rows + columns
    shape = _dims(labels, taken)
    if labels == output:
        target = None if out is None else out.reshape(*left.shape[:-1], right.shape[-1])
        return np.matmul(left, right, target, order="C").reshape(shape)
    made = work.array((*left.shape[:-1], right.shape[-1]), x.dtype)
    turned = np.matmul(left, right, made).reshape(shape)
    turned = turned.transpose([labels.index(label) for label in output])
    return copied(turned, out)


def _merged(x: Any, labels: str, batch: str, groups: tuple[str, str], work: Workspace) -> Any:
    """The array as a batch of matrices with a group of labels along each side."""
    turned = x.transpose([labels.index(label) for label in batch + "".join(groups)])
    rank = len(batch)
    middle = rank + len(groups[0])
    sides = math.prod(turned.shape[rank:middle]), math.prod(turned.shape[middle:])
    if max(map(len, groups)) > 1 and not turned.flags.c_contiguous:
        turned = work.copied(turned)
    return turned.reshape(*turned.shape[:rank], *sides)
