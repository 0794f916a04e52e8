"""Keras' own op files for TensorFlow, run with the names of `runtime` for those of TensorFlow.

A module gets its own `__import__`, through the builtins that Python looks names up in for it:
`import tensorflow` there is `TENSORFLOW`, while nothing else in the process sees a module of that
name. The files are those of the user's installation.
"""

from __future__ import annotations

import builtins
import os
import sys
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from importlib.util import spec_from_loader
from types import ModuleType
from typing import Any

from runtime.keras.compatibility import public_module
from runtime.keras.names import TENSORFLOW

_THEIRS = "keras.src.backend.tensorflow"
_WITH_HOOKS = {"core": "core", "export": "archive", "layer": "layer", "trainer": "trainer"}
# Others of Keras' files that import TensorFlow by its name, not through Keras' own lazy module.
_ASKING = ("keras.src.callbacks.tensorboard", "keras.src.layers.preprocessing.data_layer")
_import = builtins.__import__


class BackendFinder(MetaPathFinder):
    """Finds the modules of one backend of Keras, `package`, here, and those of TensorFlow's, which
    are the same modules.

    The package and the modules that the hooks are in are modules of `runtime.keras`; all others are
    Keras' own files for TensorFlow.
    """

    def __init__(self, package: str) -> None:
        self.package = package

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name.startswith("runtime.keras."):
            return _public(name, path)
        if name == self.package:
            return _spec(name, partial(_define, "runtime.keras.hooks"), is_package=True)
        if name == _THEIRS or name.startswith(f"{_THEIRS}."):
            return _spec(name, partial(_rename, self.package + name.removeprefix(_THEIRS)))
        if name in _ASKING:
            return _spec(name, partial(run_theirs, name, self.package))
        parent, _, last = name.rpartition(".")
        if parent != self.package:
            return None
        if last in _WITH_HOOKS:
            return _spec(name, partial(_define, f"runtime.keras.{_WITH_HOOKS[last]}"))
        return _spec(name, partial(run_theirs, f"{_THEIRS}.{last}", self.package))


def _public(name: str, path: Sequence[str] | None) -> ModuleSpec | None:
    """`runtime.keras.layers` is `keras.layers`; where this package has a module, it is that."""
    if PathFinder.find_spec(name, path) is not None:
        return None
    theirs = public_module(name.removeprefix("runtime."))
    return None if theirs is None else _spec(name, partial(_rename, theirs))


class _Filling(Loader):
    """A loader that has a function fill the module."""

    def __init__(self, fill: Callable[[ModuleType], None]) -> None:
        self.fill = fill

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        self.fill(module)


def _spec(
    name: str, fill: Callable[[ModuleType], None], is_package: bool | None = None
) -> ModuleSpec | None:
    return spec_from_loader(name, _Filling(fill), is_package=is_package)


def _rename(name: str, module: ModuleType) -> None:
    """Put the module `name` in the place of this one."""
    sys.modules[module.__name__] = import_module(name)


def _define(own: str, module: ModuleType) -> None:
    """Give a module the public names of one of ours."""
    _import(own, fromlist=("*",)).define(module)


def run_theirs(name: str, package: str, module: ModuleType) -> None:
    """Run Keras' file of the module `name` as a module; `package` is the one of this backend."""
    folder = sys.modules["keras.src"].__path__[0]
    path = os.path.join(folder, *name.split(".")[2:]) + ".py"
    code = SourceFileLoader(name, path).get_code(name)
    assert code is not None
    module.__file__ = path
    own_builtins = dict(vars(builtins), __import__=_Imports(package))
    vars(module)["__builtins__"] = own_builtins
    exec(code, vars(module))


class _Imports:
    """The `import` of Keras' files."""

    def __init__(self, package: str) -> None:
        self.package = package

    def __call__(
        self, name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0
    ) -> Any:
        if name.partition(".")[0] == "tensorflow" and level == 0:
            return TENSORFLOW.within(name) if fromlist else TENSORFLOW
        if name == _THEIRS or name.startswith(f"{_THEIRS}."):
            name = self.package + name.removeprefix(_THEIRS)
        return _import(name, globals, locals, fromlist, level)
