"""Objects of the user's of which the run chooses one: each is a number, its place among all of its
class that the trace makes, and what is in them is in lists, one for each attribute.

That takes all objects of a class from the start. So a trace begins without such classes; where it
is refused on account of an object, it notes the class, and the function is traced anew.
"""

from __future__ import annotations

import dataclasses
import itertools
from abc import ABC, ABCMeta
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, Generic, Protocol

from autograph.mutation.users_code import is_users_class
from autograph.objects import module_of
from runtime.core.dataclasses import dataclass
from runtime.core.state import state
from runtime.graph.structures import HANDLER

Name = tuple[str, str]

ARENA = "<arena>"
"""The member of a class of what refers to objects that has the lists of their attributes."""


@dataclass(frozen=True)
class Wanted:
    """The objects and lists that a trace is to refer to by numbers, or would have to.

    `classes` are the names of classes: a local one is another one in each trace. `sites` are the
    places of the program whose lists are referred to, and `united` pairs of those whose lists meet.
    `asks`: what is called is converted in the form that asks a backend more. `knows`: rounds whose
    results Python knows more of are written out, even if they are very much. `counts`: an
    `itertools.count` is an object that blocks carry. `generators`: those that call themselves are
    functions that give their elements to one that is the same at each depth. `arrays`: the arrays
    that NumPy's functions make are values of the graph.
    """

    classes: frozenset[Name] = frozenset()
    sites: frozenset[str] = frozenset()
    united: frozenset[tuple[str, str]] = frozenset()
    asks: bool = False
    knows: bool = False
    counts: bool = False
    generators: bool = False
    arrays: bool = False

    @property
    def refers(self) -> bool:
        """Whether there is anything to refer to."""
        return bool(self.classes or self.sites)

    def __or__(self, other: Wanted) -> Wanted:
        names = [field.name for field in dataclasses.fields(Wanted)]
        return Wanted(*[getattr(self, name) | getattr(other, name) for name in names])


NOTHING_WANTED = Wanted()


NO_HINDRANCE: Mapping[str, str] = {}


class References:
    """The classes whose objects, and the places whose lists, a trace refers to by numbers; `wanted`
    are those on account of which it was refused; `hindered` has the classes that it would refer to,
    and what keeps it from that. `knows_less`: a loop was staged though Python knew more than the
    graph. `lasting` names a function that was traced meanwhile, and has left changes in objects;
    `acts` gives the name of one that has acted, if any. `counts` has the ids of each `count` of
    `itertools` that the trace has made, `makes_arrays` tells whether it has made arrays of NumPy's.
    `copied` has the arrays of Python's own that the graph has taken, with a hash of their numbers.
    """

    def __init__(self, known: Wanted, acts: Callable[[], str | None] = lambda: None) -> None:
        self.known = known
        self.wanted = known
        self.hindered = dict(NO_HINDRANCE)
        self.lasting: str | None = None
        self.knows_less = False
        self.counts: set[int] = set()
        self.makes_arrays = False
        self.copied: list[tuple[Any, int]] = []
        self._acts = acts
        self.arenas: dict[Any, Any] = {}
        self._firsts = {other: first for first, other in known.united}
        self._placed = self._known_sites()

    def _known_sites(self) -> frozenset[str]:
        return frozenset(map(self.site_of, self.known.sites))

    def acted(self) -> str | None:
        """The name of a function on account of which Python may not run again, if there is one."""
        return self._acts() or self.lasting

    def more(self) -> Wanted | None:
        """The references of another trace; None where there would be no more of them. If there
        are none, that Python is to know more in it may be all that another trace needs.
        """
        if self.wanted != self.known:
            return self.wanted
        return self.known | Wanted(knows=True) if self.knows_less else None

    def copies(self, array: Any) -> None:
        """Note that the graph has the numbers of an array as they are now."""
        self.copied.append((array, hash(array.tobytes())))

    def changed_array(self) -> bool:
        """Whether such an array was changed since, which the graph does not see."""
        return any(hash(array.tobytes()) != before for array, before in self.copied)

    def check_watched(self) -> None:
        """StagingError where a tensor that a tape watches may be in an object or list already, of
        which the run chooses one: what is read from there is another tensor.
        """
        for arena in self.arenas.values():
            arena.check_watched()

    def has(self, kind: type) -> bool:
        """True for a class of which this trace is to refer to the objects."""
        if not self.known.classes:
            return False
        return _name_of(kind) in self.known.classes and may_be_referred_to(kind)

    def site_of(self, site: str) -> str:
        """The place that stands for all whose lists meet those made at this one."""
        while site in self._firsts:
            site = self._firsts[site]
        return site

    def has_site(self, site: str) -> bool:
        """True for a place of the program of which this trace is to refer to the lists."""
        return self.site_of(site) in self._placed

    def unite(self, one: str, other: str) -> bool:
        """Have the lists of two places of the program among each other, in another trace. False
        where they are, or will be.
        """
        first, second = sorted((self.site_of(one), self.site_of(other)))
        if first != second:
            self.wanted |= Wanted(united=frozenset([(first, second)]))
            self._firsts[second] = first
            self._placed = self._known_sites()
        return first != second


def _name_of(kind: type) -> Name:
    return module_of(kind), kind.__qualname__


def want(*kinds: type, references: References | None = None) -> None:
    """Note, before a refusal, that objects of these classes would have to be referred to."""
    users = [kind for kind in kinds if is_users_class(kind) and not is_reference_class(kind)]
    found = {kind: hindrance(kind) for kind in users if not issubclass(kind, tuple)}
    _add(
        Wanted(frozenset([_name_of(kind) for kind, why in found.items() if why is None])),
        references,
        {kind.__qualname__: why for kind, why in found.items() if why is not None},
    )


def want_sites(sites: frozenset[str], references: References | None = None) -> None:
    """Note, before a refusal, that the lists of these places would have to be referred to: of none,
    that it is to be known where lists are made.
    """
    _add(Wanted(sites=sites, asks=True), references)


def want_asked(references: References | None = None) -> None:
    """Note, before a refusal, that Python itself has asked a symbol for what only the run knows, or
    has changed what stands for one of several.
    """
    _add(Wanted(asks=True), references)


def is_own_count(item: Any) -> bool:
    """True for an `itertools.count` that the trace has made."""
    if type(item) is not itertools.count or state.trace is None:
        return False
    return id(item) in state.trace.references.counts


def want_count(item: Any) -> None:
    """Note, before a refusal, that this would have to be carried, if it is such a one."""
    if is_own_count(item):
        _add(Wanted(counts=True))


def want_arrays() -> None:
    """Note, before a refusal, that an array would have to hold what only the run knows."""
    if state.trace is not None and state.trace.references.makes_arrays:
        _add(Wanted(arrays=True))


def may_stage_arrays(trace: Any) -> bool:
    """Whether a trace has made arrays of Python's own, which another trace may leave to the run."""
    references: References | None = None if trace is None else trace.references
    return references is not None and references.makes_arrays and not references.known.arrays


def want_generators() -> None:
    """Note, before a refusal, that a generator calls itself as often as the run decides."""
    _add(Wanted(generators=True))


def may_know_less(references: References) -> bool:
    """Whether a loop may be staged of which Python knows more than the graph will, which is noted:
    where the trace is refused, that may be why.
    """
    if references.known.knows:
        return False
    references.knows_less = True
    return True


def _add(
    wanted: Wanted, references: References | None = None, hindered: Mapping[str, str] = NO_HINDRANCE
) -> None:
    if references is None and state.trace is not None:
        references = state.trace.references
    if references is not None:
        references.wanted |= wanted
        references.hindered |= hindered


def is_reference(item: Any) -> bool:
    """True for what stands for an object of the user's, of which only the run may know which."""
    return is_reference_class(type(item))


def same_place(a: Any, b: Any) -> Any:
    """`a is b` of two references: a Python bool or a staged one."""
    if type(a) is not type(b):
        return False
    (first, (x,)), (second, (y,)) = (type(item).__dict__[HANDLER].flatten(item) for item in (a, b))
    return first == second and x == y


def equal_by_place(item: Any, other: Any) -> Any:
    """The `==` of references to objects that are equal to themselves alone."""
    return same_place(item, other) if type(other) is type(item) else NotImplemented


def is_by_place(item: Any) -> bool:
    """True for what refers to an object that is equal to itself alone."""
    own: Any = type(item).__eq__
    return is_reference(item) and own is equal_by_place


def structure_children(item: Any) -> Any:
    """The place of what is referred to, as the only child of a structure."""
    return type(item).__dict__[HANDLER].flatten(item)[1]


def has_member(item: Any, name: str) -> bool:
    """`hasattr`, which asks no property of an object that is referred to."""
    arena = type(item).__dict__.get(ARENA)
    if arena is not None:
        return name in arena.columns or hasattr(type(item), name)
    return hasattr(item, name)


def is_reference_class(kind: type) -> bool:
    """True for the class of such."""
    return HANDLER in kind.__dict__


_OWN = ("__getattribute__", "__getattr__", "__del__")
_CHANGING = ("__setattr__", "__delattr__")
_OF_PYTHON = (object, ABC, Generic, Protocol)
_KINDS = (type, ABCMeta, type(Protocol))
_PYTHONS: Any = object


def may_be_referred_to(kind: type) -> bool:
    """True for a class of the user's that leaves the access to attributes to Python."""
    return is_users_class(kind) and not is_reference_class(kind) and hindrance(kind) is None


def hindrance(kind: type) -> str | None:
    """Returns in words the part of a user's class on account of which its objects are not referred
    to; None where there is none.
    """
    if type(kind) not in _KINDS:
        return f"the metaclass {type(kind).__qualname__}"
    bases = [base for base in kind.__mro__ if not _keeps_nothing(base)]
    foreign = [base for base in bases if not is_users_class(base)]
    if foreign:
        return f"the base {foreign[0].__qualname__}"
    members = {name: member for base in bases for name, member in vars(base).items()}
    own = [name for name in _OWN if name in members]
    if not own and not is_frozen(kind):
        own = [name for name in _CHANGING if getattr(kind, name) is not getattr(_PYTHONS, name)]
    if own:
        return f"a method {own[0]}"
    is_caching = any(isinstance(member, cached_property) for member in members.values())
    return "a cached property" if is_caching else None


def is_all_users(kind: Any) -> bool:
    """True for a class of the user's of which all bases are his, or keep nothing in an object."""
    if type(kind) not in _KINDS or not is_users_class(kind):
        return False
    return all(is_users_class(base) or _keeps_nothing(base) for base in kind.__mro__)


def _keeps_nothing(base: type) -> bool:
    """True for a class of Python's that has no attributes of its own, such as `numbers.Number`."""
    if base in _OF_PYTHON:
        return True
    return type(base) is ABCMeta and vars(base).get("__slots__") == () and not is_users_class(base)


def is_frozen(kind: type) -> bool:
    """True for a dataclass that refuses to assign attributes."""
    return dataclasses.is_dataclass(kind) and bool(kind.__dataclass_params__.frozen)  # type: ignore[attr-defined]
