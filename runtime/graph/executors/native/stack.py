"""The stack of the thread that runs: native code calls nothing where little of it is left."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

from runtime.graph.executors.native.code import QUICK, Code, compile_module, once

RESERVE = 1 << 16
"""Bytes that stay free: for the functions of libraries, and for what handles signals."""

# Bytes of a `pthread_attr_t`, and a few more.
_ATTRIBUTES = 128

_TEXT = f"""
@addresses = global [8 x ptr] zeroinitializer

define i64 @end() {{
  %key64 = load i64, ptr @addresses[56]
  %key = trunc i64 %key64 to i32
  %get = load ptr, ptr @addresses
  %known = call i64 %get(i32 %key)
  %is.known = icmp ne i64 %known, 0
  br i1 %is.known, label %old, label %ask
old:
  ret i64 %known
ask:
  %attributes = alloca [{_ATTRIBUTES} x i8], align 16
  %start = alloca i64
  %size = alloca i64
  %guard = alloca i64
  %set = load ptr, ptr @addresses[8]
  %self = load ptr, ptr @addresses[16]
  %getattr = load ptr, ptr @addresses[24]
  %getstack = load ptr, ptr @addresses[32]
  %getguard = load ptr, ptr @addresses[40]
  %thread = call i64 %self()
  %failed = call i32 %getattr(i64 %thread, ptr %attributes)
  %is.failed = icmp ne i32 %failed, 0
  br i1 %is.failed, label %none, label %read
read:
  %a = call i32 %getstack(ptr %attributes, ptr %start, ptr %size)
  %b = call i32 %getguard(ptr %attributes, ptr %guard)
  %lowest = load i64, ptr %start
  %guarded = load i64, ptr %guard
  %above = add i64 %lowest, %guarded
  %end = add i64 %above, {RESERVE}
  %kept = call i32 %set(i32 %key, i64 %end)
  %destroy = load ptr, ptr @addresses[48]
  %c = call i32 %destroy(ptr %attributes)
  ret i64 %end
none:
  ret i64 -1
}}
"""

_TEXT_OF_BASE = f"""
@addresses = global [3 x ptr] zeroinitializer

define i64 @end() {{
  %self = load ptr, ptr @addresses
  %base = load ptr, ptr @addresses[8]
  %size = load ptr, ptr @addresses[16]
  %thread = call ptr %self()
  %start = call i64 %base(ptr %thread)
  %bytes = call i64 %size(ptr %thread)
  %lowest = sub i64 %start, %bytes
  %end = add i64 %lowest, {RESERVE}
  ret i64 %end
}}
"""

_UNKNOWN = """
define i64 @end() {
  ret i64 -1
}
"""

_OF_BASE = ("self", "get_stackaddr_np", "get_stacksize_np")
_FUNCTIONS = (
    *("getspecific", "setspecific", "self"),
    *("getattr_np", "attr_getstack", "attr_getguardsize", "attr_destroy"),
)


@once
def code() -> Code:
    """`end`: the address below which the stack of this thread must not grow. Where the C library
    does not tell, that is the highest one: nothing is called.
    """
    library = ctypes.CDLL(None)
    if hasattr(library, "pthread_get_stackaddr_np"):
        return of_base([getattr(library, f"pthread_{name}") for name in _OF_BASE])
    if not hasattr(library, "pthread_getattr_np"):
        return compile_module(_UNKNOWN, ["end"], level=QUICK)
    key = ctypes.c_uint()
    if library.pthread_key_create(ctypes.byref(key), None):
        raise MemoryError("there is no room for one more value of each thread")
    functions = [getattr(library, f"pthread_{name}") for name in _FUNCTIONS]
    return compile_module(_TEXT, ["end"], [*map(address, functions), key.value], level=QUICK)


def of_base(functions: Sequence[Any]) -> Code:
    """`end`, of functions that give this thread, the base of its stack, and its size."""
    return compile_module(_TEXT_OF_BASE, ["end"], list(map(address, functions)), level=QUICK)


def address(function: Any) -> int:
    """The address of a function of a library that ctypes has loaded."""
    return ctypes.cast(function, ctypes.c_void_p).value or 0
