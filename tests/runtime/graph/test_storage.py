"""Graphs in files: what is loaded, in another process too, is and does what was saved."""

import json
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import runtime as rt
from runtime import errors
from runtime.core.primitive import TABLE
from runtime.core.state import run_calling_back, state
from runtime.core.types import ListType, NumberType, ResidualsType, TensorType, Type
from runtime.functions.concrete_function import ConcreteFunction
from runtime.graph.data import Opaque
from runtime.graph.executors.program import Program
from runtime.graph.format.printing import format_graph
from runtime.graph.ir import Graph, Node, walk
from runtime.graph.running import Runner
from runtime.graph.storage import load, save
from runtime.graph.storage.primitives import primitive_named
from runtime.graph.storage.type_syntax import type_of, type_text
from tests.runtime.graph.passes.random_graphs import ARGUMENTS, traced, write
from tests.runtime.graph.passes.running import observed
from tests.runtime.graph.saved_calls import Outcome, elsewhere, outcome
from tests.runtime.staging.staged_programs import PROGRAMS
from tests.support import staging
from tests.support.programs import Drawn, unhurried
from tests.test_staged_fixtures import STAGED_CASES, call

# What fixtures have little of: gradients of control flow, lists, recursion, state, text.

weights = rt.constant(np.arange(60, dtype=np.float32).reshape(5, 12) / 7)
nan = np.float32("nan")


def of_branches(x: Any) -> Any:
    with rt.GradientTape() as tape:
        tape.watch(x)
        y = x * x * x
        if rt.reduce_sum(x) > 1.0:
            y = rt.sin(x) * x
    return tape.gradient(y, x)


def of_loops(x: Any) -> Any:
    with rt.GradientTape() as outer:
        outer.watch(x)
        with rt.GradientTape() as tape:
            tape.watch(x)
            y = x
            while rt.reduce_sum(y) < 40.0:
                y = y * (x + 1.5)
        first = tape.gradient(y, x)
    return first, outer.gradient(first, x)


def of_arrays(x: Any) -> Any:
    with rt.GradientTape() as tape:
        tape.watch(x)
        array = rt.TensorArray(rt.float32, 0, dynamic_size=True)
        for at in rt.range(rt.shape(x)[0]):
            array = array.write(at, x[at] * x[at])
        y = array.stack()
    return tape.gradient(y, x)


def of_growing_lists(x: Any) -> Any:
    with rt.GradientTape() as tape:
        tape.watch(x)
        found = []
        for item in x:
            if item > 0.5:
                found.append(item * item)
        y = x[0] * 0.0
        for item in found:
            y = y + item
    return tape.gradient(y, x), len(found)


def of_jacobian(x: Any) -> Any:
    with rt.GradientTape() as tape:
        tape.watch(x)
        y = rt.cumsum(x * x)
    return tape.jacobian(y, x)


@rt.function
def power(x: Any, n: Any) -> Any:
    if n < 1:
        return rt.ones_like(x)
    return x * power(x, n - 1)


def of_recursion(x: Any) -> Any:
    with rt.GradientTape() as tape:
        tape.watch(x)
        y = power(x, rt.constant(5))
    return tape.gradient(y, x)


def even(n: Any) -> Any:
    return True if n < 1 else odd_of(n - 1)


def odd(n: Any) -> Any:
    return False if n < 1 else even_of(n - 1)


even_of, odd_of = rt.function(even), rt.function(odd)


def mutual(x: Any) -> Any:
    return even_of(rt.cast(rt.reduce_sum(x), rt.int32))


def with_large_constants(x: Any) -> Any:
    return rt.reduce_sum(weights * x[0]), rt.constant(np.ones((40, 3)).T), rt.constant(nan)


def of_complex_numbers(x: Any) -> Any:
    return rt.complex(x, x) * rt.constant([1 + 2j, complex("nan"), 3j][:1], rt.complex64)


def with_text(x: Any) -> Any:
    text = rt.strings.join([rt.as_string(x), rt.constant(b"\xff\x00")], ";")
    rt.print("text", text, x, summarize=1)
    return text, rt.strings.length(text)


def with_prints(x: Any) -> Any:
    found = None
    if x[0] > 1.0:
        found = x[0]
    print("x is", [x, {"k": (1, 2.5, None)}], found, sep=" | ", end=" <\n")
    return x


def with_numbers(x: Any) -> Any:
    n, far = 0, 2**70
    while x[0] > n:
        n, far = n + 1, far * 3
    return n, far % 1000003, float("inf") * rt.cast(n, rt.float32)


def with_random_numbers(x: Any) -> Any:
    return rt.random.uniform([3], seed=4), rt.random.shuffle(rt.range(6), seed=2), x


def with_failures(x: Any) -> Any:
    if x[0] > 2.0:
        raise FileNotFoundError(2, "no file for", x)
    if x[0] > 1.0:
        error = KeyError("key", x[0])
        error.__cause__ = ValueError("why", 3)
        error.add_note("a note")
        raise error
    assert x[0] > 0.2, ("too small", x[0])
    return rt.gather(x, rt.cast(x[0] * 10.0, rt.int32))


def with_inner_calls(x: Any) -> Any:
    def inner(y: Any) -> Any:
        return rt.fill([2, rt.cast(y[0], rt.int32)], y[0])

    return inner(x)


def on_devices(x: Any) -> Any:
    with rt.device("CPU:1"), rt.name_scope("scope"):
        return rt.add(x, x, name="sum")


class Detailed(Exception):
    def __init__(self, value: Any, code: int = 3) -> None:
        super().__init__(value)
        self.code = code


def raises_a_class_of_a_module(x: Any) -> Any:
    if x[0] > 0.0:
        raise Detailed(x, code=x[0])
    return x


def with_made_texts(x: Any) -> Any:
    first = x[0]
    print("%s" % first, f"{first:.2f} and {first!r}", str(first) + "!", [f"{first:>8}"])  # noqa: UP031
    if first > 2.0:
        raise ValueError(f"{first} is too large", ", ".join([str(first), "b"]))
    assert first != 1.5, "got " + repr(first)
    return x * 2.0


def with_read_texts(x: Any) -> Any:
    text = str(rt.shape(x)[0]) * 2
    return len(text), int(text), text.count("1"), text == "11", text[1:].zfill(4), "ab3".find(text)


INPUTS = [[0.25], [1.5], [3.0, 0.5], [0.7, 0.9, 0.1]]
OWN = [
    of_branches, of_loops, of_arrays, of_growing_lists, of_jacobian, of_recursion, mutual,
    with_large_constants, of_complex_numbers, with_text, with_prints, with_numbers,
    with_random_numbers, with_made_texts, with_read_texts, with_failures, with_inner_calls,
    on_devices,
]  # fmt: skip


def counter() -> Callable[[Any], Any]:
    count = rt.Variable(0, name="count")
    total = rt.Variable([0.0, 1.0], name="total", trainable=False)

    def counted(x: Any) -> Any:
        count.assign_add(1)
        total[:1].assign(total[:1] * 2.0 + x[:1])
        return count, total + x[0], count.value() * 2

    return counted


class Saved:
    """Calls that were made in this process: of each the file of its graph, and its outcome."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.calls: list[tuple[str, list[list[Any]]]] = []
        self.outcomes: list[tuple[str, Outcome]] = []
        self.refused: list[str] = []

    def add(self, name: str, concrete: ConcreteFunction, leaves: Any) -> None:
        """The graph is saved before it runs, for it may change variables."""
        file = f"{len(self.calls)}.npz"
        save(concrete.graph, self.folder / file)
        raws = [leaf.raw for leaf in leaves]
        self.calls.append((file, [raws]))
        self.outcomes.append((name, outcome(lambda: run(concrete, raws))))


def run(concrete: ConcreteFunction, raws: list[Any]) -> Any:
    try:
        return run_calling_back(concrete.program.run, *raws)
    except BaseException as error:
        concrete.program.fail(error)


@contextmanager
def recording(saved: Saved, name: str) -> Iterator[None]:
    """Within it, calls of functions are only noted."""

    def noted(self: ConcreteFunction, leaves: Any, *run: Any) -> Any:
        # What a graph keeps in objects is given to it by the call alone.
        if state.trace is not None or self.kept is not None:
            return original(self, leaves, *run)
        saved.add(name, self, leaves)
        raise Noted

    original = ConcreteFunction.call_leaves
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ConcreteFunction, "call_leaves", noted)
        with suppress(Noted):
            yield


class Noted(BaseException):
    pass


def test_graphs_do_the_same_in_another_process(tmp_path: Path) -> None:
    """All graphs of the fixtures, of the staged programs and of those here; without the tracer,
    autograph, and the code that they were traced from.
    """
    saved = Saved(tmp_path)
    for case in STAGED_CASES:
        for row in case.rows:
            with recording(saved, f"{case.name} {row}"):
                staging.attempt(lambda c=case, r=row: call(c, r, rt.function, c.staged))
    for program, *inputs in PROGRAMS:
        for given_ in inputs:
            with recording(saved, program.__name__):
                arguments = [rt.constant(np.asarray(item)) for item in given_]
                staging.attempt(partial(rt.function(program), *arguments))
    for made in (*OWN, counter()):
        for values in INPUTS:
            with recording(saved, made.__name__):
                rt.function(made)(rt.constant(values))
    assert len(saved.calls) > 600
    outcomes, imported = elsewhere(tmp_path, saved.calls)
    pairs = zip(saved.outcomes, outcomes, strict=True)
    assert not [(name, expected, got) for (name, expected), (got,) in pairs if expected != got]
    assert not imported


def graph_of(function: Any, *arguments: Any) -> Graph:
    made: Graph = rt.function(function).get_concrete_function(*arguments).graph
    return made


def again(graph: Graph, folder: Path) -> Graph:
    save(graph, folder / "graph.npz")
    return load(folder / "graph.npz")


X = rt.TensorSpec([None])


@pytest.mark.parametrize("function", [*OWN, counter()], ids=lambda f: f.__name__)
def test_nothing_is_lost(function: Any, tmp_path: Path) -> None:
    """Names, types, places, devices; before and after the passes."""
    concrete = rt.function(function).get_concrete_function(X)
    for graph in (concrete.graph, concrete.optimized):
        made = again(graph, tmp_path)
        assert format_graph(made, lines=True) == format_graph(graph, lines=True)
        assert str(made.as_graph_def()) == str(graph.as_graph_def())
        for found, known in zip(walk(made.body), walk(graph.body), strict=True):
            assert list(places(found)) == list(places(known))


def places(node: Node) -> Iterator[Any]:
    place = node.origin
    while place is not None:
        yield place.location, place.position[:-1]
        place = place.caller


def test_the_same_graph_makes_the_same_file(tmp_path: Path) -> None:
    graph = graph_of(with_large_constants, X)
    save(graph, tmp_path / "first.npz")
    save(load(tmp_path / "first.npz"), tmp_path / "second.npz")
    assert (tmp_path / "first.npz").read_bytes() == (tmp_path / "second.npz").read_bytes()


@st.composite
def texts(draw: Any) -> str:
    return write(Drawn(draw), 12)


@unhurried
@given(texts())
def test_random_graphs(text: str) -> None:
    with traced(text) as graph, tempfile.TemporaryDirectory() as folder:
        made = again(graph, Path(folder))
        assert format_graph(made, lines=True) == format_graph(graph, lines=True)
        for arguments in ARGUMENTS:
            assert observed(Program(made), arguments) == observed(Program(graph), arguments)


def test_variables_go_along(tmp_path: Path) -> None:
    v = rt.Variable([1.0, 2.0], name="v", trainable=False)
    graph = graph_of(lambda x: v.assign_add(x) + v, rt.TensorSpec([2]))
    made = again(graph, tmp_path)
    v.assign([5.0, 5.0])
    (found,) = made.variables
    assert (found.name, found.trainable, found.numpy().tolist()) == ("v:0", False, [1.0, 2.0])
    (sum_,) = Runner(made)([1.0, 1.0])
    assert sum_.numpy().tolist() == [4.0, 6.0]
    assert (found.numpy().tolist(), v.numpy().tolist()) == ([2.0, 3.0], [5.0, 5.0])


def test_a_sequence_of_the_system_is_another_one(tmp_path: Path) -> None:
    rt.random.set_seed(None)
    graph = graph_of(lambda: rt.random.uniform([4]))
    first, second = (Runner(again(graph, tmp_path))()[0].numpy().tolist() for _ in range(2))
    assert first != second


def test_gradients_of_what_was_loaded(tmp_path: Path) -> None:
    from runtime.autodiff.calls import GraphCall, call_recorded

    made = again(graph_of(lambda x: rt.reduce_sum(x * x) if x[0] > 0.0 else x[0], X), tmp_path)
    x = rt.constant([2.0, 3.0])
    with rt.GradientTape() as tape:
        tape.watch(x)
        (y,) = call_recorded(GraphCall(made), [x])
    assert tape.gradient(y, x).numpy().tolist() == [4.0, 6.0]


def test_a_class_of_a_module_is_found_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = again(graph_of(raises_a_class_of_a_module, X), tmp_path)
    with pytest.raises(Detailed) as caught:
        Runner(made)([2.0])
    assert caught.value.args[0].numpy().tolist() == [2.0]
    assert float(caught.value.code) == 2.0
    monkeypatch.delitem(sys.modules, __name__)
    message = rf"the class Detailed is in the module {__name__}, which is not imported; import the"
    with pytest.raises(errors.UnimplementedError, match=message):
        load(tmp_path / "graph.npz")


@rt.custom_gradient
def doubled_gradient(x: Any) -> Any:
    factor = x + 1.0

    def gradient(upstream: Any) -> Any:
        return upstream * 2.0 * factor if upstream > 0.0 else upstream

    return x * x, gradient


@rt.custom_gradient
def without_gradient(x: Any) -> Any:
    def gradient(upstream: Any) -> Any:
        raise ValueError("none here")

    return x * x, gradient


@pytest.mark.parametrize("function", [doubled_gradient, without_gradient])
def test_custom_gradients(function: Any, tmp_path: Path) -> None:
    graph = graph_of(lambda x: function(x) + 1.0, rt.TensorSpec([]))
    made, x = again(graph, tmp_path), rt.constant(3.0)
    assert str(made) == str(graph)
    expected, got = (gradient_of(each, x) for each in (graph, made))
    assert expected == got
    assert got == (10.0, 8.0 if function is doubled_gradient else "none here")


def gradient_of(graph: Graph, x: Any) -> tuple[Any, Any]:
    from runtime.autodiff.calls import GraphCall, call_recorded

    with rt.GradientTape() as tape:
        tape.watch(x)
        (y,) = call_recorded(GraphCall(graph), [x])
    try:
        return float(y), float(tape.gradient(y, x))
    except (ValueError, errors.OpError) as error:
        return float(y), str(error).partition(" [")[0]


# Arguments


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "takes 1 arguments, got 0"),
        ([np.zeros(3)], r"x must be a float32\[\?\], got float64\[3\]"),
        ([[[1.0]]], r"x must be a float32\[\?\], got float32\[1,1\]"),
    ],
)
def test_arguments_that_do_not_fit(arguments: list[Any], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        Runner(graph_of(lambda x: x * 2.0, X))(*arguments)


# What cannot be saved


def prints_an_object(x: Any) -> Any:
    if x[0] > 0.0:
        print("object", object(), x)
    return x


def writes_to_a_stream(x: Any) -> Any:
    rt.print(x, output_stream=print)
    return x


def raises_of_a_class_of_its_own(x: Any) -> Any:
    class Local(Exception):
        pass

    if x[0] > 0.0:
        raise Local("local")
    return x


@pytest.mark.parametrize(
    ("function", "line", "what"),
    [
        (prints_an_object, 2, "<object object at"),
        (writes_to_a_stream, 1, "<built-in function print>"),
        (raises_of_a_class_of_its_own, 5, "Local"),
    ],
)
def test_objects_are_refused(function: Any, line: int, what: str, tmp_path: Path) -> None:
    with pytest.raises(errors.UnimplementedError, match="cannot be saved: it holds") as caught:
        save(graph_of(function, X), tmp_path / "graph.npz")
    place = f"{__file__}:{function.__code__.co_firstlineno + line}:"
    assert what in str(caught.value)
    assert place in str(caught.value)
    assert caught.value.hint
    assert list(tmp_path.iterdir()) == []


def test_a_failed_write_leaves_what_is_there(tmp_path: Path) -> None:
    graph = graph_of(lambda x: x * 2.0, X)
    save(graph, tmp_path / "graph.npz")
    before = (tmp_path / "graph.npz").read_bytes()
    with pytest.raises(errors.UnimplementedError):
        save(graph_of(prints_an_object, X), tmp_path / "graph.npz")
    assert (tmp_path / "graph.npz").read_bytes() == before
    with pytest.raises(FileNotFoundError):
        save(graph, tmp_path / "no" / "graph.npz")


# Files that are refused


def rewritten(path: Path, change: Callable[[dict[str, Any]], Any]) -> None:
    """Change the document of a file."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    document = json.loads(members["graph.json"])
    change(document)
    members["graph.json"] = json.dumps(document).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)


def first_node(document: dict[str, Any]) -> dict[str, Any]:
    node: dict[str, Any] = document["graphs"][0]["nodes"][0]
    return node


CHANGES: dict[str, tuple[Callable[[dict[str, Any]], Any], type[Exception], str]] = {
    "newer": (lambda d: d.update(version=3), errors.UnimplementedError, "has version 3 of the"),
    "older": (lambda d: d.update(version=1), errors.UnimplementedError, "has version 1 of the"),
    "another format": (
        lambda d: d.update(format="x"), errors.InvalidArgumentError, "is of another format",
    ),
    "no graphs": (lambda d: d.update(graphs=[]), errors.DataLossError, "it has no graph"),
    "nothing": (lambda d: d.pop("graphs"), errors.DataLossError, "damaged: KeyError"),
    "unknown op": (
        lambda d: first_node(d).update(op="frobnicate"), errors.UnimplementedError,
        "there is no op 'frobnicate' here",
    ),
    "no parameters": (
        lambda d: first_node(d)["params"].clear(), errors.DataLossError, "missing 2 required",
    ),
    "a parameter that is code": (
        lambda d: first_node(d)["params"].update({"axis=print(1), k": 1}), errors.DataLossError,
        "not as the format says",
    ),
    "undefined value": (
        lambda d: first_node(d).update(inputs=[99]), errors.DataLossError, "KeyError: 99",
    ),
    "value defined twice": (
        lambda d: first_node(d)["outputs"].append([0, "x", "float32[]"]), errors.DataLossError,
        "not as the format says",
    ),
    "another type": (
        lambda d: first_node(d)["outputs"][0].__setitem__(2, "int32[]"), errors.DataLossError,
        "InvalidGraph",
    ),
    "no type": (
        lambda d: first_node(d)["outputs"][0].__setitem__(2, "float31[]"), errors.DataLossError,
        "'float31\\[\\]' is no type",
    ),
    "no array": (
        lambda d: d["graphs"][0].update(captures=[[50, "c", "float32[]", 7]]),
        errors.DataLossError, "IndexError",
    ),
    "wrong place": (lambda d: first_node(d).update(at=1000), errors.DataLossError, "IndexError"),
    "class of a module that is not imported": (
        lambda d: first_node(d)["params"].update(axis={"class": "antigravity:X"}),
        errors.UnimplementedError, "which is not imported",
    ),
    "a function for a class": (
        lambda d: first_node(d)["params"].update(axis={"class": "os:system"}),
        errors.UnimplementedError, "has no class system",
    ),
    "a parameter that is nothing": (
        lambda d: first_node(d)["params"].update(axis={}), errors.DataLossError, "KeyError: ''",
    ),
    "a class that is no exception": (
        lambda d: first_node(d)["params"].update(
            axis={"raise": "builtins:int", "args": [], "attributes": {"dict": []}, "given": None,
                  "cause": None, "suppresses": False}
        ), errors.DataLossError, "not as the format says",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CHANGES)
def test_another_document_is_refused(name: str, tmp_path: Path) -> None:
    change, kind, message = CHANGES[name]
    path = tmp_path / "graph.npz"
    save(graph_of(lambda x: rt.reduce_sum(x) * weights, X), path)
    load(path)
    rewritten(path, change)
    with pytest.raises(kind, match=message) as caught:
        load(path)
    assert str(path) in str(caught.value)
    assert caught.value.hint  # type: ignore[attr-defined]


def test_every_byte_counts(tmp_path: Path) -> None:
    """A file with any one byte changed, or cut off anywhere, is refused, or says the same."""
    path = tmp_path / "graph.npz"
    graph = graph_of(lambda x: rt.reduce_sum(x) * weights, X)
    save(graph, path)
    whole = path.read_bytes()
    expected = outcome(lambda: Runner(graph)([1.0, 2.0]))
    refused = 0
    for at in range(0, len(whole), 7):
        for data in (whole[:at], whole[:at] + bytes([whole[at] ^ 0x55]) + whole[at + 1 :]):
            path.write_bytes(data)
            try:
                made = load(path)
            except (errors.DataLossError, errors.InvalidArgumentError, errors.UnimplementedError):
                refused += 1
                continue
            assert outcome(lambda made=made: Runner(made)([1.0, 2.0])) == expected
    assert refused > len(range(0, len(whole), 7))


@pytest.mark.parametrize("data", [b"", b"hello", b"PK\x03\x04 no archive"])
def test_other_files_are_refused(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "other"
    path.write_bytes(data)
    with pytest.raises((errors.DataLossError, errors.InvalidArgumentError), match="other is "):
        load(path)


def test_archives_of_arrays_are_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "other.npz", x=np.ones(3))
    with pytest.raises(errors.InvalidArgumentError, match=r"is no file of graphs: it has no graph"):
        load(tmp_path / "other.npz")
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "none.npz")


def test_pickles_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "graph.npz"
    save(graph_of(lambda x: rt.reduce_sum(x) * weights, X), path)
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    assert list(members) == ["graph.json", "arrays/0.npy"]
    with zipfile.ZipFile(path, "w") as archive, archive.open("graph.json", "w") as file:
        file.write(members["graph.json"])
    with zipfile.ZipFile(path, "a") as archive, archive.open("arrays/0.npy", "w") as file:
        np.lib.format.write_array(file, np.array([print], object), allow_pickle=True)
    with pytest.raises(errors.DataLossError, match="no array of a dtype that tensors have"):
        load(path)


# Parts

TYPES = {
    "float32[]": TensorType(rt.float32, ()),
    "string[2,?]": TensorType(rt.string, (2, None)),
    "complex64[*]": TensorType(rt.complex64, None),
    "py.int": NumberType("int"),
    "list[list[bool[?]]]": ListType(ListType(TensorType(rt.bool, (None,)))),
}


@pytest.mark.parametrize(("text", "type_"), TYPES.items())
def test_the_notation_of_types(text: str, type_: Type) -> None:
    assert type_text(type_, []) == text == str(type_)
    assert type_of(text, []) == type_


def test_residuals_are_told_apart_by_number() -> None:
    known = [ResidualsType("f"), ResidualsType("f")]
    for type_ in (*known, ListType(known[1])):
        assert type_of(type_text(type_, known), known) == type_


@pytest.mark.parametrize(
    "text", ["", "float32", "float32[", "float32[-1]", "float32[1,]", "py.str", "residuals[0]",
             "list[]", "float32[1]]", "x[1]"],
)  # fmt: skip
def test_other_texts_are_no_types(text: str) -> None:
    with pytest.raises(ValueError, match="is no type"):
        type_of(text, [])


def test_every_op_of_the_table_is_found() -> None:
    assert [name for name, op in TABLE.items() if primitive_named(name) not in (op, None)] in (
        [], ["constant"],
    )  # fmt: skip
    assert primitive_named("no_such_op") is None


def test_nodes_hold_data_or_say_so() -> None:
    graph = graph_of(prints_an_object, X)
    prints = [node for node in walk(graph.body) if node.primitive.name == "print"]
    assert [type(item) for item in arguments_of(prints[0])][1] is Opaque


def arguments_of(node: Node) -> Any:
    return node.params["arguments"]
