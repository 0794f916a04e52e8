"""Objects that are older than the function, of which the run chooses one that is then changed."""

import dataclasses
from collections.abc import Callable
from typing import Any

import pytest

import runtime as rt
from tests.support.staging import as_python, attempt, same_outcome


class Account:
    def __init__(self, held: float = 0.0) -> None:
        self.held = held
        self.count = 0
        self.next: Any = None

    def put(self, amount: Any) -> None:
        self.held += amount

    def move(self, other: Any, amount: Any) -> None:
        self.held -= amount
        other.held += amount
        self.count += 1

    def limited(self, amount: Any) -> None:
        if amount > 5:
            raise ValueError(f"{amount} is too much")
        self.held += amount

    @property
    def double(self) -> Any:
        return self.held * 2

    @double.setter
    def double(self, value: Any) -> None:
        self.held = value / 2


class Savings(Account):
    def put(self, amount: Any) -> None:
        self.held += 2 * amount


@dataclasses.dataclass
class Purse:
    held: float = 0.0
    count: int = 0

    def put(self, amount: Any) -> None:
        self.held += amount


class Bank:
    def __init__(self) -> None:
        self.a, self.b, self.c = Account(), Account(10.0), Savings(5.0)
        self.a.next, self.b.next = self.b, self.c
        self.purses = Purse(), Purse(1.0)
        self.now = self.a
        self.all = [self.a, self.b]
        self.by_name = {"a": self.a, "b": self.b}

    def state(self) -> Any:
        objects = (self.a, self.b, self.c, *self.purses)
        return [[as_python(each.held), as_python(each.count)] for each in objects]


def by_method(bank: Any, x: Any, at: Any) -> Any:
    account = bank.a if at == 0 else bank.b
    account.put(x)
    return account.held, bank.a.held


def of_two_classes(bank: Any, x: Any, at: Any) -> Any:
    account = bank.c if at == 0 else bank.b
    account.put(x)
    account.count += 1
    return account.held


def from_one_to_the_other(bank: Any, x: Any, at: Any) -> Any:
    payer, payee = (bank.a, bank.b) if at == 0 else (bank.b, bank.a)
    payer.move(payee, x)
    payer.held, payee.held = payee.held + 1, payer.held
    return payer.held


def by_attributes(bank: Any, x: Any, at: Any) -> Any:
    account = bank.a if at == 0 else bank.b
    if x > 5:
        account.count = 7
    else:
        account.double = x
    bank.a.held += 1
    return account.held + account.double


def of_a_dataclass(bank: Any, x: Any, at: Any) -> Any:
    purse = bank.purses[at]
    purse.put(x)
    purse.count += 1
    return purse.held


def one_after_the_other(bank: Any, x: Any, at: Any) -> Any:
    account = bank.a
    for _ in range(at + 1):
        account.put(x)
        account = account.next
    return account.held


def in_rounds(bank: Any, x: Any, at: Any) -> Any:
    total = 0.0 * x
    for i in range(3):
        account = bank.all[(at + i) % 2]
        if account.held > x:
            continue
        account.put(x)
        account.count += i
        total += account.held
    while bank.all[at].held < x:
        bank.all[at].put(3.0)
    return total


def the_largest(bank: Any, x: Any, at: Any) -> Any:
    best = None
    for account in (bank.a, bank.b, bank.c):
        if best is None or account.held > best.held:
            best = account
    best.put(x)
    return best.held, best is bank.b


def kept_in_an_attribute(bank: Any, x: Any, at: Any) -> Any:
    bank.now = bank.a if at == 0 else bank.b
    bank.now.put(x)
    return bank.now.held


def of_several_names(bank: Any, x: Any, at: Any) -> Any:
    one = bank.a if at == 0 else bank.b
    other = bank.b if x > 5 else bank.by_name["a"]
    one.put(x)
    other.put(1.0)
    for account in [one, bank.a]:
        account.count += at
    return one is other, one.held, other.held


def beside_a_new_one(bank: Any, x: Any, at: Any) -> Any:
    new = Account(3.0)
    account = bank.a if at == 0 else new
    account.put(x)
    account.count += 1
    return new.held, bank.a.held, account.count


def or_none(bank: Any, x: Any, at: Any) -> Any:
    account = bank.a if at == 0 else None
    if account is not None:
        account.put(x)
    return bank.a.held


def tried(bank: Any, x: Any, at: Any) -> Any:
    account = bank.a if at == 0 else bank.b
    try:
        account.limited(x)
    except ValueError:
        account.count = -1
    return account.held


def in_functions(bank: Any, x: Any, at: Any) -> Any:
    account = bank.a if at == 0 else bank.b

    def put(times: Any) -> Any:
        if times <= 0:
            return account.held
        account.put(x)
        return put(times - 1)

    return put(at + 1)


def asked(bank: Any, x: Any, at: Any) -> Any:
    account = bank.a if at == 0 else bank.b
    account.put(x)
    return isinstance(account, Account), hasattr(account, "other"), account == bank.a


@pytest.mark.parametrize(
    "function",
    [
        *(by_method, of_two_classes, from_one_to_the_other, by_attributes, of_a_dataclass),
        *(one_after_the_other, in_rounds, the_largest, kept_in_an_attribute, of_several_names),
        *(beside_a_new_one, or_none, tried, in_functions, asked),
    ],
)
def test_the_object_that_is_meant_is_changed(function: Callable[..., Any]) -> None:
    bank, other = Bank(), Bank()
    staged = rt.function(function)
    for x, at in ((2.0, 0), (10.0, 1), (3.0, 0), (4.0, 1)):
        expected = attempt(lambda x=x, at=at: function(bank, x, at))
        got = attempt(
            lambda x=x, at=at: as_python(staged(other, rt.constant(x, rt.float64), rt.constant(at)))
        )
        assert same_outcome(expected, got), (x, at, expected, got)
        assert other.state() == bank.state()
        assert (other.now is other.a) == (bank.now is bank.a)


def slope(bank: Any, x: Any, at: Any) -> Any:
    with rt.GradientTape() as tape:
        tape.watch(x)
        account = bank.a if at == 0 else bank.b
        account.put(x * x)
        y = account.held * x
    return tape.gradient(y, x)


def test_a_tape_knows_what_is_put_into_it() -> None:
    bank, other = Bank(), Bank()
    staged = rt.function(slope)
    for number, at in ((2.0, 0), (3.0, 1)):
        x = rt.constant(number, rt.float64)
        assert float(staged(other, x, rt.constant(at))) == float(slope(bank, x, at))


class Named:
    """Equal to all of the same name."""

    def __init__(self) -> None:
        self.name = "x"
        self.held = 0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Named) and self.name == other.name

    __hash__ = object.__hash__


@pytest.mark.parametrize("kind", [Named, lambda: Purse(0, 0)])
@pytest.mark.parametrize("rounds", [0, 1, 2, 3])
def test_equal_objects_are_two(kind: Callable[[], Any], rounds: int) -> None:
    def changed(one: Any, other: Any, rounds: Any) -> None:
        now = one
        for _ in range(rounds):
            now = other if now is one else one
        now.held = 100

    objects, others = (kind(), kind()), (kind(), kind())
    changed(*objects, rounds)
    holder = Bank()
    holder.all = list(others)
    rt.function(lambda bank, n: changed(*bank.all, n))(holder, rt.constant(rounds))
    assert [int(each.held) for each in others] == [each.held for each in objects]
