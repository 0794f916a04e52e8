"""Programs that use the value of `and` and `or`, a truth value or a number or a text, and truth
values as places.
"""

from collections import deque

from tests.textbook.bank import bank

case, CASES = bank()


@case((15,), (9,), (10,), (7,))
def fizz_buzz(n):
    return (n % 15 == 0 and "FizzBuzz") or (n % 3 == 0 and "Fizz") or (n % 5 == 0 and "Buzz") or n


@case((12, 4), (12, 5), (12, 0), (0, 3))
def divides(number, divisor):
    return (divisor != 0 and number % divisor) == 0


@case(([1, 2, 4, 8, 16],), ([3, 5, 6, 0, 10, 20],), ([7],))
def longest_divisor_chain(numbers):
    numbers = sorted(numbers)
    length = [1] * len(numbers)
    for i in range(len(numbers)):
        for j in range(i):
            if (numbers[j] and numbers[i] % numbers[j]) == 0 and length[j] + 1 > length[i]:
                length[i] = length[j] + 1
    return max(length)


@case((10,), (1,), (0,))
def sum_of_even(n):
    return sum(i % 2 == 0 and i for i in range(n))


@case((7,), (3,), (-2,))
def described(n):
    large = n > 5 and n
    return f"{large}", large == 7, large < 1, isinstance(large, str)


@case((4, 2), (1, 2), (0, 0))
def rated(hits, tries):
    share = tries > 0 and hits / tries
    if share:
        return share
    return hits > tries or -1


@case(([3, 8, 5],), ([1, 1],), ([9],))
def first_large(numbers):
    found = False
    for number in numbers:
        found = found or (number > 4 and number)
    return found


@case((4,), (7,), (0,))
def parity(n):
    return ["odd", "even"][n % 2 == 0], (10, 20)[n > 3], "-+"[n > 0], [abs, bool][n > 5](n)


@case(([3, 8, 5],), ([1, 1],), ([9],))
def split_by_size(numbers):
    halves = [0, 0]
    for number in numbers:
        halves[number > 4] += number
    return halves


# Objects that tell themselves whether they are true


class Balance:
    def __init__(self, euros, asked):
        self.euros, self.asked = euros, asked

    def __bool__(self):
        self.asked.append(self.euros)
        return self.euros > 1


class Basket:
    def __init__(self, count):
        self.count = count

    def __len__(self):
        return self.count


@case((3,), (0,), (1,))
def objects_that_are_true(n):
    asked = []
    some = [each.euros for each in (Balance(n, asked), Balance(2, asked)) if each]
    full = {basket.count for basket in (Basket(n), Basket(0), Basket(5)) if basket}
    kept = {each.euros: n for each in [Balance(n, asked)] if not each}
    return some, full, kept, asked


@case((3,), (0,), (1,))
def any_and_all_of_objects(n):
    asked = []
    found = any([Balance(0, asked), Balance(n, asked), Balance(5, asked)])
    rich = all(Balance(euros, asked) for euros in (2, n, 7))
    carried = all((Basket(2), True, Basket(n))), any({"one": Basket(n)}.values())
    more = [Basket(0)]
    if n > 0:
        more[0] = Basket(n - 1)
    for _ in range(2):
        more.append(more[0])
    baskets = {Basket(n), Basket(2)}
    each = [*baskets, *map(Basket, [n, 0])]
    others = any(baskets), all(baskets), any(iter([n > 2, n > 1])), all(reversed([n > 2, n > 1]))
    return found, rich, carried, asked, any(more), any(deque(more)), others, all(iter(each))
