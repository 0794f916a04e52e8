"""Random numbers that a seed determines: a vector of two integers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from runtime import dtypes
from runtime.core.convert import convert_to_tensor
from runtime.core.primitive import (
    Memory,
    Order,
    Primitive,
    bind,
    row,
    sample,
    wrong_dtype,
    wrong_value,
)
from runtime.core.shapes import Shape, broadcast, merge_shapes
from runtime.core.tensor import Tensor
from runtime.dtypes import DType
from runtime.ops.define import dims_of
from runtime.ops.random.distributions import Work, check_scalars, draw_binomial, draw_bits
from runtime.ops.random.sampling import (
    CATEGORICAL,
    FLOATS,
    GAMMA,
    INTEGERS,
    INTS,
    NORMAL,
    POISSON,
    TRUNCATED,
    UNIFORM,
    Distribution,
    accepted,
    affine,
    bounds,
    broadcast_all,
    classes_shape,
    sampled,
    sampled_classes,
    shuffled,
    sizes_of,
    static_sizes,
    uniform_floats,
)
from runtime.ops.random.seeds import seeded


def _check_seed(seed: Shape) -> None:
    if seed not in ((2,), (3,), (None,), None):
        raise wrong_value(f"seed must have shape (2,), not {seed}")


def _stateless(name: str, op_type: str, distribution: Distribution) -> Primitive:
    """The row of an op that its seed determines; its inputs are the seed, the parameters, run-time
    dimensions.

    Parameters broadcast to the shape asked for.
    """
    draw, count, signature, (inputs, params) = distribution

    def kernel(
        seed: Any, *inputs: Any, shape: Shape, dtype: DType, out: Any = None, work: Work = None
    ) -> Any:
        _check_seed(seed.shape)
        size = sizes_of(shape, inputs[count:])
        _check_fits(broadcast_all(*map(np.shape, inputs[:count])), size)
        return sampled(draw, seeded(seed), size, dtype, *inputs[:count], out=out, work=work)

    def rule(seed: Shape, *shapes: Shape, shape: Shape, dtype: DType) -> Shape:
        _check_seed(seed)
        size = static_sizes(shape, shapes[count:])
        if distribution is INTEGERS:
            check_scalars(*shapes[:count])
        _check_fits(broadcast_all(*shapes[:count]), size)
        return size

    return row(
        name, kernel, signature=f"i,{signature}", shape=rule, op_type=op_type, keep_inputs=(),
        samples=(sample("2:i9", *inputs, **params),),
    )  # fmt: skip


def _check_fits(parameters: Shape, size: Shape) -> None:
    if parameters is None or size is None:
        return
    made = broadcast(parameters, size)
    if made is None or len(made) != len(size):
        raise wrong_value(f"parameters of shape {parameters} do not broadcast to shape {size}")
    merge_shapes(made, size)


_BITS = Distribution(draw_bits, 0, "i*->dtype", ((), {"shape": (2, 3), "dtype": dtypes.uint32}))
_BINOMIAL = Distribution(
    draw_binomial, 2, "R,G,i*->dtype",
    ((np.int32(5), np.float64(0.3)), {"shape": (3, 2), "dtype": dtypes.int32}),
)  # fmt: skip
stateless_uniform_p = _stateless("stateless_uniform", "StatelessRandomUniformV2", UNIFORM)
stateless_normal_p = _stateless("stateless_normal", "StatelessRandomNormalV2", NORMAL)
stateless_truncated_p = _stateless(
    "stateless_truncated_normal", "StatelessTruncatedNormalV2", TRUNCATED
)
stateless_integers_p = _stateless("stateless_uniform_int", "StatelessRandomUniformIntV2", INTEGERS)
stateless_bits_p = _stateless(
    "stateless_uniform_full_int", "StatelessRandomUniformFullIntV2", _BITS
)
stateless_gamma_p = _stateless("stateless_gamma", "StatelessRandomGammaV3", GAMMA)
stateless_poisson_p = _stateless("stateless_poisson", "StatelessRandomPoisson", POISSON)
stateless_binomial_p = _stateless("stateless_binomial", "StatelessRandomBinomial", _BINOMIAL)


def _stateless_categorical_shape(
    seed: Shape, logits: Shape, *dims: Shape, shape: Shape, dtype: DType
) -> Shape:
    _check_seed(seed)
    return classes_shape(logits, *dims, shape=shape)


def _stateless_categorical_kernel(
    seed: Any, logits: Any, *dims: Any, shape: Shape, dtype: DType, out: Any = None,
    work: Work = None,
) -> Any:  # fmt: skip
    _check_seed(seed.shape)
    return sampled_classes(seeded(seed), logits, dims, shape, dtype, out, work)


stateless_categorical_p = row(
    "stateless_categorical", _stateless_categorical_kernel, signature="i,R,i*->dtype",
    op_type="StatelessMultinomial", keep_inputs=(), shape=_stateless_categorical_shape,
    samples=(sample("2:i9", "2,3", **CATEGORICAL),),
)  # fmt: skip


def _stateless_shuffle_kernel(seed: Any, x: Any, out: Any = None, work: Work = None) -> Any:
    _check_seed(seed.shape)
    return shuffled(seeded(seed), x, out, work)


def _stateless_shuffle_shape(seed: Shape, x: Shape) -> Shape:
    _check_seed(seed)
    return x


stateless_shuffle_p = row(
    "stateless_shuffle", _stateless_shuffle_kernel, signature="i,A->A",
    shape=_stateless_shuffle_shape, op_type="StatelessShuffle", keep_inputs=(),
    samples=(sample("2:i9", "4,2"),), order=Order.C,
)  # fmt: skip


def _fold_kernel(seed: Any, data: Any) -> Any:
    _fold_shape(seed.shape, np.shape(data))
    mixed = draw_bits(seeded(seed), (), BITS[data.dtype.itemsize])
    return np.array([mixed, data]).astype(data.dtype)


def _fold_shape(seed: Shape, data: Shape) -> Shape:
    if seed not in ((2,), (None,), None):
        raise wrong_value(f"seed must have shape (2,), not {seed}")
    if data not in ((), None):
        raise wrong_value(f"data must be a scalar, got shape {data}")
    return (2,)


BITS = {4: dtypes.int32, 8: dtypes.int64}
fold_in_p = row(
    "stateless_fold_in", _fold_kernel, signature="K,J->J", shape=_fold_shape,
    op_type="StatelessFoldIn", keep_inputs=(), samples=(sample("2:i9", np.int32(3)),),
    memory=Memory.READS,
)  # fmt: skip


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
    """Normal numbers determined by `seed`, a vector of two integers; see `normal`.

    >>> rt.random.stateless_normal([2], [1, 2]).shape
    TensorShape([2])
    """
    wanted = accepted(dtype, FLOATS)
    made = from_seed(stateless_normal_p, _seed_vector(seed), (), shape, wanted)
    return affine(made, stddev, mean)


def stateless_truncated_normal(
    shape: Any, seed: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = dtypes.float32,
    name: str | None = None, alg: Any = "auto_select",
) -> Tensor:  # fmt: skip
    """Truncated normal numbers determined by `seed`.

    The seed is a vector of two integers; see `truncated_normal`.

    >>> rt.random.stateless_truncated_normal([2], [1, 2]).shape
    TensorShape([2])
    """
    wanted = accepted(dtype, FLOATS)
    made = from_seed(stateless_truncated_p, _seed_vector(seed), (), shape, wanted)
    return affine(made, stddev, mean)


def uniform_from(seed: Tensor, shape: Any, minval: Any, maxval: Any, dtype: DType) -> Tensor:
    """Uniform numbers for a seed or the state of a Generator."""
    if dtype.is_floating:
        made = from_seed(stateless_uniform_p, seed, (), shape, dtype)
        return uniform_floats(made, 0 if minval is None else minval, maxval)
    if (minval is None) != (maxval is None) and not (minval == 0 and maxval is None):
        raise wrong_value(
            "For integer dtypes either both or none of minval and maxval must be None"
        )
    if maxval is None:
        if minval is not None:
            raise wrong_value(f"Must specify maxval for integer dtype {dtype.name}")
        return from_seed(stateless_bits_p, seed, (), shape, dtype)  # type: ignore[no-any-return]
    return from_seed(stateless_integers_p, seed, bounds(minval, maxval, dtype), shape, dtype)  # type: ignore[no-any-return]


UNSIGNED = (dtypes.uint32, dtypes.uint64)


def stateless_uniform(
    shape: Any, seed: Any, minval: Any = 0, maxval: Any = None, dtype: Any = dtypes.float32,
    name: str | None = None, alg: Any = "auto_select",
) -> Tensor:  # fmt: skip
    """Uniform numbers determined by `seed`, a vector of two integers; see `uniform`.

    For integers with both bounds None, numbers from the whole range of `dtype` (which uint32 and
    uint64 need).

    >>> seed = [1, 2]
    >>> same = rt.random.stateless_uniform([2], seed) == rt.random.stateless_uniform([2], seed)
    >>> same.numpy().tolist()
    [True, True]
    """
    wanted = accepted(dtype, FLOATS + INTS + UNSIGNED)
    if wanted in UNSIGNED and not (minval is None and maxval is None):
        raise wrong_value(f"minval and maxval must be None for dtype {wanted.name}")
    return uniform_from(_seed_vector(seed), shape, minval, maxval, wanted)


def stateless_categorical(
    logits: Any, num_samples: Any, seed: Any, dtype: Any = dtypes.int64, name: str | None = None
) -> Tensor:
    """Classes drawn by `logits`, determined by `seed`.

    The seed is a vector of two integers; see `categorical`.

    >>> rt.random.stateless_categorical([[0., 0.]], 3, [1, 2]).dtype
    tf.int64
    """
    wanted = accepted(dtype, INTS)
    inputs = (convert_to_tensor(logits),)
    return from_seed(stateless_categorical_p, _seed_vector(seed), inputs, [num_samples], wanted)  # type: ignore[no-any-return]


def stateless_gamma(
    shape: Any, seed: Any, alpha: Any, beta: Any = None, dtype: Any = dtypes.float32,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """Gamma distributed numbers determined by `seed`.

    `alpha` and `beta` broadcast to `shape`; see `gamma`.

    >>> rt.random.stateless_gamma([2], [1, 2], 1.).shape
    TensorShape([2])
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
    """Poisson distributed numbers determined by `seed`.

    `lam` broadcasts to `shape`; see `poisson`.

    >>> rt.random.stateless_poisson([2], [1, 2], 3.).dtype
    tf.int32
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
    """Draws the number of successes in `counts` trials with chance `probs`.

    It is determined by `seed`; both broadcast to `shape`.

    InvalidArgumentError for negative or fractional counts, and chances outside of 0 to 1.

    >>> rt.random.stateless_binomial([2], [1, 2], 9., 0.5).dtype
    tf.int32
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
    """A new seed from a seed and an integer, for one step of many: of the dtype of `data`.

    >>> rt.random.fold_in([1, 2], 7).shape
    TensorShape([2])
    """
    number = convert_to_tensor(data)
    if number.dtype not in INTS:
        raise wrong_dtype(f"data must be int32 or int64, not {number.dtype.name}")
    return bind(fold_in_p, _seed_vector(seed), number)  # type: ignore[no-any-return]


def split(seed: Any, num: Any = 2, alg: Any = "auto_select") -> Tensor:
    """`num` new seeds, one in each row, from one.

    >>> rt.random.split([1, 2], 3).shape
    TensorShape([3, 2])
    """
    vector = _seed_vector(seed)
    if vector.dtype not in INTS:
        raise wrong_dtype(f"seed must be int32 or int64, not {vector.dtype.name}")
    return from_seed(stateless_bits_p, vector, (), [num, 2], vector.dtype)  # type: ignore[no-any-return]
