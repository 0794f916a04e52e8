"""Texts that the standard library makes: of Python values at once, of staged ones never."""

# Each way of making a text is meant.
# ruff: noqa: UP031

from __future__ import annotations

import io
import locale
import logging
import os
import pickle
import pprint
import string
import types
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import pytest

import autograph
import runtime as rt
from runtime import errors
from tests.support.staging import attempt

LOG = logging.getLogger("tests.text_sinks")


class Keeping(logging.Handler):
    """A handler of the user's, which logging calls."""

    def __init__(self) -> None:
        super().__init__()
        self.kept: list[tuple[str, int]] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.kept.append((record.getMessage(), record.lineno))


@pytest.fixture
def kept() -> Any:
    handler = Keeping()
    LOG.addHandler(handler)
    LOG.setLevel("INFO")
    LOG.propagate = False
    yield handler.kept
    LOG.removeHandler(handler)


@dataclass
class Point:
    x: Any


class Named:
    def __init__(self, x: Any) -> None:
        self.x = x

    def __str__(self) -> str:
        return f"named {self.x}"


def read_of_a_file(x: Any) -> int:
    file = io.StringIO()
    print(x, file=file)
    return len(file.getvalue())


def read_behind_a_branch(x: Any) -> int:
    file = io.StringIO()
    if x > 0:
        print("positive", x, file=file)
    return file.tell()


MADE_AT_ONCE: dict[str, Callable[[Any], Any]] = {
    "argument": lambda x: LOG.info("x is %s", x),
    "f_string": lambda x: LOG.info(f"x is {x}"),
    "sum": lambda x: LOG.info("x is " + str(x)),
    "alone": lambda x: LOG.warning(x),
    "number": lambda x: LOG.info("x is %d", x),
    "list": lambda x: LOG.error("x is in %s", [x, 1]),
    "mapping": lambda x: LOG.info("x is %(x)s", {"x": x}),
    "extra": lambda x: LOG.info("x", extra={"of": x}),
    "level": lambda x: LOG.log(logging.INFO, "%r", x * 2),
    "module": lambda x: logging.critical("x is %s", x),
    "adapter": lambda x: logging.LoggerAdapter(LOG, {}).info("x is %s", x),
    "object": lambda x: LOG.info("%s", Point(x)),
    "choice": lambda x: LOG.info("odd" if x % 2 == 1 else "even"),
    "warning": lambda x: warnings.warn(f"x is {x}", stacklevel=1),
    "pretty": lambda x: pprint.pprint({"x": x}),
    "pretty_text": lambda x: len(pprint.pformat([x])),
    "template": lambda x: string.Template("x is $x").substitute(x=x) == "x is 3",
    "formatter": lambda x: string.Formatter().format("{}", x) == "3",
    "locale": lambda x: locale.format_string("%d", x) == "3",
    "namespace": lambda x: len(str(types.SimpleNamespace(x=x))),
    "read": read_of_a_file,
    "read_behind_a_branch": read_behind_a_branch,
}


@pytest.mark.parametrize("name", MADE_AT_ONCE)
def test_a_text_that_is_made_at_once_is_refused(name: str, kept: Any) -> None:
    function = MADE_AT_ONCE[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        function(3)  # Python does it
    kept.clear()
    error = attempt(lambda: rt.function(function)(rt.constant(3)))
    refusals = autograph.StagingError, errors.OperatorNotAllowedInGraphError
    assert isinstance(error, refusals), error
    assert error.filename == __file__
    assert error.hint
    assert kept == []


@pytest.mark.parametrize("name", ["pretty_text", "template", "formatter", "locale"])
def test_the_way_out_of_a_text_is_an_f_string(name: str) -> None:
    with pytest.raises(autograph.StagingError) as caught:
        rt.function(MADE_AT_ONCE[name])(rt.constant(3))
    assert caught.value.hint.startswith("write the text as an f-string")


OF_PYTHON_VALUES: dict[str, Callable[[Any], Any]] = {
    "information": lambda x: LOG.info("begun with %s", [1]),
    "adapter": lambda x: logging.LoggerAdapter(LOG, {}).info("begun"),
    "level": lambda x: LOG.info("begun", stacklevel=1),
    "exception": lambda x: LOG.exception("begun", exc_info=False),
}


@pytest.mark.parametrize("name", OF_PYTHON_VALUES)
def test_loggers_name_the_line_of_the_user(name: str, kept: Any) -> None:
    function = OF_PYTHON_VALUES[name]
    function(3)
    rt.function(function)(rt.constant(3))
    assert kept[0] == kept[1]
    assert len(kept) == 2


@pytest.mark.parametrize("level", [(), (UserWarning, 1), (UserWarning, 2)])
def test_warnings_name_the_line_of_the_user(level: Any) -> None:
    def inner() -> None:
        warnings.warn("once", *level)

    def function(x: Any) -> Any:
        inner()
        return x

    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        function(3)
        rt.function(function)(rt.constant(3))
    assert len({(each.filename, each.lineno) for each in found}) == 1
    assert len(found) == 2


def test_a_logger_may_be_what_the_graph_prints_to(kept: Any) -> None:
    @rt.function
    def logged(x: Any) -> Any:
        if x > 0:
            rt.print("x is", x, output_stream=LOG.info)
        return x

    for x in (3, -3, 4):
        logged(rt.constant(x))
    assert [text.strip() for text, _ in kept] == ["x is 3", "x is 4"]


def test_a_file_is_read_outside_of_the_function() -> None:
    file = io.StringIO()

    @rt.function
    def written(x: Any) -> Any:
        print(x + 1, file=file)
        return x

    written(rt.constant(3))
    assert file.getvalue() == "tf.Tensor(4, shape=(), dtype=int32)\n"


# The errors are Python's, and say where and what to do.
TEMPLATE = "%s"


def test_a_named_template_shows_an_object(capsys: pytest.CaptureFixture[str]) -> None:
    def shown(x: Any) -> None:
        print(TEMPLATE % Named(x))

    for function in (shown, rt.function(shown)):
        function(rt.constant(3))
        assert capsys.readouterr().out == "named 3\n"


ERRORS: dict[str, Callable[[Any], Any]] = {
    "write_to_memory": lambda x: io.StringIO().write("%d" % x),
    "attribute": lambda x: setattr(Point(1), f"a{x}", 1),
    "attribute_of_a_tensor": lambda x: setattr(x, "name_of_mine", 1),
    "attribute_of_a_number": lambda x: setattr(len(range(x)), "name_of_mine", 1),
    "path": lambda x: os.path.join("a", str(x)),
    "fraction": lambda x: Fraction(x),
    "fraction_of_two": lambda x: Fraction(x, 2),
    "pickle": lambda x: pickle.dumps(x),
    "pickle_of_a_list": lambda x: pickle.dumps([x]),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors_of_python_have_a_place_and_a_way_out(name: str) -> None:
    function = ERRORS[name]
    expected = attempt(lambda: function(3))
    error = attempt(lambda: rt.function(function)(rt.constant(3)))
    kind = type(expected) if isinstance(expected, AttributeError) else TypeError
    assert isinstance(error, kind), error
    place, way_out = str(error).split("\n", 1)
    assert place.startswith(f"{__file__}:")
    assert way_out.strip()
