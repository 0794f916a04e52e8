"""Mark the lists, sets, deques and dicts that a statement may grow, or that may be asked at a place
that only the run knows: a backend may stage those.

>>> from autograph.pipeline import show
>>> print(show('growing_lists', '''
... def f(n):
...     squares = []
...     for i in range(n):
...         squares.append(i * i)
...     return squares
... '''))
def f(n):
    squares = ag.growing([])
    for i in range(n):
        squares.append(i * i)
    return squares

Marked is a list that is made where a name is assigned, if that name grows or shrinks in a control
statement, or in a function inside, that does not hold the assignment; if it is given to a function
of the user's, which may grow it, or is made there; if its items are read or assigned at a place
that is no constant; and if it, or what a function returns, is an empty list on one path and another
list on the other. What a function that calls itself returns is marked if it may be an empty list,
or has lists in it. So is one that is made for an attribute, which other functions may grow, and one
that a comprehension or, in a control statement, `append` or `insert` puts into a list, also in a
tuple, or that is put at a place or key that is no constant; so are sets that change, and all
deques. Where items of its items are, or a method changes one, so are the lists and dicts that stand
in the list, and of an attribute the lists always.

So is a dict that gets or loses entries in such a statement, or under a key that is no constant,
and the lists that are its values; an empty one also for an attribute, and one whose keys are not
all texts where it is given to a function; and displays of several keys that one name, or what a
function returns, is on several paths; and those that stand in a list that is marked. Lists that are
made elsewhere are not.

>>> print(show('growing_lists', '''
... def f(n):
...     table = [[0] * 3, [1, 2, 3]]
...     table[0][n] += 1
...     return table
... '''))
def f(n):
    table = ag.growing([ag.growing([0] * 3), ag.growing([1, 2, 3])])
    table[0][n] += 1
    return table

In the form for a function that is traced anew, all lists are, but for those that are read where
they stand: a backend then knows every list that the function makes.

>>> from autograph.forms import Form
>>> print(show('growing_lists', '''
... def f(x, low, high):
...     best = low or [x]
...     for y in [1, 2]:
...         best = low if y > x else sorted(high)
...     return best
... ''', Form.ASKING))
def f(x, low, high):
    best = low or ag.growing([x])
    for y in [1, 2]:
        best = low if y > x else ag.growing(sorted(high))
    return best
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import gast

from autograph.analysis.growth import CALLS, DICTS, constant_keys, growing, grows_inside
from autograph.context import Context
from autograph.forms import Form
from autograph.quoting.builders import call_ag
from autograph.trees import walk


def convert(context: Context) -> None:
    """Apply to every function of the tree."""
    generic = list(_with_type_arguments(context.tree))
    for call, function in generic:
        call.func = function.value  # `list[int]()` makes what `list()` makes
    marked = growing(context.tree, context.stages_tries, context.form is Form.ASKING)
    for node in list(walk(context.tree)) if marked else ():
        _replace(node, marked)
    for call, function in generic:
        call.func = function


def _with_type_arguments(tree: gast.AST) -> Iterator[tuple[Any, Any]]:
    for node in walk(tree):
        match node:
            case gast.Call(
                func=gast.Subscript(
                    value=gast.Name(id=name) | gast.Attribute(attr=name)
                ) as function
            ) if name in CALLS | DICTS:
                yield node, function


def _replace(node: Any, marked: dict[Any, bool]) -> None:
    for field, value in gast.iter_fields(node):
        if isinstance(value, list):
            value[:] = [_marked(x, marked[x]) if _is_in(x, marked) else x for x in value]
        elif _is_in(value, marked):
            setattr(node, field, _marked(value, marked[value]))


def _is_in(value: Any, marked: dict[Any, bool]) -> bool:
    return isinstance(value, gast.AST) and value in marked


def _marked(value: Any, deep: bool) -> gast.expr:
    if isinstance(value, gast.List):
        value.elts = [
            _marked(x, deep) if constant_keys(x) or (deep and grows_inside(x)) else x
            for x in value.elts
        ]
    elif deep and isinstance(value, gast.ListComp) and grows_inside(value.elt):
        value.elt = _marked(value.elt, deep)
    elif deep and isinstance(value, gast.Dict):
        value.values = [_marked(x, deep) if grows_inside(x) else x for x in value.values]
    elif deep and isinstance(value, gast.DictComp) and grows_inside(value.value):
        value.value = _marked(value.value, deep)
    return call_ag("growing", [value], value)
