"""`print` of staged values, and `sys.stdout.write` of their texts: at run time."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from autograph.backend import backend_within
from autograph.operators.texts import shown_by_user
from runtime.graph.data import as_data
from runtime.graph.templates import PRINT
from runtime.staging.control.choices import Choice
from runtime.staging.control.tagged_unions import TaggedUnion
from runtime.staging.control.truths import opened
from runtime.staging.images import Images, has_unknown_text
from runtime.staging.refusals import refuse
from runtime.staging.scopes import active
from runtime.staging.streams import written_to
from runtime.staging.symbolic_number import SymbolicNumber
from runtime.staging.texts import Text, answer, is_in, make


def print_staged(*args: Any, **kwargs: Any) -> Any:
    """`print` of what may hold what only the run knows; NotImplemented where nothing does."""
    if any(map(_is_one_of_several, args)):
        return print_in_graph(*args, **kwargs)
    args = tuple(map(_shown, args))
    given = (*args, *kwargs.values())
    images = Images()
    images.of(given)
    is_known = not images.symbols and backend_within(given) is None
    return NotImplemented if is_known else print_in_graph(*args, **kwargs)


def print_in_graph(
    *args: Any, sep: Any = None, end: Any = None, file: Any = None, flush: bool = False
) -> None:
    """`print`: at run time, with the run's values for the symbols in the arguments."""
    args = tuple(map(opened, args))
    several = [at for at, arg in enumerate(args) if _is_one_of_several(arg)]
    if several:
        at, others = several[0], {"sep": sep, "end": end, "file": file, "flush": flush}

        def shown(option: Any, *, _reached: Any = (args, others)) -> None:
            print_in_graph(*args[:at], option, *args[at + 1 :], **others)

        args[at].apply(shown)
        return
    images = Images()
    arguments = images.of(tuple(map(_shown, args)))
    given = {"sep": sep, "end": end, "flush": flush}
    options = {**{key: images.of(x) for key, x in given.items()}, "file": as_data(file)}
    params = {"arguments": arguments, "options": options}
    trace = active()
    if trace.tentative and all(isinstance(item, SymbolicNumber) for item in images.symbols):
        raise refuse(
            "the round before has printed Python's numbers while it was traced",
            "print tensors, which each call prints",
        )
    if file is None:
        trace.check_stream("stdout")
    else:
        trace.printed.append(file)
    trace.append(PRINT, [trace.value_of(item) for item in images.symbols], (), params)


def _shown(arg: Any) -> Any:
    """An argument, or its text where code of the user's gives that, or an exception holds what only
    the run knows.
    """
    arg = shown_by_user(print, arg)
    is_of_run = isinstance(arg, BaseException) and not has_unknown_text(arg) and is_in(arg)
    return make(str, arg) if is_of_run else arg


def _is_one_of_several(arg: Any) -> bool:
    """True for a value of several kinds, and for one of several members of enums and such."""
    return type(arg) is TaggedUnion or (type(arg) is Choice and arg.has_texts)


def is_stream_write(function: Any) -> bool:
    """True for `sys.stdout.write` and `sys.stderr.write`."""
    stream = getattr(function, "__self__", None)
    is_stream = stream is not None and (stream is sys.stdout or stream is sys.stderr)
    return is_stream and getattr(function, "__name__", "") == "write"


def write(write: Any, print: Callable[..., None], text: Any, /) -> Any:
    """`sys.stdout.write(text)`, or that of `sys.stderr`, by a stand-in for `print`."""
    if not isinstance(text, str | Text | Choice):
        return write(text)  # Python's own error
    stream = write.__self__
    print(text, end="", file=None if stream is sys.stdout else written_to(stream))
    if type(text) is Choice:
        return text.apply(len)
    return answer(len, text) if type(text) is Text else len(text)
