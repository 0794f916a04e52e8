"""A function of the lowered form as Python over NumPy, line by line."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from runtime import dtypes
from runtime.dtypes import DType
from runtime.graph.executors import lowered
from runtime.graph.executors.buffer_pool import Pool
from runtime.graph.executors.coalescing import moves_left
from runtime.graph.executors.kernels import boxed, text_of, texts_of, unboxed
from runtime.graph.executors.lowered import Block, Conversion, Expression, Local, Statement, leaves
from runtime.graph.executors.scalars import NEGATIVE, template, wrapper
from runtime.graph.ir import Node
from runtime.graph.text_ops import BUILTINS

if TYPE_CHECKING:
    from runtime.graph.executors.hot_loops import HotLoop
    from runtime.graph.executors.module import Module

Runner = Callable[..., tuple[Any, ...]]
Lines = dict[int, tuple[Node, Sequence[str]]]
Move = tuple[Local, Expression]
_PLAIN = (bool, int, str, type(None))

# Python 3.11 adapts a loop to its types in the first call only where it has no test.
WHILE = "while True:"
"""The head of a loop."""

LONGEST_TEXT = 80
"""Characters of a text that is written where it is used."""

# Python itself allows 100 levels of indentation and 20 nested loops.
DEEPEST = 80
MOST_LOOPS = 16


class Names:
    """The names of a function's locals. Those that were coalesced have that of their root."""

    def __init__(self, module: Module, roots: Mapping[Local, Local]) -> None:
        self.module = module
        self.roots = roots
        self.names: dict[Local, str] = {}

    def __getitem__(self, local: Local) -> str:
        root = self.roots.get(local, local)
        name = self.names.get(root)
        if name is None:
            name = self.names[root] = self.module.fresh(root.name)
        return name


class Printer:
    """Prints one function; `lines` tells which node each line is, and what its inputs are called
    there.
    """

    def __init__(self, module: Module, function: lowered.Function, names: Names) -> None:
        self.module = module
        self.function = function
        self.names = names
        self.text: list[str] = []
        self.lines: Lines = {}
        self.loops = 0
        self.hot_loops: dict[int, HotLoop] = {}
        self.around: HotLoop | None = None

    def print(self, name: str, strided: Runner | None) -> None:
        """Print the function under a name. For arrays that are not C-contiguous it calls `strided`,
        if that is given.
        """
        function = self.function
        for local, item in function.captured:
            self.names.names[local] = self.module.share(local.name, item)
        self.line(0, f"def {name}({self.listed(function.parameters)}):")
        if strided is not None and function.arrays:
            self.redirect(strided)
        give = self.take()
        self.block(function.body, 1)
        if give:
            self.line(1, f"{give}(({_tuple([self.names[buffer] for buffer in function.buffers])}))")
        # What is still to be computed here reads single numbers, which are in no buffer.
        self.line(1, f"return ({_tuple(self.each(function.body.results))})")

    def redirect(self, strided: Runner) -> None:
        arrays = self.function.arrays
        tests = " and ".join([f"{self.names[local]}.flags.c_contiguous" for local in arrays])
        self.line(1, f"if not ({tests}):" if len(arrays) > 1 else f"if not {tests}:")
        call = f"{self.module.share('strided', strided)}({self.listed(self.function.parameters)})"
        self.line(2, f"return {call}")

    def take(self) -> str:
        """Have the function's buffers until it returns; gives the name of what takes them back."""
        buffers = self.function.buffers
        if not buffers:
            return ""
        pool = Pool([buffer.type for buffer in buffers])
        names = _tuple([self.names[buffer] for buffer in buffers])
        self.line(1, f"{names} = {self.module.share('take', pool.take)}()")
        return self.module.share("give", pool.give)

    # Expressions

    def expression(self, expression: Expression, level: int = -1) -> str:
        """The text of an expression, as an operand where what binds at this level, or less, needs
        brackets.
        """
        if isinstance(expression, Local):
            return self.names[expression]
        if isinstance(expression, lowered.Constant):
            text = self.literal(expression.item)
            return f"({text})" if text.startswith("-") and level >= NEGATIVE else text
        if isinstance(expression, lowered.Convert):
            return self.conversion(expression)
        own, levels, _ = template(expression.form.text)
        text = expression.form.text.format(*map(self.expression, expression.operands, levels))
        return text if own > level else f"({text})"

    def conversion(self, expression: lowered.Convert) -> str:
        operands = self.each(expression.operands)
        match expression.conversion:
            case Conversion.BOX if expression.dtype is not dtypes.string:
                assert expression.dtype is not None
                return f"{self.numpy_type(expression.dtype)}({operands[0]})"
            case Conversion.BOX | Conversion.TEXT:
                return f"{self.module.helper('boxed', boxed)}({operands[0]})"
            case Conversion.UNBOX if expression.dtype is dtypes.string:
                return f"{self.module.helper('unboxed', unboxed)}({operands[0]})"
            case Conversion.DECODE:
                return f"{self.module.helper('text_of', text_of)}({operands[0]})"
            case Conversion.FILL:
                return f"{self.module.helper('copied', _copied)}({', '.join(operands)})"
            case other:
                return _CONVERSIONS[other].format(*operands)

    def each(self, expressions: Iterable[Expression]) -> list[str]:
        return list(map(self.expression, expressions))

    def listed(self, expressions: Iterable[Expression]) -> str:
        return ", ".join(self.each(expressions))

    def literal(self, item: Any) -> str:
        if type(item) is str and len(item) > LONGEST_TEXT:
            return self.module.share("c", item)
        if type(item) in _PLAIN or (type(item) is float and math.isfinite(item)):
            return repr(item)
        if type(item) is tuple:
            return f"({_tuple(list(map(self.literal, item)))})"
        return self.module.share("c", item)

    def numpy_type(self, dtype: DType) -> str:
        name = "bool_" if dtype.is_bool else dtype.name
        return self.module.helper(name, dtype.as_numpy_dtype)

    # Statements

    def line(
        self, depth: int, text: str, node: Node | None = None, inputs: Sequence[str] = ()
    ) -> None:
        self.text.append("    " * depth + text)
        if node is not None:
            self.lines[len(self.text)] = node, inputs

    def block(self, block: Block, depth: int) -> None:
        """The statements of a block, without what it hands on."""
        for statement in block.statements:
            if statement.blocks and (depth > DEEPEST or self.loops > MOST_LOOPS):
                self.outlined(statement, depth)
            else:
                _PRINTERS[type(statement)](self, statement, depth)

    def outlined(self, statement: Statement, depth: int) -> None:
        """A statement that is nested too deeply for Python: a function of its own, and its call."""
        name = self.module.fresh(statement.node.primitive.name)
        buffers = self.function.buffers
        free = lowered.free_locals(Block([statement], diverges=True)) | dict.fromkeys(
            statement.reads()
        )
        given = [self.names[local] for local in (*free, *buffers)]
        arguments = ", ".join(n for n in dict.fromkeys(given) if n not in self.module.namespace)
        inner = Printer(self.module, self.function, self.names)
        inner.around = self.around
        inner.line(0, f"def {name}({arguments}):")
        _PRINTERS[type(statement)](inner, statement, 1)
        # Loops change what the buffers are called.
        outputs = _tuple([self.names[local] for local in (*statement.targets, *buffers)])
        inner.line(1, f"return ({outputs})")
        self.module.append(inner)
        self.line(depth, f"{outputs} = {name}({arguments})" if outputs else f"{name}({arguments})")

    def assignment(self, statement: lowered.Assign, depth: int) -> None:
        (target,), (value,) = statement.targets, statement.inputs
        inputs = self.each(value.operands) if isinstance(value, lowered.Apply) else ()
        self.line(depth, f"{self.names[target]} = {self.expression(value)}", statement.node, inputs)

    def kernel(self, statement: lowered.Kernel, depth: int) -> None:
        inputs = self.each(statement.inputs)
        call = self.kernel_call(statement, inputs)
        targets = ", ".join([self.names[target] for target in statement.targets])
        alone = len(statement.targets) == 1 and statement.node.primitive.gives_tuple
        comma = "," if alone else ""
        self.line(depth, f"{targets}{comma} = {call}" if targets else call, statement.node, inputs)

    def kernel_call(self, statement: lowered.Kernel, arguments: Sequence[str]) -> str:
        node, function = statement.node, statement.function
        prepared = node.primitive.prepared
        if prepared is not None:
            function = prepared(**node.params)
        name = self.module.share(f"k_{node.primitive.name}", function)
        outs = [None if out is None else self.expression(out) for out in statement.outs]
        if statement.direct:
            target = [] if outs[0] is None else [_target(function, outs[0])]
            return f"{name}({', '.join([*arguments, *target])})"
        kept = {} if prepared is not None else node.params
        params = [f"{key}={self.literal(item)}" for key, item in kept.items()]
        given = [*arguments, *params, *self.memory(statement, outs)]
        return f"{name}({', '.join(given)}){'[()]' if statement.item else ''}"

    def memory(self, statement: lowered.Kernel, outs: Sequence[str | None]) -> Iterator[str]:
        """The arguments that tell a kernel which memory it may have."""
        if any(outs):
            yield f"out={outs[0]}" if len(outs) == 1 else f"out=({_tuple(list(map(str, outs)))})"
        if statement.work is not None:
            yield f"work={self.names[statement.work]}"
        if statement.owned:
            yield "shared=False"

    def check(self, statement: lowered.Check, depth: int) -> None:
        """Refuse, or wrap around, a number that left the range of its dtype."""
        (value,), dtype = statement.inputs, statement.dtype
        assert dtype is not None
        name, low, high = self.expression(value, _COMPARISON), int(dtype.min), int(dtype.max)
        test = f"not {low} <= {name} <= {high}"
        if not statement.low:
            test = f"{name} > {high}"
        elif not statement.high:
            test = f"{name} < {low}"
        self.line(depth, f"if {test}:")
        if statement.must is lowered.Must.FIT:
            assert statement.refusal is not None
            inputs = self.each(statement.refusal.inputs)
            call = self.kernel_call(statement.refusal, inputs)
            self.line(depth + 1, call, statement.node, inputs)
        else:
            wrap = self.module.helper(f"wrap_{dtype.name}", wrapper(dtype))
            self.line(depth + 1, f"{name} = {wrap}({name})")

    def call(self, statement: lowered.Call, depth: int) -> None:
        function = self.module.add(statement.callee)
        inputs = self.each(statement.inputs)
        targets = _tuple([self.names[target] for target in statement.targets])
        call = f"{function}({', '.join(inputs)})"
        self.line(depth, f"{targets} = {call}" if targets else call, statement.node, inputs)

    def native(self, statement: lowered.Native, depth: int) -> None:
        inputs = self.each(statement.inputs)
        targets = _tuple([self.names[target] for target in statement.targets])
        call = f"{statement.name}({', '.join(inputs)})"
        self.line(depth, f"{targets} = {call}" if targets else call)

    def raise_(self, statement: lowered.Raise, depth: int) -> None:
        exception = self.module.share("exception", statement.node.params["exception"])
        inputs = self.each(statement.inputs)
        self.line(depth, f"raise raised({', '.join([exception, *inputs])})", statement.node, inputs)

    def release(self, statement: lowered.Release, depth: int) -> None:
        self.line(depth, f"del {self.listed(statement.inputs)}")

    # Control flow

    def if_(self, statement: lowered.If, depth: int) -> None:
        (test,), node = statement.inputs, statement.node
        all = [(each, self.moves(statement.targets, each.results)) for each in statement.blocks]
        branches = [(each, moves) for each, moves in all if each.statements or moves or each.before]
        if branches[0][0] is statement.blocks[0]:
            self.line(depth, f"if {self.expression(test)}:", node)
        else:
            self.line(depth, f"if not {self.expression(test, _NOT)}:", node)
        for at, (block, moves) in enumerate(branches):
            if at:
                self.line(depth, "else:")
            self.block(block, depth + 1)
            self.assign(moves, depth + 1)
            self.rename(block, depth + 1)

    def loop(self, statement: lowered.Loop, depth: int) -> None:
        (proceed, *state), (body,) = statement.targets, statement.blocks
        if statement.first:
            self.assign(self.moves(statement.targets, statement.inputs), depth)
        else:
            self.assign(self.moves(state, statement.inputs[1:]), depth)
        self.line(depth, WHILE, statement.node)
        around, line = self.around, len(self.text)
        self.note_hot(statement)
        if statement.first:
            self.leave(proceed, depth + 1)
        self.loops += 1
        self.block(body, depth + 1)
        self.loops -= 1
        self.around = around
        moves = self.moves(statement.targets, body.results)
        test: Expression = proceed
        if not statement.first and not self.moves(state, body.results[1:]):
            test, moves = body.results[0], []
        self.assign(moves, depth + 1)
        self.rename(body, depth + 1)
        if not statement.first:
            self.leave(test, depth + 1)
        if line in self.hot_loops:
            self.hot_loops[line].length = len(self.text) - line

    def note_hot(self, statement: lowered.Loop) -> None:
        """Note the loop that begins in the last line, where it may be worth to compile it alone."""
        hot = self.module.hot
        if hot is not None and len(statement.targets) > 1:
            made = hot.loop(self.function, statement, self.around, self.names)
            self.around = self.hot_loops[len(self.text)] = made

    def leave(self, test: Expression, depth: int) -> None:
        """Leave the loop unless the test holds."""
        self.line(depth, f"if not {self.expression(test, _NOT)}:")
        self.line(depth + 1, "break")

    def rename(self, block: Block, depth: int) -> None:
        """Change what buffers are called."""
        self.assign(list(zip(block.before, block.after, strict=True)), depth)

    def moves(self, targets: Sequence[Local], sources: Sequence[Expression]) -> list[Move]:
        return moves_left(targets, sources, self.names.roots)

    def assign(self, moves: Sequence[Move], depth: int) -> None:
        """Assign all at once: each before a name that it reads is assigned to, if that goes."""
        left = {self.names[target]: source for target, source in moves}
        reads = {target: set(map(self.names.__getitem__, leaves(left[target]))) for target in left}
        while left:
            free = [t for t in left if not any(t in reads[other] for other in left if other != t)]
            if not free:
                self.line(depth, f"{', '.join(left)} = {self.listed(left.values())}")
                return
            for target in free:
                self.line(depth, f"{target} = {self.expression(left.pop(target))}")


_PRINTERS: dict[type[Statement], Callable[[Printer, Any, int], None]] = {
    lowered.Assign: Printer.assignment,
    lowered.Kernel: Printer.kernel,
    lowered.Check: Printer.check,
    lowered.If: Printer.if_,
    lowered.Loop: Printer.loop,
    lowered.Call: Printer.call,
    lowered.Native: Printer.native,
    lowered.Raise: Printer.raise_,
    lowered.Release: Printer.release,
}
_CONVERSIONS = {
    Conversion.UNBOX: "int({})",
    Conversion.COPY: "{}.copy()",
    Conversion.TAKE: "{}.take()",
}
_NOT = 3
_COMPARISON = 4
"""The levels of `not` and of comparisons, as `scalars.template` counts them."""


def _copied(buffer: Any, array: Any) -> Any:
    """The buffer with the array, or list, in it."""
    if type(buffer) is list:
        buffer[:] = array
    else:
        np.copyto(buffer, array)
    return buffer


def _target(kernel: Any, name: str) -> str:
    """The argument for the array that a ufunc writes to."""
    # NumPy is about to take any number of operands of these.
    return f"out={name}" if kernel in (np.maximum, np.minimum) else name


def _tuple(items: Sequence[str]) -> str:
    return ", ".join(items) + ("," if len(items) == 1 else "")


HELPERS: dict[str, Any] = {
    "texts_of": texts_of,
    "float32": np.float32,
    "float64": np.float64,
    "one_float32": np.float32(1),
    "one_float64": np.float64(1),
}
"""The names that the templates of forms mention."""

# Names that generated code uses as they are: no value may take them.
RESERVED = (
    *("raised", "bool_", "empty", "copied", "boxed", "text_of", "unboxed"),
    *[function.__name__ for function in (int, float, bool, abs, range, min)],
    *BUILTINS,
    *HELPERS,
    *[dtype.name for dtype in dtypes.ALL],
    *[f"wrap_{dtype.name}" for dtype in dtypes.ALL],
    *("bfloat16", "wrap_bfloat16"),
)
