"""`cond`, `case`, `switch_case`, `while_loop`: eagerly and in a graph, with one outcome."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import autograph
import runtime as rt
from runtime import errors
from runtime.functions.function import function

X = rt.constant(3.0)


def conditional(x: Any) -> Any:
    return rt.cond(x > 1, lambda: x * 2, lambda: x)


def cases(x: Any) -> Any:
    return rt.case([(x > 5, lambda: x * 2), (x > 2, lambda: x * 3)], default=lambda: x)


def cases_without_default(x: Any) -> Any:
    return rt.case([(x > 5, lambda: x * 2)])


def exclusive_cases(x: Any) -> Any:
    return (
        rt.case({x.ref(): None})
        if False
        else rt.case(
            [(x > 1, lambda: x), (x > 2, lambda: x * 3)], exclusive=True, default=lambda: x
        )
    )


def switch(x: Any) -> Any:
    index = rt.cast(x, rt.int32)
    return rt.switch_case(index, [lambda: 1.0, lambda: 2.0, lambda: 3.0], default=lambda: 9.0)


def loop(x: Any) -> Any:
    return rt.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, v * 2), [0, x])


def limited_loop(x: Any) -> Any:
    return rt.while_loop(lambda v: True, lambda v: v * 2, [x], maximum_iterations=4)


def dict_loop(x: Any) -> Any:
    return rt.while_loop(
        lambda s: s["i"] < 3, lambda s: {"i": s["i"] + 1, "v": s["v"] * 2}, {"i": 0, "v": x}
    )


def growing_loop(x: Any) -> Any:
    return rt.while_loop(
        lambda i, v: i < 2,
        lambda i, v: (i + 1, rt.concat([v, v], 0)),
        [0, rt.reshape(x, [1])],
        shape_invariants=[[], [None]],
    )[1]


def values(result: Any) -> Any:
    return [tensor.numpy().tolist() for tensor in rt.nest.flatten(result)]


PROGRAMS = [
    conditional, cases, cases_without_default, exclusive_cases, switch, loop, limited_loop,
    dict_loop, growing_loop,
]  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
@pytest.mark.parametrize("number", [0.0, 1.5, 3.0, 8.0])
@pytest.mark.parametrize("converted", [True, False])
def test_the_graph_does_what_happens_eagerly(program: Any, number: float, converted: bool) -> None:
    x = rt.constant(number)
    staged = function(program, autograph=converted)
    try:
        expected = rt.nest.map_structure(rt.convert_to_tensor, program(x))
    except errors.InvalidArgumentError as error:
        with pytest.raises(errors.InvalidArgumentError, match=re.escape(str(error))):
            staged(x)
        return
    got = staged(x)
    assert values(got) == values(expected)
    assert type(got) is type(expected) or isinstance(expected, rt.Tensor)


@pytest.mark.parametrize("choose", [
    lambda i, word: rt.cond(i > 0, lambda: word, lambda: "none"),
    lambda i, word: rt.cond(i > 0, lambda: b"some", lambda: word),
    lambda i, word: rt.cond(i > 0, lambda: f"v{i}", lambda: word),
    lambda i, word: rt.cond(i > 0, lambda: {"k": ("a", word)}, lambda: {"k": (word, "b")})["k"][1],
    lambda i, word: rt.switch_case(i, [lambda: "zero", lambda: word, lambda: "two"]),
    lambda i, word: rt.case([(i > 1, lambda: "two"), (i > 0, lambda: "one")], lambda: word),
])  # fmt: skip
def test_a_text_beside_a_tensor_of_texts_becomes_one(choose: Any) -> None:
    for i in range(3):
        i, word = rt.constant(i), rt.constant("word")
        expected = rt.convert_to_tensor(choose(i, word))
        assert rt.function(choose)(i, word).numpy() == expected.numpy()


def test_functions_given_to_cond_are_converted() -> None:
    def f(x):
        def nested():
            if x > 5:
                return x * 10
            return x * 2

        return rt.cond(x > 1, nested, lambda: x)

    staged = function(f)
    assert [float(staged(rt.constant(v))) for v in (0.0, 3.0, 8.0)] == [0.0, 6.0, 80.0]


def test_a_shape_that_outgrows_its_invariant() -> None:
    def f(x):
        return rt.while_loop(
            lambda v: rt.size(v) < 9,
            lambda v: rt.concat([v, v], 0),
            [rt.reshape(x, [1])],
            shape_invariants=[[1]],
        )

    with pytest.raises(ValueError, match=r"'v' has the shape invariant float32\[1\]"):
        function(f)(X)


def invariant(shape: Any) -> Any:
    body = lambda i, v: (i + 1, rt.concat([v, v], 0))  # noqa: E731
    return rt.while_loop(lambda i, v: i < 3, body, (0, rt.ones([1])), shape_invariants=([], shape))[
        1
    ]


@pytest.mark.parametrize(
    ("shape", "error", "message"),
    [
        ([1], ValueError, r"the shape invariant float32\[1\], but is float32\[\?\] after a round"),
        (
            [2],
            ValueError,
            r"'v' has shape \(1,\) before the loop, which does not fit its shape inv",
        ),
        (rt.TensorSpec([None], rt.int32), TypeError, r"shape_invariants has TensorSpec.*float32"),
        ([[None]], TypeError, r"shape_invariants has \[\[None\]\] for 'v', which is no shape"),
        ("a", TypeError, r"shape_invariants has 'a' for 'v', which is no shape"),
    ],
)
def test_shape_invariants_that_do_not_fit(shape: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        function(lambda: invariant(shape))()


@pytest.mark.parametrize("shape", [[None], None, rt.TensorShape([None]), rt.TensorSpec([None])])
def test_shape_invariants(shape: Any) -> None:
    kept = rt.TensorShape(None) if shape is None else shape
    staged = function(lambda: invariant(kept))
    assert staged().shape == invariant(kept).shape == [8]
    assert staged.get_concrete_function().structured_outputs.shape.rank == (shape and 1)


def test_a_shape_invariant_of_an_array() -> None:
    def program() -> Any:
        return rt.while_loop(
            lambda i, array: i < 3,
            lambda i, array: (i + 1, array.write(i, 2.0)),
            (0, rt.TensorArray(rt.float32, 3)),
            shape_invariants=(rt.TensorShape([]), rt.TensorShape(None)),
        )[1].stack()

    assert function(program)().numpy().tolist() == program().numpy().tolist() == [2.0] * 3


def test_python_numbers_stay_numbers_in_an_eager_loop() -> None:
    seen = []

    def body(i, total, held):
        seen.append([type(item) for item in (i, total, *held)])
        return i + 1, total + i, (held[0] * 2, held[1])

    i, total, held = rt.while_loop(lambda i, *_: i < 3, body, (0, 0.0, (True, rt.constant(1))))
    assert seen[0] == [int, float, bool, type(rt.constant(1))]
    assert [item.dtype.name for item in (i, total, *held)] == ["int32", "float32", "int32", "int32"]
    assert [item.numpy() for item in (i, total, *held)] == [3, 3.0, 8, 1]


def limited_to(most: Any) -> Any:
    return rt.while_loop(lambda v: v < 9, lambda v: v + 1, [X], maximum_iterations=most)


def parallel(count: Any) -> Any:
    return rt.while_loop(lambda v: v < 9, lambda v: v + 1, [X], parallel_iterations=count)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: chosen(None), TypeError, "pred must be a bool, not None"),
        (lambda: looped(None), TypeError, "what cond returns must be a bool, not None"),
        (lambda: rt.case([(1, len)]), TypeError, "a condition must be a bool, not 1"),
        (lambda: rt.case([(X, len)]), TypeError, "a condition must be a bool, not <tf.Tensor"),
        (lambda: rt.cond(True, 1, lambda: 2), TypeError, "true_fn must be callable"),
        (lambda: rt.cond(True, lambda: 2), TypeError, "false_fn must be callable"),
        (
            lambda: rt.cond(rt.constant([True, False]), len, len),
            ValueError,
            r"pred must be a scalar",
        ),
        (lambda: rt.case([]), ValueError, "pred_fn_pairs must have at least one"),
        (lambda: rt.case(3), TypeError, "pred_fn_pairs must be a list, tuple or dict, not 3"),
        (lambda: rt.case([3]), TypeError, "pred_fn_pairs must have pairs as entries, not 3"),
        (lambda: rt.case([(True, len, 1)]), TypeError, "must have pairs as entries"),
        (lambda: rt.case([(False, len)], 3), TypeError, "default must be callable, not 3"),
        (lambda: rt.switch_case("a", [len]), TypeError, "branch_index must be made of integers"),
        (lambda: rt.switch_case(None, [len]), TypeError, "branch_index must be made of integers"),
        (lambda: rt.switch_case(0.5, [len]), TypeError, "branch_index must be made of integers"),
        (lambda: rt.switch_case(X, [len]), TypeError, "branch_index must be"),
        (lambda: rt.switch_case(rt.constant([1, 2]), [len]), ValueError, "branch_index must be"),
        (lambda: rt.switch_case(0, 3), TypeError, "branch_fns must be a list, tuple or dict"),
        (lambda: rt.switch_case(0, []), ValueError, "branch_fns must have at least one entry"),
        (lambda: rt.switch_case(0, [len, 3]), TypeError, "branch_fns must have pairs as entries"),
        (lambda: rt.switch_case(0, [(0, len), len]), TypeError, "must have pairs as entries"),
        (lambda: rt.switch_case(0, {"a": len}), TypeError, "Python integers as indices, not 'a'"),
        (lambda: rt.switch_case(0, {2: 3}), TypeError, "the function at 2 must be callable"),
        (lambda: rt.switch_case(0, [(0, len), (0, len)]), ValueError, "each index once"),
        (lambda: rt.switch_case(5, [len], 3), TypeError, "default must be callable, not 3"),
        (lambda: rt.while_loop(len, 1, [X]), TypeError, "body must be callable, not 1"),
        (lambda: parallel(0), ValueError, "parallel_iterations must be positive"),
        (lambda: parallel("a"), TypeError, "parallel_iterations must be made of integers"),
        (lambda: limited_to("a"), TypeError, "maximum_iterations must be made of integers"),
        (lambda: limited_to(1.5), TypeError, "maximum_iterations must be made of integers"),
        (lambda: limited_to([1, 2]), ValueError, "maximum_iterations must be one integer"),
        (lambda: limited_to(object()), TypeError, "maximum_iterations must be made of integers"),
        (lambda: limited_to(X), TypeError, "maximum_iterations must be"),
        (
            lambda: rt.while_loop(lambda d: d["a"] < 9, lambda d: {"b": d["a"]}, {"a": X}),
            ValueError,
            r"the body returned \['b'\] for the loop variables \['a'\]",
        ),
        (
            lambda: rt.control_dependencies(3).__enter__(),
            TypeError,
            "control_inputs must be a list",
        ),
        (lambda: rt.case([(True, 1)]), TypeError, "must be callable"),
        (lambda: rt.while_loop(1, len, [X]), TypeError, "must be callable"),
        (lambda: rt.while_loop(len, len, []), ValueError, "must not be empty"),
        (
            lambda: rt.while_loop(lambda v: v < 9, lambda v: None, [X]),
            ValueError,
            "body returned None",
        ),
        (lambda: rt.switch_case(1.0, [lambda: X]), TypeError, "branch_index must be made of integ"),
        (
            lambda: rt.while_loop(lambda v: True, lambda v: (v, v), [X]),
            ValueError,
            "2 values for 1",
        ),
    ],
)
def test_bad_arguments(call: Any, error: Any, message: str) -> None:
    for tried in (call, function(call, autograph=False), function(call)):
        with pytest.raises(error, match=message):
            tried()


def chosen(pred: Any) -> Any:
    return rt.cond(pred, lambda: 1, lambda: 2)


def looped(pred: Any) -> Any:
    return rt.while_loop(lambda v: pred, lambda v: v + 1, [0], maximum_iterations=2)[0]


FLAG = rt.Variable(True)
CONDITIONS = [True, False, np.bool_(True), np.array(False), rt.constant([True]), FLAG]


@pytest.mark.parametrize("pred", CONDITIONS, ids=repr)
@pytest.mark.parametrize("program", [chosen, looped])
def test_conditions(program: Any, pred: Any) -> None:
    wanted = {chosen: (2, 1), looped: (0, 2)}[program][bool(pred)]
    assert int(program(pred)) == wanted
    assert int(function(lambda: program(pred), autograph=False)()) == wanted
    given = rt.constant(pred.value() if pred is FLAG else pred)
    for shape in (given.shape, None):
        staged = function(program, input_signature=[rt.TensorSpec(shape, rt.bool)])
        assert int(staged(given)) == wanted


@pytest.mark.parametrize("pred", [1, 0.5, "a", [True], rt.constant(1), rt.constant("a")], ids=repr)
@pytest.mark.parametrize("program", [chosen, looped])
def test_conditions_of_a_graph_are_bools(program: Any, pred: Any) -> None:
    what = {chosen: r"cond\(\): pred", looped: r"while_loop\(\): what cond returns"}[program]
    with pytest.raises(TypeError, match=f"{what} must be a bool, not .*: compare it"):
        function(lambda: program(pred))()
    program(pred)  # Python takes its truth


def test_a_condition_with_several_elements() -> None:
    staged = function(chosen, input_signature=[rt.TensorSpec(None, rt.bool)])
    with pytest.raises(errors.InvalidArgumentError):
        staged([True, False])


def test_lambdas_in_a_lambda() -> None:
    staged = function(lambda x: rt.switch_case(x, [lambda: X, lambda: X + 1.0, lambda: X * 2.0]))
    assert [float(staged(rt.constant(at))) for at in range(3)] == [3.0, 4.0, 6.0]


def test_a_condition_that_is_no_bool() -> None:
    staged = function(lambda x: rt.while_loop(lambda n: n, lambda n: n - 1, [x]))
    with pytest.raises(
        TypeError,
        match=r"while_loop.*: what cond returns must be a bool, not <tf.Tensor.*int32>: compare it",
    ):
        staged(rt.constant(3))


@pytest.mark.parametrize(
    "choose",
    [
        lambda p: rt.cond(p, lambda: (1,), lambda: [2]),
        lambda p: rt.cond(p, lambda: (1, 2), lambda: (2,)),
        lambda p: rt.case([(p, lambda: {"a": 1})], default=lambda: {"b": 1}),
        lambda p: rt.switch_case(rt.cast(p, rt.int32), [lambda: (1,), lambda: 1]),
        lambda p: rt.cond(p, lambda: rt.constant(1), lambda: rt.constant(2.0)),
    ],
)
def test_functions_of_different_results(choose: Any) -> None:
    """TensorFlow's are TypeErrors; a StagingError is a ValueError as well."""
    with pytest.raises(TypeError, match="cannot be joined across") as caught:
        rt.function(choose)(rt.constant(True))
    assert isinstance(caught.value, ValueError)


def grown_list_in_a_loop(n):
    out = []
    for i in range(n):
        out.append(i * 2)

    def body(i, items, other):
        items.append(i)
        return i + 1, items, other

    _, left, _ = rt.while_loop(lambda i, *_: i < n, body, (0, out, 5))
    left.append(100)
    return left, len(out)


def grown_dict_in_a_loop(n):
    out = {}
    for i in range(n):
        out[i] = i * 2
    _, (left, _) = rt.while_loop(lambda i, _: i < n, lambda i, pair: (i + 1, pair), (0, (out, n)))
    left[9] = n
    return left[1], len(left), len(out)


@pytest.mark.parametrize("program", [grown_list_in_a_loop, grown_dict_in_a_loop])
def test_loop_variables_of_which_only_the_run_knows_the_length(program: Any) -> None:
    staged, plain = rt.function(program)(rt.constant(3)), autograph.convert(program)(3)
    rt.nest.map_structure(np.testing.assert_array_equal, staged, plain)
