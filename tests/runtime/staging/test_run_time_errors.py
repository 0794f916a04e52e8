"""Errors while a graph runs: the user's line, the op, the shapes; prints in program order."""

from __future__ import annotations

import inspect
import pickle
import sys
import traceback
from collections.abc import Callable
from typing import Any

import pytest

import runtime as rt
from runtime import errors

VALUES = rt.constant([1.0, 2.0])


class OutOfFuel(Exception):
    def __init__(self, left: Any, unit: str) -> None:
        super().__init__(left, unit)
        self.unit = unit


def picked(index):
    return rt.gather(VALUES, index)  # the line


def nested(index):
    return rt.function(picked)(index) + 1.0


def in_a_branch(index):
    if index > 3:
        return rt.gather(VALUES, index)  # the line
    return VALUES[0]


def in_a_loop(index):
    total = 0.0
    for place in rt.range(index):
        total = total + rt.gather(VALUES, place)  # the line
    return total


def in_recursion(index):
    if index > 20:
        return rt.gather(VALUES, index)  # the line
    return in_recursion(index + 1)


def in_a_method(index):
    return Gatherer().gathered(index)


class Gatherer:
    @rt.function
    def gathered(self, index):
        return rt.gather(VALUES, index)  # the line


OPS = [picked, nested, in_a_branch, in_a_loop, in_recursion, in_a_method]


def directly(function: Any, index: Any) -> Any:
    return function(index)


def concretely(function: Any, index: Any) -> Any:
    return function.get_concrete_function(index)(index)


def often(function: Any, index: Any) -> Any:
    for _ in range(30):
        function(rt.constant(0))
    return function(index)


def under_a_tape(function: Any, index: Any) -> Any:
    with rt.GradientTape() as tape:
        tape.watch(VALUES)
        return function(index)


def watched(function: Any, index: Any) -> Any:
    rt.debugging.enable_check_numerics()
    try:
        return function(index)
    finally:
        rt.debugging.disable_check_numerics()


WAYS = [directly, concretely, often, under_a_tape, watched]


def place_of(error: BaseException) -> traceback.FrameSummary:
    return traceback.extract_tb(error.__traceback__)[-1]


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
@pytest.mark.parametrize("function", OPS, ids=lambda function: function.__name__)
def test_an_op(function: Callable[..., Any], way: Any) -> None:
    with pytest.raises(errors.InvalidArgumentError) as caught:
        way(rt.function(function), rt.constant(7))
    line = place_of(caught.value)
    assert line.filename == __file__
    assert "# the line" in (line.line or "")
    text = str(caught.value)
    assert text.startswith("GatherV2: ")
    assert "[inputs: float32[2], int32[]; at " in text
    assert f"{__file__}:{line.lineno}:" in text
    assert caught.value.op == "GatherV2"


def growing(rounds):
    total = 1
    for _ in range(rounds):
        total = total * 2
    return total  # the line


def growing_or_not(rounds):  # the line
    total = growing(rounds)
    if rounds < 0:
        return 0
    return total


def unchanged(rounds):
    """The optimizer finds that the loop hands on the number that it was given."""
    large, k = 1 << 40, 0
    while k < rounds:
        if k < 5:
            large = large
        k += 1
    return large  # the line


@pytest.mark.parametrize("function", [growing, growing_or_not, unchanged], ids=lambda f: f.__name__)
def test_a_result_is_placed_at_its_return_or_else_at_its_function(function: Any) -> None:
    with pytest.raises(errors.InvalidArgumentError, match="does not fit into int32") as caught:
        rt.function(function)(rt.constant(40))
    line = place_of(caught.value)
    assert line.name == function.__name__
    assert "# the line" in (line.line or "")
    assert f"at {__file__}:{line.lineno}:" in str(caught.value)


def checking(left):
    x = rt.constant([3, 4]) * left
    rt.debugging.assert_less(x, 3, message="empty")  # the line
    return x


def stating(left):
    x = rt.constant([3, 4]) * left
    rt.debugging.Assert(rt.reduce_all(x < 3), [x, "is too large"])  # the line
    return x


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
@pytest.mark.parametrize("function", [checking, stating], ids=lambda f: f.__name__)
def test_assertions_of_tensors(function: Any, way: Any) -> None:
    with pytest.raises(errors.InvalidArgumentError) as caught:
        way(rt.function(function), rt.constant(2))
    error, line = caught.value, place_of(caught.value)
    assert "# the line" in (line.line or "")
    assert str(error).startswith("Assert: ")
    assert "inputs: bool" in str(error)
    assert "int32[2]" in str(error)
    assert error.location[:2] == (__file__, line.lineno)
    assert (error.op, error.inputs[1]) == ("Assert", "int32[2]")
    assert "inputs: " not in error.detail
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def raising(left):
    if left < 0:
        raise OutOfFuel(left, "l")  # the line
    return left


def raising_inside(left):
    return rt.function(raising)(left - 1)


def asserting(left):
    assert left >= 0, "empty"  # the line
    return left


def asserting_inside(left):
    return rt.function(asserting)(left - 1)


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
@pytest.mark.parametrize("function", [raising, raising_inside], ids=lambda f: f.__name__)
def test_the_users_exception(function: Any, way: Any) -> None:
    with pytest.raises(OutOfFuel) as caught:
        way(rt.function(function), rt.constant(-2))
    assert (caught.value.args[0] < 0, caught.value.unit) == (True, "l")
    assert "# the line" in (place_of(caught.value).line or "")


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
@pytest.mark.parametrize("function", [asserting, asserting_inside], ids=lambda f: f.__name__)
def test_an_assertion(function: Any, way: Any) -> None:
    with pytest.raises(AssertionError, match="empty") as caught:
        way(rt.function(function), rt.constant(-2))
    assert isinstance(caught.value, errors.InvalidArgumentError)
    assert "# the line" in (place_of(caught.value).line or "")


@rt.function
def dividing(a, b):
    return a // b


def raised_behind_an_op(a, b):
    a // b
    raise OutOfFuel(a, "l")


def raised_behind_a_call(a, b):
    dividing(a, b)
    raise OutOfFuel(a, "l")


def failing_behind_a_call(a, b):
    dividing(a, b)
    return {}["missing"]


BEHIND = [raised_behind_an_op, raised_behind_a_call, failing_behind_a_call]


@pytest.mark.parametrize("function", BEHIND, ids=lambda function: function.__name__)
def test_what_fails_first_is_raised(function: Any) -> None:
    for run in (function, rt.function(function)):
        with pytest.raises(ZeroDivisionError):
            run(rt.constant(1), rt.constant(0))
        with pytest.raises((OutOfFuel, KeyError)):
            run(rt.constant(1), rt.constant(2))


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_too_large_an_array(way: Any) -> None:
    def filled(size):
        return rt.fill([size, size, size], 1.0)

    with pytest.raises(errors.ResourceExhaustedError, match=f"^Fill: .*at {__file__}:") as caught:
        way(rt.function(filled), rt.constant(400_000))
    assert "rt.fill" in (place_of(caught.value).line or "")


OF_SCALARS: list[Any] = [
    lambda x: rt.transpose(x, [1, 0]),
    lambda x: rt.concat([x, x], 1),
    lambda x: rt.reduce_sum(x, 3),
    lambda x: rt.stack([x, x], 3),
    lambda x: rt.unstack(x, 2),
    lambda x: rt.linalg.trace(x),
    lambda x: rt.matmul(x, x),
    lambda x: x[0],
]


@pytest.mark.parametrize("function", OF_SCALARS)
def test_the_rules_that_tracing_could_not_ask(function: Callable[[Any], Any]) -> None:
    """With a shape that is known at run time only, the text is that of the op run by itself."""
    texts = []
    staged = rt.function(function, input_signature=[rt.TensorSpec(None)])
    for run in (function, staged):
        with pytest.raises(errors.InvalidArgumentError) as caught:
            run(rt.constant(1.0))
        texts.append(str(caught.value).partition("; at ")[0].rstrip("]"))
    assert texts[0] == texts[1]


# The way there


def helped(index):
    return picked(index) * 2.0  # helped


def calling(index):
    if index > 3:
        while index > 3:
            index = index - 1
            index = index + rt.cast(helped(index), rt.int32)  # calling
    return index


def checked(left):
    return raising(left)  # checked


def judged(left):
    for _ in range(2):
        left = asserting(left)  # judged
    return left


def through_a_graph(index):
    return rt.function(calling)(index)  # through a graph


def repeating(index):
    if index > 8:
        return helped(index)  # repeating: the end
    return repeating(index + 1)  # repeating


class Passing:
    def __enter__(self):
        return self

    def __exit__(self, *raised):
        return False


def managed(left):
    with Passing(), Passing():
        left = checked(left)  # managed
    return left


def raised_again(left):
    try:
        left = checked(left)  # raised again
    except OutOfFuel:
        raise
    return left


def raised_by_name(left):
    for _ in range(2):
        try:
            left = checked(left)  # raised by name
        except OutOfFuel as error:
            raise error
    return left


def raised_later(left):
    kept = None
    try:
        left = managed(left)  # raised later
    except OutOfFuel as error:
        kept = error
    if kept is not None:
        raise kept
    return left


FRAMES = [
    (managed, -1, ["managed", "checked", "the line"]),
    (raised_again, -1, ["raised again", "checked", "the line"]),
    (raised_by_name, -1, ["raised by name", "checked", "the line"]),
    (raised_later, -1, ["raised later", "managed", "checked", "the line"]),
    (calling, 7, ["calling", "helped", "the line"]),
    (through_a_graph, 7, ["through a graph", "calling", "helped", "the line"]),
    (checked, -1, ["checked", "the line"]),
    (judged, -1, ["judged", "the line"]),
    (repeating, 7, ["repeating", "repeating", "repeating: the end", "helped", "the line"]),
]


@pytest.mark.parametrize("way", [directly, under_a_tape, watched], ids=lambda way: way.__name__)
@pytest.mark.parametrize(("function", "number", "marks"), FRAMES)
def test_the_frames_are_those_of_plain_python(
    function: Any, number: int, marks: list[str], way: Any
) -> None:
    """File, line, function and columns of the user's frames, as without a graph."""
    summaries = []
    for called in (function, rt.function(function)):
        with pytest.raises(Exception) as caught:  # noqa: PT011
            way(called, rt.constant(number))
        frames = traceback.extract_tb(caught.value.__traceback__)
        users = [f for f in frames if (f.line or "").endswith(tuple(marks))]
        summaries.append([(f.filename, f.name, f.lineno, f.colno, f.end_colno) for f in users])
        assert [(f.line or "").partition("# ")[2] for f in users] == marks
        if called is not function:
            assert frames[-len(marks) :] == users
    assert summaries[0] == summaries[1]


# Prints


def below(x):
    rt.print("below", x, output_stream=sys.stdout)
    return x + 1


def above(x):
    print("above", x)
    x = rt.function(below)(x)
    while x < 4:
        print("loop", x)
        x = rt.function(below)(x)
    if x > 3:
        rt.print("branch", x, output_stream=sys.stdout)
        x = recursive(x)
    print("end", x)
    return x


def recursive(x):
    if x < 0:
        return x
    print("down", x)
    y = recursive(x - 2)
    rt.print("up", x, output_stream=sys.stdout)
    return y


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_prints_are_in_program_order(way: Any, capsys: pytest.CaptureFixture[str]) -> None:
    way(above, rt.constant(2)) if way is not concretely else above(rt.constant(2))
    expected = capsys.readouterr().out.splitlines()[-12:]
    way(rt.function(above), rt.constant(2))
    assert capsys.readouterr().out.splitlines()[-12:] == expected
    assert len(expected) == 12


@rt.function
def decorated(x: Any) -> Any:
    y = x + 1
    if y > 3:
        raise ValueError(y)
    return y


def with_a_helper(x: Any) -> Any:
    def checked(y: Any) -> Any:
        assert y < 3
        return y

    return checked(x)


def of_a_class(x: Any) -> Any:
    class Inner:
        @staticmethod
        def checked(y: Any) -> Any:
            return 1 // (y - 9)

    return Inner.checked(x)


@pytest.mark.parametrize(
    ("program", "texts"),
    [
        (decorated, ["@rt.function\ndef decorated"]),
        (with_a_helper, ["def with_a_helper", "    def checked"]),
        (of_a_class, ["def of_a_class", "        @staticmethod\n        def checked"]),
    ],
    ids=["decorated", "helper", "method"],
)
def test_the_source_of_a_frame_begins_where_its_function_does(
    program: Callable[..., Any], texts: list[str]
) -> None:
    with pytest.raises((ValueError, AssertionError, ZeroDivisionError)) as caught:
        rt.function(program)(rt.constant(9))
    frames = [frame for frame, _ in traceback.walk_tb(caught.value.__traceback__)]
    shown = [frame for frame in frames if frame.f_code.co_filename == __file__][-len(texts) :]
    for frame, text in zip(shown, texts, strict=True):
        lines, first = inspect.getsourcelines(frame)
        assert "".join(lines).startswith(text)
        assert frame.f_code.co_firstlineno == first
