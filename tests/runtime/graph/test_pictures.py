"""Pictures of graphs: what they show, and that a person can read them."""

from __future__ import annotations

import itertools
import re
import xml.etree.ElementTree as ElementTree
from typing import Any, NamedTuple

import pytest

import runtime as rt
from runtime.graph.format.views import Operation
from runtime.graph.ir import Graph, walk, walk_called

SVG = "{http://www.w3.org/2000/svg}"
WEIGHT = rt.constant([[1.0, 2.0], [3.0, 4.0]])
BIAS = rt.Variable([1.0, 2.0], name="bias")


@rt.function
def helper(a, b):
    return a * b + 1.0


@rt.function
def factorial(n):
    if n < 2:
        return 1
    return n * factorial(n - 1)


def nested(x, limit):
    y = rt.nn.relu(x @ WEIGHT) + BIAS
    if limit > 0:
        y = y * rt.constant([1.0, 2.0])
    while rt.reduce_sum(y) < 100.0:
        if y[0, 0] > rt.reduce_max(x):
            rt.print("large", y)
            y = helper(y, x)
        else:
            y = y * 2.0
        BIAS.assign_add(y[0])
    return y[1:3, :, None], limit, factorial(limit)


def chain(x):
    y = x
    for _ in range(30):
        y = rt.sin(y) + x
    return y


def wide(x):
    return [rt.sin(x + float(i)) for i in range(12)]


def checked(x):
    assert x > 0.0, "a message that is far too long for a box of a picture \x07 & <of> a graph"
    return rt.tanh(rt.ones([3]) * x) * 2.0


def nothing(x):
    pass


NO_OPS = ("frame", "outer", "results")
FLOAT = rt.TensorSpec([])
GRAPHS = [
    (nested, (rt.TensorSpec([None, 2]), rt.TensorSpec([], rt.int32))),
    (chain, (FLOAT,)),
    (wide, (FLOAT,)),
    (checked, (FLOAT,)),
    (nothing, (FLOAT,)),
]
CASES = [
    pytest.param(function, specs, stage, id=f"{function.__name__}-{stage}")
    for function, specs in GRAPHS
    for stage in ("graph", "optimized")
]


def graph(function: Any = nested, specs: Any = GRAPHS[0][1], stage: str = "graph") -> Graph:
    found: Graph = getattr(rt.function(function).get_concrete_function(*specs), stage)
    return found


class Rect(NamedTuple):
    """A rectangle, or a line of text, in a picture."""

    left: float
    top: float
    right: float
    bottom: float

    def inside(self, other: Rect) -> bool:
        return (
            other.left <= self.left <= self.right <= other.right
            and other.top <= self.top <= self.bottom <= other.bottom
        )

    def apart(self, other: Rect) -> bool:
        across = self.right <= other.left or other.right <= self.left
        return across or self.bottom <= other.top or other.bottom <= self.top


class Picture:
    """A picture, read back."""

    def __init__(self, made: Graph) -> None:
        self.root = ElementTree.fromstring(made._repr_svg_())
        self.rects = [
            (item.get("class"), _rect(item))
            for item in self.root.iter(f"{SVG}rect")
            if item.get("class") != "page"
        ]
        texts = list(self.root.iter(f"{SVG}text"))
        self.texts = [(item.text or "", _extent(item)) for item in texts]
        self.titles = [item.text for item in texts if item.get("class") == "title"]
        self.paths = [item.get("d", "") for item in self.root.iter(f"{SVG}path")]

    def lines_of(self, box: Rect) -> list[str]:
        """The text in a box, but not of boxes in it."""
        return [
            text
            for text, extent in self.texts
            if min((r for _, r in self.rects if extent.inside(r)), key=_size) == box
        ]


def _size(rect: Rect) -> float:
    return (rect.right - rect.left) * (rect.bottom - rect.top)


def _rect(item: Any) -> Rect:
    x, y, width, height = (float(item.get(name)) for name in ("x", "y", "width", "height"))
    return Rect(x, y, x + width, y + height)


def _extent(item: Any) -> Rect:
    x, y, width = (float(item.get(name)) for name in ("x", "y", "textLength"))
    return Rect(x, y - 10, x + width, y + 3)


def operations(found: Any) -> list[Operation]:
    inner = [operations(region) for item in found for region in item.regions]
    return [*found, *itertools.chain.from_iterable(inner)]


@pytest.mark.parametrize(("function", "specs", "stage"), CASES)
def test_nothing_overlaps(function: Any, specs: Any, stage: str) -> None:
    picture = Picture(graph(function, specs, stage))
    width, height = (float(picture.root.get(name) or 0) for name in ("width", "height"))
    page = Rect(0, 0, width, height)
    for _, rect in picture.rects:
        assert rect.inside(page)
    for (_, one), (_, other) in itertools.combinations(picture.rects, 2):
        assert one.apart(other) or one.inside(other) or other.inside(one)
    for (text, one), (_, other) in itertools.combinations(picture.texts, 2):
        assert one.apart(other), text
    for text, extent in picture.texts:
        for _, rect in picture.rects:
            assert extent.inside(rect) or extent.apart(rect), text


@pytest.mark.parametrize(("function", "specs", "stage"), CASES)
def test_every_operation_shows_its_type_its_name_and_what_it_gives(
    function: Any, specs: Any, stage: str
) -> None:
    made = graph(function, specs, stage)
    picture = Picture(made)
    boxes = [picture.lines_of(rect) for kind, rect in picture.rects if kind not in NO_OPS]
    expected = [
        (operation.type, *[f"{x.op.name}: {x.type}" for x in operation.outputs[:1]])
        for called in {made, *_called(made)}
        for operation in operations(called.get_operations())
    ]
    shown = [tuple(lines[: 1 + (lines[1:2] != [] and ": " in lines[1])]) for lines in boxes]
    assert sorted(shown) == sorted(expected)


def _called(made: Graph) -> set[Graph]:
    callees = [node.params["callee"] for node in walk_called(made.nodes) if "callee" in node.params]
    return {callee.graph for callee in callees}


@pytest.mark.parametrize(("function", "specs", "stage"), CASES)
def test_arrows_lead_downwards_to_boxes(function: Any, specs: Any, stage: str) -> None:
    picture = Picture(graph(function, specs, stage))
    heads = [path for path in picture.paths if path.endswith("h8z")]
    lines = [path for path in picture.paths if not path.endswith("h8z")]
    assert len(heads) == len(lines)
    tops = {(rect.top, rect.left, rect.right) for _, rect in picture.rects}
    for line, head in zip(lines, heads, strict=True):
        points = [tuple(map(int, p)) for p in re.findall(r"(-?\d+),(-?\d+)", line)]
        x, y = map(int, re.findall(r"M(-?\d+),(-?\d+)", head)[0])
        assert points[-1] == (x, y)
        assert points[0][1] < y
        assert any(top == y and left <= x <= right for top, left, right in tops)


def test_regions_and_called_graphs_have_titles() -> None:
    titles = Picture(graph()).titles
    assert [titles.count(name) for name in ("then", "else", "body", "yield")] == [3, 3, 1, 6]
    for name in ("graph nested", "graph helper", "graph factorial", "return"):
        assert name in titles
    texts = [text for text, _ in Picture(graph()).texts]
    assert {"calls helper", "first y", "test greater", "= 100.0", "y_1[0, 0]"} <= set(texts)


def test_what_is_too_long_is_shortened() -> None:
    made = graph(checked, (FLOAT,))
    texts = [text for text, _ in Picture(made).texts]
    assert max(map(len, texts)) <= 44
    assert any(text.startswith("raise AssertionError('a message") for text in texts)
    assert any(text.endswith("...") for text in texts)
    many = Picture(graph(wide, (FLOAT,)))
    assert "and 5 more" in [text for text, _ in many.texts]


def test_a_picture_is_the_same_each_time_and_needs_nothing_else() -> None:
    made = graph()
    assert made._repr_svg_() == made._repr_svg_() == graph()._repr_svg_()
    assert made.to_dot() == graph().to_dot()
    assert made._repr_svg_().count("http") == 1
    concrete = rt.function(nested).get_concrete_function(*GRAPHS[0][1])
    assert concrete._repr_svg_() == made._repr_svg_()


def test_the_style_of_a_picture_is_for_it_alone() -> None:
    root = Picture(graph()).root
    style = next(root.iter(f"{SVG}style")).text or ""
    rules = style.removesuffix("}").split("}")
    assert {rule.split()[0] for rule in rules} == {f".{root.get('class')}"}


# The language of Graphviz


@pytest.mark.parametrize(("function", "specs", "stage"), CASES)
def test_dot(function: Any, specs: Any, stage: str) -> None:
    made = graph(function, specs, stage)
    text = made.to_dot()
    assert text.startswith(f'digraph "{made.name}" {{')
    outside_labels = re.sub(r'"(?:[^"\\]|\\.)*"', "", text)
    assert outside_labels.count("{") == outside_labels.count("}")
    nodes = set(re.findall(r"^ *(n\d+) \[", text, re.MULTILINE))
    ends = re.findall(r"^ *(n\d+) -> (n\d+)", text, re.MULTILINE)
    assert {end for pair in ends for end in pair} <= nodes
    assert len(set(ends)) == len(ends)
    for node in walk(made.body):
        assert f'"{_type(made, node)}\\n' in text or f'"{_type(made, node)}"' in text


def _type(made: Graph, node: Any) -> str:
    return next(op.type for op in operations(made.get_operations()) if op.node is node)


def test_dot_says_which_branch_is_which() -> None:
    text = graph().to_dot()
    for title in ("then", "else", "body", "graph helper"):
        assert f'label="{title}"; labeljust=l;' in text
    assert len(re.findall(r'-> n\d+ \[label="then"\]', text)) == 3
    assert '[label="AddV2\\nadd: float32[?,2]"]' in text


def test_dot_escapes_names() -> None:
    whole = graph()
    made = Graph('a"b', whole.body, whole.closure)
    assert made.to_dot().startswith('digraph "a\\"b" {')
