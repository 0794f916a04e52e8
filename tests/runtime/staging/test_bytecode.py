"""What is read from bytecode, on this Python and as Python 3.14 would have it."""

import dis
import functools
import inspect
import sys
from collections.abc import Callable, Iterator
from types import CodeType, FrameType, SimpleNamespace
from typing import Any

import pytest

from autograph import codes, instructions
from runtime.staging import bytecode
from runtime.staging.guarding import code_paths
from tests.support import python_3_14
from tests.support.versions import has


class Config:
    rate = 2
    table: Any = {"k": 3, 5: 7}  # noqa: RUF012  # read alone


config = Config()


def reads_paths(scale: Any) -> Any:
    first = config.table[5] + config.rate * scale.factor[0].deep
    return first, config.table["k"], config.table[300], scale[-1], scale[1:2], scale


def stores(holder: Any, at: int) -> Any:
    holder.value, holder[at], holder[0] = 1, 2, 3
    del holder[1:2]
    a = b = at
    for a, b in holder:
        holder[a:b] = []
    return lambda: config.rate


def imports() -> Any:
    import collections.abc
    import os.path as paths
    from os.path import join as joined
    from os.path import split

    return collections, paths, joined, split


def asks(item: Any) -> Any:
    match item:
        case Config(rate=rate):
            return rate
    return getattr(item, "rate", 0) if hasattr(item, "other") else vars(item)


def returns_one(x: Any) -> Any:
    if x is config:
        return None
    return 1


def returns_many(x: Any) -> Any:
    if x is config:
        return x[0]
    elif x:
        return 1000
    return "text"


ALL = [reads_paths, stores, imports, asks, returns_one, returns_many]


def _tells(function: Any) -> Any:
    code = function.__code__
    tells: Any = [
        code_paths.paths_in(code),
        dict(code_paths.names_in(code)),
        code_paths.stores_in(code),
        code_paths.imports_of(code),
        bytecode.returns_of(code),
        sorted(codes.item_changes(code)),
    ]
    return tells


@pytest.fixture
def as_3_14(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], None]]:
    def change() -> None:
        _forget()
        changed = functools.partial(python_3_14.instructions, dis.get_instructions)
        monkeypatch.setattr(dis, "get_instructions", changed)

    yield change
    _forget()


def _forget() -> None:
    kept: Any = code_paths._reads, code_paths.stores_in, code_paths.imports_of
    for each in kept:
        each.cache_clear()


def _operations(code: CodeType) -> set[tuple[str, Any]]:
    return {(each.opname, each.argrepr) for each in dis.get_instructions(code)}


@pytest.mark.parametrize("function", ALL, ids=lambda each: each.__name__)
def test_python_3_14_tells_the_same(function: Any, as_3_14: Callable[[], None]) -> None:
    before, operations = _tells(function), _operations(function.__code__)
    as_3_14()
    assert has(3, 14) or _operations(function.__code__) != operations
    assert _tells(function) == before


def test_what_is_read() -> None:
    def path(is_global: bool, root: str, *steps: Any) -> code_paths.StaticPath:
        return code_paths.StaticPath(is_global, root, steps)

    found = code_paths.paths_in(reads_paths.__code__)
    assert path(True, "config", (".", "table"), ("[]", 5)) in found
    assert path(True, "config", (".", "table"), ("[]", 300)) in found
    assert path(False, "scale", (".", "factor"), ("[]", 0), (".", "deep")) in found
    assert ("SUBSCR", "None") in code_paths.stores_in(stores.__code__)
    assert code_paths.imports_of(imports.__code__)[1:] == (
        code_paths.Import("paths", "os", 0, "path"),
        code_paths.Import("joined", "os.path", 0, "join"),
        code_paths.Import("split", "os.path", 0, "split"),
    )


# The numbers are those of the table of Python 3.14.
AT_3_14 = {44: "BINARY_OP", 1: "BINARY_SLICE", 119: "UNPACK_SEQUENCE", 99: "MATCH_CLASS"}


@pytest.mark.parametrize(
    ("given", "subscript", "adds", "operates", "matches", "unpacks"),
    [
        (bytes((44, 26)), True, False, False, False, None),
        (bytes((44, 13)), False, True, True, False, None),
        (bytes((44, 0)), False, False, True, False, None),
        (bytes((1, 0)), True, False, False, False, None),
        (bytes((99, 1)), False, False, False, True, None),
        (bytes((119, 3)), False, False, False, False, 3),
    ],
)
def test_operations_of_python_3_14(
    given: bytes,
    subscript: bool,
    adds: bool,
    operates: bool,
    matches: bool,
    unpacks: int | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    names = [AT_3_14.get(number, "?") for number in range(256)]
    monkeypatch.setattr(dis, "opname", names)
    operators = [*instructions.OPERATORS[:26], "[]"]
    monkeypatch.setattr(instructions, "OPERATORS", operators)
    frame: Any = SimpleNamespace(f_lasti=0, f_back=None)
    frame.f_code = SimpleNamespace(co_code=given, co_name="f", co_filename="a_file.py")
    inside: Any = SimpleNamespace(f_back=frame, f_code=SimpleNamespace(co_name="__getitem__"))
    assert bytecode.is_subscript(inside, ["__getitem__"]) is subscript
    assert bytecode.adds_in_place(frame) is adds
    assert bytecode.is_operator(frame) is operates
    assert bytecode.in_class_pattern(frame) is matches
    assert bytecode.rows_unpacked(frame, (3,)) == unpacks


def test_where_a_frame_stands() -> None:
    asked: list[str] = []

    class Item:
        def __getitem__(self, key: Any) -> Any:
            return self._ask(sys._getframe(1))

        def __add__(self, other: Any) -> Any:
            return self._ask(sys._getframe(1))

        __iadd__ = __add__

        def __neg__(self) -> Any:
            return self._ask(sys._getframe(1))

        def _ask(self, frame: FrameType) -> Any:
            asked.append(instructions.operation_at(frame).name)
            return self

    item: Any = Item()
    [item[0], item + 1, -item]
    item += 1
    assert asked == ["BINARY_SUBSCR", "BINARY_OP", "UNARY_NEGATIVE", "BINARY_OP"]


def test_operations_are_what_dis_lists() -> None:
    reads = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF", "LOAD_FROM_DICT_OR_DEREF")
    many = "\n".join(f"name_{number} = missing_{number}" for number in range(300))
    texts = [inspect.getsource(module) for module in (dis, functools, inspect)]
    for text in (*texts, many):  # beyond 256 names, arguments take two bytes
        for code in codes.nested_codes(compile(text, "a_file.py", "exec")):
            listed = list(dis.get_instructions(code))
            found = list(instructions.operations(code))
            assert [each.name for each in found] == [
                each.opname for each in listed if each.opname != "EXTENDED_ARG"
            ]
            assert [
                instructions.variable_of(code, each) for each in found if each.name in reads
            ] == [each.argval for each in listed if each.opname in reads]


# As a text: pytest writes other statements for an `assert` of a test.
CHECKS = """
def checks(x):
    assert x != 1
    assert x != 2, f"not {x}"
    if x == 3:
        raise AssertionError
    if x == 4:
        raise ValueError(x)
    return x.missing
"""


@pytest.mark.parametrize("is_3_14", [False, True])
def test_what_an_assert_raises(is_3_14: bool, as_3_14: Callable[[], None]) -> None:
    scope: dict[str, Any] = {}
    exec(CHECKS, scope)
    if is_3_14:
        as_3_14()
    found = []
    for given in (1, 2, 3, 4, 5):
        with pytest.raises((AssertionError, ValueError, AttributeError)) as caught:
            scope["checks"](given)
        entry: Any = caught.value.__traceback__
        entry = entry.tb_next
        found.append(bytecode.asserts(entry.tb_frame.f_code, entry.tb_lasti))
    assert found == [True, True, False, False, False]
