"""Programs that use the value of `and` and `or`, a truth value or a number or a text, and truth
values as places.
"""

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
