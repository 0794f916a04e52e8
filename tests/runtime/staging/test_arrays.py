"""NumPy arrays that a staged loop changes: as in Python, or refused where others see them."""

import numpy as np
import pytest

import runtime as rt
from autograph import StagingError

TABLE = np.zeros(3)


def filled(n):
    out = np.zeros(3)
    for i in range(n):
        out[i] = i + 0.5
    return out


def counted(n):
    out = np.zeros(3)
    for i in range(n):
        out[0] += i
    return out


def added(n):
    out = np.zeros(3)
    for i in range(n):
        out += i
    return out


def made_of_others(n):
    out = np.zeros(3)
    other = out
    for _ in range(n):
        out = out + 1
    return out, other


def backwards(n):
    out = np.zeros(3)
    while n > 0:
        n -= 1
        out[n] = 1.0
    return out


def nested(n):
    out = np.zeros((3, 3))
    for i in range(n):
        for j in range(n):
            out[i, j] = i * j + 1.0
    return out


def reshaped(n):
    out = np.arange(6.0).reshape(2, 3)
    for i in range(n):
        out[0, i] = 7.0
    return out


def tried(n):
    out = np.zeros(3)
    try:
        for i in range(n):
            out[i] = 1.0
            if i > 0:
                raise KeyError
    except KeyError:
        out = out + 1.0
    return out


def with_a_closure(n):
    out, k = np.zeros(3), 0

    def bump():
        nonlocal k
        k += 1
        return out[0]

    for i in range(n):
        bump()
        out[i] = k
    return out, bump()


def left_early(n):
    out = np.zeros(3)
    for i in range(100):
        out = out + 1.0
        if i > n:
            break
    return out


@pytest.mark.parametrize(
    "program",
    [
        filled,
        counted,
        added,
        made_of_others,
        backwards,
        nested,
        reshaped,
        tried,
        with_a_closure,
        left_early,
    ],
)
def test_an_array_that_a_variable_alone_knows_is_changed_as_in_python(program):
    staged = rt.nest.map_structure(np.asarray, rt.function(program)(rt.constant(2)))
    rt.nest.map_structure(np.testing.assert_allclose, staged, program(2))


def another_name(n):
    out = other = np.zeros(3)
    for i in range(n):
        out[i] = 1.0
    return other


def in_a_list(n):
    out = np.zeros(3)
    box = [out]
    for i in range(n):
        out[i] = 1.0
    return box[0]


def a_row(n):
    m = np.zeros((2, 3))
    r = m[0]
    for i in range(n):
        r[i] = 1.0
    return m


def under_a_view(n):
    out = np.zeros(3)
    view = out[1:]
    for i in range(n):
        out[i] = 1.0
    return view


def from_outside(n):
    out = TABLE
    for i in range(n):
        out[i] = 1.0
    return out


def inner_loop(n):
    out = other = np.zeros((3, 3))
    for i in range(n):
        for j in range(n):
            out[i, j] = 1.0
    return other


def both_in_the_loop(n):
    out = other = np.zeros(3)
    for i in range(n):
        out[i] = 1.0
        other = other + 1
    return out


def of_the_caller(n):
    def fill(out):
        for i in range(n):
            out[i] = 1.0

    out = np.zeros(3)
    fill(out)
    return out


def in_place(n):
    out = other = np.zeros(3)
    for i in range(n):
        out += i
    return other


def in_place_in_a_while(n):
    out = np.ones(3)
    kept = (out,)
    while n > 0:
        n -= 1
        out *= 2
    return kept[0]


@pytest.mark.parametrize(
    "program",
    [
        another_name,
        in_a_list,
        a_row,
        under_a_view,
        from_outside,
        inner_loop,
        both_in_the_loop,
        of_the_caller,
        in_place,
        in_place_in_a_while,
    ],
)
def test_a_change_of_an_array_that_others_see_is_refused(program):
    with pytest.raises(StagingError, match="a NumPy array that another variable") as caught:
        rt.function(program)(rt.constant(2))
    assert caught.value.filename == __file__
    assert caught.value.variable in ("out", "r")
    assert "tf." in caught.value.hint
