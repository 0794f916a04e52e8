"""Regular expressions."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from runtime import errors
from runtime.core.primitive import bind, row, sample, wrong_value
from runtime.core.shapes import Shape
from runtime.core.tensor import Tensor
from runtime.ops.strings.elements import array_of, as_strings, elements_of
from runtime.ops.strings.re2 import UnknownClass, as_python


@lru_cache(maxsize=256)
def _pattern(text: str) -> re.Pattern[str]:
    try:
        return re.compile(as_python(text))
    except (re.error, UnknownClass, OverflowError, RecursionError) as error:
        raise errors.InvalidValueError(f"invalid pattern {text!r}: {error}") from None


@lru_cache(maxsize=256)
def _rewriting(rewrite: str, groups: int) -> Callable[[re.Match[str]], str]:
    r"""The replacement for a match: \0 stands for all of it, \1 for its first group, \\ for a
    backslash.
    """
    parts = re.split(r"\\(.?)", rewrite, flags=re.DOTALL)
    for escape in parts[1::2]:
        if escape != "\\" and not (escape in set("0123456789") and int(escape) <= groups):
            raise errors.InvalidValueError(
                f"invalid rewrite {rewrite!r}: \\{escape} names no group of the pattern"
            )

    def replacement(match: re.Match[str]) -> str:
        made = list(parts)
        made[1::2] = [e if e == "\\" else match.group(int(e)) or "" for e in parts[1::2]]
        return "".join(made)

    return replacement


def _text(s: bytes) -> str:
    """The characters of a string; bytes that are no UTF-8 stay single characters, which `_raw`
    turns back.
    """
    return s.decode("utf-8", "surrogateescape")


def _raw(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _scalar_text(x: Any, what: str) -> str:
    if np.ndim(x):
        raise wrong_value(f"the {what} must be a scalar, got shape {np.shape(x)}")
    return _text(x.item())


def _replace_kernel(x: Any, pattern: Any, rewrite: Any, *, replace_global: bool) -> Any:
    compiled = _pattern(_scalar_text(pattern, "pattern"))
    replacement = _rewriting(_scalar_text(rewrite, "rewrite"), compiled.groups)
    made = [_replaced(compiled, replacement, _text(s), replace_global) for s in elements_of(x)]
    return array_of([_raw(text) for text in made], x.shape)


def _replaced(
    pattern: re.Pattern[str], replacement: Callable[[re.Match[str]], str], text: str, all_: bool
) -> str:
    """The text with the first match replaced, or all of them.

    Where a match ends is no empty one, as in RE2: `x*` is once in "xx". Python finds two.
    """
    made, at, end = [], 0, -1
    while at <= len(text) and (match := pattern.search(text, at)):
        start, stop = match.span()
        made.append(text[at:start])
        if start == stop == end:
            made.append(text[at : at + 1])
            at += 1
            continue
        made.append(replacement(match))
        at = end = stop
        if not all_:
            break
    return "".join(made) + text[at:]


def _check_scalars(*shapes: Shape) -> None:
    for shape in shapes:
        if shape not in ((), None):
            raise wrong_value(f"patterns and rewrites must be scalars, got shape {shape}")


def _replace_shape(x: Shape, pattern: Shape, rewrite: Shape, *, replace_global: bool) -> Shape:
    _check_scalars(pattern, rewrite)
    return x


def _match_kernel(x: Any, pattern: Any) -> Any:
    compiled = _pattern(_scalar_text(pattern, "pattern"))
    found = [compiled.fullmatch(_text(s)) is not None for s in elements_of(x)]
    return np.array(found, bool).reshape(x.shape)


def _match_shape(x: Shape, pattern: Shape) -> Shape:
    _check_scalars(pattern)
    return x


replace_p = row(
    "regex_replace", _replace_kernel, signature="S,S,S->S", shape=_replace_shape,
    op_type="RegexReplace", fallible=True,
    samples=(sample("2,3:s", ":s", ":s", replace_global=True),),
)  # fmt: skip
match_p = row(
    "regex_full_match", _match_kernel, signature="S,S->bool", shape=_match_shape,
    op_type="RegexFullMatch", fallible=True, samples=(sample("2,3:s", ":s"),),
)  # fmt: skip


def regex_replace(
    input: Any, pattern: Any, rewrite: Any, replace_global: bool = True, name: str | None = None
) -> Tensor:
    r"""Replaces what matches `pattern` (each match, or only the first) by `rewrite`.

    Patterns are those of RE2, with \p{L}, \pN, \P{Lu} and their like for the categories of Unicode
    but without its scripts, [[:alpha:]], and $ for the end of the text; those of Python's `re` work
    too. In `rewrite` \1 stands for the first group, \0 for the whole match. InvalidArgumentError
    for patterns that are invalid and groups that do not exist.

    >>> rt.strings.regex_replace("abc", "b", "x").numpy()
    b'axc'
    """
    return bind(  # type: ignore[no-any-return]
        replace_p, as_strings(input), as_strings(pattern), as_strings(rewrite),
        replace_global=bool(replace_global),
    )  # fmt: skip


def regex_full_match(input: Any, pattern: Any, name: str | None = None) -> Tensor:
    """Whether the whole string matches `pattern`, as in `regex_replace`.

    >>> bool(rt.strings.regex_full_match("ab", "a."))
    True
    """
    return bind(match_p, as_strings(input), as_strings(pattern))  # type: ignore[no-any-return]
