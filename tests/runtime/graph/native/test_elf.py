"""Object files that are loaded without LLVM compute what those do that LLVM loads."""

from __future__ import annotations

import ctypes
import gc
import struct
import subprocess
import sys
import weakref

import pytest

pytest.importorskip("llvmlite")

from runtime.graph.executors.native import elf, machine
from runtime.graph.executors.native.code import LEVEL, QUICK, compile_module

pytestmark = pytest.mark.skipif(not elf.is_here(), reason="LLVM loads object files here")

ADD = "define i64 @f(i64 %x) {\n  %y = add i64 %x, 5\n  ret i64 %y\n}"

ALL_KINDS = """
@counter = global i64 7
@words = internal constant [3 x i64] [i64 11, i64 22, i64 33]
@where = internal global ptr @words
@room = internal global [64 x i8] zeroinitializer

declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)

define internal i64 @chosen(i64 %x) noinline {
  switch i64 %x, label %other [
    i64 0, label %a
    i64 1, label %b
    i64 2, label %c
    i64 3, label %d
    i64 4, label %e
  ]
a:
  ret i64 90
b:
  %again = call i64 @f(i64 0)
  ret i64 %again
c:
  ret i64 -17
d:
  ret i64 1234
e:
  ret i64 4
other:
  ret i64 -1
}

define i64 @f(i64 %x) {
  %old = load i64, ptr @counter
  %new = add i64 %old, 1
  store i64 %new, ptr @counter
  call void @llvm.memset.p0.i64(ptr @room, i8 3, i64 64, i1 false)
  %byte = load i8, ptr getelementptr (i8, ptr @room, i64 63)
  %three = zext i8 %byte to i64
  %table = load ptr, ptr @where
  %index = urem i64 %x, 3
  %place = getelementptr i64, ptr %table, i64 %index
  %word = load i64, ptr %place
  %found = call i64 @chosen(i64 %x)
  %s1 = add i64 %found, %word
  %s2 = add i64 %s1, %three
  %sum = add i64 %s2, %new
  ret i64 %sum
}
"""

FLOATS = """
define double @f(double %x) {
  %rest = frem double %x, 2.5
  %third = fdiv double %rest, 3.0
  ret double %third
}
"""


def of(places, kind=ctypes.c_int64):
    return ctypes.CFUNCTYPE(kind, kind)(places["f"])


@pytest.mark.parametrize("level", [LEVEL, QUICK])
def test_as_llvm_loads_it(level):
    made = machine.generate(ALL_KINDS, level)
    own = elf.linked(made, ["f", "counter"])
    theirs = machine.linked(made, ["f", "counter"])
    assert own is not None
    for x in range(7):
        assert of(own)(x) == of(theirs)(x)
    counts = [ctypes.c_int64.from_address(each["counter"]).value for each in (own, theirs)]
    assert counts[0] == counts[1] > 7


def test_floats_and_functions_of_the_c_library():
    made = machine.generate(FLOATS)
    own, theirs = elf.linked(made, ["f"]), machine.linked(made, ["f"])
    assert own is not None
    for x in (0.0, -7.25, 1e300, float("inf")):
        found, expected = (of(each, ctypes.c_double)(x) for each in (own, theirs))
        assert struct.pack("d", found) == struct.pack("d", expected)


def test_code_cannot_be_written_and_data_not_run():
    own = elf.linked(machine.generate(ALL_KINDS), ["f", "counter"])
    assert own is not None
    with open("/proc/self/maps", encoding="ascii") as file:
        ranges = [line.split()[:2] for line in file]

    def rights(address):
        for ends, found in ranges:
            first, last = (int(end, 16) for end in ends.split("-"))
            if first <= address < last:
                return found[:3]
        return None

    assert (rights(own["f"]), rights(own["counter"])) == ("r-x", "rw-")


ELSEWHERE = """
declare i64 @labs(i64)
define i64 @f(i64 %x) {
  %y = call i64 @labs(i64 %x)
  ret i64 %y
}
"""

OF_A_THREAD = """
@one = thread_local global i64 0
define i64 @f(i64 %x) {
  %y = load i64, ptr @one
  ret i64 %y
}
"""


@pytest.mark.parametrize("text", [ELSEWHERE, OF_A_THREAD])
def test_what_is_not_known_is_left_to_llvm(text):
    assert elf.linked(machine.generate(text), ["f"]) is None


def test_llvm_loads_where_this_does_not(monkeypatch):
    monkeypatch.setattr(elf, "is_here", lambda: False)
    code = compile_module(ADD, ["f"])
    assert ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(code.address("f"))(37) == 42


def test_what_is_no_such_file_is_not_loaded():
    made = machine.generate(ADD)
    assert elf.linked(made, ["f"]) is not None
    assert elf.linked(made, ["f", "g"]) is None
    assert elf.linked(b"", ["f"]) is None
    arm = bytearray(made)
    struct.pack_into("<H", arm, 18, 183)
    assert elf.linked(bytes(arm), ["f"]) is None


def test_memory_goes_with_the_last_who_has_it():
    own = elf.linked(machine.generate(ADD), ["f"])
    assert own is not None
    start = own["f"] & -4096
    line = f"{start:x}-"
    gone = weakref.ref(own)
    with open("/proc/self/maps", encoding="ascii") as file:
        assert any(each.startswith(line) for each in file)
    del own
    gc.collect()
    assert gone() is None


LAST = """
import threading, time
import runtime as rt

@rt.function(jit_compile=True)
def count(n):
    i = 0
    while i < n:
        i = i + n % 3 + 1
    return i

count(rt.constant(10, rt.int64))
threading.Thread(target=count, args=[rt.constant(10**15, rt.int64)], daemon=True).start()
time.sleep(0.3)
print("done")
"""


def test_a_process_may_end_while_a_thread_is_in_machine_code(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(LAST)
    done = subprocess.run(
        [sys.executable, str(program)], capture_output=True, text=True, timeout=120
    )
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr
