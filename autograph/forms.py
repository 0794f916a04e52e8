"""The forms in which a function is converted."""

from __future__ import annotations

from enum import Enum


class Form(Enum):
    """The purpose of a conversion.

    PLAIN is what `convert` makes and what the command prints. STAGED is for a function that is
    being staged: `try` becomes blocks, too. ASKING is for one that is staged once more, since the
    first time Python itself has asked a staged value, or there were lists that the run chooses:
    besides, each comparison, and each read and assignment of an item, asks a backend, and each list
    is marked.
    """

    PLAIN = "plain"
    STAGED = "staged"
    ASKING = "asking"
