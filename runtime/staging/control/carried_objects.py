"""Python objects that staged blocks change: what is in them is carried like a variable.

While a block is traced an `ObjectRecorder` watches the mutable objects that the block can reach.
What the block did to an object is read and undone; its contents are then joined, and written back
behind the statement.
"""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from io import IOBase
from typing import TYPE_CHECKING, Any

from numpy import ndarray

from autograph.mutation.variables import value_of
from autograph.objects import MISSING, attributes_of, members_of, of_classes, put_attributes
from autograph.undefined import Undefined
from autograph.users_words import with_article
from runtime.graph.ir import Location
from runtime.graph.nodes import NUMBER_TYPES
from runtime.graph.structures import Handler, add_handler
from runtime.staging.aliasing import item_assignments
from runtime.staging.control.parts import OfTrace, join_structure_of
from runtime.staging.control.references import is_reference, want_arrays, want_count
from runtime.staging.frames import user_location
from runtime.staging.lists.growing import Growing, GrowingSequence, want_lists
from runtime.staging.outside import DICTS, is_variable_of_python, place_key
from runtime.staging.refusals import refuse
from runtime.staging.scopes import Change, active
from runtime.staging.symbolic_tensor import SymbolicTensor

if TYPE_CHECKING:
    from runtime.staging.tracing import Trace


_HOLDING_MORE = (list, tuple, dict, set, frozenset, deque, bytearray, array, ndarray, IOBase)


class Place:
    """An object whose contents are carried, and the path by which the user knows it.

    `change` says what is changed in a tensor.
    """

    __slots__ = ("change", "object", "path")

    def __init__(self, path: str, item: Any, change: Change = Change.ITEMS) -> None:
        self.change = change
        self.path = path[4:-1] if path.startswith("len(") else path
        if isinstance(item, Growing) and self.path.endswith("]"):
            self.path = self.path.rpartition("[")[0]
        self.object = item

    @property
    def key(self) -> Any:
        """A key by which other traces know the object, too."""
        return place_key(self.object)

    @property
    def name(self) -> str:
        """The variable in messages about a part of the contents, which is named behind it: the path
        without the part that was found to change.
        """
        item, path = self.object, self.path
        if isinstance(item, dict) and not isinstance(item, Growing):
            ends = [f"[{key!r}]" for key in item if path.endswith(f"[{key!r}]")]
            return path.removesuffix(max(ends, key=len)) if ends else path
        if type(item) is list:
            return path.rpartition("[")[0] if path.endswith("]") else path
        if (
            isinstance(item, SymbolicTensor)
            or is_variable_of_python(item)
            or isinstance(item, Growing)
        ):
            return path
        return path.rpartition(".")[0] or path

    def read(self) -> Contents:
        """Returns what is in it now. StagingError for an object that cannot be carried."""
        item = self.object
        if isinstance(item, SymbolicTensor):
            return Held(1, [item_assignments.now(active(), item)])
        if type(item) is list:
            return PlainItems(len(item), item)
        if isinstance(item, Growing):
            if isinstance(item, GrowingSequence) and item.table is not None:
                want_lists(item)
                why = "it is put into a list or dict of which only the run knows the items"
                copy = f"{item.plain.__name__}({self.path})"
                raise refuse_change(self.path, why, f"put a copy there: {copy}")
            holder = GrowingEntries if isinstance(item, dict) else GrowingItems
            return holder(*item.content())
        if type(item) in DICTS and "__builtins__" not in item:
            return PlainItems(tuple(item), item.values())
        if is_variable_of_python(item):
            held = value_of(item)
            return Captured(("value",), [Undefined(self.path) if held is MISSING else held])
        if isinstance(item, type):
            members = members_of(item)
            names = [name for name in members if not name.startswith("__")]
            return Attributes(tuple(names), [members[name] for name in names])
        attributes = attributes_of(item)
        if attributes is not None and not isinstance(item, _HOLDING_MORE):
            return Attributes(tuple(attributes), attributes.values())
        check_not_advanced(self.path, item)
        if isinstance(item, ndarray):
            want_arrays()
        raise refuse_change(self.path, _not_carried(item), self._way_out())

    def _way_out(self) -> str:
        owner, _, attribute = self.path.rpartition(".")
        if owner and attribute.startswith("_"):
            return (
                f"call the method of {owner!r} that changes it outside of the statement, or, where "
                "the class is yours, use a list, dict or set"
            )
        return _WAY_OUT_OF_KINDS

    def write(self, contents: Contents) -> None:
        """Replace what is in it."""
        item, children = self.object, contents.children
        if isinstance(item, SymbolicTensor):
            item_assignments.assign(active(), item, children[0], self.change)
        elif type(item) is list:
            item[:] = children
        elif isinstance(item, Growing):
            item.fill(contents.keys, children)
        elif is_variable_of_python(item):
            (item.cell_contents,) = children
        elif isinstance(item, type):
            members = members_of(item)  # without what a block has given the class, as before it
            for name, child in zip(contents.keys, children, strict=True):
                if members.get(name, MISSING) is not child:
                    type.__setattr__(item, name, child)
        elif isinstance(item, dict):
            item.clear()
            for key, child in zip(contents.keys, children, strict=True):
                item[key] = child
        else:
            put_attributes(item, dict(zip(contents.keys, children, strict=True)))


class ObjectRecorder:
    """Watches the objects that one block can reach, while it is entered: this one none of them.

    `options` has what the block asked of the loop that it is the body of, or is None; `round_of` is
    the trace of that loop, and `ending` the Anew by which the round ends, if it does.
    """

    options: Any = None
    round_of: Trace | None = None
    ending: Any = None

    def __init__(
        self, block: Callable[..., Any], inputs: Sequence[Any], names: Sequence[str]
    ) -> None:
        pass

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exception: Any) -> None:
        pass

    def watch(self, path: str, item: Any) -> None:
        """Watch another object, which the block is known to reach."""

    def release(self, results: tuple[Any, ...]) -> None:
        """Forget the objects that only the block's results hold, or nobody: it made them."""

    def changed(self) -> Sequence[Place]:
        """The objects that are different now."""
        return ()

    def close(self) -> None:
        """Hold nothing further than the objects, whose changes are asked for once more."""

    def check_undone(self) -> None:
        """StagingError where an iterator has advanced, which cannot be put back."""

    def restore(self) -> None:
        """Put back what was in them."""

    def knows(self, item: Any) -> bool:
        """True if the object existed, within reach of the block, before the block."""
        return False


Watch = Callable[[Callable[..., Any], Sequence[Any], Sequence[str]], ObjectRecorder]

no_watch: Watch = ObjectRecorder
"""For blocks that are not watched."""


_NOTHING: dict[str, Any] = {}


def also_watching(
    watch: Watch, functions: Sequence[Callable[..., Any]], held: Mapping[str, Any] = _NOTHING
) -> Watch:
    """`watch`, also of what these functions reach, and of what is `held`, by names: a block calls
    or gives them without holding them where a recorder looks.
    """
    if not functions and not held:
        return watch

    def watching(
        block: Callable[..., Any], inputs: Sequence[Any], names: Sequence[str]
    ) -> ObjectRecorder:
        pairs = zip(names, inputs, strict=False)
        called = {f"function {at}": each for at, each in enumerate(functions)}
        known = {**dict(pairs), **called, **held}
        return watch(block, tuple(known.values()), tuple(known))

    return watching


class Contents(OfTrace):
    """The contents of an object, apart from the object: joins take them apart
    like any structure.
    """

    __slots__ = ("children", "keys")

    def __init__(self, keys: Any, children: Iterable[Any]) -> None:
        self.keys = keys
        self.children = list(children)


class PlainItems(Contents):
    """Elements of a list or a dict of Python's."""

    __slots__ = ()


def with_defaults(place: Place, contents: Contents, others: Iterable[Contents]) -> Contents:
    """The contents of an object, with what its class says for attributes that others have."""
    item = place.object
    if type(contents) is not Attributes or isinstance(item, type) or is_variable_of_python(item):
        return contents
    known = dict(zip(contents.keys, contents.children, strict=True))
    names = {name: None for each in others for name in each.keys}
    missing = [name for name in names if name not in known]
    found = {name: _default(type(item), name) for name in missing}
    if not missing or None in found.values():
        return contents
    taken = {(with_defaults, type(item), name): (found[name], user_location()) for name in found}
    active().memo.update(taken)
    known |= found
    # In one order, as the same structure.
    ordered = {name: known[name] for name in (*names, *known)}
    return Attributes(tuple(ordered), ordered.values())


def check_defaults(trace: Trace) -> None:
    """Raises StagingError for a class whose default value an object got as its own, and which has
    another one now.
    """
    for key in [key for key in trace.memo if type(key) is tuple and key[0] is with_defaults]:
        _, kind, name = key
        default, location = trace.memo[key]
        if _default(kind, name) is not default:
            path = f"{kind.__name__}.{name}"
            why = "an object that only the run gives, or not, has an attribute of that name"
            hint = f"give each object its own before the statement: self.{name} = {path}"
            raise refuse_change(path, why, hint, location)


def _default(kind: type, name: str) -> Any:
    found = next((vars(base)[name] for base in kind.__mro__ if name in vars(base)), None)
    return found if type(found) in NUMBER_TYPES else None


class GrowingItems(Contents):
    """Items of a list that may become one of the graph, or the columns of one that is."""

    __slots__ = ()


class GrowingEntries(Contents):
    """Entries of a dict that may become lists of the graph, or the columns of one that is."""

    __slots__ = ()


class Attributes(Contents):
    """Attributes of an object."""

    __slots__ = ()


class Captured(Contents):
    """The value of a captured variable."""

    __slots__ = ()


class Held(Contents):
    """The value of a tensor whose items are assigned."""

    __slots__ = ()


def _flatten(contents: Contents) -> tuple[Any, Sequence[Any]]:
    return contents.keys, contents.children


def _build(kind: Callable[..., Any], keys: Any, children: Sequence[Any]) -> Any:
    return kind(keys, children)


def _items_text(keys: int | tuple[Any, ...]) -> str:
    if isinstance(keys, int):
        return f"{keys or 'no'} item{'' if keys == 1 else 's'}"
    return f"the keys {', '.join(map(repr, keys))}" if keys else "no keys"


def _attributes_text(keys: tuple[str, ...]) -> str:
    return f"the attributes {', '.join(keys)}" if keys else "no attributes"


add_handler(PlainItems, Handler(_flatten, _build, "[{}]", describe=_items_text))
add_handler(Captured, Handler(_flatten, _build, ""))
add_handler(Held, Handler(_flatten, _build, ""))
add_handler(Attributes, Handler(_flatten, _build, ".{}", describe=_attributes_text))


_WAY_OUT = (
    "keep it in a local variable or a tensor and return it, or change it outside the function"
)
_WAY_OUT_OF_KINDS = (
    "use a list, dict or set in its place, which may be an attribute of your class, or change it "
    "outside the function"
)
_WAY_OUT_OF_ITERATORS = (
    "make a list of the items before the statement (`list(...)`), or make the iterator inside it"
)

KEPT_KIND = "keep what the object is in an attribute, and ask for that"
"""The way out where an object gets another class."""


def check_not_advanced(path: str, item: Any) -> None:
    """StagingError if this object, which has changed, is an iterator: another attempt would go on
    behind it.
    """
    is_iterator = of_classes(type(item).__mro__, "__next__") is not MISSING
    if is_iterator and not isinstance(item, IOBase):
        want_count(item)
        raise refuse_change(path, _not_carried(item), _WAY_OUT_OF_ITERATORS)


def _not_carried(item: Any) -> str:
    return f"{with_article(type(item).__qualname__)} cannot be carried through a staged block"


def refuse_change(
    path: str, why: str, hint: str | None = None, location: Location | None = None
) -> Exception:
    """The refusal of a change to a Python object inside a staged block."""
    message = f"{path} is changed while the function is staged: {why}"
    return refuse(message, hint or _WAY_OUT, path, location)


def is_mutable(item: Any) -> bool:
    """True for a container that joins take apart, and that can be changed in place."""
    if isinstance(item, Growing) and not is_reference(item):
        return True
    found = None if isinstance(item, Contents) else join_structure_of(item)
    return found is not None and not found[0].handler.is_value


def is_container(item: Any) -> bool:
    """True for an object of the user's that joins take apart: a text is none."""
    if isinstance(item, OfTrace) or hasattr(type(item), "_is_text_of_run"):
        return False
    return join_structure_of(item) is not None
