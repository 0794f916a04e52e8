r"""Patterns in the syntax of RE2, which TensorFlow's are, as patterns of Python's `re`.

Where both read a pattern otherwise, it is written anew:

- \pN, \p{Lu}, \P{L}, \p{^L}: characters by their Unicode category, which `re` has no classes for.
  They become ranges, which `unicodedata` tells: no table of our own, and so no scripts, of which it
  knows none.
- [[:alpha:]]: classes within sets.
- $ is the end of the text, without (?m), and so is \z; \Q and \E enclose plain text.
- \d, \w, \s, \b are those of ASCII, \s without \v, while (?i) is about all letters; \B is where \b
  is not, in an empty text too.
- \x{10FFFF} is a character by its number; {,2} is plain text, and no number of repetitions.
"""

from __future__ import annotations

import itertools
import re
import sys
import unicodedata
from functools import cache
from typing import Any

Ranges = tuple[tuple[int, int], ...]

_LAST = sys.maxunicode
_PARTS = re.compile(
    r"\\([pP])(\{\^?\w*\}|.)"  # by category
    r"|\[:(\^?\w+):\]"  # by name
    r"|\\Q(.*?)(?:\\E|$)"  # plain text
    r"|\\x\{([0-9a-fA-F]+)\}"  # by number
    r"|\\.|\[\^?\]?|\]|\$|\(\?[a-zA-Z-]*|\{(?=,)",
    re.DOTALL,
)
_LETTERS, _DIGITS = "A-Za-z", "0-9"
_NAMED = {
    "alnum": _DIGITS + _LETTERS, "alpha": _LETTERS, "ascii": r"\x00-\x7f", "blank": r"\t ",
    "cntrl": r"\x00-\x1f\x7f", "digit": _DIGITS, "graph": "!-~", "lower": "a-z", "print": " -~",
    "punct": r"!-/:-@\[-`{-~", "space": r"\t-\r ", "upper": "A-Z", "word": _DIGITS + _LETTERS + "_",
    "xdigit": _DIGITS + "A-Fa-f",
}  # fmt: skip
_ESCAPED = {"d": _DIGITS, "w": _DIGITS + _LETTERS + "_", "s": r"\t\n\f\r "}


class UnknownClass(ValueError):
    """A class that has no category's name, or a character that there is not."""


@cache
def _categories() -> dict[str, Ranges]:
    """The ranges of each category, of one letter and of two."""
    found: dict[str, list[tuple[int, int]]] = {}
    start = 0
    for name, run in itertools.groupby(map(unicodedata.category, map(chr, range(_LAST + 1)))):
        end = start + sum(1 for _ in run)
        found.setdefault(name, []).append((start, end - 1))
        found.setdefault(name[0], []).append((start, end - 1))
        start = end
    return {name: _joined(ranges) for name, ranges in found.items()}


def _joined(ranges: list[tuple[int, int]]) -> Ranges:
    made = ranges[:1]
    for low, high in ranges[1:]:
        if low == made[-1][1] + 1:
            made[-1] = made[-1][0], high
        else:
            made.append((low, high))
    return tuple(made)


def _others(ranges: Ranges) -> Ranges:
    ends = [-1, *itertools.chain(*ranges), _LAST + 1]
    pairs = zip(ends[::2], ends[1::2], strict=True)
    return tuple((low + 1, high - 1) for low, high in pairs if low + 1 < high)


def _text_of(ranges: Ranges) -> str:
    return "".join(f"\\U{low:08x}-\\U{high:08x}" for low, high in ranges)


@cache
def _by_category(letter: str, name: str) -> str:
    """The inside of the set of characters that a class stands for."""
    plain = name.strip("{}")
    is_negated = plain.startswith("^") != (letter == "P")
    plain = plain.removeprefix("^")
    ranges: Ranges | None = ((0, _LAST),) if plain == "Any" else _categories().get(plain)
    if ranges is None:
        raise UnknownClass(
            f"\\{letter}{name} is no category of Unicode such as \\p{{L}} or \\p{{Lu}}; of scripts "
            "nothing is known here, write their range: [\\u0370-\\u03ff]"
        )
    return _text_of(_others(ranges) if is_negated else ranges)


@cache
def _all_but(inside: str) -> str:
    """The inside of the set of all characters that are not in that of ASCII ones."""
    matches = re.compile(f"[{inside}]").match
    return _text_of(_others(_joined([(i, i) for i in range(128) if matches(chr(i))])))


def _by_name(name: str) -> str:
    inside = _NAMED.get(name.removeprefix("^"))
    if inside is None:
        raise UnknownClass(f"[:{name}:] is no class; it is one of {', '.join(_NAMED)}")
    return _all_but(inside) if name.startswith("^") else inside


def _by_number(digits: str) -> str:
    number = int(digits, 16)
    if number > _LAST:
        raise UnknownClass(f"\\x{{{digits}}} is no character: the last one is \\x{{{_LAST:x}}}")
    return f"\\U{number:08x}"


def as_python(pattern: str) -> str:
    """The pattern for Python's `re`, without flags. UnknownClass for what there is not."""
    is_inside = is_multiline = False

    def replaced(match: re.Match[str]) -> Any:
        nonlocal is_inside, is_multiline
        text = match[0]
        if match[1]:
            return _set(_by_category(match[1], match[2]), is_inside)
        if match[3]:
            return _by_name(match[3]) if is_inside else text
        if match[4] is not None:
            return re.escape(match[4])
        if match[5]:
            return _by_number(match[5])
        if text == "{":
            return r"\{"
        if text[0] == "[":
            opens, is_inside = not is_inside, not is_inside or text[-1] != "]"
            # One within a set is itself.
            return text if opens else "\\" + text
        if text == "]":
            is_inside = False
        elif text[0] == "(" and not is_inside:
            is_multiline = is_multiline or "m" in text.partition("-")[0]
        elif text == "$" and not is_inside:
            return text if is_multiline else r"\Z"
        elif text[0] == "\\":
            return _escape(text, is_inside)
        return text

    return _PARTS.sub(replaced, pattern)


def _escape(text: str, is_inside: bool) -> str:
    letter = text[1]
    if letter in "dws":
        return _set(_ESCAPED[letter], is_inside)
    if letter in "DWS":
        return _set(_all_but(_ESCAPED[letter.lower()]), is_inside)
    if letter in "bB" and not is_inside:
        return (
            r"(?a:\b)" if letter == "b" else r"(?!(?a:\b))"
        )  # before 3.14, \B is in no empty text
    return r"\Z" if letter == "z" and not is_inside else text


def _set(inside: str, is_inside: bool) -> str:
    # An empty set is what no character is in.
    return inside if is_inside else f"[{inside}]" if inside else "(?!)"
