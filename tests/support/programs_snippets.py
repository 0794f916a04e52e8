"""Constructs that random programs contain, as text with holes.

`<int>`, `<float>`, `<bool>`, `<list>` and `<return>` are random; `$n` is a new name, and `$n_int`
one that is an int for the rest of the program. A line `BLOCK` becomes random statements, `LOOP`
such that may leave a loop. Snippets keep apart what hypothesis draws: the text is plain Python.
"""

PLAIN_SNIPPETS = (
    """\
try:
    BLOCK
except (ValueError, IndexError) as $e:
    note(str($e))
    BLOCK
except Exception:
    note('passed on')
    raise
else:
    BLOCK
finally:
    note('finally')
""",
    """\
for $x_int in range(3):
    try:
        LOOP
        if <bool>:
            continue
        note($x_int)
    finally:
        BLOCK
else:
    BLOCK
""",
    """\
for $x_int in <list>[:3]:
    try:
        LOOP
    finally:
        note('left')
        if <bool>:
            break
""",
    """\
for $x_int in range(2):
    for $y_int in <list>[:2]:
        if <bool>:
            <return>
        LOOP
    else:
        continue
    note($x_int)
    break
else:
    BLOCK
""",
    """\
with Manager(<bool>) as $m_int, Manager(False):
    BLOCK
""",
    """\
for $x_int in range(3):
    with Manager(<bool>) as $m_int:
        LOOP
        if <bool>:
            break
""",
    """\
match {'kind': <int>, 'rest': <list>}:
    case {'kind': 0 | 1 as $k_int}:
        BLOCK
    case {'rest': [$y_int, *_]} if <bool>:
        BLOCK
    case {'kind': int($z_int)}:
        BLOCK
    case _:
        BLOCK
""",
    """\
match o, <int>:
    case Thing(_v=1), $k_int:
        BLOCK
    case _, 0:
        BLOCK
    case _ if <bool>:
        <return>
""",
    """\
$n_int, *$r_list = [<int>, *<list>]
""",
    """\
$p_int = $q_int = <int>
$s: int = <int>
note($s)
""",
    """\
note([a + <int> for a in <list>[:3] if a or <bool>])
note(sorted({u % 3 for u in <list>}))
note({u: [w for w in range(u)] for u in range(3) if <bool>})
""",
    """\
note([$w_int := u for u in range(2) if <bool>])
""",
    """\
$n_int = sum(u + w for u in range(2) for w in <list>[:2] if u != w)
""",
    """\
$k = 0
while ($w_int := $k) < 3 and <bool>:
    $k += 1
    LOOP
else:
    BLOCK
""",
    """\
$k = 0
while $k < 2:
    $k += 1
    for $x_int in <list>[:2]:
        if <bool>:
            break
        LOOP
    else:
        continue
    BLOCK
""",
    """\
for $i, ($j_int, *$r) in enumerate([(1, 2, 3), (4, <int>)]):
    note($r)
    LOOP
""",
    """\
for o.v in <list>[:2]:
    LOOP
""",
    """\
for xs[0] in (1, 2):
    LOOP
""",
    """\
$d = {'k': <int>, 'l': <list>}
if 'k' in $d and $d['k'] > <int>:
    BLOCK
    $d['k'] += <int>
elif not $d.get('m') or <bool>:
    $d['m'] = <int>
    del $d['l']
note($d)
""",
    """\
$s = 'ab' if <bool> else 'b'
if 'a' in $s and <bool>:
    $s += 'c'
    BLOCK
elif $s == 'b' or <bool>:
    $t = $s, <int>
    note($t)
note(f"{$s!r:>6} {<int>}")
""",
    """\
xs[<int> % 3] *= <int>
xs[0], xs[-1] = xs[-1], xs[0]
""",
    """\
xs[1:] = <list>
del xs[3:]
""",
    """\
def $f(u):
    total = 0

    def inner():
        nonlocal total
        for w in range(u % 3):
            if <bool>:
                return total
            total += w
        total += 1
        return total
    return inner() + inner()
note($f(<int>))
""",
    """\
def $f(u, *rest, k=<int>, **more):
    if u > 3 or not rest:
        return k
    for w in rest:
        if w == u:
            return more.get('m', w)
    return len(rest)
note($f(*<list>, k=<int>, m=<int>))
""",
    """\
def $f(u):
    if u <= 0 or <bool>:
        return 0
    return $f(u - 1) + <int>
note($f(<int> % 5))
""",
    """\
def $f():
    global G
    if <bool>:
        G += 1
    else:
        G = <int>
$f()
note(G)
""",
    """\
def $f(u):
    got = yield u
    while got:
        if got > 2:
            return got
        got = yield from items(got)
    yield u
$g = $f(<int>)
note(next($g))
try:
    note($g.send(<int> % 4))
    note(list($g))
except StopIteration as $e:
    note($e.value)
""",
    """\
async def $f(u):
    for w in range(u % 3):
        if <bool>:
            return w
    return u
try:
    $f(<int>).send(None)
except StopIteration as $e:
    note($e.value)
""",
    """\
class $K(Thing):
    limit = <int>

    def grow(self, u):
        while u > self.limit and u > 0:
            u -= 1
            self.v += u
            if self.v > 20:
                return self
        return super().v if u else None
note($K().grow(<int>) is None)
""",
    """\
$f = lambda u, w=<int>: u if u > w else (w if <bool> else -u)
note($f(<int>))
""",
    """\
if ($w_int := <int>) and (<bool> or $w_int > 1):
    BLOCK
""",
    """\
assert ($w_int := <int>) is not None, note('never')
""",
    """\
note(step(*<list>[:2], **{'z': 1}) if <bool> else 0 <= <int> < 4)
""",
    """\
try:
    raise KeyError('k') from (ValueError('v') if <bool> else None)
except KeyError as $e:
    note(repr($e.__cause__))
""",
    """\
$q = xs if <bool> else list(xs)
$q.append(<int>)
note(xs is $q)
""",
)

STAGED_SNIPPETS = (
    """\
match <int>, <int> % 3:
    case 0 | 1 | 2, $m:
        a = (a + $m) % 50
    case $m, 0 if $m > b:
        BLOCK
    case ($x, 1) | (1, $x) if <bool>:
        b = (b - $x) % 50
        BLOCK
    case _, 2:
        <return>
""",
    """\
match [<int>, {'k': a, 'n': <int>}]:
    case [4, {'k': $x, **$d}]:
        b = ($x + $d['n']) % 50
    case [$x, {'n': 3 | 5 as $y}] if $y > $x:
        BLOCK
    case [*_, {'k': $x}] if len(xs) == 3:
        BLOCK
    case $m:
        a = ($m[0] + 1) % 50
""",
    """\
$s = 'x' if <bool> else 'yz'
if <bool>:
    $s = ['a', 'x', 'b'][<int> % 3]
match $s:
    case 'x' | 'b':
        BLOCK
    case 'yz' if <bool>:
        a = (a * 3) % 50
""",
    """\
$t = [[1, 2], [3, 4], [5, 6]]
$t[<int> % 3], $t[<int> % 3] = $t[<int> % 3], $t[b % 3]
$t[a % 3][<int> % 2] = <int>
$t[b % 3] = [a, <int>]
b = ($t[a % 3][0] + $t[1][b % 2]) % 50
""",
    """\
$l = [<int>, 1, 2, <int>]
$l[<int> % 4:b % 4] = [a, 7]
del $l[a % 3:2]
a = (sum($l) + len($l)) % 50
""",
    """\
for $x in (1, 2):
    for $y in xs:
        if <bool>:
            <return>
        LOOP
""",
    """\
for $i, $x in enumerate(xs):
    a = (a + $i * $x) % 50
    LOOP
else:
    BLOCK
""",
    """\
for $x, $y in zip(xs, range(2)):
    if $x > $y:
        continue
    LOOP
""",
    """\
for $x in reversed(xs):
    LOOP
    if <bool>:
        break
""",
    """\
for $i in range(3, 25):
    a = (a + $i) % 50
    if <bool>:
        break
    LOOP
else:
    BLOCK
""",
    """\
for $i in range(20):
    if a > 30 and <bool>:
        <return>
    a = (2 * a + $i) % 50
""",
    """\
if all((a + $i) % 7 for $i in range(1, 30)) or any($j * $j > a % 50 for $j in range(20)):
    BLOCK
""",
    """\
$s = 'x' if <bool> else 'yz'
if $s == 'x':
    BLOCK
elif <bool>:
    $s = $s + 'x'
a = (a + len($s) + {'x': 1, 'yz': 2}.get($s, 5)) % 50
""",
    """\
$f = step if <bool> else abs
a = $f(a % 50) % 50
""",
    """\
$t = a

def $f(k, step):
    return k if k >= $t % 11 else 1 + $f(k + step, step)
a = $f(0, 1) + $f(2, 3)
""",
    """\
$k = 0
while $k < 3:
    $k += 1
    for $x in xs:
        if <bool>:
            break
        LOOP
    else:
        continue
    BLOCK
""",
    """\
for $m in ('add', 'sub', 'skip'):
    if $m == 'skip' or <bool>:
        continue
    match $m:
        case 'add':
            LOOP
        case _:
            BLOCK
""",
    """\
if ($w_int := <int>) > 2 and $w_int < 50:
    BLOCK
""",
    """\
$k = 0
while ($w := $k + 1) < 4 and <bool>:
    $k = $w
    LOOP
""",
    """\
$n_int, *$r = (<int>, <int>, 3)
b = $r[0]
""",
    """\
$p_int = $q_int = <int>
""",
    """\
$l = [u + <int> for u in (1, 2) if u != 3]
$n_int = ($l[0] - $l[1]) % 50
""",
    """\
$n_int = sum(map(lambda u: u + <int>, (1, 2))) % 50
""",
    """\
$d = {'k': <int>, 'j': (a, 0)}
if <bool>:
    $d['k'] = <int>
    $d['j'] = (b, 1)
$n_int = ($d['k'] + $d['j'][0]) % 50
""",
    """\
$l = [<int>, <int>]
for $x in xs:
    $l[0] = ($l[1] + $x) % 50
    if <bool>:
        $l[1] += 1
$n_int = $l[0]
""",
    """\
$o = Pair(<int>, <float>)
if <bool>:
    $o.a = <int>
    BLOCK
else:
    $o.b += 0.5
$n_int = $o.a
""",
    """\
$t = (<int>, (<bool>, 1.5))
if <bool>:
    $t = (<int>, (<bool>, 2.5))
if $t[1][0]:
    a = $t[0]
""",
    """\
with nullcontext(<int>) as $n_int:
    BLOCK
""",
    """\
try:
    BLOCK
finally:
    b = <int>
""",
    """\
def $f(u):
    total = 0

    def inner():
        nonlocal total
        for w in (1, 2):
            if <bool>:
                return total
            total = total + w
        total = total + u
        return total
    return (inner() + inner()) % 50
a = $f(<int>)
""",
    """\
def $f(u):
    yield u
    yield <int>
for $x in $f(a):
    LOOP
""",
    """\
def $f(u, *rest, k=3):
    for w in rest:
        if w == u:
            return w
    return k
b = $f(<int>, *(<int>, 2), k=<int>)
""",
    """\
$f = lambda u, w=<int>: u if u > w else -u
a = $f(<int>) % 50
""",
    """\
$n = None
for $x in xs:
    if $n is None or $x > $n:
        $n = $x
    elif <bool>:
        break
if $n is not None:
    b = $n
""",
    """\
a = 1 if <bool> else <int>
if 0 <= a < 4 or <bool> or 0:
    a = a + (1 if <bool> else 0)
""",
    """\
del a
if <bool>:
    a = <int>
else:
    a = 7
""",
)
