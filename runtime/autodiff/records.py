"""The records that a tape keeps of ops, and the backward pass through them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

import runtime.ops as ops
from runtime.core.dataclasses import dataclass
from runtime.core.primitive import TABLE, Primitive, bind
from runtime.core.shapes import Shape
from runtime.core.state import state
from runtime.core.tensor import EagerTensor, Tensor
from runtime.core.types import TensorType
from runtime.dtypes import DType
from runtime.ops.indexed_slices import Slices, dense, summed

# Tensors and variables are known to tapes by keys. A record is a tuple that begins with the key of
# the op's output, flat because each tuple more is one more object for the garbage collector. Its
# length tells the rest:
# 2: the key of a variable, of which the output is the value;
# 5: of an elementwise op of one input: its key, the partial derivative, and input and output where
#    that reads them;
# 9: of an elementwise op of two inputs: their keys (None: not connected), the two partial
#    derivatives, inputs and output where they read them, and the shapes of the inputs;
# 6: of any other op: the keys of the inputs, the primitive, inputs, outputs, params; the key of the
#    output may be a tuple of several.
Record = tuple[Any, ...]

UNSENT: Any = object()
"""The gradient for a source that the target depends on in other runs of a graph, not in this one.
"""


def as_it_is(item: Any) -> Any:
    """A symbol for what one stands for now, whatever is assigned to its items later."""
    twin = getattr(item, "twin", None)
    return item if twin is None else twin()


def another(item: Any) -> Any:
    """Another tensor or symbol with the same value: items assigned to one are not the other's."""
    return item.snapshot() if isinstance(item, EagerTensor) else as_it_is(item)


def distinct(found: list[Any], others: Sequence[Any]) -> list[Any]:
    """Gradients, each another object than the rest of them and than `others`."""
    all_ids = [*map(id, found), *map(id, others)]
    seen = set(all_ids)
    if len(seen) == len(all_ids):
        return found
    seen = set(map(id, others))
    made = []
    for item in found:
        if item is not None and id(item) in seen:
            item = another(item)
        seen.add(id(item))
        made.append(item)
    return made


def replaced(record: Record, item: Any, other: Any) -> Record:
    """A record that keeps `other` in place of a tensor."""
    if len(record) != 6:
        is_kept = any(part is item for part in record[3:])
        return tuple([other if part is item else part for part in record]) if is_kept else record
    head, (inputs, outputs) = record[:3], record[3:5]
    if not any(part is item for part in (*inputs, *outputs)):
        return record
    kept_now = [[other if part is item else part for part in parts] for parts in (inputs, outputs)]
    return (*head, *kept_now, record[5])


class ShapeOnlyTensor(Tensor):
    """A shape-only tensor: the dtype and shape of one whose value no gradient reads.

    `raw` is an array without storage of its own; where it is floating it is full of NaN, so that a
    rule which reads a value that its row does not declare shows.
    """

    __slots__ = ("dtype", "static_shape")
    dtype: DType
    static_shape: Shape

    def __init__(self, dtype: DType, static_shape: Shape) -> None:
        self.dtype = dtype
        self.static_shape = static_shape

    @property
    def type(self) -> TensorType:
        """dtype and shape."""
        return TensorType(self.dtype, self.static_shape)

    @property
    def raw(self) -> Any:
        """An array of this dtype and shape, without values."""
        dtype = self.dtype
        value = np.array(np.nan if dtype.kind in "fc" else 0, dtype.np_dtype)
        return np.broadcast_to(value, self.static_shape)  # type: ignore[arg-type]


@dataclass(slots=True, eq=False, repr=False)
class Operation:
    """A recorded op, as gradient rules see it."""

    inputs: Sequence[Any]
    outputs: Sequence[Any]
    params: dict[str, Any]
    sources: Any
    # Does it stand in a region that was left, so that symbols which rules keep are out of reach?
    is_inner = False

    @property
    def needed(self) -> list[bool]:
        """For each input, whether its gradient is used."""
        return [key is not None for key in self.sources]


def kept(tensors: Sequence[Any], places: Sequence[int] | None) -> Sequence[Any]:
    """The tensors, those at other places than `places` (None: all) without their values."""
    if places is None:
        return tensors
    return [
        tensor if place in places else ShapeOnlyTensor(tensor.dtype, tensor.static_shape)
        for place, tensor in enumerate(tensors)
    ]


# The partial derivative of the op, elementwise, that slices pass.
NEGATED = TABLE["neg"].partials[0]  # type: ignore[index]

Step = Callable[[Record, "Sums", set[Any], dict[Any, Any]], None]
"""The backward pass over the record of any op."""


def backward(
    records: list[Any], grads: dict[Any, Any], wanted: set[Any], step: Step | None = None
) -> dict[Any, Any]:
    """The gradients for the keys in `wanted`, from `grads` for the targets. It uses up the records,
    last first, so that what they keep is released on the way.
    """
    step = step or _step
    found: dict[Any, Any] = {}
    sums = Sums(grads)
    take, known, add, unsent = grads.pop, grads.get, sums.add, sums.unsent
    records.insert(0, None)
    # One loop without calls of our own: it is what a gradient of small ops spends its time in.
    for record in iter(records.pop, None):
        size = len(record)
        if size == 6:
            step(record, sums, wanted, found)
            continue
        grad = take(record[0], None)
        if grad is None:
            if unsent:
                sums.pass_on(record)
            continue
        if record[0] in wanted:
            found[record[0]] = grad
        if type(grad) is Slices and size != 2 and record[2] is not NEGATED:
            grad = grad.dense()
        second = None
        if size == 9:
            _, first, second, partials, a, b, y, shape, other_shape = record
            if second is not None:
                other = partials[1](a, b, y, grad)
                if other is not None and other.raw.shape != other_shape:
                    other = bind(ops.sum_to_p, other, shape=other_shape)
            if first is not None:
                result = partials[0](a, b, y, grad)
                if result is not None and result.raw.shape != shape:
                    result = bind(ops.sum_to_p, result, shape=shape)
        elif size == 5:
            _, first, partial, x, y = record
            result = partial(x, y, grad)
        else:
            first, result = record[1], grad
        if first is not None and result is not None:
            before = known(first)
            grads[first] = result if before is None else add(first, before, result)
        if second is not None and other is not None:
            before = known(second)
            grads[second] = other if before is None else add(second, before, other)
    found.update((key, grads[key]) for key in wanted if key in grads)
    return dict.fromkeys(wanted & unsent, UNSENT) | found if unsent else found


class Sums:
    """Gradients of what is used several times: `grads`, which of them are sums made here, and
    in graphs the `Sent` of those that may not be sent. Outside of them, what is `unsent`.
    """

    __slots__ = ("grads", "owned", "sent", "unsent")

    def __init__(self, grads: dict[Any, Any]) -> None:
        self.grads = grads
        self.owned: set[Any] = set()
        self.sent: dict[Any, Any] = {}
        self.unsent: set[Any] = set()

    def pass_on(self, record: Record) -> None:
        """Note that what is not sent to the output of an op is not sent to its inputs."""
        target = record[0]
        if not self.unsent.isdisjoint(target if type(target) is tuple else (target,)):
            sources = record[1] if len(record) == 6 else record[1 : 3 if len(record) == 9 else 2]
            self.unsent.update(sources if type(sources) is tuple else (sources,))
            self.unsent.discard(None)

    def add(self, key: Any, before: Any, result: Any) -> Any:
        """The sum; in place, where `before` was made here, so that nobody else sees it."""
        if type(before) is Slices or type(result) is Slices:
            return summed(before, result)
        if key not in self.owned:
            self.owned.add(key)
            return before + result
        into = before.raw if state.run is not None else None
        if type(into) is not np.ndarray or type(result) is not EagerTensor:
            return before + result
        state.quiet(np.add, into, result.raw, into)
        return before


def _step(record: Record, sums: Sums, wanted: set[Any], found: dict[Any, Any]) -> None:
    target, sources, primitive, inputs, outputs, params = record
    given = of_outputs(target if type(target) is tuple else (target,), sums.grads, wanted, found)
    if given is None:
        if sums.unsent:
            sums.pass_on(record)
        return
    if primitive.gradient is None:
        raise no_gradient(primitive)
    op = Operation(inputs, outputs, params, sources)
    results = primitive.sliced(op, *given) if primitive.sliced is not None else None
    if results is None:
        results = primitive.gradient(op, *map(dense, given))
    for key, result in zip(sources, results or (), strict=results is not None):
        if key is None or result is None:
            continue
        if result is UNSENT:
            sums.unsent.add(key)
        else:
            before = sums.grads.get(key)
            sums.grads[key] = result if before is None else sums.add(key, before, result)


def no_gradient(primitive: Primitive) -> LookupError:
    """The error for an op without a gradient rule."""
    return LookupError(
        f"No gradient is defined for the op {primitive.op_type}, which the target depends on: "
        "use tf.stop_gradient on what goes into it, or give one with tf.custom_gradient"
    )


def of_outputs(
    target: tuple[Any, ...], grads: dict[Any, Any], wanted: set[Any], found: dict[Any, Any]
) -> tuple[Any, ...] | None:
    """Returns the gradients that are given for the outputs of an op; None where there are none."""
    given = tuple([grads.pop(key, None) if key is not None else None for key in target])
    for key, grad in zip(target, given, strict=True):
        if grad is not None and key in wanted:
            found[key] = grad
    return given if any(grad is not None for grad in given) else None


def leading_to(records: Sequence[Record], sources: Iterable[Any]) -> list[Record]:
    """The records through which targets depend on `sources`, their other inputs disconnected."""
    reached = set(sources)
    chosen: list[Record] = []
    for record in records:
        target, size = record[0], len(record)
        if size == 6:
            keys = [key if key in reached else None for key in record[1]]
            record = (target, tuple(keys), *record[2:])
        elif size == 9:
            keys = [key if key in reached else None for key in record[1:3]]
            record = (target, *keys, *record[3:])
        else:
            keys = [record[1] if record[1] in reached else None]
        if any(keys):
            chosen.append(record)
            reached.update(target if type(target) is tuple else (target,))
            reached.discard(None)
    return chosen
