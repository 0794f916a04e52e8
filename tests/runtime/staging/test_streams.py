"""Functions that print, called where a staged function has redirected what they print to."""

import argparse
import calendar
import contextlib
import dis
import heapq
import io
import itertools
import sys
from collections.abc import Callable
from typing import Any

import pytest

import autograph
import runtime as rt
from runtime.staging import streams


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


def written(x: Any) -> Any:
    return sys.stdout.write(f"{x}\n") + sys.stdout.write("of Python\n")


def written_in_blocks(x: Any) -> Any:
    count = sys.stdout.write("large\n") if x > 2 else sys.stderr.write(str(x) + "\n")
    for each in range(x):
        count += sys.stdout.write(f"{each} ")
        sys.stdout.write("|")
    return count


def written_by_a_name(x: Any) -> Any:
    write, kind = sys.stdout.write, "odd" if x % 2 == 1 else "even"
    return write(kind) + write(kind + f" {x}")


@pytest.mark.parametrize("function", [written, written_in_blocks, written_by_a_name])
def test_what_is_written_to_a_stream_is_what_python_writes(
    function: Callable[[Any], Any], capsys: pytest.CaptureFixture[str]
) -> None:
    for x in (1, 3, 12):
        count, expected = function(x), capsys.readouterr()
        assert int(rt.function(function)(rt.constant(x))) == count
        made = capsys.readouterr()
        # What Python knows is written while tracing, as by `print`.
        assert sorted(made.out.splitlines()) == sorted(expected.out.splitlines())
        assert made.err == expected.err


def test_a_write_is_done_once_for_each_call(capsys: pytest.CaptureFixture[str]) -> None:
    @rt.function
    def shown(x: Any) -> Any:
        sys.stdout.write("traced|")
        if x > 0:
            sys.stdout.write("positive|")
        sys.stdout.write(f"{x}|")
        return x

    for x in (1, -1, 2):
        shown(rt.constant(x))
    assert capsys.readouterr().out == "traced|positive|1|-1|positive|2|"


def shows(x: Any) -> Any:
    if x > 0:
        calendar.prmonth(2024, 1)
    return x


def shows_in_rounds(x: Any) -> Any:
    while x < 3:
        dis.dis(printing)
        x += 1
    return x


def shows_usage(x: Any) -> Any:
    try:
        x = 6 // x
    except ZeroDivisionError:
        argparse.ArgumentParser("tool").print_usage()
    return x


def shows_help(x: Any) -> Any:
    return help(len) if x > 0 else x


@pytest.mark.parametrize("function", [shows, shows_in_rounds, shows_usage, shows_help])
def test_what_a_library_prints_in_a_block_is_refused(
    function: Callable[[Any], Any], capsys: pytest.CaptureFixture[str]
) -> None:
    streams = sys.stdout, sys.stderr
    with pytest.raises(autograph.StagingError, match=rf"{__file__}:\d+:\d+: .*prints once, while"):
        rt.function(function)(rt.constant(0))
    assert capsys.readouterr() == ("", "")
    assert (sys.stdout, sys.stderr) == streams


def redirects(x: Any) -> Any:
    if x > 0:
        text = io.StringIO()
        with contextlib.redirect_stdout(text):
            calendar.prmonth(2024, 1)
        return len(text.getvalue())
    return 0


def tells_its_callbacks(x: Any) -> Any:
    if x > 0:

        def order(item: Any) -> Any:
            print("order", item)
            sys.stderr.write(f"{x} {item}\n")
            return -item

        return heapq.nsmallest(2, [1, 2, 3], key=order)[0]
    return 0


def half(item: int) -> int:
    print("half", item)
    return item // 2


def groups_by_a_key(x: Any) -> Any:
    found = 0
    if x > 0:
        for key, items in itertools.groupby([2, 3, 4], half):
            found += key * len(list(items))
    return found


def test_what_blocks_print_within_calls_of_a_library(capsys: pytest.CaptureFixture[str]) -> None:
    streams = sys.stdout, sys.stderr
    for function in (redirects, tells_its_callbacks, groups_by_a_key):
        staged = rt.function(function)
        for value in (0, 1, 2, 1):
            expected = function(value), capsys.readouterr()
            assert (staged(rt.constant(value)).numpy(), capsys.readouterr()) == expected
    assert (sys.stdout, sys.stderr) == streams


def test_a_write_to_a_redirected_stream_is_refused() -> None:
    @rt.function
    def outer(x: Any) -> Any:
        with contextlib.redirect_stdout(io.StringIO()):
            sys.stdout.write(f"{x}")
        return x

    with pytest.raises(autograph.errors.StagingError, match=r"to another sys\.stdout"):
        outer(rt.constant(2))


def test_a_stream_that_is_kept_meanwhile_is_written_to_later(
    capsys: pytest.CaptureFixture[str],
) -> None:
    before = streams.present()
    redirected = contextlib.redirect_stdout(io.StringIO())
    with streams.unwritten(before, len):
        redirected.__enter__()
    redirected.__exit__(None, None, None)
    print("later")
    sys.stdout = streams.written_to(sys.stdout)
    assert capsys.readouterr().out == "later\n"
    assert streams.present() == before
