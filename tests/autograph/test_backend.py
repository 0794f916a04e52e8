"""Finding the backend of a value, and what the base class refuses."""

import gc
import weakref
from collections.abc import Callable
from typing import Any

import pytest

from autograph import (
    Backend,
    StagingError,
    backend_of,
    convert,
    register_backend,
    register_identity,
)
from autograph.backend import identities


class Value:
    pass


class Derived(Value):
    pass


class Mixed(str, Value):
    pass


def shown(value: Any) -> str:
    return type(value).__name__


BACKEND = Backend()
register_backend(Value, BACKEND)


@pytest.mark.parametrize(
    "value", [Value(), Derived(), Mixed()], ids=lambda value: type(value).__name__
)
def test_found_by_class(value: Any) -> None:
    assert backend_of(value) is BACKEND
    assert backend_of(value) is BACKEND


@pytest.mark.parametrize(
    "value", [1, None, "a", [Value()], Value, object(), len, lambda: 1], ids=shown
)
def test_plain(value: Any) -> None:
    assert backend_of(value) is None
    assert backend_of(value) is None


def test_registered_after_a_look() -> None:
    class Late:
        pass

    assert backend_of(Late()) is None
    register_backend(Late, BACKEND)
    assert backend_of(Late()) is BACKEND


def test_the_nearest_class_decides() -> None:
    class Special(Derived):
        pass

    other = Backend()
    register_backend(Special, other)
    assert (backend_of(Special()), backend_of(Derived())) == (other, BACKEND)


def test_classes_stay_collectable() -> None:
    class Short:
        pass

    class ShortStaged(Value):
        pass

    backend_of(Short())
    backend_of(ShortStaged())
    classes = [weakref.ref(Short), weakref.ref(ShortStaged)]
    del Short, ShortStaged
    gc.collect()
    assert [found() for found in classes] == [None, None]


@pytest.mark.parametrize(("kind", "backend"), [(object, BACKEND), (3, BACKEND), (Value, object())])
def test_wrong_registrations(kind: Any, backend: Any) -> None:
    with pytest.raises(TypeError, match=r"Backend|class"):
        register_backend(kind, backend)


def one_if(x: Any) -> Any:
    y = 0
    if x:
        y = 1
    return y


def one_while(x: Any) -> Any:
    while x:
        x = 0
    return x


def one_for(x: Any) -> Any:
    total = 0
    for item in x:
        total = item
    return total


def one_assert(x: Any) -> None:
    assert x


def one_item(x: Any) -> Any:
    x[0] = 1
    return x


REFUSED: dict[Callable[..., Any], str] = {
    one_if: "an `if` that assigns y",
    one_while: "a `while` that assigns x",
    one_for: "a `for` that assigns total",
    one_assert: "`assert`",
    one_item: "item assignment",
    lambda x: x and 1: "`and`",
    lambda x: x or 1: "`or`",
    lambda x: not x: "`not`",
}


@pytest.mark.parametrize(("function", "construct"), REFUSED.items(), ids=REFUSED.values())
def test_the_base_class_refuses(function: Callable[..., Any], construct: str) -> None:
    with pytest.raises(StagingError) as refused:
        convert(function)(Value())
    error = refused.value
    first = function.__code__.co_firstlineno
    assert error.message.startswith(construct)
    assert (error.filename, first <= (error.lineno or 0) <= first + 5) == (__file__, True)
    assert error.col is not None
    assert refused.traceback[-1].path.samefile(__file__)


def test_identity_is_checked_where_python_says_no(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    monkeypatch.setattr("autograph.operators.logical.identities", found := [*identities])
    monkeypatch.setattr("autograph.backend.identities", found)
    register_identity(lambda a, b: asked.append((a, b)))
    same = convert(lambda a, b: (a is b, a is not b))
    first, second = [1], [1]
    assert same(first, first) == (True, False)
    assert same(first, None) == (False, True)
    assert not asked
    assert same(first, second) == (False, True)
    assert asked == [(first, second)] * 2
