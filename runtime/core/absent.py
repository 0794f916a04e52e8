"""Names that are not here: which of TensorFlow's stay out, and what is nearest to the others."""

from __future__ import annotations

import operator
import sys
from collections.abc import Sequence

import numpy as np

_SPARSE = "sparse tensors are not supported: use dense ones, or IndexedSlices for rows"
_RAGGED = (
    "ragged tensors are not supported: use padded ones with sequence_mask, or a list of tensors"
)
_NARROW = (
    "types of 8 bits and less, other than int8 and uint8, and quantized ones are not supported"
)
_ONE_MACHINE = "there is one machine and one device: graphs are not distributed"
_EXPORT = "export to other programs is not supported; rt.saved_model saves and loads functions"
_EXTENSION = (
    "types of your own are not supported in graphs: use a dataclass, which may hold tensors"
)
_PROTOCOL = (
    "protocol buffers are used for train.Example alone: graphs are saved by concrete.graph.save"
)
_COMPILER = (
    "there is no compiler of TensorFlow's here: graphs run as they are, see docs/executors.md"
)
_SAMPLERS = "candidate samplers are not supported: draw with rt.random"
_KERNELS = "ops of TensorFlow's in C++ cannot be loaded: rt.numpy_function calls Python"
_BESSEL = "Bessel functions are not supported: use SciPy's through rt.numpy_function"
_FILES = "codecs are not here: read with another library, and pass the array"
_OPERATORS = "linear operators are not supported: pass matrices, or functions of vectors"
_STATIC = "queues and the profiler of TensorFlow are not here: see rt.data, and f.profile()"

_SETTINGS = "there are no accelerators, whose settings these are"
_MEMORY = "the memory of devices is not counted: use tracemalloc"
_BOXES = (
    "boxes are drawn and sampled by other libraries, through rt.numpy_function; those that overlap "
    "are left out by image.non_max_suppression"
)
_BANDS = (
    "matrices are whole: linalg.diag(diagonals, k=(-1, 1)) makes one, for linalg.solve, matmul, "
    "linalg.triangular_solve, linalg.eigh"
)
_MODEL_FILES = (
    "TensorFlow's files and servers have such parts: here load(...).signatures has the functions"
)
_DATA = "it is a method of a dataset, or of its iterator, by the same name"

# From a reason to the names that it holds for, and all below them. "*" stands for any ending.
_REASONS = {
    _SPARSE: (
        "sparse SparseTensor SparseTensorSpec nn.embedding_lookup_sparse sets edit_distance "
        "*SparseTensorValue *SparseFeature *VarLenFeature sparse_* serialize_sparse "
        "serialize_many_sparse deserialize_many_sparse SparseConditionalAccumulator "
        "convert_to_tensor_or_sparse_tensor string_split data.experimental.dense_to_sparse_batch "
        "nn.safe_embedding_lookup_sparse io.serialize_sparse io.deserialize_many_sparse "
        "io.serialize_many_sparse"
    ),
    _RAGGED: (
        "ragged RaggedTensor RaggedTensorSpec ragged_fill_empty_rows* strings.unicode_script "
        "data.experimental.dense_to_ragged_batch experimental.DynamicRaggedShape "
        "experimental.RowPartition experimental.StructuredTensor"
    ),
    "NumPy's own names are not repeated: rt's functions take arrays, and NumPy's take tensors": (
        "experimental.numpy"
    ),
    _NARROW: (
        "*fake_quant* quantize* dequantize QUANTIZED_DTYPES nn.quantized_* "
        "qint* quint* quantization dtypes.q* dtypes.Q* experimental.float* experimental.int* "
        "experimental.uint* *float8_* *int4 *int2 resource variant dtypes.resource dtypes.variant "
        "dtypes.experimental"
    ),
    _ONE_MACHINE: (
        "distribute dtensor tpu experimental.dtensor config.experimental_connect_to* "
        "*partitioner create_partitioned_variables train.Server* train.Cluster* train.JobDef "
        "train.SyncReplicasOptimizer train.replica_device_setter container *session_handle "
        "*session_tensor "
        "DeviceSpec experimental.async_* config.experimental.ClusterDeviceFilters "
        "data.experimental.service "
        "data.experimental.distributed_save data.experimental.ServiceOptions "
        "train.experimental.Shard* train.experimental.MaxShardSizePolicy"
    ),
    _EXPORT: (
        "lite graph_util import_graph_def saved_model.Asset saved_model.SaveOptions "
        "saved_model.LoadOptions saved_model.experimental "
        "experimental.tensorrt tools"
    ),
    _EXTENSION: (
        "experimental.BatchableExtensionType experimental.ExtensionType* "
        "experimental.extension_type experimental.dispatch_for* "
        "experimental.unregister_dispatch_for"
    ),
    _PROTOCOL: (
        "io.parse_sequence_example io.parse_single_sequence_example io.decode_proto "
        "io.encode_proto io.RaggedFeature io.decode_json_example decode_json_example "
        "train.SaverDef "
        "AttrValue Event GraphDef HistogramProto LogMessage MetaGraphDef NameAttrList NodeDef "
        "OptimizerOptions GraphOptions RunMetadata RunOptions SessionLog Summary SummaryMetadata "
        "TensorInfo summary.Event summary.SessionLog summary.Summary summary.SummaryDescription "
        "summary.TaggedRunMetadata summary.experimental.write_raw_pb "
        "io.write_graph train.write_graph train.*_meta_graph saved_model.*signature_def* "
        "saved_model.*tensor_info* parse_single_sequence_example"
    ),
    _COMPILER: (
        "mlir xla config.optimizer experimental.enable_strict_mode "
        "experimental.function_executor_type"
    ),
    _SAMPLERS: "*candidate_sampler nn.nce_loss nn.sampled_softmax_loss nn.compute_accidental_hits",
    _KERNELS: "load_library load_op_library RegisterGradient no_gradient sysconfig",
    _BESSEL: "math.bessel_* math.special",
    _FILES: (
        "audio image.decode_* image.encode_* image.adjust_jpeg_quality image.*jpeg_quality "
        "image.extract_jpeg_shape image.is_jpeg experimental.register_filesystem_plugin "
        "io.decode_image io.decode_*jpeg io.decode_png io.decode_gif io.decode_bmp io.decode_webp "
        "io.decode_jxl io.encode_*jpeg io.encode_png io.extract_jpeg_shape io.is_jpeg"
    ),
    _OPERATORS: "linalg.LinearOperator* linalg.experimental",
    _STATIC: (
        "profiler queue *QueueBase *FIFOQueue *PriorityQueue *RandomShuffleQueue *QueueRunner "
        "*queue_runner* ConditionalAccumulator* TFRecordReader TextLineReader "
        "WholeFileReader IdentityReader FixedLengthRecordReader LMDBReader ReaderBase "
        "train.*batch* train.*_producer train.limit_epochs train.Coordinator train.LooperThread"
    ),
    "it was taken out of TensorFlow: use Python's argparse, rt.keras, or another package": (
        "contrib app flags distributions mixed_precision resource_loader"
    ),
    "decorate the function with @rt.function: it makes the graph, and its variables, once": (
        "wrap_function"
    ),
    "images get another size by rt.image.resize, which takes the method": (
        "image.resize_images image.resize_area image.resize_bicubic image.resize_bilinear "
        "image.resize_nearest_neighbor"
    ),
    "hooks and monitored sessions are not here: a loop over session.run does what they do": (
        "train.*Hook train.*Session* train.Scaffold train.SecondOrStepTimer train.Supervisor "
        "train.basic_train_loop train.NanLossDuringTrainingError train.CheckpointSaverListener"
    ),
    _SETTINGS: (
        "config.experimental.*mlir_bridge config.experimental.*tensor_float_32* check_pinned "
        "config.experimental.get_device_details config.experimental.*device_policy "
        "config.experimental.*synchronous_execution debugging.*log_device_placement"
    ),
    _MEMORY: (
        "config.experimental.get_memory_info config.experimental.get_memory_usage "
        "config.experimental.reset_memory_stats"
    ),
    _BOXES: (
        "image.draw_bounding_boxes image.*sample_distorted_bounding_box image.extract_glimpse "
        "image.generate_bounding_box_proposals image.combined_non_max_suppression "
        "image.non_max_suppression_*"
    ),
    _BANDS: "linalg.*tridiagonal* linalg.banded_*",
    "it is exact, and as fast, as math.top_k": "*approx_max_k *approx_min_k approx_top_k",
    "Fourier transforms are along 1 to 3 axes: signal.fft, fft2d, fft3d": "*fftnd",
    _MODEL_FILES: (
        "saved_model.ASSETS_* saved_model.CLASSIFY_* saved_model.DEBUG_* saved_model.PREDICT_* "
        "saved_model.REGRESS_* saved_model.SAVED_MODEL_* saved_model.VARIABLES_* saved_model.GPU "
        "saved_model.TPU saved_model.SERVING saved_model.TRAINING"
    ),
    _DATA: (
        "data.experimental.save data.experimental.load data.experimental.rejection_resample "
        "data.experimental.get_next_as_optional"
    ),
    "rt.__version__ is the version of this library": "version",
    "annotate with rt.Tensor, or with numpy.typing.ArrayLike for what is made one": "types",
    "tests are pytest's or unittest's, with numpy.testing; config.list_physical_devices tells what "
    "there is": "test",
    "there are specs of tensors, datasets and variables only: isinstance(x, rt.TensorSpec)": (
        "TypeSpec type_spec_from_value IndexedSlicesSpec OptionalSpec NoneTensorSpec "
        "TensorArraySpec"
    ),
    "features of tables are left to Keras' preprocessing layers": (
        "feature_column estimator nn.RNNCell*"
    ),
    "it is Keras': pip install 'autograph-runtime[keras]', then import runtime.keras": (
        "keras layers nn.*rnn* nn.rnn_cell"
    ),
}


class AbsentName(AttributeError):
    """A public namespace lacks a name: the text, made when read, says why, or what is near."""

    def __init__(self, namespace: str, name: str, reason: str | None = None) -> None:
        super().__init__(namespace, name)
        self.name, self._reason = name, reason

    def __str__(self) -> str:
        namespace, name = self.args
        message = f"module {namespace!r} has no attribute {name!r}"
        if name.startswith("_"):
            return message
        public = f"{namespace}.{name}".partition(".")[2]
        reason = self._reason or reason_of(public.removeprefix("compat.v1."))
        if reason is not None:
            return f"{message}: {reason}; see docs/limits.md, Names that are not here"
        near = _nearest(namespace, name)
        return f"{message}; the nearest is {near}" if near else message


def reason_of(name: str) -> str | None:
    """The reason why a name of TensorFlow's, without its "tf.", stays out; None for other names."""
    from fnmatch import fnmatchcase

    for reason, patterns in _REASONS.items():
        for pattern in patterns.split():
            if fnmatchcase(name, pattern) or fnmatchcase(name, f"{pattern}.*"):
                return reason
    return None


def _nearest(namespace: str, name: str) -> str | None:
    """The public name that is most like `name`, in the namespace itself if there is one."""
    from difflib import get_close_matches

    root = namespace.partition(".")[0]
    others = [*map(f"{root}.{{}}".format, _SEARCHED.split())]
    for place in (namespace, root, *others, f"{root}.compat.v1"):
        if place != namespace and name in _names(place):
            return f"{place}.{name}"
    near: Sequence[str] = get_close_matches(name, _names(namespace), 1, cutoff=0.7)
    return f"{namespace}.{near[0]}" if near else None


_OF_NUMPY = {
    "T": "transpose", "array": "convert_to_tensor", "asarray": "convert_to_tensor",
    "astype": "cast", "concatenate": "concat", "copy": "identity", "dot": "tensordot",
    "flatten": "reshape", "hstack": "concat", "ravel": "reshape", "std": "math.reduce_std",
    "var": "math.reduce_variance", "vstack": "concat",
}  # fmt: skip
"""Functions and methods of NumPy's whose public names are others here."""


def counterpart(name: str) -> str | None:
    """The public name for what NumPy calls `name`: "reduce_sum" for its `sum`; None for others."""
    known = getattr(np, name, None)
    if isinstance(known, type) and issubclass(known, np.generic):  # a dtype
        return "cast"
    if name in _OF_NUMPY:
        return _OF_NUMPY[name]
    for each in (f"reduce_{name}", name):
        for place in ("", "math.", "linalg."):
            if each in _names(f"runtime.{place}".rstrip(".")):
                return f"{place}{each}"
    return None


_SEARCHED = "math linalg nn image strings random signal bitwise debugging config"


def _names(place: str) -> list[str]:
    """The names of a namespace: of a module, or of a class in one."""
    root, _, path = place.partition(".")
    return dir(operator.attrgetter(path)(sys.modules[root]) if path else sys.modules[root])
