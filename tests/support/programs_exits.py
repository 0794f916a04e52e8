"""What of random programs leaves: nested arms that return, raise, assert, break or go on."""

from collections.abc import Callable

from tests.support.programs_expressions import DEEPEST, INDENT, Expressions


class LeavingArms(Expressions):
    """The part of a `Writer` that writes statements of which each arm leaves in its own way."""

    returning: Callable[[], str]
    counter: Callable[[str], str]
    raise_: Callable[[], None]

    def choice(self, depth: int = 2) -> None:
        """An `if` whose arms each leave in their own way, or do not."""
        if self.level > DEEPEST:
            return self.raise_()
        for keyword in ["if", *["elif"] * self.choices.below(3)]:
            self.arm(f"{keyword} {self.truth(1)}:", depth)
        if self.chance(70):
            self.arm("else:", depth)
        return None

    def arm(self, header: str, depth: int, *, loop: bool = False) -> None:
        with self.indented(header):
            self.in_loop += loop
            if not self.in_function and self.chance(25):
                self.body(1)
            self.pick(self.ways_out(depth))()
            self.in_loop -= loop

    def ways_out(self, depth: int) -> list[Callable[[], None]]:
        """What ends an arm: an exit, an exception, a statement whose arms do, or nothing."""
        leaving = self.pick(["break", "continue"] if self.in_loop else ["pass"])
        ways: list[Callable[[], None]] = [
            lambda: self.line("pass"),
            lambda: self.line(self.returning()),
            lambda: self.line(f"raise {self.exception()}"),
            lambda: self.line(f"raise {self.exception()}"),
            lambda: self.line(leaving),
            lambda: self.line(f"assert {self.pick(['False', self.truth(1)])}, {self.message()}"),
        ]
        if depth > 0 and self.level <= DEEPEST:
            ways += [lambda: self.choice(depth - 1)] * 4
            ways += [lambda: self.leaving_loop(depth - 1)]
            ways += [lambda: self.leaving_try(depth - 1)] if self.catches else []
        return ways

    def exception(self) -> str:
        kind = self.pick(["ValueError", "KeyError", "RuntimeError", "ZeroDivisionError"])
        return f"{kind}({self.message()})"

    def message(self) -> str:
        """Another one at each place."""
        return f"'e{next(self.fresh)}'"

    def leaving_try(self, depth: int = 2) -> None:
        """A `try` or a `with` whose parts leave."""
        if self.suppresses and self.chance(20):
            return self.arm(f"with {self.pick(['suppress(ValueError)', 'Manager(False)'])}:", depth)
        self.arm("try:", depth)
        how = self.choices.below(3)
        if how < 2:
            self.arm(f"except {self.pick(['ValueError', 'Exception'])}:", depth)
            if self.chance(30):
                self.arm("else:", depth)
        if how > 0:
            self.arm("finally:", 0)
        return None

    def leaving_loop(self, depth: int = 2) -> None:
        """A loop that an exit or an exception ends, and an `else` that leaves."""
        if self.in_loop > 2:
            return self.raise_()
        name = self.counter("0")
        endless = self.chance(50)
        with self.indented("while True:" if endless else f"while {name} < 2:"):
            self.line(f"{name} += 1")
            if endless:
                self.line(f"if {name} > {self.pick([1, 2])}:")
                self.line(f"{INDENT}{self.pick([self.returning(), f'raise {self.exception()}'])}")
            self.in_loop += 1
            self.choice(depth)
            self.in_loop -= 1
        if not endless and self.chance(40):
            self.arm("else:", depth)
        return None
