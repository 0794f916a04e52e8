"""Connectionist temporal classification: A. Graves and others, "Connectionist temporal
classification" (2006). The loss is made of ops, so that it has gradients of any order.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import runtime.ops as ops
from runtime import dtypes
from runtime.core.convert import convert_to_tensor
from runtime.core.primitive import wrong_dtype, wrong_value
from runtime.core.state import state
from runtime.core.tensor import Tensor
from runtime.ops.arguments import static_int
from runtime.ops.image.sizes import dimension
from runtime.staging.explicit_control_flow import while_loop

# Stands for the logarithm of 0: infinities have no gradients.
_NEVER = -1e30


def ctc_loss(
    labels: Any, logits: Any, label_length: Any, logit_length: Any, logits_time_major: bool = True,
    unique: Any = None, blank_index: Any = None, name: str | None = None,
) -> Tensor:  # fmt: skip
    """The negative logarithm of the probability that a sequence is labelled so.

    Args:
        labels: (batch, labels), integers; those behind `label_length` do not count.
        logits: (frames, batch, classes), or (batch, frames, classes) where `logits_time_major` is
            False; floats. Of halves it is computed in float32.
        label_length, logit_length: (batch,), integers.
        blank_index: the class of no label, 0 by default; a negative one counts from the end.

    Returns (batch,), infinite where there are too few frames for the labels. Raises
    InvalidArgumentError (ValueError while tracing) for other ranks, WrongDtypeError for other
    dtypes.

    >>> loss = rt.nn.ctc_loss([[1]], rt.zeros([2, 1, 2]), [1], [2])
    >>> round(float(rt.exp(-loss[0])), 4)
    0.75
    """
    x, wanted = convert_to_tensor(logits), convert_to_tensor(labels)
    if not x.dtype.is_floating or not wanted.dtype.is_integer:
        raise wrong_dtype(
            f"ctc_loss takes floats and integers, not {x.dtype.name} and {wanted.dtype.name}"
        )
    if x.ndim != 3 or wanted.ndim != 2:
        raise wrong_value(
            "ctc_loss takes logits of rank 3 and labels of rank 2, not of shapes "
            f"{x.shape} and {wanted.shape}"
        )
    if x.dtype.size < dtypes.float32.size:
        made = ctc_loss(
            wanted, ops.cast(x, dtypes.float32), label_length, logit_length, logits_time_major,
            unique, blank_index,
        )  # fmt: skip
        return ops.cast(made, x.dtype)
    x = x if logits_time_major else ops.transpose(x, [1, 0, 2])
    blank = 0 if blank_index is None else static_int(blank_index, "blank_index")
    blank = blank + dimension(x, 2) if blank < 0 else blank
    wanted = ops.cast(wanted, dtypes.int32)
    # A label of the blank's class is no blank: TensorFlow takes it for the class before.
    wanted = ops.where(ops.equal(wanted, blank), ops.maximum(blank - 1, 0), wanted)
    lengths = ops.cast(convert_to_tensor(label_length), dtypes.int32)
    frames = ops.cast(convert_to_tensor(logit_length), dtypes.int32)
    states = _with_blanks(wanted, blank)
    # (frames, batch, states)
    seen = ops.transpose(ops.log_softmax(x), [1, 0, 2])
    seen = ops.transpose(ops.gather(seen, states, axis=2, batch_dims=1), [1, 0, 2])
    total = _total(seen, states, frames)
    places = ops.stack([lengths * 2, ops.maximum(lengths * 2 - 1, 0)], 1)
    ends = ops.gather(total, places, batch_dims=1)
    never = ops.fill(ops.shape(lengths), ops.constant(_NEVER, x.dtype))
    last = ops.where(ops.greater(lengths, 0), ends[:, 1], never)
    loss = -ops.reduce_logsumexp(ops.stack([ends[:, 0], last]), 0)
    return ops.where(ops.greater(loss, -_NEVER / 2), ops.constant(np.inf, x.dtype), loss)


def collapse_repeated(labels: Any, seq_length: Any, name: str | None = None) -> tuple[Any, Any]:
    """The labels without those that equal the one before, and how many are left of each row.

    `labels` is (batch, labels), of which `seq_length` count in each row; zeros fill the rows to the
    length of the longest one. InvalidArgumentError for other ranks, WrongDtypeError for lengths
    that are no integers.

    >>> labels, lengths = rt.nn.collapse_repeated([[1, 3, 3, 3], [4, 2, 2, 9]], [3, 4])
    >>> labels.numpy().tolist(), lengths.numpy().tolist()
    ([[1, 3, 0], [4, 2, 9]], [2, 3])
    """
    given = _rows(labels, "collapse_repeated")
    lengths = convert_to_tensor(seq_length)
    if not lengths.dtype.is_integer:
        raise wrong_dtype(f"collapse_repeated: seq_length is {lengths.dtype.name}, no integers")
    is_new = ops.not_equal(given[:, 1:], given[:, :-1])
    is_new = ops.concat([ops.ones_like(given[:, :1], dtypes.bool), is_new], 1)
    left = ops.logical_and(is_new, ops.sequence_mask(lengths, dimension(given, 1)))
    count = ops.reduce_sum(ops.cast(left, lengths.dtype), 1)
    return _to_the_front(given, left)[:, : ops.reduce_max(count)], count


def ctc_unique_labels(labels: Any, name: str | None = None) -> tuple[Tensor, Tensor]:
    """The different labels of each row, and for each label its place among them.

    They are int64 in their order, with zeros behind them; places are int32. `labels` is (batch,
    labels): InvalidArgumentError for another rank.

    >>> unique, places = rt.nn.ctc_unique_labels([[3, 4, 4, 3]])
    >>> unique.numpy().tolist(), places.numpy().tolist()
    ([[3, 4, 0, 0]], [[0, 1, 1, 0]])
    """
    given = _rows(labels, "ctc_unique_labels")
    is_equal = ops.equal(ops.expand_dims(given, 2), ops.expand_dims(given, 1))
    first = ops.argmax(ops.cast(is_equal, dtypes.int32), 2, dtypes.int32)
    is_first = ops.equal(first, ops.range(dimension(given, 1)))
    number = ops.cumsum(ops.cast(is_first, dtypes.int32), 1) - 1
    unique = ops.cast(_to_the_front(given, is_first), dtypes.int64)
    return unique, ops.gather(number, first, axis=1, batch_dims=1)


def _rows(labels: Any, what: str) -> Tensor:
    given = convert_to_tensor(labels)
    if given.ndim != 2:
        raise wrong_value(f"{what} takes labels of rank 2, not of shape {given.shape}")
    return given


def _to_the_front(rows: Tensor, chosen: Tensor) -> Tensor:
    """The chosen elements of each row, and zeros for the others behind them."""
    order = ops.argsort(ops.cast(chosen, dtypes.int32), 1, "DESCENDING", stable=True)
    kept = ops.where(chosen, rows, ops.zeros_like(rows))
    return ops.gather(kept, order, axis=1, batch_dims=1)


def _with_blanks(labels: Tensor, blank: Any) -> Tensor:
    """Labels with a blank before, between and behind them: the states of the alignment."""
    pairs = ops.stack([ops.ones_like(labels) * blank, labels], 2)
    size = dimension(labels, 1) * 2
    joined = ops.reshape(pairs, [dimension(labels, 0), size])
    last = ops.zeros([dimension(labels, 0), 1], dtypes.int32) + blank
    return ops.concat([joined, last], 1)


def _behind(x: Any, count: int) -> Any:
    """The states before these: the first have none."""
    return ops.pad(x, [[0, 0], [count, 0]], constant_values=_NEVER)[:, : dimension(x, 1)]


def _total(seen: Tensor, states: Tensor, frames: Tensor) -> Tensor:
    """The logarithms of the probabilities of all alignments that end in each state."""
    before = ops.pad(states, [[0, 0], [2, 0]], constant_values=-1)[:, : dimension(states, 1)]
    # Every second state is a label, which may follow another one at once.
    is_label = ops.equal(ops.range(dimension(states, 1)) % 2, 1)
    is_label = ops.logical_and(is_label, ops.not_equal(states, before))
    never = ops.ones_like(seen[0]) * _NEVER
    first = ops.where(ops.less(ops.range(dimension(states, 1)), 2), seen[0], never)

    def following(at: Any, total: Any) -> Any:
        skipping = ops.where(is_label, _behind(total, 2), never)
        reached = ops.reduce_logsumexp(ops.stack([total, _behind(total, 1), skipping]), 0)
        is_on = ops.expand_dims(ops.less(at, frames), 1)
        return at + 1, ops.where(is_on, reached + seen[at], total)

    count = dimension(seen, 0)
    if state.trace is None:
        total = first
        for at in range(1, count):
            _, total = following(ops.constant(at), total)
        return total
    begin = ops.constant(1), first
    return while_loop(lambda at, _: at < count, following, begin)[1]
