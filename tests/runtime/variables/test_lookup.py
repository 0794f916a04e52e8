"""Tables of keys and values, against Python's dicts."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import runtime as tf

MutableHashTable = tf.lookup.experimental.MutableHashTable
WORDS = ["the", "quick", "brown", "fox"]
LINES = tf.lookup.TextFileIndex


def static(keys: Any, values: Any, default: Any) -> Any:
    filled = tf.lookup.KeyValueTensorInitializer(keys, values)
    return tf.lookup.StaticHashTable(filled, default)


@pytest.mark.parametrize(
    ("keys", "values", "default", "asked"),
    [
        (WORDS, [3, 1, 4, 1], -1, [["fox", "cat"], ["the", "thee"]]),
        ([5, -3, 9], ["a", "b", "c"], "?", [9, 5, 0]),
        ([0.5, 0.25], [1.5, 2.5], 0.0, [0.25, 0.75]),
        ([], [], 7.0, [1.0, 2.0]),
    ],
)
def test_a_table_is_a_dict(keys: Any, values: Any, default: Any, asked: Any) -> None:
    table = static(keys, values, default)
    as_bytes = np.array(asked, object if isinstance(np.ravel(asked)[0], str) else None)
    known = dict(zip(keys, values, strict=True))
    wanted = [known.get(key, default) for key in as_bytes.ravel().tolist()]
    wanted = [w.encode() if isinstance(w, str) else w for w in wanted]
    for find in (table.lookup, tf.function(table.lookup), table.__getitem__):
        found = find(tf.constant(asked)).numpy()
        assert found.shape == np.shape(asked)
        assert found.ravel().tolist() == wanted
    assert int(table.size()) == len(keys)


def test_a_table_that_changes() -> None:
    table, known = MutableHashTable(tf.int64, tf.float64, 0.0), dict[int, float]()

    @tf.function(
        input_signature=[tf.TensorSpec([None], tf.int64), tf.TensorSpec([None], tf.float64)]
    )
    def staged(keys: Any, values: Any) -> Any:
        table.insert(keys, values)
        return table.lookup(keys)

    rng = np.random.default_rng(1)
    for turn in range(20):
        keys, values = rng.integers(0, 12, 5), rng.standard_normal(5)
        known |= dict(zip(keys.tolist(), values.tolist(), strict=True))
        if turn % 2:
            found = staged(keys, values).numpy()
            assert found.tolist() == [known[key] for key in keys.tolist()]
        else:
            table.insert(keys, values)
        gone = rng.integers(0, 12, 2)
        table.remove(gone)
        for key in gone.tolist():
            known.pop(key, None)
        kept, held = (part.numpy().tolist() for part in table.export())
        assert dict(zip(kept, held, strict=True)) == known
        assert int(table.size()) == len(known)


def test_values_that_are_vectors_and_defaults_for_each_key() -> None:
    table = MutableHashTable(tf.string, tf.int32, [0, 0])
    table.insert(["a", "b"], [[1, 2], [3, 4]])
    assert table.lookup([["b"], ["x"]]).numpy().tolist() == [[[3, 4]], [[0, 0]]]
    scalar = MutableHashTable(tf.string, tf.int32, 0)
    scalar.insert(["a"], [1])
    assert scalar.lookup(["a", "b"], [8, 9]).numpy().tolist() == [1, 9]


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "words.tsv"
    path.write_text("the\t3\nfox\t5\n")
    numbers = tf.lookup.TextFileInitializer(
        path, tf.string, 0, tf.int64, LINES.LINE_NUMBER, value_index_offset=2
    )
    columns = tf.lookup.TextFileInitializer(str(path), tf.string, 0, tf.int32, 1)
    table = tf.lookup.StaticHashTable(numbers, -1)
    assert table.lookup(["fox", "cat"]).numpy().tolist() == [3, -1]
    assert tf.lookup.StaticHashTable(columns, 0).lookup(["fox", "the"]).numpy().tolist() == [5, 3]
    words = tf.lookup.StaticVocabularyTable(numbers, 2)
    assert set(words.lookup(["the", "ox", "cow", "elk"]).numpy().tolist()) <= {2, 3}
    with pytest.raises(tf.errors.NotFoundError, match="no such file"):
        tf.lookup.TextFileInitializer("/no/file", tf.string, -2, tf.int64, -1)
    for name, said in (("", "is empty"), ([str(path)] * 2, "scalar"), ([str(path)], "scalar")):
        with pytest.raises(tf.errors.InvalidArgumentError, match=said):
            tf.lookup.TextFileInitializer(tf.constant(name), tf.string, -2, tf.int64, -1)
    with pytest.raises(TypeError, match="to a tensor of dtype string"):
        tf.lookup.TextFileInitializer(3, tf.string, -2, tf.int64, -1)
    with pytest.raises(tf.errors.InvalidArgumentError, match="line 1 has no column 2"):
        tf.lookup.TextFileInitializer(path, tf.string, 2, tf.int64, -1)
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="2 lines, less than a vocab_size of 3"
    ):
        tf.lookup.TextFileInitializer(path, tf.string, -2, tf.int64, -1, vocab_size=3)
    with pytest.raises(TypeError, match="index -1 of a line has dtype int64, not string"):
        tf.lookup.TextFileInitializer(path, tf.string, -1, tf.int64, -1)


def test_refused() -> None:
    with pytest.raises(tf.errors.FailedPreconditionError, match="several values for the key b'a'"):
        static(["a", "a"], [1, 2], 0)
    for key in (1, 1.5, "1"):
        with pytest.raises(tf.errors.FailedPreconditionError, match=rf"for the key b?'?{key}'?$"):
            static([key, key], [1, 2], 0)
    assert int(static(["a", "a"], [1, 1], 0).size()) == 1
    with pytest.raises(tf.errors.InvalidArgumentError, match="vectors of one length"):
        static(["a"], [1, 2], 0)
    with pytest.raises(TypeError, match="keys of this table are string, not int32"):
        static(["a"], [1], 0).lookup([1])
    with pytest.raises(TypeError, match="ids must be int64"):
        tf.lookup.StaticVocabularyTable(tf.lookup.KeyValueTensorInitializer(["a"], [1]), 1)


def test_a_graph_with_a_table_is_saved(tmp_path: Path) -> None:
    table = static(WORDS, [3, 1, 4, 1], -1)
    concrete = tf.function(table.lookup).get_concrete_function(tf.TensorSpec([None], tf.string))
    concrete.graph.save(tmp_path / "graph.zip")
    from runtime.graph.ir import Graph

    assert str(Graph.load(tmp_path / "graph.zip")) == str(concrete.graph)


@pytest.mark.parametrize(
    ("keys", "values", "asked"),
    [
        ([5, -3, 9], [1, 2, 3], [9, 5, 0]),
        (["b", "a"], [0.5, 1.5], ["a", "c"]),
        ([1, 1], [4, 4], [1]),
    ],
)
def test_a_graph_fills_a_table_with_what_it_computes(keys: Any, values: Any, asked: Any) -> None:
    @tf.function
    def staged(keys: Any, values: Any, asked: Any) -> Any:
        table = static(keys, values, -1)
        return table.lookup(asked), table.size()

    known = dict(zip(keys, values, strict=True))
    found, size = staged(tf.constant(keys), tf.constant(values), tf.constant(asked))
    assert found.numpy().tolist() == [known.get(key, -1) for key in asked]
    assert int(size) == len(known)
    if keys == [1, 1]:
        with pytest.raises(tf.errors.InvalidArgumentError, match="several values for a key"):
            staged(tf.constant(keys), tf.constant([4, 5]), tf.constant(asked))


@pytest.mark.parametrize("is_staged", [False, True])
def test_a_dense_table_refuses_the_keys_that_stand_for_none(is_staged: bool) -> None:
    table = tf.lookup.experimental.DenseHashTable(tf.int64, tf.int64, -1, 0, 1)
    calls = {
        name: tf.function(method) if is_staged else method
        for name in ("insert", "insert_or_assign", "erase", "remove", "lookup")
        for method in [getattr(table, name)]
    }

    def of(*keys: int) -> Any:
        return tf.constant(keys, tf.int64)

    calls["insert"](of(5, 6), of(50, 60))
    calls["insert_or_assign"](of(7, 5), of(70, 55))
    calls["erase"](of(6, 9))
    calls["remove"](of(7))
    assert calls["lookup"](of(5, 6, 7)).numpy().tolist() == [55, -1, -1]
    for name, call in calls.items():
        for key in (0, 1):
            given = (of(8, key), of(1, 2)) if "insert" in name else (of(5, key),)
            with pytest.raises(tf.errors.InvalidArgumentError, match="empty or the deleted key"):
                call(*given)
    assert table.export()[0].numpy().tolist() == [5]
    with pytest.raises(tf.errors.InvalidArgumentError, match="are one"):
        tf.lookup.experimental.DenseHashTable(tf.int64, tf.int64, -1, 2, 2)
