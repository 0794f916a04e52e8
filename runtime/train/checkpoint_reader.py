"""The content of a checkpoint, by the names of its values, without the objects."""

from __future__ import annotations

import os
from typing import Any

from runtime import errors
from runtime.core.files import Path
from runtime.dtypes import DType
from runtime.train.checkpoint_file import CheckpointFile, file_of
from runtime.train.checkpoint_state import latest_checkpoint


class CheckpointReader:
    """The values of a checkpoint, by name.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = rt.train.Checkpoint(v=rt.Variable([1.0, 2.0])).write(folder + "/best")
    ...     rt.train.load_checkpoint(path).get_variable_to_shape_map()
    {'v/.ATTRIBUTES/VARIABLE_VALUE': [2]}
    """

    def __init__(self, path: Path) -> None:
        self._file = CheckpointFile(path)

    def get_variable_to_shape_map(self) -> dict[str, list[int]]:
        """The shapes of all values.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = rt.train.Checkpoint(v=rt.Variable([1, 2])).write(folder + "/best")
        ...     rt.train.load_checkpoint(path).get_variable_to_shape_map()
        {'v/.ATTRIBUTES/VARIABLE_VALUE': [2]}
        """
        return {name: list(self._file.shape(name)) for name in self._file.names()}

    def get_variable_to_dtype_map(self) -> dict[str, DType]:
        """The dtypes of all values.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = rt.train.Checkpoint(v=rt.Variable([1, 2])).write(folder + "/best")
        ...     rt.train.load_checkpoint(path).get_variable_to_dtype_map()
        {'v/.ATTRIBUTES/VARIABLE_VALUE': tf.int32}
        """
        return {name: self._file.dtype(name) for name in self._file.names()}

    def has_tensor(self, name: str) -> bool:
        """True if there is a value of this name.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = rt.train.Checkpoint(v=rt.Variable([1, 2])).write(folder + "/best")
        ...     rt.train.load_checkpoint(path).has_tensor("v")
        False
        """
        return name in self._file.names()

    def get_tensor(self, name: str) -> Any:
        """The value: an ndarray, a NumPy scalar where it is 0-d.

        Raises errors.NotFoundError where there is none, errors.DataLossError for a damaged one.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = rt.train.Checkpoint(v=rt.Variable([1, 2])).write(folder + "/best")
        ...     rt.train.load_checkpoint(path).get_tensor("v/.ATTRIBUTES/VARIABLE_VALUE").tolist()
        [1, 2]
        """
        return self._file.array(name)[()]


def load_checkpoint(ckpt_dir_or_file: Path) -> CheckpointReader:
    """A reader of a checkpoint, or of the latest in a folder.

    Raises errors.NotFoundError where there is none, errors.DataLossError for a damaged one.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = rt.train.Checkpoint(v=rt.Variable(3)).save(folder + "/ckpt")
    ...     rt.train.load_checkpoint(folder).get_tensor("v/.ATTRIBUTES/VARIABLE_VALUE").item()
    3
    """
    path: str | None = os.fspath(ckpt_dir_or_file)
    if os.path.isdir(ckpt_dir_or_file) and not os.path.isfile(file_of(ckpt_dir_or_file)):
        path = latest_checkpoint(ckpt_dir_or_file)
    if path is None:
        raise errors.NotFoundError(
            f"there is no checkpoint in the folder {os.fspath(ckpt_dir_or_file)}",
            hint="name a checkpoint, or a folder that Checkpoint.save has written to",
        )
    return CheckpointReader(path)


def list_variables(ckpt_dir_or_file: Path) -> list[tuple[str, list[int]]]:
    """The names and shapes of all values of a checkpoint; errors as those of load_checkpoint.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     rt.train.list_variables(
    ...         rt.train.Checkpoint(v=rt.Variable([1, 2])).write(folder + "/best")
    ...     )
    [('v/.ATTRIBUTES/VARIABLE_VALUE', [2])]
    """
    return list(load_checkpoint(ckpt_dir_or_file).get_variable_to_shape_map().items())


def load_variable(ckpt_dir_or_file: Path, name: str) -> Any:
    """A value of a checkpoint, as NumPy has it; errors as those of load_checkpoint.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = rt.train.Checkpoint(v=rt.Variable([1, 2])).write(folder + "/best")
    ...     rt.train.load_variable(path, "v/.ATTRIBUTES/VARIABLE_VALUE").tolist()
    [1, 2]
    """
    return load_checkpoint(ckpt_dir_or_file).get_tensor(name)
