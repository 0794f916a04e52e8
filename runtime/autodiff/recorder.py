"""The recorders that ops are shown to while they are active on a thread."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from runtime.core.primitive import Primitive
from runtime.core.tensor import EagerTensor


class Recorder:
    """Something that ops are shown to while it is active; this one keeps nothing.

    `record` sees any op. Elementwise ops of eager tensors are computed first: then one of the other
    methods is given the result, an array, and makes the tensor `y` of it, if there is none yet.
    """

    __slots__ = ("__weakref__",)

    def beside(self, recorders: tuple[Recorder, ...]) -> Recorder:
        """Returns what stands for all these recorders, of which this is one."""
        return self if len(recorders) == 1 else _Several(recorders)

    def record(
        self,
        primitive: Primitive,
        inputs: Sequence[Any],
        outputs: Sequence[Any],
        params: dict[str, Any],
    ) -> None:
        """See an op that was computed or staged."""

    is_persistent = False

    def knows(self, item: Any) -> bool:
        """True if a tensor or variable is connected to what is watched."""
        return False

    def access(self, variable: Any) -> None:
        """See a variable of which a graph reads the value."""

    def control(self, handle: Any, outputs: Sequence[Any], behind: Any = ()) -> None:
        """See a node of control flow, or a call, that was staged. What is not to be seen in it is
        `behind` where it ended to see: the first outputs of these nodes.
        """

    def single(
        self, primitive: Primitive, x: Any, raw: Any, y: EagerTensor | None = None
    ) -> EagerTensor:
        """See an elementwise op of one tensor."""
        return EagerTensor(raw) if y is None else y

    def pair(
        self, primitive: Primitive, a: Any, b: Any, raw: Any, y: EagerTensor | None = None
    ) -> EagerTensor:
        """See an elementwise op of two tensors."""
        return EagerTensor(raw) if y is None else y

    def number(
        self,
        primitive: Primitive,
        x: Any,
        number: Any,
        first: bool,
        raw: Any,
        y: EagerTensor | None = None,
    ) -> EagerTensor:
        """See an elementwise op of a tensor and a Python number, which is its `first` operand."""
        return EagerTensor(raw) if y is None else y

    def read(self, variable: Any, raw: Any, y: EagerTensor | None = None) -> EagerTensor:
        """See a variable being read."""
        return EagerTensor(raw) if y is None else y


def _by_each(method: str) -> Any:
    """The method by which all of several recorders see an op, and share its result."""

    def see(self: _Several, *op: Any) -> EagerTensor:
        y = EagerTensor(op[-1])
        for recorder in self.recorders:
            getattr(recorder, method)(*op, y)
        return y

    return see


class _Several(Recorder):
    __slots__ = ("recorders",)

    def __init__(self, recorders: tuple[Recorder, ...]) -> None:
        self.recorders = recorders

    single = _by_each("single")
    pair = _by_each("pair")
    number = _by_each("number")
    read = _by_each("read")
