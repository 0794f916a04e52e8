"""Summaries: TensorBoard's own reader finds in the event files what was written, once, in order."""

import gc
import io
import os
import subprocess
import sys
import threading
import wave
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import runtime as rt
from autograph import StagingError
from runtime.core.eager_mode import Mode

pytest.importorskip("tensorboard")
from tensorboard.backend.event_processing.event_file_loader import RawEventFileLoader
from tensorboard.compat.proto.config_pb2 import RunMetadata
from tensorboard.compat.proto.event_pb2 import Event
from tensorboard.compat.proto.graph_pb2 import GraphDef
from tensorboard.util.tensor_util import make_ndarray

ROOT = Path(__file__).parents[3]


def events(folder: Path) -> Iterator[Any]:
    for name in sorted(os.listdir(folder)):
        for record in RawEventFileLoader(str(folder / name)).Load():
            yield Event.FromString(record)


def written(folder: Path) -> list[tuple[str, int, Any]]:
    return [
        (value.tag, event.step, make_ndarray(value.tensor).tolist())
        for event in events(folder)
        for value in event.summary.value
    ]


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[Any]:
    made = rt.summary.create_file_writer(tmp_path)
    yield made
    made.close()


def test_the_file_begins_as_tensorboard_wants_it(writer: Any, tmp_path: Path) -> None:
    (first,) = events(tmp_path)
    assert first.file_version == "brain.Event:2"
    assert [name[-3:] for name in os.listdir(tmp_path)] == [".v2"]


VARIABLE = rt.Variable(True)


@pytest.mark.parametrize(
    ("write", "value", "plugin"),
    [
        (lambda: rt.summary.scalar("t", 0.5, 1), 0.5, "scalars"),
        (lambda: rt.summary.scalar("t", rt.constant(3), 1), 3.0, "scalars"),
        (lambda: rt.summary.scalar("t", VARIABLE, 1), 1.0, "scalars"),
        (lambda: rt.summary.text("t", "ü", 1), "ü".encode(), "text"),
        (lambda: rt.summary.text("t", [["a", "b"]], 1), [[b"a", b"b"]], "text"),
        (lambda: rt.summary.write("t", [1, 2], 1), [1, 2], ""),
        (
            lambda: rt.summary.histogram("t", [0.0, 1.0, 1.0, 4.0], 1, buckets=2),
            [[0.0, 2.0, 3.0], [2.0, 4.0, 1.0]],
            "histograms",
        ),
        (lambda: rt.summary.histogram("t", [], 1, buckets=1), [[0.0, 0.0, 0.0]], "histograms"),
    ],
)
def test_values(
    write: Callable[[], Any], value: Any, plugin: str, writer: Any, tmp_path: Path
) -> None:
    with writer.as_default():
        assert bool(write())
        assert bool(rt.function(write)())
    assert written(tmp_path) == [("t", 1, value)] * 2
    last = list(events(tmp_path))[-1].summary.value[0]
    assert last.metadata.plugin_data.plugin_name == plugin


def test_pictures(writer: Any, tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image")
    pixels = np.random.default_rng(0).integers(0, 256, (2, 3, 5, 3)).astype("uint8")
    gray = np.array([[[[0.0], [1.0]]]], "float32")
    with writer.as_default(step=4):
        rt.summary.image("color", pixels, max_outputs=1)
        rt.summary.image("gray", gray)
    (_, _, color), (_, _, black) = written(tmp_path)
    assert color[:2] == [b"5", b"3"]
    assert len(color) == 3
    assert np.array_equal(np.asarray(image.open(io.BytesIO(color[2]))), pixels[0])
    assert np.asarray(image.open(io.BytesIO(black[2]))).tolist() == [[0, 255]]


def test_sounds(writer: Any, tmp_path: Path) -> None:
    with writer.as_default(step=4):
        rt.summary.audio("tone", [[[0.0, 1.0], [-1.0, 2.0]]], 8000)
    ((_, _, ((sound, label),)),) = written(tmp_path)
    assert label == b""
    with wave.open(io.BytesIO(sound)) as read:
        assert (read.getframerate(), read.getnchannels()) == (8000, 2)
        frames = np.frombuffer(read.readframes(9), "<i2").tolist()
    assert frames == [0, 32767, -32767, 32767]


BAD: list[tuple[Callable[[], Any], str]] = [
    (lambda: rt.summary.scalar("t", 1.0), "No step set"),
    (lambda: rt.summary.scalar("t", [1.0], 1), r"saw shape: \(1,\)"),
    (lambda: rt.summary.image("t", rt.zeros([2, 2, 3]), 1), "must have rank 4. Received rank 3"),
    (lambda: rt.summary.image("t", rt.zeros([1, 2, 2, 3]), 1, max_outputs=-1), "negative"),
    (lambda: rt.summary.audio("t", rt.zeros([2, 2]), 8000, 1), "must have rank 3"),
    (lambda: rt.summary.audio("t", rt.zeros([1, 2, 2]), 8000, 1, encoding="mp3"), "write 'wav'"),
    (lambda: rt.summary.trace_on(profiler=True), "leave profiler=False"),
    (lambda: rt.summary.trace_export("t", 1), "Must enable trace"),
]


@pytest.mark.parametrize(("write", "said"), BAD)
@pytest.mark.parametrize("staged", [False, True])
def test_bad_arguments_are_refused(
    staged: bool, write: Callable[[], Any], said: str, writer: Any, tmp_path: Path
) -> None:
    with writer.as_default(), pytest.raises(ValueError, match=said):
        (rt.function(write) if staged else write)()
    assert written(tmp_path) == []


# Where it is written, and when: eagerly and staged alike


def both(function: Callable[..., Any]) -> list[Callable[..., Any]]:
    return [function, rt.function(function)]


def loss(x: Any) -> Any:
    for i in rt.range(3):
        if x > 1.0:
            rt.summary.scalar("big", x, step=rt.cast(i, rt.int64))
        x = x * 2.0
    return x


WRONG: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (lambda: rt.summary.scalar("x", "text", step=1), TypeError, "real numbers, not string"),
    (lambda: rt.summary.scalar("x", 1j, step=1), TypeError, "real numbers, not complex"),
    (lambda: rt.summary.histogram("x", ["text"], step=1), TypeError, "real numbers, not string"),
    (lambda: rt.summary.histogram("x", [1.0], step=1, buckets=-1), ValueError, "buckets"),
    (lambda: rt.summary.scalar("x", 1.0, step=1.5), TypeError, "step is an integer, not float"),
    (lambda: rt.summary.scalar("x", 1.0, step="1"), TypeError, "step is an integer, not string"),
    (lambda: rt.summary.scalar("x", 1.0, step=[1]), ValueError, "step` must be a scalar"),
    (lambda: rt.summary.scalar(3, 1.0, step=1), TypeError, "name of a summary"),  # type: ignore[arg-type]
    (lambda: rt.summary.audio("x", rt.ones([1, 2, 1], rt.int32), 8, 1), TypeError, "not int32"),
    (lambda: rt.summary.audio("x", rt.ones([1, 2, 1]), 0, 1), ValueError, "must be positive"),
    (
        lambda: rt.summary.image("x", rt.ones([1, 2, 2, 7]), 1),
        rt.errors.InvalidArgumentError,
        "images have 1 to 4 channels: 'x' has 7",
    ),
]


@pytest.mark.parametrize("run", [lambda f: f(), lambda f: rt.function(f)()])
@pytest.mark.parametrize(("record", "kind", "said"), WRONG)
def test_what_would_be_written_wrong_is_refused(
    run: Any, record: Callable[[], Any], kind: type[Exception], said: str, writer: Any
) -> None:
    with writer.as_default(), pytest.raises(kind, match=said):
        run(record)


@pytest.mark.parametrize("run", both(loss))
def test_only_what_runs_is_written_in_order(run: Any, writer: Any, tmp_path: Path) -> None:
    with writer.as_default():
        run(rt.constant(0.6))
    assert [(step, round(value, 3)) for _, step, value in written(tmp_path)] == [(1, 1.2), (2, 2.4)]


@pytest.mark.parametrize("at", [0, 1])
def test_the_writer_is_that_of_the_caller(at: int, tmp_path: Path) -> None:
    run = both(lambda x: rt.summary.scalar("t", x))[at]
    assert not bool(run(rt.constant(0.0)))
    for name in ("one", "two"):
        with rt.summary.create_file_writer(tmp_path / name).as_default(step=3):
            assert bool(run(rt.constant(1.0)))
    assert written(tmp_path / "one") == written(tmp_path / "two") == [("t", 3, 1.0)]


@pytest.mark.parametrize("at", [0, 1])
def test_a_function_may_choose_the_writer(at: int, writer: Any, tmp_path: Path) -> None:
    def log(x: Any) -> Any:
        with writer.as_default(step=rt.cast(x, rt.int64)), rt.summary.record_if(x > 1.0):
            rt.summary.scalar("t", x)
        return rt.summary.scalar("out", x, step=1)

    run = both(log)[at]
    for value in (1.0, 2.0, 3.0):
        assert not bool(run(rt.constant(value)))
    writer.flush()
    assert written(tmp_path) == [("t", 2, 2.0), ("t", 3, 3.0)]


@pytest.mark.parametrize("at", [0, 1])
def test_steps_and_conditions_are_read_at_each_run(at: int, writer: Any, tmp_path: Path) -> None:
    run = both(lambda x: rt.summary.scalar("t", x))[at]
    step = rt.Variable(0, dtype=rt.int64)
    rt.summary.experimental.set_step(step)
    try:
        with writer.as_default(), rt.summary.record_if(lambda: step % 2 == 0):
            for _ in range(4):
                run(rt.constant(1.0))
                step.assign_add(1)
    finally:
        rt.summary.experimental.set_step(None)
    assert [step for _, step, _ in written(tmp_path)] == [0, 2]


def test_names_are_in_the_open_scopes(writer: Any, tmp_path: Path) -> None:
    with writer.as_default(step=1), rt.name_scope("outer"):
        rt.summary.scalar("t", 1.0)
        rt.function(lambda: rt.summary.scalar("u", 1.0))()
    assert [tag for tag, _, _ in written(tmp_path)] == ["outer/t", "u"]


def test_conditions() -> None:
    with rt.summary.create_noop_writer().as_default():
        for condition, truth in [(True, True), (lambda: False, False), (rt.constant(True), True)]:
            with rt.summary.record_if(condition):
                assert bool(rt.summary.should_record_summaries()) is truth
    assert not bool(rt.summary.should_record_summaries())


def test_threads_have_writers_of_their_own(writer: Any, tmp_path: Path) -> None:
    found = []
    with writer.as_default(step=1):
        thread = threading.Thread(
            target=lambda: found.append(bool(rt.summary.scalar("t", 1.0, step=1)))
        )
        thread.start()
        thread.join()
    assert found == [False]


# Writers


def test_a_closed_writer_says_so(writer: Any) -> None:
    writer.close()
    writer.close()
    writer.flush()
    for use in (writer.as_default, writer.set_as_default, writer.init):
        with pytest.raises(RuntimeError, match="already closed"):
            use()


def test_what_a_dropped_writer_has_is_written(tmp_path: Path) -> None:
    writer = rt.summary.create_file_writer(tmp_path)
    with writer.as_default():
        rt.summary.scalar("t", 1.0, step=1)
    del writer
    gc.collect()
    assert len(written(tmp_path)) == 1


AT_EXIT = """
import sys, runtime as rt
writer = rt.summary.create_file_writer(sys.argv[1])
writer.set_as_default()
rt.summary.scalar("t", 1.0, step=1)
"""


def test_what_waits_at_the_end_of_the_process_is_written(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", AT_EXIT, str(tmp_path)], capture_output=True, text=True, cwd=ROOT
    )
    assert (done.stdout, done.stderr) == ("", "")
    assert len(written(tmp_path)) == 1


def test_a_staged_function_opens_no_file(tmp_path: Path) -> None:
    with pytest.raises(StagingError, match="outside of the staged function"):
        rt.function(lambda: rt.summary.create_file_writer(tmp_path))()


def test_without_tensorboard_the_extra_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(name: str) -> Any:
        raise ModuleNotFoundError("No module named 'tensorboard'", name="tensorboard")

    monkeypatch.setattr("runtime.summary.events.import_module", missing)
    with pytest.raises(ImportError, match=r"autograph-runtime\[tensorboard\]"):
        rt.summary.create_file_writer(tmp_path)


# Graphs


def collatz(n: Any) -> Any:
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


def is_whole(graph: Any) -> bool:
    """Each input names a node, and each function that is named is there."""
    known = {node.name for node in graph.node}
    functions = {function.signature.name for function in graph.library.function}
    named = {value.s.decode() for node in graph.node for value in node.attr.values()}
    return all(
        name.partition(":")[0].lstrip("^") in known for node in graph.node for name in node.input
    ) and bool(functions & named or not functions)


def test_a_graph(writer: Any, tmp_path: Path) -> None:
    graph = rt.function(collatz).get_concrete_function(rt.constant(6)).graph
    with writer.as_default():
        assert rt.summary.graph(graph) is True
    found = GraphDef.FromString(list(events(tmp_path))[-1].graph_def)
    assert [node.op for node in found.node][:2] == ["Placeholder", "Const"]
    assert found.library.function
    assert is_whole(found)
    with pytest.raises(TypeError, match="get_concrete_function"):
        rt.summary.graph(collatz)


def test_graphs_that_run_are_noted(writer: Any, tmp_path: Path) -> None:
    run = rt.function(collatz)
    run(rt.constant(6))
    rt.summary.trace_on()
    for _ in range(3):
        assert int(run(rt.constant(6))) == 8
    with writer.as_default():
        rt.summary.trace_export("run", step=7)
    ((tag, step, content),) = written(tmp_path)
    assert (tag, step) == ("run", 7)
    found = RunMetadata.FromString(content)
    assert len(found.function_graphs) == 1
    assert is_whole(found.function_graphs[0].pre_optimization_graph)
    assert (Mode.graphs, Mode.blocks) == (None, 0)
