"""The lists, sets, deques and dicts that a statement may grow, or that may be asked at a place that
only the run knows. `converters/growing_lists.py` tells which these are.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Container, Iterator
from typing import Any

import gast

from autograph.analysis.flow import exits
from autograph.analysis.scopes import children
from autograph.analysis.sequences import called_name

_METHODS = frozenset((
    "append", "clear", "extend", "insert", "pop", "remove", "sort",
    "appendleft", "extendleft", "popleft", "rotate", "add", "discard", "update",
))  # fmt: skip
_OF_HEAPS = "heappush", "heappop", "heapify", "heapreplace", "heappushpop"
_OF_ORDER = frozenset((
    *_OF_HEAPS, *(f"{name}_max" for name in _OF_HEAPS), *(f"_{name}_max" for name in _OF_HEAPS),
    "insort", "insort_left", "insort_right",
))  # fmt: skip
CALLS = frozenset(("deque", "frozenset", "list", "set", "sorted"))
_METHODS_OF_DICTS = frozenset((
    "clear", "move_to_end", "pop", "popitem", "setdefault", "subtract", "update",
))  # fmt: skip
DICTS = frozenset(("Counter", "OrderedDict", "defaultdict", "dict", "fromkeys"))
_BLOCKS = (
    gast.If, gast.For, gast.While, gast.IfExp, gast.BoolOp, gast.FunctionDef,
    gast.AsyncFunctionDef, gast.Lambda,
)  # fmt: skip
_FACTORIES = ("int", "float", "bool", "str", "list", "set", "dict", "deque")
_SET_OPERATORS = (gast.BitOr, gast.BitAnd, gast.BitXor, gast.Sub)
_DISPLAYS = (gast.List, gast.Tuple, gast.Set, gast.Dict, gast.Constant)
_GROWING = (gast.Add, gast.Mult, *_SET_OPERATORS)
_LEAVES = frozenset((gast.Name, gast.Constant, gast.Pass, gast.Break, gast.Continue))
_ASSIGNING = (gast.Assign, gast.AnnAssign, gast.Return, gast.For)
_Path = frozenset[gast.AST]
_ANYWHERE: Any = object()
"""A block that no list is made in."""
_ASKED: _Path = frozenset({_ANYWHERE})
_RESULT = "return"
_ITEMS = "[]"
"""Behind a name: the lists that are items of the list."""


def _makes_list(value: Any) -> bool:
    match value:
        case gast.List() | gast.ListComp() | gast.Set() | gast.SetComp():
            return True
        case gast.Call():
            return called_name(value) in CALLS
        case gast.BinOp(left=left, op=gast.Mult(), right=right):
            return _makes_list(left) or _makes_list(right)
        case gast.BinOp(left=left, op=gast.Add(), right=right):
            made = [_makes_list(left), _makes_list(right)]
            return any(made) and all(
                makes or _is_given(x) for makes, x in zip(made, (left, right), strict=True)
            )
        case gast.BinOp(left=left, op=op, right=right) if isinstance(op, _SET_OPERATORS):
            return _is_set(left) or _is_set(right)
        case gast.Subscript(value=value, slice=gast.Slice()):
            return _makes_list(value)
    return False


def _is_given(value: Any) -> bool:
    """Whether a function of the user's gives it, by name."""
    return isinstance(value, gast.Call) and isinstance(value.func, gast.Name)


def growing(tree: gast.AST, stages_tries: bool, asks: bool) -> dict[Any, bool]:
    """The lists, sets, deques and dicts that are marked, each with whether those in it are too.

    Args:
        stages_tries: a `try` is staged.
        asks: all lists are marked, but for those that are read where they stand.
    """
    nodes = list(_with_blocks(tree, stages_tries))
    grown: dict[str, set[_Path]] = {}
    for node, path in nodes:
        name = _grown(node)
        if name is not None:
            # A `try` that is staged may be left anywhere in it.
            is_left = any(isinstance(block, gast.Try) for block in path)
            grown.setdefault(name, set()).add(path | _ASKED if is_left else path)
        for name in _given(node):
            grown.setdefault(name, set()).add(path | {node})
        for item in _put(node) if path and isinstance(node, gast.Call) else ():
            if isinstance(item, gast.Name):
                grown.setdefault(item.id, set()).add(_ASKED)
            if isinstance(item, gast.Name) or _makes_list(item):
                grown.setdefault(node.func.value.id + _ITEMS, set())
        for name, depth in _asked(node):
            grown.setdefault(name, set()).add(_ASKED)
            if depth:
                grown.setdefault(name + _ITEMS, set())
    assigning = [each for each in nodes if isinstance(each[0], _ASSIGNING)]
    if asks:
        for name in {name for node, _ in assigning for name, _ in _pairs(node)}:
            grown.setdefault(name, set()).add(_ASKED)
            grown.setdefault(name + _ITEMS, set())
    dicts = list(_dicts(nodes, assigning, asks))
    names = {name for name, _ in dicts}
    for name in _named_values(nodes, names):
        grown.setdefault(name, set()).add(_ASKED)
    _add_unequal(grown, assigning, nodes)
    _add_aliases(grown, assigning)
    marked = {made: name + _ITEMS in grown for name, made in _marks(assigning, grown)}
    marked |= {made: True for node, _ in nodes for made in _always(node, grown)}
    marked |= {made: True for _, made in dicts}
    marked |= {value: True for node, _ in nodes for value in _values(node, names)}
    marked |= {
        item: True
        for node, path in nodes
        if path or isinstance(node, gast.ListComp)
        for item in _put_anew(node)
    }
    if asks:
        marked |= {made: marked.get(made, False) for made in _all(nodes)}
    return marked


def _all(nodes: list[tuple[Any, _Path]]) -> Iterator[Any]:
    """All lists that are made, but for those that are read where they stand."""
    read = {child for node, _ in nodes for child in _read_at_once(node)}
    return (node for node, _ in nodes if node not in read and _gives_list(node))


def _gives_list(node: Any) -> bool:
    match node:
        case gast.List(ctx=ctx) | gast.Subscript(slice=gast.Slice(), ctx=ctx):
            return isinstance(ctx, gast.Load)
        case gast.Call(func=gast.Attribute(attr="copy"), args=[], keywords=[]):
            return True
        case gast.Call(func=gast.Name(id="list" | "sorted")) | gast.ListComp():
            return True
    return isinstance(node, gast.BinOp) and _makes_list(node)


def _read_at_once(node: Any) -> Iterator[Any]:
    """The lists that are made to be read where they stand, so that nobody may change them; and
    what stands in annotations.
    """
    for field in ("annotation", "returns"):
        if getattr(node, field, None) is not None:
            yield from gast.walk(getattr(node, field))
    match node:
        case gast.For(iter=items) | gast.comprehension(iter=items):
            yield items
        case gast.Compare(left=left, comparators=others):
            yield from (left, *others)
        case (
            gast.Subscript(value=value)
            | gast.Starred(value=value)
            | gast.FormattedValue(value=value)
        ):
            yield value
        case gast.Call(func=gast.Name(id=name), args=args) if not _is_of_user(name):
            yield from args
        case gast.Call(func=gast.Attribute(value=gast.Constant()), args=args):
            yield from args
        case gast.BinOp(left=left, right=right):
            yield from (left, right)
        case gast.Assign(targets=[gast.Tuple() | gast.List()], value=gast.List() as value):
            yield value


def _asked(node: gast.AST) -> Iterator[tuple[str, int]]:
    """The list of which items, at a place that is no constant, are read or assigned, and how deep
    they are; and one that grows by what is no display, of which the run may know how many.
    """
    match node:
        case (
            gast.AugAssign(target=gast.Name(id=name), op=gast.Add(), value=given)
            | gast.Call(func=gast.Attribute(value=gast.Name(id=name), attr="extend"), args=[given])
            | gast.Assign(
                targets=[gast.Subscript(value=gast.Name(id=name), slice=gast.Slice())], value=given
            )
        ) if not isinstance(given, _DISPLAYS):
            yield name, 0
        case gast.Call(
            func=gast.Attribute(value=gast.Name(id=name), attr="insert" | "pop"), args=[at, *_]
        ) if not is_constant_index(at):
            yield name, 0
    deep = 0
    if isinstance(node, gast.Attribute) and node.attr in _METHODS:  # of an item, which it changes
        node, deep = node.value, 1
    if not isinstance(node, gast.Subscript):
        return
    parts: list[Any] = [node.slice]
    target = node.value
    while isinstance(target, gast.Subscript):
        parts.append(target.slice)
        target = target.value
    is_known = all(isinstance(x, gast.Tuple) or is_constant_index(x) for x in parts)
    if isinstance(target, gast.Name) and (deep or not is_known):
        yield target.id, len(parts) - 1 + deep


def _add_aliases(grown: dict[str, set[_Path]], assigning: list[tuple[Any, _Path]]) -> None:
    """A list may also grow under the names that it is given later, or as an item of another one."""
    if not grown:
        return
    pairs = [pair for node, _ in assigning for pair in _pairs(node)]
    aliases = [(name, other) for name, value in pairs for other in _same_as(value)]
    for node, _ in assigning:
        match node:
            case gast.For(target=gast.Name(id=name), iter=gast.Name(id=items)) if name in grown:
                grown.setdefault(items, set()).update(grown[name])
                grown.setdefault(items + _ITEMS, set())
    for name, value in pairs:
        if name + _ITEMS in grown and isinstance(value, gast.List):
            for item in value.elts:
                if isinstance(item, gast.Name):
                    grown.setdefault(item.id, set()).add(_ASKED)
    pending = list(grown)
    while pending:
        alias = pending.pop()
        for name in [name for other, name in aliases if other == alias]:
            if not grown[alias] <= grown.setdefault(name, set()):
                grown[name] |= grown[alias]
                pending.append(name)


def _is_of_user(function: str) -> bool:
    return not hasattr(builtins, function) and function not in CALLS | DICTS


def _always(node: Any, grown: Container[str]) -> Iterator[Any]:
    """The lists that are made for attributes and for calls, sets that change, and all deques."""
    match node:
        case gast.Call(func=gast.Name(id=name), args=args) if _is_of_user(name):
            yield from filter(_makes_list, args)
    for value in _values_of_attributes(node):
        yield from _made(value)
    for name, value in _pairs(node):
        match value:
            case gast.Call(func=gast.Name(id="deque") | gast.Attribute(attr="deque")):
                yield value
            case _ if name in grown and _is_set(value):
                yield value


def _dicts(
    nodes: list[tuple[Any, _Path]], assigning: list[tuple[Any, _Path]], asks: bool
) -> Iterator[tuple[str, Any]]:
    """The dicts that are marked, each with the name that it is assigned to."""
    entered: dict[str, set[_Path]] = {}
    given: dict[str, set[_Path]] = {}
    read: dict[str, set[_Path]] = {}
    keys: dict[str, set[Any]] = {}
    for node, path in nodes:
        for name, is_known in _entered(node):
            is_left = any(isinstance(block, gast.Try) for block in path)
            ways = path if is_known and not is_left else path | _ASKED
            entered.setdefault(name, set()).add(ways)
        for name in _given(node):
            given.setdefault(name, set()).add(_ASKED)
        for name in _read(node):
            read.setdefault(name, set()).add(_ASKED)
        for item in _put(node) if path else ():
            if isinstance(item, gast.Name):
                entered.setdefault(item.id, set()).add(_ASKED)
    for node, _ in assigning:
        for name, value in _pairs(node):
            keys.setdefault(name, set()).update(map(constant_keys, _made(value, _makes_dict)))
    for name in keys:
        if asks or len(keys[name] - {None}) > 1:
            entered.setdefault(name, set()).add(_ASKED)
    for table in (entered, given, read):
        _add_aliases(table, assigning)
    yield from _marks(assigning, entered, _makes_dict)
    yield from _marks(assigning, given, _makes_table)
    yield from _marks(assigning, read, _makes_default_dict)
    for node, _ in nodes:
        makes = _makes_dict if asks else _makes_empty_dict
        for value in _values_of_attributes(node):
            yield from (("", made) for made in _made(value, makes))
        match node:
            case gast.Call(func=gast.Name(id=name), args=args) if not hasattr(builtins, name):
                yield from (("", made) for made in filter(_makes_table, args))


def _entered(node: gast.AST) -> Iterator[tuple[str, bool]]:
    """The dict that this may give entries, or take some from; and whether the key is a constant."""
    match node:
        case gast.Subscript(value=gast.Name(id=name), slice=key, ctx=gast.Store() | gast.Del()) if (
            not isinstance(key, gast.Slice)
        ):
            yield name, is_constant_index(key)
        case gast.Call(func=gast.Attribute(value=gast.Name(id=name), attr=method), args=args):
            if method in _METHODS_OF_DICTS:
                yield name, all(map(is_constant_index, args[:1]))
        case gast.AugAssign(target=gast.Name(id=name), op=gast.BitOr()):
            yield name, False
        case gast.Attribute(value=gast.Subscript(value=gast.Name(id=name), slice=key), attr=method):
            if method in _METHODS and not isinstance(key, gast.Slice):
                yield name, is_constant_index(key)


def _named_values(nodes: list[tuple[Any, _Path]], dicts: Container[str]) -> Iterator[str]:
    """The names of the lists that are put into these dicts."""
    for node, _ in nodes:
        yield from (value.id for value in _put_in_dict(node, dicts) if isinstance(value, gast.Name))


def _values(node: Any, dicts: Container[str]) -> Iterator[Any]:
    """The lists that are made where they are put into a dict."""
    for value in _put_in_dict(node, dicts):
        yield from _made(value)


def _put_in_dict(node: Any, dicts: Container[str]) -> Iterator[Any]:
    """The values that are put into a dict, and the default ones of what it is asked for."""
    if not isinstance(node, gast.Assign | gast.Call):
        return
    match node:
        case gast.Assign(targets=[gast.Subscript(value=gast.Name(id=name))], value=value) if (
            name in dicts
        ):
            yield value
        case gast.Assign(
            targets=[gast.Subscript(value=gast.Attribute())], value=gast.List(elts=[]) as value
        ):
            yield value
        case gast.Call(
            func=gast.Attribute(value=target, attr="get" | "setdefault"), args=[_, value]
        ) if isinstance(target, gast.Attribute) or getattr(target, "id", None) in dicts:
            yield value
        case gast.Call(func=gast.Name(id="defaultdict"), args=[gast.Lambda(body=value), *_]):
            yield value


def constant_keys(made: Any) -> tuple[Any, ...] | None:
    """The keys of a display that are constants; None for another dict."""
    if isinstance(made, gast.Dict) and all(isinstance(x, gast.Constant) for x in made.keys):
        return tuple([key.value for key in made.keys])
    return None


def _makes_dict(value: Any) -> bool:
    return isinstance(value, gast.Dict | gast.DictComp) or called_name(value) in DICTS


def _makes_default_dict(value: Any) -> bool:
    return called_name(value) == "defaultdict"


def _read(node: gast.AST) -> Iterator[str]:
    """The dict that is asked for what is under a key that is no constant."""
    match node:
        case gast.Subscript(value=gast.Name(id=name), slice=key) if not isinstance(key, gast.Slice):
            if not is_constant_index(key):
                yield name


def _makes_empty_dict(value: Any) -> bool:
    match value:
        case gast.Dict(keys=keys):
            return not keys
        case gast.Call(args=args, keywords=keywords):
            known = [x for x in args if not _makes_value(x)]
            return _makes_dict(value) and not known and not keywords
    return False


def _makes_value(factory: Any) -> bool:
    """Whether a dict calls this for what is not in it."""
    is_named = isinstance(factory, gast.Name) and factory.id in _FACTORIES
    return is_named or isinstance(factory, gast.Lambda)


def _makes_table(value: Any) -> bool:
    """Whether it makes a dict that may be asked for a key of the run: not one of named options."""
    keys = constant_keys(value)
    return _makes_dict(value) and (not keys or not all(type(key) is str for key in keys))


def _same_as(value: Any) -> Iterator[str]:
    """The name of which an expression is the list, or a copy."""
    match value:
        case (
            gast.Name(id=name)
            | gast.Subscript(value=gast.Name(id=name), slice=gast.Slice())
            | gast.Call(func=gast.Attribute(value=gast.Name(id=name), attr="copy"))
        ):
            yield name


def _marks(
    assigning: list[tuple[Any, _Path]],
    grown: dict[str, set[_Path]],
    makes: Callable[[Any], bool] = _makes_list,
) -> Iterator[tuple[str, Any]]:
    """The lists, or dicts, that are marked, each with the name that it is assigned to."""
    for node, path in assigning if grown else ():
        for name, value in _pairs(node):
            # The items of a display that a loop is over: only for what is asked of them.
            ways = grown.get(name, set())
            if isinstance(node, gast.For):
                ways = ways & {_ASKED}
            if any(not blocks <= path for blocks in ways):
                yield from ((name, made) for made in _made(value, makes))


def _add_unequal(
    grown: dict[str, set[_Path]],
    assigning: list[tuple[Any, _Path]],
    nodes: list[tuple[Any, _Path]],
) -> None:
    """Results, and names that blocks assign, that are lists of several lengths where paths meet, or
    sets.
    """
    lengths: dict[str, set[int | None]] = {}
    sets: dict[str, list[bool]] = {}
    inside = set()
    results: list[Any] = []
    for node, path in assigning:
        for name, value in _pairs(node):
            if path or name == _RESULT:
                inside.add(name)
            if name == _RESULT:
                results += _made(value)
            lengths.setdefault(name, set()).update(map(_length, _made(value)))
            sets.setdefault(name, []).append(any(map(_is_set, _made(value))))
    for name in inside:
        has_sets = any(sets[name]) and len(sets[name]) > 1
        if has_sets or (0 in lengths[name] and len(lengths[name]) > 1):
            grown.setdefault(name, set()).add(_ASKED)
    has_rows = any(map(_holds_list, results))
    if (has_rows or 0 in lengths.get(_RESULT, ())) and _calls_itself(nodes):
        grown.setdefault(_RESULT, set()).add(_ASKED)
        if has_rows:
            grown.setdefault(_RESULT + _ITEMS, set())


def _calls_itself(nodes: list[tuple[Any, _Path]]) -> bool:
    """Whether one of the functions is called by its name."""
    names = {node.name for node, _ in nodes if isinstance(node, gast.FunctionDef)}
    called = (node.func for node, _ in nodes if isinstance(node, gast.Call))
    return any(isinstance(function, gast.Name) and function.id in names for function in called)


def _holds_list(made: Any) -> bool:
    return isinstance(made, gast.List) and any(map(_makes_list, made.elts))


def _is_set(made: Any) -> bool:
    match made:
        case gast.Set() | gast.SetComp() | gast.Call(func=gast.Name(id="set")):
            return True
    return False


def _length(made: Any) -> int | None:
    is_known = isinstance(made, gast.List) and not any(
        isinstance(item, gast.Starred) for item in made.elts
    )
    return len(made.elts) if is_known else None


def _made(value: Any, makes: Callable[[Any], bool] = _makes_list) -> Iterator[Any]:
    """The lists, or dicts, that an expression may be."""
    if isinstance(value, gast.IfExp):
        yield from _made(value.body, makes)
        yield from _made(value.orelse, makes)
    elif isinstance(value, gast.BoolOp):
        for operand in value.values:
            yield from _made(operand, makes)
    elif makes(value):
        yield value


def grows_inside(value: Any) -> bool:
    """Whether it makes what may grow in a list or dict whose items are asked for theirs."""
    return _makes_list(value) or _makes_table(value)


def _with_blocks(tree: gast.AST, stages_tries: bool) -> Iterator[tuple[Any, _Path]]:
    """The nodes but names and constants, with the control statements and functions that each is
    in, and those that it is only come to if they are not left by an exit.
    """
    pending: list[tuple[gast.AST, _Path]] = [(tree, frozenset())]
    while pending:
        node, path = pending.pop()
        yield node, path
        is_block = isinstance(node, _BLOCKS) or (stages_tries and isinstance(node, gast.Try))
        path = path | {node} if is_block else path
        for part in children(node):
            inside = path
            for child in part if isinstance(part, list) else [part]:
                if isinstance(child, gast.AST) and type(child) not in _LEAVES:
                    pending.append((child, inside))
                if isinstance(child, gast.stmt) and exits(child):
                    inside |= {child}


def _grown(node: gast.AST) -> str | None:
    """The name of which this may change the length."""
    match node:
        case gast.Attribute(value=gast.Name(id=name), attr=method):
            return name if method in _METHODS else None
        case gast.AugAssign(target=gast.Name(id=name), op=op) if isinstance(op, _GROWING):
            return str(name)
        case gast.Assign(
            targets=[gast.Name(id=name)], value=gast.BinOp(left=gast.Name(id=left), op=op)
        ) if isinstance(op, (gast.Add, *_SET_OPERATORS)):
            return name if name == left else None
        case gast.Subscript(value=gast.Name(id=name), ctx=gast.Del()):
            return str(name)
        case gast.Subscript(value=gast.Name(id=name), slice=gast.Slice(), ctx=gast.Store()):
            return str(name)
    return None


def _given(node: gast.AST) -> Iterator[str]:
    """The lists that a function gets which may grow them."""
    match node:
        case gast.Call(func=gast.Name(id=function), args=args) if not hasattr(builtins, function):
            yield from (name for item in args for name in _same_as(item))
        case gast.Call(
            func=gast.Attribute(value=gast.Name(id="list")), args=[gast.Name() as item, *_]
        ):
            yield item.id
        case gast.Call(func=gast.Attribute(attr=name), args=[gast.Name() as item, *_]) if (
            name in _OF_ORDER
        ):
            yield item.id
        case gast.Assign(value=gast.Attribute() as method):
            yield from filter(None, [_grown(method)])


def _put(node: gast.AST) -> Iterator[Any]:
    """The items that an expression puts into a list."""
    match node:
        case gast.ListComp(elt=gast.List() | gast.BinOp() | gast.Dict() as item):
            yield item
        case gast.Call(
            func=gast.Attribute(value=gast.Name(), attr="append" | "appendleft" | "insert"),
            args=[*_, item],
        ):
            yield item


def _put_anew(node: gast.AST) -> Iterator[Any]:
    """The lists that an expression makes where it puts them into a list, also in a tuple, or at a
    place that is no constant.
    """
    match node:
        case gast.Assign(targets=[gast.Subscript(value=gast.Name(), slice=key)], value=value):
            if _makes_list(value) and not (isinstance(key, gast.Slice) or is_constant_index(key)):
                yield value
    for item in _put(node):
        for part in item.elts if isinstance(item, gast.Tuple) else [item]:
            if _makes_list(part) or _joins_list(part) or constant_keys(part):
                yield part


def _joins_list(value: Any) -> bool:
    """Whether it joins what may be a list with one that is made there: `path + [node]`."""
    match value:
        case gast.BinOp(left=left, op=gast.Add(), right=right):
            return isinstance(left, gast.List) or isinstance(right, gast.List)
    return False


def _pairs(node: gast.AST) -> Iterator[tuple[str, gast.expr]]:
    """The names that a statement assigns, each with what is assigned to it."""
    for target, value in _assigned(node):
        if isinstance(target, gast.Name):
            yield target.id, value
    match node:
        case gast.Return(value=value):
            yield _RESULT, value
        case gast.For(target=gast.Name(id=name), iter=gast.List(elts=items)):
            yield from ((name, item) for item in items)


def _values_of_attributes(node: gast.AST) -> Iterator[gast.expr]:
    """The values that a statement assigns to attributes."""
    return (value for target, value in _assigned(node) if isinstance(target, gast.Attribute))


def _assigned(node: gast.AST) -> Iterator[tuple[gast.expr, gast.expr]]:
    """The names, attributes and items that a statement assigns, each with its value."""
    match node:
        case gast.Assign(targets=targets, value=value):
            for target in targets:
                yield from _parts(target, value)
        case gast.AnnAssign(target=target, value=value) if value is not None:
            yield target, value


def _parts(target: Any, value: Any) -> Iterator[tuple[gast.expr, gast.expr]]:
    if not isinstance(target, gast.Tuple | gast.List):
        yield target, value
    elif isinstance(value, gast.Tuple | gast.List):
        for part, item in zip(target.elts, value.elts, strict=False):
            if isinstance(part, gast.Starred) or isinstance(item, gast.Starred):
                return
            yield from _parts(part, item)


def is_constant_index(node: Any) -> bool:
    """True if reading tells what an index or a slice is."""
    match node:
        case gast.Slice(lower=lower, upper=upper, step=step):
            return all(part is None or is_constant_index(part) for part in (lower, upper, step))
        case gast.UnaryOp(operand=operand):
            return is_constant_index(operand)
    return isinstance(node, gast.Constant)
