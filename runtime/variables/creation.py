"""The creation of variables: scopes of creators, synchronization and aggregation."""

from __future__ import annotations

import enum
import functools
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar


class VariableSynchronization(enum.Enum):
    """The time at which copies of a variable are brought together. One process keeps one copy, so
    that this changes nothing.

    >>> rt.Variable(1., synchronization=rt.VariableSynchronization.ON_READ).trainable
    False
    """

    AUTO = 0
    NONE = 1
    ON_WRITE = 2
    ON_READ = 3


class VariableAggregation(enum.Enum):
    """The way in which copies of a variable are combined. One process keeps one copy, so that this
    changes nothing.

    >>> rt.Variable(1., aggregation=rt.VariableAggregation.SUM).aggregation
    <VariableAggregation.SUM: 1>
    """

    NONE = 0
    SUM = 1
    MEAN = 2
    ONLY_FIRST_REPLICA = 3


Creator = Callable[..., Any]
Made = TypeVar("Made")


class Creations:
    """The variables that a trace of a function creates: whether they are `allowed`, how many were
    `made`, whether the creation of one has `failed`. `place` is the kind of the branch or body of a
    loop that created one; `streams` are the sequences of its random numbers.
    """

    def __init__(self, allowed: bool, streams: dict[Any, Any] | None = None) -> None:
        self.allowed = allowed
        self.made = 0
        self.failed = False
        self.place: str | None = None
        self.streams = {} if streams is None else streams


class _Active(threading.local):
    def __init__(self) -> None:
        self.creations: tuple[Creations, ...] = ()


active = _Active()
"""The creations of the traces that are being made on this thread, the outer one first."""


class _Creators(threading.local):
    def __init__(self) -> None:
        self.active: tuple[Creator, ...] = ()


_creators = _Creators()


@contextmanager
def variable_creator_scope(variable_creator: Creator) -> Iterator[None]:
    """Inside this block `variable_creator(next_creator, **kwargs)` makes the variables.

    It is given all arguments of `Variable` by name and usually calls `next_creator(**kwargs)`,
    changed or not. Of nested scopes the inner one is asked first.

    >>> def doubled(create, **options):
    ...     return create(**options | {"initial_value": 2 * options["initial_value"]})
    >>> with rt.variable_creator_scope(doubled):
    ...     v = rt.Variable(4.)
    >>> float(v)
    8.0
    """
    before = _creators.active
    _creators.active = (*before, variable_creator)
    try:
        yield
    finally:
        _creators.active = before


class Creation(type):
    """The class of classes of variables: a call asks the active creators."""

    def __call__(cls: type[Made], *args: Any, **kwargs: Any) -> Made:
        creators = _creators.active
        # Creators make variables of the class itself, of which subclasses of the user's may be.
        if not creators or isinstance(cls.__base__, Creation):
            return super().__call__(*args, **kwargs)  # type: ignore[misc, no-any-return]
        names = _DEFAULTS | dict(zip(_DEFAULTS, args, strict=False))
        create: Creator = super().__call__  # type: ignore[misc]
        for creator in creators:
            create = functools.partial(creator, create)
        return create(**names | kwargs)  # type: ignore[no-any-return]


_DEFAULTS: dict[str, Any] = {
    "initial_value": None,
    "trainable": None,
    "validate_shape": True,
    "caching_device": None,
    "name": None,
    "variable_def": None,
    "dtype": None,
    "import_scope": None,
    "constraint": None,
    "synchronization": VariableSynchronization.AUTO,
    "aggregation": VariableAggregation.NONE,
    "shape": None,
    "experimental_enable_variable_lifting": True,
}
"""The parameters of `Variable`, in their order: creators are given all of them."""
