"""A staged value for tests: it refuses Python control flow; its backend notes what it is asked."""

import operator
from collections.abc import Callable, Iterator
from typing import Any

from autograph import Backend, Rest, register_backend


class Staged:
    """A value that only its backend may look at."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __bool__(self) -> bool:
        raise TypeError("a staged value has no truth value")

    __index__ = __iter__ = __len__ = __bool__

    def __eq__(self, other: object) -> Any:
        return Staged(self.value == plain(other))

    def __lt__(self, other: Any) -> "Staged":
        return Staged(self.value < plain(other))

    def __gt__(self, other: Any) -> "Staged":
        return Staged(self.value > plain(other))

    def __add__(self, other: Any) -> "Staged":
        return Staged(self.value + plain(other))

    def __radd__(self, other: Any) -> "Staged":
        return Staged(plain(other) + self.value)

    def __getitem__(self, key: Any) -> "Staged":
        return Staged(self.value[plain(key)])

    __hash__ = None  # type: ignore[assignment]


def plain(value: Any) -> Any:
    """What a value is at run time, also inside tuples and lists."""
    if isinstance(value, Staged):
        return value.value
    if isinstance(value, Rest):
        return list(map(plain, value))
    if isinstance(value, list | tuple):
        return type(value)(map(plain, value))
    return value


def packed(result: Any, names: tuple[str, ...]) -> tuple[Any, ...]:
    """A block's result as a tuple; without a name it is one value, or None."""
    if not names:
        return () if result is None else (result,)
    return (result,) if len(names) == 1 else tuple(result)


def unpacked(state: tuple[Any, ...]) -> Any:
    return state[0] if len(state) == 1 else state or None


class Recorder(Backend):
    """Computes what Python would, on the values inside, and notes each request in `log`."""

    def __init__(self) -> None:
        self.log: list[Any] = []

    def cond(self, test: Any, body: Any, orelse: Any, inputs: Any, names: Any) -> Any:
        self.log.append(("cond", names))
        result = (body if test.value else orelse)(*inputs)
        return unpacked(tuple(map(staged, packed(result, names))))

    def while_loop(self, test: Any, body: Any, state: Any, names: Any, first: Any) -> Any:
        self.log.append(("while", names, plain(state)))
        while first.value:
            state = packed(body(*state), names)
            first = staged(test(*state))
        return unpacked(tuple(map(staged, state)))

    def for_loop(self, items: Any, body: Any, state: Any, names: Any, test: Any = None) -> Any:
        self.log.append(("for", names))
        for item in items.value:
            state = packed(body(Staged(item), *state), names)
            if test is not None and not plain(test(*state)):
                break
        return unpacked(state)

    def not_(self, a: Any) -> Any:
        self.log.append("not")
        return Staged(not a.value)

    def and_(self, a: Any, *rest: Callable[[], Any]) -> Any:
        self.log.append(("and", len(rest)))
        return self._until(operator.not_, a, rest)

    def or_(self, a: Any, *rest: Callable[[], Any]) -> Any:
        self.log.append(("or", len(rest)))
        return self._until(bool, a, rest)

    def _until(self, decided: Callable[[Any], bool], a: Any, rest: Any) -> Any:
        for thunk in rest:
            if decided(plain(a)):
                break
            a = thunk()
        return staged(a)

    def assert_(self, test: Any, message: Any) -> None:
        self.log.append(("assert", message and message()))

    def setitem(self, value: Any, target: Any, key: Any) -> Any:
        self.log.append("setitem")
        items = list(plain(target))
        items[plain(key)] = plain(value)
        return Staged(items)

    def defined(self, value: Any) -> Any:
        self.log.append("defined")
        return value

    def builtin(self, function: Any, *args: Any, **kwargs: Any) -> Any:
        self.log.append((function.__name__, len(args), *kwargs))
        if function in (repr, enumerate):
            return NotImplemented
        return Staged(function(*plain(args), **{key: plain(kwargs[key]) for key in kwargs}))


def staged(value: Any) -> Any:
    return value if isinstance(value, Staged) else Staged(value)


RECORDER = Recorder()
register_backend(Staged, RECORDER)


def recorded() -> Iterator[list[Any]]:
    """For a fixture: the log, empty at first."""
    RECORDER.log.clear()
    yield RECORDER.log
