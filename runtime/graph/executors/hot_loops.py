"""Hot loops: on-stack replacement of loops of the NumPy program by machine code, in the middle of a
call.

The only state of a loop is what it carries, so that its remaining rounds are the same loop with
other initial values. A program that may become machine code iterates over an iterator of rounds:

    while True:                 for _ in rounds:
        if not proceed:             if not proceed:
            break                       break
        ...                         ...
                                else:
                                    if proceed:
                                        n, steps = rest(n, steps)

The iterator ends when the rounds of all calls were so much work that compiling the loop pays;
`rest`, its machine code, does the remaining rounds. Rounds are counted, and nothing is timed. They
are the bytes of arrays, as iterating over these costs almost nothing.

Of a loop nest, the outermost loop that can be is compiled. A hot inner loop makes the outer one's
iterator end, so that it is replaced at its next round. If that does not come, the inner loop itself
is compiled after as much work again.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence, Set
from functools import cache, partial
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from runtime.core.cached import cached
from runtime.core.stacks import on_fit_thread
from runtime.graph.executors import lowered
from runtime.graph.executors.estimates import work_of
from runtime.graph.executors.lowered import Block, Constant, Local
from runtime.graph.executors.lowering import whole
from runtime.graph.executors.printer import WHILE
from runtime.graph.executors.work import REST, STATEMENT, Patience, Work
from runtime.graph.ir import Graph, Node, walk

if TYPE_CHECKING:
    from runtime.graph.executors.module import Module
    from runtime.graph.executors.printer import Names

Rest = Callable[..., tuple[Any, ...]]
Extend = Callable[[Callable[["Module"], str]], Rest]

FEWEST, MOST = 1, 4096
"""Rounds that a loop is given at a time."""

SHARE = 1 / 16
"""Of the work that pays for compiling, which rounds are that are given at a time."""


class HotLoops:
    """The loops of a program, by their lines, and its functions inside that count their calls.
    `extend` has what is written to a module, of which the name is returned, beside the program.
    """

    def __init__(self, work: Work, extend: Extend) -> None:
        self.work, self.extend = work, extend
        self.at: dict[int, HotLoop] = {}
        self.counters: dict[str, Callable[[], int]] = {}
        self.graphs: dict[lowered.Function, tuple[Graph, bool]] = {}

    def note(self, graph: Graph, name: str, function: lowered.Function, is_called: bool) -> None:
        """Note the function of a graph, which is about to be printed."""
        self.graphs[function] = graph, is_called
        seconds = work_of(function.body)
        if is_called:
            self.counters[name] = self.work.callee(seconds)
        else:
            self.work.call += seconds

    def loop(
        self,
        function: lowered.Function,
        statement: lowered.Loop,
        around: HotLoop | None,
        names: Names,
    ) -> HotLoop:
        """A loop of a function, where it is printed with these names."""
        outside = {*function.buffers, *[local for local, _ in function.captured]}
        graph, is_called = self.graphs[function]
        return HotLoop(self, graph, is_called, statement, around, names, outside)

    def settle(self) -> bool:
        """Forget the functions, which are printed; True if there is something to instrument."""
        self.graphs.clear()
        return bool(self.at or self.counters)

    def instrumented(self, text: Sequence[str], module: Module) -> tuple[list[str], list[int]]:
        """The lines of a program whose functions count their calls, and whose loops iterate over
        rounds; and for each, the line of `text` that it stands for.
        """
        lines = dict(enumerate(text, 1))
        behind: dict[int, list[tuple[str, int]]] = {}
        # Of loops that end together, the innermost has its `else` first.
        for at, loop in sorted(self.at.items(), reverse=True):
            indent = lines[at].removesuffix(WHILE)
            head, rest = loop.drawing(at, module)
            lines[at] = indent + head
            behind.setdefault(at + loop.length, []).extend((indent + each, at) for each in rest)
        for at, line in lines.items():
            name = line.removeprefix("def ").partition("(")[0]
            if line.startswith("def ") and name in self.counters:
                count = module.hidden(f"count_{name}", self.counters[name])
                behind[at] = [(f"    {count}()", at)]
        made = [each for at in lines for each in ((lines[at], at), *behind.get(at, ()))]
        return [line for line, _ in made], [at for _, at in made]


class _Function(NamedTuple):
    """The rest of a loop as a function without memory, and the places of its parameters among what
    is taken. It `is_whole` if all that it reads is: the program may do without what only a check
    reads.
    """

    function: lowered.Function
    places: list[int]
    is_whole: bool

    def of(self, run: Rest) -> Rest:
        """`run` of the parameters, as what takes all that is taken."""
        return lambda *values: run(*[values[at] for at in self.places])


class HotLoop:
    """A loop of a program: `taken` are the `state` that it carries, which the rest of it gives
    back, and what else it reads; `names` are what they are called there. It has `length` lines
    behind its first.
    """

    def __init__(
        self,
        loops: HotLoops,
        graph: Graph,
        is_called: bool,
        statement: lowered.Loop,
        around: HotLoop | None,
        names: Names,
        outside: Set[Local],
    ) -> None:
        (body,), (proceed, *state) = statement.blocks, statement.targets
        free = lowered.free_locals(body).keys() - {proceed, *state} - outside
        self.loops, self.graph, self.around = loops, graph, around
        self.is_entered_once = around is None and not is_called
        self.node, self.state = statement.node, state
        self.taken = [*state, *sorted(free, key=names.__getitem__)]
        self.names = [names[local] for local in self.taken]
        self.test = names[proceed] if statement.first else None
        self.round = STATEMENT + work_of(body)
        self.length = 0
        self.spent = 0.0
        self._paid = 0.0
        self._sources: list[Iterator[bytearray]] = []
        self._rounds = bytearray()
        self._given = 0
        self._grace: float | None = None
        self._rest: Rest | None = None
        self._is_lasting = True
        self._lock = threading.Lock()

    # In the program

    def drawing(self, line: int, module: Module) -> tuple[str, list[str]]:
        """The head of a loop over an iterator of rounds, in place of that in this line, and the
        lines behind it, which call the rest.
        """
        rest = module.hidden(f"rest_{line}", self._go_on)
        self._place = module.namespace, module.hidden(f"rounds_{line}", None)
        self._refill()
        state = "".join(f"{name}, " for name in self.names[: len(self.state)])
        call = f"{state}= {rest}({', '.join(self.names)})"
        behind = (
            [f"    {call}"] if self.test is None else [f"    if {self.test}:", f"        {call}"]
        )
        return f"for {module.hidden('nth', None)} in {self._place[1]}:", ["else:", *behind]

    def _refill(self) -> None:
        namespace, name = self._place
        source = iter(self._more, None)
        # The chain does not hold it any more once it ended, though another thread may be in it.
        self._sources.append(source)
        namespace[name] = chain.from_iterable(source)

    # While it runs

    def _more(self) -> bytearray | None:
        """More rounds; None where machine code goes on."""
        try:
            if self._is_replaced():
                return None
        except BaseException:
            # The chain takes it for the end.
            self._refill()
            raise
        self._given = max(FEWEST, min(MOST, int(SHARE * self._limit / self.round)))
        self._rounds = bytearray(self._given)
        return self._rounds

    def stop(self) -> None:
        """Make the iterator of rounds end."""
        self._rounds.clear()

    def _is_replaced(self) -> bool:
        self._add(self._given * self.round)
        self._given = 0
        if self._rest is not None:
            return True
        if not (self._limit <= self.spent and Patience.may_import()):
            return False
        first = self._replaceable
        if first is None or (first is not self and self._waits_for(first)):
            return False
        return self.is_native and self._compile()

    def _add(self, seconds: float) -> None:
        self.loops.work.add(seconds)
        for loop in self._nest():
            loop.spent += seconds

    def _nest(self) -> Iterator[HotLoop]:
        """Yields this loop and those around it."""
        loop: HotLoop | None = self
        while loop is not None:
            yield loop
            loop = loop.around

    @cached
    def _limit(self) -> float:
        return Patience.of(sum(1 for region in self.node.regions for _ in walk(region)))

    def _waits_for(self, outer: HotLoop) -> bool:
        """Whether to wait for the next round of a loop around this one."""
        if outer.spent < outer._limit:
            return True
        if self._grace is None:
            outer.stop()
            self._grace = self.spent + self._limit
        return self.spent < self._grace

    # Its rest

    @cached
    def _replaceable(self) -> HotLoop | None:
        """The outermost loop, of this and those around it, that can be machine code."""
        return next((loop for loop in reversed(list(self._nest())) if loop.is_native), None)

    @cached
    def is_native(self) -> bool:
        """Whether the rest can be machine code."""
        return on_fit_thread(self._is_native)

    def _is_native(self) -> bool:
        from runtime.graph.executors.native.resuming import is_native, tells_unwritten

        rest = self._function()
        copies_lists = self.is_entered_once and not tells_unwritten(self.graph)
        is_inner = self.around is not None
        return rest.is_whole and is_native(rest.function, is_inner, copies_lists)

    def _compile(self) -> bool:
        """Compile the rest; False if another thread is doing so."""
        if not self._lock.acquire(blocking=False):
            return False
        try:
            if self._rest is None:
                self._rest = on_fit_thread(self._compiled)
                if self._is_lasting:
                    self._pay()
        finally:
            self._lock.release()
        return True

    def _pay(self) -> None:
        """Subtract the work of this loop from what counts for compiling the whole graph, since it
        is not done in Python any more. That of inner loops was subtracted before.
        """
        seconds = self.spent - self._paid
        self.loops.work.paid += seconds
        for loop in self._nest():
            loop._paid += seconds

    def _compiled(self) -> Rest:
        from runtime.graph.executors.native.resuming import compiled, is_lasting

        rest = self._function()
        self._is_lasting = is_lasting(rest.function, self.graph)
        python = cache(partial(self._printed, rest.function))
        return rest.of(compiled(rest.function, self.loops.extend, python))

    def _go_on(self, *values: Any) -> tuple[Any, ...]:
        """Run the rest: in Python if an interrupt prevented its compilation."""
        if self._rest is not None:
            # What does not last counts, so that a call or two later all is machine code.
            self.loops.work.add(REST if self._is_lasting else self._limit)
            return self._rest(*values)
        rest = self._function()
        return rest.of(self._printed(rest.function))(*values)

    def _printed(self, function: lowered.Function) -> Rest:
        def write(module: Module) -> str:
            name = module.fresh("rest")
            module.print(function, name)
            return name

        return self.loops.extend(write)

    def _function(self) -> _Function:
        form = whole(self.graph)
        statement = _find(form.body, self.node)
        proceed, *state = statement.targets
        given = [Local(each.name, each.type, each.is_number, each.value) for each in state]
        going = Constant(True, np.True_, proceed.type)
        again = lowered.Loop(
            statement.node, [going, *given], statement.targets, first=False, blocks=statement.blocks
        )
        body, captured = Block([again], [*state]), dict(form.captured)
        free = lowered.free_locals(body)
        known = [(local, captured[local]) for local in free if local in captured]
        places = {local.value: at for at, local in enumerate(self.taken)}
        inputs = {local: at for at, local in enumerate(given)}
        others = [local for local in free if local not in captured and local not in inputs]
        inputs |= {local: places[local.value] for local in others if local.value in places}
        alike = [local.is_number == self.taken[at].is_number for local, at in inputs.items()]
        is_whole = all(alike) and len(inputs) == len(given) + len(others)
        function = lowered.Function("rest", [*inputs], known, [], body, [], form.ranges)
        return _Function(function, [*inputs.values()], is_whole)


def _find(block: Block, node: Node) -> lowered.Loop:
    """The loop that a node is. Each lowering has nodes of its own for what has groups inside."""
    return next(
        statement
        for inner in lowered.blocks_of(block)
        for statement in inner.statements
        if isinstance(statement, lowered.Loop) and statement.node.outputs == node.outputs
    )
