"""Random programs over containers in containers: paths, rounds, tries and helpers change what is
inside and what is around it, under several names. The names are variables of the program, or of
something that is there between its calls: arguments, objects, closures, modules, classes.
"""

import random
import re
from typing import NamedTuple

PRELUDE = """\
from collections import Counter, OrderedDict, defaultdict, deque
from dataclasses import dataclass
from typing import Any, NamedTuple


class Box:
    def __init__(self, a, b):
        self.a = a
        self.b = b

    def grow(self, value):
        self.a.append(value)
        self.b = [value]

    def hand(self):
        self.b.append(self.a.pop())
        self.a = self.b


@dataclass
class Pair:
    a: Any
    b: Any


class Slotted:
    __slots__ = "a", "b"

    def __init__(self, a, b):
        self.a, self.b = a, b


class Derived(Pair):
    def grow(self, value):
        self.a.append(value)


class Asked(Box):
    @property
    def b(self):
        return self.kept

    @b.setter
    def b(self, value):
        self.kept = value


class Held:
    def __init__(self, e, p, q):
        self.e, self.p, self.q = e, p, q


@dataclass
class HeldData:
    e: Any
    p: Any
    q: Any


class HeldSlots(Held):
    __slots__ = "e", "p", "q"


class HeldMore(Held):
    owner = None

    def __init__(self, e, p, q):
        super().__init__(e, p, q)
        self.owner = self


class Row(NamedTuple):
    key: int
    items: Any


def grow(items, value):
    items.append(value)
    return items


def both(outer, key, value):
    outer["a"].append(value)
    outer[key] = [value]


def both_rows(outer, value):
    outer[0].append(value)
    outer.append([value])


"""

CALLS = ((2, 2, (3, 1, 2)), (-1, 3, (1, 1)), (3, 0, (2, -1, 3)), (1, 1, (0, 2)))
"""The arguments x, n and xs of the calls."""


class Inner(NamedTuple):
    """Containers of one kind: expressions for new ones, statements that change the one in `{s}`,
    `{o}` is another one, expressions that read it, and one for what is in `y`.
    """

    make: tuple[str, ...]
    change: tuple[str, ...]
    read: tuple[str, ...]
    shown: str


class Outer(NamedTuple):
    """Containers of these: statements that make `e`, expressions for what is in it, statements that
    change it, expressions that read it, and one for all that is in it.
    """

    start: tuple[str, ...]
    slots: tuple[str, ...]
    change: tuple[str, ...]
    read: tuple[str, ...]
    each: str


# fmt: off
INNER = {
    "list": Inner((
        "[{v}]", "[]", "[1, 2]", "[{v}, 3, x]", "[0] * 2",
    ), (
        "{s}.append({v})", "{s}.append({v})", "{s}.append({v})", "{s}.append({v})",
        "{s} += [{v}]", "{s}.extend([{v}, 1])", "{s}.extend({o})", "{s}.insert(0, {v})",
        "if {s}: {s}.pop()", "if {s}: {s}.pop(0)", "if {s}: {s}[0] = {v}",
        "if {s}: {s}[-1] += {v}", "if {s}: del {s}[0]", "{s}[0:1] = [{v}]", "{s}[:] = {o}",
        "{s}[:] = []", "{s}.clear()", "{s}.sort()", "{s}.reverse()", "grow({s}, {v})",
        "if {o}: {s}.append({o}.pop())", "if {v} in {s}: {s}.remove({v})", "for z in {o}: n += z",
    ), (
        "{s}", "len({s})", "sum({s})", "x in {s}", "{s}[:2]", "max({s}, default=7)", "{s} is {o}",
        "{s} == {o}", "list({s})",
    ), "list(y)"),
    "set": Inner((
        "{{{v}}}", "set()", "{{1, 2}}",
    ), (
        "{s}.add({v})", "{s}.add({v})", "{s}.add({v})", "{s}.add({v})", "{s}.discard({v})",
        "{s}.update([{v}, 1])", "{s} |= {{{v}}}", "{s}.clear()", "if {v} in {s}: {s}.remove({v})",
        "{s}.update({o})", "{s} -= {o}",
    ), (
        "sorted({s})", "len({s})", "sum({s})", "x in {s}", "{s} is {o}", "{s} == {o}",
    ), "sorted(y)"),
    "dict": Inner((
        '{{"n": {v}}}', '{{"n": {v}, "m": 2}}', '{{"m": x, "n": 1}}',
    ), (
        '{s}["n"] = {v}', '{s}["n"] = {v}', '{s}["n"] = {v}', '{s}["n"] = {v}', '{s}["n"] += {v}',
        '{s}["m"] = {v}', "{s}.update(n={v})", '{s}.setdefault("m", {v})', '{s}.pop("m", None)',
        "{s}.clear()", '{s}["n"], {o}["n"] = {o}["n"], {s}["n"]',
    ), (
        '{s}["n"]', "len({s})", "list({s}.items())", '"m" in {s}', '{s}.get("m", 9)',
        "{s} is {o}", "{s} == {o}", "sorted({s})", "dict({s})",
    ), "list(y.items())"),
    "counts": Inner((
        "Counter([{v}])", "Counter()", "Counter([1, 1, 2])",
    ), (
        "{s}[{v}] += 1", "{s}[{v}] += 1", "{s}[{v}] += 1", "{s}.update([{v}, 1])",
        "{s}.pop({v}, 0)", "{s}.clear()", "{s}[1] = {v}",
    ), (
        "{s}[x]", "len({s})", "sum({s}.values())", "x in {s}", "list({s})", "list({s}.items())",
        "{s} is {o}",
    ), "list(y.items())"),
    "deque": Inner((
        "deque([{v}])", "deque()", "deque([1, 2])",
    ), (
        "{s}.append({v})", "{s}.append({v})", "{s}.append({v})", "{s}.appendleft({v})",
        "if {s}: {s}.popleft()", "if {s}: {s}.pop()", "{s}.extend([{v}])", "{s}.clear()",
        "{s}.rotate(1)", "if {s}: {s}[0] = {v}", "if {o}: {s}.append({o}.popleft())",
    ), (
        "list({s})", "len({s})", "sum({s})", "x in {s}", "{s} is {o}",
    ), "list(y)"),
    "lists": Inner((
        "[[{v}]]", "[]", "[[1], [x, 2]]", "[[]]",
    ), (
        "{s}.append([{v}])", "{s}.append([{v}])", "{s}.append([{v}])",
        "if {s}: {s}[0].append({v})", "if {s}: {s}[0].append({v})", "if {s}: {s}[0].append({v})",
        "if {s}: {s}[-1] += [{v}]", "if {s}: {s}.pop()", "{s}.insert(0, [{v}])",
        "if {s}: {s}[0] = [{v}]", "{s}.clear()", "{s}.reverse()", "for z in {s}: z.append({v})",
        "if {o}: {s}.append({o}[0])", "if {o}: {s}.append({o}.pop())",
        "if {s} and {s}[0]: {s}[0].pop()",
    ), (
        "{s}", "len({s})", "sum(len(z) for z in {s})", "[list(z) for z in {s}]", "{s} is {o}",
        "[x] in {s}",
    ), "[list(w) for w in y]"),
    "tuple": Inner((
        "({v}, [{v}])", "(1, [])", "(x, [1, 2])",
    ), (
        "{s}[1].append({v})", "{s}[1].append({v})", "{s}[1].append({v})", "{s}[1].append({v})",
        "{s}[1] .extend([{v}])", "if {s}[1]: {s}[1].pop()", "if {s}[1]: {s}[1][0] = {v}",
        "{s}[1].clear()", "grow({s}[1], {v})", "if {o}[1]: {s}[1].append({o}[1].pop())",
    ), (
        "{s}", "len({s}[1])", "sum({s}[1])", "x in {s}[1]", "{s}[1] is {o}[1]", "{s} == {o}",
        "{s}[0]",
    ), "(y[0], list(y[1]))"),
    "object": Inner((
        "Pair({v}, [{v}])", "Pair(1, [])", "Box(x, [1, 2])",
    ), (
        "{s}.b.append({v})", "{s}.b.append({v})", "{s}.b.append({v})", "{s}.a = {v}",
        "{s}.a = {v}", "{s}.a += {v}", "{s}.b = [{v}]", "if {s}.b: {s}.b.pop()", "{s}.b = {o}.b",
        "{s}.b, {o}.b = {o}.b, {s}.b",
    ), (
        "{s}.a", "{s}.b", "len({s}.b)", "{s}.b is {o}.b", "{s} is {o}",
    ), "(y.a, list(y.b))"),
}
_DICT = Outer((), (
        'e["a"]', 'e["a"]', 'e["a"]', 'e["b"]',
    ), (
        'e["b"] = {new}', 'e["b"] = {new}', 'e["b"] = {new}', 'e["c"] = {new}', 'e["a"] = {new}',
        'e["a"] = e["b"]', 'e["c"] = e["a"]', 'e["b"] = {p}', '{p} = e["a"]', '{p} = e["b"]',
        "{p} = {new}", "{p} = {q}", 'e["a"], e["b"] = e["b"], e["a"]', 'e.pop("b", None)',
        'if "c" in e: del e["c"]', 'e.setdefault("c", {new})', "e.update(b={new})",
        'e.update({{"c": {p}}})', 'e["b"] = e.pop("a"); e["a"] = {new}',
        'e.clear(); e["a"] = {new}', '{p} = e.setdefault("b", {new})',
        'if "b" in e: {p} = e.pop("b")', 'e = {{"a": {p}, "b": {new}}}', "e = dict(e)",
        "e = e.copy()",
    ), (
        "len(e)", "list(e)", '"b" in e', '"c" in e', 'e.get("b") is {p}', 'e["a"] is {p}',
        "{all}",
    ), 'e.values()')
OUTER = {
    "dict": _DICT._replace(start=(
        'e = {{"a": {new}}}', 'e = {{"a": {new}, "b": {new}}}',
        '{p} = {new}; e = {{"a": {p}, "b": {p}}}', 'e = {{}}; e["a"] = {new}',
    )),
    "ordered": _DICT._replace(start=(
        "e = OrderedDict(a={new})", 'e = OrderedDict(); e["a"] = {new}; e["b"] = {new}',
    ), change=(*_DICT.change, 'e.move_to_end("a")')),
    "default": _DICT._replace(start=(
        'e = defaultdict(list); e["a"] = {new}', 'e = defaultdict(list); e["a"] = e["b"] = {new}',
    )),
    "keyed": Outer((
        "e = {{1: {new}}}", "e = {{1: {new}, 2: {new}}}", "e = defaultdict(list); e[1] = {new}",
        "{p} = {new}; e = {{1: {p}, 2: {p}}}",
    ), (
        "e[1]", "e[1]", "e[2]", "e[x]",
    ), (
        "e[x] = {new}", "e[x] = {new}", "e[2] = {new}", "e[x] = {p}", "{p} = e[1]", "e[1] = e[2]",
        "e.pop(x, None)", "e.setdefault(x, {new})", "e[1], e[2] = e[2], e[1]", "{p} = {new}",
        "{p} = {q}", "if x in e: {p} = e[x]", "if x in e: del e[x]", "e.clear(); e[1] = {new}",
        "{p} = e.setdefault(x, {new})",
    ), (
        "len(e)", "list(e)", "x in e", "e[1] is {p}", "{all}",
    ), "e.values()"),
    "list": Outer((
        "e = [{new}]", "e = [{new}, {new}]", "{p} = {new}; e = [{p}, {p}]",
        "e = []; e.append({new})",
    ), (
        "e[0]", "e[0]", "e[-1]", "e[len(e) - 1]",
    ), (
        "e.append({new})", "e.append({new})", "e.append({new})", "e.append({new})",
        "e.append({p})", "e.append(e[0])", "e[0] = {new}", "e[0] = {p}", "e[-1] = e[0]",
        "{p} = e[0]", "{p} = e[-1]", "{p} = {new}", "{p} = {q}", "e[0], e[-1] = e[-1], e[0]",
        "if len(e) > 1: e.pop()", "if len(e) > 1: {p} = e.pop()", "if len(e) > 1: del e[0]",
        "e.insert(0, {new})", "e.reverse()", "e += [{new}]", "e.extend([{p}, {new}])",
        "e[0:1] = [{new}]", "e = e[:]", "e = [{p}, {new}]", "e.clear(); e.append({new})",
        "e = e + [{new}]", "e.append(e.pop(0))", "e[x % len(e)] = {new}", "{p} = e[x % len(e)]",
    ), (
        "len(e)", "e[0] is {p}", "e[-1] is {p}", "e[0] is e[-1]", "{all}",
    ), "e"),
    "deque": Outer((
        "e = deque([{new}])", "e = deque(); e.append({new})", "e = deque([{new}, {new}])",
    ), (
        "e[0]", "e[0]", "e[-1]",
    ), (
        "e.append({new})", "e.append({new})", "e.append({new})", "e.appendleft({new})",
        "e.append({p})", "e.append(e[0])", "e[0] = {new}", "{p} = e[0]", "{p} = e[-1]",
        "{p} = {new}", "e[0], e[-1] = e[-1], e[0]", "if len(e) > 1: e.pop()",
        "if len(e) > 1: {p} = e.popleft()", "e.rotate(1)", "e.append(e.popleft())",
        "e.clear(); e.append({new})", "e.extend([{p}, {new}])",
    ), (
        "len(e)", "e[0] is {p}", "e[0] is e[-1]", "{all}",
    ), "e"),
    "pairs": Outer((
        "e = [(1, {new})]", "e = [(1, {new}), (x, {new})]", "{p} = {new}; e = [(1, {p})]",
        "e = []; e.append((x, {new}))",
    ), (
        "e[0][1]", "e[0][1]", "e[-1][1]",
    ), (
        "e.append((x, {new}))", "e.append((x, {new}))", "e.append((x, {new}))",
        "e.append((x, {new}))", "e.append((2, {p}))", "e.append(e[0])", "e[0] = (3, {new})",
        "e[0] = (x, {p})", "{p} = e[0][1]", "_, {p} = e[-1]", "{p} = {new}", "{p} = {q}",
        "e[0], e[-1] = e[-1], e[0]", "if len(e) > 1: e.pop()", "if len(e) > 1: _, {p} = e.pop()",
        "e.insert(0, (x, {new}))", "e += [(5, {p})]", "e = [(1, {p}), (2, {new})]", "e.reverse()",
        "e.clear(); e.append((0, {new}))",
    ), (
        "len(e)", "e[0][1] is {p}", "e[0][1] is e[-1][1]", "e[0][0]", "[z[0] for z in e]",
        "{all}",
    ), "[z[1] for z in e]"),
    "rows": Outer((
        "e = [Row(1, {new})]", "{p} = {new}; e = [Row(1, {p})]",
    ), (
        "e[0].items", "e[0].items", "e[-1].items",
    ), (
        "e.append(Row(x, {new}))", "e.append(Row(x, {new}))", "e.append(Row(x, {new}))",
        "e.append(Row(x, {new}))", "e.append(Row(2, {p}))", "e.append(e[0])",
        "e[0] = Row(3, {new})", "e[0] = e[0]._replace(key=x)", "{p} = e[0].items", "{p} = {new}",
        "if len(e) > 1: e.pop()", "if len(e) > 1: {p} = e.pop().items", "e.reverse()",
    ), (
        "len(e)", "e[0].items is {p}", "e[0].key", "[z.key for z in e]", "{all}",
    ), "[z.items for z in e]"),
    "box": Outer((
        "e = Box({new}, {new})", "{p} = {new}; e = Box({p}, {p})", "e = Pair({new}, {new})",
        "e = Slotted({new}, {new})", "e = Derived({new}, {new})", "e = Asked({new}, {new})",
    ), (
        "e.a", "e.a", "e.b",
    ), (
        "e.b = {new}", "e.b = {new}", "e.a = {new}", "e.a = e.b", "e.a, e.b = e.b, e.a",
        "e.b = {p}", "{p} = e.a", "{p} = e.b", "{p} = {new}", "{p} = {q}", "e = Box({p}, {new})",
        "e = Box(e.b, e.a)", "{p}, e.a = e.a, {p}",
    ), (
        "e.a is {p}", "e.a is e.b", "{all}",
    ), "(e.a, e.b)"),
    "boxes": Outer((
        "e = [Box({new}, {new})]", "{p} = {new}; e = [Box({p}, {new}), Box({new}, {p})]",
    ), (
        "e[0].a", "e[0].a", "e[-1].b",
    ), (
        "e.append(Box({new}, {new}))", "e.append(Box({new}, {new}))",
        "e.append(Box({new}, {new}))", "e.append(Box({p}, e[0].b))", "e.append(e[0])",
        "e[0].a = {new}", "e[0].a = {p}", "e[-1].b = e[0].a", "{p} = e[0].a", "{p} = {new}",
        "e[0], e[-1] = e[-1], e[0]", "if len(e) > 1: e.pop()", "if len(e) > 1: {p} = e.pop().a",
    ), (
        "len(e)", "e[0].a is {p}", "e[0] is e[-1]", "{all}",
    ), "[z.a for z in e]"),
    "ring": Outer((
        "e = Box({new}, None); e.b = Box({new}, e)", "e = Pair({new}, None); e.b = Box({new}, e)",
        "e = Box({new}, None); e.b = e",
    ), (
        "e.a", "e.b.a", "e.b.b.a",
    ), (
        "e = e.b", "e.a = {new}", "e.b.a = {new}", "e.a = e.b.a", "e.a, e.b.a = e.b.a, e.a",
        "{p} = e.a", "{p} = e.b.a", "e.b.a = {p}", "e.b = e", "e.b.b = e.b", "e.b = Box({new}, e)",
    ), (
        "e.a is {p}", "e.a is e.b.a", "e.b is e", "e.b.b is e", "{all}",
    ), "(e.a, e.b.a)"),
    "deep 0": Outer((
        'e = {{"a": {{"k": {new}}}}}',
    ), (
        'e["a"]["k"]',
    ), (
        'e["b"] = {{"k": {new}}}', 'e["a"] = {{"k": {new}}}', 'e["a"]["k"] = {new}',
        'e["a"]["k"] = {p}', '{p} = e["a"]["k"]', 'e["b"] = e["a"]', "{p} = {new}",
        'e["a"]["j"] = {new}',
    ), (
        "len(e)", 'e["a"]["k"] is {p}', "list(e)", "{all}",
    ), '[z["k"] for z in e.values()]'),
    "deep 1": Outer((
        'e = {{"a": [{new}], "b": [{new}]}}',
    ), (
        'e["a"][0]', 'e["b"][-1]', 'e["a"][-1]',
    ), (
        'e["a"].append({new})', 'e["a"].append({new})', 'e["a"].append({new})',
        'e["b"].append(e["a"].pop()); e["a"].append({new})', 'e["b"] = [{new}]',
        'e["c"] = [{new}]', 'e["a"] = e["b"]', 'e["a"][0] = {p}', '{p} = e["a"][0]',
        'e["b"].append({p})', "{p} = {new}", 'e["a"], e["b"] = e["b"], e["a"]',
    ), (
        "len(e)", 'e["a"][0] is {p}', 'len(e["a"])', "{all}",
    ), "[y for z in e.values() for y in z]"),
    "deep 2": Outer((
        'e = [{{"k": {new}}}]',
    ), (
        'e[0]["k"]', 'e[-1]["k"]',
    ), (
        'e.append({{"k": {new}}})', 'e.append({{"k": {new}}})', 'e.append({{"k": {new}}})',
        'e[0]["k"] = {new}', 'e[0]["k"] = {p}', '{p} = e[0]["k"]', "e.append(e[0])",
        "{p} = {new}", "if len(e) > 1: e.pop()", 'e[0] = {{"k": {p}}}',
    ), (
        "len(e)", 'e[0]["k"] is {p}', "{all}",
    ), '[z["k"] for z in e]'),
    "deep 3": Outer((
        'e = {{"a": ({new}, {new})}}',
    ), (
        'e["a"][0]', 'e["a"][1]',
    ), (
        'e["b"] = ({new}, {new})', 'e["b"] = ({new}, {new})', 'e["b"] = ({new}, {new})',
        'e["a"] = ({p}, {new})', 'e["a"] = (e["a"][1], e["a"][0])', '{p} = e["a"][0]',
        "{p} = {new}", 'e["b"] = e["a"]',
    ), (
        "len(e)", 'e["a"][0] is {p}', "{all}",
    ), "[z[0] for z in e.values()]"),
    "deep 4": Outer((
        'e = Box([{new}], {{"k": {new}}})',
    ), (
        "e.a[0]", 'e.b["k"]',
    ), (
        "e.a.append({new})", "e.a.append({new})", "e.a.append({new})", 'e.b["k"] = {new}',
        'e.b["j"] = {new}', "e.a.append({p})", 'e.b["k"] = e.a[0]', "{p} = e.a[0]",
        '{p} = e.b["k"]', "e.a = [{new}]", "e.a[0] = {p}", "{p} = {new}",
    ), (
        "len(e.a)", "len(e.b)", "e.a[0] is {p}", 'e.b["k"] is {p}', "{all}",
    ), '[*e.a, e.b["k"]]'),
}
# fmt: on
_KINDS = (*("dict", "list") * 3, *("pairs", "keyed") * 2, *OUTER)
_HELD = (*("list",) * 6, *("dict", "lists", "tuple") * 2, "set", "counts", "deque", "object")
_VALUES = (
    "x",
    "x",
    "-x",
    "4",
    "n",
    "x + 1",
    "2",
)
_TESTS = (
    "x > 0",
    "x > 0",
    "x > 2",
    "n > 1",
    "x % 2 == 0",
    "x < n",
    "len({s}) > 1",
)


class Place(NamedTuple):
    """Where the names are: what stands before them, a statement that declares them, and a module in
    which `begin` makes them, and gives the program, its further arguments, and who tells of them.
    """

    before: str
    declared: str
    text: str


_TOLD = "lambda: ({0}e, {0}p, {0}q)"
PLACES = {
    "local": Place("", "", """\
def program(x, n, xs):
    START
    BODY
"""),
    "arguments": Place("", "", """\
def program(x, n, xs, e, p, q):
    BODY

def begin(x, n):
    START
    return program, (e, p, q), lambda: (e, p, q)
"""),
    "closure": Place("", "nonlocal e, p, q", """\
def begin(x, n):
    START

    def program(x, n, xs):
        nonlocal e, p, q
        BODY

    return program, (), lambda: (e, p, q)
"""),
    "globals": Place("", "global e, p, q", """\
def program(x, n, xs):
    global e, p, q
    BODY

def begin(x, n):
    global e, p, q
    START
    return program, (), lambda: (e, p, q)
"""),
    "defaults": Place("", "", """\
def begin(x, n):
    START

    def program(x, n, xs, e=e, p=p, q=q):
        BODY

    return program, (), lambda: (e, p, q)
"""),
    "object": Place("h.", "", """\
def program(x, n, xs, h):
    BODY

def begin(x, n):
    START
    h = HELD(e, p, q)
    return program, (h,), lambda: (h.e, h.p, h.q)
"""),
    "outside": Place("h.", "", """\
def program(x, n, xs):
    BODY

def begin(x, n):
    global h
    START
    h = HELD(e, p, q)
    return program, (), lambda: (h.e, h.p, h.q)
"""),
    "method": Place("self.", "", """\
class Own(HELD):
    def program(self, x, n, xs):
        BODY

def begin(x, n):
    START
    h = Own(e, p, q)
    return h.program, (), lambda: (h.e, h.p, h.q)
"""),
    "class": Place("Own.", "", """\
class Own:
    pass

def program(x, n, xs):
    BODY

def begin(x, n):
    START
    Own.e, Own.p, Own.q = e, p, q
    return program, (), lambda: (Own.e, Own.p, Own.q)
"""),
}  # fmt: skip
HELD = ("Held", "HeldData", "HeldSlots", "HeldMore")


class Writer:
    """Writes one program, a function of x, n and xs, and of what its place says."""

    def __init__(self, seed: int, place: str = "local") -> None:
        self.random = random.Random(seed)
        self.outer = OUTER[self.random.choice(_KINDS)]
        self.inner = INNER[self.random.choice(_HELD)]
        self.place = PLACES[place]
        self.reads = ""

    def program(self) -> str:
        """The text of a module with the function `program`, or with `begin`."""
        pick, chance = self.random.choice, self.random.random
        start = [*(f"{name} = {self.new()}" for name in "pq"), self.named(pick(self.outer.start))]
        start += [f"{name} = {self.outer.slots[0]}" for name in "pq" if chance() < 0.4]
        reads = [self.named(pick(part)) for part in (self.inner.read, self.outer.read) * 2]
        reads.append(self.named("{all}"))
        self.reads = f"return n, {', '.join(reads)}"
        lines = [self.statement() for _ in range(self.random.randint(0, 1))]
        lines += self.compound(self.random.randint(0, 2))
        lines += self.compound(0) if chance() < 0.3 else []
        lines += [self.statement() for _ in range(self.random.randint(0, 2))]
        if self.place.text != PLACES["local"].text:  # what no tensor concerns is done while tracing
            lines = ["if x > -9:", *(f"    {line}" for line in lines)]
        lines.append(self.reads)
        text = self.place.text.replace("HELD", pick(HELD))
        for name, block in (("START", start), ("BODY", self.placed(lines))):
            line = re.search(f"( *){name}", text)
            assert line is not None
            text = text.replace(line[0], "\n".join(line[1] + each for each in block))
        return PRELUDE + text

    def placed(self, lines: list[str]) -> list[str]:
        """Lines with the names where they are."""
        return [re.sub(r"\b([epq])\b(?!\")", rf"{self.place.before}\1", line) for line in lines]

    def compound(self, depth: int) -> list[str]:
        """A statement with blocks."""
        kind, name = self.random.random(), f"i{self.random.randrange(100)}"
        if kind < 0.55:
            lines = [f"if {self.test()}:", *self.block(depth)]
            if self.random.random() < 0.2:
                lines += ["elif x == 1:", *self.block(0)]
            return [*lines, "else:", *self.block(depth)] if self.random.random() < 0.4 else lines
        if kind < 0.65:
            return [f"{name} = 0", f"while {name} < n:", f"    {name} += 1", *self.round(depth)]
        if kind < 0.9:
            taken = self.random.choice(("_ in range(n)", "x in xs", "x in [3, x, 1]"))
            return [f"for {taken}:", *self.round(depth)]
        if kind < 0.96:
            last = ["finally:", *self.block(0)] if self.random.random() < 0.3 else []
            return [
                *("try:", *self.block(0), "    n = 6 // x", *self.block(0)),
                *("except ZeroDivisionError:", *self.block(0), *last),
            ]
        if self.place.declared or self.place.before:
            declared = [f"    {self.place.declared}"] if self.place.declared else []
            return [f"def {name}(x, n):", *declared, *self.block(depth), f"{name}(x, n)"]
        made = f"e, p, q = {name}(e, p, q, x, n)"
        return [f"def {name}(e, p, q, x, n):", *self.block(depth), "    return e, p, q", made]

    def round(self, depth: int) -> list[str]:
        """The block of a loop, which may end it."""
        lines = self.block(depth)
        if self.random.random() < 0.25:
            end = self.random.choice(("break", "continue", self.reads))
            at = self.random.choice([at for at, line in enumerate(lines) if line[4] != " "])
            if not lines[at].lstrip().startswith(("else", "elif", "except", "finally")):
                lines.insert(at, f"    if {self.test()}: {end}")
        return lines

    def block(self, depth: int) -> list[str]:
        """Lines one deeper."""
        lines = []
        for _ in range(self.random.randint(1, 3)):
            deep = depth > 0 and self.random.random() < 0.3
            lines += self.compound(depth - 1) if deep else [self.statement()]
        return [f"    {line}" for line in lines]

    def test(self) -> str:
        return self.named(self.random.choice(_TESTS))

    def statement(self) -> str:
        kind = self.inner if self.random.random() < 0.55 else self.outer
        return self.named(self.random.choice(kind.change))

    def new(self) -> str:
        return self.random.choice(self.inner.make).format(v=self.random.choice(_VALUES))

    def named(self, text: str) -> str:
        """A text with names, values and new containers put in."""
        while "{new}" in text:
            text = text.replace("{new}", self.new().replace("{", "{{").replace("}", "}}"), 1)
        p, q = self.random.sample("pq", 2)
        s, o = self.random.choices((*self.outer.slots * 2, "p", "q"), k=2)
        shown = f"[{self.inner.shown} for y in {self.outer.each}]"
        return text.format(p=p, q=q, s=s, o=o, v=self.random.choice(_VALUES), all=shown)
