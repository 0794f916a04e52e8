"""Summaries: values written to event files when they are computed, in graphs too."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from runtime.core.convert import convert_to_tensor
from runtime.core.naming import name_scope, scoped
from runtime.core.primitive import bind, row, wrong_dtype
from runtime.core.state import call_back, state
from runtime.core.tensor import Tensor
from runtime.core.types import TensorType
from runtime.dtypes import bool as bool_
from runtime.dtypes import int64, string, uint8
from runtime.graph.data import Opaque
from runtime.image import convert_image_dtype
from runtime.ops.math import cast
from runtime.summary import settings
from runtime.summary.events import SUMMARIES, event
from runtime.summary.writers import SummaryWriter, is_noop
from runtime.variables.variable import Variable

NO_STEP = (
    "No step set. Please specify one either through the `step` argument or through "
    "tf.summary.experimental.set_step()"
)


def scalar(name: str, data: Any, step: Any = None, description: str | None = None) -> Tensor:
    """Write a number, of any real dtype, as float32.

    Args:
        step: an integer, a tensor or a Variable of integers; by default that of `set_step`.
        description: a text in Markdown.

    Returns:
        A tensor of bool: true if it was written, that is if there is a default writer and the
        condition of `record_if` holds.

    Raises ValueError for another shape than () and without a step, TypeError for a name that is no
    text, a step that is no integer, and data that is no real number.

    >>> bool(rt.summary.scalar("loss", 0.5, step=1))
    False
    """
    value = _real(data, "scalar")
    if value.static_shape not in ((), None):
        raise ValueError(f"Expected scalar shape, saw shape: {value.shape}.")
    return _record("scalar", name, value, step, description=description)


def histogram(
    name: str, data: Any, step: Any = None, buckets: int | None = None,
    description: str | None = None,
) -> Tensor:  # fmt: skip
    """Write the counts of values in `buckets` (30) intervals of equal width between their bounds.

    Arguments, result and errors as those of `scalar`; `data` has any shape. ValueError for a
    negative number of buckets.

    >>> bool(rt.summary.histogram("weights", [1.0, 2.0], step=1))
    False
    """
    if buckets is not None and buckets < 0:
        raise ValueError(f"buckets must not be negative, got {buckets}")
    value = _real(data, "histogram")
    return _record("histogram", name, value, step, buckets=buckets, description=description)


def image(
    name: str, data: Any, step: Any = None, max_outputs: int | None = 3,
    description: str | None = None,
) -> Tensor:  # fmt: skip
    """Write the first `max_outputs` of images [k, height, width, channels], 1 to 4 channels.

    They are uint8, or floats from 0 to 1. Other arguments, result and errors as those of `scalar`;
    ValueError for another rank, InvalidArgumentError for another number of channels.

    >>> bool(rt.summary.image("seen", rt.zeros([1, 4, 4, 3]), step=1))
    False
    """
    value = _of_rank(4, data)
    pixels = convert_image_dtype(value, uint8, saturate=True)
    return _record(
        "image", name, pixels, step, max_outputs=_count(max_outputs), description=description
    )


def audio(
    name: str, data: Any, sample_rate: int, step: Any = None, max_outputs: int | None = 3,
    encoding: str | None = None, description: str | None = None,
) -> Tensor:  # fmt: skip
    """Write the first `max_outputs` of sounds [k, frames, channels], floats from -1 to 1, as WAV.

    `sample_rate` is in hertz. Other arguments, result and errors as those of `scalar`; ValueError
    for another rank or encoding and a rate that is not positive.

    >>> bool(rt.summary.audio("heard", rt.zeros([1, 8, 1]), 8000, step=1))
    False
    """
    if encoding not in (None, "wav"):
        raise ValueError(f"Unknown encoding: {encoding!r}; write 'wav'")
    if sample_rate <= 0:
        raise ValueError(f"sample_rate must be positive, got {sample_rate}")
    value = _of_rank(3, data)
    if not value.dtype.is_floating:
        raise wrong_dtype(f"sounds are made of floats from -1 to 1, not {value.dtype.name}")
    return _record(
        "audio", name, value, step, sample_rate=int(sample_rate),
        max_outputs=_count(max_outputs), description=description,
    )  # fmt: skip


def text(name: str, data: Any, step: Any = None, description: str | None = None) -> Tensor:
    """Write texts in Markdown, of any shape; TensorBoard shows those of one and two axes as tables.

    Other arguments, result and errors as those of `scalar`.

    >>> bool(rt.summary.text("note", "it *starts*", step=1))
    False
    """
    value = convert_to_tensor(data, string)
    return _record("text", name, value, step, description=description)


def write(
    tag: str, tensor: Any, step: Any = None, metadata: Any = None, name: str | None = None
) -> Tensor:
    """Write a tensor, with `metadata` (a SummaryMetadata message) for a plugin.

    The tag is used as it is, also in a scope of names: `summary_scope` gives one with the scope.
    Other arguments, result and errors as those of `scalar`.

    >>> bool(rt.summary.write("raw", [1, 2], step=1))
    False
    """
    content = b"" if metadata is None else metadata.SerializeToString()
    return _record("write", tag, convert_to_tensor(tensor), step, metadata=content)


@contextlib.contextmanager
def summary_scope(
    name: str, default_name: str = "summary", values: Any = None
) -> Iterator[tuple[str, str]]:
    """Inside this block names are in the scope `name`; gives the tag of a summary, and the scope.

    >>> with rt.summary.experimental.summary_scope("loss") as (tag, scope):
    ...     print(tag, scope)
    loss loss/
    """
    chosen = name or default_name
    tag = scoped(chosen)
    with name_scope(chosen) as scope:
        yield tag, scope


def _real(data: Any, kind: str) -> Tensor:
    value = convert_to_tensor(data)
    if value.dtype is string or value.dtype.is_complex:
        raise wrong_dtype(f"summary.{kind} takes real numbers, not {value.dtype.name}")
    return value


def _as_step(step: Any) -> Tensor:
    value = convert_to_tensor(step)
    if not value.dtype.is_integer:
        raise wrong_dtype(
            f"a step is an integer, not {value.dtype.name}", "tf.cast(step, tf.int64)"
        )
    if value.static_shape not in ((), None):
        raise ValueError(
            f"Argument `step` must be a scalar. Received step with shape {value.shape}."
        )
    return cast(value, int64)


def _of_rank(rank: int, data: Any) -> Tensor:
    value = convert_to_tensor(data)
    shape = value.static_shape
    if shape is not None and len(shape) != rank:
        raise ValueError(
            f"Tensor must have rank {rank}. Received rank {len(shape)}, shape {value.shape}"
        )
    return value


def _count(most: int | None) -> int:
    if most is not None and most < 0:
        raise ValueError(f"max_outputs must not be negative, got {most}")
    return 2**31 if most is None else int(most)


def _record(kind: str, name: str, value: Tensor, step: Any, **options: Any) -> Tensor:
    if not isinstance(name, str):
        raise TypeError(f"the name of a summary is a text, got {name!r}")
    writer, condition = settings.writer.get(), settings.condition.get()
    if state.trace is None and (is_noop(writer.value) or not settings.holds(condition.value)):
        return convert_to_tensor(False)
    if step is None:
        default = settings.step.get()
        if state.trace is None or default.traced:
            step = default.value
            if step is None:
                raise ValueError(NO_STEP)
    inputs = [value]
    if step is not None:
        inputs.append(_as_step(step))
    if condition.traced:
        inputs.append(convert_to_tensor(_asked(condition.value), bool_))
    elif state.trace is None:
        inputs.append(convert_to_tensor(True))
    tag = name if kind == "write" else scoped(name)
    recorded: Tensor = bind(
        summary_p, *inputs, kind=kind, tag=tag, options=options,
        writer=Opaque(writer.value) if writer.traced else None,
        has_step=step is not None, has_condition=condition.traced or state.trace is None,
    )  # fmt: skip
    return recorded


def _asked(condition: Any) -> Any:
    is_value = isinstance(condition, Tensor | Variable) or not callable(condition)
    return condition if is_value else condition()


# At run time


def _kernel(
    value: Any, *more: Any, kind: str, tag: str, options: dict[str, Any], writer: Opaque | None,
    has_step: bool, has_condition: bool,
) -> Any:  # fmt: skip
    step = int(more[0]) if has_step else None
    condition = bool(more[-1]) if has_condition else None
    held = None if writer is None else writer.item
    return np.bool_(call_back(_write, kind, tag, value, options, held, step, condition))


def _write(
    kind: str, tag: str, value: Any, options: dict[str, Any], held: SummaryWriter | None,
    step: int | None, condition: bool | None,
) -> bool:  # fmt: skip
    writer = settings.writer.get().value if held is None else held
    if is_noop(writer):
        return False
    if not (settings.holds(settings.condition.get().value) if condition is None else condition):
        return False
    if step is None:
        default = settings.step.get().value
        if default is None:
            raise ValueError(NO_STEP)
        step = int(default)
    writer.write(event(step, SUMMARIES[kind](tag, np.asarray(value), options)))
    return True


def _type(*types: Any, **params: Any) -> TensorType:
    return TensorType(bool_, ())


summary_p = row("summary", _kernel, _type, op_type="WriteSummary", effect=True, calls_back=True)
