"""Builtins of the elements of a generator over staged values: loops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from autograph.backend import AnyOrder, Order
from autograph.operators.comprehensions import Given, of_generator
from autograph.operators.cond import cond
from autograph.operators.definedness import defined
from autograph.operators.logical import compare, memberships, not_, or_
from autograph.undefined import Undefined


def summed(given: Given, start: Any = 0) -> Any:
    """`sum(generator, start)`."""

    def add(element: Any, total: Any) -> Any:
        return total + element

    return given.in_rounds(add, (sum((), start),), None, "the sum", known=True, taker=AnyOrder())


def multiplied(given: Given, *, start: Any = 1) -> Any:
    """`math.prod(generator, start=start)`."""

    def multiply(element: Any, product: Any) -> Any:
        return product * element

    return given.in_rounds(multiply, (start,), None, "the product", known=True, taker=AnyOrder())


def decided(given: Given, name: str, decisive: bool) -> Any:
    """`any(generator)` or `all(generator)`, for which the truth `decisive` of one is enough."""

    def truth(element: Any, found: Any) -> Any:
        return not_(not_(element))

    def undecided(found: Any) -> Any:
        return not_(found) if decisive else found

    names = f"the result of {name}()"
    return given.in_rounds(
        truth, (not decisive,), undecided, names, known=False, taker=AnyOrder(stops=True)
    )


def contains(item: Any, items: Any) -> Any:
    """`item in items` of a generator; None of anything else."""
    given = of_generator(items, decided=True)
    if given is None:
        return None

    def is_it(element: Any, found: Any) -> Any:
        return compare(item, "in", (element,))

    names = "the result of `in`"
    return given.in_rounds(is_it, (False,), not_, names, known=False, taker=AnyOrder(stops=True))


memberships.append(contains)


def first(given: Given, *default: Any) -> Any:
    """`next(generator)` or `next(generator, default)`, where it has given nothing yet."""

    def take(element: Any, found: Any, taken: Any) -> Any:
        return True, element

    def is_none_found(found: Any, taken: Any) -> Any:
        return not_(found)

    name = "the result of next()"
    start = (False, Undefined(name))
    names = f"whether there is an element, {name}"
    found, taken = given.in_rounds(take, start, is_none_found, names, known=False)

    def missing() -> Any:
        return default[0] if default else end()

    return cond(found, lambda *, of=taken: defined(of), missing, (), name)


def end(error: BaseException | type[BaseException] = StopIteration) -> NoReturn:
    """Raise what `next` raises for an iterator without another element, maybe at run time."""
    raise error


def extreme(
    items: Any, function: Callable[..., Any], key: Callable[[Any], Any] | None, options: Any
) -> Any:
    """`max(items)` or `min(items)`; `options` may have a default."""
    given = of_generator(items) or Given(items, iter, tested=False, nested=False)
    name = f"the result of {function.__name__}()"
    order = ">" if function is max else "<"

    def better_one(element: Any, found: Any, best: Any, its_key: Any) -> Any:
        of_element = element if key is None or isinstance(key, Order) else key(element)

        # Default values lead a recorder to objects, which may have other names.
        def replace(*, _reached: Any = element) -> Any:
            return element, of_element

        def keep(*, _reached: Any = best) -> Any:
            return best, its_key

        def comes_first() -> Any:
            if isinstance(key, Order):
                return compare(key.compare(element, defined(its_key)), order, 0)
            return compare(of_element, order, defined(its_key))

        better = or_(not_(found), comes_first)
        return (True, *cond(better, replace, keep, (), f"{name}, its key"))

    start = (False, Undefined(name), Undefined("its key"))
    names = f"whether there is an element, {name}, its key"
    taker = AnyOrder() if key is None else None
    found, best, _ = given.in_rounds(better_one, start, None, names, known=True, taker=taker)
    return cond(found, lambda *, of=best: defined(of), lambda: function((), **options))
