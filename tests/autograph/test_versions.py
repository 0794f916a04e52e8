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
from tests.support.versions import needs

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


# Python 3.14 computes annotations when somebody asks.


def annotated(x: int) -> int:
    if x > 0:
        return x
    return -x


def late() -> Any:
    """A function as Python 3.14 makes it, whose annotations cannot be computed yet."""

    class Late:
        def __init__(self) -> None:
            self.asked = 0

        def __call__(self, format: int) -> Any:
            self.asked += 1
            raise NameError("Missing")

    def function(x: Any) -> Any:
        return x

    function.__annotate__ = Late()  # type: ignore[attr-defined]
    return function


def test_annotations_are_shared() -> None:
    made = looking_alike(_bare(annotated), annotated)
    assert made.__annotations__ is annotated.__annotations__
    assert (made.__name__, made.__module__) == ("annotated", __name__)


def test_annotations_are_not_computed() -> None:
    function = late()
    for made in (looking_alike(_bare(function), function), autograph.convert(function)):
        assert made.__annotate__ is function.__annotate__
        assert made(3) == 3
    assert function.__annotate__.asked == 0


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
    import ast

    removed = ("Num", "Str", "Bytes", "NameConstant", "Ellipsis")
    for name in removed:
        vars(ast).pop(name, None)

    def missing(name):
        raise AttributeError(name)

    ast.__getattr__ = missing
    assert not any(hasattr(ast, name) for name in removed)
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
