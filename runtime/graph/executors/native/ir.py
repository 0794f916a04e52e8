"""Modules in LLVM's language, as text: what is built is written at once.

    module = Module("sum")
    function = Function(module, FunctionType(INT64, [INT64, INT64]), "sum")
    builder = IRBuilder(function.append_basic_block("start"))
    builder.ret(builder.add(*function.args))

Classes and methods are called as in llvmlite's `ir`, which has objects for all names and types,
asks them for their text in the end, and takes several times as long. As there, integers that are
known are computed at once. LLVM verifies what is written.
"""

from __future__ import annotations

import operator
import struct
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any, TypeAlias

# Types


class Type:
    """A type: two are the same if their text is."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __str__(self) -> str:
        return self.text

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Type) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)


class VoidType(Type):
    """The type of no result."""

    def __init__(self) -> None:
        super().__init__("void")


class PointerType(Type):
    """An address."""

    def __init__(self) -> None:
        super().__init__("ptr")


class IntType(Type):
    """Integers of so many bits."""

    def __init__(self, width: int) -> None:
        super().__init__(f"i{width}")
        self.width = width


class _FloatingType(Type):
    """`layout` is that of `struct`."""

    layout: str

    def number(self, number: float) -> str:
        """The text of a number, which is rounded to this type."""
        (rounded,) = struct.unpack(self.layout, struct.pack(self.layout, number))
        (bits,) = struct.unpack("<Q", struct.pack("<d", rounded))
        return f"0x{bits:016x}"


class HalfType(_FloatingType):
    """Floats of 16 bits."""

    layout = "<e"

    def __init__(self) -> None:
        super().__init__("half")


class FloatType(_FloatingType):
    """Floats of 32 bits."""

    layout = "<f"

    def __init__(self) -> None:
        super().__init__("float")


class DoubleType(_FloatingType):
    """Floats of 64 bits."""

    layout = "<d"

    def __init__(self) -> None:
        super().__init__("double")


class VectorType(Type):
    """So many numbers in a register."""

    def __init__(self, element: Type, count: int) -> None:
        super().__init__(f"<{count} x {element.text}>")
        self.element, self.count = element, count


class ArrayType(Type):
    """So many values in memory."""

    def __init__(self, element: Type, count: int) -> None:
        super().__init__(f"[{count} x {element.text}]")
        self.element, self.count = element, count


class LiteralStructType(Type):
    """One value of each of these types."""

    def __init__(self, elements: Sequence[Type]) -> None:
        super().__init__(f"{{{', '.join([each.text for each in elements])}}}")
        self.elements = list(elements)


class FunctionType(Type):
    """The parameters and the result of a function, and its `convention` of calls, if not C's."""

    def __init__(self, return_type: Type, args: Sequence[Type], convention: str = "") -> None:
        super().__init__(f"{return_type.text} ({', '.join([each.text for each in args])})")
        self.return_type, self.args = return_type, list(args)
        self.convention = convention


VOID, POINTER = VoidType(), PointerType()
BIT, BYTE, INT16, INT32, INT64 = map(IntType, (1, 8, 16, 32, 64))
FLOAT32, FLOAT64 = FloatType(), DoubleType()


# Values


class Value:
    """An operand: its `type`, and its `name`, which is the text of it. It may know of another value
    that it is `zero_with`. What is known at run time only has no `constant`.
    """

    __slots__ = ("name", "type", "zero_with")

    constant: Any = None
    zero_with: Value

    def __init__(self, type: Any, name: str) -> None:
        self.type, self.name = type, name


Undefined, Poison = "undef", "poison"
"""The text that stands for any number in constants."""


class Constant(Value):
    """A constant: a number; one for each part of a vector or an array, or one that all parts of a
    vector are; bytes; nothing, which is all zeros; or one of the words above.
    """

    __slots__ = ("constant",)

    def __init__(self, type: Any, constant: Any) -> None:
        self.type, self.constant = type, constant
        is_plain = constant.__class__ is int and type.__class__ is IntType
        self.name = str(constant) if is_plain else _text(type, constant)


def _text(type: Any, constant: Any) -> str:
    if constant is None:
        return "null" if isinstance(type, PointerType) else "zeroinitializer"
    if isinstance(constant, str):
        return constant
    if isinstance(constant, bytes | bytearray):
        return 'c"' + "".join([f"\\{byte:02x}" for byte in constant]) + '"'
    if isinstance(constant, list | tuple):
        parts = ", ".join([f"{type.element.text} {_text(type.element, part)}" for part in constant])
        return f"<{parts}>" if isinstance(type, VectorType) else f"[{parts}]"
    if isinstance(type, VectorType):
        return f"splat ({type.element.text} {_text(type.element, constant)})"
    return type.number(constant) if isinstance(type, _FloatingType) else str(int(constant))


class Instruction(Value):
    """An instruction of a block, without a name where it has no result."""

    __slots__ = ("opname", "text")

    def __init__(self, type: Type, name: str, opname: str, text: str) -> None:
        self.type, self.name, self.opname, self.text = type, name, opname, text

    def __str__(self) -> str:
        return self.text


class Phi(Instruction):
    """A value by the block that control flow comes from."""

    __slots__ = ("incomings",)

    def __init__(self, type: Type, name: str) -> None:
        super().__init__(type, name, "phi", "")
        self.incomings: list[tuple[Value, BasicBlock]] = []

    def add_incoming(self, value: Value, block: BasicBlock) -> None:
        """Have it from a block."""
        self.incomings.append((value, block))

    def __str__(self) -> str:
        ways = ", ".join([f"[{value.name}, %{block.name}]" for value, block in self.incomings])
        return f"{self.name} = phi {self.type.text} {ways}"


class BasicBlock:
    """Instructions of a function that run one behind the other; the last one, its `terminator`,
    leaves the block.
    """

    __slots__ = ("function", "instructions", "name", "terminator")

    def __init__(self, function: Function, name: str) -> None:
        self.function, self.name = function, name
        self.instructions: list[Instruction] = []
        self.terminator: Instruction | None = None

    @property
    def is_terminated(self) -> bool:
        """Whether nothing can be added at its end."""
        return self.terminator is not None

    def __str__(self) -> str:
        return "\n  ".join([f"{self.name}:", *map(str, self.instructions)])


class GlobalVariable(Value):
    """Memory of a module; its `initializer` is a constant of its `value_type`."""

    def __init__(self, module: Module, value_type: Type, name: str) -> None:
        super().__init__(POINTER, f"@{name}")
        self.value_type = value_type
        self.initializer: Constant | None = None
        self.linkage, self.global_constant = "", False
        self.align: int | None = None
        module.globals[name] = self

    def __str__(self) -> str:
        kind = "constant" if self.global_constant else "global"
        assert self.initializer is not None
        given = f"{self.value_type.text} {self.initializer.name}"
        return f"{self.name} = {_word(self.linkage)}{kind} {given}{_aligned(self.align)}"


class Function(Value):
    """A function of a module: a definition, if it has blocks."""

    def __init__(self, module: Module, type: FunctionType, name: str) -> None:
        super().__init__(POINTER, f"@{name}")
        self.module, self.function_type = module, type
        self.linkage = ""
        self.attributes: set[str] = set()
        self.blocks: list[BasicBlock] = []
        self._names = 0
        self.args = [Value(each, self.new_name("%")) for each in type.args]
        module.globals[name] = self

    def new_name(self, prefix: str) -> str:
        """A name that begins like this, and that nothing else in the function has."""
        self._names += 1
        return f"{prefix}.{self._names}"

    def append_basic_block(self, name: str = "block") -> BasicBlock:
        """A new block, behind the others."""
        made = BasicBlock(self, self.new_name(name))
        self.blocks.append(made)
        return made

    def __str__(self) -> str:
        given = ", ".join([f"{each.type.text} {each.name}" for each in self.args])
        type = self.function_type
        head = f"{_word(type.convention)}{type.return_type.text} {self.name}({given})"
        if not self.blocks:
            return f"declare {head}"
        attributes = "".join([f" {each}" for each in sorted(self.attributes)])
        blocks = "\n".join(map(str, self.blocks))
        return f"define {_word(self.linkage)}{head}{attributes} {{\n{blocks}\n}}"


class Module:
    """Functions and variables, by their names."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.triple = self.data_layout = ""
        self.globals: dict[str, Function | GlobalVariable] = {}
        self._metadata: dict[str, int] = {}

    @property
    def functions(self) -> list[Function]:
        """Those that are defined or declared."""
        return [each for each in self.globals.values() if isinstance(each, Function)]

    def declared(self, name: str, type: FunctionType) -> Function:
        """The function of this name, which is declared the first time."""
        found = self.globals.get(name) or Function(self, type, name)
        assert isinstance(found, Function)
        return found

    def get_unique_name(self, name: str) -> str:
        """A name that begins like this, and that nothing else in the module has."""
        return f"{name}.{len(self.globals)}"

    def metadata(self, text: str) -> str:
        """The reference to metadata."""
        return f"!{self._metadata.setdefault(text, len(self._metadata))}"

    def __str__(self) -> str:
        return "\n".join(
            [
                f'; ModuleID = "{self.name}"',
                f'target triple = "{self.triple}"',
                f'target datalayout = "{self.data_layout}"',
                *map(str, self.globals.values()),
                *[f"!{at} = !{{{text}}}" for text, at in self._metadata.items()],
                "",
            ]
        )


# Instructions

_ORDER = {"<": "lt", "<=": "le", ">": "gt", ">=": "ge"}
_EQUALITY = {"==": "eq", "!=": "ne"}


def _words(order: str, equality: str) -> dict[str, str]:
    """LLVM's words for the signs of comparisons."""
    made = {sign: order + word for sign, word in _ORDER.items()}
    return made | {sign: equality + word for sign, word in _EQUALITY.items()}


# Integers that are known

_WIDTHS = "trunc", "zext", "sext"
_EXACT: dict[str, Callable[[int, int], int]] = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul,
    "and": operator.and_, "or": operator.or_, "xor": operator.xor,
}  # fmt: skip
_COMPARED: dict[str, Callable[[int, int], bool]] = {
    "lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge,
    "eq": operator.eq, "ne": operator.ne,
}  # fmt: skip
_NEUTRAL = {"add": 0, "sub": 0, "mul": 1, "and": -1, "or": 0, "xor": 0}
_ABSORBING = {"mul": 0, "and": 0, "or": -1}


def _known(value: Value) -> int | None:
    """The number that a constant integer is, with its sign."""
    if value.__class__ is not Constant or value.type.__class__ is not IntType:
        return None
    constant = value.constant
    return _signed(constant, value.type.width) if isinstance(constant, int) else None


def _signed(number: int, width: int) -> int:
    least = 1 << (width - 1)
    return (number + least) % (2 * least) - least


def _combined(opname: str, first: Value, second: Value) -> Value | None:
    """The known result of an instruction, or one of its operands that it gives."""
    a, b = _known(first), _known(second)
    if a is not None and b is not None:
        return Constant(first.type, _signed(_EXACT[opname](a, b), first.type.width))
    if b is None and opname != "sub":
        a, b, first, second = b, a, second, first
    if b == _NEUTRAL[opname]:
        return first
    return second if b is not None and b == _ABSORBING.get(opname) else None


def _binary(opname: str) -> Callable[..., Value]:
    """The method for an instruction of two operands of one type, which is the result's."""
    is_exact = opname in _EXACT

    def method(self: IRBuilder, first: Value, second: Value, flags: Sequence[str] = ()) -> Value:
        type = first.type
        if is_exact and (first.__class__ is Constant or second.__class__ is Constant):
            found = _combined(opname, first, second)
            if found is not None:
                return found
        words = " ".join([opname, *flags]) if flags else opname
        return self._add(type, opname, f"{words} {type.text} {first.name}, {second.name}")

    return method


def _comparison(opname: str, words: dict[str, str]) -> Callable[..., Value]:
    """The method for a comparison by its sign."""

    def method(self: IRBuilder, sign: str, first: Value, second: Value) -> Value:
        type = first.type
        a, b = _known(first), _known(second)
        if a is not None and b is not None:
            return Constant(BIT, _answer(words[sign], a, b, type.width))
        made = VectorType(BIT, type.count) if isinstance(type, VectorType) else BIT
        text = f"{opname} {words[sign]} {type.text} {first.name}, {second.name}"
        return self._add(made, opname, text)

    return method


def _answer(word: str, a: int, b: int, width: int) -> int:
    """The bit of a comparison of two integers, which have no sign where it begins with `u`."""
    if word[0] == "u":
        a, b = a % (1 << width), b % (1 << width)
    return int(_COMPARED[word[-2:]](a, b))


def _cast(opname: str) -> Callable[[IRBuilder, Value, Type], Value]:
    """The method for a conversion of what is not of the type yet."""

    def method(self: IRBuilder, value: Value, type: Type) -> Value:
        if value.type == type:
            return value
        number = _known(value) if opname in _WIDTHS else None
        if number is not None and isinstance(type, IntType):
            unsigned = opname == "zext"
            number = number % (1 << value.type.width) if unsigned else number
            return Constant(type, _signed(number, type.width))
        text = f"{opname} {value.type.text} {value.name} to {type.text}"
        return self._add(type, opname, text)

    return method


class IRBuilder:
    """Adds instructions to a block: at its end or, within `goto_block`, before its terminator."""

    def __init__(self, block: BasicBlock) -> None:
        self.block = block
        self._is_inside = False

    @property
    def function(self) -> Function:
        """The function that is written."""
        return self.block.function

    @property
    def module(self) -> Module:
        """The module that is written."""
        return self.block.function.module

    def append_basic_block(self, name: str = "block") -> BasicBlock:
        """A new block of the function."""
        return self.block.function.append_basic_block(name)

    def _insert(self, made: Instruction) -> None:
        block = self.block
        if self._is_inside:
            block.instructions.insert(-1, made)
        else:
            assert block.terminator is None
            block.instructions.append(made)

    def _add(self, type: Type, opname: str, text: str, name: str = "") -> Instruction:
        """Add an instruction that has a result."""
        name = self.block.function.new_name(f"%{name}")
        made = Instruction(type, name, opname, f"{name} = {text}")
        self._insert(made)
        return made

    def _do(self, opname: str, text: str) -> Instruction:
        """Add one that has none."""
        made = Instruction(VOID, "", opname, text)
        self._insert(made)
        return made

    def _leave(self, opname: str, text: str) -> None:
        """End the block."""
        self.block.terminator = self._do(opname, text)

    # Places

    def position_at_end(self, block: BasicBlock) -> None:
        """Go on at the end of a block."""
        self.block, self._is_inside = block, False

    @contextmanager
    def goto_block(self, block: BasicBlock) -> Iterator[None]:
        """Add to another block within, before its terminator if it has one."""
        before = self.block, self._is_inside
        self.block, self._is_inside = block, block.is_terminated
        yield
        self.block, self._is_inside = before

    def goto_entry_block(self) -> AbstractContextManager[None]:
        """Add to the first block of the function within."""
        return self.goto_block(self.function.blocks[0])

    @contextmanager
    def if_then(self, condition: Value, likely: bool | None = None) -> Iterator[None]:
        """Add, within, code that runs where the condition holds."""
        then, after = self.append_basic_block("then"), self.append_basic_block("after")
        weights = None if likely is None else (99, 1) if likely else (1, 99)
        self.cbranch(condition, then, after, weights)
        with self._way(then, after):
            yield
        self.position_at_end(after)

    @contextmanager
    def if_else(self, condition: Value) -> Iterator[tuple[_Way, _Way]]:
        """Two ways: what is added within the first one runs where the condition holds."""
        then, otherwise = self.append_basic_block("then"), self.append_basic_block("else")
        after = self.append_basic_block("after")
        self.cbranch(condition, then, otherwise)
        yield self._way(then, after), self._way(otherwise, after)
        self.position_at_end(after)

    @contextmanager
    def _way(self, block: BasicBlock, after: BasicBlock) -> Iterator[None]:
        self.position_at_end(block)
        yield
        if not self.block.is_terminated:
            self.branch(after)

    # Numbers

    add, sub, mul = _binary("add"), _binary("sub"), _binary("mul")
    sdiv, udiv, srem, urem = _binary("sdiv"), _binary("udiv"), _binary("srem"), _binary("urem")
    shl, lshr, ashr = _binary("shl"), _binary("lshr"), _binary("ashr")
    and_, or_, xor = _binary("and"), _binary("or"), _binary("xor")
    fadd, fsub, fmul = _binary("fadd"), _binary("fsub"), _binary("fmul")
    fdiv, frem = _binary("fdiv"), _binary("frem")

    icmp_signed = _comparison("icmp", _words("s", ""))
    icmp_unsigned = _comparison("icmp", _words("u", ""))
    fcmp_ordered = _comparison("fcmp", {**_words("o", "o"), "ord": "ord"})
    fcmp_unordered = _comparison("fcmp", {**_words("u", "u"), "uno": "uno"})

    trunc, zext, sext = _cast("trunc"), _cast("zext"), _cast("sext")
    fptrunc, fpext, bitcast = _cast("fptrunc"), _cast("fpext"), _cast("bitcast")
    sitofp, uitofp, fptosi, fptoui = map(_cast, ("sitofp", "uitofp", "fptosi", "fptoui"))
    ptrtoint = _cast("ptrtoint")

    def neg(self, value: Value) -> Value:
        """0 - value, of integers."""
        return self.sub(Constant(value.type, 0), value)

    def not_(self, value: Value) -> Value:
        """The other bits."""
        return self.xor(value, Constant(value.type, -1))

    def fneg(self, value: Value) -> Value:
        """The float of the other sign."""
        return self._add(value.type, "fneg", f"fneg {value.type.text} {value.name}")

    def select(self, condition: Value, first: Value, second: Value) -> Value:
        """The first value where the condition holds, and the second where it does not."""
        known = _known(condition)
        if known is not None or first is second:
            return second if known == 0 else first
        text = f"select {_operands(condition, first, second)}"
        return self._add(first.type, "select", text)

    # Parts

    def extract_value(self, whole: Value, at: int) -> Value:
        """One of the values of a structure."""
        text = f"extractvalue {_operands(whole)}, {at}"
        return self._add(whole.type.elements[at], "extractvalue", text)

    def insert_value(self, whole: Value, part: Value, at: int) -> Value:
        """The structure with another value there."""
        text = f"insertvalue {_operands(whole, part)}, {at}"
        return self._add(whole.type, "insertvalue", text)

    def extract_element(self, vector: Value, at: Value) -> Value:
        """One of the numbers of a vector."""
        text = f"extractelement {_operands(vector, at)}"
        return self._add(vector.type.element, "extractelement", text)

    def insert_element(self, vector: Value, number: Value, at: Value) -> Value:
        """The vector with another number there."""
        text = f"insertelement {_operands(vector, number, at)}"
        return self._add(vector.type, "insertelement", text)

    def shuffle_vector(self, first: Value, second: Value, places: Value) -> Value:
        """The vector of the numbers at these places of both."""
        type = VectorType(first.type.element, places.type.count)
        text = f"shufflevector {_operands(first, second, places)}"
        return self._add(type, "shufflevector", text)

    def halves(self, vector: Value) -> tuple[Value, Value]:
        """The first and the second half of a vector."""
        count = vector.type.count // 2
        first, second = (
            self._picked(vector, Constant(vector.type, Poison), range(start, start + count))
            for start in (0, count)
        )
        return first, second

    def joined(self, first: Value, second: Value) -> Value:
        """The vector that has these halves."""
        return self._picked(first, second, range(2 * first.type.count))

    def _picked(self, first: Value, second: Value, places: Sequence[int]) -> Value:
        type = VectorType(INT32, len(places))
        return self.shuffle_vector(first, second, Constant(type, list(places)))

    # Memory

    def alloca(self, type: Type, name: str = "", align: int | None = None) -> Value:
        """Memory for a value in the frame of the function."""
        return self._add(POINTER, "alloca", f"alloca {type.text}{_aligned(align)}", name)

    def load(self, pointer: Value, typ: Type, align: int | None = None) -> Value:
        """The value at an address."""
        text = f"load {typ.text}, ptr {pointer.name}{_aligned(align)}"
        return self._add(typ, "load", text)

    def store(self, value: Value, pointer: Value, align: int | None = None) -> Value:
        """Write a value to an address."""
        text = f"store {_operands(value)}, ptr {pointer.name}{_aligned(align)}"
        return self._do("store", text)

    def gep(
        self, pointer: Value, indices: Sequence[Value], source_etype: Type, inbounds: bool = False
    ) -> Value:
        """An address, so many values of a type behind another one."""
        if list(map(_known, indices)) == [0]:
            return pointer
        word = "getelementptr inbounds" if inbounds else "getelementptr"
        text = f"{word} {source_etype.text}, ptr {pointer.name}, {_operands(*indices)}"
        return self._add(POINTER, "getelementptr", text)

    # Control flow

    def phi(self, type: Type, name: str = "") -> Phi:
        """A value by the block that control flow comes from, which is told it later."""
        made = Phi(type, self.block.function.new_name(f"%{name}"))
        self._insert(made)
        return made

    def call(
        self, callee: Value, operands: Sequence[Value], type: FunctionType | None = None
    ) -> Value:
        """Call a function, or what is at an address, as a function of a type."""
        if type is None:
            assert isinstance(callee, Function)
            type = callee.function_type
        made = type.return_type
        convention = _word(type.convention)
        text = f"call {convention}{made.text} {callee.name}({_operands(*operands)})"
        return self._do("call", text) if made == VOID else self._add(made, "call", text)

    def branch(self, block: BasicBlock) -> None:
        """Go on in another block."""
        self._leave("br", f"br label %{block.name}")

    def cbranch(
        self,
        condition: Value,
        then: BasicBlock,
        otherwise: BasicBlock,
        weights: tuple[int, int] | None = None,
    ) -> None:
        """Go on in one of two blocks; the `weights` tell how often in each of them."""
        text = f"br i1 {condition.name}, label %{then.name}, label %{otherwise.name}"
        if weights is not None:
            known = '!"branch_weights", i32 {}, i32 {}'.format(*weights)
            text = f"{text}, !prof {self.module.metadata(known)}"
        self._leave("br", text)

    def ret(self, value: Value) -> None:
        """Return a value."""
        self._leave("ret", f"ret {_operands(value)}")

    def ret_void(self) -> None:
        """Return."""
        self._leave("ret", "ret void")


_Way: TypeAlias = AbstractContextManager[None]


def _operands(*values: Value) -> str:
    return ", ".join([f"{value.type.text} {value.name}" for value in values])


def _word(word: str) -> str:
    return f"{word} " if word else ""


def _aligned(align: int | None) -> str:
    return "" if align is None else f", align {align}"
