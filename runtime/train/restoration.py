"""Values of a checkpoint on their way into variables, some of which are not made yet."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from typing import Any

from runtime import errors
from runtime.core.shapes import compatible, format_shape
from runtime.core.state import init_scope
from runtime.core.tensor import wrap
from runtime.train.checkpoint_file import CheckpointFile
from runtime.train.trackable import children, has_value, walk
from runtime.variables.module import Module
from runtime.variables.variable import Variable

_COUNTER = ("save_counter",)
"""The way to the counter of saves, which files of `Checkpoint.write` may be without."""

_waiting: list[Restoration] = []
"""Those that have values left, for variables that may be made later."""


def proceed(*_: Any) -> None:
    """Give what has been made since to those that wait for it."""
    for found in list(_waiting):
        found.match()


class Restoration:
    """The values of a file, and who of the objects in `root` has got one.

    Raises ValueError, or errors.InvalidArgumentError, for a variable of another shape or dtype, and
    errors.DataLossError for a damaged file: before anything is changed.
    """

    def __init__(self, root: Any, file: CheckpointFile) -> None:
        self.file = file
        self._root = weakref.ref(root, self._stop)
        self._owners: dict[int, weakref.ref[Any]] = {}
        """The one that has got the value of an entry; the first of several."""
        file.verify()
        for found in list(_waiting):
            if found._root() is root:
                found._stop()
        self.match()

    def match(self) -> None:
        """Give values to the variables that are there by now."""
        if self._root() is None:
            return
        pairs = [(number, item) for number, item in self._pairs() if number not in self._owners]
        for number, item in pairs:
            if isinstance(item, Variable):
                self._check(self.file.objects[number]["array"], item)
        for number, variable in pairs:
            self._owners[number] = weakref.ref(variable)
            array = self.file.array(self.file.objects[number]["array"])
            if not isinstance(variable, Variable):
                variable._restore_array(array)
                continue
            with init_scope():
                variable.assign(wrap(array))
        self._wait(bool(self.left()))

    def _pairs(self) -> Iterator[tuple[int, Any]]:
        """The entries of variables and other values, each with the object in its place."""
        seen, waiting = {0}, [(0, self._root())]
        for number, item in waiting:
            entry = self.file.objects[number]
            if "array" in entry:
                if has_value(item) and isinstance(item, Variable) == ("name" in entry):
                    yield number, item
                continue
            present = children(item)
            for name, child in sorted(entry["children"].items()):
                if name in present and child not in seen:
                    seen.add(child)
                    waiting.append((child, present[name]))

    def _check(self, name: str, variable: Variable) -> None:
        shape, dtype = self.file.shape(name), self.file.dtype(name)
        if not compatible(variable.static_shape, shape):
            raise ValueError(
                f"Received incompatible tensor with shape {format_shape(shape)} when attempting to "
                f"restore variable with shape {format_shape(variable.static_shape)} and name "
                f"{variable.name}: the checkpoint {self.file.path} was written for another model"
            )
        if variable.dtype is not dtype:
            raise errors.InvalidValueError(
                f"the checkpoint {self.file.path} has {dtype.name} values for {name}, the "
                f"variable {variable.name} has the dtype {variable.dtype.name}",
                hint="make the variable with the dtype that was saved",
            )

    def _wait(self, waits: bool) -> None:
        if waits and self not in _waiting:
            _waiting.append(self)
        if not waits:
            self._stop()
        _watch_modules(bool(_waiting))

    def _stop(self, _: Any = None) -> None:
        if self in _waiting:
            _waiting.remove(self)
        _watch_modules(bool(_waiting))

    def left(self) -> list[str]:
        """The names of the values that nobody has got."""
        entries = enumerate(self.file.objects)
        return [e["array"] for n, e in entries if "array" in e and n not in self._owners]

    def without_value(self) -> list[str]:
        """The variables of the objects that have got no value, by the way to them."""
        owners = {id(found()) for found in self._owners.values()}
        return [
            f"{'.'.join(way)} ({getattr(item, 'name', type(item).__name__)})"
            for way, item in walk(self._root())
            if has_value(item) and id(item) not in owners and way != _COUNTER
        ]

    @property
    def is_nontrivial(self) -> bool:
        """Some value other than the counter of saves has found its variable."""
        counters = {self.file.objects[0]["children"].get(*_COUNTER)}
        return bool(self._owners.keys() - counters)


def _watch_modules(wanted: bool) -> None:
    if wanted:
        Module.__setattr__ = _set_and_proceed  # type: ignore[method-assign, assignment]
    elif "__setattr__" in vars(Module):
        del Module.__setattr__


def _set_and_proceed(self: Module, name: str, value: Any) -> None:
    object.__setattr__(self, name, value)
    proceed()


class LoadStatus:
    """The outcome of restoring; its methods return it, and raise AssertionError."""

    def __init__(self, root: Any, restoration: Restoration) -> None:
        self._root = root  # which lives as long as somebody may ask
        self._restoration = restoration

    def assert_consumed(self) -> LoadStatus:
        """Every value of the file has found a variable, and every variable a value."""
        self._restoration.match()
        left = self._restoration.left()
        if left:
            raise AssertionError(
                f"{len(left)} values of the checkpoint {self._restoration.file.path} have found no "
                f"variable: {_listed(left)}"
            )
        return self.assert_existing_objects_matched()

    def assert_existing_objects_matched(self) -> LoadStatus:
        """Every variable that there is by now has got a value."""
        self._restoration.match()
        without = self._restoration.without_value()
        if without:
            raise AssertionError(
                f"Found {len(without)} Python objects that were not bound to checkpointed values, "
                f"likely due to changes in the Python program: {_listed(without)}"
            )
        return self

    def assert_nontrivial_match(self) -> LoadStatus:
        """Some variable has got a value."""
        self._restoration.match()
        if not self._restoration.is_nontrivial:
            raise AssertionError(
                f"nothing in the checkpoint {self._restoration.file.path} matches the objects: it "
                f"has {_listed(self._restoration.left())}"
            )
        return self

    def expect_partial(self) -> LoadStatus:
        """Say that values may be left over; nothing warns of them here."""
        return self

    def initialize_or_restore(self, session: Any = None) -> None:
        """Nothing: values are restored at once."""

    def run_restore_ops(self, session: Any = None) -> None:
        """Nothing: values are restored at once."""


class InitializationOnlyStatus:
    """The outcome of `restore(None)`: nothing was restored."""

    def assert_consumed(self) -> InitializationOnlyStatus:
        """Raises AssertionError: no value of a file has found a variable."""
        raise _nothing_restored()

    def assert_existing_objects_matched(self) -> InitializationOnlyStatus:
        """Raises AssertionError: no variable has got a value."""
        raise _nothing_restored()

    def assert_nontrivial_match(self) -> InitializationOnlyStatus:
        """Raises AssertionError: no variable has got a value."""
        raise _nothing_restored()

    def expect_partial(self) -> InitializationOnlyStatus:
        """Returns this status."""
        return self

    def initialize_or_restore(self, session: Any = None) -> None:
        """Nothing: variables have their values from the start."""

    def run_restore_ops(self, session: Any = None) -> None:
        """Nothing: variables have their values from the start."""


def _nothing_restored() -> AssertionError:
    text = "No checkpoint specified (save_path=None); nothing is being restored."
    return AssertionError(text)


_MOST = 10
"""Names that a message has."""


def _listed(names: list[str]) -> str:
    more = f", and {len(names) - _MOST} more" if len(names) > _MOST else ""
    return ", ".join(names[:_MOST]) + more
