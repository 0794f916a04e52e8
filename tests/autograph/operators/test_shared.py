"""Names that blocks assign where they live: shared in plain use, carried as state while staged."""

from collections.abc import Callable
from typing import Any

import pytest

from autograph import StagingError, convert
from autograph.operators import cond, for_loop, while_loop
from tests.autograph.staged_values import RECORDER, Staged, plain


def staged_if(test: Any) -> Any:
    y = 1

    def body() -> None:
        nonlocal y
        y = 2

    def orelse() -> None:
        nonlocal y
        y = 3

    cond(test, body, orelse, shared="y")
    return y


def staged_if_with_a_result(test: Any) -> Any:
    y = 1

    def body(x: Any) -> Any:
        nonlocal y
        y = 2
        return x + 1

    def orelse(x: Any) -> Any:
        return x

    x = cond(test, body, orelse, (10,), shared="y")
    return x, y


def staged_while(n: Any) -> Any:
    total = 0

    def test(n: Any) -> Any:
        return n > 0

    def body(n: Any) -> Any:
        nonlocal total
        total = total + n
        return n + -1

    n = while_loop(test, body, (n,), shared="total")
    return n, total


def staged_for(items: Any) -> Any:
    total = 0

    def body(item: Any, last: Any) -> Any:
        nonlocal total
        total = total + item
        return item

    last = for_loop(items, body, (None,), shared="total")
    return last, total


def guarded_for(limit: Any) -> Any:
    total = 0

    def body(item: int, stopped: Any) -> Any:
        nonlocal total
        total = total + item
        return item > limit

    def test(stopped: Any) -> Any:
        return Staged(not plain(stopped))

    for_loop([1, 2, 3, 4], body, (False,), test=test, shared="total")
    return total


CASES: list[tuple[Callable[[Any], Any], Any, Any]] = [
    (staged_if, True, 2),
    (staged_if, False, 3),
    (staged_if_with_a_result, True, (11, 2)),
    (staged_if_with_a_result, False, (10, 1)),
    (staged_while, 3, (0, 6)),
    (staged_while, 0, (0, 0)),
    (staged_for, [1, 2, 3], (3, 6)),
    (staged_for, [], (None, 0)),
    (guarded_for, 2, 6),
    (guarded_for, 9, 10),
]


@pytest.mark.parametrize(("function", "argument", "expected"), CASES)
def test_plain_and_staged_agree(function: Any, argument: Any, expected: Any) -> None:
    if function is not guarded_for:
        assert function(argument) == expected
    assert plain(plain(function(Staged(argument)))) == expected


def test_the_backend_gets_the_names(log: list[Any]) -> None:
    staged_if_with_a_result(Staged(True))
    staged_while(Staged(1))
    assert log == [("cond", ("x", "y")), ("while", ("n", "total"), (1, 0))]


def test_a_block_leaves_the_names_to_the_backend() -> None:
    y = 1
    seen = []

    def body() -> None:
        nonlocal y
        y = y + 1

    class Twice(type(RECORDER)):
        def cond(self, test: Any, body: Any, orelse: Any, inputs: Any, names: Any) -> Any:
            seen.extend([body(10), body(20), y])
            return body(5)

    from autograph.operators.shared import Shared

    shared = Shared("y", (body,), RECORDER)
    result = Twice().cond(None, shared.block(body, 0, 0), None, (), ())
    assert shared.split(result, 0) is None
    assert (seen, y) == ([11, 21, 1], 6)


COUNT = 0


def counts(x: Any) -> None:
    global COUNT
    if x:
        COUNT = 1


def test_a_global_is_refused() -> None:
    with pytest.raises(StagingError, match=r"'COUNT' is assigned .* but it is global") as refused:
        convert(counts)(Staged(1))
    assert refused.value.variable == "COUNT"
    assert refused.value.filename == __file__


def test_a_name_of_an_earlier_call_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(RECORDER, "owns", lambda cell: False)
    with pytest.raises(StagingError, match=r"'y' is assigned .* called before the staged one"):
        staged_if(Staged(True))
