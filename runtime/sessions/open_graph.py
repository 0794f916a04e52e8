"""`Graph`: while it is the default, ops put nodes into it, and nothing is computed."""

from __future__ import annotations

import threading
from collections.abc import Container, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from types import FrameType
from typing import Any

import numpy as np

from runtime import nest
from runtime.core.convert import convert_to_tensor
from runtime.core.device import device
from runtime.core.naming import name_scope, scoped
from runtime.core.primitive import Primitive, row
from runtime.core.state import state
from runtime.core.tensor import Tensor
from runtime.core.types import is_variable
from runtime.graph.format import views
from runtime.graph.format.graph_def import GraphDef
from runtime.graph.ir import NO_PARAMS, Graph, Node, Origin, Params, Region, Value
from runtime.graph.nodes import NUMBER_TYPES
from runtime.sessions.default_session import evaluated
from runtime.sessions.graph_collections import Collections
from runtime.staging.symbolic_number import SymbolicNumber
from runtime.staging.symbolic_tensor import SymbolicTensor
from runtime.staging.tracing import Trace, symbol
from runtime.variables.creation import variable_creator_scope

no_op_p = row("no_op", lambda: (), lambda: (), op_type="NoOp", effect=True)


class GraphKeys:
    """Names of collections.

    >>> rt.compat.v1.GraphKeys.GLOBAL_VARIABLES
    'variables'
    """

    GLOBAL_VARIABLES = "variables"
    LOCAL_VARIABLES = "local_variables"
    TRAINABLE_VARIABLES = "trainable_variables"
    LOSSES = "losses"
    SUMMARIES = "summaries"
    UPDATE_OPS = "update_ops"
    REGULARIZATION_LOSSES = "regularization_losses"
    GLOBAL_STEP = "global_step"
    MODEL_VARIABLES = "model_variables"
    MOVING_AVERAGE_VARIABLES = "moving_average_variables"
    TRAIN_OP = "train_op"
    INIT_OP = "init_op"


class OpenTrace(Trace):
    """A trace that may be entered again, and notes which nodes are to run before which."""

    __slots__ = ("_makers", "_passed", "after", "controls", "finalized", "owner")

    is_fed = True

    def __init__(self, graph: OpenGraph) -> None:
        super().__init__("graph")
        self.owner = graph
        self.controls: dict[Node, tuple[Node, ...]] = {}
        self.after: tuple[Node, ...] = ()
        self.finalized = False
        # The nodes that make values, of those nodes that were passed when one was last looked for.
        self._makers: dict[Value, Node] = {}
        self._passed = 0

    @property
    def graph(self) -> OpenGraph:
        """The graph that it adds nodes to."""
        return self.owner

    def __enter__(self) -> OpenTrace:
        super().__enter__()
        self.root = None
        return self

    def __exit__(self, *exception: Any) -> None:
        # Unlike other traces it stays open.
        self.leave()

    def check_handlers(self, primitive: Primitive, values: Sequence[Value], params: Params) -> None:
        """Nothing: what fails at run time is raised where a session runs it."""

    def check_raised(
        self, what: str, kind: type[BaseException] = BaseException, root: FrameType | None = None
    ) -> None:
        """Nothing, for the same reason."""

    def branch(self, function: Any) -> Any:
        """A function that returns what a session can fetch: tensors for numbers and texts, and for
        an operation, which the branch runs, True.
        """
        run = super().branch(function)
        return lambda: nest.map_structure(_fetchable, run())

    def emit(self, primitive: Primitive, inputs: Sequence[Any], params: dict[str, Any]) -> Any:
        """Add one op; one without outputs is itself what can be fetched."""
        made = super().emit(primitive, inputs, params)
        return self.last() if type(made) is tuple and not made else made

    def apply(
        self, primitive: Primitive, values: tuple[Value, ...], params: Params = NO_PARAMS
    ) -> Any:
        """Add a node whose types its primitive infers."""
        self._check_open()
        made = super().apply(primitive, values, params)
        self._note()
        return made

    def append(
        self,
        primitive: Primitive,
        values: Sequence[Value],
        outputs: Sequence[Value] = (),
        params: Params = NO_PARAMS,
        regions: Sequence[Region] = (),
        origin: Origin | None = None,
    ) -> Any:
        """Add a node with given outputs."""
        self._check_open()
        made = super().append(primitive, values, outputs, params, regions, origin)
        self._note()
        return made

    def check_stream(self, name: str) -> None:
        """Nothing: a session prints to the stream of whoever calls it."""

    def foreign(self, item: Any) -> Value:
        """Refused: a tensor of another graph."""
        raise ValueError(f"{item!r} must be from the same graph as the tensors beside it")

    def _check_open(self) -> None:
        if self.finalized:
            raise RuntimeError("Graph is finalized and cannot be modified.")

    def _note(self) -> None:
        if self.after and self.scope.outer is None:
            node = self.scope.nodes[-1]
            before = [self._maker(value) for value in node.inputs]
            self.controls[node] = tuple([each for each in self.after if each not in before])

    def last(self) -> Op:
        """The node that was added last."""
        return Op(self.graph, self.scope.nodes[-1])

    @contextmanager
    def dependent(self, items: Iterable[Any] | None) -> Iterator[None]:
        """Inside this block nodes run after those of `items`; None leaves all such blocks."""
        before = self.after
        nodes = [node for item in items or () for node in self.nodes_of(item)]
        self.after = () if items is None else tuple(dict.fromkeys((*before, *nodes)))
        try:
            yield
        finally:
            self.after = before

    def grouped(self, items: Iterable[Any], default_name: str | None = None) -> Op:
        """An op that runs those in `items`, and in the structures there. `default_name` is for one
        whose call gives no name.
        """
        with self.dependent(nest.flatten(list(items), expand_composites=True)):
            self.emit(no_op_p, (), {})
        made = self.last()
        if default_name and self._named_last[1] is not made.node:
            made.node.rename(self.unique(scoped(default_name)))
        return made

    def nodes_of(self, item: Any) -> tuple[Node, ...]:
        """The nodes that run when `item` is fetched. TypeError for what is no part of a graph."""
        node = getattr(item, "node", None)
        if isinstance(node, Node):
            return (node,)
        if isinstance(item, SymbolicTensor):
            made = self._maker(item.graph_value)
            return () if made is None else (made,)
        if item is None or isinstance(item, Tensor) or is_variable(item):
            return ()
        raise TypeError(f"{item!r} is no tensor or operation of a graph")

    def _maker(self, value: Value) -> Node | None:
        """The node of the graph, or of the block that is being traced, that makes a value."""
        scope = self.scope
        if scope.outer is not None:
            return next((node for node in scope.nodes if value in node.outputs), None)
        for node in scope.nodes[self._passed :]:
            self._makers.update(dict.fromkeys(node.outputs, node))
        self._passed = len(scope.nodes)
        return self._makers.get(value)

    def operation_of(self, item: SymbolicTensor) -> Any:
        """The operation that makes a tensor: a session can run it."""
        made = self.nodes_of(item)
        return Op(self.graph, made[0]) if made else super().operation_of(item)

    def evaluate(self, item: SymbolicTensor, feed_dict: Any, session: Any) -> Any:
        """The value of a tensor in a session."""
        return evaluated(item, feed_dict, session)


def _fetchable(item: Any) -> Any:
    if isinstance(item, Op):
        return convert_to_tensor(True)
    is_number = isinstance(item, (*NUMBER_TYPES, SymbolicNumber, np.ndarray, np.generic))
    return convert_to_tensor(item) if is_number or isinstance(item, str | bytes) else item


class Op:
    """An operation of a graph that sessions run; other facts are those of the graph's list."""

    __slots__ = ("_name", "graph", "node")

    def __init__(self, graph: OpenGraph, node: Node, name: str | None = None) -> None:
        self.graph = graph
        self.node = node
        self._name = name

    @property
    def name(self) -> str:
        """The name in the graph."""
        return self._listed().name if self._name is None else self._name

    @property
    def type(self) -> str:
        """TensorFlow's name for its kind."""
        return views.op_type(self.node)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._listed(), name)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Op) and self.node is other.node

    def __hash__(self) -> int:
        return hash(self.node)

    @property
    def control_inputs(self) -> list[Op]:
        """The operations that run before it."""
        return [Op(self.graph, node) for node in self.graph.trace.controls.get(self.node, ())]

    def _listed(self) -> views.Operation:
        return next(op for op in self.graph._listed() if op.node is self.node)

    def run(self, feed_dict: Any = None, session: Any = None) -> None:
        """Run it in a session, by default the default one."""
        evaluated(self, feed_dict, session)

    def __repr__(self) -> str:
        return f"<tf.Operation {self.name!r} type={self.type}>"


class OpenGraph(Collections):
    """A graph that is built op by op: `with graph.as_default():` ops put nodes into it.

    What they return stands for values that a session computes, `compat.v1.Session(graph=graph)`.

    >>> graph = rt.Graph()
    >>> with graph.as_default():
    ...     x = rt.compat.v1.placeholder(rt.float32, [2])
    ...     y = x * 2.0
    >>> with rt.compat.v1.Session(graph=graph) as session:
    ...     session.run(y, {x: [1.0, 2.0]}).tolist()
    [2.0, 4.0]
    """

    def __init__(self) -> None:
        super().__init__()
        self.trace = OpenTrace(self)
        self.lock = threading.RLock()
        self.variables_by_name: dict[str, Any] = {}
        self.handles: set[Any] = set()
        self.scopes: set[str] = set()
        """The names of the scopes of variables that were opened."""

    @contextmanager
    def as_default(self) -> Iterator[OpenGraph]:
        """Inside this block ops put nodes into the graph, and variables belong to it.

        >>> with rt.Graph().as_default() as graph:
        ...     graph is rt.compat.v1.get_default_graph()
        True
        """
        from runtime.sessions.variables import create

        before = _default.graphs
        _default.graphs = (*before, self)
        try:
            with self.trace, variable_creator_scope(create), name_scope(""):
                yield self
        finally:
            _default.graphs = before

    def _snapshot(self) -> Graph:
        """The graph so far, without results."""
        scope = self.trace.scope
        closure = tuple(self.trace.captures.values())
        return Graph("graph", Region(tuple(scope.parameters), tuple(scope.nodes), ()), closure)

    def _listed(self) -> list[views.Operation]:
        """Its operations as any graph lists them."""
        return self._snapshot().get_operations()

    def get_operations(self) -> list[Any]:
        """Its operations, in the order in which they were made.

        >>> with rt.Graph().as_default() as graph:
        ...     _ = rt.constant(1.0, name="one") + 1.0
        >>> [op.type for op in graph.get_operations()]
        ['Const', 'Const', 'AddV2']
        """
        return [self._runnable(op) for op in self._listed()]

    def get_operation_by_name(self, name: str) -> Any:
        """The operation of a name; errors as those of a traced function's graph.

        >>> with rt.Graph().as_default() as graph:
        ...     _ = rt.constant(1.0, name="one")
        >>> graph.get_operation_by_name("one").type
        'Const'
        """
        return self._runnable(self._snapshot().get_operation_by_name(name))

    def _runnable(self, op: views.Operation) -> Any:
        """The form of an operation that sessions run; a placeholder stays as it is."""
        return op if op.node is None else Op(self, op.node)

    def get_tensor_by_name(self, name: str) -> Any:
        """The tensor of a name, as in "add:0"; errors as those of a traced function's graph.

        >>> with rt.Graph().as_default() as graph:
        ...     _ = rt.constant([1.0], name="one")
        >>> graph.get_tensor_by_name("one:0").shape
        TensorShape([1])
        """
        found = self._snapshot().get_tensor_by_name(name)
        return symbol(found.value, self.trace.scope, None)

    def as_graph_element(
        self, obj: Any, allow_tensor: bool = True, allow_operation: bool = True
    ) -> Any:
        """The tensor or operation of a name; one of this graph is given back as it is.

        Raises TypeError for anything else, and KeyError for a name that there is none of.

        >>> with rt.Graph().as_default() as graph:
        ...     one = rt.constant(1.0, name="one")
        >>> graph.as_graph_element("one").type, graph.as_graph_element(one) is one
        ('Const', True)
        """
        if allow_tensor and isinstance(obj, SymbolicTensor) and obj.scope.trace is self.trace:
            return obj
        if allow_operation and isinstance(obj, Op | views.Operation):
            return obj
        if not isinstance(obj, str):
            raise TypeError(f"Can not convert a {type(obj).__name__} into a Tensor or Operation.")
        is_tensor = (":" in obj) if allow_operation else True
        return self.get_tensor_by_name(obj) if is_tensor else self.get_operation_by_name(obj)

    def as_graph_def(self) -> GraphDef:
        """The graph as TensorFlow writes graphs down.

        >>> with rt.Graph().as_default() as graph:
        ...     _ = rt.constant(1.0, name="one")
        >>> [node.name for node in graph.as_graph_def().node]
        ['one']
        """
        return self._snapshot().as_graph_def()

    def finalize(self) -> None:
        """From here on ops that would change it raise RuntimeError.

        >>> graph = rt.Graph()
        >>> graph.finalize()
        >>> graph.finalized
        True
        """
        self.trace.finalized = True

    @property
    def finalized(self) -> bool:
        """True after `finalize`."""
        return self.trace.finalized

    def name_scope(self, name: str | None) -> AbstractContextManager[str]:
        """Inside this block the names of ops begin with `name/`; None leaves all such blocks.

        Raises ValueError unless this is the default graph.

        >>> with rt.Graph().as_default() as graph, graph.name_scope("outer"):
        ...     rt.constant(1.0, name="one").name
        'outer/one:0'
        """
        if get_default_graph() is not self:
            raise ValueError("a name scope is opened inside of `with graph.as_default():`")
        return name_scope(name)

    def get_name_scope(self) -> str:
        """The open name scopes.

        >>> with rt.Graph().as_default() as graph, graph.name_scope("outer"):
        ...     graph.get_name_scope()
        'outer'
        """
        return scoped("").rstrip("/")

    def unique_name(self, name: str, mark_as_used: bool = True) -> str:
        """The name, in the open name scopes, with a number where it is taken; from then on it is.

        >>> graph = rt.Graph()
        >>> graph.unique_name("one"), graph.unique_name("one")
        ('one', 'one_1')
        """
        counts = dict(self.trace.counts)
        found = self.trace.unique(scoped(name))
        if not mark_as_used:
            self.trace.counts = counts
        return found

    def control_dependencies(
        self, control_inputs: Iterable[Any] | None
    ) -> AbstractContextManager[None]:
        """Inside this block ops run after those that are given; None leaves all such blocks.

        >>> with rt.Graph().as_default() as graph:
        ...     with graph.control_dependencies([rt.constant(1.0, name="first")]):
        ...         second = rt.constant(2.0, name="second")
        >>> [op.name for op in second.op.control_inputs]
        ['first']
        """
        return self.trace.dependent(control_inputs)

    def device(self, device_name_or_function: Any) -> AbstractContextManager[Any]:
        """A block as that of `device`.

        >>> with rt.Graph().as_default() as graph, graph.device("/cpu:0"):
        ...     rt.constant(1.0).shape
        TensorShape([])
        """
        return device(device_name_or_function)

    def colocate_with(self, op: Any, ignore_existing: bool = False) -> AbstractContextManager[None]:
        """A block that changes nothing: there is one device.

        >>> graph = rt.Graph()
        >>> with graph.colocate_with(None):
        ...     pass
        """
        return nullcontext()

    def __repr__(self) -> str:
        return f"<Graph of {len(self.trace.scope.nodes)} nodes>"


def free_name(name: str, taken: Container[str]) -> str:
    """The name, with a number behind it where it is taken."""
    found, count = name, 0
    while found in taken:
        count += 1
        found = f"{name}_{count}"
    return found


class _Default(threading.local):
    def __init__(self) -> None:
        self.graphs: tuple[OpenGraph, ...] = ()


_default = _Default()


class _Process:
    """The graph that is the default where no other is, and the block in which it is."""

    graph: OpenGraph | None = None
    block: Any = None


def get_default_graph() -> OpenGraph:
    """The graph that ops put nodes into, or would outside of eager execution.

    >>> graph = rt.Graph()
    >>> with graph.as_default():
    ...     rt.compat.v1.get_default_graph() is graph
    True
    """
    if _default.graphs:
        return _default.graphs[-1]
    if _Process.graph is None:
        _Process.graph = OpenGraph()
    return _Process.graph


def reset_default_graph() -> None:
    """Make the outermost default graph a new one.

    Raises AssertionError inside `with graph.as_default():`.

    >>> before = rt.compat.v1.get_default_graph()
    >>> rt.compat.v1.reset_default_graph()
    >>> rt.compat.v1.get_default_graph() is before
    False
    """
    graph_mode = _Process.block is not None
    if len(_default.graphs) > graph_mode:
        raise AssertionError(
            "Do not use tf.reset_default_graph() to clear nested graphs: leave "
            "`with graph.as_default():` first"
        )
    if graph_mode:
        enable_eager_execution()
    _Process.graph = None
    if graph_mode:
        disable_eager_execution()


def disable_eager_execution() -> None:
    """From here on, on this thread, ops put nodes into the default graph.

    >>> rt.compat.v1.disable_eager_execution()
    >>> rt.executing_eagerly()
    False
    >>> rt.compat.v1.enable_eager_execution()
    """
    if _Process.block is None:
        _Process.block = get_default_graph().as_default()
        _Process.block.__enter__()


def enable_eager_execution() -> None:
    """From here on ops are computed at once again.

    >>> rt.compat.v1.enable_eager_execution()
    >>> rt.executing_eagerly()
    True
    """
    if _Process.block is not None:
        _Process.block.__exit__(None, None, None)
        _Process.block = None


def open_trace(what: str) -> OpenTrace:
    """The trace of the default graph. Raises RuntimeError where ops are computed at once."""
    trace = state.trace
    if not isinstance(trace, OpenTrace):
        raise RuntimeError(
            f"{what} is not compatible with eager execution: write it inside "
            "`with tf.Graph().as_default():`, or after tf.compat.v1.disable_eager_execution()"
        )
    return trace
