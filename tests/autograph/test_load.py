"""Loaded functions are twins of the original: same behaviour, same looks, same tracebacks."""

import asyncio
import functools
import inspect
import sys
import textwrap
import traceback
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gast
import pytest

import autograph
from autograph import load, source, trees
from autograph.codes import beginning_on, nested_codes
from autograph.quoting.builders import call_ag, lambda_of
from autograph.quoting.templates import quote
from tests.autograph.files import import_text
from tests.support.versions import LATE_ANNOTATIONS, needs

Rewrite = Callable[[Any], None]


def unchanged(node: Any) -> None:
    pass


def twin(function: Any, rewrite: Rewrite = unchanged, **bindings: object) -> Any:
    located = source.locate(function)
    node = located.node
    if isinstance(node, gast.Lambda):
        node = load.as_function_def(node)
    rewrite(node)
    return load.load(node, function, bindings, owner=located.owner)


@functools.wraps(len)
def decorated(x: int, /, y: int = 2, *args: int, k: int = 3, **kw: int) -> tuple[object, ...]:
    """The docstring."""

    def inner(z: int) -> object:
        class Local:
            def method(self) -> object:
                return (lambda: self.method.__qualname__)()

        return Local, Local().method(), Local.__qualname__

    return x, y, args, k, kw, inner(1)[1:], inner.__qualname__, sys._getframe().f_lineno


decorated.tag = ["attribute"]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "attribute",
    [
        *("__defaults__", "__kwdefaults__", "__dict__", "__doc__", "__globals__"),
        *("__annotations__", "__name__", "__qualname__", "__module__"),
    ],
)
def test_shared_attributes(attribute: str) -> None:
    assert getattr(twin(decorated), attribute) is getattr(decorated, attribute)


def test_same_behaviour_and_looks() -> None:
    made = twin(decorated)
    assert made is not decorated
    assert made(1, 5, 6, k=7, z=8) == decorated(1, 5, 6, k=7, z=8)
    del made.__wrapped__
    assert inspect.signature(made) == inspect.signature(decorated)
    assert inspect.getsource(made) == inspect.getsource(decorated)


def names_and_lines(code: types.CodeType) -> list[Any]:
    nested = [const for const in code.co_consts if isinstance(const, types.CodeType)]
    lines = {positions[0] for positions in code.co_positions()}
    return [
        (code.co_name, code.co_qualname, code.co_filename, code.co_firstlineno, lines),
        *(names_and_lines(inner) for inner in nested),
    ]


def test_same_names_and_lines() -> None:
    assert names_and_lines(twin(decorated).__code__) == names_and_lines(decorated.__code__)


def test_cells_are_shared() -> None:
    count = 0

    def step(by: int) -> int:
        nonlocal count
        count += by
        return step.__code__.co_argcount + count

    made = twin(step)
    assert all(one is other for one, other in zip(made.__closure__, step.__closure__, strict=True))
    assert [step(1), made(10), count] == [2, 12, 11]


def test_bindings() -> None:
    def f(x: int) -> int:
        return x

    def rewrite(node: Any) -> None:
        node.body = quote("return ag_2(ag)", at=node.body[0])

    def ag(ag: int) -> int:
        return ag + 1

    made = twin(ag, rewrite, ag_2=lambda x: x * 2, unused=None)
    assert made(4) == 8
    assert made.__code__.co_freevars == ("ag_2",)
    assert twin(f, ag=1)(5) == 5


class Base:
    def greet(self) -> str:
        return "base"


class _Derived(Base):
    __secret = "secret"

    def greet(self) -> str:
        return super().greet() + self.__secret + __class__.__name__  # type: ignore[name-defined]

    def __hidden(self) -> str:
        def inner() -> str:
            return self.__secret + super(_Derived, self).greet()

        return inner()

    def hidden(self) -> str:
        return self.__hidden()

    @classmethod
    def of_class(cls) -> str:
        return cls.__secret + super().__name__  # type: ignore[misc]

    @staticmethod
    def itself() -> type:
        return _Derived

    def inner_super(self) -> str:
        return next(super(_Derived, self).greet() for _ in range(1))

    key = lambda self: self.__secret  # noqa: E731


@pytest.mark.parametrize("name", ["greet", "_Derived__hidden", "hidden", "inner_super", "key"])
def test_methods(name: str) -> None:
    method = getattr(_Derived, name.replace("_Derived__", "_Derived__"))
    assert twin(method)(_Derived()) == method(_Derived())


def test_class_and_static_methods() -> None:
    assert twin(_Derived.itself)() is _Derived
    method = vars(_Derived)["of_class"].__func__

    class Named(_Derived):
        __name__ = "named"

    with pytest.raises(AttributeError) as original:
        method(Named)
    with pytest.raises(AttributeError) as loaded:
        twin(method)(Named)
    assert str(loaded.value) == str(original.value)


def fibonacci(n: int) -> int:
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


def test_recursion_goes_through_the_global_name(monkeypatch: pytest.MonkeyPatch) -> None:
    made = twin(fibonacci)
    assert made(10) == 55
    monkeypatch.setitem(globals(), "fibonacci", lambda n: 100)
    assert made(10) == 200


def test_recursion_through_a_cell() -> None:
    def factorial(n: int) -> int:
        return 1 if n < 2 else n * factorial(n - 1)

    assert twin(factorial)(5) == 120


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x + 1,
        lambda x, *y, k=(lambda: 3), **z: (x, y, k(), z, [lambda: x for _ in y]),
        lambda x: "text",
    ],
)
def test_lambdas(function: Callable[[int], object]) -> None:
    made = twin(function)
    assert made.__name__ == made.__code__.co_name == "<lambda>"
    assert made.__code__.co_qualname == function.__code__.co_qualname
    assert made.__doc__ == function.__doc__
    assert made(1) == function(1)


def test_as_function_def_keeps_positions() -> None:
    node = gast.parse("f = lambda a, b=1: a + b").body[0].value
    made = load.as_function_def(node)
    assert (made.lineno, made.col_offset, made.end_col_offset) == (1, 4, 24)
    assert (made.body[0].col_offset, made.body[0].end_col_offset) == (19, 24)
    assert made.args is node.args


def test_generators_and_coroutines() -> None:
    def generator(n: int) -> Any:
        got = yield from range(n)
        return got

    async def coroutine(x: int) -> list[int]:
        async def values() -> Any:
            for y in range(x):
                await asyncio.sleep(0)
                yield y

        return [value async for value in values()]

    assert list(twin(generator)(3)) == [0, 1, 2]
    assert asyncio.run(twin(coroutine)(3)) == [0, 1, 2]
    assert inspect.iscoroutinefunction(twin(coroutine))
    assert inspect.isgeneratorfunction(twin(generator))


def test_futures_hold(tmp_path: Path) -> None:
    text = (
        "from __future__ import annotations\ndef f():\n    def g(x: Missing): pass\n    return g\n"
    )
    module = import_text(tmp_path / "sample.py", text)
    assert twin(module.f)().__annotations__ == {"x": "Missing"}
    without = import_text(tmp_path / "other.py", text.partition("\n")[2], "other")
    with pytest.raises(NameError, match="Missing"):  # from Python 3.14 on, when somebody asks
        assert twin(without.f)().__annotations__


def test_the_futures_of_this_package_do_not_leak(tmp_path: Path) -> None:
    text = "def f():\n    def g(x: int): pass\n    return g\n"
    module = import_text(tmp_path / "sample.py", text)
    assert twin(module.f)().__annotations__ == {"x": int}


def test_nothing_is_run(tmp_path: Path) -> None:
    text = """
        ran = []
        def note(value):
            ran.append(value)
            return lambda f: f
        @note(1)
        def f(x: note(2) = note(3), *, k=note(4)) -> note(5):
            return x
    """
    module = import_text(tmp_path / "sample.py", textwrap.dedent(text))
    before = list(module.ran)
    twin(module.f)
    assert module.ran == before
    assert sorted(before) == ([1, 3, 4] if LATE_ANNOTATIONS else [1, 2, 3, 4, 5])


# Functions that converters make


def wrap_in_blocks(node: Any) -> None:
    """`f`'s statements go into a block, and the value of its last `return` into a lambda."""
    *_, last = node.body
    last.value = call_ag("run", [lambda_of(last.value, last.value)], last.value)
    node.body = quote("def if_body():\n    body\nreturn ag.run(if_body)", at=node, body=node.body)


class Operators:
    @staticmethod
    def run(thunk: Callable[[], object]) -> object:
        return thunk()


def failing(x: int) -> object:
    class Local:
        pass

    def inner() -> object:
        return x / 0

    return [inner(), (lambda: 1)(), Local]


def test_tracebacks_read_as_the_user_wrote() -> None:
    made = twin(failing, wrap_in_blocks, ag=Operators)
    with pytest.raises(ZeroDivisionError) as caught:
        made(1)
    frames = traceback.extract_tb(caught.tb)[1:]
    first = failing.__code__.co_firstlineno
    here = [(frame.name, (frame.lineno or 0) - first) for frame in frames if frame.name != "run"]
    assert here == [("failing", 0), ("failing", 7), ("failing", 7), ("inner", 5)]


def quality(x: int) -> object:
    class Local:
        @staticmethod
        def method() -> object:
            return [lambda: x]

    def inner() -> object:
        return lambda: lambda: 2

    async def later() -> None: ...

    return Local, Local.method, Local.method()[0], inner, inner(), inner()(), later, lambda: 1


def test_qualified_names_inside_blocks() -> None:
    made = twin(quality, wrap_in_blocks, ag=Operators)
    assert [(value.__name__, value.__qualname__) for value in made(1)] == [
        (value.__name__, value.__qualname__)  # type: ignore[attr-defined]
        for value in quality(1)  # type: ignore[attr-defined]
    ]


def test_users_lambdas_keep_their_name() -> None:
    def f(a: int, b: int) -> object:
        return a, lambda: (b, a)

    def rewrite(node: Any) -> None:
        users = node.body[0].value.elts[1]
        inner = users.body.elts
        inner[1] = call_ag("run", [lambda_of(inner[1], inner[1])], inner[1])

    made = twin(f, rewrite, ag=Operators)
    names = [code.co_name for code in nested_codes(made.__code__)]
    assert names == ["f", "<lambda>", "<lambda>"]
    qualnames = [code.co_qualname.rpartition("test_")[2] for code in nested_codes(made.__code__)]
    outer = "users_lambdas_keep_their_name.<locals>.f"
    assert qualnames == [outer, f"{outer}.<locals>.<lambda>", f"{outer}.<locals>.<lambda>"]


def test_a_users_function_may_bear_the_name_of_a_block() -> None:
    def f() -> object:
        return None

    def rewrite(node: Any) -> None:
        node.body = gast.parse("def if_body():\n    return 1\nreturn if_body").body
        for inner in gast.walk(node):
            if "lineno" in inner._attributes:
                gast.copy_location(inner, node)

    assert twin(f, rewrite)().__name__ == "if_body"


LAMBDA_BODIES = [
    *("1", "x", "None", "-x", "x.y.z", "x[1]", "f(x)", "(x)", "(f)(x, *y, **z)", "x.f().g(x)"),
    *("x if y else z", "x and y or z", "not x", "x < y < z", "[a for a in x]", "(a for a in x)"),
    *("{**x, 1: 2}", "f'{x} a {y}'", "'a' 'b'", "(yield)", "(a := 1)", "lambda: 0", "x,", "()"),
    *("(x\n  .f()\n  .g(\n  1))", "[x,\n y]", "(x if\n y\n else z)", "(f(\n)\n.g)", "*x, y"),
]


@pytest.mark.parametrize("body", LAMBDA_BODIES)
def test_what_a_lambda_spans(body: str) -> None:
    text = f"g = (lambda: ({body}))\n"
    node = gast.parse(text).body[0].value
    code = next(nested_codes(compile(text, "file", "exec").co_consts[0]))
    # What only returns a constant spans nothing in Python 3.12; it cannot be seen in a traceback.
    bare = sys.version_info[:2] == (3, 12) and body in ("1", "None", "'a' 'b'", "()")
    assert load._code_box(code) == (None if bare else load._node_box(node.body))


def test_nested_codes() -> None:
    names = [code.co_name for code in nested_codes(quality.__code__)]
    assert names[0] == "quality"
    assert {"Local", "method", "inner", "later", "<lambda>"} <= set(names)


@needs(3, 12)
def test_type_parameters(tmp_path: Path) -> None:
    text = """
        def f[T: int, *Ts](x: T, *args: *Ts) -> T:
            class A[U]:
                def m(self) -> U: return T, U
            def g[V](y: V): return T, V, Ts
            return T, Ts, x, g(1)[0], A.m.__qualname__, g.__qualname__
        class B[T]:
            def m(self): return T
        m = B.m
    """
    module: Any = import_text(tmp_path / "sample.py", textwrap.dedent(text))
    made = twin(module.f)
    assert made(1) == module.f(1)
    assert made.__type_params__ is module.f.__type_params__
    assert twin(module.m)(None) is module.B.__type_params__[0]


def test_a_tree_is_compiled_and_no_text() -> None:
    located = source.locate(fibonacci)
    returned = located.node.body[0]
    returned.lineno = returned.end_lineno = 4242
    for inner in gast.walk(returned):
        if "lineno" in inner._attributes:
            inner.lineno = inner.end_lineno = 4242
    code = load.load(located.node, fibonacci, {}).__code__
    assert {line for *_, line in code.co_lines()} == {code.co_firstlineno, 4242}
    assert trees.to_ast(located.node).body[0].lineno == 4242


def of_a_kind(x: Any) -> int:
    match x:
        case [0, *_]:
            y = 1
        case [a, b] if a > b:
            y = 2
        case _:
            y = 3
    return y


def test_no_line_of_a_block_comes_before_its_first() -> None:
    blocks = list(nested_codes(autograph.convert(of_a_kind).__code__))
    assert len(blocks) > 4
    for code in blocks:
        assert all(line >= code.co_firstlineno for _, _, line in code.co_lines() if line)


@pytest.mark.parametrize("first", [0, 1, 7, 4000])
def test_another_first_line_moves_no_instruction(first: int) -> None:
    for code in nested_codes(compile(Path(__file__).read_text(), __file__, "exec")):
        moved = beginning_on(code, first)
        assert moved.co_firstlineno == first
        assert list(moved.co_positions()) == list(code.co_positions())
        assert moved.co_code == code.co_code
