"""Events as TensorBoard reads them, made by its own package (the extra `tensorboard`)."""

from __future__ import annotations

import io
import time
import wave
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from runtime import errors
from runtime.core.types import TensorType
from runtime.dtypes import DType

if TYPE_CHECKING:
    from runtime.graph.format.graph_def import FunctionDef, GraphDef, NodeDef

Options = Mapping[str, Any]


def module(name: str) -> Any:
    """A module of TensorBoard's; ImportError names the extra where it is missing."""
    try:
        return import_module(f"tensorboard.{name}")
    except ModuleNotFoundError as error:
        if error.name != "tensorboard":
            raise
        raise ImportError(
            "this needs TensorBoard's package: pip install 'autograph-runtime[tensorboard]'"
        ) from None


def event(step: int, summary: Any) -> Any:
    """An event that holds a summary."""
    kind = module("compat.proto.event_pb2").Event
    return kind(wall_time=time.time(), step=step, summary=summary)


def graph_event(graph: GraphDef) -> Any:
    """An event that holds a graph."""
    kind = module("compat.proto.event_pb2").Event
    return kind(wall_time=time.time(), graph_def=graph_proto(graph).SerializeToString())


# Summaries of one value each, from NumPy's arrays


def _scalar(tag: str, value: Any, options: Options) -> Any:
    return module("plugins.scalar.summary_v2").scalar_pb(tag, value, options["description"])


def _histogram(tag: str, value: Any, options: Options) -> Any:
    made = module("plugins.histogram.summary_v2")
    return made.histogram_pb(tag, value, options["buckets"], options["description"])


def _text(tag: str, value: Any, options: Options) -> Any:
    return module("plugins.text.summary_v2").text_pb(tag, value, options["description"])


def _image(tag: str, value: Any, options: Options) -> Any:
    if not 1 <= value.shape[-1] <= 4:
        raise errors.InvalidValueError(
            f"images have 1 to 4 channels: {tag!r} has {value.shape[-1]}"
        )
    shown = value[: options["max_outputs"]]
    height, width = value.shape[1:3]
    parts = [str(width).encode(), str(height).encode(), *map(_png, shown)]
    metadata = module("plugins.image.metadata").create_summary_metadata(
        display_name=None, description=options["description"], converted_to_tensor=True
    )
    return _summary(tag, np.array(parts, object), metadata)


def _png(pixels: Any) -> bytes:
    from PIL import Image

    file = io.BytesIO()
    Image.fromarray(pixels[..., 0] if pixels.shape[-1] == 1 else pixels).save(file, "PNG")
    return file.getvalue()


def _audio(tag: str, value: Any, options: Options) -> Any:
    sounds = [_wav(sound, options["sample_rate"]) for sound in value[: options["max_outputs"]]]
    metadata = module("plugins.audio.metadata")
    described = metadata.create_summary_metadata(
        display_name=None,
        description=options["description"],
        encoding=metadata.Encoding.Value("WAV"),
        converted_to_tensor=True,
    )
    content = np.empty((len(sounds), 2), object)
    content[:, 0], content[:, 1] = sounds, b""
    return _summary(tag, content, described)


def _wav(frames: Any, rate: int) -> bytes:
    file = io.BytesIO()
    with wave.open(file, "wb") as written:
        written.setnchannels(frames.shape[1])
        written.setsampwidth(2)
        written.setframerate(rate)
        written.writeframes((np.clip(frames, -1.0, 1.0) * 32767).round().astype("<i2").tobytes())
    return file.getvalue()


def _other(tag: str, value: Any, options: Options) -> Any:
    kind = module("compat.proto.summary_pb2").SummaryMetadata
    return _summary(tag, value, kind.FromString(options["metadata"]))


def _summary(tag: str, value: Any, metadata: Any) -> Any:
    tensor = module("util.tensor_util").make_tensor_proto(value)
    made = module("compat.proto.summary_pb2").Summary()
    made.value.add(tag=tag, metadata=metadata, tensor=tensor)
    return made


SUMMARIES: dict[str, Callable[[str, Any, Options], Any]] = {
    "scalar": _scalar,
    "histogram": _histogram,
    "text": _text,
    "image": _image,
    "audio": _audio,
    "write": _other,
}
"""The maker of a summary of each kind, from tag, array and options."""


# Graphs


def trace_summary(tag: str, graphs: list[GraphDef]) -> Any:
    """A summary that holds the graphs that have run."""
    run = module("compat.proto.config_pb2").RunMetadata()
    for graph in map(graph_proto, graphs):
        run.function_graphs.add().pre_optimization_graph.CopyFrom(graph)
        run.partition_graphs.add().CopyFrom(graph)
    plugin = module("plugins.graph.metadata").PLUGIN_NAME_RUN_METADATA_WITH_GRAPH
    kind = module("compat.proto.summary_pb2").SummaryMetadata
    metadata = kind(plugin_data=kind.PluginData(plugin_name=plugin, content=b"1"))
    return _summary(tag, np.array(run.SerializeToString(), object), metadata)


def graph_proto(graph: GraphDef) -> Any:
    """A graph as TensorFlow's message."""
    made = module("compat.proto.graph_pb2").GraphDef()
    for node in graph.node:
        _node(node, made.node.add())
    for function in graph.library.function:
        _function(function, made.library.function.add())
    return made


def _node(node: NodeDef, made: Any) -> None:
    made.name, made.op, made.device = node.name, node.op, node.device
    made.input.extend(node.input)
    for name, value in node.attr.items():
        _attribute(value, made.attr[name])


def _function(function: FunctionDef, made: Any) -> None:
    signature = function.signature
    made.signature.name = signature.name
    for given, added in (
        (signature.input_arg, made.signature.input_arg),
        (signature.output_arg, made.signature.output_arg),
    ):
        for arg in given:
            added.add(name=arg.name, type=_dtype(arg.type))
    for node in function.node_def:
        _node(node, made.node_def.add())
    for name, value in function.ret.items():
        made.ret[name] = value


def _attribute(value: Any, made: Any) -> None:
    if isinstance(value, np.generic):
        value = np.asarray(value)
    if isinstance(value, DType):
        made.type = value.as_datatype_enum
    elif isinstance(value, bool):
        made.b = value
    elif isinstance(value, int) and abs(value) < 2**63:
        made.i = value
    elif isinstance(value, float):
        made.f = value
    elif isinstance(value, tuple) and all(type(item) in (int, type(None)) for item in value):
        made.list.i.extend([-1 if item is None else item for item in value])
    elif isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
        made.tensor.CopyFrom(module("util.tensor_util").make_tensor_proto(value))
    else:
        made.s = (value if isinstance(value, str) else repr(value)).encode()


def _dtype(kind: Any) -> int:
    return kind.dtype.as_datatype_enum if isinstance(kind, TensorType) else 0
