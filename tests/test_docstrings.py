"""Every public name shows an example of its use in its docstring, and the example is true."""

import doctest
import inspect
import re
from types import FunctionType, ModuleType
from typing import Any

import numpy as np
import pytest

import autograph
import runtime

OPTIONS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
GIVEN = {"rt": runtime, "np": np, "autograph": autograph}

# Named for the `except` clauses of TensorFlow's programs; `OpError` shows how errors are caught.
STATUS_ERRORS = (
    "AbortedError AlreadyExistsError CancelledError DataLossError DeadlineExceededError "
    "FailedPreconditionError InternalError NotFoundError OutOfRangeError PermissionDeniedError "
    "ResourceExhaustedError UnauthenticatedError UnavailableError UnimplementedError "
    "UnknownError"
)


def public_names() -> dict[str, Any]:
    """What can be called of the two packages, each under its first name.

    Dtypes and constants cannot: nobody calls `rt.float32`.
    """
    found: dict[int, tuple[str, Any]] = {}
    for name in autograph.__all__:
        value = getattr(autograph, name)
        found.setdefault(id(value), (f"autograph.{name}", value))
    modules: list[tuple[str, Any]] = [("rt", runtime)]
    for prefix, module in modules:
        for name in filter(lambda name: not name.startswith("_"), dir(module)):
            value = getattr(module, name)
            if isinstance(value, ModuleType):
                is_new = all(value is not known for _, known in modules)
                modules += [(f"{prefix}.{name}", value)] if is_new else []
            elif callable(value):
                found.setdefault(id(value), (f"{prefix}.{name}", value))
    return dict(found.values())


NAMES = {
    name: value
    for name, value in public_names().items()
    if name.removeprefix("rt.errors.") not in STATUS_ERRORS.split()
}


# What other modules of the runtime ask, not its users; a backend is shown as a whole.
OF_THE_RUNTIME = {
    "autograph.AutographError": ("at",),
    "autograph.Backend": (
        *("cond", "while_loop", "for_loop", "not_", "and_", "or_", "assert_", "setitem", "defined"),
        *(
            "failures",
            "stages",
            "owns",
            "builtin",
            "with_defaults",
            "elements",
            "for_rest",
            "work",
            "watched",
        ),
        *(
            "is_staging",
            "catches",
            "caught",
            "caught_loop",
            "go_on",
            "attempt",
            "handled",
            "left_once",
            "cases",
        ),
    ),
    "rt.GradientTape": (
        *("access", "control", "has_made", "keep", "knows", "number", "pair", "read", "record"),
        "single",
    ),
    "rt.IndexedSlices": ("of_parts", "with_values"),
    "rt.errors.NumericsError": ("locate",),
    "ConcreteFunction": (
        *("call_changing", "call_leaves", "call_profiled", "change", "on_tensors", "outputs_of"),
        "share",
    ),
    "Function": ("call_plain", "saved_traces"),
}


@runtime.function
def identity(x: Any) -> Any:
    return x


def public_methods() -> dict[str, Any]:
    """The methods that public classes define, and those of functions and their traces."""
    classes = {name: value for name, value in NAMES.items() if isinstance(value, type)}
    classes["Function"] = type(identity)
    classes["ConcreteFunction"] = type(identity.get_concrete_function(runtime.constant(1)))
    return {
        f"{name}.{method}": getattr(value, method)
        for name, cls in classes.items()
        for method, value in ((method, cls) for method in vars(cls))
        if not method.startswith("_")
        and method not in OF_THE_RUNTIME.get(name, ())
        and isinstance(vars(cls)[method], FunctionType | classmethod | staticmethod)
    }


@pytest.mark.parametrize("name", NAMES)
def test_example_of_a_public_name(name: str) -> None:
    check(name, NAMES[name].__doc__ or "")


METHODS = public_methods()


@pytest.mark.parametrize("name", METHODS)
def test_example_of_a_public_method(name: str) -> None:
    check(name, METHODS[name].__doc__ or "")


def check(name: str, text: str) -> None:
    test = doctest.DocTestParser().get_doctest(text, GIVEN, name, None, None)
    assert test.examples, "the docstring of a public name ends with an example"
    if "import line_profiler" in text:
        pytest.importorskip("line_profiler")
    if "rt.train." in text:
        pytest.importorskip("safetensors")
    if "create_file_writer" in text:
        pytest.importorskip("tensorboard")
    assert doctest.DocTestRunner(optionflags=OPTIONS).run(test).failed == 0


def test_the_first_sentence_of_a_public_name_is_on_one_line() -> None:
    docstrings = {name: inspect.cleandoc(value.__doc__ or "") for name, value in NAMES.items()}
    firsts = {name: text.partition("\n")[0] for name, text in docstrings.items()}
    assert [name for name, first in firsts.items() if not re.search(r"\.(\s|$)", first)] == []
