"""`Checkpoint`: the variables of objects in a file, matched by the names on the way to them."""

from __future__ import annotations

import contextlib
import os
from typing import Any

from runtime.core.files import Path
from runtime.core.state import init_scope, state
from runtime.dtypes import int64
from runtime.train import checkpoint_file, restoration
from runtime.train.checkpoint_state import update_state
from runtime.train.restoration import InitializationOnlyStatus, LoadStatus, Restoration
from runtime.train.trackable import children, has_value, is_trackable, walk
from runtime.variables.module import Module
from runtime.variables.variable import Variable

ATTRIBUTE = "/.ATTRIBUTES/VARIABLE_VALUE"
"""The end of the name of a variable's value in a file, as TensorFlow has it."""


class CheckpointOptions:
    """Options of saving and restoring; all of them concern devices and are kept for their name.

    >>> rt.train.CheckpointOptions().experimental_io_device is None
    True
    """

    def __init__(self, experimental_io_device: str | None = None, **more: Any) -> None:
        self.experimental_io_device = experimental_io_device
        vars(self).update(more)


class Checkpoint:
    """Saves the variables of objects, and restores them, also into objects that are made later.

    `root` is an object that holds the others, the keyword arguments are objects by name: Variables,
    Modules, Keras' models and optimizers, random generators, iterators over datasets, lists, tuples
    and dicts of them. Attributes that are assigned join them. In a file each variable has the names
    on the way to it, so that what is restored may be other objects of the same structure. Raises
    ValueError for an object that holds no state.

    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> step = rt.Variable(1.0)
    >>> checkpoint = rt.train.Checkpoint(step=step)
    >>> path = checkpoint.save(folder.name + "/ckpt")
    >>> _ = step.assign(5.0)
    >>> status = checkpoint.restore(path).assert_consumed()
    >>> float(step)
    1.0
    >>> folder.cleanup()
    """

    def __init__(self, root: Any = None, **kwargs: Any) -> None:
        if root is not None:
            _check("root", root)
        self._root = root
        for name, item in sorted(kwargs.items()):
            _check(name, item)
            if root is not None and children(root).get(name, item) is not item:
                raise ValueError(
                    f"root has an attribute {name!r} already, which is another object: choose "
                    "another name"
                )
            setattr(self, name, item)

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        _begin_saving(value, set())
        restoration.proceed()

    def _trackable_children(self) -> dict[str, Any]:
        own = {name: item for name, item in vars(self).items() if name != "_root"}
        if "_save_counter" in own:
            own["save_counter"] = own.pop("_save_counter")
        return {**({} if self._root is None else children(self._root)), **own}

    @property
    def save_counter(self) -> Variable:
        """The number of calls of `save`, a variable that is saved with the others."""
        if "_save_counter" not in vars(self):
            with init_scope():
                made = Variable(0, dtype=int64, trainable=False, name="save_counter")
            self._save_counter = made
        return self._save_counter

    def save(self, file_prefix: Path, options: CheckpointOptions | None = None) -> str:
        """Write `file_prefix-1`, then `file_prefix-2`, ..., and return that name.

        `latest_checkpoint` of the folder knows it, and a folder that is not there is made. The file
        is complete or not there. Raises RuntimeError inside a function that is being staged,
        errors.FailedPreconditionError for a variable without a value, OSError where the file cannot
        be written; then what was saved before stands.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     checkpoint = rt.train.Checkpoint(v=rt.Variable(1.0))
        ...     checkpoint.save(folder + "/ckpt")[-6:]
        'ckpt-1'
        """
        path = self._save(file_prefix, None, options)
        update_state(path)
        return path

    def _save(
        self, file_prefix: Path, number: int | None, options: CheckpointOptions | None
    ) -> str:
        """Count, and write under the number, by default the count."""
        _refuse_staging("save")
        self.save_counter.assign_add(1)
        if number is None:
            number = int(self.save_counter.numpy())
        try:
            return self.write(f"{os.fspath(file_prefix)}-{number}", options)
        except BaseException:
            self.save_counter.assign_sub(1)
            raise

    def write(self, file_prefix: Path, options: CheckpointOptions | None = None) -> str:
        """Write a checkpoint of this very name, without a number, and return the name.

        Raises as `save` does.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = rt.train.Checkpoint(v=rt.Variable(2.0)).write(folder + "/best")
        ...     rt.train.load_variable(path, "v/.ATTRIBUTES/VARIABLE_VALUE").item()
        2.0
        """
        _refuse_staging("write")
        path = os.fspath(file_prefix)
        os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
        names = {id(item): (number, way, item) for number, (way, item) in enumerate(walk(self))}
        variables = {
            _name_of(way): item for _, way, item in names.values() if isinstance(item, Variable)
        }
        states = {
            _name_of(way): item
            for _, way, item in names.values()
            if has_value(item) and not isinstance(item, Variable)
        }
        objects = [_entry(way, item, names) for _, way, item in names.values()]
        with contextlib.ExitStack() as locks:
            # One moment for all of them. In one order, for two threads may save.
            for variable in sorted(variables.values(), key=lambda item: item.handle.node):
                locks.enter_context(variable.handle.lock)
            arrays = {name: item.handle.raw_value() for name, item in variables.items()}
            arrays.update({name: item._saved_array() for name, item in states.items()})
            checkpoint_file.write(path, objects, arrays)
        return path

    def restore(
        self, save_path: Path | None, options: CheckpointOptions | None = None
    ) -> LoadStatus | InitializationOnlyStatus:  # fmt: skip
        """Give the variables the values that `save` has written.

        Variables that are not there yet get theirs when they are assigned to an attribute of a
        Module or Checkpoint. Before any is changed, the whole file is checked. None restores
        nothing, so that `restore(latest_checkpoint(folder))` starts or goes on.

        Returns:
            A status whose `assert_consumed` tells whether everything was restored.

        Raises errors.NotFoundError where there is no such checkpoint, errors.DataLossError for a
        damaged one, errors.InvalidArgumentError for another file or another dtype, ValueError for
        another shape, errors.UnimplementedError for a newer format.

        >>> checkpoint = rt.train.Checkpoint(v=rt.Variable(1.0))
        >>> try:
        ...     checkpoint.restore("/no/such/file")
        ... except rt.errors.NotFoundError as error:
        ...     print(error.detail)
        there is no checkpoint /no/such/file: no file /no/such/file.safetensors
        """
        if save_path is None:
            return InitializationOnlyStatus()
        _ = self.save_counter
        return self.read(save_path, options)

    def read(self, save_path: Path, options: CheckpointOptions | None = None) -> LoadStatus:
        """As `restore`, for what `write` has written.

        >>> import tempfile
        >>> v = rt.Variable(2.0)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = rt.train.Checkpoint(v=rt.Variable(7.0)).write(folder + "/best")
        ...     status = rt.train.Checkpoint(v=v).read(path)
        >>> float(v)
        7.0
        """
        _refuse_staging("restore")
        return LoadStatus(self, Restoration(self, checkpoint_file.CheckpointFile(save_path)))


def _check(name: str, item: Any) -> None:
    if not is_trackable(item):
        raise ValueError(
            f"`Checkpoint` was expecting {name} to be a trackable object, which holds variables, "
            f"got {item!r}: put numbers into a Variable, and objects of your own classes into a "
            "Module"
        )


def _begin_saving(item: Any, seen: set[int]) -> None:
    if id(item) in seen or isinstance(item, Variable):
        return
    seen.add(id(item))
    if has_value(item):
        item._begin_saving()
    elif isinstance(item, Module | list | tuple | dict):
        parts = vars(item) if isinstance(item, Module) else item
        for part in parts.values() if isinstance(parts, dict) else parts:
            _begin_saving(part, seen)


def _refuse_staging(method: str) -> None:
    if state.trace is not None:
        raise state.trace.refused(
            f"Checkpoint.{method}() works on files, and cannot be part of a graph",
            "call it outside of the staged function: where the function returns whether to",
        )


def _name_of(way: tuple[str, ...]) -> str:
    return "/".join([part.replace(".", "..").replace("/", ".S") for part in way]) + ATTRIBUTE


def _entry(way: tuple[str, ...], item: Any, names: dict[int, Any]) -> dict[str, Any]:
    if isinstance(item, Variable):
        return {"array": _name_of(way), "name": item.name}
    if has_value(item):
        return {"array": _name_of(way)}
    return {"children": {name: names[id(part)][0] for name, part in children(item).items()}}
