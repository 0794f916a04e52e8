"""Constructs that random programs for graphs contain: names, their scopes, what is done with them.

Written as in `programs_snippets`.
"""

STAGED_SCOPES = (
    """\
$k = 0
while ($w := $k + 1) < 4 and <bool>:
    $k = $w
    if <bool>:
        break
    LOOP
else:
    BLOCK
""",
    """\
if <int> <= ($w_int := <int>) < 40 and <bool>:
    BLOCK
""",
    """\
$p_int = ($w_int := <int>) if <bool> else <int>
""",
    """\
def $f():
    nonlocal a, b
    if <bool>:
        a, b = b, a
        return b
    a = (a + 1) % 50
    return a
if <bool>:
    $n_int = $f()
    BLOCK
b = ($f() + $f()) % 50
""",
    """\
def $f(u):
    def inner():
        nonlocal u, b
        u = u - 1
        b = u
        return u > 0
    while inner():
        if <bool>:
            return u
    return u * 2
a = $f(<int> % 5)
""",
    """\
def $f(u):
    nonlocal b
    b = (b + u) % 50
for $x in xs:
    $f($x)
    if <bool>:
        continue
    LOOP
""",
    """\
$l = []
for $x in (1, 2, 3):
    $l.append(lambda u, w=$x: u + w + $x if <bool> else b)
b = <int>
a = sum([each(b) for each in $l]) % 50
""",
    """\
($p_int, *$r), $q_int = [<int>, <int>, 3], <int>
*$s, $p_int = [<int>, $q_int]
b = ($r[0] + $s[0]) % 50
""",
    """\
$x, $y, $z = xs
$n_int = ($x * $y - $z) % 50
""",
    """\
$x, *$r = xs
for $y in $r:
    if $y > $x:
        a = ($y + a) % 50
""",
    """\
$p_int = $o = <int>
$q = Pair($p_int, [<int>, 2])
for $x in xs:
    $q.a = ($q.a + $x) % 50
    $q.b[0] = ($q.b[0] + $q.a) % 50
    if <bool>:
        $q.b[1] = $x
        break
a = ($q.a + $q.b[0] + $q.b[1]) % 50
""",
    """\
def $d(made):
    def wrapped(*args, **more):
        if <bool>:
            return made(*args, **more)
        return args[0]
    return wrapped

@$d
def $f(u, v=<int>):
    while u > v:
        u = u - 2
        if <bool>:
            break
    else:
        return v % 50
    return u % 50
a = $f(<int>)
""",
    """\
for $m in ('a', 'b', None):
    match $m:
        case 'a' if len(xs) == 3:
            continue
        case str() if len($m) == 1:
            LOOP
        case None:
            BLOCK
""",
    """\
match (1, 'x'), [2]:
    case ($i, 'x'), [$j] if $j > 2:
        a = (<int> + $i) % 50
    case ($i, 'x' | 'y'), [$j, *_] if $i != $j:
        BLOCK
    case _:
        b = 3
""",
    """\
$l = [u * 2 + <int> for u in range(4) if u % 2 or u > 2]
$d = {u: <int> for u in 'ab' if u != 'b'}
$n_int = ($l[-1] + $d['a'] + len($l)) % 50
""",
    """\
$n_int = sum(u for u in (<int>, <int>, 3)) % 50
if any(u > <int> for u in (1, <int>)) and all([<bool>, <bool>]):
    BLOCK
""",
    """\
$k = 0
while $k < 3:
    $k += 1
    try:
        if <bool>:
            continue
        LOOP
    finally:
        b = (b + $k) % 50
else:
    BLOCK
""",
    """\
for $x in xs:
    with nullcontext($x) as $y:
        if <bool>:
            break
        LOOP
else:
    BLOCK
""",
    """\
def $f(u):
    for w in (1, 2, 3):
        if w == 2 and len(xs) == 2:
            return
        yield w + u
$n_int = 0
for $x in $f(<int>):
    $n_int = ($n_int + $x) % 50
""",
    """\
$f = lambda u, w=<int>, *, z=1: (u if u > w else -u) + z
a = $f(<int>) % 50
if <bool>:
    a = $f(<int>, z=<int>) % 50
""",
    """\
$s: int = <int>
if <bool>:
    $s: int = <int>
    b = (lambda: $s + 1)() % 50
a = $s
""",
    """\
for $k in range(3):
    $k = $k + <int>
    if <bool>:
        break
    b = $k % 50
else:
    $k = <int>
a = $k % 50
""",
    """\
$p_int = <int>
if <bool>:
    del $p_int
    $p_int = <int>
    BLOCK
a = $p_int
""",
    """\
class $K:
    def __init__(self, u):
        self.u = u
        if <bool>:
            self.u = <int>

    def step(self):
        while self.u > 5:
            self.u = self.u // 2
            if <bool>:
                break
        self.u = self.u + 1
        return self
a = $K(<int>).step().step().u % 50
""",
    """\
def $f(u):
    if u <= 0 or <bool>:
        return 0
    return ($f(u - 1) + <int>) % 50
a = $f(3)
""",
    """\
def $f(u, w=None):
    if w is None:
        w = u
    elif <bool>:
        return w
    return (u + w) % 50
a = $f(<int>)
b = $f(<int>, <int>)
""",
    """\
$t = ((<int>, 1), <bool>)
for $x in xs:
    ($u, $v), $w = $t
    $t = (($u + $x) % 50, $v + 1), <bool>
    if $w:
        break
a = ($t[0][0] + $t[0][1]) % 50
""",
)
