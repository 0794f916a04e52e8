"""The signatures of functions, whatever their annotations are."""

from __future__ import annotations

import inspect
import sys
from typing import Any

if sys.version_info >= (3, 14):
    from annotationlib import Format

    # A name in an annotation may be one that only type checkers know.
    _FORMAT: dict[str, Any] = {"annotation_format": Format.FORWARDREF}
else:
    _FORMAT: dict[str, Any] = {}


def signature_of(function: Any) -> inspect.Signature:
    """Returns `inspect.signature(function)`; from Python 3.14 on without computing annotations."""
    return inspect.signature(function, **_FORMAT)
