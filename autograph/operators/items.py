"""`x[i]`, `x[i] = v` and `x[i] += v`."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from autograph.backend import Backend, Thunk, backend_of, backend_of_key, item_setters
from autograph.frames import hide
from autograph.observers import this_thread
from autograph.operators.texts import imod


def getitem(target: Any, key: Any) -> Any:
    """`target[key]`, of what may be a Python sequence, where only the run may know the key."""
    try:
        backend = None if type(key) is int else _backend_of_place(key)
        return target[key] if backend is None else _item(backend, target, key)
    except BaseException as error:  # whatever passes through is the user's: only our frame goes
        hide(error)
        raise


def setitem(value: Any, *, to: Any, at: Any) -> Any:
    """`to[at] = value`: what the name of `to` stands for afterwards.

    A target that changes itself, as a list does, is returned; of a value a new one results.
    """
    try:
        setter = item_setters.get(type(to))
        if setter is not None:
            return setter(value, to, at)
        backend = _backend(to, at)
        if backend is not None:
            return backend.setitem(value, to, at)
        _set(to, at, value)
        return to
    except BaseException as error:  # whatever passes through is the user's: only our frame goes
        hide(error)
        raise


def update_item(target: Any, key: Any, symbol: str, value: Thunk) -> Any:
    """`target[key] symbol value()`, as in `x[i] += v`: what the name of the target stands for.

    Args:
        symbol: the augmented operator, such as `'+='`.
    """
    try:
        setter = item_setters.get(type(target))
        if setter is not None:
            return setter(_UPDATES[symbol](target[key], value()), target, key)
        backend = _backend(target, key)
        if backend is not None:
            old = _item(backend, target, key)
            return backend.setitem(_UPDATES[symbol](old, value()), target, key)
        _set(target, key, _UPDATES[symbol](target[key], value()))
        return target
    except BaseException as error:  # whatever passes through is the user's: only our frame goes
        hide(error)
        raise


def store_item(value: Any, *, to: Any, at: Any) -> None:
    """`to[at] = value` where no name stands for `to`: a list changes itself, also where only the
    run knows the place.
    """
    try:
        _store(_backend_of_list(to, at), value, to, at)
    except BaseException as error:  # whatever passes through is the user's: only our frame goes
        hide(error)
        raise


def store_update(target: Any, key: Any, symbol: str, value: Thunk) -> None:
    """`target[key] symbol value()` where no name stands for the target."""
    try:
        backend = _backend_of_list(target, key)
        old = target[key] if backend is None else _item(backend, target, key)
        _store(backend, _UPDATES[symbol](old, value()), target, key)
    except BaseException as error:  # whatever passes through is the user's: only our frame goes
        hide(error)
        raise


def _backend_of_list(target: Any, key: Any) -> Backend | None:
    return _backend_of_slice(key) if type(target) is list else None


def _store(backend: Backend | None, value: Any, target: Any, key: Any) -> None:
    if backend is None:
        _set(target, key, value)
    else:
        backend.setitem(value, target, key)


def _set(target: Any, key: Any, value: Any) -> None:
    if this_thread.observers and type(target) not in (list, dict):
        _tell_of_setter(target)
    target[key] = value


def _tell_of_setter(target: Any) -> None:
    setter: Any = getattr(type(target), "__setitem__", None)
    if hasattr(type(setter), "__get__"):  # else Python raises TypeError
        for observer in this_thread.observers:
            observer(setter.__get__(target), ())


def _backend(target: Any, key: Any) -> Backend | None:
    backend = backend_of(target)
    if backend is None and isinstance(target, list | dict):
        return _backend_of_slice(key)
    return backend


def _backend_of_slice(key: Any) -> Backend | None:
    if type(key) is not slice:
        return backend_of_key(key)
    return backend_of(key.start) or backend_of(key.stop) or backend_of(key.step)


def _backend_of_place(key: Any) -> Backend | None:
    """The backend of a key, or of what is in a tuple or list."""
    found = _backend_of_slice(key)
    if found is not None or not isinstance(key, tuple | list):
        return found
    return next(filter(None, map(_backend_of_place, key)), None)


def _item(backend: Backend, target: Any, key: Any) -> Any:
    staged = backend.builtin(operator.getitem, target, key)
    return target[key] if staged is NotImplemented else staged


def _iadd(target: Any, value: Any) -> Any:
    if type(target) is not list or not isinstance(value, list):
        target += value
        return target
    # A list on the right side that stands for one of the user's must not be asked first.
    return list.__iadd__(target, value)


_UPDATES: dict[str, Callable[[Any, Any], Any]] = {
    "+=": _iadd,
    "-=": operator.isub,
    "*=": operator.imul,
    "/=": operator.itruediv,
    "//=": operator.ifloordiv,
    "%=": imod,
    "**=": operator.ipow,
    "@=": operator.imatmul,
    "&=": operator.iand,
    "|=": operator.ior,
    "^=": operator.ixor,
    "<<=": operator.ilshift,
    ">>=": operator.irshift,
}
