"""The stack of the thread that runs: native code calls nothing where little of it is left."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

from runtime.graph.executors.native.code import Code, address, addresses, compile_text, once

RESERVE = 1 << 16
"""Bytes that stay free: for the functions of libraries, and for what handles signals."""

# Bytes of a `pthread_attr_t`, and a few more.
_ATTRIBUTES = 128

_TEXT = f"""
define i64 @end() {{
  %key64 = ptrtoint ptr @key to i64
  %key = trunc i64 %key64 to i32
  %known = call i64 @pthread_getspecific(i32 %key)
  %is.known = icmp ne i64 %known, 0
  br i1 %is.known, label %old, label %ask
old:
  ret i64 %known
ask:
  %attributes = alloca [{_ATTRIBUTES} x i8], align 16
  %start = alloca i64
  %size = alloca i64
  %guard = alloca i64
  %thread = call i64 @pthread_self()
  %failed = call i32 @pthread_getattr_np(i64 %thread, ptr %attributes)
  %is.failed = icmp ne i32 %failed, 0
  br i1 %is.failed, label %none, label %read
read:
  %a = call i32 @pthread_attr_getstack(ptr %attributes, ptr %start, ptr %size)
  %b = call i32 @pthread_attr_getguardsize(ptr %attributes, ptr %guard)
  %lowest = load i64, ptr %start
  %guarded = load i64, ptr %guard
  %above = add i64 %lowest, %guarded
  %end = add i64 %above, {RESERVE}
  %kept = call i32 @pthread_setspecific(i32 %key, i64 %end)
  %c = call i32 @pthread_attr_destroy(ptr %attributes)
  ret i64 %end
none:
  ret i64 -1
}}
"""

_TEXT_OF_BASE = f"""
define i64 @end() {{
  %thread = call ptr @pthread_self()
  %start = call i64 @pthread_get_stackaddr_np(ptr %thread)
  %bytes = call i64 @pthread_get_stacksize_np(ptr %thread)
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

_OF_BASE = ("pthread_self", "pthread_get_stackaddr_np", "pthread_get_stacksize_np")
_FUNCTIONS = (
    *("pthread_getspecific", "pthread_setspecific", "pthread_self", "pthread_getattr_np"),
    *("pthread_attr_getstack", "pthread_attr_getguardsize", "pthread_attr_destroy"),
)


@once
def code() -> Code:
    """`end`: the address below which the stack of this thread must not grow. Where the C library
    does not tell, that is the highest one: nothing is called.
    """
    library = ctypes.CDLL(None)
    if hasattr(library, "pthread_get_stackaddr_np"):
        return of_base([getattr(library, name) for name in _OF_BASE])
    if not hasattr(library, "pthread_getattr_np"):
        return compile_text(_UNKNOWN, ["end"], {})
    key = ctypes.c_uint()
    if library.pthread_key_create(ctypes.byref(key), None):
        raise MemoryError("there is no room for one more value of each thread")
    return compile_text(_TEXT, ["end"], {**addresses(library, *_FUNCTIONS), "key": key.value})


def of_base(functions: Sequence[Any]) -> Code:
    """`end`, of functions that give this thread, the base of its stack, and its size."""
    return compile_text(
        _TEXT_OF_BASE, ["end"], dict(zip(_OF_BASE, map(address, functions), strict=True))
    )
