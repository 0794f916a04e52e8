"""Names that may be unbound."""

from collections.abc import Callable
from typing import Any

import pytest

from autograph import Undefined
from autograph.operators import defined
from tests.autograph.staged_values import Staged

USES: dict[str, Callable[[Any], Any]] = {
    "add": lambda y: y + 1,
    "radd": lambda y: 1 + y,
    "iadd": lambda y: [y := y + 1],
    "neg": lambda y: -y,
    "matmul": lambda y: y @ y,
    "pow": lambda y: y**2,
    "compare": lambda y: y < 1,
    "equal": lambda y: y == 1,
    "call": lambda y: y(),
    "attribute": lambda y: y.name,
    "own attribute": lambda y: y._name,
    "set attribute": lambda y: setattr(y, "a", 1),
    "item": lambda y: y[0],
    "bool": lambda y: not y,
    "iterate": lambda y: [*y],
    "contains": lambda y: 1 in y,
    "len": len,
    "format": lambda y: f"{y}",
    "str": str,
    "hash": hash,
    "int": int,
    "index": lambda y: [1][y],
    "with": lambda y: y.__enter__(),
    "round": round,
    "reversed": reversed,
}


def pythons_message() -> str:
    def f() -> int:
        if not f:
            y = 1
        return y

    with pytest.raises(UnboundLocalError) as raised:
        f()
    return str(raised.value)


@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_every_use_raises_with_pythons_message(use: Callable[[Any], Any]) -> None:
    with pytest.raises(UnboundLocalError) as raised:
        use(Undefined("y"))
    assert str(raised.value) == pythons_message()


@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_no_frame_of_ours_is_shown(use: Callable[[Any], Any]) -> None:
    with pytest.raises(UnboundLocalError) as raised:
        use(Undefined("y"))
    assert {entry.path.name for entry in raised.traceback} <= {"test_definedness.py"}


def test_identity_and_repr_are_no_uses() -> None:
    y = Undefined("y")
    assert (y is y, repr(y)) == (True, "<undefined name 'y'>")
    assert isinstance(y, Undefined)
    assert not isinstance(y, int)


@pytest.mark.parametrize("value", [1, None, [], "a"])
def test_a_plain_value_is_defined(value: Any) -> None:
    assert defined(value) is value


def test_an_undefined_one_is_not() -> None:
    with pytest.raises(UnboundLocalError) as raised:
        defined(Undefined("y"))
    assert str(raised.value) == pythons_message()
    assert raised.value.name is None


def test_a_staged_value_is_its_backends_matter(log: list[Any]) -> None:
    value = Staged(1)
    assert defined(value) is value
    assert log == ["defined"]
