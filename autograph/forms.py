"""The forms in which a function is converted."""

from __future__ import annotations

from enum import Enum


class Form(Enum):
    """What a conversion is for.

    PLAIN is what `convert` makes and what the command prints. STAGED is for a function that is
    being staged: `try` becomes blocks, too. In MARKED, besides, each list that is made is marked:
    the backend refers to lists by their places.
    """

    PLAIN = "plain"
    STAGED = "staged"
    MARKED = "marked"
