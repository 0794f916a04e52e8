"""Functions by which a saved model is served: of tensors by name, that give a dict of tensors."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from runtime import nest
from runtime.core.shapes import TensorSpec
from runtime.core.tensor import Tensor
from runtime.functions.concrete_function import ConcreteFunction, Unsized
from runtime.functions.polymorphic_function import Function
from runtime.functions.restored_function import RestoredFunction
from runtime.functions.signatures import Reference

DEFAULT = "serving_default"


def exported(signatures: Any) -> dict[str, Function[..., Any]]:
    """The functions to be saved, by their names.

    ValueError for one without an input_signature, for what is no function, for arguments that are
    objects of Python's, and for results that are no tensors.
    """
    given = signatures if isinstance(signatures, Mapping) else {DEFAULT: signatures}
    return {name: _by_name(name, function) for name, function in given.items()}


def served_alone(functions: Iterable[Any]) -> dict[str, Function[..., Any]]:
    """The signature that a model without others is served by: of the one of its functions that has
    an input_signature and gives tensors; none where there are several, or none.
    """
    with_signature = [
        each
        for each in functions
        if isinstance(each, Function)
        and each.input_signature is not None
        and _gives_tensors(each.get_concrete_function().structured_outputs)
    ]
    return {DEFAULT: with_signature[0]} if len(with_signature) == 1 else {}


def _gives_tensors(results: Any) -> bool:
    if isinstance(results, Mapping) and not all(isinstance(key, str) for key in results):
        return False
    parts = results.values() if isinstance(results, Mapping) else nest.flatten(results)
    return bool(parts) and all(isinstance(part, TensorSpec) for part in parts)


def _by_name(name: str, function: Any) -> Function[..., Any]:
    concrete = _concrete(name, function)
    given = concrete.structured_input_signature
    leaves = nest.flatten(given)
    if any(isinstance(leaf, Reference) for leaf in leaves):
        raise ValueError(f"the signature {name!r} has arguments that are no tensors: {given}")
    for part in nest.flatten(concrete.structured_outputs):
        if isinstance(part, Unsized):
            raise ValueError(f"the signature {name!r} gives a {part!r}, which is no tensor")
    named = [
        TensorSpec(leaf.shape, leaf.dtype, leaf.name or f"arg_{at}")
        for at, leaf in enumerate(leaves)
        if isinstance(leaf, TensorSpec)
    ]

    def served(*tensors: Any) -> Any:
        # Numbers and texts among the arguments are part of the trace.
        rest = iter(tensors)
        items = [next(rest) if isinstance(leaf, TensorSpec) else leaf for leaf in leaves]
        args, kwargs = nest.pack_sequence_as(given, items)
        return _named(name, concrete(*args, **kwargs))

    return Function(served, input_signature=named)


def _concrete(name: str, function: Any) -> ConcreteFunction:
    if isinstance(function, ConcreteFunction):
        return function
    if not isinstance(function, Function | RestoredFunction):
        raise ValueError(f"the signature {name!r} is no function of tf.function: {function!r}")
    if isinstance(function, Function) and function.input_signature is None:
        raise ValueError(
            f"the signature {name!r} needs an input_signature, or be what get_concrete_function() "
            "gives for specs of its arguments"
        )
    return function.get_concrete_function()


def _named(name: str, results: Any) -> dict[str, Tensor]:
    if isinstance(results, Mapping):
        found = dict(results)
    else:
        parts = [] if results is None else nest.flatten(results)
        found = {f"output_{at}": part for at, part in enumerate(parts)}
    for key, part in found.items():
        if not isinstance(key, str) or not isinstance(part, Tensor):
            raise ValueError(f"the signature {name!r} gives {key!r}: {part!r}, which is no tensor")
    return found


class Signature:
    """A function of tensors by name, that was loaded."""

    def __init__(self, function: RestoredFunction) -> None:
        (self._concrete,) = function.concrete_functions
        specs = nest.flatten(self._concrete.structured_input_signature)
        self._specs = {spec.name: spec for spec in specs}

    @property
    def structured_input_signature(self) -> Any:
        """No positional arguments, and the specs of those by name."""
        return (), dict(self._specs)

    @property
    def structured_outputs(self) -> Any:
        """The specs of the results by name."""
        found = self._concrete.structured_outputs
        return {key: TensorSpec(spec.shape, spec.dtype, key) for key, spec in found.items()}

    @property
    def graph(self) -> Any:
        """Its graph."""
        return self._concrete.graph

    @property
    def variables(self) -> tuple[Any, ...]:
        """The variables of the loaded model that its graph uses."""
        return self._concrete.variables

    @property
    def trainable_variables(self) -> tuple[Any, ...]:
        """Those of its variables that tapes watch."""
        return self._concrete.trainable_variables

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the graph for tensors by name; one alone may stand without its name.

        TypeError for missing and other names, and for tensors that do not fit.
        """
        if len(args) == 1 and len(self._specs) == 1:
            kwargs = dict.fromkeys(self._specs, args[0]) | kwargs
        elif args:
            raise TypeError(f"a signature takes its arguments by name: {', '.join(self._specs)}")
        if kwargs.keys() != self._specs.keys():
            raise TypeError(
                f"the signature takes {', '.join(self._specs)}, but got {', '.join(kwargs)}"
            )
        return self._concrete(*[kwargs[name] for name in self._specs])


class Signatures(Mapping[str, Signature]):
    """The signatures of a loaded model, by their names."""

    def __init__(self, functions: Mapping[str, RestoredFunction]) -> None:
        self._found = {name: Signature(function) for name, function in functions.items()}

    def __getitem__(self, name: str) -> Signature:
        return self._found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)

    def __repr__(self) -> str:
        return f"_SignatureMap({self._found})"
