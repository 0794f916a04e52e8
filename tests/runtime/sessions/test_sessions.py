"""Version 1's way: what sessions compute is what NumPy computes, and only what was asked for."""

import copy
import os
import pickle
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autograph
import runtime as rt
from runtime import errors

v1 = rt.compat.v1


@pytest.fixture
def graph() -> Iterator[Any]:
    with rt.Graph().as_default() as made:
        yield made


@pytest.fixture
def session(graph: Any) -> Iterator[Any]:
    with v1.Session() as made:
        yield made


def test_feeds_and_fetches(session: Any) -> None:
    x = v1.placeholder(rt.float32, [None, 2], name="x")
    y = rt.reduce_sum(x, axis=1) * 2.0
    value = np.array([[1.0, 2.0], [3.0, 4.0]], "float32")
    assert session.run(y, {x: value}).tolist() == [6.0, 14.0]
    assert session.run("x:0", {"x:0": value}).tolist() == value.tolist()
    found = session.run({"a": [y, x], "b": (y[0], "x:0")}, feed_dict={x: value[:1]})
    assert found["a"][0].tolist() == [6.0]
    assert type(found["b"]) is tuple
    assert type(found["b"][0]) is np.float32
    assert session.run([]) == []


def test_any_tensor_can_be_fed(session: Any) -> None:
    x = v1.placeholder(rt.float32, [])
    middle = x * 10.0
    assert session.run(middle + 1.0, {middle: 3.0}) == 4.0


def test_a_placeholder_may_have_a_default(session: Any) -> None:
    x = v1.placeholder_with_default([1, 2], [None])
    assert session.run(x + 1).tolist() == [2, 3]
    assert (x + 1).eval({x: [5, 6]}).tolist() == [6, 7]


def test_only_what_is_fetched_runs(session: Any, capfd: Any) -> None:
    loud = rt.print("loud")
    with rt.control_dependencies([loud]):
        after = rt.constant(1) + 1
    assert session.run(rt.constant(1)) == 1
    assert capfd.readouterr().err == ""
    assert session.run(after) == 2
    assert capfd.readouterr().err == "loud\n"
    assert session.run(loud) is None
    assert capfd.readouterr().err == "loud\n"
    bad = rt.linalg.inv(rt.zeros([2, 2]))
    assert session.run(after) == 2
    with pytest.raises(errors.InvalidArgumentError):
        session.run(bad)


def test_variables_have_a_state_in_each_session(graph: Any) -> None:
    v = v1.get_variable("v", initializer=[1.0, 2.0])
    w = rt.Variable(10.0)
    add = v1.assign_add(v, [1.0, 1.0])
    init = v1.global_variables_initializer()
    with v1.Session() as one, v1.Session() as two:
        for s in (one, two):
            with pytest.raises(errors.FailedPreconditionError, match="'v:0' is uninitialized"):
                s.run(v)
            assert s.run(init) is None
        for _ in range(3):
            one.run(add)
        assert one.run(v).tolist() == [4.0, 5.0]
        assert two.run([v, w])[0].tolist() == [1.0, 2.0]
        assert w.eval(one) == 10.0
        w.load(3.0, two)
        assert (one.run(w), two.run(w)) == (10.0, 3.0)


def test_variables_of_eager_code_keep_their_value() -> None:
    outside = rt.Variable(2.0)
    with rt.Graph().as_default(), v1.Session() as s:
        change = rt.identity(outside * 3.0)
        assert s.run(change) == 6.0
    outside.assign(5.0)
    assert float(outside) == 5.0


def test_reads_are_where_the_program_has_them(session: Any) -> None:
    v = v1.get_variable("v", initializer=1.0)
    before = v + 0.0
    add = v.assign_add(2.0)
    with rt.control_dependencies([add]):
        after = v.read_value()
    session.run(v.initializer)
    assert session.run([before, after]) == [1.0, 3.0]
    assert session.run(before) == 3.0
    group = rt.group(add, v1.assign_sub(v, 1.0))
    assert session.run(group) is None
    assert session.run(v) == 4.0


def test_control_dependencies_are_left_by_none(graph: Any) -> None:
    # What TensorFlow 2.21 lists for these lines.
    a, b, c = [rt.constant(float(at), name=name) for at, name in enumerate("abc")]
    found = {}
    with rt.control_dependencies([a]), rt.control_dependencies([b]):
        found["x"] = rt.identity(c)
        with rt.control_dependencies(None):
            found["y"] = rt.identity(c)
            with rt.control_dependencies([b]):
                found["z"] = rt.identity(c)
        found["w"] = rt.identity(c)
    with rt.control_dependencies([a]):
        with rt.control_dependencies([a]):
            found["twice"] = rt.identity(c)
        found["of its own input"] = rt.identity(a)
    names = {key: [op.name for op in item.op.control_inputs] for key, item in found.items()}
    assert names == {
        **{"x": ["a", "b"], "y": [], "z": ["b"], "w": ["a", "b"]},
        **{"twice": ["a"], "of its own input": []},
    }


def test_what_leaves_control_dependencies_runs_alone(session: Any, capfd: Any) -> None:
    with rt.control_dependencies([rt.print("loud")]):
        after = rt.constant(1) + 1
        with rt.control_dependencies(None):
            alone = rt.constant(1) + 2
    assert session.run(alone) == 3
    assert capfd.readouterr().err == ""
    assert session.run(after) == 2
    assert capfd.readouterr().err == "loud\n"


def test_initial_values_may_depend_on_others(session: Any) -> None:
    a = v1.Variable(rt.random.normal([3]), name="a")
    b = v1.Variable(a.initialized_value() * 2.0)
    session.run(v1.global_variables_initializer())
    x, y = session.run([a, b])
    assert np.array_equal(y, 2 * x)


def test_a_variable_may_have_an_open_shape(session: Any) -> None:
    v = rt.Variable(np.zeros([1, 1]), shape=rt.TensorShape(None))
    row = rt.Variable([1.0], shape=[None])
    session.run(v1.global_variables_initializer())
    changed = [v.assign(np.ones([2, 2])), row.assign([1.0, 2.0])]
    assert [x.shape for x in session.run(changed)] == [(2, 2), (2,)]
    assert (v.shape.rank, row.shape.as_list()) == (None, [None])
    with pytest.raises(ValueError, match="not compatible"):
        rt.Variable([1.0], shape=[2])


def test_which_variables_have_a_value(session: Any) -> None:
    a, b = v1.Variable(1.0, name="a"), v1.Variable(2.0, name="b")
    names = v1.report_uninitialized_variables()
    assert session.run(names).tolist() == [b"a", b"b"]
    session.run(a.initializer)
    assert session.run(names).tolist() == [b"b"]
    assert session.run([v1.is_variable_initialized(v) for v in (a, b)]) == [True, False]


def test_control_flow_and_functions(session: Any) -> None:
    x = v1.placeholder(rt.int32, [])

    @rt.function
    def halvings(n: Any) -> Any:
        steps = 0
        while n > 1:
            n //= 2
            steps += 1
        return steps

    i, total = rt.while_loop(lambda i, t: i < x, lambda i, t: (i + 1, t + i), [0, 0])
    either = rt.cond(x > 3, lambda: x * 2, lambda: -x)
    called = halvings(x)
    assert session.run([i, total, either, called], {x: 5}) == [5, 10, 10, 2]
    assert session.run([total, either], {x: 2}) == [1, -2]


@pytest.mark.parametrize("take", [copy.deepcopy, pickle.dumps])
def test_a_variable_of_a_graph_is_not_copied(graph: Any, take: Callable[[Any], Any]) -> None:
    v = v1.get_variable("v", initializer=1.0)
    assert copy.copy(v) is v
    with pytest.raises(NotImplementedError, match=r"v:0 .* its value is in sessions"):
        take(v)


COUNTS: dict[str, Callable[[Any, Any], Any]] = {
    "cond": lambda x, then: v1.cond(x > 3, then, rt.no_op),
    "cond of groups": lambda x, then: v1.cond(x > 3, lambda: rt.group(then()), rt.group),
    "case": lambda x, then: v1.case([(x > 3, then)], rt.no_op),
}


@pytest.mark.parametrize("name", COUNTS)
def test_branches_may_be_operations(session: Any, name: str) -> None:
    x = v1.placeholder(rt.int32, [])
    count = v1.get_variable("count", initializer=0)
    chosen = COUNTS[name](x, lambda: count.assign_add(1).op)
    session.run(count.initializer)
    found = []
    for value in (5, 1, 9):
        session.run(chosen, {x: value})
        found.append(int(session.run(count)))
    assert found == [1, 1, 2]


def test_numbers_and_texts_of_branches_are_tensors(session: Any) -> None:
    x = v1.placeholder(rt.int32, [])
    chosen = v1.cond(x > 3, lambda: {"n": (1, "a")}, lambda: {"n": (2, "b")})
    third = v1.case([(x > 3, lambda: 1.5)], lambda: 2.5)
    assert third.shape == ()
    assert session.run([chosen, third], {x: 5}) == [{"n": (1, b"a")}, 1.5]
    assert session.run([chosen, third], {x: 1}) == [{"n": (2, b"b")}, 2.5]


def test_an_exclusive_case_is_checked_where_it_runs(session: Any) -> None:
    x = v1.placeholder(rt.int32, [])
    chosen = v1.case([(x > 1, lambda: 1), (x > 2, lambda: 2)], lambda: 3, exclusive=True)
    assert [session.run(chosen, {x: value}) for value in (0, 2)] == [3, 1]
    with pytest.raises(errors.InvalidArgumentError, match="more than one condition holds"):
        session.run(chosen, {x: 3})
    none = v1.case([(x > 1, lambda: 1)])
    with pytest.raises(errors.InvalidArgumentError, match="none of the conditions holds"):
        session.run(none, {x: 0})


def test_a_group_runs_what_is_in_structures(session: Any) -> None:
    v = v1.get_variable("v", initializer=1.0)
    both = rt.group([v.assign_add(1.0), {"k": v1.assign_add(v, 10.0)}], name="both")
    session.run(v.initializer)
    session.run("both")
    assert session.run(v) == 12.0
    assert both.name == "both"
    with pytest.raises(TypeError, match="3 is no tensor or operation"):
        rt.group(v, [3])


MATRIX = np.array([[1.0, -2.0], [3.0, 4.0]], "float32")
NAMED: dict[str, Callable[[Any], Any]] = {
    "one op": lambda x: rt.nn.softmax(x, name="out"),
    "two ops": lambda x: v1.nn.xw_plus_b(x, x, [1.0, 2.0], name="out"),
    "norm": lambda x: rt.nn.l2_normalize(x, 1, name="out"),
    "selu": lambda x: rt.nn.selu(x, name="out"),
    "loss": lambda x: rt.nn.softmax_cross_entropy_with_logits([[0.0, 1.0]] * 2, x, name="out"),
    "cond": lambda x: rt.cond(x[0, 0] > 0, lambda: x * 2.0, lambda: x, name="out"),
    "loop": lambda x: rt.while_loop(lambda y: y[0, 0] < 9, lambda y: y * 2.0, [x], name="out")[0],
}


@pytest.mark.parametrize("name", NAMED)
def test_a_name_is_that_of_the_result(session: Any, name: str) -> None:
    x = v1.placeholder(rt.float32, [2, 2])
    made = NAMED[name](x)
    first, second = session.run([made, "out:0"], {x: MATRIX})
    assert made.name == "out:0"
    assert first.tolist() == second.tolist()


def test_training_is_run_by_its_name(session: Any) -> None:
    v = v1.get_variable("v", initializer=3.0)
    named = v1.train.GradientDescentOptimizer(0.25).minimize(v * v, name="train")
    other = v1.train.MomentumOptimizer(0.25, 0.5).minimize(v * v)
    assert (named.name, other.name) == ("train", "Momentum")
    assert v1.global_variables_initializer().name == "init"
    session.run("init")
    session.run("train")
    assert session.run(v) == 1.5


def test_the_article(capfd: Any) -> None:
    """The graph that stands for a traced function, from the source documents."""
    g = rt.Graph()
    with g.as_default():
        a = v1.placeholder(shape=[], dtype=rt.string)
        b = v1.placeholder(shape=[], dtype=rt.string)

        def body(i: Any) -> Any:
            rt.print(i)
            return (i + 1,)

        loop = rt.while_loop(lambda i: i < rt.constant(3), body, loop_vars=[0])
        with rt.control_dependencies(loop):
            c = rt.strings.join([a, b])
    with v1.Session(graph=g) as sess:
        assert sess.run(c, feed_dict={a: rt.constant("hello"), b: "world"}) == b"helloworld"
    assert capfd.readouterr().err == "0\n1\n2\n"


def test_names_and_operations(graph: Any) -> None:
    with rt.name_scope("outer"):
        x = v1.placeholder(rt.float32, [2], name="x")
        rt.add(x, 1.0, name="sum")
    assert [op.name for op in graph.get_operations()] == [
        "outer/x",
        "outer/sum/constant",
        "outer/sum",
    ]
    assert graph.get_tensor_by_name("outer/sum:0").dtype is rt.float32
    with v1.Session() as s:
        assert s.run("outer/sum:0", {"outer/x:0": [1.0, 2.0]}).tolist() == [2.0, 3.0]
        assert s.run(graph.get_operation_by_name("outer/sum"), {x: [1.0, 2.0]}) is None


def test_scopes_share_variables(graph: Any) -> None:
    with v1.variable_scope("a", initializer=v1.ones_initializer()):
        v = v1.get_variable("v", [2])
        with v1.variable_scope("b"):
            inner = v1.get_variable("v", [2])
    assert (v.name, inner.name) == ("a/v:0", "a/b/v:0")
    with v1.variable_scope("a", reuse=True) as scope:
        assert v1.get_variable("v", [2]) is v
    with v1.variable_scope("a", reuse=v1.AUTO_REUSE):
        assert v1.get_variable("v") is v
        assert v1.get_variable("new", [1]).name == "a/new:0"
    with v1.variable_scope(scope):
        assert v1.get_variable("v") is v
    assert [x.name for x in v1.global_variables("a/b")] == ["a/b/v:0"]


BAD: list[tuple[Callable[[Any], Any], type[Exception], str]] = [
    (lambda s: s.run(None), TypeError, "Cannot be None"),
    (lambda s: s.run(3), TypeError, "must be a string or Tensor"),
    (lambda s: s.run("nope:0"), ValueError, "cannot be interpreted as a Tensor"),
    (lambda s: s.run(rt.constant(1), {3: 1}), TypeError, "Cannot interpret feed_dict key"),
    (lambda s: s.run(rt.constant(1), {"nope:0": 1}), TypeError, "feed_dict key .*'nope'"),
    (lambda s: s.run(rt.constant(1), {"nope": 1}), TypeError, "feed_dict key .* write 'nope:0'"),
    (lambda s: v1.get_variable("v"), ValueError, "must be fully defined"),
    (lambda s: v1.get_variable("v", [None]), ValueError, "must be fully defined"),
    (lambda s: v1.get_variable("v", [1], initializer=3.0), ValueError, "do not specify shape"),
    (lambda s: v1.Session(graph=3), TypeError, "must be a tf.Graph"),
    (lambda s: v1.train.Saver(), ValueError, "No variables to save"),
    (lambda s: rt.Graph().get_operation_by_name("x"), KeyError, "not in the graph"),
]


@pytest.mark.parametrize(("use", "kind", "said"), BAD)
def test_mistakes(
    use: Callable[[Any], Any], kind: type[Exception], said: str, session: Any
) -> None:
    with pytest.raises(kind, match=said):
        use(session)


def test_mistakes_with_feeds(session: Any) -> None:
    x = v1.placeholder(rt.float32, [2], name="x")
    with pytest.raises(errors.InvalidArgumentError, match=r"You must feed a value.*'x'"):
        session.run(x + 1.0)
    with pytest.raises(TypeError, match="cannot be a tf"):
        session.run(x, {x: x + 1.0})
    with pytest.raises(ValueError, match=r"shape \(3,\) for Tensor x:0, which has shape \(2,\)"):
        session.run(x, {x: [1.0, 2.0, 3.0]})


def test_mistakes_with_scopes(graph: Any) -> None:
    v1.get_variable("v", [1])
    with pytest.raises(ValueError, match="Variable v already exists"):
        v1.get_variable("v", [1])
    with (
        v1.variable_scope("d", reuse=True),
        pytest.raises(ValueError, match="d/w does not exist"),
    ):
        v1.get_variable("w", [1])
    with v1.variable_scope(v1.VariableScope("", True, None)):
        with pytest.raises(ValueError, match=r"specified shape \(2,\)"):
            v1.get_variable("v", [2])
        with pytest.raises(ValueError, match="specified dtype int32"):
            v1.get_variable("v", [1], rt.int32)


def test_graphs_do_not_mix(graph: Any) -> None:
    x = rt.constant(1.0)
    with rt.Graph().as_default():
        with pytest.raises(ValueError, match="must be from the same graph"):
            x + 1.0
        with v1.Session() as s, pytest.raises(ValueError, match="not an element of this graph"):
            s.run(x)


def test_eager_code_is_told_what_to_write() -> None:
    for use in (
        lambda: v1.placeholder(rt.float32),
        lambda: v1.get_variable("v", [1]),
    ):
        with pytest.raises(RuntimeError, match="disable_eager_execution"):
            use()


def test_eager_variables_have_their_values_already() -> None:
    v = rt.Variable(4.0)
    for initializer in (
        v1.global_variables_initializer, v1.local_variables_initializer,
        v1.initialize_all_variables, lambda: v1.variables_initializer([v]),
    ):  # fmt: skip
        assert initializer() is None
    assert float(v) == 4.0


def test_sessions_close(graph: Any) -> None:
    x = rt.constant(1)
    with v1.Session() as s:
        assert v1.get_default_session() is s
    with pytest.raises(RuntimeError, match="closed Session"):
        s.run(x)
    with pytest.raises(ValueError, match="No default session"):
        x.eval()
    interactive = v1.InteractiveSession()
    assert x.eval() == 1
    interactive.close()
    assert v1.get_default_session() is None


def test_a_finished_graph_is_not_changed(graph: Any) -> None:
    graph.finalize()
    with pytest.raises(RuntimeError, match="finalized"):
        rt.constant(1)


def test_without_eager_execution() -> None:
    v1.disable_eager_execution()
    try:
        x = rt.constant(2) * 3
        assert v1.Session().run(x) == 6
        v1.reset_default_graph()
        assert v1.get_default_graph().get_operations() == []
        assert not rt.executing_eagerly()
    finally:
        v1.enable_eager_execution()
    v1.reset_default_graph()
    assert int(rt.constant(2) * 3) == 6


def test_names_of_version_2_are_here() -> None:
    assert v1.matmul is rt.matmul
    assert v1.log is rt.math.log
    with pytest.raises(AttributeError):
        _ = v1.no_such_name


def test_saver(graph: Any, tmp_path: Path) -> None:
    v = v1.get_variable("v", initializer=[1.0, 2.0])
    n = v1.get_variable("n", initializer=b"text")
    add = v.assign_add([1.0, 1.0])
    saver = v1.train.Saver(max_to_keep=2)
    with v1.Session() as s:
        with pytest.raises(errors.FailedPreconditionError):
            saver.save(s, tmp_path / "m")
        assert os.listdir(tmp_path) == []
        s.run(v1.global_variables_initializer())
        for step in range(4):
            s.run(add)
            path = saver.save(s, tmp_path / "m", global_step=step)
    assert path == v1.train.latest_checkpoint(tmp_path) == str(tmp_path / "m-3")
    assert [os.path.basename(p) for p in saver.last_checkpoints] == ["m-2", "m-3"]
    with v1.Session() as s:
        saver.restore(s, tmp_path / "m-2")
        assert s.run(v).tolist() == [4.0, 5.0]
        assert s.run(n) == b"text"
        with pytest.raises(errors.NotFoundError, match="no checkpoint"):
            saver.restore(s, tmp_path / "nope")
    with rt.Graph().as_default(), v1.Session() as s:
        other = v1.get_variable("v", initializer=[1.0])
        with pytest.raises(ValueError, match=r"float32 \[2\] for v"):
            v1.train.Saver([other]).restore(s, path)
        missing = v1.get_variable("w", initializer=[1.0])
        with pytest.raises(errors.NotFoundError, match="has no 'w'"):
            v1.train.Saver([missing]).restore(s, path)


def test_initializers(session: Any) -> None:
    for make, check in [
        (v1.zeros_initializer(), lambda x: not x.any()),
        (v1.ones_initializer(rt.int32), lambda x: (x == 1).all() and x.dtype == np.int32),
        (v1.constant_initializer(3), lambda x: (x == 3).all()),
        (v1.random_uniform_initializer(2.0, 3.0), lambda x: (x >= 2).all() and (x < 3).all()),
        (v1.random_normal_initializer(5.0, 0.1), lambda x: abs(x.mean() - 5) < 0.1),
        (v1.truncated_normal_initializer(0.0, 1.0), lambda x: abs(x).max() <= 2),
        (v1.glorot_uniform_initializer(), lambda x: abs(x).max() <= np.sqrt(6 / 100)),
        (v1.initializers.identity(3.0), lambda x: (x == 3 * np.eye(50)).all()),
        (v1.orthogonal_initializer(), lambda x: np.allclose(x @ x.T, np.eye(50), atol=1e-5)),
    ]:
        value = make([50, 50])
        assert check(session.run(value)), make


@pytest.mark.parametrize(
    ("make", "variance", "most"),
    [
        (v1.variance_scaling_initializer(2.0), 2 / 120, np.inf),
        (v1.variance_scaling_initializer(mode="fan_out", distribution="normal"), 1 / 600, np.inf),
        (v1.variance_scaling_initializer(distribution="untruncated_normal"), 1 / 120, np.inf),
        (v1.variance_scaling_initializer(3.0, "fan_avg", "uniform"), 3 / 360, np.sqrt(9 / 360)),
        (v1.glorot_uniform_initializer(), 1 / 360, np.sqrt(6 / 720)),
        (v1.glorot_normal_initializer(), 1 / 360, 2 / np.sqrt(360) / 0.8796),
        (v1.uniform_unit_scaling_initializer(), 1 / 120, np.sqrt(3 / 120)),
        (v1.uniform_unit_scaling_initializer(2.0), 4 / 120, 2 * np.sqrt(3 / 120)),
        (v1.initializers.he_normal(), 2 / 120, 2 * np.sqrt(2 / 120) / 0.8796),
        (v1.initializers.he_uniform(), 2 / 120, np.sqrt(6 / 120)),
        (v1.initializers.lecun_normal(), 1 / 120, 2 / np.sqrt(120) / 0.8796),
        (v1.initializers.lecun_uniform(), 1 / 120, np.sqrt(3 / 120)),
    ],
)
def test_variance_scaling(session: Any, make: Any, variance: float, most: float) -> None:
    # A kernel of 2 * 3 places takes 6 * 20 inputs to an output, and an input to 6 * 100 outputs.
    x = session.run(make([2, 3, 20, 100]))
    assert abs(np.var(x) / variance - 1) < 0.07
    assert abs(np.mean(x)) < 5 * np.sqrt(variance / x.size)
    assert abs(x).max() <= most
    near = bool(abs(x).max() <= 2 * np.sqrt(variance) / 0.8796)
    assert near == (getattr(make, "distribution", "") != "untruncated_normal")


def test_refused_initializers() -> None:
    for arguments in ({"scale": 0.0}, {"mode": "fans"}, {"distribution": "even"}):
        with pytest.raises(ValueError, match=f"`{next(iter(arguments))}` must be"):
            v1.variance_scaling_initializer(**arguments)
    exact = v1.constant_initializer([1, 2, 3, 4], verify_shape=True)
    assert exact([4]).numpy().tolist() == [1, 2, 3, 4]
    with pytest.raises(TypeError, match="verify_shape"):
        exact([2, 2])


@pytest.mark.parametrize(
    "name",
    ["uniform_unit_scaling", "truncated_normal", "random_normal", "orthogonal", "variance_scaling"],
)
def test_initializers_of_floats_alone(name: str) -> None:
    with pytest.raises(ValueError, match="makes floats"):
        getattr(v1.initializers, name)(dtype=rt.int32)


@pytest.mark.parametrize("shape", [(6, 2), (2, 6), (3, 2, 4), (2, 2, 2)])
def test_orthogonal_columns_or_rows(session: Any, shape: tuple[int, ...]) -> None:
    made = session.run(v1.orthogonal_initializer(2.0)(shape)).reshape(-1, shape[-1])
    few = made if len(made) <= shape[-1] else made.T
    np.testing.assert_allclose(few @ few.T, 4 * np.eye(len(few)), atol=1e-5)
    with pytest.raises(ValueError, match="two axes or more"):
        v1.orthogonal_initializer()([5])
    for other in ([5, 7, 7], [5], []):
        with pytest.raises(ValueError, match="has two axes"):
            v1.initializers.identity()(other)


def test_count_up_to(session: Any) -> None:
    """As `next` of a range, with TensorFlow's error where that ends."""
    v = v1.get_variable("v", initializer=1)
    count = v.count_up_to(4)
    session.run(v1.global_variables_initializer())
    assert [int(session.run(count)) for _ in range(3)] == [1, 2, 3]
    with pytest.raises(errors.OutOfRangeError, match="Reached limit of 4"):
        session.run(count)
    assert session.run(v) == 4
    with rt.init_scope():
        eager = rt.Variable(np.int64(7))
        assert int(v1.count_up_to(eager, 9)) == 7
        counted = rt.function(lambda: eager.count_up_to(9))
        assert (int(counted()), int(eager)) == (8, 9)
        with pytest.raises(errors.OutOfRangeError, match="Reached limit of 9"):
            counted()
        with pytest.raises(TypeError, match="int32"):
            rt.Variable(1.0).count_up_to(3)


def test_bfloat16_is_fed(session: Any) -> None:
    ml_dtypes = pytest.importorskip("ml_dtypes")
    x = v1.placeholder(rt.bfloat16, [None])
    made = session.run(x + x, {x: np.array([1.5, 2.25], ml_dtypes.bfloat16)})
    assert made.dtype == ml_dtypes.bfloat16
    assert made.astype(float).tolist() == [3.0, 4.5]


def test_names_of_functions_with_older_arguments() -> None:
    with rt.Graph().as_default():
        x = rt.constant([[1.0, 2.0]])
        assert v1.nn.softmax(x, name="s").op.name == "s"
        assert v1.nn.softmax(x, -1, "t").op.name == "t"
        assert v1.reduce_sum(x, name="total").op.name == "total"
        assert v1.transpose(x, [1, 0], "turned").op.name == "turned"


def test_weighted_cross_entropy_of_targets() -> None:
    loss = v1.nn.weighted_cross_entropy_with_logits(targets=[1.0], logits=[0.0], pos_weight=2.0)
    np.testing.assert_allclose(loss, [2 * np.log(2)], 1e-6)


def test_questions_about_elements() -> None:
    data = rt.data.Dataset.from_tensor_slices({"x": [1.0, 2.0], "y": [[1], [2]]}).batch(2)
    for asked in (data, iter(data)):
        assert v1.data.get_output_types(asked) == {"x": rt.float32, "y": rt.int32}
        assert v1.data.get_output_classes(asked) == {"x": rt.Tensor, "y": rt.Tensor}
        shapes = v1.data.get_output_shapes(asked)
        assert {name: shape.as_list() for name, shape in shapes.items()} == {
            "x": [None],
            "y": [None, 1],
        }
    with pytest.raises(TypeError, match=r"get_output_types: DatasetSpec.* ask element_spec"):
        v1.data.get_output_types(rt.data.Dataset.range(3).window(2))


def test_threads_run_one_session(graph: Any) -> None:
    v = v1.get_variable("v", initializer=0)
    add = v.assign_add(1)
    s = v1.Session()
    s.run(v.initializer)
    threads = [threading.Thread(target=lambda: [s.run(add) for _ in range(50)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert s.run(v) == 200


def test_operations_run(session: Any) -> None:
    v = v1.get_variable("layer/v", initializer=1.0)
    change = v.assign_add(2.0)
    session.run(v.initializer)
    change.op.run()
    session.graph.get_operation_by_name(change.op.name).run()
    assert (v.op.name, session.run(v)) == ("layer/v", 5.0)
    assert change.op == change.op
    assert change.graph is session.graph is change.op.graph
    assert change.op.outputs[0].name == change.name


def test_assertions_are_operations(session: Any) -> None:
    x = v1.placeholder(rt.float32, None)
    checks = [rt.debugging.Assert(x > 0, [x]), rt.debugging.assert_less(x, 5.0)]
    checks += [rt.debugging.assert_positive(x), rt.debugging.assert_rank(x, 0)]
    for check in checks:
        session.run(check, {x: 1.0})
    with rt.control_dependencies(checks):
        y = x * 2.0
    assert session.run(y, {x: 2.0}) == 4.0
    for bad in (-1.0, 6.0, [1.0]):
        with pytest.raises(errors.InvalidArgumentError):
            session.run(y, {x: bad})


def test_default_names_of_scopes_are_new_ones(graph: Any) -> None:
    def layer() -> str:
        with v1.variable_scope(None, default_name="dense"):
            return str(v1.get_variable("w", [1]).name)

    assert [layer(), layer()] == ["dense/w:0", "dense_1/w:0"]
    with v1.variable_scope("net"):
        assert [layer(), layer()] == ["net/dense/w:0", "net/dense_1/w:0"]
    with v1.variable_scope("net", reuse=True):
        assert layer() == "net/dense/w:0"


def test_ops_of_a_scope_are_in_the_name_scope_around_it(graph: Any) -> None:
    """Names from TensorFlow 2.21."""

    def names() -> tuple[str, str]:
        return v1.get_variable("v", [1]).name, v1.placeholder(rt.float32, name="p").name

    with v1.name_scope("ns"):
        with v1.variable_scope("a") as scope:
            assert names() == ("a/v:0", "ns/a/p:0")
        with v1.variable_scope(""):
            assert names() == ("v:0", "ns/p:0")
        with v1.variable_scope(scope, reuse=True):
            assert names()[0] == "a/v:0"
    with v1.variable_scope("x"), v1.variable_scope(""):
        assert names() == ("x//v:0", "x/p:0")


def test_a_name_scope_that_is_entered_again_has_a_number(graph: Any) -> None:
    """Names from TensorFlow 2.21."""

    def entered(name: str | None, *default: str) -> str:
        with v1.name_scope(name, *default) as scope:
            return scope + v1.placeholder(rt.float32, name="p").name

    assert [entered("a"), entered("a"), entered("a/")] == ["a/a/p:0", "a_1/a_1/p:0", "a/a/p_1:0"]
    v1.placeholder(rt.float32, name="b")
    assert [entered("b"), entered("a/c"), entered("a/c")] == [
        "b_1/b_1/p:0", "a/c/a/c/p:0", "a/c_1/a/c_1/p:0",
    ]  # fmt: skip
    scope = rt.name_scope("a")
    for expected in ("a_2/", "a_3/"):
        with scope as name:
            assert name == expected
    assert entered(None, "a") == "a_4/a_4/p:0"
    assert graph.unique_name("a") == "a_5"


def test_ops_of_a_variable_scope_that_is_entered_again_have_a_number(graph: Any) -> None:
    """Names from TensorFlow 2.21."""

    def entered(name: Any, *default: str, **how: Any) -> tuple[str, ...]:
        reuse = None if name is None else v1.AUTO_REUSE
        with v1.variable_scope(name, *default, reuse=reuse, **how) as scope:
            names = v1.get_variable("v", [1]).name, v1.placeholder(rt.float32, name="p").name
            return *names, scope.original_name_scope

    assert entered("a") == ("a/v:0", "a/p:0", "a/")
    assert entered("a") == ("a/v:0", "a_1/p:0", "a_1/")
    assert entered("a", auxiliary_name_scope=False) == ("a/v:0", "p:0", "")
    with v1.variable_scope("a") as around:
        assert entered("b") == ("a/b/v:0", "a_2/b/p:0", "a_2/b/")
        assert entered("b") == ("a/b/v:0", "a_2/b_1/p:0", "a_2/b_1/")
    assert entered(around) == ("a/v:0", "a_3/p:0", "a_2/")
    with pytest.raises(ValueError, match="reuse=True cannot be used without a name_or_scope"):
        v1.variable_scope(None, "a", reuse=True).__enter__()
    assert entered(None, "a") == ("a_1/v:0", "a_4/p:0", "a_4/")


def test_a_name_scope_of_a_function_has_a_number() -> None:
    @rt.function
    def twice(x):
        for _ in range(2):
            with rt.name_scope("a"):
                x = rt.add(x, 1.0, name="sum")
        return x

    with rt.name_scope("around"):
        graph = twice.get_concrete_function(rt.TensorSpec([], rt.float32)).graph
    names = [op.name for op in graph.get_operations()]
    assert [name for name in names if name.endswith("sum")] == ["a/sum", "a_1/sum"]


def test_an_empty_name_of_a_scope_is_a_name(graph: Any) -> None:
    v = v1.get_variable("v", [1])
    with v1.variable_scope("", default_name="d", reuse=True) as scope:
        assert v1.get_variable("v", [1]) is v
    assert scope.name == ""
    with (
        pytest.raises(TypeError, match="name_or_scope is required"),
        v1.variable_scope(None),
    ):
        pass


def test_a_scope_that_is_entered_again_has_its_own_reuse(graph: Any) -> None:
    with v1.variable_scope("a") as scope:
        pass
    with v1.variable_scope("b", reuse=True), v1.variable_scope(scope):
        assert v1.get_variable("v", [1]).name == "a/v:0"
    scope.reuse_variables()
    with v1.variable_scope(scope, reuse=False):
        assert v1.get_variable("v", [1]).name == "a/v:0"


def test_what_version_1_means_by_the_same_arguments(session: Any) -> None:
    """Values from TensorFlow 2.21's `compat.v1`."""
    rows = [[1, 2], [3, 4]], [[5, 6], [7, 8]]
    assert session.run(v1.where([True, False], *rows)).tolist() == [[1, 2], [7, 8]]
    assert session.run(v1.where([[True, False], [False, True]], *rows)).tolist() == [[1, 6], [7, 4]]
    assert session.run([v1.div(7, 2), v1.div(-7, 2), v1.div(7.0, 2.0)]) == [3, -4, 3.5]
    assert session.run(v1.nn.in_top_k([[0.1, 0.9]], [1], 1)).tolist() == [True]
    assert session.run(v1.random.poisson([0.0, 0.0], [3])).shape == (3, 2)
    kept = session.run(v1.nn.dropout(rt.ones([1000]), 0.75, seed=1))
    assert 700 < np.count_nonzero(kept) < 800
    assert session.run(v1.nn.dropout(rt.ones([2]), rate=0.0)).tolist() == [1.0, 1.0]
    with pytest.raises(ValueError, match="one of both"):
        v1.nn.dropout(rt.ones([2]))


def test_older_names_of_arguments(session: Any) -> None:
    x = rt.constant([[1.0, 2.0], [3.0, 4.0]])
    total = v1.reduce_sum(x, reduction_indices=[1], keep_dims=True)
    assert session.run(total).tolist() == [[3.0], [7.0]]
    assert session.run(v1.argmax(x, dimension=1)).tolist() == [1, 1]
    assert session.run(v1.squeeze(total, squeeze_dims=[1])).tolist() == [3.0, 7.0]
    assert session.run(v1.expand_dims(x, dim=0)).shape == (1, 2, 2)
    assert session.run(v1.nn.softmax(x, dim=0)).shape == (2, 2)
    with pytest.raises(ValueError, match="both 'keep_dims' and 'keepdims'"):
        v1.math.reduce_max(x, keep_dims=True, keepdims=True)


def test_what_would_mean_something_else_is_not_there() -> None:
    for refused in (lambda: v1.image.resize, lambda: v1.strings.split, lambda: v1.summary.scalar):
        with pytest.raises(AttributeError, match=r"compat\.v1\.\w+\.\w+ is not here"):
            refused()
    assert "resize" not in dir(v1.image)
    assert v1.nn.relu is rt.nn.relu


def test_scripts_of_version_1_begin_with_settings(capfd: Any) -> None:
    """The first lines of many a script; then `Print` and names that version 2 has elsewhere."""
    v1.disable_v2_behavior()
    try:
        v1.reset_default_graph()
        assert not rt.executing_eagerly()
        x = v1.placeholder(rt.float32, [2, 2])
        loud = v1.Print(v1.matrix_inverse(x), [x, v1.trace(x)], "given: ")
        config = v1.ConfigProto(gpu_options=v1.GPUOptions(allow_growth=True))
        with v1.Session(config=config) as session:
            found = session.run(loud, {x: [[2.0, 0.0], [0.0, 4.0]]})
    finally:
        v1.enable_v2_behavior()
    assert rt.executing_eagerly()
    assert found.tolist() == [[0.5, 0.0], [0.0, 0.25]]
    assert capfd.readouterr().err == "given:  [[2 0]\n [0 4]] 6\n"
    with pytest.raises(ValueError, match=r"first_n=2 .* tf\.print"):
        v1.Print(1, [], first_n=2)
    with pytest.raises(TypeError, match="allow_growth"):
        v1.ConfigProto(allow_growth=True)


def test_moved_names_are_there_and_have_no_second_home() -> None:
    from runtime.compat.v1.moved import MOVED

    for name in MOVED:
        assert callable(getattr(v1, name)), name
        assert not hasattr(rt, name), f"rt.{name} is found without the table"


def test_a_name_that_is_not_here_is_told_with_its_own_module() -> None:
    with pytest.raises(AttributeError, match=r"'runtime\.compat\.v1' .* 'scatter_updat'"):
        _ = v1.scatter_updat
    with pytest.raises(AttributeError, match="sparse tensors are not supported"):
        _ = v1.SparseTensor


def test_slices_are_fetched_and_fed_by_their_parts() -> None:
    with rt.Graph().as_default(), v1.Session() as session:
        table = v1.get_variable("table", initializer=np.ones([4, 2], np.float32))
        loss = rt.reduce_sum(rt.gather(table, [1, 3]) * 3.0)
        (slices,) = rt.gradients(loss, table)
        doubled = rt.convert_to_tensor(slices) * 2.0
        session.run(table.initializer)
        found, value = session.run([slices, loss])
        assert value == 12.0
        assert found.values.tolist() == [[3.0, 3.0]] * 2
        assert (found.indices.tolist(), found.dense_shape.tolist()) == ([1, 3], [4, 2])
        assert session.run(doubled, {slices: found}).tolist() == session.run(doubled).tolist()
        other = found._replace(values=found.values * 0)
        assert not session.run(doubled, {slices: other}).any()
        bare = rt.IndexedSlices(rt.constant([1.0]), rt.constant([2]))
        assert session.run(bare).dense_shape is None
        pairs = v1.train.GradientDescentOptimizer(0.1).compute_gradients(loss)
        assert session.run(pairs)[0][0].indices.tolist() == [1, 3]


def test_a_callable_feeds_by_place() -> None:
    with rt.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(rt.float32, [2])
        v = v1.get_variable("v", initializer=1.0)
        initialize = session.make_callable(v.initializer)
        assert initialize() is None
        run = session.make_callable({"y": x * 2.0 + v, "v": v}, [x, v])
        found = run([1.0, 2.0], 3.0)
        assert (found["y"].tolist(), found["v"]) == ([3.0, 5.0], 3.0)
        assert session.run(v) == 1.0
        with pytest.raises(TypeError, match="2 values are fed, got 1"):
            run([1.0, 2.0])
        with pytest.raises(ValueError, match="Cannot feed value of shape"):
            run([1.0], 3.0)
        with pytest.raises(TypeError, match="Argument `fetch`"):
            session.make_callable(3)
        session.close()
        with pytest.raises(RuntimeError, match="closed Session"):
            run([1.0, 2.0], 3.0)


def test_blocks_of_a_graph() -> None:
    graph = rt.Graph()
    with pytest.raises(ValueError, match="opened inside of"):
        graph.name_scope("outer")
    with graph.as_default(), v1.Session() as session:
        v = v1.get_variable("v", initializer=1.0)
        session.run(v.initializer)
        with graph.name_scope("outer"), graph.device("/cpu:0"), graph.colocate_with(v.op):
            with graph.control_dependencies([v.assign(5.0)]):
                after = rt.identity(v.read_value(), name="after")
            assert graph.get_name_scope() == "outer"
            assert graph.unique_name("after", mark_as_used=False) == "outer/after_1"
            assert graph.unique_name("after") == "outer/after_1"
        assert after.name == "outer/after:0"
        assert session.run(after) == 5.0


def test_collections_of_a_graph() -> None:
    with rt.Graph().as_default() as graph:
        graph.add_to_collections(["a", "b", "a"], 1)
        v1.get_collection_ref("b").append(2)
        assert (graph.get_collection("a"), v1.get_collection("b")) == ([1], [1, 2])
        assert sorted(graph.get_all_collection_keys()) == ["a", "b"]
        graph.clear_collection("b")
        assert graph.get_collection("b") == []
        assert graph.collections == ["a"]
        layers = [v1.get_variable(f"layer{n}/w", initializer=0.0) for n in range(4)]
        assert v1.trainable_variables("layer[12]") == layers[1:3]
        assert v1.trainable_variables("layer") == layers


def test_variables_of_a_graph_are_keys() -> None:
    with rt.Graph().as_default(), v1.Session() as session:
        v, w = (v1.get_variable(name, initializer=1.0) for name in "vw")
        assert v == v
        assert v != w
        assert w not in [v]
        assert {v: 1, w: 2}[w] == 2
        assert [x for x in v1.global_variables() if x not in {w}] == [v]
        session.run(v.initializer)
        assert session.run(v, {v: 3.0}) == 3.0


def test_an_iterator_from_before_the_graph_gives_each_run_the_next_element() -> None:
    items = iter(rt.data.Dataset.range(3))
    with rt.Graph().as_default(), v1.Session() as session:
        item = items.get_next()
        assert [session.run([item, item * 2]) for _ in range(3)] == [[0, 0], [1, 2], [2, 4]]
        with pytest.raises(rt.errors.OutOfRangeError):
            session.run(item)
        with pytest.raises(autograph.StagingError, match=r"iter\(dataset\) before the graph"):
            v1.data.make_one_shot_iterator(rt.data.Dataset.range(3))
    with pytest.raises(AttributeError, match=r"iter\(dataset\) before the graph"):
        v1.data.make_initializable_iterator  # noqa: B018
