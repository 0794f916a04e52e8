"""The parameters of a `@function`, as `function_spec` tells them."""

from __future__ import annotations

import inspect
from inspect import FullArgSpec, Parameter, Signature
from typing import Any

from runtime import nest
from runtime.core.dataclasses import dataclass

_POSITIONAL = Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD


@dataclass(frozen=True)
class FunctionSpec:
    """The parameters of a function.

    Attributes:
        function_type: its parameters, with their default values.
        input_signature: the declared one, or None.
        jit_compile: what the decorator was given.
        is_pure: False, for a call may do more than its result shows.

    >>> @rt.function
    ... def power(x, n=2):
    ...     return x ** n
    >>> power.function_spec.arg_names, power.function_spec.default_values
    (['x', 'n'], {'n': 2})
    """

    function_type: Signature
    input_signature: tuple[Any, ...] | None
    jit_compile: bool | None
    is_pure: bool = False

    @property
    def arg_names(self) -> list[str]:
        """The names of the parameters that may be given by position."""
        return [each.name for each in self._parameters(*_POSITIONAL)]

    @property
    def default_values(self) -> dict[str, Any]:
        """The default values by the names of their parameters."""
        return _defaults(list(self.function_type.parameters.values()))

    @property
    def flat_input_signature(self) -> tuple[Any, ...]:
        """The declared signature in one tuple; (None,) where there is none."""
        return tuple(nest.flatten(self.input_signature))

    @property
    def fullargspec(self) -> FullArgSpec:
        """The result of `inspect.getfullargspec`, without annotations."""
        defaults = _defaults(self._parameters(*_POSITIONAL))
        by_keyword = self._parameters(Parameter.KEYWORD_ONLY)
        return FullArgSpec(
            self.arg_names,
            self._name_of(Parameter.VAR_POSITIONAL),
            self._name_of(Parameter.VAR_KEYWORD),
            tuple(defaults.values()) or None,
            [each.name for each in by_keyword],
            _defaults(by_keyword) or None,
            {},
        )

    def signature_summary(self, default_values: bool = False) -> str:
        """The parameters in words, a line each.

        >>> print(rt.function(lambda x: x).function_spec.signature_summary())
        Input Parameters:
          x (POSITIONAL_OR_KEYWORD): None
        Output Type:
          None
        Captures:
          None
        """
        declared = iter(self.input_signature or ())
        lines = ["Input Parameters:"]
        lines += [
            f"  {each.name} ({each.kind.name}): {next(declared, None)!r}"
            for each in self.function_type.parameters.values()
        ]
        lines += ["Output Type:", "  None", "Captures:", "  None"]
        if default_values:
            pairs = [f"  {name}: {value!r}" for name, value in self.default_values.items()]
            lines += ["Defaults:", *(pairs or ["  None"])]
        return "\n".join(lines)

    def _name_of(self, kind: Any) -> str | None:
        return next((each.name for each in self._parameters(kind)), None)

    def _parameters(self, *kinds: Any) -> list[Parameter]:
        return [each for each in self.function_type.parameters.values() if each.kind in kinds]


def _defaults(parameters: list[Parameter]) -> dict[str, Any]:
    empty = inspect.Parameter.empty
    return {each.name: each.default for each in parameters if each.default is not empty}
