"""The statements of a random program."""

import re

from tests.support.programs_definitions import Definitions
from tests.support.programs_expressions import DEEPEST, INDENT

TYPES = ("int", "int", "int", "float", "bool")


class Writer(Definitions):
    """Writes one program, statement by statement."""

    def assign(self) -> None:
        kind = self.pick(TYPES)
        value = self.assigned(kind)
        name = self.target(kind)
        self.line(f"{name} = {value}")
        self.bind(name, kind)

    def augment(self) -> None:
        names = [name for name in self.readable("int") if name not in self.kept]
        if not names:
            return self.assign()
        operator = self.pick(["+=", "-=", "*=", "//=", "%="] if self.dialect.free else ["+=", "-="])
        value = self.pick([1, 2, 3]) if not self.dialect.free else self.pick([2, self.integer(1)])
        self.line(f"{self.pick(names)} {operator} {value}")

    def swap(self) -> None:
        names = [name for name in self.readable("int") if name not in self.kept]
        if len(names) < 2:
            return self.assign()
        a, b = names[self.choices.below(len(names) - 1)], names[-1]
        self.line(f"{a}, {b} = {b}, {self.operand(1) if self.dialect.free else a}")

    def if_(self) -> None:
        if self.level > DEEPEST:
            return self.assign()
        before = dict(self.types)
        self.block(f"if {self.truth()}:")
        if self.chance(25):
            self.types = dict(before) if not self.dialect.free else self.types
            self.block(f"elif {self.truth()}:", 2)
        if self.chance(50):
            self.block("else:", 2)

    def counter(self, start: str) -> str:
        name = self.new("k")
        self.line(f"{name} = {start}")
        self.types[name] = "int"
        self.kept.add(name)
        return name

    def while_(self) -> None:
        if self.level > DEEPEST or self.in_loop > 2:
            return self.assign()
        name = self.counter("0")
        bound = self.pick(["3", "4", f"{self.operand(1)} % 4"])
        test = f"{name} < {bound}"
        if self.chance(50):
            test = f"{test} and ({self.truth(1)})"
        with self.indented(f"while {test}:"):
            self.line(f"{name} += 1")
            self.in_loop += 1
            self.body(1 + self.choices.below(3))
            self.in_loop -= 1
        self.else_clause()

    def while_true(self) -> None:
        if self.level > DEEPEST or self.in_loop > 2:
            return self.assign()
        name = self.counter("0")
        with self.indented("while True:"):
            self.line(f"{name} += 1")
            self.line(f"if {name} > {self.pick([1, 3])} or ({self.truth(1)}):")
            self.line(f"{INDENT}break")
            self.in_loop += 1
            self.body(1 + self.choices.below(3))
            self.in_loop -= 1

    def for_range(self) -> None:
        if self.level > DEEPEST or self.in_loop > 2:
            return self.assign()
        name = self.new("i")
        bounds = self.pick(["3", f"{self.operand(1)} % 4", "1, 4", "5, 0, -2"])
        self.types[name] = "int"
        self.block(f"for {name} in range({bounds}):", loop=True)
        self.after_loop(name)

    def for_items(self) -> None:
        if self.level > DEEPEST or self.in_loop > 2:
            return self.assign()
        name = self.new("x")
        forms = ["[1, 2]", "(3, 4, 5)"]
        # A list that changes while it is iterated is not like a tensor, which is a value.
        if self.dialect.free or self.result != "items":
            forms.append("xs")
        if self.dialect.free:
            forms += ["items(3)", "list(xs)", "[a, b]", "reversed(xs[:3])"]
        iterable = self.pick(forms)
        if iterable == "xs" and self.dialect.free:
            iterable = "xs[:3]"
        self.types[name] = "int"
        self.block(f"for {name} in {iterable}:", loop=True)
        self.after_loop(name)

    def after_loop(self, name: str) -> None:
        self.maybe.add(name)
        if not self.dialect.free and not self.chance(10):
            self.types.pop(name, None)
        self.else_clause()

    def else_clause(self) -> None:
        if self.chance(15):
            self.block("else:", 2)

    def leave(self) -> None:
        if not self.in_loop:
            return self.assign()
        self.line(f"if {self.truth(1)}:")
        self.level += 1
        if self.chance(30):
            self.assign_known()
        self.line(self.pick(["break", "continue"]))
        self.level -= 1
        return None

    def assign_known(self) -> None:
        names = [name for name in self.readable("int") if name not in self.kept]
        if names:
            self.line(f"{self.pick(names)} = {self.assigned('int')}")

    def return_(self) -> None:
        if self.chance(70):
            self.line(f"if {self.truth(1)}:")
            self.line(f"{INDENT}{self.returning()}")
        elif self.level > 1:
            self.line(self.returning())

    def returning(self) -> str:
        if self.in_function:
            return f"return {self.assigned('int')}"
        if self.dialect.free and self.chance(30):
            return str(self.pick(["return", "return None", "return 'text'", "return xs"]))
        if "{" in self.result:
            return f"return {self.result.format(int=self.assigned('int'))}"
        if self.result in ("items", "grown"):
            name = "xs" if self.result == "items" else "grown"
            return f"return {name}, {self.assigned('int')}"
        if self.result == "pair":
            return f"return {self.assigned('int')}, {self.assigned('float')}"
        return f"return {self.assigned(self.result)}"

    def assert_(self) -> None:
        message = self.pick(["", ", 'message'"])
        if self.dialect.free and message and self.chance(30):
            message = f", note({self.integer(1)})"
        self.line(f"assert {self.truth(1)}{message}")

    def raise_(self) -> None:
        kind = self.pick([self.exception(), "RuntimeError"])
        self.line(f"if {self.truth(1)}:")
        self.line(f"{INDENT}raise {kind}")

    def try_(self) -> None:
        if self.level > DEEPEST:
            return self.assign()
        self.block("try:")
        handled = self.pick(["ValueError", "(ValueError, ZeroDivisionError)", "Exception"])
        how = self.choices.below(3)
        if how < 2:
            self.block(f"except {handled}{self.pick(['', ' as error'])}:", 2)
            if self.chance(20):
                self.block("else:", 2)
        if how > 0:
            self.block("finally:", 2)
        return None

    def with_(self) -> None:
        if self.level > DEEPEST:
            return self.assign()
        self.block(f"with suppress({self.pick(['ValueError', 'ZeroDivisionError'])}):")
        return None

    def effect(self) -> None:
        kind = self.pick(["int", "bool", "list"])
        self.line(f"note({self.expression(kind)})")

    def delete(self) -> None:
        names = [name for name in self.names("int") if name[0] in "vw"]
        if not names:
            return self.assign()
        name = self.pick(names)
        self.line(f"del {name}")
        self.maybe.add(name)

    def half_defined(self) -> None:
        """A name that one arm sets, read under the same test or another one."""
        name = self.new("h")
        test = self.truth(1)
        self.line(f"if {test}:")
        self.line(f"{INDENT}{name} = {self.assigned('int')}")
        if self.dialect.free or self.chance(50):
            self.body(1)
        self.line(f"if {self.pick([test, self.truth(1)]) if self.chance(50) else test}:")
        self.line(f"{INDENT}a = ({name} + 1) % 50")
        self.bind("a", "int")

    def optional(self) -> None:
        """None until a condition holds."""
        name = self.new("n")
        self.line(f"{name} = None")
        if self.chance(40) and self.in_loop < 2 and self.level < DEEPEST:
            item = self.new("x")
            self.line(f"for {item} in {self.pick(['xs', 'range(3)'])}:")
            self.line(f"{INDENT}if {name} is None or {item} > {name}:")
            self.line(f"{INDENT * 2}{name} = {item}")
        else:
            self.line(f"if {self.truth(1)}:")
            self.line(f"{INDENT}{name} = {self.assigned('int')}")
        self.line(f"if {name} is {self.pick(['', 'not '])}None:")
        self.line(f"{INDENT}b = b + 1")
        self.bind("b", "int")

    def alias(self) -> None:
        name = self.new("l")
        self.line(f"{name} = {self.list_()}")
        self.bind(name, "list")

    def set_item(self) -> None:
        # A tensor's item may be assigned only where the tensor is returned.
        if not self.dialect.free and self.result != "items":
            return self.assign()
        name = self.pick(self.readable("list") or ["xs"]) if self.dialect.free else "xs"
        index = self.pick(["0", "1", "-1", f"{self.operand(1)} % 3"])
        if self.chance(40):
            self.line(f"{name}[{index}] += {self.pick([1, 2])}")
        else:
            self.line(f"{name}[{index}] = {self.assigned('int')}")
        return None

    def list_change(self) -> None:
        name = self.pick(self.readable("list") or ["xs"])
        form = self.pick(["{0}.append({1})", "{0} = {0} + [{1}]", "{0} += [{1}]", "{0}.pop()"])
        self.line(form.format(name, self.integer(1)))
        self.bind(name, "list")

    def grow(self) -> None:
        """Something with a list, dict or set of which only the run may know what is in it."""
        if self.in_function:
            return self.assign()
        form = self.pick(self.dialect.growing)
        kind, text = form.split(": ", 1)
        names = {name: self.new(name) for name in "kvr" if f"{{{name}}}" in form}
        text = text.format(value=self.small(), place=self.integer(0), key=self.key(), **names)
        if kind == "int":
            name = self.target("int")
            self.bind(name, "int")
            text = f"{name} = {text}"
        for line in text.split("; "):
            self.line(line)
        return None

    def small(self) -> str:
        value = self.assigned("int")
        return value if value.isalnum() else f"({value})"

    def key(self) -> str:
        """A key that others are likely to be, too."""
        return self.pick(["1", "2", "a", "b % 3", f"{self.operand(1)} % 4"])

    def attribute(self) -> None:
        self.line(
            self.pick(["o.v = {}", "o.v += {}", "o._v = {}", "o.new = {}"]).format(self.integer(1))
        )

    def match_(self) -> None:
        if self.level > DEEPEST - 1:
            return self.assign()
        name = self.new("m")
        self.line(f"match {self.pick([self.integer(1), self.list_(1)])}:")
        self.level += 1
        self.types[name] = "int"
        self.maybe.add(name)
        cases = ["case 0 | 1:", f"case int({name}) if {self.truth(1)}:", f"case [{name}, *_]:"]
        for case in cases[: 1 + self.choices.below(3)]:
            self.block(case, 2)
        if self.chance(50):
            self.block("case _:", 2)
        self.level -= 1
        return None

    def python_value(self) -> None:
        """A string chosen by a branch, asked for by another."""
        name = self.new("s")
        self.line(f"{name} = 'x' if {self.truth(1)} else None")
        self.line(f"if {name} == 'x':")
        self.line(f"{INDENT}{name} = {name} + 'y'")
        self.line(f"elif not {name}:")
        self.line(f"{INDENT}a = {self.integer(1)}")
        self.bind("a", "int")

    def set_global(self) -> None:
        self.line(f"G = {self.integer(1)}")

    def snippet(self) -> None:
        """A construct out of a table, its holes filled."""
        if self.level > DEEPEST - 1 or self.in_loop > 1 or self.in_function:
            return self.assign()
        names: dict[str, str] = {}
        outer, known = self.level, dict(self.types)
        for line in self.pick(self.dialect.snippets).splitlines():
            text = line.lstrip()
            self.level = outer + (len(line) - len(text)) // 4
            if text in ("BLOCK", "LOOP"):
                self.filling(text == "LOOP")
            elif text:
                self.line(self.filled(text, names))
        self.level = outer
        if not self.dialect.free:
            self.types = known
        for name in names.values():
            kind = re.fullmatch(r"\w+_(int|list)", name)
            if kind:
                self.types[name] = kind[1]
                self.maybe.add(name)
        return None

    def filling(self, loop: bool) -> None:
        start = len(self.lines)
        self.in_loop += loop
        self.body(1 + self.choices.below(2))
        self.in_loop -= loop
        if len(self.lines) == start:
            self.line("pass")

    def filled(self, text: str, names: dict[str, str]) -> str:
        """A line of a snippet with its holes filled."""

        def name(found: re.Match[str]) -> str:
            return names.setdefault(found[1], f"t{next(self.fresh)}_{found[1]}")

        def value(found: re.Match[str]) -> str:
            if found[1] == "return":
                return self.returning()
            whole = self.dialect.free or found[1] in ("bool", "list")
            made = self.expression(found[1], 1) if whole else self.assigned(found[1])
            return f"({made})"

        return re.sub(r"<(\w+)>", value, re.sub(r"\$(\w+)", name, text))
