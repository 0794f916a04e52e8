"""Every function of a bank of modules is found at its own place; what has no source is refused."""

import ast
import builtins
import inspect
import linecache
import os
import subprocess
import sys
import textwrap
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import gast
import pytest

from autograph import errors, source, trees
from autograph.codes import nested_codes
from autograph.policy import is_annotate
from tests.autograph.files import import_text


def functions_of(*values: object) -> Iterator[types.FunctionType]:
    """The functions in a list, in classes and in what decorators made of them."""
    for value in values:
        if isinstance(value, types.FunctionType):
            if not is_annotate(value):
                yield value
        elif isinstance(value, type):
            yield from functions_of(*vars(value).values())
        elif isinstance(value, classmethod | staticmethod):
            yield from functions_of(value.__func__)
        elif isinstance(value, property):
            yield from functions_of(value.fget, value.fset, value.fdel)
        elif isinstance(value, list | tuple):
            yield from functions_of(*value)


MODULES = {
    "plain": """
        def f(x):
            return x

        async def g(x):
            await x

        def h(): yield 1
    """,
    "same name": """
        def f():
            return 1
        first = f
        def f():
            return 2
    """,
    "decorated": """
        import functools
        def deco(*a, **k):
            def apply(f):
                @functools.wraps(f)
                def wrapper(*args):
                    return f(*args)
                wrapper.inside = f
                return f
            return apply
        @deco(1,
              2)
        @deco(lambda: 3)

        # a comment
        @deco()
        def f(x):
            return x
    """,
    "wrapper": """
        import functools
        def deco(f):
            @functools.wraps(f)
            def wrapper(*args):
                return f(*args)
            return wrapper
        @deco
        def f(x):
            return x
    """,
    "nested": """
        def outer(a):
            b = a
            def inner(c):
                nonlocal b
                b = c
                def innermost():
                    return a, b, c, innermost, inner
                return innermost
            return inner
        inner = outer(1)
        innermost = inner(2)
    """,
    "blocks": """
        import sys
        if sys.version_info < (3, 0):
            def f(): return 1
        else:
            def f(): return 2
        try:
            def g(): return 1
            raise ValueError
        except ValueError:
            def g(): return 2
        finally:
            def h(): return 3
        with open(__file__):
            for _ in range(2):
                def i(): return 4
        while True:
            match 5:
                case 5:
                    def j(): return 5
            break
    """,
    "methods": """
        import dataclasses, functools
        class A:
            '''doc'''
            def __init__(self): self.__x = 1
            def m(self): return self.__x, super().__repr__(), __class__
            def __private(self): return self.__x
            @classmethod
            def c(cls): return cls.__x
            @staticmethod
            def s(): return A
            @property
            def p(self): return self.__x
            @p.setter
            def p(self, value): self.__x = value
            @p.deleter
            def p(self): del self.__x
            class B(object):
                def m(self): return self.__x, super().__repr__()
            lam = lambda self: self.__x
            async def a(self):
                async with self.__x as __y: return [z async for z in __y]
        @dataclasses.dataclass(slots=True)
        class D:
            x: int
            def m(self): return self.x
        B = A.B
    """,
    "methods in functions": """
        def make(v):
            class __A:
                def m(self):
                    def inner(): return self.__x, v, super().__init__()
                    return inner
            return __A
        A = make(1)
        inner = A().m()
    """,
    "lambdas": """
        pair = [lambda x: x, lambda x: x]
        same_body = [lambda x: 1, lambda x: 1]; more = [lambda: 0 or 1, lambda: 0 or 1]
        nested = lambda x: lambda x: lambda x: x
        deeper = [nested, nested(1), nested(1)(1)]
        multi = (lambda x:
            x +
            1, lambda x: x +
            1)
        default = lambda x=lambda: 1, *, k=(lambda: 2): x
        defaults = [default.__defaults__[0], default.__kwdefaults__['k']]
        def calls(*fs): return fs
        called = calls(lambda a: a if a else -a, lambda a: a if a else -a,
                       lambda a: (yield a), lambda *a, **k: (a, k))
        comprehended = [lambda: i for i in range(2)]
        keyed = sorted([1, 2], key=lambda v: -v); dict_ = {'k': lambda: 1}['k']
        in_f_string = []
        f'{in_f_string.append(lambda q: q)} {in_f_string.append(lambda q: q)}'
        class A:
            both = [lambda self: self.__x, lambda self: self.__x]
        both = A.both
    """,
    "continued": """
        def f(a, \\
              b): return a; x = 1

        def g(): x = 1; return x
        def h(): \\
            return 1
    """,
    "futures": """
        from __future__ import annotations
        def f(x: Missing) -> Missing:
            y: Missing = x
            def inner(z: Missing): return z
            return inner
    """,
    "classes inside": """
        def f():
            class A:
                x = 'A'
                def m(self): return self
            def g():
                class B(A): pass
                return B
            return A, g, [A for _ in ()], (lambda: A)
    """,
    "constants": """
        def f():
            return 1, 1.0, True, -0.0, 0.0, 1e999 - 1e999, 1j, b'1', '1', {1, 2, 3} in (), ..., None
    """,
    "warnings": r"""
        def f(x):
            assert (x, 'always true')
            return x is 1, '\d'
    """,
    "doctest strings": '''
        def f():
            """
        def f(): pass
            """
            x = """
        def g(): pass
        """
            return x
    ''',
}


@pytest.mark.filterwarnings("ignore::SyntaxWarning", "ignore::DeprecationWarning")
@pytest.mark.parametrize("name", MODULES)
def test_found_at_its_own_place(name: str, tmp_path: Path) -> None:
    module = import_text(tmp_path / "sample.py", textwrap.dedent(MODULES[name]))
    here = [f for f in functions_of(*vars(module).values()) if f.__module__ == "sample"]
    functions = [f for f in here if f.__code__.co_filename == module.__file__]
    assert functions
    places = {(source.locate(f).node.lineno, source.locate(f).node.col_offset) for f in functions}
    assert len(places) == len({f.__code__ for f in functions})
    for function in functions:
        check_located(function)


def check_located(function: types.FunctionType) -> None:
    located = source.locate(function)
    code = function.__code__
    assert located.filename == code.co_filename
    assert getattr(located.node, "name", "<lambda>") == code.co_name
    assert [arg.id for arg in located.node.args.args] == list(
        code.co_varnames[code.co_posonlyargcount : code.co_argcount]
    )
    lines, first = inspect.getsourcelines(code)  # of a function, it would unwrap
    assert located.file.lines[first - 1] == lines[0]
    if code.co_name == "<lambda>":
        assert lambda_columns(code) <= columns_of(located.node)
        # No lambda around it, or beside it, fits as well.
        # (What only returns a constant has no columns in Python 3.12.)
        assert not lambda_columns(code) or lambda_columns(code) & columns_of(located.node.body)
    else:
        assert list(located.source_lines) == lines
        assert located.path.replace(".<locals>", "") == code.co_qualname.replace(".<locals>", "")


def lambda_columns(code: types.CodeType) -> set[tuple[int, int]]:
    return {
        (line, col)
        for line, _, col, end in code.co_positions()
        if line is not None and col is not None and end is not None and end > col
    }


def columns_of(node: Any) -> set[tuple[int, int]]:
    return {
        (inner.lineno, inner.col_offset) for inner in gast.walk(node) if hasattr(inner, "lineno")
    }


def test_lambdas_of_a_line_are_told_apart() -> None:
    fs = [lambda x: x + 1, lambda x: x + 1, lambda x: (lambda x: x + 1)]  # fmt: skip
    nodes = [source.locate(f).node for f in [*fs, fs[2](0)]]
    columns = [node.col_offset for node in nodes]
    assert columns == sorted(set(columns))
    text = linecache.getline(__file__, nodes[0].lineno)
    assert [text[node.col_offset : node.end_col_offset] for node in nodes] == [
        "lambda x: x + 1",
        "lambda x: x + 1",
        "lambda x: (lambda x: x + 1)",
        "lambda x: x + 1",
    ]


@pytest.mark.parametrize(
    ("function", "owners"),
    [
        ("f", ()),
        ("A.m", ("A",)),
        ("A.B.m", ("A", "B")),
        ("A.inner", ("A",)),
        ("made.m", ("__Made",)),
    ],
)
def test_owners(function: str, owners: tuple[str, ...], tmp_path: Path) -> None:
    text = """
        def f(): pass
        class A:
            def m(self):
                def inner(): pass
                return inner
            class B:
                def m(self): pass
            inner = m(None)
        def make():
            class __Made:
                def m(self): pass
            return __Made
        made = make()
    """
    module = import_text(tmp_path / "sample.py", textwrap.dedent(text))
    found: Any = module
    for part in function.split("."):
        found = getattr(found, part)
    assert source.locate(found).owners == owners


def test_decorators_of_a_class_are_not_inside_it(tmp_path: Path) -> None:
    text = """
        kept = []
        def keep(f): kept.append(f); return lambda c: c
        @keep(lambda: 1)
        class A: pass
    """
    module = import_text(tmp_path / "sample.py", textwrap.dedent(text))
    assert source.locate(module.kept[0]).owners == ()


FORMS: list[tuple[str, bytes]] = [
    ("no newline at the end", b"x = 1\ndef f(a):\n    return a"),
    ("tabs", b"if True:\n\tdef f(a):\n\t\treturn a\n"),
    ("form feed", b"x = 1\n\x0c\ndef f(a):\n    return a\n\x0c\n"),
    ("latin-1", "# -*- coding: latin-1 -*-\ns = 'é'\ndef f(a): 'ü'; return a\n".encode("latin-1")),
    ("byte order mark", "\ufeffs = 'é'\ndef f(a):\n    return a\n".encode()),
    ("utf-8", "s = '漢字'; f = lambda a: '漢字' and a\n".encode()),
    ("windows lines", b"x = 1\r\ndef f(a):\r\n    return a\r\n"),
    ("old mac lines", b"x = 1\rdef f(a):\r    return a\r"),
    ("blank lines", b"\n\n\n\ndef f(a):\n\n\n    return a\n\n\n"),
]


@pytest.mark.parametrize("text", [pytest.param(text, id=name) for name, text in FORMS])
def test_forms_of_files(text: bytes, tmp_path: Path) -> None:
    module = import_text(tmp_path / "sample.py", text)
    node = source.locate(module.f).node
    assert [arg.id for arg in node.args.args] == ["a"]
    assert node.lineno == module.f.__code__.co_firstlineno


def test_positions_are_those_in_the_file(tmp_path: Path) -> None:
    text = "class A:\n    class B:\n        def f(self):\n            return 'é', self\n"
    module = import_text(tmp_path / "sample.py", text)
    located = source.locate(module.A.B.f)
    expected = ast.parse(text).body[0].body[0].body[0]  # type: ignore[attr-defined]
    assert ast.dump(trees.to_ast(located.node), include_attributes=True) == ast.dump(
        expected, include_attributes=True
    )


def test_each_call_gives_a_tree_of_its_own() -> None:
    first, second = (source.locate(check_located).node for _ in range(2))
    shared = {id(node) for node in gast.walk(first)} & {id(node) for node in gast.walk(second)}
    assert not shared


def test_notebook_cells() -> None:
    text = "def f(a):\n    return a\n"
    filename = "<ipython-input-1-abc>"
    namespace: dict[str, Any] = {}
    linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
    exec(compile(text, filename, "exec"), namespace)
    assert source.locate(namespace["f"]).node.name == "f"
    # The cell is run again with other text under the same name.
    text = "x = 1\ndef f(a, b):\n    return a\n"
    linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
    exec(compile(text, filename, "exec"), namespace)
    assert len(source.locate(namespace["f"]).node.args.args) == 2
    del linecache.cache[filename]


def test_source_from_a_loader(tmp_path: Path) -> None:
    import zipfile

    archive = tmp_path / "archive.zip"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("zipped.py", "def f(a):\n    return a\n")
    sys.path.insert(0, str(archive))
    try:
        import zipped  # type: ignore[import-not-found]
    finally:
        sys.path.remove(str(archive))
    assert source.locate(zipped.f).node.name == "f"


def test_methods_and_wrappers() -> None:
    class A:
        @classmethod
        def c(cls) -> None: ...

        def m(self) -> None: ...

    assert source.locate(A().m).node.name == "m"
    assert source.locate(A.c).node.name == "c"
    assert source.locate(vars(A)["c"]).node.name == "c"


# pytest rewrites the asserts of this very module before it compiles it.


def function_with_asserts(x: int) -> int:
    assert x > 0, f"{x} is small"
    y = x + 1
    assert (
        y
        in
        {y: 1}
    )  # fmt: skip
    for z in range(y):
        assert z is not None and (lambda: z)() == z  # noqa: PT018
    return y


def test_rewritten_asserts() -> None:
    assert source.locate(function_with_asserts).node.name == "function_with_asserts"
    assert source.locate(test_rewritten_asserts).node.name == "test_rewritten_asserts"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("y = x + 1", "y = x + 2"),
        ("return y", "return x"),
        ("range(y)", "list(y)"),
    ],
)
def test_rewritten_asserts_do_not_hide_changes(
    old: str, new: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = linecache.getlines(__file__)
    start = function_with_asserts.__code__.co_firstlineno - 1
    changed = [
        line.replace(old, new) if start <= index < start + 12 else line
        for index, line in enumerate(lines)
    ]
    assert changed != lines
    monkeypatch.setattr(linecache, "getlines", lambda *_: changed)
    with pytest.raises(errors.ConversionError, match="not what was imported"):
        source.locate(function_with_asserts)


# Changed files

CHANGES = [
    ("constant", "return a + 1", "return a + 2"),
    ("type of a constant", "return a + 1", "return a + 1.0"),
    ("operator", "return a + 1", "return a - 1"),
    ("name", "return a + 1", "return b + 1"),
    ("parameter", "def f(a)", "def f(c)"),
    ("kind of function", "def f(a)", "async def f(a)"),
    ("gone", "def f(a):\n    return a + 1\n", ""),
    ("other name", "def f(a)", "def g(a)"),
    ("nested function", "(lambda: 1)", "(lambda: 2)"),
    ("nested class", "x = 1", "x = 2"),
]


@pytest.mark.parametrize(
    ("old", "new"), [pytest.param(old, new, id=name) for name, old, new in CHANGES]
)
def test_changed_file(old: str, new: str, tmp_path: Path) -> None:
    text = (
        "import os\nb = 1\ndef f(a):\n    return a + 1\n"
        "def h():\n    class A:\n        x = 1\n    return (lambda: 1), A\n"
    )
    path = tmp_path / "sample.py"
    module = import_text(path, text)
    source.locate(module.f), source.locate(module.h)
    path.write_text(text.replace(old, new))
    os.utime(path, (1, 1))
    with pytest.raises(errors.ConversionError, match="changed after import") as caught:
        source.locate(module.f), source.locate(module.h)
    assert caught.value.filename == str(path)
    assert caught.value.lineno in (3, 5)
    assert caught.value.hint


def test_comments_may_change(tmp_path: Path) -> None:
    path = tmp_path / "sample.py"
    module = import_text(path, "def f(a):\n    return a\n")
    path.write_text("def f(a):  # a comment\n    return a\n")
    assert source.locate(module.f).node.name == "f"


def test_file_that_is_no_longer_python(tmp_path: Path) -> None:
    path = tmp_path / "sample.py"
    module = import_text(path, "def f(a):\n    return a\n")
    path.write_text("def f(a):\n    return a\nx = = 1\n")
    with pytest.raises(errors.ConversionError, match="not valid Python") as caught:
        source.locate(module.f)
    assert (caught.value.lineno, caught.value.col) == (3, 5)


def test_deleted_file(tmp_path: Path) -> None:
    path = tmp_path / "sample.py"
    module = import_text(path, "def f(a):\n    return a\n")
    path.unlink()
    with pytest.raises(errors.ConversionError, match="cannot be read any more"):
        source.locate(module.f)


def no_file() -> Callable[..., object]:
    namespace: dict[str, Any] = {}
    exec("def f(): pass", namespace)
    return namespace["f"]  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (no_file(), "was not read from a file"),
        (eval("lambda: 1"), "was not read from a file"),
        (builtins.len, "len is an object of type builtin_function_or_method"),
        (int, "int is a class"),
        (str.join, "method_descriptor"),
        ([].append, "builtin_function_or_method"),
    ],
)
def test_no_source(function: Callable[..., object], message: str) -> None:
    with pytest.raises(errors.ConversionError, match=message) as caught:
        source.locate(function)
    assert caught.value.hint
    assert caught.value.variable


def test_generated_methods_of_dataclasses_have_no_source() -> None:
    import dataclasses

    made = dataclasses.make_dataclass("Made", ["x"])
    with pytest.raises(errors.ConversionError, match="was not read from a file"):
        source.locate(made.__init__)  # type: ignore[misc]


@pytest.mark.parametrize("flags", [["-O"], ["-OO"], ["-X", "no_debug_ranges"], ["-W", "error"]])
def test_flags_of_the_interpreter(flags: list[str], tmp_path: Path) -> None:
    (tmp_path / "sample.py").write_text(
        "def f(x):\n    '''doc'''\n    assert x\n    return [lambda y: y, lambda y: x]\n"
    )
    program = (
        "import sample\nfrom autograph.source import locate\n"
        "print(locate(sample.f).node.name, *(locate(f).node.lineno for f in sample.f(1)))"
    )
    search = os.pathsep.join([str(tmp_path), str(Path(source.__file__).parent.parent)])
    done = subprocess.run(
        [sys.executable, *flags, "-c", program],
        env={**os.environ, "PYTHONPATH": search},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["f", "4", "4"]


COMMAND = """
import autograph, math
def f(x):
    while x < 10:
        x = x + math.floor(2.5)
    return x
class A:
    def m(self, x): return [x, lambda y: y if y > x else -y]
names = {}
exec("def made(x): return x if x > 0 else -x", names)
found = autograph.convert(f)(1), autograph.convert(A().m(3)[1])(2), f.__code__.co_firstlineno
try:
    autograph.convert(names["made"])
except autograph.ConversionError as error:
    print(*found, "was not read from a file" in str(error))
def bad(x):
    if x: raise ValueError(x)
try:
    autograph.convert(bad)(1)
except ValueError as error:
    print(error.__traceback__.tb_next.tb_lineno)
"""


@pytest.mark.parametrize(
    "options",
    [
        ["-c", COMMAND],
        ["-W", "error", "-c", COMMAND],
        ["-OX", "dev", "-Bc", COMMAND],
        [f"-sc{COMMAND}"],
    ],
)
@pytest.mark.parametrize("arguments", [[], ["-c", "1"]])
def test_what_the_command_line_gives(options: list[str], arguments: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, *options, *arguments],
        env={**os.environ, "PYTHONPATH": str(Path(source.__file__).parent.parent)},
        capture_output=True,
        text=True,
    )
    assert (done.stdout, done.stderr) == ("11 -2 3 True\n17\n", "")


# Reading without importing

FILE = """
import never_imported

def f(): return 1

class A:
    def m(self): return 1
    if True:
        @property
        def p(self): return 1
        @p.setter
        def p(self, value): return 2
    class B:
        async def m(self):
            def inner(): return 3

if True:
    def g(): return 1
else:
    def g(): return 2
try:
    def h(): return 1
except Exception:
    def h(): return 2
"""


@pytest.fixture
def file(tmp_path: Path) -> source.SourceFile:
    path = tmp_path / "file.py"
    path.write_text(FILE)
    return source.read_file(str(path))


def test_definitions_of_a_file(file: source.SourceFile) -> None:
    paths = ["f", "A.m", "A.p", "A.p", "A.B.m", "g", "g", "h", "h"]
    assert [one.path for one in source.definitions(file)] == paths
    assert [one.path for one in source.definitions(file, "A")] == paths[1:5]
    assert [(one.path, one.owners) for one in source.definitions(file, "A.B")] == [
        ("A.B.m", ("A", "B"))
    ]


@pytest.mark.parametrize(
    ("path", "line", "owners"),
    [
        ("f", 4, ()),
        ("A.m", 7, ("A",)),
        ("A.p", 12, ("A",)),
        ("A.B.m", 14, ("A", "B")),
        ("A.B.m.inner", 15, ("A", "B")),
        ("g", 20, ()),
    ],
)
def test_definition_by_path(
    file: source.SourceFile, path: str, line: int, owners: tuple[str, ...]
) -> None:
    located = source.definition_in(file, path)
    assert (located.node.lineno, located.owners, located.path) == (line, owners, path)


def test_unknown_definition(file: source.SourceFile) -> None:
    with pytest.raises(errors.ConversionError, match=r"no function or class A\.n") as caught:
        source.definition_in(file, "A.n")
    assert "A.m" in str(caught.value.hint)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "No such file"),
        (b"x = = 1", "not valid Python"),
        (b"x = '\xff'", "cannot be decoded"),
        (b"# coding: unknown\n", "cannot be decoded"),
        (b"x = 1\0", "not valid Python"),
    ],
)
def test_unreadable_files(text: bytes | None, message: str, tmp_path: Path) -> None:
    path = tmp_path / "file.py"
    if text is not None:
        path.write_bytes(text)
    with pytest.raises(errors.ConversionError, match=message) as caught:
        source.read_file(str(path))
    assert caught.value.filename == str(path)


def test_few_files_are_kept(tmp_path: Path) -> None:
    modules = [
        import_text(tmp_path / f"sample{n}.py", f"def f():\n    return {n}\n") for n in range(40)
    ]
    for module in [*modules, *modules]:
        assert source.locate(module.f).node.body[0].value.value == module.f()
    assert len(source._files._files) <= source._KEPT_FILES


def test_nested_codes() -> None:
    codes = nested_codes(test_methods_and_wrappers.__code__)
    names = [code.co_name for code in codes if code.co_name != "__annotate__"]
    assert names == ["test_methods_and_wrappers", "A", "c", "m"]
