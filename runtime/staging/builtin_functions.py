"""Builtins, and functions of `math`, with staged arguments."""

from __future__ import annotations

import dataclasses
import functools
import gc
import math
import operator
from collections import deque
from collections.abc import Callable, Iterator, Sequence, Sized, ValuesView
from types import FunctionType, GeneratorType
from typing import Any, NoReturn, cast

import autograph
from autograph.backend import Order
from autograph.operators import managers
from autograph.operators.comprehensions import generator
from autograph.operators.early_exits import refuse_to_leave
from autograph.operators.raising import exception
from autograph.operators.reductions import end, extreme
from autograph.operators.unpacking import given_all, taken_apart
from runtime import dtypes, ops
from runtime.core.convert import convert_to_tensor
from runtime.core.tensor import NO_ITEMS, Tensor
from runtime.graph import numbers
from runtime.staging import texts
from runtime.staging.arrays.symbolic_array import SymbolicArray
from runtime.staging.block_recorder import BlockRecorder
from runtime.staging.control import branches, choices, iteration, logic
from runtime.staging.control.blocks import Block, Names
from runtime.staging.control.branches import truth
from runtime.staging.control.carried_objects import Watch, is_container, no_watch
from runtime.staging.control.identity import identical
from runtime.staging.control.item_comparisons import compared, is_equal
from runtime.staging.control.iteration import Staged, Streamed, StreamedIterator
from runtime.staging.control.joined_variables import read
from runtime.staging.control.optional_values import MaybeNone, present
from runtime.staging.lists.growing import Growing
from runtime.staging.refusals import refuse
from runtime.staging.scopes import active
from runtime.staging.staged_print import print_staged
from runtime.staging.symbolic_number import SymbolicNumber, apply_number, is_number, no_int
from runtime.staging.symbolic_tensor import SymbolicTensor
from runtime.staging.texts import Text
from runtime.staging.tracing import is_symbol
from runtime.staging.type_tests import TYPE_TESTS, of_each


def _to_number(kind: str) -> Callable[..., Any]:
    row, own = numbers.CONVERSIONS[kind], {"int": int, "float": float}[kind]

    def builtin(value: Any) -> Any:
        if is_number(value):
            return apply_number(row, value)
        if type(value) is Text:
            return texts.answer(own, value)
        if isinstance(value, Growing):
            return own(value.plain())  # Python's error
        trace = active()
        return trace.apply(numbers.ITEMS[kind], (trace.value_of(convert_to_tensor(value)),))

    return builtin


def _int(value: Any, base: Any = None) -> Any:
    if base is None:
        return _to_number("int")(value)
    if type(value) is not Text and not isinstance(value, str | bytes | bytearray):
        raise TypeError("int() can't convert non-string with explicit base")
    return texts.answer(int, value, index_of(base))


def _bool(value: Any = False) -> Any:
    predicate = truth(value)
    return predicate if isinstance(predicate, bool) else logic.not_(logic.not_(predicate))


def _none_has_no_len() -> NoReturn:
    raise TypeError("object of type 'NoneType' has no len()")


def _len(value: Any) -> Any:
    if isinstance(value, MaybeNone):
        branches.cond(value.flag, lambda: None, _none_has_no_len, (), ())
        return autograph.call(len)(value.held)
    value = read(present(value))
    if isinstance(value, iteration.PythonIterator):
        raise TypeError(f"object of type {value.kind.__name__!r} has no len()")
    if isinstance(value, Staged | Growing):
        return value.length()
    if isinstance(value, Streamed):
        return value._staged_len()
    if type(value) is Text:
        return texts.answer(len, value)
    if isinstance(value, Tensor):
        return iteration.length_of(value)
    if isinstance(value, Sized):  # what may be None holds it
        return len(value)
    raise TypeError(f"object of type {_name(value)!r} has no len()")


def _name(value: Any) -> str:
    return str(value.type.kind) if isinstance(value, SymbolicNumber) else type(value).__name__


def _range(*bounds: Any) -> Any:
    made = iteration.Range(*[index_of(bound) for bound in bounds])
    made.check_step()
    return made


def index_of(value: Any) -> Any:
    """Returns the result of Python's `operator.index`: a Python or staged int."""
    if isinstance(value, SymbolicTensor):
        is_whole = value.dtype.is_integer or value.dtype == dtypes.bool
        if not is_whole or value.static_shape not in ((), None):
            text = f"only integer scalar tensors can be converted to an index, got {value.type}"
            raise no_int(TypeError(f"{text}; int(x) of a scalar is one"))
        return _to_number("int")(value)
    if isinstance(value, SymbolicNumber):
        if value.type.kind == "float":
            raise no_int(TypeError("'float' object cannot be interpreted as an integer"))
        return _to_number("int")(value) if value.type.kind == "bool" else value
    if choices.is_number(value):
        return value.apply(operator.index)
    return operator.index(value)


_ASKED_ONE_BY_ONE = (list, tuple, set, frozenset, range, deque, ValuesView)


def _contains(container: Any, item: Any) -> Any:
    container = read(present(container))
    if isinstance(container, iteration.Range):
        return _in_range(container, present(item))
    if isinstance(container, Growing) and container.staged is not None:
        return cast(Any, container).has(item)
    if isinstance(container, Staged) and not isinstance(container, Growing):
        return _decided_by(container, True, lambda each: truth(each == item), "in")
    if isinstance(container, Tensor):
        if container.static_shape == ():
            raise TypeError(NO_ITEMS)
        if isinstance(container, SymbolicArray):
            return ops.reduce_any(operator.eq(container, present(item)))
        return ops.reduce_any(ops.equal(container, present(item)))
    if type(container) is Text or (isinstance(container, str) and type(item) is Text):
        return texts.answer(operator.contains, container, item)
    if not isinstance(container, _ASKED_ONE_BY_ONE):
        return NotImplemented
    if isinstance(container, set | frozenset):
        of_each(_check_hashable, item)
    return _of_list(list(container), lambda each: is_equal(each, item), decisive=True)


def _check_hashable(item: Any) -> None:
    if type(item).__hash__ is None:
        hash(item)  # Python's error


_MOST_NESTED = 32
"""The most tests of a staged `in`, `any` or `all` that are in each other."""


def _of_list(items: list[Any], test: Callable[[Any], Any], decisive: bool) -> Any:
    """`any` or `all` of a test of items: by halves, where they would be nested too deep."""
    if len(items) <= _MOST_NESTED:
        return _either((test(each) for each in items), decisive)
    middle = len(items) // 2
    found = truth(_of_list(items[:middle], test, decisive))

    def others() -> Any:
        return _of_list(items[middle:], test, decisive)

    return (logic.or_ if decisive else logic.and_)(found, (others,))


def _in_range(numbers: iteration.Range, item: Any) -> Any:
    offset, length = item - numbers.start, numbers.length()
    index = offset // numbers.step
    further = (lambda: truth(index >= 0), lambda: truth(index < length))
    return logic.and_(truth(offset % numbers.step == 0), further)


def _either(items: Iterator[Any], decisive: bool, watch: Watch = no_watch) -> Any:
    """`any` or `all` of some items, which are computed as far as they must be known: a bool."""
    for item in items:
        predicate = truth(item)
        if not isinstance(predicate, bool):
            return _either_staged(predicate, items, decisive, watch)
        if predicate is decisive:
            return decisive
    return not decisive


def _either_staged(predicate: Any, rest: Iterator[Any], decisive: bool, watch: Watch) -> Any:
    refuse_to_leave(rest)

    def known() -> bool:
        return decisive

    def further() -> Any:
        return _either(rest, decisive, watch)

    body, orelse = (known, further) if decisive else (further, known)
    return branches.cond(predicate, body, orelse, (), ("the result of any() or all()",), watch)


def _watching(items: GeneratorType[Any, Any, Any]) -> Watch:
    """Watch what a generator reaches, but for what it runs over: only it advances that."""
    function = next(f for f in gc.get_referents(items) if isinstance(f, FunctionType))
    frame = items.gi_frame
    assert frame is not None, "it has given an item and may give more"
    known = {name: value for name, value in frame.f_locals.items() if name != ".0"}

    def watching(block: Block, inputs: Sequence[Any], names: Names) -> BlockRecorder:
        return BlockRecorder(function, tuple(known.values()), tuple(known))

    return watching


def _deciding(name: str, reduce: Callable[..., Any], decisive: bool) -> Callable[..., Any]:
    def builtin(items: Any) -> Any:
        if isinstance(items, SymbolicTensor) and items.ndim == 1:
            false: Any = "" if items.dtype is dtypes.string else 0
            truths = items if items.dtype.is_bool else ops.not_equal(items, false)
            return _bool(reduce(truths))
        if isinstance(items, autograph.Rest):
            return _either(items.items, decisive, _watching(items.generator))
        source = iteration.staged(items)
        if source is not None and (
            iteration.asks_behind(source) or iteration.has_open_length(source)
        ):
            return _decided_by(source, decisive, truth, name)
        return _of_list(elements(items, name), lambda each: each, decisive)

    return builtin


def _decided_by(source: Staged, decisive: bool, test: Callable[[Any], Any], name: str) -> Any:
    """`any` or `all` of a test of elements that a function computes: it is called for no more of
    them than Python calls it for.
    """

    def one_round(item: Any, found: Any) -> Any:
        return _bool(test(item))

    def undecided(found: Any) -> Any:
        return logic.not_(found) if decisive else found

    names = (f"the result of {name}()",)
    return iteration.for_loop(source, one_round, (not decisive,), names, undecided, BlockRecorder)


def elements(items: Any, function: str) -> list[Any]:
    """The elements of something iterable whose number is known while tracing.

    Raises StagingError where only the run knows the number.
    """
    source = iteration.staged(items)
    return list(items) if source is None else list(_one_by_one(source, function))


WRITTEN_OUT = 16
"""The most rounds of a comprehension over a tensor that are written out one by one."""


def known_elements(items: Any) -> Iterator[Any] | None:
    """The elements of something iterable whose length is known and small; else None."""
    source = iteration.staged(items)
    if source is None or source.streams:
        return None
    length = source.length()
    return None if is_symbol(length) or length > WRITTEN_OUT else _one_by_one(source, "list")


_LOOP = "write a `for` loop over it, or use an op on the tensor"


def _one_by_one(source: Staged, function: str, way_out: str = _LOOP) -> Iterator[Any]:
    """The elements, each computed as it is asked for; StagingError as `elements`."""
    iteration.use(source)
    length = _known_length(source, function, way_out)

    def found() -> Iterator[Any]:
        for index in range(length):
            yield source.at(index)
        iteration.drain(source, length)

    return found()


def _known_length(source: Staged, function: str, way_out: str = _LOOP) -> int:
    length = source.length()
    if is_symbol(length):
        raise refuse(f"{function} is given a sequence whose length only the run knows", way_out)
    return int(length)


def _tuple(items: Any = ()) -> tuple[Any, ...]:
    return tuple(elements(items, "tuple"))


def _of_nothing(function: Callable[..., Any]) -> str:
    """The text of Python's error for no items: another one from 3.12 on."""
    try:
        function(())
    except ValueError as error:
        return str(error)
    raise AssertionError


EMPTY = {"max": _of_nothing(max), "min": _of_nothing(min)}
"""The texts of the errors that `max` and `min` of nothing end in."""


def _extreme(name: str, tensor_op: Callable[..., Any]) -> Callable[..., Any]:
    def builtin(*args: Any, key: Any = None, **default: Any) -> Any:
        vector = args[0] if len(args) == 1 and key is None else None
        if isinstance(vector, SymbolicTensor) and vector.ndim == 1:
            return _extreme_of(name, tensor_op, vector, default)
        if len(args) == 1 and (
            isinstance(key, Order) or iteration.has_open_length(iteration.staged(args[0]))
        ):
            return extreme(args[0], max if name == "max" else min, key, default)
        items = elements(args[0], name) if len(args) == 1 else [*args]
        if not items and default:
            return default["default"]
        if not items:
            raise ValueError(EMPTY[name])
        found: Any = None
        for item in items:  # no generator, in which a StopIteration of the key is another error
            keyed = item, item if key is None else key(item)
            found = keyed if found is None else _pick(name, found, keyed)
        return found[0]

    return builtin


def _extreme_of(
    name: str, tensor_op: Callable[..., Any], vector: Any, default: dict[str, Any]
) -> Any:
    def empty() -> Any:
        if default:
            return default["default"]
        raise ValueError(EMPTY[name])

    def best() -> Any:
        if vector.dtype.is_bool:
            return (ops.reduce_any if name == "max" else ops.reduce_all)(vector)
        return _best_float(name, vector) if vector.dtype.is_floating else tensor_op(vector)

    length = iteration.length_of(vector)
    if not is_symbol(length):
        return best() if length else empty()
    return branches.cond(length > 0, best, empty, (), (f"the {name}",))


def _best_float(name: str, vector: Any) -> Any:
    """The first of equals, also of 0.0 and -0.0; a NaN only in front, behind which none is better,
    as in Python.
    """
    worst, reduce = (-math.inf, ops.reduce_max) if name == "max" else (math.inf, ops.reduce_min)
    known = ops.where(ops.is_nan(vector), convert_to_tensor(worst, vector.dtype), vector)
    # Loops over all elements, of which machine code takes several at once, other than argmax's.
    count = ops.size(vector, dtypes.int64)
    places = ops.where(ops.equal(known, reduce(known)), ops.range(count), count)
    first = ops.where(ops.is_nan(vector[0]), ops.zeros_like(count), ops.reduce_min(places))
    return vector[first]


def _pick(name: str, best: tuple[Any, Any], item: tuple[Any, Any]) -> tuple[Any, Any]:
    """The better one of two, each with its key."""
    # The first of equals wins, as in Python; a NaN stays where Python leaves it.
    a, b = best[1], item[1]
    predicate = truth(compared(operator.lt, *((a, b) if name == "max" else (b, a))))
    if isinstance(predicate, bool):
        return item if predicate else best
    result = f"the result of {name}()"
    # Of two objects the better one may be changed afterwards, and both be known by other names.
    watch = BlockRecorder if is_container(best[0]) or is_container(item[0]) else no_watch
    if a is best[0] and b is item[0]:
        found = branches.cond(
            predicate, lambda *, of=item: of[0], lambda *, of=best: of[0], (), (result,), watch
        )
        return found, found
    names = result, f"the key of {result}"
    found = branches.cond(predicate, lambda *, of=item: of, lambda *, of=best: of, (), names, watch)
    return found[0], found[1]


def _sum(items: Any, start: Any = 0) -> Any:
    source = iteration.staged(items)
    if not iteration.has_open_length(source):
        return functools.reduce(operator.add, elements(items, "sum"), start)
    return iteration.for_loop(source, lambda item, total: total + item, (start,), ("the sum",))


def _prod(items: Any, *, start: Any = 1) -> Any:
    source = iteration.staged(items)
    if not iteration.has_open_length(source):
        return functools.reduce(operator.mul, elements(items, "prod"), start)
    return iteration.for_loop(
        source, lambda item, product: product * item, (start,), ("the product",)
    )


def _pow(base: Any, exponent: Any, modulo: Any = None) -> Any:
    if modulo is None:
        return base**exponent
    given = base, exponent, modulo
    row = numbers.POWER_MODULO
    return apply_number(row, *given) if all(map(is_number, given)) else ops.power_modulo(*given)


def _round(value: Any, ndigits: Any = None) -> Any:
    if isinstance(value, SymbolicArray) and value.static_shape == () and ndigits is not None:
        return value.round(ndigits)
    if isinstance(value, Tensor):
        value = _to_number("float" if value.dtype.is_floating else "int")(value)
    if not is_number(value) and not hasattr(type(value), "__round__"):
        raise TypeError(f"type {type(value).__name__} doesn't define __round__ method")
    if ndigits is None:
        return round(value)
    if not is_number(value):
        return value.__round__(ndigits)
    return apply_number(numbers.ROUND_TO, value, index_of(ndigits))


def _combined(
    name: str, plain: Callable[..., Any], build: Callable[[list[Staged]], Staged]
) -> Callable[..., Any]:
    def builtin(*args: Any) -> Any:
        parts = [iteration.staged(item) for item in args]
        if any(map(iteration.has_open_length, parts)):
            pairs = zip(args, parts, strict=True)
            parts = [iteration.of_plain(x) if part is None else part for x, part in pairs]
        if all(part is not None for part in parts):
            return build([part for part in parts if part is not None])
        if any(part is not None and part.streams for part in parts):
            raise refuse(
                f"{name} is given a dataset or its iterator beside plain items, and only the run "
                "knows which of them ends first",
                "make a tensor of the plain items: rt.constant([...])",
            )
        # Plain items beside staged ones: as many rounds as there are plain items.
        pairs = zip(args, parts, strict=True)
        way_out = "give it a list of the plain items, or write a `for` loop over it"
        return plain(
            *[
                # A loop over a list goes by its places where it is one of the graph.
                x if part is None or _is_list(x) else _one_by_one(part, name, way_out)
                for x, part in pairs
            ]
        )

    return builtin


def _is_list(items: Any) -> bool:
    return isinstance(items, Growing) and items.plain is list


def _zip(*args: Any, strict: bool = False) -> Any:
    build = _strict_zip if strict else iteration.Zip
    return _combined("zip", functools.partial(zip, strict=strict), build)(*args)


def _strict_zip(parts: list[Staged]) -> Staged:
    if any(part.streams for part in parts):
        raise refuse(
            "zip is given strict=True and a dataset or its iterator, which has no length",
            "use Dataset.zip, or leave out strict=True",
        )
    return iteration.Zip(parts, strict=True)


def _enumerate(items: Any, start: Any = 0) -> Any:
    if isinstance(start, SymbolicTensor | SymbolicNumber):
        index_of(start)  # raises Python's error
    source = iteration.staged(items)
    if source is not None:
        return iteration.Enumerate(source, start)
    return zip(_counting(start), items, strict=False)


def _counting(start: Any) -> Any:
    while True:
        yield start
        start = start + 1


def _map(function: Callable[..., Any], *args: Any) -> Any:
    return _combined(
        "map", functools.partial(map, function), lambda parts: iteration.Map(function, parts)
    )(*args)


def _iter(items: Any, *sentinel: Any) -> Any:
    if isinstance(items, Growing) and not sentinel:
        return generator(items, iter)
    return NotImplemented if not isinstance(items, Streamed) else items._staged_iter()


def _next(given: Any, *default: Any) -> Any:
    items = present(given)
    if isinstance(items, StreamedIterator):
        if not default:
            return items._staged_next()
        label = "the result of next()"
        return branches.cond(items._advance(), items._current, lambda: default[0], (), (label,))
    if not isinstance(items, Staged):
        if items is given:
            return NotImplemented
        raise refuse(
            "next() is given an iterator that is None on some path, as only the run knows",
            "make it on every path, iter([]) where there is nothing to take",
        )
    raise refuse(
        f"next() is given a staged {type(items).__name__.lower()}: how far it has come, only the "
        "run knows",
        "loop over it, or take items of the tensor by their index",
    )


def end_where(is_over: Any, error: BaseException) -> None:
    """Raise this for an iterator without another element, at run time, where it is over."""
    branches.cond(is_over, lambda: end(error), lambda: None, (), ())


def _reversed(items: Any) -> Any:
    if isinstance(items, iteration.PythonIterator):
        raise TypeError(f"{items.kind.__name__!r} object is not reversible")
    if isinstance(items, Growing):
        reversed(items.plain())  # Python's error of a set
    source = iteration.staged(items)
    return NotImplemented if source is None else iteration.Reversed(source)


def staged_math(row: Any, args: tuple[Any, ...]) -> Any:
    """A function of `math` on numbers and tensors with one element."""
    items = [
        _to_number("float" if a.dtype.is_floating else "int")(a) if isinstance(a, Tensor) else a
        for a in [read(present(arg)) for arg in args]
    ]
    return apply_number(row, *items)


def _isclose(a: Any, b: Any, *, rel_tol: Any = 1e-09, abs_tol: Any = 0.0) -> Any:
    return staged_math(numbers.MATH[math.isclose], (a, b, rel_tol, abs_tol))


def _dist(p: Any, q: Any) -> Any:
    a, b = (_tuple(each) if autograph.backend_of(each) else tuple(each) for each in (p, q))
    if len(a) != len(b):
        raise ValueError("both points must have the same number of dimensions")
    to_float = _to_number("float")
    differences = [to_float(x) - to_float(y) for x, y in zip(a, b, strict=True)]
    return staged_math(numbers.MATH[math.hypot], tuple(differences))


def _of_number(function: Callable[[Any], str]) -> Callable[[Any], Any]:
    return lambda value: texts.unchecked(function, index_of(value))


def _ord(value: Any) -> Any:
    return texts.answer(ord, value)


COMPARISONS = (operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge)
OF_OBJECTS = (
    dataclasses.asdict, dataclasses.astuple, dataclasses.fields, dataclasses.replace,
)  # fmt: skip
"""Functions that look into an object in other ways than by its attributes."""
OF_ANYTHING = (dataclasses.is_dataclass,)
"""Such that have an answer for None, too."""

TEXTS = (str, repr, ascii, format, str.format, str.join)
BUILTINS: dict[Callable[..., Any], Callable[..., Any]] = {
    abs: operator.abs,
    all: _deciding("all", ops.reduce_all, False),
    any: _deciding("any", ops.reduce_any, True),
    bool: _bool,
    divmod: divmod,
    enumerate: _enumerate,
    exception: exception,  # of what may be None it is what is there
    managers.itself: managers.itself,
    float: _to_number("float"),
    int: _int,
    iter: _iter,
    len: _len,
    map: _map,
    next: _next,
    max: _extreme("max", ops.reduce_max),
    min: _extreme("min", ops.reduce_min),
    operator.concat: operator.add,
    operator.contains: _contains,
    operator.iconcat: operator.iadd,
    operator.mod: texts.percent,
    operator.index: index_of,
    operator.is_: identical,
    **{operation: functools.partial(compared, operation) for operation in COMPARISONS},
    math.dist: _dist,
    math.isclose: _isclose,
    math.prod: _prod,
    pow: _pow,
    print: print_staged,
    range: _range,
    reversed: _reversed,
    **{function: functools.partial(texts.make, function) for function in TEXTS},
    **{method: functools.partial(texts.make, method) for method in texts.OF_ERRORS},
    **TYPE_TESTS,
    **{function: function for function in OF_OBJECTS},
    dataclasses.is_dataclass: functools.partial(of_each, dataclasses.is_dataclass),
    **{function: _of_number(function) for function in (bin, chr, hex, oct)},
    ord: _ord,
    round: _round,
    sum: _sum,
    tuple: _tuple,
    zip: _zip,
}
TAKES_MISSING = frozenset((
    operator.is_, operator.contains, bool, len, next, print, *OF_ANYTHING, *TYPE_TESTS, *TEXTS,
    operator.mod,
))  # fmt: skip
TAKES_TEXT = frozenset((
    int, float, len, list, operator.getitem, operator.concat, operator.iconcat,
    ord, map, enumerate, zip, reversed, tuple, any, all, max, min, sorted, given_all, taken_apart,
))  # fmt: skip
"""Those that take a text of the run, or its characters one by one."""
