"""Records of features (`train.Example`) as protocol buffers, and the reading of them.

The messages are made of their descriptions by the package `protobuf`, which the extra `tensorboard`
brings. They have the names and numbers of TensorFlow's, so that either reads what the other wrote.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from runtime import dtypes, errors
from runtime.autodiff.python_calls import numpy_function
from runtime.core.convert import as_array, convert_to_tensor
from runtime.core.extras import extra
from runtime.core.primitive import wrong_dtype, wrong_value
from runtime.core.shapes import Shape, TensorShape, TensorSpec, as_shape
from runtime.core.tensor import Tensor
from runtime.dtypes import DType, as_dtype

_BYTES, _FLOAT, _INT64, _MESSAGE = 12, 2, 3, 11  # numbers of types of fields
_ONE, _MANY = 1, 3


def _package(name: str) -> Any:
    return extra(f"google.protobuf.{name}", "tensorboard", "tf.train.Example")


def _messages() -> dict[str, Any]:
    """The message classes, by their names."""
    file = _package("descriptor_pb2").FileDescriptorProto(
        name="runtime/example.proto", package="tensorflow", syntax="proto3"
    )

    def message(name: str, *fields: tuple[str, int, int, str]) -> Any:
        made = file.message_type.add(name=name)
        for at, (field, kind, label, type_name) in enumerate(fields):
            made.field.add(
                name=field, number=at + 1, type=kind, label=label,
                type_name=f".tensorflow.{type_name}" if type_name else None,
            )  # fmt: skip
        return made

    def table(name: str, field: str, value: str) -> None:
        entry = field.title().replace("_", "") + "Entry"
        made = message(name, (field, _MESSAGE, _MANY, f"{name}.{entry}"))
        nested = made.nested_type.add(name=entry)
        nested.options.map_entry = True
        nested.field.add(name="key", number=1, type=9, label=_ONE)
        nested.field.add(
            name="value", number=2, type=_MESSAGE, label=_ONE, type_name=f".tensorflow.{value}"
        )

    for name, kind in (("BytesList", _BYTES), ("FloatList", _FLOAT), ("Int64List", _INT64)):
        message(name, ("value", kind, _MANY, ""))
    lists = [(f"{name.lower()}_list", f"{name}List") for name in ("Bytes", "Float", "Int64")]
    feature = message("Feature", *[(field, _MESSAGE, _ONE, name) for field, name in lists])
    feature.oneof_decl.add(name="kind")
    for field in feature.field:
        field.oneof_index = 0
    table("Features", "feature", "Feature")
    message("Example", ("features", _MESSAGE, _ONE, "Features"))
    message("FeatureList", ("feature", _MESSAGE, _MANY, "Feature"))
    table("FeatureLists", "feature_list", "FeatureList")
    message(
        "SequenceExample", ("context", _MESSAGE, _ONE, "Features"),
        ("feature_lists", _MESSAGE, _ONE, "FeatureLists"),
    )  # fmt: skip
    pool = _package("descriptor_pool").DescriptorPool()
    pool.Add(file)
    factory, made = _package("message_factory"), {}
    for each in file.message_type:
        found = factory.GetMessageClass(pool.FindMessageTypeByName(f"tensorflow.{each.name}"))
        found.__doc__, found.__module__ = _DOCS[each.name], __name__
        made[each.name] = found
    return made


_DOCS = {
    "BytesList": """Texts of bytes, the value of a feature.

    >>> rt.train.BytesList(value=[b"a"]).value[0]
    b'a'
    """,
    "FloatList": """Numbers of 32 bits, the value of a feature.

    >>> rt.train.FloatList(value=[1.5]).value[0]
    1.5
    """,
    "Int64List": """Integers, the value of a feature.

    >>> rt.train.Int64List(value=[1, 2]).value[1]
    2
    """,
    "Feature": """A list of values: one of `bytes_list`, `float_list` and `int64_list`.

    >>> feature = rt.train.Feature(int64_list=rt.train.Int64List(value=[3]))
    >>> feature.WhichOneof("kind")
    'int64_list'
    """,
    "Features": """Features by name.

    >>> len(rt.train.Features(feature={"a": rt.train.Feature()}).feature)
    1
    """,
    "Example": """A record: features by name. `SerializeToString` and `FromString` make bytes of it
    and read them.

    >>> one = rt.train.Feature(float_list=rt.train.FloatList(value=[0.5]))
    >>> example = rt.train.Example(features=rt.train.Features(feature={"x": one}))
    >>> rt.train.Example.FromString(example.SerializeToString()) == example
    True
    """,
    "FeatureList": """Features one after the other.

    >>> len(rt.train.FeatureList(feature=[rt.train.Feature()]).feature)
    1
    """,
    "FeatureLists": """Lists of features by name.

    >>> len(rt.train.FeatureLists(feature_list={"a": rt.train.FeatureList()}).feature_list)
    1
    """,
    "SequenceExample": """A record: features by name (`context`) and lists of them.

    >>> rt.train.SequenceExample().HasField("context")
    False
    """,
}
_MADE: dict[str, Any] = {}


def __getattr__(name: str) -> Any:
    if name not in _DOCS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if not _MADE:
        _MADE.update(_messages())
    return _MADE[name]


# Reading


class FixedLenFeature(NamedTuple):
    """A feature with as many values as `shape` has room for; without it `default_value`.

    >>> rt.io.FixedLenFeature([], rt.int64, 0).default_value
    0
    """

    shape: Any
    dtype: Any
    default_value: Any = None


class FixedLenSequenceFeature(NamedTuple):
    """A feature with any number of values of a `shape`, one after the other.

    With `allow_missing` none are none; in a batch shorter ones are filled up by `default_value`.

    >>> rt.io.FixedLenSequenceFeature([], rt.int64, allow_missing=True).allow_missing
    True
    """

    shape: Any
    dtype: Any
    allow_missing: bool = False
    default_value: Any = None


class _Plan(NamedTuple):
    """The reading of one feature."""

    name: str
    kind: str
    dtype: DType
    shape: tuple[int, ...]
    default: Any
    is_sequence: bool


_KINDS = {"string": "bytes_list", "float32": "float_list", "int64": "int64_list"}


def _plan(name: str, feature: Any) -> _Plan:
    if not isinstance(feature, FixedLenFeature | FixedLenSequenceFeature):
        raise wrong_value(
            f"the feature {name!r} must be a FixedLenFeature or a FixedLenSequenceFeature, not "
            f"{feature!r}"
        )
    dtype = as_dtype(feature.dtype)
    if dtype.name not in _KINDS:
        raise wrong_dtype(f"the feature {name!r} is of string, float32 or int64, not {dtype.name}")
    shape: Shape = as_shape(feature.shape)
    if shape is None or None in shape:
        raise wrong_value(f"the feature {name!r} needs a known shape, got {TensorShape(shape)}")
    sizes = tuple(n for n in shape if n is not None)
    is_sequence = isinstance(feature, FixedLenSequenceFeature)
    if isinstance(feature, FixedLenSequenceFeature) and not feature.allow_missing:
        raise wrong_value(
            f"the feature {name!r}: a FixedLenSequenceFeature needs allow_missing=True here"
        )
    default = feature.default_value
    if default is not None:
        default = np.reshape(as_array(default, dtype), () if is_sequence else sizes)
    return _Plan(name, _KINDS[dtype.name], dtype, sizes, default, is_sequence)


def _plans(features: Any) -> list[_Plan]:
    if not isinstance(features, Mapping) or not features:
        raise ValueError(f"features must be a dict that is not empty, got {features!r}")
    return [_plan(name, features[name]) for name in sorted(features)]


def _values(plan: _Plan, features: Any) -> Any:
    """The values of a feature in a record; None where it has none."""
    found = features.get(plan.name)
    kind = None if found is None else found.WhichOneof("kind")
    if found is None or kind is None:
        return None
    if kind != plan.kind:
        raise errors.InvalidValueError(
            f"the feature {plan.name!r} is a {kind}, but {plan.dtype.name} is asked for",
        )  # fmt: skip
    return np.array(list(getattr(found, kind).value), plan.dtype.np_dtype)


def _read_one(plan: _Plan, features: Any) -> Any:
    values = _values(plan, features)
    if plan.is_sequence:
        values = np.zeros(0, plan.dtype.np_dtype) if values is None else values
        size = int(np.prod(plan.shape))
        if values.size % max(size, 1):
            raise _misfit(plan, values)
        return values.reshape(-1, *plan.shape)
    if values is None:
        if plan.default is None:
            raise errors.InvalidValueError(
                f"the feature {plan.name!r} is required, but the record has none"
            )
        return plan.default
    if values.size != int(np.prod(plan.shape)):
        raise _misfit(plan, values)
    return values.reshape(plan.shape)


def _misfit(plan: _Plan, values: Any) -> errors.InvalidValueError:
    return errors.InvalidValueError(
        f"the feature {plan.name!r} has {values.size} values, which do not fill the shape "
        f"{list(plan.shape)}",
    )  # fmt: skip


def _features_of(serialized: Any) -> Any:
    decode_error = _package("message").DecodeError
    try:
        return __getattr__("Example").FromString(serialized).features.feature
    except decode_error:
        raise errors.InvalidValueError(
            f"this is no serialized Example: {serialized[:20]!r}"
        ) from None


def _batch_of(plan: _Plan, rows: Sequence[Any]) -> Any:
    if not plan.is_sequence:
        shape = (len(rows), *plan.shape)
        return np.stack(rows) if rows else np.zeros(shape, plan.dtype.np_dtype)
    longest = max([len(row) for row in rows], default=0)
    empty = b"" if plan.dtype is dtypes.string else 0
    fill = empty if plan.default is None else plan.default
    made = np.full((len(rows), longest, *plan.shape), fill, plan.dtype.np_dtype)
    for at, row in enumerate(rows):
        made[at, : len(row)] = row
    return made


def _read(serialized: Tensor, plans: list[_Plan], lead: tuple[int | None, ...]) -> dict[str, Any]:
    def read(texts: Any) -> list[Any]:
        if not lead:
            found = _features_of(texts)
            return [_read_one(plan, found) for plan in plans]
        records = [_features_of(text) for text in texts]
        rows = [[_read_one(plan, record) for record in records] for plan in plans]
        return [_batch_of(plan, each) for plan, each in zip(plans, rows, strict=True)]

    specs = [
        TensorSpec([*lead, *((None,) if plan.is_sequence else ()), *plan.shape], plan.dtype)
        for plan in plans
    ]
    found = numpy_function(read, [serialized], specs, stateful=False)
    return {plan.name: each for plan, each in zip(plans, found, strict=True)}


def parse_single_example(
    serialized: Any, features: Any, example_names: Any = None, name: str | None = None
) -> dict[str, Any]:
    """The features of one serialized `train.Example`, as a dict of tensors.

    `features` is a dict of FixedLenFeature and FixedLenSequenceFeature by name. ValueError for
    others; InvalidArgumentError for bytes that are no Example, for a feature that is missing and
    has no default, of another type, or with another number of values. It needs the extra
    `tensorboard`; a graph that holds it cannot be saved.

    >>> one = rt.train.Feature(int64_list=rt.train.Int64List(value=[3]))
    >>> example = rt.train.Example(features=rt.train.Features(feature={"x": one}))
    >>> spec = {"x": rt.io.FixedLenFeature([], rt.int64)}
    >>> int(rt.io.parse_single_example(example.SerializeToString(), spec)["x"])
    3
    """
    x = convert_to_tensor(serialized, dtypes.string)
    if x.ndim not in (0, None):
        raise wrong_value(f"parse_single_example takes a scalar, got shape {x.shape}")
    return _read(x, _plans(features), ())


def parse_example(
    serialized: Any, features: Any, example_names: Any = None, name: str | None = None
) -> dict[str, Any]:
    """The features of a batch of serialized `train.Example`s, a vector, as a dict of tensors.

    As `parse_single_example`, with the batch as the first axis; sequences are filled up to the
    longest by the default of their feature, else by 0 or "". ValueError for a scalar.

    >>> one = rt.train.Feature(int64_list=rt.train.Int64List(value=[3]))
    >>> example = rt.train.Example(features=rt.train.Features(feature={"x": one}))
    >>> spec = {"x": rt.io.FixedLenFeature([], rt.int64)}
    >>> rt.io.parse_example([example.SerializeToString()] * 2, spec)["x"].numpy().tolist()
    [3, 3]
    """
    x = convert_to_tensor(serialized, dtypes.string)
    if x.ndim == 0:
        return parse_single_example(x, features)
    if x.ndim not in (1, None):
        raise wrong_value(f"parse_example takes a vector of records, got shape {x.shape}")
    return _read(x, _plans(features), (None if x.ndim is None else x.shape[0],))


def serialize_tensor(tensor: Any, name: str | None = None) -> Tensor:
    """The bytes of a TensorProto of a tensor, a scalar string. It needs the extra `tensorboard`.

    >>> rt.io.parse_tensor(rt.io.serialize_tensor([1, 2]), rt.int32).numpy().tolist()
    [1, 2]
    """
    return _called(_serialized, tensor, TensorSpec([], dtypes.string))


def _serialized(array: Any) -> Any:
    made = np.asarray(array)
    values = made.tolist() if made.dtype.hasobject else made
    return _tensors().make_tensor_proto(values, shape=made.shape).SerializeToString()


def _tensors() -> Any:
    return extra("tensorboard.util.tensor_util", "tensorboard", "a serialized tensor")


def parse_tensor(serialized: Any, out_type: Any, name: str | None = None) -> Tensor:
    """The tensor of a serialized TensorProto, of the dtype `out_type`.

    InvalidArgumentError for one of another dtype, and for bytes that are none. It needs the extra
    `tensorboard`.

    >>> rt.io.parse_tensor(rt.io.serialize_tensor([0.5]), rt.float32).numpy().tolist()
    [0.5]
    """
    wanted = as_dtype(out_type)
    x = convert_to_tensor(serialized, dtypes.string)
    return _called(lambda text: _parsed(text, wanted), x, TensorSpec(None, wanted))


def _parsed(text: Any, wanted: DType) -> Any:
    kind = extra("tensorboard.compat.proto.tensor_pb2", "tensorboard", "a serialized tensor")
    try:
        found = np.asarray(_tensors().make_ndarray(kind.TensorProto.FromString(text)))
    except (_package("message").DecodeError, TypeError):
        raise errors.InvalidValueError("this is no serialized tensor") from None
    if as_dtype(found.dtype) is not wanted:
        raise errors.InvalidValueError(
            f"the tensor is of {as_dtype(found.dtype).name}, not of {wanted.name}"
        )
    return found


def _called(function: Callable[[Any], Any], x: Any, spec: TensorSpec) -> Tensor:
    return numpy_function(function, [x], spec, stateful=False)  # type: ignore[no-any-return]
