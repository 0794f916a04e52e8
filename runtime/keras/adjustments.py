"""Adjustments: Keras decides by the name of its backend, and leaves doors for TensorFlow alone."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable
from typing import Any

from keras.src.backend.common import dtypes
from keras.src.tree import tree_api
from keras.src.utils import module_utils

import runtime
from runtime.keras import structures as known_structures
from runtime.keras.conversion import converted
from runtime.keras.names import TENSORFLOW
from runtime.ops.ragged import RaggedTensor
from runtime.staging.frames import register_package

SUFFIX = ".weights.h5"


def before_ops() -> None:
    """Prepare for the loading of Keras' files: numbers of 64 bits where it has them with
    TensorFlow, the names of `runtime` for those of TensorFlow, and dicts of traced functions.
    """
    dtypes.PYTHON_DTYPES_MAP.update({int: "int64", "int": "int64", complex: "complex128"})
    dtypes.BIT64_TO_BIT32_DTYPE.update({"int64": "int64", "float64": "float64"})
    module_utils.tensorflow.module = TENSORFLOW
    module_utils.tensorflow._available = True
    # Places of a graph are the user's, and what Keras tries it does not handle: it adds words.
    register_package(os.path.dirname(os.path.dirname(module_utils.__file__)), describes=True)
    known_structures.install(tree_api.tree_impl)
    structures = sys.modules.get("optree")
    if structures is not None:
        # On Keras' behalf, and tried as well.
        register_package(os.path.dirname(str(structures.__file__)), handles=True)


def install(keras: Any, backend: str) -> None:
    """Adjust what an imported Keras does by the name of its backend."""
    _layers_for_data(backend)
    _weights_without_suffix(keras)
    _local_datasets(keras)
    _steps_by_slices(keras.src.optimizers.base_optimizer.BaseOptimizer)
    _counts_in_rows(keras.src.utils.numerical_utils)
    _means_over_batches(keras.src.trainers.compile_utils.CompileLoss)
    keras.src.utils.dataset_utils.is_tf_dataset = _is_dataset
    keras.src.layers.preprocessing.index_lookup.get_null_initializer = _empty_table
    keras.layers.TextVectorization._apply_standardize_with_np_arrays = _standardized


def _layers_for_data(backend: str) -> None:
    """Let the layers for data, which may change their backend, know the one of this name."""
    from keras.src.utils import backend_utils

    others = backend_utils.DynamicBackend.__getattr__

    def get(self: Any, name: str) -> Any:
        if self.name == backend:
            return getattr(backend_utils.backend_module, name)
        return others(self, name)

    backend_utils.DynamicBackend.__getattr__ = get


def _empty_table(key_dtype: Any, value_dtype: Any) -> Any:
    """The parts of a table whose vocabulary is read later."""
    return runtime.lookup.KeyValueTensorInitializer([], [], key_dtype, value_dtype)


def _standardized(layer: Any, texts: Any) -> Any:
    """Texts as a function of the user's makes them from a tensor, as with TensorFlow."""
    return converted(layer._standardize)(runtime.convert_to_tensor(texts, runtime.string))


def _is_dataset(data: Any) -> bool:
    return isinstance(data, runtime.data.Dataset)


def _steps_by_slices(base: Any) -> None:
    """Let optimizers add IndexedSlices to the rows that they name, and clip them by their values,
    as they do with TensorFlow.
    """

    def by_slices(name: str) -> Callable[[Any, Any, Any], None]:
        whole = getattr(base, f"assign{name}")

        @functools.wraps(whole)
        def run(self: Any, variable: Any, value: Any) -> None:
            if isinstance(value, runtime.IndexedSlices):
                is_ours = isinstance(variable, runtime.Variable)
                stored = variable if is_ours else variable.value
                rows = runtime.cast(value, stored.dtype)
                getattr(stored, f"scatter{name or '_update'}")(rows)
            else:
                whole(self, variable, value)

        return run

    for name in ("", "_add", "_sub"):
        setattr(base, f"assign{name}", by_slices(name))
    others = base._clip_by_norm

    @functools.wraps(others)
    def clip(self: Any, values: Any, axes: Any = None) -> Any:
        return runtime.clip_by_norm(values, self.clipnorm, axes)

    base._clip_by_norm = clip


def _counts_in_rows(utils: Any) -> None:
    """Let numbers in rows of different lengths be counted: -1, where a row ends, counts nowhere."""
    encode = utils.encode_categorical_inputs

    @functools.wraps(encode)
    def run(inputs: Any, *args: Any, **kwargs: Any) -> Any:
        dense = inputs.to_tensor(-1) if isinstance(inputs, RaggedTensor) else inputs
        return encode(dense, *args, **kwargs)

    utils.encode_categorical_inputs = run


def _means_over_batches(base: Any) -> None:
    """Let the loss of each of several outputs be the mean over batches, as with TensorFlow: Keras
    weighs a batch by its size where that is known while tracing, and here it is for some.
    """
    build = base.build

    @functools.wraps(build)
    def run(self: Any, *args: Any) -> None:
        build(self, *args)
        for metric in self.metrics:
            metric.update_state = functools.partial(_unweighted, metric.update_state)

    base.build = run


def _unweighted(update: Callable[[Any], None], values: Any, sample_weight: Any = None) -> None:
    update(values)


def _weights_without_suffix(keras: Any) -> None:
    """Let `save_weights("weights")` write weights.weights.h5, and `load_weights` read it."""
    api = keras.src.saving.saving_api

    def with_suffix(function: Callable[..., Any]) -> Callable[..., Any]:
        def run(model: Any, filepath: Any, *args: Any, **kwargs: Any) -> Any:
            bare = isinstance(filepath, str | os.PathLike) and not os.path.splitext(filepath)[1]
            if bare and not os.path.exists(filepath):
                filepath = os.fspath(filepath) + SUFFIX
            return function(model, filepath, *args, **kwargs)

        return run

    api.save_weights, api.load_weights = map(with_suffix, (api.save_weights, api.load_weights))


_FILES = "boston_housing california_housing imdb mnist reuters"


def _local_datasets(keras: Any) -> None:
    """Let the datasets of a `path` be read from it; a file that is not there says how to get it."""
    for name in _FILES.split():
        module = getattr(keras.src.datasets, name)
        module.get_file = _local_or(module.get_file)


def _local_or(download: Callable[..., Any]) -> Callable[..., Any]:
    def get_file(fname: Any, origin: str = "", **kwargs: Any) -> Any:
        if os.path.exists(fname):
            return os.fspath(fname)
        try:
            return download(fname, origin=origin, **kwargs)
        except Exception as error:  # what Keras raises where a download fails
            raise FileNotFoundError(
                f"there is no file {os.fspath(fname)!r}, and it cannot be downloaded: get {origin} "
                "where there is a network, and give its path, load_data('/path/to/it')"
            ) from error

    return get_file


def is_shown() -> bool:
    """True if somebody looks at a progress bar: on a terminal, or in a notebook."""
    notebooks = sys.modules.get("IPython")
    shell = None if notebooks is None else notebooks.get_ipython()
    return sys.stdout.isatty() or hasattr(shell, "kernel")
