"""Staged Python numbers: the operators of int, float and bool, as rows whose kernels are Python's
own.

A graph that runs on Python numbers therefore computes exactly what Python does, with its errors.
What cannot be decided from the kinds alone (the type of `2 ** n`) is decided by the kernel, which
refuses a result of another kind.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from functools import partial
from typing import Any

from runtime import errors
from runtime.core import forms, intervals
from runtime.core.forms import Form, Logic
from runtime.core.identities import first
from runtime.core.primitive import TABLE, Primitive, Raises, structural
from runtime.core.shapes import is_known, size_of
from runtime.core.types import NumberType, TensorType
from runtime.graph.nodes import BOOL, FLOAT, INT

Rule = Callable[..., NumberType]


def widest(*types: NumberType) -> NumberType:
    """The kind that numbers of these kinds are joined to: bool below int below float."""
    kinds = {number.kind for number in types}
    return FLOAT if "float" in kinds else INT if "int" in kinds else BOOL


def _arithmetic(*types: NumberType) -> NumberType:
    return FLOAT if FLOAT in types else INT


def _division_failures(*types: NumberType) -> Raises:
    wide = FLOAT in types and INT in types
    return (ZeroDivisionError, OverflowError) if wide else (ZeroDivisionError,)


def _item_failures(tensor: TensorType, of_float: Raises = ()) -> Raises:
    if tensor.shape != () or tensor.dtype.np_dtype.kind not in "biuf":
        return OverflowError, errors.InvalidValueError, ValueError, TypeError
    return of_float if tensor.dtype.is_floating else ()


def _whole_failures(number: NumberType) -> Raises:
    return (ValueError, OverflowError) if number == FLOAT else ()


def _float_failures(number: NumberType) -> Raises:
    return (OverflowError,) if number == INT else ()


def _always(kind: NumberType) -> Rule:
    return lambda *_: kind


def _bitwise(operation: Callable[..., Any]) -> Rule:
    rule = _integral(operation)
    return lambda *types: rule(*types) if INT in types or FLOAT in types else BOOL


def _integral(operation: Callable[..., Any]) -> Rule:
    def rule(*types: NumberType) -> NumberType:
        if FLOAT in types:
            operation(*[_ZEROS[each.kind] for each in types])  # Python's error, in its words
        return INT

    return rule


_ZEROS = {"int": 0, "float": 0.0, "bool": False}


def _whole(*types: NumberType) -> NumberType:
    if FLOAT in types:
        raise TypeError("'float' object cannot be interpreted as an integer")
    return INT


def _pair(*types: NumberType) -> tuple[NumberType, NumberType]:
    kind = _arithmetic(*types)
    return kind, kind


def _power(base: float, exponent: float) -> float:
    result: Any = base**exponent
    if isinstance(result, complex):
        raise errors.RefusedError(
            f"{base!r} ** {exponent!r} is complex: staged numbers are int, float or bool"
        )
    if isinstance(base, int) and isinstance(exponent, int) and isinstance(result, float):
        raise errors.RefusedError(
            f"{base!r} ** {exponent!r} is a float, but the exponent of staged ints must not be "
            f"negative: write float(base) ** exponent"
        )
    return float(result) if isinstance(result, float) else int(result)


def _item(kind: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda raw: kind(raw.item())


def _item_rule(kind: NumberType) -> Rule:
    def rule(tensor: TensorType) -> NumberType:
        if is_known(tensor.shape) and size_of(tensor.shape) != 1:
            raise TypeError(
                f"only tensors with one element can be converted to a number, got {tensor}"
            )
        return kind

    return rule


def _row(
    name: str, kernel: Any, rule: Any, scalar: Any = None, like: str = "", **facts: Any
) -> Primitive:
    """The row of an operator. `scalar` is how Python writes it; of the op `like` it, on tensors, it
    has the interval, the logic and the identities.
    """
    if like:
        op = TABLE[like]
        facts = {"interval": op.interval, "logic": op.logic, "identities": op.identities} | facts
    form = Form(scalar, "") if isinstance(scalar, str) else scalar
    facts = {"instruction": _INSTRUCTIONS.get(name, name), "python": True} | facts
    return structural(f"py.{name}", kernel, rule, op_type=_op_type(name), scalar=form, **facts)


# The words of native code for what Python's operators do.
_INSTRUCTIONS = {
    "abs": "absolute", "and": "bitwise_and", "bool": "to_bool", "eq": "equal", "float": "to_float",
    "float_pow": "", "floordiv": "floor_divide", "ge": "greater_equal", "gt": "greater",
    "int": "to_int", "item_float": "to_float", "item_int": "to_int", "le": "less_equal",
    "lshift": "shift_left", "lt": "less", "max": "largest", "min": "smallest", "mod": "remainder",
    "mul": "multiply", "ne": "not_equal", "neg": "negative", "not": "logical_not",
    "or": "bitwise_or", "pos": "positive", "pow": "power", "rshift": "shift_right",
    "sub": "subtract", "truediv": "true_divide", "xor": "bitwise_xor",
}  # fmt: skip


# TensorFlow's names for the ops on tensors that do what these do on numbers, where those have other
# names in graphs, or are loaded later.
_OP_TYPES = {
    "and": "BitwiseAnd", "bool": "Cast", "eq": "Equal", "float": "Cast", "float_pow": "Pow",
    "ge": "GreaterEqual", "gt": "Greater", "int": "Cast", "item_float": "Cast", "item_int": "Cast",
    "le": "LessEqual", "lshift": "LeftShift", "lt": "Less", "math.erf": "Erf",
    "math.erfc": "Erfc", "math.fabs": "Abs", "math.lgamma": "Lgamma",
    "math.fmod": "TruncateMod", "math.isfinite": "IsFinite", "math.isinf": "IsInf",
    "math.isnan": "IsNan", "math.nextafter": "NextAfter", "max": "Maximum", "min": "Minimum",
    "ne": "NotEqual", "not": "LogicalNot", "or": "BitwiseOr", "pos": "Identity",
    "power_modulo": "PowerModulo",
    "round_to": "Round", "rshift": "RightShift", "truediv": "RealDiv", "xor": "BitwiseXor",
}  # fmt: skip


def _op_type(name: str) -> str:
    word = name.removeprefix("math.")
    usual = TABLE[word].op_type if word in TABLE else f"Py{word.title().replace('_', '')}"
    return _OP_TYPES.get(name, usual)


_OF_SHIFTS: Raises = (ValueError, OverflowError)
_OF_POWERS: Raises = (ZeroDivisionError, OverflowError)

BINARY = {
    "add": _row("add", operator.add, _arithmetic, "{} + {}", "add"),
    "sub": _row("sub", operator.sub, _arithmetic, "{} - {}", "sub"),
    "mul": _row("mul", operator.mul, _arithmetic, "{} * {}", "mul"),
    "truediv": _row(
        "truediv",
        operator.truediv,
        _always(FLOAT),
        "{} / {}",
        "div",
        fallible=True,
        raises=(ZeroDivisionError, OverflowError),
    ),
    "floordiv": _row(
        "floordiv",
        operator.floordiv,
        _arithmetic,
        "{} // {}",
        "floordiv",
        fallible=True,
        raises=_division_failures,
    ),
    "mod": _row(
        "mod",
        operator.mod,
        _arithmetic,
        "{} % {}",
        "mod",
        fallible=True,
        raises=_division_failures,
    ),
    "divmod": _row("divmod", divmod, _pair, fallible=True, raises=_division_failures),
    "pow": _row("pow", _power, _arithmetic, None, "pow", fallible=True, raises=_OF_POWERS),
    "lshift": _row(
        "lshift",
        operator.lshift,
        _integral(operator.lshift),
        "{} << {}",
        fallible=True,
        raises=_OF_SHIFTS,
    ),
    "rshift": _row(
        "rshift",
        operator.rshift,
        _integral(operator.rshift),
        "{} >> {}",
        fallible=True,
        raises=_OF_SHIFTS,
    ),
    "and": _row(
        "and",
        operator.and_,
        _bitwise(operator.and_),
        "{} & {}",
        "logical_and",
        interval=intervals.bitwise_and,
    ),
    "or": _row("or", operator.or_, _bitwise(operator.or_), "{} | {}", "logical_or"),
    "xor": _row("xor", operator.xor, _bitwise(operator.xor), "{} ^ {}"),
    "lt": _row("lt", operator.lt, _always(BOOL), "{} < {}"),
    "le": _row("le", operator.le, _always(BOOL), "{} <= {}"),
    "gt": _row("gt", operator.gt, _always(BOOL), "{} > {}"),
    "ge": _row("ge", operator.ge, _always(BOOL), "{} >= {}"),
    "eq": _row("eq", operator.eq, _always(BOOL), "{} == {}"),
    "ne": _row("ne", operator.ne, _always(BOOL), "{} != {}"),
}
# The exponent is known to be negative: Python's result is a float.
FLOAT_POWER = _row(
    "float_pow", lambda base, exponent: float(base**exponent), _always(FLOAT),
    fallible=True, raises=_OF_POWERS,
)  # fmt: skip

POWER_MODULO = _row("power_modulo", pow, _whole, fallible=True, raises=(ValueError,))

UNARY = {
    "neg": _row("neg", operator.neg, _arithmetic, "-{}", "neg"),
    "pos": _row("pos", operator.pos, _arithmetic, "+{}", identities=(first,)),
    "abs": _row("abs", abs, _arithmetic, None, "abs"),
    "invert": _row("invert", operator.invert, _integral(operator.invert), "~{}"),
}
NOT = _row("not", operator.not_, _always(BOOL), "not {}", "logical_not")
TO_INT = _row("int", int, _always(INT), fallible=True, raises=_whole_failures, identities=(first,))
TO_FLOAT = _row(
    "float", float, _always(FLOAT), fallible=True, raises=_float_failures, identities=(first,)
)
TO_BOOL = _row("bool", bool, _always(BOOL), "bool({})", logic=Logic.SAME, identities=(first,))
CONVERSIONS = {"int": TO_INT, "float": TO_FLOAT, "bool": TO_BOOL}
_ITEM_FORMS = {"i": forms.SAME, "b": Form("int({})")}
# From a tensor with one element, as int(t), float(t) compute eagerly.
ITEMS = {
    "int": _row(
        "item_int", _item(int), _item_rule(INT), fallible=True, interval=intervals.same,
        raises=partial(_item_failures, of_float=(OverflowError, ValueError)),
        scalar=lambda inputs, *_: _ITEM_FORMS.get(forms.kind_of(inputs[0])),
    ),
    "float": _row(
        "item_float", _item(float), _item_rule(FLOAT), fallible=True, raises=_item_failures,
        scalar=lambda inputs, *_: Form("float({})") if forms.kind_of(inputs[0]) else None,
    ),
}  # fmt: skip
# The place that an index means in a sequence: a negative one counts from its end.
FROM_END = _row(
    "from_end", lambda index, size: index + size if index < 0 else index, _whole,
    "{0} + {1} if {0} < 0 else {0}",
)  # fmt: skip
MAX = _row("max", max, widest, interval=intervals.maximum)
MIN = _row("min", min, widest, interval=intervals.minimum)
RANGE_LENGTH = _row(
    "range_length", lambda *bounds: len(range(*bounds)), _whole, fallible=True,
        raises=(ValueError, OverflowError),
    interval=intervals.count,
)  # fmt: skip
ROUND = _row("round", round, _always(INT), fallible=True, raises=_whole_failures)
ROUND_TO = _row("round_to", round, _arithmetic)


_OF_MATH: Raises = (ValueError, OverflowError)


def _math_rows(names: str, infer: Callable[..., NumberType]) -> dict[Callable[..., Any], Primitive]:
    functions = {name: getattr(math, name) for name in names.split() if hasattr(math, name)}
    return {
        f: _row(f"math.{name}", f, infer, fallible=True, raises=_OF_MATH)
        for name, f in functions.items()
    }


def _is_close(a: float, b: float, rel_tol: float = 1e-09, abs_tol: float = 0.0) -> bool:
    return math.isclose(a, b, rel_tol=rel_tol, abs_tol=abs_tol)


MATH: dict[Callable[..., Any], Primitive] = {
    **_math_rows(
        "acos acosh asin asinh atan atan2 atanh cbrt copysign cos cosh degrees erf erfc exp "
        "exp2 expm1 fabs fmod gamma hypot ldexp lgamma log log10 log1p log2 nextafter pow radians "
        "remainder sin sinh sqrt "
        "tan tanh ulp",
        _always(FLOAT),
    ),
    **_math_rows("ceil floor trunc", _always(INT)),
    **_math_rows("comb factorial gcd isqrt lcm perm", _whole),
    **_math_rows("isfinite isinf isnan", _always(BOOL)),
    math.isclose: _row("math.isclose", _is_close, _always(BOOL), fallible=True, raises=_OF_MATH),
}
"""Functions of `math` on numbers: each returns one kind, whatever it is given."""

_ITSELF = {"conjugate": UNARY["pos"]}
_OF_INTS = _ITSELF | {
    "bit_length": _row("bit_length", lambda number: int(number).bit_length(), _always(INT)),
    "bit_count": _row("bit_count", lambda number: int(number).bit_count(), _always(INT)),
}
_IS_INTEGER = _row("is_integer", lambda number: float(number).is_integer(), _always(BOOL))
METHODS = {
    "int": _OF_INTS,
    "bool": _OF_INTS,
    "float": _ITSELF | {"is_integer": _IS_INTEGER},
}
"""Methods of numbers without arguments, by the kind."""
