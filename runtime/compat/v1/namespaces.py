"""Namespaces of version 1: those of version 2, where names do not mean something else."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from runtime.compat.v1.datasets import (
    BEFORE_THE_GRAPH,
    get_output_classes,
    get_output_shapes,
    get_output_types,
    make_one_shot_iterator,
)
from runtime.compat.v1.images import dilation2d, erosion2d, fused_batch_norm
from runtime.compat.v1.older import (
    multinomial,
    relu_layer,
    stateless_multinomial,
    tf_record_iterator,
    verify_tensor_all_finite,
    xw_plus_b,
)
from runtime.compat.v1.ops import (
    ctc_beam_search_decoder,
    dropout,
    embedding_lookup,
    in_top_k,
    poisson,
    softmax_cross_entropy_with_logits,
    space_to_batch,
    with_older_arguments,
)
from runtime.compat.v1.settings import set_verbosity
from runtime.core.log import get_logger
from runtime.image import transpose
from runtime.linalg import matrix_transpose
from runtime.math import is_finite, is_inf, is_nan, is_non_decreasing, is_strictly_increasing
from runtime.nn import avg_pool, ctc_loss, max_pool
from runtime.nn import ctc_beam_search_decoder as ctc_beam_search_decoder_v2
from runtime.nn import softmax_cross_entropy_with_logits as softmax_cross_entropy_with_logits_v2
from runtime.random import set_seed


class Namespace:
    """A namespace of version 2 with some names of its own, and some that are refused."""

    def __init__(
        self,
        name: str,
        own: Mapping[str, Callable[..., Any]] | None = None,
        refused: Mapping[str, str] | None = None,
    ) -> None:
        self.__name__ = f"runtime.compat.v1.{name}"
        self._name = name
        self._refused = refused or {}
        vars(self).update(own or {})

    def __getattr__(self, name: str) -> Any:
        if name in self._refused:
            raise AttributeError(
                f"compat.v1.{self._name}.{name} is not here: {self._refused[name]}"
            )
        return with_older_arguments(getattr(import_module(f"runtime.{self._name}"), name))

    def __dir__(self) -> list[str]:
        known = dir(import_module(f"runtime.{self._name}"))
        return sorted({*known, *(name for name in vars(self) if name[0] != "_")} - {*self._refused})


class Renamed:
    """Functions of `runtime`, by the names that version 1 has for them in a place of its own."""

    def __init__(self, name: str, names: Mapping[str, str | int | Callable[..., Any]]) -> None:
        self.__name__ = f"runtime.compat.v1.{name}"
        self._names = names

    def __getattr__(self, name: str) -> Any:
        found = self._names.get(name)
        if found is None:
            known = ", ".join(self._names)
            raise AttributeError(f"{self.__name__} has no attribute {name!r}; it has {known}")
        if not isinstance(found, str):
            return found
        place, _, last = found.rpartition(".")
        return with_older_arguments(getattr(import_module(f"runtime.{place}".rstrip(".")), last))

    def __dir__(self) -> list[str]:
        return sorted(self._names)


_EVENTS = "write with tf.summary's functions, which take a step, eagerly or in a @tf.function"

data = Namespace(
    "data",
    {
        "get_output_classes": get_output_classes,
        "get_output_shapes": get_output_shapes,
        "get_output_types": get_output_types,
        "make_one_shot_iterator": make_one_shot_iterator,
    },
    dict.fromkeys(["Iterator", "make_initializable_iterator"], BEFORE_THE_GRAPH),
)
debugging = Namespace(
    "debugging",
    {
        "assert_all_finite": verify_tensor_all_finite,
        "is_finite": is_finite,
        "is_inf": is_inf,
        "is_nan": is_nan,
        "is_non_decreasing": is_non_decreasing,
        "is_strictly_increasing": is_strictly_increasing,
    },
)
io = Namespace("io")
linalg = Namespace("linalg", {"transpose": matrix_transpose})
image = Namespace(
    "image",
    {"transpose": transpose, "transpose_image": transpose},
    {"resize": "it samples at other places than tf.image.resize, which is here"},
)
math = Namespace("math", {"in_top_k": in_top_k})
nn = Namespace(
    "nn",
    {
        "dropout": dropout,
        "embedding_lookup": embedding_lookup,
        "avg_pool_v2": avg_pool,
        "ctc_beam_search_decoder": ctc_beam_search_decoder,
        "ctc_beam_search_decoder_v2": ctc_beam_search_decoder_v2,
        "ctc_loss_v2": ctc_loss,
        "dilation2d": dilation2d,
        "erosion2d": erosion2d,
        "fused_batch_norm": fused_batch_norm,
        "in_top_k": in_top_k,
        "max_pool_v2": max_pool,
        "relu_layer": relu_layer,
        "softmax_cross_entropy_with_logits_v2": with_older_arguments(
            softmax_cross_entropy_with_logits_v2
        ),
        "space_to_batch": space_to_batch,
        "xw_plus_b": xw_plus_b,
        "softmax_cross_entropy_with_logits": softmax_cross_entropy_with_logits,
    },
)
random = Namespace(
    "random",
    {
        "multinomial": multinomial,
        "poisson": poisson,
        "set_random_seed": set_seed,
        "stateless_multinomial": stateless_multinomial,
    },
)
strings = Namespace(
    "strings", refused={"split": "it makes a sparse tensor; tf.strings.split is here"}
)
summary = Namespace(
    "summary",
    refused=dict.fromkeys(["scalar", "histogram", "image", "audio", "text"], _EVENTS),
)

manip = Renamed(
    "manip",
    {
        "batch_to_space_nd": "batch_to_space",
        "gather_nd": "gather_nd",
        "reshape": "reshape",
        "reverse": "reverse",
        "roll": "roll",
        "scatter_nd": "scatter_nd",
        "space_to_batch_nd": "space_to_batch",
        "tile": "tile",
    },
)
_SPECTRAL = "dct fft fft2d fft3d idct ifft ifft2d ifft3d irfft irfft2d irfft3d rfft rfft2d rfft3d"
spectral = Renamed("spectral", {name: f"signal.{name}" for name in _SPECTRAL.split()})
python_io = Renamed(
    "python_io",
    {
        "TFRecordOptions": "io.TFRecordOptions",
        "TFRecordWriter": "io.TFRecordWriter",
        "tf_record_iterator": tf_record_iterator,
    },
)
gfile = Renamed(
    "gfile",
    {
        "Copy": "io.gfile.copy",
        "DeleteRecursively": "io.gfile.rmtree",
        "Exists": "io.gfile.exists",
        "FastGFile": "io.gfile.GFile",
        "GFile": "io.gfile.GFile",
        "Glob": "io.gfile.glob",
        "IsDirectory": "io.gfile.isdir",
        "ListDirectory": "io.gfile.listdir",
        "MakeDirs": "io.gfile.makedirs",
        "MkDir": "io.gfile.mkdir",
        "Open": "io.gfile.GFile",
        "Remove": "io.gfile.remove",
        "Rename": "io.gfile.rename",
        "Stat": "io.gfile.stat",
        "Walk": "io.gfile.walk",
    },
)

_LOGGER = get_logger()
logging = Renamed(
    "logging",
    {
        "DEBUG": 10,
        "ERROR": 40,
        "FATAL": 50,
        "INFO": 20,
        "WARN": 30,
        "debug": _LOGGER.debug,
        "error": _LOGGER.error,
        "fatal": _LOGGER.critical,
        "get_verbosity": _LOGGER.getEffectiveLevel,
        "info": _LOGGER.info,
        "log": _LOGGER.log,
        "set_verbosity": set_verbosity,
        "warn": _LOGGER.warning,
        "warning": _LOGGER.warning,
    },
)
