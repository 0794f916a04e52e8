"""The graph: typed nodes in program order, with nested regions for branches, bodies and calls.

Structured SSA: a `Value` is defined once, by a node, as a region's parameter or as a graph's
capture; a region sees the values around it without naming them as inputs. Program order is the
control dependency. Everything here is frozen; a pass builds a new graph. `verification.py`
checks one, `printing.py` prints one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from itertools import islice
from types import CodeType
from typing import Any, NamedTuple, NoReturn

from runtime.core.cells import format_place
from runtime.core.dataclasses import dataclass
from runtime.core.primitive import Primitive
from runtime.core.types import ListType, NumberType, TensorType, Type
from runtime.graph.data import Record
from runtime.graph.facade import GraphFacade
from runtime.graph.nodes import COND, RAISE

Location = tuple[str, int, int]
Params = Mapping[str, Any]


class _Frozen(dict[str, Any]):
    """The parameters of a node: a dict that cannot be changed. Copies of it are plain dicts."""

    __slots__ = ()

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        raise TypeError("the parameters of a node cannot be changed: graphs are frozen")

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __reduce__(self) -> tuple[Any, ...]:
        return _Frozen, (dict(self),)


NO_PARAMS: Params = _Frozen()


class Position(NamedTuple):
    """A stretch of the user's source, and the function that it is part of; `caller` is where that
    was called, up to the traced function.

    Lines are counted from 1, columns from 0 and in bytes, as Python does.
    """

    filename: str
    function: str
    qualname: str
    line: int
    column: int
    end_line: int
    end_column: int
    caller: Origin | Position | None = None

    @property
    def position(self) -> Position:
        """The place itself."""
        return self

    @property
    def location(self) -> Location:
        """The user's (file, line, column), both from 1."""
        return self.filename, self.line, self.column + 1

    def called_from(self, caller: Origin | Position | None) -> Position:
        """The same place, where the traced function itself was called from `caller`."""
        return self._replace(caller=_outermost(self.caller, caller))


class Origin(NamedTuple):
    """A place in the user's code: a code object, the offset of its instruction, and where the
    function was called, up to the traced one.

    It is what a trace notes, and as good as a Position, which takes longer to find.
    """

    code: CodeType
    offset: int
    caller: Origin | Position | None = None

    @property
    def position(self) -> Position:
        """The place in the source. Where Python does not know it, that is the function's first
        line.
        """
        code = self.code
        found = next(islice(code.co_positions(), self.offset // 2, None), (None,) * 4)
        line, end_line, column, end_column = found
        line = line or code.co_firstlineno
        stretch = (line, column or 0, end_line or line, end_column or 0)
        return Position(code.co_filename, code.co_name, code.co_qualname, *stretch, self.caller)

    @property
    def location(self) -> Location | None:
        """The user's (file, line, column), both from 1."""
        return position_of(self.code, self.offset)

    def called_from(self, caller: Origin | Position | None) -> Origin:
        """The same place, where the traced function itself was called from `caller`."""
        return self._replace(caller=_outermost(self.caller, caller))


def _outermost(inner: Origin | Position | None, caller: Origin | Position | None) -> Any:
    return caller if inner is None else inner.called_from(caller)


@dataclass(frozen=True, slots=True, eq=False)
class Value:
    """Something computed: its type, and the name that it was given (a hint; printing makes names
    unique).
    """

    type: Type
    name: str
    index: int = 0

    def rename(self, name: str, index: int) -> None:
        """Give it another name, while the graph is traced."""
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "index", index)

    def __repr__(self) -> str:
        return f"<Value {self.name}: {self.type}>"


@dataclass(frozen=True, slots=True, eq=False)
class Region:
    """Nodes in program order between parameters and results: a branch, a loop's body, a graph's
    body.
    """

    parameters: tuple[Value, ...]
    nodes: tuple[Node, ...]
    results: tuple[Value, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """One application of a primitive.

    `origin` is where the user's code asked for it; `location` works out the position only when
    asked, because positions are decoded slowly and needed rarely. `device` is that of the scope
    that it was made in, None for the usual one. `name` is that of a node without outputs; others
    are named by them.
    """

    primitive: Primitive
    inputs: tuple[Value, ...]
    outputs: tuple[Value, ...]
    params: Params = field(default_factory=lambda: NO_PARAMS)
    regions: tuple[Region, ...] = ()
    origin: Origin | Position | None = None
    device: str | None = None
    name: str = ""

    def rename(self, name: str) -> None:
        """Give it another name, while the graph is traced."""
        object.__setattr__(self, "name", name)
        for index, output in enumerate(self.outputs):
            output.rename(name, index)

    def __post_init__(self) -> None:
        if type(self.params) is not _Frozen:
            object.__setattr__(self, "params", _Frozen(self.params))

    @property
    def location(self) -> Location | None:
        """The user's (file, line, column), both from 1; None where no user's frame was on the
        stack.
        """
        return self.origin.location if self.origin else None

    def __repr__(self) -> str:
        return f"<Node {self.primitive.name}>"


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True, repr=False)
class Graph(GraphFacade):
    """A traced function: its body, and what it uses from outside by reference.

    `closure` pairs a value of the body with the eager tensor that it stands for. What it uses of a
    graph around it are further parameters, behind those of the signature.
    """

    name: str
    body: Region
    closure: tuple[tuple[Value, Any], ...] = ()

    @property
    def parameters(self) -> tuple[Value, ...]:
        """The values that a call supplies."""
        return self.body.parameters

    @property
    def nodes(self) -> tuple[Node, ...]:
        """The nodes of the body, not of regions inside it."""
        return self.body.nodes

    @property
    def results(self) -> tuple[Value, ...]:
        """The values that a call returns."""
        return self.body.results

    @property
    def variables(self) -> tuple[Any, ...]:
        """The variables that it, or a graph that it calls, reads or changes, in that order."""
        handles = [node.params.get("variable") for node in walk_called(self.nodes)]
        return tuple([handle.variable for handle in dict.fromkeys(handles) if handle is not None])

    @property
    def trainable_variables(self) -> tuple[Any, ...]:
        """Those of its variables that tapes watch."""
        return tuple([item for item in self.variables if item.trainable])

    @property
    def signature(self) -> str:
        """Its name, the names and types of its parameters, and the types of its results."""
        parameters = ", ".join(f"{value.name}: {value.type}" for value in self.parameters)
        return f"{self.name}({parameters}) -> {types_text(value.type for value in self.results)}"

    def __repr__(self) -> str:
        return f"<Graph {self.signature}>"


class Callee(Record):
    """The graph that a call node calls; filled in once it is known, so that recursion can refer to
    itself.
    """

    __slots__ = ("graph", "name")

    def __init__(self, name: str, graph: Graph | None = None) -> None:
        self.name = name
        self.graph = graph

    def __repr__(self) -> str:
        return f"@{self.name}"


def position_of(code: CodeType, offset: int) -> Location | None:
    """The (file, line, column) of an instruction, both from 1."""
    found = next(islice(code.co_positions(), offset // 2, None), None)
    if found is None or found[0] is None:
        return None
    return code.co_filename, found[0], (found[2] or 0) + 1


def format_location(location: Location | None) -> str:
    """`file:line:col`, or a phrase where it is not known."""
    return format_place(*location) if location else "an unknown place"


def walk(region: Region) -> Iterator[Node]:
    """Every node of a region and of the regions inside it, in program order."""
    for node in region.nodes:
        yield node
        for inner in node.regions:
            yield from walk(inner)


def walk_called(nodes: Iterable[Node]) -> Iterator[Node]:
    """Every one of these nodes, and of those in their regions and in the graphs that they call,
    each graph once.
    """
    seen: set[Graph] = set()
    pending = [iter(nodes)]
    while pending:
        for node in pending[-1]:
            yield node
            if node.regions:
                pending += [iter(region.nodes) for region in reversed(node.regions)]
                break
            graph = node.params["callee"].graph if "callee" in node.params else None
            if graph is not None and graph not in seen:
                seen.add(graph)
                pending.append(iter(graph.nodes))
                break
        else:
            pending.pop()


def free_values(region: Region) -> tuple[Value, ...]:
    """The values that a region uses from around it, in order of first use."""
    found: dict[Value, None] = {}
    _free(region, set(), found)
    return tuple(found)


def _free(region: Region, bound: set[Value], found: dict[Value, None]) -> None:
    bound.update(region.parameters)
    for node in region.nodes:
        found.update((value, None) for value in node.inputs if value not in bound)
        for inner in node.regions:
            _free(inner, bound, found)
        bound.update(node.outputs)
    found.update((value, None) for value in region.results if value not in bound)


def reads(node: Node) -> tuple[Value, ...]:
    """Returns what a node and its regions read."""
    if not node.regions:
        return node.inputs
    return (*node.inputs, *[value for inner in node.regions for value in free_values(inner)])


def has_effects(nodes: Iterable[Node]) -> bool:
    """True if one of these nodes must run even if nobody uses its outputs. So must what contains
    an effect.
    """
    return any(node.primitive.effect or _is_open(node) for node in walk_called(nodes))


def may_act(nodes: Iterable[Node]) -> bool:
    """True if running these nodes can have an effect, or raise."""
    return any(
        node.primitive.effect or node.primitive.fallible or _is_open(node)
        for node in walk_called(nodes)
    )


def _is_open(node: Node) -> bool:
    """True for a call of a graph that is still being traced."""
    return "callee" in node.params and node.params["callee"].graph is None


# Types


def covers(wide: Type, narrow: Type) -> bool:
    """True if a value of type `narrow` may stand where `wide` is declared. (The dimensions may be
    known better.)
    """
    if wide is narrow or wide == narrow:
        return True
    if isinstance(wide, ListType) and isinstance(narrow, ListType):
        return covers(wide.element, narrow.element)
    if not isinstance(wide, TensorType) or not isinstance(narrow, TensorType):
        return False
    if wide.dtype is not narrow.dtype:
        return False
    if wide.shape is None:
        return True
    if narrow.shape is None or len(wide.shape) != len(narrow.shape):
        return False
    return all(w is None or w == n for w, n in zip(wide.shape, narrow.shape, strict=True))


def types_text(types: Iterable[Type]) -> str:
    """Types as printed graphs list them: "(float32[2], py.int)"."""
    return "(" + ", ".join(map(str, types)) + ")"


def is_test(type: Type) -> bool:
    """True if a value of this type can be the predicate of a cond or a while."""
    if isinstance(type, NumberType):
        return type.kind == "bool"
    return isinstance(type, TensorType) and type.dtype.is_bool and type.shape == ()


def diverges(region: Region) -> bool:
    """True if the end of the region is never reached, because every path through it raises."""
    if not region.nodes:
        return False
    last = region.nodes[-1]
    if last.primitive is RAISE:
        return True
    return last.primitive is COND and all(map(diverges, last.regions))
