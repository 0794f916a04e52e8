"""Running a graph by itself, without the function that it was traced from and the tracer."""

from __future__ import annotations

from typing import Any

from runtime.core.convert import as_array
from runtime.core.primitive import describe
from runtime.core.state import run_calling_back, run_quietly
from runtime.core.tensor import EagerTensor, wrap
from runtime.core.types import TensorType
from runtime.graph.executors.specialization import Programs
from runtime.graph.ir import Graph, Value, covers, has_effects
from runtime.graph.nodes import NUMBER_TYPES
from runtime.graph.passes import optimize


class Runner:
    """A graph after all passes, compiled; a call runs it.

    It takes tensors or arrays, and Python numbers where the graph has such parameters, and returns
    a list of tensors and numbers. Raises TypeError for arguments that do not fit.
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        optimized = optimize(graph)
        self._programs = Programs(optimized)
        self._calls_back = has_effects(optimized.nodes)

    def __call__(self, *arguments: Any) -> list[Any]:
        parameters = self.graph.parameters
        if len(arguments) != len(parameters):
            raise TypeError(
                f"{self.graph.name} takes {len(parameters)} arguments, got {len(arguments)}"
            )
        raws = list(map(_raw, parameters, arguments))
        run = run_calling_back if self._calls_back else run_quietly
        try:
            results = run(self._programs.runner(raws), *raws)
        except BaseException as error:
            self._programs.generic.fail(error)
        pairs = zip(results, self.graph.results, strict=True)
        return [wrap(raw) if isinstance(value.type, TensorType) else raw for raw, value in pairs]


def _raw(parameter: Value, given: Any) -> Any:
    wanted = parameter.type
    if not isinstance(wanted, TensorType):
        if type(given) in NUMBER_TYPES and NUMBER_TYPES[type(given)] != wanted:
            raise TypeError(f"{parameter.name} must be a {wanted}, got {given!r}")
        return given
    raw = given.raw if isinstance(given, EagerTensor) else as_array(given)
    known = describe(raw)
    if not isinstance(known, TensorType) or not covers(wanted, known):
        raise TypeError(f"{parameter.name} must be a {wanted}, got {known}")
    return raw
