"""The hashes of crossed features, as TensorFlow's `sparse.cross_hashed` computes them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import runtime
from runtime.ops.strings.fingerprints import fingerprint

_KEY = 0xDECAFCAFFE
_FACTOR = 0xC6A4A7935BD1E995
_MASK = (1 << 64) - 1


def cross_hashed(inputs: Sequence[Any], num_buckets: int) -> Any:
    """The bucket of each row of columns of strings and integers, int64, as a matrix of a column."""
    columns = [runtime.convert_to_tensor(item) for item in inputs]

    def hashed(*arrays: Any) -> Any:
        rows = zip(*(array.reshape(-1).tolist() for array in arrays), strict=True)
        found = [_hash(row) % num_buckets for row in rows]
        return np.array(found, np.int64).reshape(arrays[0].shape)

    made = runtime.numpy_function(hashed, columns, runtime.int64, stateful=False)
    return runtime.ensure_shape(made, columns[0].shape)


def _hash(row: tuple[Any, ...]) -> int:
    found = _KEY
    for item in row:
        found = _joined(found, fingerprint(item) if isinstance(item, bytes) else item & _MASK)
    return found


def _joined(a: int, b: int) -> int:
    """The fingerprint of two: the steps of MurmurHash64A, as `FingerprintCat64` has them."""
    found = (a ^ _FACTOR) ^ (_mixed(b * _FACTOR & _MASK) * _FACTOR & _MASK)
    found = _mixed(found * _FACTOR & _MASK) * _FACTOR & _MASK
    return _mixed(found)


def _mixed(value: int) -> int:
    return value ^ (value >> 47)
