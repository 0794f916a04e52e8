"""Functions of native code against functions of more digits: errors in units of the last place."""

from __future__ import annotations

import ctypes
import re
from functools import cache
from pathlib import Path

import llvmlite.binding as llvm
import mpmath
import numpy as np
import pytest

from runtime import dtypes
from runtime.graph.executors.native import ir, machine, scalars
from runtime.graph.executors.native.builder import Builder
from runtime.graph.executors.native.code import compile_module
from runtime.graph.executors.native.math import FUNCTIONS, lanes
from runtime.graph.executors.native.values import register

LONG = np.longdouble
DTYPES = (np.float32, np.float64)


def _text(name, dtype, count):
    """A module with `go(operands..., out, size)`, which computes `count` elements at a time."""
    kind = dtypes.as_dtype(dtype)
    element = register(kind)
    type = ir.VectorType(element, count) if count > 1 else element
    arity = 2 if name in {**OF_TWO, **EXACT, **SUMS} else 1
    module = machine.new_module(name)
    signature = ir.FunctionType(ir.VOID, [ir.POINTER] * (arity + 1) + [ir.INT64])
    function = ir.Function(module, signature, "go")
    entry, loop, end = [function.append_basic_block(label) for label in ("entry", "loop", "end")]
    builder = Builder(entry)
    builder.branch(loop)
    builder.position_at_end(loop)
    at = builder.phi(ir.INT64)

    def place(pointer):
        return builder.gep(pointer, [at], source_etype=element)

    operands = [builder.load(place(one), typ=type, align=4) for one in function.args[:arity]]
    result = scalars.ELEMENTWISE[name].emit(builder, kind, *operands)
    builder.store(result, place(function.args[arity]), align=4)
    following = builder.add(at, ir.Constant(ir.INT64, count))
    at.add_incoming(ir.Constant(ir.INT64, 0), entry)
    at.add_incoming(following, builder.block)
    more = builder.icmp_signed("<", following, function.args[-1])
    builder.cbranch(more, loop, end)
    builder.position_at_end(end)
    builder.ret_void()
    return str(module), arity


@cache
def _compiled(name, dtype, count, fma=True):
    text, arity = _text(name, dtype, count)
    if fma:
        code = compile_module(text, ["go"])
        address = code.address("go")
    else:
        parsed = llvm.parse_assembly(text)
        parsed.verify()
        target = llvm.Target.from_default_triple().create_target_machine(
            cpu="x86-64", features="+sse4.1", opt=2, reloc="pic", jit=True
        )
        code = llvm.create_mcjit_compiler(parsed, target)
        code.finalize_object()
        address = code.get_function_address("go")
    made = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * (arity + 1), ctypes.c_int64)(address)

    def run(*given):
        size = given[0].size
        padded = -size % count
        arrays = [np.ascontiguousarray(np.pad(x, (0, padded)), dtype) for x in given]
        out = np.empty(size + padded, dtype)
        made(*[x.ctypes.data for x in arrays], out.ctypes.data, size + padded)
        return out[:size]

    run.code = code
    return run


def _ulps(got, expected, dtype, least=0.0):
    """Errors in units of the last place of the larger of |expected| and `least`."""
    info = np.finfo(dtype)
    with np.errstate(all="ignore"):
        rounded = expected.astype(dtype)
        same = (got == rounded) | (np.isnan(got) & np.isnan(rounded))
        size = np.maximum(np.abs(expected), LONG(least))
        exponent = np.floor(np.log2(size))
        exponent = np.where(np.isfinite(exponent), exponent, info.minexp)
        exponent = np.clip(exponent, info.minexp, info.maxexp - 1).astype(int)
        errors = np.abs(got.astype(LONG) - expected) / np.ldexp(LONG(1), exponent - info.nmant)
    # An overflow that the format has is no error, any other infinity or NaN is.
    return np.where(same & ~np.isfinite(errors), 0, np.where(np.isnan(errors), np.inf, errors))


EDGES = [
    0.0, -0.0, np.inf, -np.inf, np.nan, 1, -1, 0.5, -0.5, 2, 3, -3, 5e-324, -5e-324, 1e-45, -1e-45,
    1e-38, 2.3e-308, 3.4e38, -3.4e38, 1.79e308, -1.79e308, 709.7, 709.79, 710.4, 710.48, 711,
    -745.1, -745.2, -746, 88.7, 88.73, 89.41, 89.42, -87.4, -103.9, -104, 1e22, -1e22, 2.0**30,
    2.0**31, np.pi / 2, np.pi, 6381956970095103 * 2.0**797, 1 + 2**-52, 1 - 2**-53, 1 + 2**-23,
    1 - 2**-24,
]  # fmt: skip


@cache
def _numbers(dtype):
    """All exponents, and more where functions bend."""
    random = np.random.default_rng(7)
    if dtype is np.float32:
        every = np.arange(0, 2**32, 32771, np.uint64).astype(np.uint32).view(np.float32)
    else:
        every = random.integers(0, 2**64, 100_000, np.uint64).view(np.float64)
    near = np.exp(-40 * random.random(8_000))
    with np.errstate(over="ignore"):
        return np.concatenate([
            np.array(EDGES, dtype), every, random.normal(size=40_000).astype(dtype),
            (random.normal(size=40_000) * 10).astype(dtype),
            (random.normal(size=20_000) * 300).astype(dtype),
            *[value.astype(dtype) for value in (1 + near, 1 - near, near - 1, -1 - near)],
        ])  # fmt: skip


def _softplus(x):
    return np.logaddexp(x, x.dtype.type(0))


# The function of NumPy's with 64 bits of digits, and the bounds for float32 and float64.
BY_LONG_DOUBLE = {
    "arccos": (np.arccos, 3, 3.5),
    "arccosh": (np.arccosh, 2.5, 2.5),
    "arcsin": (np.arcsin, 3, 3.5),
    "arcsinh": (np.arcsinh, 2.5, 2.5),
    "arctan": (np.arctan, 2.5, 2.5),
    "arctanh": (np.arctanh, 2.5, 2.5),
    "cos": (np.cos, 2, 1),
    "cosh": (np.cosh, 2, 2),
    "elu": (lambda x: np.where(x > 0, x, np.expm1(x)), 2, 2),
    "exp": (np.exp, 1, 1),
    "expm1": (np.expm1, 2, 2),
    "log": (np.log, 1, 1),
    "log1p": (np.log1p, 1.5, 1.5),
    "reciprocal": (lambda x: 1 / x, 0.5, 0.5),
    "relu": (lambda x: np.maximum(x, 0), 0, 0),
    "relu6": (lambda x: np.clip(x, 0, 6), 0, 0),
    "rsqrt": (lambda x: 1 / np.sqrt(x), 1.5, 1.5),
    "sigmoid": (lambda x: 1 / (1 + np.exp(-x)), 2.5, 2.5),
    "sin": (np.sin, 2, 1),
    "sinh": (np.sinh, 2.5, 2.5),
    "softplus": (_softplus, 2, 2),
    "softsign": (lambda x: x / (1 + np.abs(x)), 1.5, 1.5),
    "tan": (np.tan, 3, 2.5),
    "tanh": (np.tanh, 2.5, 2.5),
}
INFINITE = {"softsign": np.nan}
# Bytes of one number, a vector, two registers of AVX-512; and of a vector on a host without both.
VARIANTS = [(0, True), (32, True), (128, True), (32, False)]


@pytest.fixture(params=VARIANTS, ids=["number", "vector", "registers", "without fma"])
def compiled(request, monkeypatch):
    """Compiles a function for one number at a time or for vectors, with fma or without."""
    size, fma = request.param
    if not fma:
        if llvm.get_default_triple().split("-")[0] not in ("x86_64", "amd64"):
            pytest.skip("only x86 has hosts without fma")
        for name in ("has_fma", "has_scalef"):
            monkeypatch.setattr(lanes, name, lambda: False)
    return lambda name, dtype: _compiled(name, dtype, size // np.dtype(dtype).itemsize or 1, fma)


def _check(name, dtype, got, expected, bound, *operands, least=0.0):
    errors = _ulps(got, expected, dtype, least)
    worst = int(np.argmax(errors))
    at = [x[worst] for x in operands]
    assert errors[worst] <= bound, (name, at, got[worst], expected[worst], float(errors[worst]))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", BY_LONG_DOUBLE)
def test_errors_are_bounded(name, dtype, compiled):
    function, *bounds = BY_LONG_DOUBLE[name]
    x = _numbers(dtype)
    with np.errstate(all="ignore"):
        expected = function(x.astype(np.float64 if dtype is np.float32 else LONG)).astype(LONG)
    got = compiled(name, dtype)(x)
    _check(name, dtype, got, expected, bounds[dtype is np.float64], x)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ["cosh", "exp", "expm1", "sigmoid", "sinh", "tanh"])
def test_results_are_the_same_in_vectors_of_any_size(name, dtype):
    x = _numbers(dtype)
    one, *others = [_compiled(name, dtype, count)(x) for count in (1, 4, 16, 32)]
    for other in others:
        np.testing.assert_array_equal(other, one)
        assert (np.signbit(other) == np.signbit(one))[~np.isnan(x)].all()


ODD = [
    "arcsin", "arcsinh", "arctan", "arctanh", "erf", "expm1", "gelu", "log1p", "sin", "sinh",
    "softsign", "tan", "tanh",
]  # fmt: skip


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ODD)
def test_zeros_keep_their_sign(name, dtype, compiled):
    got = compiled(name, dtype)(np.array([0.0, -0.0], dtype))
    assert (got == 0).all()
    assert np.signbit(got).tolist() == [False, True]


@pytest.mark.parametrize("dtype", DTYPES)
def test_what_vanishes_keeps_its_sign(dtype, compiled):
    got = compiled("gelu", dtype)(np.array([-50, -1e30, -np.inf], dtype))
    assert (got == 0).all()
    assert np.signbit(got).all()


def _by_digits(function, x):
    """A function of mpmath's at each number, with the digits of a long double."""
    expected = np.empty(x.size, LONG)
    with mpmath.workprec(160):
        for at, value in enumerate(x.tolist()):
            exact = function(mpmath.mpf(value))
            head = float(exact)
            expected[at] = LONG(head) + LONG(float(exact - mpmath.mpf(head)))
    return expected


def _around(*spans):
    random = np.random.default_rng(11)
    return np.concatenate([random.uniform(low, high, 700) for low, high in spans])


BY_DIGITS = {
    "erf": (mpmath.erf, 3, 1.5, _around((-1, 1), (-7, 7), (-1e-3, 1e-3), (0.9, 1.1))),
    "erfc": (mpmath.erfc, 4, 4, _around((-1, 1), (-7, 7), (0.4, 0.6), (7, 11), (11, 28))),
    "gelu": (
        lambda x: x * mpmath.erfc(-x / mpmath.sqrt(2)) / 2, 4, 4,
        _around((-1, 1), (-7, 7), (-0.6, -0.4), (-14, -7), (-38, -14)),
    ),
    "lgamma": (
        lambda x: mpmath.re(mpmath.loggamma(x)), 0.6, 2.5,
        _around((0, 1), (0.99, 1.01), (1.99, 2.01), (1, 3), (3, 12), (12, 1e6)),
    ),
}  # fmt: skip


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", BY_DIGITS)
def test_errors_of_special_functions(name, dtype, compiled):
    function, *bounds, x = BY_DIGITS[name]
    x = x.astype(dtype)
    got = compiled(name, dtype)(x)
    _check(name, dtype, got, _by_digits(function, x), bounds[dtype is np.float64], x)


# Where the result is around 0, the error is one of what it is a difference of.
DIFFERENCES = {
    "digamma": (mpmath.digamma, 4, 8, _around((0, 3), (3, 12), (12, 1e6), (-10, 0))),
    "lgamma": (lambda x: mpmath.re(mpmath.loggamma(x)), 2, 8, _around((-10, 0), (-1, 0))),
}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", DIFFERENCES)
def test_errors_around_roots(name, dtype, compiled):
    function, *bounds, x = DIFFERENCES[name]
    x = x.astype(dtype)
    got = compiled(name, dtype)(x)
    expected = _by_digits(function, x)
    _check(name, dtype, got, expected, bounds[dtype is np.float64], x, least=1.0)


INF, NAN = np.inf, np.nan
AT = [0.0, -0.0, INF, -INF, NAN, -1.0, -2.0, 1.0, 2.0]
SPECIAL = {
    "digamma": [NAN, NAN, INF, NAN, NAN, NAN, NAN, -0.5772156649015329, 0.42278433509846714],
    "erf": [0, 0, 1, -1, NAN, -0.8427007929497149, -0.9953222650189527, 0.8427007929497149,
            0.9953222650189527],
    "erfc": [1, 1, 0, 2, NAN, 1.842700792949715, 1.9953222650189527, 0.15729920705028513,
             0.004677734981047266],
    "gelu": [0, 0, INF, 0, NAN, -0.15865525393145707, -0.04550026389635842, 0.8413447460685429,
             1.9544997361036416],
    "lgamma": [INF, INF, INF, INF, NAN, INF, INF, 0, 0],
}  # fmt: skip


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", SPECIAL)
def test_special_values(name, dtype, compiled):
    got = compiled(name, dtype)(np.array(AT, dtype))
    np.testing.assert_allclose(got, SPECIAL[name], rtol=1e-6 if dtype is np.float32 else 1e-15)


def _pairs(dtype):
    random = np.random.default_rng(13)
    size = 30_000
    special = [0.0, -0.0, 1, -1, 2, -2, 3, -3, 0.5, -0.5, INF, -INF, NAN, 1e-40, -1e-40, 1e30, 2.5,
               -2.5, 7, 1 / 3, 2.0**24, 2.0**53, 5e-324, 1e308]  # fmt: skip

    def bits():
        width = np.dtype(dtype).itemsize * 8
        return random.integers(0, 2**width, size, np.uint64).astype(f"u{width // 8}").view(dtype)

    def normal(scale):
        return (random.normal(size=size) * scale).astype(dtype)

    with np.errstate(over="ignore"):
        x, y = np.meshgrid(np.array(special, dtype), np.array(special, dtype))
    first = [x.ravel(), bits(), np.abs(normal(9)), normal(9), np.rint(normal(9)), 1 + normal(1e-4)]
    second = [y.ravel(), bits(), normal(40), normal(9), np.rint(normal(9)), normal(1e5)]
    return np.concatenate(first), np.concatenate(second)


OF_TWO = {"arctan2": (np.arctan2, 2.5, 2.5), "power": (np.power, 1, 1)}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", OF_TWO)
def test_functions_of_two(name, dtype, compiled):
    function, *bounds = OF_TWO[name]
    x, y = _pairs(dtype)
    wide = np.float64 if dtype is np.float32 else LONG
    with np.errstate(all="ignore"):
        expected = function(x.astype(wide), y.astype(wide)).astype(LONG)
    got = compiled(name, dtype)(x, y)
    _check(name, dtype, got, expected, bounds[dtype is np.float64], x, y)
    with np.errstate(over="ignore"):
        rounded = expected.astype(dtype)
    zero = rounded == 0
    assert (np.signbit(got) == np.signbit(rounded))[zero].all()


# By arithmetic of the same format, to the bit.
EXACT = {
    "floor_divide": np.floor_divide,
    "remainder": np.remainder,
    "div_no_nan": lambda x, y: np.where(y == 0, 0, x / y),
    "leaky_relu": lambda x, y: np.where(x > 0, x, x * y),
    "mul_no_nan": lambda x, y: np.where(y == 0, 0, x * y),
    "relu_grad": lambda x, y: x * (y > 0),
    "squared_difference": lambda x, y: (x - y) * (x - y),
    "xdivy": lambda x, y: np.where(x == 0, 0, x / y),
}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", EXACT)
def test_arithmetic(name, dtype, compiled):
    x, y = _pairs(dtype)
    with np.errstate(all="ignore"):
        expected = EXACT[name](x, y)
    got = compiled(name, dtype)(x, y)
    np.testing.assert_array_equal(got, expected)
    known = ~np.isnan(expected)
    np.testing.assert_array_equal(np.signbit(got)[known], np.signbit(expected)[known])


SUMS = {
    "sigmoid_cross_entropy": lambda x, y: np.maximum(x, 0) - x * y + np.log1p(np.exp(-np.abs(x))),
    "xlogy": lambda x, y: np.where(x == 0, 0, x * np.log(y)),
    "xlog1py": lambda x, y: np.where(x == 0, 0, x * np.log1p(y)),
}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", SUMS)
def test_what_is_made_of_logarithms(name, dtype, compiled):
    x, y = _pairs(dtype)
    with np.errstate(all="ignore"):
        if name == "sigmoid_cross_entropy":
            y = 1 / (1 + np.abs(y))
        expected = SUMS[name](x.astype(LONG), y.astype(LONG))
    got = compiled(name, dtype)(x, y)
    inside = np.abs(expected) < np.finfo(dtype).max
    # Of the cross entropy, the first two terms may cancel.
    least = np.maximum(np.abs(x[inside]) if "cross" in name else 0, 1e-30)
    _check(name, dtype, got[inside], expected[inside], 3, x[inside], y[inside], least=least)


def test_each_function_has_a_test():
    tested = {*BY_LONG_DOUBLE, *BY_DIGITS, *DIFFERENCES, *OF_TWO, *EXACT, *SUMS}
    assert tested - {"floor_divide", "remainder"} == set(FUNCTIONS)


ROW = re.compile(r"\| ((?:`\w+`(?:, )?)+)([^|]*) \| ([\d.]+) \| ([\d.]+) \|")


def test_the_bounds_are_those_that_are_stated():
    """The table of docs/native.md, and that of these tests."""
    text = (Path(__file__).parents[4] / "docs" / "native.md").read_text("utf-8")
    stated = {
        (name, "at least 1" in rest): (float(single), float(double))
        for names, rest, single, double in ROW.findall(text)
        for name in re.findall(r"\w+", names)
    }
    tested = {
        (name, False): row[1:3] for name, row in {**BY_LONG_DOUBLE, **BY_DIGITS, **OF_TWO}.items()
    }
    tested |= {(name, True): row[1:3] for name, row in DIFFERENCES.items()}
    exact = {(name, False) for name in ("reciprocal", "relu", "relu6")}
    assert stated == {key: bounds for key, bounds in tested.items() if key not in exact}
