"""Instructions as Python 3.14 has them, made of those of the Python that runs: what
`Lib/_opcode_metadata.py` and `Lib/test/test_dis.py` of CPython 3.14 say of both.
"""

import dis
from collections.abc import Callable, Iterator
from types import CodeType
from typing import Any

_ENTERS = (
    ("COPY", 1, ""),
    ("LOAD_SPECIAL", 1, "__exit__"),
    ("SWAP", 2, ""),
    ("SWAP", 3, ""),
    ("LOAD_SPECIAL", 0, "__enter__"),
    ("CALL", 0, ""),
)
SUBSCRIPT = 26
"""The argument of `BINARY_OP` for `x[i]`."""


def instructions(
    read: Callable[[CodeType], Iterator[dis.Instruction]], code: CodeType
) -> Iterator[dis.Instruction]:
    """What `dis.get_instructions` would give; `read` is that of the Python that runs."""
    for each in read(code):
        yield from _as_3_14(each)


def _as_3_14(each: dis.Instruction) -> Iterator[dis.Instruction]:
    name = each.opname
    if name == "LOAD_CONST" and type(each.argval) is int and 0 <= each.argval < 256:
        yield each._replace(opname="LOAD_SMALL_INT", arg=each.argval)
    elif name == "RETURN_CONST":
        yield from _as_3_14(each._replace(opname="LOAD_CONST"))
        yield _further(each, "RETURN_VALUE", None)
    elif name in ("LOAD_FAST", "LOAD_FAST_LOAD_FAST"):
        yield each._replace(opname=name.replace("LOAD_FAST", "LOAD_FAST_BORROW"))
    elif name == "BINARY_SUBSCR":
        yield each._replace(opname="BINARY_OP", arg=SUBSCRIPT, argval=SUBSCRIPT, argrepr="[]")
    elif name == "BEFORE_WITH":
        yield from (_further(each, *operation) for operation in _ENTERS)
    elif name == "LOAD_ASSERTION_ERROR":
        yield each._replace(opname="LOAD_COMMON_CONSTANT", arg=0, argrepr="AssertionError")
    elif name == "LOAD_METHOD":
        yield each._replace(opname="LOAD_ATTR")
    elif name != "PRECALL":
        yield each
        if name.startswith("POP_JUMP"):
            yield _further(each, "NOT_TAKEN", None)


def _further(at: dis.Instruction, name: str, arg: int | None, text: str = "") -> Any:
    """One more instruction; at an offset where no other is."""
    return at._replace(opname=name, arg=arg, argval=arg, argrepr=text, offset=at.offset + 1)
