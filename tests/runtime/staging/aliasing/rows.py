"""Programs that assign to rows of matrices, and to their items, by several names."""

from tests.runtime.staging.aliasing.cases import case, put, swap

M = [[1, 2], [3, 4]]
M3 = [[1, 2, 3], [4, 5, 6], [7, 8, 9]]


@case(M)
def a_row(m):
    r = m[0]
    r[0] = 9
    return m[0][0] + r[0]


@case(M)
def a_row_is_seen(m):
    r = m[0]
    m[0][0] = 9
    return r[0], m


@case(M)
def an_item_of_a_row(m):
    m[0][1] = 5
    return m


@case(M)
def two_rows(m):
    r, s = m[0], m[1]
    r[0] = s[1]
    s[1] = r[0] + 10
    return m, r, s


@case(M)
def one_row_twice(m):
    r, s = m[0], m[0]
    r[0] = 10
    s[1] = r[0] + 1
    return r, s, m


@case(M)
def from_the_end(m):
    r = m[-1]
    r[0] = 10
    return m[1], m


@case(M)
def a_row_by_a_helper(m):
    put(m[1], 0, 8)
    return m


@case(M, 1)
def a_row_that_the_run_knows(m, i):
    r = m[i]
    r[0] = 8
    m[i][1] = 9
    return m, r


@case(M, 2)
def rows(m, n):
    for r in m:
        r[0] = 9
    return m


@case(M, 2)
def rows_by_index(m, n):
    for i in range(n):
        r = m[i]
        r[0] = 9
        r[1] = r[0] + i
    return m


@case(M3, 3)
def rows_in_loops(m, n):
    for i in range(n):
        r = m[i]
        for j in range(n):
            r[j] = r[j] * 2 + i
    return m


@case(M3, 3)
def rows_counted(m, n):
    for i, r in enumerate(m):
        r[i] = 0
    return m


@case(M3, 3)
def rows_by_a_helper(m, n):
    def clear(row, k):
        for j in range(k):
            row[j] = 0

    for r in m:
        clear(r, 2)
    return m


@case(M3, 3)
def a_row_reads_the_matrix(m, n):
    for i in range(n):
        r = m[i]
        for j in range(n):
            r[j] = m[0][j] + m[i][0]
    return m


@case(M3, 3)
def a_row_from_outside(m, n):
    first = m[0]
    for i in range(n):
        for j in range(n):
            m[i][j] = m[i][j] + first[j]
    return m, first


@case(M3, 2)
def a_row_written_in_a_loop(m, n):
    r = m[1]
    for j in range(n):
        r[j] = m[1][j + 1] * 10
    return m, r


@case(M, True)
def a_row_in_a_branch(m, t):
    if t:
        r = m[0]
        r[0] = 9
    return m


@case(M, True)
def a_row_from_outside_of_a_branch(m, t):
    r = m[0]
    if t:
        r[0] = 9
    else:
        m[0][1] = 7
    return m, r


@case(M, False)
def a_row_from_outside_of_a_branch_otherwise(m, t):
    r = m[0]
    if t:
        r[0] = 9
    else:
        m[0][1] = 7
    return m, r


@case(M, 1)
def swapped(m, i):
    m[0], m[i] = m[i], m[0]
    return m


@case(M3, 2)
def swapped_by_a_helper(m, i):
    swap(m, 0, i)
    m[0][0] = 50
    return m


@case(M3, 2)
def swapped_by_a_name(m, i):
    r = m[0]
    m[0] = m[i]
    m[i] = r
    return m


@case(M3, 3)
def swapped_in_loops(m, n):
    for _i in range(n):
        for j in range(n - 1):
            if m[j][0] < m[j + 1][0]:
                m[j], m[j + 1] = m[j + 1], m[j]
    return m


@case(M3)
def unpacked(m):
    a, b, c = m
    a[0] = b[0] + c[0]
    return m


@case([[[1, 2], [3, 4]], [[5, 6], [7, 8]]])
def deep_views(t):
    m = t[1]
    r = m[0]
    r[1] = 60
    m[1][0] = 70
    return t, m, r


@case([[[1, 2], [3, 4]], [[5, 6], [7, 8]]], 2)
def deep_views_in_loops(t, n):
    for m in t:
        for r in m:
            r[0] = r[0] + r[1]
    return t


@case([[[1, 2], [3, 4]], [[5, 6], [7, 8]]], 2)
def deep_items_in_loops(t, n):
    for i in range(n):
        for j in range(n):
            t[i][j][0] = t[j][i][1]
    return t


@case(M3, 3)
def rows_in_a_list(m, n):
    held = [m[0], m[2]]
    held[0][0] = 10
    for i in range(n):
        held[1][i] = i
    return m


@case(M3, 3)
def row_put_into_the_matrix(m, n):
    for i in range(n):
        m[i] = m[i][::-1]
    return m


@case(M3, [1, 1, 1])
def a_row_put_and_forgotten(m, r):
    r[0] = 5
    m[1] = r
    return m


@case(M3, 3)
def sums_to_the_left(m, n):
    for i in range(n):
        r = m[i]
        for j in range(1, n):
            r[j] += r[j - 1]
    for i in range(1, n):
        for j in range(n):
            m[i][j] += m[i - 1][j]
    return m


@case(M3, [0, 0, 0])
def rows_from_both_ends(m, v):
    first, last = m[0], m[-1]
    m[-2] = v
    first[0] = 5
    last[-1] = 6
    return m, first, last


@case([[[1, 2], [3, 4]], [[5, 6], [7, 8]]], [0, 0])
def rows_by_two_names(t, v):
    a, b = t[0], t[-2]
    r = a[1]
    b[0] = v
    r[0] = 9
    return t, a, b
