"""Signatures as text: `repr` of a trace names each argument, with its type or its value."""

from __future__ import annotations

import collections
import dataclasses
import inspect
import math
from typing import Any, NamedTuple

import numpy as np
import pytest

import runtime as rt
from runtime.functions.function import function


class Point(NamedTuple):
    x: Any
    y: Any


@dataclasses.dataclass
class Model:
    weight: Any
    name: str = "m"

    def __repr__(self) -> str:
        raise AssertionError("a class's own text may compute with its tensors")


class Settings:
    def plus(self, x: Any) -> Any:
        return x


SETTINGS, VARIABLE = Settings(), rt.Variable(1.0)
VECTOR = rt.constant([1.0, 2.0])
TEXTS = [
    (VECTOR, "x: float32[2]"),
    (np.zeros([2, 0]), "x: float64[2,0]"),
    (rt.TensorSpec([None, 3]), "x: float32[?,3]"),
    (rt.TensorSpec(None, rt.int32, name="other"), "x: int32[*]"),
    (3, "x=3"),
    (-0.0, "x=-0.0"),
    (True, "x=True"),
    (None, "x=None"),
    ("mode", "x='mode'"),
    ("m" * 100, "x='" + "m" * 56 + "..."),
    (rt.float32, "x=tf.float32"),
    (slice(1, None), "x=slice(1, None, None)"),
    ((1,), "x=(1,)"),
    ((), "x=()"),
    ([], "x=[]"),
    ([VECTOR, (1, VECTOR)], "x=[float32[2], (1, float32[2])]"),
    ({"a": VECTOR, 2: None}, "x={'a': float32[2], 2: None}"),
    (collections.defaultdict(list, a=1), "x={'a': 1}"),
    (Point(VECTOR, 2), "x=Point(x=float32[2], y=2)"),
    (Model(VECTOR), "x=Model(weight=float32[2], name='m')"),
    (math.sqrt, "x=<built-in function sqrt>"),
    (np.testing.assert_equal, "x=<function assert_equal>"),
    (rt.TensorArray(rt.float32, 2, element_shape=[3]), "x=TensorArray(elements=list[float32[3]])"),
    (SETTINGS, "x=<an object of class Settings>"),
    (SETTINGS.plus, "x=<method Settings.plus>"),
    (VARIABLE, "x=<variable 'Variable:0' float32[]>"),
]


def ignoring(x: Any) -> Any:
    return rt.constant(1)


@pytest.mark.parametrize(("argument", "text"), TEXTS, ids=[text for _, text in TEXTS])
def test_an_argument(argument: Any, text: str) -> None:
    concrete = function(ignoring).get_concrete_function(argument)
    assert repr(concrete) == f"<ConcreteFunction ignoring({text})>"


def many(x: Any, n: int = 2, *rest: Any, flag: bool, **options: Any) -> Any:
    return x


def test_every_argument_is_named() -> None:
    staged = function(many)
    staged(VECTOR, flag=True)
    staged(VECTOR, 1, 3, 4, flag=False, zz=VECTOR)
    assert staged.pretty_printed_concrete_signatures(verbose=False).splitlines() == [
        "<ConcreteFunction many(x: float32[2], n=2, flag=True)>",
        "<ConcreteFunction many(x: float32[2], n=1, rest=3, rest_1=4, flag=False, zz: float32[2])>",
    ]


def test_an_object_that_is_gone() -> None:
    concrete = function(ignoring).get_concrete_function(Settings())
    assert repr(concrete) == "<ConcreteFunction ignoring(x=<an object that is gone>)>"


def test_a_method() -> None:
    class Layer:
        @rt.function
        def call(self, x: Any, n: int) -> Any:
            return x

    layer = Layer()
    assert repr(layer.call.get_concrete_function(VECTOR, 1)) == (
        "<ConcreteFunction call(x: float32[2], n=1)>"
    )


SPEC = "TensorSpec(shape=(2,), dtype=tf.float32, name=None)"


def two(x: Any, n: Any = None, *, flag: Any) -> Any:
    return VECTOR * x["a"], {"b": x["a"], "n": 3}, None


def test_a_signature_as_tensorflow_prints_it() -> None:
    """The second opinion is TensorFlow 2.21, which names captures by numbers that vary."""
    staged = function(two)
    staged({"a": VECTOR}, flag=Point("s", [VECTOR, (1, VECTOR)]))
    staged({"a": VECTOR}, 1.5, flag=True)
    outputs = (
        f"Tuple[{SPEC}, Dict[['b', {SPEC}], "
        "['n', TensorSpec(shape=(), dtype=tf.int32, name=None)]], Literal[None]]"
    )
    ends = f"Output Type:\n  {outputs}\nCaptures:\n  captured: {SPEC}"
    assert staged.pretty_printed_concrete_signatures() == (
        "Input Parameters:\n"
        f"  x (POSITIONAL_OR_KEYWORD): Dict[['a', {SPEC}]]\n"
        "  n (POSITIONAL_OR_KEYWORD): Literal[None]\n"
        f"  flag (KEYWORD_ONLY): Point[['x', Literal['s']], "
        f"['y', List[{SPEC}, Tuple[Literal[1], {SPEC}]]]]\n"
        f"{ends}\n\n"
        "Input Parameters:\n"
        f"  x (POSITIONAL_OR_KEYWORD): Dict[['a', {SPEC}]]\n"
        "  n (POSITIONAL_OR_KEYWORD): Literal[1.5]\n"
        "  flag (KEYWORD_ONLY): Literal[True]\n"
        f"{ends}"
    )


def test_a_signature_of_nothing() -> None:
    concrete = function(lambda: None).get_concrete_function()
    assert concrete.pretty_printed_signature() == (
        "Input Parameters:\nOutput Type:\n  Literal[None]\nCaptures:\n  None"
    )


def several(a: Any, b: Any = 3, /, *rest: Any, c: Any = 2.0, d: Any, **more: Any) -> Any:
    return a


def test_what_a_function_takes() -> None:
    spec = function(several).function_spec
    wanted = inspect.getfullargspec(several)._replace(annotations={})
    assert spec.fullargspec == wanted
    assert spec.arg_names == wanted.args
    assert spec.default_values == {"b": 3, "c": 2.0}
    assert spec.function_type == inspect.signature(several)
    assert (spec.input_signature, spec.flat_input_signature) == (None, (None,))
    assert spec.signature_summary(default_values=True).endswith("Defaults:\n  b: 3\n  c: 2.0")


def test_what_a_function_with_a_signature_takes() -> None:
    declared = rt.TensorSpec((2,), rt.float32)
    spec = function(ignoring, input_signature=[declared], jit_compile=True).function_spec
    assert (spec.input_signature, spec.jit_compile, spec.is_pure) == ((declared,), True, False)
    assert spec.signature_summary() == (
        f"Input Parameters:\n  x (POSITIONAL_OR_KEYWORD): {SPEC}\n"
        "Output Type:\n  None\nCaptures:\n  None"
    )


def test_what_a_method_takes() -> None:
    class Layer:
        @rt.function
        def call(self, x: Any, n: int = 4) -> Any:
            return x

    spec = Layer().call.function_spec
    assert (spec.arg_names, spec.default_values) == (["x", "n"], {"n": 4})
