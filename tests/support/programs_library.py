"""Themes of objects of the standard library, which programs change in branches and loops: some of
their state is Python's own, some is in C, and an iterator cannot go back.
"""

from tests.support.programs_objects import Theme, common

_CONTEXTS = Theme(
    prelude="""\
import contextvars

V = contextvars.ContextVar("V")
W = contextvars.ContextVar("W", default=4)


def deeper(u):
    token = W.set(u)
    try:
        return W.get() + 1 if u > 2 else V.get()
    finally:
        W.reset(token)


def kept(u):
    if u > 2:
        V.set(u)
    return V.get()


""",
    header="""\
    V.set(1)
    W.set(2)
    ctx = contextvars.copy_context()
""",
    forms=(
        *common(
            "int: V.get()",
            "int: W.get()",
            "int: V.get(7)",
            "do: V.set(3)",
            "do: {r} = W.set(5); a = (a + W.get()) % 97; W.reset({r})",
            "do: {r} = V.get(); b = ({r} + 1) % 97",
            "do: {r} = contextvars.copy_context(); a = {r}[V]",
            "int: contextvars.copy_context().run(V.get)",
        ),
        "do: V.set({value})",
        "do: W.set({value})",
        "do: V.set({value}); V.set(1)",
        "do: V.set(a); a = (a + V.get()) % 97; V.set(2)",
        "do: {r} = V.set({value}); a = (a + V.get()) % 97; V.reset({r})",
        "do: for {v} in xs:;     V.set({v})",
        "do: for {v} in xs:;     {r} = W.set({v});     a = (a + W.get()) % 97;     W.reset({r})",
        "int: deeper({value})",
        "int: kept({value})",
        "do: {r} = contextvars.copy_context(); a = {r}.run(kept, {value}) % 97",
        "int: contextvars.copy_context().run(deeper, {value})",
        "do: {r} = contextvars.copy_context(); {r}.run(V.set, 4); a = {r}[V]",
        "do: ctx.run(V.set, 6)",
        "int: ctx.get(V, 3)",
    ),
    results=("V.get(), W.get(), {int}", "W.get(), {int}", "{int}"),
)

_STREAMS = Theme(
    prelude="""\
import array
import io
import struct
from collections import deque


def put(out, u):
    if u > 2:
        out.write("deep")
    return u


""",
    header="""\
    out, data, view = io.StringIO(), bytearray(b"abc"), bytearray(4)
    numbers = array.array("i", [1, 2])
""",
    forms=(
        *common(
            "int: len(out.getvalue())",
            "int: out.tell()",
            "int: len(data)",
            "int: data[0]",
            "int: data.count(b'a')",
            "int: numbers[1]",
            "int: sum(numbers)",
            "int: struct.unpack('B', bytes(view[:1]))[0]",
            "int: out.getvalue().count('e')",
            "do: {r} = io.StringIO(); {r}.write('text'); a = (a + {r}.tell()) % 97",
            "do: {r} = bytearray(2); {r}[1] = 5; b = sum({r})",
            "do: {r} = array.array('i'); {r}.append(4); b = {r}[0]",
        ),
        "do: out.write('e')",
        "do: print('e', file=out)",
        "do: out.seek(0)",
        "do: out.truncate(0)",
        "do: a = put(out, {value})",
        "do: data[0] = 98",
        "do: data.append(97)",
        "do: data += b'a'",
        "do: del data[-1:]",
        "do: numbers[1] += 1",
        "do: numbers.append(7)",
        "do: numbers[0] = 4",
        "do: struct.pack_into('B', view, 0, 7)",
        "do: memoryview(view)[1] = 3",
        "do: {r} = io.StringIO('one two'); {r}.read(3); b = len({r}.read())",
        "do: for {v} in io.StringIO('ab'):;     a = len({v})",
    ),
    results=("len(out.getvalue()), {int}", "sum(data), {int}", "list(numbers), sum(view), {int}"),
)

_COLLECTED = Theme(
    prelude="""\
import bisect
import heapq
from collections import ChainMap, Counter, OrderedDict, UserDict, UserList, defaultdict, deque
from types import SimpleNamespace


def pushed(heap, u):
    if u > 1:
        heapq.heappush(heap, u)
    return heap[0]


""",
    header="""\
    q, c, d, o, h, s = deque([1, a], 3), Counter(), defaultdict(list), OrderedDict(), [2], [1, 5]
    n, u, m, w = SimpleNamespace(x=a), UserList([1, 2]), ChainMap({1: 2}, {2: b}), UserDict(x=1)
""",
    forms=(
        "do: q.append({value})",
        "do: q.appendleft({value})",
        "do: q.rotate(1)",
        "do: if q:;     a = q.popleft()",
        "do: q.extend([1, {value}])",
        "do: for {v} in list(q):;     b = (b + {v}) % 97",
        "do: c[{key}] += 1",
        "do: c.update(xs)",
        "do: c.subtract([{key}])",
        "do: d[{key}].append({value})",
        "do: o[{key}] = {value}",
        "do: if {key} in o:;     o.move_to_end({key})",
        "do: o.pop({key}, 0)",
        "do: if o:;     {k}, {v} = o.popitem(last=False);     a = {v}",
        "do: heapq.heappush(h, {value})",
        "do: a = heapq.heappushpop(h, {value})",
        "do: if len(h) > 1:;     b = heapq.heappop(h)",
        "do: a = pushed(h, {value})",
        "do: heapq.heapify(h)",
        "do: bisect.insort(s, {value})",
        "do: n.x = {value}",
        "do: n.x += 1",
        "do: u[0] = {value}",
        "do: u.append({value})",
        "do: m[1] = {value}",
        "do: w['x'] = {value}",
        "int: q[0] if q else {value}",
        "int: len(q)",
        "int: sum(q) % 97",
        "int: c[{key}]",
        "int: c.total() % 97",
        "int: max(c.values(), default={value})",
        "int: len(d[{key}])",
        "int: sum([len({v}) for {v} in d.values()])",
        "int: list(o)[0] if o else {value}",
        "int: h[0] % 97",
        "int: heapq.nsmallest(1, h)[0]",
        "int: sum(h) % 97 + len(h)",
        "int: bisect.bisect_left(s, {value})",
        "int: s[1]",
        "int: n.x",
        "int: u[0] + len(u)",
        "int: m[1]",
        "int: w['x']",
    ),
    results=("list(q), {int}", "sorted(c.items()), {int}", "s, {int}", "sorted(h), n.x, {int}"),
)

_ITERATORS = Theme(
    prelude="""\
import itertools


def numbers(n):
    for i in range(n):
        yield i * 2


def taken(it):
    return next(it, 9)


class Steps:
    def __init__(self, n):
        self.n = n

    def __iter__(self):
        return self

    def __next__(self):
        if self.n > 20:
            raise StopIteration
        self.n += 3
        return self.n


""",
    header="""\
    it, c, g, z = iter([1, 2, 3, 4, 5]), itertools.count(1), numbers(6), Steps(a)
    y, e, l = itertools.cycle("ab"), enumerate([5, 6, 7, 8]), [4, 5, 6]
""",
    forms=(
        *common(
            "int: sum([{v} * 2 for {v} in itertools.islice(numbers(5), 3)])",
            "int: next(itertools.count(3))",
            "do: for {v} in z:;     if {v} > {value}:;         break",
            "int: next(z, {value})",
            "do: for {k}, {v} in zip(itertools.count(), xs):;     a = (a + {k} * {v}) % 97",
            "do: for {v} in numbers(4):;     a = (a + {v}) % 97;     if a > 40:;         break",
            "int: list(itertools.accumulate(xs))[-1] % 97",
            "int: sum(itertools.chain(xs, [{value}])) % 97",
            "int: z.n % 97",
            "int: [{v} for {v} in zip(l, l)][1][0]",
            "do: l.append({key}); for {v} in iter(l):;     b = (b + {v}) % 97",
        ),
        "int: next(it, 9)",
        "int: next(c)",
        "int: next(g, 9)",
        "int: len(next(y))",
        "int: taken(it)",
        "int: taken(g)",
        "int: next(e, (0, 1))[1]",
        "do: for {v} in it:;     a = (a + {v}) % 97;     break",
        "do: for {v} in g:;     a = (a + {v}) % 97;     if a > {value}:;         break",
        "do: for {v} in itertools.islice(it, 2):;     b = (b + {v}) % 97",
        "do: for {v} in xs:;     a = next(c)",
        "do: a, b = next(it, 1), next(it, 2)",
        "do: g.close()",
        "do: g = numbers(3)",
        "do: it = iter([7, 8])",
        "int: sum(g)",
        "int: len(list(it))",
    ),
    results=("next(it, 7), next(c), {int}", "sum(g), {int}", "list(it), {int}", "z.n, {int}"),
)

_SETTINGS = Theme(
    prelude="""\
import configparser
import decimal
import logging
import random
import threading
from datetime import date, timedelta
from fractions import Fraction
from unittest import mock

LOG = logging.getLogger("programs")


class Local(threading.local):
    n = 1


def third():
    return len(str(1 / decimal.Decimal(3)))


def settled(r, u):
    if u > 2:
        r.seed(4)
    return u


""",
    header="""\
    r, m, local, q = random.Random(3), mock.Mock(return_value=4), Local(), Fraction(1, 2)
    lock, free = threading.Lock(), threading.Lock()
    when, parser, numbers = date(2024, 1, 30), configparser.ConfigParser(), decimal.Context(5)
    parser.read_dict({"s": {"x": "1"}})
    LOG.setLevel(10)
    m.n = 2
""",
    forms=(
        *common(
            "int: when.day",
            "int: q.numerator + q.denominator",
            "int: LOG.level",
            "int: parser.getint('s', 'x')",
            "int: numbers.prec",
            "int: local.n",
            "int: m.n",
            "int: 1 if lock.locked() else 2",
            "int: len(m.mock_calls)",
            "do: {r} = random.Random(7); a = {r}.randrange(9)",
            "do: with free:;     a = (a + 1) % 97",
            "do: local.n = {value}",
        ),
        "do: when = when + timedelta(days=1)",
        "do: when = when.replace(day=3)",
        "do: q = q + 1",
        "do: q = q * Fraction(2, 3)",
        "do: LOG.setLevel(20)",
        "do: LOG.disabled = True; LOG.disabled = False",
        "do: parser['s']['x'] = '2'",
        "do: parser.set('s', 'x', '4')",
        "do: parser.add_section('t')",
        "do: numbers.prec = 7",
        "do: numbers.prec += 1",
        "do: with decimal.localcontext(numbers) as {r}:;     {r}.prec = 2;     a = third()",
        "int: third()",
        "do: local.n += 1",
        "do: m.n = {value}",
        "do: m.n += 1",
        "do: m(1)",
        "do: m.other(2)",
        "do: m.return_value = 7",
        "do: m.reset_mock()",
        "int: m()",
        "do: if not lock.locked():;     lock.acquire()",
        "do: if lock.locked():;     lock.release()",
        "do: r.seed(5)",
        "do: a = settled(r, {value})",
        "int: r.randrange(9)",
        "do: r.shuffle([1, 2])",
    ),
    results=(
        "when.day, q.numerator, {int}",
        "LOG.level, numbers.prec, {int}",
        "parser.get('s', 'x') == '2', {int}",
        "local.n, m.n, m.call_count, {int}",
        "r.randrange(99), {int}",
        "lock.locked(), {int}",
    ),
)

LIBRARY = {
    "contexts": _CONTEXTS,
    "streams": _STREAMS,
    "collected": _COLLECTED,
    "iterators": _ITERATORS,
    "settings": _SETTINGS,
}
