"""Graphs in event files: of one function, or of all that run in between."""

from __future__ import annotations

from typing import Any

from runtime.core.eager_mode import Mode
from runtime.graph.ir import Graph
from runtime.summary import settings
from runtime.summary.events import event, graph_event, trace_summary
from runtime.summary.recording import NO_STEP
from runtime.summary.writers import is_noop


def graph(graph_data: Any) -> bool:
    """Write a graph, as `get_concrete_function(...).graph` gives it, to the default writer.

    Returns True if there is one. Raises TypeError for something else than a graph.

    >>> double = rt.function(lambda x: x * 2.0).get_concrete_function(rt.constant(1.0))
    >>> rt.summary.graph(double.graph)
    False
    """
    if not isinstance(graph_data, Graph):
        raise TypeError(
            f"summary.graph() takes a graph, as get_concrete_function(...).graph gives it, "
            f"got {graph_data!r}"
        )
    writer = settings.writer.get().value
    if is_noop(writer) or not settings.holds(settings.condition.get().value):
        return False
    writer.write(graph_event(graph_data.as_graph_def()))
    return True


def trace_on(
    graph: bool = True, profiler: bool = False, profiler_outdir: str | None = None
) -> None:  # fmt: skip
    """From here on note the graphs of functions that are called, for `trace_export`.

    Raises ValueError for `profiler`, which there is none.

    >>> rt.summary.trace_on()
    >>> rt.summary.trace_off()
    """
    if profiler or profiler_outdir is not None:
        raise ValueError(
            "trace_on() has no profiler: leave profiler=False, and have f.profile() tell what took "
            "the time of a call of a function"
        )
    if graph and Mode.graphs is None:
        with Mode.lock:
            Mode.graphs = []
            # So that no call takes the short way, which notes nothing.
            Mode.blocks += 1


def trace_off() -> None:
    """Stop noting graphs, and forget those that were noted.

    >>> rt.summary.trace_off()
    """
    if Mode.graphs is not None:
        with Mode.lock:
            Mode.graphs = None
            Mode.blocks -= 1


def trace_export(name: str, step: Any = None, profiler_outdir: str | None = None) -> None:
    """Write the graphs that ran since `trace_on` to the default writer, and stop noting them.

    Raises ValueError before `trace_on`, and without a step.

    >>> try:
    ...     rt.summary.trace_export("run", step=0)
    ... except ValueError as error:
    ...     print(error)
    Must enable trace before export through tf.summary.trace_on.
    """
    if Mode.graphs is None:
        raise ValueError("Must enable trace before export through tf.summary.trace_on.")
    if step is None:
        step = settings.get_step()
    if step is None:
        raise ValueError(NO_STEP)
    graphs = [found.as_graph_def() for found in Mode.graphs]
    writer = settings.writer.get().value
    if not is_noop(writer) and settings.holds(settings.condition.get().value):
        writer.write(event(int(step), trace_summary(name, graphs)))
    trace_off()
