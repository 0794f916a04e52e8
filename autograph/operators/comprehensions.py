"""Comprehensions and generator expressions: loops that append, or that give an element."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from functools import partial
from types import CellType, CodeType, FrameType, FunctionType, GeneratorType
from typing import Any, NamedTuple, TypeAlias
from weakref import WeakKeyDictionary, ref

from autograph.backend import (
    AnyOrder,
    Block,
    Thunk,
    backend_of,
    backend_of_key,
    backend_within,
    staging,
    stand_ins,
)
from autograph.errors import StagingError
from autograph.frames import hide, is_variable, refusal
from autograph.instructions import operation_at
from autograph.objects import is_generator_function, users_member
from autograph.operators import growing
from autograph.operators.blocks import unpacked
from autograph.operators.cond import cond
from autograph.operators.early_exits import refuse_to_hold
from autograph.operators.logical import not_
from autograph.operators.methods import converted_method
from autograph.operators.shared import held_by
from autograph.operators.truths import truth
from autograph.undefined import Undefined

Comprehension: TypeAlias = Callable[[Iterable[Any]], Iterable[Any]]

LONG = 16
"""More rounds than these become one loop of the graph, where its backend can make it."""

SEQUENCES = frozenset((range, list, tuple))
"""Classes whose items are known by their places."""


def list_comp(
    items: Any, body: Comprehension, *, tested: bool = False, nested: bool = False
) -> Any:
    """The list of what a comprehension gives for some items.

    Args:
        body: the comprehension as a function of its items.
        tested: whether it gives pairs of a test and what makes the element.
        nested: whether an element is a list, of which the elements are meant.
    """
    try:
        backend = backend_of(items)
        known = items if backend is None else backend.elements(items)
        if known is None or of_generator(items) is not None or _is_long(items):
            return listed(Given(items, body, tested, nested))
        items = known
        if not tested and not nested:
            return body(items)
        return _appended([], body(items), tested, nested)
    except BaseException as error:  # whatever passes through is the user's: only our frame goes
        hide(error)
        raise


def listed(given: Given, any_order: bool = False) -> Any:
    """The list of what a generator gives; with `any_order`, for what sorts it."""
    elements = _staged_list([])
    taker = AnyOrder(fills=elements) if any_order else None
    given.in_rounds(_adding(elements, _append, called=False), (), None, "", known=True, taker=taker)
    return elements


def _first(given: Given, most: int) -> Any:
    """The list of the first elements that a generator gives, `most` of them at the most."""
    elements = _staged_list([])

    def one_more(element: Any, count: Any, *, made: Any = elements) -> Any:
        made.append(element)
        return count + 1

    given.in_rounds(one_more, (0,), lambda count: count < most, "the number of items", known=False)
    return elements


def set_of(given: Given) -> Any:
    """The set of what a generator gives."""
    made = growing.growing(set())
    put_all(given, made)
    return made


def _append(made: Any, element: Any) -> None:
    made.append(element)


def _appended(elements: Any, given: Iterable[Any], tested: bool, nested: bool) -> Any:
    """The elements and those that are given: the same list, unless it becomes a staged one."""
    for each in given:
        element: Any = each
        if tested:
            asked, thunk = each
            test = _deciding(asked)
            if backend_of(test) is not None:
                elements = _staged_list(elements)
                cond(test, _appending(elements, thunk, nested), _nothing)
                continue
            if not test:
                continue
            element = thunk()
        if not nested:
            elements.append(element)
            continue
        if type(element) is not list:
            elements = _staged_list(elements)
        elements.extend(element)
    return elements


def _deciding(test: Any) -> Any:
    """The value that decides a test, as in an `if`."""
    if test is True or test is False or backend_of(test) is not None:
        return test
    return truth(test)


def _appending(elements: Any, thunk: Thunk, nested: bool) -> Block:
    def append(*, elements: Any = elements, thunk: Thunk = thunk) -> None:
        if nested:
            elements.extend(thunk())
        else:
            elements.append(thunk())

    return append


def _nothing() -> None:
    pass


def _staged_list(elements: Any) -> Any:
    made = growing.growing(elements)
    if type(made) is list:
        raise refusal(
            StagingError,
            "how many elements a comprehension gives depends on a staged value, whose library has "
            "no lists for that",
            hint="use an operation of the library",
        )
    return made


# Sets and dicts


def set_comp(items: Any, body: Comprehension, *, tested: bool = False, nested: bool = False) -> Any:
    """The set of what a comprehension gives for some items.

    Args:
        body: gives what makes each element.
        tested: whether it gives pairs of a test and of that.
        nested: whether it gives generators of elements.
    """
    try:
        return _gathered(set(), _add, items, body, tested, nested)
    except BaseException as error:  # whatever passes through is the user's: only our frame goes
        hide(error)
        raise


def dict_comp(
    items: Any, body: Comprehension, *, tested: bool = False, nested: bool = False
) -> Any:
    """The dict of what a comprehension gives for some items: as `set_comp`, of pairs."""
    try:
        return _gathered({}, _put, items, body, tested, nested)
    except BaseException as error:  # whatever passes through is the user's: only our frame goes
        hide(error)
        raise


_Adder: TypeAlias = Callable[[Any, Any], None]


def _add(made: Any, element: Any) -> None:
    made.add(element)


def _put(made: Any, pair: Any) -> None:
    made[pair[0]] = pair[1]


def put_all(given: Given, made: Any, add: _Adder = _add, called: bool = False) -> None:
    """Put what a generator gives into a set, or by `add` into a dict.

    Args:
        called: whether it gives what makes each element.
    """
    # A dict keeps the order of its keys.
    taker = AnyOrder(fills=made) if add is _add else None
    given.in_rounds(_adding(made, add, called), (), None, "", known=True, taker=taker)


def _gathered(
    made: Any, add: _Adder, items: Any, body: Comprehension, tested: bool, nested: bool
) -> Any:
    backend = backend_of(items)
    known = items if backend is None else backend.elements(items)
    if known is None or of_generator(items) is not None or _is_long(items):
        made = growing.growing(made)
        put_all(Given(items, body, tested, nested), made, add, not tested and not nested)
        return made
    # One by one, as Python does: adding an element may call a method of the user's.
    given_here = iter(body(known))
    while (each := _next(given_here)) is not _END:
        thunk: Any = each
        if tested:
            asked, thunk = each
            test = _deciding(asked)
            if backend_of(test) is not None:
                made = growing.growing(made)
                cond(test, _with(made, add, thunk, nested), _nothing)
                continue
            if not test:
                continue
        made = _taken(made, add, thunk if nested and not tested else thunk(), nested)
    return made


def _taken(made: Any, add: _Adder, given: Any, nested: bool) -> Any:
    """The set or dict with an element, or all of a generator of elements: the same one, unless it
    becomes a staged one.
    """
    if not nested:
        key = given if add is _add else given[0]
        if backend_of_key(key) is not None or backend_within(key) is not None:
            made = growing.growing(made)
        add(made, given)
        return made
    inner = of_generator(given)
    if inner is not None:
        made = growing.growing(made)
        put_all(inner, made, add)
        return made
    while (element := _next(given)) is not _END:
        made = _taken(made, add, element, nested=False)
    return made


_END = object()


def _next(elements: Any) -> Any:
    """The next element, or `_END`; a StopIteration of the user's is none of the generator."""
    try:
        return next(elements, _END)
    except RuntimeError as error:
        here = error.__traceback__
        cause = error.__cause__
        # Python makes this of one that leaves the frame of the generator itself.
        if type(cause) is not StopIteration or here is None or here.tb_next is not None:
            raise
    cause.__context__ = None
    raise cause


def _adding(made: Any, add: _Adder, called: bool) -> Block:
    # Default values lead a recorder to what the block changes.
    def one_more(element: Any, *, made: Any = made) -> None:
        add(made, element() if called else element)

    return one_more


def _with(made: Any, add: _Adder, thunk: Thunk, nested: bool) -> Block:
    def adding(*, made: Any = made, thunk: Thunk = thunk) -> None:
        _taken(made, add, thunk(), nested)

    return adding


# Generators


class Given:
    """The items and the body of a generator of `generator`, for those who run it as a loop.

    `plain` says that Python knows how many elements there are.
    """

    __slots__ = ("body", "generator", "is_taken", "items", "nested", "plain", "tested")
    generator: ref[Any] | None

    def __init__(
        self, items: Any, body: Comprehension, tested: bool, nested: bool, plain: bool = False
    ) -> None:
        self.items = items
        self.body = body
        self.tested = tested
        self.nested = nested
        self.plain = plain
        self.is_taken = False
        self.generator = None

    def take(self) -> Any:
        """Returns the items, once. The generator advances, for those who watch it."""
        if self.is_taken:
            raise _used_again()
        self.is_taken = True
        items, self.items = self.items, None  # nobody else is to hold an iterator
        generator = None if self.generator is None else self.generator()
        if generator is not None:
            next(generator)
        return items

    def elements(self) -> Iterator[Any]:
        """Yields the elements to Python."""
        for each in self.body(self.items):
            element: Any = each
            if self.tested:
                test, thunk = each
                if not _deciding(test):
                    continue
                element = thunk()
            if self.nested:
                yield from element
            else:
                yield element

    def in_rounds(
        self,
        block: Block,
        state: tuple[Any, ...],
        test: Block | None,
        names: str,
        known: bool,
        taker: AnyOrder | None = None,
    ) -> Any:
        """The state after `for element in generator: state = block(element, *state)`.

        Args:
            test: asked as `test(*state)` before each element but the first; false ends the loop.
            names: of the state, for messages.
            known: whether a loop over items of known number may be written out.
            taker: what takes the elements, if it does not ask for their order.
        """
        from autograph.operators.for_loop import for_loop

        # Items and what is made come in a list that is emptied: nobody else is to hold a generator.
        def over(held: list[Any], each: Block, state: tuple[Any, ...]) -> Any:
            if taker is None or (backend := backend_of(held[0])) is None:
                return for_loop(held.pop(), each, state, test, names)
            # A partial: what the block can change is found through it.
            run = partial(for_loop, body=each, state=state, test=test, defines=names)
            return backend.in_any_order(held.pop(), run, taker)

        def given(made: list[Any], *state: Any) -> Any:
            if not self.nested:
                return block(made.pop(), *state)
            inner = of_generator(made[0], decided=test is not None)
            if inner is not None:
                return inner.in_rounds(block, state, test, names, known, taker)
            return over(made, block, state)

        def one_round(item: Any, *state: Any, _reached: Any = (self.body, block)) -> Any:
            made = list(self.body((item,)))
            if not self.tested:
                return given(made, *state)
            ((proceed, element),) = made

            def accepted(*state: Any, _reached: Any = (element, block)) -> Any:
                return given([element()], *state)

            return cond(proceed, accepted, _same, state, names)

        if isinstance(self.body, FunctionType):
            one_round.__wrapped__ = self.body  # type: ignore[attr-defined]  # the user's code
        if known and (backend := backend_of(self.items)) is not None:
            found = backend.elements(self.items)
            self.items = self.items if found is None else found
        return over([self.take()], one_round, state)


class Called(Given):
    """The elements of a generator function's generator: of a call of it.

    Args:
        generator: Python's own.
        again: makes another one, as the call did.
        visit: gives each element to a taker, `visit(taker, stops)`; with `stops`, until that gives
            a true answer.
        cleans_up: whether it has something to do where it is left.
    """

    __slots__ = ("again", "cleans_up", "in_python", "own", "visit")

    def __init__(
        self,
        generator: Generator[Any, Any, Any],
        again: Thunk,
        visit: Callable[[Callable[[Any], Any], bool], Any],
        cleans_up: bool,
    ) -> None:
        super().__init__(None, iter, tested=False, nested=False)
        self.own, self.again, self.visit, self.cleans_up = generator, again, visit, cleans_up
        self.in_python = False

    def take(self) -> Any:
        """Another generator of the same elements."""
        super().take()
        return self.again()

    def elements(self) -> Iterator[Any]:
        """Python's own generator, from now on."""
        self.in_python = True
        return self.own

    def in_rounds(
        self,
        block: Block,
        state: tuple[Any, ...],
        test: Block | None,
        names: str,
        known: bool,
        taker: AnyOrder | None = None,
    ) -> Any:
        """The taker has the state in variables that it captures."""
        super().take()
        self.check_left_here(test is not None)
        cells = [CellType() if type(value) is Undefined else CellType(value) for value in state]
        called = names.split(", ") if names else []

        def current() -> tuple[Any, ...]:
            pairs = zip(cells, called, strict=True)
            return tuple([held_by(cell, name) for cell, name in pairs])

        def take_one(element: Any, *, _reached: Any = block) -> Any:
            left = _as_tuple(block(element, *current()), len(cells))
            for cell, value in zip(cells, left, strict=True):
                if type(value) is not Undefined:
                    cell.cell_contents = value
            return None if test is None else not_(test(*current()))

        stops = test is not None
        take_one.each = partial(_give_on, take_one, stops)  # type: ignore[attr-defined]
        # Default values lead who watches objects to what the taker changes.
        assert take_one.__kwdefaults__ is not None
        take_one.__kwdefaults__ |= dict(zip(called, cells, strict=True))
        self.visit(take_one, stops)
        if not stops:
            self.end()
        return unpacked(current())

    def give_on(self, taker: Callable[[Any], Any], stops: bool) -> Any:
        """Give its elements to what takes those of the generator that gives them on. With `stops`,
        whether that takes no more.
        """
        super().take()
        self.check_left_here(stops)
        left = self.visit(taker, stops)
        if not stops:
            self.end()
        return left

    def check_left_here(self, stops: bool) -> None:
        """StagingError where it may be left before its end, and would be closed later."""
        generator = None if self.generator is None else self.generator()
        backend = staging()
        if not self.cleans_up or generator is None or backend is None:
            return
        if stops or backend.catches():
            refuse_to_hold(generator, is_variable(generator))

    def end(self) -> None:
        """It is exhausted, as Python's own is then."""
        generator = None if self.generator is None else self.generator()
        if generator is not None:
            generator.close()
        self.in_python = True


def _give_on(taker: Callable[[Any], Any], stops: bool, items: Any) -> Any:
    from autograph.operators.for_loop import for_loop

    given = of_generator(items)
    if type(given) is Called:
        return given.give_on(taker, stops)

    def one_round(item: Any, _: Any = None, *, _reached: Any = taker) -> Any:
        return taker(item)

    if not stops:
        return for_loop(items, one_round, (), None, "")
    return for_loop(items, one_round, (False,), not_, "the answer")


def takes_elements(frame: FrameType) -> int:
    """1 for the frame of what a generator calls with its elements; -1 for that of the loop."""
    return _TAKING.get(id(frame.f_code), 0)


_TAKING = {id(Called.in_rounds.__code__): -1} | {
    id(each): 1 for each in Called.in_rounds.__code__.co_consts if isinstance(each, CodeType)
}


class _Numbered(Given):
    """The elements of another one, each behind its number."""

    __slots__ = ("start",)

    def __init__(self, given: Given, start: Any) -> None:
        super().__init__(given.take(), given.body, given.tested, given.nested)
        self.start = start

    def elements(self) -> Iterator[Any]:
        return enumerate(super().elements(), self.start)

    def in_rounds(
        self,
        block: Block,
        state: tuple[Any, ...],
        test: Block | None,
        names: str,
        known: bool,
        taker: AnyOrder | None = None,
    ) -> Any:
        def one_round(element: Any, number: Any, *state: Any) -> Any:
            left = _as_tuple(block((number, element), *state), len(state))
            return unpacked((number + 1, *left))

        def proceed(number: Any, *state: Any) -> Any:
            assert test is not None
            return test(*state)

        state = (self.start, *state)
        asked = None if test is None else proceed
        names = f"the number, {names}" if names else "the number"
        left = super().in_rounds(one_round, state, asked, names, known)
        return unpacked(_as_tuple(left, len(state))[1:])


def _as_tuple(state: Any, count: int) -> tuple[Any, ...]:
    return state or () if count != 1 else (state,)


def _same(*state: Any) -> Any:
    return unpacked(state)


def _used_again() -> StagingError:
    return refusal(
        StagingError,
        "a generator over staged values is used a second time, when only the run knows how far it "
        "has come",
        hint="make a list of it, or another one",
    )


_given: WeakKeyDictionary[Any, Given] = WeakKeyDictionary()


class UserIterators(NamedTuple):
    """The stand-ins for the calls that Python makes of an iterator of the user's.

    `steps_of(items, begun)` is the generator of what an object gives, or of what is left of an
    iterator that has `begun`; `next_of(iterator, *default)` what `next` gives; `in_rows(items)`
    what `zip(*items)` gives, or None where Python's own does.
    """

    steps_of: Callable[[Any, bool], Iterator[Any]]
    next_of: Callable[..., Any]
    in_rows: Callable[[Sequence[Any]], Iterator[Any] | None]


user_iterators: UserIterators


def install_user_iterators(installed: UserIterators) -> None:
    """Use these for objects with an `__iter__` or a `__next__` of the user's."""
    global user_iterators
    user_iterators = installed


def _begun(items: Any) -> Any:
    """An iterator, which Python asks for at once where it does not take from it yet; or something
    staged that the user's `__iter__` gives.
    """
    iterate = converted_method(items, "__iter__")
    made = iter(items) if iterate is None else iterate(items)
    if not hasattr(type(made), "__next__") and backend_of(made) is None:
        raise TypeError(f"iter() returned non-iterator of type '{type(made).__name__}'")
    is_users = converted_method(made, "__next__") is not None
    return user_iterators.steps_of(made, True) if is_users else made


def next_of(builtin: Callable[..., Any]) -> Callable[..., Any]:
    """`next`, also of an iterator of the user's; `builtin` is that of others."""

    def taking(*args: Any, **kwargs: Any) -> Any:
        try:
            if not kwargs and args and converted_method(args[0], "__next__") is not None:
                return user_iterators.next_of(*args)
            return builtin(*args, **kwargs)
        except BaseException as error:  # whatever passes through is the user's: only ours goes
            hide(error)
            raise

    return taking


def rows_of(items: Sequence[Any]) -> tuple[Sequence[Any], Iterator[Any] | None]:
    """The arguments of `zip`, which asks for iterators at once; and the generator of its rows where
    some are the user's.
    """
    if not any(_gives_iterator(each) for each in items):
        return items, None
    begun = [iter(each) if _gives_iterator(each) else each for each in items]
    return begun, user_iterators.in_rows(begun)


def _gives_iterator(items: Any) -> bool:
    iterate = converted_method(items, "__iter__")
    return iterate is not None and not is_generator_function(users_member(iterate))


def of_generator(items: Any, decided: bool = False) -> Given | None:
    """The items and the body of a generator that `generator` made, or of the one that the
    `__iter__` of an object makes, or that stands for the calls of its `__next__`; None for any
    other object.

    Args:
        decided: whether the run may decide how far it advances; else one that is plain is none.
    """
    if type(items) is not GeneratorType:
        if type(items) in SEQUENCES:
            return None
        iterate = converted_method(items, "__iter__")
        if iterate is None and not _is_old_sequence(items):
            return None
        is_given = is_generator_function(users_member(iterate))
        items = iterate(items) if is_given else user_iterators.steps_of(items, False)
    if not _given:
        return None
    given = _given.get(items)
    if given is None or (given.plain and not decided):
        return None
    is_closed = items.gi_frame is None and not given.is_taken
    # Nobody else may go on with one that Python has begun.
    return None if is_closed or (type(given) is Called and given.in_python) else given


def ask_length(items: Any) -> None:
    """Ask the user's `__len__`, as Python does of what becomes a list, for what it does besides."""
    ask = converted_method(items, "__len__")
    if ask is not None:
        ask(items)


def is_indexed(items: Any) -> bool:
    """Whether items are known by their places; a list may stand for one of the user's."""
    kind = type(items)
    if kind is str or kind in SEQUENCES:
        return True
    return bool(stand_ins.get(kind) is list and backend_of(items) is None)


def _is_long(items: Any) -> bool:
    """Whether rounds over a sequence that Python knows may become one staged loop."""
    return growing.is_staging() and is_indexed(items) and len(items) > LONG


def _is_old_sequence(items: Any) -> bool:
    """Whether Python would ask the user's `__getitem__` for one item after the other."""
    is_iterable = hasattr(type(items), "__iter__")
    return not is_iterable and converted_method(items, "__getitem__") is not None


def generator(
    items: Any, body: Comprehension, *, tested: bool = False, nested: bool = False
) -> Generator[Any, Any, Any]:
    """The generator of a generator expression.

    Args:
        body: the expression as a function of its items.
        tested: whether it gives pairs of a test and what makes the element.
        nested: whether an element is a generator, of which the elements are meant.
    """
    try:
        is_sequence = is_indexed(items)
        staged = backend_of(items) is not None or of_generator(items) is not None
        plain = not staged and not tested and not nested
        if plain and not _is_long(items):
            return body(items)  # type: ignore[return-value]  # Python's own
        # As Python does, ask for an iterator at once.
        items = items if is_sequence or backend_of(items) else _begun(items)
        made: Any = _generator_of(Given(items, body, tested, nested, plain))
        made.__name__ = "<genexpr>"
        made.__qualname__ = f"{body.__qualname__}.<locals>.<genexpr>"
        return made  # type: ignore[no-any-return]
    except BaseException as error:  # whatever passes through is the user's: only our frame goes
        hide(error)
        raise


def of_call(given: Called, like: Any) -> Generator[Any, Any, Any]:
    """The generator of a call of a generator function, `like`."""
    made: Any = _generator_of(given)
    made.__name__, made.__qualname__ = like.__name__, like.__qualname__
    return made  # type: ignore[no-any-return]


def numbered(given: Given, start: Any) -> Generator[Any, Any, Any]:
    """`enumerate(generator, start)`."""
    return _generator_of(_Numbered(given, start))


def _generator_of(given: Given) -> Generator[Any, Any, Any]:
    made = _elements(given)
    if growing.is_staging():
        _given[made] = given
        given.generator = ref(made)
    return made


def _is_staged(given: Given) -> bool:
    """Whether only the run may know how many elements a generator gives, which come to an end."""
    if given.plain or not growing.is_staging():
        return False
    is_asked = given.tested and type(given.items) in SEQUENCES
    return is_asked or backend_of(given.items) is not None


def for_names(items: Any, count: int) -> Iterable[Any]:
    """The items for so many names. A backend is asked for those of which only the run knows how
    many there are.
    """
    backend = backend_of(items)
    if backend is None:
        return items  # type: ignore[no-any-return]
    return backend.builtin(for_names, items, count)  # type: ignore[no-any-return]


def _names_of(frame: FrameType) -> int | None:
    """The number of names to which a frame unpacks an iterator; None where it does something
    else with it.
    """
    name, count = operation_at(frame)
    return count if name == "UNPACK_SEQUENCE" else None


def _elements(given: Given) -> Generator[Any, Any, Any]:
    try:
        if given.is_taken:
            yield
            raise _used_again()
        count = _names_of(sys._getframe(1)) if _is_staged(given) else None
        if count is not None:
            given.generator = None  # it advances already
            yield from for_names(_first(given, count + 1), count)
            return
        given.is_taken = True
        return (yield from given.elements())
    except Exception as error:  # whatever passes through is the user's: only our frame goes
        hide(error)
        raise
