"""The text of modules: LLVM reads it, and it means what was built."""

import ctypes
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

pytest.importorskip("llvmlite")

from runtime.graph.executors.native import ir
from runtime.graph.executors.native.code import compile_module
from runtime.graph.executors.native.machine import new_module

HALF = ir.HalfType()


def stored(write: Callable[[ir.IRBuilder], ir.Value], dtype: Any, count: int) -> Any:
    """The value that is built, as so many elements of a dtype in memory."""
    module = new_module("value")
    kind = ir.FunctionType(ir.VOID, [ir.POINTER])
    function = ir.Function(module, kind, "write")
    builder = ir.IRBuilder(function.append_basic_block())
    builder.store(write(builder), function.args[0], align=1)
    builder.ret_void()
    code = compile_module(str(module), ["write"])
    made = np.zeros(count, dtype)
    ctypes.CFUNCTYPE(None, ctypes.c_void_p)(code.address("write"))(made.ctypes.data)
    return made.tolist()


def called(write: Callable[[ir.IRBuilder, Sequence[ir.Value]], None], *given: int) -> int:
    """What a function of ints returns."""
    module = new_module("function")
    function = ir.Function(module, ir.FunctionType(ir.INT64, [ir.INT64] * len(given)), "run")
    write(ir.IRBuilder(function.append_basic_block("start")), function.args)
    code = compile_module(str(module), ["run"])
    kind = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_int64] * len(given))
    found: int = kind(code.address("run"))(*given)
    return found


@pytest.mark.parametrize(
    ("type", "constant", "dtype", "expected"),
    [
        (ir.INT64, -(1 << 63), np.int64, [-(1 << 63)]),
        (ir.INT64, (1 << 64) - 1, np.uint64, [(1 << 64) - 1]),
        (ir.BYTE, True, np.int8, [1]),
        (ir.FLOAT64, 0.1, np.float64, [0.1]),
        (ir.FLOAT64, 3, np.float64, [3.0]),
        (ir.FLOAT64, -math.inf, np.float64, [-math.inf]),
        (ir.FLOAT64, 5e-324, np.float64, [5e-324]),
        (ir.FLOAT32, 0.1, np.float32, [float(np.float32(0.1))]),
        (ir.FLOAT32, np.float32(1e-45), np.float32, [float(np.float32(1e-45))]),
        (HALF, 0.1, np.float16, [float(np.float16(0.1))]),
        (ir.VectorType(ir.INT32, 4), 7, np.int32, [7, 7, 7, 7]),
        (ir.VectorType(ir.FLOAT32, 2), 0.5, np.float32, [0.5, 0.5]),
        (ir.VectorType(ir.FLOAT64, 2), [0.1, -0.0], np.float64, [0.1, -0.0]),
        (ir.VectorType(ir.INT16, 2), None, np.int16, [0, 0]),
        (ir.ArrayType(ir.INT64, 3), [1, -2, 3], np.int64, [1, -2, 3]),
        (ir.ArrayType(ir.BYTE, 4), bytearray(b'a"\\\x00'), np.uint8, [97, 34, 92, 0]),
        (ir.LiteralStructType([ir.INT64, ir.INT64]), None, np.int64, [0, 0]),
        (ir.POINTER, None, np.int64, [0]),
    ],
)
def test_constants(type: Any, constant: Any, dtype: Any, expected: list[Any]) -> None:
    found = stored(lambda builder: ir.Constant(type, constant), dtype, len(expected))
    assert list(map(repr, found)) == list(map(repr, expected))


def test_nan_is_a_constant() -> None:
    (found,) = stored(lambda builder: ir.Constant(ir.FLOAT64, math.nan), np.float64, 1)
    assert math.isnan(found)


def test_types_are_the_same_by_what_they_are() -> None:
    assert ir.VectorType(ir.IntType(8), 4) == ir.VectorType(ir.BYTE, 4)
    assert ir.VectorType(ir.BYTE, 4) != ir.ArrayType(ir.BYTE, 4)
    assert len({ir.INT32, ir.IntType(32), ir.INT64}) == 2


def test_a_cast_to_its_own_type_is_the_value() -> None:
    def write(builder: ir.IRBuilder, args: Sequence[ir.Value]) -> None:
        assert builder.zext(args[0], ir.INT64) is args[0]
        builder.ret(builder.sext(builder.trunc(args[0], ir.BYTE), ir.INT64))

    assert called(write, 0x1FF) == -1


def test_vectors_are_compared_by_their_numbers() -> None:
    pair = ir.VectorType(ir.INT32, 2)

    def write(builder: ir.IRBuilder) -> ir.Value:
        one, two = ir.Constant(pair, [1, 5]), ir.Constant(pair, [3, 4])
        return builder.select(builder.icmp_signed("<", one, two), one, builder.not_(two))

    assert stored(write, np.int32, 2) == [1, ~4]


Build = Callable[[ir.IRBuilder, ir.Value, ir.Value], ir.Value]


def _binary(name: str) -> Build:
    return lambda builder, a, b: getattr(builder, name)(a, b)


def _comparison(name: str, sign: str) -> Build:
    return lambda builder, a, b: getattr(builder, name)(sign, a, b)


ON_INTEGERS: dict[str, Build] = {
    **{name: _binary(name) for name in ("add", "sub", "mul", "and_", "or_", "xor")},
    **{
        f"{name} {sign}": _comparison(name, sign)
        for name in ("icmp_signed", "icmp_unsigned")
        for sign in ("<", "<=", ">", ">=", "==", "!=")
    },
    "narrow": lambda builder, a, b: builder.trunc(a, ir.IntType(1)),
    "wide": lambda builder, a, b: builder.add(builder.zext(a, ir.INT64), builder.sext(b, ir.INT64)),
    "select": lambda builder, a, b: builder.select(builder.icmp_signed("<", a, b), b, a),
    "negative": lambda builder, a, b: builder.xor(builder.neg(a), builder.not_(b)),
}


@pytest.mark.parametrize("width", [2, 8, 64])
@pytest.mark.parametrize("name", ON_INTEGERS)
def test_what_is_known_is_what_llvm_computes(name: str, width: int) -> None:
    build, type = ON_INTEGERS[name], ir.IntType(width)
    half = 1 << (width - 1)
    numbers = sorted({0, 1, -1, min(3, half - 1), half - 1, -half})

    def computed(first: int | None, second: int | None) -> Callable[[int, int], int]:
        """The machine's function of those of two integers that are not known."""
        module = new_module("function")
        function = ir.Function(module, ir.FunctionType(ir.INT64, [ir.INT64, ir.INT64]), "run")
        builder = ir.IRBuilder(function.append_basic_block("start"))
        operands = [
            builder.trunc(given, type) if known is None else ir.Constant(type, known)
            for given, known in zip(function.args, (first, second), strict=True)
        ]
        builder.ret(builder.sext(build(builder, *operands), ir.INT64))
        code = compile_module(str(module), ["run"])
        kept.append(code)
        return ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)(code.address("run"))

    kept: list[Any] = []
    builder = ir.IRBuilder(
        ir.Function(new_module("known"), ir.FunctionType(ir.INT64, []), "run").append_basic_block()
    )
    expected = computed(None, None)
    for known in numbers:
        of_second, of_first = computed(known, None), computed(None, known)
        for other in numbers:
            assert of_second(known, other) == expected(known, other)
            assert of_first(other, known) == expected(other, known)
            pair = ir.Constant(type, known), ir.Constant(type, other)
            found = builder.sext(build(builder, *pair), ir.INT64)
            assert isinstance(found, ir.Constant)
            assert found.constant == expected(known, other)


@pytest.mark.parametrize(("given", "expected"), [(3, 300), (-3, 30)])
def test_one_of_two_ways(given: int, expected: int) -> None:
    def write(builder: ir.IRBuilder, args: Sequence[ir.Value]) -> None:
        with builder.goto_entry_block():
            place = builder.alloca(ir.INT64, "place")
        positive = builder.icmp_signed(">", args[0], ir.Constant(ir.INT64, 0))
        with builder.if_else(positive) as (then, otherwise):
            with then:
                builder.store(ir.Constant(ir.INT64, 100), place)
            with otherwise:
                builder.store(ir.Constant(ir.INT64, -10), place)
        builder.ret(builder.mul(args[0], builder.load(place, typ=ir.INT64)))

    assert called(write, given) == expected


def test_code_is_added_before_the_end_of_another_block() -> None:
    def write(builder: ir.IRBuilder, args: Sequence[ir.Value]) -> None:
        first, rest = builder.block, builder.append_basic_block("rest")
        builder.branch(rest)
        builder.position_at_end(rest)
        with builder.goto_block(first):
            doubled = builder.add(args[0], args[0], flags=["nsw"])
        builder.ret(doubled)

    assert called(write, 21) == 42


def test_nothing_is_added_behind_the_end_of_a_block() -> None:
    builder = ir.IRBuilder(
        ir.Function(ir.Module("m"), ir.FunctionType(ir.INT64, [ir.INT64]), "f").append_basic_block()
    )
    builder.ret(builder.function.args[0])
    with pytest.raises(AssertionError):
        builder.neg(builder.function.args[0])


def test_conditions_that_hold_seldom() -> None:
    def write(builder: ir.IRBuilder, args: Sequence[ir.Value]) -> None:
        before = builder.block
        with builder.if_then(builder.icmp_unsigned(">=", args[0], args[1]), likely=False):
            more = builder.sub(args[0], args[1])
            inside = builder.block
        found = builder.phi(ir.INT64, "found")
        found.add_incoming(args[0], before)
        found.add_incoming(more, inside)
        builder.ret(found)

    assert [called(write, 3, 5), called(write, 9, 5)] == [3, 4]


def test_what_has_other_types_is_refused_by_llvm() -> None:
    def write(builder: ir.IRBuilder, args: Sequence[ir.Value]) -> None:
        builder.ret(builder.add(args[0], builder.icmp_signed("<", *args)))

    with pytest.raises(RuntimeError, match="expected 'i64'"):
        called(write, 1, 2)


def test_a_function_is_declared_once() -> None:
    module = ir.Module("m")
    kind = ir.FunctionType(ir.FLOAT64, [ir.FLOAT64])
    first = module.declared("llvm.fabs.f64", kind)
    assert module.declared("llvm.fabs.f64", kind) is first
    assert str(module).count("declare") == 1
