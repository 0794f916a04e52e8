"""The functions that transformations apply to elements: traced once, run as graphs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from runtime import errors
from runtime.core.eager_mode import run_functions_eagerly
from runtime.core.shapes import TensorSpec
from runtime.core.state import run_calling_back
from runtime.core.tensor import wrap
from runtime.core.types import ObjectHandle, TensorType
from runtime.data.layouts import DatasetSpec, Layout, components_of, normalized, spec_of, wrapped
from runtime.data.nodes import ITERATE
from runtime.data.pipelines import Element
from runtime.data.positions import refuse_position
from runtime.functions.concrete_function import ConcreteFunction
from runtime.functions.polymorphic_function import Function
from runtime.graph.ir import Graph, Node, format_location, walk, walk_called
from runtime.graph.nodes import RAISE
from runtime.graph.templates import raised
from runtime.staging.control.carried_objects import refuse_change
from runtime.staging.frames import user_location


class Traced:
    """A function of the user's as the transformation `what` applies it.

    `layout` is the structure of its results, `outer` are the symbols of graphs around it that it
    uses: a runner is given their values.
    """

    def __init__(self, what: str, concrete: ConcreteFunction, layout: Layout) -> None:
        self.what = what
        self.layout = layout
        self.outer = concrete.outer
        self._concrete = concrete
        self._texts = any(
            isinstance(type, TensorType) and type.dtype.np_dtype.hasobject for type in layout.types
        )
        self._place = user_location()
        self._outside = _outside(concrete.graph)

    def runner(self, outer: Sequence[Any]) -> Callable[..., Element]:
        """Returns what computes the components of a result from those of the arguments."""
        if self._outside:
            refuse_position(f"{self._outside} in the function of {self.what}")
        programs = self._concrete.programs
        generic = programs.generic
        fixed = None if programs.places else generic.run

        def run(*components: Any) -> Element:
            raws = (*components, *outer) if outer else components
            try:
                return run_calling_back(fixed or programs.runner(raws), *raws)
            except BaseException as error:
                self._fail(error, generic)
                raise

        return self._with_arrays(run) if self._texts else run

    def _with_arrays(self, run: Callable[..., Element]) -> Callable[..., Element]:
        # What NumPy gives for a single text is no array.
        def run_of_texts(*components: Any) -> Element:
            made = run(*components)
            return tuple(
                [x if hasattr(x, "shape") or _is_pipeline(x) else wrap(x).raw for x in made]
            )

        return run_of_texts

    def _fail(self, error: BaseException, program: Any) -> None:
        try:
            program.fail(error)
        except BaseException as named:
            where = "" if self._place is None else f", {format_location(self._place)}"
            note = f"in the function of {self.what}{where}"
            if isinstance(named, StopIteration):
                # What ends an iterator that the function uses is no end of this one.
                named = errors.InvalidValueError(
                    f"the function came to the end of an iterator: {named}"
                )
            if note not in getattr(named, "__notes__", ()):
                named.add_note(note)
            raise named from None


def _outside(graph: Graph) -> str:
    """The first op of a graph that may do something else when it is run again; empty for none."""
    own: set[Any] = set()
    for node in walk_called(graph.nodes):
        if node.primitive is ITERATE:
            own.update(node.outputs)
        if not node.primitive.effect or node.primitive.repeatable:
            continue
        if not own.isdisjoint(node.inputs):
            continue
        return node.primitive.op_type or node.primitive.name
    return ""


def _is_pipeline(item: Any) -> bool:
    return hasattr(item, "elements")


def traced(what: str, function: Any, *specs: Any) -> Traced:
    """The graph of a function for arguments of these specs.

    Raises TypeError for what cannot be called, and what tracing it raises, with a note that names
    the transformation.
    """
    if not callable(function):
        raise TypeError(f"{what}: expected a function, got {function!r}")
    inner = function if isinstance(function, Function) else Function(function)
    given = Layout(specs)
    found: list[Layout] = []

    def of_components(*components: Any) -> Any:
        result = inner(*given.pack(components, _as_it_is))
        result = tuple(result) if isinstance(result, list) else result
        element = normalized(result, f"{what}: the result of {inner.name}")
        found.append(Layout(spec_of(element)))
        return tuple(components_of(element))

    try:
        flat = Function(of_components, name=inner.name, autograph=False)
        with run_functions_eagerly(False):
            concrete = flat.get_concrete_function(*map(_example, given.leaves))
        if not found:
            # What it raises is part of its graph, behind ops that may fail before.
            raise ValueError(
                f"{what}: {inner.name} raises for every element, which therefore have no type: "
                + "; ".join(_raised(concrete.graph))
            )
        if concrete.kept is not None:
            path = concrete.kept.parts[0].path
            raise refuse_change(path, "elements are computed when they are asked for", _WAY_OUT)
    except Exception as error:
        error.add_note(f"while tracing the function of {what}")
        raise
    return Traced(what, concrete, found[-1])


def _raised(graph: Graph) -> list[str]:
    """Describe what the functions that a graph calls raise."""
    own = set(walk(graph.body))
    raises = [node for node in walk_called(graph.nodes) if node.primitive is RAISE]
    return [_described(node) for node in raises if node not in own]


def _described(node: Node) -> str:
    exception = node.params["exception"]
    if node.inputs:
        return str(exception.text([value.name for value in node.inputs]))
    error = raised(exception)
    return f"{type(error).__name__}: {error}"


_WAY_OUT = "return it as a part of the element, or keep what changes in a Variable"


def _as_it_is(leaf: Any, component: Any) -> Any:
    return wrapped(leaf, component) if isinstance(leaf, DatasetSpec) else component


def _example(leaf: Any) -> Any:
    if isinstance(leaf, TensorSpec):
        return TensorSpec(leaf.shape, leaf.dtype)
    return ObjectHandle(leaf.type, None)


def arguments(spec: Any) -> tuple[Any, ...]:
    """The specs of the arguments of a function of elements: the parts of a tuple, or the whole."""
    return spec if type(spec) is tuple else (spec,)
