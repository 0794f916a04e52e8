"""Work, in seconds that are not measured: what statements take on the machine that the rates below
were found on. So a program whose calls are the same changes to machine code at the same places,
whatever else the machine does.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterable
from itertools import count

from runtime.core.types import TensorType
from runtime.graph.executors import lowered
from runtime.graph.executors.lowered import Block, Expression, Local, Statement
from runtime.graph.ir import Node

CALL = 1e-6
"""A call of a program."""
REST = 3e-6
"""A call of a loop that is machine code, in a program that is not."""
STATEMENT = 1.5e-8
"""A statement, and an op on numbers."""
KERNEL = 1e-6
"""A call of a kernel, but for its elements."""
ELEMENT = 5e-10
"""An element that a kernel makes."""
FLOP = 2e-11
"""An operation of a product of matrices, or a convolution."""
UNKNOWN = 64
"""A dimension that is not known, where no call tells it."""


class Patience:
    """Work after which there is machine code: that of all calls in a thread before the compiler is
    imported; that of a graph, or a loop, and as much for each node of it, before it is compiled.
    """

    importing = 0.08
    graph = 3e-3
    node = 3e-4

    beside = 0.05
    """As much for one graph, and it is compiled beside its calls."""

    @classmethod
    def of(cls, nodes: int) -> float:
        """The work that pays for compiling so many nodes."""
        return cls.graph + cls.node * nodes

    @classmethod
    def may_import(cls) -> bool:
        """Whether this thread has done as much as importing the compiler takes. What other threads
        did, or imported, is a matter of time, and does not count.
        """
        return _here.spent >= cls.importing


class _Thread(threading.local):
    spent = 0.0


_here = _Thread()


class Work:
    """The work of one program: of a `call`, without that of loops and of functions inside it, and
    what it has `spent`, of which some has `paid` for loops that are machine code.
    """

    __slots__ = ("_callees", "call", "paid", "spent")

    def __init__(self) -> None:
        self.call = CALL
        self.spent = 0.0
        self.paid = 0.0
        self._callees: list[_Callee] = []

    @property
    def left(self) -> float:
        """The work that may pay for compiling the whole graph."""
        return self.spent - self.paid

    def add(self, seconds: float) -> None:
        """Note what was done."""
        self.spent += seconds
        _here.spent += seconds

    def called(self) -> None:
        """Note a call, and what functions inside the ones before did."""
        seconds = self.call
        for callee in self._callees:
            seconds += callee.spent()
        self.add(seconds)

    def callee(self, body: Block) -> Callable[[], int]:
        """A function that a function inside calls in each of its calls, which counts them."""
        made = _Callee(CALL + work_of(body))
        self._callees.append(made)
        return made.count


class _Callee:
    """A function inside: `count` is called by each of its calls, and costs next to nothing."""

    def __init__(self, call: float) -> None:
        self.call = call
        self.count = count().__next__
        self._before = -1

    def spent(self) -> float:
        """The work of the calls since this was asked before."""
        now = self.count()
        calls, self._before = now - self._before - 1, now
        return calls * self.call


def work_of(block: Block) -> float:
    """The work of a block, without that of the iterations of loops in it."""
    return sum(map(_of_statement, block.statements)) + STATEMENT * len(block.results)


def _of_statement(statement: Statement) -> float:
    if isinstance(statement, lowered.Kernel):
        read = [each for each in statement.inputs if isinstance(each, Local)]
        elements = sum(_size(local.type) for local in (*read, *statement.targets))
        passes = statement.node.primitive.passes
        return KERNEL + ELEMENT * passes * elements + FLOP * _flops(statement.node)
    if isinstance(statement, lowered.Tile):
        return len(statement.kernels) * (KERNEL + ELEMENT * statement.size)
    if isinstance(statement, lowered.If):
        branches = sum(map(work_of, statement.blocks)) / len(statement.blocks)
        return STATEMENT + _of_ops(statement.inputs) + branches
    if isinstance(statement, lowered.Call | lowered.Native):
        return CALL
    return STATEMENT + _of_ops(statement.inputs)


def _of_ops(expressions: Iterable[Expression]) -> float:
    return STATEMENT * sum(each.size for each in expressions if isinstance(each, lowered.Apply))


def _flops(node: Node) -> int:
    shapes = [_shape(value.type) for value in (*node.inputs, *node.outputs)]
    if node.primitive.flops is None or None in shapes:
        return 0
    return node.primitive.flops(*shapes, **node.params)


def _size(type: object) -> int:
    return math.prod(_shape(type) or ())


def _shape(type: object) -> tuple[int, ...] | None:
    """A shape in which all is known, as it may be; None for unknown ranks."""
    shape = type.shape if isinstance(type, TensorType) else ()
    return None if shape is None else tuple(UNKNOWN if dim is None else dim for dim in shape)
