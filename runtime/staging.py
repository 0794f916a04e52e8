"""The Backend for symbols: how converted code stages its control flow into the graph that is being
traced.
"""

from __future__ import annotations

import builtins
import functools
import gc
import inspect
import operator
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from types import CodeType, FunctionType, GeneratorType, ModuleType
from typing import Any

import autograph
from autograph import (
    AutographError,
    Backend,
    StagingError,
    Undefined,
    converted_code,
    register_backend,
    register_identity,
    why_not_converted,
)
from autograph.frames import is_library
from autograph.mutable import kinds_of
from autograph.mutation import Snapshot
from autograph.ownership import taking_notes
from autograph.policy import impure
from autograph.undefined import name_of
from runtime import ops
from runtime.convert import convert_to_tensor
from runtime.graph import control, frames, iteration, joins, numbers, refusals
from runtime.graph.control import Block, Names, truth
from runtime.graph.identity import check_identity, identical
from runtime.graph.iteration import Staged
from runtime.graph.joins import MaybeNone, MaybeUndefined, Missing, bound, present
from runtime.graph.nodes import NUMBER_TYPES, PRINT
from runtime.graph.places import Watch, no_watch
from runtime.graph.refusals import refuse
from runtime.graph.structures import structure_of
from runtime.graph.tracing import (
    SymbolicNumber,
    SymbolicTensor,
    active,
    apply_number,
    is_number,
    is_symbol,
)
from runtime.primitive import state
from runtime.tensor import Tensor, wrap

frames.register_package(os.path.dirname(autograph.__file__))


_SUSPENDS = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


def _reason_of(code: CodeType) -> tuple[str, str] | None:
    """Why Python's own control flow runs in code of the user's, and the way out."""
    if converted_code(code) or code.co_flags & _SUSPENDS:
        return (
            f"Python itself asks here, in {code.co_name}",
            "write a `for`, `while` or `if` of its own for it, outside of comprehensions, `match`, "
            "callbacks, exits in a `finally`, and what holds a `yield` or an `await`; or use an op",
        )
    why = why_not_converted(code)
    if why is None:
        return _called_by_python(code)
    return f"{code.co_name} was not converted because {why}", "let it be converted, or do without"


def _called_by_python(code: CodeType) -> tuple[str, str] | None:
    trace = state.trace
    owner, _, name = code.co_qualname.rpartition(".")
    if trace is None or trace.converter is None or not owner or owner.endswith("<locals>"):
        return None
    kind = "operator" if name.startswith("__") else "property or method"
    return (
        f"the {kind} {code.co_qualname} is not converted, for Python itself calls it",
        f"put @autograph.convert on the class {owner.rpartition('.')[2]}",
    )


refusals.install(StagingError, AutographError, reason_of=_reason_of, converted=converted_code)
joins.install_undefined(Undefined, name_of)


class _Existed:
    """Did an object exist before the trace? What is global to the functions called did."""

    def __init__(self, before: Callable[[Any], bool]) -> None:
        self._before = before
        self.globals = Snapshot({})

    def __call__(self, item: Any) -> bool:
        return self._before(item) or self.globals.knows(item)


def _existed() -> _Existed:
    trace = active()
    if not isinstance(trace.existed, _Existed):
        trace.existed = _Existed(trace.existed)
    return trace.existed


class BlockRecorder:
    """Watches what a staged block does to Python objects, and refuses calls that a graph cannot
    repeat.
    """

    def __init__(self, block: Block, inputs: Sequence[Any], names: Names) -> None:
        roots = dict(zip(names, inputs, strict=False)) | {"": block}
        self._snapshot = Snapshot(roots, outer=_existed().globals)
        self._entered = ExitStack()
        self._block = block
        self.options: Any = None

    def __enter__(self) -> None:
        self._entered.enter_context(autograph.observe_calls(self._observe))
        self._entered.enter_context(taking_notes(self._snapshot.notes))
        if hasattr(self._block, "__code__"):
            self.options = self._entered.enter_context(autograph.loop_options(self._block))

    def __exit__(self, *exception: Any) -> None:
        self._entered.close()

    def _observe(self, function: Any, args: tuple[Any, ...]) -> Callable[..., Any] | None:
        if function is print:
            return _print
        reason = impure(function)
        if reason is not None:
            name = getattr(function, "__qualname__", repr(function))
            raise refuse(
                f"{name} inside a staged block {reason}",
                "call it before the block, or use an op of the library",
            )
        name = getattr(function, "__name__", "the callee")
        self._snapshot.add(name, function)
        receiver = getattr(function, "__self__", None)
        if not isinstance(receiver, ModuleType | None):
            _check_watched(receiver, name)
            self._snapshot.add(f"the {type(receiver).__qualname__} of {name}()", receiver)
        return None

    def release(self, results: tuple[Any, ...]) -> None:
        """Forget the objects that only the block's results hold, or nobody: it made them."""
        self._snapshot.release(results)

    def changed(self) -> list[tuple[str, Any]]:
        """The objects that are different, each with the path of its first difference."""
        if self._snapshot.beyond:
            raise refuse(
                f"a staged block can reach {self._snapshot.beyond[0]}, "
                "so that it cannot be watched for changes",
                "pass what the block needs as a tensor or a local variable",
            )
        found: dict[int, tuple[str, Any]] = {}
        for change in self._snapshot.changes():
            found.setdefault(id(change.object), (change.path, change.object))
        return list(found.values())

    def restore(self) -> None:
        """Put back what was there."""
        self._snapshot.restore()

    def knows(self, item: Any) -> bool:
        """Was the object within reach of the block before it?"""
        return self._snapshot.knows(item)


_CHANGING = frozenset((
    "add", "append", "appendleft", "clear", "discard", "extend", "feed", "insert", "pop",
    "popitem", "popleft", "push", "put", "put_nowait", "remove", "send", "set", "setdefault",
    "update", "write",
))  # fmt: skip


def _check_watched(receiver: Any, method: str) -> None:
    """StagingError for a method that, by its name, changes an object whose state nobody sees."""
    kind = type(receiver)
    if method not in _CHANGING or kinds_of(kind) or is_library(kind.__module__):
        return
    raise refuse(
        f"{method}() of a {kind.__qualname__} inside a staged block changes it once, while tracing",
        "call it before or behind the statement, or use a list, a dict or an attribute",
    )


def called(function: Any) -> Any:
    """What to call where a library function calls the user's: converted, if the trace converts."""
    trace = state.trace
    return function if trace is None else trace.called(function)


class StagingBackend(Backend):
    """Stages control flow into the active trace."""

    def cond(
        self, test: Any, body: Block, orelse: Block, inputs: tuple[Any, ...], names: Names
    ) -> Any:
        """A cond node; what the branches leave is joined."""
        return control.cond(test, body, orelse, inputs, names, BlockRecorder)

    def while_loop(
        self, test: Block, body: Block, state: tuple[Any, ...], names: Names, first: Any
    ) -> Any:
        """A while node; the types of the state are found by fixed point."""
        return control.while_loop(test, body, state, names, first, BlockRecorder)

    def for_loop(
        self,
        items: Any,
        body: Block,
        state: tuple[Any, ...],
        names: Names,
        test: Block | None = None,
    ) -> Any:
        """A while node over the rows of a tensor or the elements of a staged range."""
        return iteration.for_loop(present(items), body, state, names, test, BlockRecorder)

    def not_(self, a: Any) -> Any:
        """`not a`, a staged bool."""
        return control.not_(a)

    def and_(self, a: Any, *rest: Callable[[], Any]) -> Any:
        """`a and ...`: the further operands are computed only where they are needed."""
        return control.and_(a, rest, BlockRecorder)

    def or_(self, a: Any, *rest: Callable[[], Any]) -> Any:
        """`a or ...`: the further operands are computed only where they are needed."""
        return control.or_(a, rest, BlockRecorder)

    def assert_(self, test: Any, message: Callable[[], Any] | None) -> None:
        """A branch that raises AssertionError, which is an InvalidArgumentError too."""
        control.staged_assert(test, message, BlockRecorder)

    def setitem(self, value: Any, target: Any, key: Any) -> Any:
        """The tensor `target` with `value` at `key`."""
        return set_item(value, present(target), key)

    def defined(self, value: Any) -> Any:
        """A name that may be unbound: checked at run time."""
        return bound(value)

    def builtin(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """A builtin, or a function of math, with a staged argument."""
        staged = _BUILTINS.get(function)
        if staged is not None:
            if function not in _TAKES_MISSING:
                args = tuple(map(present, args))
            return staged(*args, **kwargs)
        row = numbers.MATH.get(function)
        return NotImplemented if row is None else _math(function, row, args)


BACKEND = StagingBackend()
for _kind in (SymbolicTensor, SymbolicNumber, Missing, Staged):
    register_backend(_kind, BACKEND)
register_identity(check_identity)


# Item assignment


def set_item(value: Any, target: Any, key: Any) -> Any:
    """`target[key] = value` for a tensor: the new tensor.

    Raises StagingError for a Python container, which a staged key cannot index.
    """
    if not isinstance(target, Tensor):
        raise refuse(
            f"an item of a {type(target).__qualname__} is assigned at a staged place",
            "use a tensor in place of the Python container",
        )
    return ops.setitem(target, key, value)


# Builtins


def _tensor_or_number(number: Callable[[Any], Any], tensor: Callable[[Any], Any]) -> Any:
    def builtin(value: Any) -> Any:
        return number(value) if is_number(value) else tensor(value)

    return builtin


def _to_number(kind: str) -> Callable[..., Any]:
    row = numbers.CONVERSIONS[kind]

    def builtin(value: Any) -> Any:
        if is_number(value):
            return apply_number(row, value)
        trace = active()
        return trace.apply(numbers.ITEMS[kind], (trace.value_of(convert_to_tensor(value)),))

    return builtin


def _int(value: Any, base: Any = None) -> Any:
    if base is not None:
        raise refuse("int() with a base is given a staged value", "convert the text before")
    return _to_number("int")(value)


def _bool(value: Any = False) -> Any:
    steer = truth(value)
    return steer if isinstance(steer, bool) else control.not_(control.not_(steer))


def _len(value: Any) -> Any:
    if isinstance(value, Staged):
        return value.length()
    if not isinstance(value, Tensor):
        raise TypeError(f"object of type {_name(value)!r} has no len()")
    return iteration.length_of(value)


def _name(value: Any) -> str:
    return str(value.type.kind) if isinstance(value, SymbolicNumber) else type(value).__name__


def _range(*bounds: Any) -> Any:
    return iteration.Range(*[_index(bound) for bound in bounds])


def _index(value: Any) -> Any:
    """What Python's `operator.index` gives: a Python or staged int."""
    if isinstance(value, SymbolicTensor):
        if not value.dtype.is_integer:
            raise TypeError(
                f"only integer scalar tensors can be converted to an index, got {value.type}"
            )
        return _to_number("int")(value)
    if isinstance(value, SymbolicNumber):
        if value.type.kind == "float":
            raise TypeError("'float' object cannot be interpreted as an integer")
        return value
    return operator.index(value)


def _of_optional(test: Callable[[Any], bool], value: Any) -> Any:
    """`test(value)`, staged where the value may be None and that makes a difference."""
    if isinstance(value, MaybeUndefined):
        return _of_optional(test, value.get())
    if not isinstance(value, MaybeNone):
        return test(value)
    held, absent = _of_optional(test, value.held), test(None)
    label = "a test of an optional value"
    return control.cond(value.flag, lambda: held, lambda: absent, (), (label,))


def _isinstance(value: Any, classes: Any) -> Any:
    return _of_optional(lambda given: _is_instance(given, classes), value)


def _callable(value: Any) -> Any:
    return _of_optional(callable, value)


def _hasattr(value: Any, name: str) -> Any:
    return _of_optional(lambda given: hasattr(given, name), value)


def _is_instance(value: Any, classes: Any) -> bool:
    if isinstance(value, SymbolicNumber):
        kinds = {"bool": bool, "int": int, "float": float}
        return issubclass(kinds[value.type.kind], classes)
    return isinstance(value, classes)


def _type(value: Any, *others: Any) -> Any:
    if others:
        return NotImplemented
    if isinstance(value, MaybeUndefined):
        return _type(value.get())
    if isinstance(value, MaybeNone):
        raise refuse(
            "the class of a value that is None on one path is known only at run time",
            "test it by `isinstance(x, ...)` or `x is None`",
        )
    kinds = {"bool": bool, "int": int, "float": float}
    return kinds[value.type.kind] if isinstance(value, SymbolicNumber) else type(value)


def _contains(container: Any, item: Any) -> Any:
    container = present(container)
    if isinstance(container, iteration.Range):
        return _in_range(container, present(item))
    if isinstance(container, SymbolicTensor):
        return ops.reduce_any(ops.equal(container, present(item)))
    if not isinstance(container, list | tuple | set | frozenset | range):
        return NotImplemented
    elements = list(container)
    return _either((item == each for each in elements), decisive=True)


def _in_range(numbers: iteration.Range, item: Any) -> Any:
    offset, length = item - numbers.start, numbers.length()
    index = offset // numbers.step
    further = (lambda: truth(index >= 0), lambda: truth(index < length))
    return control.and_(truth(offset % numbers.step == 0), further)


def _either(items: Iterator[Any], decisive: bool, watch: Watch = no_watch) -> Any:
    """`any` or `all` of some items, which are computed as far as they must be known: a bool."""
    for item in items:
        steer = truth(item)
        if not isinstance(steer, bool):
            return _either_staged(steer, items, decisive, watch)
        if steer is decisive:
            return decisive
    return not decisive


def _either_staged(steer: Any, rest: Iterator[Any], decisive: bool, watch: Watch) -> Any:
    def known() -> bool:
        return decisive

    def further() -> Any:
        return _either(rest, decisive, watch)

    body, orelse = (known, further) if decisive else (further, known)
    return control.cond(steer, body, orelse, (), ("the result of any() or all()",), watch)


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
            truths = items if items.dtype.is_bool else ops.not_equal(items, 0)
            return _bool(reduce(truths))
        if isinstance(items, autograph.Rest):
            return _either(items.items, decisive, _watching(items.generator))
        return _either(iter(elements(items, name)), decisive)

    return builtin


def elements(items: Any, function: str) -> list[Any]:
    """The elements of something iterable whose number is known while tracing.

    Raises StagingError where only the run knows the number.
    """
    source = iteration.staged(items)
    if source is None:
        return list(items)
    length = source.length()
    if is_symbol(length):
        raise refuse(
            f"{function} is given a sequence whose length only the run knows",
            "write a `for` loop over it, or use an op on the tensor",
        )
    return [source.at(index) for index in range(length)]


def _listed(kind: Callable[[Any], Any]) -> Callable[..., Any]:
    def builtin(items: Any = ()) -> Any:
        return kind(elements(items, kind.__name__))

    return builtin


def _extreme(name: str, tensor_op: Callable[..., Any]) -> Callable[..., Any]:
    def builtin(*args: Any, key: Any = None, **default: Any) -> Any:
        items = elements(args[0], name) if len(args) == 1 else [*args]
        if (
            len(args) == 1
            and isinstance(args[0], SymbolicTensor)
            and key is None
            and args[0].ndim == 1
        ):
            return tensor_op(args[0])
        if not items and default:
            return default["default"]
        if not items:
            raise ValueError(f"{name}() arg is an empty sequence")
        return functools.reduce(functools.partial(_pick, name, key or _itself), items)

    return builtin


def _itself(value: Any) -> Any:
    return value


def _pick(name: str, key: Callable[[Any], Any], best: Any, item: Any) -> Any:
    # The first of equals wins, as in Python; a NaN stays where Python leaves it.
    a, b = key(best), key(item)
    steer = truth(b > a if name == "max" else b < a)
    if isinstance(steer, bool):
        return item if steer else best
    return control.cond(steer, lambda: item, lambda: best, (), (f"the result of {name}()",))


def _sum(items: Any, start: Any = 0) -> Any:
    source = iteration.staged(items)
    if source is None or not is_symbol(source.length()):
        return functools.reduce(operator.add, elements(items, "sum"), start)
    return iteration.for_loop(source, lambda item, total: total + item, (start,), ("the sum",))


def _divmod(a: Any, b: Any) -> Any:
    return divmod(a, b) if is_number(a) and is_number(b) else (a // b, a % b)


def _pow(base: Any, exponent: Any, modulo: Any = None) -> Any:
    if modulo is not None:
        raise refuse(
            "pow() with a modulus is given a staged value", "write base ** exponent % modulus"
        )
    return base**exponent


def _round(value: Any, ndigits: Any = None) -> Any:
    if isinstance(value, Tensor):
        value = _to_number("float" if value.dtype.is_floating else "int")(value)
    return value.__round__(ndigits)


def _sorted(items: Any, **options: Any) -> Any:
    found = elements(items, "sorted")
    keys = [options["key"](item) for item in found] if options.get("key") else found
    if any(is_symbol(key) for key in keys):
        raise refuse(
            "sorted() is given staged values: their order is known only at run time",
            "make a tensor of them and use tf.sort or tf.argsort",
        )
    return sorted(items if iteration.staged(items) is None else found, **options)


def _sequence_of(items: Any) -> Staged | None:
    return iteration.staged(items)


def _combined(
    name: str, plain: Callable[..., Any], build: Callable[[list[Staged]], Staged]
) -> Callable[..., Any]:
    def builtin(*args: Any) -> Any:
        parts = [iteration.staged(item) for item in args]
        if all(part is not None for part in parts):
            return build([part for part in parts if part is not None])
        # Plain items beside staged ones: as many rounds as there are plain items.
        return plain(
            *[
                item if part is None else elements(item, name)
                for item, part in zip(args, parts, strict=True)
            ]
        )

    return builtin


def _zip(*args: Any, strict: bool = False) -> Any:
    return _combined("zip", functools.partial(zip, strict=strict), iteration.Zip)(*args)


def _enumerate(items: Any, start: Any = 0) -> Any:
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


def _filter(function: Any, items: Any) -> Any:
    source = iteration.staged(items)
    return NotImplemented if source is None else iteration.Filter(function, source)


def _reversed(items: Any) -> Any:
    source = iteration.staged(items)
    return NotImplemented if source is None else iteration.Reversed(source)


def _print(
    *args: Any, sep: Any = None, end: Any = None, file: Any = None, flush: bool = False
) -> None:
    """`print`: at run time, with the run's values for the symbols in the arguments."""
    args = tuple([_image(item) for item in args])
    for place, item in enumerate(args):
        if isinstance(item, MaybeNone):
            _print_either(args, place, item, {"sep": sep, "end": end, "file": file, "flush": flush})
            return
    symbols: list[Any] = []
    for item in args:
        _symbols_in(item, symbols)

    def write(*values: Any) -> None:
        found = iter([_shown(value) for value in values])
        texts = [_filled(item, found) for item in args]
        builtins.print(*texts, sep=sep, end=end, file=file, flush=flush)

    trace = active()
    trace.append(PRINT, [trace.value_of(item) for item in symbols], (), {"write": write})


def _print_either(args: tuple[Any, ...], place: int, item: MaybeNone, options: Any) -> None:
    def there() -> None:
        _print(*args[:place], item.held, *args[place + 1 :], **options)

    def absent() -> None:
        _print(*args[:place], None, *args[place + 1 :], **options)

    control.cond(item.flag, there, absent, (), ())


def _image(item: Any) -> Any:
    """What is printed now: containers as they are at this moment."""
    item = bound(item)
    found = structure_of(item)
    if found is None:
        return item
    structure, children = found
    return structure.build([present(_image(child)) for child in children])


def _symbols_in(item: Any, found: list[Any]) -> None:
    if is_symbol(item):
        found.append(item)
        return
    for child in (structure_of(item) or ((), ()))[1]:
        _symbols_in(child, found)


def _filled(item: Any, values: Iterator[Any]) -> Any:
    if is_symbol(item):
        return next(values)
    found = structure_of(item)
    if found is None:
        return item
    structure, children = found
    return structure.build([_filled(child, values) for child in children])


def _shown(value: Any) -> Any:
    return value if type(value) in NUMBER_TYPES else wrap(value)


def _math(function: Callable[..., Any], row: Any, args: tuple[Any, ...]) -> Any:
    items = [
        _to_number("float" if a.dtype.is_floating else "int")(a) if isinstance(a, Tensor) else a
        for a in map(present, args)
    ]
    return apply_number(row, *items)


_BUILTINS: dict[Callable[..., Any], Callable[..., Any]] = {
    abs: operator.abs,
    all: _deciding("all", ops.reduce_all, False),
    callable: _callable,
    hasattr: _hasattr,
    any: _deciding("any", ops.reduce_any, True),
    bool: _bool,
    divmod: _divmod,
    enumerate: _enumerate,
    filter: _filter,
    float: _to_number("float"),
    int: _int,
    isinstance: _isinstance,
    len: _len,
    list: _listed(list),
    map: _map,
    max: _extreme("max", ops.reduce_max),
    min: _extreme("min", ops.reduce_min),
    operator.contains: _contains,
    operator.is_: identical,
    pow: _pow,
    print: _print,
    range: _range,
    reversed: _reversed,
    round: _round,
    sorted: _sorted,
    sum: _sum,
    tuple: _listed(tuple),
    type: _type,
    zip: _zip,
}
_TAKES_MISSING = frozenset((
    operator.is_, operator.contains, isinstance, callable, hasattr, type, bool, print,
))  # fmt: skip
