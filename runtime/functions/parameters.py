"""The parameters of a Python function, and which argument goes to which of them."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

Arguments = tuple[tuple[Any, ...], dict[str, Any]]

_KEYWORD_ONLY = inspect.Parameter.KEYWORD_ONLY
_VARIADIC = inspect.Parameter.VAR_POSITIONAL
_OPTIONS = inspect.Parameter.VAR_KEYWORD


class Parameters:
    """The parameters of a Python function."""

    def __init__(self, signature: inspect.Signature, name: str) -> None:
        self.name = name
        self.signature = signature
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

    def without_first(self) -> Parameters:
        """The parameters of a bound method."""
        rest = list(self.signature.parameters.values())[1:]
        return Parameters(self.signature.replace(parameters=rest), self.name)

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
