"""Random numbers: stateful ops with TensorFlow's rules for seeds, and stateless ones that a seed
determines.

The numbers come from NumPy's generators over Philox, a counter-based source: 128 bits of key choose
a sequence, 256 bits of counter a place in it. The numbers are not those that TensorFlow draws.

An op's sequence is chosen by the global seed (`set_seed`) and the op's own seed:

- neither: from the operating system, different in every run;
- the global one only: in eager code the op's own is the number of such ops so far since
  `set_seed`, in a graph their number in it, so that the same program draws the same numbers;
- the op's own only: a global seed of 0 stands in;
- both: those two.

Eager ops with equal seeds (and of the same kind and dtype) share one sequence and draw one piece of
it after another; in a graph each op has a sequence of its own, and goes on in it from call to call.
`set_seed` starts all of them anew.
"""

from __future__ import annotations

import itertools
import os
import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import runtime.ops as ops
from runtime import dtypes, errors
from runtime.convert import convert_to_tensor
from runtime.dtypes import DType, as_dtype
from runtime.ops.arguments import static_number
from runtime.ops.define import dims_of, fill_dims
from runtime.primitive import Primitive, bind, row, sample, state, wrong_dtype, wrong_value
from runtime.shapes import Shape, broadcast, is_known, merge_shapes
from runtime.tensor import Tensor

_MASK = (1 << 64) - 1


class _Source(threading.local):
    """One generator for each thread: to place it anew is much faster than to make one."""

    bits: Any = None
    generator: Any = None

    def open(self) -> None:
        """Make it. NumPy imports its random numbers only when they are first asked for."""
        self.bits = np.random.Philox(0)
        self.generator = np.random.Generator(self.bits)


_source = _Source()
_EMPTY = np.zeros(4, np.uint64)


def _at(key: tuple[int, int], counter: tuple[int, int, int]) -> np.random.Generator:
    """This thread's generator, placed in the sequence of `key`. Places that differ never
    overlap.
    """
    if _source.bits is None:
        _source.open()
    _source.bits.state = {
        "bit_generator": "Philox",
        "state": {
            "counter": np.array((0, *counter), np.uint64),
            "key": np.array(key, np.uint64),
        },
        "buffer": _EMPTY, "buffer_pos": 4, "has_uint32": 0, "uinteger": 0,
    }  # fmt: skip
    return _source.generator  # type: ignore[no-any-return]


# Seeds of stateful ops. What chose a sequence is part of its place, so that an op's own seed 3 is
# not the third op without one.
_BY_OP, _BY_ORDER, _BY_TRACE, _BY_SYSTEM, _BY_STATE, _BY_SEED = range(6)


class Stream:
    """The sequence of one stateful op, and how many pieces of it are drawn."""

    __slots__ = ("_drawn", "_epoch", "_key", "_kind")

    def __init__(self, key: tuple[int, int], kind: int) -> None:
        self._key = key
        self._kind = kind
        self._drawn = 0
        self._epoch = _seeds.epoch

    def generator(self) -> np.random.Generator:
        """A generator at the next piece."""
        with _seeds.lock:
            if self._epoch != _seeds.epoch and self._kind != _BY_SYSTEM:
                self._drawn = 0
            self._epoch = _seeds.epoch
            piece = self._drawn
            self._drawn += 1
        return _at(self._key, (piece, 0, self._kind))

    def __repr__(self) -> str:
        return "<stream of the system>" if self._kind == _BY_SYSTEM else f"<stream {self._key}>"


class _Seeds:
    """The global seed, and what has been drawn since it was set."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.epoch = 0
        self.set(None)

    def set(self, seed: int | None) -> None:
        with self.lock:
            self.epoch += 1
            self.seed = seed
            self.order = itertools.count()
            self.streams: dict[Any, Stream] = {}

    def stream(self, seed: int | None, name: str, dtype: DType) -> Stream:
        """The sequence of an op of this kind with the seed `seed` of its own."""
        trace = state.trace
        if seed is None and self.seed is None:
            return Stream(_system_key(), _BY_SYSTEM)
        of_all = self.seed or 0
        if trace is not None:
            return Stream((of_all, seed), _BY_OP) if seed is not None else _next_of(trace, of_all)
        if seed is None:
            return Stream((of_all, next(self.order)), _BY_ORDER)
        with self.lock:
            key = (name, dtype, seed)
            found = self.streams.get(key)
            if found is None:
                found = self.streams[key] = Stream((of_all, seed), _BY_OP)
            return found


def _next_of(trace: Any, of_all: int) -> Stream:
    number = trace.memo.get(Stream, 0)
    trace.memo[Stream] = number + 1
    return Stream((of_all, number), _BY_TRACE)


def _system_key() -> tuple[int, int]:
    entropy = os.urandom(16)
    return int.from_bytes(entropy[:8], "little"), int.from_bytes(entropy[8:], "little")


_seeds = _Seeds()


def _seed_of(seed: Any, what: str = "seed") -> int | None:
    if seed is None:
        return None
    if isinstance(seed, Tensor):
        seed = seed.static_value
    try:
        return int(seed.__index__()) & _MASK
    except (AttributeError, TypeError):
        raise wrong_dtype(f"{what} must be a Python integer or None, not {seed!r}") from None


def set_seed(seed: Any) -> None:
    """Set the global seed, and start the sequences of all ops anew; None: draw from the system
    again.

    TypeError where `seed` is no integer.
    """
    _seeds.set(_seed_of(seed, "the global seed"))


def get_seed(op_seed: Any) -> tuple[int | None, int | None]:
    """The global seed and the seed of an op that is given `op_seed`; both None where there is
    neither.
    """
    seed = _seed_of(op_seed)
    if seed is None and _seeds.seed is None:
        return None, None
    return _seeds.seed or 0, next(_seeds.order) if seed is None else seed


# Distributions: how each is drawn, (generator, size, dtype, *parameters) -> array

Size = tuple[int, ...]


def _draw_uniform(rng: Any, size: Size, dtype: DType) -> Any:
    if dtype is dtypes.float16:
        # Eleven bits: a float32 just below 1 would be rounded to 1.
        return (rng.integers(0, 2048, size, np.uint16) / np.float32(2048)).astype(np.float16)
    return rng.random(size, dtype.np_dtype)


def _draw_normal(rng: Any, size: Size, dtype: DType) -> Any:
    if dtype is dtypes.float16:
        return rng.standard_normal(size, np.float32).astype(np.float16)
    return rng.standard_normal(size, dtype.np_dtype)


def _draw_truncated(rng: Any, size: Size, dtype: DType) -> Any:
    made = np.asarray(_draw_normal(rng, size, dtype))
    while True:
        outside = np.abs(made) > 2
        count = int(np.count_nonzero(outside))
        if not count:
            return made
        made[outside] = _draw_normal(rng, (count,), dtype)


def _draw_integers(rng: Any, size: Size, dtype: DType, low: Any, high: Any) -> Any:
    _scalars(np.shape(low), np.shape(high))
    if np.any(low >= high) and np.prod(size):
        raise errors.InvalidArgumentError(f"Need minval < maxval, got {low} >= {high}")
    return rng.integers(low, high, size, low.dtype)


def _draw_bits(rng: Any, size: Size, dtype: DType) -> Any:
    return rng.integers(dtype.min, dtype.max, size, dtype.np_dtype, endpoint=True)


def _draw_gamma(rng: Any, size: Size, dtype: DType, alpha: Any) -> Any:
    wide = np.float64 if alpha.dtype == np.float64 else np.float32
    return rng.standard_gamma(alpha.astype(wide), size, wide).astype(alpha.dtype)


def _draw_poisson(rng: Any, size: Size, dtype: DType, lam: Any) -> Any:
    return rng.poisson(lam.astype(np.float64), size).astype(dtype.np_dtype)


def _draw_binomial(rng: Any, size: Size, dtype: DType, counts: Any, probs: Any) -> Any:
    trials = np.asarray(counts, np.float64)
    if np.any(trials != np.floor(trials)):
        raise errors.InvalidArgumentError(f"counts must be whole numbers, got {counts}")
    return rng.binomial(trials.astype(np.int64), probs, size).astype(dtype.np_dtype)


def _draw_classes(rng: Any, samples: int, logits: Any) -> Any:
    """For each row of logits the classes that `samples` uniform numbers fall on."""
    rows, classes = logits.shape
    wide = logits.astype(np.float64)
    weights = np.exp(wide - wide.max(1, keepdims=True))
    total = np.cumsum(weights, 1)
    if not np.all(np.isfinite(total[:, -1])):
        raise errors.InvalidArgumentError(
            "logits must be numbers, of which one in each row is finite"
        )
    # The rows one after another on one line: row r between r and r + 1.
    line = (total / total[:, -1:] + np.arange(rows)[:, None]).reshape(-1)
    points = rng.random((rows, samples)) + np.arange(rows)[:, None]
    found = np.searchsorted(line, points, "right") - np.arange(rows)[:, None] * classes
    last = classes - 1 - np.argmax(weights[:, ::-1] > 0, 1)
    return np.clip(found, 0, last[:, None])


# Kernels and rows


def _sizes(shape: Shape, dims: Sequence[Any]) -> Size:
    found = fill_dims(shape, dims)
    if any(n < 0 for n in found):
        raise errors.InvalidArgumentError(f"a shape has no negative dimensions: {found}")
    return found


def _sampled(draw: Callable[..., Any], *args: Any) -> Any:
    """`draw(*args)`, with NumPy's refusals as documented errors."""
    try:
        with np.errstate(all="ignore"):
            return draw(*args)
    except (ValueError, OverflowError, MemoryError) as error:
        if isinstance(error, errors.OpError):
            raise
        raise errors.InvalidArgumentError(str(error)) from None


def _named(draw: Callable[..., Any], op_type: str) -> Callable[..., Any]:
    """Kernels of ops with effects are called as they are: they name themselves in their errors."""

    def kernel(*inputs: Any, **params: Any) -> Any:
        try:
            return draw(*inputs, **params)
        except errors.OpError as error:
            raise type(error)(None, op_type, f"{op_type}: {error.message}") from None
        except ValueError as error:
            raise errors.InvalidArgumentError(None, op_type, f"{op_type}: {error}") from None

    return kernel


def _static_sizes(shape: Shape, dims: Sequence[Shape]) -> Shape:
    if any(n is not None and n < 0 for n in shape or ()):
        raise wrong_value(f"a shape has no negative dimensions: {shape}")
    if shape is not None or not dims:
        return shape
    length = dims[0][0] if dims[0] else None
    return None if length is None else (None,) * length


def _scalars(*shapes: Shape) -> None:
    if any(shape not in ((), None) for shape in shapes):
        raise wrong_value(f"the bounds must be scalars, got shapes {', '.join(map(str, shapes))}")


def _together(*shapes: Shape) -> Shape:
    first: Shape = ()
    for shape in shapes:
        first = broadcast(first, shape)
    return first


def _stateful(
    name: str, op_type: str, draw: Callable[..., Any], count: int, signature: str, *samples: Any
) -> Primitive:
    """The row of an op with an effect; its inputs are `count` parameters, then run-time dimensions.

    Parameters that are no scalars append their shape to the one asked for.
    """

    def kernel(*inputs: Any, shape: Shape, dtype: DType, stream: Stream) -> Any:
        size = (
            *_sizes(shape, inputs[count:]),
            *np.broadcast_shapes(*map(np.shape, inputs[:count])),
        )
        return _sampled(draw, stream.generator(), size, dtype, *inputs[:count])

    def rule(*shapes: Shape, shape: Shape, dtype: DType, stream: Stream) -> Shape:
        if draw is _draw_integers:
            _scalars(*shapes[:count])
        front, back = _static_sizes(shape, shapes[count:]), _together(*shapes[:count])
        return None if front is None or back is None else (*front, *back)

    return row(
        name, _named(kernel, op_type), signature=signature, shape=rule, op_type=op_type,
        effect=True, keep_inputs=(),
        samples=tuple(sample(*i, stream=Stream((0, 7), _BY_OP), **params) for i, params in samples),
    )  # fmt: skip


def _check_seed(seed: Shape) -> None:
    if seed not in ((2,), (3,), (None,), None):
        raise wrong_value(f"seed must have shape (2,), not {seed}")


def _seeded(seed: Any) -> np.random.Generator:
    """The generator for a seed of two numbers, or for the state (two of counter, one of key) of a
    Generator.
    """
    values = [int(n) & _MASK for n in seed.tolist()]
    if len(values) == 2:
        return _at((values[0], values[1]), (0, 0, _BY_SEED))
    return _at((values[2], 0), (values[0], values[1], _BY_STATE))


def _stateless(
    name: str, op_type: str, draw: Callable[..., Any], count: int, signature: str, *samples: Any
) -> Primitive:
    """The row of an op that its seed determines; its inputs are the seed, `count` parameters,
    run-time dimensions.

    Parameters broadcast to the shape asked for.
    """

    def kernel(seed: Any, *inputs: Any, shape: Shape, dtype: DType) -> Any:
        _check_seed(seed.shape)
        size = _sizes(shape, inputs[count:])
        _check_fits(_together(*map(np.shape, inputs[:count])), size)
        return _sampled(draw, _seeded(seed), size, dtype, *inputs[:count])

    def rule(seed: Shape, *shapes: Shape, shape: Shape, dtype: DType) -> Shape:
        _check_seed(seed)
        size = _static_sizes(shape, shapes[count:])
        if draw is _draw_integers:
            _scalars(*shapes[:count])
        _check_fits(_together(*shapes[:count]), size)
        return size

    return row(
        name, kernel, signature=signature, shape=rule, op_type=op_type, keep_inputs=(),
        samples=tuple(sample("2:i9", *inputs, **params) for inputs, params in samples),
    )  # fmt: skip


def _check_fits(parameters: Shape, size: Shape) -> None:
    if parameters is None or size is None:
        return
    made = broadcast(parameters, size)
    if made is None or len(made) != len(size):
        raise wrong_value(f"parameters of shape {parameters} do not broadcast to shape {size}")
    merge_shapes(made, size)


_F32 = ((), {"shape": (2, 3), "dtype": dtypes.float32})
_I64 = (("", ":hi"), {"shape": (4,), "dtype": dtypes.int64})
_INTEGERS = (
    (np.int32(-3), np.int32(5)), {"shape": (4,), "dtype": dtypes.int32},
)  # fmt: skip
_GAMMA = (("2:+",), {"shape": (3, 2), "dtype": dtypes.float64})
_POISSON = (("2:+",), {"shape": (3, 2), "dtype": dtypes.int32})

uniform_p = _stateful("random_uniform", "RandomUniform", _draw_uniform, 0, "i*->dtype", _F32)
normal_p = _stateful("random_normal", "RandomStandardNormal", _draw_normal, 0, "i*->dtype", _F32)
truncated_p = _stateful(
    "random_truncated_normal", "TruncatedNormal", _draw_truncated, 0, "i*->dtype", _F32
)
integers_p = _stateful(
    "random_uniform_int", "RandomUniformInt", _draw_integers, 2, "K,K,i*->K", _INTEGERS
)
gamma_p = _stateful("random_gamma", "RandomGamma", _draw_gamma, 1, "G,i*->G", _GAMMA)
poisson_p = _stateful(
    "random_poisson", "RandomPoissonV2", _draw_poisson, 1, "R,i*->dtype", _POISSON
)

stateless_uniform_p = _stateless(
    "stateless_uniform", "StatelessRandomUniformV2", _draw_uniform, 0, "i,i*->dtype", _F32
)
stateless_normal_p = _stateless(
    "stateless_normal", "StatelessRandomNormalV2", _draw_normal, 0, "i,i*->dtype", _F32
)
stateless_truncated_p = _stateless(
    "stateless_truncated_normal",
    "StatelessTruncatedNormalV2",
    _draw_truncated,
    0,
    "i,i*->dtype",
    _F32,
)
stateless_integers_p = _stateless(
    "stateless_uniform_int",
    "StatelessRandomUniformIntV2",
    _draw_integers,
    2,
    "i,K,K,i*->K",
    _INTEGERS,
)
stateless_bits_p = _stateless(
    "stateless_uniform_full_int", "StatelessRandomUniformFullIntV2", _draw_bits, 0, "i,i*->dtype",
    ((), {"shape": (2, 3), "dtype": dtypes.uint32}),
)  # fmt: skip
stateless_gamma_p = _stateless(
    "stateless_gamma", "StatelessRandomGammaV3", _draw_gamma, 1, "i,G,i*->G", _GAMMA
)
stateless_poisson_p = _stateless(
    "stateless_poisson", "StatelessRandomPoisson", _draw_poisson, 1, "i,R,i*->dtype", _POISSON
)
stateless_binomial_p = _stateless(
    "stateless_binomial", "StatelessRandomBinomial", _draw_binomial, 2, "i,R,G,i*->dtype",
    ((np.int32(5), np.float64(0.3)), {"shape": (3, 2), "dtype": dtypes.int32}),
)  # fmt: skip


def _classes_shape(logits: Shape, *dims: Shape, shape: Shape) -> Shape:
    if logits is not None and len(logits) != 2:
        raise wrong_value(f"logits should be a matrix, got shape {logits}")
    (samples,) = shape or (None,)
    if samples is not None and samples < 0:
        raise wrong_value(f"num_samples should be non-negative, got {samples}")
    if logits is not None and logits[1] == 0 and logits[0] != 0:
        raise wrong_value("num_classes should be positive, got 0")
    return (None if logits is None else logits[0], samples)


def _classes(rng: Any, logits: Any, dims: Any, shape: Shape, dtype: DType) -> Any:
    samples = fill_dims(shape, dims)
    try:
        size: Any = _classes_shape(logits.shape, shape=samples)
    except ValueError as error:
        raise errors.InvalidArgumentError(str(error)) from None
    if 0 in size:
        return np.zeros(size, dtype.np_dtype)
    return _sampled(_draw_classes, rng, samples[0], logits).astype(dtype.np_dtype)


_CATEGORICAL = {"shape": (5,), "dtype": dtypes.int64}
categorical_p = row(
    "random_categorical",
    _named(
        lambda logits, *dims, shape, dtype, stream: _classes(
            stream.generator(), logits, dims, shape, dtype
        ),
        "Multinomial",
    ),
    signature="R,i*->dtype", op_type="Multinomial", effect=True, keep_inputs=(),
    shape=lambda logits, *dims, shape, dtype, stream: _classes_shape(logits, *dims, shape=shape),
    samples=(sample("2,3", stream=Stream((0, 7), _BY_OP), **_CATEGORICAL),),
)  # fmt: skip


def _stateless_categorical_shape(
    seed: Shape, logits: Shape, *dims: Shape, shape: Shape, dtype: DType
) -> Shape:
    _check_seed(seed)
    return _classes_shape(logits, *dims, shape=shape)


def _stateless_categorical_kernel(
    seed: Any, logits: Any, *dims: Any, shape: Shape, dtype: DType
) -> Any:
    _check_seed(seed.shape)
    return _classes(_seeded(seed), logits, dims, shape, dtype)


stateless_categorical_p = row(
    "stateless_categorical", _stateless_categorical_kernel, signature="i,R,i*->dtype",
    op_type="StatelessMultinomial", keep_inputs=(), shape=_stateless_categorical_shape,
    samples=(sample("2:i9", "2,3", **_CATEGORICAL),),
)  # fmt: skip


def _shuffled(rng: Any, x: Any) -> Any:
    return x[rng.permutation(len(x))] if np.ndim(x) else x


shuffle_p = row(
    "random_shuffle", lambda x, *, stream: _shuffled(stream.generator(), x), signature="A->A",
    shape=lambda shape, *, stream: shape, op_type="RandomShuffle", effect=True, keep_inputs=(),
    samples=(sample("4,2", stream=Stream((0, 7), _BY_OP)),),
)  # fmt: skip


def _stateless_shuffle_kernel(seed: Any, x: Any) -> Any:
    _check_seed(seed.shape)
    return _shuffled(_seeded(seed), x)


def _stateless_shuffle_shape(seed: Shape, x: Shape) -> Shape:
    _check_seed(seed)
    return x


stateless_shuffle_p = row(
    "stateless_shuffle", _stateless_shuffle_kernel, signature="i,A->A",
    shape=_stateless_shuffle_shape, op_type="StatelessShuffle", keep_inputs=(),
    samples=(sample("2:i9", "4,2"),),
)  # fmt: skip


def _fold_kernel(seed: Any, data: Any) -> Any:
    _fold_shape(seed.shape, np.shape(data))
    mixed = _draw_bits(_seeded(seed), (), BITS[seed.dtype.itemsize])
    return np.array([mixed, data]).astype(seed.dtype)


def _fold_shape(seed: Shape, data: Shape) -> Shape:
    if seed not in ((2,), (None,), None):
        raise wrong_value(f"seed must have shape (2,), not {seed}")
    if data not in ((), None):
        raise wrong_value(f"data must be a scalar, got shape {data}")
    return (2,)


BITS = {4: dtypes.int32, 8: dtypes.int64}
fold_in_p = row(
    "stateless_fold_in", _fold_kernel, signature="K,K->K", shape=_fold_shape,
    op_type="StatelessFoldIn", keep_inputs=(), samples=(sample("2:i9", np.int32(3)),),
)  # fmt: skip


# Public functions

FLOATS = (dtypes.float16, dtypes.float32, dtypes.float64)
INTS = (dtypes.int32, dtypes.int64)


def accepted(dtype: Any, among: Sequence[DType]) -> DType:
    wanted = as_dtype(dtype)
    if wanted not in among:
        raise wrong_value(
            f"Argument `dtype` got invalid value {wanted.name}. "
            f"Accepted dtypes are {dtypes.names(among)}."
        )
    return wanted


def affine(made: Tensor, scale: Any, shift: Any) -> Tensor:
    """made * scale + shift, less what changes nothing."""
    if type(scale) is not float or scale != 1.0:
        made = made * convert_to_tensor(scale, made.dtype)
    if type(shift) is not float or shift != 0.0:
        made = made + convert_to_tensor(shift, made.dtype)
    return made


def _drawn(
    primitive: Primitive, inputs: Sequence[Tensor], shape: Any, dtype: DType, seed: Any
) -> Any:
    static, dynamic = dims_of(shape)
    stream = _seeds.stream(_seed_of(seed), primitive.name, dtype)
    return bind(primitive, *inputs, *dynamic, shape=static, dtype=dtype, stream=stream)


def normal(
    shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = dtypes.float32, seed: Any = None,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """Normal numbers; `mean` and `stddev` broadcast with `shape`, and gradients flow to them.

    ValueError unless `dtype` is float16, float32 or float64.
    """
    return affine(_drawn(normal_p, (), shape, accepted(dtype, FLOATS), seed), stddev, mean)


def truncated_normal(
    shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = dtypes.float32, seed: Any = None,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """Normal numbers of which none is more than two standard deviations from the mean; see
    `normal`.
    """
    return affine(_drawn(truncated_p, (), shape, accepted(dtype, FLOATS), seed), stddev, mean)


def _bounds(minval: Any, maxval: Any, dtype: DType) -> list[Tensor]:
    return [convert_to_tensor(minval, dtype), convert_to_tensor(maxval, dtype)]


def _uniform_floats(drawn: Tensor, minval: Any, maxval: Any) -> Tensor:
    if maxval is None:
        maxval = 1
    if type(minval) in (int, float) and type(maxval) in (int, float):
        width = static_number(maxval - minval, "maxval - minval")
        return affine(drawn, float(width), float(minval))
    low, high = convert_to_tensor(minval, drawn.dtype), convert_to_tensor(maxval, drawn.dtype)
    return drawn * (high - low) + low


def uniform(
    shape: Any, minval: Any = 0, maxval: Any = None, dtype: Any = dtypes.float32, seed: Any = None,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """Numbers from `minval` up to, not including, `maxval` (1 for floats; integers must give it).

    For floats the bounds broadcast with `shape`; for integers they are scalars, and
    InvalidArgumentError is raised unless minval < maxval. ValueError unless `dtype` is float16,
    float32, float64, int32 or int64.
    """
    wanted = accepted(dtype, FLOATS + INTS)
    if wanted.is_floating:
        return _uniform_floats(_drawn(uniform_p, (), shape, wanted, seed), minval, maxval)
    if maxval is None or minval is None:
        raise wrong_value(f"Must specify maxval for integer dtype {wanted.name}")
    return _drawn(integers_p, _bounds(minval, maxval, wanted), shape, wanted, seed)  # type: ignore[no-any-return]


def _beside(a: Tensor, b: Tensor) -> Tensor:
    """`a` with the shape that both broadcast to; no gradient of it flows to `b`."""
    shape = broadcast(a.static_shape, b.static_shape)
    if is_known(shape):
        return a if a.static_shape == shape else ops.broadcast_to(a, shape)
    return ops.broadcast_to(a, ops.broadcast_dynamic_shape(ops.shape(a), ops.shape(b)))


def gamma(
    shape: Any, alpha: Any, beta: Any = None, dtype: Any = dtypes.float32, seed: Any = None,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """Gamma distributed numbers, `shape` of them for each pair of `alpha` (shape) and `beta`
    (rate, 1).

    Gradients flow to `beta`; LookupError where one is asked for `alpha`. InvalidArgumentError where
    `alpha` is negative.
    """
    wanted = accepted(dtype, FLOATS)
    a = convert_to_tensor(alpha, wanted)
    if beta is None:
        return _drawn(gamma_p, (a,), shape, wanted, seed)  # type: ignore[no-any-return]
    b = convert_to_tensor(beta, wanted)
    made = _drawn(gamma_p, (_beside(a, b),), shape, wanted, seed)
    return ops.maximum(made / b, convert_to_tensor(float(np.finfo(wanted.np_dtype).tiny), wanted))


def poisson(
    shape: Any, lam: Any, dtype: Any = dtypes.float32, seed: Any = None, name: str | None = None
) -> Tensor:
    """Poisson distributed numbers, `shape` of them for each rate in `lam`.

    InvalidArgumentError where a rate is negative.
    """
    wanted = accepted(dtype, FLOATS + INTS)
    return _drawn(poisson_p, (convert_to_tensor(lam),), shape, wanted, seed)  # type: ignore[no-any-return]


def categorical(
    logits: Any, num_samples: Any, dtype: Any = None, seed: Any = None, name: str | None = None
) -> Tensor:
    """For each row of `logits` (unnormalised log-probabilities) the numbers of `num_samples`
    classes drawn by them.
    """
    wanted = accepted(dtypes.int64 if dtype is None else dtype, INTS)
    return _drawn(categorical_p, (convert_to_tensor(logits),), [num_samples], wanted, seed)  # type: ignore[no-any-return]


def shuffle(value: Any, seed: Any = None, name: str | None = None) -> Tensor:
    """`value` with its entries along the first axis in random order. It has no gradient."""
    x = convert_to_tensor(value)
    stream = _seeds.stream(_seed_of(seed), shuffle_p.name, x.dtype)
    return bind(shuffle_p, x, stream=stream)  # type: ignore[no-any-return]


# Stateless functions: `seed` is a vector of two integers, which with the other arguments determines
# the result.


def _seed_vector(seed: Any) -> Tensor:
    vector = convert_to_tensor(seed)
    if vector.static_shape is not None and vector.static_shape not in ((2,), (None,)):
        raise wrong_value(f"seed must have shape (2,), not {vector.shape}")
    return vector


def from_seed(
    primitive: Primitive, seed: Tensor, inputs: Sequence[Tensor], shape: Any, dtype: DType
) -> Any:
    """A stateless op for a seed or the state of a Generator."""
    static, dynamic = dims_of(shape)
    return bind(primitive, seed, *inputs, *dynamic, shape=static, dtype=dtype)


def stateless_normal(
    shape: Any, seed: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = dtypes.float32,
    name: str | None = None, alg: Any = "auto_select",
) -> Tensor:  # fmt: skip
    """Normal numbers determined by `seed`, a vector of two integers; see `normal`."""
    wanted = accepted(dtype, FLOATS)
    made = from_seed(stateless_normal_p, _seed_vector(seed), (), shape, wanted)
    return affine(made, stddev, mean)


def stateless_truncated_normal(
    shape: Any, seed: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = dtypes.float32,
    name: str | None = None, alg: Any = "auto_select",
) -> Tensor:  # fmt: skip
    """Truncated normal numbers determined by `seed`, a vector of two integers; see
    `truncated_normal`.
    """
    wanted = accepted(dtype, FLOATS)
    made = from_seed(stateless_truncated_p, _seed_vector(seed), (), shape, wanted)
    return affine(made, stddev, mean)


def uniform_from(seed: Tensor, shape: Any, minval: Any, maxval: Any, dtype: DType) -> Tensor:
    """Uniform numbers for a seed or the state of a Generator."""
    if dtype.is_floating:
        made = from_seed(stateless_uniform_p, seed, (), shape, dtype)
        return _uniform_floats(made, 0 if minval is None else minval, maxval)
    if (minval is None) != (maxval is None) and not (minval == 0 and maxval is None):
        raise wrong_value(
            "For integer dtypes either both or none of minval and maxval must be None"
        )
    if maxval is None:
        if minval is not None:
            raise wrong_value(f"Must specify maxval for integer dtype {dtype.name}")
        return from_seed(stateless_bits_p, seed, (), shape, dtype)  # type: ignore[no-any-return]
    return from_seed(stateless_integers_p, seed, _bounds(minval, maxval, dtype), shape, dtype)  # type: ignore[no-any-return]


UNSIGNED = (dtypes.uint32, dtypes.uint64)


def stateless_uniform(
    shape: Any, seed: Any, minval: Any = 0, maxval: Any = None, dtype: Any = dtypes.float32,
    name: str | None = None, alg: Any = "auto_select",
) -> Tensor:  # fmt: skip
    """Uniform numbers determined by `seed`, a vector of two integers; see `uniform`.

    For integers with both bounds None, numbers from the whole range of `dtype` (which uint32 and
    uint64 need).
    """
    wanted = accepted(dtype, FLOATS + INTS + UNSIGNED)
    if wanted in UNSIGNED and not (minval is None and maxval is None):
        raise wrong_value(f"minval and maxval must be None for dtype {wanted.name}")
    return uniform_from(_seed_vector(seed), shape, minval, maxval, wanted)


def stateless_categorical(
    logits: Any, num_samples: Any, seed: Any, dtype: Any = dtypes.int64, name: str | None = None
) -> Tensor:
    """Classes drawn by `logits`, determined by `seed`, a vector of two integers; see
    `categorical`.
    """
    wanted = accepted(dtype, INTS)
    inputs = (convert_to_tensor(logits),)
    return from_seed(stateless_categorical_p, _seed_vector(seed), inputs, [num_samples], wanted)  # type: ignore[no-any-return]


def stateless_gamma(
    shape: Any, seed: Any, alpha: Any, beta: Any = None, dtype: Any = dtypes.float32,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """Gamma distributed numbers determined by `seed`; `alpha` and `beta` broadcast to `shape`; see
    `gamma`.
    """
    wanted = accepted(dtype, FLOATS)
    made: Tensor = from_seed(
        stateless_gamma_p,
        _seed_vector(seed),
        (convert_to_tensor(alpha, wanted),),
        shape,
        wanted,
    )
    return made if beta is None else made / convert_to_tensor(beta, wanted)


def stateless_poisson(
    shape: Any, seed: Any, lam: Any, dtype: Any = dtypes.int32, name: str | None = None
) -> Tensor:
    """Poisson distributed numbers determined by `seed`; `lam` broadcasts to `shape`; see
    `poisson`.
    """
    wanted = accepted(dtype, FLOATS + INTS)
    return from_seed(  # type: ignore[no-any-return]
        stateless_poisson_p, _seed_vector(seed), (convert_to_tensor(lam),), shape, wanted
    )


def binomial_from(seed: Tensor, shape: Any, counts: Any, probs: Any, dtype: DType) -> Tensor:
    """Binomial numbers for a seed or the state of a Generator."""
    p = convert_to_tensor(probs)
    if not p.dtype.is_floating:
        raise wrong_dtype(f"probs must be floating-point, not {p.dtype.name}")
    return from_seed(stateless_binomial_p, seed, (convert_to_tensor(counts), p), shape, dtype)  # type: ignore[no-any-return]


def stateless_binomial(
    shape: Any, seed: Any, counts: Any, probs: Any, output_dtype: Any = dtypes.int32,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """How many of `counts` trials with chance `probs` succeed, determined by `seed`; both broadcast
    to `shape`.

    InvalidArgumentError for negative or fractional counts, and chances outside of 0 to 1.
    """
    wanted = accepted(output_dtype, FLOATS + INTS)
    return binomial_from(_seed_vector(seed), shape, counts, probs, wanted)


def stateless_shuffle(
    value: Any, seed: Any, alg: Any = "auto_select", name: str | None = None
) -> Tensor:
    """`value` with its entries along the first axis in an order determined by `seed`, a vector of
    two integers.
    """
    return bind(stateless_shuffle_p, _seed_vector(seed), convert_to_tensor(value))  # type: ignore[no-any-return]


def fold_in(seed: Any, data: Any, alg: Any = "auto_select") -> Tensor:
    """A new seed from a seed and an integer, for one step of many."""
    vector = _seed_vector(seed)
    return bind(fold_in_p, vector, ops.cast(data, vector.dtype))  # type: ignore[no-any-return]


def split(seed: Any, num: Any = 2, alg: Any = "auto_select") -> Tensor:
    """`num` new seeds, one in each row, from one."""
    vector = _seed_vector(seed)
    if vector.dtype not in INTS:
        raise wrong_dtype(f"seed must be int32 or int64, not {vector.dtype.name}")
    return from_seed(stateless_bits_p, vector, (), [num, 2], vector.dtype)  # type: ignore[no-any-return]


__all__ = [
    "categorical",
    "fold_in",
    "gamma",
    "get_seed",
    "normal",
    "poisson",
    "set_seed",
    "shuffle",
    "split",
    "stateless_binomial",
    "stateless_categorical",
    "stateless_gamma",
    "stateless_normal",
    "stateless_poisson",
    "stateless_shuffle",
    "stateless_truncated_normal",
    "stateless_uniform",
    "truncated_normal",
    "uniform",
]
