"""Memory for arrays while native code runs: an arena, which is reset as a whole, in chunks of which
one is kept from call to call.

    arena   following, stack, next, end, chunk, owned   the chunk in use, and what is free of it
            thread, asked               Python's state of the thread, while others may run Python
            work                        since signals were looked for, about as many rounds of loops
            total                       the bytes of all that it owned
    chunk   following, end, the memory
    owned   following, bytes, the memory, its address       of arrays that grow; the largest one is
            kept; an array that begins behind its start has had items before its first one
"""

from __future__ import annotations

import ctypes
import time

from runtime.graph.executors.native.code import Code, addresses, compile_text, once

WORDS = 10
"""Pointers in an arena: see above."""

STACK, NEXT, END, CHUNK, OWNED, THREAD, ASKED, WORK, TOTAL = range(1, WORDS)

PATIENCE = 50_000_000
"""Nanoseconds that signals wait while a loop runs, as far as its iterations are short."""

MOST_KEPT = 1 << 26
"""Bytes of the chunk that is kept between calls."""

MOST_OWNED = 1 << 30
"""Bytes that arrays that grow may have taken in a call, besides eight times what the next one asks
for. What a loop leaves behind is free only when the call ends: where that is more, Python's program
takes over, which frees at once.
"""

POLLS = "preserve_mostcc"
"""The calling convention of `poll`: it leaves registers as they are, so that loops, which call it
once in a while, keep their state in all of them.
"""

_TEXT = f"""
@kept = internal global ptr null
@wanted = internal global i64 65536
@grown = internal global ptr null

define internal i64 @now() {{
  %time = alloca [2 x i64]
  %failed = call i32 @clock_gettime(i32 {time.CLOCK_MONOTONIC}, ptr %time)
  %seconds = load i64, ptr %time
  %nanoseconds = load i64, ptr %time[8]
  %whole = mul i64 %seconds, 1000000000
  %sum = add i64 %whole, %nanoseconds
  ret i64 %sum
}}

define void @look(ptr %table, i64 %row) {{
  %last = load i64, ptr %table
  %now = call i64 @now()
  %passed = sub i64 %now, %last
  %place = getelementptr i64, ptr %table, i64 %row
  %sum = load i64, ptr %place
  %more = add i64 %sum, %passed
  store i64 %more, ptr %place
  %count = load i64, ptr %place[8]
  %counted = add i64 %count, 1
  store i64 %counted, ptr %place[8]
  %again = call i64 @now()
  store i64 %again, ptr %table
  ret void
}}

define void @release_python(ptr %arena) {{
  %thread = load ptr, ptr %arena[{8 * THREAD}]
  %held = icmp eq ptr %thread, null
  br i1 %held, label %save, label %done
save:
  %saved = call ptr @PyEval_SaveThread()
  store ptr %saved, ptr %arena[{8 * THREAD}]
  %now = call i64 @now()
  store i64 %now, ptr %arena[{8 * ASKED}]
  br label %done
done:
  ret void
}}

define void @release_again(ptr %arena) {{
  %then = load i64, ptr %arena[{8 * ASKED}]
  %never = icmp eq i64 %then, 0
  br i1 %never, label %done, label %release
release:
  call void @release_python(ptr %arena)
  br label %done
done:
  ret void
}}

define void @hold_python(ptr %arena) {{
  %thread = load ptr, ptr %arena[{8 * THREAD}]
  %held = icmp eq ptr %thread, null
  br i1 %held, label %done, label %restore
restore:
  call void @PyEval_RestoreThread(ptr %thread)
  store ptr null, ptr %arena[{8 * THREAD}]
  br label %done
done:
  ret void
}}

define {POLLS} i32 @poll(ptr %arena) {{
  store i64 0, ptr %arena[{8 * WORK}]
  %thread = load ptr, ptr %arena[{8 * THREAD}]
  %held = icmp eq ptr %thread, null
  br i1 %held, label %ask, label %wait
wait:
  %then = load i64, ptr %arena[{8 * ASKED}]
  %now = call i64 @now()
  %waited = sub i64 %now, %then
  %patient = icmp slt i64 %waited, {PATIENCE}
  br i1 %patient, label %going, label %ask
ask:
  call void @hold_python(ptr %arena)
  %raised = call i32 @PyErr_CheckSignals()
  %none = icmp eq i32 %raised, 0
  br i1 %none, label %release, label %stop
release:
  call void @release_python(ptr %arena)
  br label %going
going:
  ret i32 0
stop:
  ret i32 %raised
}}

define internal i64 @data(ptr %chunk) {{
  %start = ptrtoint ptr %chunk to i64
  %behind = add i64 %start, 79
  %aligned = and i64 %behind, -64
  ret i64 %aligned
}}

define ptr @allocate(ptr %arena, i64 %bytes) {{
  %huge = icmp ugt i64 %bytes, {1 << 60}
  br i1 %huge, label %none, label %start
start:
  %above = add i64 %bytes, 63
  %rounded = and i64 %above, -64
  %n = call i64 @llvm.umax.i64(i64 %rounded, i64 64)
  %next = load i64, ptr %arena[{8 * NEXT}]
  %end = load i64, ptr %arena[{8 * END}]
  %room = sub i64 %end, %next
  %fits = icmp ule i64 %n, %room
  br i1 %fits, label %fast, label %slow
fast:
  %after = add i64 %next, %n
  store i64 %after, ptr %arena[{8 * NEXT}]
  %found = inttoptr i64 %next to ptr
  ret ptr %found
slow:
  %chunk = load ptr, ptr %arena[{8 * CHUNK}]
  %following = load ptr, ptr %chunk
  %last = icmp eq ptr %following, null
  br i1 %last, label %new, label %try
try:
  %fdata = call i64 @data(ptr %following)
  %fend = load i64, ptr %following[8]
  %froom = sub i64 %fend, %fdata
  %ffits = icmp ule i64 %n, %froom
  br i1 %ffits, label %use, label %new
new:
  %first = icmp eq ptr %chunk, %arena
  br i1 %first, label %ask, label %make
ask:
  %kept = atomicrmw xchg ptr @kept, ptr null seq_cst
  %nothing = icmp eq ptr %kept, null
  br i1 %nothing, label %make, label %look
look:
  %kdata = call i64 @data(ptr %kept)
  %kend = load i64, ptr %kept[8]
  %kroom = sub i64 %kend, %kdata
  %kfits = icmp ule i64 %n, %kroom
  br i1 %kfits, label %link, label %drop
drop:
  call void @free(ptr %kept)
  br label %make
make:
  %wanted = load i64, ptr @wanted
  %needed = add i64 %n, 192
  %size = call i64 @llvm.umax.i64(i64 %wanted, i64 %needed)
  %made = call ptr @malloc(i64 %size)
  %failed = icmp eq ptr %made, null
  br i1 %failed, label %none, label %made.ok
made.ok:
  %mstart = ptrtoint ptr %made to i64
  %mend = add i64 %mstart, %size
  store i64 %mend, ptr %made[8]
  br label %link
link:
  %linked = phi ptr [ %kept, %look ], [ %made, %made.ok ]
  store ptr %following, ptr %linked
  store ptr %linked, ptr %chunk
  br label %use
use:
  %used = phi ptr [ %following, %try ], [ %linked, %link ]
  %udata = call i64 @data(ptr %used)
  %uend = load i64, ptr %used[8]
  store ptr %used, ptr %arena[{8 * CHUNK}]
  %unext = add i64 %udata, %n
  store i64 %unext, ptr %arena[{8 * NEXT}]
  store i64 %uend, ptr %arena[{8 * END}]
  %result = inttoptr i64 %udata to ptr
  ret ptr %result
none:
  ret ptr null
}}

define ptr @grow(ptr %arena, ptr %place, i64 %bytes) {{
  %capacity = load i64, ptr %place[8]
  %has = icmp uge i64 %capacity, %bytes
  %old = load ptr, ptr %place
  %some = icmp ne ptr %old, null
  %enough = and i1 %has, %some
  br i1 %enough, label %ready, label %more
ready:
  ret ptr %old
more:
  %huge = icmp ugt i64 %bytes, {1 << 60}
  br i1 %huge, label %none, label %owner
owner:
  br i1 %some, label %front, label %count
front:
  %address = ptrtoint ptr %old to i64
  %end = add i64 %address, %capacity
  %end.place = inttoptr i64 %end to ptr
  %base = load i64, ptr %end.place
  %before.it = sub i64 %address, %base
  %all = add i64 %before.it, %capacity
  %apart = icmp uge i64 %before.it, %capacity
  %suffices = icmp uge i64 %all, %bytes
  %back = and i1 %apart, %suffices
  br i1 %back, label %again, label %count
again:
  %start = inttoptr i64 %base to ptr
  store ptr %start, ptr %place
  store i64 %all, ptr %place[8]
  ret ptr %start
count:
  %passed = phi i64 [ 0, %owner ], [ %before.it, %front ]
  %is.queue = icmp ne i64 %passed, 0
  %total = load i64, ptr %arena[{8 * TOTAL}]
  %times = shl i64 %bytes, 3
  %most = add i64 %times, {MOST_OWNED}
  %full = icmp ugt i64 %total, %most
  br i1 %full, label %none, label %make
make:
  %spare = atomicrmw xchg ptr @grown, ptr null seq_cst
  %bare = icmp eq ptr %spare, null
  br i1 %bare, label %fresh, label %measure
measure:
  %sparecap = load i64, ptr %spare[8]
  %wide = icmp uge i64 %sparecap, %bytes
  br i1 %wide, label %keep, label %discard
discard:
  call void @free(ptr %spare)
  br label %fresh
fresh:
  %half = lshr i64 %bytes, 1
  %extra = select i1 %is.queue, i64 %bytes, i64 %half
  %larger = add i64 %bytes, %extra
  %above = add i64 %larger, 71
  %cap = and i64 %above, -8
  %size = add i64 %cap, 128
  %made = call ptr @malloc(i64 %size)
  %failed = icmp eq ptr %made, null
  br i1 %failed, label %none, label %keep
keep:
  %block = phi ptr [ %spare, %measure ], [ %made, %fresh ]
  %room = phi i64 [ %sparecap, %measure ], [ %cap, %fresh ]
  %sum = add i64 %total, %room
  store i64 %sum, ptr %arena[{8 * TOTAL}]
  %before = load ptr, ptr %arena[{8 * OWNED}]
  store ptr %before, ptr %block
  store i64 %room, ptr %block[8]
  store ptr %block, ptr %arena[{8 * OWNED}]
  %data = call i64 @data(ptr %block)
  %pointer = inttoptr i64 %data to ptr
  %tail = getelementptr i8, ptr %pointer, i64 %room
  store i64 %data, ptr %tail
  store ptr %pointer, ptr %place
  store i64 %room, ptr %place[8]
  ret ptr %pointer
none:
  ret ptr null
}}

define void @release(ptr %arena) {{
  %first = load ptr, ptr %arena
  %none = icmp eq ptr %first, null
  br i1 %none, label %owned, label %some
some:
  %second = load ptr, ptr %first
  %single = icmp eq ptr %second, null
  br i1 %single, label %one, label %all
one:
  %oend = load i64, ptr %first[8]
  %ostart = ptrtoint ptr %first to i64
  %osize = sub i64 %oend, %ostart
  %small = icmp ule i64 %osize, {MOST_KEPT}
  br i1 %small, label %keep, label %all
keep:
  %old = atomicrmw xchg ptr @kept, ptr %first seq_cst
  %nothing = icmp eq ptr %old, null
  br i1 %nothing, label %owned, label %drop
drop:
  call void @free(ptr %old)
  br label %owned
all:
  %chunk = phi ptr [ %first, %some ], [ %first, %one ], [ %following, %all ]
  %sum = phi i64 [ 0, %some ], [ 0, %one ], [ %total, %all ]
  %following = load ptr, ptr %chunk
  %end = load i64, ptr %chunk[8]
  %start = ptrtoint ptr %chunk to i64
  %size = sub i64 %end, %start
  %total = add i64 %sum, %size
  call void @free(ptr %chunk)
  %done = icmp eq ptr %following, null
  br i1 %done, label %note, label %all
note:
  %usual = icmp ule i64 %total, {MOST_KEPT}
  br i1 %usual, label %want, label %owned
want:
  %wanted = load i64, ptr @wanted
  %most = call i64 @llvm.umax.i64(i64 %wanted, i64 %total)
  store i64 %most, ptr @wanted
  br label %owned
owned:
  %own = load ptr, ptr %arena[{8 * OWNED}]
  br label %each
each:
  %item = phi ptr [ %own, %owned ], [ %next, %again ]
  %best = phi ptr [ null, %owned ], [ %better, %again ]
  %most.bytes = phi i64 [ 0, %owned ], [ %better.bytes, %again ]
  %finished = icmp eq ptr %item, null
  br i1 %finished, label %end.all, label %again
again:
  %next = load ptr, ptr %item
  %item.bytes = load i64, ptr %item[8]
  %larger = icmp ugt i64 %item.bytes, %most.bytes
  %little = icmp ule i64 %item.bytes, {MOST_KEPT}
  %kept.one = and i1 %larger, %little
  %better = select i1 %kept.one, ptr %item, ptr %best
  %better.bytes = select i1 %kept.one, i64 %item.bytes, i64 %most.bytes
  %worse = select i1 %kept.one, ptr %best, ptr %item
  call void @free(ptr %worse)
  br label %each
end.all:
  %any = icmp ne ptr %best, null
  br i1 %any, label %exchange, label %leave
exchange:
  %former = atomicrmw xchg ptr @grown, ptr %best seq_cst
  call void @free(ptr %former)
  br label %leave
leave:
  ret void
}}

declare i64 @llvm.umax.i64(i64, i64)
"""


_OF_THREADS = ("release_python", "release_again", "hold_python")


@once
def support() -> Code:
    """The functions of arenas; `release_python` lets other threads run Python until `hold_python`,
    and `release_again` does if that was called before; `poll` lets them too, and now and then
    handles signals: not 0 if that raised; `look` adds the nanoseconds since it was last
    called to a row of a table.
    """
    library, python = ctypes.CDLL(None), ctypes.pythonapi
    outside = addresses(library, "malloc", "free", "clock_gettime")
    outside |= addresses(python, "PyEval_SaveThread", "PyEval_RestoreThread", "PyErr_CheckSignals")
    exports = ["allocate", "grow", "release", "poll", "look", *_OF_THREADS]
    return compile_text(_TEXT, exports, outside)
