"""Which objects nobody else holds, by what refers to them."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from autograph.mutation.ownership import notes_taken, taking_notes, unheld
from autograph.mutation.snapshots import Snapshot


class Box:
    def __init__(self, held: Any) -> None:
        self.held = held

    def show(self) -> Any:
        return self.held


class Slotted:
    __slots__ = ("held",)

    def __init__(self, held: Any) -> None:
        self.held = held


def ring() -> list[Any]:
    made: list[Any] = [[]]
    made[0].append(made)
    return made


def capturing(item: Any) -> Callable[[], Any]:
    return lambda: item


MADE: dict[str, Callable[[], Any]] = {
    "list": list,
    "nested": lambda: [{"k": (set(), [1])}],
    "ring": ring,
    "instance": lambda: Box(Box([])),
    "with a dict of its own": lambda: vars(box := Box([])) and box,
    "slots": lambda: Slotted([Slotted(1)]),
    "closure": lambda: capturing([[]]),
    "method": lambda: Box([]).show,
    "partial": lambda: partial(print, []),
}


@pytest.mark.parametrize("make", MADE.values(), ids=MADE)
def test_what_only_the_roots_hold(make: Callable[[], Any]) -> None:
    assert at_root(unheld([root := (make(),)], {}), root)


@pytest.mark.parametrize("make", MADE.values(), ids=MADE)
def test_what_a_variable_holds(make: Callable[[], Any]) -> None:
    item = make()
    assert not at_root(unheld([root := (item,)], {}), root)
    assert not unheld([(item, Box(item))], {}) & {id(item)}


def at_root(found: set[int], root: tuple[Any, ...]) -> bool:
    return id(root[0]) in found


@pytest.mark.parametrize(
    "wrap",
    [lambda x: [x], lambda x: {"k": x}, Box, Slotted, capturing, lambda x: partial(print, x)],
)
def test_what_is_held_holds(wrap: Callable[[Any], Any]) -> None:
    inner: list[Any] = []
    outer = wrap(inner)
    key = id(inner)
    del inner
    assert key not in unheld([(outer,)], {})
    root = (outer,)
    del outer
    assert key in unheld([root], {})


def test_further_containers_hold_as_long_as_the_object() -> None:
    item, root = Box(None), ([],)
    note = (root[0],)
    key = id(root[0])
    assert key in unheld([root, note], {})
    assert key not in unheld([root, note, (item,)], {id(item): [note]})
    shown = id(item)
    root = (root[0], item)
    del item
    assert {key, shown} <= unheld([root, note], {shown: [note]})


def test_notes_are_those_of_all_around() -> None:
    with taking_notes(lambda: [1]):
        with taking_notes(lambda: [2, 3]):
            assert notes_taken() == [1, 2, 3]
        assert notes_taken() == [1]
    assert notes_taken() == []


def test_what_was_put_into_others_since() -> None:
    before, kept = [[0]], Box([1])
    late = Box([[2]])
    found = Snapshot({"before": before, "kept": kept})
    found.add("late", late)
    before[0] = [3]
    kept.held = [4]
    new = [before[0], kept.held]
    moved, late.held = late.held, [[5]]
    for item in (*new, moved, late.held, late.held[0]):
        found.add("met", item)
        item.append(6)
    item = None
    assert len(found.changes()) > 5
    new.clear()
    found.release((moved,))
    changed = [id(change.object) for change in found.changes()]
    assert changed == [*map(id, (before, kept, late, moved))]
