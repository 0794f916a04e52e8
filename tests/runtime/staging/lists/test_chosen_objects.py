"""Objects of the user's of which the run chooses one: what stays refused, and what a second trace
leaves as the first one found it. The programs that run are in `tests/textbook/chosen_objects.py`.
"""

import functools
import gc
import itertools
import pickle
import random
import weakref
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

import autograph
import runtime as rt
from runtime.staging.lists import arenas


class Cell:
    def __init__(self, n: Any) -> None:
        self.n = n


@dataclass
class Link:
    n: Any
    rest: Any


class Both(Link):
    pass


class Named:
    def __init__(self, n: Any) -> None:
        self.n = n

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Named) and self.n == other.n

    def __hash__(self) -> int:
        return hash(self.n)


class Seen:
    count = 0
    cell: Any = None


SEEN = Seen()
NUMBERS = iter(range(100))


def two(x: Any) -> tuple[Any, Any, Any]:
    """Two cells, and the one that the run chooses and changes."""
    a, b = Cell(1), Cell(x)
    chosen = [a, b][x % 2]
    chosen.n += 1
    return a, b, chosen


@rt.function
def size_of(cell: Any) -> Any:
    return cell.n


def its_id(x: Any) -> Any:
    return id(two(x)[2])


def its_dict(x: Any) -> Any:
    return vars(two(x)[2])["n"]


class Filled(Cell):
    pass


def another_class(x: Any) -> Any:
    _, _, chosen = two(x)
    chosen.n += 1
    chosen.__class__ = Filled
    return chosen.n


def later_attribute(x: Any) -> Any:
    two(x)[2].size = x
    return x


def lost_attribute(x: Any) -> Any:
    del two(x)[2].n
    return x


def kept_outside(x: Any) -> Any:
    SEEN.cell = two(x)[0]
    return x


def given_to_a_graph(x: Any) -> Any:
    return size_of(two(x)[0])


def key_with_an_equality(x: Any) -> Any:
    cells = [Named(1), Named(x)]
    seen = set()
    for i in range(x):
        seen.add(cells[i % 2])
    return len(seen)


def result_in_itself(x: Any) -> Any:
    head = None
    for i in range(x):
        head = Link(i, head)
    return head


def results_of_unknown_number(x: Any) -> Any:
    found = []
    for i in range(x):
        found.append(Link(i, None))
    return found


def plain_result(x: Any) -> Any:
    return two(x)[2]


def advancing(x: Any) -> Any:
    step = next(NUMBERS)
    return two(x)[2].n + step


def drawing(x: Any) -> Any:
    draw = random.random()
    return two(x)[2].n + draw


class Log:
    def write(self, text: str) -> None:
        SEEN.count += 1


def printing_to_a_log(x: Any) -> Any:
    print("begun", file=Log())  # type: ignore[call-overload]
    return two(x)[2].n


def reading_a_file(x: Any) -> Any:
    with open(__file__) as file:
        size = len(file.readline())
    return two(x)[2].n + size


@functools.lru_cache
def remembered(x: int) -> int:
    SEEN.count += 1
    return x


def remembering(x: Any) -> Any:
    return remembered(3) + two(x)[2].n


@dataclass
class Numbered:
    n: Any
    number: int = field(default_factory=itertools.count().__next__)


def counting_by_default(x: Any) -> Any:
    items = [Numbered(1), Numbered(x)]
    items[x % 2].n += 1
    return items[0].number


def its_subclasses(x: Any) -> Any:
    return two(x)[2].n + len(Cell.__subclasses__())


def weakly(x: Any) -> Any:
    return weakref.ref(two(x)[2])().n  # type: ignore[union-attr]


def kept_weakly(x: Any) -> Any:
    known: Any = weakref.WeakValueDictionary()
    known["chosen"] = two(x)[2]
    return len(known)


def pickled(x: Any) -> Any:
    return len(pickle.dumps(two(x)[2]))


class Slots:
    __slots__ = ("a", "b")

    def __init__(self, a: Any) -> None:
        self.a = a


def slot_set_later(x: Any) -> Any:
    items = [Slots(1), Slots(x)]
    items[x % 2].a += 1
    items[x % 2].b = 5
    return items[x % 2].b


class Counting:
    def __init__(self, n: Any) -> None:
        self.n = n
        self.asked = 0

    def __eq__(self, other: object) -> bool:
        self.asked += 1
        return bool(self.n == other.n)  # type: ignore[attr-defined]

    def __lt__(self, other: Any) -> bool:
        self.asked += 1
        return self.n < other.n  # type: ignore[no-any-return]


def found_by_a_change(x: Any) -> Any:
    items = [Counting(i) for i in range(x)]
    return items.index(Counting(2)) + items[0].asked


def sorted_by_a_change(x: Any) -> Any:
    items = [Counting(i * 3 % 5) for i in range(x)]
    items.sort()
    return sum(item.asked for item in items)


def of_another_graph(x: Any) -> Any:
    a, _, _ = two(x)

    @rt.function
    def inner(y: Any) -> Any:
        a.n += y
        return a.n

    return inner(x)


class Table(dict[str, Any]):
    pass


def dicts_of_a_class(x: Any) -> Any:
    return [Table(a=1), Table(a=2)][x % 2]["a"]


def lists_and_objects_in_an_attribute(x: Any) -> Any:
    a, b, whole = Link(1, []), Link(1, []), Both(Both(x, [1, 2]), Link(-x, [-x]))
    whole.n.rest = b.rest
    for _ in range(x):
        whole = Both(b, Link(x, [x]))
    return a is whole.rest


class Lazy(Cell):
    def __getattr__(self, name: str) -> Any:
        raise AttributeError(name)


class Row(list[int]):
    pass


class Cached(Cell):
    @functools.cached_property
    def double(self) -> Any:
        return self.n * 2


class Checked(Cell):
    def __setattr__(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)


def made_in_rounds(kind: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def program(x: Any) -> Any:
        found = []
        for i in range(x):
            found.append(kind(i))
        return len(found)

    return program


def changed_when_chosen(x: Any) -> Any:
    cells = [Lazy(1), Lazy(2)]
    best = cells[0] if x > 2 else cells[1]
    best.n += 1
    return cells[0].n


class Shelf:
    def __init__(self) -> None:
        self.books: dict[Any, Any] = {}


def dicts_in_objects(x: Any) -> Any:
    first = shelf = Shelf()
    for i in range(x):
        if i not in shelf.books:
            shelf.books[i] = Shelf()
        shelf = shelf.books[i]
    return len(first.books)


@dataclass(frozen=True)
class Spot:
    x: Any
    y: int = 0


def key_of_a_frozen_dataclass(x: Any) -> Any:
    seen: dict[Spot, int] = {}
    for i in range(x):
        seen[Spot(i % 2)] = i
    return len(seen)


def frozen_dataclass_in_a_set(x: Any) -> Any:
    spot, seen = Spot(0), set()
    for _ in range(x):
        spot = Spot((spot.x + 1) % 3)
        if spot in seen:
            break
        seen.add(spot)
    return len(seen)


REFUSED: dict[Callable[[Any], Any], str] = {
    lists_and_objects_in_an_attribute: "one is a list and the other a Link",
    its_id: "is given to id(), which takes",
    its_dict: "is given to vars(), which takes",
    another_class: "gets another class",
    later_attribute: "gets an attribute 'size' later on",
    lost_attribute: "loses its attribute 'n'",
    kept_outside: "a Cell is put there that is made while tracing",
    given_to_a_graph: "is given to a function that is a graph of its own",
    key_with_an_equality: "is a key beside others that only the run knows",
    result_in_itself: "may be in itself, as a result of the function",
    results_of_unknown_number: "has objects, and only the run knows how many",
    plain_result: "a function returns tensors, numbers",
    advancing: "'NUMBERS' was changed while tracing",
    drawing: "Random.random() was called while tracing",
    printing_to_a_log: "print() was called while tracing",
    reading_a_file: "open() was called while tracing",
    remembering: "remembered() was called while tracing",
    counting_by_default: "Numbered.__init__() was called while tracing",
    its_subclasses: "`__subclasses__()` is asked",
    weakly: "is given to ReferenceType(), which takes",
    kept_weakly: "an item of a WeakValueDictionary is assigned",
    pickled: "is given to dumps(), which takes",
    slot_set_later: "gets an attribute 'b' later on",
    found_by_a_change: "by a comparison, and how often",
    sorted_by_a_change: "by a comparison, and how often",
    of_another_graph: "is used in another function, which is a graph of its own",
    dicts_of_a_class: "only the run knows which Table is meant",
    dicts_in_objects: "or have one dict for all of them: found[item, key]",
    key_of_a_frozen_dataclass: "a Spot, an object with an `__eq__`, is a key beside others",
    frozen_dataclass_in_a_set: "a Spot, an object with an `__eq__`, is a key beside others",
    made_in_rounds(Lazy): "no objects of Lazy, which has a method __getattr__",
    made_in_rounds(Cached): "no objects of Cached, which has a cached property",
    made_in_rounds(Checked): "no objects of Checked, which has a method __setattr__",
    made_in_rounds(lambda i: Row([i])): "no objects of Row, which has the base list",
    changed_when_chosen: "no objects of Lazy, which has a method __getattr__",
}


@pytest.mark.parametrize(
    ("program", "message"), REFUSED.items(), ids=lambda x: getattr(x, "__name__", "")
)
def test_refused(program: Callable[[Any], Any], message: str) -> None:
    with pytest.raises((autograph.StagingError, TypeError)) as caught:
        rt.function(program)(rt.constant(3))
    assert message in str(caught.value)
    assert f"{__file__}:" in str(caught.value)


def counted(x: Any) -> Any:
    SEEN.count += 1
    return two(x)[2].n


def test_what_python_does_while_tracing_is_done_once() -> None:
    SEEN.count = 0
    assert int(rt.function(counted)(rt.constant(3))) == 4
    assert SEEN.count == 1


def test_what_is_made_while_tracing_is_made_once() -> None:
    made = []

    class Model:
        def __init__(self) -> None:
            self.weight: Any = None

        @rt.function
        def __call__(self, x: Any) -> Any:
            if self.weight is None:
                self.weight = rt.Variable(2)
                made.append(self.weight)
            return two(x)[2].n * self.weight

    model = Model()
    assert [int(model(rt.constant(x))) for x in (3, 5)] == [8, 12]
    assert len(made) == 1


def test_a_result_is_an_object_with_the_same_fields() -> None:
    @rt.function
    def chosen(x: Any) -> Any:
        links = [Link(1, None), Link(x, 5)]
        links[x % 2].n = 7
        return links

    first, second = chosen(rt.constant(3))
    assert type(first) is type(second) is Link
    assert [int(first.n), int(second.n), int(second.rest)] == [1, 7, 5]
    assert first.rest is None


def test_the_classes_of_a_trace_go_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[weakref.ref[type]] = []
    begin = arenas.Arena.__init__

    def noted(self: Any, *args: Any) -> None:
        begin(self, *args)
        made.append(weakref.ref(self.kind))

    monkeypatch.setattr(arenas.Arena, "__init__", noted)
    rt.function(counted)(rt.constant(3))
    gc.collect()
    assert made
    assert [each() for each in made] == [None]
