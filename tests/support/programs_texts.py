"""Random programs over texts: letters of known ones, texts of numbers that only the run knows,
their methods, slices and comparisons, lists, dicts, tuples and objects of them, functions that call
themselves, and what they raise.
"""

from collections.abc import Callable

from tests.support.programs_choices import INDENT, Choices, Lines

_PRELUDE = """WORDS = ["one", "", "two", "éa", "12", "-7", "Two three", "a{}%"]
LETTERS = "abca 10é,b"


def digits(x):
    if x < 10:
        return str(x)
    return digits(x // 10) + "," + str(x % 10)


def doubled(text):
    made = ""
    for letter in text:
        made += letter * 2
    return made


class Box:
    def __init__(self, text):
        self.text = text
        self.count = 0

    def put(self, text):
        self.text = (text + self.text)[:7]
        self.count += len(text) % 3
        return self.text

    def __str__(self):
        return f"<{self.text}>"


def told(text, n):
    match text:
        case "" | "two":
            return "known"
        case _ if n > 3:
            return text[:3] + "!"
    return "other"


"""
_ADD = """    def add(text):
        nonlocal k
        k = k + 1
        found.append(text[:4])
        return text[:4] + box.text[:2]"""
_CLAUSES = "ValueError", "IndexError", "(ValueError, IndexError)", "LookupError"


class Writer(Lines):
    """Writes one program: `s` and `t` are texts, `found` is a list of them, `counts` has them as
    keys, `pairs` is a list of texts and numbers, `box` an object that holds one; `n` and `k` are
    small integers, `n` one that only the run knows.
    """

    filler = "k = k + 1"

    def __init__(self, choices: Choices) -> None:
        super().__init__(choices, 4 + choices.below(14))
        self.texts = ["s", "t"]
        self.numbers = ["n", "k"]

    def number(self) -> str:
        s = self.pick(*self.texts)
        return self.pick(
            *self.numbers, *self.numbers, "2", "-1", f"len({s})", f"{s}.find({self.known()})",
            f"{s}.count({self.known()})", "len(found)", f"int({self.text()})",
            f"ord({self.text()})", f"{self.pick(*self.numbers)} * 7 - 3",
            f"{s}.index({self.known()})", f"counts.get({s}, 0)", "len(counts)", "box.count",
            f"sum(1 for c in {s} if c in LETTERS)", "sum(number for _, number in pairs)",
            f"sum(len(w) for w in {s}.split(','))", "max(map(len, found), default=0)",
        )  # fmt: skip

    def known(self) -> str:
        return self.pick("'a'", "'1'", "''", "'é'", "'-'", "'two'", "'{}'", "','")

    def place(self) -> str:
        return self.pick("0", "1", "-1", *self.numbers)

    def part(self) -> str:
        return self.pick("1:", ":2", "::-1", ":-1", f"{self.place()}:", f":{self.place()}", "::2")

    def text(self) -> str:
        s, t, n = self.pick(*self.texts), self.pick(*self.texts), self.pick(*self.numbers)
        return self.pick(
            s, s, s, f"str({n})", f"{s} + {t}", f"{s} + str({n})", f"{self.known()} + {s}",
            f"{s}[{self.part()}]", f"{s}[{self.place()}]", f"WORDS[{self.place()}]",
            f"LETTERS[{self.place()}]", f"{s} * 2", f"{s} * (n % 3)", f"{s}.upper()",
            f"{s}.replace({self.known()}, {t})", f"{s}.strip('1')", f"{s}.zfill(4)",
            f"f'{{{s}}}-{{{n}}}'", f"f'{{{n}:03d}}|{{{s}:>4}}'", f"'%s=%d' % ({s}, {n})",
            f"'{{}}{{{{}}}}{{}}'.format({s}, {n})", f"repr({s})", f"bin({n})", f"hex({n})[2:]",
            f"'-'.join([{s}, {t}])", "'/'.join(found)", f"chr(97 + {n} % 26)", f"str({n} > 2)",
            f"doubled({s}[:3])", f"digits(abs({n}))", f"str({n} / 2)", f"format({n}, 'b')",
            f"{s}.lower().title()", f"({s} or {t})", f"({s} if {n} > 1 else {t})", f"min({s}, {t})",
            f"{s}.removeprefix({self.known()})", f"LETTERS[{self.place()}] + {s}",
            f"''.join(c for c in {s} if c != {self.known()})", f"max(found, key=len, default={s})",
            "','.join(sorted(found))", f"told({s}, {n})", "box.text", "str(box)", f"box.put({s})",
            "'.'.join(sorted(counts))", f"(pairs[-1][0] if pairs else {s})", f"add({s})",
            f"''.join([c * i for i, c in enumerate({s}[:3])])", f"{s}.center(5, '*')",
            f"''.join(a + b for a, b in zip({s}, {t}))", f"{s}.partition({self.known()})[0]",
            f"{s}.rjust({n} % 5, '0')", f"{s}.swapcase().strip()", f"{s}[{n}:{n} + 2]",
            f"''.join(reversed({s}))", f"''.join(sorted({s}))",
        )  # fmt: skip

    def test(self) -> str:
        s = self.pick(*self.texts)
        compared = self.pick("==", "!=", "<", ">=")
        return self.pick(
            f"{self.text()} {compared} {self.text()}", f"{self.known()} in {s}", f"{s}",
            f"not {s}", f"{s}.isdigit()", f"{s}.startswith({self.known()})", f"n {compared} 2",
            f"{self.number()} {compared} {self.number()}", f"{s} in ('1', 'two', '')",
            f"{s}.isalpha() and n > 1", f"{s} == {s}[::-1]", "len(found) < 3", f"{s} in found",
            f"LETTERS[{self.place()}] == {s}[:1]", f"{s} not in WORDS", f"{s} in counts",
            f"any(c.isdigit() for c in {s})", f"all(c in {self.pick(*self.texts)} for c in {s})",
            f"({s}, n) in pairs", f"box.text < {s}", f"{s} is not None and {s}.endswith('1')",
        )  # fmt: skip

    def ways(self) -> list[Callable[[], None]]:
        simple = [self.assignment] * 6 + [self.collecting] * 3 + [self.leaving]
        nested = [self.looping] * 3 + [self.branching] * 3 + [self.catching]
        return simple if self.depth > 3 else simple + nested

    def assignment(self) -> None:
        self.line(self.pick(
            f"s = ({self.text()})[:9]", f"t = ({self.text()})[:9]", f"s = ({self.text()})[:9]",
            "s, t = t, s", f"s += {self.pick(*self.texts)}[:3]", f"n = abs({self.number()}) % 13",
            f"k = ({self.number()}) % 7", f"t = {self.pick(*self.texts)}[:2] + str(n)",
            f"t = LETTERS[{self.place()}] + t[:6]", f"box.text = ({self.text()})[:7]",
            f"box.count = ({self.number()}) % 5", f"box.put({self.text()})", "s = add(t)[:9]",
        ))  # fmt: skip

    def collecting(self) -> None:
        self.line(self.pick(
            f"found.append(({self.text()})[:6])", f"found.append(str({self.number()}))",
            f"found.append(({self.text()})[:6])",
            f"if {self.test()}:\n{INDENT * (self.depth + 1)}found.append({self.pick(*self.texts)})",
            "s = (found[-1] if found else s)[:9]",
            f"counts[{self.text()}] = {self.number()}",
            f"counts[{self.pick(*self.texts)}] = counts.get({self.pick(*self.texts)}, 0) + 1",
            f"pairs.append((({self.text()})[:6], {self.number()}))", "pairs.sort()",
            f"for c in {self.pick(*self.texts)}[:4]: counts[c] = counts.get(c, 0) + 1",
            "found.sort(key=len)", "found.reverse()", f"found.insert(0, {self.pick(*self.texts)})",
        ))  # fmt: skip

    def leaving(self) -> None:
        leave = self.pick("return", "raise", *["break", "continue"] * (2 if self.loops else 0))
        if leave == "return":
            leave = f"return {self.text()}, n"
        elif leave == "raise":
            leave = f"raise ValueError({self.text()})"
        self.line(f"if {self.test()}:")
        self.line(INDENT + leave)

    def looping(self) -> None:
        x, s = self.fresh(), self.pick(*self.texts)
        header, texts, numbers = (
            (f"for {x} in {s}:", [x], []),
            (f"for {x} in range(n % 4):", [], [x]),
            (f"for {x} in range(len({s}[:5])):", [], [x]),
            (f"for {x} in WORDS[:4]:", [x], []),
            (f"for {x} in LETTERS[:4]:", [x], []),
            (f"for {x} in found[:3]:", [x], []),
            (f"for {x} in {s}.split(','):", [x], []),
            (f"for {x}, {x}i in zip({s}, range(3)):", [x], [f"{x}i"]),
            (f"for {x}i, {x} in enumerate({s}[:4]):", [x], [f"{x}i"]),
            (f"for {x}, {x}i in pairs[:3]:", [x], [f"{x}i"]),
            (f"for {x}, {x}i in [*counts.items()]:", [x], [f"{x}i"]),
            (f"for {x} in sorted(counts):", [x], []),
            (f"while {x} < n % 5 and {self.test()}:", [], [x]),
        )[self.choices.below(13)]
        self.loop(header, x, (self.texts, texts), (self.numbers, numbers))

    def catching(self) -> None:
        self.block("try:")
        named = self.choices.below(2)
        self.line(f"except {self.pick(*_CLAUSES)}{' as error' * named}:")
        self.line(INDENT + (f"{self.pick('s', 't')} = str(error)[:9]" if named else self.filler))

    def program(self) -> str:
        self.line("n = given = int(n)")
        self.line("s, t, k, found = str(n), 'ab', 0, []")
        self.line("counts, pairs, box = {}, [], Box(s)")
        self.lines.append(_ADD)
        for _ in range(2 + self.choices.below(5)):
            self.statement()
        self.line("print(s, k, given)")
        self.line("counted = ','.join(f'{key}:{count}' for key, count in counts.items())")
        self.line("paired = ','.join(f'{text}.{number}' for text, number in pairs)")
        self.line("return s, t, n, k, '|'.join(found), counted, paired, box.text, box.count")
        return self.module("n", _PRELUDE)


def write(choices: Choices) -> str:
    """The text of a module whose `program` takes an integer."""
    return Writer(choices).program()
