"""Functions of NumPy and of the standard library of staged values give what they give for the
values of the run.
"""

import calendar
import cmath
import colorsys
import datetime
import decimal
import json
import math
import re
import statistics
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autograph
import runtime as rt
from tests.support import reference

INTS, FLOATS = np.array([4, 1, 3]), np.array([0.5, 2.0, 1.0])
SQUARE, SINGLE = np.array([[2.0, 1.0], [1.0, 3.0]]), np.array([1.5, 2.5], np.float32)
OUT = np.zeros(3)
N, X = np.int64(3), np.float64(0.25)

CALLS: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    *((function, (value,)) for function in (np.sqrt, np.exp, np.floor) for value in (N, X)),
    *((np.add, pair) for pair in ((N, X), (X, 2), (N, 2), (X, np.float32(2.5)))),
    *((np.sum, (value,)) for value in (INTS, FLOATS, SINGLE, SQUARE, np.array([True, True]))),
    *((np.mean, (value,)) for value in (INTS, SINGLE)),
    (lambda x: np.linalg.norm(x, ord=1), (FLOATS,)),
    (lambda x: np.linalg.det(x), (SQUARE,)),
    (lambda x: np.linalg.solve(x, x[0]), (SQUARE.astype(int),)),
    (np.dot, (INTS, FLOATS)),
    (np.argmax, (FLOATS,)),
    (np.all, (INTS,)),
    (np.power, (X, 2)),
    (np.arctan2, (X, N)),
    (lambda x: np.clip(x, 1, 3), (N,)),
    (lambda x: np.median(x), (INTS,)),
    (lambda x: np.quantile(x, 0.25), (FLOATS,)),
    (lambda x: np.quantile(x, x[0]), (FLOATS,)),
    (lambda x, y: np.digitize(x, y), (FLOATS, np.array([0.6, 1.5]))),
    (lambda n, x: np.max([n, x, 1]), (N, X)),
    (lambda x: np.float64(x), (N,)),
    (lambda x: np.sqrt(float(x)), (N,)),
    (lambda x: FLOATS * np.sum(x), (FLOATS,)),
    (lambda x: np.allclose(x, x + 1e-12), (FLOATS,)),
    (lambda x: cmath.sqrt(-x), (X,)),
    (lambda n, x: complex(n, x) * complex(x, n), (N, X)),
    (lambda n, x: cmath.rect(n, x) * cmath.exp(x), (N, X)),
]


@pytest.mark.parametrize("at", range(len(CALLS)))
def test_it_is_what_numpy_gives(at: int) -> None:
    function, args = CALLS[at]
    expected = np.asarray(function(*args))
    with reference.compared():
        got = rt.function(lambda *given: function(*given))(*map(rt.constant, args))
    assert got.dtype.np_dtype == expected.dtype
    np.testing.assert_array_equal(got.numpy(), expected)


OF_NUMBERS: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    *((calendar.isleap, (year,)) for year in (1900, 2000, 2023, 2024)),
    (calendar.leapdays, (1990, 2024)),
    *(
        (function, given)
        for function in (colorsys.rgb_to_hsv, colorsys.rgb_to_hls, colorsys.rgb_to_yiq)
        for given in ((0.3, 0.5, 0.2), (0.9, 0.5, 0.2), (0.1, 0.2, 0.7), (0.4, 0.4, 0.4))
    ),
    *((colorsys.hsv_to_rgb, (hue, 0.5, 0.25)) for hue in (0.0, 0.2, 0.4, 0.6, 0.8, 0.95)),
    *((colorsys.hls_to_rgb, (hue, 0.5, 0.25)) for hue in (0.0, 0.2, 0.4, 0.6, 0.8, 0.95)),
    *(
        (function, given)
        for function in (
            lambda *x: statistics.fmean(x),
            lambda *x: statistics.median(x),
            lambda *x: statistics.median_low([*x, 4.0]),
            lambda *x: statistics.median_high([*x, 4.0]),
            lambda *x: tuple(statistics.quantiles(x)),
            lambda *x: statistics.mode([round(item) for item in x]),
        )
        for given in ((3.0, 1.0, 2.0), (5.25, 5.0, -1.0))
    ),
    *((lambda x: statistics.NormalDist(1.0, 2.0).cdf(x), (x,)) for x in (-3.0, 0.5)),
    *((lambda x: statistics.NormalDist(1.0, 2.0).pdf(x), (x,)) for x in (-3.0, 0.5)),
    (lambda x: statistics.NormalDist(1.0, 2.0).zscore(x), (2.5,)),
]


@pytest.mark.parametrize("at", range(len(OF_NUMBERS)))
def test_it_is_what_the_standard_library_gives(at: int) -> None:
    function, args = OF_NUMBERS[at]
    given = [rt.constant(each, rt.int64 if type(each) is int else rt.float64) for each in args]
    got = rt.function(lambda *each: function(*each))(*given)
    np.testing.assert_allclose(np.asarray(got), np.asarray(function(*args)), rtol=1e-15)


def test_it_is_called_in_branches_and_loops() -> None:
    def euler(y: Any, step: Any, end: Any) -> Any:
        for _ in range(int(np.ceil(end / step))):
            if y < 1.25:
                y = y + step * np.sin(y)
        return y

    args = np.float64(1.0), np.float64(0.25), np.float64(2.0)
    got = rt.function(euler)(*map(rt.constant, args))
    np.testing.assert_allclose(got.numpy(), euler(*args))


def test_a_list_of_the_run_is_reduced() -> None:
    def squares(n: Any) -> Any:
        found = []
        for i in range(n):
            found.append(i * i)
        return np.sum(found)

    total = rt.function(squares)(rt.constant(4))
    assert (int(total), total.dtype) == (14, rt.int64)
    with pytest.raises(rt.errors.RefusedError, match="its type depends on the values"):
        rt.function(squares)(rt.constant(0))  # 0.0 in NumPy


REFUSED: list[tuple[Callable[..., Any], type[Exception], str]] = [
    (lambda x: np.add(x, 1, out=OUT), autograph.StagingError, "given an `out` of Python's own"),
    (lambda x: np.apply_along_axis(sum, 0, x), TypeError, "as a NumPy array"),
    (lambda x: np.dot(x, np.ones(2)), autograph.StagingError, r"raises ValueError: shapes \(3,\)"),
    (lambda x: np.sort(x, axis=rt.size(x) - 3), autograph.StagingError, "raises AxisError: axis"),
    (lambda x: np.random.default_rng(0).permutation(x), TypeError, "as a NumPy array"),
    (lambda x: np.add.at(OUT, [0, 0], x[0]), autograph.StagingError, "assign its result, or items"),
]


@pytest.mark.parametrize("at", range(len(REFUSED)))
def test_what_a_graph_cannot_call_is_refused(at: int) -> None:
    function, kind, words = REFUSED[at]
    with pytest.raises(kind, match=words) as caught:
        rt.function(function)(rt.constant(FLOATS))
    assert __file__ in str(caught.value)


OF_TEXTS: list[Callable[[str], Any]] = [
    lambda text: bytes(text, "utf-8"),
    lambda text: json.dumps([text]),
    lambda text: str.join(",", [text, "a"]),
    float.fromhex,
    datetime.date.fromisoformat,
    decimal.Decimal,
]


@pytest.mark.parametrize("text", [str, lambda n: ["10", "2", "7f"][n % 3]], ids=["made", "chosen"])
@pytest.mark.parametrize("at", range(len(OF_TEXTS)))
def test_what_takes_no_text_of_the_run_is_refused_at_the_users_line(at: int, text: Any) -> None:
    function = OF_TEXTS[at]

    def tried(n: Any) -> Any:
        try:
            function(text(n))
        except TypeError:
            return 1
        return 0

    def dropped(n: Any) -> Any:
        try:
            function(text(n))
        finally:
            return 0  # noqa: B012

    def dropped_in_a_round(n: Any) -> Any:
        for i in range(3):
            try:
                function(text(n))
            finally:
                if n > i:
                    break  # noqa: B012
        return i

    for program in (tried, dropped, dropped_in_a_round):
        with pytest.raises(autograph.StagingError, match="the `try` around would catch it"):
            rt.function(program)(rt.constant(4))
    with pytest.raises(TypeError, match=rf"^{__file__}:\d+:\d+: ") as caught:
        rt.function(lambda n: function(text(n)))(rt.constant(4))
    assert re.search(r"outside of the staged function|print\(text\)", str(caught.value))


def test_examples_of_values_raise_nothing() -> None:
    def caught(x: Any, axis: Any) -> Any:
        try:
            return np.sort(x, axis=axis)
        except ValueError:
            return x

    with pytest.raises(autograph.StagingError, match="raises AxisError: axis"):
        rt.function(caught)(rt.constant(FLOATS), rt.constant(0))


def test_a_tuple_of_results_is_one() -> None:
    def parts(x: Any) -> Any:
        return np.divmod(x, 2), math.modf(x)

    quotients, (rest, whole) = rt.function(parts)(rt.constant(7.25, rt.float64))
    assert [float(each) for each in quotients] == [3.0, 1.25]
    assert (float(rest), float(whole)) == (0.25, 7.0)


def test_a_number_of_pythons_is_one_in_the_graph() -> None:
    def total(x: Any) -> Any:
        return math.fsum([x, 0.1, 1e16, -1e16]) / 2

    got = rt.function(total)(rt.constant(0.5, rt.float64))
    assert float(got) == pytest.approx(total(0.5), rel=1e-7)
    with pytest.raises(ValueError, match="math domain error"):
        rt.function(lambda x: cmath.log(x))(rt.constant(0.0))


def test_a_saved_graph_calls_it(tmp_path: Any) -> None:
    module: Any = rt.Module()
    module.size = rt.function(lambda x: np.linalg.norm(x, ord=1) + 1)
    x = rt.constant(FLOATS)
    expected = module.size(x)
    rt.saved_model.save(module, str(tmp_path))
    assert rt.saved_model.load(str(tmp_path)).size(x).numpy() == expected.numpy()


def test_a_tape_in_the_function_is_told() -> None:
    @rt.function
    def slope(x: Any) -> Any:
        with rt.GradientTape() as tape:
            tape.watch(x)
            y = np.sin(x) * x
        return tape.gradient(y, x)

    with pytest.raises(autograph.StagingError, match="the gradient depends on what `library`"):
        slope(rt.constant(1.0))


INSTALLED = """\
import math

def halved(f, x):
    while f(x) > 1.0:
        x = x / 2.0
    return x

def rooted(f, x):
    return math.sqrt(f(x))
"""


@pytest.mark.parametrize(("name", "line"), [("halved", 4), ("rooted", 9)])
def test_what_an_installed_package_asks_is_refused_at_the_users_line(
    name: str, line: int, tmp_path: Path
) -> None:
    path = tmp_path / "site-packages" / "package.py"
    path.parent.mkdir()
    path.write_text(INSTALLED, encoding="utf-8")
    package: dict[str, Any] = {"__name__": "package"}
    exec(compile(INSTALLED, str(path), "exec"), package)
    called = package[name]

    def program(x: Any) -> Any:
        return called(lambda y: y * x, 8.0)

    with pytest.raises(rt.errors.OperatorNotAllowedInGraphError) as refusal:
        rt.function(program)(rt.constant(2.0))
    first = program.__code__.co_firstlineno
    assert str(refusal.value).startswith(f"{__file__}:{first + 1}:16: Using a")
    assert f"(at {path}:{line}:" in str(refusal.value)
