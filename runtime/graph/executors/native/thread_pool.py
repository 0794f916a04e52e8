"""Threads that share large loops of machine code.

A loop is cut into parts of a size that does not depend on the number of threads; who has none takes
the next one. Whoever has a loop to run takes part, and is alone where the pool is at another loop:
nobody waits for it. Threads without work sleep. They know nothing of Python.

    owner   held while a loop runs
    mutex   held while what is below is changed; `wake` and `done` are conditions of it
"""

from __future__ import annotations

import atexit
import ctypes
import os
import threading
from typing import Any

from runtime.core import threads
from runtime.graph.executors.native.code import Code, addresses, compile_text, once

_OUTSIDE = (
    *("pthread_mutex_lock", "pthread_mutex_unlock", "pthread_mutex_trylock"),
    *("pthread_cond_wait", "pthread_cond_broadcast", "pthread_cond_signal"),
)

_LOCKS = ("owner", "mutex", "wake", "done")
_WORDS = ("stop", "generation", "active", "workers", "next")
_ROOM = 128
"""Bytes that are enough for a mutex or a condition."""

_STATE = "\n".join(
    [f"@{name} = global [{_ROOM} x i8] zeroinitializer, align 64" for name in _LOCKS]
    + [f"@{name} = global i64 0, align 64" for name in _WORDS]
)

_TEXT = f"""
{_STATE}
@function = internal global ptr null
@context = internal global ptr null
@total = internal global i64 0
@size = internal global i64 0

define internal void @wait(ptr %condition) {{
  %made = call i32 @pthread_cond_wait(ptr %condition, ptr @mutex)
  ret void
}}

define internal void @take() {{
  %function = load ptr, ptr @function
  %context = load ptr, ptr @context
  %total = load i64, ptr @total
  %size = load i64, ptr @size
  br label %again
again:
  %part = atomicrmw add ptr @next, i64 1 seq_cst
  %first = mul i64 %part, %size
  %some = icmp slt i64 %first, %total
  br i1 %some, label %run, label %done
run:
  %behind = add i64 %first, %size
  %last = call i64 @llvm.smin.i64(i64 %behind, i64 %total)
  call void %function(ptr %context, i64 %first, i64 %last)
  br label %again
done:
  ret void
}}

define ptr @worker(ptr %nothing) {{
  %locked = call i32 @pthread_mutex_lock(ptr @mutex)
  %old = load i64, ptr @generation
  br label %look
look:
  %seen = phi i64 [ %old, %0 ], [ %seen, %sleep ], [ %new, %again ]
  %stop = load i64, ptr @stop
  %stops = icmp ne i64 %stop, 0
  br i1 %stops, label %leave, label %ask
ask:
  %new = load i64, ptr @generation
  %same = icmp eq i64 %new, %seen
  br i1 %same, label %sleep, label %work
sleep:
  call void @wait(ptr @wake)
  br label %look
work:
  %active = load i64, ptr @active
  %more = add i64 %active, 1
  store i64 %more, ptr @active
  %let = call i32 @pthread_mutex_unlock(ptr @mutex)
  call void @take()
  %relocked = call i32 @pthread_mutex_lock(ptr @mutex)
  %busy = load i64, ptr @active
  %fewer = sub i64 %busy, 1
  store i64 %fewer, ptr @active
  %last = icmp eq i64 %fewer, 0
  br i1 %last, label %tell, label %again
tell:
  %told = call i32 @pthread_cond_signal(ptr @done)
  br label %again
again:
  br label %look
leave:
  %unlocked = call i32 @pthread_mutex_unlock(ptr @mutex)
  ret ptr null
}}

define internal void @quiet() {{
  br label %look
look:
  %active = load i64, ptr @active
  %none = icmp eq i64 %active, 0
  br i1 %none, label %done, label %sleep
sleep:
  call void @wait(ptr @done)
  br label %look
done:
  ret void
}}

define void @run(ptr %function, ptr %context, i64 %total, i64 %size) {{
  %workers = load i64, ptr @workers
  %alone = icmp eq i64 %workers, 0
  %one = icmp sle i64 %total, %size
  %single = or i1 %alone, %one
  br i1 %single, label %serial, label %try
try:
  %held = call i32 @pthread_mutex_trylock(ptr @owner)
  %busy = icmp ne i32 %held, 0
  br i1 %busy, label %serial, label %shared
serial:
  %first = phi i64 [ 0, %0 ], [ 0, %try ], [ %behind, %serial ]
  %behind = add i64 %first, %size
  %last = call i64 @llvm.smin.i64(i64 %behind, i64 %total)
  call void %function(ptr %context, i64 %first, i64 %last)
  %goes.on = icmp slt i64 %behind, %total
  br i1 %goes.on, label %serial, label %done
done:
  ret void
shared:
  %locked = call i32 @pthread_mutex_lock(ptr @mutex)
  call void @quiet()
  store ptr %function, ptr @function
  store ptr %context, ptr @context
  store i64 %total, ptr @total
  store i64 %size, ptr @size
  store i64 0, ptr @next
  %old = load i64, ptr @generation
  %new = add i64 %old, 1
  store i64 %new, ptr @generation
  %woken = call i32 @pthread_cond_broadcast(ptr @wake)
  %let = call i32 @pthread_mutex_unlock(ptr @mutex)
  call void @take()
  %relocked = call i32 @pthread_mutex_lock(ptr @mutex)
  call void @quiet()
  %unlocked = call i32 @pthread_mutex_unlock(ptr @mutex)
  %free = call i32 @pthread_mutex_unlock(ptr @owner)
  ret void
}}

define void @end() {{
  %locked = call i32 @pthread_mutex_lock(ptr @mutex)
  store i64 1, ptr @stop
  %woken = call i32 @pthread_cond_broadcast(ptr @wake)
  %unlocked = call i32 @pthread_mutex_unlock(ptr @mutex)
  ret void
}}

declare i64 @llvm.smin.i64(i64, i64)
"""


class ThreadPool:
    """The threads beside those that have loops to run."""

    def __init__(self) -> None:
        self.library = ctypes.CDLL(None)
        outside = addresses(self.library, *_OUTSIDE)
        exports = ["run", "worker", "end", *_LOCKS, *_WORDS]
        self.code: Code = compile_text(_TEXT, exports, outside)
        self.lock = threading.Lock()
        self.threads: list[Any] = []
        self._prepare()
        threads.follow(self.resize)
        atexit.register(self.resize, 1)
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._after_fork)

    def _word(self, name: str) -> Any:
        return ctypes.c_int64.from_address(self.code.address(name))

    def _prepare(self) -> None:
        """Set all up for no threads."""
        for name in _WORDS:
            self._word(name).value = 0
        for name in _LOCKS:
            address = self.code.address(name)
            ctypes.memset(address, 0, _ROOM)
            kind = "mutex" if name in ("owner", "mutex") else "cond"
            getattr(self.library, f"pthread_{kind}_init")(ctypes.c_void_p(address), None)

    def _after_fork(self) -> None:
        # The threads are the parent's; those that wait for a lock too.
        self.threads = []
        self.lock = threading.Lock()
        self._prepare()

    def resize(self, count: int) -> None:
        """Have as many threads, with the one that has a loop to run."""
        with self.lock:
            if len(self.threads) == count - 1:
                return
            self._word("workers").value = 0
            self._end()
            for _ in range(count - 1):
                self._begin()
            self._word("workers").value = len(self.threads)

    def _begin(self) -> None:
        """One more thread, to which no signals go. Where there can be no more, there are fewer."""
        import signal  # machine code that no threads share need not wait for it

        made, function = ctypes.c_size_t(), ctypes.c_void_p(self.code.address("worker"))
        blocked = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        try:
            failed = self.library.pthread_create(ctypes.byref(made), None, function, None)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
        if not failed:
            self.threads.append(made)

    def _end(self) -> None:
        ctypes.CFUNCTYPE(None)(self.code.address("end"))()
        for thread in self.threads:
            self.library.pthread_join(thread, None)
        self.threads = []
        self._word("stop").value = 0


@once
def pool() -> ThreadPool:
    """The pool of the process."""
    return ThreadPool()


def address_of(name: str) -> int:
    """The address of `run`: of a function, its context, a total and the size of a part, runs
    `function(context, first, last)` for all parts.
    """
    return pool().code.address(name)
