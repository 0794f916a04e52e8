"""`Saver`: the variables of a session in checkpoints."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from runtime.core.files import Path
from runtime.core.shapes import compatible
from runtime.sessions.open_graph import GraphKeys, get_default_graph
from runtime.sessions.session import Session
from runtime.sessions.variables import GraphVariable
from runtime.train import checkpoint_file
from runtime.train.checkpoint_state import CheckpointState, write_state


class Saver:
    """Saves and restores the variables of sessions.

    Args:
        var_list: the variables, or a dict from the names in the file to them; by default all of the
            default graph.
        reshape: without effect, as is `sharded`.
        max_to_keep: how many checkpoints stay, None: all.

    Raises ValueError where there are none.

    >>> import tempfile
    >>> with rt.Graph().as_default(), tempfile.TemporaryDirectory() as folder:
    ...     v = rt.compat.v1.get_variable("v", initializer=1.0)
    ...     saver = rt.compat.v1.train.Saver()
    ...     with rt.compat.v1.Session() as session:
    ...         session.run(v.initializer)
    ...         path = saver.save(session, folder + "/model", global_step=3)
    ...         _ = session.run(v.assign(9.0))
    ...         saver.restore(session, path)
    ...         path[-7:], float(session.run(v))
    ('model-3', 1.0)
    """

    def __init__(
        self,
        var_list: Mapping[str, GraphVariable] | Sequence[GraphVariable] | None = None,
        reshape: bool = False,
        sharded: bool = False,
        max_to_keep: int | None = 5,
        **ignored: Any,
    ) -> None:
        if var_list is None:
            var_list = get_default_graph().get_collection(GraphKeys.GLOBAL_VARIABLES)
        if not isinstance(var_list, Mapping):
            var_list = {variable.name.removesuffix(":0"): variable for variable in var_list}
        if not var_list:
            raise ValueError("No variables to save")
        self._variables = dict(var_list)
        self._most = max_to_keep
        self._kept: list[str] = []

    @property
    def last_checkpoints(self) -> list[str]:
        """The names of the checkpoints that are kept, from the oldest."""
        return list(self._kept)

    def save(self, sess: Session, save_path: Path, global_step: Any = None, **ignored: Any) -> str:
        """Write the variables' values in a session, and return the checkpoint's name: `save_path`,
        with the step behind it if one is given.

        Raises errors.FailedPreconditionError for a variable without a value, OSError where the file
        cannot be written.

        >>> rt.compat.v1.train.Saver.save.__name__
        'save'
        """
        path = os.fspath(save_path)
        if global_step is not None:
            step = sess.run(global_step) if hasattr(global_step, "dtype") else global_step
            path = f"{path}-{int(step)}"
        arrays = dict(zip(self._variables, sess.run([*self._variables.values()]), strict=True))
        os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
        objects: list[Any] = [{"children": {name: at + 1 for at, name in enumerate(arrays)}}]
        objects += [{"array": name, "name": name} for name in arrays]
        checkpoint_file.write(path, objects, {n: _array(x) for n, x in arrays.items()})
        if path in self._kept:
            self._kept.remove(path)
        self._kept.append(path)
        old = self._kept[: -self._most] if self._most else []
        self._kept = self._kept[len(old) :]
        write_state(os.path.dirname(path) or ".", CheckpointState(path, self._kept))
        for name in old:
            with contextlib.suppress(FileNotFoundError):
                os.remove(checkpoint_file.file_of(name))
        return path

    def restore(self, sess: Session, save_path: Path | None) -> None:
        """Give the variables the values of a checkpoint, in a session.

        Nothing is changed by a checkpoint that is damaged or does not fit. Raises
        errors.NotFoundError for a checkpoint or variable that is not there, ValueError for None and
        for another shape or dtype, errors.DataLossError for a damaged file.

        >>> rt.compat.v1.train.Saver.restore.__name__
        'restore'
        """
        if save_path is None:
            raise ValueError("Can't load save_path when it is None: there is no checkpoint yet")
        file = checkpoint_file.CheckpointFile(save_path)
        file.verify()
        for name, variable in self._variables.items():
            same = file.dtype(name) is variable.dtype
            if not same or not compatible(variable.static_shape, file.shape(name)):
                raise ValueError(
                    f"the checkpoint {file.path} has {file.dtype(name).name} "
                    f"{list(file.shape(name))} for {name}, the variable is {variable!r}"
                )
        for name, variable in self._variables.items():
            sess._set_value(variable, file.array(name))


def _array(value: Any) -> Any:
    return np.asarray(value, object) if isinstance(value, bytes) else np.asarray(value)
