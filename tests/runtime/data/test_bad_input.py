"""Bad input: each gets its class of error, and a message that names the transformation."""

import itertools
from collections.abc import Callable
from typing import Any, ClassVar

import pytest

import autograph
import runtime as rt
from runtime.errors import DataLossError, InvalidArgumentError

Dataset = rt.data.Dataset
SPEC = rt.TensorSpec([], rt.int32)
GROWING = Dataset.range(1, 4).map(lambda x: rt.fill([x], x))


def generated(item: Any, spec: Any = SPEC) -> list[Any]:
    return list(Dataset.from_generator(lambda: iter([item]), output_signature=spec))


def in_graph(call: Callable[[], Any]) -> Callable[[], Any]:
    def called() -> Any:
        with rt.Graph().as_default():
            return call()

    return called


ERROR = InvalidArgumentError
ROWS: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (lambda: Dataset.range(3).batch(0), ERROR, "batch: batch_size .* got 0"),
    (lambda: Dataset.range(3).batch(-1), ERROR, "batch: batch_size .* got -1"),
    (lambda: Dataset.range(3).batch("a"), TypeError, "batch: batch_size .* integer, got 'a'"),
    (lambda: Dataset.range(3).batch(1.5), TypeError, "batch: batch_size .* integer, got 1.5"),
    (lambda: Dataset.range(3).batch([1]), TypeError, "batch: batch_size must be a scalar"),
    (lambda: list(GROWING.batch(2)), ERROR, r"batch: .* component 0.*\[1\].*\[2\]"),
    (lambda: Dataset.range(3).window(2).batch(2), TypeError, "batch: elements hold datasets"),
    (lambda: Dataset.range(3).shuffle(0), ERROR, "shuffle: buffer_size"),
    (lambda: Dataset.range(3).shuffle(2, seed="a"), TypeError, "shuffle: seed"),
    (lambda: Dataset.range(3).shard(3, 3), ERROR, "shard: index .* got 3"),
    (lambda: Dataset.range(3).shard(0, 0), ERROR, "shard: num_shards"),
    (lambda: Dataset.range(3).prefetch(-2), ERROR, "prefetch: buffer_size"),
    (lambda: Dataset.range(3).window(0), ERROR, "window: size"),
    (lambda: Dataset.range(3).window(2, shift=0), ERROR, "window: shift"),
    (lambda: Dataset.range(3).window(2, stride=0), ERROR, "window: stride"),
    (lambda: Dataset.range(3).take(None), TypeError, "take: count"),
    (lambda: Dataset.range(3).repeat(0.5), TypeError, "repeat: count"),
    (lambda: Dataset.range(), ValueError, "range: takes 1 to 3"),
    (lambda: Dataset.range(1.5), TypeError, "range: stop .* got 1.5"),
    (lambda: Dataset.range(1, 5, 0), ERROR, "range: step"),
    (lambda: Dataset.from_tensor_slices(1), ValueError, "from_tensor_slices: a scalar"),
    (lambda: Dataset.from_tensor_slices(([1], [1, 2])), ValueError, r"dimensions .* \[1, 2\]"),
    (lambda: Dataset.from_tensor_slices(()), ValueError, "from_tensor_slices: there is no tensor"),
    (lambda: Dataset.from_tensor_slices([[1], [1, 2]]), ValueError, "_slices: .*lengths"),
    (
        lambda: Dataset.from_tensor_slices([Dataset.range(2), Dataset.from_tensors("a")]),
        TypeError, "from_tensor_slices",
    ),
    (lambda: Dataset.from_tensors(object()), TypeError, "from_tensors: .*object"),
    (lambda: Dataset.from_generator([1], rt.int32), TypeError, "from_generator: .*callable"),
    (lambda: Dataset.from_generator(list), TypeError, "from_generator: output_signature"),
    (lambda: Dataset.from_generator(list, rt.int32, output_signature=SPEC), TypeError, "or outp"),
    (lambda: Dataset.from_generator(list, output_signature=3), TypeError, "TensorSpecs, not 3"),
    (lambda: generated([1]), ERROR, r"from_generator: .* shape \(1,\) where"),
    (lambda: generated("a"), ERROR, "from_generator: .* 'a', which is no int32"),
    (lambda: generated(1.5), ERROR, "from_generator: .* 1.5, which is no int32"),
    (lambda: generated(2**40), ERROR, "which is no int32"),
    (lambda: generated(1, (SPEC, SPEC)), ERROR, "did not match the expected struct"),
    (lambda: generated((1, 2, 3), (SPEC, SPEC)), ERROR, "did not match"),
    (lambda: generated({"b": 1}, {"a": SPEC}), ERROR, "did not match"),
    (lambda: len(Dataset.range(3).repeat()), TypeError, "infinite"),
    (lambda: len(Dataset.range(3).filter(lambda x: x > 1)), TypeError, "unknown"),
    (in_graph(lambda: len(Dataset.range(3))), TypeError, "cardinality"),
    (lambda: Dataset.range(0).get_single_element(), ERROR, "single_element: .*empty"),
    (lambda: Dataset.range(2).get_single_element(), ERROR, "more than one"),
    (lambda: next(iter(Dataset.range(0))), StopIteration, "^End of sequence"),
    (lambda: Dataset.range(2).map(3), TypeError, "map: expected a function, got 3"),
    (lambda: Dataset.range(2).map(lambda a, b: a), TypeError, "argument: 'b'"),
    (lambda: Dataset.range(2).map(lambda a: object()), TypeError, "result of <lambda>"),
    (lambda: Dataset.range(2).map(lambda a: (a, [[1], [1, 2]])), ValueError, "map: the result"),
    (lambda: Dataset.range(2).map(lambda x, n=None: x, 0), ERROR, "num_parallel"),
    (lambda: Dataset.range(2).filter(lambda x: x), ValueError, "filter: predicate .*int64"),
    (lambda: Dataset.range(2).take_while(lambda x: [x > 1]), ValueError, "take_while: predicate"),
    (lambda: Dataset.range(2).flat_map(lambda x: x), TypeError, "flat_map: .* return a Dataset"),
    (lambda: Dataset.range(2).interleave(lambda x: x), TypeError, "interleave: .* Dataset"),
    (lambda: Dataset.range(2).interleave(Dataset.range, 0), ERROR, "cycle_length"),
    (lambda: Dataset.range(2).concatenate([1]), TypeError, r"concatenate: .* list: \[1\]"),
    (lambda: Dataset.range(2).concatenate(GROWING.map(lambda x: (x, 1))), TypeError, "structures"),
    (lambda: Dataset.range(2).concatenate(Dataset.from_tensors(1.0)), TypeError, "types: .*float"),
    (lambda: Dataset.zip(), TypeError, "zip: takes datasets"),
    (lambda: Dataset.zip(3), TypeError, "zip: expected a Dataset, got int"),
    (lambda: Dataset.zip([Dataset.range(2)]), TypeError, "zip: .* tuple or dict"),
    (lambda: Dataset.range(2).unbatch(), ValueError, "unbatch: a scalar"),
    (lambda: Dataset.from_tensors(([1], [1, 2])).unbatch(), ValueError, r"unbatch: .* \[1, 2\]"),
    (lambda: Dataset.from_tensors(1.0).unique(), TypeError, "unique: .*float32"),
    (lambda: Dataset.range(3).reduce(0.5, lambda s, x: x), TypeError, "reduce: the state"),
    (lambda: Dataset.range(3).reduce(1, lambda s, x: (s, s)), TypeError, "reduce: .* structures"),
    (lambda: Dataset.range(3).scan(1, lambda s, x: s), TypeError, r"scan: .*\(state, output\)"),
    (lambda: list(GROWING.padded_batch(2, padded_shapes=[1])), DataLossError, "batch: .*smaller"),
    (lambda: GROWING.padded_batch(2, padded_shapes=[1, 1]), ValueError, "not compatible"),
    (lambda: GROWING.padded_batch(2, padded_shapes=([], [])), ValueError, "padded_shapes"),
    (lambda: GROWING.padded_batch(2, padding_values="a"), TypeError, "padding_values"),
    (lambda: GROWING.padded_batch(2, padded_shapes=rt.constant([1.5])), TypeError, "float32s"),
    (lambda: Dataset.range(3).map(lambda x: (x, None)).padded_batch(2), TypeError, "hold None"),
    (lambda: Dataset.range(3).batch(3).rebatch([0, 0]), ERROR, r"rebatch: .* got \[0, 0\]"),
    (lambda: Dataset.range(3).batch(3).rebatch([2, -1]), ERROR, r"rebatch: .* got \[2, -1\]"),
    (lambda: Dataset.range(3).batch(3).rebatch([[1]]), TypeError, "rebatch: batch_size"),
    (lambda: Dataset.range(3, output_type=rt.bool), ERROR, "range: output_type .* not bool"),
    (lambda: Dataset.range(3, output_type=rt.string), ERROR, "range: output_type .* not string"),
    (lambda: Dataset.range(2).interleave(Dataset.range, 2, num_parallel_calls=3), ERROR, "got 3"),
    (lambda: Dataset.range(2).interleave(Dataset.range, 2, num_parallel_calls=0), ERROR, "got 0"),
    (lambda: Dataset.range(2).group_by_window(lambda x: 1.5, lambda k, d: d, 2), TypeError, "1.5"),
    (lambda: Dataset.range(3).apply(lambda data: 3), TypeError, "apply: the result"),
    (lambda: Dataset.choose_from_datasets([], Dataset.range(0)), ValueError, "choose_"),
    (lambda: Dataset.choose_from_datasets([GROWING], Dataset.from_tensors(0)), TypeError, "int64"),
    (lambda: list(Dataset.choose_from_datasets([Dataset.range(9)], Dataset.range(2))),
     ERROR, r"the choice 1 is not in \[0, 1\)"),
    (lambda: Dataset.sample_from_datasets([Dataset.range(3)], [1.0, 2.0]), ValueError, "weights"),
    (lambda: Dataset.sample_from_datasets([Dataset.range(3)], [0.0]), ERROR, "not all"),
    (lambda: setattr(rt.data.Options(), "foo", 1), AttributeError, "foo"),
    (lambda: setattr(rt.data.Options().autotune, "enabld", 1), AttributeError, "enabled"),
    (lambda: setattr(Dataset.range(2).options(), "deterministic", True), ValueError, "with_opt"),
    (
        lambda: setattr(
            Dataset.range(2).with_options(rt.data.Options()).map(abs).options().threading,
            "private_threadpool_size", 1,
        ), ValueError, "with_options",
    ),
    (lambda: Dataset.from_tensors("a").cache("x"), TypeError, "cache: strings"),
    (lambda: list(Dataset.range(2).cache("/no/folder")), rt.errors.NotFoundError, "/no"),
]  # fmt: skip


@pytest.mark.parametrize("at", range(len(ROWS)))
def test_is_refused(at: int) -> None:
    run, kind, words = ROWS[at]
    with pytest.raises(kind, match=words):
        run()


def test_an_error_in_a_function_keeps_its_class_and_names_both_places() -> None:
    class Unwanted(Exception):
        pass

    def refuse_two(x: Any) -> Any:
        if x == 2:
            raise Unwanted("two")
        return x

    iterator = iter(Dataset.range(9).map(refuse_two))
    assert [int(next(iterator)), int(next(iterator))] == [0, 1]
    with pytest.raises(Unwanted, match="two") as caught:
        next(iterator)
    (note,) = (text for text in caught.value.__notes__ if "Dataset.map" in text)
    assert "test_bad_input.py" in note


def test_an_error_while_tracing_names_the_transformation() -> None:
    with pytest.raises(TypeError, match="both must be the same") as caught:
        Dataset.range(3).filter(lambda x: x > rt.constant(2.0))
    assert any("Dataset.filter" in note for note in caught.value.__notes__)


def test_a_function_that_always_raises_behind_an_op_is_refused() -> None:
    def refuse(x: Any) -> Any:
        rt.debugging.assert_equal(x, x)
        raise AttributeError("boom")

    with pytest.raises(ValueError, match=r"every element.*: AttributeError: boom\n") as caught:
        Dataset.range(3).map(refuse)
    assert any("Dataset.map" in note for note in caught.value.__notes__)


def test_the_end_of_another_iterator_is_an_error() -> None:
    inner = iter(Dataset.range(2))
    data = Dataset.range(5).map(lambda x: next(inner))
    iterator = iter(data)
    assert [int(x) for x in itertools.islice(iterator, 2)] == [0, 1]
    with pytest.raises(rt.errors.InvalidArgumentError, match="End of sequence"):
        next(iterator)


class Seen:
    count = 0
    items: ClassVar[list[Any]] = []


@pytest.mark.parametrize(
    ("function", "path"),
    [
        (lambda x: x + (setattr(Seen, "count", Seen.count + x) or 1), "Seen.count"),
        (lambda x: (Seen.items.append(x), x)[1], "Seen.items"),
    ],
)
def test_a_function_that_changes_objects_outside_is_refused(function: Any, path: str) -> None:
    with pytest.raises(autograph.StagingError, match=f"{path} is changed .* when they are asked"):
        Dataset.range(3).map(function)
    assert (Seen.count, Seen.items) == (0, [])
