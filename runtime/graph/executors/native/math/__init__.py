"""Elementary and special functions of native code, on numbers and on vectors of them.

They are written once as formulas of `Lanes`, for float32 and float64 and for vectors of any length,
on any host. Errors are stated in docs/native.md, and held by tests.
"""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

from runtime.dtypes import DType
from runtime.graph.executors.native import ir
from runtime.graph.executors.native.builder import Builder
from runtime.graph.executors.native.lowering_rules import BY_NUMBER, ELEMENTWISE, Elementwise, Emit
from runtime.graph.executors.native.math import angles, arithmetic, exponentials, special
from runtime.graph.executors.native.math.exponentials import PRODUCTS
from runtime.graph.executors.native.math.lanes import Lanes

Function = Callable[..., Lanes]

_MODULES: tuple[tuple[ModuleType, str], ...] = (
    (angles, "arccos arcsin arctan arctan2 cos sin tan"),
    (
        arithmetic,
        "div_no_nan leaky_relu mul_no_nan reciprocal relu relu6 relu_grad rsqrt softsign "
        "squared_difference xdivy",
    ),
    (
        exponentials,
        "arccosh arcsinh arctanh cosh elu exp expm1 log log1p power sigmoid sigmoid_cross_entropy "
        "sinh softplus tanh xlog1py xlogy",
    ),
    (special, "digamma erf erfc gelu lgamma"),
)
FUNCTIONS: dict[str, Function] = {
    name: getattr(module, name) for module, names in _MODULES for name in names.split()
}
"""By the names of instructions. Operands and results are of float32, or all of float64."""

LONG = frozenset(FUNCTIONS) - frozenset(_MODULES[1][1].split())
"""Those that take many instructions: all that are no arithmetic."""

_OF_INTEGERS = {"relu": "i", "relu6": "i", "squared_difference": "iu"}
"""Those that are as right for integers, of which kinds."""

_NUMBERS = {"leaky_relu": ("alpha",)}
"""Those whose last operands are parameters of the op."""


def _emitting(function: Function) -> Emit:
    def emit(builder: Builder, dtype: DType, *operands: ir.Value) -> ir.Value:
        made: ir.Value = function(*[Lanes(builder, operand) for operand in operands]).value
        return made

    return emit


for _name, _function in FUNCTIONS.items():
    _kinds = _OF_INTEGERS.get(_name, "") + "f"
    ELEMENTWISE[_name] = Elementwise(_kinds, _emitting(_function), numbers=_NUMBERS.get(_name, ()))


def is_long(instruction: str, last: Any) -> bool:
    """True if an instruction takes many machine instructions, its last operand being a number that
    is known, or None.
    """
    return instruction in LONG and not (instruction == "power" and last in PRODUCTS)


ELEMENTWISE["power" + BY_NUMBER] = Elementwise("f", _emitting(exponentials.power_by_number))
