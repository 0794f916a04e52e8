"""Fingerprints of the rows of a tensor."""

from __future__ import annotations

from typing import Any

import numpy as np

from runtime.core.convert import convert_to_tensor
from runtime.core.primitive import Primitive, bind, row, sample, wrong_value
from runtime.core.shapes import Shape
from runtime.core.tensor import Tensor
from runtime.ops.strings.elements import elements_of
from runtime.ops.strings.fingerprints import fingerprint as _fingerprint


def _shape(x: Shape) -> Shape:
    if x == ():
        raise wrong_value("a scalar has no rows: give a tensor of rank >= 1")
    return (None if x is None else x[0], 8)


def _hash(data: bytes) -> bytes:
    return _fingerprint(data).to_bytes(8, "little")


def _of_row(values: Any) -> bytes:
    if not values.dtype.hasobject:
        return _hash(values.tobytes())
    hashes = [_hash(s) for s in elements_of(values)]
    return hashes[0] if len(hashes) == 1 else _hash(b"".join(hashes))


def _kernel(x: Any) -> Any:
    _shape(x.shape)
    rows = x.reshape(x.shape[0], -1) if x.size else np.empty((x.shape[0], 0), x.dtype)
    found = b"".join(map(_of_row, rows))
    return np.frombuffer(found, np.uint8).reshape(-1, 8).copy()


fingerprint_p: Primitive = row(
    "fingerprint", _kernel, signature="A->uint8", shape=_shape, op_type="Fingerprint",
    samples=(sample("2,3"), sample("2,3:s"), sample("3:s")),
)  # fmt: skip


def fingerprint(data: Any, method: str = "farmhash64", name: str | None = None) -> Tensor:
    """FarmHash's 64-bit fingerprint of each row, as eight bytes from the lowest on.

    It is the same in every run and on every machine. A row of several strings has that of the
    fingerprints of its strings. ValueError for a scalar, and for any other `method`.

    >>> rt.fingerprint(["a"]).numpy().tolist()
    [[227, 117, 223, 182, 101, 66, 69, 179]]
    """
    if method != "farmhash64":
        raise wrong_value(f"method must be 'farmhash64', got {method!r}")
    return bind(fingerprint_p, convert_to_tensor(data))  # type: ignore[no-any-return]
