"""Tables: their keys are sorted arrays, constants of a graph or variables, so that graphs with them
are saved like others.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import runtime.ops as ops
from runtime import dtypes
from runtime.core.convert import convert_to_tensor, tensor_of
from runtime.core.primitive import bind, wrong_dtype, wrong_value
from runtime.core.state import init_scope
from runtime.core.tensor import Tensor
from runtime.debugging import assert_equal, assert_none_equal
from runtime.lookup.initializers import KeyValueTensorInitializer, TextFileInitializer
from runtime.ops.strings.conversion import as_string
from runtime.ops.strings.hash_buckets import to_hash_bucket_fast
from runtime.ops.tables import find_p, insert_p, remove_p, sorted_table
from runtime.variables.variable import Variable

Initializer = KeyValueTensorInitializer | TextFileInitializer


def _keys(given: Any, dtype: dtypes.DType) -> Tensor:
    try:
        keys = convert_to_tensor(given, dtype_hint=dtype)
    except TypeError:
        keys = convert_to_tensor(given)
    if keys.dtype is not dtype:
        raise wrong_dtype(f"the keys of this table are {dtype.name}, not {keys.dtype.name}")
    return keys


class StaticHashTable:
    """A table that is filled once.

    `default_value` is the value of keys that are not there. Raises FailedPreconditionError where
    one key has several values, InvalidArgumentError where a graph computes them.

    >>> filled = rt.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2])
    >>> table = rt.lookup.StaticHashTable(filled, default_value=-1)
    >>> table.lookup(["b", "c"]).numpy().tolist()
    [2, -1]
    """

    def __init__(
        self, initializer: Initializer, default_value: Any, name: str | None = None,
        experimental_is_anonymous: bool = False,
    ) -> None:  # fmt: skip
        self.key_dtype, self.value_dtype = initializer.key_dtype, initializer.value_dtype
        self.name = name or "hash_table"
        with init_scope():
            self.default_value = convert_to_tensor(default_value, self.value_dtype)
        if isinstance(initializer, KeyValueTensorInitializer) and not initializer._is_known():
            self._fill(initializer._keys, initializer._values)
            return
        with init_scope():
            keys, values = sorted_table(*initializer.arrays())
            self._held, self._values = tensor_of(keys), tensor_of(values)

    def _fill(self, keys: Tensor, values: Tensor) -> None:
        """Have what a graph computes in the table."""
        nothing = ops.zeros([0], self.key_dtype), ops.zeros([0], self.value_dtype)
        self._held, self._values = bind(insert_p, *nothing, keys, values)
        found = bind(find_p, keys, self._held, self._values, self.default_value)
        assert_equal(found, values, message="the table has several values for a key")

    def lookup(self, keys: Any, name: str | None = None) -> Tensor:
        """The values of keys, in the shape of `keys`. WrongDtypeError for keys of another dtype.

        >>> filled = rt.lookup.KeyValueTensorInitializer([10, 20], ["a", "b"])
        >>> rt.lookup.StaticHashTable(filled, "?").lookup([[20], [30]]).numpy().tolist()
        [[b'b'], [b'?']]
        """
        wanted = _keys(keys, self.key_dtype)
        return bind(find_p, wanted, self._held, self._values, self.default_value)  # type: ignore[no-any-return]

    def __getitem__(self, keys: Any) -> Tensor:
        return self.lookup(keys)

    def size(self, name: str | None = None) -> Tensor:
        """The number of keys, int64.

        >>> filled = rt.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2])
        >>> int(rt.lookup.StaticHashTable(filled, 0).size())
        2
        """
        return ops.size(self._held, dtypes.int64)

    def export(self, name: str | None = None) -> tuple[Tensor, Tensor]:
        """All keys, sorted, and their values.

        >>> filled = rt.lookup.KeyValueTensorInitializer([2, 1], [20, 10])
        >>> rt.lookup.StaticHashTable(filled, 0).export()[1].numpy().tolist()
        [10, 20]
        """
        return self._held, self._values


class StaticVocabularyTable:
    """A table of ids, in which keys that are not there have ids behind all others, by their hash.

    `initializer` has keys of string, int32 or int64 and values of int64, or is None for hashes
    alone; `num_oov_buckets` is how many ids there are for other keys.

    >>> filled = rt.lookup.KeyValueTensorInitializer(["a", "b"], rt.constant([0, 1], rt.int64))
    >>> table = rt.lookup.StaticVocabularyTable(filled, num_oov_buckets=1)
    >>> table.lookup(["b", "x"]).numpy().tolist()
    [1, 2]
    """

    def __init__(
        self, initializer: Initializer | None, num_oov_buckets: int, lookup_key_dtype: Any = None,
        name: str | None = None, experimental_is_anonymous: bool = False,
    ) -> None:  # fmt: skip
        if num_oov_buckets <= 0:
            raise wrong_value(f"num_oov_buckets must be positive, got {num_oov_buckets}")
        if initializer is not None and initializer.value_dtype is not dtypes.int64:
            raise wrong_dtype(f"the ids must be int64, not {initializer.value_dtype.name}")
        given = None if lookup_key_dtype is None else dtypes.as_dtype(lookup_key_dtype)
        own = dtypes.string if initializer is None else initializer.key_dtype
        self.key_dtype, self.value_dtype = given or own, dtypes.int64
        self.num_oov_buckets = num_oov_buckets
        self.name = name or "vocabulary_table"
        self._table = None if initializer is None else StaticHashTable(initializer, -1)

    def lookup(self, keys: Any, name: str | None = None) -> Tensor:
        """The ids of keys, int64, in the shape of `keys`.

        >>> rt.lookup.StaticVocabularyTable(None, 1).lookup(["x", "y"]).numpy().tolist()
        [0, 0]
        """
        wanted = _keys(keys, self.key_dtype)
        texts = wanted if wanted.dtype is dtypes.string else as_string(wanted)
        hashed = to_hash_bucket_fast(texts, self.num_oov_buckets)
        if self._table is None:
            return hashed
        found = self._table.lookup(ops.cast(wanted, self._table.key_dtype))
        return ops.where(ops.equal(found, -1), hashed + self._table.size(), found)

    def __getitem__(self, keys: Any) -> Tensor:
        return self.lookup(keys)

    def size(self, name: str | None = None) -> Tensor:
        """The number of ids, int64.

        >>> int(rt.lookup.StaticVocabularyTable(None, 3).size())
        3
        """
        count = 0 if self._table is None else self._table.size()
        return ops.cast(count, dtypes.int64) + self.num_oov_buckets


class MutableHashTable:
    """A table that is filled while programs run, also inside of functions.

    `default_value` is the value of keys that are not there, a scalar or a vector; it decides on the
    shape of all values.

    >>> table = rt.lookup.experimental.MutableHashTable(rt.string, rt.int64, -1)
    >>> table.insert(["a", "b"], [1, 2])
    >>> table.lookup(["b", "c"]).numpy().tolist()
    [2, -1]
    """

    def __init__(
        self, key_dtype: Any, value_dtype: Any, default_value: Any,
        name: str = "MutableHashTable", checkpoint: bool = True,
        experimental_is_anonymous: bool = False,
    ) -> None:  # fmt: skip
        self.key_dtype, self.value_dtype = dtypes.as_dtype(key_dtype), dtypes.as_dtype(value_dtype)
        self.name = name
        with init_scope():
            self.default_value = convert_to_tensor(default_value, self.value_dtype)
            inner = tuple(self.default_value.shape)
            self._held = Variable(
                tensor_of(np.empty(0, self.key_dtype.np_dtype)), False, shape=[None]
            )
            self._values = Variable(
                tensor_of(np.empty((0, *inner), self.value_dtype.np_dtype)), False,
                shape=[None, *inner],
            )  # fmt: skip

    def lookup(
        self, keys: Any, dynamic_default_values: Any = None, name: str | None = None
    ) -> Tensor:
        """The values of keys, in the shape of `keys`. WrongDtypeError for keys of another dtype.

        `dynamic_default_values` has a default for each key.

        >>> table = rt.lookup.experimental.MutableHashTable(rt.int64, rt.float32, 0.0)
        >>> table.lookup([1, 2], [5.0, 6.0]).numpy().tolist()
        [5.0, 6.0]
        """
        default = self.default_value
        if dynamic_default_values is not None:
            default = convert_to_tensor(dynamic_default_values, self.value_dtype)
        wanted = _keys(keys, self.key_dtype)
        return bind(find_p, wanted, self._held.value(), self._values.value(), default)  # type: ignore[no-any-return]

    def __getitem__(self, keys: Any) -> Tensor:
        return self.lookup(keys)

    def insert(self, keys: Any, values: Any, name: str | None = None) -> None:
        """Put values under keys; of equal keys the last counts. Raises InvalidArgumentError where
        the shapes do not fit.

        >>> table = rt.lookup.experimental.MutableHashTable(rt.int64, rt.int64, 0)
        >>> table.insert([1, 2], [10, 20])
        >>> int(table.size())
        2
        """
        new_keys = _keys(keys, self.key_dtype)
        new_values = convert_to_tensor(values, self.value_dtype)
        made = bind(insert_p, self._held.value(), self._values.value(), new_keys, new_values)
        self._put(made)

    def remove(self, keys: Any, name: str | None = None) -> None:
        """Take keys out; those that are not there change nothing.

        >>> table = rt.lookup.experimental.MutableHashTable(rt.int64, rt.int64, 0)
        >>> table.insert([1, 2], [10, 20])
        >>> table.remove([1, 5])
        >>> table.export()[0].numpy().tolist()
        [2]
        """
        gone = _keys(keys, self.key_dtype)
        self._put(bind(remove_p, self._held.value(), self._values.value(), gone))

    def _put(self, made: tuple[Tensor, Tensor]) -> None:
        self._held.assign(made[0])
        self._values.assign(made[1])

    def size(self, name: str | None = None) -> Tensor:
        """The number of keys, int64.

        >>> int(rt.lookup.experimental.MutableHashTable(rt.int64, rt.int64, 0).size())
        0
        """
        return ops.size(self._held.value(), dtypes.int64)

    def export(self, name: str | None = None) -> tuple[Tensor, Tensor]:
        """All keys, sorted, and their values.

        >>> table = rt.lookup.experimental.MutableHashTable(rt.int64, rt.int64, 0)
        >>> table.insert([2, 1], [20, 10])
        >>> table.export()[1].numpy().tolist()
        [10, 20]
        """
        return self._held.value(), self._values.value()


class DenseHashTable(MutableHashTable):
    """A `MutableHashTable` with two keys that mean that there is nothing: they are used nowhere.
    It exports its entries, where TensorFlow's exports empty buckets beside them.

    >>> table = rt.lookup.experimental.DenseHashTable(rt.string, rt.int64, -1, "", "$")
    >>> table.insert(["a", "b"], [1, 2])
    >>> table.erase(["a"])
    >>> table.lookup(["a", "b"]).numpy().tolist()
    [-1, 2]
    """

    def __init__(
        self, key_dtype: Any, value_dtype: Any, default_value: Any, empty_key: Any,
        deleted_key: Any, initial_num_buckets: Any = None, name: str = "MutableDenseHashTable",
        checkpoint: bool = True, experimental_is_anonymous: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(key_dtype, value_dtype, default_value, name)
        with init_scope():
            self._unused = ops.stack([
                convert_to_tensor(key, self.key_dtype) for key in (empty_key, deleted_key)
            ])  # fmt: skip
        assert_none_equal(
            self._unused[0], self._unused[1], message="the empty and the deleted key are one"
        )

    def _checked(self, keys: Any) -> Tensor:
        wanted = _keys(keys, self.key_dtype)
        flat = ops.reshape(wanted, [-1, 1])
        assert_none_equal(
            flat, self._unused, message="the empty or the deleted key is given as a key"
        )
        return wanted

    def lookup(self, keys: Any, name: str | None = None) -> Tensor:  # type: ignore[override]
        """The values of keys, in the shape of `keys`. WrongDtypeError for keys of another dtype.

        >>> table = rt.lookup.experimental.DenseHashTable(rt.int64, rt.int64, 0, -1, -2)
        >>> table.lookup([[5]]).numpy().tolist()
        [[0]]
        """
        return super().lookup(self._checked(keys))

    def insert(self, keys: Any, values: Any, name: str | None = None) -> None:
        """Put values under keys; of equal keys the last counts. Raises InvalidArgumentError where
        the shapes do not fit.

        >>> table = rt.lookup.experimental.DenseHashTable(rt.int64, rt.int64, 0, -1, -2)
        >>> table.insert([5], [50])
        >>> int(table[5])
        50
        """
        super().insert(self._checked(keys), values)

    insert_or_assign = insert

    def remove(self, keys: Any, name: str | None = None) -> None:
        """Take keys out; those that are not there change nothing.

        >>> table = rt.lookup.experimental.DenseHashTable(rt.int64, rt.int64, 0, -1, -2)
        >>> table.remove([5])
        """
        super().remove(self._checked(keys))

    erase = remove
