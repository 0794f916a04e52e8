"""Functions inside random programs, and the calls of them."""

from collections.abc import Callable

from tests.support.programs_exits import LeavingArms
from tests.support.programs_expressions import INDENT


class Definitions(LeavingArms):
    """The part of a `Writer` that writes functions, lambdas and generators."""

    assign: Callable[[], None]
    after_loop: Callable[[str], None]

    def closure(self) -> None:
        if self.level > (3 if self.dialect.free else 2) or self.in_function:
            return self.assign()
        name = self.new("f")
        outer = [n for n in self.names("int") if n not in self.kept and n not in self.maybe]
        changed = self.pick(outer) if outer and self.chance(50) else None
        types, maybe, loops = dict(self.types), set(self.maybe), self.in_loop
        functions = dict(self.functions)
        self.in_loop = 0
        self.in_function += 1
        self.line(f"def {name}(u):")
        self.level += 1
        self.types = {n: t for n, t in types.items() if t != "list" and n not in maybe} | {
            "u": "int"
        }
        self.kept |= set(types)
        if changed:
            self.line(f"nonlocal {changed}")
            self.line(f"{changed} = ({changed} + {self.operand(1)}) % 89")
        if self.chance(60):
            self.line(f"if {self.truth(1)}:")
            self.line(f"{INDENT}{self.returning()}")
        elif self.chance(30):
            self.choice(1)
        if self.chance(30):
            self.line("while u > 4:")
            self.line(f"{INDENT}u = u // 2")
        self.line(self.returning())
        self.level -= 1
        self.kept -= set(types)
        self.kept |= {n for n in types if n.startswith("k")}
        self.types, self.maybe, self.in_loop = types, maybe, loops
        self.functions = functions
        self.in_function -= 1
        if self.level == 1 or self.dialect.free:
            self.functions[name] = "int"
        return None

    def lambda_(self) -> None:
        if self.level > 1 or self.in_function:
            return self.assign()
        name = self.new("g")
        self.types["u"] = "int"
        value = self.assigned("int")
        del self.types["u"]
        if ":=" in value:
            return self.assign()
        self.line(f"{name} = lambda u: {value}")
        self.functions[name] = "int"
        return None

    def capture(self) -> None:
        """A function without parameters, which sees what its names mean when it is called."""
        if self.in_function:
            return self.assign()
        name = self.new("c")
        value = self.assigned("int")
        if ":=" in value:
            return self.assign()
        self.line(f"{name} = lambda: {value}")
        self.body(1)
        self.line(f"note({name}())")
        return None

    def generator(self) -> None:
        """A generator with control flow, defined and used here."""
        if self.in_function or self.level > 3:
            return self.assign()
        name, item = self.new("y"), self.new("x")
        leaving = self.pick(["continue", "break", "return", "pass", "choice"])
        self.line(f"def {name}(u):")
        self.line(f"{INDENT}for w in range(u % 4):")
        if leaving == "choice":
            self.in_own_loop()
        else:
            self.line(f"{INDENT * 2}if {self.truth(1)}:")
            self.line(f"{INDENT * 3}{leaving}")
        self.line(f"{INDENT * 2}yield w + u")
        self.types[item] = "int"
        self.block(f"for {item} in {name}({self.integer(1)}):", loop=True)
        self.after_loop(item)
        return None

    def in_own_loop(self) -> None:
        """Arms that leave, in the loop of a function inside."""
        loops, self.in_loop = self.in_loop, 1
        self.level += 2
        self.in_function += 1
        self.choice(1)
        self.in_function -= 1
        self.level -= 2
        self.in_loop = loops
