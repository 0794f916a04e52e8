"""Keras' own tests, which come with its package, run with this backend.

    python -m tests.support.keras_tests [-n auto] [folders or files, as src/losses]

It is a pytest plugin too, which is what makes the run one of this backend. Some of Keras' tests
import TensorFlow or JAX by name, for what a test of theirs compares with: there TensorFlow is what
it is for Keras' own files, and others are the installed ones, or names that skip the test. With JAX
(`pip install jax`) the dtypes of all functions of NumPy's names are compared with its own.
"""

from __future__ import annotations

import builtins
import importlib.util
import re
import sys
from collections.abc import Callable, Iterator
from fnmatch import fnmatch
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.support.keras_left_out import FILES, TESTS

_import = builtins.__import__
_COMPARED = ("jax", "torch", "grain", "pandas")


def package() -> Path:
    """The folder of the installed Keras, which this does not import."""
    spec = importlib.util.find_spec("keras")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent


def arguments(*given: str) -> list[str]:
    """Those of pytest, for options and files from the folder of the package."""
    folder = package()
    paths = [str(folder / name) if name.startswith("src") else name for name in given]
    if not any(name.startswith("src") for name in given):
        paths.append(str(folder / "src"))
    return [
        *("-q", "-c", "/dev/null", "--rootdir", str(folder), "-p", "tests.support.keras_tests"),
        *("-p", "no:cacheprovider", "--import-mode=importlib", "-W", "ignore", "--tb=short"),
        *("-o", "python_files=*_test.py", "--continue-on-collection-errors", *paths),
    ]


class _Absent(type):
    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return cls

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        pytest.skip("it needs JAX, PyTorch, grain or pandas, which is not installed")


class _Nothing(metaclass=_Absent):
    """A library that is not installed: its names may be asked for, and not be called."""


def _imported(
    name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0
) -> Any:
    top = name.partition(".")[0]
    if top in ("tensorflow", *_COMPARED) and level == 0 and _is_test(globals):
        if top == "tensorflow":
            return _tensorflow(name, fromlist)
        if importlib.util.find_spec(top) is None:
            return _Nothing
    return _import(name, globals, locals, fromlist, level)


def _tensorflow(name: str, fromlist: Any) -> Any:
    names = sys.modules["runtime.keras.names"].TENSORFLOW
    if not fromlist:
        return names
    try:
        return names.within(name)
    except AttributeError:
        return _Nothing


def _is_test(names: Any) -> bool:
    return bool(names) and str(names.get("__file__", "")).endswith("_test.py")


def _skip_if_backend(name: str, reason: str) -> Any:
    import keras

    return pytest.mark.skipif(keras.config.backend() == name, reason=reason)


def pytest_configure(config: pytest.Config) -> None:
    import runtime.keras as keras

    keras.config.disable_traceback_filtering()
    for marker in ("requires_trainable_backend", "multi_device"):
        config.addinivalue_line("markers", f"{marker}: set by Keras")
    conftest = ModuleType("conftest")
    conftest.skip_if_backend = _skip_if_backend  # type: ignore[attr-defined]
    sys.modules["conftest"] = conftest
    # A folder of tests without an __init__ is a package of the folder that the run is in.
    for name in ("keras.src", "keras.src.backend"):
        sys.modules[name.removeprefix("keras.")] = sys.modules[name]
    builtins.__import__ = _imported


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    name = _name(collection_path)
    return True if any(fnmatch(name, pattern) for pattern in FILES) else None


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Iterator[None]:
    """A test of trainers asks for the one of the backend by the name that Keras knows it by."""
    from runtime.keras import installation

    config = sys.modules["keras.src.backend.config"]
    is_of_trainers = collector.path.name == "trainer_test.py"
    if is_of_trainers:
        config._BACKEND = installation.SLOT  # type: ignore[attr-defined]
    try:
        return (yield)
    finally:
        config._BACKEND = installation.BACKEND  # type: ignore[attr-defined]
        if is_of_trainers and isinstance(collector, pytest.Module):
            # Devices stand there by the names of backends.
            dataset = collector.module.TestPyDataset
            dataset.__getitem__ = _on_the_device


def _on_the_device(dataset: Any, index: int) -> Any:
    import keras

    return keras.ops.ones((5, 4)), keras.ops.zeros((5, 3))


@pytest.hookimpl(tryfirst=True)
def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """An address in a name is another one in each worker of xdist: names do without."""
    for mark in metafunc.definition.iter_markers("parametrize"):
        ids = mark.kwargs.get("ids")
        if callable(ids):
            mark.kwargs["ids"] = _without_addresses(ids)  # type: ignore[index]


def _without_addresses(ids: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def name(value: Any) -> Any:
        found = ids(value)
        return re.sub(r"0x[0-9a-f]{6,}", "", found) if isinstance(found, str) else found

    return name


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        name = f"{_name(item.path)}::{item.nodeid.partition('::')[2]}"
        for pattern, reason in TESTS.items():
            if fnmatch(name, pattern):
                item.add_marker(pytest.mark.skip(reason=reason))


def _name(path: Path) -> str:
    return path.relative_to(package()).as_posix() if path.is_relative_to(package()) else str(path)


if __name__ == "__main__":
    sys.exit(pytest.main(arguments(*sys.argv[1:])))
