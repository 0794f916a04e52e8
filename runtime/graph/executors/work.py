"""Work, in seconds that are not measured: what statements take on the machine that the rates below
were found on. So a program whose calls are the same changes to machine code at the same places,
whatever else the machine does.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

CALL = 1e-6
"""A call of a program."""
REST = 3e-6
"""A call of a loop that is machine code, in a program that is not."""
COPIED = 2e-7
"""An item of a list that is handed to machine code."""
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

    first = 4
    """How many nodes loops and branches may run in a first call, for each node of the graph, before
    one more round makes it begin again as a program; 0 where all calls are programs.
    """

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
    what it has `spent`, of which some has `paid` for loops that are machine code. `callees` are
    told of each.
    """

    __slots__ = ("call", "callees", "paid", "spent")

    def __init__(self) -> None:
        self.call = CALL
        self.spent = 0.0
        self.paid = 0.0
        self.callees: list[Callable[[], None]] = []

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
        for called in self.callees:
            called()
        self.add(self.call)
