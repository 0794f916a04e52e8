"""Texts of staged values: what is printed and raised is what Python writes for the numbers."""

# Each way of making a text is meant.
# ruff: noqa: F507, F524, UP031, UP032

from __future__ import annotations

import dataclasses
import itertools
from collections import Counter, OrderedDict
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import autograph
import runtime as rt
from tests.support.staging import as_python, assert_as_in_python, attempt, same_outcome

DTYPES = {int: rt.int64, float: rt.float64, bool: rt.bool}
VALUES: dict[type, list[Any]] = {
    int: [0, -3, 12345678901],
    float: [0.1, -2.0, 1e300, float("inf"), float("nan")],
    bool: [True, False],
}


def staged_number(x: Any) -> Any:
    """A Python number that the run knows: what `int` and the like make of a tensor."""
    return {rt.int64: int, rt.float64: float, rt.bool: bool}[x.dtype](x)


def made_item_by_item(x: Any) -> Any:
    items, table = [], {}
    for item in (x, 1):
        items.append([item])
        table[len(table)] = item
    return f"{items} {table}" + str((items, table)) + "%s" % items


TEXTS: dict[str, Callable[[Any], Any]] = {
    "f_string": lambda x: f"a {x} b",
    "alone": lambda x: f"{x}",
    "repr": lambda x: f"{x!r}{x!s:>30}{x!a}",
    "debug": lambda x: f"{x=}",
    "width": lambda x: f"{x:>30}|{x:<30}|{x:^30}|{x:+}",
    "of_floats": lambda x: f"{x:.3f} {x:10.2e} {x:%}",
    "of_ints": lambda x: f"{x:05d} {x:x} {x:,}",
    "nested_field": lambda x: f"{x:{30}}{1:{2}}",
    "wrong_format": lambda x: f"{x:zz}",
    "str": lambda x: "bad " + str(x) + "!",
    "repr_called": lambda x: repr(x),
    "ascii_called": lambda x: ascii(x),
    "format_called": lambda x: format(x, "20") + format(x),
    "percent": lambda x: "%s and %r" % (x, x),
    "percent_alone": lambda x: "%s" % x,
    "percent_float": lambda x: "%.2f|%10.1e|%g" % (x, x, x),
    "percent_mapping": lambda x: "%(a)s %(b)5s" % {"a": x, "b": 1},
    "percent_wrong": lambda x: "%s %s" % (x,),
    "format_method": lambda x: "{0} {0!r:>5} {k:>25}".format(x, k=x),
    "format_map": lambda x: "{a} {a!r:>5} {b}".format_map({"a": x, "b": "c", 1: x}),
    "format_map_without_a_key": lambda x: "{a} {b}".format_map({"a": x}),
    "join": lambda x: ", ".join([str(x), "b", f"{x}"]),
    "join_of_a_generator": lambda x: "-".join(str(y) for y in (x, 1, x)),
    "times": lambda x: f"{x}" * 2 + 2 * f"{x}",
    "containers": lambda x: f"{[x, (x, 'a'), {'k': x}]}{(x,)}",
    "made_item_by_item": made_item_by_item,
    "text_of_a_text": lambda x: f"{x!s:>40}{str(x)!r}{[str(x)]}",
}


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("convert", [lambda x: x, staged_number], ids=["tensor", "number"])
def test_texts(name: str, convert: Any, capsys: pytest.CaptureFixture[str]) -> None:
    text = TEXTS[name]

    def shown(x: Any) -> None:
        print(text(convert(x)))

    staged = rt.function(shown)
    for kind, value in itertools.chain(*[[(k, v) for v in vs] for k, vs in VALUES.items()]):
        expected = attempt(lambda v=value: text(v))
        got = attempt(lambda v=value, k=kind: staged(rt.constant(v, DTYPES[k])))
        printed = capsys.readouterr().out
        if isinstance(expected, Exception):
            assert (type(got), str(got)) == (type(expected), str(expected))
        else:
            assert (got, printed) == (None, expected + "\n")


FILLS, TYPES = ["", "<", ">", "^", "*>", "0"], ["", "d", "f", ".3f", "e", "g", ".2%", "x", "s", ","]
SPECS = st.builds(
    "{}{}{}".format, st.sampled_from(FILLS), st.integers(1, 30), st.sampled_from(TYPES)
)


@settings(max_examples=40, deadline=None)
@given(spec=SPECS, value=st.one_of(st.integers(-(10**9), 10**9), st.floats(), st.booleans()))
def test_random_formats(spec: str, value: Any) -> None:
    def raised(x: Any) -> Any:
        if x == x or x != x:
            raise KeyError(f"{x:{spec}}", format(x, spec), "{:{}}".format(x, spec))
        return x

    expected = attempt(lambda: raised(value))
    got = attempt(lambda: rt.function(raised)(rt.constant(value, DTYPES[type(value)])))
    assert (type(got), str(got)) == (type(expected), str(expected))


def test_a_float32_is_the_number_that_an_eager_f_string_shows(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def shown(x: Any, xs: Any) -> None:
        print(f"{x} {x:.2f} {xs}")

    x, xs = rt.constant(0.1), rt.constant([[0.1, 2.0]])
    shown(x, xs)
    expected = capsys.readouterr().out
    rt.function(shown)(x, xs)
    assert capsys.readouterr().out == expected


def test_a_text_shows_what_was_there_when_it_was_made(capsys: pytest.CaptureFixture[str]) -> None:
    @rt.function
    def shown(xs: Any, v: Any) -> Any:
        items = [xs[0], 1]
        texts = [f"{xs} {xs[0]}", str(items), f"{v.value()}"]
        xs[0] = 9
        items[1] = 7
        v.assign(8)
        print(*texts, sep="\n")
        return xs

    shown(rt.constant([5, 6]), rt.Variable(3))
    assert capsys.readouterr().out == "[5 6] 5\n[5, 1]\n3\n"


class Shown:
    def __init__(self, key):
        self.key = key

    def __str__(self):
        return f"<{self.key}>"


class Represented(Shown):
    def __repr__(self):
        return f"[{self.key}]"


FORMATTED: dict[str, Callable[[Any, Any], Any]] = {
    "percent": lambda kind, x: "%s" % kind(x),
    "percent_of_several": lambda kind, x: "%-6s|%*d|%r|100%%" % (kind(x), 4, x, Represented(1)),
    "percent_of_a_mapping": lambda kind, x: "%(a)s %(b)s %(a)5s" % {"a": kind(x), "b": x},
    "percent_of_a_list": lambda kind, x: "%s %s" % ([Represented(x)], x),
    "percent_wrong": lambda kind, x: "%s %s" % (kind(x),),
    "format": lambda kind, x: "{} {}".format(kind(x), x),
    "format_of_fields": lambda kind, x: "{1!s:>5}{0.key}{{}}{a!r:<{w}}.".format(
        kind(x), kind(2), a=Represented(x), w=7
    ),
    "format_map": lambda kind, x: "{a} {b!r}".format_map({"a": kind(x), "b": Represented(x)}),
    "format_wrong": lambda kind, x: "{:>5}".format(kind(x)),
    "format_of_too_few": lambda kind, x: "{}{}".format(kind(x)),
}


@pytest.mark.parametrize("name", FORMATTED)
def test_formats_ask_objects_for_their_text(name: str) -> None:
    staged = (
        rt.function(lambda x: len(FORMATTED[name](Shown, x))),
        rt.function(lambda x: FORMATTED[name](Represented, x)),
    )
    for x in (3, 12):
        text = attempt(lambda x=x: FORMATTED[name](Represented, x))
        size = attempt(lambda x=x: len(FORMATTED[name](Shown, x)))
        for function, expected in zip(staged, (size, text), strict=True):
            got = attempt(lambda x=x, function=function: function(rt.constant(x)))
            if isinstance(expected, Exception):
                assert type(got) is type(expected)
            else:
                assert as_python(got) == expected


def of_pythons_value(kind, x):
    item = kind(1)
    if x > 0:
        print(item)
    item.key = 2
    if x > 0:
        print(item)


def of_the_runs_value(kind, x):
    item = kind(x)
    while item.key > 0:
        print(item)
        item.key -= 1


def of_one_that_the_run_chooses(kind, x):
    small, large = kind(x), kind(4)
    print_in_order([large, small])


def print_in_order(items):
    items.sort(key=lambda item: item.key)
    for item in items:
        print(item)


def in_containers(kind, x):
    items = {"a": [Represented(x)]}
    if x > 0:
        print(items, (Represented(1), 5))


@pytest.mark.parametrize(
    "function", [of_pythons_value, of_the_runs_value, of_one_that_the_run_chooses, in_containers]
)
@pytest.mark.parametrize("kind", [Shown, Represented])
def test_print_in_a_block_shows_an_object_as_it_is_then(
    function: Callable[..., Any], kind: type, capsys: pytest.CaptureFixture[str]
) -> None:
    staged = rt.function(lambda x: function(kind, x))
    for x in (3, 1):
        function(kind, x)
        expected = capsys.readouterr().out
        staged(rt.constant(x))
        assert capsys.readouterr().out == expected


@dataclasses.dataclass
class Measured:
    value: int
    unit: str = "m"


class Point(NamedTuple):
    x: int
    y: int = 2


@pytest.mark.parametrize(
    "kind", [Measured, Point, lambda x: Counter({"a": x}), lambda x: OrderedDict(a=x)]
)
def test_print_shows_what_the_run_knows_of_an_object(
    kind: Callable[..., Any], capsys: pytest.CaptureFixture[str]
) -> None:
    def program(x):
        print(kind(x), [kind(1)])
        print([kind(x)])
        return x

    staged = rt.function(program)
    for number in (3, 1):
        x = rt.constant(number)
        program(x)
        expected = capsys.readouterr().out
        staged(x)
        assert capsys.readouterr().out == expected


def test_print_shows_what_a_variable_holds_at_each_call(
    capsys: pytest.CaptureFixture[str],
) -> None:
    count = rt.Variable(1, name="count")

    @rt.function
    def program():
        print(count)
        count.assign_add(1)

    program()
    program()
    shown = "<tf.Variable 'count:0' shape=() dtype=int32, numpy={}>\n"
    assert capsys.readouterr().out == shown.format(1) + shown.format(2)


def in_a_branch(x):
    if x > 0:
        raise ValueError(f"got {x}")
    return x


def at_the_end(x):
    raise ValueError(f"got {x}")


def with_a_cause(x):
    if x > 0:
        raise ValueError("bad") from KeyError(f"got {x}")
    return x


def with_fields_in_c(x):
    if x > 0:
        raise OSError(5, f"got {x}")
    return x


def by_syntax_error(x):
    if x > 0:
        raise SyntaxError(f"got {x}")
    return x


def texts_of_caught_errors(x):
    """Of classes whose texts are those of others where there is one argument, and where not."""
    last = [""]
    for n in range(x):
        try:
            if n % 4 == 0:
                raise ConnectionError(f"try {n}")
            if n % 4 == 1:
                raise OSError(1, f"try {n}")
            if n % 4 == 2:
                raise ImportError(f"try {n}")
            raise TimeoutError(n)
        except OSError as error:
            last[0] = f"{last[0]} {error}"
        except ImportError as error:
            last[0] += str(error)
    if x > 0:
        raise RuntimeError(f"gave up: {last[0]}")
    return x


class TooLarge(Exception):
    def __init__(self, n):
        self.n = n
        super().__init__(f"{n} is too large")


def by_a_class_of_the_users(x):
    if x > 2:
        raise TooLarge(x)
    return x


def chosen_before(x):
    text = f"{x} is small" if x < 4 else f"{x * 2} is small"
    if x > 0:
        raise ValueError(text)
    return x


@pytest.mark.parametrize(
    "function",
    [
        in_a_branch,
        at_the_end,
        with_a_cause,
        with_fields_in_c,
        by_syntax_error,
        by_a_class_of_the_users,
        chosen_before,
        texts_of_caught_errors,
    ],
)
def test_errors_hold_the_text_of_the_run(function: Callable[..., Any]) -> None:
    staged = rt.function(function)
    for x in (5, 3):
        expected, got = (
            attempt(lambda x=x: function(x)),
            attempt(lambda x=x: staged(rt.constant(x))),
        )
        assert (type(got), got.args, str(got)) == (type(expected), expected.args, str(expected))
        assert repr(got.__cause__) == repr(expected.__cause__)
        assert getattr(got, "errno", None) == getattr(expected, "errno", None)


def test_a_text_is_a_str_to_those_who_ask() -> None:
    @rt.function
    def classes(n: Any) -> Any:
        text = str(n)
        return isinstance(text, str), type(text) is str, isinstance(text, int), text is None

    assert [bool(x) for x in classes(rt.constant(1))] == [True, True, False, False]


def in_rows(n: Any) -> None:
    for i in range(n):
        print(f"{i}", "x", end="\n" if i == n - 1 else ", ", flush=i > 0)


@pytest.mark.parametrize(
    "program",
    [
        lambda n: print("a", f"{n}", end="" if n > 1 else ";\n"),
        lambda n: print("a", 2, sep=None if n > 1 else "-"),
        lambda n: print("a", 2, sep=str(n), end=f"{n}\n", flush=n > 1),
        in_rows,
    ],
    ids=["end", "sep", "all", "in_rows"],
)
@pytest.mark.parametrize("n", [1, 3])
def test_how_it_is_printed_depends_on_staged_values(
    program: Callable[[Any], None], n: int, capsys: pytest.CaptureFixture[str]
) -> None:
    program(n)
    expected = capsys.readouterr().out
    rt.function(program)(rt.constant(n))
    assert capsys.readouterr().out == expected


def test_the_graph_shows_how_the_text_is_made() -> None:
    @rt.function
    def shown(n: Any) -> None:
        print(f"{n:>4} items")

    graph = str(shown.get_concrete_function(rt.constant(1)).graph)
    assert "print(join('', (format(n, '>4'), ' items')))" in graph


def test_the_graph_shows_a_text_as_python_writes_it() -> None:
    @rt.function
    def shown(n: Any) -> Any:
        k = int(n)
        text = str(k)
        return (text + "{!")[1:] if text[-1] == "7" else "".join([text, "/", f"{k:03d}"])

    lines = str(shown.get_concrete_function(rt.constant(7)).graph).splitlines()
    made = [line.partition(" = ")[2] for line in lines if "[] = " in line and "cond" not in line]
    assert made == [
        "str(item_int)[-1]",
        "(str(item_int) + '{!')[1:]",
        "join('', [str(item_int), '/', format(item_int, '03d')])",
    ]


# Texts that are read


def growing(x: Any) -> Any:
    text = ""
    for i in range(abs(x) % 5):
        text += f"{i}," if i % 2 else "odd "
    return text


def in_two(x: Any) -> Any:
    first, second = f"{x} {abs(x)}".split() if x % 2 else f"{x}".split()
    return int(first), int(second)


def words_counted(x: Any) -> Any:
    counts: dict[str, int] = {}
    for pair in f"a={x};b={x};a=5".split(";"):
        name, value = pair.split("=")
        counts[name] = counts.get(name, 0) + int(value)
    return counts.get("a", 0), counts.get("b", 0), len(counts)


def of_pythons(x: Any) -> Any:
    text = ""
    for _ in range(abs(x) % 7):
        text = text + "a"
    return text, len(text)


def one_of_two(x: Any) -> Any:
    text = f"{x} is small" if x < 3 else "large"
    return text, len(text), text == "large"


def letter_by_letter(x: Any) -> Any:
    made = ""
    for letter in f"a{x}z":
        made = letter + made if letter.isdigit() else made + letter.upper()
    return made


def counted(x: Any) -> Any:
    count = 0
    for i, letter in enumerate(str(x)):
        if letter == "-" or letter in "13":
            count += i
    return count


def listed(x: Any) -> Any:
    texts = []
    for i in range(x % 4):
        texts.append(str(i * x))
    texts.append("end")
    return texts


def put_into_rows(x: Any) -> Any:
    rows = []
    for i in range(2 + x % 2):
        rows.append([str(x), str(i)])
    rows[x % 2][0] += "!"
    rows[0].append(str(x) + "end")
    return rows[1][0] + rows[0][-1], max(rows[x % 2], key=len), [len(text) for text in rows[0]]


def until_empty(x: Any) -> Any:
    text, rounds = str(x), 0
    while text:
        text, rounds = text[1:], rounds + 1
    return rounds


def recursive(x: Any) -> Any:
    def bits(n: Any) -> Any:
        return str(n % 2) if n < 2 else bits(n // 2) + str(n % 2)

    return bits(abs(x))


def of_what_is_around(x: Any) -> Any:
    """Each call of the recursion makes a text of a variable around it."""

    def go(k: Any) -> Any:
        if k == 5:
            raise ValueError(f"{x} is met")
        seen = f"{x} and {k}"
        return seen if k * k > x else go(k + 1) + seen

    return go(x % 2)


def twice_in_itself(x: Any) -> Any:
    text = str(x)
    for _ in range(40):
        text = (text + "-" + text[:3])[-9:]
    return text


def caught_around_parts(x: Any) -> Any:
    text, found, said = str(x), [], ""
    try:
        for _ in text.split(","):
            for _ in text.split(","):
                text = (found[-1] if found else text)[:9]
            found.append(str(x))
    except LookupError as error:
        said = str(error)
    return text, said


def caught(use: Callable[[], Any], kind: type[Exception]) -> Any:
    try:
        made = f"{use()}"
    except kind:
        made = "none"
    return made


def unread(use: Callable[[], Any], kind: type[Exception]) -> Any:
    try:
        use()
    except kind:
        return "caught"
    return "made"


SENTENCE = "a b c"
LETTERS_OF_DIGITS = str.maketrans("0123", "abcd", "-")


def backwards_of_a_round(x: Any) -> Any:
    text, line, i, found = str(x), "ab", 0, []
    try:
        while i < x % 5 and text.isalpha():
            i += 1
            line = "b" + line[:6]
            if not line:
                return text[::-1], x
        if line:
            found.append(line)
        x = len(found)
    except LookupError:
        text = "no"
    return text, x, "|".join(found)


READ: dict[str, Callable[[Any], Any]] = {
    "length": lambda x: len(str(x)),
    "length_of_a_sum": lambda x: len("n=" + str(x) + "."),
    "item": lambda x: repr(x)[0] + repr(x)[-1],
    "item_behind": lambda x: str(x)[1],
    "item_at": lambda x: "abc"[x % 3] + f"{x}x"[x % 2],
    "slices": lambda x: f"{x}"[1:] + f"{x}"[::-1] + f"{x}"[-1:0:-1] + f"ab{x}"[: x % 3],
    "compared": lambda x: ("%s" % x == "0", str(x) != "0", str(x) < "1", str(x) <= "1"),
    "compared_to_others": lambda x: (str(x) == 0, str(x) != 0, str(x) == str(0)),
    "truth": lambda x: 1 if "{!r}".format(x) else 2,
    "or": lambda x: ("" if x > 0 else f"{x}") or "empty",
    "not": lambda x: not f"{x}",
    "in": lambda x: ("1" in f"{x}", "-" not in str(x)),
    "upper": lambda x: f"{x}a".upper() + f"{x}a".zfill(9) + str(x).rjust(8, "*"),
    "methods": lambda x: (str(x).count("1"), str(x).find("3"), str(x).startswith("-")),
    "strip": lambda x: str(x).strip("-").replace("0", "o").isalpha(),
    "index": lambda x: str(x).index("3"),
    "number": lambda x: int(str(abs(x))[::-1]),
    "no_number": lambda x: int(f"{x}."),
    "float": lambda x: float(f"{x}.5"),
    "digits": lambda x: [int(digit) for digit in str(abs(x))],
    "sum_of_digits": lambda x: sum(map(int, str(abs(x)))),
    "all_digits": lambda x: all(letter.isdigit() for letter in str(x)),
    "chr": lambda x: chr(abs(x) % 26 + ord("a")) + chr(228),
    "no_chr": lambda x: chr(x),
    "ord": lambda x: ord(str(x)[0]),
    "bases": lambda x: bin(x) + hex(x) + oct(x) + bin(x)[2:],
    "times": lambda x: "ab" * (x % 3) + "-" * x + f"{x}" * (x % 2),
    "joined": lambda x: " ".join(letter for letter in str(x)),
    "in_a_list": lambda x: [f"{x}", "a"],
    "list": lambda x: list(str(x)),
    "of_pythons_text": lambda x: (
        "13".index(str(x)),
        "a1b".replace("1", str(x)),
        "ab3".find(f"{x}"),
        "b".join([str(x), "c"]),
    ),
    "with_numbers": lambda x: ("ab".rjust(abs(x) % 9), "abab".find("a", abs(x) % 3), "7".zfill(5)),
    "with_keywords": lambda x: (SENTENCE.split(maxsplit=1)[1], SENTENCE.split(sep="b"), str(x)),
    "methods_of_the_class": lambda x: (
        str.isdigit(str(x)),
        all(map(str.isdigit, f"{x}")),
        list(map(str.upper, [f"{x}b", "a"])),
        str.zfill("7", 3),
    ),
    "caught": lambda x: caught(lambda: int("%s." % x), ValueError),
    "caught_index": lambda x: caught(lambda: "13".index(str(x)), ValueError),
    "caught_item": lambda x: caught(lambda: str(x)[1], IndexError),
    "caught_chr": lambda x: caught(lambda: chr(x), Exception),
    "unread_item": lambda x: (str(x)[1], x)[1],
    "width": lambda x: (f"{7:0{x}d}", "{:^{}}".format("ab", x)),
    "precision": lambda x: f"{abs(x) / 7:.{x}f}" + format(2.5, f"9.{x}f"),
    "caught_width": lambda x: caught(lambda: f"{x:0{x}d}", ValueError),
    "caught_width_of_many": lambda x: caught(
        lambda: "".join([f"{x},"] * 20) + f"{x}{x}{x}{x}{x}{x}{x}{x}{x}{x}{x:0{x}d}", ValueError
    ),
    "of_none": lambda x: f"{x if x > 3 else None:>6}",
    "caught_none": lambda x: caught(lambda: f"{x if x > 3 else None:>6}", TypeError),
    "character": lambda x: (
        caught(lambda: "%c" % (65 + x), OverflowError) + caught(lambda: "%c" % x, OverflowError)
    ),
    "one_character": lambda x: (
        "%c" % str(x)[0] + "%c%3c" % (f"{x}a"[-1], 65),
        caught(lambda: "%c" % str(x), TypeError),
    ),
    "caught_fill": lambda x: (
        caught(lambda: f"{x}|".center(9, str(x)), TypeError),
        caught(lambda: f"{x}|".rjust(9, f"{x}"[0]), TypeError),
        caught(lambda: f"{x}|".rjust(9, "**"), TypeError),
    ),
    "unread_fill": lambda x: unread(lambda: f"{x}|".ljust(9, str(x)), TypeError),
    "caught_arguments": lambda x: (
        caught(lambda: str(x).replace(1, "a"), TypeError),
        caught(lambda: str(x).startswith(3), TypeError),
        caught(lambda: 3 in str(x), TypeError),
        unread(lambda: str(x).strip(3), TypeError),
        unread(lambda: ",".join([str(x), 3]), TypeError),
    ),
    "caught_bounds": lambda x: (
        caught(lambda: f"{x}{x}{x}{x}"[:: x % 3], ValueError),
        caught(lambda: str(x)[1:][::0], ValueError),
        caught(lambda: str(x)["a":], TypeError),
    ),
    "caught_field": lambda x: (
        caught(lambda: "{[0]}".format(str(x)[1:]), IndexError),
        caught(lambda: "{[1]}".format(["ab", "", "cd"][x % 3]), IndexError),
    ),
    "caught_values": lambda x: (
        caught(lambda: "%s-%s" % tuple(str(x)[:2]), TypeError),
        caught(lambda: "%d" % [(1,), (), (2, 3)][x % 3], TypeError),
    ),
    "no_number_added": lambda x: f"{x}" + 1,
    "no_text_added_to_a_list": lambda x: [x] + f"{x}",
    "no_number_added_caught": lambda x: caught(lambda: str(x) + 1, TypeError),
    "unread_width": lambda x: (f"{x:0{x}d}", x)[1],
    "chosen_format": lambda x: f"{7:{'05d' if x > 3 else '#x'}}",
    "chosen_fill": lambda x: "{:{}>9}".format("ab", "*" if x > 3 else "-"),
    "caught_format": lambda x: caught(lambda: f"{7:{'d' if x > 3 else 'no'}}", ValueError),
    "named_as_ours": lambda x: "{self}{function}{backend}{template}".format(
        self=x, function=x, backend=x, template=x
    ),
    "split": lambda x: f"{x} {x}\t7 ".split(),
    "split_at": lambda x: (f"{x}, {x}".split(", "), "1a2a3".split(str(x)), f"{x}".split("3", 1)),
    "split_as_told": lambda x: f"{x} {x} b".split(sep=" ", maxsplit=x % 3),
    "split_wrong": lambda x: f"{x}".split(""),
    "split_at_a_number": lambda x: f"{x}".split(3),
    "rsplit": lambda x: f"{x} {x} b".rsplit(None, 1),
    "lines": lambda x: f"{x}\n{x}\r\n".splitlines() + f"a{x}\nb".splitlines(True),
    "partition": lambda x: (f"{x}:7:b".partition(":"), f"{x}".rpartition("3")),
    "in_two": in_two,
    "words_counted": words_counted,
    "numbers_of_words": lambda x: sum(int(word) for word in f"{x},{x},7".split(",")),
    "words_joined": lambda x: " ".join(word[::-1] for word in reversed(f"ab {x} c".split())),
    "words_sorted": lambda x: (sorted(f"z {x} b".split()), "b" in f"z {x} b".split()),
    "prefix": lambda x: (f"-{x}".removeprefix("-"), f"{x}0".removesuffix("0"), f"A{x}".casefold()),
    "translated": lambda x: (
        str(x).translate(LETTERS_OF_DIGITS) + f"{x}".translate({51: None, ord("1"): "one"}),
        "a3".translate({97: str(x)}) + "a3".translate({97: "low" if x < 3 else "high"}),
        ["a", "b3"][x % 2].translate({51: "three" if x > 3 else "3"}),
        caught(lambda: str(x).translate({49: 1.5}), TypeError),
    ),
    "unread_translated": lambda x: (str(x).translate({51: 1.5}), x)[1],
    "tabs": lambda x: (f"{x}\tb".expandtabs(4), f"{x}".isascii(), f"a{x}".isidentifier()),
    "growing": growing,
    "of_pythons": of_pythons,
    "one_of_two": one_of_two,
    "letter_by_letter": letter_by_letter,
    "counted": counted,
    "listed": listed,
    "put_into_rows": put_into_rows,
    "until_empty": until_empty,
    "recursive": recursive,
    "of_what_is_around": of_what_is_around,
    "twice_in_itself": twice_in_itself,
    "caught_around_parts": caught_around_parts,
    "backwards_of_a_round": backwards_of_a_round,
    "attributes_that_no_text_has": lambda x: [
        getattr(str(x), name, hasattr(f"{x}", name)) for name in ("args", "parts", "tensor")
    ],
    "named_fields": lambda x: ("{" + "ab"[x % 2] + str(x % 3) + "}").format(a0=5, b0=6, b1=x),
    "named_fields_caught": lambda x: caught(
        lambda: ("{" + f"x{x % 4}" + "}").format(x0=5, x2="z"), KeyError
    ),
    "attributes_of_fields_caught": lambda x: caught(
        lambda: ("{." + ("real", "width")[x % 2] + "}").format(7), AttributeError
    ),
    "percent_of_a_text": lambda x: ("%" + str(x % 7) + "d|%s") % (x, "a"),
    "percent_of_names": lambda x: ("%(" + str(x % 4) + ")s") % {"0": "z", "2": x},
    "percent_of_names_caught": lambda x: caught(
        lambda: ("%(" + str(x % 4) + ")s") % {"0": "z", "2": x}, LookupError
    ),
    "percent_of_a_text_caught": lambda x: caught(lambda: ("%" + ("d", "q")[x % 2]) % 3, ValueError),
    "percent_as_often_as_the_run_says": lambda x: caught(
        lambda: ("%s" * (x % 4)) % (x, 2, "c"), TypeError
    ),
    "percent_of_a_wrong_type": lambda x: ("%d" + str(x)) % "t",
    "attribute_that_no_text_has": lambda x: str(x).args,
}


@pytest.mark.parametrize("convert", [lambda x: x, staged_number], ids=["tensor", "number"])
@pytest.mark.parametrize("name", READ)
def test_a_text_that_is_read_is_pythons(name: str, convert: Any) -> None:
    function = READ[name]
    staged = rt.function(lambda x: function(convert(x)))
    for value in (0, 3, -3, 130, 12345):
        expected = attempt(lambda v=value: function(v))
        got = attempt(lambda v=value: staged(rt.constant(v, rt.int64)))
        assert same_outcome(expected, got), (value, expected, got)


SEGMENTS = {"1": 2, "2": 5, 3: 5, "4": 4}


def looked_up(n: Any) -> Any:
    return SEGMENTS[str(n)]


def looked_up_or_none(n: Any) -> Any:
    return [SEGMENTS.get(sign, -1) for sign in str(n)], str(n) in SEGMENTS, SEGMENTS.get("3", 7)


def counted(n: Any) -> Any:
    return Counter("4124")[str(n)]


def test_a_text_finds_the_entry_of_a_dict() -> None:
    for function in (looked_up, looked_up_or_none, counted):
        staged = rt.function(function)
        for n in (1, 2, 3, 4, 14, -2):
            expected = attempt(lambda f=function, n=n: f(n))
            assert same_outcome(expected, attempt(lambda f=staged, n=n: f(rt.constant(n)))), n


LETTERS = "abacus decade  banana " * 40


def words_in(n: Any) -> Any:
    found, word = [], ""
    for i in range(n):
        letter = LETTERS[i]
        if letter != " ":
            word += letter
        elif word:
            found.append(word)
            word = ""
    return found, word


def longest_palindrome(n: Any) -> Any:
    best = 0
    for middle in range(n):
        left = right = middle
        while left >= 0 and right < n and LETTERS[left] == LETTERS[right]:
            left, right = left - 1, right + 1
        best = max(best, right - left - 1)
    return best


@pytest.mark.parametrize("function", [words_in, longest_palindrome])
def test_letters_of_a_long_text_are_one_table(function: Callable[[Any], Any]) -> None:
    staged = rt.function(function)
    for n in (0, 50, 700):
        assert same_outcome(function(n), attempt(lambda n=n: staged(rt.constant(n))))
    graph = staged.get_concrete_function(rt.constant(3)).graph
    assert len(str(graph).splitlines()) < 120


SIGNS = ["12", "x", "", "abc", "7", "0", "Zed", "-3"]
VALUES_OF_SIGNS = {"12": 5, "x": 7, "": 1, "abc": 2, "7": 9, "0": 0, "Zed": 4}
WORDS = [f"w{i * 7 % 90}" for i in range(200)]
NUMBERS = {f"w{i}": i * i for i in range(80)}
PRICES = [(f"p{i}", i * 1.5, i % 7) for i in range(90)]
ODD = [f"w{i}" + ["", "\0", "\ud800", "\udc00\0\0"][i % 4] for i in range(90)]


def told_of_signs(n: Any) -> Any:
    sign = SIGNS[n]
    size = len(sign) * 10 if sign else -1
    return (
        size,
        sign == "abc",
        sign < "b",
        sign in "12abc",
        sign in {"7", "x"},
        sign + "!",
        sign * 2,
    )


def methods_of_signs(n: Any) -> Any:
    sign = SIGNS[n]
    parts = sign.split("b")
    return sign.upper(), sign.find("c"), sign.isdigit(), sign.rjust(width(n), "*"), len(parts)


def letters_in_turn(n: Any) -> Any:
    found = []
    for letter in SIGNS[n] + SIGNS[-n]:
        if letter.isdigit() or letter in "Zx":
            found.append(letter + SIGNS[n % 3])
    return found, SIGNS[n].replace(SIGNS[n - 1], "-"), min(SIGNS[n], SIGNS[n - 1])


def raised_of_signs(n: Any) -> Any:
    raise ValueError(SIGNS[n])


def width(n: Any) -> Any:
    return 3 + n % 2


def numbers_of_signs(n: Any) -> Any:
    return int(SIGNS[n]) + 1


def values_of_signs(n: Any) -> Any:
    return (
        VALUES_OF_SIGNS[SIGNS[n]],
        VALUES_OF_SIGNS.get(SIGNS[n + 1], -5),
        SIGNS[n] in VALUES_OF_SIGNS,
    )


def letters_of_signs(n: Any) -> Any:
    return SIGNS[n][0], ord(SIGNS[n][0])


def pairs_of_words(n: Any) -> Any:
    count = 0
    for i in range(n):
        for j in range(i):
            if WORDS[i] == WORDS[j] or WORDS[i] < WORDS[j] < "w3":
                count += 1
    return count


def numbers_of_words(n: Any) -> Any:
    total = 0
    for i in range(n):
        if WORDS[i] in NUMBERS:
            total += NUMBERS[WORDS[i]]
        else:
            total -= NUMBERS.get(WORDS[i], len(WORDS[i]))
    return total, NUMBERS[WORDS[n]]


def dearest(n: Any) -> Any:
    best, found = 0.0, ""
    for i in range(n):
        name, price, kind = PRICES[i]
        if kind == 3 and price > best:
            best, found = price, name
    return best, found


def odd_words(n: Any) -> Any:
    count = 0
    for i in range(n):
        if ODD[i].endswith("\0") or ODD[i] == "w6\ud800":
            count += len(ODD[i])
    return count, ODD[n] in ("w7", "w6\ud800"), len(ODD[n] if n > 4 else "\ud800\0")


def written_beside_numbers(n: Any) -> Any:
    text, signs = "", []
    for i in range(n):
        text += SIGNS[i] + str(i)
        text = str(i % 3) + SIGNS[-i] + text
        signs.append(SIGNS[i] * 2 + f"{{{i}}}")
    return text, "-".join(signs), SIGNS[n - 1] + str(n) == "x2"


def test_letters_beside_texts_of_the_run_have_no_branches() -> None:
    graph = rt.function(written_beside_numbers).get_concrete_function(rt.constant(1)).graph
    made = graph.as_graph_def()
    assert len(made.node) + sum(len(each.node_def) for each in made.library.function) < 100


def test_bytes_that_are_no_text_go_through_branches_and_loops() -> None:
    @rt.function
    def program(x: Any, n: Any) -> Any:
        kept, text = x, "é"
        for i in range(n):
            kept = rt.strings.join([kept, x]) if i % 2 == 0 else x
            text = text + str(i)
        if n > 2:
            text = text * 2
        return kept, text, rt.strings.join([kept, text])

    for n in (0, 3, 4):
        kept, text, both = program(rt.constant(b"\xff"), rt.constant(n))
        assert kept.numpy() == b"\xff" * (1 + n % 2)
        expected = "é" + "".join(map(str, range(n)))
        expected *= 1 + (n > 2)
        assert text.numpy().decode() == expected
        assert both.numpy() == kept.numpy() + text.numpy()


@pytest.mark.parametrize(
    ("function", "most"),
    [
        (odd_words, 90),
        (raised_of_signs, 8),
        (written_beside_numbers, 8),
        (told_of_signs, 8),
        (methods_of_signs, 8),
        (letters_in_turn, 8),
        (numbers_of_signs, 8),
        (values_of_signs, 8),
        (letters_of_signs, 8),
        (pairs_of_words, 30),
        (numbers_of_words, 30),
        (dearest, 90),
    ],
)
def test_what_is_told_of_known_texts(function: Callable[[Any], Any], most: int) -> None:
    assert_as_in_python(function, *range(-2, most + 2))


def without_each_digit(n: Any) -> Any:
    rows = [list(str(n)) for _ in range(len(str(n)))]
    for at in range(len(rows)):
        rows[at].pop(at)
    return max(int("".join(row)) for row in rows), len(rows[0])


def test_rows_of_digits_lose_one_each() -> None:
    staged = rt.function(without_each_digit)
    for n in (152, 6385, 2222222):
        assert tuple(map(int, staged(rt.constant(n)))) == without_each_digit(n)


def test_a_text_is_no_index_of_a_list() -> None:
    with pytest.raises(autograph.StagingError, match="given to getitem"):
        rt.function(lambda n: [1, 2][str(n)])(rt.constant(1))


# Texts beside tensors


def chosen(x):
    name = "far"
    for i in range(x):
        name = "none" if i > 1 else "near"
    return name


BESIDE: dict[str, Any] = {
    "a_number_is_no_text": lambda x: (x == f"{x}", x != f"{x}", f"{x}" == x, x == chosen(x)),
    "nor_a_tuple_with_one": lambda x: (x == (x, "in"), x != ["a"], x in [(1, "b"), "c", x]),
    "a_tensor_of_text": lambda x: (
        rt.constant("3") == f"{x}",
        f"{x}" != rt.constant("3"),
        rt.constant("3") + f"{x}",
    ),
    "ops": lambda x: (
        rt.strings.upper(f"v{x}"),
        rt.strings.join([f"v{x}", "x"]),
        rt.strings.length(f"{x}"),
        rt.stack([f"{x}", "x"]),
    ),
}


@pytest.mark.parametrize("convert", [lambda x: x, staged_number], ids=["tensor", "number"])
@pytest.mark.parametrize("name", BESIDE)
def test_texts_beside_tensors(name: str, convert: Any) -> None:
    function = BESIDE[name]
    staged = rt.function(lambda x: function(convert(x)))
    for value in (0, 3):
        expected = attempt(lambda v=value: function(v))
        got = attempt(lambda v=value: staged(rt.constant(v, rt.int64)))
        assert same_outcome(expected, got), (value, expected, got)
