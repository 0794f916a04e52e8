"""Nested structures: flatten them, map over them and build them again.

Structures are lists, tuples, namedtuples, mappings, mapping views, other sequences (but not
strings), attrs classes, and dataclasses with `__tf_flatten__` and `__tf_unflatten__`. Everything
else is a leaf: tensors, arrays, sets, None, plain objects. Mappings are walked in the order of
their sorted keys. With `expand_composites`, IndexedSlices are structures of their tensors.
"""

from __future__ import annotations

import collections
from collections import abc
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from runtime.core.lazy import public as _public
from runtime.ops.indexed_slices import IndexedSlices

Path = tuple[Any, ...]


def _sorted_keys(mapping: Any) -> list[Any]:
    try:
        return sorted(mapping)
    except TypeError:
        kinds = sorted({type(key).__name__ for key in mapping})
        raise TypeError(
            "nest: the keys of a mapping must be sortable, but these are of the types "
            f"{', '.join(kinds)}: {list(mapping)!r}"
        ) from None


class _Kind(NamedTuple):
    """The way to take one kind of structure apart and to build it again."""

    name: str
    children: Callable[[Any], Sequence[Any]]
    keys: Callable[[Any], Sequence[Any]]
    build: Callable[[Any, Sequence[Any]], Any]


def _places(structure: Any) -> range:
    return range(len(structure))


def _rebuild_mapping(like: Any, children: Sequence[Any]) -> Any:
    found = dict(zip(_sorted_keys(like), children, strict=True))
    pairs = [(key, found[key]) for key in like]
    if isinstance(like, collections.defaultdict):
        return type(like)(like.default_factory, pairs)
    return type(like)(pairs)


def _attrs_names(structure: Any) -> list[str]:
    return [field.name for field in type(structure).__attrs_attrs__]


def _attrs_children(structure: Any) -> list[Any]:
    return [getattr(structure, name) for name in _attrs_names(structure)]


def _rebuild_attrs(like: Any, children: Sequence[Any]) -> Any:
    # attrs names the parameter of a private field without its leading underscores.
    names = [
        getattr(field, "alias", None) or field.name.lstrip("_")
        for field in type(like).__attrs_attrs__
    ]
    return type(like)(**dict(zip(names, children, strict=True)))


def _custom_children(structure: Any) -> tuple[Any, ...]:
    return tuple(structure.__tf_flatten__()[1])


def _rebuild_custom(like: Any, children: Sequence[Any]) -> Any:
    return type(like).__tf_unflatten__(like.__tf_flatten__()[0], tuple(children))


def _same_type(like: Any, children: Sequence[Any]) -> Any:
    return type(like)(children)


_LIST = _Kind("list", lambda s: s, _places, _same_type)
_TUPLE = _Kind("tuple", lambda s: s, _places, _same_type)
_NAMEDTUPLE = _Kind("namedtuple", lambda s: s, lambda s: s._fields, lambda s, c: type(s)(*c))
_MAPPING = _Kind(
    "mapping", lambda s: [s[key] for key in _sorted_keys(s)], _sorted_keys, _rebuild_mapping
)
# Views and ranges cannot be built from their elements: they come back as lists.
_VIEW = _Kind("view", list, _places, lambda s, c: list(c))
_SEQUENCE = _Kind("sequence", list, _places, _same_type)
_ATTRS = _Kind("attrs", _attrs_children, _attrs_names, _rebuild_attrs)
_CUSTOM = _Kind(
    "custom", _custom_children, lambda s: range(len(_custom_children(s))), _rebuild_custom
)

_SLICES = _Kind(
    "slices",
    lambda s: s.parts,
    lambda s: range(len(s.parts)),
    lambda s, c: IndexedSlices(*c),
)

_kinds: dict[type, _Kind | None] = {list: _LIST, tuple: _TUPLE, dict: _MAPPING}


def _find(cls: type) -> _Kind | None:
    if issubclass(cls, str | bytes):
        return None
    if issubclass(cls, tuple):
        return _NAMEDTUPLE if hasattr(cls, "_fields") else _TUPLE
    if hasattr(cls, "__dataclass_fields__") and hasattr(cls, "__tf_flatten__"):
        return _CUSTOM
    if hasattr(cls, "__attrs_attrs__"):
        return _ATTRS
    for base, kind in (
        (list, _LIST),
        (abc.Mapping, _MAPPING),
        (abc.MappingView, _VIEW),
        (range, _VIEW),
        (abc.Sequence, _SEQUENCE),
    ):
        if issubclass(cls, base):
            return kind
    return None


def _kind_of(structure: Any) -> _Kind | None:
    cls = type(structure)
    try:
        return _kinds[cls]
    except KeyError:
        found = _kinds[cls] = _find(cls)
        return found


def _kind_in(structure: Any, expand: bool) -> _Kind | None:
    """As `_kind_of`, for which IndexedSlices are leaves, unless they are to be expanded."""
    return _SLICES if expand and type(structure) is IndexedSlices else _kind_of(structure)


def is_nested(seq: Any) -> bool:
    """True for a structure (as opposed to a leaf).

    >>> rt.nest.is_nested({"a": [1, 2], "b": (3,)})
    True
    """
    return _kind_of(seq) is not None


def flatten(structure: Any, expand_composites: bool = False) -> list[Any]:
    """The leaves, from left to right; of a leaf, a list with itself.

    TypeError for mappings with keys that cannot be sorted.

    >>> rt.nest.flatten({"a": [1, 2], "b": (3,)})
    [1, 2, 3]
    """
    kind = _kind_in(structure, expand_composites)
    if kind is None:
        return [structure]
    leaves: list[Any] = []
    _flatten_into(leaves, kind.children(structure), expand_composites)
    return leaves


def _flatten_into(leaves: list[Any], children: Sequence[Any], expand: bool) -> None:
    for child in children:
        kind = _kind_in(child, expand)
        if kind is None:
            leaves.append(child)
        else:
            _flatten_into(leaves, kind.children(child), expand)


def pack_sequence_as(structure: Any, flat_sequence: Any, expand_composites: bool = False) -> Any:
    """A structure like `structure` with the elements of `flat_sequence` as its leaves.

    TypeError where `flat_sequence` is no sequence, ValueError where it has more or fewer elements
    than leaves.

    >>> rt.nest.pack_sequence_as({"a": [1, 2], "b": (3,)}, [7, 8, 9])
    {'a': [7, 8], 'b': (9,)}
    """
    if not is_nested(flat_sequence):
        raise TypeError(
            f"nest: flat_sequence must be a sequence, not {type(flat_sequence).__name__}: "
            f"{flat_sequence!r}"
        )
    flat = list(flat_sequence)
    expected = len(flatten(structure, expand_composites))
    if len(flat) != expected:
        raise ValueError(
            f"nest: cannot pack {len(flat)} values into a structure with {expected} leaves: "
            f"{structure!r}"
        )
    values = iter(flat)
    return _pack(structure, values, expand_composites)


def _pack(structure: Any, values: Iterator[Any], expand: bool) -> Any:
    kind = _kind_in(structure, expand)
    if kind is None:
        return next(values)
    children = kind.children(structure)
    return kind.build(structure, [_pack(child, values, expand) for child in children])


def map_structure(func: Callable[..., Any], *structure: Any, **kwargs: Any) -> Any:
    """`func` applied to the corresponding leaves of structures, in a structure like the first.

    Keyword arguments: `check_types` (True) also compares the types of the containers,
    `expand_composites`. Raises TypeError where `func` cannot be called or types differ, ValueError
    where structures differ.

    >>> rt.nest.map_structure(lambda x: 10 * x, {"a": [1, 2], "b": (3,)})
    {'a': [10, 20], 'b': (30,)}
    """
    check_types = kwargs.pop("check_types", True)
    expand = bool(kwargs.pop("expand_composites", False))
    if not callable(func):
        raise TypeError(f"nest: func must be callable, got {func!r}")
    if not structure:
        raise ValueError("nest: map_structure needs at least one structure")
    if kwargs:
        raise ValueError(
            "nest: the keyword arguments of map_structure are check_types and expand_composites, "
            f"not {', '.join(sorted(kwargs))}"
        )
    for other in structure[1:]:
        assert_same_structure(structure[0], other, check_types, expand)
    return _map(func, structure, expand)


def _map(func: Callable[..., Any], structures: tuple[Any, ...], expand: bool) -> Any:
    kind = _kind_in(structures[0], expand)
    if kind is None:
        return func(*structures)
    if len(structures) == 1:
        children = kind.children(structures[0])
        return kind.build(structures[0], [_map(func, (child,), expand) for child in children])
    columns = zip(*[_children(each, expand) for each in structures], strict=True)
    return kind.build(structures[0], [_map(func, column, expand) for column in columns])


def _children(structure: Any, expand: bool = False) -> Sequence[Any]:
    kind = _kind_in(structure, expand)
    assert kind is not None
    return kind.children(structure)


class _Mismatch(Exception):
    def __init__(self, error: type[Exception], path: Path, message: str) -> None:
        self.error = error
        self.path = path
        self.message = message


def assert_same_structure(
    nest1: Any, nest2: Any, check_types: bool = True, expand_composites: bool = False
) -> None:
    """ValueError where two structures differ.

    TypeError where only the types of their containers do.

    All mappings count as one type, as do all lists, and namedtuples with the same name and fields.

    >>> rt.nest.assert_same_structure({"a": [1, 2]}, {"a": [3, 4]})
    """
    try:
        _compare(nest1, nest2, check_types, expand_composites, ())
    except _Mismatch as found:
        raise found.error(
            f"nest: the structures differ at {_where(found.path)}: {found.message}\n"
            f"  first structure:  {nest1!r}\n  second structure: {nest2!r}"
        ) from None


def _where(path: Path) -> str:
    return "".join(f"[{key!r}]" for key in path) or "the top"


def _compare(a: Any, b: Any, check_types: bool, expand: bool, path: Path) -> None:
    kind_a, kind_b = _kind_in(a, expand), _kind_in(b, expand)
    if kind_a is None and kind_b is None:
        return
    if kind_a is None or kind_b is None:
        raise _Mismatch(
            ValueError, path, f"one is a {type(a).__name__}, the other a {type(b).__name__}"
        )
    if check_types and not _same_container(a, b, kind_a, kind_b):
        raise _Mismatch(
            TypeError, path, f"one is a {type(a).__qualname__}, the other a {type(b).__qualname__}"
        )
    _compare_keys(a, b, kind_a, kind_b, path)
    for key, x, y in zip(kind_a.keys(a), kind_a.children(a), kind_b.children(b), strict=True):
        _compare(x, y, check_types, expand, (*path, key))


def _same_container(a: Any, b: Any, kind_a: _Kind, kind_b: _Kind) -> bool:
    if type(a) is type(b):
        return True
    if kind_a is not kind_b:
        return False
    if kind_a is _NAMEDTUPLE:
        return type(a).__name__ == type(b).__name__ and a._fields == b._fields
    return kind_a is _MAPPING or kind_a is _LIST


def _compare_keys(a: Any, b: Any, kind_a: _Kind, kind_b: _Kind, path: Path) -> None:
    keys_a, keys_b = list(kind_a.keys(a)), list(kind_b.keys(b))
    if _MAPPING in (kind_a, kind_b) and kind_a is kind_b and keys_a != keys_b:
        raise _Mismatch(ValueError, path, f"one has the keys {keys_a}, the other {keys_b}")
    if len(keys_a) != len(keys_b):
        raise _Mismatch(
            ValueError, path, f"one has {len(keys_a)} elements, the other {len(keys_b)}"
        )


# Structures of which one is the shallow upper part of the others


def assert_shallow_structure(
    shallow_tree: Any, input_tree: Any, check_types: bool = True, expand_composites: bool = False
) -> None:
    """ValueError or TypeError unless `shallow_tree` is the upper part of `input_tree`.

    >>> rt.nest.assert_shallow_structure([0, 0], [[1, 2], 3])
    """
    kind = _kind_of(shallow_tree)
    if kind is None:
        return
    other = _kind_of(input_tree)
    if other is None:
        raise TypeError(
            f"nest: a structure like {shallow_tree!r} is needed, got the leaf {input_tree!r}"
        )
    if check_types and not _same_container(shallow_tree, input_tree, kind, other):
        raise TypeError(
            f"nest: the shallow structure has a {type(shallow_tree).__qualname__} where the other "
            f"has a {type(input_tree).__qualname__}"
        )
    keys, others = list(kind.keys(shallow_tree)), list(other.keys(input_tree))
    if len(keys) != len(others) or (kind is _MAPPING and other is _MAPPING and keys != others):
        raise ValueError(
            f"nest: the shallow structure has {len(keys)} elements ({keys}) where the other has "
            f"{len(others)} ({others})"
        )
    children = zip(kind.children(shallow_tree), other.children(input_tree), strict=True)
    for shallow, deep in children:
        assert_shallow_structure(shallow, deep, check_types)


def flatten_up_to(
    shallow_tree: Any, input_tree: Any, check_types: bool = True, expand_composites: bool = False
) -> list[Any]:
    """Returns the part of `input_tree` at each leaf of `shallow_tree`.

    >>> rt.nest.flatten_up_to([0, 0], [[1, 2], 3])
    [[1, 2], 3]
    """
    assert_shallow_structure(shallow_tree, input_tree, check_types)
    found: list[Any] = []
    _gather_up_to(found, shallow_tree, input_tree)
    return found


def _gather_up_to(found: list[Any], shallow: Any, deep: Any) -> None:
    kind = _kind_of(shallow)
    if kind is None:
        found.append(deep)
        return
    for upper, lower in zip(kind.children(shallow), _children(deep), strict=True):
        _gather_up_to(found, upper, lower)


def map_structure_up_to(
    shallow_tree: Any, func: Callable[..., Any], *inputs: Any, **kwargs: Any
) -> Any:
    """`func` applied to what the inputs hold at each leaf of `shallow_tree`.

    The result is a structure like that.

    >>> rt.nest.map_structure_up_to([0, 0], len, ["ab", "c"])
    [2, 1]
    """
    if not inputs:
        raise ValueError("nest: map_structure_up_to needs at least one input")
    check_types = kwargs.pop("check_types", True)
    columns = [flatten_up_to(shallow_tree, tree, check_types) for tree in inputs]
    return pack_sequence_as(shallow_tree, [func(*row) for row in zip(*columns, strict=True)])


# Paths


def yield_flat_paths(nest: Any, expand_composites: bool = False) -> Iterator[Path]:
    """The path of each leaf: a tuple of indices, keys and field names.

    >>> list(rt.nest.yield_flat_paths({"a": [1, 2], "b": (3,)}))
    [('a', 0), ('a', 1), ('b', 0)]
    """
    for path, _ in _with_paths(nest, ()):
        yield path


def _with_paths(structure: Any, path: Path) -> Iterator[tuple[Path, Any]]:
    kind = _kind_of(structure)
    if kind is None:
        yield path, structure
        return
    for key, child in zip(kind.keys(structure), kind.children(structure), strict=True):
        yield from _with_paths(child, (*path, key))


def flatten_with_tuple_paths(structure: Any) -> list[tuple[Path, Any]]:
    """Pairs of path and leaf.

    >>> rt.nest.flatten_with_tuple_paths({"a": [1, 2], "b": (3,)})
    [(('a', 0), 1), (('a', 1), 2), (('b', 0), 3)]
    """
    return list(_with_paths(structure, ()))


def flatten_with_joined_string_paths(structure: Any, separator: str = "/") -> list[tuple[str, Any]]:
    """Pairs of the path, as one string, and the leaf.

    >>> rt.nest.flatten_with_joined_string_paths({"a": [1, 2], "b": (3,)})
    [('a/0', 1), ('a/1', 2), ('b/0', 3)]
    """
    return [(separator.join(map(str, path)), leaf) for path, leaf in _with_paths(structure, ())]


def map_structure_with_paths(func: Callable[..., Any], *structure: Any) -> Any:
    """`func(path, *leaves)` for the corresponding leaves.

    The path is a string such as "a/0/b".

    >>> tree = {"a": [1, 2], "b": (3,)}
    >>> rt.nest.map_structure_with_paths(lambda path, x: f"{path}={x}", tree)
    {'a': ['a/0=1', 'a/1=2'], 'b': ('b/0=3',)}
    """
    for other in structure[1:]:
        assert_same_structure(structure[0], other)
    paths = [path for path, _ in flatten_with_joined_string_paths(structure[0])]
    columns = zip(paths, *map(flatten, structure), strict=True)
    return pack_sequence_as(structure[0], [func(*column) for column in columns])


__dir__ = _public(__name__)
