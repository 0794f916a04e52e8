"""Positions of the user's code, and tracebacks without our frames."""

import traceback
from functools import partial
from types import ModuleType
from typing import Any

import pytest

from autograph import StagingError, frames


def in_module(name: str, source: str) -> Any:
    """A function `f` as if it were defined in a module of that name."""
    module = ModuleType(name)
    exec(source, vars(module))
    return module.f


@pytest.fixture
def library() -> Any:
    """A call through a frame of a registered library."""
    frames.register_library("fake_library")
    return in_module("fake_library.inner", "def f(g):\n    return g()\n")


def fails() -> None:
    raise KeyError("x")


def test_is_variable(library: Any) -> None:
    kept = [object()]

    def asks() -> Any:
        return library(partial(frames.is_variable, kept[0]))

    def takes(given: Any) -> Any:
        return asks()

    def lets_go(given: Any) -> Any:
        del given
        return asks()

    # Not in an assert: pytest has variables of its own for the parts of one.
    found = asks(), takes(kept[0]), lets_go(kept[0])
    held = kept[0]
    found += (asks(),)
    del held
    assert (*found, asks()) == (False, True, False, True, False)


def names(error: BaseException) -> list[str]:
    return [frame.name for frame in traceback.extract_tb(error.__traceback__)]


@pytest.mark.parametrize(
    ("module", "ours"),
    [
        ("autograph", True),
        ("autograph.api", True),
        ("autographs", False),
        ("fake_library.inner", True),
        ("fake_library2", False),
        (None, False),
        ("__main__", False),
    ],
)
def test_is_library(module: str | None, ours: bool, library: Any) -> None:
    assert frames.is_library(module) is ours


def test_refusal_is_placed_past_libraries(library: Any) -> None:
    error = library(partial(frames.refusal, StagingError, "no"))
    assert (error.filename, error.lineno) == (
        __file__,
        test_refusal_is_placed_past_libraries.__code__.co_firstlineno + 1,
    )
    assert error.col == 13


def test_hide_takes_out_the_frames_that_lead_to_the_users(library: Any) -> None:
    def operator() -> None:
        try:
            library(fails)
        except KeyError as error:
            frames.hide(error)
            raise

    with pytest.raises(KeyError) as raised:
        operator()
    assert names(raised.value)[1:] == ["fails"]


def test_hide_libraries_takes_out_all(library: Any) -> None:
    def users() -> None:
        library(fails)

    with pytest.raises(KeyError) as raised:
        library(users)
    assert names(raised.value)[1:] == ["f", "users", "f", "fails"]
    frames.hide_libraries(raised.value)
    assert names(raised.value)[1:] == ["users", "fails"]


def test_all_frames_are_kept_on_request(library: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUTOGRAPH_FULL_TRACEBACK", "1")
    with pytest.raises(KeyError) as raised:
        library(fails)
    frames.hide(raised.value)
    frames.hide_libraries(raised.value)
    assert names(raised.value)[1:] == ["f", "fails"]


def test_an_error_without_a_traceback() -> None:
    error = KeyError()
    frames.hide(error)
    frames.hide_libraries(error)
    assert error.__traceback__ is None
