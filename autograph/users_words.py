"""The words that messages have for variables of generated code."""

from __future__ import annotations

import re
from collections.abc import Sequence

_GENERATED = {
    "retval": "the returned value",
    "did_return": "whether it has returned",
    "did_break": "whether it has broken off",
    "did_continue": "whether it goes on",
}
_NAME = r"(retval|did_return|did_break|did_continue)(?:_inner)*(?:_\d+)?"


def is_generated(name: str) -> bool:
    """True for a variable of generated code that holds what statements of the user's leave."""
    return re.fullmatch(_NAME, name) is not None


def in_users_words(message: str) -> str:
    """`message`, in which quoted names of generated variables are the words for what they hold.

    >>> from autograph.users_words import in_users_words
    >>> in_users_words("'retval' cannot be joined")
    'the returned value cannot be joined'
    """
    part = r"""(?P<quote>['"])""" + _NAME + r"""(?P<path>(?:[.\[].*?)?)(?P=quote)(?=[\s:,;)]|$)"""
    return re.sub(part, lambda found: _words(found[2], found["path"]), message)


_SHOWN = 8


def listed(texts: Sequence[str]) -> str:
    """The first of what may be many, and how many more there are.

    >>> from autograph.users_words import listed
    >>> listed(["a", "b"]), listed("abcdefghijkl")
    ('a, b', 'a, b, c, d, e, f, g, h and 4 more')
    """
    more = len(texts) - _SHOWN
    return ", ".join(texts[:_SHOWN]) + (f" and {more} more" if more > 0 else "")


def _words(name: str, path: str) -> str:
    return f"{path} of {_GENERATED[name]}" if path else _GENERATED[name]


def with_article(name: str) -> str:
    """The name of a class, or the words for a value, behind an article where they need one.

    >>> from autograph.users_words import with_article
    >>> with_article("IndexError"), with_article("set"), with_article("one of 'a', 'b'")
    ('an IndexError', 'a set', "one of 'a', 'b'")
    """
    if name.startswith(("the ", "no ", "one of ")) or name[:1].isdigit():
        return name
    return f"{'an' if name[:1] in 'AEIOUaeiou' else 'a'} {name}"
