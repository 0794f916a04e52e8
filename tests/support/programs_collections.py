"""Statements with collections of which only the run may know what is in them.

`{value}` is a random int, `{key}` a small one, `{k}`, `{v}` and `{r}` are new names. A form is
`int: expression` or `do: line; line`.
"""

GROWING = (
    "do: grown.append({value})",
    "do: grown.append({value})",
    "do: grown += [{value}, {value}]",
    "do: grown.insert({place}, {value})",
    "do: if grown:;     grown.pop()",
    "do: if len(grown) > 1:;     del grown[1]",
    "do: if grown:;     grown[-1] = {value}",
    "do: grown = grown[:3]",
    "do: grown.extend(grown[-2:])",
    "do: if len(grown) > 5:;     grown.clear()",
    "do: grown.reverse()",
    "int: len(grown)",
    "int: grown[-1] if grown else {value}",
    "int: sum(grown[1:]) % 97",
    "int: 1 if {value} in grown else 0",
    "int: grown[{value} % len(grown)] if grown else {value}",
    "do: if grown:;     grown[{value} % len(grown)] += {value}",
    "do: grown.sort(reverse=True)",
    "int: sorted(grown)[0] if grown else {value}",
    "int: grown.count({value})",
    "int: (5, {value}, 9)[{value} % 3]",
    "int: [[4, 5], [6, {value}]][{value} % 2][{value} % 2]",
    "do: counted[{value}] = {value}",
    "do: counted[{value} % 3] = counted.get({value} % 3, 0) + 1",
    "do: if {value} in counted:;     counted[{value}] += 2",
    "do: if {value} in counted:;     del counted[{value}]",
    "do: if len(counted) > 4:;     counted.clear()",
    "do: if counted:;     counted.popitem()",
    "do: counted.update(((1, {value}), ({value}, 2)))",
    "int: counted.pop({value}, 3)",
    "int: counted.setdefault({value} % 4, {value})",
    "int: len(counted)",
    "int: 1 if {value} in counted else 0",
    "int: sum(counted.values()) % 97",
    "int: sum([key * entry for key, entry in counted.items()]) % 97",
    "int: list(counted)[-1] if counted else {value}",
    "int: max(counted.values(), default={value})",
    "int: sum({{x % 3: x for x in grown}}.values()) % 97",
    "do: seen.add({value})",
    "do: seen.discard({value})",
    "int: len(seen) + (1 if {value} in seen else 0)",
    "int: sum({{x for x in grown if x > {value}}}) % 97",
)

_DICTS = (
    "do: d[{key}] = {value}",
    "do: d[{key}] = {value}",
    "do: d[{key}] = d.get({key}, 0) + 1",
    "do: {k} = {key}; if {k} in d:;     d[{k}] += {value}; else:;     d[{k}] = {value}",
    "do: {k} = {key}; if {k} in d:;     del d[{k}]",
    "do: {k} = {key}; if {k} not in d:;     d[{k}] = [{value}, 2][{key} % 2]",
    "do: d.update({{{key}: {value}, {key}: 3}})",
    "do: d |= {{{key}: {value}}}",
    "do: d = {{**d, {key}: {value}}}",
    "do: d = dict(sorted(d.items()))",
    "do: d = {{{k}: {v} + 1 for {k}, {v} in d.items() if {k} != {value}}}",
    "do: {r} = dict(d); {r}[{key}] = {value}; a = (a + sum({r}.values())) % 97",
    "do: {r} = d; {r}[{key}] = {value}; b = d[{key}] if {key} in d else b",
    "do: for {k} in d:;     a = (a * 2 + {k}) % 97",
    "do: for {k}, {v} in d.items():;     b = (b + {k} * {v}) % 97",
    "do: for {k} in sorted(d):;     a = (a * 3 + d[{k}]) % 97",
    "do: for {k} in list(d):;     if {k} > {value}:;         del d[{k}]",
    "do: for {k}, {v} in list(d.items()):;     d[{k}] = ({v} + {key}) % 97",
    "do: for {k} in d:;     d[{k}] = (d[{k}] + {value}) % 97",
    "do: for {k}, {v} in d.items():;     if {v} > {value}:;         b = {k};         break",
    "do: try:;     a = d[{key}] % 97; except KeyError:;     a = (a + 1) % 97",
    "do: try:;     del d[{key}]; except KeyError:;     d[{key}] = 1",
    "do: try:;     b = d.pop({key}) % 97; finally:;     a = (a + len(d)) % 97",
    "do: if d:;     {k}, {v} = d.popitem();     a = ({k} + {v}) % 97",
    "do: if len(d) > 5:;     d.clear()",
    "int: d.get({key}, {value})",
    "int: d.get({key}) or {value}",
    "int: d.pop({key}, {value})",
    "int: d.setdefault({key}, {value})",
    "int: d[{key}] if {key} in d else {value}",
    "int: len(d) + len(d.keys())",
    "int: sum(d) % 97",
    "int: sum(d.values()) % 97",
    "int: sum(k * v for k, v in d.items()) % 97",
    "int: max(d, default={value})",
    "int: max(d.values(), default={value})",
    "int: max(d, key=d.get) if d else {value}",
    "int: min(d, key=lambda k: d[k]) if d else {value}",
    "int: min(d.items(), key=lambda e: (e[1], e[0]))[0] if d else {value}",
    "int: sorted(d.items())[0][1] if d else {value}",
    "int: sorted(d, key=d.get)[0] if d else {value}",
    "int: list(d.values())[-1] if d else {value}",
    "int: next(iter(d)) if d else {value}",
    "int: 1 if {value} in d.values() else 0",
    "int: 1 if any(v > {value} for v in d.values()) else 0",
    "int: {{1: {value}, 2: 5}}.get({key}, {key})",
)

_GROUPS = (
    "do: g.setdefault({key}, []).append({value})",
    "do: g.setdefault({key}, []).append({value})",
    "do: h[{key}].append({value})",
    "do: h[{key}] += [{value}, {value}]",
    "do: {k} = {key}; if {k} not in g:;     g[{k}] = []; g[{k}].append({value})",
    "do: {k} = {key}; if {k} in g:;     g[{k}].append({value})",
    "do: for {k}, {r} in g.items():;     a = (a + {k} * len({r})) % 97",
    "do: for {r} in g.values():;     {r}.append({value})",
    "do: for {k} in sorted(h):;     b = (b * 2 + sum(h[{k}])) % 97",
    "do: {k} = {key}; if g.get({k}):;     a = g[{k}].pop() % 97",
    "do: {r} = g.get({key}, []); b = (b + len({r})) % 97",
    "do: {k} = {key}; if {k} in g:;     {r} = g[{k}];     {r}.append(7);     b = g[{k}][-1] % 97",
    "do: for {v} in xs:;     g.setdefault({v} % 2, []).append({v})",
    "do: for {v} in xs:;     h[{v} % 2].append({value})",
    "int: len(g.get({key}, []))",
    "int: len(h[{key}])",
    "int: sum(map(len, g.values()))",
    "int: sum(sum({r}) for {r} in h.values()) % 97",
    "int: max(map(len, g.values()), default={value})",
    "int: g[{key}][0] % 97 if {key} in g else {value}",
    "int: sum([len({r}) * {k} for {k}, {r} in g.items()]) % 97",
)

_SETS = (
    "do: s.add({value})",
    "do: s.add({key})",
    "do: s.discard({key})",
    "do: if {key} in s:;     s.remove({key})",
    "do: try:;     s.remove({key}); except KeyError:;     a = (a + 1) % 97",
    "do: s.update([{value}, {key}])",
    "do: s |= {{{key}, {key}}}",
    "do: s -= {{{value}}}",
    "do: s = s & {{1, 2, {key}}}",
    "do: s = {{*s, {value}}}",
    "do: s = {{{v} % 5 for {v} in s}}",
    "do: for {v} in sorted(s):;     a = (a * 2 + {v}) % 97",
    "do: if len(s) > 5:;     s.clear()",
    "do: for {v} in xs:;     if {v} in s:;         b = (b + 1) % 97;     s.add({v})",
    "int: len(s)",
    "int: sum(s) % 97",
    "int: max(s, default={value})",
    "int: sorted(s)[0] if s else {value}",
    "int: 1 if {value} in s else 0",
    "int: len(s | {{{key}, 9}}) - len(s - {{{key}}})",
    "int: 1 if s == {{1, {key}}} else 0",
    "int: 1 if {{{key}}} <= s else 0",
    "int: len({{*grown, *xs}})",
)

_DEQUES = (
    "do: q.append({value})",
    "do: q.appendleft({value})",
    "do: if q:;     a = q.popleft() % 97",
    "do: if q:;     b = q.pop() % 97",
    "do: q.extend([{value}, {key}])",
    "do: q.rotate({key})",
    "do: while q:;     {v} = q.popleft();     if {v} < 3 and {v} >= 0:;         q.append({v} + 3); "
    "    a = (a + {v}) % 97",
    "do: try:;     a = q.popleft() % 97; except IndexError:;     a = {value}",
    "do: for {v} in q:;     b = (b * 2 + {v}) % 97",
    "do: if len(q) > 5:;     q.clear()",
    "do: q = deque([*q, {value}], maxlen=4)",
    "do: if q:;     q[0] = {value}",
    "int: len(q)",
    "int: q[0] if q else {value}",
    "int: q[-1] if len(q) > 0 else {value}",
    "int: sum(q) % 97",
    "int: 1 if {value} in q else 0",
    "int: max(q, default={value})",
    "int: list(q)[{key} % len(q)] if q else {value}",
)

_COUNTERS = (
    "do: c[{key}] += 1",
    "do: c[{key}] += {value}",
    "do: c.update([{key}, {key}, 1])",
    "do: c.update({{{key}: {value}}})",
    "do: c.subtract([{key}])",
    "do: for {v} in xs:;     c[{v}] += 1",
    "do: if {key} in c:;     del c[{key}]",
    "do: for {k}, {v} in c.items():;     a = (a + {k} * {v}) % 97",
    "do: for {k}, {v} in c.most_common(2):;     a = (a * 2 + {k} + {v}) % 97",
    "int: c[{key}]",
    "int: sum(c.values()) % 97",
    "int: len(c)",
    "int: c.most_common(1)[0][1] if c else {value}",
    "int: max(c.values(), default={value})",
    "int: Counter(xs)[{key}]",
    "int: Counter(grown).get({key}, {value})",
)

_TABLES = (
    "do: t[{key} % 3][{key} % 3] = {value}",
    "do: t[{key} % 3][{key} % 3] += {value}",
    "do: t[{key} % 3] = [{value}, {key}, 1]",
    "do: {r} = t[{key} % 3]; {r}[{key} % 3] = {value}",
    "do: {r} = t[0]; {r}[{key} % 3] += {value}; b = t[0][1] % 97",
    "do: {k} = {key} % 3; t[{k}], t[0] = t[0], t[{k}]",
    "do: {k} = {key} % 3; {v} = {key} % 3; t[{k}][{v}], t[{v}][{k}] = t[{v}][{k}], t[{k}][{v}]",
    "do: for {r} in t:;     {r}[{key} % 3] += 1",
    "do: for {k} in range(3):;     for {v} in range({k}):;         t[{k}][{v}] = (a + {k}) % 7",
    "do: for {k} in range(1, 3):;     t[{k}][0] = (t[{k} - 1][1] + {value}) % 97",
    "do: t = [{r}[:] for {r} in t]",
    "do: t = [list({r}) for {r} in zip(*t)]",
    "do: t = [{r}[::-1] for {r} in t]",
    "do: t.reverse()",
    "do: t[{key} % 3].sort()",
    "do: w.append([{value}, {key}])",
    "do: if w:;     w[-1].append({value})",
    "do: if w:;     {r} = w.pop();     a = sum({r}) % 97",
    "do: for {r} in w:;     b = (b + {r}[0] * len({r})) % 97",
    "do: w = [{r} for {r} in w if {r}[0] > {value}]",
    "do: w = [*w, [{value}, {value}]]",
    "int: sum(map(sum, t)) % 97",
    "int: t[{key} % 3][{key} % 3] % 97",
    "int: max(t)[0] % 97",
    "int: max(max({r}) for {r} in t) % 97",
    "int: len([1 for {r} in t for {v} in {r} if {v} == {value}])",
    "int: 1 if [{value}, {key}, 1] in t else 0",
    "int: len(w)",
    "int: sum(len({r}) for {r} in w)",
    "int: w[-1][0] if w else {value}",
)

_DISPLAYS = (
    "do: grown = [*grown, {value}]",
    "do: grown = [{value}, *grown[:3], *xs]",
    "int: sum([*grown, *xs]) % 97",
    "int: max(*xs, {value})",
    "int: len((*grown, 1))",
    "do: {r}, *{v} = [{value}, *grown]; a = ({r} + len({v})) % 97",
    "int: sum({{1: {value}, {key}: 2}}.values()) % 97",
    "do: grown.append({value})",
    "do: if grown:;     grown.pop(0)",
)

_ITERATORS = (
    "int: 1 if {value} in Up({value}) else 0",
    "int: 2 if {value} in (x * 2 for x in Up({value})) else 3",
    "int: sum(x * y for x, y in zip(Up({value}), [3, {value}, 1])) % 97",
    "int: sum(Up({value})) + max(Down({value}), default=2)",
    "int: next(Up({value}), 7) + len(list(Down({value})))",
    "do: for {v} in Up({value}):;     if {v} == {value}:;         break;     grown.append({v})",
    "do: for {k}, {v} in zip(Down({value}), grown):;     a = (a + {k} * {v}) % 97",
    "do: grown = list(map(lambda x, y: x + y, Up({value}), Down({value})))",
    "do: {r} = Up({value}); {v} = 3 in {r}; b = (b + next({r}, 9) + (1 if {v} else 0)) % 97",
    "do: {r} = Up({value}); try:;     b = (next({r}) + next({r})) % 97; "
    "except StopIteration:;     b = (b + 1) % 97",
    "do: try:;     a = next(x for x in xs if x > {value}); except StopIteration:;     a = 5",
)

COLLECTIONS = (
    *_DICTS, *_DICTS, *_GROUPS, *_SETS, *_DEQUES, *_COUNTERS, *_TABLES, *_DISPLAYS, *_ITERATORS,
)  # fmt: skip

COLLECTIONS_PRELUDE = """\
from collections import Counter, defaultdict, deque

G = 2


def step(x, y=1, *, z=0):
    if x > y:
        return x - y
    return x + y + z


def put(into, key, value):
    into[key] = value
    return len(into)


class Up:
    def __init__(self, end):
        self.now, self.end = 0, end % 5

    def __iter__(self):
        return self

    def __next__(self):
        if self.now >= self.end:
            raise StopIteration
        self.now += 1
        return self.now


class Down(Up):
    def __next__(self):
        return 7 - super().__next__()


"""

COLLECTIONS_HEADER = """\
def program(a, b, p, f, xs):
    d, s, q, c = {}, set(), deque(), Counter()
    g, h, grown = {}, defaultdict(list), []
    t, w = [[0] * 3 for _ in range(3)], []
    if a > 99:
        d[a] = c[a] = t[0][0] = a
        g[a] = [a]
        h[a].append(a)
        s.add(a)
        q.append(a)
        w.append([a])
        grown.append(a)
"""

RESULTS = (
    "d, {int}",
    "list(d.items()), {int}",
    "sorted(s), len(s), {int}",
    "list(q), {int}",
    "sorted(c.items()), {int}",
    "[sum(r) for r in g.values()], {int}",
    "sorted(h), len(h), {int}",
    "t, {int}",
    "[len(r) for r in w], {int}",
    "grown, {int}",
    "{int}",
)
