"""Keras 3 itself, on this runtime: `import runtime.keras`, or `rt.keras`; the extra `keras`.

The names are those of the installed Keras, and `import keras` afterwards is the same Keras. This
package is its backend: Keras' own op files, bound to the names of `runtime`, and the hooks that
Keras asks a backend for.
"""

from __future__ import annotations

from typing import Any

from runtime.keras.installation import install

_keras = install()


def __getattr__(name: str) -> Any:
    return getattr(_keras, name)


def __dir__() -> list[str]:
    return sorted(name for name in dir(_keras) if name[0] != "_")
