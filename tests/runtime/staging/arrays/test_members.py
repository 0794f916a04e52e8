"""Methods and attributes of arrays of the run, with all of their parameters, against NumPy's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import runtime as rt
from autograph import StagingError
from tests.support.staging import attempt

NUMBERS = np.array([[1.0, 2.0], [0.0, -4.0]])

MEMBERS: dict[str, Callable[[Any, Any], Any]] = {
    "all": lambda m, i: (
        m.all(),
        m.all(0),
        m.all(axis=1),
        m.all(keepdims=True),
        m.all(where=m > 0),
        m.all(axis=(0, 1)),
    ),
    "any": lambda m, i: (
        m.any(),
        m.any(0),
        m.any(axis=1, keepdims=True),
        m.any(where=m > 0),
    ),
    "argmax": lambda m, i: (
        m.argmax(),
        m.argmax(0),
        m.argmax(axis=1),
        m.argmax(1, keepdims=True),
        m.argmax(1, None),
    ),
    "argmin": lambda m, i: (
        m.argmin(),
        m.argmin(0),
        m.argmin(axis=1, keepdims=True),
    ),
    "argpartition": lambda m, i: (
        m.argpartition(1),
        m.argpartition(1, 0),
        m.argpartition(kth=1, axis=-1, kind="introselect", order=None),
        m.argpartition(1, None),
    ),
    "argsort": lambda m, i: (
        m.argsort(),
        m.argsort(0),
        m.argsort(axis=None),
        m.argsort(kind="stable"),
        m.argsort(0, "stable", None),
        m.argsort(stable=True),
    ),
    "astype": lambda m, i: (
        m.astype(int),
        m.astype("float32"),
        m.astype(np.int64, copy=False),
        m.astype(int, "K"),
        m.astype(int, order="C"),
        m.astype(int, casting="unsafe"),
        m.astype(int, "K", "unsafe", True, True),
        m.astype(float, subok=False),
        m.astype(dtype=bool),
        m.astype(int, order="F"),
        m.astype(complex),
    ),
    "choose": lambda m, i: (
        i.choose([m, m + 1]),
        i.choose(m, mode="clip"),
        i.choose(m, m + 1),
        i.choose(m, m + 1, mode="wrap"),
    ),
    "clip": lambda m, i: (
        m.clip(0),
        m.clip(0, 1),
        m.clip(min=0),
        m.clip(max=1),
        m.clip(None, 1),
        m.clip(0, None),
        m.clip(0, 1, None),
        m.clip(0, 1, dtype="float32", casting="unsafe"),
        m.clip(),
        m.clip(m, m + 1),
        m.clip(m),
        m.clip(None, None),
    ),
    "compress": lambda m, i: (
        m.compress([True, False]),
        m.compress([True, False], 1),
        m.compress([True, False], axis=0),
        m.compress(condition=[True, False], axis=0),
        m.compress([True, False], 0, None),
    ),
    "conj": lambda m, i: (
        m.conj(),
        (m * 1j).conj(),
    ),
    "conjugate": lambda m, i: (m.conjugate(),),
    "copy": lambda m, i: (
        m.copy(),
        m.copy("F"),
        m.copy(order="C"),
    ),
    "cumprod": lambda m, i: (
        m.cumprod(),
        m.cumprod(0),
        m.cumprod(1, float),
        m.cumprod(axis=1, dtype="float32", out=None),
    ),
    "cumsum": lambda m, i: (
        m.cumsum(),
        m.cumsum(0),
        m.cumsum(1, float, None),
        m.cumsum(dtype=int),
    ),
    "diagonal": lambda m, i: (
        m.diagonal(),
        m.diagonal(1),
        m.diagonal(0, 1, 0),
        m.diagonal(offset=-1, axis1=0, axis2=1),
    ),
    "dot": lambda m, i: (
        m.dot(m),
        m.dot(m[0]),
        m.dot(b=m),
        m.dot(m, None),
        m.dot(2),
    ),
    "flatten": lambda m, i: (
        m.flatten(),
        m.flatten("F"),
        m.flatten(order="F"),
        m.flatten("C"),
    ),
    "T": lambda m, i: (
        m.T.flatten(),
        m.T,
    ),
    "item": lambda m, i: (
        m.item(0),
        m.item(1, 1),
        m.item((0, 1)),
        m[:1, :1].item(),
        m.item(-1),
    ),
    "max": lambda m, i: (
        m.max(),
        m.max(0),
        m.max(axis=1, keepdims=True),
        m.max(initial=9.0),
        m.max(initial=-9.0, where=m < 1),
        m.max(1, None, True, 5.0),
        m.max((0, 1)),
    ),
    "min": lambda m, i: (
        m.min(),
        m.min(0),
        m.min(axis=1, keepdims=True),
        m.min(initial=-9.0),
        m.min(initial=9.0, where=m < 1),
    ),
    "mean": lambda m, i: (
        m.mean(),
        m.mean(0),
        m.mean(1, "float32"),
        m.mean(axis=1, dtype=float, out=None, keepdims=True),
        m.mean(where=m > 0),
    ),
    "nonzero": lambda m, i: (m.nonzero(),),
    "prod": lambda m, i: (
        m.prod(),
        m.prod(0),
        m.prod(1, float),
        m.prod(axis=1, keepdims=True),
        m.prod(initial=2.0),
        m.prod(where=m > 0),
    ),
    "ravel": lambda m, i: (
        m.ravel(),
        m.ravel("F"),
        m.ravel(order="C"),
    ),
    "repeat": lambda m, i: (
        m.repeat(2),
        m.repeat(2, 1),
        m.repeat(repeats=2, axis=0),
        m.repeat([1, 2], axis=0),
    ),
    "reshape": lambda m, i: (
        m.reshape(4),
        m.reshape((4,)),
        m.reshape(4, 1),
        m.reshape(-1),
        m.reshape([2, 2]),
        m.reshape(4, order="F"),
        m.reshape((4,), order="F"),
        m.reshape(4, copy=True),
    ),
    "round": lambda m, i: (
        m.round(),
        m.round(1),
        m.round(decimals=1),
        m.round(1, None),
    ),
    "searchsorted": lambda m, i: (
        m[0].searchsorted(1.0),
        m[0].searchsorted([1.0, 2.0], "right"),
        m[0].searchsorted(v=1.0, side="left", sorter=None),
        m[0].searchsorted(1.0, sorter=[0, 1]),
    ),
    "squeeze": lambda m, i: (
        m.squeeze(),
        m[:1].squeeze(0),
        m[:1].squeeze(axis=0),
    ),
    "std": lambda m, i: (
        m.std(),
        m.std(0),
        m.std(1, "float32"),
        m.std(ddof=1),
        m.std(axis=1, keepdims=True),
        m.std(where=m > -9),
        m.std(mean=m.mean()),
        m.std(0, float, None, 1, True),
    ),
    "var": lambda m, i: (
        m.var(),
        m.var(0),
        m.var(ddof=1),
        m.var(axis=1, keepdims=True),
        m.var(where=m > -9),
    ),
    "sum": lambda m, i: (
        m.sum(),
        m.sum(0),
        m.sum(1, "float32"),
        m.sum(axis=1, keepdims=True),
        m.sum(initial=2.0),
        m.sum(where=m > 0),
        m.sum((0, 1)),
        m.sum(0, None, None, True, 1.0, m > 0),
    ),
    "swapaxes": lambda m, i: (m.swapaxes(0, 1),),
    "take": lambda m, i: (
        m.take(0),
        m.take([0, 1], 1),
        m.take([0, 5], mode="clip"),
        m.take([0, 5], mode="wrap"),
        m.take(indices=[0], axis=0),
        m.take([0, 1], 0, None, "raise"),
    ),
    "trace": lambda m, i: (
        m.trace(),
        m.trace(1),
        m.trace(0, 1, 0),
        m.trace(dtype=int),
        m.trace(offset=-1, axis1=0, axis2=1, dtype=None, out=None),
    ),
    "transpose": lambda m, i: (
        m.transpose(),
        m.transpose(1, 0),
        m.transpose((1, 0)),
        m.transpose(None),
        m.transpose([0, 1]),
    ),
    "mT": lambda m, i: (m.mT,),
    "real": lambda m, i: (
        m.real,
        (m * 1j).real,
    ),
    "imag": lambda m, i: (
        m.imag,
        (m * 1j).imag,
    ),
    "flat": lambda m, i: (m.flat[1],),
    "ndim": lambda m, i: (m.ndim,),
    "size": lambda m, i: (m.size,),
    "shape": lambda m, i: (m.shape,),
    "itemsize": lambda m, i: (m.itemsize,),
    "nbytes": lambda m, i: (m.nbytes,),
    "dtype": lambda m, i: (
        m.dtype.name,
        1 if np.common_type(m) is np.float64 else 0,
        1 if m.dtype.type is np.float64 else 0,
        1 if np.common_type(i, m) is np.float64 else 0,
        m.dtype.kind,
        m.dtype.char,
        m.dtype.itemsize,
        m.dtype == float,
        np.issubdtype(m.dtype, np.floating),
        np.result_type(m, i).name,
        np.can_cast(m.dtype, int),
        np.iinfo(i.dtype).max,
        np.finfo(m.dtype).eps,
    ),
    "device": lambda m, i: (m.device,),
    "len": lambda m, i: (len(m),),
    "tolist": lambda m, i: (m.tolist(),),
}


def made(function: Callable[[Any, Any], Any]) -> Callable[[Any], Any]:
    def program(numbers):
        m = np.array(numbers)
        return function(m, (m > 0).astype(int))

    return program


def plain(item: Any) -> Any:
    """Results as arrays, and texts as such."""
    if isinstance(item, tuple | list):
        return [plain(each) for each in item]
    held = np.asarray(item)
    return item.numpy().decode() if held.dtype == object else held


def assert_same(expected: Any, got: Any) -> None:
    if isinstance(expected, list):
        assert len(expected) == len(got)
        for pair in zip(expected, got, strict=True):
            assert_same(*pair)
    elif isinstance(got, str):
        assert got == str(expected)
    else:
        assert (expected.shape, expected.dtype.kind) == (got.shape, got.dtype.kind)
        np.testing.assert_allclose(got, expected)


@pytest.mark.parametrize("name", MEMBERS)
def test_a_member_takes_what_numpys_takes(name: str) -> None:
    program = made(MEMBERS[name])
    expected = plain(program(NUMBERS.copy()))
    assert_same(expected, plain(rt.function(program)(rt.constant(NUMBERS))))


def changing(change: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def program(numbers):
        m = np.array(numbers)
        change(m)
        return m

    return program


def real_parts(m):
    m.real = m * 2
    m.real = 3.0


def parts_of_complex(m):
    z = m * 1j
    z.real = m[0]
    z.imag = z.real + 1
    m[:] = z.real + z.imag


CHANGES: dict[str, list[Callable[[Any], Any]]] = {
    "sort": [
        lambda m: m.sort(),
        lambda m: m.sort(0),
        lambda m: m.sort(0, "stable"),
        lambda m: m.sort(kind="stable", order=None),
        lambda m: m.sort(axis=0, stable=True),
    ],
    "partition": [
        lambda m: m.partition(1),
        lambda m: m.partition(kth=1, axis=0),
        lambda m: m.partition(1, 0, "introselect", None),
    ],
    "put": [
        lambda m: m.put(0, 9.0),
        lambda m: m.put([0, 5], [8.0, 9.0], "wrap"),
        lambda m: m.put(indices=[0, 5], values=9.0, mode="clip"),
    ],
    "fill": [lambda m: m.fill(3.0)],
    "real": [real_parts, parts_of_complex],
    "out": [
        lambda m: m.round(1, m),
        lambda m: m.clip(0, 1, m),
        lambda m: m.clip(0, out=m),
        lambda m: m.cumsum(1, None, m),
        lambda m: m.sum(0, None, m[0]),
        lambda m: m.compress([True, True], 0, m),
        lambda m: (m > 0).astype(int).choose([m, m + 1], out=m),
        lambda m: m.std(0, out=m[1]),
    ],
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_method_changes_what_numpys_does(name: str) -> None:
    for change in CHANGES[name]:
        program = changing(change)
        got = rt.function(program)(rt.constant(NUMBERS))
        np.testing.assert_allclose(got.numpy(), program(NUMBERS.copy()))


WRONG: list[Callable[[Any, Any], Any]] = [
    lambda m, i: m.astype(int, casting="safe"),
    lambda m, i: m.item(),
    lambda m, i: m.item(0, 1, 2),
    lambda m, i: m.tolist(1),
    lambda m, i: m.fill(),
    lambda m, i: m.fill(value=3.0),
    lambda m, i: m.sort(axis=None),
    lambda m, i: m.flatten("F", 1),
    lambda m, i: m.clip(a_min=0, a_max=1),
    lambda m, i: m.reshape(shape=(4,)),
    lambda m, i: m.swapaxes(axis1=0, axis2=1),
    lambda m, i: setattr(m, "imag", 3.0),
    lambda m, i: setattr(m.sum(), "real", 3.0),
]


@pytest.mark.parametrize("at", range(len(WRONG)))
def test_what_numpy_raises_for_arguments_is_raised(at: int) -> None:
    program = made(WRONG[at])
    expected = attempt(lambda: program(NUMBERS.copy()))
    got = attempt(lambda: rt.function(program)(rt.constant(NUMBERS)))
    assert isinstance(expected, Exception)
    assert type(got) is type(expected)


def test_a_function_without_anything_to_convert_asks_it_as_others_do() -> None:
    def kind(m):
        return m.dtype

    def shape(m):
        return m.shape

    def program(numbers):
        m = np.array(numbers)
        return kind(m) is np.dtype(float), kind(m).type is np.float64, shape(m) == (2, 2)

    assert all(map(bool, rt.function(program)(rt.constant(NUMBERS))))


REFUSED: list[Callable[[Any, Any], Any]] = [
    lambda m, i: m.T.ravel("K"),
    lambda m, i: m.flatten("A"),
    lambda m, i: np.reshape(m.T, 4, order="A"),
    lambda m, i: np.ravel(m, "K"),
    lambda m, i: m.strides,
    lambda m, i: setattr(m, "strides", (8, 8)),
    lambda m, i: m.view(int),
    lambda m, i: m.tobytes(),
    lambda m, i: m.resize(4),
    lambda m, i: m.byteswap(),
]


@pytest.mark.parametrize("at", range(len(REFUSED)))
def test_what_is_of_memory_alone_is_refused(at: int) -> None:
    with pytest.raises(StagingError) as refused:
        rt.function(made(REFUSED[at]))(rt.constant(NUMBERS))
    assert refused.value.filename == __file__


OF_MEMORY = {
    *("base", "byteswap", "ctypes", "data", "dump", "dumps", "flags", "getfield", "resize"),
    *("setfield", "setflags", "strides", "tobytes", "tofile", "to_device", "view"),
}


def test_each_member_of_an_array_is_in_a_table() -> None:
    members = {name for name in vars(np.ndarray) if not name.startswith("_")}
    known = {*MEMBERS, *CHANGES, *OF_MEMORY} - {"out", "len"}
    assert members - known <= {"tostring"}  # which older ones have
    assert known <= members
