"""Random programs of gradients: tapes in branches and loops, and what only the path that is not
taken may compute: quotients, logarithms, roots and powers where they have no value.

A program takes two float64 scalars, a count and a truth value, and returns values and slopes.
"""

from collections.abc import Callable
from typing import NamedTuple

from tests.support.programs_choices import INDENT, Choices, Lines

PRELUDE = """\
import runtime as rt


def bent(u):
    if u > 0.5:
        return u * u
    return u - 0.25


def slope_of(u, w):
    with rt.GradientTape() as tape:
        tape.watch(u)
        z = bent(u) * w
    return tape.gradient(z, u)


@rt.function
def graph(u, w):
    if u > w:
        u = u * 0.5
    return u * w


@rt.custom_gradient
def cubed(u):
    return u * u * u, lambda d: d * 3.0 * u * u


@rt.recompute_grad
def anew(u):
    return bent(u) * u


def called_back(u):
    return rt.py_function(lambda u: u * u, [u], rt.TensorSpec([], rt.float64))


class Box:
    def __init__(self, v):
        self.v = v

    def take(self, u):
        self.v = self.v * 0.5 + u
        return self.v * u


def matrix(u, w):
    return rt.stack([rt.stack([u, w]), rt.stack([w, u + 2.0])])


def regular(u, w):
    u = rt.abs(u) + rt.abs(w) + 1.0
    return rt.stack([rt.stack([u, w]), rt.stack([w, u + 2.0])])


"""

_SMOOTH = (
    *("{u} * {w}", "{u} + 0.5 * {w}", "{u} - {w} * {w}", "rt.sin({u})", "rt.tanh({u}) * {w}"),
    *("{u} / (1.0 + {w} * {w})", "rt.exp(-{u} * {u})", "bent({u})", "rt.maximum({u}, {w})"),
    *("rt.where({u} > {w}, {u}, 2.0 * {w})", "rt.abs({u})"),
    # A choice of new tensors: a tape knows by no other name one that a branch has chosen.
    "{u} * 2.0 if {w} > 0.1 else {w} * 1.0",
    *("rt.reduce_sum(rt.stack([{u}, {w}, {u} * {w}]))", "rt.reduce_max(rt.stack([{u}, {w}]))"),
    *("rt.unstack(rt.stack([{u}, {w}]))[0]", "rt.split(rt.stack([{u}, {w}]), 2)[1][0]"),
    *("rt.nn.moments(rt.stack([{u}, {w}]), [0])[0]", "rt.math.top_k(rt.stack([{u}, {w}]))[0][0]"),
    *("rt.sort(rt.stack([{u}, {w}]))[1]", "rt.cumsum(rt.stack([{u}, {w}]))[1]"),
    *("graph({u}, {w})", "cubed({u})", "anew({u})", "called_back({u}) * {w}", "box.take({u})"),
    *("rt.cond({u} > {w}, lambda: {u} * {w}, lambda: {u} - {w})", "box.v * {u}"),
    "rt.while_loop(lambda a, b: b < n, lambda a, b: (a * {u}, b + 1), [{w} * 1.0, 0])[0]",
    *("rt.reduce_sum(rt.map_fn(bent, rt.stack([{u}, {w}])))", "items[-1] * {u}"),
    *("rt.foldl(lambda a, b: a * b + {u}, rt.stack([{u}, {w}]))", "items[n % len(items)] * {u}"),
    *("rt.scan(lambda a, b: a * b, rt.stack([{u}, {w}]))[1]", "rt.add_n(items) * {u}"),
    "rt.reduce_sum(rt.vectorized_map(lambda a: a * {u}, rt.stack([{u}, {w}])))",
    *("rt.linalg.det(regular({u}, {w}))", "rt.linalg.qr(regular({u}, {w}))[1][0, 0]"),
)
_PARTIAL = (
    *("1.0 / {u}", "rt.math.log({u})", "rt.sqrt({u})", "{u} ** 1.5", "rt.pow({u}, {w})"),
    *("{w} / {u}", "rt.math.rsqrt({u})", "rt.acos({u})", "rt.linalg.inv(matrix({u}, {w}))[0, 1]"),
    *("rt.linalg.det(matrix({u}, {w}))", "rt.linalg.qr(matrix({u}, {w}))[1][0, 0]"),
    *("rt.math.log(rt.linalg.det(matrix({u}, {w})))", "rt.atanh({u})", "rt.norm(rt.stack([{u}]))"),
    *("rt.math.divide_no_nan({w}, {u})", "rt.linalg.cholesky(matrix({u}, {w}))[1, 1]"),
)


class Writer(Lines):
    """Writes one program. `whole` says that nothing keeps a part of it from its last gradient."""

    filler = "w = w * 0.5"
    longest = 2

    def __init__(self, choices: Choices) -> None:
        super().__init__(choices, 5 + choices.below(10))
        self.whole = True

    def value(self) -> str:
        return self.pick("u", "w", "x", "y", "u", "w")

    def formula(self, *forms: str) -> str:
        return self.pick(*forms).format(u=self.value(), w=self.value())

    def test(self) -> str:
        return self.pick(
            *("p", "not p", f"{self.value()} > 0.0", f"{self.value()} < {self.value()}"),
            *(f"{self.value()} > 0.3 and p", f"{self.value()} != 0.0", "n > 1"),
        )

    def ways(self) -> list[Callable[[], None]]:
        simple = [self.assignment] * 4 + [self.guarded] * 3 + [self.read_later] * 2
        simple += [self.kept] * 2
        simple += [self.inner] * 2 + [self.stopped, self.watched, self.asked, self.left_round]
        nested = [self.branching] * 4 + [self.looping] * 3
        return simple if self.depth > 4 else simple + nested

    def assignment(self) -> None:
        self.line(f"{self.pick('u', 'w')} = {self.formula(*_SMOOTH)}")

    def guarded(self) -> None:
        """What has no value everywhere, where it has one."""
        self.line(f"if {self.pick('u > 0.05', 'u > 0.0 and w > 0.0', 'x > 0.1', 'p')}:")
        self.line(f"{INDENT}{self.pick('u', 'w')} = {self.formula(*_PARTIAL)}")
        if self.choices.below(2):
            self.line("else:")
            self.line(f"{INDENT}{self.pick('u', 'w')} = {self.formula(*_SMOOTH)}")

    def read_later(self) -> None:
        """What has no value everywhere, computed always and read on one path."""
        name = self.fresh("q")
        self.line(f"{name} = {self.formula(*_PARTIAL)}")
        self.line(f"if {self.test()}:")
        self.line(f"{INDENT}{self.pick('u', 'w')} = {name} * 0.5")

    def kept(self) -> None:
        """A tensor that a list or an object holds."""
        form = self.pick("items.append({0})", "items.append({0})", "box.v = {0}", "items[0] = {0}")
        self.line(form.format(self.formula(*_SMOOTH)))

    def inner(self) -> None:
        """The gradient by a tape of its own, which the tape around may see."""
        name = self.fresh("t")
        if self.choices.below(3) == 0:
            self.line(f"{self.pick('g', 'w')} = slope_of({self.value()}, {self.value()})")
            return
        self.line(f"with rt.GradientTape({self.pick('', 'persistent=True')}) as {name}:")
        self.line(f"{INDENT}{name}.watch({self.pick('u', 'x')})")
        self.line(f"{INDENT}z = {self.formula(*_SMOOTH)}")
        self.within(name)
        source = self.pick("u", "x")
        zero = 'unconnected_gradients="zero"'
        self.line(f"{self.pick('g', 'g', 'w')} = {name}.gradient(z, {source}, {zero})")

    def within(self, tape: str) -> None:
        """What else a tape is asked in its block, in an arm or a round too."""
        form = self.pick(
            *("", "", f"if {self.test()}:;     z = z * {self.formula(*_SMOOTH)}"),
            f"with {tape}.stop_recording():;     z = z + {self.formula(*_SMOOTH)}",
            f"{tape}.reset(); {tape}.watch(u); z = {self.formula(*_SMOOTH)}",
            f"for _ in range(n):;     z = z * {self.formula(*_SMOOTH)}",
            f"{tape}.watch(z); z = z * z",
        )
        for line in form.split("; ") if form else ():
            self.line(INDENT + line)

    def stopped(self) -> None:
        self.whole = False
        if self.depth > 2 or self.choices.below(2):
            self.line(f"{self.pick('u', 'w')} = rt.stop_gradient({self.formula(*_SMOOTH)})")
            return
        self.line("with tape.stop_recording():")
        self.line(f"{INDENT}{self.pick('u', 'w')} = {self.formula(*_SMOOTH)}")

    def watched(self) -> None:
        if self.depth > 2 and self.choices.below(4):
            return self.assignment()
        self.whole = False
        return self.line(f"tape.watch({self.pick('u', 'w', 'y', 'x')})")

    def asked(self) -> None:
        """The gradient of the tape around, asked for within it; or the tape begun anew."""
        self.whole = False
        if self.depth == 2 and self.choices.below(2):
            self.line("tape.reset()")
            self.line("tape.watch([x, y])")
            return
        zero = 'unconnected_gradients="zero"'
        self.line(f"g = g + tape.gradient({self.value()}, {self.pick('x', 'y')}, {zero})")

    def left_round(self) -> None:
        if not self.loops:
            return self.assignment()
        self.line(f"if {self.test()}:")
        return self.line(INDENT + self.pick("break", "continue"))

    def looping(self) -> None:
        self.loops += 1
        letter = self.pick("k", "i")
        name = self.fresh(letter)
        if letter == "i":
            self.block(f"for {name} in range({self.pick('2', 'n', 'n', 'n + 1')}):")
        else:
            self.line(f"{name} = 0")
            self.line(f"while {name} < {self.pick('n', '2')} and {self.test()}:")
            self.depth += 1
            self.line(f"{name} += 1")
            self.statement()
            self.depth -= 1
        self.loops -= 1

    def program(self) -> str:
        self.line("g = 0.0 * x")
        self.line("with rt.GradientTape(persistent=True) as tape:")
        self.depth += 1
        self.line("tape.watch([x, y])")
        begin = ("u, w = x * 1.0, y + 0.5", "u, w = x * y, y + 0.5", "u, w = rt.sin(x), y * 1.0")
        self.line(self.pick(*begin))
        self.line("box, items = Box(u * 2.0), [u * w]")
        while self.left > 0:
            self.statement()
        self.line("total = u + w")
        self.depth -= 1
        self.line('slopes = tape.gradient(total, [x, y], unconnected_gradients="zero")')
        self.line("return u, w, g, *slopes")
        return self.module("x, y, n, p", PRELUDE)


class GradientProgram(NamedTuple):
    """A program, and whether its slopes are those of the sum of its first two values."""

    text: str
    is_whole: bool


def write(choices: Choices) -> GradientProgram:
    """One program."""
    writer = Writer(choices)
    return GradientProgram(writer.program(), writer.whole)
