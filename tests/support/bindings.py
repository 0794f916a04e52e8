"""Functions made of three tables: every way to bind `x`, in every block, before every use of it."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tests.support.programs_choices import Choices

PRELUDE = """\
import contextlib

LOG = []


class Swallowing:
    def __enter__(self):
        return 7

    def __exit__(self, *exception):
        return True


def note(v):
    LOG.append(v)
    return v


def risky(v):
    LOG.append(v)
    if v % 2:
        raise ValueError(v)
    return v + 1


"""

BINDINGS = {
    "assignment": "x = n",
    "chained": "x = y = n",
    "augmented": "x = n\nx += 1",
    "annotated": "x: int = n",
    "annotation_alone": "x: int\nx = n",
    "star": "x, *r = n, n + 1, n + 2",
    "starred": "r, *x = n, n + 1, n + 2\nx = x[0]",
    "swap": "x = n\ny = 2\nx, y = y, x",
    "walrus": "note(x := n)",
    "walrus_in_if": "if (x := n) > 1:\n    note(x)",
    "walrus_in_and": "if n > 0 and (x := n) > 1:\n    note(x)",
    "walrus_in_ternary": "y = (x := n) if n > 0 else 0",
    "walrus_in_its_test": "y = 1 if (x := n) > 0 else 0",
    "walrus_in_chain": "y = 0 < (x := n) < 3 < (x := n + 1)",
    "walrus_in_while": "j = 0\nwhile (x := j) < 2 and n:\n    j += 1",
    "walrus_in_while_else": """\
j = 0
while (x := j) < n:
    j += 1
    if j == 3:
        break
else:
    note('else')""",
    "walrus_in_list": "note([x := u for u in range(n)])",
    "walrus_in_condition": "note([u for u in range(3) if (x := u) < n])",
    "walrus_in_list_in_while": """\
j = 0
while [x := u for u in range(n) if u > j]:
    j += 1""",
    "walrus_in_generator_in_while": """\
j = 0
while any((x := u) > j for u in range(n)):
    j += 1""",
    "walrus_in_default_in_while": "j = 0\nwhile (lambda v=(x := j): v)() < n:\n    j += 1",
    "walrus_in_list_in_and": "y = n > 0 and [x := u for u in range(n)]",
    "walrus_in_list_in_if": "if n > 0 and [x := u for u in range(n)]:\n    note(x)",
    "walrus_in_list_in_ternary": "y = [x := u for u in range(n)] if n > 1 else n",
    "walrus_in_generator": "y = any((x := u) > 1 for u in range(n))",
    "walrus_in_assert": "assert (x := n) < 9, note('m')",
    "walrus_in_message": "assert n < 9 or n > 0, (x := n)",
    "walrus_in_list_in_message": "assert n >= 0, [x := u for u in (1, 2)]",
    "walrus_in_index": "d = [0, 0, 0, 0, 0]\nd[(x := n)] = 1",
    "walrus_in_iterable": "for u in (x := [n, 1]):\n    note(u)\nx = x[0]",
    "for": "for x in range(n):\n    note(x)",
    "for_else": "for x in range(n):\n    if x == 1:\n        break\nelse:\n    x = 9",
    "for_star": "for i, (x, *r) in enumerate([(n, 2), (3, 4)][:n]):\n    note(r)",
    "with": "with Swallowing() as x:\n    note(x)",
    "with_star": "with contextlib.nullcontext((n, 2, 3)) as (x, *r):\n    note(r)",
    "swallowed": "with Swallowing():\n    x = risky(n)",
    "except": "try:\n    risky(n)\nexcept ValueError as x:\n    note(str(x))",
    "except_assigned": "try:\n    risky(n)\nexcept ValueError as x:\n    x = 3\n    note(x)",
    "except_left": """\
try:
    risky(n)
except ValueError as x:
    if n > 2:
        raise KeyError(n) from None""",
    "except_broken_off": """\
for j in range(3):
    try:
        risky(n + j)
    except ValueError as x:
        if n > 1:
            break
        if j:
            continue
        note(str(x))""",
    "try": "try:\n    x = risky(n)\nexcept ValueError:\n    x = -1",
    "try_else": "try:\n    risky(n)\nexcept ValueError:\n    pass\nelse:\n    x = n",
    "finally": "try:\n    note(n)\nfinally:\n    x = n",
    "except_group": """\
try:
    raise ExceptionGroup('g', [ValueError(n), KeyError(n)])
except* ValueError as x:
    note(len(x.exceptions))
except* KeyError:
    note(x)""",
    "import": "import math as x\nx = x.floor(2.5)",
    "from_import": "from math import floor as x\nx = x(n + 0.5)",
    "def": "def x():\n    return n\nx = x()",
    "class": "class x:\n    v = n\nx = x.v",
    "class_reads": "x = n\nclass C:\n    v = x\n    x = 5\n    w = x\nnote((C.v, C.w))",
    "match": "match n:\n    case int(x):\n        note(x)",
    "match_guard": """\
match [n, 2]:
    case [x, 3]:
        note('no')
    case [x, *r] if x > 1:
        note(r)
    case _:
        note('other')""",
    "match_star": """\
match [n, 2]:
    case [1, *x]:
        x = len(x)
    case _:
        x = 0""",
    "match_rest": """\
match {'a': n, 'b': 2}:
    case {'a': 1, **x}:
        x = len(x)
    case {'a': x}:
        pass""",
    "deleted": "x = n\ndel x",
    "deleted_sometimes": "x = n\nif n > 1:\n    del x",
    "deleted_and_bound": "x = n\ndel x\nx = n + 1",
    "nonlocal": "def g():\n    nonlocal x\n    x = n\ng()\nif n < 0:\n    x = 0",
}
"""How `x` is bound; `n` is a small whole number."""

PLACES = {
    "top": "HOLE",
    "if": "if n > 0:\n    HOLE",
    "else": "if n > 1:\n    note('if')\nelse:\n    HOLE",
    "elif": "if n > 3:\n    pass\nelif n > 0:\n    HOLE\nelse:\n    note('e')",
    "while": "k = 0\nwhile k < n:\n    k += 1\n    HOLE",
    "while_else": """\
k = 0
while k < n:
    k += 1
    if k == 2:
        break
else:
    HOLE""",
    "while_true": "k = 0\nwhile True:\n    k += 1\n    if k > n:\n        break\n    HOLE",
    "for": "for i in range(n):\n    HOLE",
    "for_else": "for i in range(n):\n    if i == 1:\n        break\nelse:\n    HOLE",
    "after_continue": "for i in range(n + 1):\n    if i == 1:\n        continue\n    HOLE",
    "nested": """\
for i in range(2):
    if i < n:
        k = 0
        while k < i:
            k += 1
            HOLE""",
    "try": "try:\n    HOLE\nexcept ValueError:\n    note('handled')",
    "after_risk": "try:\n    risky(n)\n    HOLE\nexcept ValueError as e:\n    note(str(e))",
    "handler": "try:\n    risky(n)\nexcept ValueError as e:\n    HOLE",
    "finally": "try:\n    note(0)\nfinally:\n    HOLE",
    "group": """\
try:
    raise ExceptionGroup('g', [ValueError(n), KeyError(n)])
except* ValueError as e:
    HOLE
    if n > 3:
        raise
except* KeyError:
    if n > 2:
        raise e""",
    "with": "with Swallowing():\n    HOLE",
    "match": "match n:\n    case 0 | 1:\n        HOLE\n    case _:\n        pass",
    "before_return": "if n > 0:\n    HOLE\n    if n > 3:\n        return 'early'",
}
"""Where it is bound: in place of the line HOLE."""

USES = {
    "none": "",
    "read": "note(x)",
    "bound_again_in_a_try": """\
x = 2
try:
    k = 0
    while k < 2:
        k += 1
        if n > k:
            x = risky(x)
            continue
        x -= 2
except ValueError:
    note('caught')
note(x)""",
    "bound_again_in_an_if": """\
if n != 7:
    x = 2
    try:
        if n > 0:
            x = risky(n)
            x = 5
    except ValueError:
        pass
    note(x)""",
    "handled": "try:\n    if n > 0:\n        x = risky(n)\nexcept ValueError:\n    note(x)",
    "in_turn": """\
try:
    raise ExceptionGroup('g', [ValueError(n), KeyError(n), TypeError(n)])
except* ValueError:
    for i in range(n):
        x = i
    if n == 2:
        del x
except* KeyError:
    if n > 0:
        x += 1
except* TypeError:
    note(x)""",
    "captured": "if n < 9:\n    note((lambda: x)())",
    "captured_by_def": "def h():\n    return x\nif n > 0:\n    x = 8\nnote(h())",
    "nonlocal": "def h():\n    nonlocal x\n    x = 3\nif n > 1:\n    h()\nnote(x)",
    "nonlocal_augmented": """\
x = 1
def h():
    nonlocal x
    x += 3
while x < 5 and n:
    h()
note(x)""",
    "comprehension": "note([x for _ in range(1)])",
    "generator": "note(list(x for _ in range(n)))",
    "loop": "for i in range(2):\n    if n > i:\n        note(x)",
    "augmented": "if n > 0:\n    x += 1\nnote(x)",
    "deleted": "if n > 1:\n    del x\nnote(x)",
    "class_body": "class K:\n    x = x\n    y = x\nnote(K.y)",
    "half": "if n > 0:\n    x = 4\nelse:\n    note('none')\nif n > 0:\n    note(x)",
}
"""What is done with `x` afterwards."""


class Shape(NamedTuple):
    """One entry of each table, by name."""

    binding: str
    place: str
    use: str

    @property
    def lines(self) -> list[str]:
        """Statements that may follow others."""
        bound = _filled(PLACES[self.place], BINDINGS[self.binding])
        return [*bound.splitlines(), *USES[self.use].splitlines()]


def module_of(shapes: Sequence[Shape]) -> str:
    """A module with a function `program(n)` that goes through shapes one after the other."""
    body = [line for shape in shapes for line in shape.lines]
    lines = "".join(f"    {line}\n" for line in [*body, "return LOG"])
    return f"{PRELUDE}def program(n):\n{lines}"


def chain(choices: Choices) -> list[Shape]:
    """Two or three shapes."""
    tables = [list(BINDINGS), list(PLACES), list(USES)]
    return [
        Shape(*(table[choices.below(len(table))] for table in tables))
        for _ in range(2 + choices.below(2))
    ]


def shapes(binding: str, every: int = 1) -> Iterator[Shape]:
    """The shapes with a way to bind, one in so many of them; another one for each place."""
    start = list(BINDINGS).index(binding)
    for number, place in enumerate(PLACES, start):
        for use in list(USES)[number % every :: every]:
            yield Shape(binding, place, use)


def _filled(template: str, text: str) -> str:
    lines: list[str] = []
    for line in template.splitlines():
        indent = line[: len(line) - len(line.lstrip())]
        whole = text.splitlines() if line.strip() == "HOLE" else [line.strip()]
        lines += [indent + part for part in whole]
    return "\n".join(lines)
