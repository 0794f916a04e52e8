"""The collector of cycles rests while much is imported, and goes on as it was."""

from __future__ import annotations

import gc
import threading
import weakref
from collections.abc import Iterator
from typing import Any

import pytest

from runtime.core.collector import paused


@pytest.fixture(autouse=True)
def collecting(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    # Tests before may have left a thread that waits for more to compile.
    before = threading.active_count() - 1
    monkeypatch.setattr(threading, "active_count", lambda: len(threading.enumerate()) - before)
    was = gc.isenabled()
    gc.enable()
    yield
    (gc.enable if was else gc.disable)()


def test_it_rests_within() -> None:
    with paused():
        assert not gc.isenabled()
        with paused():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()


def test_what_was_made_is_old_and_collected_in_the_end() -> None:
    class Node:
        me: Any = None

    with paused():
        made = Node()
        made.me = made
    assert any(each is made for each in gc.get_objects(generation=2))
    lost = weakref.ref(made)
    del made
    gc.collect(0)
    assert lost() is not None
    gc.collect()
    assert lost() is None


def test_what_the_user_has_frozen_stays_frozen() -> None:
    gc.freeze()
    try:
        count = gc.get_freeze_count()
        with paused():
            pass
        assert gc.get_freeze_count() == count
    finally:
        gc.unfreeze()


def test_it_goes_on_behind_an_error() -> None:
    with pytest.raises(ImportError), paused():
        raise ImportError
    assert gc.isenabled()


def test_it_stays_off_where_the_user_has_it_off() -> None:
    gc.disable()
    with paused():
        assert not gc.isenabled()
    assert not gc.isenabled()


def test_it_goes_on_beside_other_threads() -> None:
    """Another thread may fork: the child's would rest for ever."""
    done = threading.Event()
    other = threading.Thread(target=done.wait)
    other.start()
    try:
        with paused():
            assert gc.isenabled()
    finally:
        done.set()
        other.join()
