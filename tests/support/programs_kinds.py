"""Statements with values of which only the run may know the kind: a number, a text, a tuple.

The forms are those of `programs_collections`.
"""

KINDS = (
    "do: m = {value}",
    "do: m = 'low'",
    "do: m = 'high'",
    "do: m = ({value}, {value})",
    "do: m = ({value}, 'in', 2)",
    "do: m = None",
    "do: m = {value} if {value} > 1 else 'other'",
    "do: {r} = m; m = n; n = {r}",
    "do: if isinstance(m, str):;     m = {value}; else:;     m = 'text'",
    "do: if m == 'low':;     a = (a + 1) % 97",
    "do: if isinstance(m, tuple):;     b = (b + len(m)) % 97",
    "do: if m == n:;     a = (a * 2) % 97",
    "do: if not m:;     b = (b + 3) % 97",
    "do: try:;     a = (1 + m) % 97; except TypeError:;     b = (b + 1) % 97",
    "do: try:;     m += 'more'; except TypeError:;     m = 'less'",
    "do: {v} = m[0] if isinstance(m, tuple) else 'none'; n = {v}",
    "do: n = f'{{m}} of {{a}}'",
    "do: n = shown(m)",
    "do: n = marked(m, {value})",
    "do: n = ('in', {value})",
    "do: ms.append({value})",
    "do: ms.append('x' if {value} > 2 else {value})",
    "do: ms.append(({value}, 'x'))",
    "do: if not isinstance(m, tuple):;     ms.append(m)",
    "do: for {v} in ms:;     a = (a + (7 if isinstance({v}, str) else 3)) % 97",
    "do: for {v} in ms:;     if {v} == 'x':;         b = (b + 1) % 97;         break",
    "do: if ms:;     ms[-1] = 'last'",
    "do: if ms:;     ms[{value} % len(ms)] = {value}",
    "do: if ms:;     m = ms.pop()",
    "do: ms = [{v} for {v} in ms if {v} != 'x']",
    "do: ms = [marked({v}, 2) for {v} in ms]",
    "do: if len(ms) > 5:;     ms.clear()",
    "int: len(ms)",
    "int: ms.count('x')",
    "int: 1 if 'x' in ms else 0",
    "int: {value} if isinstance(m, str) else len(ms)",
    "int: len(m) if isinstance(m, (str, tuple)) else {value}",
    "int: [{value}, 'x', 7].index('x')",
    "int: 3 if (5, 'five', {value})[{value} % 3] == 'five' else 4",
)

KINDS_PRELUDE = """\
G = 2


def step(x, y=1, *, z=0):
    return x - y if x > y else x + y + z


def shown(x):
    return f"<{x}>"


def marked(x, y):
    if isinstance(x, str):
        return x + "!"
    if isinstance(x, tuple):
        return y
    return (x, y) if x == y else x


"""

KINDS_HEADER = """\
def program(a, b, p, f, xs):
    m, n, ms = 0, 0, []
    if a > 99:
        m = n = "far"
        ms.append(a)
"""

KINDS_RESULTS = ("m, {int}", "n, {int}", "ms, {int}", "m, n, ms, {int}", "{int}")
