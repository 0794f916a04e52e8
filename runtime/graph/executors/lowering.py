"""From the body of a graph to the lowered form.

    add = add(n, 1)       assign  add = n + 1
                          check   add is in the range of int32, or is wrapped around
    mul = mul(x, y)       kernel  mul = multiply(x, y, out=buffer)

Integer, bool and string scalars are unboxed, where ops on single numbers and texts read them. What
these compute is an expression; all else is a call of a kernel, which is told its memory by the
buffer plan.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence

import numpy as np

from runtime.core.forms import (
    DYNAMIC,
    ELEMENT,
    ITEM,
    SAME,
    Form,
    is_bool,
    is_float,
    is_integer,
    is_string,
)
from runtime.core.intervals import EVERYTHING
from runtime.core.primitive import Primitive, takes
from runtime.core.shapes import size_of
from runtime.core.types import ListType, NumberType, TensorType, Type
from runtime.graph.executors import lowered
from runtime.graph.executors.buffer_assignment import Carrying, Plan, Renaming
from runtime.graph.executors.kernels import is_number, is_text, reads_of_updated, unboxed, views
from runtime.graph.executors.layouts import Layouts, is_array, is_c_contiguous
from runtime.graph.executors.lowered import Block, Conversion, Expression, Local, Must, Statement
from runtime.graph.executors.ranges import INT64_RANGE, Ranges, limits_of, within
from runtime.graph.executors.scalars import form_of, slices_of, takes_weak
from runtime.graph.executors.undecoded import Undecoded
from runtime.graph.ir import Graph, Node, Region, Value, diverges, walk
from runtime.graph.nodes import (
    CALL,
    COND,
    CONSTANT,
    INT,
    RAISE,
    TO_TENSOR,
    UNDEFINED,
    WHILE,
    placeholder,
)
from runtime.graph.text_ops import TEXT

LARGE = 1 << 14
"""Elements of an array that is released as soon as nobody reads it."""

ENTRY = Node(UNDEFINED, (), ())
"""Stands for where a function begins."""


class _All:
    def __contains__(self, node: object) -> bool:
        return True


ALL = _All()
"""All nodes: of functions that are native as a whole."""


class Lowering:
    """Lowers one graph. `contiguous` tells whether its arguments are known to be C-contiguous.

    `values` are the values of the graph as expressions; those in `unboxed` are numbers where
    kernels take arrays. Locals that are `large`, and not in memory of the program's, are worth to
    be released; those in `fleeting` must be.
    """

    def __init__(self, graph: Graph, contiguous: bool) -> None:
        self.graph, self.region = graph, graph.body
        given = {value for value, item in graph.closure if not is_c_contiguous(item.raw)}
        given.update(value for value in graph.parameters if not (contiguous and is_array(value)))
        self.layouts = Layouts(self.region, given)
        self.ranges = Ranges(self.region)
        # A string that no text is made of stays the array that it is.
        self.makes_texts = any(node.primitive is TEXT for node in walk(self.region))
        self.undecoded: set[Value] = set()
        if self.makes_texts:
            arguments = (*graph.parameters, *[value for value, _ in graph.closure])
            self.undecoded = Undecoded(self.region, arguments).values
        self.makers = self.ranges.makers
        self.updated = reads_of_updated(self.region)
        self.forms: dict[Node, Form | None] = {}
        self.read: set[Value] = set()
        self.weak: set[Value] = set()
        self.note()

    def function(self, native: Container[Node] = ()) -> lowered.Function:
        """Returns the function of the graph. What `native` nodes need has no memory planned, but
        for what other nodes read of it.
        """
        graph = self.graph
        plan = self.plan = Plan(self.region, self.layouts, native)
        self.values: dict[Value, Expression] = {}
        self.unboxed: set[Value] = set()
        self.large: set[Local] = set()
        self.fleeting: set[Local] = set()
        self.statements: list[Statement] = []
        captured = [(self.local(value), item.raw) for value, item in graph.closure]
        parameters = list(map(self.local, graph.parameters))
        arrays = [] if plan.is_empty else list(filter(is_array, graph.parameters))
        strided = [parameters[graph.parameters.index(value)] for value in arrays]
        buffers = list(map(self.local, plan.buffers))
        for value in (*graph.parameters, *[value for value, _ in graph.closure]):
            self.unbox(value)
        self.nodes(self.region)
        body = Block(self.statements, list(map(self.raw, graph.results)))
        return lowered.Function(
            graph.name, parameters, captured, buffers, body, strided, self.ranges
        )

    def note(self) -> None:
        """Find the forms of nodes: `read` are the integers and strings that they, and control flow,
        take as Python's; `weak` the integers cast to floats only for arithmetic with a float, which
        converts them.
        """
        casts: set[Value] = set()
        kept = set(self.region.results)
        for node in walk(self.region):
            form = self.forms[node] = form_of(node)
            if form is not None:
                self.read.update(self.unboxable(node.inputs))
            if form is not None and form.text.startswith("one_"):
                casts.add(node.outputs[0])
            else:
                # One float is enough for Python's numbers to become floats beside it.
                kept.update(node.inputs[:-1] if takes_weak(node, form) else node.inputs)
            for region in node.regions:
                kept.update(region.results)
                self.read.update(self.unboxable((*region.results, *node.inputs)))
        self.weak = casts - kept

    def is_unboxed(self, type: Type) -> bool:
        """Whether control flow holds what is of this type as Python's."""
        return is_integer(type) or is_bool(type) or (self.makes_texts and is_string(type))

    def unboxable(self, values: Iterable[Value]) -> list[Value]:
        """Those that are unboxed where they are read. NumPy's truth values are as good as
        Python's.
        """
        return [each for each in values if self.is_unboxed(each.type) and not is_bool(each.type)]

    # Values

    def local(self, value: Value) -> Local:
        """The local of a value that is about to be assigned."""
        made = self.values[value] = Local(value.name, value.type, value=value)
        if value in self.updated:
            self.fleeting.add(made)
        return made

    def variable(self, value: Value) -> Local:
        """The local of a value that is a number if it can be."""
        self.note_unboxed(value)
        made = self.local(value)
        made.is_number = value in self.unboxed
        return made

    def given(self, value: Value) -> Expression:
        """The value as expressions take it."""
        return self.values[value]

    def operand(self, value: Value) -> Expression:
        """The value as an operand of Python's: of a string its text."""
        found = self.values[value]
        if value not in self.undecoded:
            return found
        return lowered.Convert(Conversion.DECODE, [found])

    def raw(self, value: Value) -> Expression:
        """The value as kernels and callers take it: a tensor as an array or a NumPy scalar."""
        found = self.values[value]
        if isinstance(found, lowered.Constant):
            return lowered.Constant(found.boxed, found.boxed, value.type)
        if value not in self.unboxed:
            return found
        assert isinstance(value.type, TensorType)
        return lowered.Convert(Conversion.BOX, [found], value.type.dtype)

    def moved(self, value: Value, target: Value) -> Expression:
        """The value as a variable of control flow holds it."""
        return self.values[value] if self.is_unboxed(target.type) else self.raw(value)

    def note_unboxed(self, value: Value) -> None:
        """Note that a value is held as Python's."""
        if self.is_unboxed(value.type):
            self.unboxed.add(value)

    def unbox(self, value: Value, node: Node = ENTRY) -> None:
        """Make a number, or a text, of what came as an array, where expressions read it."""
        self.check_width(value, node)
        if value in self.read and value not in self.unboxed:
            assert isinstance(value.type, TensorType)
            item = lowered.Convert(Conversion.UNBOX, [self.values[value]], value.type.dtype)
            self.add(lowered.Assign(node, [item], [self.variable(value)]))

    def check_width(self, value: Value, node: Node) -> None:
        """State that a Python integer fits into 64 bits, where its range does not tell."""
        is_int = isinstance(value.type, NumberType) and value.type.kind == "int"
        if is_int and not within(self.ranges.of(value), INT64_RANGE):
            self.add(lowered.Check(node, [self.given(value)], [], Must.BE_64_BIT))

    # Nodes

    def add(self, statement: Statement) -> None:
        """Add a statement to the block that is being written."""
        self.statements.append(statement)

    def block(self, region: Region) -> Block:
        """The block of a region, without its results."""
        around, self.statements = self.statements, []
        self.nodes(region)
        made = Block(self.statements, diverges=diverges(region))
        self.statements = around
        return made

    def nodes(self, region: Region) -> None:
        for node in region.nodes:
            structure = _STRUCTURES.get(node.primitive)
            if structure is not None:
                structure(self, node)
            elif (form := self.form(node)) is not None:
                self.expression(node, form)
            else:
                self.op(node)

    def form(self, node: Node) -> Form | None:
        """The form of a node on numbers, unless its kernel is needed to refuse some of them."""
        form = self.forms[node]
        return None if form and form.refuses and self.becomes_infinite(node) else form

    def becomes_infinite(self, node: Node) -> bool:
        """True if the node may make a float of an int that is too large, which only its kernel
        refuses.
        """
        type = node.outputs[0].type
        if not isinstance(type, TensorType) or not type.dtype.is_floating:
            return False
        return not within(self.ranges.of(node.inputs[0]), (type.dtype.min, type.dtype.max))

    def constant(self, node: Node) -> None:
        value, (output,) = node.params["value"], node.outputs
        item = boxed = value
        if self.is_unboxed(output.type):
            self.unboxed.add(output)
            item = unboxed(value) if is_string(output.type) else value.item()
        elif is_float(output.type):
            item, boxed = value[()], np.asarray(value)
        self.values[output] = lowered.Constant(item, boxed, output.type)

    def undefined(self, node: Node) -> None:
        # Whoever reads it before a check has found nothing there: an op that left a loop.
        (output,) = node.outputs
        item = boxed = placeholder(output.type)
        if self.is_unboxed(output.type):
            self.unboxed.add(output)
            item = unboxed(boxed) if is_string(output.type) else boxed.item()
        self.values[output] = lowered.Constant(item, boxed, output.type)

    # Ops on numbers

    def expression(self, node: Node, form: Form) -> None:
        """An op on numbers; one that changes nothing is a second name for its operand."""
        (output,) = node.outputs
        operands = list(map(self.operand, node.inputs))
        wraps = form.wraps and self.is_checked(node)
        same = form.text == SAME.text
        refuses = form.refuses and self.is_checked(node)
        # No constant is of a type that it does not fit: behind the check, nobody is.
        is_wrong = refuses and isinstance(operands[0], lowered.Constant)
        if output in self.weak or (same and (form.refuses or not wraps) and not is_wrong):
            if refuses:
                self.check(node, operands, Must.FIT, self.kernel(node))
            self.values[output] = _retyped(operands[0], output.type)
            if output not in self.weak:
                self.note_unboxed(output)
            return
        table = self.table(node) if form in (ELEMENT, ITEM) else None
        if table is not None:
            form, operands[0] = ELEMENT, lowered.Constant(table, table, node.inputs[0].type)
        else:
            self.check_operands(node, form, operands)
        movable = table is not None or not self.may_fail(node, form)
        made = lowered.Apply(form, operands, output.type, node, movable)
        self.add(lowered.Assign(node, [made], [self.variable(output)]))
        if wraps or refuses:
            refusal = self.kernel(node) if form.refuses else None
            must = Must.FIT if refusal else Must.WRAP
            self.check(node, [self.given(output)], must, refusal)
        self.check_width(output, node)

    def is_checked(self, node: Node) -> bool:
        """True if what a node computes may be out of the range of its integer type."""
        return is_integer(node.outputs[0].type) and not self.ranges.fits(node)

    def check(
        self, node: Node, inputs: list[Expression], must: Must, refusal: lowered.Kernel | None
    ) -> None:
        """Check the range of a number, on the sides where it may be left."""
        type = node.outputs[0].type
        assert isinstance(type, TensorType)
        low, high = self.ranges.exact.get(node, EVERYTHING)
        sides = low < type.dtype.min, high > type.dtype.max
        self.add(lowered.Check(node, inputs, [], must, type.dtype, *sides, refusal))

    def check_operands(self, node: Node, form: Form, operands: list[Expression]) -> None:
        """State what must hold of the operands."""
        last, must = node.inputs[-1], _NEEDS.get(form.sign)
        if getattr(node.inputs[0].type, "shape", ()):
            self.check_index(node, operands)
        elif (must is Must.SHIFT and self.ranges.of(last)[0] < 0) or (
            must is Must.DIVIDE and self.may_be_zero(last) and not is_float(last.type)
        ):
            self.add(lowered.Check(node, operands[-1:], [], must))

    def check_index(self, node: Node, operands: Sequence[Expression]) -> None:
        """State that an element is there."""
        type, given = node.inputs[0].type, iter(node.inputs[1:])
        assert isinstance(type, TensorType)
        inputs, is_there = [operands[0]], True
        for part, dim in zip(node.params["spec"], type.shape or (), strict=False):
            if part == DYNAMIC:
                place = next(given)
                inputs.append(self.given(place))
                low, high = self.ranges.of(place)
            else:
                inputs.append(lowered.Constant(part, part, INT))
                low = high = part
            is_there &= dim is not None and -dim <= low and high < dim
        if not is_there:
            self.add(lowered.Check(node, inputs, [], Must.INDEX))

    def may_be_zero(self, value: Value) -> bool:
        if limits_of(value.type) is None:
            return True
        low, high = self.ranges.of(value)
        return bool(low <= 0 <= high)

    def may_fail(self, node: Node, form: Form) -> bool:
        """True if an expression must be computed in its place, and only there."""
        if any(isinstance(value.type, ListType) for value in node.inputs):
            return True  # it may be changed before its reader is reached
        checked = (form.wraps or form.refuses) and self.is_checked(node)
        if node.primitive is TO_TENSOR:
            return checked
        if form.sign in ("//", "%") and limits_of(node.inputs[1].type) is not None:
            return self.may_be_zero(node.inputs[1]) or checked
        # Python refuses to make floats of the largest ints.
        kinds = {value.type for value in node.inputs if isinstance(value.type, NumberType)}
        return node.primitive.fallible or len(kinds) > 1 or checked

    def table(self, node: Node) -> tuple[object, ...] | None:
        """The known vector that the node takes an element of, at a place that is there."""
        vector, index = node.inputs
        maker = self.makers.get(vector)
        if maker is None or maker.primitive is not CONSTANT:
            return None
        value = maker.params["value"]
        low, high = self.ranges.of(index)
        if value.ndim != 1 or value.dtype.kind not in "biufc" or not 0 <= low <= high < len(value):
            return None
        return tuple(value.tolist() if value.dtype.kind in "biu" else value)

    # Kernels

    def op(self, node: Node) -> None:
        """A call of a kernel, and what numbers are needed of its results."""
        index = slices_of(node)
        if index is None:
            statement: Statement = self.kernel(node)
            statement.targets = [self.target(output) for output in node.outputs]
        else:
            (output,), form = node.outputs, Form(f"{{}}[{index}]", "")
            part = lowered.Apply(form, [self.raw(node.inputs[0])], output.type, node)
            statement = lowered.Assign(node, [part], [self.target(output)])
        self.add(statement)
        for output in filter(is_text, node.outputs):
            if output in self.read:
                continue
            text = lowered.Convert(Conversion.TEXT, [self.given(output)])
            self.add(lowered.Assign(node, [text], [self.local(output)]))
        for output in node.outputs:
            self.unbox(output, node)

    def target(self, output: Value) -> Local:
        """The local of a kernel's result."""
        made = self.local(output)
        if _is_large(output.type) and output not in self.plan.slots_of:
            self.large.add(made)
        return made

    def kernel(self, node: Node) -> lowered.Kernel:
        """The call of a node's kernel, or of what stands for it, with its memory."""
        plan = self.plan
        direct = plan.direct(node) is not None
        works = plan.workspace is not None and plan.works(node)
        # A view of one number would change with the buffer that it is in.
        view = views(node) and not node.primitive.gives_tuple and bool(node.outputs)
        return lowered.Kernel(
            node,
            list(map(self.raw, node.inputs)),
            [],
            plan.kernel(node),
            list(map(self.out, node.outputs)),
            self.buffer(plan.workspace) if works else None,
            direct=direct,
            owned=takes(node.primitive.kernel, "shared") and node.inputs[0] in plan.slots_of,
            item=view and is_number(node.outputs[0]) and not is_text(node.outputs[0]),
        )

    def out(self, output: Value) -> Expression | None:
        """The memory that a result is to be written to."""
        free_list, target = self.plan.free_list(output), self.plan.target(output)
        if free_list is not None:
            return lowered.Convert(Conversion.TAKE, [self.given(free_list)])
        return None if target is None else self.buffer(target)

    def buffer(self, value: Value | None) -> Local:
        """The local of a buffer, or of an array that is written over."""
        assert value is not None
        found = self.given(value)
        assert isinstance(found, Local)
        self.large.discard(found)
        return found

    # Control flow

    def cond(self, node: Node) -> None:
        (test,) = map(self.given, node.inputs)
        blocks = []
        for region in node.regions:
            block = self.block(region)
            if not block.diverges:
                pairs = zip(region.results, node.outputs, strict=True)
                block.results = [self.moved(*pair) for pair in pairs]
            self.rename(block, self.plan.renamings.get(region, Renaming()))
            blocks.append(block)
        self.add(lowered.If(node, [test], list(map(self.variable, node.outputs)), blocks=blocks))

    def while_(self, node: Node) -> None:
        (region,) = node.regions
        carrying = self.plan.loops.get(node, Carrying())
        first = self.carried(node.inputs, region)
        state = list(map(self.variable, region.parameters))
        body = self.block(region)
        body.results = self.carried(region.results, region)
        for at, value in carrying.copies.items():
            memory: list[Expression] = [self.buffer(value), body.results[at + 1]]
            body.results[at + 1] = lowered.Convert(Conversion.FILL, memory)
        self.rename(body, carrying.renaming)
        asks = not (isinstance(first[0], lowered.Constant) and first[0].item is True)
        proceed = Local("proceed", region.results[0].type)
        self.add(lowered.Loop(node, first, [proceed, *state], asks, blocks=[body]))
        for output, local in zip(node.outputs, state, strict=True):
            self.values[output] = local
            self.note_unboxed(output)
        for at in carrying.copied:
            copy = lowered.Convert(Conversion.COPY, [state[at]])
            self.add(lowered.Assign(node, [copy], [state[at]]))

    def carried(self, values: Sequence[Value], body: Region) -> list[Expression]:
        pairs = zip(values[1:], body.parameters, strict=True)
        return [self.given(values[0]), *[self.moved(*pair) for pair in pairs]]

    def rename(self, block: Block, renaming: Renaming) -> None:
        """Let buffers swap names at the end of a block."""
        for before, after in zip(renaming.before, renaming.after, strict=True):
            if before is not after:
                block.before.append(self.buffer(before))
                block.after.append(self.buffer(after))

    def raise_(self, node: Node) -> None:
        self.add(lowered.Raise(node, list(map(self.raw, node.inputs)), []))

    def call(self, node: Node) -> None:
        inputs = list(map(self.raw, node.inputs))
        targets = list(map(self.local, node.outputs))
        self.add(lowered.Call(node, inputs, targets, node.params["callee"].graph))
        for output in node.outputs:
            self.unbox(output, node)


def whole(graph: Graph) -> lowered.Function:
    """The function of a graph whose nodes are all native, for arguments that are C-contiguous."""
    return Lowering(graph, contiguous=True).function(ALL)


_STRUCTURES: dict[Primitive, Callable[[Lowering, Node], None]] = {
    CONSTANT: Lowering.constant,
    UNDEFINED: Lowering.undefined,
    COND: Lowering.cond,
    WHILE: Lowering.while_,
    RAISE: Lowering.raise_,
    CALL: Lowering.call,
}
_NEEDS = {"//": Must.DIVIDE, "%": Must.DIVIDE, "/": Must.DIVIDE, "<<": Must.SHIFT, ">>": Must.SHIFT}


def _is_large(type: Type) -> bool:
    if not isinstance(type, TensorType):
        return False
    size = size_of(type.shape)
    return size is None or size >= LARGE


def _retyped(expression: Expression, type: Type) -> Expression:
    """The expression as one of another type; a number that becomes a tensor is boxed as that."""
    match expression, type:
        case lowered.Constant(item=item, type=NumberType()), TensorType(dtype=dtype):
            return lowered.Constant(item, dtype.np_dtype.type(item), type)
    return expression
