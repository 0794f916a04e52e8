"""Files of models that are whole or not there: where saving fails, the file before stays."""

from __future__ import annotations

import errno
import functools
import os
import shutil
from collections.abc import Callable
from typing import Any

from runtime.core.files import replacing

_HEADERS = 1 << 16
"""Bytes of a file beside its weights."""


def install(keras: Any) -> None:
    """Let Keras write models and weights beside their place, and put them into it in one step."""
    library, legacy = keras.src.saving.saving_lib, keras.src.legacy.saving.legacy_h5_format
    library.save_model = _whole(library.save_model)
    library.save_weights_only = _whole(library.save_weights_only, "max_shard_size")
    legacy.save_model_to_hdf5 = _whole(legacy.save_model_to_hdf5)


def _whole(save: Callable[..., Any], third: str = "") -> Callable[..., Any]:
    """`save` of whole files; with the `third` argument it writes several."""

    @functools.wraps(save)
    def run(model: Any, filepath: Any, *args: Any, **kwargs: Any) -> Any:
        parts = third and (args[0] if args else kwargs.get(third)) is not None
        if parts or kwargs.get("zipped") is False or not _is_one_file(filepath):
            return save(model, filepath, *args, **kwargs)
        _check_room(model, filepath)
        with replacing(filepath) as written:
            return save(model, written, *args, **kwargs)

    return run


def _is_one_file(path: Any) -> bool:
    """True for a path whose folder is there, and which is no folder itself."""
    if not isinstance(path, str | os.PathLike) or os.path.isdir(path):
        return False
    return os.path.isdir(os.path.dirname(os.path.abspath(path)))


def _check_room(model: Any, path: Any) -> None:
    """OSError where the disk is too full for the weights: the library for HDF5 does not survive
    that in the middle of a file.
    """
    needed = _HEADERS + sum(variable.value.numpy().nbytes for variable in model.variables)
    free = shutil.disk_usage(os.path.dirname(os.path.abspath(path))).free
    if free < needed:
        reason = f"{os.strerror(errno.ENOSPC)}: {needed} bytes are needed, {free} are free"
        raise OSError(errno.ENOSPC, reason, os.fspath(path))
