"""Programs that draw numbers of Python's `random`: those of a seed are the same, staged."""

import random

from tests.textbook.bank import bank

# The programs are written as textbooks write them.

case, CASES = bank()


@case((100, 1), (1, 2), (0, 3))
def pi_by_darts(darts, seed):
    random.seed(seed)
    inside = 0
    for _ in range(darts):
        x, y = random.random(), random.uniform(-1, 1)
        if x * x + y * y <= 1:
            inside += 1
    return 4 * inside / max(darts, 1)


@case((6, 4), (2, 9), (20, 0))
def rolls_until_a_six(least, seed):
    random.seed(seed)
    rolls = 0
    while True:
        rolls += 1
        if random.randint(1, 6) == 6 and rolls >= least:
            return rolls


@case(([5, 3, 8, 1, 9, 2],), ([1],), ([4, 4, 4],))
def shuffled_deck(cards):
    random.seed(8)
    random.shuffle(cards)
    return cards


@case(([7, 1, 5, 3, 9], 3), ([7, 1, 5, 3, 9], 1), ([2, 2, 1], 2))
def kth_smallest(numbers, k):
    random.seed(k)
    pivot = random.choice(numbers)
    small = [x for x in numbers if x < pivot]
    large = [x for x in numbers if x > pivot]
    same = len(numbers) - len(small) - len(large)
    if k <= len(small):
        return sorted(small)[k - 1]
    return pivot if k <= len(small) + same else sorted(large)[k - len(small) - same - 1]


@case(([3, 1, 4, 1, 5, 9, 2, 6],), ([1, 2],), ([7],))
def random_quick_sort(numbers):
    if len(numbers) <= 1:
        return numbers
    pivot = numbers[random.randrange(len(numbers))]
    before = [x for x in numbers if x < pivot]
    behind = [x for x in numbers if x > pivot]
    middle = [x for x in numbers if x == pivot]
    return random_quick_sort(before) + middle + random_quick_sort(behind)


@case((49, 1), (7, 2), (6, 3))
def lottery(numbers, seed):
    generator = random.Random(seed)
    return sorted(generator.sample(range(1, numbers + 1), 6)), generator.getrandbits(8)


@case((10, 5), (0, 1), (1, 1))
def random_walk_of_a_seed(steps, seed):
    random.seed(seed)
    place, far = 0, 0
    for _ in range(steps):
        place += random.choice([-1, 1])
        far = max(far, abs(place))
    return place, far


@case((4, 2), (3, 7))
def coin_and_colour(seed, count):
    random.seed(seed)
    return [random.choice(["heads", "tails"]) for _ in range(3)], random.choices("rgb", k=count)


@case((3.0, 2.0), (0.0, 1.0))
def bell(mean, deviation):
    random.seed(1)
    drawn = [random.gauss(mean, deviation) for _ in range(3)]
    return drawn, random.normalvariate(mean, deviation), random.expovariate(2.5)


@case((3,), (0,))
def chosen_of_a_range(n):
    random.seed(n)
    try:
        return random.choice(range(n))
    except IndexError:
        return -1
