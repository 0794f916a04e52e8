"""Every public op with arguments at random, many of them wrong: a result, or a documented error."""

import inspect
import linecache
import traceback
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import runtime as tf
from runtime import dtypes, errors

MODULES = ("", "math", "nn", "linalg", "strings", "image", "random", "bitwise", "signal")
# These take functions, or change what is global.
LEFT_OUT = {
    *("Assert", "case", "cond", "control_dependencies", "custom_gradient", "executing_eagerly"),
    *("foldl", "foldr", "function", "get_logger", "grad_pass_through", "init_scope", "map_fn"),
    *("print", "random.create_rng_state", "random.set_global_generator", "random.set_seed"),
    *("recompute_grad", "register_conversion", "scan", "switch_case", "variable_creator_scope"),
    "register_tensor_conversion_function",
    *("gradients", "hessians", "numpy_function", "py_function", "vectorized_map", "while_loop"),
}
SHAPES = [
    (), (1,), (2,), (3,), (0,), (2, 3), (3, 3), (1, 3), (2, 0), (2, 3, 3), (2, 1, 4), (1, 4, 4, 3),
    (3, 3, 2, 2), (2, 5, 5, 2), (4, 4, 3),
]  # fmt: skip
COMMON = [dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64]
JUNK: list[Any] = [
    None, "text", b"b", "", 3.7, -1, 7, 2**40, -(2**63), 2**70, 1e400, float("nan"), True, 1j, {},
    {"a": 1}, set(), (), [], [[]], [[1, 2], [3]], [1, "a"], [None], object(), type, Ellipsis,
    slice(1), range(3), lambda x: x, np.array(["2020"], "datetime64[D]"), np.array([object()]),
    np.zeros((2, 2))[::-1], np.array([1, 2], ">i4"), np.float16(2), tf.TensorShape([2, None]),
    tf.constant("s"), tf.constant([1.5]), [tf.constant(1.0), tf.constant(1)], memoryview(b"abc"),
    tf.float32, "float99", [np.nan], 10**400, np.array(1.0), np.array([np.inf, 1.0]),
]  # fmt: skip
AXES = {"axis", "axes", "batch_dims", "seq_axis", "batch_axis", "k", "num_lower", "num_upper"}
SIZES = {
    *("shape", "dims", "multiples", "begin", "size", "end", "strides", "perm", "ksize", "repeats"),
    *("output_shape", "dilations", "window_shape", "paddings", "num_or_size_splits", "sizes"),
}
COUNTS = {
    *("num", "num_segments", "depth", "num_rows", "num_columns", "nbins", "num_classes", "maxlen"),
    *("num_buckets", "num_partitions", "num_samples", "target_height", "target_width", "shift"),
    *("offset_height", "offset_width", "precision", "width", "pos", "len", "diagonal", "n"),
}
INDICES = {"indices", "segment_ids", "partitions", "labels", "lengths", "seq_lengths", "targets"}
LISTS = {"inputs", "values", "tensors", "t_list", "data"}
WORDS = {
    "padding": ["SAME", "VALID"], "data_format": [None, "NHWC"], "direction": ["DESCENDING"],
    "mode": ["REFLECT", "CONSTANT"], "method": ["nearest", "bicubic"], "seed": [1, (1, 2)],
    "equation": ["ij,jk->ik", "i,i", "...i->..."], "template": ["{}"], "name": [None],
    "message": ["text"], "side": ["left", "right"], "key": [[1, 2]], "alg": ["philox"],
}  # fmt: skip


def public() -> Iterator[tuple[str, Callable[..., Any]]]:
    seen = set()
    for module in MODULES:
        place = getattr(tf, module) if module else tf
        for name in sorted(vars(place) if module else dir(place)):
            whole, value = f"{module}.{name}".lstrip("."), getattr(place, name)
            if name.startswith("_") or whole in LEFT_OUT or id(value) in seen:
                continue
            if inspect.isfunction(value) and value.__module__.startswith("runtime."):
                seen.add(id(value))
                yield whole, value


OPS = list(public())


class Source:
    """Arguments at random. Half of the calls have operands of one dtype, some of one shape."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.dtype: Any = None
        self.shape: Any = None

    def pick(self, among: Any) -> Any:
        return among[self.rng.integers(len(among))]

    def start(self) -> None:
        self.dtype = self.pick(COMMON) if self.rng.random() < 0.5 else None
        self.shape = self.pick(SHAPES) if self.rng.random() < 0.3 else None

    def array(self, dtype: Any, shape: Any) -> Any:
        if dtype is dtypes.string:
            return np.full(shape, b"12", object)
        return (self.rng.normal(size=shape) * 3).astype(dtype.np_dtype)

    def operand(self) -> Any:
        dtype = self.dtype or self.pick(dtypes.ALL)
        shape = self.pick(SHAPES) if self.shape is None else self.shape
        array = self.array(dtype, shape)
        return self.pick([tf.Variable, tf.constant, tf.constant, np.asarray])(array)

    def integers(self, low: int, high: int) -> Any:
        values = self.rng.integers(low, high, self.rng.integers(0, 5)).tolist()
        return self.pick([values, tf.constant(values, tf.int32), self.pick([-1, 0, 1, 3])])

    def argument(self, parameter: inspect.Parameter) -> Any:
        name, draw = parameter.name, self.rng.random()
        if draw < 0.07:
            return self.pick(JUNK)
        if parameter.default is not parameter.empty and draw < 0.5:
            return parameter.default
        if name in WORDS:
            return self.pick(WORDS[name])
        if "bool" in str(parameter.annotation):
            return bool(draw < 0.75)
        if name in AXES or name in COUNTS:
            return int(self.rng.integers(-2, 5))
        if name in SIZES:
            return self.integers(-1, 5)
        if name in INDICES:
            return tf.constant(self.rng.integers(-1, 3, self.pick(SHAPES)), tf.int32)
        if name.endswith(("dtype", "type")):
            return self.pick(dtypes.ALL)
        if name in LISTS and draw < 0.9:
            return [self.operand() for _ in range(self.rng.integers(0, 4))]
        return self.operand()

    def call(self, function: Callable[..., Any]) -> Any:
        self.start()
        given: list[Any] = []
        named: dict[str, Any] = {}
        for parameter in inspect.signature(function).parameters.values():
            if parameter.kind is parameter.VAR_POSITIONAL:
                given += [self.operand() for _ in range(self.rng.integers(0, 3))]
            elif parameter.kind is parameter.KEYWORD_ONLY:
                named[parameter.name] = self.argument(parameter)
            elif parameter.kind is not parameter.VAR_KEYWORD:
                given.append(self.argument(parameter))
        return function(*given, **named)


def is_said(error: Exception) -> bool:
    """Is it an error that a `raise` of ours gives (and none that something else happened to)?"""
    if isinstance(error, errors.OpError):
        return True
    if not isinstance(error, TypeError | ValueError | NotImplementedError):
        return False
    text = str(error)
    if "truth value of an" in text or "cannot be interpreted as an integer" in text:
        return True  # a flag that is no truth value
    frame = traceback.extract_tb(error.__traceback__)[-1]
    line = linecache.getline(frame.filename, frame.lineno or 0)
    return "/runtime/" in frame.filename and line.strip().startswith("raise")


def run(name: str, function: Callable[..., Any], tries: int) -> None:
    source = Source(sum(name.encode()))
    for _ in range(tries):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                made = source.call(function)
        except Exception as error:
            if not is_said(error):
                raise
            continue
        for output in tf.nest.flatten(made):
            if isinstance(output, tf.Tensor):
                assert output.raw.dtype is output.dtype.np_dtype  # type: ignore[attr-defined]


@pytest.mark.parametrize(("name", "function"), OPS, ids=[name for name, _ in OPS])
def test_any_arguments(name: str, function: Callable[..., Any]) -> None:
    run(name, function, 12)


@pytest.mark.soak
@pytest.mark.parametrize(("name", "function"), OPS, ids=[name for name, _ in OPS])
def test_any_arguments_for_long(name: str, function: Callable[..., Any]) -> None:
    run(name, function, 1000)
