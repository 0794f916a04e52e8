"""Lists of which the run chooses one: each is one list by all of its names, or it is refused."""

import linecache
import operator
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest

import autograph
import runtime as rt
from tests.runtime.staging.lists.random_programs import NUMBERS, Writer
from tests.support.staging import as_python, lists_in, of_tensors

WAYS: dict[str, Callable[[list[int]], Any]] = {
    "list": lambda numbers: [rt.constant(number, rt.int64) for number in numbers],
    "tensor": lambda numbers: rt.constant(numbers, rt.int64),
}


def _attempt(call: Callable[[], Any]) -> Any:
    try:
        return as_python(call())
    except autograph.AutographError:
        raise
    except Exception as error:
        return type(error)


def _program(text: str, seed: int, kind: str) -> Callable[..., Any]:
    name = f"<{kind} {seed}>"
    linecache.cache[name] = len(text), None, text.splitlines(keepends=True), name
    names: dict[str, Any] = {"__name__": f"{kind}_{seed}"}
    exec(compile(text, name, "exec"), names)
    program: Callable[..., Any] = names["program"]
    return program


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("seed", range(24))
def test_random_programs(seed: int, way: str) -> None:
    text = Writer(seed).program()
    program = _program(text, seed, "lists")
    staged = rt.function(program)
    for numbers in NUMBERS:
        wanted = _attempt(lambda a=numbers: program(list(a)))
        try:
            found = _attempt(lambda a=numbers: staged(WAYS[way](a)))
        except autograph.AutographError:
            return
        assert found == wanted, text


@pytest.mark.parametrize("seed", range(24))
def test_random_programs_over_lists_that_are_given(seed: int) -> None:
    writer = Writer(seed, given=True)
    text, given = writer.program(), writer.arguments()
    program = _program(text, seed, "given")
    staged = rt.function(program)
    for numbers in NUMBERS:
        args = deepcopy((list(numbers), *given))
        mine = of_tensors(args)
        wanted = _attempt(lambda args=args: program(*args))
        try:
            found = _attempt(lambda args=mine: staged(*args))
        except autograph.AutographError:
            return
        assert found == wanted, text
        if not isinstance(wanted, type):
            assert as_python(list(mine)) == as_python(list(args)), text
            assert lists_in(list(mine)) == lists_in(list(args)), text


# Lists that operators, slices and methods make are among them


MADE_OF = (
    *("a[1:] + [a[0]]", "a[:1] + a[1:]", "(k + a)[:3]", "k + z", "z[:] * 2", "k.copy() + k"),
    *("(k if x > 2 else z) + k", "sorted(a)[1:] + k", "[v for v in a][1:] + a", "sum([k, z], [])"),
)


@pytest.mark.parametrize("made", MADE_OF)
def test_made_of_others(made: str) -> None:
    text = f"""
def program(xs):
    k, z = [1], [2, 3]
    a = [0] * 2
    for x in xs:
        a[0] = a[0] + x
        a = {made}
    return a, k, z
"""
    program = _program(text, MADE_OF.index(made), "operators")
    staged = rt.function(program, input_signature=[rt.TensorSpec([None], rt.int64)])
    for numbers in ([3, 1, 4], [2], []):
        assert as_python(staged(rt.constant(numbers, rt.int64))) == as_python(program(numbers))


# Beside such lists, everything else is as before


def _chosen(xs: Any) -> Any:
    a: list[Any] = []
    b = a
    if xs[0] > 2:
        b = []
    b.append(xs[0])
    b.append(7)
    return a, b


def shapes(xs: Any) -> Any:
    a, b = _chosen(xs)
    shape = rt.zeros([2, 3]).shape
    return len(a), len(b), shape[0], rt.reduce_sum(rt.ones([2, 2]), [0])[0]


def gradients(xs: Any) -> Any:
    a, _ = _chosen(xs)
    g, h = rt.constant(2.0), rt.constant(3.0)
    with rt.GradientTape() as tape:
        tape.watch([g, h])
        y = g * h
    first, second = tape.gradient(y, [g, h])
    return len(a), first, second


def gradient_through_it(xs: Any) -> Any:
    v = rt.constant(3.0)
    a: list[Any] = []
    b = a
    if xs[0] > 2:
        b = []
    with rt.GradientTape() as tape:
        tape.watch(v)
        b.append(v * 2)
        b.append(v * v)
        y = b[0] * b[1]
    return tape.gradient(y, v), len(a)


def large_numbers(xs: Any) -> Any:
    _, b = _chosen(xs)
    table = [2**53 + 1, 7]
    return table[0] - 2**53, b


def numbers_of_one_maker(xs: Any) -> Any:
    def new(*v: Any) -> Any:
        return [*v]

    ids, weights = new(2**53 + 1, 7), new(1.5)
    kept = ids
    if xs[0] > 2:
        kept = new(1, 2)
    kept.append(3)
    return ids[0] - 2**53, weights[0], kept[-1]


def texts(xs: Any) -> Any:
    a, b = _chosen(xs)
    return f"{a} {b} {len(b)}", str(b), f"{[1, xs[0]]}"


def identities(xs: Any) -> Any:
    a, b = _chosen(xs)
    return a is b, operator.is_(a, b), operator.is_not(a, b), a == b, b in [a]


def joined_texts(xs: Any) -> Any:
    a = ["x"]
    b = a
    if xs[0] > 2:
        b = ["y", "z"]
    b.append("w")
    return ",".join(b), len(a)


def as_tensors(xs: Any) -> Any:
    _, b = _chosen(xs)
    return rt.stack(b), rt.reduce_max(b), rt.concat([b, [1]], 0)


def unpacked(xs: Any) -> Any:
    a = [1, 2]
    b = a if xs[0] > 2 else [3]
    b.append(4)
    match b:
        case [p, q]:
            return p + q
        case [p, q, r]:
            return p * q * r
    return 0


def number_or_list(xs: Any) -> Any:
    a, b = _chosen(xs)
    return [1, [2]], len(a) + len(b)


BESIDE = (
    *(shapes, gradients, gradient_through_it, large_numbers, texts, identities),
    *(joined_texts, as_tensors, unpacked, number_or_list),
)


@pytest.mark.parametrize("program", BESIDE, ids=lambda program: program.__name__)
def test_what_stands_beside_them_is_as_before(program: Callable[[Any], Any]) -> None:
    staged = rt.function(program)
    for numbers in ([3, 1], [1, 1], [2, 5]):
        assert as_python(staged(WAYS["list"](numbers))) == as_python(program(numbers))


# What is refused


def its_id(xs: Any) -> Any:
    a, b = _chosen(xs)
    return id(a) == id(b)


def fractions_among_whole_numbers(xs: Any) -> Any:
    a = [1]
    b = a
    if xs[0] > 2:
        b = [2]
    b.append(0.5)
    return a[0]


def numbers_of_both_kinds_and_texts(xs: Any) -> Any:
    a = [7, 2.5, "text"]
    b = a
    if xs[0] > 2:
        b = []
    b.append(xs[0])
    return a[0]


def watched_too_late(xs: Any) -> Any:
    v = rt.constant(3.0)
    a = [v]
    b = a
    if xs[0] > 2:
        b = [v]
    b.append(v)
    with rt.GradientTape() as tape:
        tape.watch(v)
        y = b[0] * 2.0
    return tape.gradient(y, v)


REFUSED: dict[Callable[[Any], Any], str] = {
    its_id: "is one of several objects",
    fractions_among_whole_numbers: "is one of several objects",
    numbers_of_both_kinds_and_texts: "is one of several objects",
    numbers_of_one_maker: "whole numbers and fractions are in lists",
    watched_too_late: "a tensor is watched that may be in a list",
}


@pytest.mark.parametrize("program", REFUSED, ids=lambda program: program.__name__)
def test_refused(program: Callable[[Any], Any]) -> None:
    with pytest.raises(autograph.StagingError, match=f"(?s){__file__}.*{REFUSED[program]}"):
        rt.function(program)(rt.constant([3, 1], rt.int64))


def test_what_is_printed_before_a_choice_is_printed_once(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def printing(xs: Any) -> Any:
        print("once", [1])
        a, _ = _chosen(xs)
        return a

    for numbers in ([3, 1], [1, 3]):
        got = rt.function(printing)(rt.constant(numbers, rt.int64))
        assert capsys.readouterr().out == "once [1]\n"
        assert as_python(got) == printing(numbers)
        capsys.readouterr()


def test_appends_take_linear_time_and_one_trace_each() -> None:
    @rt.function
    def grown(n: Any) -> Any:
        a: list[Any] = []
        b = a
        if n > 5:
            b = []
        for i in range(n):
            b.append(i)
        return len(a), len(b), sum(b)

    for n in (3, 10, 20_000):
        wanted = [n, n, n * (n - 1) // 2] if n <= 5 else [0, n, n * (n - 1) // 2]
        assert as_python(list(grown(rt.constant(n, rt.int64)))) == wanted
    assert grown.experimental_get_tracing_count() == 1
