"""What random programs may be refused for while staging: limits of `docs/limits.md`, as data.

A random program that is refused for any other reason is a failure. Each entry is the beginning of a
limit's heading, and a pattern that the refusal's message contains.
"""

import re

LIMITS: dict[str, str] = {
    "An exit of one kind in a `finally`": "would be raised at run time, past the `try`",
    "`with` around what may be raised at run time": "raised at run time, past the `with`",
    "What cannot be left": "may be raised at run time, past the `try` around",
    "A function that calls itself as often": "is a graph of its own, which may raise",
    "The text of an error that only the run raises": r"(what|that) only the run (knows|raises)",
    "A list, dict or object that a staged value chooses": "one of several objects, which the run",
    "A list, dict or object that one path changes in place": "is changed in place on one path, and",
    "A tensor that may be another one": "which may be the same tensor, or share its rows",
}


def refused_by(error: Exception) -> str | None:
    """The limit that allows this refusal."""
    return next((row for row, pattern in LIMITS.items() if re.search(pattern, str(error))), None)
