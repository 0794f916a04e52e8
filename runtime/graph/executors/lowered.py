"""The lowered form: what an executor takes, between the graph and the text or the code that it
makes of it.

    kernel  sum = reduce_sum(x, out=buffer)       a call of a kernel, and the memory that it has
    assign  n = unbox(sum)                        a number in a register
    loop    proceed = n > 1, n = n                control flow, and what it carries
        check   divisor k                         what must hold before the next statement
        assign  div = n // k
        ...
    return  box(n), x

A function is a block of statements. Each says what it reads (`inputs`, expressions) and what it
assigns (`targets`, locals); a local is assigned at one place, and once more by a check that wraps
it around. What branches and iterations hand on is in the results of their blocks, which are
assigned all at once. Nothing here knows what it will be written in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import field
from enum import Enum
from typing import Any

from runtime.core.dataclasses import dataclass
from runtime.core.forms import Form
from runtime.core.types import Type
from runtime.dtypes import DType
from runtime.graph.executors.ranges import Ranges
from runtime.graph.ir import Graph, Node, Value

# Expressions


@dataclass(slots=True, eq=False)
class Local:
    """A variable: a number in a register, an array or a list, or memory that the program keeps.

    Integers, truth values and strings of no dimension are unboxed: they are numbers and texts,
    where kernels take and give arrays. So are Python's numbers, of the types `py.int`, `py.float`
    and `py.bool`.

    is_number: it is a tensor, and unboxed.
    value: what it is in the graph, if it is something there.
    """

    name: str
    type: Any
    is_number: bool = False
    value: Value | None = None


@dataclass(slots=True, eq=False)
class Constant:
    """A known number or array: as expressions take it, and as kernels take it."""

    item: Any
    boxed: Any
    type: Type


@dataclass(slots=True, eq=False)
class Apply:
    """An op on numbers. `form` is how Python writes it, `node` says what it is.

    An integer may stand for the float that the node's input is, beside another float: arithmetic
    converts it. It is `movable` if it can be computed later, or never: it cannot fail, and reads no
    memory. `size` counts the ops in it.
    """

    form: Form
    operands: list[Expression]
    type: Type
    node: Node
    movable: bool = False
    size: int = 1


class Conversion(Enum):
    """The ways from one form of a value to another."""

    BOX = "a number as kernels take it, of a dtype"
    UNBOX = "the integer, or the string, in an array of no dimension"
    DECODE = "the text of a string, which may be other bytes"
    TEXT = "the array for a string that NumPy has taken out of one"
    COPY = "a copy of an array"
    FILL = "memory of the program's, with the elements of an array in it"
    TAKE = "an array of a free list, which nobody else holds"


@dataclass(slots=True, eq=False)
class Convert:
    """A value in another form."""

    conversion: Conversion
    operands: list[Expression]
    dtype: DType | None = None


Expression = Local | Constant | Apply | Convert


def leaves(expression: Expression) -> Iterator[Local]:
    """Yields the locals that an expression reads."""
    if isinstance(expression, Local):
        yield expression
    elif not isinstance(expression, Constant):
        for operand in expression.operands:
            yield from leaves(operand)


# Statements


@dataclass(slots=True, eq=False)
class Statement:
    """Something that is done: `node` is what it comes from, and where the user's line is found."""

    node: Node
    inputs: list[Expression]
    targets: list[Local]
    blocks: list[Block] = field(default_factory=list, kw_only=True)

    @property
    def memory(self) -> Sequence[Expression]:
        """The memory, and what else it reads beside its inputs."""
        return ()

    def reads(self) -> Iterator[Local]:
        """Yields the locals that it reads itself, not those that blocks inside it do."""
        for expression in (*self.inputs, *self.memory):
            yield from leaves(expression)


@dataclass(slots=True, eq=False)
class Block:
    """Statements in their order. What it hands on are the `results`; then the locals `before` are
    given the memory of those `after`: buffers swap names. A block that `diverges` has no end.
    """

    statements: list[Statement] = field(default_factory=list)
    results: list[Expression] = field(default_factory=list)
    before: list[Local] = field(default_factory=list)
    after: list[Local] = field(default_factory=list)
    diverges: bool = False


@dataclass(slots=True, eq=False)
class Assign(Statement):
    """One input, which the target is given."""


@dataclass(slots=True, eq=False)
class Kernel(Statement):
    """A call of a function on arrays.

    outs: the memory for each result; None for a new array.
    work: a workspace for what is needed only while it runs.
    direct: the function takes its operands and the memory of one result, and no parameters.
    owned: the memory of the first input is this program's own, which it may change.
    item: its result is a number, which must not be a view.
    """

    function: Callable[..., Any]
    outs: list[Expression | None]
    work: Local | None = None
    direct: bool = False
    owned: bool = False
    item: bool = False

    @property
    def memory(self) -> Sequence[Expression]:
        """The memory of its results, and its workspace."""
        given = (*self.outs, self.work)
        return [item for item in given if item is not None]


class Must(Enum):
    """The conditions that a check states of its inputs."""

    WRAP = "it is in the range of its dtype, or is wrapped around to it"
    FIT = "it is in the range of the dtype, or the kernel refuses it"
    BE_64_BIT = "it fits into 64 bits, or exact Python integers go on"
    DIVIDE = "a divisor: it is not zero"
    SHIFT = "a count of bits: it is not negative"
    INDEX = "an array, and a place in each of its first dimensions; negative ones from the end"


@dataclass(slots=True, eq=False)
class Check(Statement):
    """A condition. Where it does not hold, the node's own kernel tells what is wrong.

    Python's numbers check themselves all but WRAP and FIT. `low` and `high` are the sides on which
    a number may be out of the range of `dtype`.
    """

    must: Must
    dtype: DType | None = None
    low: bool = True
    high: bool = True
    refusal: Kernel | None = None


@dataclass(slots=True, eq=False)
class If(Statement):
    """One input, a test, and two blocks; the targets are given the results of the one that runs."""


@dataclass(slots=True, eq=False)
class Loop(Statement):
    """A loop of one block, which ends when the first of its targets is false. All targets are given
    the inputs, and at the end of each iteration the results of the block; `first` tells whether
    the first iteration is asked for, too.
    """

    first: bool = True


@dataclass(slots=True, eq=False)
class Call(Statement):
    """A call of the function of another graph."""

    callee: Graph


@dataclass(slots=True, eq=False)
class Native(Statement):
    """A call of machine code: `name` is that of the function, which the module has."""

    name: str


@dataclass(slots=True, eq=False)
class Raise(Statement):
    """The user's exception, of the values that are its inputs."""


@dataclass(slots=True, eq=False)
class Release(Statement):
    """Let go of what the inputs hold."""


@dataclass(slots=True, eq=False)
class Function:
    """A function: of a graph.

    `captured` are locals that stand for known arrays, `buffers` the memory that a call has for
    itself. If it has `buffers`, or kernels write over what others made, the `arrays` among its
    parameters must be C-contiguous. `ranges` are those of the integers in it.
    """

    name: str
    parameters: list[Local]
    captured: list[tuple[Local, Any]]
    buffers: list[Local]
    body: Block
    arrays: list[Local]
    ranges: Ranges


def blocks_of(block: Block) -> Iterator[Block]:
    """Yields a block, and those inside it."""
    yield block
    for statement in block.statements:
        for inner in statement.blocks:
            yield from blocks_of(inner)


def free_locals(block: Block) -> dict[Local, None]:
    """The locals that a block reads before it assigns them."""
    found: dict[Local, None] = {}
    assigned: set[Local] = set()
    for statement in block.statements:
        read = dict.fromkeys(statement.reads())
        for inner in statement.blocks:
            within = free_locals(inner)
            if isinstance(statement, Loop):
                for local in statement.targets:
                    within.pop(local, None)
            read |= within
        found |= {local: None for local in read if local not in assigned}
        assigned.update(statement.targets)
    read = {local: None for result in block.results for local in leaves(result)}
    found |= {local: None for local in read if local not in assigned}
    return found
