"""Live names and definite assignment around marked statements."""

import textwrap
from typing import Any

import gast
import pytest

from autograph.analysis.blocks import Flow
from autograph.analysis.flow import ends
from autograph.analysis.scopes import suspends


def flow_of(body: str, params: str = "a, b") -> tuple[Flow, list[Any]]:
    tree = gast.parse(f"def f({params}):\n" + textwrap.indent(textwrap.dedent(body), " ")).body[0]
    flow = Flow(tree, frozenset(), may_suspend=suspends(tree.body))
    return flow, sorted(flow.live, key=lambda node: node.lineno)


# What the blocks of the first control statement take, return and share.
NAMES = [
    ("if a: y = 1\nelse: y = 2\nreturn y", "", "y", ""),
    ("y = 0\nif a: y = 1\nreturn y", "y", "y", ""),
    ("y = 0\nif a: y = 1\nreturn a", "", "", ""),
    ("y = 0\nif a: b = y\nreturn b", "b", "b", ""),
    ("y = 0\nif a:\n y = y + 1\n b = y\nreturn b", "b y", "b", ""),
    ("while a: a = a - b", "a", "a", ""),
    ("while a:\n t = b\n a = a - t\nreturn a", "a", "a", ""),
    ("while a:\n t = b\n a = a - t\nreturn t", "a t", "a t", ""),
    ("while a:\n if (t := b): a = a - t", "a", "a", ""),
    ("while a:\n if t < (t := b): a = a - t", "a t", "a t", ""),
    ("while a:\n if b and (t := a): a = 0\n else: a = t", "a t", "a t", ""),
    ("for x in a: b = b + x\nreturn b", "b", "b", ""),
    ("for x in a: b = b + x\nreturn x", "b x", "b x", ""),
    ("for x in a: pass\nreturn b", "", "", ""),
    ("for x in a:\n y = x\n b = b + y\nreturn b", "b", "b", ""),
    ("if a: y = 1\ndef g(): return y\nreturn g", "", "", "y"),
    ("if a: y = 1\ng = [y for _ in a]\nreturn y", "y", "y", ""),
    ("if a: y = 1\nreturn (y for _ in a)", "", "", "y"),
    ("global y\nif a: y = 1", "", "", "y"),
    ("try:\n if a: y = 1\nexcept E: return y", "", "", "y"),
    ("try:\n if a: y = 1\nexcept E: return b\nreturn y", "y", "y", ""),
    ("try:\n while a:\n  if b: y = 1\nexcept E: return y", "", "", "y"),
    ("with a:\n if b: y = 1\nreturn y", "", "", "y"),
    ("if a: return 1\nelse: return b", "", "", ""),
    ("if a:\n b = b + 1\n return b\nelse: return 0", "b", "", ""),
]


@pytest.mark.parametrize(("body", "inputs", "outputs", "shared"), NAMES)
def test_names_of_blocks(body: str, inputs: str, outputs: str, shared: str) -> None:
    flow, controls = flow_of(body)
    controls = [node for node in controls if not isinstance(node, gast.Try)]
    names = inputs.split(), outputs.split(), shared.split()
    assert flow.functional[controls[0]] == (*names, ends([controls[0]]))


# Control statements that must stay Python's: none of them becomes a block.
LEFT = [
    "for x in a: yield x",
    "while a: b = yield",
    "if a: yield b",
    "while a:\n if b: break",
    "for x in a:\n if x: continue\n b = x",
    "for x in a: return x",
    "for x in a: pass\nelse: b = 1",
]


@pytest.mark.parametrize("body", LEFT)
def test_left_to_python(body: str) -> None:
    flow, controls = flow_of(body)
    assert controls[0] not in flow.functional


# Names read in `return` that may have no value there.
UNSAFE = [
    ("if a: y = 1\nreturn y", "y"),
    ("if a: y = 1\nelse: y = 2\nreturn y", ""),
    ("if a: y = 1\nelse: raise E\nreturn y", ""),
    ("for y in a: pass\nreturn y", "y"),
    ("while a: y = 1\nreturn y", "y"),
    ("while True:\n y = 1\n if a: break\nreturn y", ""),
    ("while True:\n if a: break\n y = 1\nreturn y", "y"),
    ("try: y = 1\nexcept E: pass\nreturn y", "y"),
    ("try: y = 1\nexcept E: y = 2\nreturn y", ""),
    ("try: pass\nexcept E as y: pass\nreturn y", "y"),
    ("with a as y: pass\nreturn y", ""),
    ("y = 1\ndel y\nreturn y", "y"),
    ("y = 1\nfor x in a: del y\nreturn y", "y"),
    ("if (y := a): pass\nreturn y", ""),
    ("if a and (y := b): pass\nreturn a", ""),
    ("y: int\nreturn y", "y"),
    ("match a:\n case 1: y = 1\n case _: y = 2\nreturn y", ""),
    ("return [y for y in a]", ""),
    ("return z", ""),
    ("def y(): pass\nreturn y", ""),
    ("import y.z\nreturn y", ""),
]


@pytest.mark.parametrize(("body", "expected"), UNSAFE)
def test_reads_without_a_sure_value(body: str, expected: str) -> None:
    flow, _ = flow_of(body)
    last = body.count("\n") + 2
    assert {name.id for name in flow.defined.unsafe if name.lineno == last} == set(expected.split())


def test_nested_loops_are_analysed_in_polynomial_time() -> None:
    depth = 40
    lines = ["x = a"]
    lines += [" " * i + f"while x{i} if b else x:" for i in range(depth)]
    lines += [
        " " * depth + "x = x + 1",
        *(" " * (depth - i) + f"x{i} = x" for i in range(1, depth)),
    ]
    _, controls = flow_of("\n".join(lines))
    assert len(controls) == depth
