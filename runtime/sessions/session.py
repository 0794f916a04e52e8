"""`Session`: computes what is fetched, with the values that are fed and those of its variables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Any, NamedTuple, Self

import numpy as np

from runtime import errors, nest
from runtime.core.convert import as_array, convert_to_tensor
from runtime.core.shapes import TensorShape, compatible
from runtime.core.state import init_scope
from runtime.graph.format import views
from runtime.graph.ir import Graph, Node, Region, Value, walk_called
from runtime.graph.running import Runner
from runtime.ops.indexed_slices import IndexedSlices
from runtime.sessions.default_session import thread
from runtime.sessions.open_graph import Op, OpenGraph, get_default_graph
from runtime.sessions.variables import GraphVariable
from runtime.staging.symbolic_tensor import SymbolicTensor
from runtime.variables.handle import VariableHandle

Fetch = Value | Node


class IndexedSlicesValue(NamedTuple):
    """The parts of `IndexedSlices`, as a session returns them and takes them in a feed."""

    values: Any
    indices: Any
    dense_shape: Any = None


def _parts(item: Any) -> tuple[Any, ...]:
    return item.parts if isinstance(item, IndexedSlices) else (item,)


def _parts_fed(key: Any, value: Any) -> Iterator[tuple[Any, Any]]:
    if not isinstance(key, IndexedSlices):
        yield key, value
        return
    for part, given in zip(key.parts, value, strict=False):
        if given is not None:
            yield part, given


class Session:
    """Runs parts of a graph; each session has values of its own for the graph's variables.

    Args:
        target, config: kept for TensorFlow's sake; there is one machine.
        graph: the graph, by default the default graph.

    `with Session() as session:` makes it the default session, and closes it at the end.

    >>> with rt.Graph().as_default():
    ...     v = rt.compat.v1.get_variable("v", initializer=1.0)
    ...     add = v.assign_add(2.0)
    ...     with rt.compat.v1.Session() as session:
    ...         session.run(v.initializer)
    ...         float(session.run(add)), float(session.run(v))
    (3.0, 3.0)
    """

    def __init__(
        self, target: str = "", graph: OpenGraph | None = None, config: Any = None
    ) -> None:
        if graph is not None and not isinstance(graph, OpenGraph):
            raise TypeError(f"`graph` must be a tf.Graph, but got {graph!r}")
        self._graph = get_default_graph() if graph is None else graph
        self._values: dict[VariableHandle, Any] = {}
        self._runners: dict[Any, tuple[Runner, list[Value]]] = {}
        self._closed = False
        self._block: Any = None

    @property
    def graph(self) -> OpenGraph:
        """The graph that it runs."""
        return self._graph

    def __enter__(self) -> Self:
        self._block = self.as_default()
        self._block.__enter__()
        return self

    def __exit__(self, *exception: object) -> None:
        self._block.__exit__(None, None, None)
        self.close()

    @contextmanager
    def as_default(self) -> Iterator[Session]:
        """Inside this block it is the session of `Tensor.eval`, and its graph the default.

        >>> with rt.Graph().as_default():
        ...     one = rt.constant(1)
        ...     session = rt.compat.v1.Session()
        ...     with session.as_default():
        ...         int(one.eval())
        1
        """
        before = thread.sessions
        thread.sessions = (*before, self)
        try:
            with self._graph.as_default():
                yield self
        finally:
            thread.sessions = before

    def close(self) -> None:
        """Forget the values of the variables; `run` raises RuntimeError from here on.

        >>> rt.compat.v1.Session(graph=rt.Graph()).close()
        """
        self._closed = True
        self._values.clear()
        self._runners.clear()

    def run(
        self,
        fetches: Any,
        feed_dict: Mapping[Any, Any] | None = None,
        options: Any = None,
        run_metadata: Any = None,
    ) -> Any:
        """The values of what is fetched, as NumPy's arrays and scalars; None for an operation.

        Only what the fetches need is computed, in the order in which it was built.

        Args:
            fetches: a tensor, an operation, a variable, the name of one, `IndexedSlices`, of which
                the parts are returned, or a list, tuple or dict of such.
            feed_dict: from tensors, or their names, to the values that stand for them.

        Raises RuntimeError for a closed session, TypeError and ValueError for what is no part of
        the graph or does not fit it, errors.InvalidArgumentError for a placeholder without a value,
        errors.FailedPreconditionError for a variable without one, and what ops raise.

        >>> with rt.Graph().as_default():
        ...     x = rt.compat.v1.placeholder(rt.float32, [])
        ...     with rt.compat.v1.Session() as session:
        ...         session.run({"double": x * 2.0, "x": x}, {x: 1.5})
        {'double': np.float32(3.0), 'x': np.float32(1.5)}
        """
        return self._run(fetches, (feed_dict or {}).items())

    def _run(self, fetches: Any, feeds: Iterable[tuple[Any, Any]]) -> Any:
        if self._closed:
            raise RuntimeError("Attempted to use a closed Session.")
        if fetches is None:
            raise TypeError("Argument `fetch` = None has invalid type 'NoneType'. Cannot be None")
        leaves = nest.flatten(fetches)
        given = [pair for item in feeds for pair in _parts_fed(*item)]
        with self._graph.lock:
            wanted = [self._fetch(part) for leaf in leaves for part in _parts(leaf)]
            fed = dict(self._feed(key, value) for key, value in given)
            found = iter(self._computed(wanted, fed))
        values = [
            IndexedSlicesValue(*islice(found, len(leaf.parts)))
            if isinstance(leaf, IndexedSlices)
            else next(found)
            for leaf in leaves
        ]
        return nest.pack_sequence_as(fetches, values)

    def make_callable(
        self, fetches: Any, feed_list: Sequence[Any] | None = None, accept_options: bool = False
    ) -> Callable[..., Any]:
        """A function of values for the tensors of `feed_list`, which runs `fetches`.

        Raises what `run` raises for fetches that are none; the function TypeError for another
        number of values.

        >>> with rt.Graph().as_default(), rt.compat.v1.Session() as session:
        ...     x = rt.compat.v1.placeholder(rt.float32, [])
        ...     double = session.make_callable(x * 2.0, [x])
        ...     float(double(1.5))
        3.0
        """
        fed = list(feed_list or ())
        for leaf in nest.flatten(fetches):
            for part in _parts(leaf):
                self._fetch(part)

        def run(*values: Any, options: Any = None, run_metadata: Any = None) -> Any:
            if len(values) != len(fed):
                raise TypeError(f"make_callable: {len(fed)} values are fed, got {len(values)}")
            return self._run(fetches, zip(fed, values, strict=True))

        return run

    def _fetch(self, item: Any) -> Fetch:
        if isinstance(item, str):
            item = self._named(item)
        if isinstance(item, GraphVariable) and item.graph is self._graph:
            item = item.snapshot
        if isinstance(item, SymbolicTensor):
            if item.scope.trace is self._graph.trace:
                return item.graph_value
        elif isinstance(item, views.GraphTensor):
            return item.value
        elif isinstance(item, Op | views.Operation) and isinstance(item.node, Node):
            return item.node
        else:
            raise TypeError(
                f"Argument `fetch` = {item!r} has invalid type {type(item).__name__!r} must be a "
                "string or Tensor."
            )
        raise ValueError(f"Argument `fetch` = {item!r} is not an element of this graph.")

    def _named(self, name: str) -> Any:
        if name.removesuffix(":0") in self._graph.variables_by_name:
            return self._graph.variables_by_name[name.removesuffix(":0")]
        try:
            return self._graph.as_graph_element(name)
        except KeyError as error:
            raise ValueError(
                f"Argument `fetch` = {name} cannot be interpreted as a Tensor. ({error})"
            ) from None

    def _feed(self, key: Any, value: Any) -> tuple[Value, Any]:
        if isinstance(key, str):
            try:
                key = self._graph.get_tensor_by_name(key)
            except (KeyError, ValueError) as error:
                raise TypeError(
                    f"Cannot interpret feed_dict key as Tensor: {error.args[0]}"
                ) from None
        if isinstance(key, GraphVariable):
            key = key.snapshot
        if not isinstance(key, SymbolicTensor):
            raise TypeError(
                f"Cannot interpret feed_dict key as Tensor: Can not convert a {type(key).__name__} "
                "into a Tensor."
            )
        if key.scope.trace is not self._graph.trace:
            raise TypeError(
                f"Cannot interpret feed_dict key as Tensor: {key!r} is not an element of this graph"
            )
        if isinstance(value, SymbolicTensor):
            value = self._constant(value)
        with init_scope():
            raw = as_array(convert_to_tensor(value, key.dtype))
        if not compatible(key.static_shape, raw.shape):
            raise ValueError(
                f"Cannot feed value of shape {raw.shape} for Tensor {key.name}, which has shape "
                f"{TensorShape(key.static_shape)}"
            )
        return key.graph_value, raw

    def _constant(self, item: SymbolicTensor) -> Any:
        """The value of a tensor that is fed: inside a graph `tf.constant(...)` is one of it."""
        known = self._graph.trace.constants.get(item.graph_value)
        if known is None:
            raise TypeError(
                f"The value of a feed cannot be a tf.Tensor object: {item!r} is computed by the "
                "graph; fetch it first, and feed what run() returns"
            )
        return known

    def _computed(self, wanted: list[Fetch], fed: dict[Value, Any]) -> list[Any]:
        key = (tuple(wanted), tuple(fed))
        if key not in self._runners:
            self._runners[key] = self._compiled(wanted, fed)
        runner, parameters = self._runners[key]
        with init_scope(), self._state_of(runner.graph):
            values = iter(runner(*[fed[value] for value in parameters]))
            return [_as_numpy(next(values)) if isinstance(x, Value) else None for x in wanted]

    def _compiled(self, wanted: list[Fetch], fed: dict[Value, Any]) -> tuple[Runner, list[Value]]:
        nodes, used = needed(self._graph, wanted, fed)
        trace = self._graph.trace
        parameters = [value for value in fed if value in used]
        for value in trace.scope.parameters:
            if value in used and value not in fed:
                raise errors.InvalidValueError(
                    f"You must feed a value for placeholder tensor '{value.name}' of type "
                    f"{value.type}",
                    hint="pass it in feed_dict",
                )
        closure = tuple([pair for pair in trace.captures.values() if pair[0] in used])
        results = tuple([value for value in wanted if isinstance(value, Value)])
        region = Region(tuple(parameters), tuple(nodes), results)
        return Runner(Graph("session", region, closure)), parameters

    @contextmanager
    def _state_of(self, graph: Graph) -> Iterator[None]:
        """Inside this block variables have the values of this session."""
        used = [node.params.get("variable") for node in walk_called(graph.nodes)]
        own: list[Any] = [x for x in dict.fromkeys(used) if x in self._graph.handles]
        for handle in own:
            handle.raw = self._values.get(handle)
        try:
            yield
        finally:
            for handle in own:
                self._values[handle] = handle.raw
                handle.raw = None

    def _set_value(self, variable: GraphVariable, raw: Any) -> None:
        """Give a variable an array in this session."""
        self._values[variable.handle] = raw


class InteractiveSession(Session):
    """A session that is the default one until it is closed.

    >>> with rt.Graph().as_default():
    ...     session = rt.compat.v1.InteractiveSession()
    ...     print(rt.constant(3).eval())
    ...     session.close()
    3
    """

    def __init__(
        self, target: str = "", graph: OpenGraph | None = None, config: Any = None
    ) -> None:
        super().__init__(target, graph, config)
        self.__enter__()

    def close(self) -> None:
        """Forget the values of the variables; it is the default session no more.

        >>> rt.compat.v1.InteractiveSession(graph=rt.Graph()).close()
        """
        if self._block is not None:
            block, self._block = self._block, None
            block.__exit__(None, None, None)
        super().close()


def needed(
    graph: OpenGraph, wanted: list[Fetch], fed: Mapping[Value, Any]
) -> tuple[list[Node], set[Value]]:
    """The nodes that the fetches need, in the order in which they were built, and the values that
    these nodes use.
    """
    trace = graph.trace
    used = {item for item in wanted if isinstance(item, Value)}
    running = {item for item in wanted if isinstance(item, Node)}
    kept: list[Node] = []
    for node in reversed(trace.scope.nodes):
        made = [value for value in node.outputs if value in used]
        if node not in running and all(value in fed for value in made):
            continue
        if any(value in fed for value in made):
            raise errors.UnimplementedError(
                f"the tensor {made[0].name} is fed, and the op that makes it is run too",
                hint="feed its other outputs as well, or fetch less",
            )
        kept.append(node)
        used.update(views.inputs_of(node))
        running.update(trace.controls.get(node, ()))
    return kept[::-1], used


def _as_numpy(found: Any) -> Any:
    return found.numpy() if hasattr(found, "numpy") else np.asarray(found)[()]
