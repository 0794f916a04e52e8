"""Datasets and iterators in graphs: each function gives what it gives for Python's lists."""

import copy
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import autograph
import runtime as rt

Dataset = rt.data.Dataset
SIZES = (0, 1, 4, 9)


def totals(data: Any) -> Any:
    total = 0
    for x in data:
        total = total * 10 + x
    return total


def broken_off(data: Any) -> Any:
    total = 0
    for x in data:
        if x > 5:
            break
        if x % 2 == 1:
            continue
        total = total * 10 + x
    else:
        total = total - 1000
    return total


def returned(data: Any) -> Any:
    for x in data:
        if x * x > 10:
            return x
    return -1


def numbered(data: Any) -> Any:
    total = 0
    for i, x in enumerate(data):
        total += i * x
    return total


def numbered_from(data: Any) -> Any:
    total = 0
    for i, x in enumerate(data, 3):
        if i > 6:
            break
        total = total * 7 + i * x
    return total


def paired(data: Any) -> Any:
    total = 0
    for x, y in zip(data, data, strict=False):
        total += x * y
    return total


def mapped(data: Any) -> Any:
    total = 0
    for x in map(lambda x: x * x, data):
        total = total * 3 + x
    for x in filter(lambda x: x != 2, data):
        total = total * 3 + x
    for x in filter(None, map(lambda x: x - 1, data)):
        total = total * 3 + x
    return total


def nested(data: Any) -> Any:
    total = 0
    for x in data:
        for y in data:
            if y > x:
                break
            total += x * y
        else:
            total += 1000
    return total


def iterated(data: Any) -> Any:
    total = 0
    for x in iter(data):
        total = total * 10 + x
    return total


def gone_on(data: Any) -> Any:
    iterator = iter(data)
    first = 0
    for x in iterator:
        first += x
        if first > 2:
            break
    second = 0
    for x in iterator:
        second = second * 10 + x
    return first * 10000 + second


def asked(data: Any) -> Any:
    iterator = iter(data)
    a = next(iterator, -1)
    b = next(iterator, -1)
    return a * 100 + b


def asked_in_a_branch(data: Any) -> Any:
    iterator = iter(data)
    found = next(iterator, -5)
    if found == 0:
        found = next(iterator, -7)
    return found * 100 + next(iterator, -9)


def asked_in_a_loop(data: Any) -> Any:
    iterator = iter(data)
    total = 0
    x = next(iterator, -1)
    while x >= 0:
        total = total * 10 + x
        x = next(iterator, -1)
    return total


def listed(data: Any) -> Any:
    found = [x * 2 for x in data if x != 3]
    return len(found) * 100 + sum(found)


def summed(data: Any) -> Any:
    total = sum(x for x in data) * 10
    if any(x > 5 for x in data):
        total += 1
    if all(x < 3 for x in data):
        total += 2
    return total


def last(data: Any) -> Any:
    x = -3
    for x in data:  # noqa: B007
        pass
    return x


def tried(data: Any) -> Any:
    total = 0
    try:
        for x in data:
            if x == 7:
                break
            total = total * 10 + x
    finally:
        total += 100000
    return total


def tried_inside(data: Any) -> Any:
    total = 0
    for x in data:
        try:
            if x % 3 == 0:
                continue
            total += x
        finally:
            total = total * 2
    return total


def returned_from_a_try(data: Any) -> Any:
    try:
        for i, x in enumerate(data):
            if x > 4:
                return i * 10 + x
    finally:
        _ = data
    return -2


def returned_from_two(data: Any) -> Any:
    for i, x in enumerate(data):
        for j, y in enumerate(data, 1):
            if x * y > 11:
                return i * 1000 + j * 100 + x * 10 + y
            if y > x:
                break
    return -1


def numbered_pairs(data: Any) -> Any:
    total = 0
    for i, (x, y) in enumerate(zip(data, data, strict=False)):
        if i == 4:
            continue
        total += i * x - y
    return total


def paired_with_numbers(data: Any) -> Any:
    total = 0
    for x, (i, y) in zip(data, enumerate(data), strict=False):
        total = total * 3 + x * i + y
    for x, i in zip(data, rt.constant([0, 1, 2], rt.int64), strict=False):
        total = total * 3 + x * i
    return total


def looped_inside(data: Any) -> Any:
    total = 0
    for x in data:
        while x > 0:
            x -= 2
            if x == 3:
                break
            total += x
        else:
            total += 10
    return total


def again_and_again(data: Any) -> Any:
    total = 0
    for i in range(3):
        for x in data:
            if x > i + 1:
                break
            total = total * 2 + x
    return total


def helped(data: Any) -> Any:
    def largest(limit: Any) -> Any:
        found = -1
        for x in data:
            if x >= limit:
                return found
            found = x
        return found

    total = 0
    for x in data:
        total += largest(x)
    return total


FUNCTIONS: list[Callable[[Any], Any]] = [
    tried, tried_inside, returned_from_a_try, returned_from_two, numbered_pairs,
    paired_with_numbers, looped_inside, again_and_again, helped,
    totals, broken_off, returned, numbered, numbered_from, paired, mapped, nested, iterated,
    gone_on, asked, asked_in_a_branch, asked_in_a_loop, listed, summed, last,
]  # fmt: skip


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_staged_function_gives_what_python_gives(function: Any) -> None:
    staged = rt.function(function)
    for size in SIZES:
        data = Dataset.range(size)
        expected = function(list(range(size)))
        assert int(staged(data)) == expected, size
        assert int(function(data)) == expected, "eagerly"
        assert int(autograph.convert(function)(data)) == expected, "converted"
    assert staged.experimental_get_tracing_count() == 1


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_dataset_from_outside_or_made_inside(function: Any) -> None:
    data = Dataset.range(9)
    assert int(rt.function(lambda: function(data))()) == function(list(range(9)))

    @rt.function
    def inside(n: Any) -> Any:
        return function(Dataset.range(n).map(lambda x: x + rt.cast(n, rt.int64)))

    expected = function([n + 3 for n in range(3)])
    assert int(inside(rt.constant(3))) == int(inside(3)) == expected


def test_an_iterator_from_outside_goes_on_where_it_stands() -> None:
    iterator = iter(Dataset.range(9))

    @rt.function
    def two() -> Any:
        return next(iterator) * 10 + next(iterator)

    assert [int(two()), int(two()), int(next(iterator)), int(two())] == [1, 23, 4, 56]

    @rt.function
    def one(given: Any) -> Any:
        return next(given)

    assert [int(one(iterator)), int(one(iter(Dataset.range(3)))), int(one(iterator))] == [7, 0, 8]
    assert one.experimental_get_tracing_count() == 1
    with pytest.raises(rt.errors.OutOfRangeError, match="End of sequence"):
        one(iterator)
    with pytest.raises(StopIteration):
        one(iterator)


def test_an_iterator_advances_as_far_as_in_python() -> None:
    @rt.function
    def up_to(iterator: Any, limit: Any) -> Any:
        for x in iterator:
            if x >= limit:
                break
        return rt.constant(0)

    iterator = iter(Dataset.range(9))
    up_to(iterator, rt.constant(3, rt.int64))
    assert int(next(iterator)) == 4
    paired = iter(Dataset.range(9))

    @rt.function
    def pairs(longer: Any) -> Any:
        total = rt.constant(0, rt.int64)
        for x, y in zip(longer, Dataset.range(3), strict=False):
            total += x * y
        return total

    assert int(pairs(paired)) == 5
    assert int(next(paired)) == 4, "zip has asked the first one once more"


def test_next_without_conversion() -> None:
    @rt.function(autograph=False)
    def first(iterator: Any) -> Any:
        return next(iterator) + iterator.get_next()

    assert int(first(iter(Dataset.range(3)))) == 1


def test_a_global_dataset_that_is_replaced_is_seen() -> None:
    held = [Dataset.range(3)]

    @rt.function
    def total() -> Any:
        return totals(held[0])

    assert int(total()) == 12
    held[0] = Dataset.range(4)
    assert int(total()) == 123


def test_structures_of_elements() -> None:
    data = Dataset.from_tensor_slices({"x": [1.0, 2.0], "y": ([3, 4], ["a", "b"])})

    @rt.function
    def collect(data: Any) -> Any:
        total, names = 0.0, rt.constant("")
        for item in data:
            count, name = item["y"]
            total += item["x"] * rt.cast(count, rt.float32)
            names = names + name
        return total, names

    total, names = collect(data)
    assert float(total) == 11.0
    assert names.numpy() == b"ab"


def test_shapes_that_change_from_batch_to_batch() -> None:
    @rt.function
    def sizes(data: Any) -> Any:
        total = 0
        for batch in data:
            total = total * 10 + rt.shape(batch)[0]
        return total

    assert int(sizes(Dataset.range(8).batch(3))) == 332
    assert int(sizes(Dataset.range(1).batch(3))) == 1
    assert sizes.experimental_get_tracing_count() == 1


def test_datasets_are_results_and_are_chosen_by_branches() -> None:
    @rt.function
    def choose(small: Any, n: Any) -> Any:
        if small:  # noqa: SIM108
            data = Dataset.range(2)
        else:
            data = Dataset.range(n).map(lambda x: x * n)
        return {"data": data.batch(4)}

    found = choose(rt.constant(True), rt.constant(3, rt.int64))["data"]
    assert [x.numpy().tolist() for x in found] == [[0, 1]]
    found = choose(rt.constant(False), rt.constant(3, rt.int64))["data"]
    assert [x.numpy().tolist() for x in found] == [[0, 3, 6]]
    assert found.element_spec == rt.TensorSpec([None], rt.int64)


def test_numbers_of_a_dataset_in_a_graph() -> None:
    @rt.function
    def numbers(data: Any) -> Any:
        total = data.reduce(rt.constant(0, rt.int64), lambda s, x: s + x)
        return len(data), data.cardinality(), total, data.skip(2).get_single_element()

    assert [int(x) for x in numbers(Dataset.range(3))] == [3, 3, 3, 2]

    @rt.function
    def length(data: Any) -> Any:
        return len(data)

    with pytest.raises(TypeError, match="infinite"):
        length(Dataset.range(3).repeat())
    with pytest.raises(TypeError, match="unknown"):
        length(Dataset.range(3).filter(lambda x: x > 1))


@pytest.mark.parametrize(
    "lengths",
    [{}, {"num_parallel_calls": rt.data.AUTOTUNE}, {"cycle_length": -1}, {"cycle_length": 2}],
    ids=str,
)
def test_numbers_of_its_own_choice_in_a_graph(lengths: dict[str, int], tmp_path: Path) -> None:
    folder = str(tmp_path / "saved")
    Dataset.range(4).save(folder)

    def program(start: Any) -> Any:
        data = Dataset.range(3).interleave(lambda n: Dataset.range(n), **lengths)
        state = rt.cast(start, rt.int64)
        return data.reduce(state, lambda a, b: a + b), totals(Dataset.load(folder))

    start = rt.constant(5)
    assert [int(x) for x in rt.function(program)(start)] == [int(x) for x in program(start)]


def test_another_element_spec_is_another_trace() -> None:
    total = rt.function(totals)
    assert int(total(Dataset.range(3))) == 12
    assert float(total(Dataset.from_tensor_slices([0.5, 0.25]))) == 5.25
    assert total.experimental_get_tracing_count() == 2
    assert "dataset[float32[]]" in total.why_retraced()


def test_training_over_a_dataset() -> None:
    weight = rt.Variable(2.0)
    data = Dataset.from_tensor_slices(([1.0, 2.0, 3.0], [3.0, 6.0, 9.0])).repeat(40)

    @rt.function
    def train(data: Any) -> Any:
        steps = 0
        for x, y in data:
            with rt.GradientTape() as tape:
                loss = (weight * x - y) ** 2
            weight.assign_sub(0.05 * tape.gradient(loss, weight))
            steps += 1
        return steps

    assert int(train(data)) == 120
    assert abs(float(weight) - 3.0) < 1e-4


def test_a_gradient_through_a_loop_over_a_dataset() -> None:
    weight = rt.Variable(3.0)
    data = Dataset.from_tensor_slices([1.0, 2.0, 4.0])

    @rt.function
    def loss(data: Any) -> Any:
        total = 0.0
        for x in data:
            total += weight * weight * x
        return total

    with rt.GradientTape() as tape:
        value = loss(data)
    assert float(value) == 63.0
    assert float(tape.gradient(value, weight)) == 42.0
    with rt.GradientTape() as tape:
        value = totals(data.map(lambda x: x * 2)) * weight
    assert float(tape.gradient(value, weight)) == 248.0


def test_a_dataset_inside_a_function_of_a_dataset() -> None:
    @rt.function
    def triangle(n: Any) -> Any:
        return totals(Dataset.range(n))

    assert [int(x) for x in Dataset.range(4).map(triangle)] == [0, 0, 1, 12]
    assert [int(x) for x in Dataset.range(4).map(lambda n: totals(Dataset.range(n)))] == [
        0,
        0,
        1,
        12,
    ]


REFUSED: list[tuple[Callable[[Any], Any], str]] = [
    (lambda data: list(zip(data, [1, 2], strict=False)), "how many elements a dataset"),
    (lambda data: list(zip(data, data, strict=True)), "Dataset.zip"),
    (lambda data: list(data), "how many elements a dataset"),
    (
        lambda data: max(x for x in data.as_numpy_iterator()),
        "iterated over by Python while tracing",
    ),
]


@pytest.mark.parametrize(("function", "words"), REFUSED)
def test_what_a_graph_cannot_do_is_refused(function: Any, words: str) -> None:
    with pytest.raises(autograph.StagingError, match=words):
        rt.function(function)(Dataset.range(3))


def test_unconverted_loops_are_refused() -> None:
    @rt.function(autograph=False)
    def unconverted(data: Any) -> Any:
        return totals(data)

    with pytest.raises(autograph.StagingError, match="a Dataset is iterated over by Python"):
        unconverted(Dataset.range(3))


def next_or_none(iterator, count):
    try:
        return next(iterator)
    except rt.errors.OutOfRangeError as error:
        return rt.constant(-len(str(error).partition(":")[0]), rt.int64)


def all_that_are_left(iterator, count):
    total = rt.constant(0, rt.int64)
    while True:
        try:
            total += iterator.get_next()
        except StopIteration:
            break
    return total


def as_many_as_asked(iterator, count):
    total, taken = rt.constant(0, rt.int64), 0
    try:
        for _ in range(count):
            total += next(iterator)
            taken += 1
    except (KeyError, rt.errors.OutOfRangeError):
        total = -total
    finally:
        total += 100 * rt.cast(taken, rt.int64)
    return total


def past_other_handlers(iterator, count):
    try:
        return next(iterator) * next(iterator)
    except KeyError:
        return rt.constant(-1, rt.int64)


def looped_over_in_a_try(iterator, count):
    total = rt.constant(0, rt.int64)
    try:
        for each in Dataset.range(rt.cast(count, rt.int64)):
            total += each // (each - 3)
    except ZeroDivisionError:
        total = -total
    for each in iterator:
        total += each
    return total


@pytest.mark.parametrize("size", [0, 1, 3])
@pytest.mark.parametrize("program", [
    next_or_none, all_that_are_left, as_many_as_asked, past_other_handlers, looped_over_in_a_try,
])  # fmt: skip
def test_an_end_is_caught_as_in_python(program: Any, size: int) -> None:
    staged = rt.function(program)
    count = rt.constant(2)
    for _ in range(2):
        outcomes = []
        for function in (program, staged):
            iterator = iter(Dataset.range(1, 1 + size))
            try:
                outcomes.append([int(function(iterator, count)), len(list(iterator))])
            except StopIteration as error:
                outcomes.append([type(error), str(error).partition(";")[0]])
        assert str(outcomes[1]).startswith(str(outcomes[0])[:-2])


def numbers_then_an_error():
    yield 1
    raise KeyError("none")


def generator_in_a_try(x, kind):
    try:
        for each in Dataset.from_generator(
            numbers_then_an_error, output_signature=rt.TensorSpec([], rt.int32)
        ):
            x = x + each
    except kind:
        x = -x
    return x


def file_in_a_try(x, kind):
    try:
        for _ in rt.data.TextLineDataset("/no/such/file"):
            x = x + 1
    except kind:
        x = -x
    return x


@pytest.mark.parametrize(("program", "error", "other"), [
    (generator_in_a_try, KeyError, ValueError),
    (file_in_a_try, rt.errors.NotFoundError, rt.errors.OutOfRangeError),
])  # fmt: skip
def test_other_errors_of_datasets_are_not_caught_in_graphs(
    program: Any, error: Any, other: Any
) -> None:
    with pytest.raises(error):
        rt.function(lambda x: program(x, other))(rt.constant(3))
    for kind in (error, Exception):
        refused = "a dataset raised an? .*Error, which the `try` around could act on"
        with pytest.raises(rt.errors.RefusedError, match=refused) as caught:
            rt.function(lambda x, kind=kind: program(x, kind))(rt.constant(3))
        assert isinstance(caught.value.__cause__, error)
        assert f"{__file__}:" in str(caught.value)
        assert "move the `try`" in str(caught.value)


def test_a_graph_with_a_dataset_is_not_saved(tmp_path: Path) -> None:
    graph = rt.function(totals).get_concrete_function(Dataset.range(3)).graph
    with pytest.raises(rt.errors.UnimplementedError, match=r"holds dataset\[int64\[\]\]"):
        graph.save(tmp_path / "graph")


def test_copies_and_pickles() -> None:
    data = Dataset.range(3)
    assert copy.deepcopy({"data": data})["data"] is copy.copy(data) is data
    with pytest.raises(pickle.PicklingError, match="a Dataset cannot be pickled"):
        pickle.dumps(data)
    with pytest.raises(pickle.PicklingError, match="an iterator over a Dataset"):
        pickle.dumps(iter(data))


def test_the_graph_of_a_loop() -> None:
    graph = str(rt.function(totals).get_concrete_function(Dataset.range(3)).graph)
    assert "totals(data_handle: dataset[int64[]])" in graph
    assert "make_iterator: iterator[int64[]] = make_iterator(data_handle)" in graph
    assert "while iterator_advance" in graph
