"""The exceptions of ops, named as TensorFlow names them; each carries what failed and where."""

from __future__ import annotations

import builtins
from typing import Any

from runtime.core.cells import format_place, pointer_to
from runtime.core.lazy import public as _public


class OpError(Exception):
    """Base of the errors that ops raise.

    `message` says all that is known: `detail`, what is wrong; `hint`, what to write instead; `op`,
    the op's name; the types of its `inputs`; the user's (file, line, column) in a graph,
    `location`. But for the first they may be None. One argument alone is what is wrong.
    `error_code` is the number that TensorFlow gives the class.

    >>> try:
    ...     rt.gather([1, 2], 5)
    ... except rt.errors.OpError as error:
    ...     error.op
    'GatherV2'
    """

    error_code = 2
    inputs: tuple[str, ...] | None = None
    location: Any = None
    hint: str | None = None
    is_of_trace = False  # a trace raises it, and eager code might not

    def __init__(
        self,
        node_def: Any = None,
        op: Any = None,
        message: str | None = None,
        error_code: int | None = None,
        inputs: tuple[str, ...] | None = None,
        location: Any = None,
        hint: str | None = None,
    ) -> None:
        if message is None:
            node_def, message = None, str(node_def)
        super().__init__(message)
        self.node_def = node_def
        self.op = op
        self.detail = message
        if inputs is not None:
            self.inputs = inputs
        if location is not None:
            self.location = location
        if hint is not None:
            self.hint = hint
        if error_code is not None:
            self.error_code = error_code
        self.experimental_payloads: dict[str, bytes] = {}

    @property
    def message(self) -> str:
        """The text of the error: what is wrong, in which op, with which inputs, and where."""
        known = [] if self.inputs is None else [f"inputs: {', '.join(self.inputs)}"]
        if self.location is not None:
            known.append(f"at {format_place(*self.location)}")
        text = self.detail if self.hint is None else f"{self.detail}; {self.hint}"
        if not known:
            return text
        if self.op is not None and not text.startswith(f"{self.op}:"):
            text = f"{self.op}: {text}"
        gap = "\n" if "\n" in text else " "
        return f"{text}{gap}[{'; '.join(known)}]"

    def __str__(self) -> str:
        return self.message + (pointer_to(*self.location) if self.location else "")

    def __reduce__(self) -> Any:
        return _restored, (type(self), self.args), self.__dict__


def _restored(kind: type[OpError], args: tuple[Any, ...]) -> OpError:
    # Not by calling the class: one of the user's may take other arguments.
    return kind.__new__(kind, *args)


class CancelledError(OpError):
    """An operation was cancelled."""

    error_code = 1


class UnknownError(OpError):
    """An error that fits no other class."""

    error_code = 2


class InvalidArgumentError(OpError):
    """An op was given arguments that it does not take; what is raised is of a subclass.

    >>> try:
    ...     rt.gather([1, 2], 5)
    ... except rt.errors.InvalidArgumentError as error:
    ...     error.detail
    'index = 5 is not in [0, 2)'
    """

    error_code = 3


class InvalidValueError(InvalidArgumentError, ValueError):
    """An op was given shapes or values that it does not take; a ValueError too, as while tracing.

    >>> rt.one_hot([0], -1)
    Traceback (most recent call last):
    runtime.errors.InvalidValueError: OneHot: depth must be non-negative, got -1...
    """


class ZeroDivisionError(InvalidArgumentError, builtins.ZeroDivisionError):
    """An integer is divided by zero: Python's error of that name too.

    >>> try:
    ...     rt.constant(1) // rt.constant(0)
    ... except ZeroDivisionError as error:
    ...     error.detail
    'Integer division by zero'
    """


class IndexError(InvalidArgumentError, builtins.IndexError):
    """An index is out of bounds: Python's error of that name too.

    >>> try:
    ...     rt.constant([1, 2])[5]
    ... except IndexError as error:
    ...     error.detail
    'slice index 5 of dimension 0 out of bounds (size 2)'
    """


class WrongDtypeError(InvalidValueError, TypeError):
    """A value cannot have the dtype that an op needs, or any; a TypeError too, as while tracing.

    >>> rt.constant([1, 2]) + rt.constant(1.5)
    Traceback (most recent call last):
    runtime.errors.WrongDtypeError: AddV2: input 1 has dtype float32, but input 0 has dtype int32...
    """


class NumericsError(InvalidValueError):
    """A result is no number; whoever runs the op for a graph tells where it stands.

    `called_at` is the place outside of the graph, where there is one.

    >>> rt.debugging.enable_check_numerics()
    >>> rt.math.log(0.)
    Traceback (most recent call last):
    runtime.errors.NumericsError: ...
    >>> rt.debugging.disable_check_numerics()
    """

    called_at: Any = None

    def locate(self, location: Any) -> None:
        """Note the user's (file, line, column), unless a place further inside is known already."""
        self.location = self.location or location

    def __str__(self) -> str:
        place = self.location or self.called_at
        where = format_place(*place) + pointer_to(*place) if place else "an unknown place"
        return f"{self.detail}\nat {where}"


class StagedAssertionError(AssertionError, InvalidArgumentError):
    """An `assert` on a staged value that does not hold at run time.

    >>> @rt.function
    ... def root(x):
    ...     assert x >= 0., "a root of a negative number"
    ...     return rt.sqrt(x)
    >>> root(rt.constant(-1.))
    Traceback (most recent call last):
    runtime.errors.StagedAssertionError: a root of a negative number
    """

    def __init__(self, *args: Any) -> None:
        AssertionError.__init__(self, *args)
        self.node_def, self.op = None, "Assert"

    @property
    def detail(self) -> str:  # type: ignore[override]
        """The message of the statement, with the values of the run."""
        return str(self.args[0]) if self.args else ""


class DeadlineExceededError(OpError):
    """An operation did not end in time."""

    error_code = 4


class NotFoundError(OpError):
    """A file or an entry is missing."""

    error_code = 5


class AlreadyExistsError(OpError):
    """The thing to be created is there already."""

    error_code = 6


class PermissionDeniedError(OpError):
    """The caller may not do this."""

    error_code = 7


class ResourceExhaustedError(OpError):
    """Memory or another resource ran out."""

    error_code = 8


class FailedPreconditionError(OpError):
    """The system is not in the state that the op needs: an uninitialised variable, for example."""

    error_code = 9


class AbortedError(OpError):
    """The operation was aborted."""

    error_code = 10


class OutOfRangeError(OpError):
    """An iterator or a range has come to its end."""

    error_code = 11


class UnimplementedError(OpError):
    """The op is not implemented for these arguments."""

    error_code = 12


class RefusedError(UnimplementedError):
    """The run cannot do what Python does with the values that it has.

    Python raises nothing there, so that no `except` of a staged function takes it.

    >>> @rt.function
    ... def power(n):
    ...     return 2 ** int(n)
    >>> power(rt.constant(-1))
    Traceback (most recent call last):
    runtime.errors.RefusedError: ...
    """


class InternalError(OpError):
    """An invariant of the runtime is broken: a bug here, not in the caller."""

    error_code = 13


class UnavailableError(OpError):
    """A service is unavailable at present."""

    error_code = 14


class DataLossError(OpError):
    """A file is damaged."""

    error_code = 15


class UnauthenticatedError(OpError):
    """The caller has no valid credentials."""

    error_code = 16


class _OfSymbolError(TypeError):
    """Base of the errors of symbols: what is wrong, where, and what to write instead."""

    def __init__(
        self,
        message: str,
        filename: str | None = None,
        lineno: int | None = None,
        col: int | None = None,
        variable: str | None = None,
        hint: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.filename = filename
        self.lineno = lineno
        self.col = col
        self.variable = variable
        self.hint = hint

    def __str__(self) -> str:
        place = format_place(self.filename, self.lineno, self.col)
        text = f"{place}: {self.message}" if place else self.message
        text += pointer_to(self.filename, self.lineno, self.col)
        return f"{text}\n  {self.hint}" if self.hint else text


class OperatorNotAllowedInGraphError(_OfSymbolError):
    """Python asked a symbolic tensor for what only the run knows: its truth, its elements.

    `filename`, `lineno`, `col`, `variable` tell where, `hint` what to write instead.

    >>> @rt.function
    ... def outside(x):
    ...     return x.numpy()
    >>> outside(rt.constant(1.))
    Traceback (most recent call last):
    runtime.errors.OperatorNotAllowedInGraphError: ...
    """


class InaccessibleTensorError(_OfSymbolError):
    """A symbolic tensor is used outside the graph that it belongs to.

    `filename`, `lineno`, `col`, `variable` tell where, `hint` what to write instead.

    >>> kept = []
    >>> rt.function(lambda x: kept.append(lambda: x))(rt.constant(1.))
    >>> kept[0]() + 1.
    Traceback (most recent call last):
    runtime.errors.InaccessibleTensorError: ...
    """


# The numbers of the classes, as gRPC has them.
OK, CANCELLED, UNKNOWN, INVALID_ARGUMENT, DEADLINE_EXCEEDED, NOT_FOUND = range(6)
ALREADY_EXISTS, PERMISSION_DENIED, RESOURCE_EXHAUSTED, FAILED_PRECONDITION = range(6, 10)
ABORTED, OUT_OF_RANGE, UNIMPLEMENTED, INTERNAL, UNAVAILABLE, DATA_LOSS = range(10, 16)
UNAUTHENTICATED = 16

__dir__ = _public(
    __name__,
    "OK CANCELLED UNKNOWN INVALID_ARGUMENT DEADLINE_EXCEEDED NOT_FOUND ALREADY_EXISTS "
    "PERMISSION_DENIED RESOURCE_EXHAUSTED FAILED_PRECONDITION ABORTED OUT_OF_RANGE UNIMPLEMENTED "
    "INTERNAL UNAVAILABLE DATA_LOSS UNAUTHENTICATED",
)
