"""Random numbers that differ from call to call: ops with an effect."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import runtime.ops as ops
from runtime import dtypes, errors
from runtime.core.convert import convert_to_tensor
from runtime.core.primitive import Order, Primitive, bind, row, sample, wrong_value
from runtime.core.shapes import Shape, broadcast, is_known
from runtime.core.tensor import Tensor
from runtime.dtypes import DType
from runtime.ops.define import dims_of
from runtime.ops.random.distributions import Work, check_scalars
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
from runtime.ops.random.seeds import BY_OP, Stream, global_seeds, seed_of


def _named(draw: Callable[..., Any], op_type: str) -> Callable[..., Any]:
    """Kernels of ops with effects are called as they are: they name themselves in their errors."""

    def kernel(*inputs: Any, out: Any = None, work: Work = None, **params: Any) -> Any:
        try:
            return draw(*inputs, **params, out=out, work=work)
        except errors.OpError as error:
            raise type(error)(None, op_type, f"{op_type}: {error.message}") from None
        except ValueError as error:
            raise errors.InvalidValueError(None, op_type, f"{op_type}: {error}") from None

    return kernel


def _stateful(name: str, op_type: str, distribution: Distribution) -> Primitive:
    """The row of an op with an effect; its inputs are the parameters, then run-time dimensions.

    Parameters that are no scalars append their shape to the one asked for.
    """
    draw, count, signature, (inputs, params) = distribution

    def kernel(
        *inputs: Any, shape: Shape, dtype: DType, stream: Stream, out: Any = None, work: Work = None
    ) -> Any:
        size = (
            *sizes_of(shape, inputs[count:]),
            *np.broadcast_shapes(*map(np.shape, inputs[:count])),
        )
        parameters = inputs[:count]
        return sampled(draw, stream.generator(), size, dtype, *parameters, out=out, work=work)

    def rule(*shapes: Shape, shape: Shape, dtype: DType, stream: Stream) -> Shape:
        if distribution is INTEGERS:
            check_scalars(*shapes[:count])
        front, back = static_sizes(shape, shapes[count:]), broadcast_all(*shapes[:count])
        return None if front is None or back is None else (*front, *back)

    return row(
        name, _named(kernel, op_type), signature=signature, shape=rule, op_type=op_type,
        effect=True, keep_inputs=(),
        samples=(sample(*inputs, stream=Stream((0, 7), BY_OP), **params),),
    )  # fmt: skip


uniform_p = _stateful("random_uniform", "RandomUniform", UNIFORM)
normal_p = _stateful("random_normal", "RandomStandardNormal", NORMAL)
truncated_p = _stateful("random_truncated_normal", "TruncatedNormal", TRUNCATED)
integers_p = _stateful("random_uniform_int", "RandomUniformInt", INTEGERS)
gamma_p = _stateful("random_gamma", "RandomGamma", GAMMA)
poisson_p = _stateful("random_poisson", "RandomPoissonV2", POISSON)


categorical_p = row(
    "random_categorical",
    _named(
        lambda logits, *dims, shape, dtype, stream, out=None, work=None: sampled_classes(
            stream.generator(), logits, dims, shape, dtype, out, work
        ),
        "Multinomial",
    ),
    signature="R,i*->dtype", op_type="Multinomial", effect=True, keep_inputs=(),
    shape=lambda logits, *dims, shape, dtype, stream: classes_shape(logits, *dims, shape=shape),
    samples=(sample("2,3", stream=Stream((0, 7), BY_OP), **CATEGORICAL),),
)  # fmt: skip


shuffle_p = row(
    "random_shuffle",
    lambda x, *, stream, out=None, work=None: shuffled(stream.generator(), x, out, work),
    signature="A->A",
    shape=lambda shape, *, stream: shape, op_type="RandomShuffle", effect=True, keep_inputs=(),
    samples=(sample("4,2", stream=Stream((0, 7), BY_OP)),), order=Order.C,
)  # fmt: skip


def _drawn(
    primitive: Primitive, inputs: Sequence[Tensor], shape: Any, dtype: DType, seed: Any
) -> Any:
    static, dynamic = dims_of(shape)
    stream = global_seeds.stream(seed_of(seed), primitive.name, dtype)
    return bind(primitive, *inputs, *dynamic, shape=static, dtype=dtype, stream=stream)


def normal(
    shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = dtypes.float32, seed: Any = None,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """Normal numbers; `mean` and `stddev` broadcast with `shape`, and gradients flow to them.

    ValueError unless `dtype` is float16, float32 or float64.

    >>> rt.random.normal([2]).shape
    TensorShape([2])
    """
    return affine(_drawn(normal_p, (), shape, accepted(dtype, FLOATS), seed), stddev, mean)


def truncated_normal(
    shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = dtypes.float32, seed: Any = None,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """Normal numbers, none more than two standard deviations from the mean; see `normal`.

    >>> rt.random.truncated_normal([2]).shape
    TensorShape([2])
    """
    return affine(_drawn(truncated_p, (), shape, accepted(dtype, FLOATS), seed), stddev, mean)


def uniform(
    shape: Any, minval: Any = 0, maxval: Any = None, dtype: Any = dtypes.float32, seed: Any = None,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """Numbers from `minval` up to, not including, `maxval` (1 for floats; integers must give it).

    For floats the bounds broadcast with `shape`; for integers they are scalars, and
    InvalidArgumentError is raised unless minval < maxval. ValueError unless `dtype` is float16,
    float32, float64, int32 or int64.

    >>> rt.random.uniform([2]).shape
    TensorShape([2])
    """
    wanted = accepted(dtype, FLOATS + INTS)
    if wanted.is_floating:
        return uniform_floats(_drawn(uniform_p, (), shape, wanted, seed), minval, maxval)
    if maxval is None or minval is None:
        raise wrong_value(f"Must specify maxval for integer dtype {wanted.name}")
    return _drawn(integers_p, bounds(minval, maxval, wanted), shape, wanted, seed)  # type: ignore[no-any-return]


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
    """Gamma distributed numbers, `shape` of them for each pair of parameters.

    The parameters are `alpha` (shape) and `beta` (rate, 1).

    Gradients flow to `beta`; LookupError where one is asked for `alpha`. InvalidArgumentError where
    `alpha` is negative.

    >>> rt.random.gamma([2], 1.).shape
    TensorShape([2])
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

    >>> rt.random.poisson([2], 1.).shape
    TensorShape([2])
    """
    wanted = accepted(dtype, FLOATS + INTS)
    return _drawn(poisson_p, (convert_to_tensor(lam),), shape, wanted, seed)  # type: ignore[no-any-return]


def categorical(
    logits: Any, num_samples: Any, dtype: Any = None, seed: Any = None, name: str | None = None
) -> Tensor:
    """Classes drawn by `logits`, `num_samples` of them for each row.

    Logits are unnormalised log-probabilities.

    >>> rt.random.categorical([[0., 0.]], 3).shape
    TensorShape([1, 3])
    """
    wanted = accepted(dtypes.int64 if dtype is None else dtype, INTS)
    return _drawn(categorical_p, (convert_to_tensor(logits),), [num_samples], wanted, seed)  # type: ignore[no-any-return]


def shuffle(value: Any, seed: Any = None, name: str | None = None) -> Tensor:
    """`value` with its entries along the first axis in random order. It has no gradient.

    >>> rt.sort(rt.random.shuffle([1, 2, 3])).numpy().tolist()
    [1, 2, 3]
    """
    x = convert_to_tensor(value)
    stream = global_seeds.stream(seed_of(seed), shuffle_p.name, x.dtype)
    return bind(shuffle_p, x, stream=stream)  # type: ignore[no-any-return]
