"""Hot loops and functions: on-stack replacement of loops of the NumPy program, and of functions in
it that are called, by machine code in the middle of a call.

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
are the bytes of arrays, as iterating over these costs almost nothing. So are the calls of a
function, each of which takes the next of them; the next call is of machine code, which takes the
name of the function.

Of a loop nest, the outermost loop that can be is compiled, or the function around it. A hot inner
loop makes the outer one's iterator end, so that it is replaced at its next round. If that does not
come, the inner loop itself is compiled after as much work again.
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from functools import cache, partial
from itertools import chain, repeat
from operator import length_hint
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from runtime.core.cached import cached
from runtime.core.stacks import on_fit_thread
from runtime.core.types import ListType
from runtime.graph.executors import lowered
from runtime.graph.executors.estimates import work_of
from runtime.graph.executors.lowered import Block, Constant, Local
from runtime.graph.executors.lowering import whole
from runtime.graph.executors.printer import WHILE
from runtime.graph.executors.work import CALL, COPIED, REST, STATEMENT, Patience, Work
from runtime.graph.ir import Graph, Node, walk
from runtime.graph.passes.inlining import Calls

if TYPE_CHECKING:
    from runtime.graph.executors.module import Module
    from runtime.graph.executors.printer import Names

Run = Callable[..., tuple[Any, ...]]
Extend = Callable[[Callable[["Module"], str]], Run]

FEWEST, MOST = 1, 4096
"""Rounds that a hot spot is given at a time."""

SHARE = 1 / 16
"""Of the work that pays for compiling, which rounds are that are given at a time."""


class HotLoops:
    """The loops of a program, by their lines, and its functions that are called, by their names.
    `extend` has what is written to a module, of which the name is returned, beside the program.
    """

    def __init__(self, work: Work, extend: Extend) -> None:
        self.work, self.extend = work, extend
        self.at: dict[int, HotLoop] = {}
        self.called: dict[str, HotFunction] = {}
        self.graphs: dict[lowered.Function, tuple[Graph, HotFunction | None]] = {}

    def note(self, graph: Graph, name: str, function: lowered.Function, is_called: bool) -> None:
        """Note the function of a graph, which is about to be printed."""
        seconds = work_of(function.body)
        called = HotFunction(self, graph, name, CALL + seconds) if is_called else None
        self.graphs[function] = graph, called
        if called is None:
            self.work.call += seconds
        else:
            self.called[name] = called
            self.work.callees.append(called.called)

    def loop(
        self,
        function: lowered.Function,
        statement: lowered.Loop,
        around: HotLoop | None,
        names: Names,
    ) -> HotLoop:
        """A loop of a function, where it is printed with these names."""
        outside = {*function.buffers, *[local for local, _ in function.captured]}
        graph, called = self.graphs[function]
        return HotLoop(self, graph, statement, around or called, names, outside)

    def settle(self) -> bool:
        """Forget the functions, which are printed; True if there is something to instrument."""
        self.graphs.clear()
        return bool(self.at or self.called)

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
            if line.startswith("def ") and name in self.called:
                behind[at] = [(f"    {self.called[name].drawing(module)}", at)]
        made = [each for at in lines for each in ((lines[at], at), *behind.get(at, ()))]
        return [line for line, _ in made], [at for _, at in made]


class _HotSpot(ABC):
    """A part of a program that runs again and again, each time in a round of so much work: rounds
    are counted until machine code takes its place.
    """

    def __init__(
        self, loops: HotLoops, graph: Graph, around: _HotSpot | None, round: float
    ) -> None:
        self.loops, self.graph, self.around = loops, graph, around
        self.round = round
        self.spent = 0.0
        self._paid = 0.0
        self._rounds = bytearray()
        self._iterator = iter(self._rounds)
        self._given = 0
        self._grace: float | None = None
        self._rest: Run | None = None
        self._is_lasting = True
        self._lock = threading.Lock()

    @property
    @abstractmethod
    def _nodes(self) -> int:
        """The number of nodes to compile."""

    @abstractmethod
    def _is_native(self) -> bool:
        """Whether it can be machine code."""

    @abstractmethod
    def _compiled(self) -> Run:
        """Its machine code."""

    @abstractmethod
    def _refill(self) -> None:
        """Have the program take rounds from `_more`."""

    @abstractmethod
    def _end(self) -> Iterable[int] | None:
        """The rounds behind those that were counted, now that there is machine code."""

    def _more(self) -> Iterable[int] | None:
        """More rounds; None where machine code goes on."""
        try:
            if self._is_replaced():
                return self._end()
        except BaseException:
            # The chain takes it for the end.
            self._refill()
            raise
        self._given = max(FEWEST, min(MOST, int(SHARE * self._limit / self.round)))
        self._rounds = bytearray(self._given)
        self._iterator = iter(self._rounds)
        return self._iterator

    def stop(self) -> None:
        """Make the iterator of rounds end."""
        self._rounds.clear()

    def count(self) -> None:
        """Count the rounds since this was called before."""
        left = max(0, length_hint(self._iterator))
        given, self._given = self._given, left
        self._add((given - left) * self.round)

    def _is_replaced(self) -> bool:
        self.count()
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
        for spot in self._nest():
            spot.spent += seconds

    def _nest(self) -> Iterator[_HotSpot]:
        """Yields this hot spot and those around it."""
        spot: _HotSpot | None = self
        while spot is not None:
            yield spot
            spot = spot.around

    @cached
    def _limit(self) -> float:
        return Patience.of(self._nodes)

    def _waits_for(self, outer: _HotSpot) -> bool:
        """Whether to wait for the next round of a hot spot around this one."""
        if outer.spent < outer._limit:
            return True
        if self._grace is None:
            outer.stop()
            self._grace = self.spent + self._limit
        return self.spent < self._grace

    @cached
    def _replaceable(self) -> _HotSpot | None:
        """The outermost hot spot, of this and those around it, that can be machine code."""
        return next((each for each in reversed(list(self._nest())) if each.is_native), None)

    @cached
    def is_native(self) -> bool:
        """Whether the rest can be machine code."""
        return on_fit_thread(self._is_native)

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
        """Subtract the work done here from what counts for compiling the whole graph, since it is
        not done in Python any more. That of inner hot spots was subtracted before.
        """
        seconds = self.spent - self._paid
        self.loops.work.paid += seconds
        for spot in self._nest():
            spot._paid += seconds


class HotFunction(_HotSpot):
    """A function of a program that is called: each call is a round."""

    def __init__(self, loops: HotLoops, graph: Graph, name: str, round: float) -> None:
        super().__init__(loops, graph, None, round)
        self.name = name
        self._copied = 0.0
        self._is_lasting = False

    def drawing(self, module: Module) -> str:
        """Its first line, which counts a call."""
        self._namespace, self._counter = module.namespace, module.hidden(f"count_{self.name}", None)
        self._refill()
        return f"{self._counter}()"

    def _refill(self) -> None:
        rounds = chain.from_iterable(iter(self._more, None))
        # Another thread may be about to take from rounds that an error has ended.
        self._namespace[self._counter] = partial(next, rounds, None)

    def called(self) -> None:
        """Note a call of the program. With machine code inside, each counts as the work that paid
        for that, so that soon all of the graph is: it knows more of what the function is given.
        """
        if self._rest is None:
            self.count()
        else:
            self.loops.work.add(self._limit)

    @property
    def _nodes(self) -> int:
        return sum(1 for graph in Calls(self.graph).of for _ in walk(graph.body))

    def _is_native(self) -> bool:
        from runtime.graph.executors.native.resuming import is_native_function

        return is_native_function(self.graph)

    def _compiled(self) -> Run:
        from runtime.graph.executors.native.resuming import compiled_function

        python = cache(partial(self.loops.extend, lambda module: module.add(self.graph)))
        return compiled_function(self.graph, python)

    def _end(self) -> Iterable[int]:
        """Have the calls that follow be machine code, and count no more of them."""
        assert self._rest is not None
        in_python = self._namespace[self.name]
        takes_lists = any(isinstance(each.type, ListType) for each in self.graph.parameters)
        self._namespace[self.name] = self._copying(in_python) if takes_lists else self._rest
        return repeat(0)

    def _copying(self, in_python: Run) -> Run:
        """Its machine code, which takes copies of lists: until making these was as much work as the
        calls were in Python.
        """
        assert self._rest is not None
        rest = self._rest

        def run(*values: Any) -> tuple[Any, ...]:
            copied = COPIED * sum(len(each) for each in values if type(each) is list)
            self.loops.work.add(copied)
            self._copied += copied
            if self._copied > self.spent:
                self._namespace[self.name] = in_python
            return rest(*values)

        return run


class _Function(NamedTuple):
    """The rest of a loop as a function without memory, and the places of its parameters among what
    is taken. It `is_whole` if all that it reads is: the program may do without what only a check
    reads.
    """

    function: lowered.Function
    places: list[int]
    is_whole: bool

    def of(self, run: Run) -> Run:
        """`run` of the parameters, as what takes all that is taken."""
        return lambda *values: run(*[values[at] for at in self.places])


class HotLoop(_HotSpot):
    """A loop of a program: `taken` are the `state` that it carries, which the rest of it gives
    back, and what else it reads; `names` are what they are called there. It has `length` lines
    behind its first.
    """

    def __init__(
        self,
        loops: HotLoops,
        graph: Graph,
        statement: lowered.Loop,
        around: _HotSpot | None,
        names: Names,
        outside: Set[Local],
    ) -> None:
        (body,), (proceed, *state) = statement.blocks, statement.targets
        super().__init__(loops, graph, around, STATEMENT + work_of(body))
        free = lowered.free_locals(body).keys() - {proceed, *state} - outside
        self.node, self.state = statement.node, state
        self.taken = [*state, *sorted(free, key=names.__getitem__)]
        self.names = [names[local] for local in self.taken]
        self.test = names[proceed] if statement.first else None
        self.length = 0
        self._sources: list[Iterator[Iterable[int]]] = []

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

    def _end(self) -> None:
        return None

    # Its rest

    @property
    def _nodes(self) -> int:
        return sum(1 for region in self.node.regions for _ in walk(region))

    def _is_native(self) -> bool:
        from runtime.graph.executors.native.resuming import is_native, tells_unwritten

        rest = self._function()
        is_entered_once = self.around is None
        copies_lists = is_entered_once and not tells_unwritten(self.graph)
        is_inner = isinstance(self.around, HotLoop)
        return rest.is_whole and is_native(rest.function, is_inner, copies_lists)

    def _compiled(self) -> Run:
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

    def _printed(self, function: lowered.Function) -> Run:
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
