"""Comparisons, logic and bits."""

from __future__ import annotations

from typing import Any

import numpy as np

from runtime import errors
from runtime.core import intervals
from runtime.core.forms import Form, Logic
from runtime.core.identities import ALL, ANY, undone
from runtime.core.primitive import sample
from runtime.core.workspace import Workspace, opened
from runtime.ops.blockwise import PIECE
from runtime.ops.define import Example, Op, binary, unary


def _none(a: Any, b: Any, y: Any, g: Any) -> tuple[None, None]:
    return None, None


_TRUTHS = (sample("2,3:b", "3:b"), sample(":b", "2:b"))
_BITS = (sample("2,3:i9", "3:i9"),)


def _comparison(name: str, ufunc: Any, symbol: str, dtypes: str = "R,R", *, example: Example) -> Op:
    return binary(
        name, ufunc, f"{dtypes}->bool", gradient=_none, reads="",
        doc=f"x {symbol} y, elementwise.", example=example,
        scalar=Form(f"{{}} {symbol} {{}}", "ifb" if dtypes == "A,A" else "if"),
    )  # fmt: skip


equal: Op = _comparison(
    "equal", np.equal, "==", "A,A",
    example=("rt.equal([1, 2], 2).numpy().tolist()", "[False, True]"),
)  # fmt: skip
not_equal: Op = _comparison(
    "not_equal", np.not_equal, "!=", "A,A",
    example=("rt.not_equal([1, 2], 2).numpy().tolist()", "[True, False]"),
)  # fmt: skip
less: Op = _comparison(
    "less", np.less, "<",
    example=("rt.less([1, 2], 2).numpy().tolist()", "[True, False]"),
)  # fmt: skip
less_equal: Op = _comparison(
    "less_equal", np.less_equal, "<=",
    example=("rt.less_equal([1, 2], 2).numpy().tolist()", "[True, True]"),
)  # fmt: skip
greater: Op = _comparison(
    "greater", np.greater, ">",
    example=("rt.greater([1, 2], 1).numpy().tolist()", "[False, True]"),
)  # fmt: skip
greater_equal: Op = _comparison(
    "greater_equal", np.greater_equal, ">=",
    example=("rt.greater_equal([1, 2], 2).numpy().tolist()", "[False, True]"),
)  # fmt: skip


def _pairwise(name: str, ufunc: Any, dtypes: str, samples: Any, doc: str, **fields: Any) -> Op:
    return binary(name, ufunc, dtypes, reads="", samples=samples, doc=doc, **fields)


def _logic(name: str, ufunc: Any, doc: str, **fields: Any) -> Op:
    doc = f"{doc}, elementwise on truth values."
    return _pairwise(name, ufunc, "B,B->bool", _TRUTHS, doc, **fields)


logical_and: Op = _logic(
    "logical_and", np.logical_and, "x and y", scalar=Form("{} and {}"), logic=Logic.AND,
    identities=ALL,
    example=("bool(rt.logical_and(True, False))", "False"),
)  # fmt: skip
logical_or: Op = _logic(
    "logical_or", np.logical_or, "x or y", scalar=Form("{} or {}"), logic=Logic.OR,
    identities=ANY,
    example=("bool(rt.logical_or(True, False))", "True"),
)  # fmt: skip
logical_xor: Op = _logic(
    "logical_xor", np.logical_xor, "Exactly one of x and y", scalar=Form("{} != {}"),
    is_own=True,
    example=("bool(rt.math.logical_xor(True, False))", "True"),
)  # fmt: skip
logical_not: Op = unary(
    "logical_not", np.logical_not, "B->bool", reads="", scalar=Form("not {}"), logic=Logic.NOT,
    identities=(undone,),
    doc="not x, elementwise on truth values.", samples=(sample("2,3:b"), sample(":b")),
    example=("bool(rt.logical_not(True))", "False"),
)  # fmt: skip


def _bits(name: str, kernel: Any, doc: str, **fields: Any) -> Op:
    return _pairwise(name, kernel, "I,I->I", _BITS, doc, **fields)


bitwise_and: Op = _bits(
    "bitwise_and", np.bitwise_and, "The bits set in both.", scalar=Form("{} & {}", "i"),
    interval=intervals.bitwise_and,
    example=("int(rt.bitwise.bitwise_and(6, 3))", "2"),
)  # fmt: skip
bitwise_or: Op = _bits(
    "bitwise_or", np.bitwise_or, "The bits set in either.", scalar=Form("{} | {}", "i"),
    example=("int(rt.bitwise.bitwise_or(6, 3))", "7"),
)  # fmt: skip
bitwise_xor: Op = _bits(
    "bitwise_xor", np.bitwise_xor, "The bits set in exactly one.", scalar=Form("{} ^ {}", "i"),
    example=("int(rt.bitwise.bitwise_xor(6, 3))", "5"),
)  # fmt: skip
invert: Op = unary(
    "invert", np.invert, "I->I", reads="", samples=(sample("2,3:i9"),), identities=(undone,),
    doc="All bits flipped.",
    example=("int(rt.bitwise.invert(6))", "-7"),
)  # fmt: skip


def _bounded_shift(ufunc: Any) -> Any:
    def kernel(x: Any, y: Any, out: Any = None, work: Workspace | None = None) -> Any:
        kind = y.dtype.type
        inside = out if out is not None and y.shape == out.shape else None
        if inside is None and work is not None and y.size > PIECE:
            inside = opened(work).like(y)
        bounded = np.clip(y, kind(0), kind(8 * x.dtype.itemsize - 1), out=inside)
        return ufunc(x, bounded, out=out)

    return kernel


_SHIFTED = "x {} y, where y is taken to be at least 0 and less than the number of bits."
left_shift: Op = _bits(
    "left_shift", _bounded_shift(np.left_shift), _SHIFTED.format("<<"),
    instruction="bounded_shift_left",
    example=("int(rt.bitwise.left_shift(6, 1))", "12"),
)  # fmt: skip
right_shift: Op = _bits(
    "right_shift", _bounded_shift(np.right_shift), _SHIFTED.format(">>"),
    instruction="bounded_shift_right",
    example=("int(rt.bitwise.right_shift(6, 1))", "3"),
)  # fmt: skip


def _python_shift(ufunc: Any) -> Any:
    # NumPy's ufuncs give 0 or -1 for a count of the width and more, as Python does.
    def kernel(x: Any, y: Any, out: Any = None) -> Any:
        if x.size and np.any(y < 0):
            raise errors.InvalidValueError("negative shift count")
        return ufunc(x, y, out=out)

    return kernel


def _operator_shift(name: str, ufunc: Any, symbol: str) -> Op:
    return binary(
        name, _python_shift(ufunc), "I,I->I", reads="", samples=_COUNTS, fallible=True,
        refuses_negative=True, is_own=True,
        op_type=f"Python{'Left' if name == 'lshift' else 'Right'}Shift",
        instruction=f"shift_{'left' if name == 'lshift' else 'right'}",
        doc=f"x {symbol} y as Python computes it, in the bits of the dtype.",
    )  # fmt: skip


# The operators: unlike TensorFlow's ops they fail for a negative count, and shift all bits out.
_COUNTS = (sample("2,3:i9", "3:i9"),)
lshift: Op = _operator_shift("lshift", np.left_shift, "<<")
rshift: Op = _operator_shift("rshift", np.right_shift, ">>")
