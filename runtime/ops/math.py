"""Elementwise arithmetic and functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import runtime.ops as ops
from runtime import dtypes, errors
from runtime.core import forms, intervals
from runtime.core.convert import convert_to_tensor, held_now
from runtime.core.forms import Form, Logic
from runtime.core.identities import (
    PRODUCT,
    SUM,
    equal_operands,
    exactly,
    first,
    of_reals,
    repeated,
    right,
    undone,
)
from runtime.core.primitive import (
    Kernel,
    Memory,
    Order,
    Primitive,
    Raises,
    bind,
    flat,
    row,
    same_shape,
    sample,
)
from runtime.core.state import trap_division
from runtime.core.tensor import EagerTensor, Tensor
from runtime.core.types import TensorType
from runtime.core.workspace import Workspace
from runtime.dtypes import as_dtype
from runtime.ops import batching
from runtime.ops.arguments import listed
from runtime.ops.blockwise import MANY, in_blocks, own
from runtime.ops.define import POSITIVE, UNIT, Op, binary, matched, unary
from runtime.ops.indexed_slices import IndexedSlices, Slices, passed


def _c(x: Any) -> Any:
    """The conjugate where x is complex: what gradients of analytic functions multiply with."""
    if type(x) is EagerTensor and x.raw.dtype.kind == "f":
        return x
    return ops.conj(x) if x.dtype.is_complex else x


# Arithmetic


def _ring(text: str, kinds: str = "if") -> Form:
    return Form(text, kinds, wraps=True, ring=True)


add: Op = binary(
    "add", np.add, "P,P->P", op_type="AddV2", reads="", scalar=_ring("{} + {}"),
    interval=intervals.add, identities=SUM,
    gradient=(lambda a, b, y, g: g, lambda a, b, y, g: g),
    doc="x + y, elementwise with broadcasting; strings are concatenated.",
    example=("int(rt.add(1, 2))", "3"),
)  # fmt: skip
subtract: Op = binary(
    "sub", np.subtract, op_type="Sub", reads="", scalar=_ring("{} - {}"),
    interval=intervals.sub, identities=(right(0),),
    gradient=(lambda a, b, y, g: g, lambda a, b, y, g: -g),
    doc="x - y, elementwise with broadcasting.",
    example=("int(rt.subtract(1, 2))", "-1"),
)  # fmt: skip
multiply: Op = binary(
    "mul", np.multiply, op_type="Mul", reads=("b", "a"), scalar=_ring("{} * {}"),
    interval=intervals.mul, identities=PRODUCT,
    gradient=(lambda a, b, y, g: g * _c(b), lambda a, b, y, g: g * _c(a)),
    doc="x * y, elementwise with broadcasting.",
    example=("int(rt.multiply(3, 2))", "6"),
)  # fmt: skip
divide_real: Op = binary(
    "div", np.divide, "F,F->F", op_type="RealDiv", reads=("b", "ab"), scalar=Form("{} / {}", "f"),
    silent=(ZeroDivisionError,),
    identities=(right(1),),
    gradient=(lambda a, b, y, g: g / _c(b), lambda a, b, y, g: -g * _c(a / b / b)),
    doc="x / y for floating-point tensors.", samples=(sample("2,3", "2,3:+"), sample("2,1", "3:+")),
    example=("rt.raw_ops.RealDiv(x=[1., 6.], y=[2.]).numpy().tolist()", "[0.5, 3.0]"),
)  # fmt: skip

_DIVIDED_AS = {
    dtypes.int8: dtypes.float32, dtypes.uint8: dtypes.float32,
    dtypes.int16: dtypes.float32, dtypes.uint16: dtypes.float32,
    dtypes.int32: dtypes.float64, dtypes.uint32: dtypes.float64,
    dtypes.int64: dtypes.float64, dtypes.uint64: dtypes.float64,
}  # fmt: skip


def truediv(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x / y as Python divides.

    Integers (of one dtype) become float64, those of 8 and 16 bits float32.

    >>> float(rt.divide(3., 2.))
    1.5
    """
    return divide_real(*as_fractions(x, y))


divide = truediv


def as_fractions(x: Any, y: Any) -> tuple[Tensor, Tensor]:
    """Both operands of a division, integers (of one dtype) as the floats that Python's gives."""
    x, y = matched(x, y)
    return (as_fraction(x), as_fraction(y)) if y.dtype is x.dtype else (x, y)


def as_fraction(x: Tensor) -> Tensor:
    """An operand of a division, integers as the floats that Python's gives."""
    floating = _DIVIDED_AS.get(x.dtype)
    return x if floating is None else cast(x, floating)


def integer_safe(ufunc: Any, of_many: Kernel | None = None) -> Kernel:
    """The kernel of a division: ZeroDivisionError where an integer is divided by 0. `of_many`
    divides many floating-point numbers.
    """

    def kernel(a: Any, b: Any, out: Any = None, work: Any = None) -> Any:
        if a.dtype.kind == "f":
            if of_many is None or max(a.size, b.size) < MANY or a.dtype == np.float16:
                return ufunc(a, b, out=out)
            return of_many(a, b, out=out, work=work)
        try:
            return trap_division(_remainder_by_one if _is_slow(ufunc, a, b) else ufunc, a, b, out)
        except FloatingPointError:
            raise errors.ZeroDivisionError("Integer division by zero") from None

    return kernel


def _is_slow(ufunc: Any, a: Any, b: Any) -> bool:
    return ufunc is np.remainder and not b.ndim and a.size >= MANY


def _remainder_by_one(a: Any, b: Any, out: Any) -> Any:
    """NumPy divides integers by one integer ten times faster than it takes their rest."""
    multiple = np.floor_divide(a, b, out=out if out is not a else None)
    np.multiply(multiple, b, out=multiple)
    return np.subtract(a, multiple, out=multiple if out is None else out)


def _divided(a: Any, b: Any, work: Workspace) -> tuple[Any, Any]:
    """floor(a / b) and the rest in float64, both exact where `_exact` says so."""
    if a.dtype == np.float32:
        return _divided_singles(work.copied(a, np.float64), work.copied(b, np.float64), work)
    quotient, rest, part = [work.like(a if a.ndim else b) for _ in range(3)]
    np.divide(a, b, out=quotient)
    np.rint(quotient, out=quotient)
    # The integer times the upper half of b's bits, and times the lower half, is exact.
    head = np.bitwise_and(b.view(np.int64), -(1 << 27), out=part.view(np.int64) if b.ndim else None)
    head = head.view(np.float64)
    np.multiply(quotient, head, out=rest)
    np.subtract(a, rest, out=rest)
    tail = np.subtract(b, head, out=part if b.ndim else None)
    rest -= np.multiply(quotient, tail, out=part)
    wrong, nonzero = [work.array(rest.shape, np.bool_) for _ in range(2)]
    negative = np.less(b, 0, out=nonzero if b.ndim else None)
    np.not_equal(np.less(rest, 0, out=wrong), negative, out=wrong)
    wrong &= np.not_equal(rest, 0, out=nonzero)
    np.copyto(part, wrong)
    quotient -= part
    rest += np.multiply(part, b, out=part)
    return quotient, rest


def _divided_singles(a: Any, b: Any, work: Workspace) -> tuple[Any, Any]:
    quotient, rest = [work.like(a if a.ndim else b) for _ in range(2)]
    np.floor(np.divide(a, b, out=quotient), out=quotient)
    np.multiply(quotient, b, out=rest)
    return quotient, np.subtract(a, rest, out=rest)


def _exact(quotient: Any, rest: Any, work: Workspace) -> Any:
    """True, or where quotient and rest are exact: where no step overflowed, and the quotient is
    so small that NumPy's has no rounding error either.
    """
    if _is_small(quotient) and np.isfinite(rest.sum()):
        return True
    exact, finite = [work.array(rest.shape, np.bool_) for _ in range(2)]
    np.less(np.abs(quotient, out=work.like(quotient)), _SMALL, out=exact)
    exact &= np.isfinite(rest, out=finite)
    return exact


def _is_small(quotient: Any) -> bool:
    return bool(quotient.max() < _SMALL and quotient.min() > -_SMALL)


_SMALL = 2.0**22


@in_blocks
def _floor_divide(a: Any, b: Any, out: Any, work: Workspace) -> None:
    quotient = np.divide(a, b, out=work.like(out))
    np.floor(quotient, out=out)
    # Below one that is no integer, none can have been rounded up to.
    whole = work.array(out.shape, np.bool_)
    if _is_small(out) and not np.equal(out, quotient, out=whole).any():
        return
    quotient, rest = _divided(a, b, work)
    _write(quotient, np.floor_divide, a, b, _exact(quotient, rest, work), out)


@in_blocks
def _remainder(a: Any, b: Any, out: Any, work: Workspace) -> None:
    quotient, rest = _divided(a, b, work)
    exact = _exact(quotient, rest, work)
    negative = np.less(b, 0, out=work.array(b.shape, np.bool_))
    if negative.any():
        zero = np.equal(rest, 0, out=work.array(rest.shape, np.bool_))
        zero &= negative
        np.copyto(rest, -0.0, where=zero)
    _write(rest, np.remainder, a, b, exact, out)


def _write(result: Any, ufunc: Any, a: Any, b: Any, exact: Any, out: Any) -> None:
    """`result` where it is exact, what `ufunc` gives elsewhere."""
    np.copyto(out, result, casting="same_kind")
    if exact is not True:
        ufunc(a, b, out=out, where=np.logical_not(exact, out=exact))


def division_failures(a: TensorType, b: TensorType) -> Raises:
    """The classes of what a division of tensors of these types raises at run time."""
    return () if b.dtype.is_floating else (errors.ZeroDivisionError,)


_DIVISIONS = (sample("2,3", "2,3:+"), sample("4:i9", "4:i4+"))
floordiv: Op = binary(
    "floordiv", integer_safe(np.floor_divide, _floor_divide), "R,R->R", op_type="FloorDiv",
    fallible=True, raises=division_failures, silent=(ZeroDivisionError,),
    instruction="floor_divide",
    gradient=lambda a, b, y, g: (None, None), reads="",
    # Only the smallest number by -1 leaves the range.
    scalar=Form("{} // {}", "i", wraps=True), interval=intervals.floordiv,
    identities=(exactly(right(1)),),
    doc="x // y rounded down as in Python. ZeroDivisionError where an integer is divided by 0.",
    samples=_DIVISIONS,
    example=("int(rt.math.floordiv(-3, 2))", "-2"),
)  # fmt: skip
floormod: Op = binary(
    "mod", integer_safe(np.remainder, _remainder), "R,R->R", op_type="FloorMod", fallible=True,
    raises=division_failures, silent=(ZeroDivisionError,),
    instruction="remainder", scalar=Form("{} % {}", "i"), interval=intervals.mod,
    gradient=(lambda a, b, y, g: g, lambda a, b, y, g: -g * floordiv(a, b)),
    doc="x % y as in Python, with the sign of y. ZeroDivisionError for integers modulo 0.",
    samples=_DIVISIONS,
    example=("int(rt.math.floormod(-3, 2))", "1"),
)  # fmt: skip
mod = floormod


def _power_of_base(a: Any, b: Any, y: Any, g: Any) -> Any:
    return g * _c(b * pow(a, b - ops.ones_like(b)))


def _power_of_exponent(a: Any, b: Any, y: Any, g: Any) -> Any:
    # log of what is not positive: the gradient for the exponent is taken as 0 there.
    usable = ops.not_equal(a, ops.zeros_like(a)) if a.dtype.is_complex else ops.greater(a, 0)
    safe = ops.where(usable, a, ops.ones_like(a))
    return g * _c(y * ops.where(usable, log(safe), ops.zeros_like(a)))


def _cube(x: Any, out: Any = None) -> Any:
    y = np.square(x, out=out)
    return np.multiply(y, x, out=y)


def _fourth(x: Any, out: Any = None) -> Any:
    y = np.square(x, out=out)
    return np.square(y, out=y)


def _square_inverse(x: Any, out: Any = None) -> Any:
    y = np.reciprocal(x, out=out)
    return np.square(y, out=y)


def _root(x: Any, out: Any = None) -> Any:
    """x ** 0.5 as C has it: the square root, but that of -0.0 is -0.0, and that of -inf none."""
    if x.size and not np.min(x) > 0:
        x = np.where(np.equal(x, -np.inf), np.inf, np.add(x, 0.0))
    return np.sqrt(x, out=out)


# np.power takes up to 500 times as long.
_SHORT_POWERS: dict[float, Kernel] = {
    -2.0: _square_inverse, -1.0: np.reciprocal, 0.5: _root, 1.0: np.positive, 2.0: np.square,
    3.0: _cube, 4.0: _fourth,
}  # fmt: skip


def power(a: Any, b: Any, out: Any = None) -> Any:
    """a ** b as C has it, which NumPy's is not where b is 0.5."""
    is_root = np.equal(b, 0.5)
    if a.dtype.kind != "f" or not is_root.any():
        return np.power(a, b, out=out)
    if not is_root.ndim:
        return _root(a, out)
    made = np.where(is_root, _root(a), np.power(a, b))
    return made if out is None else np.positive(made, out=out)


def _power_kernel(a: Any, b: Any, out: Any = None) -> Any:
    if a.size and a.dtype.kind == "i" and np.any(np.less(b, 0)):
        message = "Integers to negative integer powers are not allowed"
        hint = "make one of them a float: tf.cast(x, tf.float64) ** y"
        raise errors.InvalidValueError(message, hint=hint)
    if b.ndim or not a.ndim or a.dtype.kind != "f" or a.size < MANY:
        return power(a, b, out)
    short = _SHORT_POWERS.get(b.item())
    if short is not None:
        return short(a, out=out)
    # np.power is 50 times slower for numbers below zero.
    size = np.abs(a, out=out) if np.rint(b) == b else a
    made = np.power(size, b, out=out if size is a else size)
    return np.copysign(made, a, out=made) if b % 2 == 1 else made


def _power_failures(a: TensorType, b: TensorType) -> Raises:
    return (errors.InvalidValueError,) if a.dtype.is_integer else ()


pow: Op = binary(
    "pow", _power_kernel, op_type="Pow", instruction="power",
    gradient=(_power_of_base, _power_of_exponent), reads=("ab", "aby"),
    fallible=True, raises=_power_failures, refuses_negative=True,
    doc="x ** y. InvalidArgumentError for integers with a negative exponent.",
    samples=(
        sample("2,3:+f", "2,3"), sample("2,1:+f", "3"), sample("3:i5", "3:i4"),
        sample("2,3:+f", 3.0),
    ), order=Order.KEEP, identities=(of_reals(right(1)),),
    example=("int(rt.pow(2, 3))", "8"),
)  # fmt: skip
negative: Op = unary(
    "neg", np.negative, "N->N", op_type="Neg", reads="", gradient=lambda x, y, g: -g, doc="-x.",
    sliced=passed(lambda g: -g),
    scalar=_ring("-{}"), interval=intervals.neg, identities=(undone,),
    example=("rt.negative([1, -2]).numpy().tolist()", "[-1, 2]"),
)  # fmt: skip


def _abs_gradient(x: Any, y: Any, g: Any) -> Any:
    if x.dtype.is_complex:
        return ops.complex(g, ops.zeros_like(g)) * sign(x)
    return g * sign(x)


abs: Op = unary(
    "abs", np.absolute, "N->real N", op_type="Abs", gradient=_abs_gradient,
    scalar=Form("abs({})", "i", wraps=True), interval=intervals.magnitude,
    identities=(repeated,),
    doc="The absolute value; of complex numbers the real modulus.",
    example=("rt.abs([-1, 2]).numpy().tolist()", "[1, 2]"),
)  # fmt: skip

# Casting


def _cast_kernel(x: Any, *, dtype: Any, out: Any = None) -> Any:
    if x.dtype.kind == "c" and dtype.kind not in "cb":
        x = x.real
    if out is None:
        return x.astype(dtype.np_dtype, "C")
    np.copyto(out, x, "unsafe")
    return out


def _cast_slices(op: Any, g: Any) -> Any:
    source = op.inputs[0].dtype
    if type(g) is not Slices or not (source.is_floating or source.is_complex):
        return None
    return (g.map(lambda x: cast(x, source)),)


def _cast_gradient(op: Any, g: Any) -> Any:
    source = op.inputs[0].dtype
    if not (source.is_floating or source.is_complex):
        return (None,)
    return (cast(g, source),)


cast_p: Primitive = row(
    "cast", _cast_kernel, signature="Q->dtype", shape=same_shape, op_type="Cast",
    gradient=_cast_gradient, sliced=_cast_slices, keep_inputs=(),
    samples=(sample("2,3", dtype=dtypes.float64), sample("2,3:i9", dtype=dtypes.float32)),
    order=Order.C, scalar=forms.cast, interval=intervals.same, identities=(first,),
    batching=batching.elementwise, moves=True, instruction="cast",
)  # fmt: skip


def cast(x: Any, dtype: Any, name: str | None = None) -> Tensor:
    """x with another dtype: towards integers it truncates, towards bool it asks for non-zero.

    >>> rt.cast([1.7, -1.7], rt.int32).numpy().tolist()
    [1, -1]
    """
    wanted = as_dtype(dtype)
    if not isinstance(x, Tensor):
        if type(x) is IndexedSlices:
            return x.with_values(cast(x.values, wanted))  # type: ignore[return-value]
        x = convert_to_tensor(x)
    if x.dtype is wanted:
        return held_now(x)  # type: ignore[no-any-return]
    if wanted is dtypes.string or x.dtype is dtypes.string:
        message = f"Cast: {x.dtype.name} to {wanted.name} is not supported"
        raise errors.UnimplementedError(None, "Cast", f"{message}; {_SPELLING}")
    return bind(cast_p, x, dtype=wanted)  # type: ignore[no-any-return]


_SPELLING = "strings are read by strings.to_number and written by strings.as_string"


identity_p: Primitive = row(
    "identity", lambda x: x, signature="A->A", shape=same_shape, op_type="Identity",
    gradient=lambda op, g: (g,), sliced=passed(lambda g: g), keep_inputs=(),
    samples=(sample("2,3"), sample("2:s")),
    memory=Memory.ALIASES, order=Order.KEEP, scalar=forms.SAME, interval=intervals.same,
    logic=Logic.SAME, identities=(first,), batching=batching.elementwise, instruction="copy",
)  # fmt: skip


def identity(input: Any, name: str | None = None) -> Tensor:
    """A tensor, or IndexedSlices, with the same value.

    >>> rt.identity([1, 2]).numpy().tolist()
    [1, 2]
    """
    if type(input) is IndexedSlices:
        shape = None if input.dense_shape is None else identity(input.dense_shape)
        return IndexedSlices(  # type: ignore[return-value]
            identity(input.values), identity(input.indices), shape
        )
    return bind(identity_p, convert_to_tensor(input))  # type: ignore[no-any-return]


def identity_n(input: Sequence[Any], name: str | None = None) -> list[Tensor]:
    """Tensors with the same values.

    >>> [int(x) for x in rt.identity_n([1, 2])]
    [1, 2]
    """
    return [identity(x) for x in listed(input, "input")]


stop_gradient_p: Primitive = row(
    "stop_gradient", lambda x: x, signature="A->A", shape=same_shape, op_type="StopGradient",
    gradient=flat, keep_inputs=(), samples=(sample("2,3"),), memory=Memory.ALIASES,
    order=Order.KEEP, scalar=forms.SAME, interval=intervals.same, instruction="copy",
)  # fmt: skip


def stop_gradient(input: Any, name: str | None = None) -> Tensor:
    """The same value, through which no gradient flows.

    >>> x = rt.constant(3.)
    >>> with rt.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = x * x + rt.stop_gradient(x)
    >>> float(tape.gradient(y, x))
    6.0
    """
    if type(input) is IndexedSlices:
        return input.with_values(stop_gradient(input.values))  # type: ignore[return-value]
    return bind(stop_gradient_p, convert_to_tensor(input))  # type: ignore[no-any-return]


# Functions of one tensor

square: Op = unary(
    "square", np.square, "N->N", op_type="Square", doc="x * x.",
    scalar=_ring("{0} * {0}", "i"), interval=intervals.square,
    gradient=lambda x, y, g: g * (_c(x) * 2),
    example=("rt.square([3]).numpy().tolist()", "[9]"),
)  # fmt: skip


def _rsqrt_kernel(x: Any, out: Any = None) -> Any:
    root = np.sqrt(x, out=out)
    return np.reciprocal(root, own(root))


def _steep(slope: Any, g: Any) -> Any:
    """slope * g; 0 where g is 0 although the slope is infinite, as TensorFlow has it at 0: so what
    a branch or `where` does not choose adds nothing.
    """
    return ops.multiply_no_nan(slope, g)


sqrt: Op = unary(
    "sqrt", np.sqrt, reads="y", gradient=lambda x, y, g: _steep(0.5 / _c(y), g),
    doc="The square root.", samples=POSITIVE,
    example=("rt.sqrt([4.]).numpy().tolist()", "[2.0]"),
)  # fmt: skip
rsqrt: Op = unary(
    "rsqrt", _rsqrt_kernel, reads="y", doc="1 / sqrt(x).", samples=POSITIVE,
    gradient=lambda x, y, g: _steep(-0.5 * _c(y * y * y), g), order=Order.KEEP,
    example=("rt.math.rsqrt([4.]).numpy().tolist()", "[0.5]"),
    instruction="rsqrt",
)  # fmt: skip
reciprocal: Op = unary(
    "reciprocal", lambda x, out=None: np.divide(1, x, out=out), reads="y",
    gradient=lambda x, y, g: _steep(-_c(y * y), g),
    doc="1 / x.", samples=POSITIVE, order=Order.KEEP,
    example=("rt.math.reciprocal([4.]).numpy().tolist()", "[0.25]"),
    instruction="reciprocal",
)  # fmt: skip
exp: Op = unary(
    "exp", np.exp, reads="y", gradient=lambda x, y, g: g * _c(y), doc="e to the power x.",
    example=("rt.exp([0., 1.]).numpy().round(3)", "array([1.   , 2.718], dtype=float32)"),
)  # fmt: skip
expm1: Op = unary(
    "expm1", np.expm1, reads="y", gradient=lambda x, y, g: g * _c(y + 1), doc="exp(x) - 1.",
    example=("rt.math.expm1([1.]).numpy().round(3)", "array([1.718], dtype=float32)"),
)  # fmt: skip
log: Op = unary(
    "log",
    np.log,
    gradient=lambda x, y, g: g / _c(x),
    doc="The natural logarithm.",
    samples=POSITIVE,
    example=("rt.math.log([1., 2.]).numpy().round(3)", "array([0.   , 0.693], dtype=float32)"),
)
log1p: Op = unary(
    "log1p", np.log1p, op_type="Log1p", gradient=lambda x, y, g: g / _c(x + 1),
    doc="log(1 + x).", samples=POSITIVE,
    example=("rt.math.log1p([1.]).numpy().round(3)", "array([0.693], dtype=float32)"),
)  # fmt: skip
sin: Op = unary(
    "sin", np.sin, gradient=lambda x, y, g: g * _c(cos(x)), doc="The sine.",
    example=("rt.sin([1.]).numpy().round(3)", "array([0.841], dtype=float32)"),
)  # fmt: skip
cos: Op = unary(
    "cos", np.cos, gradient=lambda x, y, g: -g * _c(sin(x)), doc="The cosine.",
    example=("rt.cos([1.]).numpy().round(3)", "array([0.54], dtype=float32)"),
)  # fmt: skip
tan: Op = unary(
    "tan", np.tan, reads="y", gradient=lambda x, y, g: g * _c(y * y + 1), doc="The tangent.",
    samples=UNIT,
    example=("rt.tan([1.]).numpy().round(3)", "array([1.557], dtype=float32)"),
)  # fmt: skip
asin: Op = unary(
    "asin", np.arcsin, gradient=lambda x, y, g: g * _c(rsqrt(1 - x * x)), doc="The inverse sine.",
    samples=UNIT,
    example=("rt.asin([1.]).numpy().round(3)", "array([1.571], dtype=float32)"),
)  # fmt: skip
acos: Op = unary(
    "acos", np.arccos, gradient=lambda x, y, g: -g * _c(rsqrt(1 - x * x)), samples=UNIT,
    doc="The inverse cosine.",
    example=("rt.acos([1., 0.]).numpy().round(3)", "array([0.   , 1.571], dtype=float32)"),
)  # fmt: skip
atan: Op = unary(
    "atan", np.arctan, gradient=lambda x, y, g: g / _c(x * x + 1), doc="The inverse tangent.",
    example=("rt.atan([1.]).numpy().round(3)", "array([0.785], dtype=float32)"),
)  # fmt: skip
sinh: Op = unary(
    "sinh", np.sinh, gradient=lambda x, y, g: g * _c(cosh(x)), doc="The hyperbolic sine.",
    example=("rt.sinh([1.]).numpy().round(3)", "array([1.175], dtype=float32)"),
)  # fmt: skip
cosh: Op = unary(
    "cosh", np.cosh, gradient=lambda x, y, g: g * _c(sinh(x)), doc="The hyperbolic cosine.",
    example=("rt.cosh([1.]).numpy().round(3)", "array([1.543], dtype=float32)"),
)  # fmt: skip
tanh: Op = unary(
    "tanh", np.tanh, reads="y", gradient=lambda x, y, g: g * _c(1 - y * y),
    doc="The hyperbolic tangent.",
    example=("rt.tanh([1.]).numpy().round(3)", "array([0.762], dtype=float32)"),
)  # fmt: skip
asinh: Op = unary(
    "asinh", np.arcsinh, gradient=lambda x, y, g: g * _c(rsqrt(x * x + 1)),
    doc="The inverse hyperbolic sine.",
    example=("rt.asinh([1.]).numpy().round(3)", "array([0.881], dtype=float32)"),
)  # fmt: skip
acosh: Op = unary(
    "acosh", np.arccosh, gradient=lambda x, y, g: g * _c(rsqrt(x - 1) * rsqrt(x + 1)),
    doc="The inverse hyperbolic cosine.", samples=(sample("2,3:>1"),),
    example=("rt.acosh([2.]).numpy().round(3)", "array([1.317], dtype=float32)"),
)  # fmt: skip
atanh: Op = unary(
    "atanh", np.arctanh, gradient=lambda x, y, g: g / _c(1 - x * x),
    doc="The inverse hyperbolic tangent.", samples=UNIT,
    example=("rt.atanh([0.5]).numpy().round(3)", "array([0.549], dtype=float32)"),
)  # fmt: skip


def _no_slope(x: Any, y: Any, g: Any) -> Any:
    return None


def _sign_gradient(x: Any, y: Any, g: Any) -> Any:
    """Moving x along its own direction changes nothing; the rest turns y."""
    if not x.dtype.is_complex:
        return ops.zeros_like(g)
    along = ops.real(ops.conj(g) * y)
    turning = g - y * ops.complex(along, ops.zeros_like(along))
    size = abs(x)
    return ops.divide_no_nan(turning, ops.complex(size, ops.zeros_like(size)))


sign: Op = unary(
    "sign", np.sign, "N->N", gradient=_sign_gradient, reads="xy",
    doc="-1, 0 or 1 by the sign of x; z / |z| for complex numbers.",
    example=("rt.sign([-3., 0., 5.]).numpy().tolist()", "[-1.0, 0.0, 1.0]"),
)  # fmt: skip
floor: Op = unary(
    "floor", np.floor, "G->G", gradient=_no_slope, reads="", doc="Rounded towards minus infinity.",
    identities=(repeated,),
    example=("rt.floor([1.5, -1.5]).numpy().tolist()", "[1.0, -2.0]"),
)  # fmt: skip
ceil: Op = unary(
    "ceil", np.ceil, "G->G", gradient=_no_slope, reads="", doc="Rounded towards plus infinity.",
    identities=(repeated,),
    example=("rt.math.ceil([1.2, -1.2]).numpy().tolist()", "[2.0, -1.0]"),
)  # fmt: skip
rint: Op = unary(
    "rint", np.rint, "G->G", gradient=_no_slope, reads="", identities=(repeated,),
    doc="Rounded to the nearest integer, halves to the even one.",
    example=("rt.math.rint([1.2, 2.5]).numpy().tolist()", "[1.0, 2.0]"),
)  # fmt: skip


def _round_kernel(x: Any, out: Any = None) -> Any:
    return np.rint(x, out=out) if x.dtype.kind == "f" else np.positive(x, out=out)


round: Op = unary(
    "round", _round_kernel, "R->R", reads="",
    gradient=_no_slope,
    doc="Rounded to the nearest integer, halves to the even one; integers stay as they are.",
    example=("rt.round([1.5, 2.5]).numpy().tolist()", "[2.0, 2.0]"),
    instruction="rint",
)  # fmt: skip
is_nan: Op = unary(
    "is_nan", np.isnan, "G->bool", op_type="IsNan", reads="", doc="True where x is not a number.",
    example=("rt.math.is_nan([1., np.nan]).numpy().tolist()", "[False, True]"),
)  # fmt: skip
is_inf: Op = unary(
    "is_inf", np.isinf, "G->bool", op_type="IsInf", reads="", doc="True where x is infinite.",
    example=("rt.math.is_inf([1., -np.inf]).numpy().tolist()", "[False, True]"),
)  # fmt: skip
is_finite: Op = unary(
    "is_finite", np.isfinite, "G->bool", op_type="IsFinite", reads="",
    doc="True where x is finite.",
    example=("rt.math.is_finite([1., np.inf]).numpy().tolist()", "[True, False]"),
)  # fmt: skip

# Functions of two tensors


def _extremum_gradient(compare: Any) -> Any:
    def rule(a: Any, b: Any, y: Any, g: Any) -> tuple[Any, Any]:
        first = compare(a, b)
        nothing = ops.zeros_like(g)
        return ops.where(first, g, nothing), ops.where(first, nothing, g)

    return rule


maximum: Op = binary(
    "maximum", np.maximum, "R,R->R", doc="The larger of x and y; NaN where one is NaN.",
    scalar=Form("{0} if {0} >= {1} else {1}", "i"), interval=intervals.maximum,
    identities=(equal_operands,),
    gradient=_extremum_gradient(lambda a, b: ops.greater_equal(a, b)),
    example=("rt.maximum([1, 5], 3).numpy().tolist()", "[3, 5]"),
)  # fmt: skip
minimum: Op = binary(
    "minimum", np.minimum, "R,R->R", doc="The smaller of x and y; NaN where one is NaN.",
    scalar=Form("{0} if {0} <= {1} else {1}", "i"), interval=intervals.minimum,
    identities=(equal_operands,),
    gradient=_extremum_gradient(lambda a, b: ops.less_equal(a, b)),
    example=("rt.minimum([1, 5], 3).numpy().tolist()", "[1, 3]"),
)  # fmt: skip


def _squared_difference_kernel(a: Any, b: Any, out: Any = None) -> Any:
    difference = np.subtract(a, b, out=out)
    if difference.dtype.kind == "c":
        return np.multiply(difference, np.conj(difference), out=out)
    difference *= difference
    return difference


def _twice(g: Any, difference: Any) -> Any:
    """The gradient of a difference times its conjugate, which has no imaginary part."""
    real = ops.cast(ops.real(g), g.dtype) if g.dtype.is_complex else g
    return real * difference * 2


squared_difference: Op = binary(
    "squared_difference", _squared_difference_kernel, op_type="SquaredDifference",
    gradient=(lambda a, b, y, g: _twice(g, a - b), lambda a, b, y, g: _twice(g, b - a)),
    doc="(x - y) * (x - y); of complex numbers, the difference times its conjugate.",
    order=Order.KEEP,
    example=("int(rt.math.squared_difference(5, 2))", "9"),
    instruction="squared_difference",
)  # fmt: skip
atan2: Op = binary(
    "atan2", np.arctan2, "G,G->G", op_type="Atan2",
    gradient=(
        lambda a, b, y, g: g * (b / (a * a + b * b)),
        lambda a, b, y, g: -g * (a / (a * a + b * b)),
    ),
    doc="The angle of the point (x, y): the inverse tangent of y / x with the quadrant right.",
    samples=(sample("2,3:+", "2,3:+"),), arguments="y x",
    example=("rt.atan2([1.], [-1.]).numpy().round(3)", "array([2.356], dtype=float32)"),
)  # fmt: skip
