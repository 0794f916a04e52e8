"""The Python expressions of ops on single numbers: what needs no kernel, because Python computes
the same.

A 0-d integer tensor is a Python int in generated code, wrapped around where it leaves its dtype's
range; a 0-d bool may be a Python bool; a 0-d string is a text; 0-d float32 and float64 are NumPy
scalars, whose operators are the ufuncs of the kernels.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from typing import Any, NamedTuple

from runtime import dtypes
from runtime.core.types import NumberType, TensorType, Type
from runtime.dtypes import DType


class Logic(Enum):
    """The relation of a truth value to those that it is computed of."""

    SAME = "it is the same, perhaps of another type"
    NOT = "it is the opposite"
    AND = "both are true where it is"
    OR = "both are false where it is"


class Form(NamedTuple):
    """A template over the operands' names.

    kinds: of the 0-d tensors that it holds for, by NumPy's letters; empty for Python's numbers.
    wraps: the result may leave the integer's range; of a `ring`, it may do so until all is done.
    refuses: what leaves the range is an error, which the kernel raises.
    """

    text: str
    kinds: str = "ifb"
    wraps: bool = False
    refuses: bool = False
    ring: bool = False

    @property
    def sign(self) -> str:
        """The operator between two operands."""
        return self.text.removeprefix("{} ").removesuffix(" {}")


Rule = Callable[[Sequence[Type], Type, Mapping[str, Any]], Form | None]
"""The form for the types of the inputs, that of the output, and the parameters."""

SAME = Form("{}")
TRUTHS = {"i": Form("{} != 0"), "f": Form("bool({})"), "b": Form("bool({})")}
ELEMENT, ITEM = Form("{0}[{1}]"), Form("{0}.item({1})")

_KINDS = {dtype: "i" for dtype in dtypes.ALL if dtype.is_integer}
_KINDS |= {dtypes.bool: "b", dtypes.float32: "f", dtypes.float64: "f"}


def kind_of(type: Type) -> str:
    """The letter of a 0-d tensor that Python has forms for; empty for all else."""
    is_scalar = isinstance(type, TensorType) and type.shape == ()
    return _KINDS.get(type.dtype, "") if is_scalar else ""  # type: ignore[union-attr]


def is_integer(type: Type) -> bool:
    """Whether it is a 0-d integer tensor: a Python int in generated code."""
    return kind_of(type) == "i"


def is_bool(type: Type) -> bool:
    """Whether it is a 0-d bool tensor, which may be a Python bool in generated code."""
    return kind_of(type) == "b"


def is_float(type: Type) -> bool:
    """Whether it is a 0-d float32 or float64 tensor."""
    return kind_of(type) == "f"


def is_string(type: Type) -> bool:
    """Whether it is a 0-d string tensor, which may be a text in generated code."""
    is_scalar = isinstance(type, TensorType) and type.shape == ()
    return is_scalar and type.dtype is dtypes.string  # type: ignore[union-attr]


def cast(inputs: Sequence[Type], target: Any, params: Mapping[str, Any]) -> Form | None:
    """The form of a conversion between dtypes."""
    source: Any = inputs[0]
    if not (kind_of(source) and kind_of(target)):
        return None
    if is_integer(source):
        return _cast_integer(source.dtype, target.dtype)
    if is_bool(source):
        return Form("int({})") if is_integer(target) else None
    return Form(f"{target.dtype.name}({{}})") if is_float(target) else None


def _cast_integer(source: DType, target: DType) -> Form | None:
    if target.is_bool:
        return Form("{} != 0")
    if target.is_integer:
        fits = target.min <= source.min and source.max <= target.max
        return Form("{}", wraps=not fits)
    # The product with a Python int rounds it as a conversion does, in less time. A float64 on the
    # way rounds once more, which only integers of 64 bits would show.
    return Form(f"one_{target.name} * {{}}") if source.size < 8 else None


def to_tensor(inputs: Sequence[Type], target: Any, params: Mapping[str, Any]) -> Form | None:
    """The form of a tensor of a Python number, which the kernel refuses if it does not fit."""
    source: Any = inputs[0]
    if is_float(target):
        text = f"{target.dtype.name}({{}})"
        return None if source.kind == "float" else Form(text, refuses=source.kind == "int")
    if is_integer(target) and source.kind != "float":
        return Form("int({})") if source.kind == "bool" else Form("{}", refuses=True)
    return SAME if is_bool(target) and source.kind == "bool" else None


def element(inputs: Sequence[Type], target: Any, params: Mapping[str, Any]) -> Form | None:
    """The form of an element of an array, at indices that are known or inputs."""
    spec, array = params["spec"], inputs[0]
    if not isinstance(array, TensorType) or len(array.shape or ()) < len(spec) or not spec:
        return None
    if array.dtype.np_dtype.kind not in "biufc" or not all(map(_is_index, inputs[1:])):
        return None
    if not all(isinstance(entry, int) or entry == DYNAMIC for entry in spec):
        return None
    places = iter(range(1, len(inputs)))
    index = ", ".join([f"{{{next(places)}}}" if part == DYNAMIC else str(part) for part in spec])
    return Form((ITEM if is_integer(target) else ELEMENT).text.replace("{1}", index))


def _is_index(type: Type) -> bool:
    return is_integer(type) or type == NumberType("int")


DYNAMIC = "?"
"""The entry in the spec of a slice that stands for an input."""
