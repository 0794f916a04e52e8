"""Sequences of labels from the probabilities of classes in frames: the best ones that are found.

The search keeps the best beginnings of sequences, each with the probability to end in a blank and
not to: A. Hannun and others, "First-pass large vocabulary continuous speech recognition" (2014).
"""

from __future__ import annotations

from itertools import groupby
from typing import Any, NamedTuple

import numpy as np

from runtime import dtypes
from runtime.core.convert import convert_to_tensor
from runtime.core.primitive import bind, flat, row, wrong_value
from runtime.core.shapes import Shape
from runtime.core.tensor import Tensor
from runtime.core.types import TensorType
from runtime.ops.arguments import static_int

Labels = tuple[int, ...]


class SparseTensorValue(NamedTuple):
    """The elements of a tensor that are given, in three tensors.

    `indices` (n, rank) are their places, `values` (n,) what they are, and `dense_shape` (rank,) is
    the shape of the whole.

    >>> labels, _ = rt.nn.ctc_greedy_decoder(rt.constant([[[0.9, 0.1]], [[0.2, 0.8]]]), [2])
    >>> labels[0].values.numpy().tolist()
    [0]
    """

    indices: Tensor
    values: Tensor
    dense_shape: Tensor


def _sparse(found: list[Labels]) -> tuple[Any, Any, Any]:
    places = [(at, place) for at, labels in enumerate(found) for place in range(len(labels))]
    longest = max(map(len, found), default=0)
    return (
        np.array(places, np.int64).reshape(-1, 2),
        np.array([label for labels in found for label in labels], np.int64),
        np.array([len(found), longest], np.int64),
    )


def _check(x: Shape, lengths: Shape) -> None:
    if (x is not None and len(x) != 3) or (lengths is not None and len(lengths) != 1):
        raise wrong_value(
            "a decoder takes (frames, batch, classes) and a vector of lengths, not shapes "
            f"{x} and {lengths}"
        )


def _greedy_kernel(x: Any, lengths: Any, *, merge: bool, blank: int) -> Any:
    _check(x.shape, lengths.shape)
    blank = blank % x.shape[2]
    best = x.argmax(2)
    found, total = [], np.zeros((x.shape[1], 1), x.dtype)
    for at, length in enumerate(lengths):
        said = best[:length, at]
        total[at] = -x[:length, at].max(1).sum()
        if merge:
            said = said[np.concatenate([[True], said[1:] != said[:-1]])[: len(said)]]
        found.append(tuple(said[said != blank].tolist()))
    return (*_sparse(found), total)


def _greedy_shape(x: Shape, lengths: Shape, *, merge: bool, blank: int) -> Any:
    _check(x, lengths)
    return (None, 2), (None,), (2,), (None if x is None else x[1], 1)


greedy_p = row(
    "ctc_greedy_decoder", _greedy_kernel, signature="H,I->int64,int64,int64,H",
    shape=_greedy_shape, op_type="CTCGreedyDecoder", gradient=flat, fallible=True, keep_inputs=(),
)  # fmt: skip


def _search(log_p: Any, width: int, count: int) -> tuple[list[Labels], list[float]]:
    blank, never = log_p.shape[1] - 1, -np.inf
    beams: dict[Labels, tuple[float, float]] = {(): (0.0, never)}
    for frame in log_p.tolist():
        made: dict[Labels, tuple[float, float]] = {}
        for labels, (ends, goes_on) in beams.items():
            whole = np.logaddexp(ends, goes_on)
            said = goes_on + frame[labels[-1]] if labels else never
            _add(made, labels, whole + frame[blank], said)
            for label, p in enumerate(frame[:blank]):
                before = ends if labels and label == labels[-1] else whole
                _add(made, (*labels, label), never, before + p)
        ordered = sorted(made.items(), key=lambda item: -np.logaddexp(*item[1]))
        beams = dict(ordered[:width])
    best = list(beams.items())[:count]
    return [labels for labels, _ in best], [float(np.logaddexp(*p)) for _, p in best]


def _add(made: dict[Labels, tuple[float, float]], labels: Labels, ends: Any, goes_on: Any) -> None:
    known = made.get(labels, (-np.inf, -np.inf))
    made[labels] = float(np.logaddexp(known[0], ends)), float(np.logaddexp(known[1], goes_on))


def _beam_kernel(x: Any, lengths: Any, *, width: int, count: int, merge: bool = False) -> Any:
    _check(x.shape, lengths.shape)
    peak = x.max(2, keepdims=True, initial=-np.inf)
    log_p = x - peak - np.log(np.exp(x - peak).sum(2, keepdims=True))
    paths: list[list[Labels]] = [[] for _ in range(count)]
    scores = np.zeros((x.shape[1], count), x.dtype)
    for at, length in enumerate(lengths):
        found, scores[at] = _search(log_p[:length, at], width, count)
        for path, labels in zip(paths, found, strict=True):
            path.append(tuple(label for label, _ in groupby(labels)) if merge else labels)
    return (*(part for path in paths for part in _sparse(path)), scores)


def _beam_types(x: Any, lengths: Any, *, width: int, count: int, merge: bool = False) -> Any:
    beam_p.check_dtypes([x.dtype.np_dtype, lengths.dtype.np_dtype])
    _check(x.shape, lengths.shape)
    parts = [TensorType(dtypes.int64, shape) for shape in ((None, 2), (None,), (2,))]
    batch = None if x.shape is None else x.shape[1]
    return (*(parts * count), TensorType(x.dtype, (batch, count)))


beam_p = row(
    "ctc_beam_search_decoder", _beam_kernel, _beam_types, signature="H,I->",
    op_type="CTCBeamSearchDecoder", gradient=flat, fallible=True, keep_inputs=(),
)  # fmt: skip


def ctc_greedy_decoder(
    inputs: Any, sequence_length: Any, merge_repeated: bool = True, blank_index: Any = None
) -> tuple[list[SparseTensorValue], Tensor]:
    """The labels of the most probable class of each frame, without blanks.

    Args:
        inputs: (frames, batch, classes), logits, float32 or float64.
        sequence_length: (batch,), integers: how many frames count.
        merge_repeated: False to keep a label that several frames in a row have.
        blank_index: the class of no label, by default the last.

    Returns a list of one `SparseTensorValue`, (batch, labels) of int64, and the negative sums of
    the largest logits, (batch, 1). Raises InvalidArgumentError (ValueError while tracing) for other
    shapes.

    >>> labels, _ = rt.nn.ctc_greedy_decoder(rt.constant([[[0.9, 0.1]], [[0.2, 0.8]]]), [2])
    >>> labels[0].indices.numpy().tolist()
    [[0, 0]]
    """
    blank = -1 if blank_index is None else static_int(blank_index, "blank_index")
    x, lengths = convert_to_tensor(inputs), convert_to_tensor(sequence_length)
    *parts, total = bind(greedy_p, x, lengths, merge=bool(merge_repeated), blank=blank)
    return [SparseTensorValue(*parts)], total


def ctc_beam_search_decoder(
    inputs: Any, sequence_length: Any, beam_width: Any = 100, top_paths: Any = 1
) -> tuple[list[SparseTensorValue], Tensor]:
    """The most probable sequences of labels that a beam search finds. The last class is the blank.

    Args:
        inputs: (frames, batch, classes), logits, float32 or float64.
        sequence_length: (batch,), integers: how many frames count.
        beam_width: how many beginnings are kept, `top_paths` at least.
        top_paths: how many sequences are returned.

    Returns `top_paths` of `SparseTensorValue`, (batch, labels) of int64, the best first, and the
    logarithms of their probabilities, (batch, top_paths). Raises InvalidArgumentError (ValueError
    while tracing) for other shapes.

    >>> x = rt.math.log([[[0.6, 0.4]], [[0.6, 0.4]]])
    >>> labels, logarithms = rt.nn.ctc_beam_search_decoder(x, [2])
    >>> round(float(rt.exp(logarithms[0, 0])), 4)
    0.84
    """
    return searched(inputs, sequence_length, beam_width, top_paths, merge=False)


def searched(
    inputs: Any, sequence_length: Any, beam_width: Any, top_paths: Any, *, merge: bool
) -> tuple[list[SparseTensorValue], Tensor]:
    """Returns what `ctc_beam_search_decoder` does, with repeated labels once if `merge`."""
    width, count = static_int(beam_width, "beam_width"), static_int(top_paths, "top_paths")
    if not 0 < count <= width:
        raise wrong_value(f"top_paths must be from 1 to a beam_width of {width}, got {count}")
    x, lengths = convert_to_tensor(inputs), convert_to_tensor(sequence_length)
    *parts, scores = bind(beam_p, x, lengths, width=width, count=count, merge=bool(merge))
    triples = [SparseTensorValue(*parts[at : at + 3]) for at in range(0, len(parts), 3)]
    return triples, scores
