"""The host as a target: modules become code that computes."""

import ctypes
import math
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

pytest.importorskip("llvmlite")

import llvmlite.binding as llvm

from runtime.graph.executors.native import code as native_code
from runtime.graph.executors.native import ir, machine
from runtime.graph.executors.native.code import compile_module
from runtime.graph.executors.native.machine import Symbols, new_module, vector_bytes


def test_code_computes() -> None:
    module = new_module("sum")
    function = ir.Function(module, ir.FunctionType(ir.INT64, [ir.INT64, ir.INT64]), "sum")
    builder = ir.IRBuilder(function.append_basic_block())
    builder.ret(builder.add(*function.args))
    code = compile_module(str(module), ["sum"])
    call = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)(code.address("sum"))
    assert call(40, 2) == 42


def test_symbols_are_called_through_the_table() -> None:
    module = new_module("cosine")
    symbols = Symbols(module)
    kind = ir.FunctionType(ir.FLOAT64, [ir.FLOAT64])
    function = ir.Function(module, kind, "cosine")
    builder = ir.IRBuilder(function.append_basic_block())
    builder.ret(builder.call(symbols.load(builder, "cos"), function.args, kind))
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
        compile_module(text, ["f"], level=native_code.QUICK)
    assert compile_module(text, ["f"]).address("f")


LOOP = """
define i64 @f(ptr %a, i64 %n) {
start:
  br label %loop
loop:
  %at = phi i64 [0, %start], [%next, %loop]
  %sum = phi i64 [0, %start], [%more, %loop]
  %place = getelementptr {i64, i64}, ptr %a, i64 %at, i32 1
  %item = load i64, ptr %place
  %more = add i64 %sum, %item
  %next = add i64 %at, 3
  %goes = icmp slt i64 %next, %n
  br i1 %goes, label %loop, label %end
end:
  ret i64 %more
}
"""


def test_others_have_all_passes_of_llvm() -> None:
    """Options that leave out passes are the process's, and set back."""

    def assembly() -> str:
        made: str = machine.target().emit_assembly(machine.parsed(LOOP))
        return made

    before = assembly()
    with machine.fewer_passes():
        assert assembly() != before
    assert assembly() == before
    with pytest.raises(ZeroDivisionError), machine.fewer_passes():
        raise ZeroDivisionError
    assert assembly() == before


def test_vectors_have_a_width() -> None:
    assert vector_bytes() in (16, 32, 64)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("lock", [native_code.compiling, llvm.ffi.lib._lock])
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


def test_what_has_an_address_is_made_once() -> None:
    """Threads ask at once; and a signal handler, while it is made."""

    def make(number: int) -> object:
        if not within:
            within.append(number)
            within.append(of(number))
        time.sleep(0.01)
        return object()

    within: list[Any] = []
    of = native_code.once(make)
    with ThreadPoolExecutor(4) as threads:
        found = set(threads.map(of, [1] * 4))
    assert found == {within[1]} == {of(1)}
    assert of(2) is not of(1)


FIRST = """
import gc, sys, threading
import runtime as rt

sys.setswitchinterval(1e-5)
found, start = [], threading.Barrier(4)

def compute(number):
    one = rt.function(lambda x: x * 2 + number, jit_compile=True, autograph=False)
    one.get_concrete_function(rt.constant(1.0))
    start.wait(60)
    first = float(one(rt.constant(1.0)))
    gc.collect()
    found.extend(float(one(rt.constant(1.0))) - first for _ in range(20))

threads = [threading.Thread(target=compute, args=[at]) for at in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert found == [0.0] * 80
"""


def test_threads_that_compile_first() -> None:
    """What all machine code shares stays where it is."""
    done = subprocess.run(
        [sys.executable, "-c", FIRST], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
