"""Names of `data.experimental`: older forms of what `Dataset` has, and what options ask for."""

from __future__ import annotations

import enum
from collections.abc import Callable
from functools import partial
from typing import Any

from runtime.core.lazy import public as _public
from runtime.core.tensor import Tensor
from runtime.data import transformations as _made
from runtime.data.arguments import AUTOTUNE as AUTOTUNE
from runtime.data.arguments import INFINITE_CARDINALITY as INFINITE_CARDINALITY
from runtime.data.arguments import UNKNOWN_CARDINALITY as UNKNOWN_CARDINALITY
from runtime.data.arguments import check_dataset as _check_dataset
from runtime.data.arguments import common_spec as _common_spec
from runtime.data.arguments import integer as _integer
from runtime.data.csv_files import CsvDataset as CsvDataset
from runtime.data.csv_files import make_csv_dataset as make_csv_dataset
from runtime.data.dataset import Dataset
from runtime.data.layouts import components_of as _components_of
from runtime.data.layouts import normalized as _normalized
from runtime.data.layouts import spec_of as _spec_of
from runtime.data.options import AutotuneOptions as AutotuneOptions
from runtime.data.options import DistributeOptions as DistributeOptions
from runtime.data.options import OptimizationOptions as OptimizationOptions
from runtime.data.options import ThreadingOptions as ThreadingOptions
from runtime.data.pipelines import Pipeline as _Pipeline
from runtime.errors import OutOfRangeError as _OutOfRangeError

_Change = Callable[[Any], Any]


class AutoShardPolicy(enum.IntEnum):
    """Policies that divide a dataset among machines. There is one machine: they change nothing.

    >>> options = rt.data.Options()
    >>> policy = rt.data.experimental.AutoShardPolicy.OFF
    >>> options.experimental_distribute.auto_shard_policy = policy
    """

    OFF = -1
    AUTO = 0
    FILE = 1
    DATA = 2
    HINT = 3


def at(dataset: Any, index: Any) -> Any:
    """The element at a place, eagerly: those before it are gone through.

    OutOfRangeError for a negative place, and for one behind the last element.

    >>> int(rt.data.experimental.at(rt.data.Dataset.range(5, 9), 2))
    7
    """
    what = "data.experimental.at"
    _check_dataset(dataset, what)
    place = int(_integer(index, what, "index"))
    for element in dataset.skip(place).take(1) if place >= 0 else ():
        return element
    raise _OutOfRangeError(f"{what}: the dataset has no element at {place}")


def cardinality(dataset: Any) -> Tensor:
    """`dataset.cardinality()`.

    >>> int(rt.data.experimental.cardinality(rt.data.Dataset.range(3)))
    3
    """
    _check_dataset(dataset, "data.experimental.cardinality")
    return dataset.cardinality()  # type: ignore[no-any-return]


def assert_cardinality(expected_cardinality: Any) -> _Change:
    """For `apply`: the dataset is known to have as many elements.

    FailedPreconditionError in an iteration that finds another number of them.

    >>> data = rt.data.Dataset.range(4).filter(lambda x: x < 2)
    >>> len(data.apply(rt.data.experimental.assert_cardinality(2)))
    2
    """
    what = "data.experimental.assert_cardinality"
    count = _integer(expected_cardinality, what, "expected_cardinality")
    return lambda data: data._to(data.element_spec, _made.counted_out, count)


def ignore_errors(log_warning: bool = False) -> _Change:
    """For `apply`: `dataset.ignore_errors(log_warning)`.

    >>> data = rt.data.Dataset.range(3).map(lambda x: 6 // x)
    >>> [int(x) for x in data.apply(rt.data.experimental.ignore_errors())]
    [6, 3]
    """
    return lambda data: data.ignore_errors(log_warning)


def enumerate_dataset(start: int = 0) -> _Change:
    """For `apply`: `dataset.enumerate(start)`.

    >>> data = rt.data.Dataset.range(3, 5).apply(rt.data.experimental.enumerate_dataset())
    >>> [(int(i), int(x)) for i, x in data]
    [(0, 3), (1, 4)]
    """
    return lambda data: data.enumerate(start)


def unbatch() -> _Change:
    """For `apply`: `dataset.unbatch()`.

    >>> data = rt.data.Dataset.range(3).batch(2).apply(rt.data.experimental.unbatch())
    >>> [int(x) for x in data]
    [0, 1, 2]
    """
    return lambda data: data.unbatch()


def unique() -> _Change:
    """For `apply`: `dataset.unique()`.

    >>> data = rt.data.Dataset.from_tensor_slices([1, 2, 1])
    >>> [int(x) for x in data.apply(rt.data.experimental.unique())]
    [1, 2]
    """
    return lambda data: data.unique()


def scan(initial_state: Any, scan_func: Callable[..., Any]) -> _Change:
    """For `apply`: `dataset.scan(initial_state, scan_func)`.

    >>> sums = rt.data.experimental.scan(rt.constant(0, rt.int64), lambda s, x: (s + x, s + x))
    >>> [int(x) for x in rt.data.Dataset.range(4).apply(sums)]
    [0, 1, 3, 6]
    """
    return lambda data: data.scan(initial_state, scan_func)


def take_while(predicate: Callable[..., Any]) -> _Change:
    """For `apply`: `dataset.take_while(predicate)`.

    >>> few = rt.data.experimental.take_while(lambda x: x < 2)
    >>> [int(x) for x in rt.data.Dataset.range(9).apply(few)]
    [0, 1]
    """
    return lambda data: data.take_while(predicate)


def shuffle_and_repeat(buffer_size: Any, count: Any = None, seed: Any = None) -> _Change:
    """For `apply`: `dataset.shuffle(buffer_size, seed).repeat(count)`.

    >>> data = rt.data.Dataset.range(3).apply(rt.data.experimental.shuffle_and_repeat(3, 2))
    >>> sorted(int(x) for x in data)
    [0, 0, 1, 1, 2, 2]
    """
    return lambda data: data.shuffle(buffer_size, seed).repeat(count)


def map_and_batch(
    map_func: Callable[..., Any],
    batch_size: Any,
    num_parallel_batches: Any = None,
    drop_remainder: bool = False,
    num_parallel_calls: Any = None,
) -> _Change:
    """For `apply`: `dataset.map(map_func, num_parallel_calls).batch(batch_size, drop_remainder)`.

    >>> data = rt.data.Dataset.range(3)
    >>> data = data.apply(rt.data.experimental.map_and_batch(lambda x: x * 2, 2))
    >>> [x.numpy().tolist() for x in data]
    [[0, 2], [4]]
    """
    return lambda data: data.map(map_func, num_parallel_calls).batch(batch_size, drop_remainder)


def group_by_window(
    key_func: Callable[..., Any],
    reduce_func: Callable[..., Any],
    window_size: Any = None,
    window_size_func: Callable[..., Any] | None = None,
) -> _Change:
    """For `apply`: `dataset.group_by_window(...)`.

    >>> group = rt.data.experimental.group_by_window(lambda x: x % 2, lambda k, xs: xs.batch(2), 2)
    >>> [x.numpy().tolist() for x in rt.data.Dataset.range(3).apply(group)]
    [[0, 2], [1]]
    """
    given = key_func, reduce_func, window_size, window_size_func
    return lambda data: data.group_by_window(*given)


def bucket_by_sequence_length(
    element_length_func: Callable[..., Any],
    bucket_boundaries: Any,
    bucket_batch_sizes: Any,
    padded_shapes: Any = None,
    padding_values: Any = None,
    pad_to_bucket_boundary: bool = False,
    no_padding: bool = False,
    drop_remainder: bool = False,
) -> _Change:
    """For `apply`: `dataset.bucket_by_sequence_length(...)`.

    >>> data = rt.data.Dataset.range(1, 4).map(lambda n: rt.ones([n], rt.int32))
    >>> bucket = rt.data.experimental.bucket_by_sequence_length(rt.size, [3], [2, 2])
    >>> [tuple(x.shape) for x in data.apply(bucket)]
    [(2, 2), (1, 3)]
    """
    given = (
        *(element_length_func, bucket_boundaries, bucket_batch_sizes, padded_shapes),
        *(padding_values, pad_to_bucket_boundary, no_padding, drop_remainder),
    )
    return lambda data: data.bucket_by_sequence_length(*given)


def parallel_interleave(
    map_func: Callable[..., Any],
    cycle_length: Any,
    block_length: Any = 1,
    sloppy: bool | None = False,
    buffer_output_elements: Any = None,
    prefetch_input_elements: Any = None,
) -> _Change:
    """For `apply`: `dataset.interleave(map_func, cycle_length, block_length)`.

    >>> copies = lambda x: rt.data.Dataset.from_tensors(x).repeat(2)
    >>> data = rt.data.Dataset.range(2).apply(rt.data.experimental.parallel_interleave(copies, 2))
    >>> [int(x) for x in data]
    [0, 1, 0, 1]
    """
    return lambda data: data.interleave(map_func, cycle_length, block_length)


def prefetch_to_device(device: Any, buffer_size: Any = None) -> _Change:
    """For `apply`: `dataset.prefetch(buffer_size)`; there is one device.

    >>> data = rt.data.Dataset.range(2).apply(rt.data.experimental.prefetch_to_device("/cpu:0"))
    >>> [int(x) for x in data]
    [0, 1]
    """
    return lambda data: data.prefetch(AUTOTUNE if buffer_size is None else buffer_size)


def copy_to_device(target_device: Any, source_device: Any = "/cpu:0") -> _Change:
    """For `apply`: the dataset; there is one device.

    >>> data = rt.data.Dataset.range(2).apply(rt.data.experimental.copy_to_device("/cpu:0"))
    >>> [int(x) for x in data]
    [0, 1]
    """
    return lambda data: data


def choose_from_datasets(
    datasets: Any, choice_dataset: Any, stop_on_empty_dataset: bool = False
) -> Any:
    """`Dataset.choose_from_datasets`, which goes on where a dataset has ended.

    >>> a, b = rt.data.Dataset.range(2), rt.data.Dataset.range(5, 7)
    >>> choice = rt.data.Dataset.from_tensor_slices(rt.constant([0, 1], rt.int64))
    >>> [int(x) for x in rt.data.experimental.choose_from_datasets([a, b], choice)]
    [0, 5]
    """
    return Dataset.choose_from_datasets(datasets, choice_dataset, stop_on_empty_dataset)


def sample_from_datasets(
    datasets: Any, weights: Any = None, seed: Any = None, stop_on_empty_dataset: bool = False
) -> Any:
    """`Dataset.sample_from_datasets`.

    >>> a, b = rt.data.Dataset.range(2), rt.data.Dataset.range(5, 7)
    >>> sorted(int(x) for x in rt.data.experimental.sample_from_datasets([a, b]))
    [0, 1, 5, 6]
    """
    return Dataset.sample_from_datasets(datasets, weights, seed, stop_on_empty_dataset)


def get_single_element(dataset: Any) -> Any:
    """`dataset.get_single_element()`.

    >>> int(rt.data.experimental.get_single_element(rt.data.Dataset.range(1)))
    0
    """
    _check_dataset(dataset, "data.experimental.get_single_element")
    return dataset.get_single_element()


def get_structure(dataset_or_iterator: Any) -> Any:
    """The `element_spec` of a dataset or an iterator.

    >>> rt.data.experimental.get_structure(rt.data.Dataset.range(2))
    TensorSpec(shape=(), dtype=tf.int64, name=None)
    """
    return dataset_or_iterator.element_spec


def from_list(elements: Any, name: str | None = None) -> Any:
    """The dataset of the elements of a list, each of which has the same structure.

    Lists in it are tensors, which may have different lengths.

    >>> data = rt.data.experimental.from_list([(1, "a"), (2, "b")])
    >>> [(int(x), y.numpy()) for x, y in data]
    [(1, b'a'), (2, b'b')]
    >>> [x.numpy().tolist() for x in rt.data.experimental.from_list([[1], [2, 3]])]
    [[1], [2, 3]]
    """
    what = "data.experimental.from_list"
    if not isinstance(elements, list) or not elements:
        raise ValueError(f"{what}: takes a list with elements")
    made = [_normalized(element, what) for element in elements]
    spec = _common_spec(list(map(_spec_of, made)), what, "the elements")
    components = [each for element in made for each in _components_of(element)]
    if not components:
        raise ValueError(f"{what}: there is no tensor in an element")
    build = partial(_dealt, width=len(components) // len(made))
    return Dataset.from_tensors(tuple(components))._to(spec, build)


def _dealt(source: _Pipeline, *, width: int) -> _Pipeline:
    """The components of the only element of `source`, `width` of them at a time."""
    (components,) = source.elements()
    count = len(components) // width
    return _Pipeline(lambda: zip(*[iter(components)] * width, strict=True), count)


def Counter(start: Any = 0, step: Any = 1, dtype: Any = None) -> Any:
    """`Dataset.counter(start, step, dtype)`.

    >>> [int(x) for x in rt.data.experimental.Counter(2).take(2)]
    [2, 3]
    """
    return partial(Dataset.counter, start, step)(*([] if dtype is None else [dtype]))


def RandomDataset(seed: Any = None) -> Any:
    """`Dataset.random(seed)`.

    >>> len(list(rt.data.experimental.RandomDataset(4).take(2)))
    2
    """
    return Dataset.random(seed)


__dir__ = _public(
    __name__,
    "AUTOTUNE CsvDataset INFINITE_CARDINALITY UNKNOWN_CARDINALITY make_csv_dataset",
)
