"""The versions of Python whose bytecode is known to what reads it: guards, handlers of exceptions,
what a call is given.
"""

from __future__ import annotations

import dis
import sys
from collections.abc import Iterable

NEWEST = 3, 14


def check_version(
    version: tuple[int, ...] = tuple(sys.version_info[:2]),
    operations: Iterable[str] = dis.opmap,
    free_threaded: bool = "t" in getattr(sys, "abiflags", ""),
) -> None:
    """Raises ImportError for a Python whose bytecode is not known: what is read from it would be
    missed silently. So would be who else holds an object, where threads count for themselves.
    """
    newest, given = (".".join(map(str, each[:2])) for each in (NEWEST, version))
    if version[:2] > NEWEST:
        raise ImportError(
            f"autograph reads Python's bytecode, and that of Python {given} is not known to it: "
            f"use Python 3.11 to {newest}"
        )
    unknown = _unknown(operations) if version[:2] == NEWEST else []
    if unknown:
        raise ImportError(
            f"autograph reads Python's bytecode, and this Python {given} has instructions that are "
            f"not known to it ({', '.join(unknown)}): use Python 3.11 to 3.13"
        )
    if free_threaded:
        raise ImportError(
            "autograph counts references to objects, which a free-threaded Python does not in one "
            f"place: use a build of Python {given} with the global interpreter lock"
        )


def _unknown(operations: Iterable[str]) -> list[str]:
    # Debuggers' are put in place of others, which are what is read.
    plain = {name for name in operations if not name.startswith("INSTRUMENTED_")}
    return sorted(plain.difference(_KNOWN.split()))


_KNOWN = """
    ANNOTATIONS_PLACEHOLDER BINARY_OP BINARY_SLICE BUILD_INTERPOLATION BUILD_LIST BUILD_MAP
    BUILD_SET BUILD_SLICE BUILD_STRING BUILD_TEMPLATE BUILD_TUPLE CACHE CALL CALL_FUNCTION_EX
    CALL_INTRINSIC_1 CALL_INTRINSIC_2 CALL_KW CHECK_EG_MATCH CHECK_EXC_MATCH CLEANUP_THROW
    COMPARE_OP CONTAINS_OP CONVERT_VALUE COPY COPY_FREE_VARS DELETE_ATTR DELETE_DEREF DELETE_FAST
    DELETE_GLOBAL DELETE_NAME DELETE_SUBSCR DICT_MERGE DICT_UPDATE END_ASYNC_FOR END_FOR END_SEND
    ENTER_EXECUTOR EXIT_INIT_CHECK EXTENDED_ARG FORMAT_SIMPLE FORMAT_WITH_SPEC FOR_ITER GET_AITER
    GET_ANEXT GET_AWAITABLE GET_ITER GET_LEN GET_YIELD_FROM_ITER IMPORT_FROM IMPORT_NAME
    INTERPRETER_EXIT IS_OP JUMP JUMP_BACKWARD JUMP_BACKWARD_NO_INTERRUPT JUMP_FORWARD
    JUMP_IF_FALSE JUMP_IF_TRUE JUMP_NO_INTERRUPT LIST_APPEND LIST_EXTEND LOAD_ATTR
    LOAD_BUILD_CLASS LOAD_CLOSURE LOAD_COMMON_CONSTANT LOAD_CONST LOAD_DEREF LOAD_FAST
    LOAD_FAST_AND_CLEAR LOAD_FAST_BORROW LOAD_FAST_BORROW_LOAD_FAST_BORROW LOAD_FAST_CHECK
    LOAD_FAST_LOAD_FAST LOAD_FROM_DICT_OR_DEREF LOAD_FROM_DICT_OR_GLOBALS LOAD_GLOBAL LOAD_LOCALS
    LOAD_NAME LOAD_SMALL_INT LOAD_SPECIAL LOAD_SUPER_ATTR MAKE_CELL MAKE_FUNCTION MAP_ADD
    MATCH_CLASS MATCH_KEYS MATCH_MAPPING MATCH_SEQUENCE NOP NOT_TAKEN POP_BLOCK POP_EXCEPT
    POP_ITER POP_JUMP_IF_FALSE POP_JUMP_IF_NONE POP_JUMP_IF_NOT_NONE POP_JUMP_IF_TRUE POP_TOP
    PUSH_EXC_INFO PUSH_NULL RAISE_VARARGS RERAISE RESERVED RESUME RETURN_GENERATOR RETURN_VALUE
    SEND SETUP_ANNOTATIONS SETUP_CLEANUP SETUP_FINALLY SETUP_WITH SET_ADD SET_FUNCTION_ATTRIBUTE
    SET_UPDATE STORE_ATTR STORE_DEREF STORE_FAST STORE_FAST_LOAD_FAST STORE_FAST_MAYBE_NULL
    STORE_FAST_STORE_FAST STORE_GLOBAL STORE_NAME STORE_SLICE STORE_SUBSCR SWAP TO_BOOL
    UNARY_INVERT UNARY_NEGATIVE UNARY_NOT UNPACK_EX UNPACK_SEQUENCE WITH_EXCEPT_START YIELD_VALUE
"""
"""The instructions of the newest Python, which `instructions.py` and those who call it know: a
release of it may still have others.
"""
