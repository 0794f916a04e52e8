"""`saved_model`: modules in files, and what is loaded from them, in another process too."""

import collections
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import autograph
import runtime as rt
from runtime import errors
from tests.support.staging import attempt

ROOT = Path(__file__).parent.parent.parent.parent


class Pair(NamedTuple):
    first: Any
    second: Any


class Dense(rt.Module):
    def __init__(self, size: int) -> None:
        super().__init__()
        self.kernel = rt.Variable(np.arange(2.0 * size).reshape(2, size) / 4, dtype=rt.float32)
        self.bias = rt.Variable(rt.zeros([size]), trainable=False)

    @rt.function
    def __call__(self, x: Any, activate: bool = True) -> Any:
        y = x @ self.kernel + self.bias
        return rt.nn.relu(y) if activate else y


class Net(rt.Module):
    def __init__(self) -> None:
        super().__init__(name="net")
        self.layers = [Dense(2), Dense(2)]
        self.also = {"first": self.layers[0], "steps": rt.Variable(0, trainable=False)}
        self.rate = 0.5
        self.halved = rt.function(lambda x: x * self.rate)

    @rt.function
    def __call__(self, x: Any) -> Any:
        for layer in self.layers:
            x = layer(x)
        return x

    @rt.function
    def step(self, x: Any, y: Any) -> Any:
        with rt.GradientTape() as tape:
            loss = rt.reduce_mean((self(x) - y) ** 2)
        for v, g in zip(
            self.trainable_variables, tape.gradient(loss, self.trainable_variables), strict=True
        ):
            v.assign_sub(0.1 * g)
        self.also["steps"].assign_add(1)
        return {"loss": loss, "pair": Pair(self.also["steps"].value(), [loss, None, "text"])}

    @rt.function(input_signature=[rt.TensorSpec([None]), rt.TensorSpec([], rt.int32)])
    def declared(self, x: Any, n: Any) -> Any:
        total, steps = x, 0
        while steps < n:
            if total[0] > 100.0:
                raise ValueError("too large", total)
            total, steps = total * 2.0, steps + 1
        return total, steps


X = rt.constant([[1.0, 2.0], [-1.0, 0.5]])
Y = rt.constant([[1.0, 0.0], [0.0, 1.0]])


def trained() -> Net:
    net = Net()
    net.step(X, Y)
    net.layers[0](X, activate=False)
    net.halved(X)
    net.halved(rt.constant(3.0))
    return net


def test_what_is_loaded_does_what_was_saved(tmp_path: Path) -> None:
    net = trained()
    net(X)
    rt.saved_model.save(net, tmp_path)
    made = rt.saved_model.load(tmp_path)
    assert made(X).numpy().tolist() == net(X).numpy().tolist()
    for _ in range(3):
        expected, got = net.step(X, Y), made.step(X, Y)
        assert float(got["loss"]) == float(expected["loss"])
        assert (type(got["pair"]), int(got["pair"].first)) == (Pair, int(expected["pair"].first))
        assert got["pair"].second[1:] == expected["pair"].second[1:] == [None, "text"]
    total, steps = made.declared([1.0, 3.0], 2)
    assert (total.numpy().tolist(), int(steps)) == ([4.0, 12.0], 2)
    with pytest.raises(ValueError, match="too large"):
        made.declared(rt.constant([1.0]), rt.constant(20))
    assert made.halved(X).numpy().tolist() == (X * 0.5).numpy().tolist()
    assert made.layers[0](X, activate=False).numpy().tolist() == (
        net.layers[0](X, activate=False).numpy().tolist()
    )


def test_objects_are_shared_as_they_were(tmp_path: Path) -> None:
    net = trained()
    rt.saved_model.save(net, tmp_path)
    made = rt.saved_model.load(tmp_path)
    assert made.also["first"] is made.layers[0]
    assert made.name == "net"
    assert [v.name for v in made.variables] == [v.name for v in net.variables]
    assert [v.trainable for v in made.variables] == [v.trainable for v in net.variables]
    made.layers[0].kernel.assign(rt.zeros([2, 2]))
    assert net.layers[0].kernel.numpy().any()
    assert not made.layers[0](X, activate=False).numpy().any()
    assert not hasattr(made, "rate")


def test_gradients_flow_through_what_was_loaded(tmp_path: Path) -> None:
    net = trained()
    net(X)
    rt.saved_model.save(net, tmp_path)
    made = rt.saved_model.load(tmp_path)

    def gradients(module: Any) -> list[Any]:
        with rt.GradientTape() as tape:
            loss = rt.reduce_sum(module(X) ** 2)
        return [g.numpy().tolist() for g in tape.gradient(loss, module.trainable_variables)]

    assert gradients(made) == gradients(net)


def test_it_is_called_in_functions_and_saved_again(tmp_path: Path) -> None:
    net = trained()
    net(X)
    rt.saved_model.save(net, tmp_path / "first")
    made = rt.saved_model.load(tmp_path / "first")
    assert rt.function(lambda x: made(x) * 2.0)(X).numpy().tolist() == (
        (net(X) * 2.0).numpy().tolist()
    )
    rt.saved_model.save(made, tmp_path / "second")
    third = rt.saved_model.load(tmp_path / "second")
    assert third(X).numpy().tolist() == net(X).numpy().tolist()


def test_the_trace_for_the_arguments_is_taken(tmp_path: Path) -> None:
    module: Any = rt.Module()
    module.rank = rt.function(lambda x, n=1: (x * n, len(x.shape), x.shape[0]))
    for argument in (rt.TensorSpec([2]), rt.TensorSpec([None]), rt.TensorSpec([2, 3])):
        module.rank.get_concrete_function(argument)
    module.rank.get_concrete_function(rt.TensorSpec([None]), 3)
    rt.saved_model.save(module, tmp_path)
    rank = rt.saved_model.load(tmp_path).rank
    assert len(rank.concrete_functions) == 4
    for given, size in (([1.0, 2.0], 2), ([1.0, 2.0, 3.0], None)):
        total, dims, first = rank(rt.constant(given))
        assert (total.numpy().tolist(), int(dims)) == (given, 1)
        assert first is None or int(first) == size
    assert rank(rt.constant([1.0]), n=3)[0].numpy().tolist() == [3.0]
    assert rank.get_concrete_function(rt.TensorSpec([2, 3])).name == "<lambda>"


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda f: f(rt.constant([1])), ValueError, "saved without a trace for these arguments"),
        (lambda f: f(rt.constant([1.0]), 4), ValueError, r"as one of these:\n  <lambda>\(x: fl"),
        (lambda f: f(), TypeError, "missing a required argument: 'x'"),
        (lambda f: f(1.0, 2, 3), TypeError, "too many positional arguments"),
    ],
)
def test_other_calls_are_refused(
    call: Callable[[Any], Any], kind: type[Exception], message: str, tmp_path: Path
) -> None:
    module: Any = rt.Module()
    module.f = rt.function(lambda x, n=1: x * n)
    module.f(rt.constant([1.0]))
    rt.saved_model.save(module, tmp_path)
    with pytest.raises(kind, match=message):
        call(rt.saved_model.load(tmp_path).f)


def test_a_function_without_traces_says_so(tmp_path: Path) -> None:
    rt.saved_model.save(Net(), tmp_path)
    made = rt.saved_model.load(tmp_path)
    with pytest.raises(ValueError, match=r"call it with such arguments before saving it"):
        made(X)
    assert made.declared(rt.constant([1.0]), rt.constant(0))[0].numpy().tolist() == [1.0]
    rt.saved_model.save(rt.Module(), tmp_path)
    with pytest.raises(TypeError, match="without a function __call__"):
        rt.saved_model.load(tmp_path)(X)


def test_what_cannot_be_saved_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match=r"takes a Module, not 3: put it into one"):
        rt.saved_model.save(3, tmp_path)
    module: Any = rt.Module()
    module.f = rt.function(lambda x, held: x)
    module.f(rt.constant(1.0), object())
    with pytest.raises(errors.UnimplementedError, match="it holds <object object"):
        rt.saved_model.save(module, tmp_path)

    @rt.function
    def writes(x: Any) -> Any:
        x[0] = 1.0
        return x

    @rt.function
    def copies(x: Any) -> Any:
        x = rt.identity(x)
        x[0] = 1.0
        return x

    module.f = copies
    copies(rt.constant([0.0, 2.0]))
    rt.saved_model.save(module, tmp_path)
    made = rt.saved_model.load(tmp_path).f(rt.constant([0.0, 2.0]))
    assert made.numpy().tolist() == [1.0, 2.0]
    module.f = writes
    writes(rt.constant([0.0, 2.0]))
    with pytest.raises(errors.UnimplementedError, match="assigns to items of its arguments"):
        rt.saved_model.save(module, tmp_path)


def test_files_of_something_else_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "saved_model.npz"
    graph = rt.function(lambda x: x * 2.0).get_concrete_function(rt.TensorSpec([2])).graph
    graph.save(path)
    with pytest.raises(errors.InvalidArgumentError, match=r"is no saved model: it is a graph"):
        rt.saved_model.load(tmp_path)
    assert str(type(graph).load(path)) == str(graph)
    path.write_bytes(b"hello")
    with pytest.raises(errors.InvalidArgumentError, match="is no file of graphs"):
        rt.saved_model.load(tmp_path)
    with pytest.raises(FileNotFoundError):
        rt.saved_model.load(tmp_path / "nowhere")


PROGRAM = """
import autograph
import runtime as rt
made = rt.saved_model.load("saved")
x = rt.constant([[1.0, 2.0], [-1.0, 0.5]])
print(made(x).numpy().tolist())
try:
    made.declared(rt.constant([1.0]), rt.constant(20))
except ValueError as error:
    print(error.__traceback__.tb_next is not None, error.args[0])
"""


def test_another_process(tmp_path: Path) -> None:
    net: Any = Net()
    net(X)
    rt.saved_model.save(net, tmp_path / "saved")
    (tmp_path / "program.py").write_text(PROGRAM)
    done = subprocess.run(
        [sys.executable, "program.py"],
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert done.stdout.splitlines() == [str(net(X).numpy().tolist()), "True too large"], done.stderr


SHOWING = """
import sys
import runtime as rt
from runtime.graph.ir import Graph
from runtime.graph.running import Runner
tracer = "runtime.staging.tracing"
before = tracer in sys.modules
loaded = Graph.load("shown.npz")
Runner(loaded)(rt.constant([3, 1, 2]))
print(before, tracer in sys.modules)
"""


def test_a_graph_that_shows_a_list_imports_the_tracer(tmp_path: Path) -> None:
    spec = rt.TensorSpec([3], rt.int32)
    rt.function(shown).get_concrete_function(spec).graph.save(tmp_path / "shown.npz")
    (tmp_path / "program.py").write_text(SHOWING)
    done = subprocess.run(
        [sys.executable, "program.py"],
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    found, *rest = done.stdout.splitlines()
    assert found.startswith("[<tf.Tensor: shape=(), dtype=int32, numpy=3>"), done.stderr
    assert rest == ["False True"]


class Kinds(rt.Module):
    @rt.function
    def __call__(self, n: Any) -> Any:
        if n > 2:
            return "large"
        return [n, True] if n > 1 else n


def test_results_of_several_kinds_stay_what_they_are(tmp_path: Path) -> None:
    made = Kinds()
    made(rt.constant(1))
    rt.saved_model.save(made, str(tmp_path))
    loaded = rt.saved_model.load(str(tmp_path))
    assert loaded(rt.constant(1)).numpy() == 1
    first, second = loaded(rt.constant(2))
    assert (first.numpy(), second.numpy()) == (2, True)
    assert loaded(rt.constant(3)).numpy() == b"large"


def kept(xs: Any) -> Any:
    return [x for x in xs if x > 1], 3


def ordered(xs: Any) -> Any:
    return sorted(xs)


def rows_of_pairs(xs: Any) -> Any:
    return [[(x, x * 2)] for x in xs if x > 1]


def texts_of_some(xs: Any) -> Any:
    return {"texts": [f"{x}" for x in xs if x > 1]}


def or_none(xs: Any) -> Any:
    return [x for x in xs if x > 1] if xs[0] > 2 else None


def as_a_tuple(xs: Any) -> Any:
    return tuple(x for x in xs if x > 1)


def as_a_set(xs: Any) -> Any:
    return {x % 2 for x in xs}, frozenset({xs[0], 1})


def as_dicts(xs: Any) -> Any:
    groups = collections.defaultdict(list)
    for x in xs:
        groups[x % 2].append(x)
    return {x: x + 1 for x in xs}, collections.Counter(xs), groups


def as_many_as_a_branch_says(xs: Any) -> Any:
    return (xs[0], 1) if xs[0] > 2 else (xs[1],)


def shown(xs: Any) -> Any:
    found = [x for x in xs if x > 1]
    print(found, {x: 1 for x in xs})
    return f"{found}"


def raised(xs: Any) -> Any:
    found = [x for x in xs if x > 1]
    if len(found) > 1:
        raise ValueError("too many", found)
    return len(found)


OF_THE_RUN = [
    kept, ordered, rows_of_pairs, texts_of_some, or_none, as_a_tuple, as_a_set, as_dicts,
    as_many_as_a_branch_says, shown, raised,
]  # fmt: skip


@pytest.mark.parametrize("program", OF_THE_RUN, ids=lambda program: program.__name__)
def test_what_has_as_many_items_as_the_run_says_is_saved(
    program: Callable[[Any], Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    module: Any = rt.Module()
    module.f = rt.function(program, input_signature=[rt.TensorSpec([3], rt.int32)])
    rt.saved_model.save(module, tmp_path)
    loaded = rt.saved_model.load(tmp_path)
    rt.saved_model.save(loaded, tmp_path / "again")
    again = rt.saved_model.load(tmp_path / "again")
    for items in ([3, 1, 2], [0, 5, 5], [1, 1, 0]):
        shows = []
        for call in (module.f, loaded.f, again.f):
            found = attempt(lambda call=call, items=items: call(rt.constant(items)))
            shows.append((repr(found), capsys.readouterr().out))
        assert shows[0] == shows[1] == shows[2]


@pytest.mark.parametrize(
    ("program", "said"),
    [
        (ordered, "list of TensorSpec(shape=(), dtype=tf.int32, name=None)"),
        (texts_of_some, "list of TensorSpec(shape=(), dtype=tf.string, name=None)"),
        (lambda xs: {x for x in xs}, "set of TensorSpec(shape=(), dtype=tf.int32, name=None)"),
        (lambda xs: {x: [x] for x in xs}, "dict of (TensorSpec(shape=(), dtype=tf.int32, "),
    ],
    ids=["list", "list in a dict", "set", "dict"],
)
def test_it_tells_its_items_and_is_no_signature(
    program: Callable[[Any], Any], said: str, tmp_path: Path
) -> None:
    module: Any = rt.Module()
    module.f = rt.function(program, input_signature=[rt.TensorSpec([3], rt.int32)])
    concrete = module.f.get_concrete_function()
    assert said in repr(concrete.structured_outputs)
    assert said in concrete.pretty_printed_signature()
    with pytest.raises(ValueError, match=f"gives a {re.escape(said)}.*, which is no tensor"):
        rt.saved_model.save(module, tmp_path, signatures=module.f)


class Served(rt.Module):
    def __init__(self) -> None:
        super().__init__()
        self.by = rt.Variable(2.0)

    @rt.function
    def __call__(self, x: Any) -> Any:
        return x * self.by

    @rt.function(input_signature=[rt.TensorSpec([None], name="a"), rt.TensorSpec([], rt.int32)])
    def pair(self, first: Any, b: Any) -> Any:
        return first * rt.cast(b, rt.float32), [first + self.by]

    @rt.function(input_signature=[rt.TensorSpec([None])])
    def named(self, x: Any) -> Any:
        return {"sum": x + self.by}


def test_signatures_take_and_give_tensors_by_name(tmp_path: Path) -> None:
    module = Served()
    rt.saved_model.save(module, tmp_path, signatures=module.pair)
    (loaded,) = rt.saved_model.load(tmp_path).signatures.values()
    assert list(rt.saved_model.load(tmp_path).signatures) == ["serving_default"]
    found = loaded(a=rt.constant([1.0, 2.0]), b=rt.constant(3))
    assert {key: value.numpy().tolist() for key, value in found.items()} == {
        "output_0": [3.0, 6.0],
        "output_1": [3.0, 4.0],
    }
    assert [*loaded.structured_input_signature[1]] == ["a", "b"]
    assert loaded.structured_outputs["output_0"] == rt.TensorSpec([None], rt.float32, "output_0")
    for call in (lambda: loaded(rt.constant([1.0]), rt.constant(1)), lambda: loaded(a=1.0)):
        with pytest.raises(TypeError):
            call()


def test_signatures_share_the_variables_of_the_model(tmp_path: Path) -> None:
    module = Served()
    whole = module.__call__.get_concrete_function(rt.TensorSpec([]))
    rt.saved_model.save(module, tmp_path, signatures={"one": module.named, "two": whole})
    assert rt.saved_model.contains_saved_model(tmp_path)
    loaded = rt.saved_model.load(tmp_path)
    loaded.by.assign(10.0)
    assert loaded.signatures["one"](rt.constant([1.0]))["sum"].numpy().tolist() == [11.0]
    with rt.GradientTape() as tape:
        y = loaded.signatures["two"](x=rt.constant(3.0))["output_0"]
    assert float(tape.gradient(y, loaded.by)) == 3.0
    two = loaded.signatures["two"]
    (found,) = two.variables
    assert found is loaded.by
    assert two.trainable_variables == (found,)
    assert str(two.graph).startswith("graph")


@pytest.mark.parametrize("signature", [3, Served().__call__])
def test_signatures_without_specs_are_refused(tmp_path: Path, signature: Any) -> None:
    with pytest.raises(ValueError, match="serving_default"):
        rt.saved_model.save(Served(), tmp_path, signatures=signature)


class Options(rt.Module):
    @rt.function
    def powers(self, x: Any, doubled: bool, n: int = 2, extra: Any = None) -> Any:
        power = x**n if extra is None else x**n + extra["by"]
        return power * 2 if doubled else power


def test_python_values_of_a_concrete_function_are_part_of_its_signature(tmp_path: Path) -> None:
    module, scalar = Options(), rt.TensorSpec([])
    signatures = {
        "square": module.powers.get_concrete_function(scalar, False),
        "doubled_cube": module.powers.get_concrete_function(scalar, doubled=True, n=3),
        "shifted": module.powers.get_concrete_function(scalar, False, extra={"by": scalar}),
    }
    rt.saved_model.save(module, tmp_path, signatures=signatures)
    loaded = rt.saved_model.load(tmp_path).signatures
    x = rt.constant(3.0)
    assert float(loaded["square"](x=x)["output_0"]) == 9.0
    assert float(loaded["doubled_cube"](x)["output_0"]) == 54.0
    assert float(loaded["shifted"](x=x, extra_by=rt.constant(0.5))["output_0"]) == 9.5


def test_an_object_among_the_arguments_of_a_signature_is_refused(tmp_path: Path) -> None:
    concrete = Options().powers.get_concrete_function(rt.TensorSpec([]), False, 2, {"by": {1}})
    with pytest.raises(ValueError, match=r"serving_default.*no tensors"):
        rt.saved_model.save(Options(), tmp_path, signatures=concrete)


def test_the_one_function_with_an_input_signature_is_served(tmp_path: Path) -> None:
    module = rt.Module()
    module.free = rt.function(lambda x: x)
    module.silent = rt.function(lambda x: None, input_signature=[rt.TensorSpec([])])
    module.twice = rt.function(lambda x: x * 2.0, input_signature=[rt.TensorSpec([])])
    rt.saved_model.save(module, tmp_path)
    (served,) = rt.saved_model.load(tmp_path).signatures.items()
    assert served[0] == rt.saved_model.DEFAULT_SERVING_SIGNATURE_DEF_KEY == "serving_default"
    assert float(served[1](x=rt.constant(3.0))["output_0"]) == 6.0
    module.half = rt.function(lambda x: x / 2.0, input_signature=[rt.TensorSpec([])])
    rt.saved_model.save(module, tmp_path)
    assert dict(rt.saved_model.load(tmp_path).signatures) == {}


class WithoutSuper(rt.Module):
    def __init__(self) -> None:
        self.w = rt.Variable(2.0)

    @rt.function(input_signature=[rt.TensorSpec([None])])
    def scaled(self, x: Any) -> Any:
        return x * self.w


def test_a_module_that_does_not_call_the_init_of_its_base_is_saved(tmp_path: Path) -> None:
    module = WithoutSuper()
    assert module.name == "without_super"
    rt.saved_model.save(module, str(tmp_path))
    restored = rt.saved_model.load(str(tmp_path))
    assert restored.scaled(rt.constant([1.0, 2.0])).numpy().tolist() == [2.0, 4.0]


def test_a_concrete_function_is_an_attribute_as_others_are(tmp_path: Path) -> None:
    module, weight = rt.Module(), rt.Variable(2.0)
    traced = rt.function(lambda x, y, more=1: (x * weight + y, {"more": x + more}))
    spec = rt.TensorSpec([], name="x")
    concrete = traced.get_concrete_function(spec, rt.TensorSpec([], name="y"), more=3)
    module.weight, module.parts = weight, {"f": concrete}
    rt.saved_model.save(module, tmp_path / "once")
    module.parts = rt.saved_model.load(tmp_path / "once").parts
    rt.saved_model.save(module, tmp_path / "again")
    made = rt.saved_model.load(tmp_path / "again").parts["f"]
    assert made.structured_input_signature == concrete.structured_input_signature
    for got in (made(rt.constant(3.0), rt.constant(1.0)), made(y=rt.constant(1.0), x=3.0)):
        assert (float(got[0]), float(got[1]["more"])) == (7.0, 6.0)


def test_a_concrete_function_that_changes_objects_is_refused(tmp_path: Path) -> None:
    module, held = rt.Module(), [rt.constant(1.0)]

    @rt.function
    def adds(x: Any) -> Any:
        held[0] = held[0] + x
        return x

    module.f = adds.get_concrete_function(rt.constant(1.0))
    with pytest.raises(autograph.StagingError, match="changes objects from before its calls"):
        rt.saved_model.save(module, tmp_path)
