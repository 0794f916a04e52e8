"""The facts about ops that memory planning needs: where they can write their results, and what they
do with their inputs' memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from runtime import dtypes
from runtime.core.convert import decoded, encoded
from runtime.core.primitive import Kernel, Memory, Order, takes
from runtime.core.shapes import is_known
from runtime.core.types import TensorType
from runtime.graph.ir import Node, Region, Value, walk
from runtime.ops import matmul_p
from runtime.ops.linalg import BY_BLAS


def memory_of(node: Node) -> Memory:
    """Returns the use that a node makes of the memory of its inputs."""
    fact = node.primitive.memory
    if isinstance(fact, Memory):
        return fact
    return fact([value.type for value in node.inputs], [value.type for value in node.outputs])


def order_of(node: Node) -> Order:
    """Returns the memory order of a node's results."""
    fact = node.primitive.order
    return fact if isinstance(fact, Order) else fact(node.params)


def views(node: Node) -> bool:
    """Whether the node is of a kind whose results may be views of its first input."""
    return memory_of(node) in (Memory.ALIASES, Memory.VIEWS)


def updates(node: Node) -> bool:
    """True if the node updates its first input, in place if it has no other reader."""
    return memory_of(node) in (Memory.UPDATES, Memory.STORES)


def is_view(node: Node) -> bool:
    """True if its outputs may be views of its first input. A single number is copied."""
    return views(node) and bool(node.outputs) and not is_number(node.outputs[0])


def is_number(value: Value) -> bool:
    """True for a single number."""
    return getattr(value.type, "shape", None) == ()


def is_text(value: Value) -> bool:
    """True for what may be a single string."""
    type = value.type
    return isinstance(type, TensorType) and type.dtype is dtypes.string and not type.shape


def boxed(held: Any) -> Any:
    """The array for a string that generated code holds, or that NumPy has taken out of an array."""
    if isinstance(held, str):
        held = encoded(held)
    return np.asarray(held, dtype=object) if isinstance(held, bytes) else held


def unboxed(raw: Any) -> str | bytes:
    """The string that a kernel gave as generated code holds it: a text, or bytes that are none."""
    held: bytes = raw if isinstance(raw, bytes) else raw.item()
    try:
        return decoded(held)
    except UnicodeDecodeError:
        return held


def text_of(held: str | bytes) -> str:
    """The text that generated code holds. Raises UnicodeDecodeError for bytes that are none."""
    return decoded(held) if isinstance(held, bytes) else held


def texts_of(items: Sequence[Any]) -> list[str]:
    """The texts in a list. Raises UnicodeDecodeError for bytes that are none."""
    return [text_of(unboxed(item)) for item in items]


def ufunc_of(node: Node) -> np.ufunc | None:
    """The ufunc that computes the node; it takes the array of the result behind its operands."""
    kernel = node.primitive.kernel
    return kernel if isinstance(kernel, np.ufunc) and not node.params else None


def product_of(node: Node) -> Any:
    """`np.dot`, where a matrix product is nothing more than that; else None."""
    if node.primitive is not matmul_p or any(node.params.values()):
        return None
    return np.dot if all(map(_is_matrix, node.inputs)) else None


def takes_out(kernel: Kernel) -> bool:
    """True if a kernel that is no ufunc writes its result to the array that it is given as `out`.
    One with several results is given a tuple, where None stands for a new array.
    """
    return takes(kernel, "out")


def takes_work(kernel: Kernel) -> bool:
    """True if a kernel has arrays that it needs while it runs in a workspace that it is given."""
    return takes(kernel, "work")


def works(node: Node) -> bool:
    """True if the node's kernel is to be given a workspace. It needs none for single numbers."""
    return takes_work(node.primitive.kernel) and not all(map(is_number, node.outputs))


def written(node: Node) -> Sequence[Value]:
    """The results that the node may be told where to write to."""
    memory = memory_of(node)
    if memory is Memory.STORES:
        return node.outputs
    # One of several results is in no growable buffer: the kernel is told about one.
    alone = len(node.outputs) == 1
    outputs = [value for value in node.outputs if is_array(value) or (alone and is_open(value))]
    if ufunc_of(node) is not None or product_of(node) is not None:
        return outputs
    # What may hand on its input, where it is given no array, must not be written over later.
    fresh = memory in (Memory.READS, Memory.UPDATES)
    return outputs if fresh and takes_out(node.primitive.kernel) else ()


def is_array(value: Value) -> bool:
    """True for an array, of numbers, whose size is known."""
    type = value.type
    if not isinstance(type, TensorType) or not type.shape or None in type.shape:
        return False
    return type.dtype.np_dtype.kind in "biufc"


def is_open(value: Value) -> bool:
    """True for an array, of numbers, whose size is known at run time only."""
    type = value.type
    if not isinstance(type, TensorType) or not type.shape or None not in type.shape:
        return False
    return type.dtype.np_dtype.kind in "biufc"


def _is_matrix(value: Value) -> bool:
    type = value.type
    if not isinstance(type, TensorType) or type.dtype.np_dtype not in BY_BLAS:
        return False
    return type.shape is not None and len(type.shape) == 2 and is_known(type.shape)


def reads_of_updated(body: Region) -> set[Value]:
    """Returns what is read of variables that are updated too, and views of it."""
    accesses = [node for node in walk(body) if node.primitive.method]
    updated = {node.params["variable"] for node in accesses if not node.outputs}
    found: set[Value] = set()
    for node in walk(body) if updated else ():
        is_read = node.primitive.method and node.params["variable"] in updated
        if is_read or (is_view(node) and node.inputs[0] in found):
            found.update(filter(is_array, node.outputs))
    return found
