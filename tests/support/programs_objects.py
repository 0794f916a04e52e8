"""Themes of objects of the user's: attributes that come and go, and classes with ways of their own.

A theme is a small dialect: what a module defines, what a program begins with, its forms, which are
those of `programs_collections`, and what it returns.
"""

from typing import NamedTuple


class Theme(NamedTuple):
    """What the programs of one theme have in common."""

    prelude: str
    header: str
    forms: tuple[str, ...]
    results: tuple[str, ...]


def common(*forms: str) -> tuple[str, ...]:
    """Forms that occur often, beside those that mostly have a program refused."""
    return forms * 4


_ATTRIBUTES = Theme(
    prelude="""\
class Bare:
    pass


class Slotted:
    __slots__ = ("x", "y")


def dropped(o, u):
    if u > 3 and hasattr(o, "y"):
        del o.y
    return u


""",
    header="""\
    o, w = Bare(), Slotted()
    o.x, o.y, w.x, w.y = a, 1, 2, b
""",
    forms=(
        *common(
            "do: o.x = {value}",
            "do: w.y = {value}",
            "do: setattr(o, 'y', {value})",
            "do: o.x, w.x = w.x, o.x",
            "do: o.x += {value}; o.x %= 97",
            "int: getattr(o, 'x', {value})",
            "int: o.y if hasattr(o, 'y') else {value}",
            "int: getattr(w, 'y', {value})",
            "int: vars(o).get('y', 3)",
            "int: len(vars(o))",
            "do: {r} = o; {r}.x = {value}",
            "do: for {v} in xs:;     o.x = (o.x + {v}) % 97",
            "do: del o.y; o.y = {value}",
            "do: del w.x; w.x = {value}",
        ),
        "do: del o.y",
        "do: delattr(w, 'y')",
        "do: if {value} > 2:;     del o.y; else:;     o.y = {value}",
        "do: if {value} > 2:;     del w.x",
        "do: if hasattr(o, 'y'):;     del o.y",
        "do: o.z = {value}",
        "do: try:;     del o.y; except AttributeError:;     a = (a + 1) % 97",
        "do: try:;     a = o.z; except AttributeError:;     o.z = {value}",
        "do: for {v} in xs:;     if {v} > {value} and hasattr(w, 'y'):;         del w.y",
        "do: a = (a + dropped(o, {value})) % 97",
        "do: vars(o).pop('y', 0)",
        "int: getattr(o, 'z', {value})",
    ),
    results=("o.x, {int}", "getattr(w, 'x', 7), getattr(o, 'y', 8), {int}", "len(vars(o)), {int}"),
)

_ENTRIES = Theme(
    prelude="""\
class Keeper:
    def __init__(self, held):
        self.held = held


def forgotten(d, u):
    return d.pop(u, 5) if u > 1 else d.setdefault(u, 6)


""",
    header="""\
    d, t, n = {1: a, 2: 3}, {"low": 1, "high": b}, {"in": {"x": 1, "y": a}}
    o = Keeper({"x": 2, "y": 3})
""",
    forms=(
        *common(
            "do: d[{key}] = {value}",
            "do: t['low'] = {value}",
            "do: n['in']['x'] = {value}",
            "do: o.held['y'] = {value}",
            "do: o.held['x'] += {value}",
            "do: o.held = {{'x': {value}, 'y': 1}}",
            "do: d.setdefault({key}, {value})",
            "int: d.pop({key}, {value})",
            "int: d.setdefault({key}, {value})",
            "int: t.get('low', {value})",
            "int: n['in']['y']",
            "int: sum(d.values()) % 97",
            "int: len(d) + len(t) + len(o.held)",
            "do: for {v} in xs:;     d.pop({v}, 0)",
            "do: a = (a + forgotten(d, {value})) % 97",
            "do: for {v} in xs:;     if {v} in d:;         del d[{v}];         break",
        ),
        "do: del t['high']",
        "do: t.pop('low', 0)",
        "do: n['in'].pop('x', 0)",
        "do: n['in'].setdefault('z', {value})",
        "do: o.held.pop('x', 0)",
        "do: if 'x' in o.held:;     del o.held['x']; else:;     o.held['x'] = {value}",
        "do: try:;     del t['low']; except KeyError:;     t['low'] = {value}",
        "do: t.popitem()",
        "do: t.clear()",
        "do: del n['in']",
        "int: o.held.setdefault('z', {value})",
    ),
    results=(
        "sorted(d), {int}",
        "list(d.items()), {int}",
        "list(t), {int}",
        "list(o.held), {int}",
        "{int}",
    ),
)

_DESCRIPTORS = Theme(
    prelude="""\
class Clamped:
    def __set_name__(self, owner, name):
        self.name = "_" + name

    def __get__(self, thing, owner=None):
        return getattr(thing, self.name)

    def __set__(self, thing, value):
        thing.writes += 1
        setattr(thing, self.name, value if value < 9 else 9)


class Gauge:
    low = Clamped()

    def __init__(self, low):
        self.writes, self._level = 0, 2
        self.low = low

    @property
    def level(self):
        self.writes += 1
        return self._level if self._level > 1 else self.low

    @level.setter
    def level(self, value):
        if value > 5:
            self._level = value % 7
        else:
            self.low = value

    @level.deleter
    def level(self):
        self._level = 0

    @classmethod
    def made(cls, n):
        return cls(n)

    @staticmethod
    def double(n):
        return n * 2 if n > 0 else 1

    def __iadd__(self, n):
        self._level = (self._level + n) % 97
        return self

    def __getitem__(self, i):
        return self.low if i else self._level

    def __setitem__(self, i, value):
        if i > 0:
            self.low = value
        else:
            self._level = value % 97

    def __len__(self):
        return 2

    def __eq__(self, other):
        return self._level == other._level

    def __bool__(self):
        return bool(self._level > 3)


class Plain:
    def __init__(self, n):
        self.n, self.items = n, [1, n]


""",
    header="""\
    g, h = Gauge(a), Gauge(3)
    row = [Plain(1), Plain(b), Plain(2)]
""",
    forms=(
        "do: g.level = {value}",
        "do: g.level += {value}",
        "do: h.low = {value}",
        "do: h.low -= {value}",
        "do: del h.level",
        "do: g += {value}",
        "do: g[{key}] = {value}",
        "do: h[1] += {value}",
        "do: g.low, h.low = h.low, g.low",
        "do: setattr(g, 'low', {value})",
        "do: row[1].n += 1",
        "do: row[{value} % 3].n += 1",
        "do: row[{value} % 3].n = {value}",
        "do: row[0].items[1] += {value}; row[0].items[1] %= 97",
        "do: row[0].items[{value} % 2] = {value}",
        "do: {r} = row[{value} % 3]; {r}.n = ({r}.n + 2) % 97",
        "do: for {r} in row:;     {r}.n = ({r}.n + {value}) % 97",
        "do: {r} = g if {value} > 2 else h; a = (a + {r}.low) % 97",
        "do: if g:;     h.low = {value}",
        "do: if g == h:;     h.level = {value}",
        "do: if g and h:;     a = {value}",
        "do: {r} = Gauge.made({value}); {r}.level = {value}; b = (b + {r}.level) % 97",
        "int: g.level",
        "int: g[{key}]",
        "int: h.low + h.writes",
        "int: Gauge.double({value}) % 97",
        "int: g.double(h.level) % 97",
        "int: row[{value} % 3].n",
        "int: sum([{r}.n for {r} in row]) % 97",
        "int: max(row, key=lambda u: u.n).n",
        "int: [g, h].index(h)",
    ),
    results=("g.writes, h.writes, {int}", "g._level, h._low, {int}", "row[1].n, row[2].n, {int}"),
)

_OWN_WAYS = Theme(
    prelude="""\
class Lazy:
    def __init__(self, n):
        self.n, self.asked = n, 0

    def __getattr__(self, name):
        if name.startswith("late_"):
            return len(name) + self.n
        raise AttributeError(name)


class Counted:
    def __init__(self):
        self.__dict__["writes"] = 0
        self.x = 1

    def __setattr__(self, name, value):
        self.__dict__["writes"] += 1
        self.__dict__[name] = value % 97 if value > 3 else value


class Asked:
    def __init__(self):
        self.n = 1

    def __getattribute__(self, name):
        if name == "m":
            return object.__getattribute__(self, "n") * 2
        return object.__getattribute__(self, name)


class Named(dict):
    def __getattr__(self, name):
        return self[name]

    def __setattr__(self, name, value):
        self[name] = value


class Base:
    kind = 1

    def __init__(self, n):
        self.n = n

    def grow(self, by):
        if by > 2:
            self.n = (self.n + by) % 97
        return self.n


class Derived(Base):
    kind = 2

    def grow(self, by):
        self.n += 1
        return super().grow(by) % 50

    def __call__(self, by):
        return self.grow(by) + self.kind

    def __contains__(self, n):
        return n == self.n

    def __iter__(self):
        for i in range(3):
            if i != self.n:
                yield i + self.n


""",
    header="""\
    z, c, q, e, v = Lazy(a), Counted(), Asked(), Named(x=1, y=b), Derived(2)
""",
    forms=(
        "do: z.n = {value}",
        "do: z.asked += z.late_one; z.asked %= 97",
        "do: c.x = {value}",
        "do: c.x += {value}",
        "do: q.n = {value}",
        "do: e.x = {value}",
        "do: e.y += {value}; e.y %= 97",
        "do: v.n = {value}",
        "do: v.kind = {value}",
        "do: v.kind += 1",
        "do: a = (a + v.grow({value})) % 97",
        "do: for {k} in v:;     a = (a + {k}) % 97;     if a > 50:;         break",
        "do: if {value} in v:;     b = v({value}) % 97",
        "do: {r} = v.grow; b = ({r}({value}) + {r}(3)) % 97",
        "do: {r} = Derived({value}) if {value} > 2 else Base({value}); b = {r}.grow(3) % 97",
        "int: z.late_two % 97",
        "int: z.n + z.asked",
        "int: getattr(z, 'other', {value})",
        "int: 3 if hasattr(z, 'late_n') else 4",
        "int: c.writes + c.x",
        "int: q.m",
        "int: e.x + e['y']",
        "int: v({value}) % 97",
        "int: v.kind + Derived.kind",
        "int: sum(v) % 97",
    ),
    results=("c.writes, c.x, {int}", "e.x, e.y, q.m, {int}", "v.n, v.kind, z.n, z.asked, {int}"),
)

_DATACLASSES = Theme(
    prelude="""\
import dataclasses
from collections import namedtuple
from dataclasses import dataclass, field, replace
from enum import Enum, Flag, IntEnum
from typing import NamedTuple


@dataclass
class Point:
    x: object
    y: object = 2

    def moved(self, by):
        if by > 2:
            self.x = by
        return replace(self, y=by)


@dataclass(frozen=True)
class Frozen:
    x: object
    y: object = 3


@dataclass(order=True, slots=True)
class Sorted:
    x: object
    items: list = field(default_factory=list)

    def __post_init__(self):
        self.x = self.x % 5


class Mark(NamedTuple):
    x: object
    y: object = 4

    @property
    def sum(self):
        return self.x + self.y if self.x > 1 else self.y


Old = namedtuple("Old", "x y")


class Colour(Enum):
    RED = 1
    BLUE = 2

    @property
    def other(self):
        return Colour.BLUE if self is Colour.RED else Colour.RED


class Level(IntEnum):
    LOW = 1
    HIGH = 5


class Sides(Flag):
    LEFT = 1
    RIGHT = 2


""",
    header="""\
    o, i, s, m, t = Point(a), Frozen(b), Sorted(3), Mark(a), Old(1, b)
    c, u, w = Colour.RED, Level.LOW, Sides.LEFT
""",
    forms=(
        "do: o.x = {value}",
        "do: o.y += {value}; o.y %= 97",
        "do: o = o.moved({value})",
        "do: o = replace(o, x={value})",
        "do: i = replace(i, y={value})",
        "do: i = Frozen(o.x, {value})",
        "do: s.x = {value}",
        "do: s.items.append({value})",
        "do: s = Sorted({value}, s.items)",
        "do: m = m._replace(x={value})",
        "do: m = Mark({value}, m.y)",
        "do: t = Old(t.y, {value})",
        "do: c = Colour.BLUE",
        "do: c = c.other",
        "do: c = Colour({value} % 2 + 1)",
        "do: u = Level.HIGH",
        "do: w = w | Sides.RIGHT",
        "do: try:;     i.x = {value}; except AttributeError:;     a = (a + 1) % 97",
        "do: try:;     m.x = {value}; except AttributeError:;     b = (b + 1) % 97",
        "do: {k}, {v} = m; a = ({k} + {v}) % 97",
        "do: if o == Point({value}, 2):;     a = (a + 1) % 97",
        "do: if i == Frozen({value}):;     b = (b + 1) % 97",
        "do: if s < Sorted({value}):;     a = (a + 2) % 97",
        "do: if m == ({value}, 4):;     a = (a + 3) % 97",
        "do: if c is Colour.RED:;     a = (a + 1) % 97",
        "do: if u == {value}:;     b = (b + 1) % 97",
        "do: match o:;     case Point(x=1):;         a = 5;     case Point(y={k}):;         pass",
        "do: match c:;     case Colour.RED:;         b = 5;     case Colour.BLUE:;         b = 6",
        "int: m.sum % 97",
        "int: m[{value} % 2]",
        "int: c.value",
        "int: u + {value}",
        "int: w.value",
        "int: len(c.name)",
        "int: i.x + i.y",
        "int: len(s.items)",
        "int: dataclasses.astuple(o)[1]",
        "int: sum(dataclasses.asdict(i).values()) % 97",
        "int: max([m, Mark(1, {value})]).y",
        "int: {{Colour.RED: 1, Colour.BLUE: {value}}}[c]",
    ),
    results=("o, {int}", "m, i, {int}", "c.value, u.value, {int}", "s.x, len(s.items), t, {int}"),
)

_COUNTERS = Theme(
    prelude="""\
N = 0
SEEN = [0, 0]


def counted(u):
    global N
    N = (N + u) % 97
    if N > 20:
        SEEN[0] = u
    return N


def twice(u):
    return counted(u) + counted(u + 1)


class Tally:
    total = 0

    def __init__(self):
        self.own = 0

    def add(self, u):
        global N
        self.own += 1
        Tally.total = (Tally.total + u) % 97
        if u > 4:
            N = u
        return self.own


""",
    header="""\
    global N
    N, SEEN[0], SEEN[1], Tally.total = a, b, 0, b
    k, t = 0, Tally()

    def bumped(u):
        nonlocal k
        k += 1
        if u > 2:
            k = (k + u) % 97
        return k

    def nested(u):
        n = u

        def inner(w):
            nonlocal n, k
            n = (n + w) % 97
            if n > 5:
                k = n
            return n

        for i in range(3):
            if inner(i) > 4:
                break
        return n

""",
    forms=(
        "do: N = {value}",
        "do: k = {value}",
        "do: a = bumped({value})",
        "do: for {v} in xs:;     if bumped({v}) > {value}:;         break",
        "do: {k} = 0; while {k} < 4 and counted({k}) < {value}:;     {k} += 1",
        "do: for {v} in range({value} % 4):;     counted({v});     bumped({v})",
        "do: SEEN[1] += counted({value})",
        "do: SEEN[0] = N",
        "do: Tally.total = {value}",
        "do: t.total = {value}",
        "do: b = [bumped({v}) for {v} in xs][-1]",
        "do: b = sum([twice({v}) for {v} in xs if counted({v}) > 3]) % 97",
        "do: if bumped({value}) > 3 and counted({value}) > 3 or bumped(1) > 9:;     a = N",
        "int: twice({value}) % 97",
        "int: nested({value})",
        "int: t.add({value})",
        "int: k",
        "int: N",
        "int: SEEN[0] + SEEN[1]",
        "int: t.own + t.total",
        "int: Tally.total",
        "int: max(map(bumped, xs))",
        "int: sorted(xs, key=bumped)[0]",
    ),
    results=("k, N, {int}", "SEEN[0], SEEN[1], {int}", "t.own, t.total, Tally.total, N, {int}"),
)

_SEATS = Theme(
    prelude="""\
from dataclasses import dataclass
from operator import attrgetter


@dataclass
class Seat:
    place: int
    held: int

    def get(self):
        return self.place + self.held


@dataclass
class Stand:
    held: int
    flag: int
    place: int = 3

    def get(self):
        return self.place * 2 + self.flag


""",
    header="""\
    seats = [Seat(a, 1), Stand(b, 2), Seat(3, 4)]
    one = Seat(a, 5) if a > 2 else Stand(b, 6)
    some = Seat(b, 7) if b > 3 else None
    rows = [a] if a > 1 else None
""",
    forms=(
        "do: match seats[{value} % 3]:;     case Seat(place=p, held=h):;         a = (p + h) % 97;"
        "     case Stand(flag=p):;         a = p",
        "do: match one:;     case Seat(p, h) if p > 1:;         b = (p * 2 + h) % 97;"
        "     case Stand():;         b = 4;     case _:;         b = 5",
        "do: match some:;     case Seat(place=p):;         a = p;     case None:;         a = 1",
        "do: if some is not None:;     some.place = (some.place + {value}) % 97",
        "do: if some is None:;     some = Seat({value}, 2)",
        "do: {r} = some or Seat({value}, 8); {r}.held = {value}; b = (b + {r}.get()) % 97",
        "do: {r} = rows or [{value}]; {r}.append({value}); a = len({r})",
        "do: if rows is not None:;     rows.append({value})",
        "do: if rows is None:;     rows = [{value}, 2]",
        "do: one.place = {value}",
        "do: seats[{value} % 3].held = {value}",
        "do: for {r} in seats:;     {r}.place = ({r}.place + {value}) % 97",
        "int: one.place + one.held",
        "int: one.get() % 97",
        "int: seats[{value} % 3].place",
        "int: seats[{value} % 3].get() % 97",
        "int: sum(map(attrgetter('place'), seats)) % 97",
        "int: max(seats, key=attrgetter('held')).get() % 97",
        "int: getattr(one, 'flag', 9) % 97",
        "int: 0 if some is None else some.get() % 97",
        "int: len(rows or [])",
    ),
    results=("one.place, one.held, {int}", "seats[0].place, seats[1].held, {int}", "rows, {int}"),
)

OBJECTS = {
    "attributes": _ATTRIBUTES,
    "entries": _ENTRIES,
    "descriptors": _DESCRIPTORS,
    "own_ways": _OWN_WAYS,
    "dataclasses": _DATACLASSES,
    "counters": _COUNTERS,
    "seats": _SEATS,
}
