"""The handlers around a statement, as the source shows them."""

import ast
import os.path
import sys
from contextlib import nullcontext, suppress
from types import SimpleNamespace
from typing import Any

import pytest

from autograph.handlers import handlers_around

holder = SimpleNamespace(managers=(nullcontext(),))


def ask() -> list[Any]:
    """The manager, or the clauses, of each handler around the call, innermost first."""
    return [
        ast.unparse(each.manager) if each.manager else [*map(_written, each.clauses)]
        for each in handlers_around(sys._getframe(1))
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
