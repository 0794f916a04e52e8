"""Errors while a function is traced, told more fully: where they are, which argument is no tensor,
which dimension is not known, and where too much is nested.
"""

from __future__ import annotations

import ast
import re
import reprlib
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from types import TracebackType
from typing import Any, cast

import numpy as np

from autograph.compiler import parse
from autograph.frames import entries_of
from autograph.policy import is_standard_file
from runtime.core.state import state
from runtime.core.tensor import Tensor
from runtime.core.types import NumberType
from runtime.errors import OpError
from runtime.graph.ir import Graph, Location, Node, format_location, position_of
from runtime.graph.templates import written
from runtime.staging.bytecode import raises
from runtime.staging.control.choices import CHOSEN, Choice
from runtime.staging.frames import innermost, instruction_text, is_ours, is_runtime, user_location
from runtime.staging.refusals import SAID, UNSUPPORTED, is_internal, is_refusal, refuse
from runtime.staging.scopes import InScope, Symbol, active

_BY_NAME = (str, bytes, type(None))
_PLAIN = (ValueError, TypeError)
# Compiled by the first error.
_ADDED = r"^unsupported operand type\(s\) for \+: '(str|list|deque)' and '(.+)'$"
_SYMBOLS = r"\bSymbolicTensor\b"
_NO_ATTRIBUTE = r"'Symbolic(Tensor|Number)' object has no attribute"
_TEXTS = r"(\b(not|type|got|from) ['\"]?|^|')Text\b|\bText(?= found$)"
_NO_TEXT = (  # of bytes(text, "utf-8"), date.fromisoformat(text) and float.fromhex(text)
    r"^(encoding without a string argument|fromisoformat: argument must be str"
    r"|bad argument type for built-in operation)$"
)
_PATTERNS = rf"^expected string or bytes-like object(, got '(Text|{CHOSEN})')?$"
_CODE = r"^(eval|exec|compile)\(\) arg 1 must be a string"
_PLACED = r".+?:\d+:\d+: "
_OUTSIDE = "compute with numbers and tensors, or do this outside of the staged function"
_SHAPED = "give tensors a shape, by ensure_shape or in the input_signature, or pass Python numbers"
_UNSEEN = "catch it without a name, `except TypeError:`: its text would be another one"
_NUMBER = "SymbolicNumber"
_CLASSES = rf"\b({_NUMBER}|MaybeNone|{CHOSEN}|TaggedUnion)\b"
_OF_OPERATORS = r"unsupported operand|not supported between|can only concatenate"
_OF_SYMBOLS = (
    "a symbolic tensor stands for what only the run knows: use an op, or do this outside of the "
    "staged function"
)
_OF_NUMBERS = (
    "a staged number is an int, float or bool that only the run knows: compute with numbers and "
    "tensors, or do this outside of the staged function"
)
_OF_TEXTS = (
    "a text of staged values is made where the graph prints or raises it: print(text) does so, and "
    "so does print(text, end='', file=...) for a file"
)
_OF_PATTERNS = (
    "functions and patterns of re take texts that Python knows while tracing: take a text of the "
    "run apart by its methods (split, find, startswith, isdigit) or by a loop over its characters"
)
_OF_CODE = (
    "eval, exec and compile take what Python knows while tracing: take a text of staged values "
    "apart, by split(), find() and int(), or do this outside of the staged function"
)
_OF_LIBRARY = (
    "it takes a text that Python knows while tracing: do this outside of the staged function, of "
    "what that returns"
)
_OF_ONE_USE = (_OF_CODE, _OF_PATTERNS)
_OF_CHOICES = (
    "give it each of them in a branch of its own, or do this outside of the staged function"
)
_OF_ATTRIBUTES = (
    "tensors and numbers have no attributes of yours: keep it in a variable, or both in an object "
    "of your own"
)
_ALIKE_FOR_NUMBERS = (
    r"unsupported operand|bad operand|not supported between|is not (iterable|subscriptable|callable"
    r"|reversible|an iterator)|has no len\(\)|can only (concatenate|join)|does not support item"
    r"|unpack non-iterable|must be an? (iterable|mapping)|can't multiply sequence|indices must be"
    r"|cannot be interpreted as an integer|requires a '"
    rf"|expected str instance(?!, (Text|str|text of the run|{CHOSEN}) )"
    r"|has no length|must be str.*, not '?(SymbolicNumber|SymbolicTensor|staged number)"
)
"""What Python says of a number in a place for another kind, too."""
_FINE = (Tensor, Symbol, bool, int, float, complex)


def explain(error: BaseException, function: str, given: Mapping[str, Any]) -> None:
    """Add notes to the error of an expression that reads arguments of `function` that are no
    tensors, or a dimension that is None.
    """
    last = _last_of_the_users(error.__traceback__)
    if not isinstance(error, TypeError | ValueError) or last is None:
        return
    tree = _expression_at(last)
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    known = last.tb_frame.f_locals
    for name in sorted(names.intersection(known)):
        for label in _arguments(name, known[name], given):
            error.add_note(_about(function, label, given[label]))
    shapes = [node for node in ast.walk(tree) if isinstance(node, ast.Attribute)]
    if "None" in str(error) and any(node.attr == "shape" for node in shapes):
        error.add_note(
            "a dimension that only the run knows is None in x.shape: tf.shape(x) has its value"
        )


def locate(error: BaseException) -> None:
    """Make an error that the runtime raised, or Python for a symbol, say where the user's code
    stood.
    """
    last = _last_of_the_users(error.__traceback__)
    if last is not None:
        _place(error, position_of(last.tb_frame.f_code, last.tb_lasti))
    elif isinstance(error, OpError) or _way_out(error) is not None:
        # Of an operator that is done with each value that the run chooses from. Another error is
        # Python's own, whose text a handler may read.
        _place(error, user_location())


def locate_hidden(error: BaseException) -> None:
    """The same for an error whose frames are about to be taken out of its traceback."""
    if state.trace is None or is_internal(error):
        return
    if isinstance(error, Exception) and not is_refusal(error):
        _place(error, user_location())


def _place(error: BaseException, location: Location | None) -> None:
    if location is None:
        return
    way_out = _way_out(error)
    if way_out is None and not _is_raised_by_runtime(error):
        return
    if isinstance(error, OpError) and not isinstance(error, AssertionError):
        error.location = error.location or location
    elif (type(error) in _PLAIN or way_out is _OF_ATTRIBUTES) and _has_text(error):
        text = error.args[0].replace("SymbolicNumber", "staged number")
        if way_out is _OF_TEXTS and re.search(_ALIKE_FOR_NUMBERS, text):
            # Python says the same of its own texts.
            text, way_out = _of_texts(text), None
        text = re.sub(_TEXTS, r"\1text of the run", text)
        # One that passes through a trace around this one is placed already.
        if not re.match(_PLACED, text):
            vars(error)[SAID] = error.args
            hint = "" if way_out is None else f"\n  {way_out}"
            error.args = (f"{format_location(location)}: {text}{hint}",)


def as_caught(error: BaseException, is_seen: bool) -> None:
    """Give an error that a handler of the user's catches Python's text again; StagingError where
    that names a class of the library's and somebody looks at it.
    """
    error.args = vars(error).pop(SAID, error.args)
    if type(error) is not TypeError or not _has_text(error) or _is_raised_by_user(error):
        return
    text = _of_texts(error.args[0])
    if _NUMBER in text:
        text = text.replace(_NUMBER, _kind_of_number(error))
    if is_seen and re.search(_CLASSES, text):
        raise refuse_caught(error, _UNSEEN) from None
    error.args = (text,)


def _of_texts(said: str) -> str:
    """The words of an error of Python's, as they are of texts and lists of its own."""
    text = re.sub(_TEXTS, r"\1str", said)
    return re.sub(_ADDED, r'can only concatenate \1 (not "\2") to \1', text)


def _is_raised_by_user(error: BaseException) -> bool:
    entry = innermost(error)
    if entry is None or is_standard_file(entry.tb_frame.f_code.co_filename):
        return False
    return raises(entry.tb_frame)


def _kind_of_number(error: BaseException) -> str:
    """The class of the one staged number of which Python tells, where that is known."""
    if re.search(_OF_OPERATORS, str(error)):
        is_one = str(error).count(_NUMBER) == 1
        return str(active().memo.get(UNSUPPORTED, _NUMBER)) if is_one else _NUMBER
    last = _last_of_the_users(error.__traceback__)
    match [] if last is None else _expression_at(last).body:
        case [ast.Expr(ast.Subscript(ast.Name(name)) | ast.Call(ast.Name(name)))]:
            pass
        case [ast.Expr(ast.Compare(comparators=[ast.Name(name)]))]:
            pass
        case _:
            return _NUMBER
    type = getattr(cast(Any, last).tb_frame.f_locals.get(name), "type", None)
    return type.kind if isinstance(type, NumberType) else _NUMBER


def _has_text(error: BaseException) -> bool:
    return len(error.args) == 1 and type(error.args[0]) is str


def _way_out(error: BaseException) -> str | None:
    """The way out of an error of Python's for a symbol, or a text of the run."""
    if isinstance(error, AttributeError) and re.search(_NO_ATTRIBUTE, str(error)):
        return _OF_ATTRIBUTES
    if not isinstance(error, TypeError):
        return None
    if "SymbolicNumber" in str(error):
        return _OF_NUMBERS
    if re.search(_PATTERNS, str(error)):
        return _OF_PATTERNS
    if CHOSEN in str(error):
        return _OF_CHOICES
    if re.search(_CODE, str(error)):
        return _OF_CODE
    given = _given_in_the_library(error)
    if re.search(_SYMBOLS, str(error)) or any(isinstance(each, InScope) for each in given):
        return _OF_SYMBOLS
    if any(type(each) is Choice for each in given):
        return _OF_CHOICES
    is_given_text = any(hasattr(type(each), "_is_text_of_run") for each in given)
    if is_given_text or re.search(_NO_TEXT, str(error)):
        return _OF_LIBRARY
    return _OF_TEXTS if re.search(_TEXTS, str(error)) else None


def is_of_symbol(error: BaseException) -> bool:
    """Whether Python raised an error of a symbol that it may not raise of a number or a text."""
    if _lacks_what_numbers_have(error):
        return True
    if not isinstance(error, TypeError) or innermost(error) is None or _is_raised_by_user(error):
        return False
    text = str(error)
    hints = (_OF_NUMBERS, _OF_SYMBOLS, _OF_TEXTS, _OF_LIBRARY, _OF_CHOICES, *_OF_ONE_USE)
    is_told = _way_out(error) is not None or any(hint in text for hint in hints)
    return is_told and not re.search(_ALIKE_FOR_NUMBERS, text)


def _lacks_what_numbers_have(error: BaseException) -> bool:
    """Whether it is of an attribute that Python's number has, of which a scalar has the value."""
    if not isinstance(error, AttributeError):
        return False
    item, name = error.obj, error.name
    if not isinstance(item, Tensor) or not isinstance(item, InScope) or item.static_shape != ():
        return False
    kind = type(np.zeros((), item.dtype.np_dtype).item())
    return kind in (bool, int, float, complex) and hasattr(kind, str(name))


def refuse_caught(error: BaseException, way_out: str = _OUTSIDE) -> Exception:
    """The refusal of such an error, which an `except` of the user's would catch."""
    last = _last_of_the_users(error.__traceback__)
    place = None if last is None else position_of(last.tb_frame.f_code, last.tb_lasti)
    said = re.sub(f"^{_PLACED}", "", str(error).partition("\n")[0])
    said = re.sub(_TEXTS, r"\1text of the run", said)
    if _way_out(error) in _OF_ONE_USE:
        way_out = str(_way_out(error))
    what = "Python raises a TypeError here, of what only the run knows"
    if isinstance(error, AttributeError):
        what = "Python raises nothing here, where it has a number"
        way_out = str(error).partition("\n")[2].strip() or way_out
    if isinstance(error, OpError):
        what, way_out = "a shape or number must be known here that only the run knows", _SHAPED
    return refuse(
        f"{what}, and the `try` around would catch it: {re.sub(_CLASSES, _in_words, said)}",
        way_out,
        location=place,
    )


def _in_words(found: re.Match[str]) -> str:
    words = {_NUMBER: "staged number", "MaybeNone": "value that may be None"}
    return words.get(found[0], "value that the run chooses")


def _given_in_the_library(error: BaseException) -> Iterable[Any]:
    """The variables of the function of the standard library that raised it, if one did."""
    entry = innermost(error)
    if entry is None or not is_standard_file(entry.tb_frame.f_code.co_filename):
        return ()
    return entry.tb_frame.f_locals.values()


def _is_raised_by_runtime(error: BaseException) -> bool:
    entry = innermost(error)
    # A function that makes a text is the user's call of Python.
    code = None if entry is None else entry.tb_frame.f_code
    return code is not None and code is not written.__code__ and is_runtime(code.co_filename)


def explain_depth(error: RecursionError) -> None:
    """Make Python's error for too many calls in each other say where of the user's it happened, and
    the way out.
    """
    last = _last_of_the_users(error.__traceback__)
    if last is not None:
        _say_deep(error, position_of(last.tb_frame.f_code, last.tb_lasti), _library_calling(last))


@contextmanager
def depth_explained(graph: Graph) -> Iterator[None]:
    """Within, such an error is about the node of the graph that is nested the deepest."""
    try:
        yield
    except RecursionError as error:
        deepest = _deepest(graph)
        _say_deep(error, None if deepest is None else deepest.location)
        raise


def _library_calling(entry: TracebackType) -> str | None:
    """The function of the standard library that calls the user's."""
    frame = entry.tb_frame.f_back
    while frame is not None and is_ours(frame.f_code.co_filename):
        frame = frame.f_back
    if frame is None or not is_standard_file(frame.f_code.co_filename):
        return None
    return f"{frame.f_globals.get('__name__')}.{frame.f_code.co_name}"


def _say_deep(error: RecursionError, location: Location | None, library: str | None = None) -> None:
    # Others than Python's own say more already.
    if not str(error).startswith(("maximum recursion depth exceeded", "Stack overflow")):
        return
    if library is not None:
        # From Python 3.14 on it adds one at each of the calls.
        error.__notes__ = list(dict.fromkeys(getattr(error, "__notes__", ())))
        error.args = (
            f"{format_location(location)}: {library} calls this without end, for it does not know "
            "the values of a graph that it is given back: let it have Python's own values",
        )
    else:
        error.args = (
            f"{format_location(location)}: branches, loops and calls are nested too deep here for "
            f"Python's {sys.getrecursionlimit()} calls in each other: write a loop, pass what ends "
            "a recursion as a tensor, or raise the limit with sys.setrecursionlimit()",
        )


def _deepest(graph: Graph) -> Node | None:
    found = None
    regions = [graph.body]
    while regions:
        nodes = [node for region in regions for node in region.nodes if node.regions]
        found = nodes[0] if nodes else found
        regions = [region for node in nodes for region in node.regions]
    return found


def _last_of_the_users(traceback: TracebackType | None) -> TracebackType | None:
    found = None
    for entry in entries_of(traceback):
        filename = entry.tb_frame.f_code.co_filename
        module = str(entry.tb_frame.f_globals.get("__name__"))
        is_made = module.startswith("namedtuple_")  # what makes a named tuple has no file
        if not (is_made or is_ours(filename) or is_standard_file(filename)):
            found = entry
    return found


def _expression_at(entry: TracebackType) -> ast.Module:
    try:
        return parse(instruction_text(entry.tb_frame.f_code, entry.tb_lasti))
    except SyntaxError:
        return ast.Module([], [])


def _arguments(name: str, value: Any, given: Mapping[str, Any]) -> Iterator[str]:
    """The arguments that a variable has the value of, which is no tensor or number."""
    if isinstance(value, _FINE):
        return
    for label, item in given.items():
        if item is value and (name == label or not isinstance(value, _BY_NAME)):
            yield label


def _about(function: str, label: str, value: Any) -> str:
    return (
        f"{function}() was given {reprlib.repr(value)} for its argument {label!r}: in there it is "
        f"a Python {type(value).__qualname__}, not a tensor; pass one, made with tf.constant or "
        "tf.stack"
    )
