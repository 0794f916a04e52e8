"""The reference executor: a graph becomes flat Python source over NumPy, compiled once.

Control flow is Python's control flow; staged numbers are Python numbers, and so are integer scalars
(`scalars`); another op is a call of its kernel, which writes over a buffer that nobody reads again
where there is one (`buffers`):

    def count(x, limit):
        limit = int(limit)
        n = 0
        proceed = limit > 0
        while proceed:
            ...
        return (int32(n),)

Each line knows the node that it comes from, so that an error at run time can name the user's line.
"""

from __future__ import annotations

import keyword
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from runtime import dtypes
from runtime.dtypes import DType
from runtime.graph.executors.blocks import Run, places_of, runs_of
from runtime.graph.executors.buffers import Plan, plan, product_of, ufunc_of
from runtime.graph.executors.failures import explain, raised
from runtime.graph.executors.scalars import (
    NUMBERS,
    Form,
    form_of,
    is_bool,
    is_float,
    is_integer,
    is_weak_cast,
    slices_of,
    takes_weak,
    wrapper,
)
from runtime.graph.ir import Graph, Node, Region, Value, free_values, walk
from runtime.graph.nodes import placeholder
from runtime.types import NumberType, TensorType

Lines = dict[int, tuple[Node, list[str]]]
_PLAIN = (bool, int, str, type(None))

# Python itself allows 100 levels of indentation and 20 nested loops.
DEEPEST = 80
MOST_LOOPS = 16


# Rows whose kernels return a tuple also where it has one item.
_SEQUENCES = frozenset(("unstack", "split", "identity_n"))


class Program:
    """A compiled graph: `run(*raws)` gives a tuple of raw results, `source` is what it runs."""

    __slots__ = ("filename", "lines", "run", "source")

    def __init__(self, graph: Graph) -> None:
        module = _Module()
        function = module.add(graph)
        self.source = "\n".join(module.text)
        self.lines = module.lines
        self.filename = f"<graph {graph.name}>"
        exec(compile(self.source, self.filename, "exec"), module.namespace)
        self.run: Callable[..., tuple[Any, ...]] = module.namespace[function]

    def failed(self, error: BaseException) -> BaseException:
        """The error to raise for one that left `run`: it names the op and points at the user's
        line.
        """
        return explain(error, self.filename, self.lines)


def python_source(graph: Graph) -> str:
    """The Python source that the graph is run as."""
    return Program(graph).source


class _Scalars:
    """How values are held: the integer tensors that ops on scalars read, the tensors that are (or
    may be) Python numbers, and constants.

    `weak` are integers cast to floats only for arithmetic with a float, which converts them itself.
    """

    def __init__(self) -> None:
        self.read: set[Value] = set()
        self.python: set[Value] = set()
        self.weak: set[Value] = set()
        self.constants: dict[Value, Any] = {}

    def note(self, graph: Graph) -> None:
        """Note what the nodes of a graph read."""
        casts: set[Value] = set()
        kept = set(graph.results)
        for node in walk(graph.body):
            if form_of(node) is not None:
                self.read.update([value for value in node.inputs if is_integer(value.type)])
            if is_weak_cast(node):
                casts.add(node.outputs[0])
            else:
                # One float is enough for Python's numbers to become floats beside it.
                kept.update(node.inputs[:-1] if takes_weak(node) else node.inputs)
            for region in node.regions:
                kept.update(region.results)
        self.weak |= casts - kept


class _Module:
    """The functions of a program: one for the graph, one for each graph that it calls."""

    def __init__(self) -> None:
        self.namespace: dict[str, Any] = {"raised": raised}
        self.scalars = _Scalars()
        self.buffers: Plan = {}
        self.text: list[str] = []
        self.lines: Lines = {}
        self.functions: dict[Graph, str] = {}
        self.shared: dict[int, str] = {}
        self.taken: set[str] = set(_RESERVED)

    def fresh(self, hint: str) -> str:
        """A name that nothing has yet."""
        name = "".join(c if c.isalnum() else "_" for c in hint) or "v"
        if name[0].isdigit() or keyword.iskeyword(name):
            name = f"_{name}"
        candidate, count = name, 0
        while candidate in self.taken:
            count += 1
            candidate = f"{name}_{count}"
        self.taken.add(candidate)
        return candidate

    def share(self, hint: str, item: Any) -> str:
        """The global name of an object."""
        name = self.shared.get(id(item))
        if name is None:
            name = self.shared[id(item)] = self.fresh(hint)
            self.namespace[name] = item
        return name

    def helper(self, name: str, item: Any) -> str:
        """The fixed global name of something that generated code calls."""
        self.namespace[name] = item
        return name

    def add(self, graph: Graph) -> str:
        """The name of the function of a graph, which is written if it is not there yet."""
        name = self.functions.get(graph)
        if name is None:
            name = self.functions[graph] = self.fresh(graph.name)
            writer = _Writer(self, {})
            writer.graph(graph, name)
            self.append(writer)
        return name

    def append(self, writer: _Writer) -> None:
        """Take over the lines of a function."""
        start = len(self.text)
        self.text += [*writer.text, ""]
        self.lines |= {start + at: entry for at, entry in writer.lines.items()}


class _Writer:
    """Writes one function."""

    def __init__(self, module: _Module, names: dict[Value, str]) -> None:
        self.module = module
        self.names = names
        self.text: list[str] = []
        self.lines: Lines = {}
        self.scalars = module.scalars
        self.loops = 0

    def graph(self, graph: Graph, name: str) -> None:
        """The function of a graph."""
        self.scalars.note(graph)
        self.module.buffers.update(plan(graph.body))
        for value, item in graph.captures:
            self.names[value] = self.module.share(value.name, item.raw)
        self.line(0, f"def {name}({', '.join(map(self.bind, graph.parameters))}):")
        for value in (*graph.parameters, *[value for value, _ in graph.captures]):
            self.unpack(value, 1)
        self.region(graph.body, 1)
        self.returns(graph.results)

    def returns(self, results: Sequence[Value]) -> None:
        names = [self.raw(value) for value in results]
        self.line(1, f"return ({', '.join(names)}{',' if len(names) == 1 else ''})")

    def outlined(self, node: Node, depth: int) -> None:
        """A statement that is nested too deeply for Python: a function of its own, and its call."""
        name = self.module.fresh(node.primitive.name)
        free = free_values(Region((), (node,), ()))
        # Constants are written where they are used; what is left are local names.
        given = [self.names[value] for value in free if _is_local(self.names[value])]
        arguments = ", ".join(n for n in dict.fromkeys(given) if n not in self.module.namespace)
        writer = _Writer(self.module, self.names)
        writer.line(0, f"def {name}({arguments}):")
        _WRITERS[node.primitive.name](writer, node, 1)
        outputs = [self.names[value] for value in node.outputs]
        comma = "," if len(outputs) == 1 else ""
        writer.line(1, f"return ({', '.join(outputs)}{comma})")
        self.module.append(writer)
        target = f"{', '.join(outputs)}{comma} = " if outputs else ""
        self.line(depth, f"{target}{name}({arguments})")

    # How values are held

    def bind(self, value: Value) -> str:
        name = self.names[value] = self.module.fresh(value.name)
        return name

    def unpack(self, value: Value, depth: int) -> None:
        """What came as an array is a Python int from here on, where ops on scalars read it."""
        if value in self.scalars.read and value not in self.scalars.python:
            name = self.names[value]
            self.scalars.python.add(value)
            # What is global stays as it is.
            mine = self.bind(value) if name in self.module.namespace else name
            self.line(depth, f"{mine} = int({name})")

    def raw(self, value: Value) -> str:
        """The value as kernels and callers take it: a tensor as an array or a NumPy scalar."""
        if value in self.scalars.constants:
            return self.module.share("c", self.scalars.constants[value])
        name = self.names[value]
        if value not in self.scalars.python:
            return name
        return f"{self.numpy_type(_dtype_of(value))}({name})"

    def moved(self, value: Value, target: Value) -> str:
        """The value as a variable of control flow holds it."""
        if is_integer(target.type):
            name = self.names[value]
            return name if value in self.scalars.python else f"int({name})"
        return self.names[value] if is_bool(target.type) else self.raw(value)

    def variable(self, value: Value) -> str:
        """The name of a new variable of control flow."""
        if is_integer(value.type) or is_bool(value.type):
            self.scalars.python.add(value)
        return self.bind(value)

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
        runs = {run.nodes[0]: run for run in runs_of(region)}
        done: set[Node] = set()
        for node in region.nodes:
            if node in runs:
                self.blocks(runs[node], depth)
                done.update(runs[node].nodes)
            if node in done:
                continue
            write = _WRITERS.get(node.primitive.name)
            if write is None:
                self.op(node, depth)
            elif node.regions and (depth > DEEPEST or self.loops > MOST_LOOPS):
                self.outlined(node, depth)
            else:
                write(self, node, depth)

    def op(self, node: Node, depth: int) -> None:
        name = node.primitive.name
        form = form_of(node)
        if form is not None:
            self.scalar(node, form, depth)
        elif name in NUMBERS:
            call = NUMBERS[name].format(*[self.names[value] for value in node.inputs])
            self.line(depth, f"{self.bind(node.outputs[0])} = {call}", node)
        else:
            call = self.kernel_call(node)
            outputs = ", ".join(map(self.bind, node.outputs))
            comma = "," if len(node.outputs) == 1 and name in _SEQUENCES else ""
            self.line(depth, f"{outputs}{comma} = {call}" if outputs else call, node)
            for output in node.outputs:
                self.unpack(output, depth)

    def blocks(self, run: Run, depth: int) -> None:
        """A loop over blocks of large arrays."""
        for node in run.nodes:
            if node.primitive.name == "constant":
                self.constant(node, depth)
        results = [self.array(value, run.type.shape, run, depth) for value in run.results]
        places = places_of(run)
        count = max(places.values(), default=-1) + 1
        buffers = [self.array(None, (run.block,), run, depth) for _ in range(count)]
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

    def array(self, value: Value | None, shape: Any, run: Run, depth: int) -> str:
        """The name of a new array of the dtype of a run."""
        empty, dtype = self.module.helper("empty", np.empty), self.numpy_type(run.type.dtype)
        name = self.module.fresh("buffer") if value is None else self.bind(value)
        self.line(depth, f"{name} = {empty}({shape}, {dtype})")
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
        self.line(depth, f"{kernel}({', '.join([*operands, names[node.outputs[0]]])})")

    def kernel_call(self, node: Node) -> str:
        arguments = list(map(self.raw, node.inputs))
        index = slices_of(node)
        if index is not None:
            return f"{arguments[0]}[{index}]"
        direct = ufunc_of(node) or product_of(node)
        if direct is not None:
            buffer = self.module.buffers.get(node)
            arguments += [] if buffer is None else [self.names[buffer]]
            kernel = self.module.share(f"k_{node.primitive.name}", direct)
            return f"{kernel}({', '.join(arguments)})"
        kernel = self.module.share(f"k_{node.primitive.name}", node.primitive.kernel)
        params = [f"{key}={self.literal(item)}" for key, item in node.params.items()]
        return f"{kernel}({', '.join([*arguments, *params])})"

    def scalar(self, node: Node, form: Form, depth: int) -> None:
        (output,) = node.outputs
        text = form.text.format(*[self.names[value] for value in node.inputs])
        if output in self.scalars.weak:
            self.names[output] = self.names[node.inputs[0]]
        elif text == self.names[node.inputs[0]] and not form.wraps:
            self.alias(node.inputs[0], output)
        else:
            self.helpers(text)
            self.line(depth, f"{self.variable(output)} = {text}", node)
        if is_integer(output.type) and (form.refuses or (form.wraps and not self.fits(node))):
            self.check_range(node, form, depth)

    def alias(self, value: Value, other: Value) -> None:
        self.names[other] = self.names[value]
        if is_integer(other.type) or is_bool(other.type):
            self.scalars.python.add(other)

    def fits(self, node: Node) -> bool:
        """Is this quotient within its dtype's range?"""
        divisor = self.scalars.constants.get(node.inputs[-1])
        return node.primitive.name == "floordiv" and divisor is not None and divisor != -1

    def check_range(self, node: Node, form: Form, depth: int) -> None:
        (output,) = node.outputs
        name, dtype = self.names[output], _dtype_of(output)
        self.line(depth, f"if not {int(dtype.min)} <= {name} <= {int(dtype.max)}:")
        if form.refuses:
            self.line(depth + 1, self.kernel_call(node), node)
        else:
            wrap = self.module.helper(f"wrap_{dtype.name}", wrapper(dtype))
            self.line(depth + 1, f"{name} = {wrap}({name})")

    def helpers(self, text: str) -> None:
        """Make what the templates of scalars mention known to the program."""
        for name, item in _HELPERS.items():
            if name in text:
                self.module.helper(name, item)

    def constant(self, node: Node, depth: int) -> None:
        value, (output,) = node.params["value"], node.outputs
        if is_integer(output.type) or is_bool(output.type):
            self.scalars.constants[output] = value
            self.scalars.python.add(output)
            value = value.item()
        elif not isinstance(output.type, NumberType):
            if is_float(output.type):
                self.scalars.constants[output] = np.asarray(value)
                value = value[()]
            self.names[output] = self.module.share("c", value)
            return
        text = self.literal(value)
        self.names[output] = f"({text})" if text.startswith("-") else text

    def undefined(self, node: Node, depth: int) -> None:
        # A number may be converted before anybody asks whether it is there; a tensor is only moved.
        (output,) = node.outputs
        if is_integer(output.type) or is_bool(output.type):
            self.scalars.python.add(output)
            self.names[output] = "0" if is_integer(output.type) else "False"
            return
        text = "None" if isinstance(output.type, TensorType) else repr(placeholder(output.type))
        self.names[output] = text

    # Control flow

    def cond(self, node: Node, depth: int) -> None:
        for output in node.outputs:
            self.variable(output)
        body, orelse = node.regions
        self.line(depth, f"if {self.names[node.inputs[0]]}:", node)
        self.branch(body, node.outputs, depth + 1)
        if orelse.nodes or node.outputs:
            self.line(depth, "else:")
            self.branch(orelse, node.outputs, depth + 1)

    def branch(self, region: Region, outputs: Sequence[Value], depth: int) -> None:
        before = len(self.text)
        self.region(region, depth)
        for output, result in zip(outputs, region.results, strict=False):
            self.line(depth, f"{self.names[output]} = {self.moved(result, output)}")
        if len(self.text) == before:
            self.line(depth, "pass")

    def while_(self, node: Node, depth: int) -> None:
        (body,) = node.regions
        state = list(map(self.variable, body.parameters))
        for output, parameter in zip(node.outputs, body.parameters, strict=True):
            self.names[output] = self.names[parameter]
            if parameter in self.scalars.python:
                self.scalars.python.add(output)
        proceed = self.module.fresh("proceed")
        targets = [proceed, *state]
        self.assign(targets, self.carried(node.inputs, body), depth)
        self.line(depth, f"while {proceed}:", node)
        self.loops += 1
        self.region(body, depth + 1)
        self.loops -= 1
        self.assign(targets, self.carried(body.results, body), depth + 1)

    def carried(self, values: Sequence[Value], body: Region) -> list[str]:
        pairs = zip(values[1:], body.parameters, strict=True)
        return [self.names[values[0]], *[self.moved(value, target) for value, target in pairs]]

    def assign(self, targets: list[str], sources: list[str], depth: int) -> None:
        pairs = [(t, s) for t, s in zip(targets, sources, strict=True) if t != s]
        if pairs:
            left, right = zip(*pairs, strict=True)
            self.line(depth, f"{', '.join(left)} = {', '.join(right)}")

    def raise_(self, node: Node, depth: int) -> None:
        exception = self.module.share("exception", node.params["exception"])
        places = self.literal(node.params["places"])
        values = map(self.raw, node.inputs)
        self.line(depth, f"raise raised({', '.join([exception, places, *values])})", node)

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


def _is_local(name: str) -> bool:
    return name.isidentifier() and not keyword.iskeyword(name)


_HELPERS: dict[str, Any] = {
    "float32": np.float32,
    "float64": np.float64,
    "one_float32": np.float32(1),
    "one_float64": np.float64(1),
}
# Names that generated code uses as they are: no value may take them.
_RESERVED = (
    *("raised", "int", "float", "bool", "bool_", "abs", "range", "min", "empty", *_HELPERS),
    *[dtype.name for dtype in dtypes.ALL],
    *[f"wrap_{dtype.name}" for dtype in dtypes.ALL],
)

_WRITERS: dict[str, Callable[[_Writer, Node, int], None]] = {
    "constant": _Writer.constant,
    "undefined": _Writer.undefined,
    "cond": _Writer.cond,
    "while": _Writer.while_,
    "raise": _Writer.raise_,
    "call": _Writer.call,
}
