"""The sessions that are the default ones of a thread, and what they compute of parts of a graph."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from runtime.sessions.session import Session


class _Thread(threading.local):
    def __init__(self) -> None:
        self.sessions: tuple[Session, ...] = ()


thread = _Thread()


def get_default_session() -> Session | None:
    """The innermost session that is the default; None where there is none.

    >>> rt.compat.v1.get_default_session() is None
    True
    """
    return thread.sessions[-1] if thread.sessions else None


def evaluated(item: Any, feed_dict: Mapping[Any, Any] | None, session: Session | None) -> Any:
    """The value of a part of a graph in a session, by default the default one.

    Raises ValueError where there is none.
    """
    chosen = get_default_session() if session is None else session
    if chosen is None:
        raise ValueError(
            "Cannot evaluate tensor using `eval()`: No default session is registered. Use `with "
            "sess.as_default()` or pass an explicit session to `eval(session=sess)`"
        )
    return chosen.run(item, feed_dict)
