"""Sorts, searches and sequences, as textbooks write them."""

import numpy as np

from tests.textbook.bank import bank

# The programs are written as textbooks write them.
# ruff: noqa: B905, SIM110

case, CASES = bank()


@case(([3, 1, 2],), ([5, 4, 3, 2, 1],), ([1],))
def bubble_sort(a):
    n = len(a)
    for i in range(n):
        for j in range(0, n - i - 1):
            if a[j] > a[j + 1]:
                a[j], a[j + 1] = a[j + 1], a[j]
    return a


@case(([3, 1, 2],), ([5, 4, 3, 2, 1],), ([1, 2, 3],))
def bubble_sort_early(a):
    n = len(a)
    while True:
        swapped = False
        for j in range(n - 1):
            if a[j] > a[j + 1]:
                a[j], a[j + 1] = a[j + 1], a[j]
                swapped = True
        if not swapped:
            break
    return a


@case(([3, 1, 2],), ([5, 4, 3, 2, 1],))
def insertion_sort(a):
    for i in range(1, len(a)):
        key = a[i]
        j = i - 1
        while j >= 0 and a[j] > key:
            a[j + 1] = a[j]
            j -= 1
        a[j + 1] = key
    return a


@case(([3, 1, 2],), ([5, 4, 3, 2, 1],))
def selection_sort(a):
    for i in range(len(a)):
        least = i
        for j in range(i + 1, len(a)):
            if a[j] < a[least]:
                least = j
        a[i], a[least] = a[least], a[i]
    return a


def swap(a, i, j):
    a[i], a[j] = a[j], a[i]


@case(([3, 1, 2],), ([5, 4, 3, 2, 1],))
def selection_sort_swap(a):
    for i in range(len(a)):
        least = i
        for j in range(i + 1, len(a)):
            if a[j] < a[least]:
                least = j
        swap(a, i, least)
    return a


def partition(a, low, high):
    pivot = a[high]
    i = low - 1
    for j in range(low, high):
        if a[j] <= pivot:
            i += 1
            a[i], a[j] = a[j], a[i]
    a[i + 1], a[high] = a[high], a[i + 1]
    return i + 1


def quick(a, low, high):
    if low < high:
        p = partition(a, low, high)
        quick(a, low, p - 1)
        quick(a, p + 1, high)


@case(([3, 1, 2],), ([5, 4, 3, 2, 1],), ([2, 2, 1],))
def quick_sort(a):
    quick(a, 0, len(a) - 1)
    return a


@case(([3, 1, 2],), ([5, 4, 3, 2, 1],))
def quick_sort_iterative(a):
    stack = [(0, len(a) - 1)]
    while stack:
        low, high = stack.pop()
        if low < high:
            p = partition(a, low, high)
            stack.append((low, p - 1))
            stack.append((p + 1, high))
    return a


def merge(left, right):
    out = []
    i = j = 0
    while i < len(left) and j < len(right):
        if left[i] <= right[j]:
            out.append(left[i])
            i += 1
        else:
            out.append(right[j])
            j += 1
    out.extend(left[i:])
    out.extend(right[j:])
    return out


@case(([1, 4], [2, 3]), ([5], [1, 9]))
def merge_sorted(a, b):
    return merge(a, b)


@case(([3, 1, 2, 5],), ([2, 1],), ([1],))
def merge_sort(a):
    if len(a) <= 1:
        return a
    mid = len(a) // 2
    return merge(merge_sort(a[:mid]), merge_sort(a[mid:]))


@case(([3, 1, 2, 7, 5],))
def shell_sort(a):
    gap = len(a) // 2
    while gap > 0:
        for i in range(gap, len(a)):
            held = a[i]
            j = i
            while j >= gap and a[j - gap] > held:
                a[j] = a[j - gap]
                j -= gap
            a[j] = held
        gap //= 2
    return a


def sift(a, start, end):
    root = start
    while root * 2 + 1 < end:
        child = root * 2 + 1
        if child + 1 < end and a[child] < a[child + 1]:
            child += 1
        if a[root] < a[child]:
            a[root], a[child] = a[child], a[root]
            root = child
        else:
            return


@case(([3, 1, 2, 7, 5],), ([2, 1],))
def heap_sort(a):
    n = len(a)
    for start in range(n // 2 - 1, -1, -1):
        sift(a, start, n)
    for end in range(n - 1, 0, -1):
        a[0], a[end] = a[end], a[0]
        sift(a, 0, end)
    return a


@case(([3, 1, 2, 3, 0],))
def counting_sort(a):
    counts = [0] * 10
    for x in a:
        counts[x] += 1
    out = []
    for value in range(10):
        for _ in range(counts[value]):
            out.append(value)
    return out


@case(([3, 1, 2],))
def gnome_sort(a):
    i = 0
    while i < len(a):
        if i == 0 or a[i] >= a[i - 1]:
            i += 1
        else:
            a[i], a[i - 1] = a[i - 1], a[i]
            i -= 1
    return a


@case(([3, 1, 2], 2), ([3, 1, 2], 9))
def linear_search(a, target):
    for i in range(len(a)):
        if a[i] == target:
            return i
    return -1


@case(([3, 1, 2], 2), ([3, 1, 2], 9))
def linear_search_enumerate(a, target):
    for i, x in enumerate(a):
        if x == target:
            return i
    return None


@case(([3, 1, 2], 2), ([3, 1, 2], 9))
def index_or_raise(a, target):
    for i, x in enumerate(a):
        if x == target:
            return i
    raise ValueError("not in list")


@case(([1, 2, 3, 5, 8], 5), ([1, 2, 3, 5, 8], 4))
def binary_search(a, target):
    low, high = 0, len(a) - 1
    while low <= high:
        mid = (low + high) // 2
        if a[mid] == target:
            return mid
        elif a[mid] < target:
            low = mid + 1
        else:
            high = mid - 1
    return -1


def bisect(a, target, low, high):
    if low > high:
        return -1
    mid = (low + high) // 2
    if a[mid] == target:
        return mid
    if a[mid] > target:
        return bisect(a, target, low, mid - 1)
    return bisect(a, target, mid + 1, high)


@case(([1, 2, 3, 5, 8], 5), ([1, 2, 3, 5, 8], 4))
def binary_search_recursive(a, target):
    return bisect(a, target, 0, len(a) - 1)


@case(([3, 1, 2],), ([-5, -9],))
def maximum(a):
    best = a[0]
    for x in a:
        if x > best:
            best = x
    return best


@case(([3, 1, 2],), ([-5, -9, -7],))
def maximum_none(a):
    best = None
    for x in a:
        if best is None or x > best:
            best = x
    return best


@case(([3, 1, 2],), ([7, 7, 1],), ([1],))
def second_largest(a):
    if len(a) < 2:
        raise ValueError("needs two")
    first, second = a[0], a[1]
    if second > first:
        first, second = second, first
    for i in range(2, len(a)):
        if a[i] > first:
            first, second = a[i], first
        elif a[i] > second:
            second = a[i]
    return second


@case(([1, -3, 4, -1, 2],), ([-2, -1],))
def max_subarray(a):
    best = current = a[0]
    for x in a[1:]:
        current = max(x, current + x)
        best = max(best, current)
    return best


@case(([1, 2, 3, 4],), ([1],))
def reverse_in_place(a):
    i, j = 0, len(a) - 1
    while i < j:
        a[i], a[j] = a[j], a[i]
        i += 1
        j -= 1
    return a


@case(([1, 2, 3, 4], 1), ([1, 2, 3], 5))
def rotate(a, k):
    for _ in range(k % len(a)):
        last = a[-1]
        for i in range(len(a) - 1, 0, -1):
            a[i] = a[i - 1]
        a[0] = last
    return a


@case(([1, 2, 3, 4],))
def prefix_sums(a):
    for i in range(1, len(a)):
        a[i] += a[i - 1]
    return a


@case(([1, 2, 3, 4],))
def running_totals(a):
    out = []
    total = 0
    for x in a:
        total += x
        out.append(total)
    return out


@case(([1, 2, 3, 4],), ([2, 2],))
def mean_variance(a):
    n = len(a)
    mean = sum(a) / n
    return mean, sum((x - mean) ** 2 for x in a) / n


@case(([3, 1, 2],), ([4, 1, 2, 3],))
def median(a):
    b = sorted(a)
    n = len(b)
    if n % 2:
        return b[n // 2]
    return (b[n // 2 - 1] + b[n // 2]) / 2


@case(([1, 2, 3], 5), ([1, 2, 3], 9))
def two_sum(a, target):
    for i in range(len(a)):
        for j in range(i + 1, len(a)):
            if a[i] + a[j] == target:
                return [i, j]
    return []


@case(([1, 2, 4, 8], 10), ([1, 2], 9))
def two_pointers(a, target):
    i, j = 0, len(a) - 1
    while i < j:
        s = a[i] + a[j]
        if s == target:
            return i, j
        if s < target:
            i += 1
        else:
            j -= 1
    return -1, -1


@case(([2, 2, 1, 2],), ([3, 3, 4],))
def majority(a):
    count = 0
    candidate = 0
    for x in a:
        if count == 0:
            candidate = x
        count += 1 if x == candidate else -1
    return candidate


@case(([1, 2, 2, 3],), ([1, 3, 2],))
def is_sorted(a):
    return all(a[i] <= a[i + 1] for i in range(len(a) - 1))


@case(([4, 5, 1, 2],))
def inversions(a):
    count = 0
    for i in range(len(a)):
        for j in range(i + 1, len(a)):
            if a[i] > a[j]:
                count += 1
    return count


@case(([7, 1, 5, 3, 6, 4],), ([7, 6, 4],))
def best_profit(prices):
    lowest = prices[0]
    profit = 0
    for price in prices:
        if price < lowest:
            lowest = price
        elif price - lowest > profit:
            profit = price - lowest
    return profit


@case(([0, 1, 0, 3],))
def move_zeros(a):
    place = 0
    for i in range(len(a)):
        if a[i] != 0:
            a[place], a[i] = a[i], a[place]
            place += 1
    return a


@case(([3, 0, 1],))
def missing_number(a):
    n = len(a)
    return n * (n + 1) // 2 - sum(a)


@case(([2, 0, 2, 1, 1, 0],))
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
            raise ValueError("0, 1 and 2 only")
    return a


@case(([1, 3, 2], 2), ([1, 3], 7))
def contains(a, x):
    return x in a


@case(
    ([1, 3, 1], 1),
)
def count_of(a, x):
    count = 0
    for y in a:
        if y == x:
            count = count + 1
    return count


@case(([1, 2, 3, 4, 5],))
def evens(a):
    out = []
    for x in a:
        if x % 2 == 0:
            out.append(x)
    return out


@case(([1, 2, 3, 4, 5],))
def evens_comprehension(a):
    return [x for x in a if x % 2 == 0]


@case(([1, 2, 3],))
def doubled(a):
    return [2 * x for x in a]


@case(([1, 2, 3], [4, 5, 6]))
def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


@case(([1, 0, -2], 2), ([5], 3))
def horner(coefficients, x):
    value = 0
    for c in coefficients:
        value = value * x + c
    return value


@case(([1, 4, 9], 5), ([1, 4, 9], 10), ([1, 4, 9], 0))
def insert_position(a, x):
    i = 0
    while i < len(a) and a[i] < x:
        i += 1
    return i


@case(([1, 2, 3, 4, 5, 6], 2), ([1, 2, 3], 1))
def window_sum(a, k):
    best = 0
    for i in range(len(a) - k + 1):
        s = 0
        for j in range(i, i + k):
            s += a[j]
        best = max(best, s)
    return best


@case(([4, 2, 0, 3, 2, 5],))
def trapped_rain(h):
    left, right = 0, len(h) - 1
    left_max = right_max = 0
    water = 0
    while left < right:
        if h[left] < h[right]:
            if h[left] >= left_max:
                left_max = h[left]
            else:
                water += left_max - h[left]
            left += 1
        else:
            if h[right] >= right_max:
                right_max = h[right]
            else:
                water += right_max - h[right]
            right -= 1
    return water


@case(([2, 3, 1, 1, 4],), ([3, 2, 1, 0, 4],))
def can_jump(a):
    reach = 0
    for i, step in enumerate(a):
        if i > reach:
            return False
        reach = max(reach, i + step)
    return True


def put(a, v):
    a[0] = v
    return a[0]


@case(([1, 2], 9))
def helper_writes(a, v):
    x = put(a, v)
    return a[0] + x


@case(([1, 2],))
def alias_by_name(a):
    b = a
    a[0] = 9
    return b[0] + a[1]


class Stack:
    def __init__(self):
        self.items = []

    def push(self, x):
        self.items.append(x)

    def pop(self):
        if not self.items:
            raise IndexError("pop from empty stack")
        return self.items.pop()


@case(([1, 2, 3],))
def stack_reverse(a):
    s = Stack()
    for x in a:
        s.push(x)
    out = []
    while s.items:
        out.append(s.pop())
    return out


@case(([5, 3, 8],))
def largest_index(a):
    return max(range(len(a)), key=lambda i: a[i])


@case(([1, 2, 3, 2, 1],), ([1, 2],))
def palindrome(a):
    for i in range(len(a) // 2):
        if a[i] != a[-1 - i]:
            return False
    return True


@case(([1, 2, 3],), ([],))
def average(a):
    if not len(a):
        raise ValueError("no numbers")
    return sum(a) / len(a)


def chain_of_halves(n):
    yield n
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        yield n


@case((4,), (11,), (1,))
def length_and_peak(n):
    length, peak = 0, 0
    for term in chain_of_halves(n):
        length += 1
        if term > peak:
            peak = term
    return length, peak, sum(chain_of_halves(n))


@case((0.0, 2.0, 4), (1.0, 3.0, 10))
def midpoint_rule(low, high, steps):
    def area(width):
        total = 0.0
        for x in midpoints(low, high, width):
            total += width * (x * x + 1)
        return total

    return area((high - low) / steps)


def midpoints(low, high, width):
    x = low + width / 2
    while x < high:
        yield x
        x += width


@case((0,), (10,), (2,))
def primes_below(limit):
    return list(sieved(limit))


def sieved(limit):
    for number in range(2, limit):
        for divisor in range(2, number):
            if number % divisor == 0:
                break
        else:
            yield number


@case(([2.0, 5.0, 3.0, 8.25, 6.0], 3), ([1.0], 1))
def smoothed_prices(prices, window):
    return list(smoothed(prices, window))


def smoothed(prices, window):
    if window <= 0:
        raise ValueError("the window must be positive")
    weight = 2 / (1 + window)
    average = 0.0
    for day, price in enumerate(prices):
        if day <= window:
            average = (average + price) * 0.5 if day else price
        else:
            average = weight * price + (1 - weight) * average
        yield average


def squares():
    root = 1
    while True:
        yield root * root
        root += 1


@case((50,), (1,))
def first_square_above(n):
    for square in squares():
        if square > n:
            return square


@case((0.0, 1.0), (2.0, 64.0))
def bell_curve(x, width):
    return 1 / np.sqrt(2 * np.pi * width**2) * np.exp(-(x**2) / (2 * width**2))
