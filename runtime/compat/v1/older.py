"""Short functions of version 1 that version 2 has by no other name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, NamedTuple

import runtime.ops as ops
from runtime import dtypes
from runtime.core.convert import convert_to_tensor
from runtime.core.state import state
from runtime.core.tensor import EagerTensor, Tensor
from runtime.data import TFRecordDataset
from runtime.debugging import assert_all_finite
from runtime.ops.indexed_slices import IndexedSlices
from runtime.ops.random.stateful import categorical
from runtime.ops.random.stateless import stateless_categorical
from runtime.sessions.open_graph import GraphKeys, OpenTrace, get_default_graph
from runtime.sessions.variable_scopes import AUTO_REUSE, get_variable, variable_scope
from runtime.staging.explicit_control_flow import control_dependencies, group


def arg_max(
    input: Any, dimension: Any, output_type: Any = dtypes.int64, name: str | None = None
) -> Tensor:
    """The position of the first largest element along `dimension`.

    >>> int(rt.compat.v1.arg_max([3, 1, 2], 0))
    0
    """
    return ops.argmax(input, dimension, output_type)


def arg_min(
    input: Any, dimension: Any, output_type: Any = dtypes.int64, name: str | None = None
) -> Tensor:
    """The position of the first smallest element along `dimension`.

    >>> int(rt.compat.v1.arg_min([3, 1, 2], 0))
    1
    """
    return ops.argmin(input, dimension, output_type)


def verify_tensor_all_finite(
    t: Any = None, msg: str | None = None, name: str | None = None, x: Any = None,
    message: str | None = None,
) -> Tensor:  # fmt: skip
    """The tensor, of which all elements must be finite, else InvalidArgumentError with `msg`.

    >>> float(rt.compat.v1.verify_tensor_all_finite(1.0, "not finite"))
    1.0
    """
    return assert_all_finite(t if x is None else x, (msg if message is None else message) or "")


def multinomial(
    logits: Any, num_samples: Any, seed: Any = None, name: str | None = None,
    output_dtype: Any = None,
) -> Tensor:  # fmt: skip
    """Numbers of classes, drawn by their logits: `random.categorical`.

    >>> rt.compat.v1.multinomial([[0.0, 0.0]], 3).shape
    TensorShape([1, 3])
    """
    return categorical(logits, num_samples, output_dtype or dtypes.int64, seed)


def stateless_multinomial(
    logits: Any, num_samples: Any, seed: Any, output_dtype: Any = dtypes.int64,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """Numbers of classes, drawn by their logits: `random.stateless_categorical`.

    >>> rt.compat.v1.random.stateless_multinomial([[0.0, 0.0]], 3, [1, 2]).shape
    TensorShape([1, 3])
    """
    return stateless_categorical(logits, num_samples, seed, output_dtype)


class ListDiff(NamedTuple):
    """The elements of one vector that another has not, and where they are."""

    out: Tensor
    idx: Tensor


def setdiff1d(x: Any, y: Any, index_dtype: Any = dtypes.int32, name: str | None = None) -> ListDiff:
    """The elements of the vector `x` that `y` has not, in their order, and where they are.

    >>> out, idx = rt.compat.v1.setdiff1d([1, 2, 3, 2], [2])
    >>> out.numpy().tolist(), idx.numpy().tolist()
    ([1, 3], [0, 2])
    """
    first = convert_to_tensor(x)
    second = convert_to_tensor(y, first.dtype)
    kept = ops.reduce_all(ops.not_equal(first[:, None], second[None, :]), 1)
    places = ops.reshape(ops.where(kept), [-1])
    return ListDiff(ops.gather(first, places), ops.cast(places, index_dtype))


def tuple(
    tensors: Sequence[Any], name: str | None = None, control_inputs: Sequence[Any] | None = None
) -> list[Any]:
    """Tensors with the same values, none of which is there before all are; None stays None.

    In a graph ValueError where all are None.

    >>> [float(x) for x in rt.compat.v1.tuple([1.0, 2.0])]
    [1.0, 2.0]
    """
    given = [None if x is None else convert_to_tensor_or_indexed_slices(x) for x in tensors]
    if state.trace is not None and all(x is None for x in given):
        raise ValueError("tuple: at least one tensor is needed")
    with control_dependencies([x for x in given if x is not None] + list(control_inputs or ())):
        return [None if x is None else ops.identity(x) for x in given]


def guarantee_const(input: Any, name: str | None = None) -> Tensor:
    """The same tensor, of which it is said that it will not change.

    >>> int(rt.compat.v1.guarantee_const(1))
    1
    """
    return ops.identity(input)


def is_symbolic_tensor(tensor: Any) -> bool:
    """Whether it is a tensor of a graph, whose value only a run knows.

    >>> rt.compat.v1.is_symbolic_tensor(rt.constant(1))
    False
    """
    return isinstance(tensor, Tensor) and not isinstance(tensor, EagerTensor)


def convert_to_tensor_or_indexed_slices(
    value: Any, dtype: Any = None, name: str | None = None
) -> Any:
    """IndexedSlices as they are, anything else as a tensor. ValueError for another dtype.

    >>> int(rt.compat.v1.convert_to_tensor_or_indexed_slices(1))
    1
    """
    if not isinstance(value, IndexedSlices):
        return convert_to_tensor(value, dtype)
    if dtype is not None and dtypes.as_dtype(dtype) is not value.dtype:
        raise ValueError(f"IndexedSlices of {value.dtype.name} are not of {dtype}")
    return value


def executing_eagerly_outside_functions() -> bool:
    """Whether ops are computed at once, or would be outside of the function that is being traced.

    >>> rt.compat.v1.executing_eagerly_outside_functions()
    True
    """
    trace = state.trace
    while trace is not None and not isinstance(trace, OpenTrace):
        trace = trace.outer
    return trace is None


def control_flow_v2_enabled() -> bool:
    """True: branches and loops of a graph are nodes with graphs of their own.

    >>> rt.compat.v1.control_flow_v2_enabled()
    True
    """
    return True


def enable_control_flow_v2() -> None:
    """Nothing: it is enabled.

    >>> rt.compat.v1.enable_control_flow_v2()
    """


def enable_tensor_equality() -> None:
    """Nothing: tensors are compared by their elements.

    >>> rt.compat.v1.enable_tensor_equality()
    """


def enable_v2_tensorshape() -> None:
    """Nothing: the sizes of a shape are numbers or None.

    >>> rt.compat.v1.enable_v2_tensorshape()
    """


def colocate_with(op: Any, ignore_existing: bool = False) -> AbstractContextManager[None]:
    """A block that changes nothing: there is one device.

    >>> with rt.compat.v1.colocate_with(rt.constant(1)):
    ...     x = rt.constant(2)
    """
    return nullcontext()


def no_regularizer(_: Any) -> None:
    """None: a variable that is not to be regularized.

    >>> rt.compat.v1.no_regularizer(rt.constant(1.0))
    """


def tables_initializer(name: str = "init_all_tables") -> Any:
    """An operation that does nothing: tables are filled when they are made. None eagerly.

    >>> with rt.Graph().as_default():
    ...     rt.compat.v1.tables_initializer().type
    'NoOp'
    """
    return group()


def add_to_collections(names: Iterable[str] | str, value: Any) -> None:
    """Add something to several collections of the default graph, to each once.

    >>> with rt.Graph().as_default():
    ...     rt.compat.v1.add_to_collections(["a", "b"], 3)
    ...     rt.compat.v1.get_collection("b")
    [3]
    """
    get_default_graph().add_to_collections(names, value)


def model_variables(scope: str | None = None) -> list[Any]:
    """The variables that were put into the collection of those of the model.

    >>> with rt.Graph().as_default():
    ...     rt.compat.v1.model_variables()
    []
    """
    return get_default_graph().get_collection(GraphKeys.MODEL_VARIABLES, scope)


def moving_average_variables(scope: str | None = None) -> list[Any]:
    """The variables that have a moving average.

    >>> with rt.Graph().as_default():
    ...     rt.compat.v1.moving_average_variables()
    []
    """
    return get_default_graph().get_collection(GraphKeys.MOVING_AVERAGE_VARIABLES, scope)


def get_local_variable(name: str, shape: Any = None, dtype: Any = None, **options: Any) -> Any:
    """`get_variable` of a variable that is not trained, in the collection of local ones.

    >>> with rt.Graph().as_default():
    ...     v = rt.compat.v1.get_local_variable("count", initializer=0.0)
    ...     len(rt.compat.v1.local_variables()), len(rt.compat.v1.trainable_variables())
    (1, 0)
    """
    local = [*(options.get("collections") or ()), GraphKeys.LOCAL_VARIABLES]
    given = options | {"trainable": False, "collections": local}
    return get_variable(name, shape, dtype, **given)


def make_template(
    name_: str, func_: Callable[..., Any], create_scope_now_: bool = False,
    unique_name_: str | None = None, custom_getter_: None = None, **kwargs: Any,
) -> Callable[..., Any]:  # fmt: skip
    """A function whose calls share the variables that `func_` gets: the first call makes them.

    ValueError for a `custom_getter_` and a `unique_name_`, which are not supported.

    >>> with rt.Graph().as_default():
    ...     scale = rt.compat.v1.make_template(
    ...         "scale", lambda x: x * rt.compat.v1.get_variable("w", initializer=2.0))
    ...     _ = scale(1.0), scale(2.0)
    ...     [v.name for v in rt.compat.v1.global_variables()]
    ['scale/w:0']
    """
    if custom_getter_ is not None or unique_name_ is not None:
        raise ValueError("make_template: custom_getter_ and unique_name_ are not supported")
    scopes: list[Any] = []

    def opened() -> Any:
        if not scopes:
            with variable_scope(None, name_) as scope:
                scopes.append(scope)
        return scopes[0]

    if create_scope_now_:
        opened()

    def template(*args: Any, **more: Any) -> Any:
        with variable_scope(opened(), reuse=AUTO_REUSE):
            return func_(*args, **(kwargs | more))

    return template


def xw_plus_b(x: Any, weights: Any, biases: Any, name: str | None = None) -> Tensor:
    """The matrix product of `x` and `weights`, plus `biases`.

    >>> rt.compat.v1.nn.xw_plus_b([[1.0]], [[2.0]], [3.0]).numpy().tolist()
    [[5.0]]
    """
    return ops.bias_add(ops.matmul(x, weights), biases)


def relu_layer(x: Any, weights: Any, biases: Any, name: str | None = None) -> Tensor:
    """The positive part of `x` times `weights` plus `biases`.

    >>> rt.compat.v1.nn.relu_layer([[1.0]], [[2.0]], [-3.0]).numpy().tolist()
    [[0.0]]
    """
    return ops.relu(xw_plus_b(x, weights, biases))


def tf_record_iterator(path: Any, options: Any = None) -> Iterator[bytes]:
    """The records of a file, one after the other; errors as those of `data.TFRecordDataset`.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with rt.io.TFRecordWriter(folder + "/a.tfrecord") as writer:
    ...         writer.write(b"one")
    ...     list(rt.compat.v1.python_io.tf_record_iterator(folder + "/a.tfrecord"))
    [b'one']
    """
    kind = getattr(options, "compression_type", options) or ""
    for record in TFRecordDataset([path], kind):
        yield record.numpy()
