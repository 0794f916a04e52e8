"""Making the installed Keras one whose backend is this package."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module, metadata
from types import ModuleType

from runtime.keras import compatibility
from runtime.keras.loading import BackendFinder

BACKEND = "runtime"
"""The name that `keras.config.backend()` gives."""

SLOT = "numpy"
"""The backend that Keras is asked for: of all that it knows, the one that it treats as any other,
without imports, workarounds or devices of its own."""

_OLDEST, _BEYOND = (3, 15), (3, 16)
"""The versions of Keras that were tested: from the first, below the second."""


def install() -> ModuleType:
    """Import Keras with this backend, and return it.

    ImportError where it is not installed, is of a version that was not tested, or was imported
    before with another backend.
    """
    _check_version()
    if "keras" in sys.modules:
        return _imported_before()
    sys.meta_path.insert(0, BackendFinder(f"keras.src.backend.{SLOT}"))
    with _environment("KERAS_BACKEND", SLOT):
        keras = import_module("keras")
    # From here on Keras asks for the name only to tell what is special about a backend.
    vars(import_module("keras.src.backend.config"))["_BACKEND"] = BACKEND
    import_module("runtime.keras.conversion").install(keras)
    import_module("runtime.keras.settings").install(keras)
    import_module("runtime.keras.checkpoints").install(keras)
    import_module("runtime.keras.adjustments").install(keras, BACKEND)
    import_module("runtime.keras.whole_files").install(keras)
    compatibility.install(keras)
    return keras


def _check_version() -> None:
    try:
        version = metadata.version("keras")
    except metadata.PackageNotFoundError:
        raise ImportError(
            "runtime.keras needs Keras 3, which is not installed: "
            "pip install 'autograph-runtime[keras]'",
            name="keras",
        ) from None
    numbers = tuple(int(part) for part in version.split(".")[:2])
    if not _OLDEST <= numbers < _BEYOND:
        tested = ".".join(map(str, _OLDEST)), ".".join(map(str, _BEYOND))
        raise ImportError(
            f"runtime.keras was tested with Keras >={tested[0]},<{tested[1]}, and Keras {version} "
            "is installed: pip install 'autograph-runtime[keras]' installs one that was",
            name="keras",
        )


def _imported_before() -> ModuleType:
    keras = sys.modules["keras"]
    config = sys.modules.get("keras.src.backend.config")
    backend = "unknown" if config is None else config.backend()
    if backend != BACKEND:
        raise ImportError(
            f"Keras was imported before runtime.keras, with the backend {backend!r}, and a process "
            "has one Keras: write `import runtime.keras` before the first `import keras`",
            name="keras",
        )
    return keras


@contextmanager
def _environment(name: str, value: str) -> Iterator[None]:
    before = os.environ.get(name)
    os.environ[name] = value
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before
