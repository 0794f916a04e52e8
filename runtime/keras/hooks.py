"""The package of the backend: the names that Keras takes from one, each of its module."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from runtime.keras.adjustments import before_ops

_MODULES = "core image linalg math nn numpy random"
_NAMES = {
    "core": (
        "IS_THREAD_SAFE SUPPORTS_COMPLEX_DTYPES SUPPORTS_RAGGED_TENSORS SUPPORTS_SPARSE_TENSORS "
        "Variable cast compute_output_spec cond convert_to_numpy convert_to_tensor device_scope "
        "is_tensor name_scope random_seed_dtype scatter shape stop_gradient vectorized_map"
    ),
    "rnn": "bidirectional_gru bidirectional_lstm cudnn_ok gru lstm rnn",
}


def define(module: ModuleType) -> None:
    """Make a module the package of a backend."""
    before_ops()
    for name in _MODULES.split():
        setattr(module, name, import_module(f"{module.__name__}.{name}"))
    for name, listed in _NAMES.items():
        held = vars(import_module(f"{module.__name__}.{name}"))
        vars(module).update({name: held[name] for name in listed.split()})
