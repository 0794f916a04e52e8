"""Iterators in checkpoints: they go on with the element that follows the saved position."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import runtime as rt
from runtime import errors

pytest.importorskip("safetensors.numpy")

Dataset = rt.data.Dataset
Make = Callable[[], Any]


def count(n: int = 12) -> Any:
    return Dataset.range(n)


def looped(n: Any) -> Any:
    total = n
    for item in Dataset.range(3):
        total += item
    return total


DATASETS: dict[str, Make] = {
    "range": count,
    "slices": lambda: Dataset.from_tensor_slices({"x": [1, 2, 3, 4], "y": [5.0, 6.0, 7.0, 8.0]}),
    "batch": lambda: count().batch(5),
    "repeat": lambda: count(3).repeat(4),
    "repeat without end": lambda: count(3).repeat().take(20),
    "map": lambda: count().map(lambda x: x * x).batch(2),
    "map on threads": lambda: count().map(lambda x: x * x, num_parallel_calls=3),
    "map with a loop": lambda: count().map(looped),
    "map with a check": lambda: count().map(
        lambda x: (rt.debugging.assert_less(x, rt.constant(99, rt.int64)), x)[1]
    ),
    "stateless numbers": lambda: count().map(
        lambda x: rt.random.stateless_uniform([], rt.stack([x, x]))
    ),
    "filter": lambda: count().filter(lambda x: x % 3 != 1),
    "take, skip": lambda: count().skip(2).take(7),
    "zip": lambda: Dataset.zip(count().shuffle(4), count().shuffle(4)),
    "concatenate": lambda: count(4).shuffle(4, 1).concatenate(count(4).shuffle(4, 2)),
    "enumerate": lambda: count().enumerate(3),
    "interleave": lambda: count(4).interleave(
        lambda x: Dataset.from_tensors(x).repeat(3), cycle_length=2, block_length=2
    ),
    "shuffles in interleave": lambda: count(4).interleave(
        lambda x: Dataset.range(x, x + 9).shuffle(9, 6), cycle_length=3
    ),
    "flat_map": lambda: count(4).flat_map(lambda x: Dataset.range(x)),
    "window": lambda: count(9).window(3).flat_map(lambda w: w.batch(3)),
    "scan": lambda: count().scan(rt.constant(0, rt.int64), lambda s, x: (s + x, s + x)),
    "shuffle": lambda: count().shuffle(5),
    "shuffle of each round": lambda: count().shuffle(5, seed=3).repeat(3),
    "the same shuffle": lambda: count().shuffle(5, 3, reshuffle_each_iteration=False).repeat(3),
    "shuffle of shuffles": lambda: count().shuffle(3, 1).repeat(2).shuffle(7, 2).repeat(2),
    "prefetch": lambda: count().shuffle(5).batch(4).prefetch(3),
    "prefetch of rounds": lambda: count().shuffle(5, 3).repeat(3).batch(4).prefetch(3),
    "prefetch of each round": lambda: count(4).shuffle(4, 3).prefetch(2).repeat(3),
    "random": lambda: Dataset.random().take(9),
    "sample": lambda: Dataset.sample_from_datasets([count(), count()], [0.5, 0.5]),
    "cache": lambda: count(4).cache().repeat(3),
    "shuffle of a cache": lambda: count(4).map(lambda x: x + 1).cache().shuffle(4, 7).repeat(3),
    "errors left out": lambda: count().map(lambda x: 6 // (x % 3)).ignore_errors(),
}


def listed(items: Any) -> list[Any]:
    return [rt.nest.map_structure(lambda x: x.numpy().tolist(), item) for item in items]


@pytest.mark.parametrize("taken", [0, 1, 5, 9])
@pytest.mark.parametrize("name", DATASETS)
def test_an_iterator_goes_on(name: str, taken: int, tmp_path: Path) -> None:
    iterator = iter(DATASETS[name]())
    checkpoint = rt.train.Checkpoint(step=rt.Variable(taken), data=[iterator])
    for _ in range(taken):
        next(iterator, None)
    path = checkpoint.save(tmp_path / "here")
    expected = listed(iterator)
    checkpoint.restore(path).assert_consumed()
    assert listed(iterator) == expected
    # As in another process: of another dataset, whose own draws differ.
    other = iter(DATASETS[name]())
    rt.train.Checkpoint(step=rt.Variable(0), data=[other]).restore(path).assert_consumed()
    assert listed(other) == expected


def test_shuffles_that_a_function_iterates_over(tmp_path: Path) -> None:
    def ordered(n: Any) -> Any:
        total = n
        for item in Dataset.range(9).shuffle(9):
            total = total * 9 + item
        return total

    def make() -> Any:
        return iter(count(6).map(ordered).shuffle(3))

    iterator = make()
    checkpoint = rt.train.Checkpoint(iterator=iterator)
    next(iterator)
    next(iterator)
    path = checkpoint.save(tmp_path / "here")
    # Of what comes now, the first two are in the buffer already.
    expected = listed(iterator)
    checkpoint.restore(path)
    assert listed(iterator) == expected


def test_rounds_that_had_begun_without_a_seed(tmp_path: Path) -> None:
    def rounds() -> Any:
        return iter(count().shuffle(12).repeat(3))

    iterator = rounds()
    checkpoint = rt.train.Checkpoint(iterator=iterator)
    for _ in range(12 + 5):
        next(iterator)
    path = checkpoint.save(tmp_path / "here")
    expected = listed(iterator)
    checkpoint.restore(path)
    assert listed(iterator) == expected
    other = rounds()
    rt.train.Checkpoint(iterator=other).restore(path)
    assert listed(other) == expected


def test_rounds_behind_a_restored_one_are_those_of_the_first_run(tmp_path: Path) -> None:
    def rounds(dataset: Any) -> list[Any]:
        return [listed(dataset) for _ in range(2)]

    dataset = count().shuffle(12, seed=4)
    listed(dataset)
    iterator = iter(dataset)
    checkpoint = rt.train.Checkpoint(iterator=iterator)
    next(iterator)
    path = checkpoint.save(tmp_path / "here")
    expected = [listed(iterator), *rounds(dataset)]
    again = count().shuffle(12, seed=4)
    other = iter(again)
    rt.train.Checkpoint(iterator=other).restore(path)
    assert [listed(other), *rounds(again)] == expected


def test_an_error_is_an_element_of_the_count(tmp_path: Path) -> None:
    dataset = count(6).map(lambda x: 6 // (x - 1))
    iterator = iter(dataset)
    checkpoint = rt.train.Checkpoint(iterator=iterator)
    next(iterator)
    with pytest.raises(errors.InvalidArgumentError):
        next(iterator)
    path = checkpoint.save(tmp_path / "here")
    assert listed(iterator) == [6, 3, 2, 1]
    checkpoint.restore(path)
    assert listed(iterator) == [6, 3, 2, 1]


def test_an_iterator_that_graphs_advance(tmp_path: Path) -> None:
    @rt.function
    def step(items: Any) -> Any:
        return next(items) + next(items)

    iterator = iter(count())
    checkpoint = rt.train.Checkpoint(iterator=iterator)
    assert int(step(iterator)) == 1
    path = checkpoint.save(tmp_path / "here")
    assert int(step(iterator)) == 5
    checkpoint.restore(path)
    assert int(step(iterator)) == 5


def test_an_iterator_of_a_module(tmp_path: Path) -> None:
    class Reader(rt.Module):
        pass

    reader = Reader()
    reader.items = iter(count())
    checkpoint = rt.train.Checkpoint(reader)
    next(reader.items)
    path = checkpoint.save(tmp_path / "here")
    next(reader.items)
    checkpoint.restore(path).assert_consumed()
    assert int(next(reader.items)) == 1


def test_a_variable_is_no_iterator(tmp_path: Path) -> None:
    path = rt.train.Checkpoint(item=rt.Variable([5])).write(tmp_path / "here")
    status = rt.train.Checkpoint(item=iter(count())).read(path)
    with pytest.raises(AssertionError, match="have found no variable: item"):
        status.assert_consumed()


def test_a_file_of_an_iterator_is_looked_into(tmp_path: Path) -> None:
    iterator = iter(count())
    checkpoint = rt.train.Checkpoint(iterator=iterator)
    next(iterator)
    path = checkpoint.write(tmp_path / "here")
    name = "iterator/.ATTRIBUTES/VARIABLE_VALUE"
    assert rt.train.load_variable(path, name).tolist() == [1]


def test_other_objects_are_no_part_of_it(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="expecting data to be a trackable object"):
        rt.train.Checkpoint(data=count())


def _generator() -> Any:
    yield from range(3)


def _states() -> dict[str, tuple[Make, str]]:
    weight = rt.Variable(1, dtype=rt.int64)
    outer = iter(count())
    filled = count(4).shuffle(4).cache()
    listed(filled)
    drawn = count(4).map(lambda x: rt.random.uniform([])).cache()
    listed(drawn)

    def python(x: Any) -> Any:
        return rt.py_function(lambda item: item, [x], rt.int64)

    return {
        "a generator": (
            lambda: Dataset.from_generator(
                _generator, output_signature=rt.TensorSpec([], rt.int32)
            ),
            "Dataset.from_generator, whose Python generator",
        ),
        "a variable": (
            lambda: count().map(lambda x: x + weight),
            "ReadVariableOp in the function of Dataset.map",
        ),
        "random numbers": (
            lambda: count().map(lambda x: rt.random.uniform([])).batch(2),
            "RandomUniform in the function of Dataset.map",
        ),
        "random numbers in an inner dataset": (
            lambda: count().flat_map(
                lambda x: Dataset.range(3).map(lambda y: rt.random.uniform([]))
            ),
            "RandomUniform in the function of Dataset.map",
        ),
        "Python": (lambda: count().map(python), "EagerPyFunc in the function of Dataset.map"),
        "another iterator": (
            lambda: count().map(lambda x: next(outer)),
            "IteratorGetNext in the function of Dataset.map",
        ),
        "threads in no order": (
            lambda: count().map(lambda x: x, num_parallel_calls=2, deterministic=False),
            r"in no fixed order \(deterministic=False\)",
        ),
        "a cache of a shuffle": (
            lambda: count(4).shuffle(4).cache().repeat(2),
            "Dataset.cache of elements in random order",
        ),
        "a cache that is full": (lambda: filled, "Dataset.cache of elements in random order"),
        "a cache of random numbers": (lambda: drawn, "RandomUniform in the function"),
        "shuffles on two threads": (
            lambda: Dataset.zip(
                count(3).shuffle(3).repeat(3).prefetch(2), count(3).shuffle(3).repeat(3).prefetch(2)
            ),
            "random order on several threads",
        ),
    }


@pytest.mark.parametrize("name", _states())
def test_what_cannot_be_saved_is_named(name: str, tmp_path: Path) -> None:
    make, reason = _states()[name]
    iterator = iter(make())
    checkpoint = rt.train.Checkpoint(iterator=iterator)
    listed(rt.data.Dataset.range(1))
    for _ in range(4):  # the last one of a second round, where there are rounds
        next(iterator, None)
    with pytest.raises(errors.FailedPreconditionError, match=reason):
        checkpoint.save(tmp_path / "here")
    assert not list(tmp_path.iterdir())


def test_an_iterator_that_has_begun_is_refused(tmp_path: Path) -> None:
    iterator = iter(count())
    next(iterator)
    checkpoint = rt.train.Checkpoint(iterator=iterator)
    with pytest.raises(errors.FailedPreconditionError, match="before a Checkpoint held it"):
        checkpoint.save(tmp_path / "here")
