"""Operators and properties of classes of the user's, which Python itself calls, in staged code."""

import dataclasses
import functools
import threading
from typing import Any

import pytest

import runtime as rt
from tests.support.staging import assert_as_in_python, attempt, same_outcome, traces


class Money:
    unit = 100

    def __init__(self, cents):
        self.cents = cents

    @property
    def whole(self):
        if self.cents < 0:
            return -(-self.cents // self.unit)
        return self.cents // self.unit

    @whole.setter
    def whole(self, value):
        if value > 1000:
            raise ValueError("too much")
        self.cents = value * self.unit

    def __add__(self, other):
        cents = self.cents + other.cents
        if other.cents < 0:
            cents = self.cents
        return Money(cents)

    def __eq__(self, other):
        return self.cents == other.cents and self.unit == other.unit

    def __getitem__(self, at):
        if at < 0 or at > 1:
            raise IndexError("no such part")
        return self.whole if at == 0 else self.cents % self.unit

    def __contains__(self, cents):
        return cents >= 0 and cents <= self.cents

    def __len__(self):
        return 2

    def __str__(self):
        return f"{self.whole}.{self.cents % self.unit:02}"


class Coin(Money):
    def __add__(self, other):
        made = super().__add__(other)
        if made.cents > 500:
            made.cents = 500
        return made


def added(x):
    return (Money(x) + Money(7)).cents


def read(x):
    return Money(x).whole


def assigned(x):
    money = Money(1)
    money.whole = x
    return money.cents


def compared(x):
    return Money(x) == Money(3)


def item(x):
    return Money(250)[x]


def inherited(x):
    return (Coin(x) + Coin(x)).cents


def contained(x):
    return 3 in Money(x)


def shown(x):
    money = Money(x)
    print(money, str(money), f"{money}")
    return x


@dataclasses.dataclass
class Clamped:
    amount: int

    def __post_init__(self):
        if self.amount < 0:
            self.amount = 0


def after_init(x):
    return Clamped(x).amount


def class_of_a_property(x):
    whole = Money(x).whole
    return type(Money.whole) is property, isinstance(Money.whole, property), whole


class Labelled:
    def __init__(self, n):
        self.n = n

    @functools.cached_property
    def label(self):
        """Counts how often it is asked."""
        self.n += 1
        return f"no {self.n - 1}" if self.n < 4 else "many"


def of_a_cached_property(x):
    found = Labelled(x)
    texts = [found.label, found.label, *(Labelled(i).label for i in range(2))]
    is_one = type(vars(Labelled)["label"]) is functools.cached_property
    return texts, found.n, is_one, Labelled.label.__doc__


@functools.singledispatch
def told(item):
    return "nothing" if item is None else "something"


@told.register
def _(item: int):
    return f"{item:+d}" if item > 3 else "few"


@told.register(list)
@told.register(tuple)
def _(items):
    return "; ".join(map(told, items))


@told.register
def _(item: Labelled):
    return told(item.n) + item.label


class Teller:
    @functools.singledispatchmethod
    def tell(self, item, *, times=1):
        return "no number" * times if told(item) == "few" else told(item)

    @tell.register
    def _(self, item: float, times=2):
        return f"{item:.1f}" * (times if item > 3 else 1)


def by_the_class_of_an_argument(x):
    x = int(x)
    rows = []
    for i in range(abs(x) % 4):
        rows.append(told([i, x]))
    teller = Teller()
    return rows, told((x, None, Labelled(x))), teller.tell(x), teller.tell(x / 3, times=3)


class Bounded:
    """A descriptor, in the middle of its class's line of bases."""

    def __set_name__(self, owner, name):
        self.name = f"_{name}"

    def __get__(self, thing, owner=None):
        low = getattr(thing, self.name)
        return low if low > 0 else 0


class Counted(Bounded):
    def __set__(self, thing, value):
        thing.writes += 1
        setattr(thing, self.name, value if value < 300 else 300)

    def __delete__(self, thing):
        if thing.writes > 2:
            thing.writes = 0


class Gauge:
    low = Counted()

    def __init__(self, low):
        self.writes = 0
        self.low = low


def through_descriptors(x):
    gauge = Gauge(x)
    gauge.low += 1
    if gauge.low > 4:
        gauge.low = x * 2
    del gauge.low
    return gauge.low, gauge.writes


def of_one_that_the_run_chooses(x):
    first, second = Gauge(x), Gauge(3)
    if x > 2:
        third = Gauge(x + 1)
        third.low += 1
        x = third.low
    chosen = first if x > 3 else second
    chosen.low = x - 1
    return chosen.low, first.low, second.writes


class Composed:
    """A callable object with a name of its own, as decorators make them."""

    def __init__(self, *functions):
        self.functions = functions

    def __call__(self, x):
        for function in self.functions:
            x = function(x)
        return x

    @property
    def __name__(self):
        return "_of_".join(function.__name__ for function in reversed(self.functions))

    @property
    def steps(self):
        return len(self.functions) if self.functions else 0


def named_objects(x):
    made = Composed(abs, lambda n: n + 1 if n > 3 else -n, abs)
    return made(x), made.steps, made.__name__ == "abs_of_<lambda>_of_abs", Composed.__name__


USES = [
    named_objects,
    through_descriptors,
    of_one_that_the_run_chooses,
    of_a_cached_property,
    by_the_class_of_an_argument,
    class_of_a_property,
    after_init,
    added,
    read,
    assigned,
    compared,
    item,
    inherited,
    contained,
    shown,
]
VALUES = [0, 1, 3, -250, 400, 1001]


@pytest.mark.parametrize("function", USES, ids=lambda f: f.__name__)
def test_a_class_without_decorator_is_pythons(function: Any, capfd: Any) -> None:
    members = dict(vars(Money))
    staged = rt.function(function)
    for value in VALUES:
        expected = attempt(lambda v=value: function(v))
        text = capfd.readouterr().out
        got = attempt(lambda v=value: staged(rt.constant(v, rt.int64)))
        assert same_outcome(expected, got), (value, expected, got)
        assert capfd.readouterr().out == text
    assert traces(staged) == 1
    assert dict(vars(Money)) == members


def test_what_an_operator_reads_is_guarded(monkeypatch: Any) -> None:
    staged = rt.function(read)
    assert int(staged(rt.constant(250))) == 2
    monkeypatch.setattr(Money, "unit", 50)
    assert int(staged(rt.constant(250))) == 5
    monkeypatch.setattr(Money, "whole", property(lambda self: 9))
    assert int(staged(rt.constant(250))) == 9


def test_a_staged_function_in_another_is_traced_once() -> None:
    inner = rt.function(added)

    @rt.function
    def outer(x):
        return (Money(inner(x)) + Money(1)).whole + inner(x)

    assert int(outer(rt.constant(100))) == 108
    assert int(inner(rt.constant(1))) == 8
    assert traces(inner) == 1


def test_the_class_is_whole_again_after_an_error() -> None:
    members = dict(vars(Money))

    @rt.function
    def failing(x):
        Money(x) + Money(x)
        raise KeyError("while tracing")

    with pytest.raises(KeyError):
        failing(rt.constant(1))
    assert dict(vars(Money)) == members


def test_threads_trace_and_use_a_class_at_once() -> None:
    members, wrong = dict(vars(Money)), []

    def trace() -> None:
        for _ in range(5):
            if int(rt.function(added)(rt.constant(5))) != 12:
                wrong.append("staged")

    def use() -> None:
        for _ in range(2000):
            if (Money(250) + Money(7)).whole != 2:
                wrong.append("plain")

    threads = [threading.Thread(target=target) for target in (trace, use, trace, use)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert dict(vars(Money)) == members


class Price:
    def __init__(self, cents: float) -> None:
        self.cents = cents

    def __add__(self, other: Any) -> Any:
        if isinstance(other, int | float):
            return self.cents + other
        return -1.0

    def __getitem__(self, times: Any) -> Any:
        if isinstance(times, int):
            return self.cents * times if times > 1 else 0.0
        return -1.0


PRICE = Price(3.0)
PRICES = {"kept": [(PRICE,)]}


def test_operators_of_objects_from_outside() -> None:
    captured = Price(4.0)

    def total(x: Any, given: Price = PRICE) -> Any:
        held = PRICES["kept"][0][0]
        return PRICE + float(x), captured + float(x), given + float(x), held[int(x)]

    for x in (1.0, 2.0):
        expected = total(x)
        found = rt.function(total)(rt.constant(x, rt.float64))
        assert [float(each) for each in found] == list(expected)


class OnlyUnequal:
    """One without an `==` of its own."""

    def __ne__(self, other):
        return False


def test_an_own_inequality_beside_pythons_equality_is_asked_and_stays() -> None:
    def unequal(x):
        one = OnlyUnequal()
        return one != x, one != OnlyUnequal(), one == OnlyUnequal()

    assert_as_in_python(unequal, 1)
    assert "__ne__" in vars(OnlyUnequal)
