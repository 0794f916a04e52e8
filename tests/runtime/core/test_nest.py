"""`nest`: flattening, mapping and packing; what was packed flattens to the same leaves."""

import collections
import dataclasses
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import runtime as tf
from runtime import nest


class Point(NamedTuple):
    y: Any
    x: Any


class Twin(NamedTuple):
    y: Any
    x: Any


Twin.__name__ = "Point"


class Row(list[Any]):
    pass


class Pair(tuple[Any, ...]):
    __slots__ = ()


@dataclasses.dataclass
class Plain:
    a: int


@dataclasses.dataclass
class Masked:
    mask: bool
    value: Any

    def __tf_flatten__(self) -> Any:
        return (self.mask,), (self.value,)

    @classmethod
    def __tf_unflatten__(cls, metadata: Any, components: Any) -> "Masked":
        return cls(metadata[0], components[0])


class Field:
    def __init__(self, name: str) -> None:
        self.name = name


class AttrsLike:
    """What attrs makes of a class with a field `a` and a private one `_b`."""

    __attrs_attrs__ = (Field("a"), Field("_b"))

    def __init__(self, a: Any, b: Any) -> None:
        self.a, self._b = a, b

    def __repr__(self) -> str:
        return f"AttrsLike({self.a}, {self._b})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AttrsLike) and (self.a, self._b) == (other.a, other._b)


DICT = {"b": 1, "a": 2}
FLAT: list[tuple[Any, list[Any]]] = [
    (3, [3]),
    (None, [None]),
    ("ab", ["ab"]),
    (b"ab", [b"ab"]),
    ({1, 2}, [{1, 2}]),
    (Plain(1), [Plain(1)]),
    (tf.TensorShape([1, 2]), [tf.TensorShape([1, 2])]),
    ([], []),
    ([1, (2, [3]), ()], [1, 2, 3]),
    (range(3), [0, 1, 2]),
    (DICT, [2, 1]),
    ({"b": [1], "a": {"d": 3, "c": 2}}, [2, 3, 1]),
    (collections.OrderedDict(DICT), [2, 1]),
    (DICT.values(), [1, 2]),
    (DICT.items(), ["b", 1, "a", 2]),
    (collections.deque([1, [2]]), [1, 2]),
    (Point(1, [2]), [1, 2]),
    (Masked(True, [1, 2]), [1, 2]),
    (AttrsLike(1, {"z": 2}), [1, 2]),
]


@pytest.mark.parametrize(("structure", "leaves"), FLAT, ids=[str(s) for s, _ in FLAT])
def test_flatten(structure: Any, leaves: list[Any]) -> None:
    assert nest.flatten(structure) == leaves
    assert nest.is_nested(structure) is (leaves != [structure])


def test_tensors_and_arrays_are_leaves() -> None:
    leaves = [tf.constant([1, 2]), np.arange(3), tf.Variable(1.0)]
    assert [a is b for a, b in zip(nest.flatten([leaves]), leaves, strict=True)] == [True] * 3


REBUILT: list[tuple[Any, Any]] = [
    ([1, (2, [3])], [10, (20, [30])]),
    (DICT, {"b": 10, "a": 20}),
    (collections.OrderedDict(DICT), collections.OrderedDict(b=10, a=20)),
    (collections.defaultdict(list, DICT), collections.defaultdict(list, b=10, a=20)),
    (Point(1, Row([2])), Point(10, Row([20]))),
    (Pair((1, 2)), Pair((10, 20))),
    (range(1, 3), [10, 20]),
    (DICT.values(), [10, 20]),
    (collections.deque([1]), collections.deque([10])),
    (Masked(True, 1), Masked(True, 10)),
    (AttrsLike(1, 2), AttrsLike(10, 20)),
    (1, 10),
]


@pytest.mark.parametrize(("structure", "expected"), REBUILT, ids=[str(s) for s, _ in REBUILT])
def test_map_structure_rebuilds_the_same_containers(structure: Any, expected: Any) -> None:
    made = nest.map_structure(lambda leaf: leaf * 10, structure)
    assert made == expected
    assert type(made) is type(expected)
    if isinstance(made, dict):
        assert list(made) == list(expected)
    packed = nest.pack_sequence_as(structure, nest.flatten(expected))
    assert packed == expected


def test_default_factories_are_kept() -> None:
    made = nest.map_structure(str, collections.defaultdict(list, a=1))
    assert made["new"] == []


def test_map_structure_over_several() -> None:
    assert nest.map_structure(lambda a, b: a + b, [1, (2,)], [3, (4,)]) == [4, (6,)]
    assert nest.map_structure(lambda a, b: (a, b), DICT, {"a": 5, "b": 6}) == {
        "b": (1, 6),
        "a": (2, 5),
    }
    assert nest.map_structure(max, [1, (2,)], [3, [4]], check_types=False) == [3, (4,)]


LEAVES = st.integers() | st.none() | st.text(max_size=2)
STRUCTURES = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.tuples(inner, inner)
        | st.dictionaries(st.text(max_size=1), inner, max_size=3)
        | st.builds(Point, inner, inner)
    ),
)


@given(STRUCTURES)
def test_packing_undoes_flattening(structure: Any) -> None:
    leaves = nest.flatten(structure)
    assert nest.pack_sequence_as(structure, leaves) == structure
    assert nest.flatten(nest.map_structure(lambda leaf: [leaf], structure)) == leaves
    paths = list(nest.yield_flat_paths(structure))
    assert len(paths) == len(leaves)
    for path, leaf in zip(paths, leaves, strict=True):
        found = structure
        for key in path:
            found = getattr(found, key) if isinstance(found, Point) else found[key]
        assert found is leaf
    nest.assert_same_structure(structure, nest.map_structure(lambda leaf: 0, structure))


SAME = [
    ([1], Row([2])),
    ({"a": 1}, collections.OrderedDict(a=2)),
    (Point(1, 2), Twin(3, 4)),
    (1, "leaf"),
]
DIFFERENT: list[tuple[Any, Any, type[Exception], str]] = [
    ([1, 2], [1, [2]], ValueError, r"at \[1\]: one is a int, the other a list"),
    ([1, 2], [1, 2, 3], ValueError, "2 elements, the other 3"),
    ({"a": 1}, {"b": 1}, ValueError, r"keys \['a'\], the other \['b'\]"),
    ({"k": [1, {"z": (2,)}]}, {"k": [1, {"z": [2]}]}, TypeError, r"\['k'\]\[1\]\['z'\]"),
    ((1, 2), Point(1, 2), TypeError, "Point"),
    (1, [1], ValueError, "at the top"),
]


@pytest.mark.parametrize(("a", "b"), SAME)
def test_same_structures(a: Any, b: Any) -> None:
    nest.assert_same_structure(a, b)
    nest.assert_same_structure(b, a)


@pytest.mark.parametrize(("a", "b", "error", "words"), DIFFERENT)
def test_different_structures(a: Any, b: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        nest.assert_same_structure(a, b)
    with pytest.raises(error):
        nest.map_structure(lambda x, y: x, a, b)
    if error is TypeError:
        nest.assert_same_structure(a, b, check_types=False)


def test_shallow_structures() -> None:
    deep = [[1, 2], {"x": [[3, 4], 5]}]
    assert nest.flatten_up_to([0, {"x": [0, 0]}], deep) == [[1, 2], [3, 4], 5]
    assert nest.flatten_up_to(0, deep) == [deep]
    both = nest.map_structure_up_to([0, 0], lambda a, b: (a, b), [1, [2]], [3, [4, 5]])
    assert both == [(1, 3), ([2], [4, 5])]
    assert nest.flatten_with_joined_string_paths({"a": [1, 2]}) == [("a/0", 1), ("a/1", 2)]
    assert nest.flatten_with_tuple_paths([{"a": 1}]) == [((0, "a"), 1)]
    assert nest.map_structure_with_paths(lambda p, v: f"{p}={v}", {"a": [1]}) == {"a": ["a/0=1"]}


BAD: list[tuple[Any, type[Exception], str]] = [
    (lambda: nest.flatten({1: 1, "a": 2}), TypeError, "must be sortable.*int, str"),
    (lambda: nest.pack_sequence_as([1, 2], [1]), ValueError, "1 values into a structure with 2"),
    (lambda: nest.pack_sequence_as([1], 5), TypeError, "must be a sequence, not int"),
    (lambda: nest.map_structure(1, [1]), TypeError, "callable"),
    (lambda: nest.map_structure(len), ValueError, "at least one"),
    (lambda: nest.map_structure(len, [1], depth=2), ValueError, "depth"),
    (lambda: nest.flatten_up_to([1], 1), TypeError, "leaf 1"),
    (lambda: nest.flatten_up_to([1], (1,)), TypeError, "list where the other has a tuple"),
    (lambda: nest.flatten_up_to([1], [1, 2]), ValueError, "1 elements"),
    (lambda: nest.map_structure_up_to([1], len), ValueError, "at least one"),
]


@pytest.mark.parametrize(("call", "error", "words"), BAD, ids=[str(i) for i in range(len(BAD))])
def test_bad_arguments_are_refused(call: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        call()
