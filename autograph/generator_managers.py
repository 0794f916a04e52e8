"""Generators of the user's, in a function that is being staged.

That of a context manager (`@contextmanager`) can be left once, while what stands in its `with` may
be left in several ways; how far another one comes may be what only the run knows. So they become
functions that call what takes their elements where they have their `yield`.

    >>> import contextlib
    >>> @contextlib.contextmanager
    ... def noted(log):
    ...     try:
    ...         yield 5
    ...     finally:
    ...         log.append("left")
    >>> log = []
    >>> from autograph.calls import AG
    >>> around(noted(log), AG)(lambda value: log.append(value))
    >>> log
    [5, 'left']
    >>> def halves(x):
    ...     while x > 1:
    ...         yield x
    ...         x = x // 2
    >>> visit, _ = visiting(halves, AG)
    >>> visit((9,), {}, lambda value: log.append(value), stops=False)
    >>> log
    [5, 'left', 9, 4, 2]
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import _GeneratorContextManager
from functools import partial
from types import CellType, CodeType, FunctionType
from typing import Any, TypeAlias, cast
from weakref import WeakKeyDictionary

from autograph import policy
from autograph.codes import CodeTable, has_instruction, nested_codes
from autograph.load import twin_of
from autograph.twins import converting, note_generated, source_known

Made: TypeAlias = tuple[CodeType, str, str] | tuple[()]
Taker: TypeAlias = Callable[[Any], Any]
_made: dict[str, CodeTable[Made]] = {
    way: CodeTable() for way in ("around", "each", "some", "each on", "some on")
}


def around(manager: Any, ag: CellType) -> Callable[[Callable[[Any], None]], None] | None:
    """A function that runs a block within the manager of a generator of the user's, not entered
    yet; None for another manager, and where the `yield` may be reached twice, or not at all.

    Args:
        ag: what generated code calls the operators by.
    """
    function = vars(manager).get("func") if type(manager) is _GeneratorContextManager else None
    written = _as_written(function) if type(function) is FunctionType else None
    if written is None or not policy.decide(written).decision:
        return None
    made = _code_of(written, "around")
    if not made:
        return None
    args, keywords = manager.args, manager.kwds

    def run(body: Taker, /) -> None:
        manager.gen.close()
        _twin(written, made, ag, body)(*args, **keywords)

    return run


def visiting(function: FunctionType, ag: CellType) -> tuple[Callable[..., None], bool] | str:
    """A function that gives each element of a generator of a generator function's to a taker:
    `visit(args, kwargs, taker, stops)`, and whether it has something to do where it is left; or why
    there is none.

    With `stops`, a true answer of the taker ends the generator. With `call`, that calls it, and the
    taker has an attribute `each`, for all that another generator gives; `visit` then tells whether
    it has ended so.
    """
    written = _as_written(function)
    if written is None:
        return "another function of its name is on its line"
    if not _code_of(written, "each"):
        return "a `yield` of it stands in a `try` that catches, a `with` or an expression"

    def visit(
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        taker: Taker,
        stops: bool,
        call: Callable[[Any], Any] | None = None,
    ) -> Any:
        if call is not None:
            twin, block = _passing_on(function, written, ag, stops)
            run: Callable[..., Any] = partial(call(twin), **{block: taker})
        else:
            run = _twin(written, _code_of(written, "some" if stops else "each"), ag, taker)
        try:
            return run(*args, **kwargs)
        except StopIteration as error:  # what Python makes of one that leaves a generator
            raise RuntimeError("generator raised StopIteration") from error

    return visit, has_instruction(written.__code__, "PUSH_EXC_INFO")


def _passing_on(
    function: FunctionType, written: FunctionType, ag: CellType, stops: bool
) -> tuple[Callable[..., Any], str]:
    """The function of a generator that gives on all elements of another one, and the keyword for
    what takes them: the same in each call, so that it may be known to call itself.
    """
    known = _passed_on.setdefault(function, {})
    if stops not in known:
        code, name, block = cast(Any, _code_of(written, "some on" if stops else "each on"))
        cells = {name: ag} if name in code.co_freevars else {}
        known[stops] = twin_of(written, code, cells), block
    return known[stops]


_passed_on: WeakKeyDictionary[FunctionType, dict[bool, tuple[FunctionType, str]]] = (
    WeakKeyDictionary()
)


def _as_written(function: FunctionType) -> FunctionType | None:
    """A function of converted code as the user wrote it, with the same variables; None where that
    is not known.
    """
    code = policy.generated.get(function.__code__)
    if code is None:
        return function
    own = function.__code__
    place = own.co_name, own.co_firstlineno
    found = [each for each in nested_codes(code) if (each.co_name, each.co_firstlineno) == place]
    if len(found) != 1 or not set(found[0].co_freevars).issubset(own.co_freevars):
        return None
    return twin_of(function, found[0], {})


def _twin(function: FunctionType, made: Made, ag: CellType, taker: Taker) -> Callable[..., Any]:
    assert made
    code, name, block = made
    cells = {name: ag} if name in code.co_freevars else {}
    return partial(twin_of(function, code, cells), **{block: taker})


def _code_of(function: FunctionType, way: str) -> Made:
    table = _made[way]
    with converting:
        made = table.get(function.__code__)
        if made is None:
            made = _make(function, way) if source_known(function) else ()
            table[function.__code__] = made
        return made


def _make(function: FunctionType, way: str) -> Made:
    from autograph.conversion import convert_yields
    from autograph.yields import call_at_each, call_block

    each = partial(call_at_each, stops=way.startswith("some"), passes_on=way.endswith(" on"))
    write = call_block if way == "around" else each
    made = convert_yields(function, write)
    if made is None:
        return ()
    note_generated(made.codes, function.__code__)
    return made.codes[0], made.ag, made.block
