"""Items of Python sequences at places that only the run knows.

An indexed sequence of numbers is a constant tensor beside it. What else is in a list or tuple is
joined, as where two paths meet, but for lists: of those an index gives the one that it means. Of
objects, such as dataclasses, it gives an image, which nobody changes: nor the objects.
"""

from __future__ import annotations

import functools
import operator
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NoReturn, cast

from runtime.core.tensor import Tensor
from runtime.core.types import is_variable
from runtime.graph import numbers
from runtime.graph.structures import has_object, structure_of
from runtime.staging.aliasing import aliases
from runtime.staging.aliasing.aliases import Copy, Joined
from runtime.staging.builtin_functions import index_of
from runtime.staging.control import branches, choices, iteration, joins
from runtime.staging.control.blocks import Wording
from runtime.staging.control.carried_objects import ObjectRecorder
from runtime.staging.control.optional_values import present
from runtime.staging.control.references import is_reference
from runtime.staging.control.specs import Mismatch
from runtime.staging.frames import user_location
from runtime.staging.lists import staged_items
from runtime.staging.lists.growing import Growing, GrowingSequence
from runtime.staging.lists.optional_bounds import known_bounds
from runtime.staging.refusals import refusal_of_run, refuse
from runtime.staging.scopes import active, unfailing
from runtime.staging.symbolic_number import SymbolicNumber, apply_number, no_int
from runtime.staging.symbolic_tensor import SymbolicTensor
from runtime.staging.tracing import is_symbol

# Places


def is_staged_index(key: Any) -> bool:
    """True if only the run knows the index, or a bound of the slice."""
    parts = (key.start, key.stop, key.step) if isinstance(key, slice) else (key,)
    return any(map(is_symbol, parts))


def given_index(key: Any) -> Any:
    """An index, or a slice, with the number for a member of an IntEnum that the run chooses."""
    if isinstance(key, slice):
        key = known_bounds(key)
        return slice(*map(given_index, (key.start, key.stop, key.step)))
    key = present(key)
    return index_of(key) if choices.is_number(key) else key


def place_of(index: Any, size: Any, kind: str = "list index", message: Any = None) -> Any:
    """The place from the front that an index means. IndexError, at run time, if there is none."""
    if message is None:
        message = f"{kind} out of range"
    number = _number_of(index, kind)
    if not (is_symbol(number) or is_symbol(size)):
        if not -size <= number < size:
            raise IndexError(message)
        return number + size if number < 0 else number
    if not is_symbol(size) and size == 0:
        raise IndexError(message)
    outside = number >= size
    if is_symbol(number) or number < 0:
        outside = outside | (number < -size)
    check(outside, message)
    return from_end(number, size)


def from_end(number: Any, size: Any) -> Any:
    """A place from the front, for one that counts from the end if it is negative."""
    if is_symbol(number):
        return apply_number(numbers.FROM_END, number, size)
    return size + number if number < 0 else number


def clipped(index: Any, size: Any, before: Any = 0) -> Any:
    """The place that a bound of a slice means: from `before`, 0 or -1, to as far from the end."""
    at = from_end(_number_of(index), size)
    return _limit(numbers.MIN, _limit(numbers.MAX, at, before), size + before)


def _limit(function: Any, a: Any, b: Any) -> Any:
    known = min if function is numbers.MIN else max
    return apply_number(function, a, b) if is_symbol(a) or is_symbol(b) else known(a, b)


def bounds(index: slice, size: Any) -> tuple[Any, Any, Any]:
    """Returns what `range` takes for the places that a slice means; its stop is not behind its
    start. ValueError, at run time, for a step of zero.
    """
    step = 1 if index.step is None else _number_of(index.step)
    check(step == 0, "slice step cannot be zero", ValueError)
    is_down = step < 0
    before = _either(is_down, -1, 0)
    first, last = _either(is_down, size - 1, 0), _either(is_down, -1, size)
    start = first if index.start is None else clipped(index.start, size, before)
    stop = last if index.stop is None else clipped(index.stop, size, before)
    ends = [_limit(function, start, stop) for function in (numbers.MIN, numbers.MAX)]
    return start, _either(is_down, *ends), step


def _either(test: Any, a: Any, b: Any) -> Any:
    if is_symbol(test):
        return branches.cond(test, lambda: a, lambda: b, (), ("a bound of the slice",))
    return a if test else b


def _number_of(index: Any, kind: str = "") -> Any:
    if not is_symbol(index) and not hasattr(type(index), "__index__"):
        raise TypeError(_NO_INDEX["list"].format(type(index).__name__))
    of_what = kind.partition(" ")[0]
    is_float = type(index) is SymbolicNumber and index.type.kind == "float"
    if is_float and of_what in _NO_INDEX:
        raise no_int(TypeError(_NO_INDEX[of_what].format("float")))
    return index_of(index)


_NO_INDEX = {
    **{
        kind: f"{kind} indices must be integers or slices, not {{}}"
        for kind in ("list", "tuple", "range")
    },
    "string": "string indices must be integers, not '{}'",
}
"""The errors of Python's for an index of another class."""


def check(fails: Any, message: Any, error: Callable[[Any], Exception] = IndexError) -> None:
    """Raise this error, at run time, where this is true."""

    def fail() -> NoReturn:
        raise error(message)

    def hold() -> None:
        pass

    if fails is True:
        fail()
    elif fails is not False:
        branches.cond(fails, fail, hold, (), ())


def refuse_if(fails: Any, reason: str, way_out: str) -> None:
    """Raise RefusedError, at run time, where this is true."""
    error = refusal_of_run(reason, way_out)
    check(fails, reason, lambda _: error)


# Items


def meant(items: Sequence[Any], place: Any) -> Iterator[tuple[Any, Any]]:
    """Each of several objects, and whether it is the one at a place."""
    for each in {id(item): item for item in items}.values():
        places = [place == at for at, other in enumerate(items) if other is each]
        yield each, functools.reduce(operator.or_, places)


_SEVERAL = Wording("those of which only the run knows which is meant", unites=True)


class _Giving(ObjectRecorder):
    """Watches a block that gives one of these `copies`, which nobody else holds."""

    copies: Sequence[Any] = ()

    def knows(self, item: Any) -> bool:
        return not any(item is copy for copy in self.copies)


class Copies:
    """Copies of lists, sets or dicts, which nobody else holds."""

    def __init__(self, copies: Iterable[Any]) -> None:
        self._copies = list(copies)  # outside of the branches, which know no order of sets

    def at(self, place: Any, names: Sequence[str]) -> Any:
        """The one at a place of the run, as a further copy."""

        def of_these(start: int, end: int) -> Any:
            if end - start == 1:
                return self._copies[start]
            half = (start + end) // 2
            first = functools.partial(of_these, start, half)
            rest = functools.partial(of_these, half, end)
            return self._either(place < half, first, rest, names)

        return of_these(0, len(self._copies))

    def first_if(self, test: Any, names: Sequence[str]) -> Any:
        """The first of two where a test is true, and else the other one, as a further copy."""
        first, second = self._copies
        return self._either(test, lambda: first, lambda: second, names)

    def _either(
        self, test: Any, body: Callable[[], Any], orelse: Callable[[], Any], names: Sequence[str]
    ) -> Any:
        made = branches.cond(test, body, orelse, (), names, self._watching, words=_SEVERAL)
        self._copies.append(made)
        return made

    def _watching(self, *of_block: Any) -> ObjectRecorder:
        recorder = _Giving(*of_block)
        recorder.copies = self._copies
        return recorder


def copy_of_one(
    items: Sequence[Any], place: Any, copied: Callable[[Any], Any], names: Sequence[str]
) -> Any:
    """A copy of the one of several lists, sets or dicts that is at a place."""
    return Copies(map(copied, items)).at(place, names)


_TABLES = ({bool}, {int}, {float}, {int, float})
"""The classes of numbers that are one kind of item."""


@unfailing
def chosen(items: Sequence[Any], place: Any) -> Any:
    """The item at a place, which is in bounds, of Python items.

    StagingError for items that do not join: sets, or tensors of several dtypes.
    """
    if len(items) == 1 or (items and choices.are_one(items)):
        return items[0]
    if active().tentative and any(map(is_variable, items)):
        raise refuse(
            "each round reads all variables of a list, of which it uses one",
            "loop over the variables: for weight in weights",
        )
    if _are_records(items):
        return _image_of(items, place)
    if items and not all(map(is_reference, items)):
        from runtime.staging.lists.chosen_containers import one_of
        from runtime.staging.lists.chosen_lists import list_among

        kinds = [item.__class__ for item in items]
        if _are_of(kinds, list) or _are_of(kinds, deque):
            return list_among(items, place)
        if any(_are_of(kinds, kind) for kind in (set, frozenset, dict)):
            return one_of(items, place)
    try:
        if {type(item) for item in items} in _TABLES:
            table, type_ = staged_items.table_of(items)
            return staged_items.value_of(table[place], type_)
        element = staged_items.covering(list(map(joins.abstract, staged_items.distinct(items))))
    except OverflowError:
        raise _refusal("a number in it needs more than 64 bits", None) from None
    except Mismatch as mismatch:
        kinds = _by_kind(items)
        is_known = not mismatch.dtypes_differ and all(map(_is_unchanging, items))
        if not is_known or not 1 < len(kinds) <= choices.MOST:
            raise _refusal(str(mismatch), mismatch.hint) from None
        return _of_kinds(items, kinds, place)
    return staged_items.chosen_among(list(items), place, element)


def are_alike(items: Iterable[Any]) -> bool:
    """True for scalars of one type, texts, and lists and tuples of as many such."""
    kinds = set(map(_kind_of, items))
    return len(kinds) == 1 and None not in kinds


def _kind_of(item: Any) -> Any:
    """The type of a scalar or text, or those in a list or tuple; None for anything else."""
    kind = type(item)
    if kind in (bool, int, float, str):
        return kind
    if issubclass(kind, SymbolicNumber):
        return item.type.kind
    if issubclass(kind, Tensor):
        return item.dtype if item.shape.rank == 0 else None
    if kind is not tuple and not (issubclass(kind, GrowingSequence) and item.staged is None):
        return None
    inner = tuple(map(_kind_of, list.__iter__(item) if issubclass(kind, list) else item))
    return None if None in inner else (kind, inner)


def _is_unchanging(item: Any) -> bool:
    if type(item) is tuple:
        return all(map(_is_unchanging, item))
    return isinstance(item, int | float | str | SymbolicNumber | SymbolicTensor | None)


def _by_kind(items: Sequence[Any]) -> list[list[int]]:
    """The places of items that fit together, for each kind of them."""
    kinds: list[list[int]] = []
    for at, item in enumerate(items):
        for kind in kinds:
            try:
                staged_items.covering([joins.abstract(items[kind[0]]), joins.abstract(item)])
            except Mismatch:
                continue
            kind.append(at)
            break
        else:
            kinds.append([at])
    return kinds


def _of_kinds(items: Sequence[Any], kinds: list[list[int]], place: Any) -> Any:
    """The item at a place, which is chosen among those of its kind, in a branch of its own."""
    known = [[0] * len(items), [0] * len(items)]
    for number, kind in enumerate(kinds):
        for inside, at in enumerate(kind):
            known[0][at], known[1][at] = number, inside
    which, inside = (chosen(each, place) for each in known)
    options = tuple([tuple([items[at] for at in kind]) for kind in kinds])
    return choices.Choice(options, which).apply(lambda option: chosen(option, inside))


def _are_of(kinds: Iterable[type], kind: type) -> bool:
    return all(issubclass(each, kind) for each in kinds)


class KnownSequence(iteration.Staged):
    """A list, tuple or text of Python's, beside what only the run knows the length of."""

    __slots__ = ("items",)

    def __init__(self, items: Sequence[Any]) -> None:
        self.items = items

    def length(self) -> Any:
        return len(self.items)

    def at(self, index: Any) -> Any:
        return chosen(self.items, index) if is_symbol(index) else self.items[index]

    def functions(self) -> Iterator[Callable[..., Any]]:
        yield functools.partial(chosen, self.items)


for _kind in (list, tuple, str):
    iteration.register_elements(_kind, KnownSequence)


def is_record(item: Any) -> bool:
    """True for an object, a dict of Python's, and a tuple with one in it: each keeps its parts."""
    if isinstance(item, tuple):
        return any(map(is_record, item))
    return (isinstance(item, dict) and not isinstance(item, Growing)) or has_object(item)


def _are_records(items: Sequence[Any]) -> bool:
    """Whether they are objects of one class, or dicts of the same texts, or tuples with some; none
    of them counts by what object it is.
    """
    if any(map(choices.is_token, items)):
        return False
    if all(isinstance(item, dict) for item in items):
        keys = [list(dict.keys(item)) for item in items]
        return bool(keys[0]) and all(type(key) is str for key in keys[0]) and _are_alike(items)
    return any(map(is_record, items)) and _are_alike(items)


def _are_alike(items: Sequence[Any]) -> bool:
    found = [structure_of(item) for item in items]
    return all(each is not None and each[0] == found[0][0] for each in found)  # type: ignore[index]


def _image_of(items: Sequence[Any], place: Any) -> Any:
    """An object, or a tuple with some, that has the parts of the one at a place."""
    found = [cast(Any, structure_of(item)) for item in items]
    parts = zip(*[children for _, children in found], strict=True)
    made = found[0][0].build([chosen(part, place) for part in parts])
    if not isinstance(made, tuple):
        copy, trace = Copy("an item of the list", made, [*items]), active()
        trace.joined.append(Joined(copy, [*items], user_location(), (trace.scope, place)))
    return made


def _place_of(image: Joined) -> Any:
    return cast(Any, image.at)[1]


def put_entry(
    entries: dict[Any, Any], key: Any, value: Any, check_own: Callable[[Any], None]
) -> None:
    """Assign an entry of a dict of which Python knows the keys. Where it is the image of one in a
    list, that one has it, too, which `check_own` refuses, and so have all images of that.
    """
    trace = active()
    known = aliases.images(trace) if trace.joined and dict.__contains__(entries, key) else []
    changed = list(_with_originals(entries, key, value, known))
    for each, now in changed:
        check_own(each)
        dict.__setitem__(each, key, now)
    for image in known:
        originals, made = image.copy.originals, image.copy.made
        is_changed = any(each is other for each in originals for other, _ in changed)
        if is_changed and not any(made is each for each, _ in changed):
            held = [dict.__getitem__(each, key) for each in originals]
            dict.__setitem__(made, key, chosen(held, _place_of(image)))
    for image in known:
        image.note()


def _with_originals(
    entries: dict[Any, Any], key: Any, value: Any, known: Sequence[Joined]
) -> Iterator[tuple[dict[Any, Any], Any]]:
    """A dict with the value that it gets, and those that it is the image of, with theirs."""
    yield entries, value
    for own in [each for each in known if each.copy.made is entries]:
        for each, is_meant in meant(own.copy.originals, _place_of(own)):
            before = dict.__getitem__(each, key)
            made = branches.cond(
                is_meant, lambda: value, lambda before=before: before, (), ("the entry",)
            )
            yield from _with_originals(each, key, made, known)


def _refusal(why: str, hint: str | None) -> Exception:
    return refuse(
        f"only the run knows which item of a list or tuple is meant, and they do not fit together: "
        f"{why}",
        hint or "numbers, or tensors of one dtype",
    )
