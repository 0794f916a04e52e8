"""A graph for its readers: TensorFlow's list of its operations and tensors, its text, its picture,
its file.

Each is a function of `format/` or `storage/`, which is imported when it is first asked for.
"""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike
from typing import TYPE_CHECKING, Any, cast

from runtime.core.settings import changes_files

if TYPE_CHECKING:
    from runtime.graph.format.graph_def import GraphDef
    from runtime.graph.format.views import GraphTensor, Operation
    from runtime.graph.ir import Graph, Value


class GraphFacade:
    """The part of `Graph` that neither passes nor executors read."""

    __slots__ = ()

    @property
    def _graph(self) -> Graph:
        return cast("Graph", self)

    @property
    def inputs(self) -> list[GraphTensor]:
        """The tensors that a call supplies, then those that stand for captures."""
        return [*self._tensors(self._graph.parameters), *self.internal_captures]

    @property
    def outputs(self) -> list[GraphTensor]:
        """The tensors that a call returns."""
        return self._tensors(self._graph.results)

    @property
    def captures(self) -> list[tuple[Any, GraphTensor]]:
        """Each eager tensor that it uses from outside, with the placeholder that stands for it.

        Variables are none of them: the ops that read or assign one hold it.
        """
        return list(zip(self.external_captures, self.internal_captures, strict=True))

    @property
    def external_captures(self) -> list[Any]:
        """The eager tensors that it uses from outside."""
        return [item for _, item in self._graph.closure]

    @property
    def internal_captures(self) -> list[GraphTensor]:
        """The placeholders that stand for them."""
        return self._tensors([value for value, _ in self._graph.closure])

    def _tensors(self, values: Iterable[Value]) -> list[GraphTensor]:
        from runtime.graph.format import views

        return views.tensors(self.get_operations(), values)

    def get_operations(self) -> list[Operation]:
        """The nodes as TensorFlow lists them: with a name and its name of the op, behind a
        placeholder for each input.
        """
        from runtime.graph.format import views

        return views.operations(self._graph)

    def get_operation_by_name(self, name: str) -> Operation:
        """The operation of this name, in regions too. KeyError if there is none, ValueError for the
        name of a tensor, TypeError for what is no text.
        """
        from runtime.graph.format import views

        if not isinstance(name, str):
            raise TypeError(f"Operation names are strings, not {type(name).__name__}")
        if ":" in name:
            raise ValueError(f"The name {name!r} is that of a Tensor, not of an Operation")
        for operation in views.every(self.get_operations()):
            if operation.name == name:
                return operation
        graph = self._graph.name
        raise KeyError(f"The name {name!r} refers to an Operation not in the graph {graph!r}")

    def get_tensor_by_name(self, name: str) -> GraphTensor:
        """The tensor of this name, as in "add:0". KeyError if there is none, ValueError for what
        names no tensor, TypeError for what is no text.
        """
        if not isinstance(name, str):
            raise TypeError(f"Tensor names are strings, not {type(name).__name__}")
        operation, colon, index = name.partition(":")
        if not colon:
            raise ValueError(
                f"The name {name!r} is that of an Operation, not of a Tensor: write {name + ':0'!r}"
            )
        outputs = self.get_operation_by_name(operation).outputs
        if not index.isdigit() or int(index) >= len(outputs):
            graph = self._graph.name
            raise KeyError(f"The name {name!r} refers to a Tensor not in the graph {graph!r}")
        return outputs[int(index)]

    def as_graph_element(
        self, obj: Any, allow_tensor: bool = True, allow_operation: bool = True
    ) -> GraphTensor | Operation:
        """The tensor or operation of a name; one of this graph is given back as it is.

        Raises TypeError for anything else, and KeyError for a name that there is none of.
        """
        from runtime.graph.format.views import GraphTensor, Operation

        name = getattr(obj, "name", obj)
        if not isinstance(obj, str | GraphTensor | Operation) or not isinstance(name, str):
            raise TypeError(f"Can not convert a {type(obj).__name__} into a Tensor or Operation.")
        if (":" in name) if allow_tensor and allow_operation else allow_tensor:
            return self.get_tensor_by_name(name)
        return self.get_operation_by_name(name)

    def as_graph_def(self) -> GraphDef:
        """The graph as TensorFlow writes graphs down: nodes that name their inputs, and a function
        for each branch, body and graph that is called.
        """
        from runtime.graph.format.graph_def import graph_def

        return graph_def(self._graph)

    @changes_files
    def save(self, path: str | PathLike[str]) -> None:
        """Write the graph, those that it calls, and the values of its variables to a file.

        Raises errors.UnimplementedError for an object of Python's that it holds, with the place in
        the user's code, and OSError where the file cannot be written.
        """
        from runtime.graph.storage import save

        save(self._graph, path)

    @staticmethod
    def load(path: str | PathLike[str]) -> Graph:
        """The graph that `save` has written, with variables of its own.

        Raises errors.DataLossError for a damaged file, errors.InvalidArgumentError for one of
        something else, errors.UnimplementedError for one that a newer version has written, or that
        needs a class of a module that is not imported, and OSError where there is none.
        """
        from runtime.graph.storage import load

        return load(path)

    def to_dot(self) -> str:
        """The graph in the language of Graphviz."""
        from runtime.graph.format.pictures.dot import to_dot

        return to_dot(self._graph)

    def _repr_svg_(self) -> str:
        from runtime.graph.format.pictures.svg import to_svg

        return to_svg(self._graph)

    def __str__(self) -> str:
        from runtime.graph.format.printing import format_graph

        return format_graph(self._graph)
