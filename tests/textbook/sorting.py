"""Sorts of textbooks: in place, by recursion, by counting, by merging."""

# ruff: noqa: B905, RUF005

from dataclasses import dataclass
from functools import cmp_to_key
from typing import NamedTuple

from tests.textbook.bank import bank

case, CASES = bank()

LISTS = (([3, 1, 2, 5, 4],), ([1],), ([2, 1],), ([4, 4, 1, 4],))


def partition(a, low, high):
    pivot = a[high]
    i = low - 1
    for j in range(low, high):
        if a[j] <= pivot:
            i += 1
            a[i], a[j] = a[j], a[i]
    a[i + 1], a[high] = a[high], a[i + 1]
    return i + 1


def quick_sort_range(a, low, high):
    if low < high:
        middle = partition(a, low, high)
        quick_sort_range(a, low, middle - 1)
        quick_sort_range(a, middle + 1, high)


@case(*LISTS[2:])
def quick_sort_with_partition(a):
    quick_sort_range(a, 0, len(a) - 1)
    return a


def merge_sort_range(a, low, high):
    if high - low < 2:
        return
    middle = (low + high) // 2
    merge_sort_range(a, low, middle)
    merge_sort_range(a, middle, high)
    left, right = a[low:middle], a[middle:high]
    i = j = 0
    for k in range(low, high):
        if j >= len(right) or (i < len(left) and left[i] <= right[j]):
            a[k] = left[i]
            i += 1
        else:
            a[k] = right[j]
            j += 1


@case(*LISTS)
def merge_sort_in_place(a):
    merge_sort_range(a, 0, len(a))
    return a


@case(*LISTS, ([],))
def quick_sort_by_filter(a):
    if len(a) <= 1:
        return a
    pivot = a[0]
    less = [x for x in a[1:] if x < pivot]
    more = [x for x in a[1:] if x >= pivot]
    return quick_sort_by_filter(less) + [pivot] + quick_sort_by_filter(more)


@case(*LISTS)
def comb_sort(a):
    gap, swapped = len(a), True
    while gap > 1 or swapped:
        gap = max(1, int(gap / 1.3))
        swapped = False
        for i in range(len(a) - gap):
            if a[i] > a[i + gap]:
                a[i], a[i + gap] = a[i + gap], a[i]
                swapped = True
    return a


@case(*LISTS)
def cocktail_sort(a):
    for i in range(len(a) - 1, 0, -1):
        swapped = False
        for j in range(i, 0, -1):
            if a[j] < a[j - 1]:
                a[j], a[j - 1] = a[j - 1], a[j]
                swapped = True
        for j in range(i):
            if a[j] > a[j + 1]:
                a[j], a[j + 1] = a[j + 1], a[j]
                swapped = True
        if not swapped:
            break
    return a


@case(*LISTS)
def gnome_sort(a):
    i = 1
    while i < len(a):
        if a[i - 1] <= a[i]:
            i += 1
        else:
            a[i - 1], a[i] = a[i], a[i - 1]
            i -= 1
            if i == 0:
                i = 1
    return a


@case(*LISTS)
def counting_sort(a):
    low, high = min(a), max(a)
    counts = [0] * (high - low + 1)
    for x in a:
        counts[x - low] += 1
    result = []
    for value in range(len(counts)):
        for _ in range(counts[value]):
            result.append(value + low)
    return result


@case(*LISTS, ([170, 45, 75, 90, 802, 24, 2, 66],))
def radix_sort(a):
    place = 1
    largest = max(a)
    while largest // place > 0:
        buckets = [[] for _ in range(10)]
        for x in a:
            buckets[(x // place) % 10].append(x)
        a = []
        for bucket in buckets:
            for x in bucket:
                a.append(x)
        place *= 10
    return a


def by_digit(nums, place):
    buckets = [[] for _ in range(10)]
    for n in nums:
        buckets[(n // place) % 10].append(n)
    return [n for bucket in buckets for n in bucket]


@case(*LISTS, ([170, 45, 75, 90, 802, 24, 2, 66],))
def radix_sort_by_comprehensions(nums):
    place = 1
    biggest = max(nums)
    while biggest // place > 0:
        nums = by_digit(nums, place)
        place *= 10
    return nums


@case(*LISTS)
def shell_sort(a):
    gap = len(a) // 2
    while gap > 0:
        for i in range(gap, len(a)):
            value, j = a[i], i
            while j >= gap and a[j - gap] > value:
                a[j] = a[j - gap]
                j -= gap
            a[j] = value
        gap //= 2
    return a


def sift(a, root, size):
    largest = root
    left, right = 2 * root + 1, 2 * root + 2
    if left < size and a[left] > a[largest]:
        largest = left
    if right < size and a[right] > a[largest]:
        largest = right
    if largest != root:
        a[root], a[largest] = a[largest], a[root]
        sift(a, largest, size)


@case(*LISTS[2:])
def heap_sort_recursive(a):
    for i in range(len(a) // 2 - 1, -1, -1):
        sift(a, i, len(a))
    for i in range(len(a) - 1, 0, -1):
        a[0], a[i] = a[i], a[0]
        sift(a, 0, i)
    return a


@case(*LISTS)
def pancake_sort(a):
    size = len(a)
    while size > 1:
        at = a.index(max(a[0:size]))
        a = a[at::-1] + a[at + 1 :]
        a = a[size - 1 :: -1] + a[size:]
        size -= 1
    return a


@case(*LISTS[:2])
def stooge_sort(a):
    def sort(low, high):
        if a[low] > a[high]:
            a[low], a[high] = a[high], a[low]
        if high - low > 1:
            third = (high - low + 1) // 3
            sort(low, high - third)
            sort(low + third, high)
            sort(low, high - third)

    sort(0, len(a) - 1)
    return a


@case(*LISTS)
def merge_sort_popping(a):
    if len(a) <= 1:
        return a
    middle = len(a) // 2
    left, right = merge_sort_popping(a[:middle]), merge_sort_popping(a[middle:])
    result = []
    while left and right:
        result.append(left.pop(0) if left[0] <= right[0] else right.pop(0))
    return result + left + right


@case(([3, 1, 2, 5, 4], 2), ([1], 0), ([2, 1], 1))
def quick_select(a, k):
    while True:
        pivot = a[len(a) // 2]
        less = [x for x in a if x < pivot]
        equal = [x for x in a if x == pivot]
        if k < len(less):
            a = less
        elif k < len(less) + len(equal):
            return pivot
        else:
            k -= len(less) + len(equal)
            a = [x for x in a if x > pivot]


@case(*LISTS)
def insertion_sort_recursive(a):
    def insert(n):
        if n <= 1:
            return
        insert(n - 1)
        last, j = a[n - 1], n - 2
        while j >= 0 and a[j] > last:
            a[j + 1] = a[j]
            j -= 1
        a[j + 1] = last

    insert(len(a))
    return a


@case(([0, 2, 1, 2, 0],), ([1],), ([2, 0],), ([0, 7],))
def dutch_flag(a):
    low, mid, high = 0, 0, len(a) - 1
    while mid <= high:
        if a[mid] == 0:
            a[low], a[mid] = a[mid], a[low]
            low += 1
            mid += 1
        elif a[mid] == 1:
            mid += 1
        elif a[mid] == 2:
            a[mid], a[high] = a[high], a[mid]
            high -= 1
        else:
            raise ValueError("The elements inside the sequence must contains only (0, 1, 2) values")
    return a


@case(([[0, 1, 10], [0, 2, 6], [0, 3, 5], [1, 3, 15], [2, 3, 4]], 4), ([[0, 1, 3]], 2))
def cheapest_roads(roads, towns):
    group = list(range(towns))
    cost, built = 0, []
    roads = sorted(roads, key=lambda road: road[2])
    for start, end, price in roads:
        if group[start] != group[end]:
            old, new = group[end], group[start]
            group = [new if each == old else each for each in group]
            cost += price
            built.append((start, end))
    return cost, built


@case((5, 3, 4), (1, 2, 3))
def rows_in_order(x, y, z):
    rows = [[x, 1], [y, 2], [z, 3]]
    first = rows[0]
    rows.sort()
    first[1] += 10
    return rows[0][1], rows[-1], [row[0] for row in rows]


@case((5, 3), (1, 2))
def rows_sorted_elsewhere(x, y):
    rows = [[x, 1], [y, 2, 3]]
    ordered = sorted(rows, key=lambda row: -row[0])
    rows[0][1] = 9
    ordered[0][0] = 7
    return rows[0], rows[1], ordered[0][1], ordered[1][0]


@case((5, 3), (5, 5))
def rows_found(x, y):
    rows = [[x, 1], [y, 1], [5, 1]]
    return rows.count([5, 1]), rows.index([y, 1]), [3, 1] in rows


@case((2, 1), (1, 2))
def names_by_points(a, b):
    players = [["ann", a], ["bob", b], ["cy", 3]]
    players.sort(key=lambda player: player[1], reverse=True)
    return " ".join(name for name, _ in players)


def joins_before(a, b):
    if a + b > b + a:
        return -1
    return 1 if a + b < b + a else 0


@case(([3, 30, 34, 5, 9],), ([10, 2],), ([0, 0],))
def largest_number(nums):
    found = "".join(sorted(map(str, nums), key=cmp_to_key(joins_before)))
    return "0" if found[0] == "0" else found


@case(([5, 2, 8, 2], 3), ([1, 1, 1], 0))
def sorted_by_comparison(nums, limit):
    def compare(a, b):
        return a % 5 - b % 5 or b - a

    large = []
    for x in nums:
        if x > limit:
            large.append(x)
    large.sort(key=cmp_to_key(compare))
    return large, sorted(nums, key=cmp_to_key(compare), reverse=True)


@case(([3, 1, 2, 1],), ([4, 4, 1, 0],))
def intervals_by_comparison(nums):
    intervals = [[x, x % 3 + y] for x, y in zip(nums, (1, 0, 2, 0))]
    intervals.sort(key=cmp_to_key(lambda a, b: a[1] - b[1] if a[1] != b[1] else b[0] - a[0]))
    names = sorted(["b", "a", "c"], key=cmp_to_key(lambda a, b: (a < b) - (a > b)))
    return intervals, names


@case(([3, 1, 2],), ([2, 2, 1],))
def descending_without_ties(nums):
    return sorted(nums, key=cmp_to_key(lambda a, b: 1 if a < b else -1))


@case(([3, 1, 2, 6], 2), ([5, 4], 0), ([], 1))
def in_either_direction(values, direction):
    ranked = list(values)
    ranked.sort(reverse=direction > 1)
    by_rest = sorted(values, key=lambda v: v % 3, reverse=direction == 0)
    names = sorted({"b": 1, "a": direction}, reverse=direction > 1)
    return ranked, by_rest, names, sorted([3, 1, 2], reverse=direction)


PAIRS = (([[3, 1], [1, 2], [3, 0], [2, 2]],), ([[1, 1], [1, 1]],))


class Point(NamedTuple):
    x: int
    y: int


@dataclass(order=True)
class Version:
    major: int
    minor: int


class Card:
    def __init__(self, rank, suit):
        self.rank, self.suit = rank, suit

    def __lt__(self, other):
        return (self.suit, self.rank) < (other.suit, other.rank)


@case(*PAIRS)
def points_in_order(pairs):
    by_y = sorted((Point(*pair) for pair in pairs), key=lambda p: (p.y, -p.x))
    return sorted(Point(x, y) for x, y in pairs), by_y, sorted(iter([Point(2, pairs[0][0])]))


@case(*PAIRS)
def versions_in_order(pairs):
    found = sorted((Version(x, y) for x, y in pairs), reverse=True)
    return [(v.major, v.minor) for v in found], found[0] > found[-1]


@case(*PAIRS)
def cards_in_order(pairs):
    return [(card.rank, card.suit) for card in sorted(Card(x, y) for x, y in pairs)]


@case(*PAIRS)
def extremes_of_points(pairs):
    points = [Point(x, y) for x, y in pairs]
    return max(points), min(tuple(points)), max(points[0])
