"""Signatures of functions whose annotations cannot be computed."""

import functools
import inspect
import sys
from typing import Any

import pytest

from runtime.core import inspection
from runtime.core.inspection import signature_of
from tests.support.versions import needs


def test_signatures_are_those_of_python() -> None:
    def function(x: int, *rest: Any, y: float = 1.0) -> None: ...

    assert signature_of(function) == inspect.signature(function)
    with pytest.raises(TypeError):
        signature_of(3)


def test_a_partial_may_have_a_signature_of_its_own() -> None:
    made: Any = functools.partial(lambda x, y: x, y=1)
    assert [*signature_of(made).parameters] == ["x", "y"]
    made.__signature__ = inspect.Signature()
    assert not signature_of(made).parameters


def test_what_python_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: dict[str, Any] = {}
    monkeypatch.setattr(inspect, "signature", lambda function, **options: asked.update(options))
    signature_of(print)
    assert ("annotation_format" in asked) is (sys.version_info >= (3, 14))


@needs(3, 14)
def test_annotations_are_not_computed() -> None:
    namespace: dict[str, Any] = {}
    exec("def function(x: Missing): ...", namespace)
    assert [*signature_of(namespace["function"]).parameters] == ["x"]
    assert inspection._FORMAT
