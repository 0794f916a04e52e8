"""The reference executor: a graph becomes flat Python source over NumPy, compiled once.

Control flow is Python's control flow, staged numbers are Python numbers, an op is a call of its
kernel:

    def count(x, limit):
        greater = k_greater(x, limit)
        n = 0
        while greater:
            ...
        return (n,)

Each line knows the node that it comes from, so that an error at run time can name the user's line.
"""

from __future__ import annotations

import keyword
import math
from collections.abc import Callable, Sequence
from typing import Any

from runtime.graph.executors.failures import explain, raised
from runtime.graph.ir import Graph, Node, Region, Value, free_values
from runtime.graph.nodes import placeholder
from runtime.types import NumberType, TensorType

Lines = dict[int, tuple[Node, list[str]]]
_PLAIN = (bool, int, str, type(None))

# How Python writes rows of numbers; what is not here is a call of the kernel.
INLINE = {
    "py.add": "{} + {}",
    "py.sub": "{} - {}",
    "py.mul": "{} * {}",
    "py.truediv": "{} / {}",
    "py.floordiv": "{} // {}",
    "py.mod": "{} % {}",
    "py.lshift": "{} << {}",
    "py.rshift": "{} >> {}",
    "py.and": "{} & {}",
    "py.or": "{} | {}",
    "py.xor": "{} ^ {}",
    "py.lt": "{} < {}",
    "py.le": "{} <= {}",
    "py.gt": "{} > {}",
    "py.ge": "{} >= {}",
    "py.eq": "{} == {}",
    "py.ne": "{} != {}",
    "py.neg": "-{}",
    "py.pos": "+{}",
    "py.invert": "~{}",
    "py.not": "not {}",
}


# Python itself allows 100 levels of indentation and 20 nested loops.
DEEPEST = 80
MOST_LOOPS = 16


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


class _Module:
    """The functions of a program: one for the graph, one for each graph that it calls."""

    def __init__(self) -> None:
        self.namespace: dict[str, Any] = {"raised": raised}
        self.text: list[str] = []
        self.lines: Lines = {}
        self.functions: dict[Graph, str] = {}
        self.shared: dict[int, str] = {}
        self.taken: set[str] = {"raised"}

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
        self.loops = 0

    def graph(self, graph: Graph, name: str) -> None:
        """The function of a graph."""
        for value, item in graph.captures:
            self.names[value] = self.module.share(value.name, item.raw)
        self.line(0, f"def {name}({', '.join(map(self.bind, graph.parameters))}):")
        self.region(graph.body, 1)
        self.returns(graph.results)

    def returns(self, results: Sequence[Value]) -> None:
        names = [self.names[value] for value in results]
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
        writer.returns(node.outputs)
        self.module.append(writer)
        outputs = [self.names[value] for value in node.outputs]
        target = f"{', '.join(outputs)}{',' if len(outputs) == 1 else ''} = " if outputs else ""
        self.line(depth, f"{target}{name}({arguments})")

    def bind(self, value: Value) -> str:
        name = self.names[value] = self.module.fresh(value.name)
        return name

    def literal(self, item: Any) -> str:
        if type(item) in _PLAIN or (type(item) is float and math.isfinite(item)):
            return repr(item)
        if type(item) is tuple:
            inner = [self.literal(element) for element in item]
            return f"({', '.join(inner)}{',' if len(inner) == 1 else ''})"
        return self.module.share("c", item)

    def line(self, depth: int, text: str, node: Node | None = None) -> None:
        self.text.append("    " * depth + text)
        if node is not None:
            self.lines[len(self.text)] = node, [self.names[value] for value in node.inputs]

    def region(self, region: Region, depth: int) -> None:
        for node in region.nodes:
            write = _WRITERS.get(node.primitive.name)
            if write is None:
                self.op(node, depth)
            elif node.regions and (depth > DEEPEST or self.loops > MOST_LOOPS):
                self.outlined(node, depth)
            else:
                write(self, node, depth)

    def op(self, node: Node, depth: int) -> None:
        arguments = [self.names[value] for value in node.inputs]
        form = INLINE.get(node.primitive.name)
        if form is None:
            kernel = self.module.share(f"k_{node.primitive.name}", node.primitive.kernel)
            params = [f"{key}={self.literal(item)}" for key, item in node.params.items()]
            call = f"{kernel}({', '.join([*arguments, *params])})"
        else:
            call = form.format(*arguments)
        outputs = ", ".join(map(self.bind, node.outputs))
        self.line(depth, f"{outputs} = {call}" if outputs else call, node)

    def constant(self, node: Node, depth: int) -> None:
        value = node.params["value"]
        if not isinstance(node.outputs[0].type, NumberType):
            self.names[node.outputs[0]] = self.module.share("c", value)
            return
        text = self.literal(value)
        self.names[node.outputs[0]] = f"({text})" if text.startswith("-") else text

    def undefined(self, node: Node, depth: int) -> None:
        # A number may be converted before anybody asks whether it is there; a tensor is only moved.
        type = node.outputs[0].type
        text = "None" if isinstance(type, TensorType) else repr(placeholder(type))
        self.names[node.outputs[0]] = text

    def cond(self, node: Node, depth: int) -> None:
        outputs = [self.bind(output) for output in node.outputs]
        body, orelse = node.regions
        self.line(depth, f"if {self.names[node.inputs[0]]}:", node)
        self.branch(body, outputs, depth + 1)
        if orelse.nodes or outputs:
            self.line(depth, "else:")
            self.branch(orelse, outputs, depth + 1)

    def branch(self, region: Region, outputs: list[str], depth: int) -> None:
        before = len(self.text)
        self.region(region, depth)
        for output, result in zip(outputs, region.results, strict=False):
            self.line(depth, f"{output} = {self.names[result]}")
        if len(self.text) == before:
            self.line(depth, "pass")

    def while_(self, node: Node, depth: int) -> None:
        (body,) = node.regions
        state = [self.bind(parameter) for parameter in body.parameters]
        for output, name in zip(node.outputs, state, strict=True):
            self.names[output] = name
        proceed = self.module.fresh("proceed")
        self.assign([proceed, *state], [self.names[value] for value in node.inputs], depth)
        self.line(depth, f"while {proceed}:", node)
        self.loops += 1
        self.region(body, depth + 1)
        self.loops -= 1
        self.assign([proceed, *state], [self.names[value] for value in body.results], depth + 1)

    def assign(self, targets: list[str], sources: list[str], depth: int) -> None:
        pairs = [(t, s) for t, s in zip(targets, sources, strict=True) if t != s]
        if pairs:
            left, right = zip(*pairs, strict=True)
            self.line(depth, f"{', '.join(left)} = {', '.join(right)}")

    def raise_(self, node: Node, depth: int) -> None:
        exception = self.module.share("exception", node.params["exception"])
        values = [self.names[value] for value in node.inputs]
        places = self.literal(node.params["places"])
        self.line(depth, f"raise raised({', '.join([exception, places, *values])})", node)

    def call(self, node: Node, depth: int) -> None:
        function = self.module.add(node.params["callee"].graph)
        arguments = ", ".join(self.names[value] for value in node.inputs)
        outputs = [self.bind(output) for output in node.outputs]
        target = f"{outputs[0]}, = " if len(outputs) == 1 else ", ".join(outputs) + " = "
        self.line(depth, f"{target if outputs else ''}{function}({arguments})", node)


def _is_local(name: str) -> bool:
    return name.isidentifier() and not keyword.iskeyword(name)


_WRITERS: dict[str, Callable[[_Writer, Node, int], None]] = {
    "constant": _Writer.constant,
    "undefined": _Writer.undefined,
    "cond": _Writer.cond,
    "while": _Writer.while_,
    "raise": _Writer.raise_,
    "call": _Writer.call,
}
