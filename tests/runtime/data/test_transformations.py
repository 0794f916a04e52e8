"""Each transformation beside what Python does with lists, and its spec and cardinality."""

import collections
import copy
import itertools
import random
import threading
import tracemalloc
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import runtime as rt
from runtime import errors

Dataset = rt.data.Dataset
AUTOTUNE = rt.data.AUTOTUNE
Point = collections.namedtuple("Point", "x y")
ZERO = rt.constant(0, rt.int64)


@pytest.fixture(autouse=True)
def no_global_seed() -> None:
    rt.random.set_seed(None)


def plain(item: Any) -> Any:
    """An element with Python's numbers in place of tensors, and lists in place of datasets."""
    if isinstance(item, Dataset):
        return [plain(element) for element in item]
    if isinstance(item, tuple):
        parts = map(plain, item)
        return type(item)(*parts) if hasattr(item, "_fields") else tuple(parts)
    if isinstance(item, dict):
        return {key: plain(part) for key, part in item.items()}
    return np.asarray(item).tolist()


def batches(items: Iterable[Any], size: int) -> list[Any]:
    given = list(items)
    return [given[at : at + size] for at in range(0, len(given), size)]


def windows(items: list[Any], size: int, shift: int, stride: int, drop: bool) -> list[Any]:
    found = [items[at::stride][:size] for at in range(0, len(items), shift)]
    return [part for part in found if len(part) == size or not drop]


N = range(11)
HELD = Dataset.range(5, 8)
ROWS: list[tuple[Any, Iterable[Any]]] = [
    (Dataset.range(5), range(5)),
    (Dataset.range(3000), range(3000)),
    (Dataset.range(9, 2, -3), range(9, 2, -3)),
    (Dataset.range(1 << 40, (1 << 40) + 2), [1 << 40, (1 << 40) + 1]),
    (Dataset.range(2).take(1 << 40).enumerate(1 << 40), [(1 << 40, 0), ((1 << 40) + 1, 1)]),
    (Dataset.range(2).repeat(1 << 40).take(2).batch(1 << 40), [[0, 1]]),
    (Dataset.range(1).shuffle(1 << 40).batch(1).rebatch(1 << 40), [[0]]),
    (Dataset.from_tensors([1, 2]), [[1, 2]]),
    (Dataset.from_tensor_slices([[1, 2], [3, 4]]), [[1, 2], [3, 4]]),
    (Dataset.from_tensor_slices({"a": [1, 2], "b": (["x", "y"],)}),
     [{"a": 1, "b": (b"x",)}, {"a": 2, "b": (b"y",)}]),
    (Dataset.from_tensor_slices(Point([1, 2], [3, 4])), [Point(1, 3), Point(2, 4)]),
    (Dataset.range(5).map(lambda x: x * x), [n * n for n in range(5)]),
    (Dataset.range(5).map(lambda x: (x, {"y": [x, x]})), [(n, {"y": [n, n]}) for n in range(5)]),
    (Dataset.range(5).map(lambda x: [x, x + 1]), [(n, n + 1) for n in range(5)]),
    (Dataset.range(5).map(lambda x: (x, None)), [(n, None) for n in range(5)]),
    (Dataset.range(5).map(lambda x: (x, None)).map(lambda x, y: x if y is None else y), range(5)),
    (Dataset.range(50).map(lambda x: x * x, 3), [n * n for n in range(50)]),
    (Dataset.range(50).map(lambda x: x * x, AUTOTUNE), [n * n for n in range(50)]),
    (Dataset.range(9).map(lambda x: x if x > 4 else -x), [n if n > 4 else -n for n in range(9)]),
    (Dataset.range(9).filter(lambda x: x % 3 == 0), [0, 3, 6]),
    (Dataset.range(9).take_while(lambda x: x * x < 20), [0, 1, 2, 3, 4]),
    (Dataset.range(11).batch(4), batches(N, 4)),
    (Dataset.range(11).batch(4, drop_remainder=True), batches(N, 4)[:2]),
    (Dataset.range(11).map(lambda x: x).batch(4), batches(N, 4)),
    (Dataset.range(10).batch(2).batch(2), [[[0, 1], [2, 3]], [[4, 5], [6, 7]], [[8, 9]]]),
    (Dataset.range(8).batch(2).unbatch(), range(8)),
    (Dataset.range(8).batch(3).rebatch(2), batches(range(8), 2)),
    (Dataset.range(7).batch(3).rebatch([2, 1]), [[0, 1], [2], [3, 4], [5], [6]]),
    (Dataset.range(7).batch(3).rebatch([3, 2], drop_remainder=True), [[0, 1, 2], [3, 4]]),
    (Dataset.range(3).batch(3).rebatch([0, 2]), [[], [0, 1], [], [2], []]),
    (Dataset.range(3).batch(3).rebatch([1, 0]), [[0], [], [1], [], [2], []]),
    (Dataset.from_tensor_slices([1, 2]).map(lambda x: (rt.fill([x], x), {"a": rt.fill([x], x)}))
     .padded_batch(2, padding_values=(7, None)), [([[1, 7], [2, 2]], {"a": [[1, 0], [2, 2]]})]),
    (Dataset.range(4).group_by_window(lambda _: 0, lambda key, xs: xs.batch(4), 4), [[0, 1, 2, 3]]),
    (Dataset.range(3).prefetch(None), range(3)),
    (Dataset.range(11).take(7).batch(4), batches(range(7), 4)),
    (Dataset.range(1, 4).map(lambda x: rt.fill([x], x)).padded_batch(3),
     [[[1, 0, 0], [2, 2, 0], [3, 3, 3]]]),
    (Dataset.range(3).repeat(2), [0, 1, 2] * 2),
    (Dataset.range(3).repeat().take(8), list(itertools.islice(itertools.cycle(range(3)), 8))),
    (Dataset.range(0).repeat(), []),
    (Dataset.range(9).skip(3).take(4), range(3, 7)),
    (Dataset.range(9).shard(4, 1), range(1, 9, 4)),
    (Dataset.from_tensor_slices([3, 1, 3, 2, 1]).unique(), [3, 1, 2]),
    (Dataset.from_tensor_slices(["b", "a"]).enumerate(4), [(4, b"b"), (5, b"a")]),
    (Dataset.range(5).scan(ZERO, lambda s, x: (s + x, s + x)), itertools.accumulate(range(5))),
    (Dataset.range(3).concatenate(Dataset.range(7, 9)), [0, 1, 2, 7, 8]),
    (Dataset.zip(Dataset.range(3), Dataset.range(9)), zip(range(3), range(9), strict=False)),
    (Dataset.zip({"b": Dataset.range(2), "a": Dataset.range(2)}),
     [{"b": 0, "a": 0}, {"b": 1, "a": 1}]),
    (Dataset.range(4).flat_map(Dataset.range), [m for n in range(4) for m in range(n)]),
    (Dataset.range(4).map(Dataset.range), [list(range(n)) for n in range(4)]),
    (Dataset.range(2).flat_map(lambda _: HELD), [5, 6, 7] * 2),
    (Dataset.range(2).interleave(partial(lambda held, _: held, HELD), 2), [5, 5, 6, 6, 7, 7]),
    (Dataset.range(2).map(lambda n: (n, HELD)).flat_map(lambda n, held: held.map(lambda x: x * n)),
     [0, 0, 0, 5, 6, 7]),
    (Dataset.range(3).prefetch(2), range(3)),
    (Dataset.range(300).prefetch(7), range(300)),
    (Dataset.range(3).cache().repeat(3), [0, 1, 2] * 3),
    (Dataset.counter(5, -2).take(3), [5, 3, 1]),
    (Dataset.range(5).apply(lambda data: data.skip(3)), [3, 4]),
    *[(Dataset.range(11).window(size, shift, stride, drop),
       windows(list(N), size, shift, stride, drop))
      for size in (1, 3) for shift in (1, 2, 7) for stride in (1, 2) for drop in (True, False)],
]  # fmt: skip


@pytest.mark.parametrize("at", range(len(ROWS)))
def test_gives_what_python_gives(at: int) -> None:
    data, expected = ROWS[at]
    wanted = list(expected)
    ROWS[at] = data, wanted
    assert [plain(item) for item in data] == wanted
    assert [plain(item) for item in data] == wanted, "each iteration begins anew"
    known = int(data.cardinality())
    assert known in (len(wanted), rt.data.UNKNOWN_CARDINALITY) or not wanted
    for item in data:
        rt.nest.assert_same_structure(item, data.element_spec, check_types=False)


@pytest.mark.parametrize("at", range(len(ROWS)))
def test_gives_the_same_inside_a_graph(at: int) -> None:
    data, _ = ROWS[at]
    if not isinstance(data.element_spec, rt.TensorSpec):
        return

    @rt.function
    def total(data: Any) -> Any:
        count = rt.constant(0, rt.int64)
        found = rt.constant(0, rt.int64)
        for item in data:
            found = found * 3 + rt.reduce_sum(rt.cast(item, rt.int64))
            count += 1
        return count, found

    expected = 0
    eager = list(data)
    for item in eager:
        expected = (expected * 3 + int(np.sum(item.numpy()))) % 2**64
    expected -= 2**64 if expected >= 2**63 else 0
    count, found = total(data)
    assert (int(count), int(found)) == (len(eager), expected)


def test_random_chains_give_what_python_gives() -> None:
    draw = random.Random(3)
    steps: list[Callable[[Any, list[int]], tuple[Any, list[int]]]] = [
        lambda d, x: (d.map(lambda n: n * 2 + 1), [n * 2 + 1 for n in x]),
        lambda d, x: (d.filter(lambda n: n % 3 != 1), [n for n in x if n % 3 != 1]),
        lambda d, x: (d.take(5), x[:5]),
        lambda d, x: (d.skip(2), x[2:]),
        lambda d, x: (d.repeat(2), x * 2),
        lambda d, x: (d.batch(3).unbatch(), x),
        lambda d, x: (d.shard(2, 1), x[1::2]),
        lambda d, x: (d.prefetch(2), x),
        lambda d, x: (d.cache(), x),
        lambda d, x: (d.concatenate(d), x + x),
        lambda d, x: (d.unique(), list(dict.fromkeys(x))),
        lambda d, x: (d.window(2).flat_map(lambda w: w), x),
        lambda d, x: (d.scan(ZERO, lambda s, n: (s + n, s)), [sum(x[:at]) for at in range(len(x))]),
        lambda d, x: (Dataset.zip(d, d.skip(1)).map(lambda a, b: a - b),
                      [a - b for a, b in itertools.pairwise(x)]),
    ]  # fmt: skip
    for _ in range(40):
        size = draw.randrange(9)
        data, items = Dataset.range(size), list(range(size))
        for step in draw.choices(steps, k=draw.randrange(1, 5)):
            data, items = step(data, items)
        assert [int(x) for x in data] == items
        known = int(data.cardinality())
        assert known in (len(items), rt.data.UNKNOWN_CARDINALITY)


# Shuffles


def test_a_negative_global_seed_is_a_number_with_a_sign() -> None:
    def order(global_seed: int, seed: int | None) -> list[int]:
        rt.random.set_seed(global_seed)
        return [int(x) for x in Dataset.range(30).shuffle(30, seed=seed)]

    # Seeds count modulo 2**31 - 1, and those of ops without one are Python's `random`.
    assert order(-1, 7) == order(2**31 - 2, 7)
    assert order(-1, None) == order(-1, random.Random(-1).randint(0, 2**31 - 1))


def test_a_seeded_shuffle_is_the_same_in_every_run() -> None:
    data = Dataset.range(12).shuffle(5, seed=7)
    first = [2, 4, 0, 3, 8, 1, 9, 10, 5, 7, 6, 11]  # TensorFlow 2.21
    assert [int(x) for x in data] == first
    assert [int(x) for x in data] == [4, 0, 3, 7, 2, 6, 8, 9, 11, 5, 1, 10]
    assert [int(x) for x in Dataset.range(12).shuffle(5, seed=7)] == first


JOINED = [[0, 2, 1, 3], [2, 1, 0, 3], [2, 1, 0, 3]]
AGAIN = [[2, 1, 0, 3], [2, 1, 0, 3], [0, 2, 1, 3]]


@pytest.mark.parametrize(
    ("behind", "then"),
    [
        (lambda data: data, JOINED),
        (lambda data: data.repeat(1), JOINED),
        (lambda data: data.batch(1).unbatch(), AGAIN),
        (lambda data: data.window(4).flat_map(lambda part: part), AGAIN),
        (lambda data: data.concatenate(Dataset.range(0)), AGAIN),
    ],
)
def test_orders_of_repeated_shuffles_are_tensorflows(behind: Any, then: list[list[int]]) -> None:
    """In the second iteration too: there a repeat begins once more at its end."""
    data = behind(Dataset.range(4).shuffle(4, seed=1)).repeat(3)
    first = [[0, 3, 1, 2], [2, 3, 1, 0], [3, 0, 1, 2]]
    assert [batches(map(int, data), 4) for _ in range(2)] == [first, then]


@pytest.mark.parametrize(("count", "size"), [(0, 3), (1, 1), (10, 1), (10, 3), (10, 10), (10, 99)])
def test_a_shuffle_gives_each_element_once_and_none_too_early(count: int, size: int) -> None:
    found = [int(x) for x in Dataset.range(count).shuffle(size)]
    assert sorted(found) == list(range(count))
    assert all(number < place + size for place, number in enumerate(found))


def test_a_shuffle_without_reshuffling_repeats_itself() -> None:
    data = Dataset.range(20).shuffle(20, seed=1, reshuffle_each_iteration=False)
    assert [int(x) for x in data] == [int(x) for x in data]


AT_HAND = {
    "range": lambda: Dataset.range(3, 3000, 2),
    "down": lambda: Dataset.range(9, -9, -4),
    "pairs": lambda: Dataset.from_tensor_slices(
        (np.arange(1500.0).reshape(500, 3), [f"{n}" for n in range(500)])
    ),
    "wide": lambda: Dataset.from_tensor_slices(np.arange(7 * 9000).reshape(7, 9000)),
    "none": lambda: Dataset.from_tensor_slices(np.zeros((0, 2))),
}
BEHIND = {
    "shuffle": lambda data: data.shuffle(10, seed=3),
    "shuffle of all": lambda data: data.shuffle(5000, seed=3),
    "shuffles": lambda data: data.shuffle(4, seed=3).shuffle(300, seed=4),
    "batch": lambda data: data.shuffle(10, seed=3).batch(4),
    "large batch": lambda data: data.shuffle(100, seed=3).batch(1100),
    "whole batches": lambda data: data.shuffle(10, seed=3).batch(4, drop_remainder=True),
    "take of shuffle": lambda data: data.shuffle(10, seed=3).take(333).batch(5),
    "shuffle of take": lambda data: data.take(333).shuffle(10, seed=3).batch(5),
    "take none": lambda data: data.take(0).shuffle(10, seed=3).batch(5),
    "batch alone": lambda data: data.batch(7),
}


@pytest.mark.parametrize("behind", BEHIND)
@pytest.mark.parametrize("source", AT_HAND)
def test_rows_at_hand_come_as_single_elements_do(source: str, behind: str) -> None:
    at_hand = BEHIND[behind](AT_HAND[source]())
    # A filter gives its elements one by one.
    single = BEHIND[behind](AT_HAND[source]().filter(lambda *element: True))
    for _ in range(2):
        mine, others = (list(each.as_numpy_iterator()) for each in (at_hand, single))
        assert len(mine) == len(others)
        for one, other in zip(mine, others, strict=True):
            np.testing.assert_equal(one, other)
            assert rt.nest.flatten(one)[0].dtype == rt.nest.flatten(other)[0].dtype


def test_large_rows_are_not_taken_together() -> None:
    data = Dataset.from_tensor_slices(np.zeros((64, 1 << 16), np.uint8))
    for transformed in (data.shuffle(4), data.shuffle(4).map(lambda row: row + 1)):
        tracemalloc.start()
        next(iter(transformed))
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < 1 << 20


def test_sampling_follows_the_weights() -> None:
    parts = [Dataset.from_tensors(n).repeat() for n in range(3)]
    data = Dataset.sample_from_datasets(parts, weights=[0.2, 0.0, 0.8], seed=4).take(2000)
    counts = np.bincount([int(x) for x in data], minlength=3)
    assert counts[1] == 0
    assert abs(counts[0] - 400) < 80
    again = Dataset.sample_from_datasets(parts, weights=[0.2, 0.0, 0.8], seed=4).take(2000)
    assert [int(x) for x in data] == [int(x) for x in again]


def test_sampling_goes_on_with_what_is_left() -> None:
    parts = [Dataset.range(4), Dataset.range(10, 13)]
    found = [int(x) for x in Dataset.sample_from_datasets(parts, seed=2)]
    assert sorted(found) == [0, 1, 2, 3, 10, 11, 12]
    assert [n for n in found if n < 10] == [0, 1, 2, 3]


# Functions


def test_a_function_is_traced_once() -> None:
    calls = []

    def double(x: Any) -> Any:
        calls.append(None)
        return x * 2

    data = Dataset.range(9).map(double)
    assert [int(x) for x in data.repeat(2)] == [2 * n for n in range(9)] * 2
    assert len(calls) == 1


def test_a_traced_function_and_a_method_are_taken() -> None:
    class Scale:
        def __init__(self, factor: int) -> None:
            self.factor = factor

        def __call__(self, x: Any) -> Any:
            return x * self.factor

        @rt.function
        def staged(self, x: Any) -> Any:
            return x * self.factor

    assert [int(x) for x in Dataset.range(3).map(Scale(3))] == [0, 3, 6]
    assert [int(x) for x in Dataset.range(3).map(Scale(4).staged)] == [0, 4, 8]


def test_functions_run_where_functions_run_eagerly() -> None:
    with rt.config.run_functions_eagerly(True):
        data = Dataset.range(4).map(lambda x: x if x > 1 else -x)
        assert [int(x) for x in data] == [0, -1, 2, 3]


def test_variables_and_random_numbers_in_functions() -> None:
    count = rt.Variable(0)
    assert [int(x) for x in Dataset.range(3).map(lambda x: count.assign_add(2))] == [2, 4, 6]
    drawn = {float(x) for x in Dataset.range(9).map(lambda x: rt.random.uniform([]))}
    assert len(drawn) == 9


def test_reduce_has_a_state_of_any_structure() -> None:
    state = {"sum": ZERO, "last": rt.constant(-1, rt.int64)}
    found = Dataset.range(5).reduce(state, lambda s, x: {"sum": s["sum"] + x, "last": x})
    assert plain(found) == {"sum": 10, "last": 4}
    joined = Dataset.range(4).reduce(
        rt.zeros([0], rt.int64), lambda s, x: rt.concat([s, x[rt.newaxis]], 0)
    )
    assert plain(joined) == [0, 1, 2, 3]
    assert plain(Dataset.range(0).reduce(ZERO, lambda s, x: s + x)) == 0


def test_a_branch_inside_a_function_of_a_tuple() -> None:
    pairs = Dataset.from_tensor_slices(([1, 5, 3], [4, 2, 3]))
    assert [int(x) for x in pairs.map(lambda a, b: a if a > b else b)] == [4, 5, 3]
    assert plain(next(iter(pairs.filter(lambda a, b: a == b)))) == (3, 3)


# Generators


def test_a_generator_begins_anew_with_each_iterator() -> None:
    starts = []

    def count(n: Any) -> Any:
        starts.append(int(n))
        yield from range(n)

    spec = rt.TensorSpec([], rt.int32)
    data = Dataset.from_generator(count, args=(3,), output_signature=spec)
    assert [int(x) for x in data.repeat(2)] == [0, 1, 2] * 2
    assert starts == [3, 3]
    assert data.element_spec == spec
    assert int(data.cardinality()) == rt.data.UNKNOWN_CARDINALITY


def test_a_generator_is_asked_as_elements_are_needed() -> None:
    given = []

    def endless() -> Any:
        for n in itertools.count():
            given.append(n)
            yield n

    data = Dataset.from_generator(endless, output_signature=rt.TensorSpec([], rt.int64))
    assert [int(x) for x in data.take(3)] == [0, 1, 2]
    assert given == [0, 1, 2]


def test_the_older_form_of_from_generator() -> None:
    rows = [(1, [2.0]), (2, [3.0, 4.0])]
    data = Dataset.from_generator(lambda: iter(rows), (rt.int32, rt.float32), ((), (None,)))
    assert [plain(x) for x in data] == rows
    assert data.element_spec[1] == rt.TensorSpec([None], rt.float32)


# Caches


def test_datasets_of_a_list_are_elements() -> None:
    files = [Dataset.range(at, at + 3).map(lambda x: {"x": x}) for at in (0, 10, 20)]
    data = Dataset.from_tensor_slices(files)
    assert len(data) == 3
    assert [int(each["x"]) for each in data.flat_map(lambda x: x)] == [
        *range(3), *range(10, 13), *range(20, 23),
    ]  # fmt: skip
    mixed = data.interleave(lambda x: x, cycle_length=3)
    assert [int(each["x"]) for each in mixed][:4] == [0, 10, 20, 1]
    total = rt.function(lambda: data.reduce(rt.constant(0, rt.int64), lambda n, x: n + x.reduce(
        rt.constant(0, rt.int64), lambda m, y: m + y["x"]
    )))  # fmt: skip
    assert int(total()) == 3 + 33 + 63


def test_a_function_returns_a_dataset_from_outside() -> None:
    assert [int(x) for x in rt.function(lambda: (HELD, 1))()[0]] == [5, 6, 7]


def test_a_cache_computes_once() -> None:
    count = rt.Variable(0)
    data = Dataset.range(3).map(lambda x: count.assign_add(1)).cache()
    assert [int(x) for x in data] == [int(x) for x in data] == [1, 2, 3]
    assert int(next(iter(data))) == 1


def test_a_cache_that_was_not_read_to_its_end_is_none() -> None:
    count = rt.Variable(0)
    data = Dataset.range(3).map(lambda x: count.assign_add(1)).cache()
    next(iter(data))
    assert [int(x) for x in data] == [2, 3, 4]


def test_a_cache_is_one_when_its_last_element_was_taken() -> None:
    count = rt.Variable(0)
    data = Dataset.range(3).map(lambda x: count.assign_add(1)).cache()
    first = iter(data)
    assert [int(next(first)) for _ in range(3)] == [int(x) for x in data] == [1, 2, 3]


def test_a_file_of_an_empty_cache_is_written(tmp_path: Path) -> None:
    assert list(Dataset.range(0).cache(tmp_path / "cache")) == []
    assert list(Dataset.range(3).take(0).cache(tmp_path / "cache")) == []
    assert (tmp_path / "cache.npz").exists()


def _written_cache(folder: Path) -> Path:
    list(Dataset.range(5).cache(folder / "cache"))
    return folder / "cache"


@pytest.mark.parametrize(
    "other",
    [
        Dataset.from_tensor_slices([1.0, 2.0]),
        Dataset.from_tensors((rt.constant(1, rt.int64),) * 2),
        Dataset.from_tensors(rt.zeros([2], rt.int64)),
    ],
)
def test_a_cache_file_of_another_dataset_is_refused(other: Any, tmp_path: Path) -> None:
    name = _written_cache(tmp_path)
    with pytest.raises(errors.InvalidArgumentError, match="elements of another dataset"):
        list(other.cache(name))


@pytest.mark.parametrize("kept", [0, 100, -30])
def test_a_damaged_cache_file_is_refused(kept: int, tmp_path: Path) -> None:
    name = _written_cache(tmp_path)
    file = name.with_suffix(".npz")
    file.write_bytes(file.read_bytes()[:kept])
    with pytest.raises(errors.DataLossError, match="is damaged"):
        list(Dataset.range(5).cache(name))


@pytest.mark.parametrize(
    ("size", "kind"),
    [(1 << 40, errors.InvalidArgumentError), (-1, errors.InvalidArgumentError),
     ([1, 2], errors.DataLossError)],
)  # fmt: skip
def test_a_cache_file_of_another_size_is_refused(size: Any, kind: Any, tmp_path: Path) -> None:
    np.savez(tmp_path / "cache.npz", size=np.array(size))
    with pytest.raises(kind, match=r"Dataset\.cache: the file"):
        list(Dataset.range(5).cache(tmp_path / "cache"))


def test_threads_may_write_one_cache(tmp_path: Path) -> None:
    data = Dataset.range(200).cache(tmp_path / "cache")
    threads = [threading.Thread(target=list, args=(data,)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [plain(x) for x in Dataset.range(200).cache(tmp_path / "cache")] == [*range(200)]


def test_a_cache_in_a_file_outlives_its_dataset(tmp_path: Path) -> None:
    name = str(tmp_path / "kept")
    made = [plain(x) for x in Dataset.range(4).map(lambda x: (x, rt.fill([x], x))).cache(name)]
    data = Dataset.range(9).map(lambda x: (x, rt.fill([x], x))).cache(name)
    assert [plain(x) for x in data] == made
    assert [path.name for path in tmp_path.iterdir()] == ["kept.npz"]


# Iterators


def test_an_iterator_goes_on_where_it_stands() -> None:
    iterator = iter(Dataset.range(5))
    assert iter(iterator) is iterator
    assert int(next(iterator)) == 0
    assert int(iterator.get_next()) == 1
    assert int(iterator.next()) == 2
    assert [int(x) for x in iterator] == [3, 4]
    assert next(iterator, None) is None
    with pytest.raises(rt.errors.OutOfRangeError):
        iterator.get_next()


def test_elements_as_numpy() -> None:
    found = list(Dataset.from_tensor_slices({"a": [[1, 2]], "b": ["x"]}).as_numpy_iterator())
    assert found[0]["a"].tolist() == [1, 2]
    assert found[0]["b"] == b"x"
    assert type(found[0]["a"]) is np.ndarray
    iterator = Dataset.range(2).as_numpy_iterator()
    assert (iterator.next(), next(iterator), next(iterator, None)) == (0, 1, None)


def test_what_a_dataset_holds_is_its_own() -> None:
    array = np.array([1, 2, 3])
    data = Dataset.from_tensor_slices(array)
    array[:] = 0
    assert [int(x) for x in data] == [1, 2, 3]
    first = next(data.batch(3).as_numpy_iterator())
    first[:] = 7
    assert plain(next(iter(data.batch(3)))) == [1, 2, 3]


def test_lists_among_the_elements_of_a_list_are_tensors() -> None:
    made = rt.data.experimental.from_list
    assert [x.tolist() for x in made([[1, 2], [3, 4]]).as_numpy_iterator()] == [[1, 2], [3, 4]]
    found = made([(1, {"a": [2]}), (3, {"a": [4, 5]})])
    assert found.element_spec[1]["a"].shape.as_list() == [None]
    assert [(int(x), d["a"].numpy().tolist()) for x, d in found] == [(1, [2]), (3, [4, 5])]
    assert len(found) == 2
    last = rt.function(lambda x: [each for each in made([x, x * 2])][-1])
    assert last(rt.constant([3])).numpy().tolist() == [6]
    with pytest.raises(TypeError, match="from_list: the elements have different types"):
        made([[1], ["a"]])
    with pytest.raises(ValueError, match="there is no tensor in an element"):
        made([(), ()])


def test_lengths() -> None:
    assert len(Dataset.range(7).batch(2)) == 4
    assert bool(Dataset.range(0))
    assert int(Dataset.range(3).repeat().cardinality()) == rt.data.INFINITE_CARDINALITY
    rows = Dataset.range(3).repeat().batch(2).unbatch()
    assert int(rows.cardinality()) == rt.data.INFINITE_CARDINALITY


def test_options_are_merged() -> None:
    first, second = rt.data.Options(), rt.data.Options()
    first.deterministic, second.threading.private_threadpool_size = False, 3
    data = Dataset.range(3).with_options(first).map(lambda x: x).with_options(second)
    assert data.options().deterministic is False
    assert data.options().threading.private_threadpool_size == 3
    first.threading.private_threadpool_size = 3
    assert data.options() == copy.deepcopy(first) != second
    assert first.threading == data.options().threading != rt.data.ThreadingOptions()
    assert "private_threadpool_size=3" in repr(data.options())


@pytest.mark.parametrize(("sizes", "drop", "known"), [
    ([2, 2], False, 2), (2, False, 2), ([3], False, None), ([3], True, 3), ([3, 1], True, None),
])  # fmt: skip
def test_rebatch_knows_the_size_of_batches_that_all_have_it(
    sizes: Any, drop: bool, known: int | None
) -> None:
    data = Dataset.range(8).batch(4, drop_remainder=True).rebatch(sizes, drop)
    assert data.element_spec.shape.as_list() == [known]
    assert all(len(x) == known for x in data) or known is None


def test_a_window_that_may_not_be_is_left_out() -> None:
    iterator = iter(Dataset.range(2).group_by_window(lambda x: x, lambda key, xs: xs, 0))
    for _ in range(2):
        with pytest.raises(errors.InvalidArgumentError, match="window size"):
            next(iterator)
    assert next(iterator, None) is None


def test_what_is_made_of_an_endless_dataset_is_endless() -> None:
    data = Dataset.range(3).repeat()
    assert int(data.interleave(Dataset.range, 2).cardinality()) == rt.data.INFINITE_CARDINALITY
    grouped = data.group_by_window(lambda x: x, lambda key, xs: xs, 2)
    assert int(grouped.cardinality()) == rt.data.INFINITE_CARDINALITY


def test_options_of_several_datasets_are_joined() -> None:
    def with_(deterministic: bool) -> Any:
        options = rt.data.Options()
        options.deterministic = deterministic
        return Dataset.range(3).with_options(options)

    assert Dataset.range(3).concatenate(with_(False)).options().deterministic is False
    assert Dataset.zip(with_(False), with_(True), Dataset.range(2)).options().deterministic is True
    with pytest.raises(TypeError, match="deterministic must be a bool or None, got 1"):
        rt.data.Options().deterministic = 1  # type: ignore[assignment]
