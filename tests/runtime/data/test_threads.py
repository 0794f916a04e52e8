"""Threads of `prefetch` and of a parallel `map`: they end with the iterator."""

import gc
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

import runtime as rt

Dataset = rt.data.Dataset


def threads() -> list[Any]:
    return [each for each in threading.enumerate() if each.name == "runtime.data"]


@pytest.fixture(autouse=True)
def no_thread_is_left() -> Iterator[None]:
    yield
    gc.collect()
    end = time.monotonic() + 10
    while threads() and time.monotonic() < end:
        time.sleep(0.01)
    assert not threads()


def doubled(parallel: int = 3) -> Any:
    return Dataset.range(200).map(lambda x: 2 * x, num_parallel_calls=parallel)


@pytest.mark.parametrize("make", [doubled, lambda: doubled().prefetch(4), lambda: doubled(1)])
def test_order_is_kept(make: Any) -> None:
    assert [int(x) for x in make()] == [2 * n for n in range(200)]


def test_elements_may_come_in_any_order() -> None:
    data = Dataset.range(200).map(lambda x: 2 * x, num_parallel_calls=4, deterministic=False)
    assert sorted(int(x) for x in data) == [2 * n for n in range(200)]


def test_threads_end_with_an_iterator_that_is_dropped() -> None:
    iterator = iter(doubled().prefetch(4))
    next(iterator)
    assert threads()


def test_threads_end_with_a_loop_that_is_left() -> None:
    for x in doubled().prefetch(4):
        if x > 10:
            break


def test_threads_end_with_a_staged_loop_that_is_left() -> None:
    @rt.function
    def first_above(data: Any, limit: Any) -> Any:
        for x in data.prefetch(3):
            if x > limit:
                return x
        return rt.constant(-1, rt.int64)

    assert int(first_above(doubled(), rt.constant(7, rt.int64))) == 8


@pytest.mark.parametrize("parallel", [None, 2])
def test_an_error_comes_in_its_place_and_threads_go_on(parallel: Any) -> None:
    data = Dataset.range(9).map(lambda x: 12 // (x - 3), num_parallel_calls=parallel).prefetch(2)
    iterator = iter(data)
    assert [int(next(iterator)) for _ in range(3)] == [12 // (n - 3) for n in range(3)]
    with pytest.raises(rt.errors.InvalidArgumentError, match="division by zero") as caught:
        next(iterator)
    assert "Dataset.map" in caught.value.__notes__[0]
    assert "test_threads.py" in caught.value.__notes__[0]
    assert [int(x) for x in iterator] == [12 // (n - 3) for n in range(4, 9)]


def test_an_error_of_a_generator_passes_through_threads() -> None:
    class Broken(Exception):
        pass

    def broken() -> Any:
        yield 1
        raise Broken("no more")

    data = Dataset.from_generator(broken, output_signature=rt.TensorSpec([], rt.int32))
    iterator = iter(data.map(lambda x: x, num_parallel_calls=2).prefetch(2))
    assert int(next(iterator)) == 1
    with pytest.raises(Broken, match="no more"):
        next(iterator)


def test_prefetch_computes_ahead_and_no_further() -> None:
    given = []

    def count() -> Any:
        for n in range(100):
            given.append(n)
            yield n

    spec = rt.TensorSpec([], rt.int64)
    iterator = iter(Dataset.from_generator(count, output_signature=spec).prefetch(3))
    assert int(next(iterator)) == 0
    end = time.monotonic() + 10
    while len(given) < 4 and time.monotonic() < end:
        time.sleep(0.01)
    time.sleep(0.05)
    assert len(given) == 4


def test_long_functions_get_threads_where_that_is_left_open() -> None:
    seen = set()

    spec = rt.TensorSpec([], rt.float64)
    data = Dataset.from_generator(lambda: iter(range(8)), output_signature=spec)
    data = data.map(
        lambda x: rt.reduce_sum(rt.ones([1500, 1500], rt.float64) * x), rt.data.AUTOTUNE
    )
    found = []
    for x in data:
        seen.update(each.ident for each in threads())
        found.append(float(x))
    assert found == [n * 1500.0 * 1500 for n in range(8)]
    assert seen


def test_several_threads_may_share_an_iterator() -> None:
    iterator = iter(Dataset.range(2000).map(lambda x: x + 1))
    found: list[int] = []

    def take() -> None:
        for x in iterator:
            found.append(int(x))

    workers = [threading.Thread(target=take) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert sorted(found) == list(range(1, 2001))
