"""The host as a target: modules become code that computes."""

import ctypes
import math
import os
import signal
import threading
import time
from typing import Any

import pytest

pytest.importorskip("llvmlite")

import llvmlite.binding as llvm
from llvmlite import ir

from runtime.graph.executors.native import machine
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


@pytest.mark.parametrize("element", ["i1", "float", "ptr"])
def test_vectors_are_not_for_level_0(element: str) -> None:
    """There LLVM may abort the process."""
    text = f"define void @f(ptr %a) {{ %b = load <4 x {element}>, ptr %a ret void }}"
    with pytest.raises(ValueError, match="of scalars"):
        compile_module(text, ["f"], level=machine.QUICK)
    assert compile_module(text, ["f"]).address("f")


def test_vectors_have_a_width() -> None:
    assert vector_bytes() in (16, 32, 64)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("lock", [machine._compiling, llvm.ffi.lib._lock])
def test_a_process_may_fork_while_a_thread_compiles(lock: Any) -> None:
    held = threading.Event()

    def compile_for_long() -> None:
        with lock:
            held.set()
            time.sleep(0.2)

    thread = threading.Thread(target=compile_for_long)
    thread.start()
    held.wait()
    child = os.fork()
    if not child:
        signal.alarm(5)
        compile_module("define i64 @f() {\n  ret i64 7\n}", ["f"])
        os._exit(0)
    thread.join()
    assert os.waitpid(child, 0)[1] == 0
