"""Effects of a trace that cannot be put back: a function is traced anew only where there are none.

Snapshots put back what is in objects, and compare the places of iterators. The user's functions are
converted, so that what they call is seen. It takes a call of something else that acts where nobody
looks.
"""

from __future__ import annotations

import builtins
import gc
import sys
from contextlib import contextmanager
from functools import lru_cache, partial
from io import StringIO
from types import (
    BuiltinFunctionType,
    CodeType,
    FunctionType,
    MethodDescriptorType,
    MethodType,
    ModuleType,
    WrapperDescriptorType,
)
from typing import Any

from autograph import policy
from autograph.mutation.foreign import is_foreign
from autograph.mutation.foreign_calls import acts_elsewhere, is_called_as_it_is, is_harmless_module
from autograph.mutation.kind_table import is_hidden
from autograph.mutation.purity import CACHED, constants_of
from autograph.mutation.users_code import is_users_class, is_users_function
from autograph.mutation.variables import value_of
from autograph.objects import MISSING, module_of, of_classes
from autograph.operators.texts import shown_by_user
from runtime.core.state import state
from runtime.staging.backend import BACKEND
from runtime.staging.control.references import is_own_count, may_stage_arrays

_ACTING = frozenset((print, exec, eval, breakpoint))
_UNBOUND = (WrapperDescriptorType, MethodDescriptorType)
_methods: dict[tuple[type, str], bool] = {}
_MAKING_MANAGERS = contextmanager(iter).__code__
"""The code of what `contextmanager` makes of a function."""
WRITTEN = "<string>"
"""The file of what a decorator or `namedtuple` wrote."""


class Acts:
    """The calls of a trace: the `first` that is known to act is named."""

    def __init__(self) -> None:
        self.first: str | None = None
        self._codes: dict[int, CodeType] = {}

    def note(self, function: Any, args: tuple[Any, ...] = ()) -> None:
        """Python is about to call this."""
        if self.first is None and function is next and args and _is_lasting_for_next(args[0]):
            self.first = "next"
        plain = getattr(function, "__func__", function)
        if type(plain) is FunctionType and plain.__code__.co_filename != WRITTEN:
            self._codes[id(plain.__code__)] = plain.__code__
        if self.first is None and is_lasting(function):
            self.first = getattr(function, "__qualname__", None) or repr(function)

    def found(self) -> str | None:
        """The name of a callable that may have acted, if there is one."""
        alone = [code.co_qualname for code in self._codes.values() if _runs_as_it_is(code)]
        return self.first or next(iter(alone), None)


class Prints:
    """The texts that Python prints while a function is traced. Each is shown once, though Python
    may run again. Once a trace has made an array, of which another one may leave the items to the
    run, its texts are shown where the last trace has ended.
    """

    def __init__(self) -> None:
        self._streams: list[Any] = []  # of the texts that were shown
        self._at = 0
        self._held: list[tuple[Any, str]] = []

    def begin(self) -> None:
        """Python runs from the beginning."""
        self._at = 0
        self._held = []

    def show(self) -> None:
        """Show what the last trace has printed, and not shown yet."""
        held, self._held = self._held, []
        for stream, text in held:
            stream.write(text)

    def print(self, acts: Acts, *args: Any, **kwargs: Any) -> None:
        """Python's `print`, outside of staged blocks; the graph's where the run knows the text.

        It acts where it writes to what the user has made. Behind a refusal, which a handler of the
        user's has caught, nothing is shown: Python runs again, or the refusal is raised.
        """
        trace = state.trace
        while trace is not None:
            if trace.refusal is not None:
                return
            trace = trace.outer
        args = tuple([shown_by_user(print, arg) for arg in args])
        if BACKEND.builtin(print, *args, **kwargs) is not NotImplemented:
            return
        stream, at = kwargs.get("file") or sys.stdout, self._at
        if is_users_class(type(stream)):
            acts.note(print)
        elif may_stage_arrays(state.trace):
            with StringIO() as written:
                print(*args, **kwargs | {"file": written})
                self._held.append((stream, written.getvalue()))
            return
        elif self._streams[at : at + 1] == [stream]:
            self._at += 1
            return
        self._streams[at : at + 1] = [stream]
        self._at += 1
        print(*args, **kwargs)


def _runs_as_it_is(code: CodeType) -> bool:
    """Whether a function is not converted that might be, so that what it calls was not seen."""
    why = policy.unconverted.get(code)
    return code in policy.marked or (why is not None and not why.startswith("it is"))


_STANDING: frozenset[type[Any]] = frozenset(map(type, (
    iter([]), iter(()), iter(range(0)), iter(""), iter({}), iter({}.values()), iter({}.items()),
    iter(set()), reversed([]), reversed({}), iter(b""), (_ for _ in list[int]()),
)))  # fmt: skip
"""The classes of iterators of which snapshots compare the place."""
_OVER_OTHERS = frozenset((enumerate, filter, map, reversed, zip))


def is_lasting_iterator(item: Any) -> bool:
    """Whether what advances an iterator may be seen by nobody.

    >>> import os
    >>> is_lasting_iterator(iter([1])), is_lasting_iterator(os.scandir())
    (False, True)
    """
    kind = type(item)
    is_iterator = of_classes(kind.__mro__, "__next__") is not MISSING
    if not is_iterator or is_users_class(kind) or not is_foreign(kind):
        return False
    if kind in _OVER_OTHERS:
        return any(map(is_lasting_iterator, gc.get_referents(item)))
    return kind not in _STANDING


def _is_lasting_for_next(item: Any) -> bool:
    return is_lasting_iterator(item) and not is_own_count(item)


def lasting_iterator_of(function: Any) -> str | None:
    """The name of such an iterator that a function reads from outside of it, if there is one."""
    plain = getattr(function, "__func__", function)
    if not isinstance(plain, FunctionType):
        return None
    code, cells = plain.__code__, plain.__closure__ or ()
    names: dict[str, Any] = {name: plain.__globals__.get(name) for name in code.co_names}
    names |= {name: value_of(cell) for name, cell in zip(code.co_freevars, cells, strict=True)}
    return next((name for name, item in names.items() if is_lasting_iterator(item)), None)


def is_lasting(function: Any) -> bool:
    """Whether a call may do what no snapshot puts back.

    >>> is_lasting(len), is_lasting(print), is_lasting([].append), is_lasting(open)
    (False, True, False, True)
    """
    kind = type(function)
    if kind is FunctionType and function.__code__ is _MAKING_MANAGERS:
        return is_lasting(function.__wrapped__)
    if kind is MethodType and type(function.__func__) is FunctionType:
        return is_lasting(function.__func__)
    if kind is partial:
        return is_lasting(function.func)
    if kind is FunctionType and is_users_function(function):
        return _is_lasting_function(function)
    if isinstance(function, type):
        return not is_users_class(function) and _is_lasting_class(function)
    receiver = getattr(function, "__self__", None)
    if kind in (FunctionType, BuiltinFunctionType) and isinstance(receiver, ModuleType | None):
        return _is_lasting_of_module(function)
    if not isinstance(receiver, ModuleType | None):
        return _is_lasting_method(function, type(receiver))
    if kind in _UNBOUND:
        return _is_lasting_method(function, function.__objclass__)
    if kind is CACHED:  # which has its own memory
        return constants_of(function) is None
    # Of a class with a `__call__`: the user's is called as a function.
    return is_foreign(kind) and is_hidden(kind)


def _is_lasting_function(function: FunctionType) -> bool:
    """Of the user's: one that a decorator wrote, as the `__init__` of a dataclass, calls others."""
    if function.__code__.co_filename != WRITTEN:
        return False
    held = [cell.cell_contents for cell in function.__closure__ or ()]
    return any(map(_is_lasting_factory, filter(callable, held)))


def _is_lasting_factory(function: Any) -> bool:
    if isinstance(function, type):
        return is_users_class(function) or is_lasting(function)
    if isinstance(function, BuiltinFunctionType):
        return function is next or is_lasting(function)
    if not isinstance(function, FunctionType) or function.__closure__:
        return True
    known = vars(builtins) | function.__globals__
    named = [known.get(name) for name in function.__code__.co_names]
    return any(
        item is None
        or isinstance(item, ModuleType)
        or (callable(item) and _is_lasting_factory(item))
        for item in named
    )


def _is_lasting_method(function: Any, owner: type) -> bool:
    """Of a class of Python's, or of a library."""
    if not is_foreign(owner):
        return False
    key = owner, str(getattr(function, "__name__", ""))
    if key not in _methods:
        _methods[key] = _is_impure(function) or is_hidden(owner)
    return _methods[key]


@lru_cache(1024)
def _is_lasting_class(kind: type) -> bool:
    if policy.is_harmless(kind):
        return False
    return _is_impure(kind) or (
        is_called_as_it_is(kind) and not is_harmless_module(module_of(kind))
    )


@lru_cache(1024)
def _is_lasting_of_module(function: Any) -> bool:
    if function in _ACTING or _is_impure(function) or acts_elsewhere(function):
        return True
    module = str(getattr(function, "__module__", None))
    return is_called_as_it_is(function) and not is_harmless_module(module)


def _is_impure(function: Any) -> bool:
    reason = policy.impure(function)
    return function is not next and reason is not None and not reason.startswith("reads the clock")
