"""The parameters of a Python function, and which argument goes to which of them."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from operator import is_
from types import FunctionType
from typing import Any

from runtime.staging.guarding.lookup import defaults_of

Arguments = tuple[tuple[Any, ...], dict[str, Any]]

_KEYWORD_ONLY = inspect.Parameter.KEYWORD_ONLY
_VARIADIC = inspect.Parameter.VAR_POSITIONAL
_OPTIONS = inspect.Parameter.VAR_KEYWORD


class Parameters:
    """The parameters of a Python function.

    Args:
        function: has the default values, which may be changed after it was made.
    """

    def __init__(
        self, signature: inspect.Signature, name: str, function: FunctionType | None = None
    ) -> None:
        self.name = name
        self._signature = signature
        self.defaults = None if function is None else Defaults(function)
        kinds = [parameter.kind for parameter in signature.parameters.values()]
        self.simple = all(
            kind in (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
            for kind in kinds
        )
        self.count = len(kinds)
        self.names = tuple(signature.parameters)
        pairs = list(zip(self.names, kinds, strict=True))
        self.keyword_only = {name for name, kind in pairs if kind is _KEYWORD_ONLY}
        self.rest = next((at for at, kind in enumerate(kinds) if kind is _VARIADIC), None)

    @property
    def signature(self) -> inspect.Signature:
        """The parameters, with the present default values."""
        if self.defaults is not None and not self.defaults.hold():
            self.defaults = self.defaults.now()
            self._signature = _with_defaults(self._signature, self.defaults.values)
        return self._signature

    def without_first(self) -> Parameters:
        """The parameters of a bound method."""
        rest = list(self.signature.parameters.values())
        if self.rest != 0:
            rest = rest[1:]
        function = None if self.defaults is None else self.defaults.function
        return Parameters(self.signature.replace(parameters=rest), self.name, function)

    def bind_partially(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Arguments:
        """The arguments by position as far as they were given; TypeError for others than there are
        parameters for.
        """
        if self.simple and not kwargs and len(args) <= self.count:
            return args, {}
        try:
            bound = self.signature.bind_partial(*args, **kwargs)
        except TypeError as error:
            raise self._refused(error) from None
        return bound.args, bound.kwargs

    def bind(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Arguments:
        """The arguments with defaults filled in, positional ones by position.

        Raises TypeError as a call of the function would.
        """
        if self.simple and not kwargs and len(args) == self.count:
            return args, {}
        try:
            bound = self.signature.bind(*args, **kwargs)
        except TypeError as error:
            raise self._refused(error) from None
        bound.apply_defaults()
        return bound.args, bound.kwargs

    def _refused(self, error: TypeError) -> TypeError:
        return TypeError(f"{self.name}(): {error} (parameters: {', '.join(self.names)})")

    def entries(self, input_signature: Sequence[Any]) -> dict[str, Any]:
        """The entries of an input_signature by the names of the arguments that they are for.

        Raises TypeError for more entries than there are parameters, and where a parameter has
        neither an entry nor a default.
        """
        if len(input_signature) > self.count and self.rest is None:
            raise TypeError(
                f"{self.name}(): its input_signature has {len(input_signature)} entries, for "
                f"{self.count} parameters"
            )
        for name in self.names[len(input_signature) :]:
            known = self.signature.parameters[name]
            if known.default is known.empty and known.kind not in (_VARIADIC, _OPTIONS):
                raise TypeError(
                    f"{self.name}(): its input_signature has no entry for argument {name!r}, which "
                    "has no default"
                )
        return {self.label(at): spec for at, spec in enumerate(input_signature)}

    def arranged(self, given: dict[str, Any]) -> Arguments:
        """Arguments by position as far as that may be, out of those by name."""
        options = {name: given[name] for name in given if name in self.keyword_only}
        return tuple([given[name] for name in given if name not in options]), options

    def default(self, name: str, expected: Any) -> Any:
        """The default of a parameter; TypeError where there is none."""
        known = self.signature.parameters.get(name)
        if known is None or known.default is known.empty:
            raise TypeError(f"{self.name}(): missing argument {name!r}: expected {expected}")
        return known.default

    def label(self, place: int) -> str:
        """The name of the parameter that a positional argument goes to."""
        if self.rest is None or place <= self.rest:
            return self.names[place]
        return f"{self.names[self.rest]}_{place - self.rest}"


class Defaults:
    """The default values of a function as they are now.

    They are others where `function.__defaults__` is not `positional`, or where there are
    `keyword_only` ones and they do not `hold`.
    """

    __slots__ = ("function", "keyword_only", "positional", "values")

    def __init__(self, function: FunctionType) -> None:
        self.function = function
        self.values = defaults_of(function)
        self.positional = function.__defaults__
        names = function.__code__.co_kwonlyargcount
        self.keyword_only = dict(function.__kwdefaults__ or {}) if names else None

    def now(self) -> Defaults:
        """Those of the same function now."""
        return Defaults(self.function)

    def hold(self) -> bool:
        """True if the function still has them."""
        if self.function.__defaults__ is not self.positional:
            return False
        if self.keyword_only is None:
            return True
        now, before = self.function.__kwdefaults__ or {}, self.keyword_only
        return list(now) == list(before) and all(map(is_, now.values(), before.values()))


def _with_defaults(signature: inspect.Signature, now: Mapping[str, Any]) -> inspect.Signature:
    return signature.replace(
        parameters=[
            known.replace(default=now.get(name, known.empty))
            for name, known in signature.parameters.items()
        ]
    )
