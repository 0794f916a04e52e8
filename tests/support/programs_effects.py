"""Constructs that random programs for graphs contain: what functions, generators and callbacks do
besides their results, and lists and texts that are built and begun anew.

Written as in `programs_snippets`.
"""

EFFECTS = (
    """\
$l = []
def $g(u):
    try:
        for $x in xs:
            $l.append(u)
            yield $x
    finally:
        $l.append(7)
for $v in $g(a):
    if <bool> and $v > <int> % 3:
        break
    $l.append($v)
    LOOP
a = (sum($l) + 3 * len($l)) % 50
""",
    """\
$l = [0]
def $g(u):
    try:
        while u > 0:
            yield u
            u = u // 2
    finally:
        $l[0] = $l[0] * 2 + 1
def $f():
    for $v in $g(a % 20):
        for $w in $g(b % 9):
            if $v + $w > <int>:
                return $w
    return 0
b = ($f() + $l[0]) % 50
""",
    """\
$l = []
def $g():
    try:
        yield from xs
        $l.append(2)
    finally:
        $l.append(5)
try:
    for $v in $g():
        if $v > <int> % 5 and <bool>:
            raise KeyError($v)
        a = (a + $v) % 50
        if <bool>:
            break
except KeyError:
    $l.append(11)
b = (sum($l) + (1 if any($v > 2 for $v in $g()) else 0) + sum($l)) % 50
""",
    """\
$n = [0]
def $f(u):
    $n[0] += 1
    return (u * 3) % 7
$s = sorted([$x for $x in xs if $x > <int> % 3], key=$f)
a = ($n[0] + 5 * len($s)) % 50
b = (sum(map($f, $s)) + $n[0]) % 50
if <bool>:
    $s.sort(key=$f, reverse=True)
    BLOCK
b = (b + max($s, key=$f, default=4) + $n[0]) % 50
""",
    """\
$l, $k = [], 0
def $f(u):
    nonlocal $k
    $k = ($k * 2 + u) % 50
    $l.append($k)
    return $k > <int> % 20
$s = list(filter($f, [$x for $x in xs if <bool> or $x > 1]))
a = (len($s) + sum($l) + $k) % 50
b = (a + (3 if any(map($f, $s)) else 0) + len($l)) % 50
""",
    """\
$s, $c = [], []
for $x in xs:
    if <bool> or $x > <int> % 4:
        $c.append($x)
    else:
        $s.append(len($c))
        $c = []
a = (sum($s) + 3 * sum($c) + len($c)) % 50
""",
    """\
$t = ''
for $x in xs:
    $t = ('p' if $x > <int> % 4 else 'q') + f'{$x}'
    if <bool>:
        break
    LOOP
a = (a + len($t) + 2 * $t.count('p')) % 50
""",
    """\
$l = []
for $x in xs:
    $l.append('low' if $x < <int> % 4 else str($x))
$t = ', '.join($l)
a = (a + len($t) + $t.count('o')) % 50
""",
    """\
$k = 0
while $k < <int> % 4:
    $k += 1
    if <bool>:
        break
    LOOP
else:
    b = (b + $k) % 50
    BLOCK
a = (a + $k) % 50
""",
    """\
def $f(u):
    nonlocal a
    a = (a + u) % 50
    if a > <int>:
        return u
    a = (a + 1) % 50
    return -u
for $x in xs:
    b = (b + $f($x)) % 50
    if b > 40:
        break
    LOOP
else:
    b = (b + $f(2)) % 50
""",
    """\
def $c():
    k = a
    def more(u):
        nonlocal k
        k = (k + u) % 50
        return k
    def read():
        return k
    return more, read
$f, $r = $c()
for $x in xs:
    if $f($x) > <int>:
        LOOP
b = ($r() + $c()[1]()) % 50
""",
    """\
$l = []
class $m:
    def __enter__(self):
        $l.append(1)
        return len($l)
    def __exit__(self, *error):
        $l.append(3 if error[0] is None else 9)
        return error[0] is KeyError
for $x in xs:
    with $m() as $k:
        if $x > <int> % 5:
            raise KeyError($x)
        a = (a + $k) % 50
        if <bool>:
            break
b = sum($l) % 50
""",
)
