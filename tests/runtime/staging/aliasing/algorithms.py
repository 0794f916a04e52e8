"""Algorithms that work in place, as they are written for lists."""

from tests.runtime.staging.aliasing.cases import case, swap

A = [5, 2, 9, 1, 7, 3]


@case(A, 6)
def bubble_sort(a, n):
    for i in range(n):
        for j in range(n - 1 - i):
            if a[j] > a[j + 1]:
                swap(a, j, j + 1)
    return a


@case(A, 6)
def bubble_sort_that_stops(a, n):
    changed = True
    while changed:
        changed = False
        for j in range(n - 1):
            if a[j] > a[j + 1]:
                swap(a, j, j + 1)
                changed = True
    return a


@case(A, 6)
def insertion_sort(a, n):
    for i in range(1, n):
        x = a[i]
        j = i - 1
        while j >= 0 and a[j] > x:
            a[j + 1] = a[j]
            j -= 1
        a[j + 1] = x
    return a


@case(A, 6)
def insertion_sort_by_swaps(a, n):
    for i in range(1, n):
        j = i
        while j > 0 and a[j - 1] > a[j]:
            swap(a, j - 1, j)
            j -= 1
    return a


def least_from(a, i, n):
    best = i
    for j in range(i + 1, n):
        if a[j] < a[best]:
            best = j
    return best


@case(A, 6)
def selection_sort(a, n):
    for i in range(n):
        swap(a, i, least_from(a, i, n))
    return a


def partition(a, lo, hi):
    pivot = a[hi]
    i = lo
    for j in range(lo, hi):
        if a[j] < pivot:
            swap(a, i, j)
            i += 1
    swap(a, i, hi)
    return i


def quicksort(a, lo, hi):
    if lo < hi:
        p = partition(a, lo, hi)
        quicksort(a, lo, p - 1)
        quicksort(a, p + 1, hi)


@case(A, 6)
def quick_sort(a, n):
    quicksort(a, 0, n - 1)
    return a


def sorted_from(a, lo, hi):
    if lo < hi:
        p = partition(a, lo, hi)
        sorted_from(a, lo, p - 1)
        sorted_from(a, p + 1, hi)
    return a


@case(A, 6)
def quick_sort_that_returns(a, n):
    return sorted_from(a, 0, n - 1)


def sift(a, root, n):
    while 2 * root + 1 < n:
        child = 2 * root + 1
        if child + 1 < n and a[child] < a[child + 1]:
            child += 1
        if a[root] >= a[child]:
            break
        swap(a, root, child)
        root = child


@case(A, 6)
def heap_sort(a, n):
    for start in range(n // 2 - 1, -1, -1):
        sift(a, start, n)
    for end in range(n - 1, 0, -1):
        swap(a, 0, end)
        sift(a, 0, end)
    return a


def merge(a, b, lo, mid, hi):
    i, j = lo, mid
    for k in range(lo, hi):
        if i < mid and (j >= hi or a[i] <= a[j]):
            b[k] = a[i]
            i += 1
        else:
            b[k] = a[j]
            j += 1
    for k in range(lo, hi):
        a[k] = b[k]


def merge_sort_part(a, b, lo, hi):
    if hi - lo > 1:
        mid = (lo + hi) // 2
        merge_sort_part(a, b, lo, mid)
        merge_sort_part(a, b, mid, hi)
        merge(a, b, lo, mid, hi)


@case(A, [0, 0, 0, 0, 0, 0], 6)
def merge_sort(a, b, n):
    merge_sort_part(a, b, 0, n)
    return a


@case(A, [0, 0, 0, 0, 0, 0], 6)
def merge_sort_bottom_up(a, b, n):
    width = 1
    while width < n:
        lo = 0
        while lo < n:
            merge(a, b, lo, min(lo + width, n), min(lo + 2 * width, n))
            lo += 2 * width
        width *= 2
    return a


@case(A, 6)
def shell_sort(a, n):
    gap = n // 2
    while gap > 0:
        for i in range(gap, n):
            j = i
            while j >= gap and a[j - gap] > a[j]:
                swap(a, j - gap, j)
                j -= gap
        gap //= 2
    return a


@case(A, 6)
def gnome_sort(a, n):
    i = 0
    while i < n:
        if i == 0 or a[i] >= a[i - 1]:
            i += 1
        else:
            swap(a, i, i - 1)
            i -= 1
    return a


@case([2, 0, 2, 1, 0, 1], [0, 0, 0], 6)
def counting_sort(a, counts, n):
    for i in range(n):
        counts[a[i]] += 1
    k = 0
    for v in range(3):
        for _ in range(counts[v]):
            a[k] = v
            k += 1
    return a


def strike(a, i, n):
    j = i * i
    while j < n:
        a[j] = 0
        j += i


@case([1] * 30, 30)
def sieve(a, n):
    a[0] = 0
    a[1] = 0
    i = 2
    while i * i < n:
        if a[i] == 1:
            strike(a, i, n)
        i += 1
    return a


def reverse(a, lo, hi):
    while lo < hi:
        swap(a, lo, hi)
        lo += 1
        hi -= 1


@case(A, 6)
def reversed_in_place(a, n):
    reverse(a, 0, n - 1)
    return a


@case(A, 6, 2)
def rotated(a, n, k):
    reverse(a, 0, n - 1)
    reverse(a, 0, k - 1)
    reverse(a, k, n - 1)
    return a


@case(A, 6)
def sums(a, n):
    def up_to(i):
        a[i] += a[i - 1]

    for i in range(1, n):
        up_to(i)
    return a


@case([3, 0, 1, 0, 5, 0], 6)
def zeros_to_the_end(a, n):
    k = 0
    for i in range(n):
        if a[i] != 0:
            swap(a, k, i)
            k += 1
    return k, a


@case([1, 1, 2, 3, 3, 3], 6)
def without_doubles(a, n):
    k = 1
    for i in range(1, n):
        if a[i] != a[k - 1]:
            a[k] = a[i]
            k += 1
    return k, a


@case([2, 0, 1, 2, 0, 1], 6)
def three_colours(a, n):
    lo, i, hi = 0, 0, n - 1
    while i <= hi:
        if a[i] == 0:
            swap(a, lo, i)
            lo += 1
            i += 1
        elif a[i] == 2:
            swap(a, i, hi)
            hi -= 1
        else:
            i += 1
    return a


@case([1, 2, 3], 3)
def next_permutation(a, n):
    i = n - 2
    while i >= 0 and a[i] >= a[i + 1]:
        i -= 1
    if i >= 0:
        j = n - 1
        while a[j] <= a[i]:
            j -= 1
        swap(a, i, j)
    reverse(a, i + 1, n - 1)
    return a


@case([1, 3, 2, 0], 4)
@case([3, 2, 1, 0], 4)
def next_permutation_by_a_slice(a, n):
    i = n - 2
    while i >= 0 and a[i] >= a[i + 1]:
        i -= 1
    if i >= 0:
        j = n - 1
        while a[j] <= a[i]:
            j -= 1
        swap(a, i, j)
    a[i + 1 :] = reversed(a[i + 1 :])
    return a


@case(A, 2)
def slices_of_iterators(a, i):
    a[i:] = (x * 2 for x in a[i:])
    a[:i] = map(lambda x: x - 1, a[:i])
    a[::2] = reversed(a[::2])
    a[3:] = sorted(a[3:])
    a[1:3] = range(7, 9)
    a[6:] = reversed(a[6:])
    return a, a[::-1]


@case([[1, 2], [3, 4], [5, 6]], 1)
def slices_of_rows(m, i):
    m[i:] = reversed(m[i:])
    m[3:] = reversed(m[3:])
    m[:] = (row for row in m)
    return m


@case([0, 0, 0, 0, 0, 0, 0], 6)
def fibonacci_table(t, n):
    t[1] = 1
    for i in range(2, n + 1):
        t[i] = t[i - 1] + t[i - 2]
    return t[n], t


@case([0] * 8, [1, 3, 4], 7)
def coins(t, values, n):
    for i in range(1, n + 1):
        t[i] = 100
        for c in values:
            if c <= i and t[i - c] + 1 < t[i]:
                t[i] = t[i - c] + 1
    return t


@case([0, 1, 2, 3, 4, 5], 6)
def union_find(parent, n):
    def root(i):
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    def union(i, j):
        parent[root(i)] = root(j)

    union(0, 1)
    union(2, 3)
    union(1, 3)
    return root(0), root(2), root(4)


@case([[1, 2, 3], [4, 5, 6], [7, 8, 9]], 3)
def transposed(m, n):
    for i in range(n):
        for j in range(i):
            m[i][j], m[j][i] = m[j][i], m[i][j]
    return m


@case([[1, 2, 3], [4, 5, 6], [7, 8, 9]], 3)
def turned(m, n):
    for i in range(n):
        for j in range(i):
            m[i][j], m[j][i] = m[j][i], m[i][j]
    for row in m:
        reverse(row, 0, n - 1)
    return m


@case([[0, 3, 100], [100, 0, 1], [2, 100, 0]], 3)
def floyd_warshall(d, n):
    for k in range(n):
        for i in range(n):
            for j in range(n):
                if d[i][k] + d[k][j] < d[i][j]:
                    d[i][j] = d[i][k] + d[k][j]
    return d


@case([[0, 3, 100], [100, 0, 1], [2, 100, 0]], 3)
def floyd_warshall_by_rows(d, n):
    for k in range(n):
        through = d[k]
        for row in d:
            for j in range(n):
                row[j] = min(row[j], row[k] + through[j])
    return d


@case([[2.0, 1.0, 1.0], [1.0, 3.0, 2.0], [4.0, 0.0, 8.0]], 3)
def gauss(m, n):
    for k in range(n):
        p = k
        for i in range(k + 1, n):
            if abs(m[i][k]) > abs(m[p][k]):
                p = i
        m[k], m[p] = m[p], m[k]
        for i in range(k + 1, n):
            f = m[i][k] / m[k][k]
            for j in range(k, n):
                m[i][j] -= f * m[k][j]
    return m


@case([[2.0, 1.0, 1.0], [1.0, 3.0, 2.0], [4.0, 0.0, 8.0]], 3)
def gauss_by_rows(m, n):
    def eliminate(row, pivot, k):
        f = row[k] / pivot[k]
        for j in range(k, n):
            row[j] -= f * pivot[j]

    for k in range(n):
        pivot = m[k]
        for i in range(k + 1, n):
            eliminate(m[i], pivot, k)
    return m


@case([[1, 2], [3, 4]], [[5, 6], [7, 8]], [[0, 0], [0, 0]], 2)
def product(a, b, c, n):
    for i in range(n):
        row = c[i]
        for j in range(n):
            for k in range(n):
                row[j] += a[i][k] * b[k][j]
    return c


@case([[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]], [1, 2, 3], [2, 3, 1])
def common_subsequence(t, a, b):
    for i in range(2):
        above, row = t[i], t[i + 1]
        for j in range(3):
            if a[i] == b[j]:
                row[j + 1] = above[j] + 1
            else:
                row[j + 1] = max(above[j + 1], row[j])
    return t


@case(
    [[0, 1, 0, 0], [0, 1, 0, 0], [0, 1, 0, 0], [0, 0, 0, 0]],
    [[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]],
    4,
)
def game_of_life(grid, other, n):
    def neighbours(g, i, j):
        total = 0
        for di in range(-1, 2):
            for dj in range(-1, 2):
                if di != 0 or dj != 0:
                    total += g[(i + di) % n][(j + dj) % n]
        return total

    for _ in range(2):
        for i in range(n):
            for j in range(n):
                count = neighbours(grid, i, j)
                other[i][j] = 1 if count == 3 or (count == 2 and grid[i][j] == 1) else 0
        grid, other = other, grid
    return grid


def visit(m, i, j, n):
    if i >= 0 and j >= 0 and i < n and j < n and m[i][j] == 1:
        m[i][j] = 2
        visit(m, i + 1, j, n)
        visit(m, i - 1, j, n)
        visit(m, i, j + 1, n)
        visit(m, i, j - 1, n)


@case([[1, 1, 0], [1, 0, 0], [0, 0, 1]], 0, 3)
def flood(m, start, n):
    visit(m, start, start, n)
    return m


def hanoi(pegs, n, a, b, c):
    if n > 0:
        hanoi(pegs, n - 1, a, c, b)
        pegs[a] -= n
        pegs[c] += n
        hanoi(pegs, n - 1, b, a, c)


@case([6, 0, 0], 3)
def towers(pegs, n):
    hanoi(pegs, n, 0, 1, 2)
    return pegs


def turn(a, lo, hi):
    if lo < hi:
        swap(a, lo, hi)
        turn(a, lo + 1, hi - 1)


@case([1, 2, 3, 4], 0, 3)
def reversed_by_recursion(a, lo, hi):
    turn(a, lo, hi)
    return a


GRID = [[1, 1, 0], [0, 1, 0], [1, 0, 1]]


@case(GRID, 0, 0, 5)
@case(GRID, 2, 2, 0)
def flood_fill(grid, row, column, new):
    old = grid[row][column]

    def fill(r, c):
        if r < 0 or c < 0 or r >= len(grid) or c >= len(grid[0]) or grid[r][c] != old:
            return
        grid[r][c] = new
        fill(r + 1, c)
        fill(r - 1, c)
        fill(r, c + 1)
        fill(r, c - 1)

    if old != new:
        fill(row, column)
    return grid


@case(GRID, 0, 0)
@case(GRID, 2, 2)
def flood_fill_by_names_and_defaults(grid, row, column):
    def fill(r, c, new=7, *, step=1):
        if r < 0 or c < 0 or r >= len(grid) or c >= len(grid[0]) or grid[r][c] != 1:
            return
        grid[r][c] = new
        fill(r + step, c)
        fill(r - step, c=c)
        fill(r, c + step, 7)
        fill(c=c - step, r=r, step=step)

    fill(row, column)
    return grid


@case(GRID)
def islands(grid):
    count = 0

    def sink(r, c):
        if 0 <= r < len(grid) and 0 <= c < len(grid[0]) and grid[r][c] == 1:
            grid[r][c] = 0
            for dr, dc in ((1, 0), (-1, 0), (0, 1), (0, -1)):
                sink(r + dr, c + dc)

    for r in range(len(grid)):
        for c in range(len(grid[0])):
            if grid[r][c] == 1:
                count += 1
                sink(r, c)
    return grid, count + grid[0][0]


@case(A, 0)
def hanoi_of_pegs(pegs, start):
    def moved(n, a, b, c):
        if n > 0:
            moved(n - 1, a, c, b)
            put(c, pegs[c] + 1)
            pegs[a] -= 1
            moved(n - 1, b, a, c)

    def put(at, count):
        pegs[at] = count

    moved(pegs[start], start, start + 1, start + 2)
    return pegs


@case(A, 0)
def reversed_by_a_helper(a, lo):
    def swapped(i, j):
        a[i], a[j] = a[j], a[i]

    def turn(i, j):
        if i < j:
            swapped(i, j)
            turn(i + 1, j - 1)

    turn(lo, len(a) - 1)
    return a


@case([4, 1, 3], 0)
def counted_down(a, i):
    def down(i):
        if i >= len(a):
            return a[0] - a[0]
        total = a[i] - a[i]
        while a[i] > 0:
            a[i] -= 1
            total += down(i + 1) + 1
        return total

    return down(i), a
