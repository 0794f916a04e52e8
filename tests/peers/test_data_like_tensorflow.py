"""The same pipelines on TensorFlow: specs, cardinalities and all elements are equal, and bad input
is refused by the same classes.
"""

import collections
import warnings
from pathlib import Path
from typing import Any

import pytest

import runtime
from tests.runtime.data.test_errors_between import CASES, found

pytestmark = pytest.mark.peers
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import tensorflow

Point = collections.namedtuple("Point", "x y")


def D(tf: Any) -> Any:
    return tf.data.Dataset


PIPELINES = {
    "range": lambda tf: D(tf).range(5),
    "range2": lambda tf: D(tf).range(2, 9, 3),
    "range_neg": lambda tf: D(tf).range(9, 2, -3),
    "range_empty": lambda tf: D(tf).range(3, 3),
    "range_i32": lambda tf: D(tf).range(3, output_type=tf.int32),
    "slices": lambda tf: D(tf).from_tensor_slices([[1, 2], [3, 4]]),
    "slices_dict": lambda tf: D(tf).from_tensor_slices(
        {"b": [1, 2], "a": ([3.0, 4.0], ["x", "y"])}
    ),
    "slices_named": lambda tf: D(tf).from_tensor_slices(Point([1, 2], [3, 4])),
    "tensors": lambda tf: D(tf).from_tensors(([1, 2], 3)),
    "tensors_none": lambda tf: D(tf).from_tensors((1, [2.0])),
    "gen": lambda tf: D(tf).from_generator(
        lambda: iter([1, 2, 3]), output_signature=tf.TensorSpec([], tf.int32)
    ),
    "gen_old": lambda tf: D(tf).from_generator(
        lambda: iter([(1, [2.0]), (2, [3.0, 4.0])]), (tf.int32, tf.float32)
    ),
    "gen_old_shapes": lambda tf: D(tf).from_generator(
        lambda: iter([(1, [2.0]), (2, [3.0])]), (tf.int32, tf.float32), ((), (1,))
    ),
    "gen_args": lambda tf: D(tf).from_generator(
        lambda n: range(n), args=(4,), output_signature=tf.TensorSpec([], tf.int64)
    ),
    "gen_dict": lambda tf: D(tf).from_generator(
        lambda: iter([{"a": 1, "b": [1, 2]}]),
        output_signature={"a": tf.TensorSpec([], tf.int64), "b": tf.TensorSpec([None], tf.int32)},
    ),
    "zip": lambda tf: D(tf).zip((D(tf).range(3), D(tf).range(5, 9))),
    "zip2": lambda tf: D(tf).zip(D(tf).range(3), D(tf).range(5, 9)),
    "zip_dict": lambda tf: D(tf).zip({"b": D(tf).range(3), "a": D(tf).range(5).batch(2)}),
    "map": lambda tf: D(tf).range(4).map(lambda x: x * 2),
    "map_tuple": lambda tf: (
        D(tf).zip(D(tf).range(3), D(tf).range(3)).map(lambda a, b: (a + b, {"k": a * b}))
    ),
    "map_list": lambda tf: D(tf).range(3).map(lambda x: [x, x + 1]),
    "map_nested_list": lambda tf: D(tf).range(3).map(lambda x: (x, [x, x + 1])),
    "map_const": lambda tf: D(tf).range(3).map(lambda x: 1),
    "map_const_list": lambda tf: D(tf).range(2).map(lambda x: (x, [1, 2])),
    "map_str": lambda tf: D(tf).range(3).map(lambda x: tf.strings.as_string(x)),
    "map_str2": lambda tf: D(tf).from_tensor_slices(["a", "bc"]).map(lambda x: x + "!"),
    "map_dict_in": lambda tf: (
        D(tf).from_tensor_slices({"a": [1, 2], "b": [3, 4]}).map(lambda d: d["a"] - d["b"])
    ),
    "map_par": lambda tf: D(tf).range(50).map(lambda x: x * x, num_parallel_calls=4),
    "map_auto": lambda tf: (
        D(tf).range(50).map(lambda x: x * x, num_parallel_calls=tf.data.AUTOTUNE)
    ),
    "map_if": lambda tf: D(tf).range(6).map(lambda x: x * 10 if x > 2 else x),
    "map_named": lambda tf: D(tf).range(2).map(lambda x: Point(x, x + 1)),
    "map_shape": lambda tf: D(tf).range(1, 4).map(lambda x: tf.fill([x], x)),
    "filter": lambda tf: D(tf).range(8).filter(lambda x: x % 3 == 0),
    "filter_dict": lambda tf: (
        D(tf).from_tensor_slices({"a": [1, 2, 3]}).filter(lambda d: d["a"] > 1)
    ),
    "batch": lambda tf: D(tf).range(7).batch(3),
    "batch_drop": lambda tf: D(tf).range(7).batch(3, drop_remainder=True),
    "batch_map": lambda tf: D(tf).range(7).map(lambda x: (x, tf.stack([x, x]))).batch(3),
    "batch_str": lambda tf: D(tf).from_tensor_slices(["a", "b", "c"]).map(lambda x: x).batch(2),
    "batch_str0": lambda tf: D(tf).from_tensor_slices(["a", "b", "c"]).batch(2),
    "batch_empty": lambda tf: D(tf).range(0).batch(2),
    "batch_batch": lambda tf: D(tf).range(7).batch(2, drop_remainder=True).batch(2),
    "batch_take": lambda tf: D(tf).range(10).take(5).batch(2),
    "batch_dict": lambda tf: (
        D(tf).from_tensor_slices({"a": [1, 2, 3], "b": [[1], [2], [3]]}).batch(2)
    ),
    "padded": lambda tf: D(tf).range(1, 6).map(lambda x: tf.fill([x], x)).padded_batch(2),
    "padded_shape": lambda tf: (
        D(tf).range(1, 4).map(lambda x: tf.fill([x], x)).padded_batch(2, padded_shapes=[5])
    ),
    "padded_value": lambda tf: (
        D(tf)
        .range(1, 4)
        .map(lambda x: (tf.fill([x], x), tf.strings.as_string(x)))
        .padded_batch(
            2, padding_values=(tf.constant(-1, tf.int64), "p"), padded_shapes=([None], [])
        )
    ),
    "padded_drop": lambda tf: (
        D(tf).range(1, 4).map(lambda x: tf.fill([x], x)).padded_batch(2, drop_remainder=True)
    ),
    "padded_dict": lambda tf: (
        D(tf).range(1, 4).map(lambda x: {"a": tf.fill([x], 1.0), "b": x}).padded_batch(2)
    ),
    "padded_2d": lambda tf: (
        D(tf)
        .range(1, 4)
        .map(lambda x: tf.fill([x, 4 - x], x))
        .padded_batch(3, padded_shapes=[-1, 4])
    ),
    "shuffle": lambda tf: D(tf).range(20).shuffle(7, seed=3),
    "shuffle_big": lambda tf: D(tf).range(5).shuffle(70, seed=3),
    "shuffle_1": lambda tf: D(tf).range(5).shuffle(1, seed=3),
    "shuffle_rep": lambda tf: D(tf).range(5).shuffle(3, seed=3).repeat(4),
    "shuffle_rep_same": lambda tf: (
        D(tf).range(5).shuffle(3, seed=3, reshuffle_each_iteration=False).repeat(3)
    ),
    "shuffle_0": lambda tf: D(tf).range(9).shuffle(3, seed=0),
    "shuffle_neg": lambda tf: D(tf).range(9).shuffle(3, seed=-5),
    "shuffle_large_seed": lambda tf: D(tf).range(9).shuffle(3, seed=2**40 + 1),
    "shuffle_twice": lambda tf: D(tf).range(9).shuffle(3, seed=5).shuffle(4, seed=6),
    "random": lambda tf: D(tf).random(seed=9).take(1030),
    "repeat": lambda tf: D(tf).range(3).repeat(2),
    "repeat0": lambda tf: D(tf).range(3).repeat(0),
    "repeat_inf": lambda tf: D(tf).range(3).repeat().take(7),
    "repeat_empty": lambda tf: D(tf).range(0).repeat().take(7),
    "take": lambda tf: D(tf).range(5).take(3),
    "take_all": lambda tf: D(tf).range(5).take(-1),
    "take0": lambda tf: D(tf).range(5).take(0),
    "take_more": lambda tf: D(tf).range(5).take(9),
    "skip": lambda tf: D(tf).range(5).skip(3),
    "skip_all": lambda tf: D(tf).range(5).skip(-1),
    "skip0": lambda tf: D(tf).range(5).skip(0),
    "skip_more": lambda tf: D(tf).range(5).skip(9),
    "take_skip_batch": lambda tf: D(tf).range(20).skip(3).take(9).batch(4),
    "take_while": lambda tf: D(tf).range(9).take_while(lambda x: x < 4),
    "enumerate": lambda tf: D(tf).from_tensor_slices(["a", "b"]).enumerate(5),
    "prefetch": lambda tf: D(tf).range(30).prefetch(3),
    "prefetch_auto": lambda tf: D(tf).range(3).prefetch(tf.data.AUTOTUNE),
    "prefetch0": lambda tf: D(tf).range(3).prefetch(0),
    "cache": lambda tf: D(tf).range(3).cache().repeat(2),
    "scan": lambda tf: D(tf).range(5).scan(tf.constant(0, tf.int64), lambda s, x: (s + x, s * x)),
    "scan_struct": lambda tf: (
        D(tf)
        .range(5)
        .scan(
            {"a": tf.constant(0, tf.int64), "b": 1.0},
            lambda s, x: ({"a": s["a"] + x, "b": s["b"] * 2.0}, (s["b"], x)),
        )
    ),
    "concat": lambda tf: D(tf).range(3).concatenate(D(tf).range(7, 9)),
    "concat_shapes": lambda tf: (
        D(tf)
        .range(3)
        .batch(3, drop_remainder=True)
        .concatenate(D(tf).range(4).batch(4, drop_remainder=True))
    ),
    "interleave": lambda tf: (
        D(tf)
        .range(1, 5)
        .interleave(lambda x: D(tf).from_tensors(x).repeat(x + 1), cycle_length=2, block_length=2)
    ),
    "interleave3": lambda tf: (
        D(tf).range(1, 8).interleave(lambda x: D(tf).range(x), cycle_length=3, block_length=1)
    ),
    "interleave_b3": lambda tf: (
        D(tf).range(0, 8).interleave(lambda x: D(tf).range(x), cycle_length=3, block_length=3)
    ),
    "interleave_b2c5": lambda tf: (
        D(tf).range(0, 9).interleave(lambda x: D(tf).range(x % 4), cycle_length=5, block_length=2)
    ),
    "interleave_default": lambda tf: (
        D(tf).range(1, 5).interleave(lambda x: D(tf).from_tensors(x).repeat(3))
    ),
    "interleave_par": lambda tf: (
        D(tf)
        .range(1, 5)
        .interleave(lambda x: D(tf).from_tensors(x).repeat(3), cycle_length=2, num_parallel_calls=2)
    ),
    "flat_map": lambda tf: D(tf).range(1, 4).flat_map(lambda x: D(tf).range(x)),
    "flat_map_tuple": lambda tf: (
        D(tf)
        .from_tensor_slices(([[1, 2], [3, 4]], [5, 6]))
        .flat_map(lambda a, b: D(tf).from_tensor_slices(a).map(lambda v: v * b))
    ),
    "unbatch": lambda tf: D(tf).from_tensor_slices([[1, 2], [3, 4]]).unbatch(),
    "unbatch_dict": lambda tf: D(tf).from_tensors({"a": [1, 2], "b": ["x", "y"]}).unbatch(),
    "unbatch_unknown": lambda tf: D(tf).range(7).batch(3).unbatch(),
    "rebatch": lambda tf: D(tf).range(7).batch(3).rebatch(2),
    "shard": lambda tf: D(tf).range(10).shard(3, 2),
    "shard0": lambda tf: D(tf).range(10).shard(3, 0),
    "shard1": lambda tf: D(tf).range(2).shard(5, 4),
    "unique": lambda tf: D(tf).from_tensor_slices([1, 5, 1, 2, 5]).unique(),
    "unique_str": lambda tf: D(tf).from_tensor_slices(["a", "b", "a"]).unique(),
    "window_flat": lambda tf: (
        D(tf).range(10).window(3, shift=2, stride=2).flat_map(lambda w: w.batch(3))
    ),
    "window_drop": lambda tf: (
        D(tf)
        .range(10)
        .window(3, shift=2, stride=2, drop_remainder=True)
        .flat_map(lambda w: w.batch(3))
    ),
    "window_plain": lambda tf: D(tf).range(7).window(3).flat_map(lambda w: w.batch(3)),
    "window_shift": lambda tf: D(tf).range(12).window(2, shift=5).flat_map(lambda w: w.batch(3)),
    "window_shift_stride": lambda tf: (
        D(tf).range(23).window(2, shift=7, stride=3).flat_map(lambda w: w.batch(3))
    ),
    "window_shift_drop": lambda tf: (
        D(tf)
        .range(23)
        .window(2, shift=7, stride=3, drop_remainder=True)
        .flat_map(lambda w: w.batch(3))
    ),
    "window_tuple": lambda tf: (
        D(tf)
        .range(5)
        .map(lambda x: (x, x * 2))
        .window(2)
        .flat_map(lambda a, b: D(tf).zip((a, b)).batch(2))
    ),
    "window_spec": lambda tf: (
        D(tf)
        .range(7)
        .window(3)
        .map(lambda w: w.reduce(tf.constant(0, tf.int64), lambda s, x: s + x))
    ),
    "window_itself": lambda tf: D(tf).range(7).window(3, drop_remainder=True),
    "window_card": lambda tf: (
        D(tf).range(7).window(3, shift=1, drop_remainder=True).flat_map(lambda w: w)
    ),
    "apply": lambda tf: D(tf).range(5).apply(lambda d: d.take(2)),
    "choose": lambda tf: D(tf).choose_from_datasets(
        [D(tf).range(3), D(tf).range(10, 12)],
        D(tf).from_tensor_slices(tf.constant([0, 1, 1, 0, 1, 0, 0], tf.int64)),
    ),
    "choose_nostop": lambda tf: D(tf).choose_from_datasets(
        [D(tf).range(3), D(tf).range(10, 12)],
        D(tf).from_tensor_slices(tf.constant([0, 1, 1, 0, 1, 0, 0], tf.int64)),
        stop_on_empty_dataset=False,
    ),
    "sample1": lambda tf: D(tf).sample_from_datasets(
        [D(tf).range(3), D(tf).range(10, 12)], weights=[1.0, 0.0], seed=1
    ),
    "counter": lambda tf: D(tf).counter(3, 2).take(3),
    "pipeline": lambda tf: (
        D(tf).range(100).map(lambda x: x * 2).shuffle(30, seed=2).batch(7).prefetch(2)
    ),
    "infinite": lambda tf: (
        D(tf).range(3).repeat().map(lambda x: x).filter(lambda x: x > 0).batch(2).take(4)
    ),
    "options": lambda tf: D(tf).range(3).with_options(tf.data.Options()),
    "complex_nest": lambda tf: (
        D(tf)
        .from_tensor_slices((Point([1, 2], {"q": [1.0, 2.0]}), ([[1], [2]],)))
        .map(lambda p, q: (q, p))
    ),
    "zip_inf": lambda tf: D(tf).zip(D(tf).range(3).repeat(), D(tf).range(4)),
    "concat_inf": lambda tf: D(tf).range(3).concatenate(D(tf).range(4).repeat()).take(5),
    "card_filter_batch": lambda tf: D(tf).range(8).filter(lambda x: x > 1).batch(2),
    "empty_flat": lambda tf: D(tf).range(0).flat_map(lambda x: D(tf).range(x)),
    "map_ds": lambda tf: D(tf).range(3).map(lambda x: D(tf).range(x)).flat_map(lambda d: d),
    "map_loop": lambda tf: (
        D(tf)
        .range(1, 4)
        .map(lambda n: D(tf).range(n).reduce(tf.constant(0, tf.int64), lambda s, x: s + x))
    ),
    "bool": lambda tf: D(tf).from_tensor_slices([True, False]),
    "f64": lambda tf: D(tf).from_tensor_slices(tf.constant([1.0, 2.0], tf.float64)),
    "skip_inf": lambda tf: D(tf).range(3).repeat().skip(2).take(2),
    "by_window": lambda tf: (
        D(tf)
        .range(11)
        .group_by_window(lambda x: x % 3, lambda k, d: d.map(lambda x: (k, x)), window_size=2)
    ),
    "by_window_func": lambda tf: (
        D(tf)
        .range(11)
        .group_by_window(lambda x: x % 3, lambda k, d: d.batch(3), window_size_func=lambda k: k + 1)
    ),
    "by_length": lambda tf: (
        D(tf)
        .range(1, 9)
        .map(lambda n: tf.fill([n % 5 + 1], n))
        .bucket_by_sequence_length(lambda x: tf.shape(x)[0], [3, 5], [2, 3, 1])
    ),
    "by_length_drop": lambda tf: (
        D(tf)
        .range(1, 9)
        .map(lambda n: (tf.fill([n % 5 + 1], n), n))
        .bucket_by_sequence_length(
            lambda x, n: tf.shape(x)[0],
            [3],
            [3, 2],
            drop_remainder=True,
            padding_values=(tf.constant(-1, tf.int64), tf.constant(0, tf.int64)),
        )
    ),
    "ignored": lambda tf: D(tf).range(4).map(lambda x: 6 // (x - 2)).ignore_errors(),
    "lines": lambda tf: tf.data.TextLineDataset([__file__, __file__]).take(30),
    "lines_of_names": lambda tf: (
        D(tf).from_tensor_slices([__file__]).flat_map(tf.data.TextLineDataset).skip(3).take(9)
    ),
    "listed": lambda tf: D(tf).list_files([__file__[:-3] + ".*", __file__], shuffle=False),
    "map_and_batch": lambda tf: (
        D(tf).range(5).apply(tf.data.experimental.map_and_batch(lambda x: x * 2, 2))
    ),
    "known": lambda tf: (
        D(tf).range(5).filter(lambda x: x < 3).apply(tf.data.experimental.assert_cardinality(3))
    ),
    "group": lambda tf: D(tf).range(4).batch(2).map(lambda x: tf.reduce_sum(x)),
}


def shown(tf: Any, item: Any) -> Any:
    if isinstance(item, tf.data.Dataset):
        return "dataset", [shown(tf, element) for element in item]
    if isinstance(item, tuple):
        return type(item).__name__, [shown(tf, part) for part in item]
    if isinstance(item, dict):
        return [(key, shown(tf, part)) for key, part in item.items()]
    value = item.numpy()
    return item.dtype.name, list(item.shape), getattr(value, "tolist", lambda: value)()


def described(tf: Any, make: Any) -> Any:
    data = make(tf)
    return repr(data.element_spec), int(data.cardinality()), [shown(tf, item) for item in data]


@pytest.fixture(autouse=True)
def no_global_seed() -> None:
    runtime.random.set_seed(None)
    tensorflow.random.set_seed(None)


@pytest.mark.parametrize("name", PIPELINES)
def test_is_as_in_tensorflow(name: str) -> None:
    make = PIPELINES[name]
    assert described(runtime, make) == described(tensorflow, make)


@pytest.mark.parametrize("name", CASES)
def test_errors_between_elements_are_as_in_tensorflow(name: str) -> None:
    make, expected = CASES[name]
    assert list(found(tensorflow, make(tensorflow))) == expected


def test_seeds_of_the_program_are_as_in_tensorflow() -> None:
    orders = []
    for tf in (runtime, tensorflow):
        tf.random.set_seed(5)
        made = [
            D(tf).range(12).shuffle(5),
            D(tf).range(12).shuffle(5),
            D(tf).range(9).shuffle(4, 7),
        ]
        orders.append([[int(x) for x in data] for data in (*made, made[0])])
    assert orders[0] == orders[1]


@pytest.mark.parametrize("pack", [None, "GZIP", "ZLIB"])
def test_each_reads_the_tfrecords_of_the_other(tmp_path: Path, pack: str | None) -> None:
    written = [b"", b"one", bytes(range(256)) * 20]
    for writes, reads in ((runtime, tensorflow), (tensorflow, runtime)):
        path = str(tmp_path / writes.__name__)
        with writes.io.TFRecordWriter(path, pack) as writer:
            for record in written:
                writer.write(record)
        assert [x.numpy() for x in reads.data.TFRecordDataset(path, pack)] == written
