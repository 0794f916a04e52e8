"""The samples of the op table as arrays: the notation of `runtime.core.primitive.sample`, read.

An input is "shape:kind". The shape is a list of dimensions ("2,3"; empty: a scalar). The kind tells
the values:

    (none) numbers of either sign     +   positive          u   inside (-0.9, 0.9)     >1  above 1
    +f     positive, and never integers
    i9     integers from 0 to 8       i4+ integers 1 to 3   d4  distinct rows of integers below 4
    p      a permutation              s+  sorted numbers    b   truth values           s   strings
    n      numbers as strings
    c      complex numbers            r   regular matrices  pd  positive definite      lo, hi  -0.5,
    0.5 f4     float32, whatever else is asked for

Anything that is no string is the value itself.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

import runtime.ops
from runtime.core.primitive import CLASSES, TABLE, Primitive, Sample
from runtime.dtypes import as_dtype

runtime.ops.load_all()  # fills the table

FLOAT64 = np.dtype(np.float64)
INT32 = np.dtype(np.int32)


def _spread(rng: np.random.Generator, shape: tuple[int, ...]) -> Any:
    """Numbers of either sign, no two closer than finite differences can tell apart."""
    size = int(np.prod(shape))
    steps = rng.permutation(size) - size / 2 + rng.uniform(0.2, 0.8)
    return (steps / max(size, 4) * 3).reshape(shape)


def _matrix(rng: np.random.Generator, shape: tuple[int, ...], positive: bool) -> Any:
    made = rng.uniform(-1, 1, shape) + 2 * np.eye(shape[-1])
    return made @ made.swapaxes(-1, -2) if positive else made


def _distinct_rows(rng: np.random.Generator, shape: tuple[int, ...], bound: int) -> Any:
    depth = shape[-1]
    chosen = rng.permutation(bound**depth)[: int(np.prod(shape[:-1]))]
    return np.stack(np.unravel_index(chosen, (bound,) * depth), -1).reshape(shape).astype(INT32)


def _integers(rng: np.random.Generator, shape: tuple[int, ...], kind: str) -> Any:
    low, bound = (1, kind[1:-1]) if kind.endswith("+") else (0, kind[1:])
    if kind[0] == "d":
        return _distinct_rows(rng, shape, int(bound))
    return rng.integers(low, int(bound), shape).astype(INT32)


def _special(rng: np.random.Generator, shape: tuple[int, ...], kind: str) -> Any:
    match kind:
        case "b":
            return rng.uniform(size=shape) < 0.5
        case "s":
            words = [bytes([97 + i % 26]) * (1 + i % 3) for i in range(int(np.prod(shape)))]
            return np.array(words, object).reshape(shape)
        case "n":
            return np.array([b"%d" % i for i in range(int(np.prod(shape)))], object).reshape(shape)
        case "c":
            return _spread(rng, shape) + 1j * _spread(rng, shape)
        case "p":
            return rng.permutation(shape[0]).astype(INT32)
        case "f4":
            return _spread(rng, shape).astype(np.float32)
    return None


def _numbers(rng: np.random.Generator, shape: tuple[int, ...], kind: str) -> Any:
    values = _spread(rng, shape)
    match kind:
        case "":
            return values
        case "+" | "+f":
            return np.abs(values) + 0.3
        case "u":
            return values / 2
        case ">1":
            return np.abs(values) + 1.3
        case "s+":
            return np.sort(values, -1)
        case "lo" | "hi":
            return np.asarray(-0.5 if kind == "lo" else 0.5)
        case "r" | "pd":
            return _matrix(rng, shape, kind == "pd")
    raise ValueError(f"unknown kind of sample {kind!r}")


def _value(spec: Any, letter: str, dtype: np.dtype[Any], rng: np.random.Generator) -> Any:
    accepted = CLASSES.get(letter, CLASSES["A"])
    if not isinstance(spec, str):
        values = np.asarray(spec)
        fits = values.dtype.kind == "f" and dtype in accepted
        return values.astype(dtype if fits or letter not in "IJKi" else INT32)
    dims, _, kind = spec.partition(":")
    shape = tuple(int(dim) for dim in dims.split(",") if dim)
    if kind[:1] in ("i", "d"):
        return _integers(rng, shape, kind)
    special = _special(rng, shape, kind)
    if special is not None:
        return special
    values = np.asarray(_numbers(rng, shape, kind))
    return (values * 3 if dtype.kind in "iu" else values).astype(dtype)


def letters_of(primitive: Primitive, count: int) -> list[str]:
    """The letter of each of `count` inputs."""
    letters = list(primitive.letters) or ["A"]
    return letters + letters[-1:] * (count - len(letters))


def arrays(primitive: Primitive, sample: Sample, dtype: np.dtype[Any] = FLOAT64) -> list[Any]:
    """The input arrays of a sample; what is left open gets the given dtype."""
    rng = np.random.default_rng(7)
    inputs, _ = sample
    letters = letters_of(primitive, len(inputs))
    return [_value(spec, letter, dtype, rng) for spec, letter in zip(inputs, letters, strict=False)]


def is_open(primitive: Primitive, sample: Sample) -> bool:
    """May the numbers of the sample have any dtype that the row takes?"""
    inputs, _ = sample
    return bool(inputs) and isinstance(inputs[0], str) and inputs[0].partition(":")[2] in ("", "+")


def cases(
    dtypes: tuple[str, ...] = ("float64", "float32", "int32"),
) -> Iterator[tuple[str, Primitive, Sample, np.dtype[Any]]]:
    """Every sample of every row with each dtype that the row takes: (id, row, sample, dtype)."""
    for primitive in TABLE.values():
        for number, sample in enumerate(primitive.samples):
            for name in dtypes:
                dtype = as_dtype(name).np_dtype
                fits = dtype in primitive.accepted and is_open(primitive, sample)
                if fits or (name == dtypes[0] and not is_open(primitive, sample)):
                    yield f"{primitive.name}-{number}-{name}", primitive, sample, dtype
