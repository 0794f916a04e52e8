"""Functions out of files: the traces of one, of which a call runs one."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

from runtime import errors
from runtime.core.shapes import TensorSpec
from runtime.core.types import TensorType
from runtime.functions.concrete_function import ConcreteFunction
from runtime.functions.parameters import Arguments, Parameters
from runtime.functions.polymorphic_function import Function
from runtime.functions.shared_arguments import Shared
from runtime.functions.signatures import key_of, leaves_for
from runtime.graph.data import is_data
from runtime.graph.storage.decoding import Decoder, Json
from runtime.graph.storage.encoding import Encoder
from runtime.graph.storage.type_syntax import type_of, type_text
from runtime.graph.structures import structure_of
from runtime.staging.control.specs import Leaf, Maybe, Mismatch, Optional, Same, Spec, Tree, Union
from runtime.staging.guarding.guards import Guards, Reached
from runtime.staging.refusals import refuse


class RestoredFunction:
    """A function that was loaded: a call runs the graph that was saved for such arguments.

    `concrete_functions` are the traces, in the order in which they were made.
    """

    def __init__(
        self, parameters: Parameters, concrete_functions: Sequence[ConcreteFunction]
    ) -> None:
        self.name = self.__name__ = parameters.name
        self.concrete_functions = tuple(concrete_functions)
        self._parameters = parameters

    @property
    def parameters(self) -> Parameters:
        """The parameters of a call."""
        return self._parameters

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        """Run the graph for these arguments.

        Raises TypeError for arguments that the saved function would not take, ValueError for those
        that it had no trace for.
        """
        concrete, leaves = self._fitting(args, kwargs)
        return concrete.call_leaves(leaves)

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> ConcreteFunction:
        """The trace for these arguments, with TensorSpecs in the place of tensors; errors as those
        of a call.
        """
        return self._fitting(args, kwargs)[0]

    def _fitting(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[ConcreteFunction, list[Any]]:
        args, kwargs = self._parameters.bind(args, kwargs)
        key = key_of((args, kwargs))
        exact = [each for each in self.concrete_functions if _key(each) == key]
        for concrete in (*exact, *self.concrete_functions):
            signature, labels = concrete.structured_input_signature, concrete.labels
            try:
                return concrete, leaves_for(signature, labels, args, kwargs)
            except TypeError:
                continue
        known = "".join(f"\n  {each.signature_text}" for each in self.concrete_functions)
        raise ValueError(
            f"{self.name}() was saved without a trace for these arguments: "
            f"{', '.join(map(repr, (*args, *kwargs.values())))}; call it with such arguments "
            f"before saving it, or as one of these:{known or ' there is none'}"
        )

    def __repr__(self) -> str:
        return f"<RestoredFunction {self.name} of {len(self.concrete_functions)} traces>"


def _key(concrete: ConcreteFunction) -> Any:
    return key_of(concrete.structured_input_signature)


# Writing


def write_function(encoder: Encoder, function: Function[..., Any] | RestoredFunction) -> Json:
    """A function as JSON; its graphs go to the encoder."""
    if isinstance(function, RestoredFunction):
        parameters, made = function.parameters, list(function.concrete_functions)
    else:
        parameters, made = function.saved_parameters, function.saved_traces()
    entries = [
        [parameter.name, int(parameter.kind), _default(encoder, parameter)]
        for parameter in parameters.signature.parameters.values()
    ]
    traces = [write_trace(encoder, concrete) for concrete in made]
    return {"name": parameters.name, "parameters": entries, "traces": traces}


def _default(encoder: Encoder, parameter: inspect.Parameter) -> Json:
    # One that is no data must be given: where it was, the traces are for it.
    default = parameter.default
    known = default is not parameter.empty and is_data(default)
    return [encoder.data(default)] if known else None


def write_trace(encoder: Encoder, concrete: ConcreteFunction) -> Json:
    """A trace as JSON; its graph goes to the encoder."""
    if concrete.kept is not None:
        raise refuse(
            f"{concrete.name} changes objects from before its calls, which no file has",
            "keep what changes in a Variable",
        )
    if concrete.lost is not None or concrete.shared.written:
        raise errors.UnimplementedError(
            f"{concrete.name} cannot be saved: it assigns to items of its arguments",
            hint="let it assign to items of a copy: x = tf.identity(x)",
        )
    graph = encoder.graph(concrete.graph)
    args, kwargs = concrete.structured_input_signature
    shared = concrete.shared
    pairs = [list(map(list, shared.same)), list(map(list, shared.related))]
    return {
        "name": concrete.name,
        "graph": graph,
        "args": [_write_argument(encoder, item) for item in args],
        "kwargs": {name: _write_argument(encoder, item) for name, item in kwargs.items()},
        "labels": list(concrete.labels),
        "shared": [*pairs, shared.settled],
        "outputs": None if concrete.spec is None else _write_spec(encoder, concrete.spec),
    }


def _write_argument(encoder: Encoder, item: Any) -> Json:
    if isinstance(item, TensorSpec):
        return {"spec": str(TensorType(item.dtype, item.shape.dims)), "name": item.name}
    found = structure_of(item)
    if found is None:
        return {"value": encoder.data(item)}
    children = [_write_argument(encoder, child) for child in found[1]]
    return {"structure": encoder.structure(found[0]), "children": children}


def _write_spec(encoder: Encoder, spec: Spec) -> Json:
    if isinstance(spec, Leaf):
        return {"leaf": type_text(spec.type, encoder.residuals)}
    if isinstance(spec, Same):
        return {"same": encoder.data(spec.value)}
    if isinstance(spec, Tree):
        children = [_write_spec(encoder, child) for child in spec.children]
        return {"structure": encoder.structure(spec.structure), "children": children}
    if isinstance(spec, Union):
        return {"union": [_write_spec(encoder, kind) for kind in spec.kinds]}
    name = spec.name if isinstance(spec, Maybe) else None
    return {"optional": _write_spec(encoder, spec.inner), "name": name}


# Reading


def read_function(decoder: Decoder, entry: Json) -> RestoredFunction:
    """The opposite of `write_function`."""
    parameters = [
        inspect.Parameter(name, inspect._ParameterKind(kind), default=_read_default(decoder, known))
        for name, kind, known in entry["parameters"]
    ]
    signature = Parameters(inspect.Signature(parameters), entry["name"])
    return RestoredFunction(signature, [read_trace(decoder, each) for each in entry["traces"]])


def _read_default(decoder: Decoder, known: Json) -> Any:
    return inspect.Parameter.empty if known is None else decoder.data(known[0])


def read_trace(decoder: Decoder, entry: Json) -> ConcreteFunction:
    """The opposite of `write_trace`."""
    graph = decoder.graphs[entry["graph"]]
    args = tuple([_read_argument(decoder, item) for item in entry["args"]])
    kwargs = {name: _read_argument(decoder, item) for name, item in entry["kwargs"].items()}
    spec = None if entry["outputs"] is None else _read_spec(decoder, entry["outputs"])
    signature: Arguments = args, kwargs
    nothing = Guards((), Reached(()), {})
    made = ConcreteFunction(entry["name"], graph, spec, signature, entry["labels"], (), nothing)
    *pairs, settled = entry["shared"]
    same, related = (tuple([(a, b) for a, b in each]) for each in pairs)
    made.share(Shared(same=same, related=related, settled=settled), graph, None)
    made.reason = "it was loaded"
    return made


def _read_argument(decoder: Decoder, entry: Json) -> Any:
    if "value" in entry:
        return decoder.data(entry["value"])
    if "structure" in entry:
        children = [_read_argument(decoder, child) for child in entry["children"]]
        return decoder.structure(entry["structure"]).build(children)
    known = type_of(entry["spec"], ())
    assert isinstance(known, TensorType)
    return TensorSpec(known.shape, known.dtype, entry["name"])


def _read_spec(decoder: Decoder, entry: Json) -> Spec:
    if "leaf" in entry:
        return Leaf(type_of(entry["leaf"], ()))
    if "same" in entry:
        return Same(decoder.data(entry["same"]))
    if "structure" in entry:
        children = [_read_spec(decoder, child) for child in entry["children"]]
        return Tree(decoder.structure(entry["structure"]), tuple(children))
    if "union" in entry:
        kinds = tuple([_read_spec(decoder, kind) for kind in entry["union"]])
        return Union(kinds, Mismatch("they were so when the function was saved", "save it anew"))
    inner, name = _read_spec(decoder, entry["optional"]), entry["name"]
    return Optional(inner) if name is None else Maybe(inner, name)
