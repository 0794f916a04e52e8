"""String and f-string literals that read back equal."""

from __future__ import annotations

import re
import sys

Part = tuple[str, str]  # of an f-string: literal text, and text of a field; one of them is empty


_NESTED_QUOTES = sys.version_info >= (3, 12)  # f-strings whose expressions may hold any string


def string_literal(value: str) -> str:
    return triple_quoted(value) if _has_lines(value) else repr(value)


def _has_lines(value: str) -> bool:
    return len(value) > 40 and "\n" in value.strip("\n")


def triple_quoted(value: str) -> str:
    text = re.sub(r'"""|"\Z', lambda quotes: '\\"' * len(quotes[0]), _escaped(value, "\n"))
    return f'"""{text}"""'


def _escaped(text: str, kept: str) -> str:
    return "".join(char if char in kept else _ESCAPES.get(char) or _printed(char) for char in text)


def _printed(char: str) -> str:
    return char if char.isprintable() else repr(char)[1:-1]


_ESCAPES = {"\\": "\\\\"}


def f_string(values: list[list[Part]], prefix: str = "f") -> str:
    """An f-string; several next to each other where no kind of quotes suits all its fields. With
    the prefix `t`, a t-string.
    """
    strings: list[str] = []
    pending: list[Part] = []
    for parts in values:
        if pending and _quotes([*pending, *parts]) is None:
            strings.append(_quoted(pending, prefix))
            pending = []
        pending += parts
    return " ".join([*strings, _quoted(pending, prefix)])


def _quoted(parts: list[Part], prefix: str) -> str:
    quotes = _quotes(parts)
    if quotes is None:
        raise ValueError(f"no f-string of this Python can hold {parts[0][1]}")
    kept = "\n" if len(quotes) == 3 else ""
    text = "".join(_f_string_literal(literal, kept, quotes) + field for literal, field in parts)
    return f"{prefix}{quotes}{text}{quotes}"


def _f_string_literal(literal: str, kept: str, quotes: str) -> str:
    text = _escaped(literal, kept).replace("{", "{{").replace("}", "}}")
    return text.replace(quotes[0], "\\" + quotes[0])


def _quotes(parts: list[Part]) -> str | None:
    """The quotes that suit the fields and need the fewest escapes; None if there are none."""
    literals, fields = ("".join(texts) for texts in zip(("", ""), *parts, strict=True))
    if "\\" in fields and not _NESTED_QUOTES:
        return None
    choices = _QUOTES[2:] if _has_lines(literals) or "\n" in fields else _QUOTES
    free = [quotes for quotes in choices if quotes not in fields]
    fallback = free or choices[:_NESTED_QUOTES]
    return next((quotes for quotes in free if quotes not in literals), next(iter(fallback), None))


_QUOTES = ["'", '"', '"""', "'''"]
