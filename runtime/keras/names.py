"""The names of TensorFlow's that Keras' op files ask for: those of `runtime`, and what only these
files need.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import runtime
from runtime.core.tensor import EagerTensor, Tensor
from runtime.keras.arrays import (
    Cells,
    finfo,
    select,
    to_dense,
    unique_along,
    unique_along_with_counts,
)
from runtime.keras.crossing import cross_hashed
from runtime.keras.projections import project
from runtime.ops.ragged import RaggedTensor
from runtime.summary.events import module


class Names:
    """A namespace of TensorFlow's: `own` names, else those of a namespace of `runtime`.

    A name that neither has raises AttributeError where Keras' file asks for it.
    """

    def __init__(self, name: str, base: Any = None, own: Mapping[str, Any] | None = None) -> None:
        vars(self).update(own or {})
        self._name = name
        self._base = base

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if not hasattr(self._base, name):
            raise AttributeError(
                f"this function of Keras uses {self._name}.{name} of TensorFlow, which `runtime` "
                "does not have"
            )
        found = getattr(self._base, name)
        setattr(self, name, found)
        return found

    def within(self, path: str) -> Any:
        """The namespace that `from path import ...` takes names from."""
        found: Any = self
        for part in path.split(".")[1:]:
            found = getattr(found, part)
        return found


class Absent(Names):
    """A namespace that `runtime` does not have: its functions refuse to be called."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return absent(f"{self._name}.{name}")


def absent(name: str) -> Any:
    """A function that `runtime` does not have."""

    def refuse(*args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError(
            f"this function of Keras uses {name} of TensorFlow, which `runtime` does not have"
        )

    return refuse


class SparseTensor:
    """A class without instances: sparse tensors are not supported, so that nothing is one. What
    Keras' files make of it is for `to_dense` alone.
    """

    def __new__(cls, indices: Any, values: Any, dense_shape: Any) -> Any:
        return Cells(indices, values, dense_shape)


class _Never:
    """A class without instances."""


class _OwnVariable:
    """A base of the variable that Keras' file defines, which `core` replaces."""


def smart_cond(pred: Any, true_fn: Any = None, false_fn: Any = None, name: Any = None) -> Any:
    """`cond`, decided at once where the value of the condition is known."""
    known = runtime.get_static_value(pred) if isinstance(pred, Tensor) else pred
    if known is None or isinstance(known, runtime.Variable):
        return runtime.cond(pred, true_fn, false_fn)
    return true_fn() if known else false_fn()


def dynamic_update_slice(operand: Any, update: Any, starts: Any) -> Any:
    """`operand` with `update` written at `starts`, which are clipped so that it fits, as
    XLA's operation of that name does.
    """
    room = runtime.shape(operand) - runtime.shape(update)
    first = runtime.clip_by_value(runtime.cast(runtime.stack(starts), "int32"), 0, room)
    ranges = [first[axis] + runtime.range(size) for axis, size in enumerate(runtime.shape(update))]
    indices = runtime.stack(runtime.meshgrid(*ranges, indexing="ij"), axis=-1)
    return runtime.tensor_scatter_nd_update(operand, indices, update)


def bucketize(input: Any, boundaries: Any) -> Any:
    """The number of `boundaries`, ascending, that each element has reached."""
    values = runtime.cast(input, "float64")
    found = runtime.searchsorted(
        runtime.constant(boundaries, "float64"), runtime.reshape(values, [-1]), side="right"
    )
    return runtime.ensure_shape(runtime.reshape(found, runtime.shape(values)), values.shape)


def summary_metadata() -> Any:
    """An empty message about a summary, of TensorBoard's package."""
    return module("compat.proto.summary_pb2").SummaryMetadata()


def map_fn(fn: Any, elems: Any, **options: Any) -> Any:
    """`runtime.map_fn`, also of rows of different lengths, eagerly."""
    if not isinstance(elems, RaggedTensor):
        return runtime.map_fn(fn, elems, **options)
    rows = [fn(row) for row in elems]
    ends = runtime.cumsum([0, *(row.shape[0] for row in rows)])
    return RaggedTensor(runtime.concat(rows, 0), runtime.cast(ends, "int64"))


def function(func: Any = None, jit_compile: Any = None, **options: Any) -> Any:
    """`runtime.function`: Keras' files ask for a compiler where TensorFlow lacks a kernel."""
    return runtime.function(func, **options)


def reshape(tensor: Any, shape: Any, name: str | None = None) -> Any:
    """`runtime.reshape`, to sizes that may be floats: Keras' files compute some of them."""
    if isinstance(shape, list | tuple):
        shape = [_size(item) for item in shape]
    return runtime.reshape(tensor, shape)


def _size(item: Any) -> Any:
    is_float = isinstance(item, Tensor) and item.dtype.is_floating
    return runtime.cast(item, "int32") if is_float else item


def as_text(bytes_or_text: Any, encoding: str = "utf-8") -> Any:
    """The text of bytes; texts as they are."""
    if isinstance(bytes_or_text, bytes):
        return bytes_or_text.decode(encoding)
    return bytes_or_text


def map_flat_values(op: Any, rows: RaggedTensor) -> RaggedTensor:
    """Rows of the lengths of `rows`, with `op` of their elements."""
    return RaggedTensor(op(rows.flat_values), rows.row_splits)


def required_space_to_batch_paddings(input_shape: Any, block_shape: Any) -> tuple[Any, Any]:
    """Zeros before, and as many after, as fill up each size to a multiple of its block: as what to
    add, and as what to cut off later.
    """
    sizes, blocks = runtime.cast(input_shape, "int32"), runtime.cast(block_shape, "int32")
    end = (blocks - sizes % blocks) % blocks
    pairs = runtime.stack([runtime.zeros_like(end), end], axis=1)
    return pairs, pairs


class _OneReplica:
    """The one replica that there is."""

    def all_reduce(self, how: Any, value: Any) -> Any:
        return value


_INTERNAL = Names(
    "tf.__internal__",
    own={
        "EagerTensor": EagerTensor,
        "CompositeTensor": _Never,
        "types": Names("types", own={"Tensor": _OwnVariable}),
        "tracking": Names("tracking", own={"Trackable": type("_Trackable", (), {})}),
        "smart_cond": Names("smart_cond", own={"smart_cond": smart_cond}),
        "tf2": Names("tf2", own={"enabled": lambda: True}),
    },
)
_XLA = Names("xla", own={"dynamic_update_slice": dynamic_update_slice})
_PYTHON_OPS = Names(
    "tf.python.ops",
    own={
        "math_ops": runtime.math,
        "linalg": Names(
            "linalg",
            own={
                "sparse": Names("sparse", own={"sparse_csr_matrix_ops": Absent("sparse matrices")})
            },
        ),
    },
)


class _VersionOne:
    """The names of version 1, which few functions of Keras ask for."""

    def __getattr__(self, name: str) -> Any:
        return getattr(runtime.compat.v1, name)


TENSORFLOW = Names(
    "tf",
    runtime,
    {
        "__internal__": _INTERNAL,
        "function": function,
        "map_fn": map_fn,
        "reshape": reshape,
        "required_space_to_batch_paddings": required_space_to_batch_paddings,
        "SparseTensor": SparseTensor,
        "RaggedTensor": RaggedTensor,
        "TypeSpec": _Never,
        "compat": Names(
            "tf.compat",
            own={
                "as_text": as_text,
                "v1": Names(
                    "tf.compat.v1",
                    _VersionOne(),
                    {"Dimension": _Never, "SummaryMetadata": summary_metadata},
                ),
            },
        ),
        "sparse": Absent("tf.sparse", own={"cross_hashed": cross_hashed, "to_dense": to_dense}),
        "ragged": Absent("tf.ragged", own={"map_flat_values": map_flat_values}),
        "sets": Absent("tf.sets"),
        "raw_ops": Absent(
            "tf.raw_ops",
            own={
                "Bucketize": bucketize,
                "ImageProjectiveTransformV3": project,
                "UniqueV2": unique_along,
                "UniqueWithCountsV2": unique_along_with_counts,
            },
        ),
        "experimental": Names(
            "tf.experimental",
            runtime.experimental,
            {"numpy": Names("tf.experimental.numpy", own={"select": select, "finfo": finfo})},
        ),
        "distribute": Names(
            "tf.distribute",
            own={
                "get_replica_context": _OneReplica,
                "ReduceOp": Names("ReduceOp", own={"SUM": "sum"}),
            },
        ),
        "sysconfig": Names("tf.sysconfig", own={"get_build_info": dict}),
        "compiler": Names(
            "compiler",
            own={"tf2xla": Names("tf2xla", own={"python": Names("python", own={"xla": _XLA})})},
        ),
        "python": Names("tf.python", own={"ops": _PYTHON_OPS}),
    },
)
"""The `tensorflow` of Keras' files."""
