"""Python numbers of the graph beside numbers that are neither ints nor floats: NumPy's, which are
as tensors of their dtypes, and fractions and such, which are refused; and these as keys of dicts.
"""

# The programs are written as users write them.
# ruff: noqa: SIM300

from __future__ import annotations

import enum
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import runtime as rt
from autograph import StagingError


class Level(enum.IntEnum):
    HIGH = 2


WHOLE, PART, NARROW = np.int64(3), np.float32(2.5), np.int8(-7)

PROGRAMS: list[Callable[[Any], Any]] = [
    lambda n: (WHOLE == int(n), int(n) == WHOLE, int(n) != WHOLE, int(n) in [1, WHOLE]),
    lambda n: (PART < int(n), int(n) <= PART, NARROW > float(n), float(n) >= NARROW),
    lambda n: (WHOLE + int(n), int(n) - WHOLE, PART * int(n), int(n) / PART, float(n) * PART),
    lambda n: (WHOLE // int(n), int(n) % NARROW, WHOLE ** int(n), int(n) ** PART),
    lambda n: (WHOLE & int(n), int(n) | NARROW, WHOLE ^ int(n), int(n) << WHOLE, WHOLE >> int(n)),
    lambda n: (*divmod(WHOLE, int(n)), *divmod(int(n), NARROW), int(n) == Level.HIGH),
    lambda n: ([WHOLE, 2, 4].index(int(n) + 1), (WHOLE, 1) == (int(n), 1), max(NARROW, int(n))),
    lambda n: ({WHOLE: 4}.get(int(n), 0), {WHOLE: 4}.get(n, 0), int(n) in {WHOLE: 4}),
    lambda n: ({Fraction(2): 5, Level.HIGH + 1: 6}.get(n, 0), {2 + 0j: 7}.get(int(n), 0)),
    lambda n: ({Level.HIGH: 5, PART: 6}.get(n, 0), {Decimal("0.1"): 1, np.True_: 2}.get(n, 0)),
    lambda n: {np.float64(2): 1, NARROW: 2, WHOLE: 3}.get(n, 0),
    lambda n: (int(n) == np.str_("2"), int(n) != np.bytes_(b"2")),
]


@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize("program", PROGRAMS)
def test_as_in_python(program: Callable[[Any], Any], n: int) -> None:
    expected = np.array(rt.nest.flatten(program(n)), np.float64)
    found = rt.nest.flatten(rt.function(program)(rt.constant(n)))
    np.testing.assert_allclose(np.array([float(x) for x in found]), expected, 1e-6)


REFUSED: list[Callable[[Any], Any]] = [
    lambda n: Fraction(2) == int(n),
    lambda n: int(n) != Decimal(2),
    lambda n: int(n) + Fraction(1, 2),
    lambda n: float(n) < Decimal("0.5"),
    lambda n: 2j * int(n),
    lambda n: (int(n), 1) == (Fraction(2), 1),
]


@pytest.mark.parametrize("program", REFUSED)
def test_others_are_refused(program: Callable[[Any], Any]) -> None:
    with pytest.raises(StagingError, match=r"meets a staged (?s:.)*make a float of it"):
        rt.function(program)(rt.constant(2))


def found(items: Any, x: Any) -> Any:
    if x > 0:
        return items.index(int(x))
    return -1


def test_what_is_in_no_list_of_other_things() -> None:
    """The text of the error names the item, which only the run knows."""
    with pytest.raises(ValueError, match=r"^2 is not in list$"):
        rt.function(lambda x: ["a"].index(x))(rt.constant(2))
    staged = rt.function(lambda x: found(["a"], x))
    assert int(staged(rt.constant(-1))) == -1
    with pytest.raises(ValueError, match="2 is not in list"):
        staged(rt.constant(2))
