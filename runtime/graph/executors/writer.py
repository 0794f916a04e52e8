"""The source of one function of a program, written line by line from a region."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from runtime import dtypes
from runtime.core.forms import Form, is_bool, is_float, is_integer
from runtime.core.intervals import EVERYTHING
from runtime.core.primitive import Primitive, takes
from runtime.core.types import NumberType, TensorType
from runtime.dtypes import DType
from runtime.graph.executors.blocks import Run, places_of, runs_of
from runtime.graph.executors.buffers import Carrying, Plan, Renaming
from runtime.graph.executors.holding import Holding
from runtime.graph.executors.kernels import boxed, is_number, is_text, views
from runtime.graph.executors.layouts import Layouts, is_array, lies_in_rows
from runtime.graph.executors.lifetimes import ends_of, ends_within, reads_of_updated
from runtime.graph.executors.pool import Pool
from runtime.graph.executors.scalars import ATOM, level_of, operand_levels, slices_of, wrapper
from runtime.graph.executors.variables import Variables
from runtime.graph.ir import Graph, Node, Region, Value, free_values
from runtime.graph.nodes import CALL, COND, CONSTANT, RAISE, UNDEFINED, WHILE, placeholder

if TYPE_CHECKING:
    from runtime.graph.executors.program import Module

Runner = Callable[..., tuple[Any, ...]]
Lines = dict[int, tuple[Node, list[str]]]
_PLAIN = (bool, int, str, type(None))

# Python itself allows 100 levels of indentation and 20 nested loops.
DEEPEST = 80
MOST_LOOPS = 16


class Layout:
    """The facts about a graph before its function is written, and the names that it has so far.

    `python` are the tensors that are (or may be) Python numbers, `constants` those that are known,
    `levels` tell of expressions how tightly they bind.
    """

    def __init__(self, graph: Graph, body: Region, in_rows: bool) -> None:
        given = {value for value, item in graph.closure if not lies_in_rows(item.raw)}
        given.update(value for value in graph.parameters if not (in_rows and is_array(value)))
        layouts = Layouts(body, given)
        self.runs = runs_of(body, layouts)
        self.held = Holding(body, self.runs)
        self.buffers = Plan(body, layouts, self.runs)
        self.variables = Variables(graph, body, self.held, self.buffers)
        special = [node for runs in self.runs.values() for run in runs for node in run.nodes]
        special += self.held.expressions
        special += [node for node in body.nodes if node.primitive in _WRITERS]
        self.ends = ends_of(body, self.buffers, special)
        self.reads = reads_of_updated(body)
        self.let_reads_go(body)
        self.names: dict[Value, str] = {}
        self.levels: dict[Value, int] = {}
        self.python: set[Value] = set()
        self.constants: dict[Value, Any] = {}
        self.give = ""

    def let_reads_go(self, body: Region) -> None:
        """Let go of what was read of updated variables, too, unless it shares its name."""
        fixed = {value for node in self.held.expressions for value in node.inputs}
        fixed.update(value for values in self.ends.values() for value in values)
        fixed.update(value for value in self.reads if self.variables.is_moved(value))
        for node, values in ends_within(body, self.reads - fixed).items():
            self.ends.setdefault(node, []).extend(values)


class Writer:
    """Writes one function."""

    def __init__(self, module: Module, layout: Layout) -> None:
        self.module = module
        self.layout = layout
        self.held = layout.held
        self.names = layout.names
        self.python = layout.python
        self.text: list[str] = []
        self.lines: Lines = {}
        self.loops = 0

    def graph(self, graph: Graph, body: Region, name: str, turned: Runner | None) -> None:
        """The function of a graph."""
        for value, item in graph.closure:
            self.names[value] = self.module.share(value.name, item.raw)
        self.line(0, f"def {name}({', '.join(map(self.bind, graph.parameters))}):")
        if turned is not None and not self.layout.buffers.is_empty:
            self.turn(graph.parameters, turned)
        for value in (*graph.parameters, *[value for value, _ in graph.closure]):
            self.unpack(value, 1)
        self.take(1)
        self.region(body, 1)
        self.returns(graph.results)

    def turn(self, parameters: Sequence[Value], turned: Runner) -> None:
        """Have arrays that are not C-contiguous computed without buffers."""
        names = [self.names[value] for value in parameters]
        arrays = [self.names[value] for value in parameters if is_array(value)]
        if arrays:
            tests = " and ".join(f"{name}.flags.c_contiguous" for name in arrays)
            self.line(1, f"if not ({tests}):" if len(arrays) > 1 else f"if not {tests}:")
            self.line(2, f"return {self.module.share('turned', turned)}({', '.join(names)})")

    def take(self, depth: int) -> None:
        """Have the program's buffers until the function returns."""
        buffers = self.layout.buffers.buffers
        if buffers:
            pool = Pool([value.type for value in buffers])
            self.layout.give = self.module.share("give", pool.give)
            names = _tuple(list(map(self.bind, buffers)))
            self.line(depth, f"{names} = {self.module.share('take', pool.take)}()")

    def returns(self, results: Sequence[Value]) -> None:
        buffers = [self.names[value] for value in self.layout.buffers.buffers]
        if buffers:
            self.line(1, f"{self.layout.give}(({_tuple(buffers)}))")
        # What is still to be computed here reads single numbers, which are in no buffer.
        self.line(1, f"return ({_tuple([self.raw(value) for value in results])})")

    def outlined(self, node: Node, depth: int) -> None:
        """A statement that is nested too deeply for Python: a function of its own, and its call."""
        name = self.module.fresh(node.primitive.name)
        free = free_values(Region((), (node,), ()))
        given = [self.names[read] for value in free for read in self.held.variables(value)]
        given += [self.names[buffer] for buffer in self.layout.buffers.buffers]
        arguments = ", ".join(n for n in dict.fromkeys(given) if n not in self.module.namespace)
        writer = Writer(self.module, self.layout)
        writer.line(0, f"def {name}({arguments}):")
        _WRITERS[node.primitive](writer, node, 1)
        # Loops change what the buffers are called.
        buffers = self.layout.buffers.buffers
        outputs = _tuple([self.names[value] for value in (*node.outputs, *buffers)])
        writer.line(1, f"return ({outputs})")
        self.module.append(writer)
        self.line(depth, f"{outputs} = {name}({arguments})" if outputs else f"{name}({arguments})")

    # How values are held

    def bind(self, value: Value) -> str:
        """The name of a value that is about to be assigned."""
        root = self.layout.variables.root(value)
        if root not in self.names:
            self.names[root] = self.module.fresh(root.name)
        name = self.names[value] = self.names[root]
        return name

    def unpack(self, value: Value, depth: int) -> None:
        """Make a Python int of what came as an array, where ops on scalars read it."""
        if value in self.held.read and value not in self.python:
            name = self.names[value]
            self.python.add(value)
            # What is global stays as it is.
            mine = name
            if name in self.module.namespace:
                mine = self.names[value] = self.module.fresh(value.name)
            self.line(depth, f"{mine} = int({name})")

    def raw(self, value: Value) -> str:
        """The value as kernels and callers take it: a tensor as an array or a NumPy scalar."""
        if value in self.layout.constants:
            return self.module.share("c", self.layout.constants[value])
        name = self.names[value]
        if value not in self.python:
            return name
        return f"{self.numpy_type(_dtype_of(value))}({name})"

    def moved(self, value: Value, target: Value) -> str:
        """The value as a variable of control flow holds it."""
        if is_integer(target.type) or is_bool(target.type):
            return self.names[value]
        return self.raw(value)

    def operand(self, value: Value, level: int) -> str:
        """The value in an expression that binds at this level."""
        text = self.names[value]
        return text if self.layout.levels.get(value, ATOM) > level else f"({text})"

    def variable(self, value: Value) -> str:
        """The name of a value that is held as Python holds it."""
        self.note_python(value)
        return self.bind(value)

    def note_python(self, value: Value) -> None:
        if is_integer(value.type) or is_bool(value.type):
            self.python.add(value)

    def numpy_type(self, dtype: DType) -> str:
        name = "bool_" if dtype.is_bool else dtype.name
        return self.module.helper(name, dtype.as_numpy_dtype)

    def literal(self, item: Any) -> str:
        if type(item) in _PLAIN or (type(item) is float and math.isfinite(item)):
            return repr(item)
        if type(item) is tuple:
            inner = [self.literal(element) for element in item]
            return f"({', '.join(inner)}{',' if len(inner) == 1 else ''})"
        return self.module.share("c", item)

    # Lines

    def line(self, depth: int, text: str, node: Node | None = None) -> None:
        self.text.append("    " * depth + text)
        if node is not None:
            self.lines[len(self.text)] = node, [self.names[value] for value in node.inputs]

    def region(self, region: Region, depth: int) -> None:
        runs = {run.nodes[0]: run for run in self.layout.runs.get(region, ())}
        done: set[Node] = set()
        for node in region.nodes:
            if node in runs:
                self.blocks(runs[node], depth)
                done.update(runs[node].nodes)
                for member in runs[node].nodes:
                    self.let_go(member, depth)
            if node in done:
                continue
            write = _WRITERS.get(node.primitive)
            if node in self.held.expressions:
                self.expression(node, depth)
            elif write is None:
                self.op(node, depth)
            elif node.regions and (depth > DEEPEST or self.loops > MOST_LOOPS):
                self.outlined(node, depth)
            else:
                write(self, node, depth)
            self.let_go(node, depth)

    def op(self, node: Node, depth: int) -> None:
        call = self.kernel_call(node)
        outputs = ", ".join(map(self.bind, node.outputs))
        comma = "," if len(node.outputs) == 1 and node.primitive.gives_tuple else ""
        self.line(depth, f"{outputs}{comma} = {call}" if outputs else call, node)
        for name in [self.names[output] for output in node.outputs if is_text(output)]:
            self.line(depth, f"{name} = {self.module.share('k_boxed', boxed)}({name})")
        for output in node.outputs:
            self.unpack(output, depth)

    def let_go(self, node: Node, depth: int) -> None:
        """Drop the arrays that nobody reads behind a node."""
        dead = [self.names[value] for value in self.layout.ends.get(node, ())]
        if dead:
            self.line(depth, f"del {', '.join(dead)}")

    def blocks(self, run: Run, depth: int) -> None:
        """A loop over blocks of large arrays."""
        for node in run.nodes:
            if node.primitive is CONSTANT:
                self.constant(node, depth)
        given = self.layout.buffers.arrays(run)
        results = [
            self.array(value, buffer, run, depth)
            for value, buffer in zip(run.results, given, strict=False)
        ]
        buffers = [self.names[buffer] for buffer in given[len(results) :] if buffer is not None]
        places = places_of(run)
        arrays = [*results, *map(self.raw, run.arguments)]
        flat = self.each(arrays, "flat", "{}.reshape(-1)", depth)
        start, stop = self.module.fresh("start"), self.module.fresh("stop")
        self.line(depth, f"for {start} in range(0, {run.size}, {run.block}):")
        self.line(depth + 1, f"{stop} = min({start} + {run.block}, {run.size})")
        parts = self.each(flat, "part", f"{{}}[{start}:{stop}]", depth + 1)
        pieces = self.each(buffers, "part", f"{{}}[: {stop} - {start}]", depth + 1)
        names = dict(zip((*run.results, *run.arguments), parts, strict=True))
        names |= {value: pieces[place] for value, place in places.items()}
        for node in run.ops:
            self.on_block(node, names, depth + 1)
        views = zip([*run.results, *run.arguments], flat, parts, strict=True)
        dead = [name for value, *pair in views if value in self.layout.reads for name in pair]
        if dead:
            self.line(depth, f"del {', '.join(dead)}")

    def array(self, value: Value, buffer: Value | None, run: Run, depth: int) -> str:
        """The name of a result of a run: one of the program's buffers, or a new array."""
        name = self.bind(value)
        if buffer is None:
            empty, dtype = self.module.helper("empty", np.empty), self.numpy_type(run.type.dtype)
            self.line(depth, f"{name} = {empty}({run.type.shape}, {dtype})")
        else:
            self.line(depth, f"{name} = {self.names[buffer]}")
        return name

    def each(self, names: Sequence[str], suffix: str, form: str, depth: int) -> list[str]:
        """New names for a form of each of these."""
        made = [self.module.fresh(f"{name.removesuffix('_flat')}_{suffix}") for name in names]
        for name, source in zip(made, names, strict=True):
            self.line(depth, f"{name} = {form.format(source)}")
        return made

    def on_block(self, node: Node, names: dict[Value, str], depth: int) -> None:
        """An op on the parts of its arrays."""
        kernel = self.module.share(f"k_{node.primitive.name}", node.primitive.kernel)
        operands = [names.get(value) or self.raw(value) for value in node.inputs]
        target = _target(node.primitive.kernel, names[node.outputs[0]])
        self.line(depth, f"{kernel}({', '.join([*operands, target])})")

    def kernel_call(self, node: Node) -> str:
        arguments = list(map(self.raw, node.inputs))
        index = slices_of(node)
        if index is not None:
            return f"{arguments[0]}[{index}]"
        plan = self.layout.buffers
        kernel = plan.kernel(node)
        name = self.module.share(f"k_{node.primitive.name}", kernel)
        if plan.direct(node) is not None:
            out = self.out(node.outputs[0])
            arguments += [] if out is None else [_target(kernel, out)]
            return f"{name}({', '.join(arguments)})"
        params = [f"{key}={self.literal(item)}" for key, item in node.params.items()]
        text = f"{name}({', '.join([*arguments, *params, *self.memory(node)])})"
        # A view of one number would change with the buffer that it is in.
        view = views(node) and not node.primitive.gives_tuple and bool(node.outputs)
        number = view and is_number(node.outputs[0]) and not is_text(node.outputs[0])
        return f"{text}[()]" if number else text

    def memory(self, node: Node) -> Iterator[str]:
        """The arguments that tell a kernel which memory it may have."""
        plan = self.layout.buffers
        outs = [self.out(output) for output in node.outputs]
        if any(outs):
            yield f"out={outs[0]}" if len(outs) == 1 else f"out=({_tuple(list(map(str, outs)))})"
        if plan.workspace is not None and plan.works(node):
            yield f"work={self.names[plan.workspace]}"
        if takes(node.primitive.kernel, "shared") and node.inputs[0] in plan.slots_of:
            yield "shared=False"

    def out(self, output: Value) -> str | None:
        """Returns the expression for the memory that a result is to be written to."""
        buffer, stock = self.layout.buffers.target(output), self.layout.buffers.stock(output)
        if stock is not None:
            return f"{self.names[stock]}.take()"
        return None if buffer is None else self.names[buffer]

    def expression(self, node: Node, depth: int) -> None:
        """A node that Python writes as an expression: a line, or what others write."""
        (output,) = node.outputs
        form, operands = self.held.expressions[node]
        for region in node.regions:
            # Its nodes have no lines.
            self.region(region, depth)
        if node in self.held.aliases:
            self.alias(operands[0], output)
        elif node in self.held.inline:
            self.note_python(output)
            self.names[output] = self.written(node)
            self.layout.levels[output] = level_of(form.text)
        else:
            text = self.written(node)
            self.line(depth, f"{self.variable(output)} = {text}", node)
        if self.held.is_checked(node):
            self.check_range(node, form, depth)

    def written(self, node: Node) -> str:
        """The text of an expression."""
        form, operands = self.held.expressions[node]
        self.helpers(form.text)
        levels = operand_levels(form.text)
        texts = [self.operand(*pair) for pair in zip(operands, levels, strict=False)]
        if node in self.held.tables:
            texts[0] = self.module.share("table", self.held.tables[node])
        return form.text.format(*texts)

    def alias(self, value: Value, other: Value) -> None:
        self.names[other] = self.names[value]
        self.layout.levels[other] = self.layout.levels.get(value, ATOM)
        if other not in self.held.weak:
            self.note_python(other)

    def check_range(self, node: Node, form: Form, depth: int) -> None:
        """Refuse, or wrap around, a number that left the range of its dtype."""
        (output,) = node.outputs
        name, dtype = self.names[output], _dtype_of(output)
        self.line(depth, f"if {self.leaves(node, name, dtype)}:")
        if form.refuses:
            self.line(depth + 1, self.kernel_call(node), node)
        else:
            wrap = self.module.helper(f"wrap_{dtype.name}", wrapper(dtype))
            self.line(depth + 1, f"{name} = {wrap}({name})")

    def leaves(self, node: Node, name: str, dtype: DType) -> str:
        """The test for a number that left the range of its dtype, on the sides where it may."""
        low, high = self.held.ranges.exact.get(node, EVERYTHING)
        if low >= dtype.min:
            return f"{name} > {int(dtype.max)}"
        if high <= dtype.max:
            return f"{name} < {int(dtype.min)}"
        return f"not {int(dtype.min)} <= {name} <= {int(dtype.max)}"

    def helpers(self, text: str) -> None:
        """Make what the templates of scalars mention known to the program."""
        for name, item in _HELPERS.items():
            if name in text:
                self.module.helper(name, item)

    def constant(self, node: Node, depth: int) -> None:
        value, (output,) = node.params["value"], node.outputs
        if is_integer(output.type) or is_bool(output.type):
            self.layout.constants[output] = value
            self.python.add(output)
            value = value.item()
        elif not isinstance(output.type, NumberType):
            if is_float(output.type):
                self.layout.constants[output] = np.asarray(value)
                value = value[()]
            self.names[output] = self.module.share("c", value)
            return
        text = self.literal(value)
        self.names[output] = f"({text})" if text.startswith("-") else text

    def undefined(self, node: Node, depth: int) -> None:
        # Whoever reads it before a check has found nothing there: an op that left a loop.
        (output,) = node.outputs
        if is_integer(output.type) or is_bool(output.type):
            self.python.add(output)
            self.names[output] = "0" if is_integer(output.type) else "False"
            return
        self.names[output] = self.literal(placeholder(output.type))

    # Control flow

    def cond(self, node: Node, depth: int) -> None:
        for output in node.outputs:
            self.variable(output)
        (test,), (body, orelse) = node.inputs, node.regions
        before = len(self.text)
        self.line(depth, f"if {self.names[test]}:", node)
        self.branch(body, node.outputs, depth + 1)
        if len(self.text) == before + 1:
            self.text[before] = "    " * depth + f"if not {self.operand(test, 3)}:"
        else:
            self.line(depth, "else:")
        start = len(self.text)
        self.branch(orelse, node.outputs, depth + 1)
        if len(self.text) == start:
            # Nothing is left to do: of this branch, or of both.
            self.lines.pop(len(self.text), None)
            self.text.pop()

    def branch(self, region: Region, outputs: Sequence[Value], depth: int) -> None:
        self.region(region, depth)
        pairs = list(zip(outputs, region.results, strict=False))
        targets = [self.names[output] for output, _ in pairs]
        self.assign(targets, [self.moved(result, output) for output, result in pairs], depth)
        self.rename(self.layout.buffers.renamings.get(region, Renaming()), depth)

    def while_(self, node: Node, depth: int) -> None:
        (body,) = node.regions
        proceed = self.layout.variables.proceeds[node]
        names = [self.bind(proceed), *map(self.variable, body.parameters)]
        for output, parameter in zip(node.outputs, body.parameters, strict=True):
            self.names[output] = self.names[parameter]
            self.note_python(output)
        first = self.carried(node.inputs, body)
        asks_last = first[0] == "True"
        self.assign(names[asks_last:], first[asks_last:], depth)
        # Python 3.11 adapts a loop to its types in the first call only where it has no test.
        self.line(depth, "while True:", node)
        if not asks_last:
            self.leave(names[0], depth + 1)
        self.loops += 1
        self.region(body, depth + 1)
        self.loops -= 1
        self.end_round(names, node, depth + 1, asks_last)
        for at in self.layout.buffers.loops.get(node, Carrying()).copied:
            self.line(depth, f"{names[at + 1]} = {names[at + 1]}.copy()")

    def end_round(self, names: list[str], node: Node, depth: int, asks: bool) -> None:
        """Assign the state of the next round, and ask whether there is one."""
        (body,) = node.regions
        sources = self.carried(body.results, body)
        carrying = self.layout.buffers.loops.get(node, Carrying())
        for at, buffer in carrying.copies.items():
            copied = self.module.helper("copied", _copied)
            sources[at + 1] = f"{copied}({self.names[buffer]}, {sources[at + 1]})"
        if asks and sources[1:] == names[1:]:
            test = self.operand(body.results[0], 3)
        else:
            self.assign(names, sources, depth)
            test = names[0]
        self.rename(carrying.renaming, depth)
        if asks:
            self.leave(test, depth)

    def rename(self, renaming: Renaming, depth: int) -> None:
        """Change what buffers are called."""
        before, after = [
            [self.names[buffer] for buffer in side] for side in (renaming.before, renaming.after)
        ]
        self.assign(before, after, depth)

    def leave(self, test: str, depth: int) -> None:
        """Leave the loop unless the test holds."""
        self.line(depth, f"if not {test}:")
        self.line(depth + 1, "break")

    def carried(self, values: Sequence[Value], body: Region) -> list[str]:
        pairs = zip(values[1:], body.parameters, strict=True)
        return [self.names[values[0]], *[self.moved(value, target) for value, target in pairs]]

    def assign(self, targets: Sequence[str], sources: Sequence[str], depth: int) -> None:
        """Assign all at once: each before a name that it reads is assigned to, if that goes."""
        left = {t: s for t, s in zip(targets, sources, strict=True) if t != s}
        reads = {target: _words(source) - {target} for target, source in left.items()}
        while left:
            free = [t for t in left if not any(t in reads[other] for other in left)]
            if not free:
                self.line(depth, f"{', '.join(left)} = {', '.join(left.values())}")
                return
            for target in free:
                self.line(depth, f"{target} = {left.pop(target)}")

    def raise_(self, node: Node, depth: int) -> None:
        exception = self.module.share("exception", node.params["exception"])
        values = map(self.raw, node.inputs)
        self.line(depth, f"raise raised({', '.join([exception, *values])})", node)

    def call(self, node: Node, depth: int) -> None:
        function = self.module.add(node.params["callee"].graph)
        arguments = ", ".join(map(self.raw, node.inputs))
        outputs = [self.bind(output) for output in node.outputs]
        target = f"{outputs[0]}, = " if len(outputs) == 1 else ", ".join(outputs) + " = "
        self.line(depth, f"{target if outputs else ''}{function}({arguments})", node)
        for output in node.outputs:
            self.unpack(output, depth)


def _dtype_of(value: Value) -> DType:
    assert isinstance(value.type, TensorType)
    return value.type.dtype


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


def _words(source: str) -> set[str]:
    return set(re.findall(r"[^\W\d]\w*", source))


_HELPERS: dict[str, Any] = {
    "float32": np.float32,
    "float64": np.float64,
    "one_float32": np.float32(1),
    "one_float64": np.float64(1),
}
# Names that generated code uses as they are: no value may take them.
RESERVED = (
    *("raised", "bool_", "empty", "copied"),
    *[function.__name__ for function in (int, float, bool, abs, range, min)],
    *_HELPERS,
    *[dtype.name for dtype in dtypes.ALL],
    *[f"wrap_{dtype.name}" for dtype in dtypes.ALL],
    *("bfloat16", "wrap_bfloat16"),
)

_WRITERS: dict[Primitive, Callable[[Writer, Node, int], None]] = {
    CONSTANT: Writer.constant,
    UNDEFINED: Writer.undefined,
    COND: Writer.cond,
    WHILE: Writer.while_,
    RAISE: Writer.raise_,
    CALL: Writer.call,
}
