"""Versions of Python: those whose bytecode is known, and names that a newer one removes."""

import subprocess
import sys
import textwrap

import pytest

from autograph.versions import NEWEST, check_version


def test_a_newer_python_is_refused() -> None:
    check_version((*NEWEST, 0))
    with pytest.raises(ImportError, match=r"of Python 3\.14 is not known to it: use Python 3\.11"):
        check_version((3, 14, 0))


def test_code_is_printed_without_the_names_that_python_3_14_removes() -> None:
    program = textwrap.dedent('''
        import ast

        removed = ("Num", "Str", "Bytes", "NameConstant", "Ellipsis")
        for name in removed:
            vars(ast).pop(name, None)

        def missing(name):
            raise AttributeError(name)

        ast.__getattr__ = missing
        assert not any(hasattr(ast, name) for name in removed)
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
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)
