"""Texts as expressions of generated code: they give what the functions of the templates give."""

from typing import Any

import numpy as np
import pytest

from runtime import dtypes
from runtime.core.convert import decoded, encoded
from runtime.core.types import ListType, TensorType, Type
from runtime.graph.executors.kernels import texts_of
from runtime.graph.nodes import BOOL, FLOAT, INT
from runtime.graph.templates import FUNCTIONS, PARTS, Slot, Written
from runtime.graph.text_ops import TEXT

STRING = TensorType(dtypes.string, ())
VECTOR = TensorType(dtypes.string, (None,))
INT32, TRUTH, HALF, SINGLE = (
    TensorType(each, ()) for each in (dtypes.int32, dtypes.bool, dtypes.float16, dtypes.float32)
)
NUMBER, SIGNED, WHETHER, WORD = Slot(INT), Slot(INT32), Slot(TRUTH), Slot(STRING)


def call(function: str, *children: Any, **keywords: Any) -> Written:
    return Written(function, (*children, *keywords.values()), tuple(keywords))


def spelled() -> Written:
    return call("spelled", WORD)


def string(text: str) -> Any:
    return np.array(encoded(text), object)


ADDED = call("str.__add__", spelled(), "{}")
WRITTEN: list[tuple[Written, Type, tuple[Any, ...], str]] = [
    (call("str", NUMBER), STRING, (-3,), "str(a)"),
    (call("repr", SIGNED), STRING, (np.int32(-3),), "repr(a)"),
    (call("ascii", WHETHER), STRING, (np.bool_(True),), "ascii(bool(a))"),
    (call("str", Slot(SINGLE)), STRING, (np.float32(0.1),), "str(float(a))"),
    (call("format", Slot(FLOAT), ".2f"), STRING, (1.005,), "format(a, '.2f')"),
    (ADDED, STRING, (string("é"),), "a + '{}'"),
    (call("str.__mul__", ADDED, NUMBER), STRING, (string("x"), 2),
     "(a + '{}') * b"),
    (call("str.upper", ADDED), STRING, (string("x"),), "(a + '{}').upper()"),
    (call("len", ADDED), INT, (string("abc"),), "len(a + '{}')"),
    (call("str.format", "{}{{x}}{k}", NUMBER, k=Slot(BOOL)), STRING, (1, True),
     "'{}{{x}}{k}'.format(a, k=b)"),
    (call("mod", "%d%%, %s", (NUMBER, spelled())), STRING, (5, string("x")),
     "'%d%%, %s' % (a, b)"),
    (call("mod", "%d", (NUMBER,)), STRING, (5,), "'%d' % (a,)"),
    (call("str.join", ", ", (call("str", NUMBER), "b")), STRING, (1,),
     "', '.join((str(a), 'b'))"),
    (call("chosen", NUMBER, "a", "{", "c"), STRING, (-2,), "'a{c'[a]"),
    (call("chosen", NUMBER, "ab", "c"), STRING, (1,), "('ab', 'c')[a]"),
    (call("chosen", NUMBER, "ab", spelled()), STRING, (1, string("x")),
     "('ab', b)[a]"),
    (call("item", spelled(), NUMBER), STRING, (string("abc"), -1), "a[b]"),
    (call("sliced", ADDED, None, NUMBER, -1), STRING, (string("abc"), 1),
     "(a + '{}')[:b:-1]"),
    (call("eq", call("eq", spelled(), "x"), call("contains", spelled(), "x")), BOOL,
     (string("x"), string("ax")), "(a == 'x') == ('x' in b)"),
    (call("ge", spelled(), "b"), BOOL, (string("a"),), "a >= 'b'"),
    (call("int", spelled(), NUMBER), INT, (string("ff"), 16), "int(a, b)"),
    (call("int", spelled(), base=2), INT, (string("101"),), "int(a, base=2)"),
    (call("str.find", spelled(), "c", 1), INT, (string("abc"),), "a.find('c', 1)"),
    (call("str.zfill", call("bin", NUMBER), 9), STRING, (-5,), "bin(a).zfill(9)"),
    (call("chr", NUMBER), STRING, (0xD800,), "chr(a)"),
    (call("bool", spelled()), BOOL, (string(""),), "bool(a)"),
    (call("str.join", ", ", call("texts", Slot(ListType(STRING)))), STRING,
     ([string("a"), string("é")],), "', '.join(texts_of(a))"),
]  # fmt: skip
FILLED: list[tuple[Written, Type]] = [
    (call("str", Slot(HALF)), STRING),
    (call("str", Slot(TensorType(dtypes.int32, (2,)))), STRING),
    (call("str", Slot(TensorType(dtypes.int32, None))), STRING),
    (call("str", WORD), STRING),
    (call("str.format", "{} {}", 1, 2), STRING),
    (call("place_in", spelled(), ("a", "b")), INT),
    (call("array", Slot(INT32)), STRING),
    (call("str", 0.5), STRING),
    (call("chosen", NUMBER, *map(str, range(200))), STRING),
    *[(call(name, spelled()), VECTOR) for name in PARTS],
]


def slots(template: Any) -> list[Type]:
    if isinstance(template, Slot):
        return [template.type]
    children = template.children if isinstance(template, Written) else template
    return [
        type
        for child in children
        if isinstance(child, Slot | Written | tuple)
        for type in slots(child)
    ]


def expression(template: Written, output: Type) -> str | None:
    rule: Any = TEXT.scalar
    form = rule(slots(template), output, {"template": template, "type": output})
    return None if form is None else form.text.format("a", "b")


def held(value: Any, type: Type) -> Any:
    """A value as expressions of generated code take it."""
    if isinstance(type, ListType):
        return value
    if type == STRING:
        return decoded(value.item())
    return value.item() if type == INT32 else value


@pytest.mark.parametrize(("template", "output", "values", "expected"), WRITTEN)
def test_an_expression_gives_what_the_functions_give(
    template: Written, output: Type, values: tuple[Any, ...], expected: str
) -> None:
    text = expression(template, output)
    assert text == expected
    names = dict(zip("ab", map(held, values, slots(template)), strict=False))
    found = eval(text, {"texts_of": texts_of}, names)
    wanted = TEXT.kernel(*values, template=template, type=output)
    assert found == (decoded(wanted.item()) if output == STRING else wanted)


@pytest.mark.parametrize(("template", "output"), FILLED)
def test_all_else_is_a_call(template: Written, output: Type) -> None:
    assert expression(template, output) is None


def test_each_function_has_an_expression_or_none() -> None:
    children = spelled(), "x"
    for name in FUNCTIONS:
        output = VECTOR if name in PARTS else STRING
        text = expression(call(name, *children), output)
        assert text is None or eval(f"lambda a: {text}")
