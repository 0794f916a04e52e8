"""Which functions are converted when converted code calls them."""

import calendar
import collections
import datetime
import decimal
import functools
import gc
import io
import json
import logging
import math
import os
import pprint
import random
import sys
import textwrap
import threading
import time
import traceback
import types
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gast
import numpy as np
import pytest

import autograph
from autograph import call, convert, do_not_convert, policy, register_library, why_not_converted


def users(x: Any) -> Any:
    return 1 if x else 2


def plain_leaf(x: Any) -> Any:
    return x + 1


marked = do_not_convert(users)
converted = convert(users)


@functools.total_ordering
class Ordered:
    def __lt__(self, other):
        return self is not other


DECISIONS: list[tuple[Callable[..., Any], str]] = [
    (users, "the user's"),
    (lambda x: x, "the user's"),
    (marked, "marked with do_not_convert"),
    (converted, "made by conversion"),
    (autograph.to_code, "part of autograph or of a tensor library"),
    (Ordered.__gt__, "made by functools.total_ordering"),
    (functools.wraps, "part of Python's standard library"),
    (json.dumps, "part of Python's standard library"),
    (calendar.weekday, "part of Python's standard library"),
    (calendar.isleap, "of numbers, in Python's standard library"),
    (collections.namedtuple, "part of Python's standard library"),
    (gast.parse, "part of an installed package"),
    (pytest.raises, "part of an installed package"),
]


@pytest.mark.parametrize(("function", "name"), DECISIONS)
def test_the_first_rule_that_holds(function: Any, name: str) -> None:
    assert policy.decide(function).name == name


AS_THEY_ARE = [row for row in DECISIONS if not policy.decide(row[0]).decision]


@pytest.mark.parametrize(("function", "name"), AS_THEY_ARE)
def test_called_as_they_are(function: Any, name: str) -> None:
    assert call(function) is function


@pytest.mark.parametrize(
    "function",
    [
        len([1]).bit_length,
        np.result_type,
        np.shares_memory,
        np.broadcast_shapes,
        "a".upper,
        [].append,
        object,
        str.join,
    ],
)
def test_c_functions_are_called_as_they_are(function: Any) -> None:
    assert call(function) is function


def test_a_function_without_control_flow_is_called_as_it_is() -> None:
    assert call(plain_leaf) is plain_leaf


def make_package(folder: Path, name: str) -> types.ModuleType:
    installed = folder / "site-packages"
    installed.mkdir()
    (installed / f"{name}.py").write_text("def f(x):\n    return 1 if x else 2\n")
    sys.path.insert(0, str(installed))
    try:
        return __import__(name)
    finally:
        sys.path.remove(str(installed))


def test_an_installed_package_is_converted_where_asked(tmp_path: Path) -> None:
    package = make_package(tmp_path, "asked_for")
    assert policy.decide(package.f).name == "part of an installed package"
    autograph.convert_package("asked_for")
    assert policy.decide(package.f).decision is policy.CONVERT
    assert autograph.is_converted(call(package.f))


def test_a_library_is_left_alone() -> None:
    module = types.ModuleType("some_tensors.inner")
    exec("def f(x):\n    return 1 if x else 2\n", vars(module))
    assert policy.decide(module.f).decision is policy.CONVERT
    register_library("some_tensors")
    assert policy.decide(module.f).decision is policy.AS_IS
    assert call(module.f) is module.f


def test_the_module_that_wraps_copies_does_not_count() -> None:
    @functools.wraps(json.dumps)
    def wrapper(x: Any) -> Any:
        return 1 if x else 2

    assert wrapper.__module__ == "json"
    assert policy.decide(wrapper).name == "the user's"


def test_without_source_it_is_called_as_it_is_and_known_why() -> None:
    namespace: dict[str, Any] = {}
    exec("def hidden(x):\n    return 1 if x else 2\n", namespace)
    hidden = namespace["hidden"]
    assert call(hidden) is hidden
    assert "not read from a file" in (why_not_converted(hidden.__code__) or "")


@pytest.mark.parametrize(
    ("function", "why"),
    [(marked, "do_not_convert"), (json.dumps, "standard library"), (users, None)],
)
def test_why_not(function: Any, why: str | None) -> None:
    call(function)
    reason = why_not_converted(function.__code__)
    assert reason is None if why is None else why in str(reason)


IMPURE: list[Callable[..., Any]] = [
    next,
    input,
    open,
    random.random,
    random.randint,
    random.Random(3).random,
    np.random.rand,
    np.random.default_rng(0).normal,
    time.time,
    time.perf_counter,
    datetime.datetime.now,
    datetime.date.today,
    logging.info,
    logging.getLogger("x").warning,
    uuid.uuid4,
    logging.getLogger("x").setLevel,
    threading.Thread().start,
    sys.setrecursionlimit,
    gc.disable,
    decimal.setcontext,
    np.seterr,
    io.TextIOWrapper(io.BytesIO()).write,
    os.listdir,
    os.stat,
    os.walk,
    os.path.getsize,
    Path().iterdir,
    pprint.pprint,
    traceback.print_exc,
    traceback.format_exc,
    sys.displayhook,
]
PURE: list[Callable[..., Any]] = [
    len,
    math.sin,
    np.sum,
    users,
    [].append,
    json.dumps,
    datetime.date,
    datetime.datetime.fromisoformat,
    textwrap.dedent,
    os.path.join,
    Path().with_suffix,
    pprint.pformat,
    io.StringIO().write,
    logging.getLogger("x").isEnabledFor,
]


@pytest.mark.parametrize("function", IMPURE, ids=lambda function: function.__name__)
def test_known_to_be_impure(function: Any) -> None:
    assert "while tracing" in (policy.impure(function) or "")


@pytest.mark.parametrize("function", PURE, ids=lambda function: function.__name__)
def test_not_known_to_be_impure(function: Any) -> None:
    assert policy.impure(function) is None


def test_objects_without_a_name_or_module() -> None:
    assert policy.impure(functools.partial(len)) is None
