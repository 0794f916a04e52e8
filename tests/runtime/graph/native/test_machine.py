"""The host as a target: modules become code that computes."""

import ctypes
import math

import pytest

pytest.importorskip("llvmlite")

from llvmlite import ir

from runtime.graph.executors.native.machine import (
    Symbols,
    compile_module,
    new_module,
    vector_bytes,
)
from runtime.graph.executors.native.values import FLOAT64, INT64


def test_code_computes() -> None:
    module = new_module("sum")
    function = ir.Function(module, ir.FunctionType(INT64, [INT64, INT64]), "sum")
    builder = ir.IRBuilder(function.append_basic_block())
    builder.ret(builder.add(*function.args))
    code = compile_module(str(module), ["sum"])
    call = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)(code.address("sum"))
    assert call(40, 2) == 42


def test_symbols_are_called_through_the_table() -> None:
    module = new_module("cosine")
    symbols = Symbols(module)
    kind = ir.FunctionType(FLOAT64, [FLOAT64])
    function = ir.Function(module, kind, "cosine")
    builder = ir.IRBuilder(function.append_basic_block())
    builder.ret(symbols.call(builder, "cos", kind, function.args))
    symbols.finish()
    address = ctypes.cast(ctypes.CDLL(None).cos, ctypes.c_void_p).value
    assert address is not None
    assert list(symbols.places) == ["cos"]
    code = compile_module(str(module), ["cosine"], [address])
    call = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)(code.address("cosine"))
    assert call(2.0) == math.cos(2.0)


def test_what_is_no_module_is_refused() -> None:
    with pytest.raises(RuntimeError, match="expected instruction"):
        compile_module("define i64 @f() {\n  nonsense\n}", [])


def test_vectors_have_a_width() -> None:
    assert vector_bytes() in (16, 32, 64)
