"""Variables that functions create, read and return."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import runtime as rt
from runtime.functions.function import function
from tests.runtime.functions.test_threads import in_threads

X = rt.constant(3.0)


def test_threads_share_what_the_first_call_creates() -> None:
    staged = Growing(lambda x: x * 2.0)
    assert [float(x) for x in in_threads([lambda: staged(X)] * 16)] == [60.0] * 16
    assert len(staged.variables) == 2


class Lazily(rt.Module):
    def __init__(self) -> None:
        super().__init__()
        self.v: Any = None

    @function
    def __call__(self, x):
        if self.v is None:
            self.v = rt.Variable(2.0)
        return self.v.assign_add(1.0) * x


def test_variables_are_created_on_the_first_call() -> None:
    first, second = Lazily(), Lazily()
    assert [first(X).numpy() for _ in range(3)] == [9.0, 12.0, 15.0]
    assert first(rt.constant([1.0])).numpy() == [6.0]
    assert second(X).numpy() == 9.0
    assert len(first.variables) == 1
    reasons = first.__call__.why_retraced().splitlines()
    assert reasons[1:] == [
        "2: the first trace created variables",
        "3: argument x is float32[1], it was float32[]",
    ]


class Growing(rt.Module):
    """Variables whose initial values are computed by the function that creates them."""

    def __init__(self, compute: Any) -> None:
        super().__init__()
        self.compute = compute
        self.made: list[Any] = []

    @function
    def __call__(self, x):
        if not self.made:
            self.made.append(rt.Variable(self.compute(x)))
            self.made.append(rt.Variable(self.made[0] * 3.0))
        return self.made[0] + self.made[1] * x

    @function
    def inside(self, x):
        return self(x * 2.0)


def halved(x):
    while x > 1.0:
        x = x / 2.0
    return x


@pytest.mark.parametrize(
    "compute",
    [
        lambda x: 2.0 * x,
        lambda x: [x, x + 1.0],
        lambda x: rt.ones([2]),
        lambda x: rt.cond(x > 0.0, lambda: x, lambda: -x),
        halved,
        rt.function(halved),
        lambda x: X * x,
    ],
)
@pytest.mark.parametrize("nested", [False, True])
def test_an_initial_value_that_the_function_computes(compute: Any, nested: bool) -> None:
    eager, staged = Growing(compute), Growing(compute)
    for number in (5.0, 2.0):
        x = rt.constant(number)
        with rt.config.run_functions_eagerly(True):
            expected = eager.inside(x) if nested else eager(x)
        result = staged.inside(x) if nested else staged(x)
        np.testing.assert_allclose(result.numpy(), expected.numpy(), rtol=1e-6)
        for made, wanted in zip(staged.variables, eager.variables, strict=True):
            np.testing.assert_allclose(made.numpy(), wanted.numpy(), rtol=1e-6)


def test_a_text_that_the_run_chooses_is_an_initial_value() -> None:
    made: list[Any] = []

    @function
    def named(x):
        word = "large" if x > 1.0 else "small"
        if not made:
            made.append(rt.Variable(word))
        return made[0]

    assert named(rt.constant(2.0)).numpy() == named(rt.constant(0.0)).numpy() == b"large"


def test_a_random_initial_value_is_drawn_once() -> None:
    staged = Growing(lambda x: rt.random.normal([3]))
    staged(X)
    before = staged.made[0].numpy()
    staged(X)
    assert before.tolist() == staged.made[0].numpy().tolist()


def in_a_branch(x):
    if x > 0.0:
        return rt.Variable(x * 2.0).value()
    return x


@pytest.mark.parametrize(
    ("compute", "given", "reason"),
    [
        (rt.identity, rt.TensorSpec([], rt.float32), "an argument that is only known by its type"),
        (in_a_branch, X, "is computed in .*branch"),
    ],
)
def test_an_initial_value_that_only_a_run_knows(compute: Any, given: Any, reason: str) -> None:
    message = rf"test_function_variables.py:\d+:\d+: the initial value .*{reason}"
    with pytest.raises(ValueError, match=message):
        Growing(compute).__call__.get_concrete_function(given)


class Changing:
    """Variables that a function changes before it creates others of them."""

    def __init__(self) -> None:
        self.w = rt.Variable([1.0, 2.0], name="w")
        self.k = rt.Variable([3.0, 4.0], name="k")
        self.open = rt.Variable([1.0, 2.0], shape=[None])
        self.generator = rt.random.Generator.from_seed(1)
        self.made: list[Any] = []
        self.at = 0
        self.bump = function(lambda: self.w.assign_add([10.0, 10.0]))
        self.doubled = function(lambda: self.w * 2.0)
        self.inner = function(self.create_inside)

    def new(self, value: Any, **kwargs: Any) -> Any:
        self.made.append(rt.Variable(value, **kwargs))
        return self.made[-1]

    def create_inside(self, x):
        if not self.made:
            self.new(self.w * x)
            self.k.assign_add(x)
        return self.made[0] + x

    def state(self) -> list[Any]:
        variables = (self.w, self.k, self.open, self.generator.state, *self.made)
        return [item.numpy().tolist() for item in variables]


def assigned(self, x):
    self.w.assign(5.0 * x)
    if not self.made:
        self.new(self.w)
        self.new([self.w, self.w])
        self.new(self.w * 2.0 + self.k)
        self.new(self.w, dtype=rt.float32)
    self.w.assign(8.0 * x)
    return self.made[0] + self.w


def updated(self, x):
    self.w.assign_add(x)
    self.w.assign_sub(3.0 * x)
    if not self.made:
        self.new(lambda: self.w * 2.0)
        self.new(self.doubled)
    self.w.assign_add(x)
    return self.made[0] + 0.0


def updated_in_a_call(self, x):
    self.bump()
    if not self.made:
        self.new(self.w)
        self.new(self.bump())
        self.new(self.doubled())
    self.bump()
    return self.made[0] + 0.0


def sliced(self, x):
    self.w[1:].assign(x[:1])
    if not self.made:
        self.new(self.w)
    return self.made[0] + 0.0


def of_another(self, x):
    self.k.assign(5.0 * x)
    if x[0] > 0.0:
        self.k.assign_add(x)
    if not self.made:
        self.new(self.w * 2.0)
    return self.made[0] + self.k


def of_shapes(self, x):
    if x[0] > 0.0:
        self.w.assign(5.0 * x)
    self.open.assign(rt.concat([x, x], 0))
    if not self.made:
        self.new(rt.zeros_like(self.w))
        self.new(rt.ones(rt.shape(self.w)) + rt.cast(rt.size(self.w), rt.float32))
        self.new(rt.zeros_like(self.open))
    return self.made[0] + self.w


def slots(self, x):
    for at, v in enumerate((self.w, self.k)):
        if len(self.made) <= at:
            self.new(rt.zeros_like(v))
        slot = self.made[at]
        slot.assign(0.9 * slot + x)
        v.assign_sub(0.5 * slot)
    return self.w + self.k


def read_before(self, x):
    y = self.w * 2.0
    self.w.assign(5.0 * x)
    if not self.made:
        self.new(y)
    return self.made[0] + self.w


def assigned_behind_a_branch(self, x):
    if x[0] > 0.0:
        self.w.assign(5.0 * x)
    self.w.assign(x)
    if not self.made:
        self.new(self.w)
    return self.made[0] + self.w


def read_in_a_branch(self, x):
    self.w.assign(5.0 * x)
    if not self.made:
        self.new(lambda: self.w * 2.0 if self.w[0] > 3.0 else self.w * 3.0)
    return self.made[0] + self.w


def changed_where_created(self, x):
    if not self.made:
        self.w.assign_add(x)
        self.new(self.w)
        self.k.assign(self.w * 2.0)
    return self.made[0] + self.k


def chained(self, x):
    if not self.made:
        self.new(x * 2.0).assign_add(x)
        self.new(self.made[0] * 2.0)
        self.new(lambda: self.made[1] + self.made[0])
    return self.made[2] + 0.0


def created_in_a_call(self, x):
    self.w.assign(7.0 * x)
    return self.inner(2.0 * x) + self.inner(3.0 * x)


def drawn_elsewhere_too(self, x):
    a = rt.random.normal([2])
    if not self.made:
        self.new(a)
        self.w.assign(self.made[0] - a)
    return self.w + 0.0


def drawn_from_a_generator(self, x):
    if not self.made:
        self.new(self.generator.normal([2]))
        self.new(lambda: self.generator.normal([2]))
    return self.made[0] + self.generator.normal([2])


def of_a_gradient(self, x):
    with rt.GradientTape() as tape:
        loss = rt.reduce_sum(self.w * self.w * x)
    gradient = tape.gradient(loss, self.w)
    self.w.assign_sub(0.5 * gradient)
    if not self.made:
        self.new(gradient + self.w)
    return self.made[0] + self.w


@pytest.mark.parametrize(
    "body",
    [
        assigned, updated, updated_in_a_call, sliced, of_another, of_shapes, slots, read_before,
        assigned_behind_a_branch, read_in_a_branch, changed_where_created, chained,
        created_in_a_call, drawn_from_a_generator, of_a_gradient,
    ],
)  # fmt: skip
def test_an_initial_value_of_variables_that_the_call_changes(body: Any) -> None:
    x = rt.constant([1.0, 1.0])
    eager, staged = Changing(), Changing()
    run = function(body)
    for _ in range(3):
        with rt.config.run_functions_eagerly(True):
            expected = body(eager, x)
        assert run(staged, x).numpy().tolist() == expected.numpy().tolist()
        assert staged.state() == eager.state()


def test_what_is_drawn_for_an_initial_value_is_drawn_once() -> None:
    staged, run = Changing(), function(drawn_elsewhere_too)
    assert run(staged, X).numpy().tolist() == [0.0, 0.0]
    rt.random.set_seed(3)
    seeded = function(drawn_with_seeds)
    found = [seeded(self, X).numpy().tolist() for self in [Changing()] for _ in range(2)]
    rt.random.set_seed(3)
    with rt.config.run_functions_eagerly(True):
        expected = [seeded(self, X).numpy().tolist() for self in [Changing()] for _ in range(2)]
    assert found == expected


def drawn_with_seeds(self, x):
    if not self.made:
        self.new(rt.random.normal([2], seed=1))
    return self.made[0] + rt.random.normal([2], seed=2)


def noise_kept(self, x):
    if not self.made:
        self.new(rt.random.normal([2]))
    return rt.random.normal([2])


def noise_after_what_is_kept(self, x):
    a = rt.random.normal([2])
    if not self.made:
        self.new(a)
    return rt.random.normal([2])


def noise_that_is_kept(self, x):
    a = rt.random.normal([2])
    if not self.made:
        self.new(a)
    return a


def noise_before_what_is_kept(self, x):
    n, a = rt.random.normal([2]), rt.random.normal([2])
    if not self.made:
        self.new(a)
    return n


def noise_of_a_seed(self, x):
    if not self.made:
        self.new(rt.random.normal([2], seed=5))
        self.k.assign_add([1.0, 1.0])
    return rt.random.normal([2], seed=2)


def noise_of_a_function_inside(self, x):
    if not self.made:
        self.new(rt.random.normal([2]))
        self.k.assign_add([1.0, 1.0])
    return function(lambda: rt.random.normal([2]) * x)()


@pytest.mark.parametrize(
    "body",
    [
        noise_kept, noise_after_what_is_kept, noise_that_is_kept, noise_before_what_is_kept,
        noise_of_a_seed, noise_of_a_function_inside,
    ],
)  # fmt: skip
@pytest.mark.parametrize("nested", [False, True])
def test_no_two_calls_draw_the_same_noise(body: Any, nested: bool) -> None:
    drawn = []
    for _ in range(2):
        rt.random.set_seed(7)
        own, inner = Changing(), function(body)
        run = function(lambda own, x, inner=inner: inner(own, x)) if nested else inner
        drawn.append([tuple(run(own, rt.constant(2.0)).numpy().tolist()) for _ in range(4)])
    assert len(set(drawn[0])) == 4
    assert drawn[0] == drawn[1]


def of_an_element(self, x):
    if not self.made:
        self.new(rt.gather(x, self.at))
    return self.made[0] * 1.0


def of_elements_after_effects(self, x):
    self.w.assign_add(x)
    if not self.made:
        self.new(2.0)
    if len(self.made) == 1:
        self.new(lambda: rt.gather(x, self.at))
    return self.made[1] * 1.0


def of_a_shape(self, x):
    self.w.assign_add(x)
    if not self.made:
        self.new(x * 2.0, dtype=rt.int32 if self.at > 5 else None)
    return self.made[0] * 1.0


@pytest.mark.parametrize("body", [of_an_element, of_elements_after_effects, of_a_shape])
@pytest.mark.parametrize("nested", [False, True])
def test_a_creation_that_fails_is_tried_again(body: Any, nested: bool) -> None:
    x = rt.constant([3.0, 4.0])
    eager, staged = Changing(), Changing()
    inner = function(body)
    run = function(lambda own, x: inner(own, x)) if nested else inner
    for at in (9, 9, 1, 1):
        eager.at = staged.at = at
        found = []
        for call, own in ((body, eager), (run, staged)):
            try:
                found.append(call(own, x).numpy().tolist())
            except (ValueError, TypeError, IndexError) as error:
                found.append(type(error).__name__)
        assert found[0] == found[1]
        assert staged.state() == eager.state()
    if not nested:
        assert inner.experimental_get_tracing_count() == 2


def asserted_before(self, x):
    rt.debugging.assert_positive(x)
    if not self.made:
        self.new(rt.sqrt(x))
    return self.made[0] * 1.0


def asserted_after_a_change(self, x):
    self.w.assign(x)
    assert rt.reduce_all(self.w > 0.0), "negative"
    self.w.assign_add(x)
    if not self.made:
        self.new(rt.sqrt(self.w))
    return self.made[0] * 1.0


def raised_before(self, x):
    y = x * 1.0
    if x[0] < 0.0:
        raise ValueError("negative")
    if not self.made:
        self.new(rt.sqrt(y))
    return self.made[0] * 1.0


def checked_in_a_call(self, x):
    @function
    def check(x):
        rt.debugging.assert_positive(x)
        rt.print(end="")
        return x

    y = rt.debugging.check_numerics(rt.sqrt(x), "x")
    check(x)
    if not self.made:
        self.new(y)
    return self.made[0] * 1.0


def asserted_before_a_constant(self, x):
    rt.debugging.assert_positive(x)
    if self.made:
        self.w.assign_add(x)
    else:
        self.new(2.0)
    return self.made[0] + self.w


def asserted_after_it(self, x):
    if not self.made:
        self.new(x * 2.0)
    rt.debugging.assert_positive(self.made[0])
    return self.made[0] * 1.0


def asserted_of_noise(self, x):
    noise = rt.random.uniform([2], seed=3)
    rt.debugging.assert_less(noise, 2.0)
    if not self.made:
        self.new(x * 2.0)
    return self.made[0] + noise


@pytest.mark.parametrize(
    "body",
    [
        asserted_before, asserted_after_a_change, raised_before, checked_in_a_call,
        asserted_before_a_constant, asserted_after_it, asserted_of_noise,
    ],
)  # fmt: skip
@pytest.mark.parametrize("nested", [False, True])
def test_what_fails_before_a_creation_prevents_it(body: Any, nested: bool) -> None:
    inner = function(body)
    run = function(lambda own, x: inner(own, x)) if nested else inner
    histories = []
    for call in (body, run):
        own, history = Changing(), []
        rt.random.set_seed(2)
        for given in (-1.0, -4.0, 4.0, 9.0):
            try:
                history.append(call(own, rt.constant([given, given])).numpy().tolist())
            except (ValueError, AssertionError) as error:
                history.append(isinstance(error, AssertionError))
            history.append(own.state())
        histories.append(history)
    assert histories[0] == histories[1]


def test_the_error_of_an_initial_value_names_its_line() -> None:
    staged = Changing()
    staged.at = 9
    message = r"GatherV2: index = 9 .*at .*test_function_variables.py:\d+:\d+"
    with pytest.raises(rt.errors.InvalidArgumentError, match=message):
        function(of_an_element)(staged, rt.constant([3.0, 4.0]))


def changed_in_a_branch(self, x):
    if x[0] > 0.0:
        self.w.assign(5.0 * x)
    if not self.made:
        self.new(self.w)
    return self.made[0] + 0.0


def changed_in_a_loop(self, x):
    for _ in rt.range(3):
        self.w.assign_add(x)
    if not self.made:
        self.new([self.w, self.w])
    return self.made[0] + 0.0


def changed_by_what_computes_it(self, x):
    def changing():
        self.w.assign(x)
        return x * 2.0

    if not self.made:
        self.new(rt.cond(x[0] > 0.0, changing, lambda: x))
    return self.made[0] + 0.0


def drawn_after_another(self, x):
    a = self.generator.normal([2])
    if not self.made:
        self.new(self.generator.normal([2]))
    return self.made[0] + a


def created_in_a_loop(self, x):
    for _ in rt.range(3):
        x = self.inner(x)
    return x


def created_with_effects_in_a_loop(self, x):
    @function
    def inner(x):
        if not self.made:
            self.new(1.0)
            self.k.assign_add(x)
        return self.made[0] + x

    for _ in rt.range(3):
        x = inner(x)
    return x


CHANGED = r"'w:0', which the same call changes before \(.*test_function_variables.py:\d+:\d+\)"


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (changed_in_a_branch, CHANGED),
        (changed_in_a_loop, CHANGED),
        (changed_by_what_computes_it, "what also changes the variable 'w:0'"),
        (created_in_a_loop, "is computed in the body of a loop"),
        (
            created_with_effects_in_a_loop,
            "creates variables in the body of a loop, and does there what it does only then",
        ),
        (drawn_after_another, "'StateVar:0', which the same call uses before"),
    ],
)
def test_an_initial_value_of_what_only_the_run_assigns(body: Any, reason: str) -> None:
    staged = Changing()
    before = staged.state()
    with pytest.raises(ValueError, match=rf"test_function_variables.py:\d+:\d+: .*{reason}"):
        function(body)(staged, rt.constant([1.0, 1.0]))
    assert staged.state()[: len(before)] == before


class Layer(rt.Module):
    def __init__(self) -> None:
        super().__init__()
        self.is_built = False

    def __call__(self, x):
        if not self.is_built:
            self.kernel = rt.Variable(2.0 * rt.ones(rt.shape(x)))
            self.biases = [rt.Variable(rt.zeros_like(x))]
            self.is_built = True
        return x * self.kernel + self.biases[0]


class Built:
    """What a function builds in its staged blocks, on the first call."""

    count = 0
    w: Any = None

    def __init__(self) -> None:
        self.layer = Layer()
        self.layers: list[Any] = []
        self.slots: dict[Any, Any] = {}
        self.k = rt.Variable([1.0, 1.0])

    def scaled(self, x):
        if self.w is None:
            self.w = rt.Variable(rt.cos(rt.range(2.0)))
        return x * self.w

    def variables(self) -> list[Any]:
        held = [*self.layers, *self.slots.values(), self.k, *self.layer.variables]
        held += [] if self.w is None else [self.w]
        return [number for item in held for number in item.numpy().tolist()]


def built_in_a_loop(self, x):
    for _ in rt.range(3):
        x = self.layer(self.scaled(x))
    return x


def built_in_a_branch(self, x):
    if x[0] > 0.0:
        return self.layer(x)
    return x


def built_in_a_ternary(self, x):
    return self.scaled(x) if x[0] > 0.0 else x


def built_in_a_test(self, x):
    while rt.reduce_sum(self.layer(x)) < 100.0:
        x = x * 2.0
    return x


def built_over_a_dataset(self, x):
    for _ in rt.data.Dataset.range(3):
        with rt.GradientTape() as tape:
            loss = rt.reduce_sum((self.layer(x) - 3.0) ** 2)
        found = self.layer.trainable_variables
        for slope, v in zip(tape.gradient(loss, found), found, strict=True):
            if v.ref() not in self.slots:
                self.slots[v.ref()] = rt.Variable(rt.zeros_like(v))
            slot = self.slots[v.ref()]
            slot.assign(0.9 * slot + slope)
            v.assign_sub(0.01 * slot)
    return self.k + 0.0


def built_in_map_fn(self, x):
    return rt.map_fn(lambda row: row * self.scaled(x), rt.stack([x, x]))[1]


def built_in_cond(self, x):
    return rt.cond(x[0] > 0.0, lambda: self.layer(x), lambda: x)


def put_into_a_list(self, x):
    for _ in rt.range(2):
        if not self.layers:
            self.layers.append(rt.Variable(rt.random.normal([2]) * 0.0))
            self.layers.append(rt.Variable([3.0, 4.0]))
        x = x * self.layers[1] + self.layers[0]
        self.layers[0].assign_add(x)
    return x


def built_in_nested_blocks(self, x):
    for _ in rt.range(3):
        if x[0] < 100.0:
            for _ in rt.range(2):
                x = self.layer(x)
    return x


@pytest.mark.parametrize("executor", ["numpy", "native"])
@pytest.mark.parametrize(
    "body",
    [
        built_in_a_loop, built_in_a_branch, built_in_a_ternary, built_in_a_test,
        built_over_a_dataset, built_in_map_fn, built_in_cond, put_into_a_list,
        built_in_nested_blocks,
    ],
)  # fmt: skip
def test_variables_that_a_staged_block_creates(body: Any, executor: str) -> None:
    x = rt.constant([1.0, 2.0])
    eager, staged = Built(), Built()
    run = function(body, executor=executor)
    for _ in range(2):
        with rt.config.run_functions_eagerly(True):
            expected = body(eager, x)
        np.testing.assert_allclose(run(staged, x), expected, rtol=1e-6)
        np.testing.assert_allclose(staged.variables(), eager.variables(), rtol=1e-6)
    assert run.experimental_get_tracing_count() == 2


def test_a_layer_that_a_staged_block_creates() -> None:
    @function
    def run(held, x):
        for _ in rt.range(2):
            if held.w is None:
                held.w = Layer()
            x = held.w(x)
        return x

    held = Built()
    for _ in range(2):
        assert run(held, rt.constant([1.0, 2.0])).numpy().tolist() == [4.0, 8.0]
    assert len(held.w.variables) == 2


def test_a_branch_that_is_not_taken_creates_its_variables_too() -> None:
    built = Built()
    assert function(built_in_a_branch)(built, rt.constant([-1.0, 2.0])).numpy().tolist() == [-1, 2]
    assert [v.numpy().tolist() for v in built.layer.variables] == [[0.0, 0.0], [2.0, 2.0]]


def counted_beside(self, x):
    for _ in rt.range(3):
        self.count += 1
        x = self.scaled(x)
    return x


def otherwise_at_first(self, x):
    for _ in rt.range(3):
        if self.w is None:
            self.w = rt.Variable(1.0)
            x = x * 2.0
        else:
            x = x * 3.0
    return x


def one_each_round(self, x):
    for _ in rt.range(3):
        if len(self.layers) < 3:
            self.layers.append(rt.Variable(1.0))
        x = x * self.layers[0]
    return x


def of_an_argument_in_a_branch(self, x):
    if x[0] > 0.0 and self.w is None:
        self.w = rt.Variable(x * 2.0)
    return x


def of_a_variable_in_a_branch(self, x):
    if x[0] > 0.0 and self.w is None:
        self.w = rt.Variable(self.k)
    return x


MAY_DIFFER = "which may run any number of times, of what may be different when that runs"


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (counted_beside, "self.count is changed in a staged block that puts variables into"),
        (otherwise_at_first, "in the body of a loop, and does there what it does only then"),
        (one_each_round, "creates a variable each time that it is traced"),
        (of_an_argument_in_a_branch, MAY_DIFFER),
        (of_a_variable_in_a_branch, MAY_DIFFER),
    ],
)
def test_what_a_staged_block_would_create_at_several_calls(body: Any, reason: str) -> None:
    with pytest.raises(ValueError, match=rf"test_function_variables.py:\d+:\d+: .*{reason}"):
        function(body)(Built(), rt.constant([1.0, 2.0]))


def test_variables_that_each_call_would_create_are_refused() -> None:
    @function
    def wrong(x):
        return rt.Variable(1.0) + x

    for _ in range(2):
        with pytest.raises(
            ValueError, match=r"test_function_variables.py:\d+:\d+: wrong creates a variable"
        ):
            wrong(X)


def test_variables_for_a_later_signature_are_refused() -> None:
    made: dict[Any, Any] = {}

    @function
    def for_each(x, n):
        if n not in made:
            made[n] = rt.Variable(1.0)
        return made[n] * x

    for_each(X, 1)
    with pytest.raises(ValueError, match="each time that it is traced"):
        for_each(X, 2)


def test_a_returned_variable_is_its_value() -> None:
    v = rt.Variable(1.0)

    @function
    def added(x):
        return {"new": v.assign_add(x), "same": (v, 2.0)}

    found = added(X)
    assert isinstance(found["new"], rt.Tensor)
    assert [float(found["new"]), float(found["same"][0])] == [4.0, 4.0]
    assert float(added(X)["new"]) == 7.0
    assert float(found["new"]) == 4.0
