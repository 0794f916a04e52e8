"""Exporting a model for another runtime, which there is none for yet."""

from __future__ import annotations

from types import ModuleType


class ExportArchive:
    """Refuses: Keras' own formats and `runtime.saved_model` are what a model is saved in."""

    def __init__(self) -> None:
        raise NotImplementedError(_REFUSAL)


_REFUSAL = (
    "a Keras model is not exported from this backend: save it with model.save('model.keras'), or "
    "its function with runtime.saved_model.save"
)


def define(module: ModuleType) -> None:
    """Let a module give Keras its archive."""
    module.NumpyExportArchive = ExportArchive  # type: ignore[attr-defined]
