"""Primitives: one row per op, and `bind`, the one place where ops are computed, recorded or staged.

A row holds the op's kernel (NumPy arrays in, arrays out), its rule for dtypes and shapes, its
gradient and sample inputs. `bind` decides what calling it means now: compute, compute and record
on tapes, or add a node to the trace that is active on this thread.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import KW_ONLY, InitVar, dataclass, field
from enum import Enum
from typing import Any, Protocol, cast

import numpy as np

from runtime import dtypes, errors
from runtime.core import forms, intervals
from runtime.core.forms import Form, Logic
from runtime.core.identities import Identity
from runtime.core.shapes import Shape, broadcast
from runtime.core.state import state
from runtime.core.types import TensorType
from runtime.dtypes import BY_NUMPY, DType

Kernel = Callable[..., Any]
Infer = Callable[..., Any]
Gradient = Callable[..., Any]
Sample = tuple[tuple[Any, ...], dict[str, Any]]
Keeps = tuple[bool, bool, bool]
Raises = tuple[type[BaseException], ...]


class Operation(Protocol):
    """The argument of a gradient rule: one executed or staged op.

    `needed` tells for each input whether its gradient is used: None may be returned for the others.
    """

    @property
    def inputs(self) -> Sequence[Any]: ...
    @property
    def outputs(self) -> Sequence[Any]: ...
    @property
    def params(self) -> dict[str, Any]: ...
    @property
    def needed(self) -> Sequence[bool]: ...


def _np_dtypes(codes: str) -> frozenset[np.dtype[Any]]:
    return frozenset(map(np.dtype, codes))


Accepted = Set[np.dtype[Any]]

ANY: Accepted = BY_NUMPY.keys()
INTEGERS = _np_dtypes("bhiqBHIQ") | {np.dtype(np.int64), np.dtype(np.uint64)}
FLOATS = _np_dtypes("efd")
COMPLEX = _np_dtypes("FD")
REALS = INTEGERS | FLOATS
NUMBERS = REALS | COMPLEX
_BOOL = _np_dtypes("?")
_STRING = _np_dtypes("O")
# The letters of signatures. One letter is one dtype within a signature; only "i" may vary.
CLASSES: dict[str, Accepted] = {
    "A": ANY, "T": ANY,
    "N": NUMBERS, "M": NUMBERS,
    "P": NUMBERS | _STRING,
    "Q": dtypes.NUMERIC.keys(),
    "F": FLOATS | COMPLEX,
    "G": FLOATS,
    "R": REALS,
    "O": REALS | _BOOL,
    "I": INTEGERS, "J": INTEGERS, "K": INTEGERS,
    "L": INTEGERS | _BOOL,
    "B": _BOOL,
    "S": _STRING,
    "C": COMPLEX,
    "W": _np_dtypes("fdFD"),
    "H": _np_dtypes("fd"),
    "i": INTEGERS,
}  # fmt: skip


class Memory(Enum):
    """The use that an op makes of the memory of its inputs."""

    READS = "keeps no input, and returns no view of one"
    ALIASES = "may return its first input's memory, element by element"
    VIEWS = "may return views of its first input, and keeps none"
    UPDATES = "changes parts of its first input, in place where nobody else reads that"
    STORES = "the same with a list, which keeps what is stored in it"
    KEEPS = "may keep its inputs, or hand them on"


class Order(Enum):
    """The memory order of an op's results, in the words of NumPy's `order`."""

    C = "C-contiguous, whatever the inputs are"
    KEEP = "as the result of a ufunc: as close to the inputs as can be"
    ANY = "C-contiguous for C-contiguous inputs"
    PERMUTED = "strided, even for C-contiguous inputs"


@dataclass(eq=False, repr=False, slots=True)
class Primitive:
    """One row of the op table.

    name: its name in graphs.
    op_type: the name that TensorFlow gives the op.
    is_own: TensorFlow has no op of this type.
    kernel(*arrays, **params): array, NumPy scalar or a tuple of them; raises errors.OpError for
        bad values.
    infer(*types, **params): the type of the result or a tuple; ValueError for shapes, TypeError
        for dtypes.
    gradient(op, *output_grads): one entry per input (None: no gradient), or None for an op
        without gradients.
    sliced(op, *output_grads): as `gradient`, where the gradient of the first input is slices along
        its first axis (`ops.indexed_slices.Slices`), or those of the output are; None elsewhere.
    keep_inputs, keep_outputs: indices of the inputs and outputs whose *values* the gradient reads
        (None: all).
    effect: must run once, in program order.
    repeatable: its effect, done once more, is the same: a check, or reading a file.
    python: it is on Python's own values, and raises Python's own errors.
    fallible: may raise at run time although its types are right.
    calls_back: runs Python of the user's, which may raise anything.
    raises: the exceptions that it may raise at run time, where they are not those of most ops; or a
        function of the types and parameters that gives them.
    raised_as: the errors that are raised for exceptions of its kernel, where they are not those of
        most ops.
    refuses_negative: it fails where its last input is negative, and for no other reason.
    silent: the exceptions of Python's operator on numbers that it does not raise of floating-point
        tensors, which hold inf or nan then.
    signature: dtypes by letter, "N,N->N" (see CLASSES).
    shape(*shapes, **params): the shape rule that goes with a signature.
    partials: of an elementwise op, one function (*inputs, output, output_grad) for each input that
        gives its gradient at the shape of the output; `gradient` does it at the inputs' own shapes.
    reads: of an elementwise op of two tensors, the values that each partial reads: "a", "b", "y".
    memory: a Memory, or a function of the inputs' and the outputs' types that gives one. Where
        nothing is said, a ufunc and a kernel with a parameter `out` are taken to read only.
    order: an Order, or a function of the parameters that gives one. Where nothing is said, it is
        that of a ufunc for a ufunc, C for an effect that writes to `out`, PERMUTED for another
        effect, and ANY for all other ops.
    scalar: how Python writes it for single numbers: a Form, or a function of types that gives one.
    interval: of integers, the range of the result from those of the operands.
    logic: what the result, a truth value, has to do with those that it is computed of.
    identities: functions that tell where it gives back an operand.
    batching: what it is of all rows of a jacobian (see `runtime.ops.batching`).
    flops: the operations on numbers that it takes, where these are many more than elements: from
        the shapes of its inputs and of its result, in which all is known, and its parameters.
    passes: how often its kernel goes over elements, as a copy does once: reads and writes them.
    text: how a printed graph writes it, from its parameters and the texts of its inputs.
    method: the method of a variable that it is.
    renews_by: the op that makes the new value of a variable of the one before and the operand.
    of_shape: of its input, which may be any array, it reads only the shape.
    moves: each element of its result is an element of an input, perhaps of another dtype.
    finds_shape: its kernel finds out the shape of the result, and asks `out` for an array of it.
    records: its last output is a record for its gradient; its parameter of this name is False where
        nobody reads that.
    gives_tuple: its kernel returns a tuple also where it has one item.
    prepared: gives a kernel for parameters, which a program asks for once.
    function: of an elementwise op, the public function that is this op and nothing more.
    instruction: its name in the instruction set of native code: of an elementwise op, what it
        computes of one element.
    """

    name: str
    kernel: Kernel
    infer: Any = None
    _: KW_ONLY
    signature: InitVar[str] = ""
    shape: Callable[..., Any] | None = None
    gradient: Gradient | None = None
    sliced: Gradient | None = None
    op_type: str = ""
    is_own: bool = False
    effect: bool = False
    repeatable: bool = False
    python: bool = False
    fallible: bool = False
    calls_back: bool = False
    raises: Raises | Callable[..., Raises] = ()
    raised_as: tuple[tuple[type[BaseException], type[errors.OpError]], ...] = ()
    refuses_negative: bool = False
    silent: Raises = ()
    keep_inputs: tuple[int, ...] | None = None
    keep_outputs: tuple[int, ...] | None = ()
    samples: tuple[Sample, ...] = ()
    partials: tuple[Gradient, ...] | None = None
    reads: tuple[str, ...] = ()
    memory: Memory | Callable[..., Memory] = None  # type: ignore[assignment]
    order: Order | Callable[[Mapping[str, Any]], Order] = None  # type: ignore[assignment]
    scalar: Form | forms.Rule | None = None
    interval: intervals.Rule | None = None
    logic: Logic | None = None
    identities: tuple[Identity, ...] = ()
    batching: Callable[..., Any] | None = None
    flops: Callable[..., int] | None = None
    passes: int = 1
    text: Callable[[Mapping[str, Any], Sequence[str]], str] | None = None
    method: str = ""
    renews_by: Primitive | None = None
    of_shape: bool = False
    moves: bool = False
    finds_shape: bool = False
    records: bool = False
    gives_tuple: bool = False
    prepared: Callable[..., Kernel] | None = None
    function: Callable[..., Any] | None = field(default=None, init=False)
    instruction: str = ""
    is_op: bool = field(default=False, init=False)
    keeps: Keeps = field(init=False)
    keeps_first: Keeps = field(init=False)
    keeps_second: Keeps = field(init=False)
    rule: Infer = field(init=False)
    variadic: bool = field(init=False)
    letters: list[str] = field(init=False)
    accepted: Accepted = field(init=False)
    hint: dtypes.DType | None = field(init=False)
    uniform: bool = field(init=False)
    result: list[str] = field(init=False)

    def __post_init__(self, signature: str) -> None:
        self.op_type = self.op_type or self.name.title().replace("_", "")
        # For the shortcut of tapes: are the values of first input, second input and output kept?
        self.keeps = (
            self.keep_inputs is None or 0 in self.keep_inputs,
            self.keep_inputs is None or 1 in self.keep_inputs,
            self.keep_outputs is None or 0 in self.keep_outputs,
        )
        # The same where only the first, only the second input is connected to what is watched.
        by_partial = [("a" in one, "b" in one, "y" in one) for one in self.reads]
        self.keeps_first, self.keeps_second = by_partial or (self.keeps, self.keeps)
        self.memory = self.memory or _usual_memory(self.kernel)
        self.order = self.order or _usual_order(self.kernel, self.effect)
        self._read_signature(signature)
        self.rule = self.infer or self._by_signature
        self.infer = self.infer or self.named

    def _read_signature(self, signature: str) -> None:
        declared, _, result = signature.partition("->")
        self.variadic = declared.endswith("*")
        letters = declared.rstrip("*")
        self.letters = letters.split(",") if letters else []
        self.accepted = CLASSES[self.letters[0]] if self.letters else ANY
        # The only dtype of the first input, which an empty list has too.
        self.hint = BY_NUMPY[next(iter(self.accepted))] if len(self.accepted) == 1 else None
        self.uniform = len(set(self.letters)) == 1 and letters != "i"
        self.result = result.split(",")

    def named(self, *types: Any, **params: Any) -> Any:
        """Returns the result of the rule, whose errors name the op."""
        try:
            return self.rule(*types, **params)
        except (ValueError, TypeError, errors.OpError) as error:
            raise in_name_of(self.op_type, error, types) from None

    def _by_signature(self, *types: Any, **params: Any) -> Any:
        found = self.check_dtypes([t.dtype.np_dtype for t in types])
        results = [self._result_dtype(letter, found, params) for letter in self.result]
        assert self.shape is not None
        shapes = self.shape(*[t.shape for t in types], **params)
        if len(results) == 1:
            return TensorType(results[0], shapes)
        return tuple(map(TensorType, results, shapes))

    def takes(self, given: Sequence[np.dtype[Any]]) -> bool:
        """Whether the signature fits inputs of these dtypes."""
        try:
            self.check_dtypes(given)
        except TypeError:
            return False
        return True

    def letter(self, at: int) -> str:
        """The letter of the signature that stands for an input."""
        return self.letters[min(at, len(self.letters) - 1)]

    def is_narrowed(self, at: int, is_wide: bool, params: Mapping[str, Any]) -> bool:
        """Whether a result, of inputs that were made wider, is made as narrow as they were."""
        letter = self.result[min(at, len(self.result) - 1)]
        return is_wide and letter not in params and letter != "float32"

    @staticmethod
    def _result_dtype(
        letter: str, found: dict[str, np.dtype[Any]], params: dict[str, Any]
    ) -> DType:
        dtype = found.get(letter)
        if dtype is not None:
            return BY_NUMPY[dtype]
        named = params.get(letter)
        if named is not None:
            return cast(DType, named)
        if letter.startswith("real "):
            return BY_NUMPY[found[letter[5:]]].real_dtype
        return dtypes.as_dtype(letter)

    def check_dtypes(self, given: Sequence[np.dtype[Any]]) -> dict[str, np.dtype[Any]]:
        """The dtype of each letter of the signature; TypeError where the inputs do not fit it."""
        letters = self.letters
        if self.uniform and given[0] in self.accepted and all(map(given[0].__eq__, given)):
            return {letters[0]: given[0]}
        if self.variadic:
            letters = letters + letters[-1:] * (len(given) - len(letters))
        found: dict[str, np.dtype[Any]] = {}
        for place, (letter, dtype) in enumerate(zip(letters, given, strict=False)):
            first = found.setdefault(letter, dtype)
            if first is not dtype and letter != "i":
                raise TypeError(self._mixed(letters.index(letter), first, place, dtype))
            if dtype not in CLASSES[letter]:
                raise TypeError(self._refused(place, dtype, CLASSES[letter]))
        return found

    def _mixed(self, i: int, a: np.dtype[Any], j: int, b: np.dtype[Any]) -> str:
        return (
            f"input {j} has dtype {BY_NUMPY[b].name}, but input {i} has dtype "
            f"{BY_NUMPY[a].name}; both must be the same (convert one with cast)"
        )

    def _refused(self, place: int, dtype: np.dtype[Any], allowed: Accepted) -> str:
        if wide(dtype) in allowed:
            name = BY_NUMPY[dtype].name
            return f"input {place} has dtype {name}, and others do not; convert one with cast"
        fitting = dtypes.names(t for t in dtypes.ALL if t.np_dtype in allowed)
        return (
            f"input {place} has dtype {BY_NUMPY[dtype].name}, "
            f"which it does not take; it takes {fitting} (convert it with cast)"
        )

    @property
    def word(self) -> str:
        """Its name, but for the `py.` of ops on Python's values."""
        return self.name.removeprefix("py.")

    def __repr__(self) -> str:
        return f"<primitive {self.name}>"


def takes(kernel: Kernel, parameter: str) -> bool:
    """Whether a kernel written in Python has a parameter of this name."""
    code = getattr(kernel, "__code__", None)
    count = 0 if code is None else code.co_argcount + code.co_kwonlyargcount
    return code is not None and parameter in code.co_varnames[:count]


def _usual_memory(kernel: Kernel) -> Memory:
    reads = isinstance(kernel, np.ufunc) or takes(kernel, "out")
    return Memory.READS if reads else Memory.KEEPS


def _usual_order(kernel: Kernel, effect: bool) -> Order:
    if isinstance(kernel, np.ufunc):
        return Order.KEEP
    if effect:
        return Order.C if takes(kernel, "out") else Order.PERMUTED
    return Order.ANY


def flat(op: Operation, *grads: Any) -> list[None]:
    """Gradient rule of rows through which no gradient flows: tapes do not even record them."""
    return [None] * len(op.inputs)


TABLE: dict[str, Primitive] = {}
"""All primitives by their names: the ops, and what stands for structure in graphs."""


def structural(name: str, kernel: Kernel, infer: Infer | None = None, **fields: Any) -> Primitive:
    """A new Primitive for nodes of graphs, which `bind` never sees, entered in the table."""
    if name in TABLE:
        raise ValueError(f"there are two primitives named {name!r}")
    made = TABLE[name] = Primitive(name, kernel, infer, **fields)
    return made


def row(name: str, kernel: Kernel, infer: Infer | None = None, **fields: Any) -> Primitive:
    """A new op: a Primitive that `bind` applies to tensors, entered in the table."""
    made = structural(name, kernel, infer, **fields)
    made.is_op = True
    if infer is not None:
        made.infer = made.named
    return made


def in_name_of(op_type: str, error: Exception, types: Sequence[Any]) -> errors.OpError:
    """The documented error for what a rule or a conversion says of these inputs of an op."""
    kind: type[errors.OpError] = errors.InvalidValueError
    hint = None
    if isinstance(error, errors.OpError):
        kind, detail, hint = type(error), error.detail, error.hint
    else:
        kind = errors.WrongDtypeError if isinstance(error, TypeError) else kind
        detail = str(error)
    inputs = None if op_type in detail else tuple(map(str, types))
    return kind(None, op_type, detail, inputs=inputs, hint=hint)


def checked(kernel: Kernel, shape: Callable[..., Any]) -> Kernel:
    """`kernel` for rules that NumPy would let pass: it asks the shape rule first."""

    def with_check(*arrays: Any, **params: Any) -> Any:
        shape(*[array.shape for array in arrays], **params)
        return kernel(*arrays, **params)

    return with_check


def sample(*inputs: Any, **params: Any) -> Sample:
    """Sample inputs of a row as tests read them: "2,3" is a shape, "3:i4" one of integers < 4."""
    return inputs, params


def same_shape(shape: Shape, *others: Shape, **params: Any) -> Shape:
    """Shape rule: the shape of the first input."""
    return shape


def broadcast_shapes(first: Shape, *others: Shape, **params: Any) -> Shape:
    """Shape rule: all inputs broadcast together."""
    for other in others:
        first = broadcast(first, other)
    return first


def wrong_value(message: str, hint: str | None = None) -> errors.InvalidValueError:
    """The error for a value or shape, eagerly and while tracing."""
    return errors.InvalidValueError(message, hint=hint)


def wrong_shape(message: str, *given: Any) -> errors.InvalidValueError:
    """The error for tensors of wrong shapes. Where a shape is not known, eagerly there might be
    none: no `except` of a function that is traced takes it.
    """
    error = wrong_value(message)
    error.is_of_trace = any(x.static_shape is None or None in x.static_shape for x in given)
    return error


def wrong_dtype(message: str, hint: str | None = None) -> errors.WrongDtypeError:
    """The error for a dtype, eagerly and while tracing."""
    return errors.WrongDtypeError(message, hint=hint)


def not_known(message: str) -> errors.WrongDtypeError:
    """The error for an argument that a trace must know: no `except` of a function that is traced
    takes it.
    """
    error = wrong_dtype(message)
    error.is_of_trace = True
    return error


def _no_tensors_yet(raw: Any) -> Any:
    raise RuntimeError("runtime.core.tensor must be imported before an op is bound")


# Set by runtime.core.tensor: array or NumPy scalar -> EagerTensor.
_wrap: Callable[[Any], Any] = _no_tensors_yet


def install_tensor(wrap: Callable[[Any], Any]) -> None:
    """Tell `bind` how to make an eager tensor of a kernel's result."""
    global _wrap
    _wrap = wrap


FAILURES = (ValueError, TypeError, IndexError, ArithmeticError, MemoryError, errors.OpError)
"""The errors with which ops refuse values."""


def bind(primitive: Primitive, *inputs: Any, **params: Any) -> Any:
    """Apply a primitive to tensors: compute it (and record it on tapes), or stage it in a trace.

    Raises errors.WrongDtypeError for dtypes that it does not take and InvalidArgumentError for
    shapes and values.
    """
    trace = state._trace
    if trace is not None:
        return trace.emit(primitive, inputs, params)
    raws = [x.raw for x in inputs]
    if primitive.uniform:
        first = raws[0].dtype
        if first not in primitive.accepted:
            return _unaccepted(primitive, inputs, params, None)
        for raw in raws:
            if raw.dtype is not first:
                raise _explain(primitive, inputs, params, None)
    elif primitive.letters:
        try:
            primitive.check_dtypes([raw.dtype for raw in raws])
        except TypeError as error:
            return _unaccepted(primitive, inputs, params, error)
    if primitive.effect:
        result = primitive.kernel(*raws, **params)
    else:
        try:
            # A copy, because a context cannot be entered twice and a kernel may run Python.
            result = state.context.copy().run(primitive.kernel, *raws, **params)
        except FAILURES as error:
            # What the kernel raised says the same, in NumPy's words.
            raise _explain(primitive, inputs, params, error) from None
    if type(result) is tuple:
        outputs = tuple([_wrap(raw) for raw in result])
        if state.run is None:
            _record(primitive, inputs, outputs, params)
        return outputs
    output = _wrap(result)
    if state.run is None:
        _record(primitive, inputs, (output,), params)
    return output


def _record(
    primitive: Primitive, inputs: tuple[Any, ...], outputs: tuple[Any, ...], params: dict[str, Any]
) -> None:
    for tape in state._tapes:
        tape.record(primitive, inputs, outputs, params)
    if state._inspect is not None:
        state._inspect(primitive, inputs, outputs, params)
    if state._device is not None and state._trace is None:
        for output in outputs:
            output._device = state._device


def _unaccepted(
    primitive: Primitive, inputs: Any, params: dict[str, Any], error: Exception | None
) -> Any:
    if dtypes.WIDENED:
        from runtime.core.widening import is_widened, widened

        if is_widened(primitive, inputs):
            return widened(primitive, inputs, params)
    raise _explain(primitive, inputs, params, error) from None


def wide(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype in which ops compute for this one."""
    found = dtypes.WIDENED.get(dtype)
    return dtype if found is None else found.np_dtype


def describe(operand: Any) -> Any:
    """Returns the name of an operand in messages: the type of a tensor or array, else its kind."""
    if isinstance(operand, np.ndarray | np.generic) and operand.dtype in BY_NUMPY:
        return TensorType(BY_NUMPY[operand.dtype], operand.shape)
    if isinstance(operand, bool | int | float | complex):
        return f"Python {type(operand).__name__}"
    return getattr(operand, "type", type(operand).__name__)


def name_in_errors(primitive: Primitive, params: Mapping[str, Any]) -> str:
    """Returns the type of an op; for a check of arguments, the public function that they are of."""
    return params.get("caller", primitive.op_type)  # type: ignore[no-any-return]


def _explain(
    primitive: Primitive, inputs: Sequence[Any], params: dict[str, Any], error: Exception | None
) -> errors.OpError:
    """The documented error for an op that failed: in the words of its rules, else the kernel's."""
    if isinstance(error, errors.OpError) and error.op is not None:
        return error
    types, op_type = [x.type for x in inputs], name_in_errors(primitive, params)
    kind: type[errors.OpError] = errors.InvalidValueError
    if isinstance(error, MemoryError):
        kind = errors.ResourceExhaustedError
    else:
        try:
            primitive.rule(*types, **params)
        except (ValueError, TypeError, errors.OpError) as refused:
            return in_name_of(op_type, refused, types)
    detail, hint = str(error), None
    if isinstance(error, errors.OpError):
        kind, detail, hint = type(error), error.detail, error.hint
    return kind(None, op_type, detail, inputs=tuple(map(str, types)), hint=hint)
