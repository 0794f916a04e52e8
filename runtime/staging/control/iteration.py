"""The iterables of a staged `for`: tensors, ranges of staged numbers, and `enumerate`, `zip`,
`map` of them.

A `Sequence` has a length (a Python int where it is known) and an element at each index; the loop
counts.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar, NoReturn

from autograph.users_words import with_article
from runtime.core.convert import convert_to_tensor
from runtime.core.types import TensorType
from runtime.graph import numbers
from runtime.graph.ir import Value, format_location
from runtime.graph.nodes import LENGTH
from runtime.graph.structures import Handler, Structure, add_handler
from runtime.ops import range_p
from runtime.staging.bytecode import rows_unpacked
from runtime.staging.control.blocks import Block, Names, as_state, bare
from runtime.staging.control.branches import cond, truth
from runtime.staging.control.carried_objects import Watch, also_watching, no_watch
from runtime.staging.control.logic import and_
from runtime.staging.control.loops import while_loop
from runtime.staging.frames import is_ours, user_location
from runtime.staging.refusals import asked_by_converted_code, refuse, refuse_iteration
from runtime.staging.scopes import LOOP, Scope, active, unfailing
from runtime.staging.symbolic_number import SymbolicNumber, apply_number
from runtime.staging.symbolic_tensor import SymbolicTensor
from runtime.staging.tracing import is_symbol


class Staged:
    """Something with a length and elements, one of which only the run knows."""

    __slots__ = ()

    def __repr__(self) -> str:
        if asked_by_converted_code(sys._getframe(1)):
            self.check_shown()
        return self.shown()

    def check_shown(self) -> NoReturn:
        """StagingError: no text of it would be Python's."""
        raise refuse(f"{self.shown()} is shown as text", "show a list of it: list(...)")

    def __getattr__(self, name: str) -> NoReturn:
        what = f"{self.shown()} has no attribute {name!r}"
        if not name.startswith("_"):
            what = f"{format_location(user_location())}: {what}\n  make a list of it: list(...)"
        raise AttributeError(what, name=name, obj=self)

    def shown(self) -> str:
        """The text for it in messages."""
        return f"a staged {type(self).__name__.lower()}"

    @property
    def varies(self) -> bool:
        """True if the iterations of a loop over it may change how many elements it has."""
        return False

    @property
    def streams(self) -> bool:
        """True if elements come one after another: `has` fetches the one that `at` gives, and is
        asked once for each index, in order. There is no length.
        """
        return False

    def has(self, index: Any) -> Any:
        """Returns whether there is an element at a staged index now."""
        return index < self.length()

    def length(self) -> Any:
        """Returns the number of its elements: an int, or a staged one."""
        raise NotImplementedError

    def at(self, index: Any) -> Any:
        """The element at a staged index, which is in bounds."""
        raise NotImplementedError

    def functions(self) -> Iterator[Callable[..., Any]]:
        """Yields the functions that the iterations of a loop call to get the elements."""
        yield from ()

    def __iter__(self) -> Any:
        names = rows_unpacked(sys._getframe(1), None)
        if names is None or self.streams:
            raise refuse_iteration(self.shown())
        from runtime.staging.lists.walks import elements_for

        return elements_for(names, self)


class Rows(Staged):
    """The rows of a tensor."""

    __slots__ = ("tensor",)

    def __init__(self, tensor: Any) -> None:
        self.tensor = tensor

    def length(self) -> Any:
        return length_of(self.tensor)

    @unfailing
    def at(self, index: Any) -> Any:
        return self.tensor[index]


class Rest(Staged):
    """The rest of a sequence behind its first elements: nothing, unless the loop is to
    `proceed`.
    """

    __slots__ = ("first", "part", "proceed")

    def __init__(self, part: Staged, first: int, proceed: Any) -> None:
        self.part = part
        self.first = first
        self.proceed = proceed

    @property
    def varies(self) -> bool:
        return self.part.varies

    @property
    def streams(self) -> bool:
        return self.part.streams

    def has(self, index: Any) -> Any:
        return and_(self.proceed, (lambda: self.part.has(index + self.first),))

    def length(self) -> Any:
        size = self.part.length() - self.first
        if self.proceed is True:
            return size
        return cond(self.proceed, lambda: size, lambda: 0, (), ("the number of rounds",))

    def at(self, index: Any) -> Any:
        return self.part.at(index + self.first)


class Range(Staged):
    """`range` with a staged bound or step."""

    __slots__ = ("start", "step", "stop")

    def __init__(self, start: Any, stop: Any = None, step: Any = 1) -> None:
        if stop is None:
            start, stop = 0, start
        self.start, self.stop, self.step = start, stop, step

    def check_step(self) -> None:
        """Raise ValueError, at run time, where the step is zero."""
        if is_symbol(self.step) or self.step == 0:
            self.length()

    def __getattr__(self, name: str) -> NoReturn:
        if name in ("count", "index"):
            what = f"a staged range has no attribute {name!r}"
            raise refuse(what, "make a list of it: list(...)")
        super().__getattr__(name)

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        """That of Python's ranges, where the user's code asks for it."""
        return type(self) if is_ours(sys._getframe(1).f_code.co_filename) else range

    def length(self) -> Any:
        may_fail = is_symbol(self.step) or self.step == 0
        counted = apply_number if may_fail else unfailing(apply_number)
        return counted(numbers.RANGE_LENGTH, self.start, self.stop, self.step)

    def __bool__(self) -> bool:
        size = self.length()
        if not isinstance(size, int):
            raise refuse(
                "whether a staged range has elements is known at run time only",
                "ask for their number: len(r) > 0",
            )
        return size > 0

    def __eq__(self, other: object) -> bool:
        if other is self:
            return True
        raise refuse(
            "a staged range is compared, whose elements are known at run time only",
            "compare a list of it: list(r), or its r.start, r.stop and r.step",
        )

    def __hash__(self) -> int:
        raise refuse(
            "a staged range is a key, whose elements are known at run time only",
            "take a tuple of numbers, or a tensor for the table",
        )

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice):
            raise refuse("a slice of a staged range is asked for", "slice a list of it: list(r)")
        from runtime.staging.lists.sequences import place_of

        return self.at(place_of(key, self.length(), "range object index"))

    def at(self, index: Any) -> Any:
        offset = index if _is_one(self.step) else index * self.step
        return offset if _is_zero(self.start) else self.start + offset


def _made_range(kind: type, names: Any, ends: Sequence[Any]) -> Any:
    return range(*ends) if all(type(end) is int for end in ends) else Range(*ends)


def _ends(numbers: Any, structure: Structure | None = None) -> tuple[Any, Any, Any]:
    return numbers.start, numbers.stop, numbers.step


add_handler(
    Range,
    Handler(
        lambda item: (("start", "stop", "step"), _ends(item)),
        _made_range,
        ".{}",
        describe=lambda names: "range",
        fit=_ends,
        is_tuple=True,
    ),
)


class Counted(Range):
    """The elements of `tf.range` of integers: they are counted, no array is made of them."""

    __slots__ = ("tensor",)

    def __init__(self, tensor: SymbolicTensor, ends: Sequence[Value]) -> None:
        super().__init__(*map(_number_of, ends))
        self.tensor = tensor

    def length(self) -> Any:
        (size,) = self.tensor.static_shape or (None,)
        return super().length() if size is None else size

    def at(self, index: Any) -> Any:
        return convert_to_tensor(super().at(index), self.tensor.dtype)


def _number_of(scalar: Value) -> Any:
    """The Python number that a tensor of an integer holds."""
    trace = active()
    known = trace.constants.get(scalar)
    return trace.apply(numbers.ITEMS["int"], (scalar,)) if known is None else int(known)


def _is_one(number: Any) -> bool:
    return isinstance(number, int) and number == 1


def _is_zero(number: Any) -> bool:
    return isinstance(number, int) and number == 0


class Streamed:
    """Base of what a staged `for` takes one element after another from: datasets and iterators.

    Outside of traces they are plain Python iterables.
    """

    __slots__ = ()

    def _staged_iter(self) -> StreamedIterator:
        """Returns what `iter` of it is in a graph."""
        raise NotImplementedError

    def _staged_len(self) -> Any:
        """Returns what `len` of it is in a graph."""
        raise TypeError(f"object of type {type(self).__name__!r} has no len()")


class StreamedIterator(Streamed):
    """Base of the iterators of such things."""

    __slots__ = ()

    def _staged_iter(self) -> StreamedIterator:
        """Returns the iterator itself."""
        return self

    def _advance(self) -> Any:
        """Fetch the next element; a staged bool tells whether there is one."""
        raise NotImplementedError

    def _current(self) -> Any:
        """Returns the element that was fetched."""
        raise NotImplementedError

    def _staged_next(self) -> Any:
        """Returns what `next` of it is in a graph."""
        raise NotImplementedError


class Stream(Staged):
    """The elements that an iterator gives, one after another."""

    __slots__ = ("iterator",)
    varies = streams = True

    def __init__(self, items: Streamed) -> None:
        self.iterator = items._staged_iter()

    def has(self, index: Any) -> Any:
        return self.iterator._advance()

    def length(self) -> Any:
        raise refuse(
            "how many elements a dataset or its iterator still gives, only the run knows",
            "loop over it in a `for`, or use a transformation of the dataset",
        )

    def at(self, index: Any) -> Any:
        return self.iterator._current()


class PythonIterator(Staged):
    """An iterator of Python's, a `kind`, over `parts`: `consumer` is the place that takes its
    elements, in the trace of it that is `taken`.
    """

    __slots__ = ("consumer", "home", "parts", "taken")

    kind: ClassVar[type]

    def __init__(self, parts: Sequence[Staged]) -> None:
        self.parts = parts
        self.home = active().scope
        self.consumer: Any = None
        self.taken: Scope | None = None

    def check_usable(self) -> None:
        """StagingError where its elements cannot be taken any more."""

    @property
    def varies(self) -> bool:
        return any(part.varies for part in self.parts)

    @property
    def streams(self) -> bool:
        return any(part.streams for part in self.parts)

    def has(self, index: Any) -> Any:
        first, *rest = self.parts
        return and_(first.has(index), [functools.partial(part.has, index) for part in rest])

    def length(self) -> Any:
        return shortest([part.length() for part in self.parts])

    def functions(self) -> Iterator[Callable[..., Any]]:
        for part in self.parts:
            yield from part.functions()


class Zip(PythonIterator):
    """`zip` of sequences; as long as the shortest, and with `strict` as all."""

    __slots__ = ("strict",)

    kind = zip

    def __init__(self, parts: Sequence[Staged], strict: bool = False) -> None:
        super().__init__(parts)
        self.strict = strict

    def at(self, index: Any) -> Any:
        return tuple([part.at(index) for part in self.parts])


class Enumerate(PythonIterator):
    """`enumerate` of a sequence."""

    __slots__ = ("start",)

    kind = enumerate

    def __init__(self, part: Staged, start: Any = 0) -> None:
        super().__init__((part,))
        self.start = start

    def at(self, index: Any) -> Any:
        number = index if _is_zero(self.start) else index + self.start
        return number, self.parts[0].at(index)


class Reversed(PythonIterator):
    """`reversed` of a sequence, or of its first elements: from the end that it has now."""

    __slots__ = ("size",)

    kind = reversed

    def __init__(self, part: Staged, size: Any = None) -> None:
        super().__init__((part,))
        self.size = part.length() if size is None else size

    def has(self, index: Any) -> Any:
        return and_(index < self.size, (lambda: self.parts[0].has(self.size - 1 - index),))

    def length(self) -> Any:
        return self.size

    def at(self, index: Any) -> Any:
        return self.parts[0].at(self.size - 1 - index)


class Map(PythonIterator):
    """`map` of a function over sequences; the function runs in the loop that takes the elements."""

    __slots__ = ("function",)

    kind = map

    def __init__(self, function: Callable[..., Any], parts: Sequence[Staged]) -> None:
        super().__init__(parts)
        self.function = function

    def at(self, index: Any) -> Any:
        return self.function(*[part.at(index) for part in self.parts])

    def functions(self) -> Iterator[Callable[..., Any]]:
        if self.function is not None:
            yield self.function
        yield from super().functions()


def shortest(lengths: Sequence[Any]) -> Any:
    """The least of some lengths."""
    known = [length for length in lengths if not is_symbol(length)]
    staged = [length for length in lengths if is_symbol(length)]
    least = min(known) if known else None
    for length in staged:
        least = length if least is None else apply_number(numbers.MIN, least, length)
    return least


def length_of(tensor: Any) -> Any:
    """`len` of a tensor: an int where it is known, else a staged int."""
    shape = tensor.static_shape
    if shape is None or (shape and shape[0] is None):
        trace = active()
        return trace.apply(LENGTH, (trace.value_of(tensor),))
    if not shape:
        raise TypeError(
            "a scalar tensor has no len() and cannot be iterated over: write range(n) for its value"
        )
    return shape[0]


_elements: dict[type, tuple[Callable[[Any], Staged], Callable[[Any], bool]]] = {}


def register_elements(
    kind: type,
    elements: Callable[[Any], Staged],
    stages: Callable[[Any], bool] = lambda items: False,
) -> None:
    """Let a staged `for` iterate over `elements(items)`, where `items` is of this class, and only
    the run knows what is in it, which `stages(items)` says, or there are staged ones beside it.
    """
    _elements[kind] = elements, stages


register_elements(range, lambda x: Range(x.start, x.stop, x.step))


def of_plain(items: Any) -> Staged | None:
    """The elements of what Python knows, beside others; None where they have no places."""
    found = _elements.get(type(items))
    return None if found is None else found[0](items)


def staged(items: Any) -> Staged | None:
    """The sequence for something that a staged `for` can iterate over; None for anything else."""
    if isinstance(items, Staged):
        return items
    if isinstance(items, Streamed):
        return Stream(items)
    if not isinstance(items, SymbolicTensor):
        found = _elements.get(type(items))
        return found[0](items) if found is not None and found[1](items) else None
    ends = _ends_of_range(items)
    return Counted(items, ends) if ends else Rows(items)


def has_open_length(source: Staged | None) -> bool:
    """True if only the run knows how many elements there are: not of what Python iterates over."""
    return source is not None and (source.streams or is_symbol(source.length()))


def _ends_of_range(tensor: SymbolicTensor) -> tuple[Value, ...]:
    """The start, limit and delta that a tensor is the range of; none if it is no range of integers,
    or one of another graph.
    """
    scope = tensor.scope
    if not tensor.dtype.is_integer or not scope.open or scope.trace is not active():
        return ()
    made = (node for node in reversed(scope.nodes) if tensor.graph_value in node.outputs)
    node = next(made, None)
    if node is None or node.primitive is not range_p:
        return ()
    return node.inputs if all(map(_is_scalar, node.inputs)) else ()


def _is_scalar(value: Value) -> bool:
    return isinstance(value.type, TensorType) and value.type.shape == ()


def for_loop(
    items: Any,
    body: Block,
    state: tuple[Any, ...],
    names: Names,
    test: Block | None = None,
    watch: Watch = no_watch,
) -> Any:
    """`for item in items`: a while with an index; `test(*state)` is asked before each item but the
    first. Rounds that may call the user's functions are watched.
    """
    use(items)
    source = _source_of(items)
    called, trace = list(source.functions()), active()
    # Functions of the user's are watched, whoever has asked for the loop.
    if trace.watch is not no_watch and (called or (watch is no_watch and trace.references.arenas)):
        watch = trace.watch
    length = None if source.streams else source.length()
    if length is not None and not is_symbol(length) and length <= 0:
        drain(source, 0, watch)
        return bare(state)
    proceed, one_round = blocks_of(source, length, body, test, watch)
    index = active().number(0)
    left = while_loop(
        proceed,
        one_round,
        (index, *state),
        ("index", *names) if state else ("index",),
        source.has(index) if source.streams else index < length,
        also_watching(watch, called),
        key=body,
    )
    left = as_state(left, len(state) + 1)
    _drain_behind(source, left, test, watch)
    return bare(left[1:]) if state else None


def _drain_behind(source: Staged, left: Sequence[Any], test: Block | None, watch: Watch) -> None:
    """Ask for the element behind the last one, unless the loop was left before."""
    index, *state = left
    if not asks_behind(source):
        return
    if test is None:
        drain(source, index, watch)
        return

    def ended() -> bool:
        drain(source, index, watch)
        return True

    def left_before() -> bool:
        return False

    watching = also_watching(watch, list(source.functions()))
    asked = truth(test(*state))
    cond(asked, ended, left_before, (), ("the end of the sequences",), watching)


def drain(items: Staged, count: Any, watch: Watch = no_watch) -> None:
    """Do what Python does where it asks for an element behind the last, of `count`: of several
    sequences, those before the first one that has no more are asked for one more each.

    Raises ValueError where sequences of `zip(strict=True)` have other lengths.
    """
    if not asks_behind(items):
        return
    assert isinstance(items, PythonIterator)
    watch = also_watching(watch, list(items.functions()))
    if isinstance(items, Zip) and items.strict:
        _drain_equals(items.parts, count, watch)
    else:
        _drain_parts(items.parts, count, watch)


def asks_behind(items: Staged) -> bool:
    """Whether it matters that an element behind the last one is asked for."""
    if not isinstance(items, PythonIterator):
        return False
    return (
        (isinstance(items, Map) and items.function is not None)
        or (isinstance(items, Zip) and items.strict)
        or any(map(asks_behind, items.parts))
    )


def _drain_parts(parts: Sequence[Staged], count: Any, watch: Watch) -> None:
    first, *rest = parts
    if not rest:
        drain(first, count, watch)
        return
    _ask(first, count, watch, lambda: _drain_parts(rest, count, watch), lambda: None)


def _drain_equals(parts: Sequence[Staged], count: Any, watch: Watch) -> None:
    """Ask each of them for one more: none may have it."""

    def ask(at: int, had_more: bool) -> None:
        def differs() -> None:
            word = "shorter" if had_more else "longer"
            others = "argument 1" if at == 1 else f"arguments 1-{at}"
            raise ValueError(f"zip() argument {at + 1} is {word} than {others}")

        def agrees() -> None:
            ask(at + 1, had_more)

        if at < len(parts):
            has_more, has_none = (agrees, differs) if had_more else (differs, agrees)
            _ask(parts[at], count, watch, has_more, has_none)

    _ask(parts[0], count, watch, lambda: ask(1, True), lambda: ask(1, False))


def _ask(
    part: Staged,
    count: Any,
    watch: Watch,
    has_more: Callable[[], None],
    has_none: Callable[[], None],
) -> None:
    """Ask a sequence for an element at `count`, and then the others."""

    def one_more() -> bool:
        part.at(count)
        has_more()
        return True

    def at_the_end() -> bool:
        drain(part, count, watch)
        has_none()
        return False

    cond(count < part.length(), one_more, at_the_end, (), ("the end of the sequences",), watch)


def use(items: Any) -> None:
    """Note what takes the elements of an iterator; StagingError where something else has done."""
    if not isinstance(items, PythonIterator):
        return
    items.check_usable()
    scope = active().scope
    # The same in each trace of the same code.
    here = scope.trace, scope.site, scope.inner
    is_taken = items.consumer not in (None, here) or items.taken is scope
    if is_taken or _is_repeated(scope, items.home):
        raise refuse(
            f"an iterator made by {type(items).__name__.lower()}() is used a second time, when "
            "only the run knows where it stands",
            f"make another one: {type(items).__name__.lower()}(...) where it is used",
        )
    items.consumer, items.taken = here, scope
    for part in items.parts:
        use(part)


def _is_repeated(scope: Scope, home: Scope) -> bool:
    """Whether a loop stands between a scope and the one that an iterator was made in."""
    while scope is not home:
        if scope.outer is None:
            return False
        if scope.kind == LOOP:
            return True
        scope = scope.outer
    return False


def _source_of(items: Any) -> Staged:
    source = staged(items)
    if source is None:
        kind = items.type.kind if type(items) is SymbolicNumber else type(items).__qualname__
        raise refuse(
            f"{with_article(kind)} cannot be iterated over while tracing",
            "iterate over a tensor or a range",
        )
    return source


def blocks_of(
    source: Staged, length: Any, body: Block, test: Block | None, watch: Watch
) -> tuple[Block, Block]:
    """The test and the body of a while over an index and the state."""

    def one_round(index: Any, *state: Any) -> Any:
        left = as_state(body(source.at(index), *state), len(state))
        return (index + 1, *left) if left else index + 1

    def proceed(index: Any, *state: Any) -> Any:
        return source.has(index) if source.varies else index < length

    def proceed_if_asked(index: Any, *state: Any) -> Any:
        assert test is not None
        if source.streams:
            # An element is fetched only where the loop goes on.
            return _both(truth(test(*state)), lambda: source.has(index), watch)
        return _both(proceed(index), lambda: test(*state), watch)

    return (proceed if test is None else proceed_if_asked), one_round


def _both(first: Any, second: Callable[[], Any], watch: Watch) -> Any:
    def no() -> bool:
        return False

    watch = also_watching(watch, (second,))
    return cond(first, lambda: truth(second()), no, (), ("the test of the loop",), watch)
