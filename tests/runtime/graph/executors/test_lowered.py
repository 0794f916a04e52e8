"""The lowered form says all that an executor must know: one that reads nothing else, and has no use
for Python's text of an op, computes what the NumPy executor does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import runtime as rt
from runtime import dtypes
from runtime.core.forms import is_bool, is_integer
from runtime.core.types import TensorType
from runtime.graph.executors import lowered
from runtime.graph.executors.buffer_pool import Pool
from runtime.graph.executors.kernels import boxed, text_of, unboxed
from runtime.graph.executors.lowered import Block, Conversion, Expression, Local, Must, Statement
from runtime.graph.executors.lowering import Lowering
from runtime.graph.executors.program import Program
from runtime.graph.ir import Graph, Node
from runtime.graph.passes import optimize
from runtime.graph.templates import raised
from tests.runtime.graph.passes.random_graphs import ARGUMENTS, traced, write
from tests.runtime.graph.test_storage import INPUTS, OWN
from tests.runtime.staging.staged_programs import PROGRAMS
from tests.support.programs_choices import Seeded
from tests.support.reference import plain, same


class Machine:
    """Runs one function of the lowered form, statement by statement."""

    def __init__(self, graph: Graph) -> None:
        self.function = Lowering(graph, True).function()
        self.pool = Pool([buffer.type for buffer in self.function.buffers])
        self.values: dict[Local, Any] = {}
        self.failed: Node | None = None

    def __call__(self, *raws: Any) -> tuple[Any, ...]:
        function, buffers = self.function, self.pool.take()
        self.values = dict(function.captured)
        self.values |= dict(zip(function.parameters, raws, strict=True))
        self.values |= dict(zip(function.buffers, buffers, strict=True))
        self.block(function.body)
        return tuple(map(self.of, function.body.results))

    def block(self, block: Block) -> None:
        for statement in block.statements:
            RUN[type(statement)](self, statement)

    def end(self, targets: Sequence[Local], block: Block) -> None:
        self.assign(targets, [self.of(result) for result in block.results])
        self.assign(block.before, [self.of(local) for local in block.after])

    def assign(self, targets: Sequence[Local], values: Sequence[Any]) -> None:
        self.values.update(zip(targets, values, strict=True))

    # Expressions

    def of(self, expression: Expression) -> Any:
        if isinstance(expression, Local):
            return self.values[expression]
        if isinstance(expression, lowered.Constant):
            return expression.item
        operands = [self.of(operand) for operand in expression.operands]
        if isinstance(expression, lowered.Convert):
            return CONVERT[expression.conversion](*operands, expression.dtype)
        return self.op(expression.node, operands)

    def op(self, node: Node, operands: Sequence[Any]) -> Any:
        """The op by its kernel, of numbers and to a number."""
        types = [value.type for value in node.inputs]
        given = [as_array(*pair) for pair in zip(operands, types, strict=True)]
        result = node.primitive.kernel(*given, **node.params)
        type = node.outputs[0].type
        return result.item() if is_integer(type) or is_bool(type) else result

    # Statements

    def assignment(self, statement: lowered.Assign) -> None:
        try:
            value = self.of(statement.inputs[0])
        except Exception as error:
            # Nothing fails but what was checked, or a number of more than 64 bits.
            if not (self.failed is statement.node or isinstance(error, OverflowError)):
                pytest.fail(f"no check before {statement.node}: {error}")
            raise
        if self.failed is not None:
            pytest.fail(f"{self.failed} was checked for nothing")
        self.assign(statement.targets, [value])

    def kernel(self, statement: lowered.Kernel) -> None:
        inputs = [self.of(item) for item in statement.inputs]
        outs = [None if out is None else self.of(out) for out in statement.outs]
        if statement.direct:
            given = {} if outs[0] is None else {"out": outs[0]}
        else:
            given = dict(statement.node.params)
            if any(out is not None for out in outs):
                given["out"] = outs[0] if len(outs) == 1 else tuple(outs)
            if statement.work is not None:
                given["work"] = self.of(statement.work)
            if statement.owned:
                given["shared"] = False
        result = statement.function(*inputs, **given)
        if statement.item:
            result = result[()]
        alone = len(statement.targets) == 1 and not statement.node.primitive.gives_tuple
        self.assign(statement.targets, [result] if alone else result or ())

    def check(self, statement: lowered.Check) -> None:
        values = [self.of(item) for item in statement.inputs]
        if statement.must in (Must.WRAP, Must.FIT):
            assert statement.dtype is not None
            low, high = statement.dtype.min, statement.dtype.max
            held = low <= values[0] <= high
            if not held and statement.must is Must.WRAP:
                pytest.fail("what kernels compute is wrapped around")
            if not held:
                assert statement.refusal is not None
                self.kernel(statement.refusal)
        elif not HOLDS[statement.must](*values):
            self.failed = statement.node

    def branch(self, statement: lowered.If) -> None:
        block = statement.blocks[0 if self.of(statement.inputs[0]) else 1]
        self.block(block)
        self.end(statement.targets, block)

    def loop(self, statement: lowered.Loop) -> None:
        self.assign(statement.targets, [self.of(item) for item in statement.inputs])
        assert statement.first or self.values[statement.targets[0]]
        while self.values[statement.targets[0]]:
            self.block(statement.blocks[0])
            self.end(statement.targets, statement.blocks[0])

    def call(self, statement: lowered.Call) -> None:
        inputs = [self.of(item) for item in statement.inputs]
        self.assign(statement.targets, Machine(statement.callee)(*inputs))

    def raise_(self, statement: lowered.Raise) -> None:
        inputs = [self.of(item) for item in statement.inputs]
        raise raised(statement.node.params["exception"], *inputs)


def as_array(value: Any, type: Any) -> Any:
    """A number as a kernel takes it."""
    if not isinstance(type, TensorType) or isinstance(value, np.ndarray):
        return value
    return np.asarray(value, type.dtype.np_dtype)[()]


def fill(buffer: Any, array: Any, _: Any) -> Any:
    if isinstance(buffer, list):
        buffer[:] = array
    else:
        np.copyto(buffer, array)
    return buffer


CONVERT: dict[Conversion, Callable[..., Any]] = {
    Conversion.BOX: lambda item, dtype: (
        boxed(item) if dtype is dtypes.string else dtype.as_numpy_dtype(item)
    ),
    Conversion.UNBOX: lambda array, dtype: unboxed(array) if dtype is dtypes.string else int(array),
    Conversion.DECODE: lambda text, _: text_of(text),
    Conversion.TEXT: lambda text, _: boxed(text),
    Conversion.COPY: lambda array, _: array.copy(),
    Conversion.FILL: fill,
    Conversion.TAKE: lambda free, _: free.take(),
}
HOLDS: dict[Must, Callable[..., bool]] = {
    Must.DIVIDE: lambda divisor: divisor != 0,
    Must.SHIFT: lambda count: count >= 0,
    Must.INDEX: lambda array, *places: all(
        -size <= at < size for at, size in zip(places, array.shape, strict=False)
    ),
    Must.BE_64_BIT: lambda number: True,
}
RUN: dict[type[Statement], Callable[[Machine, Any], None]] = {
    lowered.Assign: Machine.assignment,
    lowered.Kernel: Machine.kernel,
    lowered.Check: Machine.check,
    lowered.If: Machine.branch,
    lowered.Loop: Machine.loop,
    lowered.Call: Machine.call,
    lowered.Raise: Machine.raise_,
}


def agree(graph: Graph, raws: Sequence[Any]) -> None:
    def outcome(run: Any) -> Any:
        try:
            return plain(list(run(*raws)))
        except Exception as error:
            return error

    program = Program(graph)
    expected, got = outcome(program.run), outcome(Machine(graph))
    if isinstance(expected, list):
        assert same(expected, got), (expected, got)
    else:
        assert not isinstance(got, list)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda row: row[0].__name__)
def test_staged_programs(program: Any) -> None:
    function, *inputs = program
    for values in inputs:
        given = [rt.constant(np.asarray(item)) for item in values]
        concrete = rt.function(function).get_concrete_function(*given)
        agree(concrete.optimized, [item.raw for item in given])
        agree(concrete.graph, [item.raw for item in given])


@pytest.mark.parametrize("made", OWN, ids=lambda f: f.__name__)
def test_lists_gradients_recursion_and_text(made: Any) -> None:
    if made.__name__ in ("with_random_numbers", "with_failures"):
        return
    concrete = rt.function(made).get_concrete_function(rt.TensorSpec([None]))
    for values in INPUTS:
        agree(concrete.optimized, [rt.constant(values).raw])


@pytest.mark.parametrize("seed", range(40))
def test_random_graphs(seed: int) -> None:
    with traced(write(Seeded(seed), 12)) as graph:
        for arguments in ARGUMENTS:
            agree(optimize(graph), arguments)


def checks(function: Any, *specs: Any) -> list[tuple[str, str]]:
    graph = rt.function(function).get_concrete_function(*specs).optimized
    body = Lowering(graph, True).function().body
    found = [each for block in lowered.blocks_of(body) for each in block.statements]
    return [(c.must.name, c.node.primitive.name) for c in found if isinstance(c, lowered.Check)]


N = rt.TensorSpec([], rt.int32)


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda n: n + 1, [("WRAP", "add")]),
        (lambda n: n % 7 + 1, []),
        (lambda n: 7 // n, [("DIVIDE", "floordiv")]),
        (lambda n: 7 // (n % 3 + 1), []),
        (lambda n: rt.constant([1, 2])[n], [("INDEX", "strided_slice")]),
        (lambda n: rt.constant([1, 2])[n % 2], []),
        (lambda n: rt.reshape(n, [1, 1])[0, n], [("INDEX", "strided_slice")]),
        (lambda n: rt.reshape(n, [1, 1])[-1, 0], []),
        (lambda n: rt.constant(int(n) + 1), [("FIT", "to_tensor")]),
        (lambda n: int(n) * int(n) > 3, []),
        (lambda n: int(n) * int(n) * int(n) > 3, [("BE_64_BIT", "py.mul")]),
        (lambda n: 3 ** (int(n) % 90) > 3, [("BE_64_BIT", "py.pow")]),
        (lambda n: (5 << int(n)) > 3, [("SHIFT", "py.lshift"), ("BE_64_BIT", "py.lshift")]),
    ],
)  # fmt: skip
def test_checks_are_where_the_range_is_not_known(function: Any, expected: Any) -> None:
    assert checks(function, N) == expected


def doubled_until(n: Any) -> Any:
    total, rounds = 1, 0
    while rounds < n:
        total, rounds = total * 2, rounds + 1
    return total % 1000003, total > 0


def test_numbers_of_more_than_64_bits_stay_exact() -> None:
    assert ("BE_64_BIT", "py.mul") in checks(doubled_until, N)
    staged = rt.function(doubled_until)
    for rounds in (62, 63, 64, 200):
        found, positive = staged(rt.constant(rounds))
        assert int(found) == 2**rounds % 1000003
        assert bool(positive)
