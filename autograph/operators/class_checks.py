"""Tests of a class that only guard a `raise`: a staged value also is what it stands for."""

from __future__ import annotations

from typing import Any

from autograph.backend import asked, backend_of, instance_of, stand_ins
from autograph.frames import hide


def passes(test: Any, value: Any, classes: Any) -> Any:
    """`isinstance(value, classes)`; a staged value also is what it stands for in the graph.

    Args:
        test: what the user's code calls `isinstance`.
        value: the value that is asked for its class.
        classes: the classes that the guard lets pass.
    """
    try:
        if test is not isinstance:
            return test(value, classes)
        backend = backend_of(value)
        if backend is None:
            return instance_of(value, classes)
        return asked(backend, stands_for, value, classes)
    except BaseException as error:  # whatever passes through is the user's: only our frame goes
        hide(error)
        raise


def has_class(ask: Any, value: Any, classes: Any) -> Any:
    """`type(value) in classes`; a staged value also has the class of what it stands for.

    Args:
        ask: what the user's code calls `type`.
        value: the value that is asked for its class.
        classes: the classes that the guard lets pass.
    """
    try:
        backend = backend_of(value) if ask is type else None
        kind = ask(value)
        return stand_ins.get(kind, kind) in classes or (
            backend is not None and asked(backend, class_stood_for, value) in classes
        )
    except BaseException as error:  # whatever passes through is the user's: only our frame goes
        hide(error)
        raise


def class_stood_for(value: Any) -> type:
    """`type`, which backends replace: there a staged value has the class that it stands for."""
    return type(value)


def stands_for(value: Any, classes: Any) -> bool:
    """`isinstance`, which backends replace: a staged value is also what it stands for there."""
    return isinstance(value, classes)
