"""The dialects of random programs: what they contain, how often, and what stands before them."""

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from tests.support.programs_callbacks import CALLBACKS as CALLBACKS_FORMS
from tests.support.programs_callbacks import (
    CALLBACKS_HEADER,
    CALLBACKS_PRELUDE,
    CALLBACKS_RESULTS,
)
from tests.support.programs_collections import COLLECTIONS as COLLECTIONS_FORMS
from tests.support.programs_collections import (
    COLLECTIONS_HEADER,
    COLLECTIONS_PRELUDE,
    GROWING,
    RESULTS,
)
from tests.support.programs_effects import EFFECTS as EFFECTS_SNIPPETS
from tests.support.programs_kinds import KINDS as KINDS_FORMS
from tests.support.programs_kinds import KINDS_HEADER, KINDS_PRELUDE, KINDS_RESULTS
from tests.support.programs_library import LIBRARY
from tests.support.programs_objects import OBJECTS, Theme
from tests.support.programs_outside import OUTSIDE as OUTSIDE_FORMS
from tests.support.programs_outside import OUTSIDE_HEADER, OUTSIDE_PRELUDE
from tests.support.programs_scopes import PLAIN_SCOPES
from tests.support.programs_snippets import PLAIN_SNIPPETS, STAGED_SNIPPETS
from tests.support.programs_staged_scopes import STAGED_SCOPES


@dataclass(frozen=True, eq=False)
class Dialect:
    """What programs may contain. A statement without a weight does not occur."""

    statements: dict[str, int]
    snippets: Sequence[str]
    prelude: str
    header: str
    parameters: dict[str, str]
    # Names may change their type, may be unbound, and arithmetic need not stay small.
    free: bool
    # How many statements at its top level, and how many more in all.
    most: int = 12
    size: tuple[int, int] = (3, 18)
    # What `grow` writes.
    growing: Sequence[str] = ()
    # What programs return: a kind, or a text with a hole for an int.
    results: Sequence[str] = ("int", "float", "pair", "items", "grown")


PLAIN_PRELUDE = """\
from contextlib import suppress

LOG = []
G = 2


class Thing:
    def __init__(self):
        self._v = 1

    @property
    def v(self):
        LOG.append("get")
        return self._v

    @v.setter
    def v(self, value):
        LOG.append(("set", value))
        self._v = value


class Manager:
    def __init__(self, quiet):
        self.quiet = quiet

    def __enter__(self):
        LOG.append("enter")
        return 3

    def __exit__(self, kind, *exception):
        LOG.append(("exit", kind and kind.__name__))
        return self.quiet


def note(x):
    LOG.append(x)
    return x


def items(n):
    for i in range(n):
        LOG.append(("item", i))
        yield i


def risky(x):
    if x % 3 == 0:
        raise ValueError(f"risky {x}")
    return x


def step(x, y=1, *, z=0):
    if x > y:
        return x - y
    while x < y and z < 3:
        z = z + 1
        x = x + z
    return x + z


"""

STAGED_PRELUDE = """\
from contextlib import nullcontext
from dataclasses import dataclass

G = 2


@dataclass
class Pair:
    a: object
    b: object


def step(x, y=1, *, z=0):
    if x > y:
        return x - y
    while x < y and z < 3:
        z = z + 1
        x = x + z
    return x + z


"""

EXITS_PRELUDE = """\
from contextlib import suppress

LOG = []
G = 2


class Manager:
    def __init__(self, quiet):
        self.quiet = quiet

    def __enter__(self):
        return 3

    def __exit__(self, kind, *exception):
        LOG.append(("exit", kind and kind.__name__))
        return self.quiet


def note(x):
    LOG.append(x)
    return x


def step(x, y=1):
    if x > y:
        return x - y
    elif x < -y:
        raise ValueError("low")
    return x + y


"""

PLAIN = Dialect(
    statements={
        "assign": 20,
        "augment": 8,
        "swap": 2,
        "if_": 16,
        "while_": 6,
        "while_true": 3,
        "for_range": 6,
        "for_items": 5,
        "leave": 10,
        "return_": 4,
        "assert_": 3,
        "raise_": 2,
        "choice": 3,
        "try_": 5,
        "with_": 2,
        "effect": 8,
        "delete": 3,
        "half_defined": 3,
        "optional": 4,
        "alias": 3,
        "set_item": 4,
        "list_change": 3,
        "attribute": 3,
        "closure": 3,
        "lambda_": 2,
        "python_value": 3,
        "set_global": 2,
        "capture": 3,
        "generator": 2,
        "match_": 3,
        "snippet": 20,
    },
    snippets=(*PLAIN_SNIPPETS, *PLAIN_SCOPES),
    prelude=PLAIN_PRELUDE,
    header="def program(a, b, p, f, xs, o):\n    global G\n",
    parameters={"a": "int", "b": "int", "p": "bool", "f": "float", "xs": "list"},
    free=True,
    results=("int", "float", "pair", "items"),
)

STAGED = Dialect(
    statements={
        "assign": 20,
        "augment": 6,
        "swap": 2,
        "if_": 16,
        "while_": 6,
        "while_true": 3,
        "for_range": 6,
        "for_items": 4,
        "leave": 10,
        "return_": 3,
        "assert_": 2,
        "raise_": 1,
        "choice": 5,
        "half_defined": 3,
        "optional": 4,
        "set_item": 3,
        "closure": 2,
        "lambda_": 2,
        "grow": 6,
        "snippet": 14,
    },
    snippets=(*STAGED_SNIPPETS, *STAGED_SCOPES),
    prelude=STAGED_PRELUDE,
    # Only a list or dict that a statement may grow can be asked by a staged index.
    header="def program(a, b, p, f, xs):\n    grown, counted, seen = [], {}, set()\n"
    "    if a > 99:\n        grown.pop()\n        counted[a] = a\n        seen.add(a)\n",
    parameters={"a": "int", "b": "int", "p": "bool", "f": "float", "xs": "list"},
    free=False,
    growing=GROWING,
)

COLLECTIONS = Dialect(
    statements={
        "assign": 6,
        "augment": 3,
        "if_": 16,
        "while_": 3,
        "for_range": 8,
        "for_items": 6,
        "leave": 8,
        "return_": 2,
        "raise_": 1,
        "choice": 3,
        "leaving_try": 4,
        "closure": 1,
        "grow": 60,
    },
    snippets=(),
    prelude=COLLECTIONS_PRELUDE,
    header=COLLECTIONS_HEADER,
    parameters={"a": "int", "b": "int", "p": "bool", "f": "float", "xs": "list"},
    free=False,
    most=6,
    size=(3, 9),
    growing=COLLECTIONS_FORMS,
    results=RESULTS,
)
"""Collections of the run: read, changed and iterated over, in branches, loops, tries and exits."""

EXITS = Dialect(
    statements={"choice": 10, "leaving_loop": 4, "leaving_try": 4, "for_items": 3, "effect": 2}
    | {"assign": 4, "half_defined": 1, "closure": 1, "generator": 1},
    snippets=(),
    prelude=EXITS_PRELUDE,
    header="def program(a, b, p, f, xs):\n",
    parameters={"a": "int", "b": "int", "p": "bool", "f": "float", "xs": "list"},
    free=False,
    most=3,
    size=(2, 8),
)
"""Small nests of which every arm may leave: by a return, an exception, an exit of a loop."""

KINDS = replace(
    COLLECTIONS,
    statements={k: w for k, w in COLLECTIONS.statements.items() if k != "leaving_try"},
    prelude=KINDS_PRELUDE,
    header=KINDS_HEADER,
    growing=KINDS_FORMS,
    results=KINDS_RESULTS,
)
"""Values of several kinds: assigned, used and stored, in branches, loops and exits."""

OUTSIDE = replace(
    KINDS,
    statements=KINDS.statements | {"for_range": 3, "for_items": 2, "raise_": 0},
    prelude=OUTSIDE_PRELUDE,
    header=OUTSIDE_HEADER,
    growing=OUTSIDE_FORMS,
    results=("int", "pair", "{int}, O.total"),
)
"""Changes of what is outside of the program, by itself and by what it calls."""

EFFECTS = replace(
    STAGED,
    statements=STAGED.statements | {"snippet": 60, "while_true": 1},
    snippets=EFFECTS_SNIPPETS,
    most=5,
    size=(2, 8),
)
"""What functions, generators and callbacks do besides their results."""

CALLBACKS = replace(
    KINDS,
    prelude=CALLBACKS_PRELUDE,
    header=CALLBACKS_HEADER,
    growing=CALLBACKS_FORMS,
    results=CALLBACKS_RESULTS,
)
"""Functions with state, in the hands of what calls them for each item."""


_STEP = """\
def step(x, y=1, *, z=0):
    return x - y if x > y else x + y + z


"""


def of_theme(theme: Theme) -> Dialect:
    """The dialect of a theme: short programs, for much of what a theme has is refused."""
    return replace(
        KINDS,
        statements=KINDS.statements | {"raise_": 0},
        prelude="G = 2\n\n\n" + _STEP + theme.prelude,
        header="def program(a, b, p, f, xs):\n" + theme.header,
        growing=theme.forms,
        results=theme.results,
        size=(3, 9),
    )


def both(one: Theme, other: Theme) -> Theme:
    """What two themes have; a name that both give to something is another one in the second."""
    taken = "|".join(sorted(_names_in(one) & _names_in(other)))
    # Neither attributes and texts, nor the holes of forms.
    found = re.compile(rf"(?<![\w.'\"{{])(?:{taken})(?![\w'\"])") if taken else re.compile(r"(?!)")
    prelude, header, forms, results = (
        found.sub(r"\g<0>_2", other.prelude),
        found.sub(r"\g<0>_2", other.header),
        [found.sub(r"\g<0>_2", each) for each in other.forms],
        [found.sub(r"\g<0>_2", each) for each in other.results],
    )
    return Theme(
        one.prelude + prelude, one.header + header, (*one.forms, *forms), (*one.results, *results)
    )


def _names_in(theme: Theme) -> set[str]:
    tree = ast.parse(theme.prelude + "def program(a, b, p, f, xs):\n" + theme.header)
    named = {each.name for each in tree.body if isinstance(each, ast.ClassDef | ast.FunctionDef)}
    stored = {
        each.id
        for each in ast.walk(tree)
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
    }
    return (named | stored) - {"program"}


_THEMES = OBJECTS | LIBRARY
THEMES = {name: of_theme(theme) for name, theme in _THEMES.items()}
"""Of what a name says: objects of the user's, and of the standard library."""

TWO_THEMES = [of_theme(both(*pair)) for pair in combinations(_THEMES.values(), 2)]
"""Of each two of them."""
