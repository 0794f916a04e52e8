"""Constructs that random programs contain: names, their scopes, and what is done with them.

Written as in `programs_snippets`.
"""

PLAIN_SCOPES = (
    """\
$k = 0
while [$w_int := u for u in <list>[:3] if u > $k]:
    $k += 2
    if $k > 6:
        break
    LOOP
else:
    BLOCK
""",
    """\
$k = 0
while any(($w_int := u) > $k for u in <list>[:3]) and $k < 3:
    $k += 1
    LOOP
""",
    """\
$k = 0
while <int> < ($w_int := $k + 1) <= ($v_int := 3) and <bool>:
    $k += 1
    if $w_int == $v_int:
        continue
    LOOP
else:
    $w_int = <int>
note([$w_int, $k])
""",
    """\
if <int> <= ($w_int := <int>) < ($v_int := <int>) or ($w_int := 2):
    BLOCK
""",
    """\
$p_int = ($w_int := <int>) if <bool> else ($v_int := <int>)
""",
    """\
note([$w_int := u for u in <list>[:3] if (<bool> and ($v_int := u) > 1) or u])
""",
    """\
def $f():
    nonlocal a, b
    if <bool>:
        a, b = b, a
        return b
    a += 1
for $x_int in range(2):
    if <bool>:
        note($f())
    LOOP
note([a, b])
""",
    """\
def $f(u):
    def inner():
        nonlocal u, b
        u -= 1
        b = u
        return u > 0 and <bool>
    while inner():
        if u < -3:
            return u
    else:
        u *= 2
    return u
if <bool>:
    note($f(<int> % 4))
note(b)
""",
    """\
def $f():
    nonlocal $t_int
    $t_int = <int>
    return <bool>
if $f() or <bool>:
    BLOCK
    if <bool>:
        $t_int = <int>
note($t_int)
""",
    """\
$l = []
for $x_int in range(3):
    if <bool>:
        $l.append(lambda u=$x_int: u + $x_int)
    else:
        $l.append(lambda: $x_int + b)
    LOOP
b = <int>
note([each() for each in $l])
""",
    """\
($p_int, *$r_list), $q_int = [<int>, *<list>], <int>
*$s_list, $p_int = <list> + [$q_int]
if <bool>:
    [$p_int, [$q_int, *_]] = <int>, (<int>, 3)
""",
    """\
xs[0] = o.v = $p_int = <int>
if <bool>:
    o.v, xs[-1] = xs[-1], o.v
    BLOCK
""",
    """\
for $x_int in range(2):
    o.v += <int>
    xs[$x_int % len(xs)] -= <int>
    if <bool>:
        o._v //= 2
        xs[0] *= 2
    LOOP
""",
    """\
$d = {u: u * 2 for u in <list>[:3]}
for $x_int in list($d):
    $d[$x_int] += <int>
    if <bool>:
        del $d[$x_int]
        continue
    $d.setdefault($x_int + 1, <int>)
    LOOP
note($d)
""",
    """\
def $d(made):
    def wrapped(*args, **more):
        note('called')
        if <bool>:
            return made(*args, **more)
        return 0
    return wrapped if <bool> else made

@$d
def $f(u, v=<int>):
    while u > v:
        u -= 2
        if <bool>:
            break
    else:
        return v
    return u
note($f(<int>))
""",
    """\
class $K:
    base = <int>
    if <bool>:
        base += 1
        c = a
    for w in range(2):
        if w:
            continue
        last = w

    def get(self, u=base):
        nonlocal b
        b = u
        return [u for _ in range(2) if <bool>]
note([$K.base, $K.last, $K().get(), b])
""",
    """\
import math as $m
if <bool>:
    from math import floor as $g
else:
    $g = $m.ceil
note($g(<float>))
""",
    """\
try:
    note(<int>)
    try:
        BLOCK
        raise ValueError('inner')
    finally:
        $p_int = <int>
        if <bool>:
            raise KeyError('outer')
except ValueError as $e:
    note(str($e))
    $e = <int>
    BLOCK
except KeyError as $e:
    note(repr($e.__context__))
note($p_int)
""",
    """\
for $x_int in range(3):
    try:
        if <bool>:
            raise ValueError($x_int)
        LOOP
    except ValueError as $e:
        if $e.args[0] == <int>:
            continue
        $p_int = $e.args[0]
    else:
        if <bool>:
            break
    finally:
        note($x_int)
else:
    note('else')
    BLOCK
""",
    """\
$k = 0
while $k < 3:
    $k += 1
    with Manager(True) as $m_int:
        if <bool>:
            continue
        note(risky($k))
        $p_int = $k
    LOOP
else:
    BLOCK
""",
    """\
with Manager(<bool>):
    $p_int = risky(<int>)
    $p_int = $p_int + <int>
    BLOCK
""",
    """\
try:
    raise ExceptionGroup('g', [ValueError(<int>), KeyError(<int>)])
except* ValueError as $e:
    $p_int = len($e.exceptions)
    while $p_int < 3:
        $p_int += 1
        if <bool>:
            b = note($p_int)
    if <bool>:
        raise
    if <bool>:
        del $p_int
except* KeyError:
    if <bool>:
        note($p_int + b)
    $p_int = <int>
""",
    """\
$p_int = <int>
if <bool>:
    del $p_int
    BLOCK
try:
    note($p_int)
except NameError as $e:
    note(type($e).__name__)
    $p_int = <int>
""",
    """\
for $x_int in range(3):
    if <bool>:
        $p_int = $x_int
        LOOP
    elif $x_int > 1:
        continue
    $p_int = <int>
    note($p_int)
    del $p_int
""",
    """\
match <list>:
    case [$p_int, *$r_list] if $p_int > <int> and <bool>:
        BLOCK
    case [$p_int] | [_, $p_int, *_] if ($w_int := $p_int):
        note($w_int)
    case []:
        pass
""",
    """\
for $x_int in range(3):
    match $x_int, <int>:
        case 0, $y_int if <bool>:
            continue
        case $y_int, 1 | 2:
            LOOP
        case ($y_int, _) as $z if <bool>:
            note($z)
            break
""",
    """\
def $f(u):
    w = 0
    while (got := (yield w)) is not None:
        if got > u:
            try:
                w = yield got
            finally:
                note('resumed')
            continue
        w += got if <bool> else 1
    return w
$g = $f(<int>)
next($g)
try:
    for $x_int in (<int>, <int>, None):
        note($g.send($x_int))
except StopIteration as $e:
    note($e.value)
""",
    """\
$g = (u + b for u in <list>[:3] if u or <bool>)
b = <int>
for $x_int in $g:
    if <bool>:
        break
    LOOP
note(list($g))
""",
    """\
note((lambda u, *v, w=<int>: [each for each in v if each > w or u])(<int>, *<list>[:3]))
""",
    """\
$f = lambda u, w=lambda: a: w() if u else (lambda: u + b)()
a = <int>
note($f(<bool>))
""",
    """\
$s: int = <int>
$t: list
if <bool>:
    $t: list = <list>
    $s: int
    $s += 1
    note((lambda: [$s, $t])())
""",
    """\
$k_int = 0
for $k_int in <list>[:3]:
    $k_int += 1
    if <bool>:
        break
    note($k_int)
else:
    $k_int = <int>
note($k_int)
""",
    """\
def $f(u):
    for w in range(u % 4):
        try:
            if <bool>:
                return w
            if <bool>:
                continue
            note(risky(w))
        except ValueError:
            if <bool>:
                break
        finally:
            note('end')
    else:
        return -1
    return -2
note($f(<int>))
""",
    """\
$l = [[<int>, 2], [3, <int>]]
for $r in $l:
    $r[0] += <int>
    for $x_int, $r[1] in enumerate(<list>[:2]):
        if <bool>:
            continue
        LOOP
note($l)
""",
    """\
$u = <bool> and (<int> or ($w_int := <int>)) or not ($v_int := <int>)
if $u is not None and not ($u == <int>) and $u:
    BLOCK
""",
)
