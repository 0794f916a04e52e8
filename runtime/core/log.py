"""The log of this library."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import logging


def get_logger() -> logging.Logger:
    """The logger that warnings go to: `logging.getLogger("runtime")`.

    >>> rt.get_logger().name
    'runtime'
    """
    import logging

    return logging.getLogger("runtime")
