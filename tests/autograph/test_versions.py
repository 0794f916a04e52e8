"""Versions of Python: those whose bytecode is known, and what a newer one removes or adds."""

import ast
import dis
import subprocess
import sys
import textwrap
from pathlib import Path
from types import FunctionType
from typing import Any

import pytest

import autograph
from autograph import policy, printing
from autograph.attributes import looking_alike
from autograph.versions import _KNOWN, NEWEST, check_version
from tests.autograph.files import import_text
from tests.support.harness import attempt
from tests.support.versions import has, needs

ROOT = Path(__file__).parent.parent.parent
KNOWN = _KNOWN.split()


def test_a_newer_python_is_refused() -> None:
    check_version((*NEWEST, 0), KNOWN)
    with pytest.raises(ImportError, match=r"of Python 3\.15 is not known to it: use Python 3\.11"):
        check_version((3, 15, 0), KNOWN)


def test_unknown_instructions_are_refused() -> None:
    check_version((3, 14), [*KNOWN, "INSTRUMENTED_CALL"])
    check_version((3, 13), [*KNOWN, "DANCE"])
    with pytest.raises(ImportError, match=r"Python 3\.14 has instructions .* \(DANCE, SING\): use"):
        check_version((3, 14), [*KNOWN, "SING", "DANCE"])


@needs(3, 13)
def test_what_is_left_of_this_python_is_known() -> None:
    unknown = {name for name in dis.opmap if not name.startswith("INSTRUMENTED_")} - {*KNOWN}
    assert unknown <= _GONE_SINCE_3_13


_GONE_SINCE_3_13 = {
    *("BEFORE_ASYNC_WITH", "BEFORE_WITH", "BINARY_SUBSCR", "BUILD_CONST_KEY_MAP", "RETURN_CONST"),
    *("LOAD_ASSERTION_ERROR", "LOAD_METHOD", "LOAD_SUPER_METHOD", "LOAD_ZERO_SUPER_ATTR"),
    "LOAD_ZERO_SUPER_METHOD",
}


def test_a_free_threaded_python_is_refused() -> None:
    with pytest.raises(ImportError, match="which a free-threaded Python does not in one place"):
        check_version((3, 13), free_threaded=True)


# Annotations


def annotated(x: int) -> int:
    if x > 0:
        return x
    return -x


def test_annotations_are_shared() -> None:
    def function(x: int) -> int:
        return x

    function.__annotations__["y"] = int  # of what Python has computed
    for made in (looking_alike(_bare(function), function), autograph.convert(function)):
        assert made.__annotations__ is function.__annotations__
        assert (made.__name__, made.__module__) == ("function", __name__)
    assert function.__annotations__ == {"x": int, "return": int, "y": int}


@needs(3, 14)
def test_annotations_are_not_computed_before_somebody_asks() -> None:
    from annotationlib import Format, get_annotations

    def function(x: Missing) -> int:  # type: ignore[name-defined]  # noqa: F821
        return x

    for made in (looking_alike(_bare(function), function), autograph.convert(function)):
        assert made(3) == 3
        with pytest.raises(NameError, match="Missing"):
            assert made.__annotations__
        for format in (Format.STRING, Format.FORWARDREF):
            found, expected = (get_annotations(f, format=format) for f in (made, function))
            assert (found.keys(), found["return"]) == (expected.keys(), expected["return"])
        assert get_annotations(made, format=Format.STRING)["x"] == "Missing"
    Missing = float
    assert autograph.convert(function).__annotations__ == {"x": Missing, "return": int}


# What is evaluated when somebody asks sees what names stand for then.

LATE = {
    "alias": (
        """
        def f(x):
            T = int
            type X = list[T]
            if x > 0:
                T = float
            return X.__value__
        """,
        (3, 12),
    ),
    "alias of what may have no value": (
        """
        def f(x):
            if x > 0:
                T = float
            type X = T
            return X.__value__
        """,
        (3, 12),
    ),
    "bound of a function": (
        """
        def f(x):
            B = int
            def g[T: B](y: T) -> T: return y
            while x > 0:
                B, x = float, x - 1
            return g.__type_params__[0].__bound__
        """,
        (3, 12),
    ),
    "bound of a class": (
        """
        def f(x):
            B = int
            class A[T: B]: pass
            for B in range(x): pass
            return A.__type_params__[0].__bound__
        """,
        (3, 12),
    ),
    "parameter of a type": (
        """
        def f(x):
            T = 3
            if x > 0:
                type X[T] = list[T]
                T = 4
            return T
        """,
        (3, 12),
    ),
    "default": (
        """
        def f(x):
            B = int
            class A[T = B]: pass
            if x > 0:
                B = float
            return A.__type_params__[0].__default__
        """,
        (3, 13),
    ),
    "annotations of a function": (
        """
        def f(x):
            T = int
            def g(y: T, *z: T, k: T = 1) -> T: return y
            if x > 0:
                T = float
            return g.__annotations__
        """,
        (3, 11),
    ),
    "annotations of a class": (
        """
        def f(x):
            T = int
            class A:
                y: T
                def g(self, y: T): return y
            while x > 0:
                T, x = float, x - 1
            return A.__annotations__, A.g.__annotations__
        """,
        (3, 11),
    ),
    "what the class binds": (
        """
        def f(x):
            T = int
            class A:
                if x > 0:
                    T = float
                y: T
            if x > 1:
                T = str
            return A.__annotations__
        """,
        (3, 11),
    ),
    "annotations of what comes later": (
        """
        def f(x):
            if x > 0:
                def g(y: T): return y
            for T in range(x): pass
            return g.__annotations__
        """,
        (3, 14),
    ),
    "annotations of what may have no value": (
        """
        def f(x):
            if x > 0:
                T = float
            def g(y: T): return y
            return g.__annotations__
        """,
        (3, 14),
    ),
}


@pytest.mark.parametrize(
    "text", [pytest.param(text, id=name) for name, (text, since) in LATE.items() if has(*since)]
)
def test_what_is_evaluated_later_sees_later_values(text: str, tmp_path: Path) -> None:
    function = import_text(tmp_path / "late.py", textwrap.dedent(text)).f
    converted = autograph.convert(function)
    for x in range(3):
        expected = attempt(lambda x=x: repr(function(x)))
        assert repr(attempt(lambda x=x: repr(converted(x)))) == repr(expected)


def _bare(function: Any) -> FunctionType:
    return FunctionType(function.__code__, {}, "bare", None, function.__closure__)


def test_what_python_makes_of_annotations_is_left_alone() -> None:
    namespace: dict[str, Any] = {}
    text = "def __annotate__(format, /):\n    return {'x': int}\n"
    exec(compile(text, __file__, "exec"), namespace)

    class Point:
        __annotate_func__ = namespace["__annotate__"]

        def absolute(self, x: int) -> int:
            return annotated(x)

    before = Point.__annotate_func__
    assert policy.decide(before).name == "made of annotations by Python"
    assert "__annotate__" not in autograph.to_code(Point)
    autograph.convert(Point)
    assert Point.__annotate_func__ is before
    assert autograph.converted_code(Point.absolute.__code__)
    assert Point().absolute(-3) == 3


# t-strings


class TemplateStr(ast.expr):
    _fields = ("values",)


class Interpolation(ast.expr):
    _fields = ("value", "str", "conversion", "format_spec")


@pytest.mark.parametrize(
    "text", ["f'{x}'", "f'a{{ {x!r} b'", "f'{x:>{y}} {1 + 2}'", "f'{f(x, 1)!s:a}\\n'", "f''"]
)
def test_t_strings_print_as_f_strings(text: str) -> None:
    node: Any = ast.parse(text, mode="eval").body
    fields = [
        Interpolation(part.value, ast.unparse(part.value), part.conversion, part.format_spec)
        if isinstance(part, ast.FormattedValue)
        else part
        for part in node.values
    ]
    printed = to_source_of_ast(TemplateStr(fields))
    assert printed.startswith("t")
    assert ast.dump(ast.parse("f" + printed[1:], mode="eval").body) == ast.dump(node)


def to_source_of_ast(node: ast.expr) -> str:
    generator = printing._generator_class()(" " * 4)
    generator.visit(node)
    return "".join(generator.result)


# Names that are removed


WITHOUT = textwrap.dedent("""
    import ast, sys

    removed = ("Num", "Str", "Bytes", "NameConstant", "Ellipsis")
    for name in removed:
        vars(ast).pop(name, None)

    def missing(name):
        raise AttributeError(name)

    ast.__getattr__ = missing
    assert not any(hasattr(ast, name) for name in removed)
    if sys.version_info < (3, 14):
        del ast.NodeVisitor.visit_Constant, ast.Constant.n, ast.Constant.s
""")


def _runs(program: str) -> None:
    command = [sys.executable, "-c", WITHOUT + program]
    subprocess.run(command, check=True, timeout=120, cwd=ROOT)


def test_code_is_printed_without_the_names_that_python_3_14_removes() -> None:
    _runs(
        textwrap.dedent('''
        from autograph.printing import to_source

        source = """
        def f(x, *, y=-1.5, **z) -> None:
            'A docstring.'
            a = (1, 'b', b'c', None, True, ..., 2j, f'{x!r:>{y}} {1}')
            with x as w, y:
                return [i for i in a if not i < 2 <= 3] or {**z, 'k': lambda v: v @ 2}
            match x:
                case [1, 'a', None, *_] | {'k': -2}:
                    raise ValueError from x
        """
        import inspect

        tree = ast.parse(inspect.cleandoc(source))
        assert ast.dump(ast.parse(to_source(tree))) == ast.dump(tree)
    ''')
    )


def test_all_fixtures_convert_without_them() -> None:
    _runs(
        textwrap.dedent("""
        import sys

        sys.path.insert(0, "")
        from tests.support import conversion, harness

        cases = harness.bank()
        for case in cases:
            last = conversion.stages(case.function(case.fresh()))[-1]
            assert conversion.text_of(last) == case.golden.read_text(), case.name
        assert len(cases) > 300
    """)
    )
