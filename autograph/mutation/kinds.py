"""Kinds of mutable objects: how to remember, compare and bring back what each holds.

Nothing here runs code of the user's: state is read and written below overridden methods.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from operator import is_
from typing import Any

from autograph.mutation.paths import NO_PARTS, Difference, Part, as_item, as_itself
from autograph.objects import MISSING, namespace_of


class Kind:
    """One kind of state that objects have. This base looks through what cannot change itself."""

    def __init__(self, held: Callable[[Any], Iterable[Part]] = lambda value: ()) -> None:
        self._held = held

    def key(self, value: Any) -> Any:
        """A key that tells this state of this object from all others."""
        return id(value), self

    def size(self, value: Any) -> int:
        """The number of elements that are remembered."""
        return 1

    def bytes(self, value: Any) -> int:
        """The size of a copy in bytes, where one is made."""
        return 0

    def take(self, value: Any) -> Any:
        """Returns what is needed to compare and to bring back."""
        return None

    def parts(self, value: Any, state: Any) -> Iterable[Part]:
        """The objects held, with their paths from here."""
        return self._held(value)

    def same(self, value: Any, state: Any) -> bool:
        """Whether nothing has changed."""
        return True

    def differences(self, value: Any, state: Any) -> Iterator[Difference]:
        """Yields each change: style and key of the path from here, what was there, and what is."""
        yield from ()

    def put(self, value: Any, state: Any) -> None:
        """Bring `state` back."""

    def holder(self, value: Any) -> Any:
        """The object that is different where this state is."""
        return value

    def is_fixed(self, key: Any) -> bool:
        """Whether Python itself reads what is under a key, so that it is the same on all paths."""
        return False


class SingleKind(Kind):
    """State that is one value."""

    def same(self, value: Any, state: Any) -> bool:
        return self.take(value) is state

    def differences(self, value: Any, state: Any) -> Iterator[Difference]:
        yield as_itself, None, state, self.take(value)


class KeyedKind(Kind):
    """State that is a dict of names or keys."""

    style = as_item

    def parts(self, value: Any, state: dict[Any, Any]) -> Iterable[Part]:
        if NO_PARTS.issuperset(map(type, state.values())):
            return ()
        style = type(self).style
        return [(style, key, child) for key, child in state.items() if type(child) not in NO_PARTS]

    def same(self, value: Any, state: dict[Any, Any]) -> bool:
        now = self.take(value)
        return (
            len(now) == len(state)
            and all(map(is_, state, now))
            and all(map(is_, state.values(), now.values()))
        )

    def differences(self, value: Any, state: dict[Any, Any]) -> Iterator[Difference]:
        now = self.take(value)
        for key in {**state, **now}:
            before, after = state.get(key, MISSING), now.get(key, MISSING)
            if before is not after:
                yield type(self).style, key, before, after
        if now.keys() == state.keys() and not all(map(is_, state, now)):
            yield as_itself, None, list(state), list(now)  # the same keys in another order


class NamespaceKind(KeyedKind):
    """The entries of a dict, or the attributes of an object: one state where the dict is that of
    the object, under whichever name it is met first.
    """

    def key(self, value: Any) -> Any:
        namespace = namespace_of(value)
        return super().key(value) if namespace is None else namespace_key(namespace)


def namespace_key(namespace: dict[str, Any]) -> Any:
    """The key of the state of an object, or a module, that has this `__dict__`."""
    return id(namespace), dict
