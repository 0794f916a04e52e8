"""Keras 3 itself, on this runtime: `import runtime.keras`, or `rt.keras`; the extra `keras`.

The names are those of the installed Keras, and `import keras` afterwards is the same Keras. This
package is its backend: Keras' own op files, bound to the names of `runtime`, and the hooks that
Keras asks a backend for.

installation, hooks, core               Keras with this backend; what it asks of one; its Variable
loading, names, arrays                  Keras' op files; the names of TensorFlow's that they use
projections, crossing                   ops of TensorFlow's that only they need
layer, trainer, dataset_adapter         layers; `fit`; datasets that models are trained on
conversion, structures, notes           control flow in users' methods; their containers; attributes
settings                                what of its objects changes what they do
adjustments, compatibility              where Keras asks which backend it has; names of `tf.keras`
checkpoints, whole_files, archive       checkpoints, files of models, and exports
"""

from __future__ import annotations

from typing import Any

from runtime.keras.installation import install

_keras = install()


def __getattr__(name: str) -> Any:
    return getattr(_keras, name)


def __dir__() -> list[str]:
    return sorted(name for name in dir(_keras) if name[0] != "_")
