"""Buckets of strings by their hashes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from runtime.core.primitive import Primitive, bind, row, same_shape, sample, wrong_value
from runtime.core.tensor import Tensor
from runtime.ops.arguments import static_int, static_ints
from runtime.ops.strings.elements import as_strings, elements_of
from runtime.ops.strings.fingerprints import fingerprint
from runtime.ops.strings.hashes import murmur, siphash


def _bucket_row(name: str, op_type: str, hashed: Callable[..., int], **key: Any) -> Primitive:
    def kernel(x: Any, *, buckets: int, **key: Any) -> Any:
        values = [hashed(s, **key) % buckets for s in elements_of(x)]
        return np.array(values, np.int64).reshape(np.shape(x))

    return row(
        name, kernel, signature="S->int64", shape=same_shape, op_type=op_type,
        samples=(sample("2,3:s", buckets=7, **key),),
    )  # fmt: skip


bucket_fast_p = _bucket_row("string_to_hash_bucket_fast", "StringToHashBucketFast", fingerprint)
bucket_p = _bucket_row("string_to_hash_bucket", "StringToHashBucket", murmur)
bucket_strong_p = _bucket_row(
    "string_to_hash_bucket_strong", "StringToHashBucketStrong", siphash, key=(1, 2)
)


def _bucket(primitive: Primitive, input: Any, num_buckets: Any, **key: Any) -> Tensor:
    buckets = static_int(num_buckets, "num_buckets")
    if buckets < 1:
        raise wrong_value(f"num_buckets must be positive, got {num_buckets}")
    return bind(primitive, as_strings(input), buckets=buckets, **key)  # type: ignore[no-any-return]


def to_hash_bucket_fast(input: Any, num_buckets: Any, name: str | None = None) -> Tensor:
    """FarmHash's 64-bit fingerprint of each string, modulo `num_buckets`.

    It is the same in every run and on every machine. ValueError unless `num_buckets` is positive.

    >>> int(rt.strings.to_hash_bucket_fast("a", 10))
    9
    """
    return _bucket(bucket_fast_p, input, num_buckets)


def to_hash_bucket(input: Any, num_buckets: Any, name: str | None = None) -> Tensor:
    """The MurmurHash64A of each string, modulo `num_buckets`.

    `to_hash_bucket_fast` spreads strings better.

    >>> int(rt.strings.to_hash_bucket("a", 10))
    8
    """
    return _bucket(bucket_p, input, num_buckets)


def to_hash_bucket_strong(
    input: Any, num_buckets: Any, key: Any, name: str | None = None
) -> Tensor:
    """The SipHash-2-4 of each string under a secret `key`, modulo `num_buckets`.

    The key is two integers: without it nobody can find strings that collide.

    >>> int(rt.strings.to_hash_bucket_strong("a", 10, [1, 2]))
    6
    """
    numbers = static_ints(key, "key")
    if len(numbers) != 2:
        raise wrong_value(f"key must be two integers, got {key!r}")
    words = tuple([number % (1 << 64) for number in numbers])
    return _bucket(bucket_strong_p, input, num_buckets, key=words)
