"""The interface for a tensor library: one `Backend` for each type of staged values."""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable
from itertools import islice
from types import CellType
from typing import Any, NamedTuple, NoReturn, TypeAlias
from weakref import ref

from autograph.errors import StagingError
from autograph.frames import refusal

Block: TypeAlias = Callable[..., Any]
Thunk: TypeAlias = Callable[[], Any]
Names: TypeAlias = tuple[str, ...]

FAILURE = "failure"
"""The name of what says whether a block has failed, in a `try` that is being staged."""


class GlobalVariable(NamedTuple):
    """A global variable that staged blocks assign; `cell_contents` is its value, as of a cell."""

    namespace: dict[str, Any]
    name: str

    @property
    def cell_contents(self) -> Any:
        """Its value; ValueError where it has none."""
        if self.name not in self.namespace:
            raise ValueError(f"{self.name} has no value")
        return self.namespace[self.name]

    @cell_contents.setter
    def cell_contents(self, value: Any) -> None:
        self.namespace[self.name] = value


class AnyOrder(NamedTuple):
    """A taker of elements that gives the same in whatever order they come, unless it rounds.

    Attributes:
        fills: the set, or list that is sorted then, that it puts them into, if it does.
        stops: whether it may leave out the last ones.
    """

    fills: Any = None
    stops: bool = False


class Order:
    """A key of `sorted`, `max` and `min` that asks which of two items comes first."""

    def compare(self, a: Any, b: Any) -> Any:
        """A number that is below 0 where the first does, and above 0 where the second does."""
        raise NotImplementedError


class Backend:
    """The part that staged values of one library take in Python's control flow.

    Blocks are functional: they take state positionally and return it. A method gives what the taken
    block returns, in the same form: of two or more `names` (the user's names) a tuple, of one the
    bare value. For no names, a block of `cond` returns one value all the same, which is that of a
    ternary or of a `return` (None where the statement leaves nothing); a loop's returns None.

    State may hold anything that Python does: an `Undefined` where a name is not bound yet, None,
    numbers, containers, and values of other libraries. Every method here refuses with a
    `StagingError`; a library overrides what it supports. `docs/backends.md` has the whole contract.

    >>> class Answer(int):
    ...     pass
    >>> class Answers(autograph.Backend):
    ...     def not_(self, a):
    ...         return Answer(1 - a)
    >>> autograph.register_backend(Answer, Answers())
    >>> autograph.convert(lambda x: not x)(Answer(1))
    0
    """

    def cond(
        self, test: Any, body: Block, orelse: Block, inputs: tuple[Any, ...], names: Names
    ) -> Any:
        """`if test`: the result of one of two blocks, each called as `block(*inputs)`."""
        _unsupported(test, "an `if`", names)

    def while_loop(
        self, test: Block, body: Block, state: tuple[Any, ...], names: Names, first: Any
    ) -> Any:
        """`while test(*state)`: the state after the last round of `body(*state)`.

        Args:
            first: the staged value of `test(*state)`, which is already known.
        """
        _unsupported(first, "a `while`", names)

    def for_loop(
        self,
        items: Any,
        body: Block,
        state: tuple[Any, ...],
        names: Names,
        test: Block | None = None,
    ) -> Any:
        """`for item in items`: the state after the last round of `body(item, *state)`.

        Args:
            test: asked as `test(*state)` before each item but the first; false ends the loop.
        """
        _unsupported(items, "a `for`", names)

    def for_rest(
        self,
        items: range,
        body: Block,
        state: tuple[Any, ...],
        names: Names,
        test: Block,
        first: Any,
        knows_kinds: bool = False,
    ) -> Any:
        """The rest of a long `for` over plain items whose exit has become staged, or whose rounds
        stage much: the state after `for item in items`. `NotImplemented` leaves it to be written
        out, in the former case under `cond`.

        Args:
            test: asked as `test(*state)` before each item; false ends the loop.
            first: the value of `test(*state)`, which is already known: staged, or True.
            knows_kinds: leave the loop to be written out where two kinds of numbers meet in it, of
                which the backend makes one.
        """
        return NotImplemented

    def while_rest(
        self,
        test: Block,
        body: Block,
        state: tuple[Any, ...],
        names: Names,
        knows_kinds: bool = False,
    ) -> Any:
        """The rest of a `while` whose test is no staged value, but whose rounds stage much: as
        `while_loop` of a test that holds. `NotImplemented` leaves it to be written out.

        >>> autograph.Backend().while_rest(None, None, (), ())
        NotImplemented
        """
        return NotImplemented

    def work(self) -> int:
        """The number of operations that were staged so far: those of the rounds of a long `for`
        decide whether the rest of it comes to `for_rest`.
        """
        return 0

    def is_very_much(self, work: int) -> bool:
        """Whether rounds that stage so many operations come to `for_rest` or `while_rest` though
        Python knows whole numbers that they compute, or lengths of lists.

        >>> autograph.Backend().is_very_much(100_000)
        False
        """
        return False

    def watched(self, body: Block, state: tuple[Any, ...]) -> Callable[[], Any]:
        """A function that gives pairs of what was, and is by then, in objects that a round of a
        long `for` has changed: where Python would know less of them, all rounds are written out.
        """
        return tuple

    def are_alike(self, items: Any) -> bool:
        """Whether the item of a list or tuple at a staged place is one value of the backend, rather
        than one of several objects: the rounds of a `for` that are little work are written out for
        others.

        >>> autograph.Backend().are_alike([1, 2])
        False
        """
        return False

    def elements(self, items: Any) -> Any:
        """An iterable of Python's for a comprehension over staged items.

        None stands for a loop of the backend, whose rounds append to a list: see `lists_made_by`.
        """
        return items

    def in_any_order(self, items: Any, run: Callable[[Any], Any], taker: AnyOrder) -> Any:
        """`run(items)`, a loop over items for a taker that does not ask for their order.

        >>> autograph.Backend().in_any_order([3, 1], list, taker=None)
        [3, 1]
        """
        return run(items)

    def not_(self, a: Any) -> Any:
        """`not a`."""
        _unsupported(a, "`not`")

    def truth(self, a: Any) -> Any:
        """The truth of a staged value that is an operand of `and` or `or` in a test.

        >>> class Library(autograph.Backend):
        ...     def not_(self, a):
        ...         return not a
        >>> Library().truth(2)
        True
        """
        return self.not_(self.not_(a))

    def and_(self, a: Any, *rest: Thunk, truth: Any = None) -> Any:
        """`a and rest[0]() and ...`; `truth` is what an object `a` has answered already."""
        _unsupported(a, "`and`")

    def or_(self, a: Any, *rest: Thunk, truth: Any = None) -> Any:
        """`a or rest[0]() or ...`; `truth` is what an object `a` has answered already."""
        _unsupported(a, "`or`")

    def assert_(self, test: Any, message: Thunk | None) -> None:
        """`assert test, message()`."""
        _unsupported(test, "`assert`")

    def subject(self, value: Any, asks_truth: bool) -> None:
        """Refuse a subject of `match`, or a part of one, of which Python cannot decide which case
        fits: with `asks_truth`, also where a pattern is True or False.

        >>> autograph.Backend().subject(1, asks_truth=False)
        """

    def setitem(self, value: Any, target: Any, key: Any) -> Any:
        """`target[key] = value`: what the name of `target` stands for afterwards."""
        _unsupported(target, "item assignment")

    def defined(self, value: Any) -> Any:
        """A staged value whose name may be unbound, read: it raises at run time where it is."""
        return value

    def failures(self) -> int:
        """The number of exceptions that what was staged so far may raise when it runs.

        A `while True` that only an exception ends is staged where a round adds one: by
        `while_loop` with True for `first`, which is asked for no result.
        """
        return 0

    def compares(self, value: object) -> bool:
        """Whether comparisons of this value, which is not staged itself, are staged as long as a
        function is: what Python itself compares has no answer.

        >>> autograph.Backend().compares(1)
        False
        """
        return False

    def is_staging(self) -> bool:
        """Whether a function is being staged just now: what is raised in a `try` may be put off
        to the run.
        """
        return False

    def passes_on(self) -> bool:
        """Whether what takes the elements of a generator takes those that this one has of another
        one, too, so that one which calls itself may be a call of a graph.

        >>> autograph.Backend().passes_on()
        False
        """
        return False

    def catches(self) -> bool:
        """Whether a `try` that is being staged may catch what is raised now."""
        return False

    def caught(self, block: Block, shared: Any, size: int, reads: bool = False) -> Block:
        """A block that gives, behind its results, whether it has failed; for `catches`.

        Args:
            shared: the names that it assigns where they live: false where there are none.
            size: how many results it has.
            reads: whether the first one is that of a `return`, which reads it.
        """
        raise NotImplementedError

    def caught_loop(
        self, test: Block, body: Block, shared: Any, size: int
    ) -> tuple[Block, Block, Any]:
        """The test and the body of a loop that carries, behind its state, whether it has failed,
        and the value of that which it begins with; for `catches`.
        """
        raise NotImplementedError

    def go_on(self, failure: Any, certain: bool = False) -> None:
        """Do the rest where that has not failed; it raises where it surely has."""
        raise NotImplementedError

    def attempt(
        self,
        block: Block,
        kinds: tuple[tuple[Thunk | None, bool], ...],
        shared: Any,
        lost: frozenset[str] = frozenset(),
        drops: bool = False,
    ) -> Any:
        """The body of a `try`: whether it has failed, and its result.

        Args:
            kinds: what gives the classes of each `except`, None for all of them, and whether it
                looks at the exception; of a `finally`, there are none.
            shared: called, gives the names that the blocks of the statement assign.
            lost: those of them that nobody reads where it has failed.
            drops: whether it is one whose `finally` may leave by a `return`, `break` or `continue`:
                what was raised is gone then.
        """
        raise NotImplementedError

    def left_once(self, block: Block) -> Any:
        """The body of a `with` that is left while tracing: what only the run raises is refused."""
        raise NotImplementedError

    def as_caught(self, error: BaseException, is_seen: bool) -> None:
        """Give an exception that an `except` catches while tracing the text that Python's has;
        StagingError where that is not known and somebody looks at it.

        >>> error = TypeError("an int is not callable")
        >>> autograph.Backend().as_caught(error, is_seen=True)
        >>> error
        TypeError('an int is not callable')
        """

    def cases(self, failure: Any) -> list[tuple[Any, int | None, Any]]:
        """The ways in which an attempt may have failed: a staged test, which `except` is for it,
        and the exception.
        """
        raise NotImplementedError

    def handled(self, failure: Any) -> BaseException:
        """The exception that a `finally` meets, for Python, behind a body that may have failed."""
        raise NotImplementedError

    def stages(self, value: Any) -> bool:
        """Whether a value of a registered type is staged: of some types only some values are."""
        return True

    def owns(self, cell: CellType | GlobalVariable) -> bool:
        """Whether a captured or global variable may be assigned by what is being staged.

        True for one that the call has made, and for one from before whose value the backend carries
        and leaves there when what was staged has run. Others are refused.
        """
        return isinstance(cell, CellType)

    def shown(self, function: Callable[..., Any], value: Any) -> Thunk | None:
        """A function that gives the text of a staged value, as str, repr or print (`function`) do,
        where code of the user's gives that of something in it: `shows_itself` of
        `autograph.operators.texts` tells of a class. None leaves the text to `builtin`.

        >>> autograph.Backend().shown(repr, [1])
        """
        return None

    def with_defaults(
        self, function: Callable[..., Any], places: Any, args: tuple[Any, ...], kwargs: Any
    ) -> Any:
        """A call, of a function that is not converted, in which only the run knows whether an
        argument is None; `NotImplemented` for any other. At `places`, and under such names, None
        means a default.
        """
        return NotImplemented

    def builtin(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        """A builtin with a staged argument; `NotImplemented` leaves it to the plain function."""
        return NotImplemented


def _unsupported(value: object, construct: str, names: Names = ()) -> NoReturn:
    assigned = f" that assigns {', '.join(names)}" if names else ""
    raise refusal(
        StagingError,
        f"{construct}{assigned} cannot depend on a staged value of type "
        f"{type(value).__qualname__}: its library does not support this",
        variable=names[0] if len(names) == 1 else None,
        hint="compute it outside the staged function, or use the library's own operation",
    )


# Dispatch

_registered: dict[type, Backend] = {}
_backends: tuple[Backend, ...] = ()
_static: dict[type, Backend | None] = {}
_classes: dict[int, tuple[ref[type], Backend | None]] = {}


def register_backend(kind: type, backend: Backend) -> None:
    """Let `backend` handle values of type `kind` and of its subclasses.

    Raises:
        TypeError: `kind` is not a class, or is `object`, or `backend` is not a `Backend`.

    >>> class Staged:
    ...     pass
    >>> autograph.register_backend(Staged, autograph.Backend())
    >>> isinstance(autograph.backend_of(Staged()), autograph.Backend)
    True
    """
    if not isinstance(kind, type) or kind is object:
        raise TypeError(f"a backend is registered for a class of staged values, not for {kind!r}")
    if not isinstance(backend, Backend):
        raise TypeError(f"not a Backend: {backend!r}")
    global _backends
    _registered[kind] = backend
    _backends = tuple(set(_registered.values()))
    _static.clear()
    _classes.clear()


item_setters: dict[type, Callable[[Any, Any, Any], Any]] = {}


def register_item_setter(kind: type, setter: Callable[[Any, Any, Any], Any]) -> None:
    """Let `x[i] = v` rebind `x` to `setter(v, x, i)` where `x` is exactly of type `kind`.

    For values that are not staged and do not change, such as eager tensors.

    >>> class Pair(tuple):
    ...     pass
    >>> autograph.register_item_setter(Pair, lambda v, x, i: Pair((*x[:i], v, *x[i + 1:])))
    >>> def put(x):
    ...     x[0] = 9
    ...     return x
    >>> autograph.convert(put)(Pair((1, 2)))
    (9, 2)
    """
    item_setters[kind] = setter


identities: list[Callable[[Any, Any], Any]] = []


def register_identity(check: Callable[[Any, Any], Any]) -> None:
    """Let `check(a, b)` answer `a is b`, or refuse it, where these are no objects of the user's.

    They stand for such; None leaves it to Python.

    It is asked about plain objects too, such as containers that a library made anew.

    >>> autograph.register_identity(lambda a, b: None)  # raises where `a is b` cannot be told
    """
    identities.append(check)


hashings: list[Callable[[Any], Any]] = []


def register_hashing(check: Callable[[Any], Any]) -> None:
    """Let `check(a)` refuse an object as a key, which Python finds by what object it is.

    It is asked while a function is staged, where the object is not the user's own but a copy.

    >>> autograph.register_hashing(lambda a: None)  # raises for a copy that a library made
    """
    hashings.append(check)


def failures() -> dict[Backend, int]:
    """Returns the count of each registered backend's `failures`."""
    return {backend: backend.failures() for backend in _backends}


def comparing(*values: Any) -> Backend | None:
    """The backend for which a function is being staged, where it compares one of these values, or
    of the items of a list or tuple among them.
    """
    backend = staging()
    if backend is None:
        return None
    for value in values:
        items = islice(value, INSPECTED) if type(value) in (list, tuple) else (value,)
        if any(map(backend.compares, items)):
            return backend
    return None


def staging() -> Backend | None:
    """The backend for which a function is being staged just now."""
    for backend in _backends:
        if backend.is_staging():
            return backend
    return None


def backend_of(value: object) -> Backend | None:
    """The backend of a staged value; None for a plain one.

    >>> autograph.backend_of(1) is None
    True
    """
    kind = type(value)
    try:
        backend = _static[kind]
    except KeyError:
        backend = backend_of_type(kind)
    return backend if backend is None or backend.stages(value) else None


KEY_BACKEND = "<backend of keys>"
"""The attribute of a class whose objects are keys that only the run may know, and else plain."""


def backend_of_key(key: object) -> Backend | None:
    """The backend of a key, or of what is in a tuple: also of an object that the run chooses."""
    if type(key) is tuple:
        return next(filter(None, map(backend_of_key, key)), None)
    return backend_of(key) or getattr(type(key), KEY_BACKEND, None)


def backend_of_type(kind: type) -> Backend | None:
    """The backend of the values of a type; None for plain ones."""
    if kind in _static:
        return _static[kind]
    known = _classes.get(id(kind))
    if known is not None:
        return known[1]
    backend = next((_registered[base] for base in kind.__mro__ if base in _registered), None)
    _remember(kind, backend)
    return backend


INSPECTED = 1_000
"""The number of elements of a container that are looked at for a staged one."""

stand_ins: dict[type, type] = {}
"""Classes that are made while staging, and the class of the user's Python that each stands for."""


def instance_of(value: Any, classes: Any) -> bool:
    """`isinstance`; what says by its `__class__` that it stands for another object is none of the
    classes that it is made of.
    """
    stands = type(value) in stand_ins and value.__class__ is not type(value)
    return issubclass(value.__class__, classes) if stands else isinstance(value, classes)


_CONTAINERS: tuple[type, ...] = (
    *(list, tuple, deque, type({"": 0}.values())),
    *(dict, defaultdict, Counter, OrderedDict),
)


def _is_container(kind: type) -> bool:
    return kind in _CONTAINERS or _is_tuple(kind)


def _is_tuple(kind: type) -> bool:
    """True for the class of tuples, and a namedtuple's."""
    return issubclass(kind, tuple) and kind.__iter__ is tuple.__iter__


def backend_within(container: object, depth: int = 3) -> Backend | None:
    """The backend of an element of a list, tuple, dict, deque or view of the values of a dict, or
    of an argument of an exception; None for anything else. While a function is staged, tuples and
    lists in it are looked into, to this depth.
    """
    kind = type(container)
    values: Any
    if isinstance(container, BaseException):
        values = container.args
    elif not _is_container(stand_ins.get(kind, kind)):
        return None
    else:
        values = container.values() if isinstance(container, dict) else container
    kinds = set(map(type, islice(values, INSPECTED)))
    for kind in kinds:
        backend = backend_of_type(kind)
        if backend is not None:
            return backend
    if depth == 1 or not any(issubclass(kind, tuple | list) for kind in kinds) or not staging():
        return None
    inner = (value for value in islice(values, INSPECTED) if isinstance(value, tuple | list))
    return next(filter(None, (backend_within(value, depth - 1) for value in inner)), None)


def asked(backend: Backend, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
    """A builtin with a staged argument: by its backend, or by Python where that leaves it."""
    result = backend.builtin(function, *args, **kwargs)
    return function(*args, **kwargs) if result is NotImplemented else result


_HEAP_TYPE = 1 << 9


def _remember(kind: type, backend: Backend | None) -> None:
    # A class made at run time must stay collectable; a registered one is alive anyway.
    if kind in _registered or not kind.__flags__ & _HEAP_TYPE:
        _static[kind] = backend
        return
    key = id(kind)
    _classes[key] = ref(kind, lambda _: _classes.pop(key, None)), backend
