"""Ops whose arguments mean something else in version 1 than the same arguments in version 2."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from inspect import signature
from typing import Any

import numpy as np

import runtime.ops as ops
from runtime import dtypes
from runtime.core.convert import convert_to_tensor
from runtime.core.tensor import Tensor, inside_function
from runtime.ops.blocks import batch_to_space as _batch_to_space
from runtime.ops.blocks import space_to_batch as _space_to_batch
from runtime.ops.checks import below
from runtime.ops.ctc_decoding import SparseTensorValue, searched
from runtime.ops.define import matched
from runtime.ops.nn import embedding_lookup as _embedding_lookup
from runtime.ops.normalization import dropout as _dropout
from runtime.ops.ordering import in_top_k as _in_top_k
from runtime.ops.print_op import print as _print
from runtime.ops.random.stateful import poisson as _poisson
from runtime.staging.explicit_control_flow import cond as _cond
from runtime.staging.explicit_control_flow import control_dependencies
from runtime.staging.explicit_control_flow import while_loop as _while_loop


def div(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x / y, of integers rounded down.

    >>> int(rt.compat.v1.div(-7, 2)), float(rt.compat.v1.div(7.0, 2.0))
    (-4, 3.5)
    """
    first, second = matched(x, y)
    return ops.floordiv(first, second) if first.dtype.is_integer else ops.divide(first, second)


def where(condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> Tensor:
    """Elements of `x` where `condition` is true, of `y` elsewhere; a vector chooses whole rows.

    Without x and y the places where it is true. ValueError for a vector and `x` of unknown rank.

    >>> rt.compat.v1.where([True, False], [[1, 2], [3, 4]], [[5, 6], [7, 8]]).numpy().tolist()
    [[1, 2], [7, 8]]
    """
    if x is None or y is None:
        return ops.where(condition, x, y)
    test = convert_to_tensor(condition, dtypes.bool)
    first, second = matched(x, y)
    if test.shape.rank == 1 and first.shape.rank != 1:
        if first.shape.rank is None:
            raise ValueError("where: x has an unknown rank: set_shape says it")
        test = ops.reshape(test, [-1, *[1] * (first.shape.rank - 1)])
    return ops.where(test, first, second)


def cond(
    pred: Any, true_fn: Any = None, false_fn: Any = None, strict: bool = False,
    name: str | None = None, fn1: Any = None, fn2: Any = None,
) -> Any:  # fmt: skip
    """The result of `true_fn` where `pred` holds, else of `false_fn`; of a list of one its item.

    Such a list remains with `strict`, and in functions. `fn1` and `fn2` are older names of both:
    TypeError for a function that is given twice.

    >>> int(rt.compat.v1.cond(rt.constant(True), lambda: [1], lambda: [2]))
    1
    """
    if None not in (true_fn, fn1) or None not in (false_fn, fn2):
        raise TypeError("cond: fn1 is true_fn, fn2 is false_fn: give one of both")
    result = _cond(pred, true_fn or fn1, false_fn or fn2)
    return result if strict or inside_function() else _alone(result)


def while_loop(
    cond: Any, body: Any, loop_vars: Any, shape_invariants: Any = None,
    parallel_iterations: int = 10, back_prop: bool = True, swap_memory: bool = False,
    name: str | None = None, maximum_iterations: Any = None, return_same_structure: bool = False,
) -> Any:  # fmt: skip
    """As `while_loop` of version 2; of a list with one variable its value.

    `return_same_structure` keeps such a list.

    >>> int(rt.compat.v1.while_loop(lambda i: i < 3, lambda i: i + 1, [0]))
    3
    """
    result = _while_loop(
        cond, body, loop_vars, shape_invariants, parallel_iterations, back_prop, swap_memory,
        maximum_iterations,
    )  # fmt: skip
    return result if return_same_structure else _alone(result)


def _alone(result: Any) -> Any:
    return result[0] if isinstance(result, list | tuple) and len(result) == 1 else result


def dropout(
    x: Any, keep_prob: Any = None, noise_shape: Any = None, seed: Any = None,
    name: str | None = None, rate: Any = None,
) -> Tensor:  # fmt: skip
    """`x` with a share of its elements set to 0: 1 - `keep_prob`, or `rate`.

    Other arguments, result and errors as those of version 2. ValueError unless one of both is
    given.

    >>> rt.compat.v1.nn.dropout([1.0, 2.0], 1.0).numpy().tolist()
    [1.0, 2.0]
    """
    if (keep_prob is None) == (rate is None):
        raise ValueError("dropout: give keep_prob or rate, one of both")
    return _dropout(x, 1.0 - keep_prob if rate is None else rate, noise_shape, seed)


def embedding_lookup(
    params: Any, ids: Any, partition_strategy: str = "mod", name: str | None = None,
    validate_indices: bool = True, max_norm: Any = None,
) -> Tensor:  # fmt: skip
    """The rows of `params` that `ids` names, as in version 2.

    Of a list of n parts "mod" takes row id // n of part id % n; "div" takes the parts one after
    the other. ValueError for another `partition_strategy`. InvalidArgumentError for an id without
    a row.

    >>> rt.compat.v1.nn.embedding_lookup([[[0], [2]], [[1], [3]]], [2, 3]).numpy().tolist()
    [[2], [3]]
    """
    if partition_strategy not in ("mod", "div"):
        raise ValueError(
            f'embedding_lookup: partition_strategy is "mod" or "div", not {partition_strategy!r}'
        )
    if partition_strategy == "div" or not isinstance(params, list) or len(params) < 2:
        return _embedding_lookup(params, ids, max_norm)
    parts = [convert_to_tensor(part) for part in params]
    places = convert_to_tensor(ids, dtype_hint=dtypes.int32)
    lengths = ops.stack([ops.shape(part, places.dtype)[0] for part in parts])
    part, row = places % len(parts), places // len(parts)
    row = below(row, ops.gather(lengths, part), "embedding_lookup", "row of ids")
    starts = ops.cumsum(lengths, exclusive=True)
    return _embedding_lookup(ops.concat(parts, 0), ops.gather(starts, part) + row, max_norm)


def batch_gather(params: Any, indices: Any, name: str | None = None) -> Tensor:
    """The elements of the last axis of `indices`, for all the axes before it, as of one batch.

    >>> rt.compat.v1.batch_gather([[1, 2], [3, 4]], [[1], [0]]).numpy().tolist()
    [[2], [3]]
    """
    places = convert_to_tensor(indices)
    if not places.ndim:
        raise ValueError(f"batch_gather: indices must have one axis or more, got {places.shape}")
    return ops.gather(params, places, batch_dims=places.ndim - 1)


def in_top_k(predictions: Any, targets: Any, k: Any, name: str | None = None) -> Tensor:
    """For each row of `predictions` whether that of the target is one of the `k` greatest.

    >>> rt.compat.v1.nn.in_top_k([[0.1, 0.9]], [1], 1).numpy().tolist()
    [True]
    """
    return _in_top_k(targets, predictions, k)


def poisson(
    lam: Any, shape: Any, dtype: Any = dtypes.float32, seed: Any = None, name: str | None = None
) -> Tensor:
    """Counts of events with the means `lam`, as many as `shape` says for each.

    >>> rt.compat.v1.random.poisson([0.0, 0.0], [1]).numpy().tolist()
    [[0.0, 0.0]]
    """
    return _poisson(shape, lam, dtype, seed)


def space_to_batch(
    input: Any, paddings: Any, block_size: Any = None, name: str | None = None,
    block_shape: Any = None,
) -> Tensor:  # fmt: skip
    """As `space_to_batch` of version 2, by blocks of one `block_size`, also named `block_shape`.

    ValueError unless one of both is given.

    >>> rt.compat.v1.space_to_batch([[[[1], [2]], [[3], [4]]]], [[0, 0], [0, 0]], 2).shape
    TensorShape([4, 1, 1, 1])
    """
    return _space_to_batch(
        _image(input), _block("space_to_batch", block_size, block_shape), paddings
    )


def _image(x: Any) -> Tensor:
    """Images of a batch: of rank 4, also where that is not known."""
    images = convert_to_tensor(x)
    return ops.ensure_shape(images, (None,) * 4) if images.ndim is None else images


def batch_to_space(
    input: Any, crops: Any, block_size: Any = None, name: str | None = None,
    block_shape: Any = None,
) -> Tensor:  # fmt: skip
    """As `batch_to_space` of version 2, by blocks of one `block_size`, also named `block_shape`.

    ValueError unless one of both is given.

    >>> rt.compat.v1.batch_to_space([[[[1]]]] * 4, [[0, 0], [0, 0]], 2).shape
    TensorShape([1, 2, 2, 1])
    """
    return _batch_to_space(_image(input), _block("batch_to_space", block_size, block_shape), crops)


def _block(function: str, block_size: Any, block_shape: Any) -> Any:
    if (block_size is None) == (block_shape is None):
        raise ValueError(f"{function}: give block_size or block_shape, one of both")
    return block_size if block_shape is None else block_shape


def Print(
    input_: Any, data: Sequence[Any], message: str | None = None, first_n: int | None = None,
    summarize: int | None = None, name: str | None = None,
) -> Tensor:  # fmt: skip
    """`input_`, which writes `message` and the tensors of `data` to stderr when it is computed.

    `summarize` is the number of elements shown at both ends of each dimension, 3 by default.
    ValueError for `first_n`: each time is written.

    >>> int(rt.compat.v1.Print(1, [[2, 3]], "data: ") + 1)
    2
    """
    if first_n not in (None, -1):
        raise ValueError(
            f"Print: first_n={first_n} is not supported: count in a variable, and write with "
            "tf.print where the count is small"
        )
    written = _print(message or "", *data, summarize=3 if summarize is None else summarize)
    with control_dependencies([] if written is None else [written]):
        return ops.identity(input_)


def to_double(x: Any, name: str = "ToDouble") -> Tensor:
    """`x` as float64.

    >>> rt.compat.v1.to_double([1, 2]).numpy().tolist()
    [1.0, 2.0]
    """
    return ops.cast(x, dtypes.float64)


def to_float(x: Any, name: str = "ToFloat") -> Tensor:
    """`x` as float32.

    >>> rt.compat.v1.to_float([1, 2]).numpy().tolist()
    [1.0, 2.0]
    """
    return ops.cast(x, dtypes.float32)


def to_int32(x: Any, name: str = "ToInt32") -> Tensor:
    """`x` as int32.

    >>> int(rt.compat.v1.to_int32(1.5))
    1
    """
    return ops.cast(x, dtypes.int32)


def to_int64(x: Any, name: str = "ToInt64") -> Tensor:
    """`x` as int64.

    >>> int(rt.compat.v1.to_int64(1.5))
    1
    """
    return ops.cast(x, dtypes.int64)


def to_bfloat16(x: Any, name: str = "ToBFloat16") -> Tensor:
    """`x` as bfloat16.

    >>> rt.compat.v1.to_bfloat16([1, 2]).dtype
    tf.bfloat16
    """
    return ops.cast(x, dtypes.bfloat16)


def to_complex64(x: Any, name: str = "ToComplex64") -> Tensor:
    """`x` as complex64.

    >>> rt.compat.v1.to_complex64([1, 2]).numpy().tolist()
    [(1+0j), (2+0j)]
    """
    return ops.cast(x, dtypes.complex64)


def to_complex128(x: Any, name: str = "ToComplex128") -> Tensor:
    """`x` as complex128.

    >>> rt.compat.v1.to_complex128([1, 2]).numpy().tolist()
    [(1+0j), (2+0j)]
    """
    return ops.cast(x, dtypes.complex128)


def clip_by_average_norm(t: Any, clip_norm: Any, name: str | None = None) -> Tensor:
    """`t` scaled so that its norm by the number of its elements is at most `clip_norm`.

    >>> rt.compat.v1.clip_by_average_norm([30.0, 40.0], 12.5).numpy().tolist()
    [15.0, 20.0]
    """
    values = convert_to_tensor(t)
    count = ops.cast(ops.size(values), values.dtype)
    return ops.clip_by_norm(values, convert_to_tensor(clip_norm, values.dtype) * count)


_REDUCTIONS = (
    "reduce_all reduce_any reduce_logsumexp reduce_max reduce_mean reduce_min reduce_prod "
    "reduce_sum"
)
_COMPARISONS = "equal greater greater_equal less less_equal none_equal"
_SIGNS = "negative non_negative non_positive positive"
OLDER_ARGUMENTS: dict[str, dict[str, str]] = {
    **{
        name: {"keep_dims": "keepdims", "reduction_indices": "axis"} for name in _REDUCTIONS.split()
    },
    **{name: {"dimension": "axis"} for name in ("argmax", "argmin")},
    **{name: {"dim": "axis"} for name in ("expand_dims", "softmax", "log_softmax")},
    **{name: {"tensor": "input"} for name in ("ones_like", "zeros_like")},
    **{name: {"filter": "filters"} for name in ("conv2d", "conv3d")},
    **{
        name: {"value": "input", "filter": "filters"}
        for name in ("conv2d_transpose", "conv3d_transpose")
    },
    **{name: {"value": "input"} for name in ("avg_pool", "avg_pool2d", "max_pool")},
    **{name: {"keep_dims": "keepdims"} for name in ("moments", "norm", "sufficient_statistics")},
    "batch_norm_with_global_normalization": {"t": "input", "m": "mean", "v": "variance"},
    "crop_and_resize": {"box_ind": "box_indices"},
    "decode_raw": {"bytes": "input_bytes"},
    "separable_conv2d": {"rate": "dilations"},
    "to_hash_bucket": {"string_tensor": "input"},
    "convolution": {"filter": "filters", "dilation_rate": "dilations"},
    "pool": {"dilation_rate": "dilations"},
    "conv1d": {"value": "input"},
    "convert_to_tensor": {"preferred_dtype": "dtype_hint"},
    "depthwise_conv2d": {"rate": "dilations"},
    "softmax_cross_entropy_with_logits": {"dim": "axis"},
    "weighted_cross_entropy_with_logits": {"targets": "labels"},
    "weighted_moments": {"keep_dims": "keepdims"},
    "reverse_sequence": {"seq_dim": "seq_axis", "batch_dim": "batch_axis"},
    "to_number": {"string_tensor": "input"},
    "extract_patches": {"ksizes": "sizes"},
    "max_pool_with_argmax": {"Targmax": "output_dtype"},
    "squeeze": {"squeeze_dims": "axis"},
    "count_nonzero": {
        "input_tensor": "input", "keep_dims": "keepdims", "reduction_indices": "axis",
    },
    "reduce_join": {"keep_dims": "keepdims", "reduction_indices": "axis"},
}  # fmt: skip
"""For functions of version 1 the older names of arguments, and those of today."""

_PARSERS = "parse_example parse_single_example"
_OLDER_ORDER: dict[str, str] = {
    **{f"assert_{name}": "x y data summarize message name" for name in _COMPARISONS.split()},
    **{f"assert_{name}": "x data summarize message name" for name in _SIGNS.split()},
    **{name: "input axis name dimension output_type" for name in ("argmax", "argmin")},
    **{name: "input name out_type" for name in ("shape", "size")},
    "assert_near": "x y rtol atol data summarize message name",
    "assert_rank": "x rank data summarize message name",
    "assert_rank_at_least": "x rank data summarize message name",
    "assert_rank_in": "x ranks data summarize message name",
    "assert_scalar": "tensor name message",
    "boolean_mask": "tensor mask name axis",
    "confusion_matrix": "labels predictions num_classes dtype name weights",
    "conv1d": "value filters stride padding use_cudnn_on_gpu data_format name input dilations",
    "conv2d": "input filter strides padding use_cudnn_on_gpu data_format dilations name filters",
    "conv3d": "input filter strides padding data_format dilations name filters",
    **{
        name: "value filter output_shape strides padding data_format name input filters dilations"
        for name in ("conv2d_transpose", "conv3d_transpose")
    },
    "convert_to_tensor": "value dtype name preferred_dtype dtype_hint",
    "convolution": "input filter padding strides dilation_rate name data_format filters dilations",
    "count_nonzero": "input_tensor axis keepdims dtype name reduction_indices keep_dims input",
    "crelu": "features name axis",
    "decode_raw": "input_bytes out_type little_endian name bytes",
    "depth_to_space": "input block_size name data_format",
    "depthwise_conv2d": "input filter strides padding rate name data_format dilations",
    "expand_dims": "input axis name dim",
    "extract_patches": "images ksizes strides rates padding name sizes",
    "gather": "params indices validate_indices name axis batch_dims",
    "gather_nd": "params indices name batch_dims bad_indices_policy",
    "gradients": "ys xs grad_ys name colocate_gradients_with_ops gate_gradients aggregation_method "
    "stop_gradients unconnected_gradients",
    "hessians": "ys xs name colocate_gradients_with_ops gate_gradients aggregation_method",
    "length": "input name unit",
    "log_softmax": "logits axis name dim",
    "moments": "x axes shift name keep_dims keepdims",
    "ones_like": "tensor dtype name optimize",
    "pad": "tensor paddings mode name constant_values",
    "max_pool_with_argmax": "input ksize strides padding data_format Targmax name output_dtype "
    "include_batch_in_index",
    "pool": "input window_shape pooling_type padding dilation_rate strides name data_format "
    "dilations",
    **{name: "serialized features name example_names" for name in _PARSERS.split()},
    "reduce_join": "inputs axis keep_dims separator name reduction_indices keepdims",
    "softmax": "logits axis name dim",
    "separable_conv2d": "input depthwise_filter pointwise_filter strides padding rate name "
    "data_format dilations",
    "softmax_cross_entropy_with_logits": "labels logits dim name axis",
    "space_to_depth": "input block_size name data_format",
    "squeeze": "input axis name squeeze_dims",
    "substr": "input pos len name unit",
    "to_number": "string_tensor out_type name input",
    "to_hash_bucket": "string_tensor num_buckets name input",
    "transpose": "a perm name conjugate",
    "weighted_moments": "x axes frequency_weights name keep_dims keepdims",
    "zeros_like": "tensor dtype name optimize",
}
"""The arguments of functions of version 1 whose order is another today."""

# They choose the words of an assertion's error, or how TensorFlow builds its graphs and runs them.
_WITHOUT_EFFECT = frozenset(
    (
        "colocate_gradients_with_ops", "data", "optimize", "summarize", "use_cudnn_on_gpu",
        "validate_indices",
    )
)  # fmt: skip


def with_older_arguments(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, which takes arguments by their older names, and in their older order."""
    known = getattr(function, "__name__", "")
    older, order = OLDER_ARGUMENTS.get(known, {}), _OLDER_ORDER.get(known, "").split()
    if not older and not order:
        return function
    accepted = signature(function).parameters

    @wraps(function)
    def renaming(*args: Any, **kwargs: Any) -> Any:
        if order:
            args, kwargs = (), _by_name(known, order, args, kwargs)
            for name in _WITHOUT_EFFECT - {*accepted}:
                kwargs.pop(name, None)
        for old, new in older.items():
            if old in kwargs:
                if new in kwargs:
                    raise ValueError(f"Cannot specify both '{old}' and '{new}'")
                kwargs[new] = kwargs.pop(old)
        return function(*args, **kwargs)

    return renaming


def _by_name(
    function: str, order: list[str], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> dict[str, Any]:
    """All arguments that are not None by their names, of which `order` has those without one."""
    if len(args) > len(order):
        raise TypeError(f"{function}() takes at most {len(order)} arguments, got {len(args)}")
    given = dict(zip(order, args, strict=False))
    if twice := given.keys() & kwargs.keys():
        raise TypeError(f"{function}() got two values for {min(twice)!r}")
    return {name: value for name, value in {**given, **kwargs}.items() if value is not None}


@with_older_arguments
def softmax_cross_entropy_with_logits(
    labels: Any, logits: Any, axis: Any = -1, name: str | None = None
) -> Tensor:
    """As in version 2, but no gradient flows to `labels`.

    >>> make = rt.compat.v1.nn.softmax_cross_entropy_with_logits
    >>> make(labels=[[0., 1.]], logits=[[0., 0.]]).numpy().round(3)
    array([0.693], dtype=float32)
    """
    scores, truth = matched(logits, labels)
    return ops.softmax_cross_entropy_with_logits(ops.stop_gradient(truth), scores, axis, name)


def constant(
    value: Any, dtype: Any = None, shape: Any = None, name: str | None = "Const",
    verify_shape: bool = False,
) -> Tensor:  # fmt: skip
    """`constant` of version 2; with `verify_shape` TypeError for a value of another shape.

    >>> rt.compat.v1.constant(1, shape=[2]).numpy().tolist()
    [1, 1]
    """
    if verify_shape and shape is not None:
        found, asked = np.shape(value), tuple(shape)
        if found != asked:
            raise TypeError(f"constant: a value of shape {found} for one of shape {asked}")
    return ops.constant(value, dtype, shape, name)


def ctc_beam_search_decoder(
    inputs: Any, sequence_length: Any, beam_width: Any = 100, top_paths: Any = 1,
    merge_repeated: bool = True,
) -> tuple[list[SparseTensorValue], Tensor]:  # fmt: skip
    """As in version 2, but with one of each label that is found several times in a row.

    >>> x = rt.math.log([[[0.9, 0.1]], [[0.1, 0.9]], [[0.9, 0.1]]])
    >>> labels, _ = rt.compat.v1.nn.ctc_beam_search_decoder(x, [3])
    >>> labels[0].values.numpy().tolist()
    [0]
    """
    return searched(inputs, sequence_length, beam_width, top_paths, merge=merge_repeated)
