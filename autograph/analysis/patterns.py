"""Patterns of `match`: who decides them, and what they bind."""

from __future__ import annotations

from typing import Any

import gast

from autograph.analysis.scopes import suspends


def is_left_to_python(node: Any) -> bool:
    """Whether no staged value can decide a `match`: it compares with texts, or asks or waits."""
    if any(suspends(part) for case in node.cases for part in (case.pattern, case.guard) if part):
        return True
    return all(
        case.guard is None and all(map(_is_text_or_all, _alternatives(case.pattern)))
        for case in node.cases
    )


def _is_text_or_all(pattern: Any) -> bool:
    if isinstance(pattern, gast.MatchValue):
        return isinstance(getattr(pattern.value, "value", None), str | bytes)
    return isinstance(pattern, gast.MatchAs) and pattern.pattern is None


def _alternatives(pattern: Any) -> list[Any]:
    return pattern.patterns if isinstance(pattern, gast.MatchOr) else [pattern]


def takes_all(case: Any) -> bool:
    """Whether a case matches whatever comes."""
    pattern = case.pattern
    return case.guard is None and isinstance(pattern, gast.MatchAs) and pattern.pattern is None


def bound_in(pattern: Any) -> set[str]:
    """The names that a pattern binds."""
    parts: list[Any] = [part for part in gast.walk(pattern) if isinstance(part, _CAPTURES)]
    names = [part.rest if isinstance(part, gast.MatchMapping) else part.name for part in parts]
    return {name for name in names if name}


_CAPTURES = (gast.MatchAs, gast.MatchStar, gast.MatchMapping)
