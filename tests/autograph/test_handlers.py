"""The handlers around a statement, as the source shows them."""

import ast
import os.path
import sys
from contextlib import nullcontext, suppress
from pathlib import Path
from types import FrameType, SimpleNamespace
from typing import Any

import pytest

import autograph
from autograph.handlers import handlers_around
from tests.autograph.files import import_text

holder = SimpleNamespace(managers=(nullcontext(),))


def ask() -> list[Any]:
    """The manager, or the clauses, of each handler around the call, innermost first."""
    return around(sys._getframe(1))


def around(frame: FrameType) -> list[Any]:
    return [
        ast.unparse(each.manager) if each.manager else [*map(_written, each.clauses)]
        for each in handlers_around(frame)
    ]


def _written(clause: Any) -> Any:
    return None if clause is None else [ast.unparse(each) for each in clause]


def in_a_try() -> Any:
    try:
        return ask()
    except (ValueError, os.path.os.error):  # type: ignore[attr-defined]
        raise
    except Exception:
        return None


def in_a_bare_try() -> Any:
    try:
        return ask()
    except:  # noqa: E722
        return None


def in_a_finally() -> Any:
    try:
        found = ask()
    finally:
        sys.getrefcount(holder)
    return found


def in_all_parts() -> Any:
    try:
        try:
            found = [ask()]
            raise IndexError
        except IndexError as error:
            found += [ask(), str(error)]
        else:
            found = []
        finally:
            found.append(ask())
    except KeyError:
        pass
    try:
        pass
    except KeyError:
        pass
    else:
        found.append(ask())
    return found


def in_a_with() -> Any:
    with suppress(ValueError, KeyError):
        return ask()


def in_a_with_of_several() -> Any:
    manager = nullcontext()
    with manager, holder.managers[0], nullcontext(ask()) as first: second = ask()  # fmt: skip  # noqa: E701
    return first, second


def in_a_function_inside() -> Any:
    with suppress(KeyError):
        try:
            return (lambda: ask())(), ask()
        except ValueError:
            return None


def in_groups() -> Any:
    try:
        found = ask()
    except* ValueError:
        found = []
    return found


def in_a_generator() -> Any:
    def items() -> Any:
        with suppress(KeyError):
            yield ask()
        yield ask()

    return list(items())


def beside_an_assert() -> Any:
    """Which pytest rewrites."""
    try:
        assert holder, "a holder"
        return ask()
    except KeyError:
        return None


INSIDE = [["ValueError"]]
FINALLY = [None]
CASES = [
    (in_a_try, [[["ValueError", "os.path.os.error"], ["Exception"]]]),
    (in_a_bare_try, [[[]]]),
    (in_a_finally, [FINALLY]),
    (
        in_all_parts,
        [
            [[["IndexError"]], FINALLY, [["KeyError"]]],
            [FINALLY, [["KeyError"]]],
            "",
            [[["KeyError"]]],
            [],
        ],
    ),
    (in_a_with, ["suppress(ValueError, KeyError)"]),
    (
        in_a_with_of_several,
        (
            ["holder.managers[0]", "manager"],
            ["nullcontext(ask())", "holder.managers[0]", "manager"],
        ),
    ),
    (in_a_function_inside, ([], [INSIDE, "suppress(KeyError)"])),
    (in_groups, [INSIDE]),
    (beside_an_assert, [[["KeyError"]]]),
    (in_a_generator, [["suppress(KeyError)"], []]),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0].__name__)
def test_what_the_source_shows(case: Any) -> None:
    function, expected = case
    assert function() == expected


def test_a_handler_without_source_takes_all() -> None:
    names: dict[str, Any] = {"ask": ask}
    exec("try:\n    found = ask()\nexcept KeyError:\n    pass\nelse:\n    rest = ask()", names)
    assert (names["found"], names["rest"]) == ([[[]]], [])


EDITED = """
def f(ask):
    try:
        return ask()
    except ValueError:
        return None

def g(ask):
    with ask.manager:
        yield ask()

def h(ask):
    try:
        assert ask
        found = ask()
    except KeyError:
        found = None
    return found
"""
F, G, H, ALL = [[["ValueError"]]], ["ask.manager"], [[["KeyError"]]], [[[]]]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("", "", [F, G, H]),
        ("KeyError", "ValueError", [F, G, ALL]),
        ("except ValueError:", "except (ValueError, OSError):", [ALL, G, H]),
        ("except ValueError:", "finally:", [ALL, G, H]),
        ("ask.manager", "ask.other", [F, ALL, H]),
        ("    return found", "    return not found", [F, G, ALL]),
        ("\ndef h", "\n\ndef h", [F, G, ALL]),
        ("        assert ask\n", "\n", [F, G, ALL]),
        ("    except KeyError:\n        f", "    except KeyError: f", [F, G, ALL]),
        ("def h(ask)", "def k(ask)", [F, G, ALL]),
        ("def f(ask):", "def f(ask)", [ALL, ALL, ALL]),
    ],
)
@pytest.mark.parametrize("is_converted", [False, True])
def test_what_an_edited_file_shows(
    tmp_path: Path, old: str, new: str, expected: Any, is_converted: bool
) -> None:
    path = tmp_path / "sample.py"
    module = import_text(path, EDITED)
    asking = _Asking()
    functions = [module.f, module.g, module.h]
    if is_converted:
        functions = [autograph.convert(each) for each in functions]
    assert [_found(each(asking)) for each in functions] == [F, G, H]
    assert EDITED.count(old) or not old
    path.write_text(EDITED.replace(old, new, 1))
    os.utime(path, (1, 1))
    assert [_found(each(asking)) for each in functions] == expected


class _Asking:
    manager = nullcontext()

    def __call__(self) -> Any:
        frame = sys._getframe(1)
        while frame.f_code.co_name not in ("f", "g", "h"):
            assert frame.f_back is not None
            frame = frame.f_back
        return around(frame)


def _found(result: Any) -> Any:
    return result if isinstance(result, list) else next(result)
