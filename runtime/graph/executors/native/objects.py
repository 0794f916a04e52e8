"""The handling of Python's objects for all entries, compiled once in a process: each is small."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from runtime.graph.executors.native.machine import Code, compile_module

# Where the fields of objects are, in bytes: Python's, and those of NumPy 2.
ITEM, NUMBER, TYPE = 24, 16, 8
DATA, RANK, DIMS, DESCRIPTOR, FLAGS = 16, 24, 32, 56, 64
_PLAIN = 0x1 | 0x100  # C-contiguous and aligned

_OUTSIDE = (
    "numpy.PyArray_Type",
    "numpy.PyArray_New",
    "python.PyObject_Vectorcall",
    "python.PyErr_Occurred",
)

_TEXT = f"""
@addresses = global [4 x ptr] zeroinitializer

define ptr @elements(ptr %given, ptr %descriptor, i32 %rank) {{
  %type = load ptr, ptr @addresses
  %p1 = getelementptr i8, ptr %given, i64 {TYPE}
  %kind = load ptr, ptr %p1
  %is.array = icmp eq ptr %kind, %type
  br i1 %is.array, label %array, label %none
array:
  %p2 = getelementptr i8, ptr %given, i64 {DESCRIPTOR}
  %found = load ptr, ptr %p2
  %same = icmp eq ptr %found, %descriptor
  %p3 = getelementptr i8, ptr %given, i64 {RANK}
  %its.rank = load i32, ptr %p3
  %ranked = icmp eq i32 %its.rank, %rank
  %p4 = getelementptr i8, ptr %given, i64 {FLAGS}
  %flags = load i32, ptr %p4
  %masked = and i32 %flags, {_PLAIN}
  %plain = icmp eq i32 %masked, {_PLAIN}
  %p5 = getelementptr i8, ptr %given, i64 {DATA}
  %data = load ptr, ptr %p5
  %both = and i1 %same, %ranked
  %all = and i1 %both, %plain
  %result = select i1 %all, ptr %data, ptr null
  ret ptr %result
none:
  ret ptr null
}}

define ptr @number(ptr %given, ptr %scalar, ptr %descriptor) {{
  %p1 = getelementptr i8, ptr %given, i64 {TYPE}
  %kind = load ptr, ptr %p1
  %is.scalar = icmp eq ptr %kind, %scalar
  br i1 %is.scalar, label %inside, label %array
inside:
  %p2 = getelementptr i8, ptr %given, i64 {NUMBER}
  ret ptr %p2
array:
  %data = tail call ptr @elements(ptr %given, ptr %descriptor, i32 0)
  ret ptr %data
}}

define ptr @empty(i32 %number, i32 %rank, ptr %sizes) {{
  %type = load ptr, ptr @addresses
  %p1 = getelementptr ptr, ptr @addresses, i64 1
  %new = load ptr, ptr %p1
  %made = call ptr %new(ptr %type, i32 %rank, ptr %sizes, i32 %number, ptr null, ptr null, i32 0,
    i32 0, ptr null)
  ret ptr %made
}}

define ptr @fallback(ptr %kept, ptr %arguments, i64 %count) {{
  %p1 = getelementptr ptr, ptr @addresses, i64 2
  %vectorcall = load ptr, ptr %p1
  %p2 = getelementptr i8, ptr %kept, i64 {ITEM}
  %function = load ptr, ptr %p2
  %made = tail call ptr %vectorcall(ptr %function, ptr %arguments, i64 %count, ptr null)
  ret ptr %made
}}

define ptr @aside(ptr %kept, ptr %arguments, i64 %count) {{
  %p1 = getelementptr ptr, ptr @addresses, i64 3
  %occurred = load ptr, ptr %p1
  %raised = call ptr %occurred()
  %nothing = icmp eq ptr %raised, null
  br i1 %nothing, label %going, label %failed
going:
  %made = tail call ptr @fallback(ptr %kept, ptr %arguments, i64 %count)
  ret ptr %made
failed:
  ret ptr null
}}
"""


@cache
def code(address_of: Callable[[str], int]) -> Code:
    """`elements` gives the data of a plain array of a dtype and rank, `number` those of a scalar or
    of an array without dimensions, both null for all else; `empty` makes an array; `fallback`
    calls that of an entry, and so does `aside`, unless something is raised.
    """
    exports = ["elements", "number", "empty", "fallback", "aside"]
    return compile_module(_TEXT, exports, list(map(address_of, _OUTSIDE)))
