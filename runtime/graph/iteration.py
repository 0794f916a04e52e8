"""What a staged `for` iterates over: tensors, ranges of staged numbers, and enumerate, zip, map ...
of them.

A `Sequence` has a length (a Python int where it is known) and an element at each index; the loop
counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from runtime.graph import numbers
from runtime.graph.blocks import Block, Names, as_state, bare
from runtime.graph.branches import cond, truth
from runtime.graph.ir import Value
from runtime.graph.loops import while_loop
from runtime.graph.nodes import LENGTH
from runtime.graph.places import Watch, also_watching, no_watch
from runtime.graph.refusals import refuse
from runtime.graph.scopes import active
from runtime.graph.symbolic_number import apply_number, number_to_tensor
from runtime.graph.symbolic_tensor import SymbolicTensor
from runtime.graph.tracing import is_symbol
from runtime.types import TensorType


class Staged:
    """Something with a length and elements, one of which only the run knows."""

    __slots__ = ()
    varies = False
    """May the rounds of a loop over it change how many elements it has?"""

    def length(self) -> Any:
        """How many elements it has: an int, or a staged one."""
        raise NotImplementedError

    def at(self, index: Any) -> Any:
        """The element at a staged index, which is in bounds."""
        raise NotImplementedError

    def __iter__(self) -> Any:
        raise refuse(
            f"a staged {type(self).__name__.lower()} is iterated over by unconverted code",
            "iterate over it in a `for` of a converted function",
        )


class Rows(Staged):
    """The rows of a tensor."""

    __slots__ = ("tensor",)

    def __init__(self, tensor: Any) -> None:
        self.tensor = tensor

    def length(self) -> Any:
        return length_of(self.tensor)

    def at(self, index: Any) -> Any:
        return self.tensor[index]


class Range(Staged):
    """`range` with a staged bound or step."""

    __slots__ = ("start", "step", "stop")

    def __init__(self, start: Any, stop: Any = None, step: Any = 1) -> None:
        if stop is None:
            start, stop = 0, start
        self.start, self.stop, self.step = start, stop, step

    def length(self) -> Any:
        return apply_number(numbers.RANGE_LENGTH, self.start, self.stop, self.step)

    def at(self, index: Any) -> Any:
        offset = index if _is_one(self.step) else index * self.step
        return offset if _is_zero(self.start) else self.start + offset


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
        return number_to_tensor(super().at(index), self.tensor.dtype)


def _number_of(scalar: Value) -> Any:
    """The Python number that a tensor of an integer holds."""
    trace = active()
    known = trace.constants.get(scalar)
    return trace.apply(numbers.ITEMS["int"], (scalar,)) if known is None else int(known)


def _is_one(number: Any) -> bool:
    return isinstance(number, int) and number == 1


def _is_zero(number: Any) -> bool:
    return isinstance(number, int) and number == 0


class Zip(Staged):
    """`zip` of sequences; as long as the shortest."""

    __slots__ = ("parts",)

    def __init__(self, parts: Sequence[Staged]) -> None:
        self.parts = parts

    def length(self) -> Any:
        return shortest([part.length() for part in self.parts])

    def at(self, index: Any) -> Any:
        return tuple([part.at(index) for part in self.parts])


class Enumerate(Staged):
    """`enumerate` of a sequence."""

    __slots__ = ("part", "start")

    def __init__(self, part: Staged, start: Any = 0) -> None:
        self.part, self.start = part, start

    def length(self) -> Any:
        return self.part.length()

    def at(self, index: Any) -> Any:
        return (index if _is_zero(self.start) else index + self.start), self.part.at(index)


class Reversed(Staged):
    """`reversed` of a sequence."""

    __slots__ = ("part",)

    def __init__(self, part: Staged) -> None:
        self.part = part

    def length(self) -> Any:
        return self.part.length()

    def at(self, index: Any) -> Any:
        return self.part.at(self.length() - 1 - index)


class Map(Staged):
    """`map` of a function over sequences; the function runs in the loop that takes the elements."""

    __slots__ = ("function", "parts")

    def __init__(self, function: Callable[..., Any], parts: Sequence[Staged]) -> None:
        self.function, self.parts = function, parts

    def length(self) -> Any:
        return shortest([part.length() for part in self.parts])

    def at(self, index: Any) -> Any:
        return self.function(*[part.at(index) for part in self.parts])


class Filter(Staged):
    """`filter` of a sequence: the loop's body runs only for elements that the function accepts."""

    __slots__ = ("function", "part")

    def __init__(self, function: Callable[[Any], Any] | None, part: Staged) -> None:
        self.function, self.part = function, part

    def length(self) -> Any:
        raise refuse(
            "how many elements a staged `filter` has, and which, is not known beforehand",
            "use `filter` alone in the `for`, or an `if` in the loop instead",
        )


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


_sequences: dict[type, Callable[[Any], Staged | None]] = {}


def register_sequence(kind: type, sequence: Callable[[Any], Staged | None]) -> None:
    """Let a staged `for` iterate over `sequence(items)`, unless None, where `items` is a `kind`."""
    _sequences[kind] = sequence


def staged(items: Any) -> Staged | None:
    """The sequence for something that a staged `for` can iterate over; None for anything else."""
    if isinstance(items, Staged):
        return items
    if not isinstance(items, SymbolicTensor):
        sequence = _sequences.get(type(items))
        return None if sequence is None else sequence(items)
    ends = _ends_of_range(items)
    return Counted(items, ends) if ends else Rows(items)


def _ends_of_range(tensor: SymbolicTensor) -> tuple[Value, ...]:
    """The start, limit and delta that a tensor is the range of; none if it is no range of integers,
    or one of another graph.
    """
    scope = tensor.scope
    if not tensor.dtype.is_integer or not scope.open or scope.trace is not active():
        return ()
    made = (node for node in reversed(scope.nodes) if tensor.value in node.outputs)
    node = next(made, None)
    if node is None or node.primitive.name != "range":
        return ()
    return node.inputs if all(map(_is_scalar, node.inputs)) else ()


def _is_scalar(value: Value) -> bool:
    return isinstance(value.type, TensorType) and value.type.shape == ()


def functions_of(items: Staged) -> Iterator[Callable[..., Any]]:
    """What the rounds of a loop over `items` call to get the elements."""
    if isinstance(items, Map | Filter) and items.function is not None:
        yield items.function
    held = items.parts if isinstance(items, Map | Zip) else (getattr(items, "part", None),)
    for part in held:
        if part is not None:
            yield from functions_of(part)


def for_loop(
    items: Any,
    body: Block,
    state: tuple[Any, ...],
    names: Names,
    test: Block | None = None,
    watch: Watch = no_watch,
) -> Any:
    """`for item in items`: a while with an index; `test(*state)` is asked before each item but the
    first.
    """
    if isinstance(items, Filter):
        return _filtered(items, body, state, names, test, watch)
    source = _source_of(items)
    length = source.length()
    if not is_symbol(length) and length <= 0:
        return bare(state)
    proceed, one_round = _blocks_of(source, length, body, test, watch)
    index = active().number(0)
    left = while_loop(
        proceed,
        one_round,
        (index, *state),
        ("index", *names) if state else ("index",),
        index < length,
        also_watching(watch, list(functions_of(source))),
        key=body,
    )
    return bare(left[1:]) if state else None


def _source_of(items: Any) -> Staged:
    source = staged(items)
    if source is None:
        raise refuse(
            f"a {type(items).__qualname__} cannot be iterated over while tracing",
            "iterate over a tensor or a range",
        )
    return source


def _blocks_of(
    source: Staged, length: Any, body: Block, test: Block | None, watch: Watch
) -> tuple[Block, Block]:
    """The test and the body of a while over an index and the state."""

    def one_round(index: Any, *state: Any) -> Any:
        left = as_state(body(source.at(index), *state), len(state))
        return (index + 1, *left) if left else index + 1

    def proceed(index: Any, *state: Any) -> Any:
        return index < (source.length() if source.varies else length)

    def proceed_if_asked(index: Any, *state: Any) -> Any:
        asked = lambda: test(*state)  # type: ignore[misc]  # noqa: E731
        return _both(proceed(index), asked, watch)

    return (proceed if test is None else proceed_if_asked), one_round


def _both(first: Any, second: Callable[[], Any], watch: Watch) -> Any:
    def no() -> bool:
        return False

    watch = also_watching(watch, (second,))
    return cond(first, lambda: truth(second()), no, (), ("the test of the loop",), watch)


def _filtered(
    items: Filter,
    body: Block,
    state: tuple[Any, ...],
    names: Names,
    test: Block | None,
    watch: Watch,
) -> Any:
    def accepted(item: Any, *state: Any) -> Any:
        def skip(*state: Any) -> Any:
            return bare(state)

        accepts = item if items.function is None else items.function(item)
        return cond(accepts, lambda *state: body(item, *state), skip, state, names, watch)

    accepted.__name__ = body.__name__
    called = () if items.function is None else (items.function,)
    return for_loop(items.part, accepted, state, names, test, also_watching(watch, called))
