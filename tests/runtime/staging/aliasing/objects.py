"""Tensors in objects whose other attributes a loop or a branch changes, and copies of tensors."""

import copy
import dataclasses

from tests.runtime.staging.aliasing.cases import case


class Counting:
    """Knows a tensor, and counts what is done with it."""

    def __init__(self, x):
        self.x = x
        self.n = 0

    def add(self, i, v):
        self.x[i] += v
        self.n += 1
        return self


@dataclasses.dataclass
class Record:
    """Something with fields."""

    x: object
    y: object = None


@case([1, 2, 3], 2)
def counted_changes(a, n):
    counting = Counting(a)
    for i in range(n):
        counting.add(i, 10).add(0, 1)
    return a, counting.x, counting.n


@case([1, 2, 3], 3)
def changed_by_both_names(a, n):
    counting = Counting(a)
    for i in range(n):
        if i == 1:
            a[0] = 9
        counting.add(1, a[0])
    return a, counting.x, counting.n


@case([1, 2, 3], 3)
def read_by_attribute(a, n):
    counting, i = Counting(a), 0
    while i < n:
        a[0] += 1
        counting.n += 1
        i += counting.x[0]
    return a, i, counting.n


@case([1, 2, 3], 3)
def in_nested_loops(a, n):
    counting = Counting(a)
    for i in range(n):
        for j in range(n):
            counting.add(j, i)
    return a, counting.n


@case([[1, 2], [3, 4]], 3)
def row_in_an_object(m, n):
    counting = Counting(m[0])
    for _ in range(n):
        counting.add(0, 1)
    return m, counting.x, counting.n


@case([1, 2, 3], 3)
def value_of_a_dict(a, n):
    held = {"x": a, "n": 0}
    for _ in range(n):
        held["n"] += 1
        held["x"][0] += 1
    return a, held["n"]


@case([1, 2, 3])
def copies(a):
    b, c = copy.copy(a), copy.deepcopy(a)
    b[0], c[1] = 5, 6
    a[2] = 7
    return a, b, c


@case([1, 2, 3])
def copied_once(a):
    b = copy.deepcopy([a, a])
    b[0][0] = 5
    return a, b[1]


@case([1, 2, 3])
def copied_in_objects(a):
    counting = Counting(a)
    shallow, deep = copy.copy(counting), copy.deepcopy(counting)
    shallow.add(0, 5)
    deep.add(1, 6)
    return a, shallow.x, deep.x


@case([1, 2, 3])
def copied_as_a_dict(a):
    record = Record(a)
    dataclasses.asdict(record)["x"][0] = 7
    dataclasses.replace(record, y=a).y[1] = 8
    return a


@case([[1, 2], [3, 4]])
def matrix_copied_with_its_rows(m):
    n = copy.deepcopy(m)
    n[0][0] = 9
    return m, n


# Tensors that a path leaves unbound, or None


@case([3, 1, 2])
def sorted_until_nothing_is_swapped(a):
    for i in range(len(a)):
        swapped = False
        for j in range(len(a) - 1 - i):
            if a[j] > a[j + 1]:
                a[j], a[j + 1] = a[j + 1], a[j]
                swapped = True
        if not swapped:
            return a
    return a


@case([3, 1, 2], 2)
def returned_from_an_endless_loop(a, k):
    while True:
        if a[0] > 10:
            return a
        a[0] += k


@case([3, 1, 2], 2)
def returned_in_a_tuple(a, k):
    for i in range(3):
        if a[i] == 1:
            return i, a
        a[i] += k
    return -1, a


def until(a, k):
    for i in range(3):
        if a[i] == k:
            return a
        a[i] += 1
    return a


@case([3, 1, 2], 2)
def returned_by_a_helper(a, k):
    b = until(a, k)
    b[0] = 50
    return a


@case([1, 2, 3], True)
@case([1, 2, 3], False)
def none_or_a_tensor(a, t):
    b = None
    if t:
        b = a
    if b is not None:
        b[0] = 9
    return a


@case([1, 2, 3], [4, 5, 6], True)
@case([1, 2, 3], [4, 5, 6], False)
def read_where_it_is_there(a, c, t):
    b = None
    if t:
        b = a
    a[0] = 9
    if b is None:
        return c
    return b


@case([1, 2, 3], 3)
def none_in_each_round(a, n):
    s = 0
    for i in range(n):
        s += a[0]
        found = None
        if i % 2 == 1:
            found = a
        if found is not None:
            found[0] += 1
    return s, a


@case([1, 2, 3], 3)
def kept_from_an_earlier_round(a, n):
    found, s = None, 0
    for i in range(n):
        if found is not None:
            found[1] += a[0]
        if i == 1:
            found = a
        a[0] += 1
        s += a[1]
    return s, a


@case([1, 2, 3], 3)
def rebound_where_it_was_kept(a, n):
    found = None
    for i in range(n):
        if i == 1:
            found = a
        a[0] += i
    a[1] = 7
    if found is None:
        return a
    found[2] = 8
    return found


@case([[1, 2], [3, 4]], 2)
def row_of_the_only_path_that_ends(m, n):
    if n > 1:
        r = m[0]
        m[0][0] = 9
    else:
        raise ValueError(n)
    return m, r
