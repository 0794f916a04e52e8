"""Modules in files: their variables, and the graphs of their functions, one for each signature.

What is loaded needs neither the classes nor the source of what was saved.
"""

from __future__ import annotations

import os
from typing import Any

from runtime import errors
from runtime.core.lazy import public as _public
from runtime.core.settings import changes_files as _changes_files
from runtime.functions.concrete_function import ConcreteFunction
from runtime.functions.polymorphic_function import Function
from runtime.functions.restored_function import (
    RestoredFunction,
    read_function,
    read_trace,
    write_function,
    write_trace,
)
from runtime.functions.serving import DEFAULT, Signatures, exported, served_alone
from runtime.graph.storage import archive, decoded
from runtime.graph.storage.encoding import Encoder
from runtime.variables.module import Module
from runtime.variables.variable import Variable

_FILE = "saved_model.npz"

DEFAULT_SERVING_SIGNATURE_DEF_KEY = DEFAULT
"""The name of the signature of a module that has one function with an `input_signature`."""


@_changes_files
def save(
    obj: Any, export_dir: str | os.PathLike[str], signatures: Any = None, options: None = None
) -> None:
    """Write a Module into a directory, which is made if there is none.

    Written are the variables, functions, concrete functions and modules in its attributes, also in
    lists, tuples and dicts, and a graph for each signature that a function has been traced with;
    one with an input_signature is traced for that. Other attributes are left out, and Python values
    that a function has read stay as they are now. `signatures` is a function with an
    `input_signature`, a concrete function, or a dict of them by name; `load(...).signatures` has
    them: they take tensors by the names of the arguments, and give a dict of tensors, `output_0`
    and so on where the function gives none. Without `signatures`, the one function of the module
    that has an `input_signature` is "serving_default". Raises TypeError for what is no Module,
    ValueError for signatures without specs, with arguments that are objects or results that are no
    tensors, and for `options`, errors.UnimplementedError for an object of Python's that a graph
    holds, OSError where the directory cannot be written.

    >>> import tempfile
    >>> class Scale(rt.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.by = rt.Variable(3.)
    ...     @rt.function
    ...     def __call__(self, x):
    ...         return x * self.by
    >>> scale, folder = Scale(), tempfile.TemporaryDirectory()
    >>> float(scale(rt.constant(2.)))
    6.0
    >>> rt.saved_model.save(scale, folder.name)
    >>> float(rt.saved_model.load(folder.name)(rt.constant(2.)))
    6.0
    >>> folder.cleanup()
    """
    if not isinstance(obj, Module):
        raise TypeError(f"saved_model.save() takes a Module, not {obj!r}: put it into one")
    if options is not None:
        raise ValueError("saved_model.save() takes no options: leave them out")
    writer = _Writer()
    writer.item(obj)
    if signatures is None:
        signatures = served_alone(each for _, each in _attributes(obj))
    entries = {name: writer.item(each) for name, each in exported(signatures).items()}
    os.makedirs(export_dir, exist_ok=True)
    document = writer.encoder.document() | {"objects": writer.objects, "signatures": entries}
    archive.write(os.path.join(export_dir, _FILE), document, writer.encoder.arrays)


def load(export_dir: str | os.PathLike[str]) -> Any:
    """Return the Module that `save` has written, without its class.

    It has the same attributes, its functions run the saved graphs, and it can be called where the
    saved one could. Its attribute `signatures` has those that were saved, by name.

    Raises errors.DataLossError for a damaged file, errors.InvalidArgumentError for one of something
    else, errors.UnimplementedError for one that a newer version has written, or that needs a class
    of a module that is not imported, and OSError where there is none.

    >>> import tempfile
    >>> module, folder = rt.Module(), tempfile.TemporaryDirectory()
    >>> module.steps = rt.Variable(3)
    >>> rt.saved_model.save(module, folder.name)
    >>> int(rt.saved_model.load(folder.name).steps)
    3
    >>> folder.cleanup()
    """
    path = os.path.join(export_dir, _FILE)
    document, arrays = archive.read(path)
    if "objects" not in document:
        raise errors.InvalidValueError(
            f"{path} is no saved model: it is a graph", hint="load it with Graph.load"
        )
    return decoded(path, document, arrays, read=_read_objects)


def contains_saved_model(export_dir: str | os.PathLike[str]) -> bool:
    """Whether `save` has written into this directory.

    >>> rt.saved_model.contains_saved_model("/no/such/directory")
    False
    """
    return os.path.isfile(os.path.join(export_dir, _FILE))


_KINDS = (Module, Variable, Function, RestoredFunction, ConcreteFunction)


class _Writer:
    """Writes objects, each once; the first is the whole."""

    def __init__(self) -> None:
        self.encoder = Encoder()
        self.objects: list[Any] = []
        self._numbers: dict[int, int] = {}
        self._held: list[Any] = []

    def item(self, item: Any) -> int:
        """The number of an object."""
        key = id(item)
        if key not in self._numbers:
            self._numbers[key] = len(self.objects)
            self._held.append(item)
            self.objects.append(None)
            self.objects[self._numbers[key]] = self._written(item)
        return self._numbers[key]

    def _written(self, item: Any) -> Any:
        if isinstance(item, Variable):
            return {"variable": self.encoder.variable(item.handle)}
        if isinstance(item, Function | RestoredFunction):
            return {"function": write_function(self.encoder, item)}
        if isinstance(item, ConcreteFunction):
            return {"concrete": write_trace(self.encoder, item)}
        if isinstance(item, list | tuple):
            kind = "list" if isinstance(item, list) else "tuple"
            return {kind: [self.item(part) if _is_kept(part) else None for part in item]}
        if isinstance(item, dict):
            pairs = [(key, part) for key, part in item.items() if _is_kept(part)]
            return {"dict": [[self.encoder.data(key), self.item(part)] for key, part in pairs]}
        attributes = {name: self.item(part) for name, part in _attributes(item)}
        return {"module": item.name, "attributes": attributes}


def _attributes(module: Module) -> list[tuple[str, Any]]:
    """The attributes of a module that are kept, with functions of its class, bound to it."""
    methods: dict[str, Any] = {}
    for kind in reversed(type(module).__mro__):
        methods |= {name: None for name, item in vars(kind).items() if isinstance(item, Function)}
    found = {name: getattr(module, name) for name in methods}
    found |= {name: item for name, item in vars(module).items() if _is_kept(item)}
    return sorted(found.items())


def _is_kept(item: Any, above: tuple[int, ...] = ()) -> bool:
    if isinstance(item, _KINDS):
        return True
    if not isinstance(item, list | tuple | dict) or id(item) in above:
        return False
    parts = item.values() if isinstance(item, dict) else item
    return any(_is_kept(part, (*above, id(item))) for part in parts)


class _Restored(Module):
    """A module that was loaded."""

    is_namespace = True

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function `__call__` of the module that was saved.

        Raises TypeError where there was none.
        """
        function = vars(self).get("__call__")
        if function is None:
            raise TypeError(f"the module {self.name} was saved without a function __call__")
        return function(*args, **kwargs)


def _read_objects(decoder: Any, document: dict[str, Any]) -> Any:
    made: dict[int, Any] = {}

    def item(number: int | None) -> Any:
        if number is not None and number not in made:
            made[number] = read(document["objects"][number], number)
        return None if number is None else made[number]

    def read(entry: Any, number: int) -> Any:
        if "variable" in entry:
            return decoder.variables[entry["variable"]]
        if "function" in entry:
            return read_function(decoder, entry["function"])
        if "concrete" in entry:
            return read_trace(decoder, entry["concrete"])
        if "list" in entry or "tuple" in entry:
            parts = map(item, entry.get("list", entry.get("tuple")))
            return list(parts) if "list" in entry else tuple(parts)
        if "dict" in entry:
            return {decoder.data(key): item(part) for key, part in entry["dict"]}
        module = made[number] = _Restored(entry["module"])
        for name, part in entry["attributes"].items():
            vars(module)[name] = item(part)
        return module

    whole = item(0)
    entries = document.get("signatures", {})
    vars(whole)["signatures"] = Signatures({n: item(number) for n, number in entries.items()})
    return whole


__dir__ = _public(__name__, "DEFAULT_SERVING_SIGNATURE_DEF_KEY")
