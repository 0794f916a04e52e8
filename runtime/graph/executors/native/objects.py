"""The functions that Python calls, and their handling of Python's objects: compiled once for all
graphs. What differs between graphs is in a table, which they read.

An entry takes arguments apart that are of the right types, dtypes and layouts, calls the body of
the graph, and makes Python's objects of what it left. For all others, and where the body steps
aside, it calls the fallback. Its `self` is a tuple: of the fallback, the table, and what is kept.

A table is an array of int64:

    address of the body, parameters, results, bytes of a large frame, does it call others?
    for each parameter    kind, two words, and for an array its dims, -1 for an unknown one
    for each result       kind, word

The body has two words of each argument: a number, or the pointers to data and dims. It leaves one
for each result, and may leave Python to other threads.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from enum import IntEnum
from types import MemberDescriptorType

import numpy as np

from runtime.core.tensor import EagerTensor
from runtime.graph.executors.native import arena
from runtime.graph.executors.native.code import Code, compile_text, once

# Where the fields of objects are, in bytes: Python's, and those of NumPy 2. From Python 3.14 on,
# tuples have one more.
ITEM, NUMBER, TYPE = tuple.__basicsize__, 16, 8
DATA, RANK, DIMS, DESCRIPTOR, FLAGS = 16, 24, 32, 56, 64
_PLAIN = 0x1 | 0x100  # C-contiguous and aligned

DEEPEST = 4000
"""Calls inside each other, at most, also where there is more of the stack."""


class ParameterKind(IntEnum):
    """The kinds of parameters, with their words."""

    ARRAY = 0  # descriptor, rank
    SINGLE = 1  # descriptor, type of NumPy's scalars
    INT = 2  # the least and the largest one
    FLOAT = 3
    BOOL = 4  # may it be NumPy's?


class ResultKind(IntEnum):
    """The kinds of results, with their word."""

    ARRAY = 0
    SINGLE = 1  # descriptor
    INT = 2
    UNSIGNED = 3
    FLOAT = 4
    BOOL = 5
    ARGUMENT = 6  # its place: handed through
    RESULT = 7  # the place of the same one
    KNOWN = 8  # the object


class Status(IntEnum):
    """The ends of a body, and of an entry that did not call it."""

    DONE = 0
    ASIDE = 1
    FAILED = 2  # with an exception
    REFUSED = 3


_OUTSIDE = (
    *("numpy.PyArray_Type", "numpy.PyArray_New", "numpy.PyArray_Scalar"),
    *("numpy.True", "numpy.False", "python.True", "python.False"),
    *("python.int", "python.float", "python.None", "python.NotImplemented"),
    *("python.PyLong_AsLongLongAndOverflow", "python.Py_GetRecursionLimit"),
    *("python.PyLong_FromLongLong", "python.PyLong_FromUnsignedLongLong"),
    *("python.PyFloat_FromDouble", "python.PyBool_FromLong", "python.PyTuple_New"),
    *("python.Py_IncRef", "python.Py_DecRef"),
    *("python.PyErr_Occurred", "python.PyErr_Clear"),
    *("python.PyObject_Vectorcall", "python.PyType_GenericAlloc", "python.EagerTensor"),
    *("arena.release", "arena.hold_python", "stack.end"),
)


def _offset(slot: object) -> int:
    """The place of a slot in the instances of its class, in bytes."""
    assert isinstance(slot, MemberDescriptorType)
    # The descriptor of a member points to its definition, of which the offset is the third word.
    definition = ctypes.c_void_p.from_address(id(slot) + 40).value or 0
    return ctypes.c_ssize_t.from_address(definition + 16).value


def check_fields() -> None:
    """Raises RuntimeError where a field of an object is not where the code below reads it."""
    item, array = object(), np.arange(6.0).reshape(2, 3)
    held, number = (None, item), 2.5
    dims = ctypes.c_void_p.from_address(id(array) + DIMS).value or 0
    found = [
        ctypes.c_void_p.from_address(id(held) + ITEM + 8).value == id(item),
        ctypes.c_double.from_address(id(number) + NUMBER).value == number,
        ctypes.c_void_p.from_address(id(number) + TYPE).value == id(float),
        ctypes.c_void_p.from_address(id(array) + DATA).value == array.ctypes.data,
        ctypes.c_int.from_address(id(array) + RANK).value == array.ndim,
        [ctypes.c_ssize_t.from_address(dims + 8 * at).value for at in range(2)] == [2, 3],
        ctypes.c_void_p.from_address(id(array) + DESCRIPTOR).value == id(array.dtype),
        ctypes.c_int.from_address(id(array) + FLAGS).value & _PLAIN == _PLAIN,
    ]
    if not all(found):
        raise RuntimeError(
            f"machine code does not know the objects of this Python ({sys.version}) with NumPy "
            f"{np.__version__}: choose the executor 'numpy'"
        )


def _text() -> str:
    check_fields()
    raw, node = _offset(EagerTensor.__dict__["raw"]), _offset(EagerTensor.__dict__["node"])
    return f"""
declare ptr @llvm.stacksave.p0()
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare i64 @llvm.smin.i64(i64, i64)

define internal ptr @elements(ptr %given, ptr %descriptor, i32 %rank) {{
  %kind = load ptr, ptr %given[{TYPE}]
  %is.array = icmp eq ptr %kind, @numpy.PyArray_Type
  br i1 %is.array, label %array, label %none
array:
  %found = load ptr, ptr %given[{DESCRIPTOR}]
  %same = icmp eq ptr %found, %descriptor
  %its.rank = load i32, ptr %given[{RANK}]
  %ranked = icmp eq i32 %its.rank, %rank
  %flags = load i32, ptr %given[{FLAGS}]
  %masked = and i32 %flags, {_PLAIN}
  %plain = icmp eq i32 %masked, {_PLAIN}
  %data = load ptr, ptr %given[{DATA}]
  %both = and i1 %same, %ranked
  %all = and i1 %both, %plain
  %result = select i1 %all, ptr %data, ptr null
  ret ptr %result
none:
  ret ptr null
}}

; Takes an argument. Returns the record of the next parameter; null if it is refused.
define internal ptr @take(ptr %record, ptr %given, ptr %slot) {{
  %overflow = alloca i32
  %kind = load i64, ptr %record
  %first = load i64, ptr %record[8]
  %second = load i64, ptr %record[16]
  %next = getelementptr i64, ptr %record, i64 3
  %type = load ptr, ptr %given[{TYPE}]
  %inside = getelementptr i8, ptr %given, i64 {NUMBER}
  %descriptor = inttoptr i64 %first to ptr
  switch i64 %kind, label %refused [
    i64 {ParameterKind.ARRAY}, label %array
    i64 {ParameterKind.SINGLE}, label %single
    i64 {ParameterKind.INT}, label %int
    i64 {ParameterKind.FLOAT}, label %float
    i64 {ParameterKind.BOOL}, label %bool
  ]
array:
  %rank = trunc i64 %second to i32
  %data = call ptr @elements(ptr %given, ptr %descriptor, i32 %rank)
  %missing = icmp eq ptr %data, null
  br i1 %missing, label %refused, label %sized
sized:
  store ptr %data, ptr %slot
  %dims = load ptr, ptr %given[{DIMS}]
  store ptr %dims, ptr %slot[8]
  br label %each
each:
  %at = phi i64 [ 0, %sized ], [ %following, %check ]
  %whole = phi i1 [ true, %sized ], [ %still, %check ]
  %more = icmp slt i64 %at, %second
  br i1 %more, label %check, label %checked
check:
  %wantedplace = getelementptr i64, ptr %next, i64 %at
  %wanted = load i64, ptr %wantedplace
  %dimplace = getelementptr i64, ptr %dims, i64 %at
  %dim = load i64, ptr %dimplace
  %equal = icmp eq i64 %dim, %wanted
  %any = icmp slt i64 %wanted, 0
  %fits = or i1 %equal, %any
  %still = and i1 %whole, %fits
  %following = add i64 %at, 1
  br label %each
checked:
  %last = getelementptr i64, ptr %next, i64 %second
  %sized.result = select i1 %whole, ptr %last, ptr null
  ret ptr %sized.result
single:
  %scalar = inttoptr i64 %second to ptr
  %is.scalar = icmp eq ptr %type, %scalar
  br i1 %is.scalar, label %found, label %flat
flat:
  %element = call ptr @elements(ptr %given, ptr %descriptor, i32 0)
  br label %found
found:
  %pointer = phi ptr [ %inside, %single ], [ %element, %flat ]
  store ptr %pointer, ptr %slot
  %none = icmp eq ptr %pointer, null
  %single.result = select i1 %none, ptr null, ptr %next
  ret ptr %single.result
int:
  %is.int = icmp eq ptr %type, @python.int
  br i1 %is.int, label %number, label %refused
number:
  %value = call i64 @python.PyLong_AsLongLongAndOverflow(ptr %given, ptr %overflow)
  store i64 %value, ptr %slot
  %flag = load i32, ptr %overflow
  %exact = icmp eq i32 %flag, 0
  %above = icmp sge i64 %value, %first
  %below = icmp sle i64 %value, %second
  %ranged = and i1 %above, %below
  %held = and i1 %exact, %ranged
  %int.result = select i1 %held, ptr %next, ptr null
  ret ptr %int.result
float:
  %is.float = icmp eq ptr %type, @python.float
  br i1 %is.float, label %bits, label %refused
bits:
  %double = load i64, ptr %inside
  store i64 %double, ptr %slot
  ret ptr %next
bool:
  %may = icmp ne i64 %first, 0
  %is.true = icmp eq ptr %given, @python.True
  %is.false = icmp eq ptr %given, @python.False
  %is.theirs = icmp eq ptr %given, @numpy.True
  %is.their.false = icmp eq ptr %given, @numpy.False
  %other.true = and i1 %may, %is.theirs
  %other.false = and i1 %may, %is.their.false
  %yes = or i1 %is.true, %other.true
  %no = or i1 %is.false, %other.false
  %truth = zext i1 %yes to i64
  store i64 %truth, ptr %slot
  %known = or i1 %yes, %no
  %bool.result = select i1 %known, ptr %next, ptr null
  ret ptr %bool.result
refused:
  ret ptr null
}}

; The object of a result: what the body left, in a word.
define internal ptr @box(ptr %record, ptr %word, ptr %arguments, ptr %results) {{
  %kind = load i64, ptr %record
  %detail = load i64, ptr %record[8]
  %descriptor = inttoptr i64 %detail to ptr
  %value = load i64, ptr %word
  %array = inttoptr i64 %value to ptr
  switch i64 %kind, label %own [
    i64 {ResultKind.SINGLE}, label %single
    i64 {ResultKind.INT}, label %int
    i64 {ResultKind.UNSIGNED}, label %unsigned
    i64 {ResultKind.FLOAT}, label %float
    i64 {ResultKind.BOOL}, label %bool
    i64 {ResultKind.ARGUMENT}, label %argument
    i64 {ResultKind.RESULT}, label %result
    i64 {ResultKind.KNOWN}, label %again
  ]
own:
  ret ptr %array
single:
  %made.single = call ptr @numpy.PyArray_Scalar(ptr %word, ptr %descriptor, ptr null)
  ret ptr %made.single
int:
  %made.int = call ptr @python.PyLong_FromLongLong(i64 %value)
  ret ptr %made.int
unsigned:
  %made.unsigned = call ptr @python.PyLong_FromUnsignedLongLong(i64 %value)
  ret ptr %made.unsigned
float:
  %double = bitcast i64 %value to double
  %made.float = call ptr @python.PyFloat_FromDouble(double %double)
  ret ptr %made.float
bool:
  %made.bool = call ptr @python.PyBool_FromLong(i64 %value)
  ret ptr %made.bool
argument:
  %givenplace = getelementptr ptr, ptr %arguments, i64 %detail
  %given = load ptr, ptr %givenplace
  br label %again
result:
  %sameplace = getelementptr ptr, ptr %results, i64 %detail
  %same = load ptr, ptr %sameplace
  br label %again
again:
  %found = phi ptr [ %descriptor, %0 ], [ %given, %argument ], [ %same, %result ]
  call void @python.Py_IncRef(ptr %found)
  ret ptr %found
}}

; Lets go of results: of the first ones, which are objects, and of the arrays behind them.
define internal void @drop(ptr %records, ptr %results, i64 %boxed, i64 %count) {{
  br label %each
each:
  %at = phi i64 [ 0, %0 ], [ %following, %again ]
  %more = icmp slt i64 %at, %count
  br i1 %more, label %look, label %done
look:
  %following = add i64 %at, 1
  %is.boxed = icmp slt i64 %at, %boxed
  br i1 %is.boxed, label %gone, label %left
left:
  %twice = shl i64 %at, 1
  %record = getelementptr i64, ptr %records, i64 %twice
  %kind = load i64, ptr %record
  %is.array = icmp eq i64 %kind, {ResultKind.ARRAY}
  br i1 %is.array, label %gone, label %again
gone:
  %place = getelementptr ptr, ptr %results, i64 %at
  %object = load ptr, ptr %place
  call void @python.Py_DecRef(ptr %object)
  br label %again
again:
  br label %each
done:
  ret void
}}

; Runs the body. Where it is done, the results are objects.
define internal i32 @run(ptr %table, ptr %arguments, i64 %count, ptr %results) {{
  %arena = alloca [{arena.WORDS} x ptr]
  %parameters = load i64, ptr %table[8]
  %made = load i64, ptr %table[16]
  %frame = load i64, ptr %table[24]
  %calls = load i64, ptr %table[32]
  %p5 = getelementptr i64, ptr %table, i64 5
  %right = icmp eq i64 %count, %parameters
  br i1 %right, label %measure, label %refused
measure:
  %is.small = icmp eq i64 %frame, 0
  br i1 %is.small, label %start, label %look
look:
  %end = call i64 @stack.end()
  %least = add i64 %end, %frame
  %here = call ptr @llvm.stacksave.p0()
  %position = ptrtoint ptr %here to i64
  %is.short = icmp ult i64 %position, %least
  br i1 %is.short, label %aside, label %start
start:
  %words = shl i64 %count, 1
  %slots = alloca i64, i64 %words
  br label %each
each:
  %at = phi i64 [ 0, %start ], [ %following, %taken ]
  %record = phi ptr [ %p5, %start ], [ %next, %taken ]
  %more = icmp slt i64 %at, %count
  br i1 %more, label %one, label %all
one:
  %givenplace = getelementptr ptr, ptr %arguments, i64 %at
  %given = load ptr, ptr %givenplace
  %twice = shl i64 %at, 1
  %slot = getelementptr i64, ptr %slots, i64 %twice
  %next = call ptr @take(ptr %record, ptr %given, ptr %slot)
  %following = add i64 %at, 1
  %is.refused = icmp eq ptr %next, null
  br i1 %is.refused, label %refused, label %taken
taken:
  br label %each
all:
  call void @llvm.memset.p0.i64(ptr %arena, i8 0, i64 {8 * arena.WORDS}, i1 false)
  store ptr %arena, ptr %arena[{8 * arena.CHUNK}]
  %bytes = shl i64 %made, 3
  call void @llvm.memset.p0.i64(ptr %results, i8 0, i64 %bytes, i1 false)
  %is.leaf = icmp eq i64 %calls, 0
  br i1 %is.leaf, label %call, label %deep
deep:
  %its.end = call i64 @stack.end()
  store i64 %its.end, ptr %arena[{8 * arena.STACK}]
  %levels = call i32 @python.Py_GetRecursionLimit()
  %levels64 = sext i32 %levels to i64
  %depth = call i64 @llvm.smin.i64(i64 %levels64, i64 {DEEPEST})
  br label %call
call:
  %left = phi i64 [ 0, %all ], [ %depth, %deep ]
  %body = load ptr, ptr %table
  %status = call i32 %body(ptr %slots, ptr %results, ptr %arena, i64 %left)
  %thread = load ptr, ptr %arena[{8 * arena.THREAD}]
  %held = icmp eq ptr %thread, null
  br i1 %held, label %holding, label %hold
hold:
  call void @arena.hold_python(ptr %arena)
  br label %holding
holding:
  %firstchunk = load i64, ptr %arena
  %owned = load i64, ptr %arena[{8 * arena.OWNED}]
  %used = or i64 %firstchunk, %owned
  %is.unused = icmp eq i64 %used, 0
  br i1 %is.unused, label %over, label %release
release:
  call void @arena.release(ptr %arena)
  br label %over
over:
  %is.done = icmp eq i32 %status, {Status.DONE}
  br i1 %is.done, label %boxing, label %leave
boxing:
  %boxed = phi i64 [ 0, %over ], [ %increased, %kept ]
  %open = icmp slt i64 %boxed, %made
  br i1 %open, label %box, label %done
box:
  %pair = shl i64 %boxed, 1
  %kind = getelementptr i64, ptr %record, i64 %pair
  %word = getelementptr i64, ptr %results, i64 %boxed
  %object = call ptr @box(ptr %kind, ptr %word, ptr %arguments, ptr %results)
  %increased = add i64 %boxed, 1
  %nothing = icmp eq ptr %object, null
  br i1 %nothing, label %leave, label %kept
kept:
  store ptr %object, ptr %word
  br label %boxing
leave:
  %last = phi i64 [ 0, %over ], [ %boxed, %box ]
  %result = phi i32 [ %status, %over ], [ {Status.FAILED}, %box ]
  call void @drop(ptr %record, ptr %results, i64 %last, i64 %made)
  ret i32 %result
done:
  ret i32 {Status.DONE}
aside:
  ret i32 {Status.ASIDE}
refused:
  ret i32 {Status.REFUSED}
}}

define internal ptr @table(ptr %self) {{
  %array = load ptr, ptr %self[{ITEM + 8}]
  %table = load ptr, ptr %array[{DATA}]
  ret ptr %table
}}

define internal ptr @fallback(ptr %self, ptr %arguments, i64 %count) {{
  %function = load ptr, ptr %self[{ITEM}]
  %made = call ptr @python.PyObject_Vectorcall(ptr %function, ptr %arguments, i64 %count, ptr null)
  ret ptr %made
}}

; What handled a signal may have raised.
define internal ptr @aside(ptr %self, ptr %arguments, i64 %count) {{
  %raised = call ptr @python.PyErr_Occurred()
  %nothing = icmp eq ptr %raised, null
  br i1 %nothing, label %going, label %failed
going:
  %made = call ptr @fallback(ptr %self, ptr %arguments, i64 %count)
  ret ptr %made
failed:
  ret ptr null
}}

; From raw arguments to a tuple of raw results.
define ptr @entry(ptr %self, ptr %arguments, i64 %count) {{
  %table = call ptr @table(ptr %self)
  %made = load i64, ptr %table[16]
  %results = alloca i64, i64 %made
  %status = call i32 @run(ptr %table, ptr %arguments, i64 %count, ptr %results)
  switch i32 %status, label %refused [
    i32 {Status.DONE}, label %done
    i32 {Status.ASIDE}, label %aside
    i32 {Status.FAILED}, label %failed
  ]
done:
  %tuple = call ptr @python.PyTuple_New(i64 %made)
  %nothing = icmp eq ptr %tuple, null
  br i1 %nothing, label %lost, label %each
each:
  %at = phi i64 [ 0, %done ], [ %following, %one ]
  %more = icmp slt i64 %at, %made
  br i1 %more, label %one, label %full
one:
  %from = getelementptr ptr, ptr %results, i64 %at
  %object = load ptr, ptr %from
  %items = getelementptr i8, ptr %tuple, i64 {ITEM}
  %to = getelementptr ptr, ptr %items, i64 %at
  store ptr %object, ptr %to
  %following = add i64 %at, 1
  br label %each
full:
  ret ptr %tuple
lost:
  call void @drop(ptr null, ptr %results, i64 %made, i64 %made)
  ret ptr null
aside:
  %instead = call ptr @aside(ptr %self, ptr %arguments, i64 %count)
  ret ptr %instead
refused:
  %other = call ptr @fallback(ptr %self, ptr %arguments, i64 %count)
  ret ptr %other
failed:
  ret ptr null
}}

; From eager tensors to one of them; NotImplemented for other arguments.
define ptr @on_tensors(ptr %self, ptr %arguments, i64 %count) {{
  %result = alloca ptr
  %table = call ptr @table(ptr %self)
  %parameters = load i64, ptr %table[8]
  %right = icmp eq i64 %count, %parameters
  br i1 %right, label %start, label %other
start:
  %raws = alloca ptr, i64 %count
  br label %each
each:
  %at = phi i64 [ 0, %start ], [ %following, %found ]
  %more = icmp slt i64 %at, %count
  br i1 %more, label %one, label %all
one:
  %givenplace = getelementptr ptr, ptr %arguments, i64 %at
  %given = load ptr, ptr %givenplace
  %type = load ptr, ptr %given[{TYPE}]
  %is.tensor = icmp eq ptr %type, @python.EagerTensor
  br i1 %is.tensor, label %whole, label %other
whole:
  %raw = load ptr, ptr %given[{raw}]
  %place = getelementptr ptr, ptr %raws, i64 %at
  store ptr %raw, ptr %place
  %following = add i64 %at, 1
  %is.bare = icmp eq ptr %raw, null
  br i1 %is.bare, label %other, label %found
found:
  br label %each
all:
  %status = call i32 @run(ptr %table, ptr %raws, i64 %count, ptr %result)
  switch i32 %status, label %other [
    i32 {Status.DONE}, label %done
    i32 {Status.ASIDE}, label %aside
    i32 {Status.FAILED}, label %failed
  ]
done:
  %made = call ptr @python.PyType_GenericAlloc(ptr @python.EagerTensor, i64 0)
  %array = load ptr, ptr %result
  %nothing = icmp eq ptr %made, null
  br i1 %nothing, label %lost, label %filled
filled:
  store ptr %array, ptr %made[{raw}]
  call void @python.Py_IncRef(ptr @python.None)
  store ptr @python.None, ptr %made[{node}]
  ret ptr %made
lost:
  call void @python.Py_DecRef(ptr %array)
  ret ptr null
aside:
  %instead = call ptr @aside(ptr %self, ptr %raws, i64 %count)
  ret ptr %instead
other:
  call void @python.Py_IncRef(ptr @python.NotImplemented)
  ret ptr @python.NotImplemented
failed:
  ret ptr null
}}

; A new array; null, and no exception, where there is no memory for it: Python says so with a line.
define ptr @empty(i32 %number, i32 %rank, ptr %sizes) {{
  %made = call ptr @numpy.PyArray_New(ptr @numpy.PyArray_Type, i32 %rank, ptr %sizes,
    i32 %number, ptr null, ptr null, i32 0, i32 0, ptr null)
  %nothing = icmp eq ptr %made, null
  br i1 %nothing, label %clear, label %done
clear:
  call void @python.PyErr_Clear()
  br label %done
done:
  ret ptr %made
}}
"""


@once
def code(address_of: Callable[[str], int]) -> Code:
    """`entry` is what Python calls with raw arguments, `on_tensors` with eager tensors, where there
    is one result; `empty` makes an array.
    """
    exports = ["entry", "on_tensors", "empty"]
    return compile_text(_text(), exports, {name: address_of(name) for name in _OUTSIDE})
