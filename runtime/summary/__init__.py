"""Summaries for TensorBoard, eagerly and in graphs.

`recording.py` has the kinds of summaries, `settings.py` the default writer, step and condition,
`writers.py` the writers, `traces.py` graphs, `events.py` the messages that TensorBoard reads.
"""

# fmt: off
# ruff: noqa: I001
from runtime.core.lazy import facade as _facade
from runtime.summary import experimental as experimental
from runtime.summary.recording import (
    audio as audio, histogram as histogram, image as image, scalar as scalar, text as text,
    write as write,
)
from runtime.summary.settings import (
    record_if as record_if, should_record_summaries as should_record_summaries,
)
from runtime.summary.traces import (
    graph as graph, trace_export as trace_export, trace_off as trace_off, trace_on as trace_on,
)
from runtime.summary.writers import (
    SummaryWriter as SummaryWriter, create_file_writer as create_file_writer,
    create_noop_writer as create_noop_writer, flush as flush,
)

__dir__ = _facade(__name__, "experimental")
