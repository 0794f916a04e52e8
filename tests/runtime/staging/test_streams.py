"""Functions that print, called where a staged function has redirected what they print to."""

import contextlib
import io
from typing import Any

import pytest

import autograph
import runtime as rt


def printing(x: Any) -> Any:
    print(x)
    return x


def printing_in_a_branch(x: Any) -> Any:
    if x > 0:
        print("positive", x)
    return x


def printing_by_an_op(x: Any) -> Any:
    rt.print(x)
    return x


def printing_to_a_file(x: Any) -> Any:
    print(x, file=FILE)
    return x


FILE = io.StringIO()


@pytest.mark.parametrize("is_nested", [False, True], ids=["direct", "nested"])
@pytest.mark.parametrize("is_traced", [False, True], ids=["new", "traced"])
@pytest.mark.parametrize(
    ("function", "redirect"),
    [
        (printing, contextlib.redirect_stdout),
        (printing_in_a_branch, contextlib.redirect_stdout),
        (printing_by_an_op, contextlib.redirect_stderr),
    ],
)
def test_a_call_that_prints_elsewhere_is_refused(
    function: Any, redirect: Any, is_traced: bool, is_nested: bool
) -> None:
    inner = rt.function(function)
    if is_nested:
        called = inner
        inner = rt.function(lambda x: called(x))
    if is_traced:
        inner(rt.constant(1))

    @rt.function
    def outer(x: Any) -> Any:
        with redirect(io.StringIO()):
            return inner(x)

    with pytest.raises(autograph.errors.StagingError, match=r"to another sys\.std") as caught:
        outer(rt.constant(2))
    assert caught.value.filename == __file__
    assert caught.value.hint


def test_what_prints_to_a_file_or_to_the_other_stream() -> None:
    to_file, to_errors = rt.function(printing_to_a_file), rt.function(printing_by_an_op)
    to_file(rt.constant(1))
    to_errors(rt.constant(1))

    @rt.function
    def outer(x: Any) -> Any:
        with contextlib.redirect_stdout(io.StringIO()):
            return to_file(to_errors(x))

    outer(rt.constant(2))
    assert len(FILE.getvalue().splitlines()) == 2
