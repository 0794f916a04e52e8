"""Patterns of `match`: who decides them, and what they bind."""

from __future__ import annotations

from typing import Any

import gast

from autograph.analysis.scopes import suspends


def is_left_to_python(node: Any) -> bool:
    """Whether a guard of a `match` suspends the function, so that no block can hold it."""
    return any(case.guard is not None and suspends(case.guard) for case in node.cases)


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
